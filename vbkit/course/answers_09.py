"""Answers to the exercises of lecture 09, and typical mistakes."""

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


def isolated(R, minority) -> bool:
    """Tell whether one component of R (N, K) holds half of the minority and consists half of it.

    minority (N,): a truth value for each data point.
    """
    R = np.asarray(R, float)
    minority = np.asarray(minority, bool)
    held = R[minority].sum(axis=0)
    size = R.sum(axis=0)
    return bool(((held >= 0.5 * minority.sum()) & (held >= 0.5 * size)).any())


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


def different_components(R, minority):
    """You ask each question of the components separately. One and the same component has to pass
    both."""
    held = R[minority].sum(axis=0)
    size = R.sum(axis=0)
    return bool((held >= 0.5 * minority.sum()).any() and (held >= 0.5 * size).any())


def only_the_minority(R, minority):
    """You ask only how much of the minority a component holds. One component that holds everybody
    would pass that."""
    return bool((R[minority].sum(axis=0) >= 0.5 * minority.sum()).any())


def only_the_component(R, minority):
    """You ask only what a component consists of. A component with a single member of the minority
    would pass that."""
    return bool((R[minority].sum(axis=0) >= 0.5 * R.sum(axis=0)).any())


def gain_for_price(n, dimension, beta):
    """This is the log evidence itself. A price is what it costs, so turn the sign."""
    return -price_of_identical_rows(n, dimension, beta)


def one_row_too_many(n, dimension, beta):
    """This is the price of n + 1 rows. The first row meets no earlier answer, so count from 0."""
    return price_of_identical_rows(n + 1, dimension, beta)


def as_if_independent(n, dimension, beta):
    """Here every row pays the same, as if nothing were learned from the rows before it."""
    return n * dimension * np.log(2)


R = np.array(
    [
        [1, 0, 0],
        [0.75, 0.25, 0],
        [0.5, 0, 0.5],
        [0.25, 0.75, 0],
        [0, 0.5, 0.5],
        [0, 0, 1],
    ]
)
Q = np.array([[0.5, 0.25, 0.25], [0.75, 0.25, 0], [1, 0, 0], [1, 0, 0]])
MEMBERS = ([4], [1, 3], [0, 3], [3], [0, 3, 5], [0, 4])

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
    isolated,
    [(R, np.isin(np.arange(6), who)) for who in MEMBERS] + [(Q, np.arange(4) < 2)],
    mistakes=(different_components, only_the_minority, only_the_component),
    hint="Sum R over the minority, and over all data. Ask both questions of one component.",
    meaning="This is the test behind every rate of success in this lecture.",
    further="let it judge the handwritten digits.",
)
exercise_3 = Exercise(
    price_of_identical_rows,
    [(1, 5, 0.3), (3, 10, 1e-4), (10, 64, 2.0)],
    mistakes=(gain_for_price, one_row_too_many, as_if_independent),
    hint="After i equal answers, how probable is one more? A price is a cost: mind its sign.",
    meaning="With a small beta the first of a group pays for all; with a large one each pays.",
    further="plot the price of ten rows over beta and find the two limits.",
)
