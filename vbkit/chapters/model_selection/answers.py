"""Answers to the exercises of notebook 06."""

import numpy as np
from scipy.special import softmax

from vbkit.chapters.models import sato_mixture
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture
from vbkit.structure import merge, responsibility_statistics


def merge_gain(mixture: Mixture, points, S, i: int, j: int) -> float:
    """Return the change of the ELBO (nats) when components i and j become one, before learning.

    It leads from the M-step of the responsibilities at S (K, P) to the M-step of the merged ones.
    The prior of a component stays what it is.
    """
    return merge(responsibility_statistics(mixture, points, S), i, j).gain


def barrier(points, starts: int) -> float:
    """Return by how many nats three isotropic components stay below two.

    Each is the best of `starts` random starts of batch VB, at gamma0 = 1.
    """
    rng, best = np.random.default_rng(0), []
    for n_components in (2, 3):
        mixture = sato_mixture(points, n_components, "isotropic", 1.0)
        states = [init_gaussian(mixture, points, n_components, rng) for _ in range(starts)]
        best.append(max(fit_batch(mixture, points, S, tolerance=1e-3).elbo for S in states))
    return best[0] - best[1]


def visits(elbos, beta: float) -> np.ndarray:
    """Return the share of time (n,) that a Metropolis chain spends at each of n models.

    It proposes either neighbour with equal probability, and stays where there is none.
    """
    return softmax(beta * np.asarray(elbos, dtype=float))
