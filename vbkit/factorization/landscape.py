"""F of one column at noise 1 over its shrunk singular value: the landscapes whose minima `analytic` knows."""

import numpy as np

from vbkit.checks import as_nonnegative, as_number, as_positive, as_positives, as_shape
from vbkit.factorization.analytic import free_energy_of_column


def fixed_landscape(shrunk, strength, shape: tuple[int, int]) -> np.ndarray:
    """The part of F (nats) that does not depend on the observed singular value gamma, for shrunk ones and prior
    variances c_a^2 = c_b^2 = strength that broadcast: least over all the rest, by alternating over it.

    F = G - gamma * shrunk, less that of no column at all. ValueError for shrunk below 0, strength that is not > 0, and
    for another shape.
    """
    shrunk, c = np.broadcast_arrays(
        as_nonnegative("shrunk", shrunk), as_positives("strength", strength)
    )
    L, M = as_shape("shape", shape)
    u, s_a, s_b = shrunk, c, c  # u = |a|^2; w = |b|^2
    for _ in range(300):
        w = np.divide(shrunk**2, u, out=np.zeros_like(c), where=u > 0)
        s_a = 1 / (w + L * s_b + 1 / c)
        s_b = 1 / (u + M * s_a + 1 / c)
        u = shrunk * np.sqrt((M * s_a + 1 / c) / (L * s_b + 1 / c))
    w = np.divide(shrunk**2, u, out=np.zeros_like(c), where=u > 0)
    a, b = u + M * s_a, w + L * s_b
    return 0.5 * (a * b + M * np.log(c / s_a) + L * np.log(c / s_b) + (a + b) / c - L - M)


def learned_landscape(kappa, gamma: float, shape) -> tuple[np.ndarray, np.ndarray]:
    """The shrunk singular value and F (nats, less that of none) of one column with learned priors at noise 1, for kappa
    = |a|^2 / s_a = |b|^2 / s_b (n,): least over all the rest, where kappa^3 = shrunk^2 (kappa + L)(kappa + M).
    ValueError for kappa or gamma below 0, and for another shape."""
    (L, M), kappa, gamma = (
        as_shape("shape", shape),
        as_nonnegative("kappa", kappa),
        as_number("gamma", gamma, 0),
    )
    shrunk = np.sqrt(kappa**3 / ((kappa + L) * (kappa + M)))
    return shrunk, free_energy_of_column(kappa, shape) + kappa - gamma * shrunk


def fixed_threshold(strength: float, shape) -> float:
    """The singular value above which a column with prior variances c_a^2 c_b^2 = strength is alive, at noise 1:
    (x - L)(x - M) = x / strength for its square x > max(L, M). ValueError unless strength > 0, and for another
    shape."""
    L, M = as_shape("shape", shape)
    half = (L + M + 1 / as_positive("strength", strength)) / 2
    return float(np.sqrt(half + np.sqrt(half**2 - L * M)))
