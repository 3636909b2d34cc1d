"""Answers to the exercises of lecture 08b, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np
from scipy.optimize import brentq

from vbkit.course.people import exact_prices
from vbkit.press.exercises import Exercise

# ---- 1. a border among N people --------------------------------------------------------


def zero_of(price) -> float:
    """Return the concentration at which a price is zero."""
    return float(brentq(price, 0.1, 20.0))


def mixed_border(N, beta):
    """Return the concentration from which a mixed copy is cheaper than an empty component,
    among N people."""
    return zero_of(lambda alpha: exact_prices(N, alpha, beta).mixed)


def the_line(N, beta):
    """That is the line, where the border arrives as N grows. Among N people the price is
    zero somewhere else."""
    return 2.5


def the_other_copy(N, beta):
    """That is the border of the deterministic copy."""
    return zero_of(lambda alpha: exact_prices(N, alpha, beta).deterministic)


def logarithm_of_people(N, beta):
    """You seem to have given exact_prices the logarithm of N. It asks for the number of
    people."""
    return zero_of(lambda alpha: exact_prices(np.log(N), alpha, beta).mixed)


exercise_1 = Exercise(
    mixed_border,
    [(1e3, 0.8), (1e6, 0.8), (1e3, 0.6), (1e5, 1.0)],
    (the_line, the_other_copy, logarithm_of_people),
    hint="Write a function of alpha alone that returns the price, and give it to brentq.",
    meaning="A border among N people lies beside its line, by a constant over log N.",
    further="multiply the distance from 2.5 by log N. Is it nearly the same for all N?",
)

# ---- 2. an upright cut through the diagram ----------------------------------------------


def deterministic_below(alpha, dimension):
    """Return the pseudo-count below which the third component becomes a deterministic copy
    as N grows, or 0."""
    return max(0.0, min((alpha - 0.5) / dimension, 0.5))


def only_against_empty(alpha, dimension):
    """You compare with the empty component only. To the right of the corner the mixed copy
    is the rival."""
    return max(0.0, (alpha - 0.5) / dimension)


def negative_pseudo_count(alpha, dimension):
    """For a small concentration you return a negative pseudo-count. There the copy never
    wins."""
    return min((alpha - 0.5) / dimension, 0.5)


def half_forgotten(alpha, dimension):
    """The weight of one more component costs one half less alpha. You left out the half."""
    return max(0.0, min(alpha / dimension, 0.5))


exercise_2 = Exercise(
    deterministic_below,
    [(1.3, 4), (4.0, 4), (0.3, 4), (2.0, 8), (6.0, 5)],
    (only_against_empty, negative_pseudo_count, half_forgotten),
    hint="Solve each of the two borders of the deterministic phase for beta.",
    meaning="You have cut the phase diagram along an upright line.",
    further="for which alpha is the cut highest, and why does it not rise any further?",
)
