"""The streams of notebook 03, what is learned from them, and how it is judged."""

from functools import lru_cache

import numpy as np

from vbkit.chapters.models import draw_means
from vbkit.data import FIVE_CENTRES, FIVE_WEIGHTS, FIVE_WIDTHS
from vbkit.data import ghahramani2000 as data_set
from vbkit.mixture import Mixture
from vbkit.theory import divergence_on_grid, grid_points, isotropic_log_density

SIZE = 3000
SHARE = 0.01  # of the data that a component must hold to count as used: 30 of 3,000
SEED, TYPICAL = 2000, {1: 71, 2: 85}  # stream that notebook 03 finds most typical


def five(dimension: int):
    """Return weights (5,), centres (5, D) and standard deviations (5,) of the assumed clusters."""
    return FIVE_WEIGHTS, FIVE_CENTRES[dimension], FIVE_WIDTHS


@lru_cache
def grid(dimension: int):
    """Return points (M, D) and cells (M,) on which densities are compared."""
    line = np.linspace(-15, 15, 301)[:, None], np.full(301, 0.1)
    return line if dimension == 1 else grid_points(61, -15, 15)


def divergence(mixture: Mixture, S, truth) -> float:
    """Return the divergence (nats) of the predictive density after S from the true one."""
    points, cell = grid(mixture.family.dimension)
    log_p = isotropic_log_density(points, truth[0], truth[1], truth[2] ** 2)
    return float(divergence_on_grid(log_p, mixture.log_predictive(points, S), cell))


def judge(mixture: Mixture, S, truth) -> dict:
    """Compare a state with the truth.

    used: number of components that hold more than a hundredth of all counts. found: number of true
    centres with such a component within one standard deviation of their cluster. top: share of all
    counts in the five heaviest components. divergence: see above.
    """
    shares = S[:, 0] / max(S[:, 0].sum(), 1e-300)
    used = shares > SHARE
    centres = mixture.family.parameters(S).mean[used]
    near = np.linalg.norm(centres[:, None] - truth[1], axis=2) < truth[2]
    return {
        "used": int(used.sum()),
        "found": int(near.any(axis=0).sum()),
        "top": float(np.sort(shares)[-5:].sum()),
        "divergence": divergence(mixture, S, truth),
    }


def draw_stream(seed: int, run: int, dimension: int):
    """Draw stream number `run`: data (3000, D), labels (3000,) and prior means (20, D)."""
    rng = np.random.default_rng([seed, run, dimension])
    return *data_set(SIZE, rng, dimension), draw_means(rng, dimension)
