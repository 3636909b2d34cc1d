"""Answers to the exercises of lecture 09a, and typical mistakes."""

import numpy as np
from scipy.special import betaln

from vbkit.press.exercises import Exercise


def price_of_group(yes, people: int, beta: float) -> float:
    """Return what the answers of a component cost, in nats.

    yes (D,): how many of its people say yes to each question.
    """
    yes = np.asarray(yes, float)
    return float((betaln(beta, beta) - betaln(beta + yes, beta + people - yes)).sum())


def price_of_identical_rows(n: int, dimension: int, beta: float) -> float:
    """Return -log evidence (nats) of n identical rows of D binary items in one component."""
    return float(dimension * (betaln(beta, beta) - betaln(beta + n, beta)))


def only_those_who_agree(yes, people, beta):
    """You price the answers of those who say yes, as if nobody had said no. Both answers of a
    question belong to one Beta function."""
    yes = np.asarray(yes, float)
    return float((betaln(beta, beta) - betaln(beta + yes, beta)).sum())


def as_one_question(yes, people, beta):
    """You added up the answers of all questions before you priced them. Each question has a
    probability of its own, and therefore a Beta function of its own."""
    total = np.sum(yes)
    rest = people * len(yes) - total
    return float(betaln(beta, beta) - betaln(beta + total, beta + rest))


def gain_of_group(yes, people, beta):
    """This is the log evidence itself. A price is what it costs, so turn the sign."""
    return -price_of_group(yes, people, beta)


def gain_for_price(n, dimension, beta):
    """This is the log evidence itself. A price is what it costs, so turn the sign."""
    return -price_of_identical_rows(n, dimension, beta)


def one_row_too_many(n, dimension, beta):
    """This is the price of n + 1 rows. The first row meets no earlier answer, so count from 0."""
    return price_of_identical_rows(n + 1, dimension, beta)


def as_if_independent(n, dimension, beta):
    """Here every row pays the same, as if nothing were learned from the rows before it."""
    return n * dimension * np.log(2)


exercise_1 = Exercise(
    price_of_identical_rows,
    [(1, 5, 0.3), (3, 10, 1e-4), (10, 64, 2.0)],
    mistakes=(gain_for_price, one_row_too_many, as_if_independent),
    hint="After i equal answers, how probable is one more? A price is a cost: mind its sign.",
    meaning="With a small beta the first of a group pays for all; with a large one each pays.",
    further="prove that the price rises with beta, if there are two people or more.",
)
exercise_2 = Exercise(
    price_of_group,
    [
        (np.array([0, 10, 0, 10, 0]), 10, 0.01),
        (np.array([0, 9, 0, 10, 0]), 10, 0.1),
        (np.array([7, 2, 5]), 12, 3.0),
    ],
    mistakes=(only_those_who_agree, as_one_question, gain_of_group),
    hint="Each question is one term of the sum over j in section 4, with its sign turned.",
    meaning="These are the answers' part of the price list, for any group.",
    further="let three of the ten differ. Which pseudo-count is the cheapest now?",
)
