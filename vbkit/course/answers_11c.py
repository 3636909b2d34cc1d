"""Answers to the exercises of lecture 11c, and typical mistakes."""

import numpy as np
from scipy.stats import chi2, ncx2

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

# ---- 2: how often a known cause is kept ----------------------------------------------


def chance_to_be_kept(true_length, N, D):
    """Return the probability that VB keeps the column of a known cause of mean square 1,
    whose true column has this length."""
    if true_length == 0:
        return float(chi2.sf(D, D))
    return float(ncx2.sf(D, D, N * true_length**2))


def as_if_without_noise(true_length, N, D):
    """You compare the true column with the threshold. What VB sees is the column that fits
    best, and the noise adds to it."""
    return float(N * true_length**2 > D)


def as_if_useless(true_length, N, D):
    """This is the chance of a cause that moves nothing. The true column shifts the mean of
    each best loading: use the noncentral distribution."""
    return float(chi2.sf(D, D))


def in_units_of_the_loadings(true_length, N, D):
    """Your shift is the squared length. In units of the noise of a best loading, whose
    variance is 1/N, it is N times as large."""
    return float(ncx2.sf(D, D, max(true_length, 1e-9) ** 2))


exercise_2 = Exercise(
    chance_to_be_kept,
    [(0.0, 20, 10), (0.3, 100, 10), (0.1, 400, 12), (0.5, 20, 5)],
    mistakes=(as_if_without_noise, as_if_useless, in_units_of_the_loadings),
    hint="sqrt(N) times a best loading is Gaussian with variance 1. What is its mean?",
    meaning="Near the threshold chance decides, and a useless cause is at the threshold.",
    further="with more gauges, does a useless known cause survive more often?",
)

# ---- 3: what a prior variance gains --------------------------------------------------


def gain(prior, length, N, D):
    """Return the log evidence (nats) of a known cause whose loadings have this prior
    variance, less that without the cause; `length` of the column that fits best."""
    growth = N * prior
    return N * length**2 / 2 * growth / (growth + 1) - D / 2 * np.log(growth + 1)


def without_the_price(prior, length, N, D):
    """That is what the better fit gains. A wide prior has a price as well: D logarithms."""
    growth = N * prior
    return N * length**2 / 2 * growth / (growth + 1)


def one_gauge_pays(prior, length, N, D):
    """The price of one gauge only. Each of the D gauges has a loading with this prior."""
    growth = N * prior
    return N * length**2 / 2 * growth / (growth + 1) - np.log(growth + 1) / 2


def at_the_best_fit(prior, length, N, D):
    """You put the best column into the likelihood. The loadings are unknown: integrate them
    out, and the fit is shrunk."""
    return N * length**2 / 2 - D / 2 * np.log(N * prior + 1)


exercise_3 = Exercise(
    gain,
    [(0.35, 2.0, 20, 10), (0.01, 0.3, 400, 12), (1.0, 0.6, 20, 10)],
    mistakes=(without_the_price, one_gauge_pays, at_the_best_fit),
    hint="Under the prior a best loading is Gaussian with variance c^2 + 1/N.",
    meaning="VB finds the prior variance with the largest evidence, and there is only one.",
    further="draw it for N l^2 a little above and a little below D.",
)
