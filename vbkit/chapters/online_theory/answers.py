"""Answers to the exercises of notebook 04."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from vbkit.chapters import online_theory as chapter
from vbkit.mixture import Mixture
from vbkit.theory import elbo_of_statistics


def bound_after_m_step(mixture: Mixture, X, R) -> float:
    """The ELBO (nats) with responsibilities R (N, K) and the posterior that they give: the entropy of the labels plus
    the ratio of normalisers (for families without base measure)."""
    R = np.asarray(R, dtype=float)
    return float(-xlogy(R, R).sum() + elbo_of_statistics(mixture, mixture.m_step(X, R)))


def best_of(memories, speed: float) -> tuple[float, float]:
    """The memory with the least root mean square error behind a target of this speed, without decay, components 6 apart, and
    that error (standard deviations of a component)."""
    found = {
        effective_sample_size: chapter.track(effective_sample_size, 0.0, speed, 6.0)
        for effective_sample_size in memories
    }
    errors = {
        effective_sample_size: float(np.hypot(*chapter.errors(run["centres"], run["truth"])))
        for effective_sample_size, run in found.items()
    }
    return min(errors.items(), key=lambda item: item[1])


def late_law(a: float, kappa: float) -> tuple[float, float]:
    """The power p with which a deviation along a direction with eigenvalue a dies, tau^-p, under Sato's schedule, and
    the eigenvalue beyond which it dies faster than the noise, tau^(-1/2)."""
    faster = 1 + 1 / kappa
    return a * faster, 1 / (2 * faster)
