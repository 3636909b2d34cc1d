"""Answers to the exercises of lecture 03, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.course.stream import (
    IN_USE,
    SEED,
    TYPICAL,
    draw_means,
    draw_stream,
    make_mixture,
)
from vbkit.learning import accumulation, component_prior_means, fit_online
from vbkit.press.exercises import Exercise

# ---- 1. take a bolt back -------------------------------------------------------------


def sums(posterior):
    """Return the four quantities to which a bolt only adds, from g, m, a and b."""
    g, m, a, b = posterior
    return np.array([g, g * m, a, b + g * m**2 / 2], float)


def from_sums(quantities):
    """Return g, m, a and b, which belong to the four quantities."""
    g, total, a, squares = quantities
    m = total / g
    return g, m, a, squares - g * m**2 / 2


def part_of(x, r):
    """Return what a bolt x adds to the four quantities with the responsibility r."""
    return r * np.array([1, x, 0.5, x**2 / 2])


def take_back(x, r, g, m, a, b):
    """Return g, m, a and b as they were before the bolt x was added with r."""
    return from_sums(sums((g, m, a, b)) - part_of(x, r))


def whole_shape(x, r, g, m, a, b):
    """Your shape a is wrong: a bolt adds half of its responsibility to it."""
    g, m, before, b = take_back(x, r, g, m, a, b)
    return g, m, before - r / 2, b


def mean_left(x, r, g, m, a, b):
    """You took the mean as it is now. Go back to the sum g m first, and divide by the old
    g."""
    before = take_back(x, r, g, m, a, b)
    squares = b + g * m**2 / 2 - r * x**2 / 2
    return before[0], m, before[2], squares - before[0] * m**2 / 2


def scatter_from_the_new_mean(x, r, g, m, a, b):
    """Only b is wrong. The sum of squares, b + g m^2 / 2, is what a bolt adds to, and not b
    itself."""
    before = take_back(x, r, g, m, a, b)
    return before[0], before[1], before[2], b - r * (x - m) ** 2 / 2


def bolt_counted_fully(x, r, g, m, a, b):
    """You take back a whole bolt. It was added with the responsibility r."""
    return from_sums(sums((g, m, a, b)) - part_of(x, 1.0))


_BEFORE = [
    (2.0, 0.6, 1.0, 0.0, 1.0, 1.0),
    (-1.0, 0.2, 7.0, 4.0, 2.0, 30.0),
    (0.5, 0.9, 1.5, -3.0, 1.0, 2.0),
]
exercise_1 = Exercise(
    take_back,
    [
        (x, r, *map(float, from_sums(sums((g, m, a, b)) + part_of(x, r))))
        for x, r, g, m, a, b in _BEFORE
    ],
    (whole_shape, mean_left, scatter_from_the_new_mean, bolt_counted_fully),
    hint="Turn g, m, a and b into the four quantities of the table in section 2. What did "
    "the bolt add to each?",
    meaning="A sum can be undone, but only by someone who kept the bolt and its "
    "responsibility.",
    further="take back a bolt that the component never saw, such as (9, 1). What is wrong "
    "with the result?",
)


# ---- 2. the same bolts in another order ----------------------------------------------


def used_after_order(X, prior_means, concentration, seed):
    """Return how many components hold more than a hundredth of the bolts X (N, 1) after one
    pass in a random order."""
    order = np.random.default_rng(seed).permutation(len(X))
    return number_in_use(X[order], prior_means, concentration, IN_USE)


def number_in_use(X, prior_means, concentration, least):
    """Return how many components hold more than the part `least` of the bolts X."""
    mixture = make_mixture(1, concentration)
    start = component_prior_means(mixture, prior_means)
    held = fit_online(mixture, X, start, accumulation(), monitor=False).S[:, 0]
    return int(np.sum(held > least * held.sum()))


def not_shuffled(X, prior_means, concentration, seed):
    """The bolts came in the order in which they stand. Take them in the random order."""
    return number_in_use(X, prior_means, concentration, IN_USE)


def more_than_one_bolt(X, prior_means, concentration, seed):
    """You counted components that hold more than one bolt. In use means more than a
    hundredth of all bolts."""
    order = np.random.default_rng(seed).permutation(len(X))
    return number_in_use(X[order], prior_means, concentration, 1 / len(X))


def means_shuffled(X, prior_means, concentration, seed):
    """You sorted the bolts by the random order instead of taking them in it: that undoes a
    shuffle. Use X[order]."""
    order = np.argsort(np.random.default_rng(seed).permutation(len(X)))
    return number_in_use(X[order], prior_means, concentration, IN_USE)


BOLTS, _, PRIOR_MEANS = draw_stream(SEED, TYPICAL[1])
_OTHER = draw_means(np.random.default_rng(5), 1)

exercise_2 = Exercise(
    used_after_order,
    [
        (BOLTS[:300], PRIOR_MEANS, 1.0, 1),
        (BOLTS[:300], PRIOR_MEANS, 0.3, 2),
        (BOLTS[:1000], _OTHER, 3.0, 3),
        (BOLTS[:1000], PRIOR_MEANS, 0.3, 5),
    ],
    (not_shuffled, more_than_one_bolt, means_shuffled),
    hint="learn takes the bolts one by one; X[order, 0] are their lengths.",
    meaning="How many components are in use depends on the order, although the bolts are "
    "the same.",
    further="keep the order and draw other prior means. Which of the two matters more?",
)


# ---- 3. two inspectors ---------------------------------------------------------------


def combine(first, second, prior):
    """Return g, m, a and b after all bolts, from two posteriors that share a prior."""
    return from_sums(sums(first) + sums(second) - sums(prior))


def prior_twice(first, second, prior):
    """Your result counts the prior twice: it stands in both posteriors."""
    return from_sums(sums(first) + sums(second))


def average_of_means(first, second, prior):
    """You averaged the two means. The inspector who saw more bolts knows more: add the sums
    g m."""
    g, _, a, b = combine(first, second, prior)
    return g, (first[1] + second[1]) / 2, a, b


def rates_added(first, second, prior):
    """Only b is wrong. The two groups of bolts may lie apart, and then their scatter around
    the common mean is larger than the two scatters together."""
    g, m, a, _ = combine(first, second, prior)
    return g, m, a, first[3] + second[3] - prior[3]


_PRIOR = (1.0, 0.0, 1.0, 1.0)


def _after(bolts):
    """Return g, m, a and b after some bolts."""
    parts = sum(part_of(x, 1.0) for x in bolts)
    return tuple(map(float, from_sums(sums(_PRIOR) + parts)))


exercise_3 = Exercise(
    combine,
    [
        (_after([2.0]), _after([4.0]), _PRIOR),
        (_after([1.0, -1.0, 3.0]), _after([8.0]), _PRIOR),
        (_after([0.5, 0.6]), _after([-2.0, 7.0, 1.0]), _PRIOR),
    ],
    (prior_twice, average_of_means, rates_added),
    hint="Turn all three into the four quantities of the table in section 2.",
    meaning="Any number of inspectors can learn at the same time, if each says what the "
    "bolts have added to the common prior.",
    further="let one of the inspectors have seen nothing.",
)
