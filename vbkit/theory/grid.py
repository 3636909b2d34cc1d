"""The distance between two densities on a grid of points (Sato 1999, 43)."""

import numpy as np

from vbkit.checks import as_array, as_integer, as_number
from vbkit.families.base import LARGEST
from vbkit.families.gaussian import LOG_2PI


def grid_points(
    points: int = 51, low: float = 0.0, high: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """A square grid (points^2, 2), `points` values from low to high on each axis, and its areas.

    The second coordinate runs fastest. The areas (points^2,) are those of the trapezoidal rule:
    half a cell at an edge, a quarter at a corner. Raises ValueError for fewer than 2 points, and
    unless low < high.
    """
    as_integer("points", points, 2)
    if as_number("low", low) >= as_number("high", high):
        raise ValueError(f"high is {high:g}; it must be greater than low, {low:g}")
    axis = np.linspace(low, high, points)
    width = np.full(points, (high - low) / (points - 1))
    width[[0, -1]] /= 2
    square = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    return square.reshape(-1, 2), np.outer(width, width).ravel()


def mass_on_grid(log_p, cell) -> np.ndarray:
    """The mass of densities on the grid, sum of p cell: (..., M) -> (...)."""
    return np.exp(log_p) @ cell


def divergence_on_grid(log_p, log_q, cell) -> np.ndarray:
    """Kullback-Leibler divergence (...) in nats of q (..., M) from p (M,), summed over the grid.

    What lies off the grid does not count, so p's mass on it should be close to 1 (`mass_on_grid`).
    If it is m, the least value is about m log m < 0: that of a q with all its mass on the grid. The
    result is nan where q is nan; where p is 0, q plays no part. Raises ValueError for a log_p that
    is not finite.
    """
    log_p, log_q = as_array("log_p", log_p, ndim=1), np.asarray(log_q, dtype=np.float64)
    weight = np.exp(log_p) * cell
    return (
        weight @ log_p - np.where((weight > 0) | np.isnan(log_q), log_q, 0.0) @ weight
    )


def isotropic_log_density(points, weights, centres, variances) -> np.ndarray:
    """Log density (..., M) at points (M, D) of mixtures of isotropic Gaussians (Sato 1999, 42).

    weights (..., K), centres (..., K, D), variances (..., K): one mixture, or any array of them,
    such as the history of a fit; nan where the parameters are nan. Raises ValueError for shapes
    that do not fit, for weights below 0 or all 0, for variances that are not > 0, and for points
    beyond 1e100.
    """
    points = as_array("points", points, ndim=2)
    weights, centres, variances = (
        np.asarray(a, float) for a in (weights, centres, variances)
    )
    D, shape = points.shape[1], weights.shape
    if not shape or variances.shape != shape or centres.shape != (*shape, D):
        found = (
            f"weights {shape}, centres {centres.shape} and variances {variances.shape}"
        )
        raise ValueError(f"{found} must be (..., K), (..., K, {D}) and (..., K)")
    if (
        (weights < 0).any()
        or (weights == 0).all(axis=-1).any()
        or (variances <= 0).any()
    ):
        raise ValueError(
            "weights must be >= 0, not all of a mixture's 0, and variances > 0"
        )
    if (np.abs(points) > LARGEST).any():
        raise ValueError(
            f"points reach {np.abs(points).max():.3g}; at most {LARGEST:g} is allowed"
        )
    with np.errstate(divide="ignore"):  # a weight of 0
        peak = np.log(weights) - D / 2 * (LOG_2PI + np.log(variances))
    out = np.empty((*shape[:-1], len(points)))
    for at in np.ndindex(shape[:-1]):
        square = sum((points[:, d] - centres[at][:, d, None]) ** 2 for d in range(D))
        L = peak[at][:, None] - square / (2 * variances[at][:, None])
        top = L.max(axis=0)
        out[at] = top + np.log(np.exp(L - top).sum(axis=0))
    return out
