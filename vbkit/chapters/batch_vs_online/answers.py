"""Answers to the exercises of notebook 05."""

import numpy as np

from vbkit.chapters.models import sato_mixture
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture


def memory_from_definition(discounts) -> float:
    """Return 1 / eta (Sato 2000, 3.6), the sum of the weights of all data so far.

    discounts: the forgetting rates 1 - lambda (n,).
    """
    return float(1 + np.cumprod((1 - np.asarray(discounts))[::-1]).sum())


def best_number(points, most: int, starts: int) -> int:
    """Return the number of isotropic components, 1 to `most`, with the highest ELBO of batch VB.

    Each number has `starts` random starts.
    """
    rng, tops = np.random.default_rng(0), []
    for n_components in range(1, most + 1):
        mixture = sato_mixture(points, n_components, "isotropic", 1.0)
        begin = [init_gaussian(mixture, points, n_components, rng) for _ in range(starts)]
        tops.append(max(fit_batch(mixture, points, S, tolerance=1e-3).elbo for S in begin))
    return 1 + int(np.argmax(tops))


def mean_step(mixture: Mixture, points, S) -> np.ndarray:
    """Return the average over all data of the online step, divided by the learning rate.

    It is zero where batch VB stands still.
    """
    return mixture.e_step(points, S).S - S
