"""Answers to the exercise of notebook 05b, and typical mistakes."""

import numpy as np

from vbkit.course.sato import draw, sato_mixture
from vbkit.learning import fit_batch, init_gaussian
from vbkit.press.exercises import Exercise

POINTS = draw()


def elbos(points, most: int, starts: int, prior_strength: float = 1.0) -> list:
    """ELBOs of batch VB with isotropic components: a list of `starts` for each number of them."""
    rng, found = np.random.default_rng(0), []
    for n_components in range(1, most + 1):
        mixture = sato_mixture(points, n_components, "isotropic", prior_strength)
        begin = [
            init_gaussian(mixture, points, n_components, rng) for _ in range(starts)
        ]
        found.append(
            [fit_batch(mixture, points, S, tolerance=1e-3).elbo for S in begin]
        )
    return found


def best_number(points, most: int, starts: int) -> int:
    """Return the number of isotropic components, 1 to `most`, with the highest ELBO of batch VB."""
    return 1 + int(np.argmax([max(runs) for runs in elbos(points, most, starts)]))


def counted_from_zero(points, most, starts):
    """Python counts from 0. Which number of components stands first in your list?"""
    return best_number(points, most, starts) - 1


def prior_of_the_report(points, most, starts):
    """You seem to have taken the prior of the report. Here gamma0 is 1, a hundred times as much."""
    return 1 + int(np.argmax([max(runs) for runs in elbos(points, most, starts, 0.01)]))


def last_start_alone(points, most, starts):
    """You seem to judge each number by one of its starts. A single run may be stuck."""
    return 1 + int(np.argmax([runs[-1] for runs in elbos(points, most, starts)]))


def more_is_better(points, most, starts):
    """This is always the largest number. Do you compare fits, or ELBOs?"""
    return most


exercise_1 = Exercise(
    best_number,
    [(POINTS["A"][:80], 4, 2), (POINTS["B"][:100], 4, 3), (POINTS["B"][:200], 4, 4)],
    mistakes=(counted_from_zero, prior_of_the_report, last_start_alone, more_is_better),
    hint="Make one mixture for each number of components, with gamma0 = 1. Compare the best runs.",
    meaning="You have chosen a model by its ELBO, with no test data set aside.",
    further="gamma0 = 0.01, on all of A and of B. Which term of the ELBO moves the peak?",
)
