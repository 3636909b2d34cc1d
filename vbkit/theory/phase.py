"""The phases of VB for Bernoulli mixtures and the coefficient of log N (Kaji 2011, chapter 5).

With N data and K components, let component k hold N^gamma_k of them, and let the rarer value of its
coordinate m occur N^delta_km times among these (0 <= delta_km <= gamma_k <= 1). Stirling's formula
in (5.3) leaves, but for terms of order 1 and for N times the divergence of the fit from the truth,

    F - N S = [ K a - 1/2 + sum_k gamma_k (1/2 - a + M b) + (1/2 - b) sum_km delta_km ] log N.

VB takes the exponents that make this smallest among those with a misfit of o(log N). Theorem 5.1.1
allows the exponents 0 and 1 only, with all delta_km of a component alike. That leaves out:

  - cuts: an interior component is exactly the sum of its parts with x_m = 1 and x_m = 0. A
    redundant component can take over one part, at the price of one pinned coordinate each; a
    component with j - 1 pinned coordinates is cut the same way;
  - small vertices: a misfit of order 1 allows each pattern N^(1/2) data too many. If no component
    of the truth is deterministic, a deterministic one can have gamma = 1/2, at half the price;
  - impurity: for the same reason a deterministic component may have delta = 1/2 where interior ones
    reach its neighbouring patterns; that pays for b > 1/2;
  - K >= 2^M: the 2^M vertices alone represent any truth. (From K = 2^(M-1) + 1 on, a face with
    M - 1 interior coordinates and 2^(M-1) vertices represent an interior and a deterministic
    component; `predict` leaves that out.)

All this holds for generic truths: other representations take more components than there are. Where
K components have as many parameters as there are patterns, K (M + 1) >= 2^M, there may be others.
"""

from typing import NamedTuple

import numpy as np

from vbkit.checks import as_array, as_integer, as_matrix, as_positive


class Phase(NamedTuple):
    """A phase: the coefficient of log N, and the state of each component beyond the truth's.

    The states are "empty", "interior" (a duplicate of an interior component), "deterministic" (of a
    deterministic one), "small vertex", "cut"; or "vertices", where all components are vertices.
    """

    coefficient: float
    redundant: tuple[str, ...]


def coefficient(sizes, minorities, a: float, b: float) -> float:
    """The coefficient of log N in F - N S, from the exponents of all counts.

    Component k holds N^sizes[k] data, sizes (K,). The rarer value of its coordinate m occurs
    N^minorities[k, m] times (K, M): 1 is interior, 0 pinned. Raises ValueError unless
    0 <= minorities <= sizes <= 1, and a, b > 0.
    """
    gamma, delta = as_array("sizes", sizes, ndim=1), as_matrix("minorities", minorities)
    a, b, M = as_positive("a", a), as_positive("b", b), delta.shape[1]
    fits = len(gamma) == len(delta) and (delta >= 0).all() and (gamma <= 1).all()
    if not fits or (delta > gamma[:, None]).any():
        raise ValueError(
            "sizes (K,), minorities (K, M): 0 <= minorities <= sizes <= 1 must hold"
        )
    return float(
        len(gamma) * a - 0.5 + gamma.sum() * (0.5 - a + M * b) + (0.5 - b) * delta.sum()
    )


def predict(
    dimension: int,
    n_components: int,
    interior: int,
    deterministic: int,
    a: float,
    b: float,
) -> Phase:
    """The phase of VB with K components, for a truth of `interior` and `deterministic` ones.

    Raises ValueError unless the dimension M is at least 2, the truth has 1 to K components, and
    a, b > 0.
    """
    M, K, extra, g1, g2 = _check(dimension, n_components, interior, deterministic, a, b)
    a, b = float(a), float(b)
    # The price of a deterministic one, impure or not:
    own = 0.5 - a + M * min(b, b / 2 + 0.25) if interior else g2
    prices = {"empty": 0.0}
    if interior:
        prices["interior"] = g1
    prices |= {"deterministic": own} if deterministic else {"small vertex": g2 / 2}
    rest = min(prices, key=prices.get)
    pinned = np.arange(1, 1 + (min(extra, M) if interior else 0))
    cuts = np.cumsum(
        [0, *((M - pinned) / 2 + (pinned + 1) * b - a)]
    )  # the price of 0, 1, ... cuts
    totals = cuts + (extra - np.arange(len(cuts))) * prices[rest]
    n = int(totals.argmin())
    base = K * a - 0.5
    value = float(base + interior * g1 + deterministic * own + totals[n])
    vertices = float(base + 2**M * g2 + (K - 2**M) * min(0.0, g1, g2))
    if interior and K >= 2**M and vertices < value:
        return Phase(vertices, ("vertices",) * extra)
    return Phase(value, ("cut",) * n + (rest,) * (extra - n))


def theorem(
    dimension: int,
    n_components: int,
    interior: int,
    deterministic: int,
    a: float,
    b: float,
) -> Phase:
    """The phase that Theorems 5.1.1 and 5.1.2 state; arguments and errors as for `predict`.

    On the lines, where they state nothing, it is the phase just below them in a.
    """
    _, K, extra, g1, g2 = _check(dimension, n_components, interior, deterministic, a, b)
    redundant = (
        "empty" if min(g1, g2) >= 0 else "interior" if g1 < g2 else "deterministic"
    )
    price = {"empty": 0.0, "interior": g1, "deterministic": g2}[redundant]
    total = interior * g1 + deterministic * g2 + extra * price + K * a - 0.5
    return Phase(float(total), (redundant,) * extra)


def phase_lines(
    dimension: int, interior: int, deterministic: int, a_max: float, b_max: float
) -> dict[tuple, np.ndarray]:
    """The lines between the phases of one redundant component, for 0 < a <= a_max, 0 < b <= b_max.

    The names of two phases -> the two ends (2, 2) of the line between them, (a, b) a row. Figure
    5.1 is the case with both kinds of components. Raises ValueError as `predict` does.
    """
    M, *_ = _check(
        dimension, interior + deterministic, interior, deterministic, a_max, b_max
    )
    corner = ((M + 1) / 2, 0.5)
    if not interior:
        lines = {("empty", "deterministic"): ((0.5, 0), (0.5 + M * b_max, b_max))}
    else:
        lines = {
            ("empty", "deterministic" if deterministic else "small vertex"): (
                (0.5, 0),
                corner,
            ),
            ("empty", "interior"): (corner, (corner[0], b_max)),
            ("deterministic" if deterministic else "cut", "interior"): (
                corner,
                (a_max, 0.5),
            ),
        }
        if not deterministic:
            lines["small vertex", "cut"] = (corner, (M - 1.5, 0))
    return {names: np.array(ends, dtype=float) for names, ends in lines.items()}


def _check(dimension, n_components, interior, deterministic, a, b):
    """M, K, the number of redundant components, and the prices of an interior and a deterministic
    one."""
    M, interior = (
        as_integer("dimension", dimension, 2),
        as_integer("interior", interior, 0),
    )
    least = interior + as_integer("deterministic", deterministic, 0)
    if not least:
        raise ValueError(
            "interior and deterministic are both 0; the truth must have a component"
        )
    K = as_integer("n_components", n_components, least)
    a, b = as_positive("a", a), as_positive("b", b)
    return M, K, K - least, (M + 1) / 2 - a, 0.5 - a + M * b
