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
    LARGEST_SCALE,
    SMALLEST_SCALE,
    as_array,
    as_integer,
    as_nonnegative,
    as_number,
    as_positive,
    as_positives,
    as_shape,
)
from vbkit.factorization.initialization import assign_singular_values, take_columns
from vbkit.factorization.matrices import SVD, validate
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
    low = np.sqrt(L * M)  # kappa at which F of a column is largest
    high = low
    while _free_energy(high, L, M) > 0:
        high *= 2
    root = brentq(_free_energy, low, high, args=(L, M), xtol=1e-14 * high, rtol=1e-15)
    local = np.sqrt(L) + np.sqrt(M)
    keep = np.sqrt((root + L) * (root + M) / root)
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
    """kappa (...) of the local solution of empirical Bayes; nan where there is none.

    x (...): (singular value / sigma)^2. Raises ValueError for what is not a shape.
    """
    L, M = as_shape("shape", shape)
    return _stationary_kappa(as_array("x", x), L, M)


def _stationary_kappa(x, L, M):
    """The larger root of (kappa + L)(kappa + M) = kappa x.

    With z = x - L - M that is kappa^2 - z kappa + L M = 0, which has real roots from
    z = 2 sqrt(L M).
    """
    z = x - L - M
    edge = 2 * np.sqrt(L * M)
    # The square root of z^2 - edge^2 as a product of two: this is exact near the edge,
    # where the squares would cancel, and does not overflow where z^2 would.
    root = np.sqrt(np.maximum(z - edge, 0)) * np.sqrt(np.maximum(z + edge, 0))
    return np.where(z >= edge, (z + root) / 2, np.nan)


def shrink_empirical(gamma, shape: tuple[int, int], noise: float) -> np.ndarray:
    """The singular values (...) of the mean B A' by empirical Bayes (global solution).

    gamma (...): singular values of V. Below the threshold the result is 0. Raises
    ValueError for gamma below 0 or above 1e100 sigma, noise that is not > 0 and what is
    not a shape.
    """
    gamma = as_nonnegative("gamma", gamma)
    noise = as_positive("noise", noise)
    if (gamma > LARGEST_SCALE * np.sqrt(noise)).any():
        raise ValueError(
            f"gamma reaches {gamma.max():g}; at most {LARGEST_SCALE:g} sigma is allowed"
        )
    L, M = as_shape("shape", shape)
    kept = gamma > thresholds(shape).keep * np.sqrt(noise)
    shrunk = (
        _stationary_kappa(gamma**2 / noise, L, M) * noise / np.where(kept, gamma, 1.0)
    )
    return np.where(kept, shrunk, 0.0)


def shrink_fixed(
    gamma, shape: tuple[int, int], prior_a, prior_b, noise: float
) -> np.ndarray:
    """The singular values (...) of the mean B A' for given prior variances.

    gamma: singular values of V. prior_a, prior_b: c_a^2 and c_b^2, arrays that
    broadcast against gamma. Below the threshold the result is 0. Raises ValueError as
    `shrink_empirical` does, for prior variances that are not > 0, and for shapes that
    do not broadcast.
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
    """Broadcast arrays against each other; if their shapes clash, a ValueError names
    them."""
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
    """The posterior with the largest ELBO for given hyperparameters.

    V: (L, M), full. prior_a, prior_b: numbers or (H,); the column with the largest
    product of the two takes the largest singular value. H: the number of columns; None
    takes as many as priors are given, or min(L, M) if both are numbers. All H columns
    are returned, also those whose mean is 0. Raises ValueError for missing entries, for
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
        as_number(
            "a product of prior_a and prior_b", product, SMALLEST_SCALE, LARGEST_SCALE
        )
    order = assign_singular_values(prior_a, prior_b)
    padded = np.append(data.d, np.zeros(H))  # columns beyond min(L, M) find only zeros
    gamma = padded[order]
    shrunk = shrink_fixed(gamma, data.shape, prior_a, prior_b, noise)
    alive = shrunk > 0
    safe = np.where(gamma > 0, gamma, 1.0)
    # The ratios of posterior to prior variance. If a column is alive, they are those at
    # the top of this file, with kappa noise / gamma = shrunk.
    alive_a = 1 - shrunk / safe - L * noise / safe**2
    alive_b = 1 - shrunk / safe - M * noise / safe**2
    # The mean of a dead column is 0, so that 1 / s_a = L s_b / noise + 1 / c_a^2 and
    # 1 / s_b = M s_a / noise + 1 / c_b^2. With p = s_a s_b / noise this is
    #     s_a = c_a^2 (1 - L p),   s_b = c_b^2 (1 - M p),
    # and the product of the two is L M p^2 - b p + 1 = 0 with the b below. Only the
    # smaller root makes both variances positive. As 2 / (b + ...) it is a sum of
    # positive numbers, where (b - ...) / (2 L M) would cancel.
    b = L + M + noise / (prior_a * prior_b)
    edge = 2 * np.sqrt(L * M)
    p = 2 / (b + np.sqrt((b - edge) * (b + edge)))
    columns = Columns(
        order=order,
        kappa=gamma * shrunk / noise,
        variance_a=prior_a * np.where(alive, alive_a, 1 - L * p),
        variance_b=prior_b * np.where(alive, alive_b, 1 - M * p),
        prior_a=prior_a,
        prior_b=prior_b,
    )
    return _factorization(data, columns, noise)


