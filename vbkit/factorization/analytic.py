"""The global solution for a full matrix, one singular value at a time (Nakajima et al. 2013,
derived anew here), and the landscapes whose minima it knows.

At the optimum A and B lie along the singular vectors and their covariances are diagonal, so the
ELBO is a sum over columns. With singular value g, norms |a|^2 = kappa s_a, |b|^2 = kappa s_b,
posterior variances s_a, s_b and noise s, a column that is alive (kappa > 0) is stationary where

    s_a s_b = s^2 / g^2,
    s_a = c_a^2 (1 - (kappa + L) s / g^2),   s_b = c_b^2 (1 - (kappa + M) s / g^2),

and the singular value of its mean B A' is kappa s / g. For given c_a, c_b that is a quadratic
equation. If they are estimated too, c_a^2 = (kappa + M) s_a / M and c_b^2 = (kappa + L) s_b / L
make it

    (kappa + L)(kappa + M) = kappa g^2 / s,   c_a^2 c_b^2 = kappa s / (L M),

and the column lowers 2 F = -2 elbo by  kappa - M log(1 + kappa / M) - L log(1 + kappa / L)  against
none at all.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from vbkit.checks import (
    as_array,
    as_integer,
    as_nonnegative,
    as_number,
    as_positive,
    as_positives,
    as_shape,
)
from vbkit.factorization.initialization import at_places, pairing
from vbkit.factorization.matrices import LARGEST, SMALLEST, SVD, validate
from vbkit.factorization.model import Factorization, as_variances, elbo


class Thresholds(NamedTuple):
    """Singular values, in units of sigma, from which a column that empirical Bayes estimates is a
    local minimum of F (`local`, sqrt(L) + sqrt(M)), and from which it is the global one (`keep`).
    """

    local: float
    keep: float


def thresholds(shape: tuple[int, int]) -> Thresholds:
    """Return the thresholds for a matrix of shape (L, M).

    `keep` solves M log(1 + k / M) + L log(1 + k / L) = k, k > sqrt(LM). That is exact for every
    ratio L / M; 2.5129 sqrt(L / M), in common use, is exact for 1 only. Raises ValueError for what
    is not a shape.
    """
    L, M = as_shape("shape", shape)
    low = high = np.sqrt(L * M)  # where F is largest
    while _column(high, L, M) > 0:
        high *= 2
    k = brentq(_column, low, high, args=(L, M), xtol=1e-14 * high, rtol=1e-15)
    return Thresholds(
        float(np.sqrt(L) + np.sqrt(M)), float(np.sqrt((k + L) * (k + M) / k))
    )


def free_energy_of_column(kappa, shape: tuple[int, int]):
    """Return F (nats) of a column with kappa (...) by empirical Bayes, less that of no column:
    below 0 where keeping it is better, nan where kappa is. Raises ValueError for kappa below 0 and
    for what is not a shape."""
    (L, M), kappa = as_shape("shape", shape), as_array("kappa", kappa, nan=True)
    if (kappa < 0).any():
        raise ValueError(f"kappa reaches {np.nanmin(kappa):g}; it must be >= 0")
    return _column(kappa, L, M)


def _column(kappa, L, M):
    return (M * np.log1p(kappa / M) + L * np.log1p(kappa / L) - kappa) / 2


def kappa(x, shape: tuple[int, int]):
    """Return kappa (...) of the local solution of empirical Bayes at x (...) = (singular value /
    sigma)^2; nan where there is none. Raises ValueError for what is not a shape."""
    L, M = as_shape("shape", shape)
    return _local(as_array("x", x), L, M)


def _local(x, L, M):
    z, edge = x - L - M, 2 * np.sqrt(L * M)
    # the root of z^2 - 4 L M, to full precision at its zero, and where a square would be too large
    root = np.sqrt(np.maximum(z - edge, 0)) * np.sqrt(np.maximum(z + edge, 0))
    return np.where(z >= edge, (z + root) / 2, np.nan)


def shrink_empirical(gamma, shape: tuple[int, int], noise: float) -> np.ndarray:
    """Return the singular values (...) of the mean B A' by empirical Bayes (global solution) for
    singular values gamma (...) of V; 0 below the threshold. Raises ValueError for gamma below 0
    or above 1e100 sigma, noise that is not > 0 and what is not a shape."""
    gamma, noise = as_nonnegative("gamma", gamma), as_positive("noise", noise)
    if (gamma > LARGEST * np.sqrt(noise)).any():
        raise ValueError(
            f"gamma reaches {gamma.max():g}; at most {LARGEST:g} sigma is allowed"
        )
    kept = gamma > thresholds(shape).keep * np.sqrt(noise)
    found = _local(gamma**2 / noise, *shape) * noise / np.where(kept, gamma, 1.0)
    return np.where(kept, found, 0.0)


def shrink_fixed(
    gamma, shape: tuple[int, int], prior_a, prior_b, noise: float
) -> np.ndarray:
    """Return the singular values (...) of the mean B A' with prior variances given (arrays that
    broadcast against gamma); 0 below the threshold. Raises ValueError as `shrink_empirical` does,
    for prior variances that are not > 0, and for shapes that do not broadcast."""
    (L, M), noise = as_shape("shape", shape), as_positive("noise", noise)
    prior_a, prior_b = (
        as_positives("prior_a", prior_a),
        as_positives("prior_b", prior_b),
    )
    gamma = as_nonnegative("gamma", gamma)
    gamma, prior_a, prior_b = broadcast(gamma=gamma, prior_a=prior_a, prior_b=prior_b)
    safe = np.where(gamma > 0, gamma, 1.0)
    spread = np.hypot((L - M) * noise / safe, 2 * noise / np.sqrt(prior_a * prior_b))
    return np.where(
        gamma > 0, np.maximum(0.0, gamma - ((L + M) * noise / safe + spread) / 2), 0.0
    )


def broadcast(**arrays) -> list[np.ndarray]:
    """Broadcast arrays against each other; raise a ValueError that names them where their shapes
    clash."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"the shapes {shapes} do not broadcast against each other"
        ) from None


