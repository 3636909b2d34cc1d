"""Online gradient ascent on the log-likelihood of a mixture of isotropic Gaussians (Sato 1999, 42, 44).

    theta <- theta + eta(t) dL(x(t) | theta) / dtheta,    L(x | theta) = log sum_k pi_k N(x; m_k, sigma_k^2 I)

theta holds of each component a logit (pi = softmax of the logits), the centre, and a number for the width: sigma, its
square, or the log of that. Which one matters: a step along the gradient, unlike one of EM, depends on how a model is
written. With responsibilities r and q_k = |x - m_k|^2 / sigma_k^2,

    dL/dlogit_k = r_k - pi_k     dL/dm_k = r_k (x - m_k) / sigma_k^2     dL/dlog sigma_k^2 = r_k (q_k - D) / 2.

A data point at a component's centre (r = 1, q = 0) takes sigma to 0 or below if eta >= sigma^2 / D, and the variance if
eta >= 2 sigma^4 / D: at sigma = .1 in two dimensions rates of .005 and .0001. For the log variance no rate is too large
in this way. `reference_ascent` is the algorithm in NumPy; the compiled loop does the same for eight components at a time.
"""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numba import uint64

from vbkit.checks import as_array, as_generator, as_integer, as_matrix
from vbkit.compiled import exp, inline, jit, larger, log, scratch
from vbkit.families.base import LARGEST, SMALLEST
from vbkit.learning.schedule import Schedule, as_schedule
from vbkit.learning.stream import LANES

FAR = 10.0  # a centre is lost if it leaves the box around data and starting centres by this many of its diagonals
SAFE = 1e-150  # a density (times a weight) above which exps need no common factor taken out

# The number that stands for a width, from a standard deviation; and the variance from that number.
WIDTHS = {
    "sigma": (lambda sigma: sigma, lambda width: width**2),
    "variance": (lambda sigma: sigma**2, lambda width: width),
    "log variance": (lambda sigma: 2 * np.log(sigma), np.exp),
}


@dataclass(frozen=True, eq=False)
class GradientFit:
    """What gradient ascent returns: the parameters before the first epoch and after each one.

    weights (epochs + 1, K), centres (epochs + 1, K, D), variances (epochs + 1, K). diverged: the epoch (1, 2, ...) in
    which learning broke down, from which on all of them are nan; None if it did not. schedule: continues the stream.
    """

    weights: np.ndarray = field(repr=False)
    centres: np.ndarray = field(repr=False)
    variances: np.ndarray = field(repr=False)
    diverged: int | None
    schedule: Schedule


def fit_gradient(
    X,
    weights,
    centres,
    widths,
    schedule: Schedule,
    *,
    parametrisation: str = "sigma",
    epochs: int = 1,
    rng=None,
) -> GradientFit:
    """Online gradient ascent (Sato 1999, 44) from weights (K,), centres (K, D) and standard deviations `widths` (K,).

    schedule: its learning rate is eta(t); its total plays no part. parametrisation: of the width, "sigma", "variance"
    or "log variance". Each epoch presents every row of X (N, D) once, in the order of X, or in a new random order if
    `rng` is given.
    Learning stops where it breaks down, without an error: at a width that is not positive or a number that is not
    finite; after an epoch also at a standard deviation outside 1e-100 to 1e100, or at a centre that is outside the box
    around the data and the starting centres by more than ten of its diagonals.
    """
    X = as_matrix("X", X)
    if parametrisation not in WIDTHS:
        raise ValueError(
            f"parametrisation is {parametrisation!r}; it must be one of {list(WIDTHS)}"
        )
    to_width, to_variance = WIDTHS[parametrisation]
    theta = _check_start(X.shape[1], weights, centres, widths, to_width)
    as_schedule(schedule)
    as_integer("epochs", epochs, 0)
    if rng is not None:
        as_generator("rng", rng)
    places = np.concatenate([X, theta[:, 1:-1]])
    if abs(places).max() > LARGEST:
        raise ValueError(
            f"X and centres reach {abs(places).max():.3g}; they must lie within {LARGEST:g}: rescale them"
        )
    margin = FAR * np.linalg.norm(np.ptp(places, axis=0))
    low = np.array([-np.inf, *(places.min(axis=0) - margin), to_width(SMALLEST)])
    high = np.array([np.inf, *(places.max(axis=0) + margin), to_width(LARGEST)])
    history, diverged = np.full((epochs + 1, *theta.shape), np.nan), None
    history[0] = theta
    for epoch in range(1, epochs + 1):
        rates, after = schedule.learning_rates(len(X))
        rows = X if rng is None else X[rng.permutation(len(X))]
        theta, done = run_ascent(rows, rates, theta, parametrisation)
        if done < len(X) or not ((low <= theta) & (theta <= high)).all():
            diverged = epoch
            break
        history[epoch], schedule = theta, after
    weights, centres = softmax(history[..., 0]), history[..., 1:-1].copy()
    return GradientFit(weights, centres, to_variance(history[..., -1]), diverged, schedule)