def solve_empirical(
    V, noise: float | None = None, H: int | None = None
) -> Factorization:
    """The posterior and the prior variances with the largest ELBO, at most H columns.

    V: (L, M), full. noise: None estimates it too, as at least 1e-12 of the mean square
    of V. Only the columns that are kept are returned, and there may be none: the ELBO
    of the others is largest in the limit c_a c_b -> 0, where they add nothing. Only the
    product of c_a and c_b matters, so they are chosen equal. Raises ValueError for
    missing entries and for noise that is not > 0.
    """
    data = _full(V, H)
    if noise is None:
        noise = estimate_noise(data, H)
    else:
        noise = as_positive("noise", noise)
    L, M = data.shape
    gamma = data.d[:H]
    kept = gamma[gamma > thresholds(data.shape).keep * np.sqrt(noise)]
    kappa = _stationary_kappa(kept**2 / noise, L, M)
    prior = np.sqrt(kappa * noise / (L * M))  # c_a^2 = c_b^2
    columns = Columns(
        order=np.arange(len(kappa)),
        kappa=kappa,
        variance_a=prior * M / (kappa + M),
        variance_b=prior * L / (kappa + L),
        prior_a=prior,
        prior_b=prior,
    )
    return _factorization(data, columns, noise)


def free_energy_of_noise(V, noise, H: int | None = None) -> np.ndarray:
    """-elbo (nats) of empirical Bayes with at most H columns, for each noise (...).

    It is the least over everything else. Raises ValueError as `solve_empirical` does.
    """
    data = _full(V, H)
    noise = as_positives("noise", noise)
    L, M = data.shape
    x = data.d[:H] ** 2 / noise[..., None]
    is_kept = x > thresholds(data.shape).keep ** 2
    # A column with kappa 0 adds nothing.
    kappa = np.where(is_kept, _stationary_kappa(x, L, M), 0.0)
    of_columns = _free_energy(kappa, L, M).sum(axis=-1)
    of_noise = data.size * np.log(2 * np.pi * noise) + data.square / noise
    return 0.5 * of_noise + of_columns


