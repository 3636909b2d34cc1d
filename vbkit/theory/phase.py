"""The coefficient of log N in F - N S of a Bernoulli mixture, and the phases that follow (Kaji 2011, chapter 5).

With N data and K components let a component hold N^gamma_k of them, and let the rarer value of its coordinate m occur N^delta_km
times among these (0 <= delta_km <= gamma_k <= 1). Stirling's formula in (5.3) leaves, but for terms of order 1 and for
N times the divergence of the fit from the truth,

    F - N S = [ K a - 1/2 + sum_k gamma_k (1/2 - a + M b) + (1/2 - b) sum_km delta_km ] log N.

VB takes the exponents that make this smallest among those whose misfit is o(log N). Theorem 5.1.1 has the
exponents 0 and 1 only, and in a component all delta_km alike. That leaves out:

  - cuts: an interior component is exactly the sum of its parts with x_m = 1 and x_m = 0, so a redundant component can
    take one of them over, at the price of one pinned coordinate each (a component with j - 1 pinned coordinates is cut the
    same way);
  - small vertices: a misfit of order 1 allows each pattern N^(1/2) data too many. Where no component of the truth is
    deterministic, a deterministic component can have gamma = 1/2, at half the price;
  - impurity: for the same reason a deterministic component may have delta = 1/2 where interior ones reach its
    neighbouring patterns; that pays for b > 1/2;
  - K >= 2^M: the 2^M vertices alone represent any truth. (From K = 2^(M-1) + 1 on a face with M - 1 interior
    coordinates and 2^(M-1) vertices represent an interior and a deterministic component; `predict` leaves that out.)

All this is for truths (and K) that are generic: other ways to represent them take more than the components there are. Where
K components have as many parameters as there are patterns, K (M + 1) >= 2^M, there may be others.
"""

from typing import NamedTuple

import numpy as np

from vbkit.checks import as_array, as_integer, as_matrix, as_positive

EXPONENTS = {
    "empty": 0.0,
    "small vertex": 0.5,
    "deterministic": 1.0,
    "interior": 1.0,
    "cut": 1.0,
    "vertices": 1.0,
}


class Phase(NamedTuple):
    """The coefficient of log N, and the state of each component beyond those of the truth: "empty", "interior" (a duplicate
    of an interior component), "deterministic" (of a deterministic one), "small vertex", "cut"; or "vertices", where
    all components are the vertices of the cube."""

    coefficient: float
    redundant: tuple[str, ...]


def coefficient(sizes, minorities, a: float, b: float) -> float:
    """Of log N in F - N S, where component k holds N^sizes[k] data (K,), and the rarer value of its coordinate m occurs
    N^minorities[k, m] times (K, M): 1 interior, 0 pinned. ValueError unless 0 <= minorities <= sizes <= 1."""
    gamma, delta = as_array("sizes", sizes, ndim=1), as_matrix("minorities", minorities)
    a, b, M = as_positive("a", a), as_positive("b", b), delta.shape[1]
    if (
        len(gamma) != len(delta)
        or (delta < 0).any()
        or (delta > gamma[:, None]).any()
        or (gamma > 1).any()
    ):
        raise ValueError(
            "sizes must be (K,) and minorities (K, M), with 0 <= minorities <= sizes <= 1"
        )
    return float(len(gamma) * a - 0.5 + gamma.sum() * (0.5 - a + M * b) + (0.5 - b) * delta.sum())


def predict(
    dimension: int, n_components: int, interior: int, deterministic: int, a: float, b: float
) -> Phase:
    """The phase of VB with `components` components, for a truth with this many interior and deterministic components."""
    M, K, extra = _check(dimension, n_components, interior, deterministic)
    a, b = as_positive("a", a), as_positive("b", b)
    g1, g2 = (M + 1) / 2 - a, 0.5 - a + M * b
    own = 0.5 - a + M * min(b, b / 2 + 0.25) if interior else g2
    prices = {"empty": 0.0}
    if interior:
        prices["interior"] = g1
    if deterministic:
        prices["deterministic"] = own
    else:
        prices["small vertex"] = g2 / 2
    rest = min(prices, key=prices.get)
    cuts = np.cumsum(
        [0]
        + [(M - j) / 2 + (j + 1) * b - a for j in range(1, 1 + (min(extra, M) if interior else 0))]
    )
    totals = cuts + (extra - np.arange(len(cuts))) * prices[rest]
    n = int(totals.argmin())
    base = K * a - 0.5
    best = Phase(
        float(base + interior * g1 + deterministic * own + totals[n]),
        ("cut",) * n + (rest,) * (extra - n),
    )
    if interior and K >= 2**M:
        other = base + 2**M * g2 + (K - 2**M) * min(0.0, g1, g2)
        if other < best.coefficient:
            return Phase(float(other), ("vertices",) * extra)
    return best


def theorem(
    dimension: int, n_components: int, interior: int, deterministic: int, a: float, b: float
) -> Phase:
    """What Theorems 5.1.1 and 5.1.2 state (on the lines, where they state nothing, as just below them in a)."""
    M, K, extra = _check(dimension, n_components, interior, deterministic)
    g1, g2 = (M + 1) / 2 - as_positive("a", a), 0.5 - a + M * as_positive("b", b)
    redundant = "empty" if min(g1, g2) >= 0 else "interior" if g1 < g2 else "deterministic"
    price = {"empty": 0.0, "interior": g1, "deterministic": g2}[redundant]
    total = interior * g1 + deterministic * g2 + extra * price + K * a - 0.5
    return Phase(float(total), (redundant,) * extra)


def phase_lines(
    dimension: int, interior: int, deterministic: int, a_max: float, b_max: float
) -> dict[tuple, np.ndarray]:
    """The lines between the phases of one redundant component, in 0 < a <= a_max, 0 < b <= b_max: each as its two ends
    (2, 2), (a, b) a row, by the names of the two phases. Figure 5.1 is the case with both kinds of components."""
    M, _, _ = _check(dimension, interior + deterministic, interior, deterministic)
    if not interior:
        lines = {("empty", "deterministic"): ((0.5, 0), (0.5 + M * b_max, b_max))}
    else:
        corner = ((M + 1) / 2, 0.5)
        second = "deterministic" if deterministic else "small vertex"
        last = "deterministic" if deterministic else "cut"
        lines = {
            ("empty", second): ((0.5, 0), corner),
            ("empty", "interior"): (corner, (corner[0], b_max)),
            (last, "interior"): (corner, (a_max, 0.5)),
        }
        if not deterministic:
            lines["small vertex", "cut"] = (corner, (M - 1.5, 0))
    return {names: np.array(ends, dtype=float) for names, ends in lines.items()}


def _check(dimension, n_components, interior, deterministic):
    M, interior = as_integer("dimension", dimension, 2), as_integer("interior", interior, 0)
    least = interior + as_integer("deterministic", deterministic, 0)
    if not least:
        raise ValueError("interior and deterministic are both 0; the truth must have a component")
    return M, as_integer("n_components", n_components, least), n_components - least
