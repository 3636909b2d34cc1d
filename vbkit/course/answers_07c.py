"""Answers to the exercises of lecture 07c, and typical mistakes."""

import numpy as np

from vbkit.factorization import kappa, thresholds
from vbkit.press.exercises import Exercise

# ---- 1. the push that carries a component over the barrier ----------------------------


def least_push(gamma, L, M):
    """Return the reconstructed value at the barrier, for a singular value above the local
    threshold of an L x M table with noise of variance 1."""
    return L * M / kappa(gamma**2, (L, M)) / gamma


def minimum_itself(gamma, L, M):
    """That is where the component comes to rest, the larger root. Which root belongs to
    the barrier?"""
    return kappa(gamma**2, (L, M)) / gamma


def xi_of_the_barrier(gamma, L, M):
    """That is xi at the barrier. The push is a reconstructed value, and xi is the product
    of the observed and the reconstructed value."""
    return gamma * least_push(gamma, L, M)


def sum_on_the_wrong_side(gamma, L, M):
    """Multiply the brackets out again: which sign has L + M beside gamma squared?"""
    z = gamma**2 + L + M
    return (z - np.sqrt(z**2 - 4 * L * M)) / 2 / gamma


exercise_1 = Exercise(
    least_push,
    [(2.5, 1, 1), (10.8, 20, 30), (12.4, 20, 30), (18.0, 5, 100)],
    (minimum_itself, xi_of_the_barrier, sum_on_the_wrong_side),
    hint="The quadratic equation has two roots, and their product is L M.",
    meaning="The larger the singular value, the smaller the push that brings a component "
    "back.",
    further="in a table of 20 x 30, from which singular value on is a push of 1 enough?",
)

# ---- 2. how many components are kept --------------------------------------------------


def number_above(V, edge) -> int:
    """Return how many singular values of a table V (L, M) lie above an edge."""
    return int((np.linalg.svd(V, compute_uv=False) > edge).sum())


def kept(V, noise):
    """Return how many components VB keeps in a full table V (L, M), for noise of this
    variance."""
    return number_above(V, np.sqrt(noise) * thresholds(np.shape(V)).keep)


def variance_as_unit(V, noise):
    """The threshold counts in standard deviations of the noise, and you are given its
    variance."""
    return number_above(V, noise * thresholds(np.shape(V)).keep)


def local_threshold(V, noise):
    """You count every component that has a minimum of its own. Is each of these minima
    lower than zero?"""
    return number_above(V, np.sqrt(noise) * thresholds(np.shape(V)).local)


def above_one_entry(V, noise):
    """You compare with the noise of a single entry. A component has to rise above what the
    noise does to the whole table."""
    return number_above(V, np.sqrt(noise))


LADDER = np.eye(12, 20) * np.arange(1.0, 13.0)[:, None]  # singular values 1, 2, ..., 12

exercise_2 = Exercise(
    kept,
    [(LADDER, 1.0), (LADDER, 0.5), (LADDER.T, 0.25), (LADDER, 1.5), (LADDER, 0.75)],
    (variance_as_unit, local_threshold, above_one_entry),
    hint="The threshold in the units of the table is the root of the variance times "
    "`threshold(L, M)`.",
    meaning="One comparison for each singular value replaces thousands of sweeps.",
    further="half the variance, and a quarter of it. How many patterns does VB believe in?",
)

# ---- 3. the price of a small product --------------------------------------------------


def earns_from(gamma):
    """Return the product from which on the reward of one number, gamma times the product,
    exceeds the price of a small product."""
    return (1.5 / gamma) ** 3


def top_of_the_hill(gamma):
    """There the slope of F is zero, so that it is the top of the hill. From where on is F
    below its value at zero?"""
    return gamma**-3.0


def cube_root(gamma):
    """You have the cube root. The product divided by its power 2/3 is its power 1/3: which
    power do you take on both sides?"""
    return (1.5 / gamma) ** (1 / 3)


def upside_down(gamma):
    """Your product grows with the number. A larger number rewards more, and so a smaller
    product should be enough."""
    return (gamma / 1.5) ** 3


exercise_3 = Exercise(
    earns_from,
    [(10.0,), (20.0,), (40.0,)],
    (top_of_the_hill, cube_root, upside_down),
    hint="Set the reward equal to the price, and divide by the product's power 2/3.",
    meaning="The hill beside zero becomes smaller and smaller as the number grows, but it "
    "never disappears.",
    further="the product at the top of the hill, from exercise 1, for the same numbers.",
)