def estimate_noise(V, H: int | None = None) -> float:
    """The noise variance with the largest ELBO of empirical Bayes.

    F = -elbo can have several minima as a function of the noise. Let y = 1 / noise. As
    y rises, more columns are kept. On a stretch of y on which just r of them are kept,
    the derivative of F is h / (2 y) with

        h(y) = y |V|^2 - kappa_1 - ... - kappa_r - L M.

    Each kappa is a concave function of y, so h is convex and has two roots at most.
    F falls between the roots and rises beyond the larger one, so inside a stretch F has
    a minimum only at the larger root of h. Where two stretches meet F has no minimum,
    because F is the lesser of two smooth functions there. So there is one candidate a
    stretch at most, beside the largest y, and the best of all is taken. Raises
    ValueError for missing entries, and if V is zero everywhere.
    """
    data = _full(V, H)
    if not data.square:
        raise ValueError(
            "V is zero everywhere, so its noise cannot be estimated; give it"
        )
    squares = data.d[:H] ** 2
    largest = 1 / data.least_noise
    with np.errstate(divide="ignore"):  # a column with singular value 0 is never kept
        entries = np.minimum(thresholds(data.shape).keep ** 2 / squares, largest)
    # With y from starts[r] to ends[r], just the first r columns are kept.
    starts = np.append(0.0, entries)
    ends = np.append(entries, largest)
    candidates = []
    for r in range(len(ends)):
        is_last = ends[r] >= largest
        y = _stationary_precision(data, squares[:r], starts[r], ends[r], is_last)
        if y is not None:
            candidates.append(1 / y)
    best = np.argmin(free_energy_of_noise(data, candidates, H))
    return candidates[int(best)]


def _stationary_precision(
    data: SVD, squares: np.ndarray, start: float, end: float, is_last: bool
) -> float | None:
    """The y = 1 / noise from start to end at which F is least; None if there is none.

    squares: of the singular values of the columns that are kept on this stretch. If F
    still falls at the end, it is least there on the last stretch and nowhere on others.
    """
    if start >= end:  # two columns enter at once
        return None
    excess, _ = _excess_and_slope(data, squares, end)
    if excess <= 0:
        return end if is_last else None
    # h is convex and positive at the end, so Newton's steps fall from there towards the
    # larger root and never pass it. If there is none, they reach the start, a point
    # where h falls, or one where a column has no kappa and y becomes nan.
    y = end
    while y > start:
        excess, slope = _excess_and_slope(data, squares, y)
        if slope <= 0:
            return None
        step = excess / slope
        y -= step
        if step < 1e-13 * y:  # or negative, by rounding
            break
    return y if y > start else None


def _excess_and_slope(data: SVD, squares: np.ndarray, y: float) -> tuple[float, float]:
    """h(y) of `estimate_noise` and its derivative.

    With x = y square, kappa^2 + (L + M - x) kappa + L M = 0. Its derivative by y is
    (2 kappa + L + M - x) kappa' = kappa square.
    """
    L, M = data.shape
    kappa = _stationary_kappa(y * squares, L, M)
    slopes = squares * kappa / (2 * kappa - y * squares + L + M)
    excess = y * data.square - kappa.sum() - data.size
    return excess, data.square - slopes.sum()


def _full(V, H: int | None = None) -> SVD:
    """The full matrix, checked. Raises ValueError for missing entries and H below 0."""
    if H is not None:
        as_integer("H", H, 0)
    data = validate(V)
    if not isinstance(data, SVD):
        raise ValueError(
            "V has missing entries; the analytic solution needs a full matrix"
        )
    return data


class Columns(NamedTuple):
    """The columns of a solution, which lie along singular vectors; each field is (H,).

    order: which singular vector, from 0 for that of the largest singular value. kappa:
    see the top of this file. variance_a, variance_b: the posterior variances s_a, s_b.
    prior_a, prior_b: the prior variances c_a^2, c_b^2.
    """

    order: np.ndarray
    kappa: np.ndarray
    variance_a: np.ndarray
    variance_b: np.ndarray
    prior_a: np.ndarray
    prior_b: np.ndarray


def _factorization(data: SVD, columns: Columns, noise: float) -> Factorization:
    """The solution with these columns; their lengths are |a|^2 = kappa s_a and
    |b|^2 = kappa s_b."""
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

# Sweeps of alternating. From 20 x 30 entries on, F is then exact to rounding for prior
# variances up to 1000. The worst case known is 1 x 1 with 1000: 1e-4 of F is missing.
SWEEPS = 300


