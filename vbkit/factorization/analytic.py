"""The global solution for a full matrix, one singular value at a time (Nakajima et al. 2013, derived anew here).

At the optimum A and B lie along the singular vectors and their covariances are diagonal, so the ELBO is a sum over
columns. With singular value g, norms |a|^2 = kappa s_a, |b|^2 = kappa s_b, posterior variances s_a, s_b and noise s, a
column that is alive (kappa > 0) is stationary where

    s_a s_b = s^2 / g^2,   s_a = c_a^2 (1 - (kappa + L) s / g^2),   s_b = c_b^2 (1 - (kappa + M) s / g^2),

and the singular value of its mean B A' is kappa s / g. For given c_a, c_b that is a quadratic equation. If they are
estimated too, c_a^2 = (kappa + M) s_a / M and c_b^2 = (kappa + L) s_b / L make it

    (kappa + L)(kappa + M) = kappa g^2 / s,   c_a^2 c_b^2 = kappa s / (L M),

and the column lowers 2 F = -2 elbo by  kappa - M log(1 + kappa / M) - L log(1 + kappa / L)  against none at all.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from vbkit.checks import as_integer, as_nonnegative, as_positive, as_positives, as_shape
from vbkit.factorization.iteration import FLOOR
from vbkit.factorization.matrices import SVD, validate
from vbkit.factorization.model import Factorization, at_places, elbo, pairing, prior_variances


class Thresholds(NamedTuple):
    """Singular values in units of sigma, from which a column that empirical Bayes estimates is a local minimum of F
    (`local`, sqrt(L) + sqrt(M)), and from which it is the global one (`keep`)."""

    local: float
    keep: float


def thresholds(shape: tuple[int, int]) -> Thresholds:
    """For a matrix of shape (L, M). `keep` solves M log(1 + k / M) + L log(1 + k / L) = k, k > sqrt(LM): exact for
    every ratio L / M, where 2.5129 sqrt(L / M), in common use, is exact for 1 only. ValueError for another shape."""
    L, M = as_shape("shape", shape)
    low = high = np.sqrt(L * M)  # where F is largest
    while _column(high, L, M) > 0:
        high *= 2
    k = brentq(_column, low, high, args=(L, M), xtol=1e-14 * high, rtol=1e-15)
    return Thresholds(float(np.sqrt(L) + np.sqrt(M)), float(np.sqrt((k + L) * (k + M) / k)))


def free_energy_of_column(kappa, shape: tuple[int, int]):
    """F (nats) of a column with kappa (...) by empirical Bayes, less that of none: below 0 where keeping it is better.
    ValueError for kappa below 0 and for another shape; nan where kappa is."""
    L, M = as_shape("shape", shape)
    if np.any(np.less(kappa, 0)):
        raise ValueError(f"kappa reaches {np.min(kappa):g}; it must be >= 0")
    return _column(kappa, L, M)


def _column(kappa, L, M):
    return (M * np.log1p(kappa / M) + L * np.log1p(kappa / L) - kappa) / 2


def kappa(x, shape: tuple[int, int]):
    """kappa of the local solution of empirical Bayes at x = (singular value / sigma)^2; nan where there is none."""
    L, M = shape
    z = np.asarray(x, float) - L - M
    square = (z - 2 * np.sqrt(L * M)) * (
        z + 2 * np.sqrt(L * M)
    )  # z^2 - 4 L M, to full precision at its zero
    return np.where((z > 0) & (square >= 0), (z + np.sqrt(np.maximum(square, 0))) / 2, np.nan)


def shrink_empirical(gamma, shape: tuple[int, int], noise: float) -> np.ndarray:
    """Singular values of the mean B A' by empirical Bayes (global solution) for singular values gamma of V; 0 below the
    threshold. ValueError for gamma below 0, noise that is not > 0 or another shape."""
    gamma, noise = as_nonnegative("gamma", gamma), as_positive("noise", noise)
    kept = gamma > thresholds(shape).keep * np.sqrt(noise)
    return np.where(kept, kappa(gamma**2 / noise, shape) * noise / np.where(kept, gamma, 1.0), 0.0)


def shrink_fixed(gamma, shape: tuple[int, int], prior_a, prior_b, noise: float) -> np.ndarray:
    """Singular values of the mean B A' with prior variances given; 0 below the threshold. Raises as
    `shrink_empirical` does, and for prior variances that are not > 0."""
    (L, M), gamma, noise = (
        as_shape("shape", shape),
        as_nonnegative("gamma", gamma),
        as_positive("noise", noise),
    )
    prior_a, prior_b = as_positives("prior_a", prior_a), as_positives("prior_b", prior_b)
    safe = np.where(gamma > 0, gamma, 1.0)
    spread = np.hypot((L - M) * noise / safe, 2 * noise / np.sqrt(prior_a * prior_b))
    return np.where(gamma > 0, np.maximum(0.0, gamma - ((L + M) * noise / safe + spread) / 2), 0.0)


def solve_fixed(V, prior_a, prior_b, noise: float, H: int | None = None) -> Factorization:
    """The posterior with the largest ELBO for given hyperparameters; all H columns, also those whose mean is 0.

    prior_a, prior_b: numbers (H: min(L, M) by default), or (H,): the column with the largest product of the two takes
    the largest singular value.
    """
    data = _full(V)
    (L, M), noise = data.shape, as_positive("noise", noise)
    if H is None:
        H = max(
            [len(data.d)]
            if not (np.ndim(prior_a) or np.ndim(prior_b))
            else [np.size(prior_a), np.size(prior_b)]
        )
    as_integer("H", H, 0)
    c_a, c_b = (
        prior_variances(name, p, H) for name, p in (("prior_a", prior_a), ("prior_b", prior_b))
    )
    place = pairing(c_a, c_b)
    gamma = at_places(data.d[None], place)[0]
    shrunk = shrink_fixed(gamma, data.shape, c_a, c_b, noise)
    safe = np.where(gamma > 0, gamma, 1.0)
    S = (
        L + M + noise / (c_a * c_b)
    )  # of columns that are dead: s_a s_b = noise p, p the smaller root of a quadratic
    p = 2 / (S + np.sqrt((S - 2 * np.sqrt(L * M)) * (S + 2 * np.sqrt(L * M))))
    s_a = c_a * np.where(shrunk > 0, 1 - shrunk / safe - L * noise / safe**2, 1 - L * p)
    s_b = c_b * np.where(shrunk > 0, 1 - shrunk / safe - M * noise / safe**2, 1 - M * p)
    return _along(data, place, gamma * shrunk / noise, s_a, s_b, c_a, c_b, noise)


def solve_empirical(V, noise: float | None = None, H: int | None = None) -> Factorization:
    """The posterior and prior variances with the largest ELBO, at most H columns; noise: None estimates it too.

    Only the kept columns are returned (there may be none): for the others the ELBO is largest in the limit c_a c_b ->
    0, where they add nothing. Of c_a and c_b only the product matters; they are chosen equal. An estimated noise is at
    least 1e-12 of the mean square of V.
    """
    data = _full(V, H)
    noise = estimate_noise(data, H) if noise is None else as_positive("noise", noise)
    (L, M), gamma = data.shape, data.d[:H]
    gamma = gamma[gamma > thresholds(data.shape).keep * np.sqrt(noise)]
    k = kappa(gamma**2 / noise, data.shape)
    c = np.sqrt(k * noise / (L * M))
    return _along(data, np.arange(len(k)), k, c * M / (k + M), c * L / (k + L), c, c, noise)


def free_energy_of_noise(V, noise, H: int | None = None) -> np.ndarray:
    """-elbo of empirical Bayes with at most H columns as a function of the noise (...), least over all the rest."""
    data, noise = _full(V, H), as_positives("noise", noise)
    x = data.d[:H] ** 2 / noise[..., None]
    kept = x > thresholds(data.shape).keep ** 2
    F = np.where(kept, _column(np.where(kept, kappa(x, data.shape), 1.0), *data.shape), 0.0).sum(
        axis=-1
    )
    return 0.5 * (data.size * np.log(2 * np.pi * noise) + data.square / noise) + F


def estimate_noise(V, H: int | None = None) -> float:
    """The noise with the largest ELBO of empirical Bayes; the ELBO has several maxima as a function of it.

    With y = 1 / noise, on the stretch of y on which just r columns are kept, the ELBO is stationary where h(y) =
    y |V|^2 - kappa_1 - ... - kappa_r - L M = 0. h is convex, so F is least at its larger root if that lies there, never
    elsewhere inside, and never where stretches meet (F is a minimum of functions). Newton's method from a stretch's
    right end falls on that root; all are tried.
    """
    data = _full(V, H)
    if not data.square:
        raise ValueError("V is zero everywhere, so its noise cannot be estimated; give it")
    (L, M), squares, largest = data.shape, data.d[:H] ** 2, data.size / (FLOOR * data.square)
    with np.errstate(divide="ignore"):
        ends = np.minimum(thresholds(data.shape).keep ** 2 / squares, largest)
    found = []
    for r, (left, y) in enumerate(zip(np.append(0.0, ends), np.append(ends, largest), strict=True)):
        g, step = squares[:r], None
        while y > left:
            k = kappa(y * g, data.shape)
            h = y * data.square - k.sum() - data.size
            if step is None and h <= 0:  # F still falls at the right end
                y = largest if y == largest else left
                break
            slope = data.square - (g * k / (2 * k - y * g + L + M)).sum()
            step = h / slope if slope > 0 else y
            y -= step
            if step < 1e-13 * y:  # it only falls, but for rounding
                break
        if y > left:
            found.append(1 / y)
    return found[int(np.argmin(free_energy_of_noise(data, found, H)))]


def _full(V, H: int | None = None) -> SVD:
    data = validate(V)
    if H is not None:
        as_integer("H", H, 0)
    if not isinstance(data, SVD):
        raise ValueError(
            "V has missing entries; the analytic solution needs a full matrix (use fit)"
        )
    return data


def _along(data: SVD, place, k, s_a, s_b, c_a, c_b, noise) -> Factorization:
    """Columns along the singular vectors at `place`, with kappa k and variances s_a, s_b."""
    A, B = at_places(data.W, place) * np.sqrt(k * s_a), at_places(data.U, place) * np.sqrt(k * s_b)
    f = Factorization(A, B, np.diag(s_a), np.diag(s_b), c_a, c_b, noise, converged=True)
    return f.replace(trace=np.array([elbo(data, f)]))
