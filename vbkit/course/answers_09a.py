"""Answers to the exercises of lecture 09a, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np
from scipy.special import betaln

from vbkit.course.minority import PEOPLE, prices
from vbkit.press.exercises import Exercise

ALPHA = 0.01  # of the prices in section 4


def price_of_identical_rows(n: int, dimension: int, beta: float) -> float:
    """Return -log evidence (nats) of n identical rows of D binary items in one component."""
    return float(dimension * (betaln(beta, beta) - betaln(beta + n, beta)))


def gain_for_price(n, dimension, beta):
    """This is the log evidence itself. A price is what it costs, so turn the sign."""
    return -price_of_identical_rows(n, dimension, beta)


def one_row_too_many(n, dimension, beta):
    """This is the price of n + 1 rows. The first row meets no earlier answer, so count from 0."""
    return price_of_identical_rows(n + 1, dimension, beta)


def as_if_independent(n, dimension, beta):
    """Here every row pays the same, as if nothing were learned from the rows before it."""
    return n * dimension * np.log(2)


def smallest_group_with_one_who_differs(beta: float) -> int:
    """Return from how many people on a component of their own is cheaper, if one of them says
    yes to the last question and all else is alike."""
    return first_apart(*prices(PEOPLE, ALPHA, beta, 5, deviating=4))


def first_apart(apart, inside) -> int:
    """Return the first number of people, from 1, for which apart is the cheaper one."""
    return int(np.argmax(apart < inside)) + 1


def all_alike(beta):
    """This is the border for people who answer exactly alike. One of them says yes to the
    last question, so one yes stands there."""
    return first_apart(*prices(PEOPLE, ALPHA, beta, 5))


def last_inside(beta):
    """For this number of people inside is still cheaper. You stop one too early."""
    return smallest_group_with_one_who_differs(beta) - 1


def wrong_way_round(beta):
    """For a single person inside is cheaper, so you seem to stop where inside is the lower price.
    Stop where apart is."""
    return 1


exercise_1 = Exercise(
    price_of_identical_rows,
    [(1, 5, 0.3), (3, 10, 1e-4), (10, 64, 2.0)],
    mistakes=(gain_for_price, one_row_too_many, as_if_independent),
    hint="After i equal answers, how probable is one more? A price is a cost: mind its sign.",
    meaning="With a small beta the first of a group pays for all; with a large one each pays.",
    further="prove that the price rises with beta, if there are two people or more.",
)
exercise_2 = Exercise(
    smallest_group_with_one_who_differs,
    [(0.001,), (0.01,), (0.1,), (1.0,)],
    mistakes=(all_alike, last_inside, wrong_way_round),
    hint="The numbers who say yes are 0, n, 0, n and 1. Let n grow in a loop.",
    meaning="One surprise in fifty answers, and the smallest pseudo-count is not the best.",
    further="let three of them differ. Which pseudo-count is the best now?",
)
