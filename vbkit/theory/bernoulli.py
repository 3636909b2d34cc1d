"""The free energy of a Bernoulli mixture term by term (Kaji 2011, 5.3), and the
entropy."""

import numpy as np
from scipy.special import xlogy

from vbkit.checks import as_instance, as_nonnegative
from vbkit.families import BetaBernoulli
from vbkit.mixture import Mixture, check_variational


def entropy(p) -> float:
    """-sum p log p (nats) of probabilities p (...).

    Of ideal counts N p it is the S for which F - N S is F + sum N p log p. Raises
    ValueError for a p below 0.
    """
    p = as_nonnegative("p", p)
    return float(-xlogy(p, p).sum())


def free_energy_terms(mixture: Mixture, X, R, weights=None) -> np.ndarray:
    """F_1, ..., F_5 (5,) of Kaji 2011, (5.3), in nats, for data X (N, M).

    Their sum is F = -ELBO where q(z) is R (N, K) and the posterior over parameters is
    the M-step of R: minus `mixture.elbo_of_responsibilities`. With A the log-normaliser
    of a component, B that of the mixing weights, and S the state with counts n, they
    are

        F_1 = B(0),  F_2 = sum_k A(0),  F_3 = -B(n),  F_4 = -sum_k A(S_k),
        F_5 = sum_nk r_nk log r_nk.

    weights (N,): a row of weight w counts w times. Raises ValueError for components
    that are not BetaBernoulli, for rows of R that do not sum to 1, and unless clones is
    1 and pseudo_statistics None.
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
    row_entropies = -xlogy(R, R).sum(axis=1)
    if data.weights is None:
        label_entropy = row_entropies.sum()
    else:
        label_entropy = data.weights @ row_entropies
    A = mixture.family.log_normalizer
    B = mixture.labels.log_normalizer
    n = S[:, 0]
    return np.array([B(0 * n), A(0 * S).sum(), -B(n), -A(S).sum(), -label_entropy])
