"""Answers to the exercises of notebook 04."""

import numpy as np
from scipy.special import xlogy

from vbkit.chapters import online_theory as chapter
from vbkit.mixture import Mixture


def elbo_after_m_step(mixture: Mixture, X, R) -> float:
    """Return the ELBO (nats) with responsibilities R (N, K) and the posterior that they give.

    It is the entropy of the labels plus the ratio of normalisers (for families without base
    measure).
    """
    R = np.asarray(R, dtype=float)
    return float(-xlogy(R, R).sum() + mixture.log_normalizer_ratio(mixture.m_step(X, R)))


def best_of(memories, speed: float) -> tuple[float, float]:
    """Return the memory with the least root mean square error behind a target, and that error.

    The target has this speed, the memory does not grow, and the components are 6 apart. The error
    is in standard deviations of a component.
    """
    errors = []
    for memory in memories:
        run = chapter.track(memory, 0.0, speed, 6.0)
        errors.append(float(np.hypot(*chapter.errors(run["centres"], run["truth"]))))
    best = int(np.argmin(errors))
    return memories[best], errors[best]


def late_law(a: float, kappa: float) -> tuple[float, float]:
    """Return two numbers on a deviation along a direction with eigenvalue a, under Sato's schedule.

    They are the power p with which it dies, tau^-p, and the eigenvalue beyond which it dies faster
    than the noise, tau^(-1/2).
    """
    faster = 1 + 1 / kappa
    return a * faster, 1 / (2 * faster)