def solve_fixed(
    V, prior_a, prior_b, noise: float, H: int | None = None
) -> Factorization:
    """Return the posterior with the largest ELBO for given hyperparameters: all H columns, also
    those whose mean is 0.

    V: (L, M), full. prior_a, prior_b: numbers or (H,); the column with the largest product of the
    two takes the largest singular value. H: None takes as many as priors are given, min(L, M) for
    two numbers. Raises ValueError for missing entries, for variances that are not > 0, and
    for products of prior variances outside 1e-100 to 1e100.
    """
    data, noise = _full(V, H), as_positive("noise", noise)
    L, M = data.shape
    if H is None:
        given = [np.size(prior) for prior in (prior_a, prior_b) if np.ndim(prior)]
        H = max(given, default=len(data.d))
    c_a, c_b = as_variances("prior_a", prior_a, H), as_variances("prior_b", prior_b, H)
    for product in (c_a * c_b).tolist():
        as_number("a product of prior_a and prior_b", product, SMALLEST, LARGEST)
    place = pairing(c_a, c_b)
    gamma = at_places(data.d[None], place)[0]
    shrunk = shrink_fixed(gamma, data.shape, c_a, c_b, noise)
    alive, safe = shrunk > 0, np.where(gamma > 0, gamma, 1.0)
    S, edge = L + M + noise / (c_a * c_b), 2 * np.sqrt(L * M)
    p = 2 / (S + np.sqrt((S - edge) * (S + edge)))  # of dead columns: s_a s_b = noise p
    s_a = c_a * np.where(alive, 1 - shrunk / safe - L * noise / safe**2, 1 - L * p)
    s_b = c_b * np.where(alive, 1 - shrunk / safe - M * noise / safe**2, 1 - M * p)
    return _along(data, place, gamma * shrunk / noise, s_a, s_b, c_a, c_b, noise)


