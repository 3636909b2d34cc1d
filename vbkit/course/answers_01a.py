"""Answers to the exercises of lecture 01a, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.course.lecture_01a import (
    as_printed,
    certain_means,
    certain_weights,
    e_step,
    elbo,
    m_step,
    random_start,
)
from vbkit.course.petals import nine_petals
from vbkit.press.exercises import Exercise

# ---- 1. another exponential family ---------------------------------------------------


def learn_rate(x, r, a0, b0):
    """Return shape and rate (a, b) of the gamma density of a Poisson component's rate."""
    return a0 + r @ x, b0 + r.sum()


def exchanged(x, r, a0, b0):
    """You exchanged the two sums. Which function of the rate does the count of flowers
    belong to, and which one the sum of the visits?"""
    return a0 + r.sum(), b0 + r @ x


def every_flower_whole(x, r, a0, b0):
    """You gave every flower to this component as a whole. A flower counts with its
    responsibility."""
    return a0 + x.sum(), b0 + len(x)


def without_the_prior(x, r, a0, b0):
    """The prior is missing. A component that holds nothing must return a0 and b0."""
    return r @ x, r.sum()


def average_visits(x, r, a0, b0):
    """You added the average number of visits. It is the sum that adds to the prior."""
    return a0 + r @ x / r.sum(), b0 + r.sum()


def shape_of_mean(x, r, a0, b0):
    """Your shape has the count of the flowers as well. The gamma density contains
    (a - 1) times the logarithm of the rate, and only the visits add to it."""
    return a0 + r @ x + r.sum(), b0 + r.sum()


def draw_flowers(rng):
    """Draw visits to five flowers, responsibilities and a prior."""
    x = rng.poisson(4, size=5).astype(float)
    r = rng.uniform(size=5).round(2)
    a0, b0 = rng.uniform(0.5, 3, size=2).round(1)
    return x, r, float(a0), float(b0)


exercise_1 = Exercise(
    learn_rate,
    draw_flowers,
    (exchanged, every_flower_whole, without_the_prior, average_visits, shape_of_mean),
    hint="The log density is x log(rate) - rate, less log x!. The gamma density has "
    "(a - 1) log(rate) - b rate.",
    meaning="Counts, lengths, yes or no: in an exponential family, to learn is to add.",
    further="write the average score of a flower. It needs one digamma.",
)


# ---- 2. the test that finds a slip ---------------------------------------------------


def elbo_of_each_step(x, R, assign, sweeps):
    """Return the ELBO (2 sweeps,) after each step, from the first learning on."""
    steps = []
    for _ in range(sweeps):
        n, g, m = m_step(x, R)
        steps.append(elbo(x, R, n, g, m))
        R = assign(x, n, g, m)
        steps.append(elbo(x, R, n, g, m))
    return np.array(steps)


def largest_fall(x, R, assign, sweeps):
    """Return by how much the ELBO fell most from one step to the next, or 0."""
    steps = elbo_of_each_step(x, R, assign, sweeps)
    return float(np.max(-np.diff(steps), initial=0.0))


def once_a_sweep(x, R, assign, sweeps):
    """You look after learning only. A fall while assigning is hidden by the learning that
    follows, so look after each step."""
    steps = elbo_of_each_step(x, R, assign, sweeps)[::2]
    return float(np.max(-np.diff(steps), initial=0.0))


def only_after_assigning(x, R, assign, sweeps):
    """You look after assigning only. Compare each step with the step just before it."""
    steps = elbo_of_each_step(x, R, assign, sweeps)[1::2]
    return float(np.max(-np.diff(steps), initial=0.0))


def with_a_minus(x, R, assign, sweeps):
    """This is the smallest rise. A fall counts as a positive number, and 0 means that
    there is none."""
    steps = elbo_of_each_step(x, R, assign, sweeps)
    return float(np.min(np.diff(steps)))


def from_highest_to_last(x, R, assign, sweeps):
    """You compare the highest ELBO with the last one. The ELBO may have fallen on the way
    and risen again."""
    steps = elbo_of_each_step(x, R, assign, sweeps)
    return float(steps.max() - steps[-1])


def falls_together(x, R, assign, sweeps):
    """You added up all the falls. Return the largest one."""
    steps = elbo_of_each_step(x, R, assign, sweeps)
    return float(np.sum(np.maximum(-np.diff(steps), 0)))


def always_the_right_rule(x, R, assign, sweeps):
    """Your function does not use the rule that it is given: it finds no fall where there is
    one."""
    return largest_fall(x, R, e_step, sweeps)


TRIALS = [
    (nine_petals(), random_start(6, 1), as_printed, 10),
    (nine_petals(), random_start(6, 2), as_printed, 10),
    (nine_petals(), random_start(6, 3), as_printed, 10),
    (nine_petals(), random_start(6, 4), certain_means, 20),
    (nine_petals(), random_start(6, 1), certain_weights, 60),
    (nine_petals(), random_start(3, 2), e_step, 20),
]

exercise_2 = Exercise(
    largest_fall,
    TRIALS,
    (
        once_a_sweep,
        only_after_assigning,
        with_a_minus,
        from_highest_to_last,
        falls_together,
        always_the_right_rule,
    ),
    hint="Append lecture.elbo(x, R, *parameters) to a list twice in each sweep: after "
    "learning, and once R is new. Then np.diff.",
    meaning="This test needs no right answer to compare with, only the ELBO.",
    further="put a slip of your own into m_step. In which steps does the ELBO fall now?",
)
