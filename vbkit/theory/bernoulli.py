"""Bernoulli mixtures: the free energy term by term, entropy, the generalization error (Kaji 2011)."""

import numpy as np
from scipy.special import gammaln, xlogy

from vbkit.binary import WIDEST, Truth, binary_vectors
from vbkit.checks import as_generator, as_integer
from vbkit.families import BetaBernoulli
from vbkit.mixture import Mixture


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
            f"family is {type(mixture.family).__name__}; (5.3) is for BetaBernoulli components"
        )
    if mixture.clones != 1 or mixture.pseudo_statistics is not None:
        raise ValueError(
            "the terms are those of variational Bayes: clones must be 1 and pseudo_statistics None"
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
