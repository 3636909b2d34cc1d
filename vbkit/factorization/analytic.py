"""The global solution for a full matrix, one singular value at a time (Nakajima et al.
2013, derived anew here), and the landscapes whose minima it knows.

At the optimum A and B lie along the singular vectors and their covariances are
diagonal, so the ELBO is a sum over columns. With singular value g, norms |a|^2 = kappa
s_a, |b|^2 = kappa s_b, posterior variances s_a, s_b and noise s, a column that is alive
(kappa > 0) is stationary where

    s_a s_b = s^2 / g^2,
    s_a = c_a^2 (1 - (kappa + L) s / g^2),   s_b = c_b^2 (1 - (kappa + M) s / g^2),

and the singular value of its mean B A' is kappa s / g. For given c_a, c_b that is a
quadratic equation. If they are estimated too, c_a^2 = (kappa + M) s_a / M and c_b^2 =
(kappa + L) s_b / L make it

    (kappa + L)(kappa + M) = kappa g^2 / s,   c_a^2 c_b^2 = kappa s / (L M),

and the column lowers 2 F = -2 elbo by  kappa - M log(1 + kappa / M) - L log(1 + kappa /
L)  against none at all.
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
from vbkit.factorization.initialization import assign_singular_values, take_columns
from vbkit.factorization.matrices import LARGEST, SMALLEST, SVD, validate
from vbkit.factorization.model import Factorization, as_variances, elbo


class Thresholds(NamedTuple):
    """Singular values, in units of sigma, at which the fate of a column changes by
    empirical Bayes.

    local: sqrt(L) + sqrt(M), from which the column is a local minimum of F. keep: from
    which it is the global one.
    """

    local: float
    keep: float


def thresholds(shape: tuple[int, int]) -> Thresholds:
    """The thresholds for a matrix of shape (L, M).

    `keep` solves M log(1 + k / M) + L log(1 + k / L) = k, k > sqrt(LM). That is exact
    for every ratio L / M; 2.5129 sqrt(L / M), in common use, is exact for 1 only.
    Raises ValueError for what is not a shape.
    """
    L, M = as_shape("shape", shape)
    low = np.sqrt(L * M)  # where F is largest
    high = low
    while _free_energy(high, L, M) > 0:
        high *= 2
    k = brentq(_free_energy, low, high, args=(L, M), xtol=1e-14 * high, rtol=1e-15)
    local = np.sqrt(L) + np.sqrt(M)
    keep = np.sqrt((k + L) * (k + M) / k)
    return Thresholds(float(local), float(keep))


def free_energy_of_column(kappa, shape: tuple[int, int]):
    """F (nats) of a column with kappa (...) by empirical Bayes, less that of no column.

    Below 0 where keeping the column is better, nan where kappa is. Raises ValueError
    for kappa below 0 and for what is not a shape.
    """
    L, M = as_shape("shape", shape)
    kappa = as_array("kappa", kappa, nan=True)
    if (kappa < 0).any():
        raise ValueError(f"kappa reaches {np.nanmin(kappa):g}; it must be >= 0")
    return _free_energy(kappa, L, M)


def _free_energy(kappa, L, M):
    return (M * np.log1p(kappa / M) + L * np.log1p(kappa / L) - kappa) / 2


def kappa(x, shape: tuple[int, int]):
    """kappa (...) of the local solution of empirical Bayes at x (...) = (singular value
    / sigma)^2; nan where there is none. Raises ValueError for what is not a shape."""
    L, M = as_shape("shape", shape)
    return _kappa(as_array("x", x), L, M)


def _kappa(x, L, M):
    """The larger root of (kappa + L)(kappa + M) = kappa x."""
    z = x - L - M
    edge = 2 * np.sqrt(L * M)
    # The root of z^2 - 4 L M, to full precision where it is 0, and where a square would
    # overflow.
    root = np.sqrt(np.maximum(z - edge, 0)) * np.sqrt(np.maximum(z + edge, 0))
    return np.where(z >= edge, (z + root) / 2, np.nan)


def shrink_empirical(gamma, shape: tuple[int, int], noise: float) -> np.ndarray:
    """The singular values (...) of the mean B A' by empirical Bayes (global solution),
    for singular values gamma (...) of V; 0 below the threshold.

    Raises ValueError for gamma below 0 or above 1e100 sigma, noise that is not > 0 and
    what is not a shape.
    """
    gamma = as_nonnegative("gamma", gamma)
    noise = as_positive("noise", noise)
    if (gamma > LARGEST * np.sqrt(noise)).any():
        raise ValueError(
            f"gamma reaches {gamma.max():g}; at most {LARGEST:g} sigma is allowed"
        )
    L, M = as_shape("shape", shape)
    kept = gamma > thresholds(shape).keep * np.sqrt(noise)
    shrunk = _kappa(gamma**2 / noise, L, M) * noise / np.where(kept, gamma, 1.0)
    return np.where(kept, shrunk, 0.0)


def shrink_fixed(
    gamma, shape: tuple[int, int], prior_a, prior_b, noise: float
) -> np.ndarray:
    """The singular values (...) of the mean B A' with prior variances given (arrays
    that broadcast against gamma); 0 below the threshold.

    Raises ValueError as `shrink_empirical` does, for prior variances that are not > 0,
    and for shapes that do not broadcast.
    """
    L, M = as_shape("shape", shape)
    noise = as_positive("noise", noise)
    prior_a = as_positives("prior_a", prior_a)
    prior_b = as_positives("prior_b", prior_b)
    gamma = as_nonnegative("gamma", gamma)
    gamma, prior_a, prior_b = broadcast(gamma=gamma, prior_a=prior_a, prior_b=prior_b)
    safe = np.where(gamma > 0, gamma, 1.0)
    spread = np.hypot((L - M) * noise / safe, 2 * noise / np.sqrt(prior_a * prior_b))
    shrunk = gamma - ((L + M) * noise / safe + spread) / 2
    return np.where(gamma > 0, np.maximum(0.0, shrunk), 0.0)


def broadcast(**arrays) -> list[np.ndarray]:
    """Broadcast arrays against each other; ValueError names them where their shapes
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
    """The posterior with the largest ELBO for given hyperparameters: all H columns,
    also those whose mean is 0.

    V: (L, M), full. prior_a, prior_b: numbers or (H,); the column with the largest
    product of the two takes the largest singular value. H: None takes as many as priors
    are given, min(L, M) for two numbers. Raises ValueError for missing entries, for
    variances that are not > 0, and for products of prior variances outside 1e-100 to
    1e100.
    """
    data = _full(V, H)
    noise = as_positive("noise", noise)
    L, M = data.shape
    if H is None:
        lengths = [np.size(prior) for prior in (prior_a, prior_b) if np.ndim(prior)]
        H = max(lengths, default=len(data.d))
    prior_a = as_variances("prior_a", prior_a, H)
    prior_b = as_variances("prior_b", prior_b, H)
    for product in (prior_a * prior_b).tolist():
        as_number("a product of prior_a and prior_b", product, SMALLEST, LARGEST)
    order = assign_singular_values(prior_a, prior_b)
    gamma = take_columns(data.d[None], order)[0]
    shrunk = shrink_fixed(gamma, data.shape, prior_a, prior_b, noise)
    alive = shrunk > 0
    safe = np.where(gamma > 0, gamma, 1.0)
    # Of a column that is not alive, s_a s_b = noise p, with p the smaller root of
    # (1 - L p)(1 - M p) = p noise / (c_a^2 c_b^2).
    total = L + M + noise / (prior_a * prior_b)
    edge = 2 * np.sqrt(L * M)
    p = 2 / (total + np.sqrt((total - edge) * (total + edge)))
    share_a = np.where(alive, 1 - shrunk / safe - L * noise / safe**2, 1 - L * p)
    share_b = np.where(alive, 1 - shrunk / safe - M * noise / safe**2, 1 - M * p)
    columns = Columns(
        order=order,
        kappa=gamma * shrunk / noise,
        variance_a=prior_a * share_a,
        variance_b=prior_b * share_b,
        prior_a=prior_a,
        prior_b=prior_b,
    )
    return _factorization(data, columns, noise)


