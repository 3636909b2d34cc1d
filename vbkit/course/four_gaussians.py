"""Unit 3, four round Gaussians in the unit square (Sato 1999, section 7.1).

The data, the starts, EM on them in batches and online, and how far it ends from the truth.
"""

from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from vbkit.data import SATO1999_LAYOUTS, SATO1999_WEIGHTS, sato1999
from vbkit.families import IsotropicGaussian, variance_floor
from vbkit.labels import Dirichlet
from vbkit.learning import batch_epochs, init_uniform, online_epochs
from vbkit.mixture import EM, Mixture
from vbkit.theory import divergence_on_grid, grid_points, isotropic_log_density

SEED = 1999  # of the points that the lectures tell of, and of their starts
SIZE = 1000  # points
OFFERED = 4  # components
FLOOR = 1e-6  # least variance of a component: 1e-4 of the variance of the true ones


# ---- data and starts -----------------------------------------------------------------


@cache
def points(size: int = SIZE, seed: int = SEED) -> np.ndarray:
    """Return points (size, 2) of the four Gaussians."""
    X, _ = sato1999(size, np.random.default_rng(seed))
    X.setflags(write=False)
    return X


def em_mixture(total: float, floor: float | None = FLOOR) -> Mixture:
    """Return the mixture of Sato 1999: EM for isotropic components in the unit square.

    Their statistics stand for `total` data; no variance falls below `floor`.
    """
    family = IsotropicGaussian(np.full(2, 0.5), 1.0, 1.0, 1.0)
    pseudo_statistics = None if floor is None else variance_floor(family, floor, total)
    return Mixture(
        family, Dirichlet(0.0), clones=EM, pseudo_statistics=pseudo_statistics
    )


def start_state(start: int, seed: int = SEED) -> np.ndarray:
    """Return a start (4, 4) for 1,000 points: a state of the engine.

    The means are uniform in the unit square, all variances are the variance among these
    means, and all weights are equal (Sato 1999, section 7.1). start: 1, 2, ...
    """
    rng = np.random.default_rng([seed, start])
    return init_uniform(em_mixture(SIZE), OFFERED, SIZE, rng)


# ---- learning ------------------------------------------------------------------------


def learn(
    mixture: Mixture, X, start, schedule, passes: int, rng=None
) -> list[np.ndarray]:
    """Return the states (K, P) before the first pass over the data and after each.

    Without a `schedule` this is batch EM, else online EM, with a new order of the data in
    each pass if `rng` is given.
    """
    if schedule is None:
        states = batch_epochs(mixture, X, start)
    else:
        states = online_epochs(mixture, X, start, schedule, rng=rng, monitor=False)
    return [S for S, *_ in islice(states, passes + 1)]


class Mixtures(NamedTuple):
    """Components at several times: weights, means, variances."""

    weights: np.ndarray  # (n, K)
    means: np.ndarray  # (n, K, 2)
    variances: np.ndarray  # (n, K)

    def at(self, place: int) -> tuple:
        """Return means (K, 2), variances (K,) and weights (K,) at one time, to be drawn."""
        return self.means[place], self.variances[place], self.weights[place]


def parameters(mixture: Mixture, states) -> Mixtures:
    """Return the Mixtures that n states are."""
    found = [mixture.parameters(S) for S in states]
    weights = [one.weights for one in found]
    means = [one.components.mean for one in found]
    variances = [one.components.covariance[:, 0, 0] for one in found]
    return Mixtures(np.array(weights), np.array(means), np.array(variances))


# ---- the distance from the truth -----------------------------------------------------


@cache
def truth_on_grid(layout: str = "factorised"):
    """Return points (2601, 2), cells (2601,) and true log density (2601,) of the grid.

    It has 51 x 51 points.
    """
    places, cell = grid_points()
    means, widths = SATO1999_LAYOUTS[layout]
    log_p = isotropic_log_density(places, SATO1999_WEIGHTS, means, widths**2)
    return places, cell, log_p


def divergence(found: Mixtures, layout: str = "factorised") -> np.ndarray:
    """Return the divergences (n,) from the truth on the grid, in nats (Sato 1999, 43)."""
    places, cell, log_p = truth_on_grid(layout)
    weights, means, variances = found
    log_q = isotropic_log_density(places, weights, means, variances)
    return divergence_on_grid(log_p, log_q, cell)


def divergence_after_passes(start: int, schedule, passes: int) -> np.ndarray:
    """Return the divergences (passes + 1,) of EM before the first pass and after each.

    start: its number; schedule: of online EM, or None for batch EM. The order of the
    points in the passes belongs to the start.
    """
    mixture = em_mixture(SIZE)
    rng = np.random.default_rng(start)
    states = learn(mixture, points(), start_state(start), schedule, passes, rng)
    return divergence(parameters(mixture, states))


# ---- the same in mean statistics, as lecture 02a writes it ----------------------------


def mean_statistics(weights, means, variances) -> np.ndarray:
    """Return the mean statistics (K, 4) of components: weight times (1, x, |x|^2).

    weights (K,), means (K, 2), variances (K,): what the components are.
    """
    squares = (means**2).sum(axis=1) + 2 * variances
    return weights[:, None] * np.column_stack([np.ones(len(weights)), means, squares])


def start_statistics(start: int, seed: int = SEED) -> np.ndarray:
    """Return a start (4, 4) in mean statistics."""
    weights, means, variances = parameters(
        em_mixture(SIZE, floor=None), [start_state(start, seed)]
    )
    return mean_statistics(weights[0], means[0], variances[0])


def divergence_of(weights, means, variances) -> float:
    """Return the divergence of one mixture from the truth, in nats."""
    alone = Mixtures(weights[None], means[None], variances[None])
    return float(divergence(alone)[0])
