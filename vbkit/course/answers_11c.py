"""Answers to the exercises of lecture 11c, and typical mistakes."""

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

# ---- 2: how often a useless cause passes ---------------------------------------------


def chance_to_pass(share, D):
    """Return the probability that VB keeps more than this share of the best column of a
    known cause that moves none of D gauges."""
    return float(chi2.sf(D / (1 - share), D))


def as_if_any_share_would_do(share, D):
    """This is the chance that anything is left. More than the given share is left of longer
    columns only."""
    return float(chi2.sf(D, D))


def of_the_share_that_is_lost(share, D):
    """You took the share for the one that is lost. D / (N l^2) is lost, and the rest is
    kept."""
    return float(chi2.sf(D / max(share, 1e-9), D))


def the_other_tail(share, D):
    """This is the chance that the cause does not pass."""
    return float(chi2.cdf(D / (1 - share), D))


exercise_2 = Exercise(
    chance_to_pass,
    [(0.0, 10), (0.5, 10), (0.25, 12), (0.8, 4)],
    mistakes=(as_if_any_share_would_do, of_the_share_that_is_lost, the_other_tail),
    hint="Solve share = 1 - D / (N l^2) for N l^2, and ask how often noise exceeds it.",
    meaning="VB's own threshold is the share zero, and noise is above it nearly half the time.",
    further="with more gauges, does a useless known cause escape more often?",
)
