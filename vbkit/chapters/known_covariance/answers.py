"""Answers to the exercises of notebook 01."""

import numpy as np
from scipy.special import gammaln

from vbkit.families import KnownCovariance
from vbkit.theory import free_energy_of_copies, switch_concentration


def posterior_of_mean(x, responsibilities, prior_variance: float) -> tuple[float, float]:
    """Return mean and variance of a component's centre after data x (N,), whose variance is 1."""
    precision = np.sum(responsibilities) + 1 / prior_variance
    return float(np.dot(responsibilities, x) / precision), float(1 / precision)


def switch_point(N: float, M: int, prior_variance: float) -> float:
    """Return the concentration at which two equal copies have the F of one beside an empty one.

    The copies share N ideal data in M dimensions.
    """
    return switch_concentration(KnownCovariance(np.zeros(M), prior_variance), N * np.eye(M + 1)[0])


def cost_by_stirling(N: float, M: int, prior_variance: float, phi: float) -> float:
    """Return F of two equal copies minus F of one beside an empty one, for many data."""
    constant = M / 2 * np.log(prior_variance / 4) + gammaln(phi) - np.log(2 * np.pi) / 2
    constant += (2 * phi - 1) * np.log(2)
    return float(((M + 1) / 2 - phi) * np.log(N) + constant)


def cost_of_copies(N: float, M: int, prior_variance: float, phi: float, copies: int) -> float:
    """Return F of equal copies minus F of one beside empty ones, exactly."""
    family, S = KnownCovariance(np.zeros(M), prior_variance), N * np.eye(M + 1)[0]
    many = free_energy_of_copies(family, phi, S, np.full(copies, 1 / copies))
    return many - free_energy_of_copies(family, phi, S, np.eye(copies)[0])
