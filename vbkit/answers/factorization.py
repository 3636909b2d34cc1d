"""Answers to the exercises of notebook 07."""

from __future__ import annotations

import numpy as np

from vbkit.factorization import Factorization, elbo, thresholds, validate


def free_energy(V, A, cov_A, B, cov_B, prior_a, prior_b, noise) -> float:
    """F of the slides' homework, with every constant (nats): V (L, M), A (M, H), B (L, H), cov_A, cov_B (H, H), prior
    variances (H,)."""
    return -elbo(V, Factorization(A, B, cov_A, cov_B, prior_a, prior_b, noise))


def kept(V, noise) -> int:
    """How many components of the full matrix V empirical VB keeps at a known noise variance."""
    V = np.asarray(V)
    return int((validate(V).d > np.sqrt(noise) * thresholds(V.shape).keep).sum())


def evidence_slope(v, noise) -> float:
    """Derivative of log p(v) of a 1 x 1 matrix in c_a^2 c_b^2, at zero."""
    return (v**2 - noise) / (2 * noise**2)
