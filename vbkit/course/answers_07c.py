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

# ---- 3. the exact evidence ------------------------------------------------------------


def evidence_slope(v, noise):
    """Return the derivative of the log evidence of one number v with respect to the
    product of the prior variances, at zero."""
    return (v**2 - noise) / (2 * noise**2)


def without_half(v, noise):
    """This is twice too large: how does the log density of a Gaussian number depend on its
    variance?"""
    return (v**2 - noise) / noise**2


def one_power_short(v, noise):
    """This is right only if the noise has the variance 1. Check the units: the slope is
    one over a variance."""
    return (v**2 - noise) / (2 * noise)


def wrong_sign(v, noise):
    """The sign is the other way round: a large number should ask for a wider prior."""
    return (noise - v**2) / (2 * noise**2)


exercise_3 = Exercise(
    evidence_slope,
    [(0.5, 1.0), (1.0, 1.0), (-2.0, 1.0), (2.0, 3.0)],
    (without_half, one_power_short, wrong_sign),
    hint="Differentiate the log density of a Gaussian with respect to its variance. The "
    "variance grows by u on average.",
    meaning="The exact evidence believes in a component from one standard deviation of the "
    "noise on, and without a jump; VB asks for more, and jumps.",
    further="a table of L x M: the slope is (|V|^2 - L M noise) / (2 noise^2).",
)
