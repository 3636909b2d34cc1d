"""Answers to the exercises of notebook 03."""

import numpy as np

from vbkit.chapters.models import draw_means, make_mixture
from vbkit.learning import accumulation, component_prior_means, fit_online


def component_step(
    y: float, share: float, alpha: float, a: float, b: float, m: float, g: float
) -> tuple[float, ...]:
    """Return (alpha, a, b, m, g) of a component after a data point y with responsibility `share`.

    Ghahramani 2000, VM step.
    """
    b = b + 0.5 * share * g * (y - m) ** 2 / (g + share)
    m = (g * m + y * share) / (g + share)
    return alpha + share, a + share / 2, b, m, g + share


def used_after_order(points, concentration: float, seed: int) -> int:
    """Count the components of twenty that hold more than 1 % after one pass in a random order.

    points (N, 1); the generator draws the prior means first, then the order.
    """
    rng, mixture = np.random.default_rng(seed), make_mixture(1, concentration)
    start = component_prior_means(mixture, draw_means(rng, 1))
    S = fit_online(mixture, points, start, accumulation(), rng=rng, monitor=False).S
    return int((S[:, 0] > 0.01 * S[:, 0].sum()).sum())


def frozen_shares(counts, concentration: float, parameters: int, data: float) -> np.ndarray:
    """Return the counts (M,) of identical components after `data` more data at their common place.

    They follow the flow dn_k = (n_k - c) / sum_j (n_j - c) with c = (d + 1) / 2 - alpha; all counts
    must be above c.
    """
    counts = np.asarray(counts, dtype=float)
    free = counts - ((parameters + 1) / 2 - concentration)
    return counts + data * free / free.sum()