def fixed_landscape(shrunk, prior_variance, shape: tuple[int, int]) -> np.ndarray:
    """The part G of F (nats) of one column at noise 1 that does not depend on the data.

    With the observed singular value gamma, F = G - gamma * shrunk, less F of no column.
    G is the least over everything but the shrunk singular value.

    shrunk: shrunk singular values. prior_variance: c_a^2 = c_b^2. These are arrays that
    broadcast. (`fixed_threshold` takes the product c_a^2 c_b^2, which is the square of
    this number.) Raises ValueError for shrunk below 0 or above 1e100, for prior_variance
    outside 1e-50 to 1e50, and for shapes that do not fit.
    """
    shrunk = as_nonnegative("shrunk", shrunk)
    if (shrunk > LARGEST_SCALE).any():
        raise ValueError(
            f"shrunk reaches {shrunk.max():g}; at most {LARGEST_SCALE:g} is allowed"
        )
    prior = as_positives("prior_variance", prior_variance)
    # The product of the two prior variances has the limits of `solve_fixed`.
    least = np.sqrt(SMALLEST_SCALE)
    most = np.sqrt(LARGEST_SCALE)
    if not ((prior >= least) & (prior <= most)).all():
        raise ValueError(
            f"prior_variance reaches from {prior.min():g} to {prior.max():g}; "
            f"allowed is {least:g} to {most:g}"
        )
    shrunk, prior = broadcast(shrunk=shrunk, prior_variance=prior)
    L, M = as_shape("shape", shape)
    square_a = shrunk  # |a|^2; |a| |b| = shrunk is held
    s_b = prior
    for _ in range(SWEEPS):
        square_b = _divided(shrunk**2, square_a)  # |b|^2
        s_a = 1 / (square_b + L * s_b + 1 / prior)
        s_b = 1 / (square_a + M * s_a + 1 / prior)
        square_a = shrunk * np.sqrt((M * s_a + 1 / prior) / (L * s_b + 1 / prior))
    square_b = _divided(shrunk**2, square_a)
    second_a = square_a + M * s_a  # E |a|^2
    second_b = square_b + L * s_b
    return 0.5 * (
        second_a * second_b
        + M * np.log(prior / s_a)
        + L * np.log(prior / s_b)
        + (second_a + second_b) / prior
        - L
        - M
    )


def _divided(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x / y, and 0 where y is 0."""
    return np.divide(x, y, out=np.zeros(x.shape), where=y > 0)


def learned_landscape(kappa, gamma: float, shape) -> tuple[np.ndarray, np.ndarray]:
    """The shrunk singular value (n,) and F (n,) of one column with learned priors.

    The noise is 1, and F (nats) is less that of no column and the least over all the
    rest. kappa (n,): |a|^2 / s_a = |b|^2 / s_b. gamma: the observed singular value.
    Raises ValueError for kappa or gamma below 0 and for what is not a shape.
    """
    L, M = as_shape("shape", shape)
    kappa = as_nonnegative("kappa", kappa)
    gamma = as_nonnegative("gamma", gamma)
    # shrunk^2 = kappa^3 / ((kappa + L)(kappa + M)); the cube would overflow
    shrunk = (
        np.sqrt(kappa) * np.sqrt(kappa / (kappa + L)) * np.sqrt(kappa / (kappa + M))
    )
    # A singular value for which kappa is stationary adds -kappa to F, as kappa is then
    # the singular value times shrunk. Without it, F is the part that all share.
    without_data = free_energy_of_column(kappa, shape) + kappa
    return shrunk, without_data - gamma * shrunk


def fixed_threshold(prior_product: float, shape) -> float:
    """The singular value above which a column with given priors is alive at noise 1.

    prior_product: the product of prior variances c_a^2 c_b^2. (`fixed_landscape` takes
    their common value, of which this is the square.) Raises ValueError for
    prior_product that is not > 0 and for what is not a shape.

    The square x of the threshold is the root above max(L, M) of
    (x - L)(x - M) = x / prior_product, that is of x^2 - 2 half x + L M = 0.
    """
    L, M = as_shape("shape", shape)
    prior_product = as_positive("prior_product", prior_product)
    half = (L + M + 1 / prior_product) / 2
    geometric_mean = np.sqrt(L * M)
    # half + sqrt(half^2 - L M); half^2 would overflow for narrow priors
    root = np.sqrt(half - geometric_mean) * np.sqrt(half + geometric_mean)
    return float(np.sqrt(half + root))
