"""Bernoulli mixtures on all 2^M patterns: probabilities, the free energy term by term, the generalization error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from vbkit.checks import as_array, as_generator, as_matrix, as_whole
from vbkit.mixture import Mixture

WIDEST = 16  # coordinates whose patterns are enumerated


class Truth(NamedTuple):
    """A Bernoulli mixture: weights (K,) that sum to 1, probabilities of ones `means` (K, M)."""

    weights: np.ndarray
    means: np.ndarray

    def checked(self) -> Truth:
        """The same as float64 arrays, or a ValueError."""
        weights, means = as_array("weights", self.weights, ndim=1), as_matrix("means", self.means)
        if len(weights) != len(means) or (weights < 0).any() or abs(weights.sum() - 1) > 1e-9:
            raise ValueError(f"weights is {weights}; it must be {len(means)} numbers >= 0 that sum to 1")
        if not ((means >= 0) & (means <= 1)).all():
            raise ValueError(f"means reach from {means.min()} to {means.max()}; they must lie within 0 and 1")
        return Truth(weights, means)

    def joint(self, X) -> np.ndarray:
        """p(x, z = k) of the rows of X (N, M): (N, K) (Kaji 2011, 3.1)."""
        weights, means = self.checked()
        X = np.asarray(X, dtype=bool)[:, None]
        return weights * np.where(X, means, 1 - means).prod(axis=2)

    def probabilities(self) -> np.ndarray:
        """Of all patterns: (2^M,)."""
        return self.joint(patterns(np.shape(self.means)[1])).sum(axis=1)

    def sample(self, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Data (size, M) uint8 and labels (size,)."""
        weights, means = self.checked()
        as_whole("size", size, 1)
        labels = as_generator("rng", rng).choice(len(weights), size=size, p=weights / weights.sum())
        return (rng.random((size, means.shape[1])) < means[labels]).astype(np.uint8), labels


def patterns(dimension: int) -> np.ndarray:
    """All 2^M patterns, uint8 (2^M, M): bit m of i is coordinate m of pattern i. ValueError for M > 16; learn then from
    the distinct rows, `np.unique(X, axis=0, return_counts=True)`, with their counts as observation weights."""
    if as_whole("dimension", dimension, 1) > WIDEST:
        raise ValueError(f"dimension is {dimension}; at most {WIDEST} can be listed; use distinct rows with weights")
    return ((np.arange(2**dimension)[:, None] >> np.arange(dimension)) & 1).astype(np.uint8)


def pattern_counts(X) -> np.ndarray:
    """How often each pattern occurs among the rows of X (N, M) of 0 and 1: (2^M,)."""
    X = np.asarray(X)
    index = X.astype(np.int64) @ (1 << np.arange(X.shape[1]))
    return np.bincount(index, minlength=len(patterns(X.shape[1]))).astype(np.float64)


def entropy(p) -> float:
    """-sum p log p (nats): the S of ideal counts N p, for which F - N S is F + sum_x N p(x) log p(x)."""
    return float(-xlogy(p, p).sum())


def free_energy_terms(mixture: Mixture, X, R, weights=None) -> np.ndarray:
    """F_1, ..., F_5 (5,) of Kaji 2011, (5.3), in nats, for responsibilities R (N, K) of BetaBernoulli units.

    Their sum is F, minus the bound, where q(z) is R and the posterior over parameters is its M-step; it is not where
    the posterior is another. A row with observation weight w counts w times, in F_5 too.
    """
    family, S = mixture.component, mixture.collect(X, R, weights)
    ones, zeros = family.posterior(S)
    priors = family.posterior(0 * S)
    w = np.ones(len(R)) if weights is None else np.asarray(weights)
    f1, f3 = mixture.weights.log_normalizer(0 * S[:, 0]), -mixture.weights.log_normalizer(S[:, 0])
    f2, f4 = (gammaln(one) + gammaln(zero) - gammaln(one + zero) for one, zero in (priors, (ones, zeros)))
    return np.array([f1, f2.sum(), f3, -f4.sum(), w @ xlogy(R, R).sum(axis=1)])


def generalization_error(mixture: Mixture, S, truth: Truth, *, size: int = 100_000, rng=None) -> tuple[float, float]:
    """Kullback-Leibler divergence (nats) of the predictive density from the truth (Kaji 2011, 6.1.1), and the standard
    error of that number: 0 for M <= 16, where all patterns are summed. Above, a mean over `size` draws from the truth,
    for which `rng` is needed."""
    truth = truth.checked()
    if truth.means.shape[1] <= WIDEST:
        p = truth.probabilities()
        there = p > 0
        log_q = mixture.log_predictive(patterns(truth.means.shape[1])[there], S)
        return float(p[there] @ (np.log(p[there]) - log_q)), 0.0
    X, _ = truth.sample(as_whole("size", size, 2), as_generator("rng", rng))
    gaps = np.log(truth.joint(X).sum(axis=1)) - mixture.log_predictive(X, S)
    return float(gaps.mean()), float(gaps.std(ddof=1) / size**0.5)
