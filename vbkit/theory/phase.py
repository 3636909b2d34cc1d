"""The phases of VB for Bernoulli mixtures and the coefficient of log N (Kaji 2011,
chapter 5).

Let the weights have the concentration alpha and every answer the pseudo-count beta (the
thesis's a and b). With N data and K components, let component k hold N^u_k of them, and
let the rarer value of its coordinate m occur N^v_km times among these
(0 <= v_km <= u_k <= 1). Stirling's formula in (5.3) leaves, but for terms of order 1 and
for N times the divergence of the fit from the truth,

    F - N S = [ K alpha - 1/2 + (1/2 - alpha + M beta) sum_k u_k
                              + (1/2 - beta) sum_km v_km ] log N.

VB takes the exponents that make this smallest among those with a misfit of o(log N).
Theorem 5.1.1 allows the exponents 0 and 1 only, with all v_km of a component alike.
That leaves out:

  - cuts: an interior component is exactly the sum of its parts with x_m = 1 and with
    x_m = 0. A redundant component can take over one part, at the price of one pinned
    coordinate each; a component with j - 1 pinned coordinates is cut the same way;
  - small vertices: a misfit of order 1 allows each pattern N^(1/2) data too many. If no
    component of the truth is deterministic, a deterministic one can have u = 1/2,
    at half the price;
  - impurity: for the same reason a deterministic component may have v = 1/2 where
    interior ones reach its neighbouring patterns; that pays for beta > 1/2;
  - K >= 2^M: the 2^M vertices alone represent any truth. (From K = 2^(M-1) + 1 on, a
    face with M - 1 interior coordinates and 2^(M-1) vertices represent an interior and
    a deterministic component; `predict` leaves that out.)

All this holds for generic truths: other representations take more components than there
are. Where K components have as many parameters as there are patterns, K (M + 1) >= 2^M,
there may be others.
"""

from typing import NamedTuple

import numpy as np

from vbkit.checks import as_array, as_integer, as_matrix, as_positive


class Phase(NamedTuple):
    """A phase: the coefficient of log N, and the state of each component beyond the
    truth's.

    The states are "empty", "interior" (a duplicate of an interior component),
    "deterministic" (of a deterministic one), "small vertex", "cut"; or "vertices",
    where all components are vertices.
    """

    coefficient: float
    redundant: tuple[str, ...]


def coefficient(sizes, minorities, concentration: float, pseudo_count: float) -> float:
    """The coefficient of log N in F - N S, from the exponents of all counts.

    Component k holds N^sizes[k] data, sizes (K,). The rarer value of its coordinate m
    occurs N^minorities[k, m] times (K, M): 1 is interior, 0 pinned. Raises ValueError
    unless 0 <= minorities <= sizes <= 1, and concentration, pseudo_count > 0.
    """
    sizes = as_array("sizes", sizes, ndim=1)
    minorities = as_matrix("minorities", minorities)
    concentration = as_positive("concentration", concentration)
    pseudo_count = as_positive("pseudo_count", pseudo_count)
    K = len(sizes)
    M = minorities.shape[1]
    fits = K == len(minorities) and (minorities >= 0).all() and (sizes <= 1).all()
    if not fits or (minorities > sizes[:, None]).any():
        raise ValueError(
            "sizes (K,), minorities (K, M): 0 <= minorities <= sizes <= 1 must hold"
        )
    price_of_sizes = sizes.sum() * (0.5 - concentration + M * pseudo_count)
    price_of_minorities = (0.5 - pseudo_count) * minorities.sum()
    return float(K * concentration - 0.5 + price_of_sizes + price_of_minorities)


def predict(
    dimension: int,
    n_components: int,
    interior: int,
    deterministic: int,
    concentration: float,
    pseudo_count: float,
) -> Phase:
    """The phase of VB with K components, of which the truth needs `interior` mixed and
    `deterministic` pinned ones.

    Raises ValueError unless the dimension M is at least 2, the truth has 1 to K
    components, and concentration, pseudo_count > 0.
    """
    M, K, extra = _check_truth(dimension, n_components, interior, deterministic)
    concentration = as_positive("concentration", concentration)
    pseudo_count = as_positive("pseudo_count", pseudo_count)
    interior_price = price_of_interior(M, concentration)
    vertex_price = price_of_deterministic(M, concentration, pseudo_count)
    if interior:  # a deterministic component may be impure: v = 0 or 1/2
        deterministic_price = (
            0.5 - concentration + M * min(pseudo_count, pseudo_count / 2 + 0.25)
        )
    else:
        deterministic_price = vertex_price

    prices = {"empty": 0.0}  # of one redundant component
    if interior:
        prices["interior"] = interior_price
    if deterministic:
        prices["deterministic"] = deterministic_price
    else:
        prices["small vertex"] = vertex_price / 2
    cheapest = min(prices, key=prices.get)

    # The first n redundant components are cuts, the others of the cheapest kind.
    cuts = prices_of_cuts(
        M, min(extra, M) if interior else 0, concentration, pseudo_count
    )
    totals = cuts + (extra - np.arange(len(cuts))) * prices[cheapest]
    n = int(totals.argmin())
    base = K * concentration - 0.5
    needed = base + interior * interior_price + deterministic * deterministic_price
    value = float(needed + totals[n])

    if interior and K >= 2**M:
        rest = (K - 2**M) * min(0.0, interior_price, vertex_price)
        all_vertices = float(base + 2**M * vertex_price + rest)
        if all_vertices < value:
            return Phase(all_vertices, ("vertices",) * extra)
    return Phase(value, ("cut",) * n + (cheapest,) * (extra - n))


