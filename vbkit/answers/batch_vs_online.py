"""Answers to the exercises of notebook 05."""

from __future__ import annotations

import numpy as np

from vbkit.learning import fit_batch, gaussian_start
from vbkit.mixture import Mixture
from vbkit.models import sato_mixture


def memory_from_definition(discounts) -> float:
    """1 / eta (Sato 2000, 3.6) after the discounts 1 - lambda (n,): the sum of the weights of all data so far."""
    return float(1 + np.cumprod((1 - np.asarray(discounts))[::-1]).sum())


def best_number(points, most: int, starts: int) -> int:
    """The number of isotropic units, 1 to `most`, with the highest bound of batch VB from `starts` random starts."""
    rng, tops = np.random.default_rng(0), []
    for units in range(1, most + 1):
        mixture = sato_mixture(points, units, "isotropic", 1.0)
        begin = [gaussian_start(mixture, points, units, rng) for _ in range(starts)]
        tops.append(max(fit_batch(mixture, points, S, tolerance=1e-3).elbo for S in begin))
    return 1 + int(np.argmax(tops))


def mean_step(mixture: Mixture, points, S) -> np.ndarray:
    """The average over all data of the on-line step, divided by the learning rate: zero where batch VB stands still."""
    return mixture.sweep(points, S).S - S
