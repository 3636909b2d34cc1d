"""The one bisection: where conditions change from true to false, many at once."""

import numpy as np


def bisect(below, low, high, steps: int) -> np.ndarray:
    """Halve the brackets between `low` and `high` (...) `steps` times; return their middles (...).

    below: a function of positions (...) that is True up to some place in each bracket and False
    from there on.
    """
    for _ in range(steps):
        middle = (low + high) / 2
        first = below(middle)
        low, high = np.where(first, middle, low), np.where(first, high, middle)
    return (low + high) / 2
