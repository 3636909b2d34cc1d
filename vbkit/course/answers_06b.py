"""Answers to the exercises of lecture 06b, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.course.moving_source import errors, track
from vbkit.press.exercises import Exercise

# ---- 1. the best memory, by trying ---------------------------------------------------


def _best(memories, speed, distance, total):
    """Return the memory with the least `total` of lag and noise, and that total."""
    totals = []
    for memory in memories:
        lag, noise = errors(track(memory, speed, distance))
        totals.append(float(total(lag, noise)))
    best = int(np.argmin(totals))
    return memories[best], totals[best]


def best_of(memories, speed: float, distance: float):
    """Return the memory with the least error behind two machines, and that error in widths."""
    return _best(memories, speed, distance, np.hypot)


def lag_alone(memories, speed, distance):
    """You look at the lag alone. A short memory has little lag, but much noise."""
    return _best(memories, speed, distance, lambda lag, noise: abs(lag))


def plain_sum(memories, speed, distance):
    """Lag and noise do not add: the mean of a square is the squared mean plus the variance."""
    return _best(memories, speed, distance, lambda lag, noise: lag + noise)


def noise_not_squared(memories, speed, distance):
    """You took the noise for a variance. It is a standard deviation: square it, too."""
    return _best(memories, speed, distance, lambda lag, noise: np.sqrt(lag**2 + noise))


exercise_1 = Exercise(
    best_of,
    [
        ((10.0, 80.0, 640.0), 1.0, 6.0),
        ((20.0, 60.0, 250.0), 0.5, 3.0),
        ((40.0, 400.0), 3.0, 6.0),
    ],
    mistakes=(lag_alone, plain_sum, noise_not_squared),
    hint="np.hypot(lag, noise) is the root of the sum of the squares.",
    meaning="The best memory balances lag against noise.",
    further="distances from 6 down to 3. Does the best memory become shorter or longer?",
)

# ---- 2. the best memory, by theory ---------------------------------------------------


def _with_error(memory, speed, machines, factor):
    """Return a memory, and the error of `machines` components that are late by `factor`."""
    square = (factor * speed * memory) ** 2 + machines / (2 * memory)
    return memory, float(np.sqrt(square))


def best_memory(speed: float, machines: int, factor: float):
    """Return the memory (bolts) with the least error behind machines, and that error.

    speed: widths in one bolt. Each machine makes 1 / machines of the bolts. factor: by which
    hidden labels lengthen the lag.
    """
    memory = (machines / (4 * (factor * speed) ** 2)) ** (1 / 3)
    return _with_error(memory, speed, machines, factor)


def lag_as_large_as_noise(speed, machines, factor):
    """You made lag and noise equally large. Their sum of squares is least where its derivative is
    zero."""
    memory = (machines / (2 * (factor * speed) ** 2)) ** (1 / 3)
    return _with_error(memory, speed, machines, factor)


def all_bolts_for_each(speed, machines, factor):
    """You gave every component all bolts. Each mean learns from its machine's share of them."""
    return best_memory(speed, 1, factor)


def noise_lengthened_too(speed, machines, factor):
    """You increased the noise as well. The factor is for the lag alone."""
    memory = (machines / (4 * speed**2)) ** (1 / 3)
    square = factor**2 * ((speed * memory) ** 2 + machines / (2 * memory))
    return memory, float(np.sqrt(square))


exercise_2 = Exercise(
    best_memory,
    [(0.001, 2, 1.5), (0.0003, 5, 2.0), (0.0005, 3, 7.4)],
    mistakes=(lag_as_large_as_noise, all_bolts_for_each, noise_lengthened_too),
    hint="The squared error is (c v tau)^2 + K / (2 tau). Where is its derivative zero?",
    meaning="A lag eight times as long asks for a quarter of the memory.",
    further="the memories that you found in exercise 1.",
)