def solve_empirical(
    V, noise: float | None = None, H: int | None = None
) -> Factorization:
    """The posterior and prior variances with the largest ELBO, at most H columns.

    V: (L, M), full. noise: None estimates it too, at least 1e-12 of the mean square of
    V. Only the kept columns are returned, maybe none: for the others the ELBO is
    largest in the limit c_a c_b -> 0, where they add nothing. Only the product of c_a
    and c_b matters; they are chosen equal. Raises ValueError for missing entries and
    for noise that is not > 0.
    """
    data = _full(V, H)
    if noise is None:
        noise = estimate_noise(data, H)
    else:
        noise = as_positive("noise", noise)
    L, M = data.shape
    gamma = data.d[:H]
    kept = gamma[gamma > thresholds(data.shape).keep * np.sqrt(noise)]
    k = _kappa(kept**2 / noise, L, M)
    prior = np.sqrt(k * noise / (L * M))  # c_a^2 = c_b^2
    columns = Columns(
        order=np.arange(len(k)),
        kappa=k,
        variance_a=prior * M / (k + M),
        variance_b=prior * L / (k + L),
        prior_a=prior,
        prior_b=prior,
    )
    return _factorization(data, columns, noise)


def free_energy_of_noise(V, noise, H: int | None = None) -> np.ndarray:
    """-elbo (nats) of empirical Bayes with at most H columns as a function of the noise
    (...), the least over all the rest. Raises ValueError as `solve_empirical` does."""
    data = _full(V, H)
    noise = as_positives("noise", noise)
    L, M = data.shape
    x = data.d[:H] ** 2 / noise[..., None]
    kept = x > thresholds(data.shape).keep ** 2
    k = np.where(kept, _kappa(x, L, M), 0.0)  # a column with kappa 0 adds nothing
    of_columns = _free_energy(k, L, M).sum(axis=-1)
    of_noise = data.size * np.log(2 * np.pi * noise) + data.square / noise
    return 0.5 * of_noise + of_columns


