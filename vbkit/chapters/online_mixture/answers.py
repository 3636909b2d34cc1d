"""The exercises of notebook 03: references, and mistakes that the checker recognises."""

import numpy as np

from vbkit.chapters.models import draw_means, make_mixture
from vbkit.chapters.online_mixture import streams
from vbkit.learning import accumulation, component_prior_means, fit_online
from vbkit.workbook.exercises import Exercise


def component_step(y, share, alpha, a, b, m, g):
    """Return (alpha, a, b, m, g) of a component after a data point y with responsibility `share`.

    Ghahramani 2000, VM step.
    """
    b = b + 0.5 * share * g * (y - m) ** 2 / (g + share)
    m = (g * m + y * share) / (g + share)
    return alpha + share, a + share / 2, b, m, g + share


# ---- 1. Check: take a data point back ------------------------------------------------------------


def take_back(y, share, alpha, a, b, m, g):
    """Return (alpha, a, b, m, g) as they were before `component_step` added y."""
    old_g = g - share
    old_m = (g * m - share * y) / old_g
    old_b = b - 0.5 * share * old_g * (y - old_m) ** 2 / g
    return alpha - share, a - share / 2, old_b, old_m, old_g


def minus_the_step(y, share, alpha, a, b, m, g):
    """You changed the signs of the forward step and left its m and g. But there the spread was
    measured from the mean as it was *before* the data point: find that mean first."""
    old_b = b - 0.5 * share * g * (y - m) ** 2 / (g + share)
    return alpha - share, a - share / 2, old_b, (g * m - share * y) / (g - share), g - share


def whole_shape(y, share, alpha, a, b, m, g):
    """Four of five are right. A data point is half an observation of the precision: how much did
    it add to a?"""
    alpha, a, b, m, g = take_back(y, share, alpha, a, b, m, g)
    return alpha, a - share / 2, b, m, g


def added_again(y, share, alpha, a, b, m, g):
    """You have added the data point a second time. Which way should the counts go?"""
    return component_step(y, share, alpha, a, b, m, g)


_before = [(2, 0.6, 1, 1, 1, 0, 0.1), (-1, 0.01, 3, 2, 0.5, 4, 7), (0.3, 1, 1, 1, 2, 0.3, 1)]
exercise_1 = Exercise(
    take_back,
    [(c[0], c[1], *map(float, component_step(*map(float, c)))) for c in _before],
    mistakes=(minus_the_step, whole_shape, added_again),
    hint="Which of the five old numbers can you find without any of the others? Begin with g.",
    meaning="A sum can be undone exactly, if you have kept the data point and its share.",
    further="a component with g = 0.1 that takes back a data point it never saw. What is wrong?",
)


# ---- 2. Vary: the same data in another order -----------------------------------------------------


def used_after_order(points, concentration, seed):
    """Count the components of twenty that hold more than 1 % after one pass in a random order.

    points (N, 1); the generator draws the prior means first, then the order.
    """
    rng = np.random.default_rng(seed)
    return _used(points, concentration, draw_means(rng, 1), rng)


def _used(points, concentration, means, rng=None, least=streams.SHARE):
    mixture = make_mixture(1, concentration)
    start = component_prior_means(mixture, means)
    counts = fit_online(mixture, points, start, accumulation(), rng=rng, monitor=False).S[:, 0]
    return int((counts > least * counts.sum()).sum())


def order_before_means(points, concentration, seed):
    """You drew the order first and the prior means after it. One generator gives other numbers
    then: the means come first."""
    rng = np.random.default_rng(seed)
    points = points[rng.permutation(len(points))]
    return _used(points, concentration, draw_means(rng, 1))


def not_shuffled(points, concentration, seed):
    """The prior means are right, but the data came in the order in which they stand. Hand the
    generator to fit_online, too."""
    return _used(points, concentration, draw_means(np.random.default_rng(seed), 1))


def more_than_one(points, concentration, seed):
    """You counted components that hold more than one data point. In use means more than 1 % of the
    sum of all counts."""
    rng = np.random.default_rng(seed)
    return _used(points, concentration, draw_means(rng, 1), rng, least=1 / len(points))


_X = streams.draw_stream(streams.SEED, streams.TYPICAL[1], 1)[0]
exercise_2 = Exercise(
    used_after_order,
    [(_X[:300], 1.0, 1), (_X[:300], 0.3, 2), (_X[:1000], 3.0, 3), (_X[:1000], 0.3, 4)],
    mistakes=(order_before_means, not_shuffled, more_than_one),
    hint="Prior means, start, fit_online(..., rng=rng), then count what is above 1 % of the sum.",
    meaning="What is left depends on the order and the start, not only on the data.",
    further="prior means from a generator of their own, so that only the order differs.",
)


# ---- 3. Prove: shares freeze ---------------------------------------------------------------------


def frozen_shares(counts, concentration, parameters, data):
    """Return the counts (M,) of identical components after `data` more data at their common place.

    They follow the flow dn_k = (n_k - c) / sum_j (n_j - c) with c = (d + 1) / 2 - alpha; all counts
    must be above c.
    """
    return _flow(counts, (parameters + 1) / 2 - concentration, data)


def _flow(counts, c, data):
    free = np.asarray(counts, dtype=float) - c
    return np.asarray(counts) + data * free / free.sum()


def in_proportion(counts, concentration, parameters, data):
    """You shared the new data in proportion to the counts. In proportion to what does the flow?"""
    return _flow(counts, 0.0, data)


def without_the_weight(counts, concentration, parameters, data):
    """Your c leaves out the half data point that the uncertain *weight* of a component costs."""
    return _flow(counts, parameters / 2 - concentration, data)


def only_what_is_added(counts, concentration, parameters, data):
    """This is what the components receive. The question was what they have in the end."""
    return frozen_shares(counts, concentration, parameters, data) - counts


exercise_3 = Exercise(
    frozen_shares,
    [([30.0, 10.0], 1.0, 2, 1e3), ([12.0, 4.0, 4.0], 0.1, 2, 50.0), ([5.0, 8.0], 3.0, 4, 300.0)],
    mistakes=(in_proportion, without_the_weight, only_what_is_added),
    hint="The counts grow by `data` in all. Which ratios never change?",
    meaning="Every component keeps its share of all further data: nobody dies.",
    further="a component that starts just above c, and the data that it needs to reach 10.",
)
