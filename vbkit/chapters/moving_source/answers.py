"""Two exercises on a source that moves, which wait for lecture 06b: reference answers, and the
mistakes that are recognised."""

import numpy as np

from vbkit.chapters.moving_source.tracking import errors, track
from vbkit.press.exercises import Exercise

# ---- 1. the best memory --------------------------------------------------------------------------


def _best(memories, speed, total):
    tracks = [track(memory, speed, 6.0) for memory in memories]
    totals = [float(total(*errors(run["centres"], run["truth"]))) for run in tracks]
    return memories[int(np.argmin(totals))], min(totals)


def best_of(memories, speed) -> tuple[float, float]:
    """Return the memory with the least root mean square error behind a target, and that error."""
    return _best(memories, speed, np.hypot)


def lag_alone(memories, speed):
    """You look at the lag alone. A short memory has little lag, but much noise."""
    return _best(memories, speed, lambda lag, noise: abs(lag))


def plain_sum(memories, speed):
    """Lag and noise do not add: the mean of a square is the squared mean plus the variance."""
    return _best(memories, speed, lambda lag, noise: lag + noise)


def mean_square(memories, speed):
    """This is the mean square error. The question asks for its root."""
    return _best(memories, speed, lambda lag, noise: lag**2 + noise**2)


def noise_not_squared(memories, speed):
    """You took the noise for a variance. It is a standard deviation: square it, too."""
    return _best(memories, speed, lambda lag, noise: np.sqrt(lag**2 + noise))


exercise_1 = Exercise(
    best_of,
    [((10.0, 80.0, 640.0), 1.0), ((400.0, 40.0, 2000.0), 0.1), ((40.0, 400.0), 3.0)],
    mistakes=(lag_alone, plain_sum, mean_square, noise_not_squared),
    hint="np.hypot(lag, noise) is the root of the sum of the squares.",
    meaning="The best memory balances lag against noise; the slower the target, the longer it is.",
    further="components that stand closer than 6. Does the best memory become shorter or longer?",
)  # fmt: skip

# ---- 2. the best memory, by theory ---------------------------------------------------------------


def _with_error(memory, speed, components):
    return memory, float(np.sqrt((speed * memory) ** 2 + components / (2 * memory)))


def best_memory(speed, components) -> tuple[float, float]:
    """Return the memory with the least error behind machines with known labels, and that error.

    The speed is in standard deviations per data point; each machine sends 1 / components of them.
    """
    return _with_error((components / (4 * speed**2)) ** (1 / 3), speed, components)


def lag_as_large_as_noise(speed, components):
    """You made lag and noise equally large. Their sum is least where its derivative is zero."""
    return _with_error((components / (2 * speed**2)) ** (1 / 3), speed, components)


def sum_of_the_roots(speed, components):
    """You made the sum of lag and noise least. Their squares add."""
    return _with_error((components / (8 * speed**2)) ** (1 / 3), speed, components)


def all_points_for_each(speed, components):
    """You gave every machine all points. Each centre learns from its own share of them."""
    return best_memory(speed, 1)


exercise_2 = Exercise(
    best_memory,
    [(0.001, 2), (0.0003, 5), (0.01, 3)],
    mistakes=(lag_as_large_as_noise, sum_of_the_roots, all_points_for_each),
    hint="The mean square error is v^2 m^2 + K / 2m. Where is its derivative zero?",
    meaning="A target ten times slower deserves 4.6 times the memory, and leaves half the error.",
    further="your memory on a stream. Is the noise larger than the lag?",
)