def solve_empirical(
    V, noise: float | None = None, H: int | None = None
) -> Factorization:
    """Return the posterior and prior variances with the largest ELBO, at most H columns.

    V: (L, M), full. noise: None estimates it too, at least 1e-12 of the mean square of V. Only the
    kept columns are returned, maybe none: for the others the ELBO is largest in the limit
    c_a c_b -> 0, where they add nothing. Only the product of c_a and c_b matters; they are chosen
    equal. Raises ValueError for missing entries and for noise that is not > 0.
    """
    data = _full(V, H)
    noise = estimate_noise(data, H) if noise is None else as_positive("noise", noise)
    (L, M), gamma = data.shape, data.d[:H]
    gamma = gamma[gamma > thresholds(data.shape).keep * np.sqrt(noise)]
    k = _local(gamma**2 / noise, L, M)
    c = np.sqrt(k * noise / (L * M))
    return _along(
        data, np.arange(len(k)), k, c * M / (k + M), c * L / (k + L), c, c, noise
    )


def free_energy_of_noise(V, noise, H: int | None = None) -> np.ndarray:
    """Return -elbo (nats) of empirical Bayes with at most H columns as a function of the noise
    (...), the least over all the rest. Raises ValueError as `solve_empirical` does."""
    data, noise = _full(V, H), as_positives("noise", noise)
    x = data.d[:H] ** 2 / noise[..., None]
    kept = x > thresholds(data.shape).keep ** 2
    k = np.where(
        kept, _local(x, *data.shape), 0.0
    )  # a column with kappa 0 adds nothing
    F = _column(k, *data.shape).sum(axis=-1)
    return 0.5 * (data.size * np.log(2 * np.pi * noise) + data.square / noise) + F


def estimate_noise(V, H: int | None = None) -> float:
    """Return the noise variance with the largest ELBO of empirical Bayes.

    The ELBO has several maxima as a function of it. With y = 1 / noise, on the stretch of y on
    which just r columns are kept, the ELBO is stationary where h(y) = y |V|^2 - kappa_1 - ... -
    kappa_r - L M = 0. h is convex, so F is least at its larger root if that lies there. It is least
    nowhere else inside, and never where stretches meet (F is a minimum of functions). Newton's
    method from a stretch's right end falls on that root; all are tried. Raises ValueError for
    missing entries, and if V is zero everywhere.
    """
    data = _full(V, H)
    if not data.square:
        raise ValueError(
            "V is zero everywhere, so its noise cannot be estimated; give it"
        )
    squares, largest = data.d[:H] ** 2, 1 / data.least_noise
    with np.errstate(divide="ignore"):
        ends = np.minimum(thresholds(data.shape).keep ** 2 / squares, largest)
    lefts, rights = np.append(0.0, ends), np.append(ends, largest)
    stretches = (
        _precision(data, squares[:r], lefts[r], rights[r]) for r in range(len(rights))
    )
    found = [1 / y for y in stretches if y is not None]
    return found[int(np.argmin(free_energy_of_noise(data, found, H)))]


def _precision(
    data: SVD, squares: np.ndarray, left: float, right: float
) -> float | None:
    """The stationary 1 / noise between left and right, where just columns with these squares of
    singular values are kept; the right end if F still falls there and it is the last."""
    (L, M), y = data.shape, right
    while y > left:
        k = _local(y * squares, L, M)
        h = y * data.square - k.sum() - data.size
        if y == right and h <= 0:  # F still falls at the right end
            return y if y == 1 / data.least_noise else None
        slope = data.square - (squares * k / (2 * k - y * squares + L + M)).sum()
        step = h / slope if slope > 0 else y
        y -= step
        if step < 1e-13 * y:  # it only falls, but for rounding
            break
    return y if y > left else None


