"""What notebook 02 runs: batch EM and online EM on four Gaussians, and how far they end."""

from functools import lru_cache
from itertools import islice

import numpy as np

from vbkit.data import SATO1999_LAYOUTS, SATO1999_WEIGHTS
from vbkit.learning import batch_epochs, fit_online, online_epochs
from vbkit.mixture import Mixture
from vbkit.theory import divergence_on_grid, grid_points, isotropic_log_density


@lru_cache
def truth_on_grid(layout: str = "factorised"):
    """Return points (2601, 2), cells (2601,) and true log density (2601,) of the 51 x 51 grid."""
    points, cell = grid_points()
    centres, widths = SATO1999_LAYOUTS[layout]
    return (
        points,
        cell,
        isotropic_log_density(points, SATO1999_WEIGHTS, centres, widths**2),
    )


def divergence(history, layout: str = "factorised") -> np.ndarray:
    """Return the divergences (n,) from the truth on the grid, in nats (Sato 1999, 43).

    history: weights (n, K), centres (n, K, 2) and variances (n, K).
    """
    points, cell, log_p = truth_on_grid(layout)
    return divergence_on_grid(log_p, isotropic_log_density(points, *history), cell)


def parameters(mixture: Mixture, states):
    """Return weights (n, K), centres (n, K, 2) and variances (n, K) of n states."""
    weights, components = zip(*map(mixture.parameters, states), strict=True)
    centres, covariances = zip(*components, strict=True)
    return np.array(weights), np.array(centres), np.array(covariances)[..., 0, 0]


def learn(
    mixture: Mixture, X, start, schedule, epochs: int, rng=None
) -> list[np.ndarray]:
    """Return the states (K, P) before the first epoch and after each.

    Without a `schedule` this is batch EM, else online EM, with a new order of the data in each
    epoch if `rng` is given.
    """
    if schedule is None:
        passes = batch_epochs(mixture, X, start)
    else:
        passes = online_epochs(mixture, X, start, schedule, rng=rng, monitor=False)
    return [S for S, *_ in islice(passes, epochs + 1)]


def block_epoch(mixture: Mixture, X, S, schedule, length: int):
    """Run an epoch of online EM in which blocks of `length` data use the state before the block.

    Returns the state and the schedule after the epoch.
    """
    if length == 1:
        fit = fit_online(mixture, X, S, schedule, monitor=False)
        return fit.S, fit.schedule
    for first in range(0, len(X), length):
        rows = X[first : first + length]
        retention, gain, schedule = schedule.rates(len(rows))
        after = np.append(
            np.cumprod(retention[:0:-1])[::-1], 1.0
        )  # kept of each by those after it
        S = retention.prod() * S + mixture.e_step(rows, S, weights=gain * after).S
    return S, schedule
