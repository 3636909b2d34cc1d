"""Where functions change from true to false, many at once."""

import numpy as np


def bisect(below, low, high, steps: int) -> np.ndarray:
    """Where `below`, a function of arrays that is True up to some place between low and high (...) and False from there
    on, changes: for each entry, after so many halvings."""
    for _ in range(steps):
        middle = (low + high) / 2
        first = below(middle)
        low, high = np.where(first, middle, low), np.where(first, high, middle)
    return (low + high) / 2
