"""Other orders of a stream, a stream that moves, and what becomes of the counts of copies."""

import numpy as np

from vbkit.course.stream import SIZE, Stream, Truth
from vbkit.learning import Schedule, accumulation

ORDERS = ("random", "ascending", "machine by machine", "random, machines move")
DISTANCE = 6.0  # by which the machines of a moving stream move


def in_order(stream: Stream, order: str) -> np.ndarray:
    """Return the data (3000, 1) of a stream in one of ORDERS."""
    keys = {"ascending": stream.data[:, 0], "machine by machine": stream.labels}
    key = keys.get(order, np.arange(SIZE))
    data = stream.data[key.argsort(kind="stable")]
    return data + shift_after(order, np.arange(SIZE))[:, None]


def shift_after(order: str, n):
    """Return how far the machines have moved after n data points: from -3 to 3, or 0."""
    moving = order == ORDERS[-1]
    return (DISTANCE * n / SIZE - DISTANCE / 2) * moving


def truth_at_the_end(order: str, truth: Truth) -> Truth:
    """Return where the machines are when the stream ends."""
    return truth._replace(means=truth.means + shift_after(order, SIZE))


def rule_of(memory: int) -> Schedule:
    """Return how statistics are added up: all, or the last `memory` data points."""
    if memory:
        return Schedule(0.0, 1 / memory, 0.0)
    return accumulation()


def counts_of_copies(counts, concentration, parameters, data) -> np.ndarray:
    """Return the counts (K,) of copies after `data` more data points at their place.

    They follow dn_k = (n_k - c) / sum_j (n_j - c) with c = (parameters + 1) / 2 -
    concentration; all counts must be above c.
    """
    counts = np.asarray(counts, float)
    free = counts - ((parameters + 1) / 2 - concentration)
    return counts + data * free / free.sum()


def remembered(counts, concentration, parameters, data) -> np.ndarray:
    """Return the counts (K,) of `counts_of_copies` if all but the last sum(counts) data
    points fade.

    The total stays at the memory, and n_k - memory / K grows at the rate
    c K / (memory (memory - c K)).
    """
    counts = np.asarray(counts, float)
    c = (parameters + 1) / 2 - concentration
    memory = counts.sum()
    equal = memory / len(counts)
    lost = c * len(counts)
    rate = lost / (memory * (memory - lost))
    return equal + (counts - equal) * np.exp(rate * data)
