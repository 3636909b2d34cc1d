"""Answers to the exercises of lecture 05b, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.course.sato import draw, ends_of_circles
from vbkit.press.exercises import Exercise

POINTS = draw()

# ---- 1. from how many points on ------------------------------------------------------


def first_size(gain, numbers, constant, half=0.5, log=np.log):
    """Return the smallest N from 2 on at which a gain in proportion to N exceeds the cost."""
    N = 2
    while gain * N <= half * numbers * log(N) + constant:
        N += 1
    return N


def points_needed(gain, numbers, constant):
    """Return from how many points on a component with so many unknown numbers pays."""
    return first_size(gain, numbers, constant)


def half_forgotten(gain, numbers, constant):
    """You let each number cost log N. Only half of it is needed, because a posterior
    becomes narrower like one over the square root of N."""
    return first_size(gain, numbers, constant, half=1.0)


def powers_of_ten(gain, numbers, constant):
    """You seem to take logarithms to the base ten. Nats are natural logarithms."""
    return first_size(gain, numbers, constant, log=np.log10)


def constant_forgotten(gain, numbers, constant):
    """The constant is missing. It is part of what the component costs."""
    return first_size(gain, numbers, 0.0)


def one_too_few(gain, numbers, constant):
    """At this size the component does not pay yet. You stop one point too early."""
    return first_size(gain, numbers, constant) - 1


exercise_1 = Exercise(
    points_needed,
    [(0.19, 6, 7.0), (0.042, 6, 5.0), (0.2, 4, 3.0), (1.0, 2, 5.0)],
    (half_forgotten, powers_of_ten, constant_forgotten, one_too_few),
    hint="Let N grow from 2 on, and stop at the first N where the gain exceeds the cost.",
    meaning="A component with a small gain per point needs many points.",
    further="a gain ten times as small. Do ten times as many points suffice?",
)

# ---- 2. circles in place of ellipses -------------------------------------------------


def ends(points, most, starts, prior_strength=1.0):
    """Return the ELBOs (most, starts) of all starts, for each number of components."""
    return ends_of_circles(points, range(1, most + 1), starts, prior_strength, 1e-3)


def best_number(points, most, starts):
    """Return at which number of circles the highest ELBO of all starts is highest."""
    highest = ends(points, most, starts).max(axis=1)
    return int(highest.argmax()) + 1


def counted_from_zero(points, most, starts):
    """Python counts from 0. Which number of components stands first in your list?"""
    return best_number(points, most, starts) - 1


def weaker_prior(points, most, starts):
    """You seem to have taken the prior of the lecture. Here it is worth a whole point."""
    highest = ends(points, most, starts, prior_strength=0.01).max(axis=1)
    return int(highest.argmax()) + 1


def last_start_alone(points, most, starts):
    """You seem to judge each number by one of its starts. A single run may end in a local
    optimum."""
    last = ends(points, most, starts)[:, -1]
    return int(last.argmax()) + 1


def more_is_better(points, most, starts):
    """This is always the largest number. Do you compare fits, or ELBOs?"""
    return most


exercise_2 = Exercise(
    best_number,
    [(POINTS["A"][:80], 4, 2), (POINTS["B"][:100], 4, 3), (POINTS["B"][:200], 4, 4)],
    (counted_from_zero, weaker_prior, last_start_alone, more_is_better),
    hint="Make one mixture for each number of components. Compare the highest ELBOs.",
    meaning="You have chosen a number by the ELBO, with no test data set aside.",
    further="a prior that is worth 0.01 points, on all of A. Why does the number fall?",
)

# ---- 3. the exact cost of a mean -----------------------------------------------------


def cost_of_mean(x, s):
    """Return the log likelihood at the average less the log evidence, for bolts of standard
    deviation 1 and a Gaussian prior of their mean around 0 with standard deviation s."""
    x = np.asarray(x, float)
    ratio = 1 + len(x) * s**2
    return np.log(ratio) / 2 + len(x) * x.mean() ** 2 / (2 * ratio)


def width_only(x, s):
    """You have the narrowing of the posterior. But the average is not at 0, where the prior
    is highest, and this costs something, too."""
    return np.log(1 + len(x) * s**2) / 2


def not_squared(x, s):
    """In 1 + N s^2 the variance of the prior belongs, not its standard deviation."""
    return cost_of_mean(x, np.sqrt(s))


def best_fit_forgotten(x, s):
    """This is minus the log evidence itself. Add the log likelihood at the average."""
    x = np.asarray(x, float)
    likelihood = -np.sum((x - x.mean()) ** 2) / 2 - len(x) * np.log(2 * np.pi) / 2
    return cost_of_mean(x, s) - likelihood


def root_forgotten(x, s):
    """A width is the root of a variance, so the logarithm of 1 + N s^2 is halved."""
    return cost_of_mean(x, s) + width_only(x, s)


exercise_3 = Exercise(
    cost_of_mean,
    [
        (np.array([0.5, -1.0, 2.0]), 1.5),
        (np.array([3.0]), 2.0),
        (np.linspace(1, 3, 40), 5.0),
        (np.zeros(10), 1.0),
    ],
    (width_only, not_squared, best_fit_forgotten, root_forgotten),
    hint="Complete the square in the mean. The integral over a bell is its height times "
    "the square root of 2 pi times its width.",
    meaning="For large N the cost is half of log N, plus log s, plus what the prior has "
    "against the average.",
    further="s = 10 and s = 1,000. Which of the two priors is the more modest claim?",
)
