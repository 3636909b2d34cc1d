"""Answers to the exercises of notebook 05."""

from __future__ import annotations

import numpy as np

from vbkit.chapters.models import sato_mixture
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture


def memory_from_definition(discounts) -> float:
    """1 / eta (Sato 2000, 3.6) after the discounts 1 - lambda (n,): the sum of the weights of all data so far."""
    return float(1 + np.cumprod((1 - np.asarray(discounts))[::-1]).sum())


def best_number(points, most: int, starts: int) -> int:
    """The number of isotropic components, 1 to `most`, with the highest ELBO of batch VB from `starts` random starts."""
    rng, tops = np.random.default_rng(0), []
    for n_components in range(1, most + 1):
        mixture = sato_mixture(points, n_components, "isotropic", 1.0)
        begin = [init_gaussian(mixture, points, n_components, rng) for _ in range(starts)]
        tops.append(max(fit_batch(mixture, points, S, tolerance=1e-3).elbo for S in begin))
    return 1 + int(np.argmax(tops))


def mean_step(mixture: Mixture, points, S) -> np.ndarray:
    """The average over all data of the online step, divided by the learning rate: zero where batch VB stands still."""
    return mixture.e_step(points, S).S - S