def estimate_noise(V, H: int | None = None) -> float:
    """The noise variance with the largest ELBO of empirical Bayes.

    The ELBO has several maxima as a function of it. With y = 1 / noise, on the stretch
    of y on which just r columns are kept, the ELBO is stationary where

        h(y) = y |V|^2 - kappa_1 - ... - kappa_r - L M = 0.

    h is convex, so F is least at its larger root if that lies there. It is least
    nowhere else inside, and never where stretches meet (F is a minimum of functions).
    Newton's method from a stretch's right end falls on that root; all are tried. Raises
    ValueError for missing entries, and if V is zero everywhere.
    """
    data = _full(V, H)
    if not data.square:
        raise ValueError(
            "V is zero everywhere, so its noise cannot be estimated; give it"
        )
    squares = data.d[:H] ** 2
    largest = 1 / data.least_noise
    with np.errstate(divide="ignore"):
        ends = np.minimum(thresholds(data.shape).keep ** 2 / squares, largest)
    lefts = np.append(0.0, ends)
    rights = np.append(ends, largest)
    candidates = []
    for r in range(len(rights)):
        y = _stationary_precision(data, squares[:r], lefts[r], rights[r])
        if y is not None:
            candidates.append(1 / y)
    best = np.argmin(free_energy_of_noise(data, candidates, H))
    return candidates[int(best)]


def _stationary_precision(
    data: SVD, squares: np.ndarray, left: float, right: float
) -> float | None:
    """The stationary y = 1 / noise between left and right, where just columns with
    these squares of singular values are kept; the right end if F still falls there and
    it is the last."""
    L, M = data.shape
    y = right
    while y > left:
        k = _kappa(y * squares, L, M)
        h = y * data.square - k.sum() - data.size
        if y == right and h <= 0:  # F still falls at the right end
            is_last = y == 1 / data.least_noise
            return y if is_last else None
        slope = data.square - (squares * k / (2 * k - y * squares + L + M)).sum()
        if slope <= 0:  # Newton's step leads nowhere: no root on this stretch
            return None
        step = h / slope
        y -= step
        if step < 1e-13 * y:  # it only falls, but for rounding
            break
    return y if y > left else None


def _full(V, H: int | None = None) -> SVD:
    """The checked full matrix; ValueError for missing entries and for H below 0."""
    if H is not None:
        as_integer("H", H, 0)
    data = validate(V)
    if not isinstance(data, SVD):
        raise ValueError(
            "V has missing entries; the analytic solution needs a full matrix"
        )
    return data


class Columns(NamedTuple):
    """Columns of a solution along singular vectors, (H,) each.

    order: which singular vector, from 0 for that of the largest singular value; kappa;
    the posterior variances s_a, s_b and the prior variances c_a^2, c_b^2.
    """

    order: np.ndarray
    kappa: np.ndarray
    variance_a: np.ndarray
    variance_b: np.ndarray
    prior_a: np.ndarray
    prior_b: np.ndarray


