"""Answers to the exercises of lecture 10, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma

from vbkit.press.exercises import Exercise

# ---- 1. unequal copies -----------------------------------------------------------------


def more_than_equal(w, alpha, D, beta):
    """Return by how much F is higher for two copies with the shares w and 1 - w than for
    equal ones, for many people who answer D questions alike."""
    return (0.5 + D * beta - alpha) * np.log(4 * w * (1 - w))


def without_equal_copies(w, alpha, D, beta):
    """Equal copies have a logarithm as well. What is w (1 - w) for them?"""
    return (0.5 + D * beta - alpha) * np.log(w * (1 - w))


def other_sign(w, alpha, D, beta):
    """The sign is the other one. Above the critical value unequal copies are dearer."""
    return -more_than_equal(w, alpha, D, beta)


def one_question(w, alpha, D, beta):
    """Your critical value is that of a single question. There are D."""
    return more_than_equal(w, alpha, 1, beta)


exercise_1 = Exercise(
    more_than_equal,
    [(0.75, 1.1, 4, 0.1), (0.75, 0.8, 4, 0.1), (0.1, 2.0, 6, 0.3)],
    mistakes=(without_equal_copies, other_sign, one_question),
    hint="Subtract the box of section 2 for w = 1/2 from that for w.",
    meaning="Its sign does not depend on w: equal copies are the cheapest division or the "
    "dearest.",
    further="the critical value itself. What can you say about the division there?",
)

# ---- 2. how many people bring a component back ----------------------------------------


def bid(n, alpha):
    """Return what n people who answer four questions alike bid, at beta = 0.1."""
    answers = 4 * (digamma(0.1 + n) - digamma(0.2 + n))
    return np.exp(digamma(alpha + n) + answers)


def least_people(alpha, N):
    """Return how many of N people an emptied component must be given so that it neither
    shrinks nor grows: from there on it grows."""

    def gain(n):
        first = bid(n, alpha)
        return N * first / (first + bid(N - n, alpha)) - n

    return brentq(gain, 1e-2, N / 4)


def equal_copies(alpha, N):
    """That is where both copies are equal, which is a rest as well. Search below it: where
    is the barrier?"""
    return N / 2


def as_a_share(alpha, N):
    """This is a share of all people. How many people are they?"""
    return least_people(alpha, N) / N


def rule_for_many(alpha, N):
    """By the rule for many people every small copy would grow here. Use the bid itself, as
    it is for a few people."""
    return 0.0


exercise_2 = Exercise(
    least_people,
    [(1.31, 400), (2.0, 400), (1.0, 400), (3.0, 1000)],
    mistakes=(equal_copies, as_a_share, rule_for_many),
    hint="Let brentq find where a sweep changes nothing, between a hundredth of a person and "
    "a quarter of all.",
    meaning="An emptied component needs a push, and about one person is enough.",
    further="the weak and the strong prior of the petals, whose bid is that of lecture 01b.",
    rtol=1e-2,  # the bid of the other copy hardly matters
)

# ---- 3. the price of a small product with a fixed prior --------------------------------


def leaves_zero_at(prior_variance):
    """Return the number above which VB's product is not zero, if both factors have this
    fixed prior variance and the noise has the variance 1."""
    precision = 1 / prior_variance
    return (precision + np.sqrt(precision**2 + 4)) / 2


def without_misfit(prior_variance):
    """You count what a small product pays to the prior. It pays to the misfit as well, since
    each factor is multiplied by the other one, which is uncertain."""
    return 1 / prior_variance


def variance_of_prior(prior_variance):
    """You have the variance of the prior in place of s. At zero the update of s contains the
    other factor's variance, too."""
    return 1 / prior_variance + prior_variance


def one_factor(prior_variance):
    """You seem to count one of the two factors. Both of them pay."""
    return leaves_zero_at(prior_variance) / 2


exercise_3 = Exercise(
    leaves_zero_at,
    [(1.0,), (0.25,), (3.0,), (50.0,)],
    mistakes=(without_misfit, variance_of_prior, one_factor),
    hint="The price is (1 / prior_variance + s) times the product. Which s does the update "
    "of a variance have if both means are zero?",
    meaning="Price and reward are both in proportion to a small product, so that one of them "
    "is larger from the very beginning.",
    further="a very wide prior. From which number on does VB see a product then?",
)
