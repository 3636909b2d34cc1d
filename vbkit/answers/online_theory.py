"""Answers to the exercises of notebook 04."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from vbkit.explore import online_theory as lab
from vbkit.learning import sato2000
from vbkit.mixture import Mixture
from vbkit.theory.monitor import bound_of_statistics


def bound_after_m_step(mixture: Mixture, X, R) -> float:
    """The bound (nats) with responsibilities R (N, K) and the posterior that they give: the entropy of the labels plus
    the ratio of normalisers (for families without base measure)."""
    R = np.asarray(R, dtype=float)
    return float(-xlogy(R, R).sum() + bound_of_statistics(mixture, mixture.collect(X, R)))


def best_of(memories, speed: float) -> float:
    """The memory with the least root mean square error behind a target of this speed, without decay, units 6 apart."""

    def total(memory):
        found = lab.track(memory, 0.0, speed, 6.0)
        return np.hypot(*lab.errors(found["centres"], found["truth"]))

    return min(memories, key=total)


def left_of_start(a: float, n: int, tau0: float, kappa: float) -> float:
    """What n steps of Sato's schedule leave of a deviation along a direction with eigenvalue a: prod (1 - a eta)."""
    return float(np.prod(1 - a * sato2000(1.0, tau0=tau0, kappa=kappa).learning_rates(n)[0]))
