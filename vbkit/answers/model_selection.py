"""Answers to the exercises of notebook 06."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from vbkit.chapters.models import sato_mixture
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture
from vbkit.structure import merge, responsibility_statistics


def merge_gain(mixture: Mixture, points, S, i: int, j: int) -> float:
    """The change of the ELBO (nats) when components i and j become one, before anything is learned: from the M-step of the
    responsibilities at S (K, P) to that of the merged ones. The prior of a component stays what it is."""
    return merge(responsibility_statistics(mixture, points, S), i, j).gain


def barrier(points, starts: int) -> float:
    """How many nats the best model of three isotropic components lies below the best of two (gamma0 = 1, batch VB from
    `starts` random starts each)."""
    rng, best = np.random.default_rng(0), []
    for n_components in (2, 3):
        mixture = sato_mixture(points, n_components, "isotropic", 1.0)
        start_search = [init_gaussian(mixture, points, n_components, rng) for _ in range(starts)]
        best.append(max(fit_batch(mixture, points, S, tolerance=1e-3).elbo for S in start_search))
    return best[0] - best[1]


def visits(bounds, beta: float) -> np.ndarray:
    """The share of time (n,) that a Metropolis chain spends at each of n models with these bounds (n,), if it proposes
    either neighbour with equal probability (and stays where there is none)."""
    return softmax(beta * np.asarray(bounds, dtype=float))
