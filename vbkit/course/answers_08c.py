"""Answers to the exercises of lecture 08c, and typical mistakes."""

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

# ---- 2. three kinds or two --------------------------------------------------------------


def two_readings(alpha, beta):
    """Return the slopes of the readings with three and with two kinds, for three
    questions."""
    deterministic = 0.5 - alpha + 3 * beta
    return 3 * deterministic, 2 * deterministic + 0.5 - beta


def all_answers_mixed(alpha, beta):
    """With two kinds only one answer of one kind is mixed, not all three of them."""
    deterministic = 0.5 - alpha + 3 * beta
    return 3 * deterministic, deterministic + 2 - alpha


def half_on_top(alpha, beta):
    """A mixed answer has the slope one half in place of beta. You count both."""
    deterministic = 0.5 - alpha + 3 * beta
    return 3 * deterministic, 2 * deterministic + 0.5


def empty_one_counted(alpha, beta):
    """With two kinds the third component is empty, and an empty component has the slope
    zero."""
    deterministic = 0.5 - alpha + 3 * beta
    return 3 * deterministic, 3 * deterministic + 0.5 - beta


def two_kinds_first(alpha, beta):
    """These are the right slopes in the other order. Return that of three kinds first."""
    three, two = two_readings(alpha, beta)
    return two, three


exercise_2 = Exercise(
    two_readings,
    [(1.0, 0.2), (0.3, 0.3), (2.0, 0.4)],
    (all_answers_mixed, half_on_top, empty_one_counted, two_kinds_first),
    hint="Which components are in use, and which of their answers are mixed?",
    meaning="Their difference is 4 beta - alpha, so VB reads three kinds if alpha is larger.",
    further="three components have eleven unknown numbers. How many do eight sheets tell?",
)

# ---- 3. one division after the other ----------------------------------------------------


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


exercise_3 = Exercise(
    slope_of_division,
    [(4, 1, 3.5, 0.2), (4, 2, 3.5, 0.2), (5, 1, 2.0, 0.4), (6, 3, 1.0, 0.1)],
    (one_part_only, counted_from_zero, whole_not_saved),
    hint="Two components with so many deterministic answers, minus one with one less.",
    meaning="Each division is cheaper than the one before by one half minus beta.",
    further="at which beta does it not matter how often a component is divided?",
)
