"""F of one column at noise 1 over its shrunk singular value: the landscapes whose minima `analytic` knows."""

import numpy as np

from vbkit.factorization.analytic import empirical_gain


def fixed_landscape(shrunk, strength, shape: tuple[int, int]) -> np.ndarray:
    """The part of F (nats) that does not depend on the observed singular value gamma, for shrunk ones and prior
    variances c_a^2 = c_b^2 = strength that broadcast: least over all the rest, by alternating over it.

    F = G - gamma * shrunk, less that of no column at all.
    """
    (L, M), (shrunk, c) = shape, np.broadcast_arrays(*(np.asarray(x, float) for x in (shrunk, strength)))
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
    = |a|^2 / s_a = |b|^2 / s_b (n,): least over all the rest, where kappa^3 = shrunk^2 (kappa + L)(kappa + M)."""
    L, M = shape
    shrunk = np.sqrt(kappa**3 / ((kappa + L) * (kappa + M)))
    return shrunk, empirical_gain(kappa, shape) / 2 + kappa - gamma * shrunk


def fixed_threshold(strength: float, shape) -> float:
    """The singular value above which a column with prior variances c_a^2 c_b^2 = strength is alive, at noise 1:
    (x - L)(x - M) = x / strength for its square x > max(L, M)."""
    L, M = shape
    half = (L + M + 1 / strength) / 2
    return float(np.sqrt(half + np.sqrt(half**2 - L * M)))