def _factorization(data: SVD, columns: Columns, noise: float) -> Factorization:
    """The solution with these columns: |a|^2 = kappa s_a, |b|^2 = kappa s_b."""
    length_a = np.sqrt(columns.kappa * columns.variance_a)
    length_b = np.sqrt(columns.kappa * columns.variance_b)
    solution = Factorization(
        take_columns(data.W, columns.order) * length_a,
        take_columns(data.U, columns.order) * length_b,
        np.diag(columns.variance_a),
        np.diag(columns.variance_b),
        columns.prior_a,
        columns.prior_b,
        noise,
        converged=True,
    )
    return solution.replace(trace=[elbo(data, solution)])


# ---- landscapes: F of one column at noise 1 over its shrunk singular value ----


def fixed_landscape(shrunk, strength, shape: tuple[int, int]) -> np.ndarray:
    """G, the part of F (nats) of one column at noise 1 that does not depend on the
    observed singular value gamma: F = G - gamma * shrunk, less that of no column.

    shrunk, strength: shrunk singular values, and prior variances c_a^2 = c_b^2 =
    strength, arrays that broadcast. G is least over all the rest, by alternating over
    it. Raises ValueError for shrunk below 0 or above 1e100, strength outside 1e-50 to
    1e50, and shapes that do not fit.
    """
    shrunk = as_nonnegative("shrunk", shrunk)
    if (shrunk > LARGEST).any():
        raise ValueError(
            f"shrunk reaches {shrunk.max():g}; at most {LARGEST:g} is allowed"
        )
    c = as_positives("strength", strength)
    # The product of the two prior variances has the limits of `solve_fixed`.
    least = np.sqrt(SMALLEST)
    most = np.sqrt(LARGEST)
    if not ((c >= least) & (c <= most)).all():
        raise ValueError(
            f"strength reaches from {c.min():g} to {c.max():g}; "
            f"allowed is {least:g} to {most:g}"
        )
    shrunk, c = broadcast(shrunk=shrunk, strength=c)
    L, M = as_shape("shape", shape)
    square_a = shrunk  # |a|^2
    s_b = c
    for _ in range(300):
        square_b = _divided(shrunk**2, square_a)  # |b|^2
        s_a = 1 / (square_b + L * s_b + 1 / c)
        s_b = 1 / (square_a + M * s_a + 1 / c)
        square_a = shrunk * np.sqrt((M * s_a + 1 / c) / (L * s_b + 1 / c))
    square_b = _divided(shrunk**2, square_a)
    second_a = square_a + M * s_a  # E |a|^2
    second_b = square_b + L * s_b
    return 0.5 * (
        second_a * second_b
        + M * np.log(c / s_a)
        + L * np.log(c / s_b)
        + (second_a + second_b) / c
        - L
        - M
    )


def _divided(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x / y, 0 where y is 0."""
    return np.divide(x, y, out=np.zeros(x.shape), where=y > 0)


def learned_landscape(kappa, gamma: float, shape) -> tuple[np.ndarray, np.ndarray]:
    """The shrunk singular value (n,) and F (n,) (nats, less that of no column) of one
    column with learned priors at noise 1, for kappa = |a|^2 / s_a = |b|^2 / s_b (n,).

    Least over all the rest, where kappa^3 = shrunk^2 (kappa + L)(kappa + M). Raises
    ValueError for kappa or gamma below 0 and for what is not a shape.
    """
    L, M = as_shape("shape", shape)
    kappa = as_nonnegative("kappa", kappa)
    gamma = as_nonnegative("gamma", gamma)
    shrunk = (
        np.sqrt(kappa) * np.sqrt(kappa / (kappa + L)) * np.sqrt(kappa / (kappa + M))
    )
    return shrunk, free_energy_of_column(kappa, shape) + kappa - gamma * shrunk


def fixed_threshold(strength: float, shape) -> float:
    """The singular value above which a column with prior variances c_a^2 c_b^2 =
    strength is alive at noise 1: (x - L)(x - M) = x / strength for its square x >
    max(L, M).

    Raises ValueError for strength that is not > 0 and for what is not a shape.
    """
    L, M = as_shape("shape", shape)
    strength = as_positive("strength", strength)
    half = (L + M + 1 / strength) / 2
    mean = np.sqrt(L * M)
    return float(np.sqrt(half + np.sqrt(half - mean) * np.sqrt(half + mean)))
