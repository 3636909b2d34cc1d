"""Functions that keep their digits at any size."""

import numpy as np
from scipy.special import gammaln


def log_gamma_ratio(a, b: float):
    """log Gamma(a + b) - log Gamma(a) for a (...) > 0 and b >= 0, to about 1e-15 of
    max(1, b, the result).

    From a = 64 on it is the difference of two Stirling series, whose large terms are
    cancelled by hand (the two log gammas of a count of 1e12 differ in their 13th
    digit).
    """
    big = np.maximum(a, 64.0)
    series = _stirling(big + b) - _stirling(big)
    difference = (big - 0.5) * np.log1p(b / big) + b * np.log(big + b) - b + series
    return np.where(a > 64.0, difference, gammaln(a + b) - gammaln(a))


def _stirling(x):
    """log Gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2 for x >= 64."""
    v = 1 / x**2
    return (1 / 12 - v * (1 / 360 - v * (1 / 1260 - v / 1680))) / x


def log1p_square(z):
    """log(1 + z^2) for z (...), also where z^2 overflows."""
    z = np.abs(z)
    if np.max(z, initial=0.0) <= 1e9:
        return np.log1p(z * z)
    return np.where(
        z > 1e9, 2 * np.log(np.maximum(z, 1.0)), np.log1p(np.minimum(z, 1e10) ** 2)
    )


def norms(Z: np.ndarray) -> np.ndarray:
    """Lengths (n,) of the columns of Z (D, n), also where their squares overflow."""
    with np.errstate(over="ignore"):
        squares = np.einsum("dn,dn->n", Z, Z)
    if np.isfinite(squares).all():
        return np.sqrt(squares)
    top = np.abs(Z).max(axis=0)
    top[top == 0] = 1.0
    Z = Z / top
    return top * np.sqrt(np.einsum("dn,dn->n", Z, Z))
