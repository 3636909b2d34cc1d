"""Bernoulli mixtures: the free energy term by term, entropy, the generalization error."""

import numpy as np
from scipy.special import xlogy

from vbkit.binary import WIDEST, Truth, binary_vectors
from vbkit.checks import as_generator, as_instance, as_integer, as_nonnegative
from vbkit.families import BetaBernoulli
from vbkit.mixture import Mixture, check_variational


def entropy(p) -> float:
    """-sum p log p (nats) of probabilities p (...): the S of ideal counts N p, for which F - N S is
    F + sum N p log p. Raises ValueError for a p below 0."""
    p = as_nonnegative("p", p)
    return float(-xlogy(p, p).sum())


def free_energy_terms(mixture: Mixture, X, R, weights=None) -> np.ndarray:
    """F_1, ..., F_5 (5,) of Kaji 2011, (5.3), in nats, for data X (N, M).

    Their sum is F = -ELBO where q(z) is R (N, K) and the posterior over parameters is the M-step of
    R: minus `mixture.elbo_of_responsibilities`. weights (N,): a row of weight w counts w times.
    Raises ValueError for components that are not BetaBernoulli, for rows of R that do not sum to 1,
    and unless clones is 1 and pseudo_statistics None.
    """
    check_variational(mixture)
    as_instance("family", mixture.family, BetaBernoulli)
    data = mixture.observe(X, weights)
    S = mixture.m_step(data, R)
    sums = np.sum(R, axis=1)
    if np.abs(sums - 1).max() > 1e-9:
        raise ValueError(
            f"R has rows that sum to {sums.min()} to {sums.max()}; each must sum to 1"
        )
    label_entropy = -xlogy(R, R).sum(axis=1)
    A, B, n = mixture.family.log_normalizer, mixture.weights.log_normalizer, S[:, 0]
    f5 = label_entropy.sum() if data.weights is None else data.weights @ label_entropy
    return np.array([B(0 * n), A(0 * S).sum(), -B(n), -A(S).sum(), -f5])


def generalization_error(
    mixture: Mixture, S, truth: Truth, *, size: int = 100_000, rng=None
) -> tuple[float, float]:
    """Kullback-Leibler divergence (nats) of the predictive density at S (K, P) from the truth.

    Returns it with its standard error (Kaji 2011, 6.1.1). Up to M = 16 all patterns are summed and
    the error is 0. Above, it is a mean over `size` draws from the truth, for which `rng` is needed.
    Raises ValueError without a generator there, or where S is no state of the mixture.
    """
    as_instance("mixture", mixture, Mixture)
    if as_instance("truth", truth, Truth).dimension <= WIDEST:
        p = truth.probabilities()
        there = p > 0
        log_q = mixture.log_predictive(binary_vectors(truth.dimension)[there], S)
        return float(p[there] @ (np.log(p[there]) - log_q)), 0.0
    X, _ = truth.sample(as_integer("size", size, 2), as_generator("rng", rng))
    gaps = np.log(truth.joint(X).sum(axis=1)) - mixture.log_predictive(X, S)
    return float(gaps.mean()), float(gaps.std(ddof=1) / size**0.5)
