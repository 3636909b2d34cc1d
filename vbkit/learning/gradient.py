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
For the log variance no rate is too large in this way. The loop is in `vbkit.compiled.ascent`.
"""

from collections.abc import Callable
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import softmax

from vbkit.checks import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    as_array,
    as_generator,
    as_integer,
    as_matrix,
)
from vbkit.compiled import COMPILED, ascent
from vbkit.learning.schedule import Schedule, as_schedule

FAR = 10.0  # diagonals of the box around data and starts; a centre farther out is lost


class Width(NamedTuple):
    """How a width is written: the constant of `vbkit.compiled.ascent`, the number for a standard
    deviation, and the variance for that number."""

    constant: int
    from_sigma: Callable
    to_variance: Callable


WIDTHS = {
    "sigma": Width(ascent.SIGMA, lambda sigma: sigma, np.square),
    "variance": Width(ascent.VARIANCE, np.square, lambda number: number),
    "log variance": Width(ascent.LOG_VARIANCE, lambda sigma: 2 * np.log(sigma), np.exp),
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
    width = WIDTHS[parametrisation]
    theta = _start(X.shape[1], weights, centres, widths, width)
    as_schedule(schedule)
    as_integer("epochs", epochs, 0)
    if rng is not None:
        as_generator("rng", rng)
    low, high = _bounds(np.concatenate([X, theta[:, 1:-1]]), width)
    history = np.full((epochs + 1, *theta.shape), np.nan)
    history[0] = theta
    diverged = None
    for epoch in range(1, epochs + 1):
        rates, after = schedule.learning_rates(len(X))
        rows = X if rng is None else X[rng.permutation(len(X))]
        theta, steps = ascend(rows, rates, theta, parametrisation)
        if steps < len(X) or not ((low <= theta) & (theta <= high)).all():
            diverged = epoch
            break
        history[epoch] = theta
        schedule = after
    return GradientFit(
        softmax(history[..., 0], axis=-1),
        history[..., 1:-1].copy(),
        width.to_variance(history[..., -1]),
        diverged,
        schedule,
    )


def ascend(X, rates, theta, parametrisation: str) -> tuple[np.ndarray, int]:
    """theta (K, D + 2) after the rows of X (N, D) with the learning rates (N,), and how many rows
    it took: it stops early where there are no more responsibilities.

    A row of theta is a component's logit, centre and width. Shapes must fit: compiled code reads
    the arrays unchecked.
    """
    theta = np.array(theta, dtype=np.float64, order="C")
    X = np.ascontiguousarray(X, dtype=np.float64)
    constant = WIDTHS[parametrisation].constant
    climb = ascent.run_ascent if COMPILED else ascent.plain_ascent
    steps = climb(X, rates, theta, constant)
    return theta, steps


def _start(D: int, weights, centres, widths, width: Width) -> np.ndarray:
    """theta (K, D + 2). Its logits sum to 0, and keep doing so: the largest is never negative."""
    centres = as_matrix("centres", centres, D)
    weights = as_array("weights", weights, ndim=1)
    widths = as_array("widths", widths, ndim=1)
    K = len(centres)
    too_small = (weights < SMALLEST_SCALE).any()
    if weights.shape != (K,) or too_small or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(
            f"weights is {weights}; it must be {K} numbers >= {SMALLEST_SCALE:g} of sum 1"
        )
    is_unfit = (widths <= SMALLEST_SCALE) | (widths >= LARGEST_SCALE)
    if widths.shape != (K,) or is_unfit.any():
        raise ValueError(f"widths is {widths}; it must be {K} standard deviations > 0")
    logits = np.log(weights)
    return np.column_stack([logits - logits.mean(), centres, width.from_sigma(widths)])


def _bounds(points: np.ndarray, width: Width) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest theta (D + 2,) of a component, for data and starting centres (n,
    D)."""
    reach = abs(points).max()
    if reach > LARGEST_SCALE:
        raise ValueError(
            f"X and centres reach {reach:.3g}, over {LARGEST_SCALE:g}: rescale"
        )
    margin = FAR * np.linalg.norm(np.ptp(points, axis=0))
    lowest = points.min(axis=0) - margin
    highest = points.max(axis=0) + margin
    low = np.array([-np.inf, *lowest, width.from_sigma(SMALLEST_SCALE)])
    high = np.array([np.inf, *highest, width.from_sigma(LARGEST_SCALE)])
    return low, high
