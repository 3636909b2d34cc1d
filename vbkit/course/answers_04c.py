"""Answers to the exercises of lecture 04c, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.press.exercises import Exercise

# ---- 1. a posterior corrected --------------------------------------------------------


def fraction_observed(pi: float, r) -> float:
    """Return the fraction of observed information, from the responsibilities r (N,)."""
    return float(1 - np.mean(r * (1 - r)) / (pi * (1 - pi)))


def corrected(pi: float, r):
    """Return the spread of the posterior of the share, and by how much the ELBO is too low."""
    return by_fraction(pi, r, fraction_observed(pi, r))


def by_fraction(pi, r, fraction):
    """Return spread and gap (nats) if this is the fraction observed."""
    vb_spread = np.sqrt(pi * (1 - pi) / len(r))
    return vb_spread / np.sqrt(fraction), -0.5 * np.log(fraction)


def fraction_that_is_missing(pi, r):
    """You inserted the fraction that is missing. Both formulas have the fraction that is
    observed."""
    return by_fraction(pi, r, 1 - fraction_observed(pi, r))


def narrower_still(pi, r):
    """Your spread is smaller than VB's. But VB's posterior is too narrow: divide by the
    root."""
    fraction = fraction_observed(pi, r)
    _, gap = by_fraction(pi, r, fraction)
    return np.sqrt(pi * (1 - pi) / len(r)) * np.sqrt(fraction), gap


def without_the_half(pi, r):
    """Your spread is right. The gap is the logarithm of a ratio of spreads, hence of a
    *root*."""
    spread, gap = corrected(pi, r)
    return spread, 2 * gap


DOUBTFUL = np.array([0.05, 0.9, 0.2, 0.45])

exercise_1 = Exercise(
    corrected,
    [(0.4, DOUBTFUL), (0.5, DOUBTFUL), (0.3, DOUBTFUL[:3])],
    (fraction_that_is_missing, narrower_still, without_the_half),
    hint="The fraction observed is 1 - mean(r (1 - r)) / (pi (1 - pi)). Divide VB's spread by "
    "its root.",
    meaning="VB's own responsibilities give an honest spread and a better log evidence.",
    further="the first explorer: from which distance on is VB's spread right to five per "
    "cent?",
)


# ---- 2. machines on both sides of zero -----------------------------------------------


def fraction_left(theta: float, x) -> float:
    """Return which fraction of an error of theta a batch step of EM leaves, for x (N,)."""
    return float(np.mean(x**2 * (1 - np.tanh(theta * x) ** 2)))


def only_one_x(theta, x):
    """One factor x is missing. The step has one before tanh, and the derivative of
    tanh(theta x) brings a second one."""
    return float(np.mean(x * (1 - np.tanh(theta * x) ** 2)))


def not_differentiated(theta, x):
    """This is the new theta itself. Which part of a *change* of theta comes through?"""
    return float(np.mean(x * np.tanh(theta * x)))


def what_is_taken_away(theta, x):
    """This is what the step takes away of the error. What does it leave?"""
    return 1 - fraction_left(theta, x)


exercise_2 = Exercise(
    fraction_left,
    [
        (1.0, np.array([1.5, -0.5, 2.0])),
        (0.4, np.array([0.3, -1.2, 0.8, 2.5])),
        (2.0, np.array([-1.0, 0.2, 3.0])),
    ],
    (only_one_x, not_differentiated, what_is_taken_away),
    hint="The derivative of x tanh(theta x) in theta is x^2 (1 - tanh(theta x)^2).",
    meaning="This is the fraction of missing information: a bolt with a label has the "
    "information 1 here, and x^2 (1 - tanh^2) is the variance of its slope.",
    further="the three hundred bolts at the end. Is it more or less than for our share?",
)
