"""Answers to the exercises of lecture 09b, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np
from scipy.special import digamma

from vbkit.press.exercises import Exercise


def share_of_the_unknown(beta: float, known: float) -> float:
    """Return the responsibility of a component that has seen no no, for a person who says no.

    known: so many people said no in the only other component, which is alike in all else.
    """
    bids = np.exp([digamma(beta), digamma(beta + known)])
    return float(bids[0] / bids.sum())


def smallest_that_recovers(beta: float, factor: float) -> float:
    """Return the number of people that a sweep leaves as it is, if it becomes its bid, the number
    less one half plus beta, times a factor above 1."""
    return factor / (factor - 1) * (0.5 - beta)


def bids_like_its_mean(beta, known):
    """You took the logarithm of the mean probability. The score is the mean of the logarithm,
    a difference of digammas, and near zero the two are far apart."""
    return beta / (2 * beta + known)


def gave_the_other(beta, known):
    """This is what the other component gets, the one that knows a no."""
    return 1 - share_of_the_unknown(beta, known)


def left_in_logs(beta, known):
    """You divided the scores themselves. A person goes to a component in proportion to e to
    the power of the score."""
    return digamma(beta) / (digamma(beta) + digamma(beta + known))


def forgot_the_factor_of_the_loss(beta, factor):
    """You multiply only the number by the factor. What comes back is the whole bid times the
    factor, the half person included."""
    return (0.5 - beta) / (factor - 1)


def without_the_prior(beta, factor):
    """You take the whole half person off. The pseudo-count pays beta of it back."""
    return 0.5 * factor / (factor - 1)


def beta_on_the_wrong_side(beta, factor):
    """You let beta add to the loss. It is paid back, so a larger beta has a lower border."""
    return factor / (factor - 1) * (0.5 + beta)


exercise_1 = Exercise(
    share_of_the_unknown,
    [(1.0, 10.0), (0.3, 10.0), (0.1, 3.0)],
    mistakes=(bids_like_its_mean, gave_the_other, left_in_logs),
    hint="Everything that both components have in common cancels. What is left of the score?",
    meaning="This is how much of a person comes back to a component that lost an answer.",
    further="go down with beta until less than a thousandth of a person comes back.",
)
exercise_2 = Exercise(
    smallest_that_recovers,
    [(0.01, 1.11), (0.2, 1.11), (0.1, 1.05), (0.3, 2.0)],
    mistakes=(forgot_the_factor_of_the_loss, without_the_prior, beta_on_the_wrong_side),
    hint="At the border the number is its own bid times the factor. Solve for the number.",
    meaning="Whoever holds more grows from sweep to sweep, and whoever holds less is lost.",
    further="the factor 1.01. The better the rivals suit these people, the more are needed.",
)
