"""Answers to the exercises of lecture 01b, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.course.petals import known_petals
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.press.exercises import Exercise

# ---- 1. how long it takes ------------------------------------------------------------


def sweeps_of_gap(start, end, N, loss, halves=2.0):
    """Return after how many sweeps a gap between two copies has grown from start to end."""
    factor = N / (N - halves * loss)
    return int(np.ceil(np.log(end / start) / np.log(factor)))


def sweeps_until_empty(n, N, d, concentration):
    """Return after how many sweeps the smaller copy, of n of N data points, holds less than
    one, by the rule of the gap."""
    loss = (d + 1) / 2 - concentration
    return sweeps_of_gap(N - 2 * n, N - 2, N, loss)


def gap_from_zero(n, N, d, concentration):
    """You took what the smaller copy holds for the gap. The gap is what the larger copy
    holds more than the smaller one."""
    loss = (d + 1) / 2 - concentration
    return sweeps_of_gap(n, N - 1, N, loss)


def one_loss_only(n, N, d, concentration):
    """Both copies bid less than they hold, so the bids add up to N less two losses."""
    loss = (d + 1) / 2 - concentration
    return sweeps_of_gap(N - 2 * n, N - 2, N, loss, halves=1.0)


def weight_forgotten(n, N, d, concentration):
    """Your critical concentration is d / 2. The weight is not known either."""
    return sweeps_of_gap(N - 2 * n, N - 2, N, d / 2 - concentration)


def until_nothing_is_left(n, N, d, concentration):
    """You wait until the gap is N. The copy holds less than one data point as soon as the
    gap exceeds N - 2."""
    loss = (d + 1) / 2 - concentration
    return sweeps_of_gap(N - 2 * n, N, N, loss)


def one_loss_a_sweep(n, N, d, concentration):
    """You subtract the same loss in each sweep. But what the copy loses is shared out again,
    and only a part of it goes to the other copy."""
    loss = (d + 1) / 2 - concentration
    return int(np.ceil((n - 1) / loss))


exercise_1 = Exercise(
    sweeps_until_empty,
    [
        (80.0, 200.0, 2, 0.8),
        (80.0, 200.0, 2, 0.5),
        (600.0, 2000.0, 5, 2.0),
        (30.0, 100.0, 1, 0.2),
    ],
    (
        gap_from_zero,
        one_loss_only,
        weight_forgotten,
        until_nothing_is_left,
        one_loss_a_sweep,
    ),
    hint="After s sweeps the gap is its start times the factor to the power s. Take "
    "logarithms, and round up.",
    meaning="The number of sweeps is proportional to N, and to one over the loss.",
    further="compare with the exact sweeps of section 4. Where is the rule too short?",
)


# ---- 2. other families ---------------------------------------------------------------


def gain_in_a_sweep(X, w, family, concentration):
    """Return how many data points the first of two copies gains in a sweep.

    The copies hold the proportions w and 1 - w of every point of X (N, D).
    """
    mixture = Mixture(family, Dirichlet(concentration))
    S = mixture.m_step(X, np.tile([w, 1 - w], (len(X), 1)))
    return mixture.responsibilities(X, S)[:, 0].sum() - S[0, 0]


def no_gain(X, w, family, concentration):
    """This is what the first copy holds after the sweep. Subtract what it held before."""
    return gain_in_a_sweep(X, w, family, concentration) + w * len(X)


def the_other_copy(X, w, family, concentration):
    """The sign is turned round: what the first copy gains, the other one loses."""
    return -gain_in_a_sweep(X, w, family, concentration)


def always_one(X, w, family, concentration):
    """The concentration makes no difference. Does the mixture know it?"""
    return gain_in_a_sweep(X, w, family, 1.0)


ONE_CLUSTER = np.random.default_rng(0).standard_normal((2000, 2)) @ [
    [1.0, 0.5],
    [0.0, 0.7],
]
ONE_WIDTH = IsotropicGaussian(np.zeros(2), 0.1, 2.0, 1.0)
FULL_COVARIANCE = NormalWishart(np.zeros(2), 0.1, 3.0, np.eye(2))

exercise_2 = Exercise(
    gain_in_a_sweep,
    [(ONE_CLUSTER, 0.3, FULL_COVARIANCE, concentration) for concentration in (0.5, 4.0)]
    + [(ONE_CLUSTER, 0.6, ONE_WIDTH, 3.0), (ONE_CLUSTER, 0.3, known_petals(), 0.5)],
    (no_gain, the_other_copy, always_one),
    hint="First a state from constant responsibilities, then the responsibilities of that "
    "state.",
    meaning="You have measured in which direction two exact copies drift.",
    further="find the change of sign for the first 100 points only.",
)
