"""Answers to the exercises of notebook 08."""

import numpy as np

from vbkit.binary import Truth
from vbkit.theory import coefficient, solve, structured_starts


def price(size, minorities, a: float, b: float) -> float:
    """Return what a component with N^size data adds to the coefficient of log N.

    The rarer value of its coordinate m occurs N^minorities[m] times (M,).
    """
    return coefficient([size], [minorities], a, b) - (a - 0.5)


def smallest_exponent(truth: Truth, n_components: int, total: float, a: float, b: float) -> float:
    """Return log N_min / log N of the lowest minimum over the structured starts.

    N_min is the count of the smallest component.
    """
    _, starts = structured_starts(truth, n_components, total)
    ends = solve(total * truth.probabilities(), starts, a, b)
    S = ends.S[ends.free_energy.argmin()]
    return float(np.log(S[:, 0].min()) / np.log(total))


def cut_price(dimension: int, cut: int, a: float, b: float) -> float:
    """Return by how much the `cut`-th cut of an interior component raises the coefficient.

    A component with cut - 1 pinned coordinates becomes two with `cut` pinned coordinates each.
    """
    before = price(1.0, [0.0] * (cut - 1) + [1.0] * (dimension - cut + 1), a, b)
    after = price(1.0, [0.0] * cut + [1.0] * (dimension - cut), a, b)
    return 2 * after - before
