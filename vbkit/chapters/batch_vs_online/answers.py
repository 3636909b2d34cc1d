"""Answers to the exercises of notebook 05, and typical mistakes."""

import numpy as np

from vbkit.chapters.batch_vs_online.methods import draw
from vbkit.chapters.models import sato_mixture
from vbkit.learning import fit_batch, init_gaussian
from vbkit.press.exercises import Exercise

POINTS = draw()


def memory_from_definition(forgotten) -> float:
    """Return 1 / eta (Sato 2000, 3.6), the sum of the weights of all data so far.

    forgotten: the shares of the past 1 - lambda (n,) that the steps forget.
    """
    return float(1 + np.cumprod((1 - np.asarray(forgotten))[::-1]).sum())


def without_the_newest(forgotten):
    """The newest data point counts, too. What is its weight?"""
    return memory_from_definition(forgotten) - 1


def oldest_first(forgotten):
    """Walk back from the newest: the data point just before it has met one step, the last."""
    return 1 + np.cumprod(1 - np.asarray(forgotten)).sum()


def forgotten_as_factors(forgotten):
    """The numbers given are 1 - lambda, what is lost at a step. What is kept?"""
    return 1 + np.cumprod(np.asarray(forgotten)[::-1]).sum()


exercise_1 = Exercise(
    memory_from_definition,
    [(np.array(d),) for d in ([0.01], [0.1, 0.05, 0.02], [0.08, 0.01, 0.03, 0.06], [])],
    mistakes=(without_the_newest, oldest_first, forgotten_as_factors),
    hint="Write the sum out for three data points. Which factors does the oldest one carry?",
    meaning="One over your number is the learning rate: it follows from forgetting alone.",
    further="forget a hundredth at every step, for more and more data. Where does the memory stop?",
)


def elbos(points, most: int, starts: int, prior_strength: float = 1.0) -> list:
    """ELBOs of batch VB with isotropic components: a list of `starts` for each number of them."""
    rng, found = np.random.default_rng(0), []
    for n_components in range(1, most + 1):
        mixture = sato_mixture(points, n_components, "isotropic", prior_strength)
        begin = [
            init_gaussian(mixture, points, n_components, rng) for _ in range(starts)
        ]
        found.append(
            [fit_batch(mixture, points, S, tolerance=1e-3).elbo for S in begin]
        )
    return found


def best_number(points, most: int, starts: int) -> int:
    """Return the number of isotropic components, 1 to `most`, with the highest ELBO of batch VB."""
    return 1 + int(np.argmax([max(runs) for runs in elbos(points, most, starts)]))


def counted_from_zero(points, most, starts):
    """Python counts from 0. Which number of components stands first in your list?"""
    return best_number(points, most, starts) - 1


def prior_of_the_report(points, most, starts):
    """You seem to have taken the prior of the report. Here gamma0 is 1, a hundred times as much."""
    return 1 + int(np.argmax([max(runs) for runs in elbos(points, most, starts, 0.01)]))


def last_start_alone(points, most, starts):
    """You seem to judge each number by one of its starts. A single run may be stuck."""
    return 1 + int(np.argmax([runs[-1] for runs in elbos(points, most, starts)]))


def more_is_better(points, most, starts):
    """This is always the largest number. Do you compare fits, or ELBOs?"""
    return most


exercise_2 = Exercise(
    best_number,
    [(POINTS["A"][:80], 4, 2), (POINTS["B"][:100], 4, 3), (POINTS["B"][:200], 4, 4)],
    mistakes=(counted_from_zero, prior_of_the_report, last_start_alone, more_is_better),
    hint="Make one mixture for each number of components, with gamma0 = 1. Compare the best runs.",
    meaning="You have chosen a model by its ELBO, with no test data set aside.",
    further="gamma0 = 0.01, on all of A and of B. Which term of the ELBO moves the peak?",
)


def units_of_the_clock(rho, left) -> tuple[float, float]:
    """Return how far the clock of online VB must advance for what one batch pass does, which leaves
    the share rho of the way to the end, and until only the share `left` is left."""
    return np.log(1 / rho) / (1 - rho), np.log(1 / left) / (1 - rho)


def what_a_unit_leaves(rho, left):
    """This is what one unit leaves of the way. How many units leave as much as a batch pass?"""
    return np.exp(rho - 1), np.exp(rho - 1)


def passes_per_unit(rho, left):
    """These are the batch passes that a unit is worth. Turn the ratio round."""
    return (1 - rho) / np.log(1 / rho), (1 - rho) / np.log(1 / left)


def straight_to_the_end(rho, left):
    """You let the logarithm of what is left fall by 1 per unit. It falls by 1 - rho: a batch pass
    does not go all the way."""
    return np.log(1 / rho), np.log(1 / left)


def in_batch_passes(rho, left):
    """Value 1 is right. Value 2 is in batch passes, each of which leaves rho. What does the clock
    show?"""
    return np.log(1 / rho) / (1 - rho), np.log(left) / np.log(rho)


exercise_3 = Exercise(
    units_of_the_clock,
    [(0.9, 0.1), (0.5, 0.01), (0.1, 0.5), (0.99, 0.001)],
    mistakes=(
        what_a_unit_leaves,
        passes_per_unit,
        straight_to_the_end,
        in_batch_passes,
    ),
    hint="After a unit of the clock e^(-(1 - rho)) is left, after two units the square of it.",
    meaning="With rho near 1 a unit is a pass. Where a pass goes far, the clock exaggerates.",
    further="0.8 and 0.85 for rho. Between them lies the answer to the last question.",
)
