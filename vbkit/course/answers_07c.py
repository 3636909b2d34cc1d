"""Answers to the exercises of lecture 07c, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.factorization import thresholds
from vbkit.press.exercises import Exercise

# ---- 1. the push that carries a component over the barrier ----------------------------


def least_push(gamma):
    """Return the product at the barrier, for one number gamma > 2."""
    root = (gamma - np.sqrt(gamma**2 - 4)) / 2
    return root**2 / gamma


def minimum_itself(gamma):
    """That is where the component comes to rest, the larger root. Which root belongs to
    the barrier?"""
    root = (gamma + np.sqrt(gamma**2 - 4)) / 2
    return root**2 / gamma


def strength_at_the_barrier(gamma):
    """That is the strength at the barrier. By the box, the product is the strength divided
    by the number."""
    return gamma * least_push(gamma)


def root_not_squared(gamma):
    """Your quadratic equation has the solution sqrt(xi). Square it before you divide."""
    return (gamma - np.sqrt(gamma**2 - 4)) / 2 / gamma


exercise_1 = Exercise(
    least_push,
    [(2.5,), (2.05,), (4.0,), (10.0,)],
    (minimum_itself, strength_at_the_barrier, root_not_squared),
    hint="With x for the root of xi the equation reads x squared - gamma x + 1 = 0.",
    meaning="The larger the number, the smaller the push that brings a component back, but "
    "without a push it never comes.",
    further="from which number on is a push of a thousandth enough?",
)

# ---- 2. how many components stay ------------------------------------------------------


def number_above(V, edge) -> int:
    """Return how many singular values of a table V (L, M) lie above an edge."""
    return int((np.linalg.svd(V, compute_uv=False) > edge).sum())


def staying(V, noise):
    """Return how many singular values of a full table V (L, M) lie above the local
    threshold, for noise of this variance."""
    return number_above(V, np.sqrt(noise) * thresholds(np.shape(V)).local)


def variance_as_unit(V, noise):
    """The threshold counts in standard deviations of the noise, and you are given its
    variance."""
    return number_above(V, noise * thresholds(np.shape(V)).local)


def root_of_a_sum(V, noise):
    """That is the root of a sum. The local threshold is the sum of two roots, which is
    larger."""
    return number_above(V, np.sqrt(noise * sum(np.shape(V))))


def above_one_entry(V, noise):
    """You compare with the noise of a single entry. A component has to rise above what the
    noise does to the whole table."""
    return number_above(V, np.sqrt(noise))


LADDER = np.eye(12, 20) * np.arange(1.0, 13.0)[:, None]  # singular values 1, 2, ..., 12

exercise_2 = Exercise(
    staying,
    [(LADDER, 1.0), (LADDER, 0.5), (LADDER.T, 0.25), (LADDER, 1.5), (LADDER, 0.75)],
    (variance_as_unit, root_of_a_sum, above_one_entry),
    hint="The threshold in the units of the table is the standard deviation of the noise "
    "times the sum of the roots of L and M.",
    meaning="One comparison for each singular value replaces thousands of sweeps.",
    further="half the variance, and a quarter of it. How many patterns does VB believe in?",
)
