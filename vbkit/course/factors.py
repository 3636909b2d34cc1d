"""Unit 6: one number V = b a + noise, exactly and by VB.

The noise has the variance 1 unless `noise` says otherwise, and both factors have a Gaussian
prior around 0, with the variance 1 unless `prior_variance` says otherwise.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.stats import norm


class Factors(NamedTuple):
    """VB's posterior of the two factors, two independent Gaussians.

    The entries are numbers, or arrays (n,) for n numbers V side by side.
    """

    a: float  # mean of a
    s_a: float  # variance of a
    b: float
    s_b: float

    @property
    def product(self):
        """The mean of b a."""
        return self.b * self.a

    @property
    def sd_of_product(self):
        """The standard deviation of b a."""
        mean_square = (self.a**2 + self.s_a) * (self.b**2 + self.s_b)
        return np.sqrt(mean_square - self.product**2)


def update(V, mean, variance, prior_variance=1.0, noise=1.0):
    """Return the mean and the variance of one factor, given those of the other one.

    The same function serves for both factors.
    """
    mean_square = mean**2 + variance
    s = 1 / (mean_square / noise + 1 / prior_variance)
    return s * mean * V / noise, s


def start(mean_of_b=1.0) -> Factors:
    """Return the start of every run: a as its prior says, and b half as uncertain."""
    return Factors(0.0, 1.0, mean_of_b, 0.5)


def take_turns(V, factors: Factors, updates: int) -> list[Factors]:
    """Return the Factors after 0, 1, ..., `updates` updates, of a first, then of b."""
    states = [factors]
    for number in range(updates):
        a, s_a, b, s_b = states[-1]
        if number % 2 == 0:
            a, s_a = update(V, b, s_b)
        else:
            b, s_b = update(V, a, s_a)
        states.append(Factors(a, s_a, b, s_b))
    return states


def at_rest(V, mean_of_b=1.0, sweeps=3000) -> Factors:
    """Return where VB comes to rest; V is a number, or an array (n,)."""
    a, s_a, b, s_b = start(mean_of_b)
    for _ in range(sweeps):
        a, s_a = update(V, b, s_b)
        b, s_b = update(V, a, s_a)
    return Factors(a, s_a, b, s_b)


def elbo(V, factors: Factors):
    """Return the ELBO (nats) of VB's posterior, with every constant."""
    square_a = factors.a**2 + factors.s_a
    square_b = factors.b**2 + factors.s_b
    misfit = V**2 - 2 * V * factors.product + square_a * square_b
    entropies = np.log(factors.s_a * factors.s_b) / 2 + 1
    return entropies - (np.log(2 * np.pi) + misfit + square_a + square_b) / 2


# ---- the exact posterior -------------------------------------------------------------

EDGE = 12.0  # of the values of b over which we integrate
VALUES = np.linspace(-EDGE, EDGE, 2401)


def weights_of_b(V) -> np.ndarray:
    """Return the joint density (2401,) of one V and b at VALUES, times their distance.

    Given b, the number V is Gaussian around 0 with the variance 1 + b^2.
    """
    density = norm.pdf(V, 0, np.sqrt(1 + VALUES**2)) * norm.pdf(VALUES)
    return density * (VALUES[1] - VALUES[0])


@cache
def log_evidence(V) -> float:
    """Return log p(V) of one number."""
    return float(np.log(weights_of_b(V).sum()))


def divergence(V, factors: Factors) -> float:
    """Return the divergence (nats) of VB's posterior from the exact one."""
    return log_evidence(V) - elbo(V, factors)


def exact_product(V) -> float:
    """Return the exact posterior mean of b a, given one V."""
    weights = weights_of_b(V)
    mean_given_b = VALUES * VALUES * V / (VALUES**2 + 1)
    return float(weights @ mean_given_b / weights.sum())


def exact_density(V, grid) -> np.ndarray:
    """Return the exact posterior density (n, n) of a (rows) and b (columns) on a grid (n,)."""
    log_prior = norm.logpdf(grid)
    log_joint = norm.logpdf(V, np.outer(grid, grid)) + log_prior[:, None] + log_prior
    return np.exp(log_joint - log_evidence(V))
