"""The exercises of notebook 03: references, and mistakes that the checker recognises."""

import numpy as np

from vbkit.chapters.models import draw_means, make_mixture
from vbkit.chapters.online_mixture import streams
from vbkit.learning import accumulation, component_prior_means, fit_online
from vbkit.press.exercises import Exercise


def component_step(y, r, alpha, a, b, m, g):
    """Return (alpha, a, b, m, g) of a component after a data point y with responsibility r.

    Ghahramani 2000, VM step.
    """
    b = b + 0.5 * r * g * (y - m) ** 2 / (g + r)
    m = (g * m + y * r) / (g + r)
    return alpha + r, a + r / 2, b, m, g + r


# ---- 1. Check: take a data point back ------------------------------------------------------------


def take_back(y, r, alpha, a, b, m, g):
    """Return (alpha, a, b, m, g) as they were before `component_step` added y."""
    old_g = g - r
    old_m = (g * m - r * y) / old_g
    old_b = b - 0.5 * r * old_g * (y - old_m) ** 2 / g
    return alpha - r, a - r / 2, old_b, old_m, old_g


def minus_the_step(y, r, alpha, a, b, m, g):
    """You changed the signs of the forward step and left its m and g. But there the spread was
    measured from the mean as it was *before* the data point: find that mean first."""
    old_b = b - 0.5 * r * g * (y - m) ** 2 / (g + r)
    return alpha - r, a - r / 2, old_b, (g * m - r * y) / (g - r), g - r


def from_the_new_mean(y, r, alpha, a, b, m, g):
    """Four of five are right. For b you have the right counts, but you measure from the mean that
    you were given. From which mean did the forward step measure?"""
    alpha, a, _, old_m, old_g = take_back(y, r, alpha, a, b, m, g)
    return alpha, a, b - 0.5 * r * old_g * (y - m) ** 2 / g, old_m, old_g


def whole_shape(y, r, alpha, a, b, m, g):
    """Four of five are right. A data point is half an observation of the precision: how much did
    it add to a?"""
    alpha, a, b, m, g = take_back(y, r, alpha, a, b, m, g)
    return alpha, a - r / 2, b, m, g


_before = [
    (2, 0.6, 1, 1, 1, 0, 0.1),
    (-1, 0.01, 3, 2, 0.5, 4, 7),
    (0.3, 1, 1, 1, 2, 0.3, 1),
]
exercise_1 = Exercise(
    take_back,
    [(c[0], c[1], *map(float, component_step(*map(float, c)))) for c in _before],
    mistakes=(minus_the_step, from_the_new_mean, whole_shape),
    hint="Which of the five old numbers can you find without any of the others? Begin with g.",
    meaning="A sum can be undone exactly, if you have kept the data point and its responsibility.",
    further="a component with g = 0.1 that takes back a data point it never saw. What is wrong?",
)


# ---- 2. Vary: the same data in another order -----------------------------------------------------


def used_after_order(points, concentration, seed):
    """Count the components of twenty that hold more than 1 % after one pass in a random order.

    points (N, 1); the generator draws the prior means first, then the order.
    """
    return _used(points, concentration, np.random.default_rng(seed))


def _used(points, concentration, rng, shuffle=True, least=streams.SHARE):
    mixture, order = make_mixture(1, concentration), rng if shuffle else None
    start = component_prior_means(mixture, draw_means(rng, 1))
    counts = fit_online(
        mixture, points, start, accumulation(), rng=order, monitor=False
    ).S[:, 0]
    return int((counts > least * counts.sum()).sum())


def order_before_means(points, concentration, seed):
    """You drew the order first and the prior means after it. One generator gives other numbers
    then: the means come first."""
    rng = np.random.default_rng(seed)
    return _used(
        points[rng.permutation(len(points))], concentration, rng, shuffle=False
    )


def not_shuffled(points, concentration, seed):
    """The prior means are right, but the data came in the order in which they stand. Hand the
    generator to fit_online, too."""
    return _used(points, concentration, np.random.default_rng(seed), shuffle=False)


def more_than_one(points, concentration, seed):
    """You counted components that hold more than one data point. In use means more than 1 % of the
    sum of all counts."""
    return _used(
        points, concentration, np.random.default_rng(seed), least=1 / len(points)
    )


_X = streams.draw_stream(streams.SEED, streams.TYPICAL[1], 1)[0]
exercise_2 = Exercise(
    used_after_order,
    [(_X[:300], 1.0, 1), (_X[:300], 0.3, 2), (_X[:1000], 3.0, 3), (_X[:1000], 0.3, 4)],
    mistakes=(order_before_means, not_shuffled, more_than_one),
    hint="Prior means, start, fit_online(..., rng=rng), then count what is above 1 % of the sum.",
    meaning="What is left depends on the order and the start, not only on the data.",
    further="prior means from a generator of their own, so that only the order differs.",
)


# ---- 3. Prove: frozen shares thaw in a memory ----------------------------------------------------


def frozen_shares(counts, concentration, parameters, data):
    """Return the counts (M,) of identical components after `data` more data at their common place.

    They follow the flow dn_k = (n_k - c) / sum_j (n_j - c) with c = (d + 1) / 2 - alpha; all counts
    must be above c.
    """
    free = np.asarray(counts, dtype=float) - ((parameters + 1) / 2 - concentration)
    return np.asarray(counts) + data * free / free.sum()


def remembered(counts, concentration, parameters, data):
    """Return the counts (M,) of `frozen_shares` if all but the last sum(counts) data fade."""
    return _thaw(counts, (parameters + 1) / 2 - concentration, data)


def _thaw(counts, c, data):
    memory, M = np.sum(counts), len(counts)
    rate = c * M / (memory * (memory - c * M))
    return memory / M + (np.asarray(counts) - memory / M) * np.exp(rate * data)


def nothing_forgotten(counts, concentration, parameters, data):
    """These counts grow without end: that is the flow without a memory. Where is -n_k / tau?"""
    return frozen_shares(counts, concentration, parameters, data)


def to_equal_shares(counts, concentration, parameters, data):
    """The sign of your rate is wrong: for c > 0 your components become equal. Do they?"""
    return _thaw(counts, (parameters + 1) / 2 - concentration, -data)


def without_the_weight(counts, concentration, parameters, data):
    """Your c leaves out the half data point that the uncertain *weight* of a component costs."""
    return _thaw(counts, parameters / 2 - concentration, data)


exercise_3 = Exercise(
    remembered,
    [
        ([30.0, 10.0], 1.0, 2, 300.0),
        ([12.0, 4.0, 4.0], 0.9, 2, 50.0),
        ([5.0, 8.0], 3.0, 4, 100.0),
    ],
    mistakes=(nothing_forgotten, to_equal_shares, without_the_weight),
    hint="The counts always add up to the same memory. How does n_k - memory / M change?",
    meaning="A memory thaws the shares: for c > 0 it works like batch learning of its last data.",
    further="a memory of 3,000. After how many data points is a component of 10 % gone?",
)
