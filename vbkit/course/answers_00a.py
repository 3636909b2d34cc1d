"""Answers to the exercises of lecture 00a, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.course.bolts import GUESS, LENGTHS, every_labelling
from vbkit.press.exercises import Exercise

# ---- 1. the vote for two bolts -------------------------------------------------------


def same_machine(probability, labellings, i, j):
    """Return the probability that bolts i and j came from the same machine."""
    together = labellings[:, i] == labellings[:, j]
    return probability @ together


def both_from_machine_0(probability, labellings, i, j):
    """You counted only the labellings in which both bolts carry the label 0. They are
    together as well if both carry the label 1."""
    together = (labellings[:, i] == 0) & (labellings[:, j] == 0)
    return probability @ together


def every_vote_alike(probability, labellings, i, j):
    """You gave every labelling the same vote. A vote counts as much as its labelling is
    probable."""
    return np.mean(labellings[:, i] == labellings[:, j])


def as_if_independent(probability, labellings, i, j):
    """You multiplied the probabilities of two labels, as if they were independent. That is
    how q has to do it; the labellings know better."""
    first = probability @ labellings[:, i]
    second = probability @ labellings[:, j]
    return first * second + (1 - first) * (1 - second)


def on_different_machines(probability, labellings, i, j):
    """This is the probability that the two bolts came from different machines."""
    return 1 - same_machine(probability, labellings, i, j)


def draw_vote(rng):
    """Draw probabilities of all labellings of four bolts, and two of the bolts."""
    labellings = every_labelling(4)
    i, j = rng.choice(4, size=2, replace=False)
    return rng.dirichlet(np.ones(len(labellings))), labellings, int(i), int(j)


exercise_1 = Exercise(
    same_machine,
    draw_vote,
    (both_from_machine_0, every_vote_alike, as_if_independent, on_different_machines),
    hint="Compare two columns of labellings; then add up the probabilities of the rows "
    "in which they agree.",
    meaning="This one line answers every question about pairs of bolts.",
    further="ask for three bolts: are all of them from one machine?",
)


# ---- 2. the simplified sweep for any width -------------------------------------------


def simple_sweep(x, r, sd):
    """Return the left machine's responsibilities (N,) after one simplified sweep."""
    left = r @ x / r.sum()
    right = (1 - r) @ x / (1 - r).sum()
    nearer = np.exp(-((x - left) ** 2) / (2 * sd**2))
    farther = np.exp(-((x - right) ** 2) / (2 * sd**2))
    return nearer / (nearer + farther)


def always_one(x, r, sd):
    """Your sweep gives the same for every sd. Distances count in units of sd."""
    return simple_sweep(x, r, 1.0)


def not_squared(x, r, sd):
    """You divided by sd where it must be its square."""
    return simple_sweep(x, r, np.sqrt(sd))


def of_the_right_machine(x, r, sd):
    """These are the responsibilities of the right machine."""
    return 1 - simple_sweep(x, r, sd)


def not_divided(x, r, sd):
    """This is how well the left machine explains each bolt. Divide by the total of the two
    machines, so that the responsibilities for a bolt add up to one."""
    left = r @ x / r.sum()
    return np.exp(-((x - left) ** 2) / (2 * sd**2))


exercise_2 = Exercise(
    simple_sweep,
    [(LENGTHS, GUESS, sd) for sd in (1.0, 0.6, 2.0)],
    (always_one, not_squared, of_the_right_machine, not_divided),
    hint="Take the loop of section 4; its exponent is divided by the square of sd.",
    meaning="The narrower the machines, the faster they separate, and the surer they are.",
    further="find the sd at which the bolt at 0.2 ends up divided most evenly.",
)