def price_of_interior(M: int, concentration: float) -> float:
    """What an interior component adds to the coefficient, with u = v = 1."""
    return (M + 1) / 2 - concentration


def price_of_deterministic(M: int, concentration: float, pseudo_count: float) -> float:
    """What a deterministic component adds to the coefficient, with u = 1 and
    v = 0."""
    return 0.5 - concentration + M * pseudo_count


def prices_of_cuts(
    M: int, most: int, concentration: float, pseudo_count: float
) -> np.ndarray:
    """What 0, 1, ..., `most` cuts of an interior component add to the coefficient.

    The j-th cut halves a component with j - 1 pinned coordinates: both parts have j of
    them. Returns (most + 1,).
    """
    pinned = np.arange(1, 1 + most)
    one_cut = (M - pinned) / 2 + (pinned + 1) * pseudo_count - concentration
    return np.cumsum(np.concatenate([[0.0], one_cut]))


def theorem(
    dimension: int,
    n_components: int,
    interior: int,
    deterministic: int,
    concentration: float,
    pseudo_count: float,
) -> Phase:
    """The phase that Theorems 5.1.1 and 5.1.2 state.

    Arguments and errors are those of `predict`. On the lines, where they state nothing,
    it is the phase just below them in the concentration.
    """
    M, K, extra = _check_truth(dimension, n_components, interior, deterministic)
    concentration = as_positive("concentration", concentration)
    pseudo_count = as_positive("pseudo_count", pseudo_count)
    interior_price = price_of_interior(M, concentration)
    deterministic_price = price_of_deterministic(M, concentration, pseudo_count)
    if min(interior_price, deterministic_price) >= 0:
        redundant = "empty"
        price = 0.0
    elif interior_price < deterministic_price:
        redundant = "interior"
        price = interior_price
    else:
        redundant = "deterministic"
        price = deterministic_price
    needed = interior * interior_price + deterministic * deterministic_price
    total = needed + extra * price + K * concentration - 0.5
    return Phase(float(total), (redundant,) * extra)


def phase_lines(
    dimension: int,
    interior: int,
    deterministic: int,
    max_concentration: float,
    max_pseudo_count: float,
) -> dict[tuple, np.ndarray]:
    """The lines between the phases of one redundant component, for concentrations
    up to max_concentration and pseudo-counts up to max_pseudo_count.

    The names of two phases -> the two ends (2, 2) of the line between them, a row
    (concentration, pseudo_count). Figure 5.1 is the case with both kinds of components.
    Raises ValueError as `predict` does.
    """
    all_needed = interior + deterministic
    M, _, _ = _check_truth(dimension, all_needed, interior, deterministic)
    as_positive("concentration", max_concentration)
    as_positive("pseudo_count", max_pseudo_count)
    origin = (0.5, 0)
    corner = ((M + 1) / 2, 0.5)
    if not interior:
        far = (0.5 + M * max_pseudo_count, max_pseudo_count)
        return {("empty", "deterministic"): np.array([origin, far], dtype=float)}
    vertex = "deterministic" if deterministic else "small vertex"
    part = "deterministic" if deterministic else "cut"
    lines = {
        ("empty", vertex): (origin, corner),
        ("empty", "interior"): (corner, (corner[0], max_pseudo_count)),
        (part, "interior"): (corner, (max_concentration, 0.5)),
    }
    if not deterministic:
        lines["small vertex", "cut"] = (corner, (M - 1.5, 0))
    return {names: np.array(ends, dtype=float) for names, ends in lines.items()}


def _check_truth(
    dimension, n_components, interior, deterministic
) -> tuple[int, int, int]:
    """M, K, and the number of components beyond the truth's."""
    M = as_integer("dimension", dimension, 2)
    interior = as_integer("interior", interior, 0)
    deterministic = as_integer("deterministic", deterministic, 0)
    if not interior + deterministic:
        raise ValueError(
            "interior and deterministic are both 0; the truth must have a component"
        )
    K = as_integer("n_components", n_components, interior + deterministic)
    return M, K, K - interior - deterministic
