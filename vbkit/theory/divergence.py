"""How far a density is from the truth: Kullback-Leibler divergences by a sum over a
grid of points (Sato 1999, 43), over all answer patterns, or over draws (Kaji 2011,
6.1.1).
"""

import numpy as np

from vbkit.checks import (
    LARGEST_SCALE,
    as_array,
    as_generator,
    as_instance,
    as_integer,
    as_number,
)
from vbkit.data import Truth
from vbkit.families.bernoulli import WIDEST, binary_vectors
from vbkit.families.gaussian import LOG_2PI
from vbkit.mixture import Mixture

# ---- on a grid ----


def grid_points(
    points: int = 51, low: float = 0.0, high: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """A square grid (points^2, 2), and the area around each of its points.

    Each axis has `points` values from low to high. The second coordinate runs fastest.
    The areas (points^2,) are those of the trapezoidal rule: half a cell at an edge, a
    quarter at a corner. Raises ValueError for fewer than 2 points, and unless low <
    high.
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
    """Kullback-Leibler divergence (...) in nats of q (..., M) from p (M,), summed over
    the grid: sum p (log p - log q) cell (Sato 1999, 43).

    What lies off the grid does not count, so p's mass on it should be close to 1
    (`mass_on_grid`). If it is m, the least value is about m log m < 0: that of a q with
    all its mass on the grid. The result is nan where q is nan; where p is 0, q plays no
    part. Raises ValueError for a log_p that is not finite.
    """
    log_p = as_array("log_p", log_p, ndim=1)
    log_q = np.asarray(log_q, dtype=np.float64)
    weight = np.exp(log_p) * cell
    plays_a_part = (weight > 0) | np.isnan(log_q)
    return weight @ log_p - np.where(plays_a_part, log_q, 0.0) @ weight


def isotropic_log_density(points, weights, centres, variances) -> np.ndarray:
    """Log density (..., M) at points (M, D) of mixtures of isotropic Gaussians: the log
    of sum_k w_k N(x; m_k, v_k I) (Sato 1999, 42).

    weights (..., K), centres (..., K, D), variances (..., K): one mixture, or any array
    of them, such as the history of a fit; nan where the parameters are nan. Raises
    ValueError for shapes that do not fit, for weights below 0 or all 0, for variances
    that are not > 0, and for points beyond 1e100.
    """
    points = as_array("points", points, ndim=2)
    weights = np.asarray(weights, dtype=float)
    centres = np.asarray(centres, dtype=float)
    variances = np.asarray(variances, dtype=float)
    _check_mixtures(points, weights, centres, variances)
    log_density = np.empty((*weights.shape[:-1], len(points)))
    for i in np.ndindex(weights.shape[:-1]):
        log_density[i] = _log_density_of_one(
            points, weights[i], centres[i], variances[i]
        )
    return log_density


def _log_density_of_one(points, weights, centres, variances) -> np.ndarray:
    """Log density (M,) of one mixture: weights (K,), centres (K, D), variances (K,)."""
    D = points.shape[1]
    with np.errstate(divide="ignore"):  # a weight of 0
        log_height = np.log(weights) - D / 2 * (LOG_2PI + np.log(variances))
    # In place: memory for a new array takes longer than the work on it.
    log_joint = np.zeros((len(weights), len(points)))
    for d in range(D):
        away = points[:, d] - centres[:, d, None]
        log_joint += np.square(away, out=away)
    log_joint /= 2 * variances[:, None]
    np.subtract(log_height[:, None], log_joint, out=log_joint)
    largest = log_joint.max(axis=0)
    log_joint -= largest
    return largest + np.log(np.exp(log_joint, out=log_joint).sum(axis=0))


def _check_mixtures(points, weights, centres, variances) -> None:
    D = points.shape[1]
    shape = weights.shape
    if not shape or variances.shape != shape or centres.shape != (*shape, D):
        shapes = (
            f"weights {shape}, centres {centres.shape} and variances {variances.shape}"
        )
        raise ValueError(f"{shapes} must be (..., K), (..., K, {D}) and (..., K)")
    negative = (weights < 0).any()
    all_zero = (weights == 0).all(axis=-1).any()
    if negative or all_zero or (variances <= 0).any():
        raise ValueError(
            "weights must be >= 0, not all of a mixture's 0, and variances > 0"
        )
    if (np.abs(points) > LARGEST_SCALE).any():
        raise ValueError(
            f"points reach {np.abs(points).max():.3g}; at most {LARGEST_SCALE:g} is allowed"
        )


# ---- over answer patterns, or over draws ----


def generalization_error(
    mixture: Mixture, S, truth: Truth, *, size: int = 100_000, rng=None
) -> tuple[float, float]:
    """Kullback-Leibler divergence (nats) of the predictive density from the truth.

    S (K, P): the state of the mixture. Returns the divergence with its standard error
    (Kaji 2011, 6.1.1). Up to M = 16 all patterns are summed and the error is 0. Above,
    it is a mean over `size` draws from the truth, for which `rng` is needed. Raises
    ValueError without a generator there, or where S is no state of the mixture.
    """
    as_instance("mixture", mixture, Mixture)
    as_instance("truth", truth, Truth)
    if truth.dimension <= WIDEST:
        p = truth.probabilities()
        possible = p > 0
        patterns = binary_vectors(truth.dimension)[possible]
        log_q = mixture.log_predictive(patterns, S)
        return float(p[possible] @ (np.log(p[possible]) - log_q)), 0.0
    as_integer("size", size, 2)
    X, _ = truth.sample(size, as_generator("rng", rng))
    log_p = np.log(truth.joint(X).sum(axis=1))
    log_ratios = log_p - mixture.log_predictive(X, S)
    return float(log_ratios.mean()), float(log_ratios.std(ddof=1) / size**0.5)
