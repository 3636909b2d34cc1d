"""Online gradient ascent on the log-likelihood of a mixture of isotropic Gaussians (Sato 1999, 42,
44).

    theta <- theta + eta(t) dL(x(t) | theta) / dtheta
    L(x | theta) = log sum_k pi_k N(x; m_k, sigma_k^2 I)

theta holds of each component a logit (pi = softmax of the logits), the centre, and a number for the
width: sigma, its square, or the log of that. Which one matters: a step along the gradient, unlike
one of EM, depends on how a model is written. With responsibilities r and q_k = |x - m_k|^2 /
sigma_k^2,

    dL/dlogit_k = r_k - pi_k
    dL/dm_k = r_k (x - m_k) / sigma_k^2
    dL/dlog sigma_k^2 = r_k (q_k - D) / 2.

A data point at a component's centre (r = 1, q = 0) takes sigma to 0 or below if eta >= sigma^2 / D,
and the variance if eta >= 2 sigma^4 / D: at sigma = .1 in two dimensions rates of .005 and .0001.
For the log variance no rate is too large in this way. `vbkit.learning.ascent_jit` is the loop,
compiled; `plain_ascent` is the same in NumPy.
"""

import attrs
import numpy as np
from scipy.special import softmax

from vbkit.checks import as_array, as_generator, as_integer, as_matrix
from vbkit.compiled import COMPILED
from vbkit.families.base import LARGEST, SMALLEST
from vbkit.learning.ascent_jit import run_ascent
from vbkit.learning.schedule import Schedule, as_schedule

FAR = 10.0  # diagonals of the box around data and starts; a centre farther out is lost

# The number that stands for a width, from a standard deviation; and the variance from that number.
WIDTHS = {
    "sigma": (lambda sigma: sigma, lambda width: width**2),
    "variance": (lambda sigma: sigma**2, lambda width: width),
    "log variance": (lambda sigma: 2 * np.log(sigma), np.exp),
}


@attrs.frozen(eq=False)
class GradientFit:
    """What gradient ascent returns: the parameters before the first epoch and after each one.

    weights (epochs + 1, K), centres (epochs + 1, K, D), variances (epochs + 1, K). diverged: the
    epoch (1, 2, ...) in which learning broke down, from which on all of them are nan; None if it
    did not. schedule: continues the stream.
    """

    weights: np.ndarray = attrs.field(repr=False)
    centres: np.ndarray = attrs.field(repr=False)
    variances: np.ndarray = attrs.field(repr=False)
    diverged: int | None
    schedule: Schedule


def fit_gradient(
    X,
    weights,
    centres,
    widths,
    schedule: Schedule,
    *,
    parametrisation="sigma",
    epochs=1,
    rng=None,
) -> GradientFit:
    """Fit by online gradient ascent (Sato 1999, 44) over X (N, D).

    weights, centres, widths: the start, (K,), (K, D) and standard deviations (K,).
    schedule: its learning rate is eta(t); its total plays no part.
    parametrisation: of the width: "sigma", "variance" or "log variance".
    epochs, rng: each epoch presents every row of X once, in the order of X, or in a new random
        order if there is an rng.

    Learning that breaks down stops without an error: at a width that is not positive or a number
    that is not finite; after an epoch also at a standard deviation outside 1e-100 to 1e100, or at a
    centre outside the box around the data and the starting centres by more than ten of its
    diagonals. Raises ValueError for unfit arguments.
    """
    X = as_matrix("X", X)
    if parametrisation not in WIDTHS:
        raise ValueError(
            f"parametrisation is {parametrisation!r}; it must be one of {[*WIDTHS]}"
        )
    to_width, to_variance = WIDTHS[parametrisation]
    theta = _start(X.shape[1], weights, centres, widths, to_width)
    as_schedule(schedule)
    as_integer("epochs", epochs, 0)
    if rng is not None:
        as_generator("rng", rng)
    low, high = _bounds(np.concatenate([X, theta[:, 1:-1]]), to_width)
    history, diverged = np.full((epochs + 1, *theta.shape), np.nan), None
    history[0] = theta
    for epoch in range(1, epochs + 1):
        rates, after = schedule.learning_rates(len(X))
        rows = X if rng is None else X[rng.permutation(len(X))]
        ascend = run_ascent if COMPILED else plain_ascent
        theta, done = ascend(rows, rates, theta, parametrisation)
        if done < len(X) or not ((low <= theta) & (theta <= high)).all():
            diverged = epoch
            break
        history[epoch], schedule = theta, after
    weights, centres = softmax(history[..., 0], axis=-1), history[..., 1:-1].copy()
    return GradientFit(
        weights, centres, to_variance(history[..., -1]), diverged, schedule
    )


def plain_ascent(X, rates, theta, parametrisation: str) -> tuple[np.ndarray, int]:
    """`run_ascent` in NumPy: theta (K, D + 2) after the rows of X, and how many it took."""
    D, theta, to_variance = X.shape[1], theta.copy(), WIDTHS[parametrisation][1]
    with np.errstate(all="ignore"):  # where learning breaks down, the caller says so
        for n, (x, eta) in enumerate(zip(X, rates, strict=True)):
            logits, centres, width = theta[:, 0], theta[:, 1:-1], theta[:, -1]
            variance, deviation = to_variance(width), x - centres
            slopes = {"sigma": 2 / width, "variance": 1 / width, "log variance": 1.0}
            q = (deviation**2).sum(axis=1) / variance
            r = softmax(logits - 0.5 * (q + D * np.log(variance)))
            if not np.isfinite(r).all():
                return theta, n
            slope = r * (q - D) / 2 * slopes[parametrisation]
            climb = (r / variance)[:, None] * deviation
            theta += eta * np.column_stack([r - softmax(logits), climb, slope])
    return theta, len(X)


def _start(D: int, weights, centres, widths, to_width) -> np.ndarray:
    """theta (K, D + 2). Its logits sum to 0, and keep doing so: the largest is never negative."""
    centres = as_matrix("centres", centres, D)
    weights, widths = (
        as_array("weights", weights, ndim=1),
        as_array("widths", widths, ndim=1),
    )
    K = len(centres)
    if (
        weights.shape != (K,)
        or (weights < SMALLEST).any()
        or abs(weights.sum() - 1) > 1e-9
    ):
        raise ValueError(
            f"weights is {weights}; it must be {K} numbers >= {SMALLEST:g} of sum 1"
        )
    if widths.shape != (K,) or (widths <= SMALLEST).any() or (widths >= LARGEST).any():
        raise ValueError(f"widths is {widths}; it must be {K} standard deviations > 0")
    logits = np.log(weights)
    return np.column_stack([logits - logits.mean(), centres, to_width(widths)])


def _bounds(points: np.ndarray, to_width) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest theta (D + 2,) of a component, for data and starting centres (n,
    D)."""
    if abs(points).max() > LARGEST:
        raise ValueError(
            f"X and centres reach {abs(points).max():.3g}, over {LARGEST:g}: rescale"
        )
    margin = FAR * np.linalg.norm(np.ptp(points, axis=0))
    low = np.array([-np.inf, *(points.min(axis=0) - margin), to_width(SMALLEST)])
    high = np.array([np.inf, *(points.max(axis=0) + margin), to_width(LARGEST)])
    return low, high
