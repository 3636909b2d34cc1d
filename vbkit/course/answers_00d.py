"""Answers to the exercises of lecture 00d, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np
from scipy.special import logsumexp, softmax

from vbkit.press.exercises import Exercise

# ---- 1. a q that keeps some labellings only -------------------------------------------


def highest_elbo(log_joint, allowed):
    """Return the highest ELBO of a q that has its mass on the allowed labellings only."""
    return logsumexp(log_joint[allowed])


def one_labelling(log_joint, allowed):
    """You put all of q on the best labelling. To share it out gains entropy."""
    return log_joint[allowed].max()


def equal_mass(log_joint, allowed):
    """You gave every allowed labelling the same probability. The better ones deserve
    more."""
    return log_joint[allowed].mean() + np.log(allowed.sum())


def without_entropy(log_joint, allowed):
    """Your q is the best one, but you left out its entropy, the average of -log q."""
    return softmax(log_joint[allowed]) @ log_joint[allowed]


def all_labellings(log_joint, allowed):
    """This is the log evidence. You added up the forbidden labellings as well."""
    return logsumexp(log_joint)


def log_of_the_mass(log_joint, allowed):
    """This is the log probability of the allowed labellings, that is, the ELBO minus the
    log evidence."""
    return logsumexp(log_joint[allowed]) - logsumexp(log_joint)


exercise_1 = Exercise(
    highest_elbo,
    lambda rng: (rng.normal(-20, 1, size=6).round(2), rng.permutation(6) < 4),
    (one_labelling, equal_mass, without_entropy, all_labellings, log_of_the_mass),
    hint="The best q is p(X, z) divided by its sum over the allowed labellings. What is then "
    "log p(X, z) - log q(z)?",
    meaning="What q leaves out costs minus the logarithm of the probability that is kept.",
    further="the most probable labelling and its mirror image: which part of the gap is gone?",
)


# ---- 2. one unknown when the other is known ------------------------------------------


def conditional_variance(s1, s2, c):
    """Return the variance of the first of two Gaussian unknowns if the second is known."""
    return s1**2 * (1 - c**2)


def as_if_unrelated(s1, s2, c):
    """This is the variance if nothing is known of the second unknown."""
    return s1**2


def correlation_not_squared(s1, s2, c):
    """A correlation of -c must tell as much as one of c. Is c squared?"""
    return s1**2 * (1 - c)


def of_the_second(s1, s2, c):
    """This is the variance of the second unknown if the first is known."""
    return s2**2 * (1 - c**2)


def a_standard_deviation(s1, s2, c):
    """This is the standard deviation. Square it."""
    return s1 * np.sqrt(1 - c**2)


def of_unit_variance(s1, s2, c):
    """You assumed that the first unknown has the variance 1. In which units is it
    measured?"""
    return 1 - c**2


def draw_gaussian(rng):
    """Draw two standard deviations and a correlation."""
    s1, s2 = rng.uniform(0.5, 3, size=2).round(2)
    return float(s1), float(s2), round(rng.uniform(-0.95, 0.95), 2)


exercise_2 = Exercise(
    conditional_variance,
    draw_gaussian,
    (
        as_if_unrelated,
        correlation_not_squared,
        of_the_second,
        a_standard_deviation,
        of_unit_variance,
    ),
    hint="Keep the terms with the first unknown in the log density, and complete its square.",
    meaning="The closest product is as wide as one unknown when all others are known.",
    further="three unknowns, each pair with correlation c: how wide is the closest product?",
)
