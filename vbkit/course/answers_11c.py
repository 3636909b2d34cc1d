"""Answers to the exercises of lecture 11c, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np
from scipy.stats import chi2

from vbkit.press.exercises import Exercise

# ---- 1: what is left of a column -----------------------------------------------------


def kept(length, N, D):
    """Return the share of a column that is left at the end, of the `length` that fits N
    days of D gauges best, for a known cause of mean square 1."""
    return max(0.0, 1 - D / (N * length**2))


def below_zero(length, N, D):
    """Right for columns that survive. A short one does not turn round: its prior variance
    falls to zero, and nothing of the column is left."""
    return 1 - D / (N * length**2)


def after_one_sweep(length, N, D):
    """That is what one sweep leaves if it starts from the mean square of the best column.
    The shorter column gives a smaller prior variance, and so on: solve for the end."""
    return N / (N + D / length**2)


def without_shrinking(length, N, D):
    """Your prior variance is that of the best column. Put the column in that is left after
    shrinking."""
    alpha = (np.sqrt(N**2 + 4 * D * N / length**2) - N) / 2
    return N / (N + alpha)


exercise_1 = Exercise(
    kept,
    [(2.0, 20, 10), (0.5, 20, 10), (1.0, 40, 8), (0.3, 400, 12)],
    mistakes=(below_zero, after_one_sweep, without_shrinking),
    hint="The share is N c^2 / (N c^2 + 1). Which c^2 does not change any more?",
    meaning="The share rises from zero without a jump: a known column fades.",
    further="at which length is half of the column left?",
)

# ---- 2: how often a useless cause escapes --------------------------------------------


def chance_to_escape(D):
    """Return the probability that VB does not empty the column of a known cause that moves
    none of D gauges."""
    return float(chi2.sf(D, D))


def of_one_loading(D):
    """You took a single loading. A column has D of them, and so many squares add up."""
    return float(chi2.sf(D, 1))


def length_not_squared(D):
    """A chi-square variable is a sum of squares. Compare it with D, not with the root of D."""
    return float(chi2.sf(np.sqrt(D), D))


def the_other_tail(D):
    """This is the chance that the column is emptied."""
    return float(chi2.cdf(D, D))


exercise_2 = Exercise(
    chance_to_escape,
    [(10,), (2,), (100,)],
    mistakes=(of_one_loading, length_not_squared, the_other_tail),
    hint="How often does a chi-square variable with D degrees of freedom exceed D?",
    meaning="The threshold is the mean of what noise does, and nearly half of noise is above it.",
    further="with more gauges, does a useless known cause escape more often?",
)
