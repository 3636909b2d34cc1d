"""Answers to the exercises of lecture 08c, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.press.exercises import Exercise

# ---- 1. how many people a small component holds -----------------------------------------


def best_size(N, p, slope):
    """Return how many people make slope log n + n^2 (1 - p) / (2 p N) lowest, for a negative
    slope."""
    return np.sqrt(-slope * N * p / (1 - p))


def factor_two_forgotten(N, p, slope):
    """The derivative of n squared over two is n. Check the factor two."""
    return best_size(N, p, slope) / np.sqrt(2)


def square_of_size(N, p, slope):
    """You found the square of the size. Solve for n itself."""
    return best_size(N, p, slope) ** 2


def p_upside_down(N, p, slope):
    """A rare sheet has a larger misfit, so that its component is smaller. Yours is larger: is
    p upside down?"""
    return np.sqrt(-slope * N * (1 - p) / p)


exercise_1 = Exercise(
    best_size,
    [(1e6, 0.16, -1.1), (1e4, 0.16, -1.1), (1e9, 0.02, -0.3)],
    (factor_two_forgotten, square_of_size, p_upside_down),
    hint="Set the derivative with respect to n to zero.",
    meaning="The best size is a multiple of the square root of N.",
    further="which multiple of sqrt(N) is it, for p = 0.16 and the slope -1.1?",
)

# ---- 2. one division after the other ----------------------------------------------------


def slope_of_division(dimension, step, alpha, beta):
    """Return by how much the step-th division of a mixed component changes the slope."""
    return (dimension - step) / 2 + (step + 1) * beta - alpha


def one_part_only(dimension, step, alpha, beta):
    """A division makes two components out of one. You count only one of them."""
    return beta - 0.5


def counted_from_zero(dimension, step, alpha, beta):
    """You count the divisions from zero. The first one makes one answer deterministic."""
    return slope_of_division(dimension, step + 1, alpha, beta)


def whole_not_saved(dimension, step, alpha, beta):
    """You pay for both components, but the component that is divided is saved."""
    return 2 * (0.5 - alpha + step * beta + (dimension - step) / 2)


exercise_2 = Exercise(
    slope_of_division,
    [(4, 1, 3.5, 0.2), (4, 2, 3.5, 0.2), (5, 1, 2.0, 0.4), (6, 3, 1.0, 0.1)],
    (one_part_only, counted_from_zero, whole_not_saved),
    hint="Two components with so many deterministic answers, minus one with one less.",
    meaning="Each division is cheaper than the one before by one half minus beta.",
    further="at which beta does it not matter how often a component is divided?",
)
