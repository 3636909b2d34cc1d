"""Answers to the exercises of notebook 01."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from vbkit.families import KnownCovariance
from vbkit.theory import free_energy_of_copies, switch_concentration


def posterior_of_mean(x, responsibilities, prior_variance: float) -> tuple[float, float]:
    """Mean and variance of one component's centre after data x (N,) with responsibilities (N,), known variance 1."""
    n = np.sum(responsibilities)
    return float(np.dot(responsibilities, x) / (n + 1 / prior_variance)), float(
        1 / (n + 1 / prior_variance)
    )


def switch_point(N: float, M: int, prior_variance: float) -> float:
    """The concentration at which two equal copies of N ideal data in M dimensions have the F of one beside an empty."""
    return switch_concentration(KnownCovariance(np.zeros(M), prior_variance), N * np.eye(M + 1)[0])


def cost_by_stirling(N: float, M: int, prior_variance: float, phi: float) -> float:
    """F of two equal copies minus F of one beside an empty one, for many data with mean 0."""
    constant = (
        M / 2 * np.log(prior_variance / 4)
        + gammaln(phi)
        + (2 * phi - 1) * np.log(2)
        - np.log(2 * np.pi) / 2
    )
    return float(((M + 1) / 2 - phi) * np.log(N) + constant)


def cost_of_copies(N: float, M: int, prior_variance: float, phi: float, clones: int) -> float:
    """F of equal copies minus F of one beside empty ones, exactly."""
    family, S = KnownCovariance(np.zeros(M), prior_variance), N * np.eye(M + 1)[0]
    many, one = (
        free_energy_of_copies(family, phi, S, w)
        for w in (np.full(clones, 1 / clones), np.eye(clones)[0])
    )
    return many - one
