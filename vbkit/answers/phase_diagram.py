"""Answers to the exercises of notebook 08."""

from __future__ import annotations

import numpy as np

from vbkit.binary import Truth
from vbkit.theory import coefficient, solve, structured_starts


def price(size, minorities, a: float, b: float) -> float:
    """What a component with N^size data adds to the coefficient of log N, where the rarer value of its coordinate m occurs
    N^minorities[m] times (M,)."""
    one = coefficient([size], [minorities], a, b)
    return one - (a - 0.5)


def smallest_exponent(truth: Truth, n_components: int, total: float, a: float, b: float) -> float:
    """log N_min / log N of the lowest minimum over the structured starts: N_min is the smallest component's count."""
    _, starts = structured_starts(truth, n_components, total)
    found = solve(total * truth.probabilities(), starts, a, b)
    S = found.S[found.free_energy.argmin()]
    return float(np.log(S[:, 0].min()) / np.log(total))


def cut_price(dimension: int, cut: int, a: float, b: float) -> float:
    """By how much the `cut`-th cut of an interior component raises the coefficient: a component with cut - 1 pinned
    coordinates becomes two with `cut` of them."""

    def cost(*pinned):
        return sum(price(1.0, [0.0] * n + [1.0] * (dimension - n), a, b) for n in pinned)

    return cost(cut, cut) - cost(cut - 1)