def _check_start(D: int, weights, centres, widths, to_width) -> np.ndarray:
    """theta (K, D + 2). Its logits sum to 0, and keep doing so: the largest is never negative."""
    centres = as_matrix("centres", centres, D)
    weights, widths = as_array("weights", weights, ndim=1), as_array("widths", widths, ndim=1)
    K = len(centres)
    if weights.shape != (K,) or (weights < SMALLEST).any() or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(
            f"weights is {weights}; it must be {K} numbers, each at least {SMALLEST:g}, that sum to 1"
        )
    if widths.shape != (K,) or (widths <= SMALLEST).any() or (widths >= LARGEST).any():
        raise ValueError(
            f"widths is {widths}; it must be {K} standard deviations > 0, one a centre"
        )
    logits = np.log(weights)
    return np.column_stack([logits - logits.mean(), centres, to_width(widths)])


def run_ascent(X, rates, theta, parametrisation: str) -> tuple[np.ndarray, int]:
    """theta (K, D + 2), a row a component with logit, centre and width, after the rows of X (N, D) with the rates (N,); and
    how many rows it took before there were no more responsibilities."""
    (K, P), groups = theta.shape, -(-len(theta) // LANES)
    n_components = np.zeros((groups * LANES, P))
    n_components[:K] = theta
    n_components[K:, 0], n_components[K:, -1] = (
        -np.inf,
        1.0,
    )  # components that fill up the last eight have no weight
    flat = n_components.reshape(groups, LANES, P).transpose(0, 2, 1).ravel()
    done = _compiled_ascent(P - 2, parametrisation)(X, rates, flat)
    return flat.reshape(groups, P, LANES).transpose(0, 2, 1).reshape(-1, P)[:K].copy(), done


def reference_ascent(X, rates, theta, parametrisation: str) -> np.ndarray:
    """`run_ascent` in plain NumPy, as long as it does not break down: theta (K, D + 2)."""
    D, theta, to_variance = X.shape[1], theta.copy(), WIDTHS[parametrisation][1]
    for x, eta in zip(X, rates, strict=True):
        logits, centres, width = theta[:, 0], theta[:, 1:-1], theta[:, -1]
        variance, deviation = to_variance(width), x - centres
        slope = {"sigma": 2 / width, "variance": 1 / width, "log variance": 1.0}[parametrisation]
        q = (deviation**2).sum(axis=1) / variance
        r, pi = softmax(logits - 0.5 * (q + D * np.log(variance))), softmax(logits)
        step = r - pi, (r / variance)[:, None] * deviation, r * (q - D) / 2 * slope
        theta += eta * np.column_stack(step)
    return theta


def softmax(L):
    """Of each row of L (..., K); a good deal faster than scipy's for a few numbers."""
    R = np.exp(L - L.max(axis=-1, keepdims=True))
    return R / R.sum(axis=-1, keepdims=True)


# ---- compiled ----------------------------------------------------------------------------------------------


@inline
def _sigma(width):
    """Of a width: log sigma^2 (nan for a width that is none), 1 / sigma^2, d log sigma^2 / d width."""
    inverse = 1.0 / width
    return 2.0 * log(width), inverse * inverse, 2.0 * inverse


@inline
def _variance(width):
    inverse = 1.0 / width
    return log(width), inverse, inverse


@inline
def _log_variance(width):
    return width, exp(-width), 1.0


COMPILED = {"sigma": _sigma, "variance": _variance, "log variance": _log_variance}


@inline
def sum_of(r):
    return ((r[0] + r[4]) + (r[2] + r[6])) + ((r[1] + r[5]) + (r[3] + r[7]))


@inline
def copy(source, at, target, to):
    for lane in range(LANES):
        target[to + lane] = source[at + lane]


@inline
def rescale(log_R, R):
    """Make R exp(log_R) but for a factor, the largest 1: for a data point so far out that all were 0. Their sum."""
    top, total = -np.inf, 0.0
    for k in range(len(R)):
        top = larger(top, log_R[k])
    for k in range(len(R)):
        R[k] = exp(log_R[k] - top)
        total += R[k]
    return total


@cache
def _compiled_ascent(D: int, parametrisation: str):
    shape, width, size = COMPILED[parametrisation], (D + 1) * LANES, (D + 2) * LANES

    @inline
    def joint(x, theta, log_r, r, weight):
        """Of eight components, side by side: log pi_k p_k(x), its exp, and pi_k; all but for a common factor."""
        for lane in range(LANES):
            square = 0.0
            for d in range(D):
                deviation = x[d] - theta[(1 + d) * LANES + lane]
                square += deviation * deviation
            log_variance, precision, _ = shape(theta[width + lane])
            log_r[lane] = (theta[lane] - 0.5 * (square * precision)) - 0.5 * D * log_variance
            r[lane] = exp(log_r[lane])
            weight[lane] = exp(theta[lane])

    @inline
    def climb(x, theta, r, weight, share, back):
        """A step of eight components; products are in an order that leaves little to do once `share` is known."""
        for lane in range(LANES):
            step = share * r[lane]
            _, precision, slope = shape(theta[width + lane])
            square = 0.0
            for d in range(D):
                deviation = x[d] - theta[(1 + d) * LANES + lane]
                square += deviation * deviation
                theta[(1 + d) * LANES + lane] += step * (precision * deviation)
            theta[lane] += step - back * weight[lane]
            theta[width + lane] += step * (0.5 * slope * (square * precision - D))

    @jit
    def ascent(X, rates, theta):
        """Advance theta, flat (groups, D + 2, LANES), by the rows of X (N, D); how many it could take."""
        groups = uint64(len(theta) // size)
        log_R, R, weights = (
            np.empty(groups * LANES),
            np.empty(groups * LANES),
            np.empty(groups * LANES),
        )
        x, log_r, r, weight = scratch(D), scratch(LANES), scratch(LANES), scratch(LANES)
        for n in range(len(rates)):
            for d in range(D):
                x[d] = X[n, d]
            total, whole = 0.0, 0.0
            for g in range(groups):
                joint(x, theta[g * size :], log_r, r, weight)
                copy(log_r, 0, log_R, g * LANES)
                copy(r, 0, R, g * LANES)
                copy(weight, 0, weights, g * LANES)
                total += sum_of(r)
                whole += sum_of(weight)
            if not SAFE < total < np.inf:
                total = rescale(log_R, R)
            if not 0.0 < total < np.inf:
                return n
            share, back = rates[n] / total, rates[n] / whole
            for g in range(groups):
                copy(R, g * LANES, r, 0)
                copy(weights, g * LANES, weight, 0)
                climb(x, theta[g * size :], r, weight, share, back)
        return len(rates)

    return ascent
