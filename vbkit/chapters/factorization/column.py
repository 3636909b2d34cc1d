"""VB of one column of each factor along singular vectors: six numbers, at noise variance 1."""

from typing import NamedTuple

import numpy as np


class Column(NamedTuple):
    """Norms of the two means, posterior variances, prior variances."""

    a: float
    b: float
    s_a: float
    s_b: float
    prior_a: float
    prior_b: float


def update_a(f: Column, gamma: float, shape=(1, 1)) -> Column:
    """Update a from b; gamma is the singular value (for 1 x 1 the observed number)."""
    s_a = 1 / (f.b**2 + shape[0] * f.s_b + 1 / f.prior_a)
    return f._replace(a=gamma * f.b * s_a, s_a=s_a)


def update_b(f: Column, gamma: float, shape=(1, 1)) -> Column:
    """Update b from a."""
    s_b = 1 / (f.a**2 + shape[1] * f.s_a + 1 / f.prior_b)
    return f._replace(b=gamma * f.a * s_b, s_b=s_b)


def sweep(f: Column, gamma: float, shape=(1, 1)) -> Column:
    """One sweep of empirical VB: both factors, then their prior variances."""
    f = update_b(update_a(f, gamma, shape), gamma, shape)
    return f._replace(
        prior_a=f.a**2 / shape[1] + f.s_a, prior_b=f.b**2 / shape[0] + f.s_b
    )


def free_energy(f: Column, gamma: float, shape=(1, 1)) -> float:
    """F (nats) of a column, less that of no column at all."""
    L, M = shape
    aa, bb = f.a**2 + M * f.s_a, f.b**2 + L * f.s_b
    twice = aa * bb - 2 * gamma * f.a * f.b + aa / f.prior_a + bb / f.prior_b - L - M
    return (twice + M * np.log(f.prior_a / f.s_a) + L * np.log(f.prior_b / f.s_b)) / 2
