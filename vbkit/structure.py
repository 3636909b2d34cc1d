"""Moves of structure: for now the two halves of a unit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vbkit.checks import as_whole
from vbkit.families.base import ROUNDING
from vbkit.mixture import Mixture


class Halves(NamedTuple):
    """The states (P,) of the two halves of a unit; they add up to the unit's own statistics."""

    first: np.ndarray
    second: np.ndarray


def split_halves(mixture: Mixture, X, S, unit: int, weights=None) -> Halves:
    """Split one unit of any family by the side on which a datum lies along the unit's principal direction.

    The direction is the leading eigenvector of the covariance of X under the unit's responsibilities; the halves are
    (r side).T @ statistics and the rest, so no statistic is lost. Raises ValueError if there is no such unit, or if
    fewer than two distinct data belong to it.
    """
    data, S = mixture.observe(X, weights), mixture.check_state(S)
    if as_whole("unit", unit, 0) >= len(S):
        raise ValueError(f"unit is {unit}; the state has units 0 to {len(S) - 1}")
    r = mixture.responsibilities(data, S)[:, unit] * (1 if data.weights is None else data.weights)
    if not r.any():
        raise ValueError(f"unit {unit} holds no data, so it has no halves")
    deviation = data.X - r @ data.X / r.sum()
    spread, directions = np.linalg.eigh((r[:, None] * deviation).T @ deviation)
    if spread[-1] <= ROUNDING * (r @ data.X**2).sum():
        raise ValueError(f"unit {unit} holds no two distinct data, so it has no halves")
    side = deviation @ directions[:, -1] > 0
    T = mixture.component.statistics(data.X)
    return Halves((r * side) @ T, (r * ~side) @ T)
