"""Answers to the exercises of notebook 07."""

import numpy as np

from vbkit.factorization import Factorization, elbo, thresholds


def free_energy(V, A, cov_A, B, cov_B, prior_a, prior_b, noise) -> float:
    """Return F (nats) of the slides' homework, with every constant.

    V (L, M), A (M, H), B (L, H), covariances (H, H), prior variances (H,), noise variance.
    """
    return -elbo(V, Factorization(A, B, cov_A, cov_B, prior_a, prior_b, noise))


def kept(V, noise) -> int:
    """Count the components of a full matrix that empirical VB keeps at a known noise variance."""
    singular_values = np.linalg.svd(V, compute_uv=False)
    return int((singular_values > np.sqrt(noise) * thresholds(np.shape(V)).keep).sum())


def evidence_slope(v, noise) -> float:
    """Return the derivative of log p(v) of a 1 x 1 matrix in c_a^2 c_b^2, at zero."""
    return (v**2 - noise) / (2 * noise**2)
