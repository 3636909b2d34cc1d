"""Answers to the exercises of notebook 05a, and typical mistakes."""

import numpy as np

from vbkit.press.exercises import Exercise


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


exercise_2 = Exercise(
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
