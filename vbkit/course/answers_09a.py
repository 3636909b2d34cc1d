"""Answers to the exercises of lecture 09a, and typical mistakes."""

import numpy as np
from scipy.special import betaln

from vbkit.press.exercises import Exercise


def cluster_behind(
    weight: float, users: int, alpha: float, beta: float, categories: int
):
    """Work out what stands behind a category's mixing ratio (Kaji 2011, Tables 6.1 and 6.2).

    Returns how many users it holds, and the probabilities that are printed for an item that all of
    them have and for one that none has.
    """
    n = weight * (categories * alpha + users) - alpha
    return n, (n + beta) / (n + 2 * beta), beta / (n + 2 * beta)


def price_of_group(yes, people: int, beta: float) -> float:
    """Return what the answers of a component cost, in nats.

    yes (D,): how many of its people say yes to each question.
    """
    yes = np.asarray(yes, float)
    return float((betaln(beta, beta) - betaln(beta + yes, beta + people - yes)).sum())


def price_of_identical_rows(n: int, dimension: int, beta: float) -> float:
    """Return -log evidence (nats) of n identical rows of D binary items in one component."""
    return float(dimension * (betaln(beta, beta) - betaln(beta + n, beta)))


def ratio_of_the_users(weight, users, alpha, beta, categories):
    """You multiplied the ratio by the number of users. The printed ratio is a posterior mean, so it
    also contains what the prior is worth, once for each category."""
    n = weight * users
    return n, (n + beta) / (n + 2 * beta), beta / (n + 2 * beta)


def alpha_for_beta(weight, users, alpha, beta, categories):
    """The two probabilities use the prior of the weights. Each item has a prior of its own."""
    n = weight * (categories * alpha + users) - alpha
    return n, (n + alpha) / (n + 2 * alpha), alpha / (n + 2 * alpha)


def one_pseudo_count(weight, users, alpha, beta, categories):
    """The two probabilities do not add up to 1. A Beta prior counts on both sides, yes and no."""
    n = weight * (categories * alpha + users) - alpha
    return n, (n + beta) / (n + beta), beta / (n + beta)


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
    cluster_behind,
    [
        (0.00171, 1750, 1e-4, 1e-4, 13),
        (0.00057, 1750, 1e-4, 1e-4, 13),
        (0.2, 500, 1.0, 0.3, 10),
    ],
    mistakes=(ratio_of_the_users, alpha_for_beta, one_pseudo_count),
    hint="A posterior mean counts data and prior. How many pseudo-users do K categories have?",
    meaning="A printed mixing ratio tells how many people stand behind a category.",
    further="call it with the ratios 0.00171, 0.00102 and 0.00057 of Table 6.1.",
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
    further="price ten people of whom one gives one other answer, for five pseudo-counts.",
)
exercise_3 = Exercise(
    price_of_identical_rows,
    [(1, 5, 0.3), (3, 10, 1e-4), (10, 64, 2.0)],
    mistakes=(gain_for_price, one_row_too_many, as_if_independent),
    hint="After i equal answers, how probable is one more? A price is a cost: mind its sign.",
    meaning="With a small beta the first of a group pays for all; with a large one each pays.",
    further="plot the price of ten rows over beta and find the two limits.",
)