def _full(V, H: int | None = None) -> SVD:
    if H is not None:
        as_integer("H", H, 0)
    data = validate(V)
    if not isinstance(data, SVD):
        raise ValueError(
            "V has missing entries; the analytic solution needs a full matrix"
        )
    return data


def _along(data: SVD, place, k, s_a, s_b, c_a, c_b, noise) -> Factorization:
    """Columns along the singular vectors at `place`, with kappa k and variances s_a, s_b."""
    A, B = (
        at_places(data.W, place) * np.sqrt(k * s_a),
        at_places(data.U, place) * np.sqrt(k * s_b),
    )
    f = Factorization(A, B, np.diag(s_a), np.diag(s_b), c_a, c_b, noise, converged=True)
    return f.replace(trace=[elbo(data, f)])


# ---- landscapes: F of one column at noise 1 over its shrunk singular value ----------------------


def fixed_landscape(shrunk, strength, shape: tuple[int, int]) -> np.ndarray:
    """Return G, the part of F (nats) of one column at noise 1 that does not depend on the observed
    singular value gamma: F = G - gamma * shrunk, less that of no column.

    shrunk, strength: shrunk singular values, and prior variances c_a^2 = c_b^2 = strength, arrays
    that broadcast. G is least over all the rest, by alternating over it. Raises ValueError for
    shrunk below 0, strength that is not > 0, and shapes that do not fit.
    """
    shrunk, strength = (
        as_nonnegative("shrunk", shrunk),
        as_positives("strength", strength),
    )
    shrunk, c = broadcast(shrunk=shrunk, strength=strength)
    L, M = as_shape("shape", shape)
    u, s_a, s_b = shrunk, c, c  # u = |a|^2; w = |b|^2
    for _ in range(300):
        w = np.divide(shrunk**2, u, out=np.zeros_like(c), where=u > 0)
        s_a = 1 / (w + L * s_b + 1 / c)
        s_b = 1 / (u + M * s_a + 1 / c)
        u = shrunk * np.sqrt((M * s_a + 1 / c) / (L * s_b + 1 / c))
    w = np.divide(shrunk**2, u, out=np.zeros_like(c), where=u > 0)
    a, b = u + M * s_a, w + L * s_b
    return 0.5 * (
        a * b + M * np.log(c / s_a) + L * np.log(c / s_b) + (a + b) / c - L - M
    )


def learned_landscape(kappa, gamma: float, shape) -> tuple[np.ndarray, np.ndarray]:
    """Return the shrunk singular value (n,) and F (n,) (nats, less that of no column) of one column
    with learned priors at noise 1, for kappa = |a|^2 / s_a = |b|^2 / s_b (n,).

    Least over all the rest, where kappa^3 = shrunk^2 (kappa + L)(kappa + M). Raises ValueError for
    kappa or gamma below 0 and for what is not a shape.
    """
    L, M = as_shape("shape", shape)
    kappa, gamma = as_nonnegative("kappa", kappa), as_nonnegative("gamma", gamma)
    shrunk = (
        np.sqrt(kappa) * np.sqrt(kappa / (kappa + L)) * np.sqrt(kappa / (kappa + M))
    )
    return shrunk, free_energy_of_column(kappa, shape) + kappa - gamma * shrunk


def fixed_threshold(strength: float, shape) -> float:
    """Return the singular value above which a column with prior variances c_a^2 c_b^2 = strength is
    alive at noise 1: (x - L)(x - M) = x / strength for its square x > max(L, M). Raises ValueError
    for strength that is not > 0 and for what is not a shape."""
    L, M = as_shape("shape", shape)
    half, mean = (L + M + 1 / as_positive("strength", strength)) / 2, np.sqrt(L * M)
    return float(np.sqrt(half + np.sqrt(half - mean) * np.sqrt(half + mean)))
