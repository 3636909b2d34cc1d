"""The distance between two densities on a grid of points (Sato 1999, 43)."""

import numpy as np

from vbkit.checks import as_array, as_integer, as_number
from vbkit.families.base import LARGEST, LOG_2PI


def grid_points(
    points: int = 51, low: float = 0.0, high: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """A square grid with `points` values on each axis, both ends included: (points^2, 2), the second axis fastest, and
    the area (points^2,) that each stands for (the trapezoidal rule: half a cell at an edge, a quarter at a corner)."""
    as_integer("points", points, 2)
    if as_number("low", low) >= as_number("high", high):
        raise ValueError(f"high is {high:g}; it must exceed low, {low:g}")
    axis = np.linspace(low, high, points)
    width = np.full(points, (high - low) / (points - 1))
    width[[0, -1]] /= 2
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    return grid.reshape(-1, 2), np.outer(width, width).ravel()


def mass_on_grid(log_p, cell) -> np.ndarray:
    """How much of the density p lies on the grid: sum of p cell, (..., M) -> (...)."""
    return np.exp(log_p) @ cell


def divergence_on_grid(log_p, log_q, cell) -> np.ndarray:
    """Kullback-Leibler divergence (nats) of q (..., M) from p (M,), summed over the grid: sum cell p (log p - log q).

    What lies off the grid does not count, so p's mass on it (`mass_on_grid`) should be close to 1. If it is m, the
    least value is about m log m < 0, of a q that has all its mass on the grid. nan where q is nan. What q is where
    p is 0 plays no part.
    """
    log_p, log_q = as_array("log_p", log_p, ndim=1), np.asarray(log_q, dtype=np.float64)
    weight = np.exp(log_p) * cell
    return weight @ log_p - np.where((weight > 0) | np.isnan(log_q), log_q, 0.0) @ weight


def isotropic_log_density(points, weights, centres, variances) -> np.ndarray:
    """Log density (..., M) at points (M, D) of mixtures of isotropic Gaussians (Sato 1999, 42).

    weights (..., K), centres (..., K, D), variances (..., K): one mixture, or any array of them such as the history of
    a fit; nan where one's parameters are nan. Raises ValueError on shapes that do not belong together, on weights that
    are below 0 or all 0, on variances that are not > 0, and on points beyond 1e100.
    """
    points = as_array("points", points, ndim=2)
    weights, centres, variances = (
        np.asarray(a, dtype=np.float64) for a in (weights, centres, variances)
    )
    D, shape = points.shape[1], weights.shape
    if not shape or variances.shape != shape or centres.shape != (*shape, D):
        raise ValueError(
            f"weights {shape}, centres {centres.shape} and variances {variances.shape} do not belong together: "
            f"they must be (..., K), (..., K, {D}) and (..., K)"
        )
    if (weights < 0).any() or (weights == 0).all(axis=-1).any() or (variances <= 0).any():
        raise ValueError("weights must be >= 0, not all of a mixture's 0, and variances > 0")
    if (np.abs(points) > LARGEST).any():
        raise ValueError(
            f"points reach {np.abs(points).max():.3g}; they must lie within {LARGEST:g}"
        )
    out = np.empty((*shape[:-1], len(points)))
    peak = np.log(weights, where=weights > 0, out=np.full(shape, -np.inf)) - D / 2 * (
        LOG_2PI + np.log(variances)
    )
    for at in np.ndindex(shape[:-1]):
        square = sum((points[:, d] - centres[at][:, d, None]) ** 2 for d in range(D))
        L = peak[at][:, None] - square / (2 * variances[at][:, None])
        largest = L.max(axis=0)
        out[at] = largest + np.log(np.exp(L - largest).sum(axis=0))
    return out
