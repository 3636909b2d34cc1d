"""Bernoulli mixtures on all 2^M patterns: probabilities, the free energy term by term, the generalization error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlogy

from vbkit.checks import as_array, as_generator, as_integer, as_matrix, read_only
from vbkit.families import BetaBernoulli
from vbkit.mixture import Mixture

WIDEST = 16  # coordinates whose patterns are enumerated


@dataclass(frozen=True, eq=False)
class Truth:
    """A Bernoulli mixture: weights (K,) that sum to 1, probabilities of ones `means` (K, M). ValueError for others."""

    weights: np.ndarray
    means: np.ndarray

    def __post_init__(self):
        weights, means = as_array("weights", self.weights, ndim=1), as_matrix("means", self.means)
        if len(weights) != len(means) or (weights < 0).any() or abs(weights.sum() - 1) > 1e-9:
            raise ValueError(
                f"weights is {weights}; it must be {len(means)} numbers >= 0 that sum to 1"
            )
        if not ((means >= 0) & (means <= 1)).all():
            raise ValueError(
                f"means reach from {means.min()} to {means.max()}; they must lie within 0 and 1"
            )
        vars(self).update(
            weights=read_only(weights), means=read_only(np.asarray(self.means))
        )  # of the type given: 0 and 1

    def __iter__(self):
        """weights, means = truth"""
        return iter((self.weights, self.means))

    def joint(self, X) -> np.ndarray:
        """p(x, z = k) of the rows of X (N, M) of 0 and 1: (N, K) (Kaji 2011, 3.1). ValueError for other data."""
        X = np.asarray(BetaBernoulli(self.means.shape[1]).check_data(X), dtype=bool)[:, None]
        return self.weights * np.where(X, self.means, 1 - self.means).prod(axis=2)

    def probabilities(self) -> np.ndarray:
        """Of all patterns: (2^M,)."""
        return self.joint(binary_vectors(self.means.shape[1])).sum(axis=1)

    def sample(self, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Data (size, M) uint8 and labels (size,)."""
        as_integer("size", size, 1)
        labels = as_generator("rng", rng).choice(
            len(self.weights), size=size, p=self.weights / self.weights.sum()
        )
        return (rng.random((size, self.means.shape[1])) < self.means[labels]).astype(
            np.uint8
        ), labels


def binary_vectors(dimension: int) -> np.ndarray:
    """All 2^M patterns, uint8 (2^M, M): bit m of i is coordinate m of pattern i. ValueError for M > 16; learn then from
    the distinct rows, `np.unique(X, axis=0, return_counts=True)`, with their counts as observation weights."""
    if as_integer("dimension", dimension, 1) > WIDEST:
        raise ValueError(
            f"dimension is {dimension}; at most {WIDEST} can be listed; use distinct rows with weights"
        )
    return ((np.arange(2**dimension)[:, None] >> np.arange(dimension)) & 1).astype(np.uint8)


def pattern_counts(X) -> np.ndarray:
    """How often each pattern occurs among the rows of X (N, M) of 0 and 1: (2^M,). ValueError for other data."""
    M = as_matrix("X", X).shape[1]
    index = BetaBernoulli(M).check_data(X).astype(np.int64) @ (1 << np.arange(M))
    return np.bincount(index, minlength=len(binary_vectors(M))).astype(np.float64)


def entropy(p) -> float:
    """-sum p log p (nats): the S of ideal counts N p, for which F - N S is F + sum_x N p(x) log p(x)."""
    return float(-xlogy(p, p).sum())


def free_energy_terms(mixture: Mixture, X, R, weights=None) -> np.ndarray:
    """F_1, ..., F_5 (5,) of Kaji 2011, (5.3), in nats, for responsibilities R (N, K) of BetaBernoulli components.

    Their sum is F, minus the bound, where q(z) is R and the posterior over parameters is its M-step; it is not where
    the posterior is another. A row with observation weight w counts w times, in F_5 too. Raises ValueError for components of
    another family, and unless copies is 1 and pseudo None.
    """
    if not isinstance(mixture.family, BetaBernoulli):
        raise ValueError(
            f"component is a {type(mixture.family).__name__}; (5.3) is for BetaBernoulli components"
        )
    if mixture.clones != 1 or mixture.pseudo_statistics is not None:
        raise ValueError(
            "the terms are those of variational Bayes: copies must be 1 and pseudo None"
        )
    family, S = mixture.family, mixture.m_step(X, R, weights)
    ones, zeros = family.posterior(S)
    priors = family.posterior(0 * S)
    w = np.ones(len(R)) if weights is None else np.asarray(weights)
    f1, f3 = mixture.weights.log_normalizer(0 * S[:, 0]), -mixture.weights.log_normalizer(S[:, 0])
    f2, f4 = (
        gammaln(one) + gammaln(zero) - gammaln(one + zero) for one, zero in (priors, (ones, zeros))
    )
    return np.array([f1, f2.sum(), f3, -f4.sum(), w @ xlogy(R, R).sum(axis=1)])


def generalization_error(
    mixture: Mixture, S, truth: Truth, *, size: int = 100_000, rng=None
) -> tuple[float, float]:
    """Kullback-Leibler divergence (nats) of the predictive density from the truth (Kaji 2011, 6.1.1), and the standard
    error of that number: 0 for M <= 16, where all patterns are summed. Above, a mean over `size` draws from the truth,
    for which `rng` is needed."""
    if truth.means.shape[1] <= WIDEST:
        p = truth.probabilities()
        there = p > 0
        log_q = mixture.log_predictive(binary_vectors(truth.means.shape[1])[there], S)
        return float(p[there] @ (np.log(p[there]) - log_q)), 0.0
    X, _ = truth.sample(as_integer("size", size, 2), as_generator("rng", rng))
    gaps = np.log(truth.joint(X).sum(axis=1)) - mixture.log_predictive(X, S)
    return float(gaps.mean()), float(gaps.std(ddof=1) / size**0.5)
