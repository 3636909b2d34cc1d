"""Answers to the exercises of lecture 06a, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.course.lecture_06a import cost_of_labels, log_z
from vbkit.course.sato import draw, ends_of_circles, sato_mixture
from vbkit.learning import init_gaussian
from vbkit.mixture import Mixture
from vbkit.press.exercises import Exercise
from vbkit.structure import merge, responsibility_statistics

POINTS = draw()
FIVE = sato_mixture(POINTS["A"], 5, "isotropic", 1.0)
STATE = init_gaussian(FIVE, POINTS["A"], 5, np.random.default_rng(0))

# ---- 1. what a merge gains -----------------------------------------------------------


def merge_gain(mixture: Mixture, X, S, i: int, j: int) -> float:
    """Return the change of the ELBO (nats) when two components become one, before
    learning."""
    return merge(responsibility_statistics(mixture, X, S), i, j).gain


def change_of_elbo(mixture, X, S, R) -> float:
    """Return the ELBO of responsibilities R (N, K) less the ELBO of those at S."""
    before = mixture.elbo_of_responsibilities(X, mixture.responsibilities(X, S))
    return mixture.elbo_of_responsibilities(X, R) - before


def empty_left(mixture, X, S, i, j):
    """You seem to leave an empty component behind. It still has its place among the
    weights. Delete its column."""
    R = mixture.responsibilities(X, S)
    R[:, i] += R[:, j]
    R[:, j] = 0
    return change_of_elbo(mixture, X, S, R)


def rest_rescaled(mixture, X, S, i, j):
    """That deletes component j: its points go to all others. In a merge they go to
    component i."""
    R = np.delete(mixture.responsibilities(X, S), j, axis=1)
    return change_of_elbo(mixture, X, S, R / R.sum(axis=1, keepdims=True))


def turned_round(mixture, X, S, i, j):
    """The gain is the ELBO after the merge less the ELBO before it. You have the
    opposite."""
    return -merge_gain(mixture, X, S, i, j)


def after_a_sweep(mixture, X, S, i, j):
    """You compare with the ELBO at S itself. But the responsibilities at S have learned
    nothing yet: use elbo_of_responsibilities for both."""
    R = mixture.responsibilities(X, S)
    merged = np.delete(R, j, axis=1)
    merged[:, i - (j < i)] += R[:, j]
    return mixture.elbo_of_responsibilities(X, merged) - mixture.elbo(X, S)


exercise_1 = Exercise(
    merge_gain,
    [(FIVE, POINTS["A"], STATE, i, j) for i, j in ((0, 1), (3, 2), (1, 4))],
    (empty_left, rest_rescaled, turned_round, after_a_sweep),
    hint="A point belongs to the merged component if it belonged to either. Delete a "
    "column.",
    meaning="So many nats a merge gains before learning, and learning can only add to it.",
    further="all pairs of `five`. Which pair would you merge first?",
)

# ---- 2. the height of the wall -------------------------------------------------------


def ends(points, starts: int, prior_strength: float = 1.0):
    """Return the ELBOs (2, starts) of all starts with two circles, and with three."""
    return ends_of_circles(points, (2, 3), starts, prior_strength, 1e-4)


def wall(points, starts: int) -> float:
    """Return by how many nats the best of three circles stays below the best of two."""
    two, three = ends(points, starts).max(axis=1)
    return float(two - three)


def upside_down(points, starts):
    """A wall should be a positive number: the best of three circles lies below the best of
    two."""
    return -wall(points, starts)


def last_start_alone(points, starts):
    """You seem to compare one start of each. A single run may end in a local optimum; take
    the best."""
    two, three = ends(points, starts)[:, -1]
    return float(two - three)


def weaker_prior(points, starts):
    """You seem to have taken the prior of lecture 05b. Here it is worth a whole point."""
    two, three = ends(points, starts, 0.01).max(axis=1)
    return float(two - three)


exercise_2 = Exercise(
    wall,
    [(POINTS["A"], 3), (POINTS["A"][:100], 3), (POINTS["B"][:200], 3)],
    (upside_down, last_start_alone, weaker_prior),
    hint="The ELBO of the best run of two circles, less that of three.",
    meaning="Positive numbers are walls that a search cannot pass if it accepts only "
    "gains.",
    further="the 200 points of the lecture, `X`, with eight starts.",
    rtol=1e-5,
)

# ---- 3. what a split gains before learning -------------------------------------------


def split_gain(n: int, d: float) -> float:
    """Return what two machines gain over one (nats), before learning, if each holds a heap
    of n bolts, with the averages d and -d."""
    return 2 * log_z(n, n * d) - log_z(2 * n, 0.0) - cost_of_labels(n)


def labels_for_nothing(n, d):
    """The labels are missing: with two machines they have a probability below one."""
    return split_gain(n, d) + cost_of_labels(n)


def one_heap(n, d):
    """Two heaps have two machines, and each of these explains something and costs
    something."""
    return split_gain(n, d) - log_z(n, n * d)


def nothing_to_compare(n, d):
    """A gain is a difference. Subtract the log evidence of one machine for all bolts."""
    return split_gain(n, d) + log_z(2 * n, 0.0)


def average_for_sum(n, d):
    """The formula contains the sum of a heap, and the sum is n times the average."""
    return 2 * log_z(n, d) - log_z(2 * n, 0.0) - cost_of_labels(n)


exercise_3 = Exercise(
    split_gain,
    [(4, 2.0), (10, 0.5), (100, 1.0)],
    (labels_for_nothing, one_heap, nothing_to_compare, average_for_sum),
    hint="Each heap has the log evidence log Z(n, nd), or log Z(n, -nd).",
    meaning="Before learning a split pays if each bolt explains more than its label costs.",
    further="a million bolts in each heap, at the distances 1.17 and 1.18.",
)
