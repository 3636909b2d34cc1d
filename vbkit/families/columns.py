"""Columns of different kinds, independent within a component, with cells that may be missing."""

from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import as_array, as_instance, checked
from vbkit.families.base import Family


class ColumnsParameters(NamedTuple):
    """The parameters of each column's own family, one after another."""

    columns: tuple[NamedTuple, ...]


def _as_columns(name: str, value) -> tuple[Family, ...]:
    if not isinstance(value, tuple | list) or not len(value):
        raise ValueError(
            f"{name} is {value!r}; it must be a list of families of one column each"
        )
    for d, family in enumerate(value):
        as_instance(f"{name}[{d}]", family, Family)
        if family.dimension != 1:
            raise ValueError(
                f"{name}[{d}] has {family.dimension} columns; it must have one"
            )
    return tuple(value)


@attrs.frozen(eq=False, slots=False)
class Columns(Family):
    """Independent columns, each of a family of its own, where any cell may be missing:

        p(x) = product over the columns d that are seen of p_d(x_d).

    columns: the families of one column each, such as `NormalGamma`, `BetaBernoulli`,
        `DirichletCategorical` or `GammaPoisson`, with their priors.

    A missing cell is NaN in the data (N, D). The statistics of a row are 1 and, for each
    column, those of its family, the column's own count among them. A missing cell leaves
    all of its column's statistics at 0, so that it adds nothing. This is exact, without a
    guess at the cell, if cells are *missing at random*: if whether a cell is missing does
    not depend on what it would hold once the seen cells are known (Rubin 1976). Raises
    ValueError for families of more than one column.
    """

    columns: tuple[Family, ...] = checked(_as_columns)

    @property
    def dimension(self) -> int:
        return len(self.columns)

    @cached_property
    def _places(self) -> list[slice]:
        """Where each column's statistics stand among those of a row."""
        sizes = [family.n_statistics for family in self.columns]
        ends = 1 + np.cumsum(sizes)
        return [
            slice(int(end) - size, int(end))
            for end, size in zip(ends, sizes, strict=True)
        ]

    @property
    def n_statistics(self) -> int:
        return self._places[-1].stop

    @property
    def origin(self) -> np.ndarray:
        return np.concatenate([family.origin for family in self.columns])

    def check_data(self, X) -> np.ndarray:
        """X as an (N, D) float64 array, NaN where a cell is missing; ValueError names the
        column and the row of a cell that its family does not take."""
        X = as_array("X", X, nan=True)
        if X.ndim != 2 or X.shape[1] != self.dimension or not len(X):
            raise ValueError(
                f"X has shape {X.shape}; it must be (N, {self.dimension}) with N >= 1"
            )
        for d, family in enumerate(self.columns):
            seen = X[~np.isnan(X[:, d]), d]
            if not len(seen):
                continue
            column = np.where(np.isnan(X[:, d]), seen[0], X[:, d])
            try:
                family.check_data(column[:, None])
            except ValueError as error:
                raise ValueError(f"X column {d}, taken alone: {error}") from None
        return X

    def statistics(self, X: np.ndarray) -> np.ndarray:
        T = np.zeros((self.n_statistics, len(X)))
        T[0] = 1
        for d, (family, place) in enumerate(
            zip(self.columns, self._places, strict=True)
        ):
            seen = ~np.isnan(X[:, d])
            T[place, seen] = family.statistics(X[seen, d : d + 1]).T
        return T.T

    def log_base(self, X: np.ndarray) -> np.ndarray | None:
        total = np.zeros(len(X))
        is_zero = True
        for d, family in enumerate(self.columns):
            seen = ~np.isnan(X[:, d])
            base = family.log_base(X[seen, d : d + 1])
            if base is not None:
                total[seen] += base
                is_zero = False
        return None if is_zero else total

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        total = np.zeros(np.shape(S)[:-1])
        for family, place in zip(self.columns, self._places, strict=True):
            total = total + family.log_normalizer(S[..., place])
        return total

    def expected(self, S: np.ndarray) -> np.ndarray:
        W = np.zeros(S.shape)  # the row's own 1 has no part
        for family, place in zip(self.columns, self._places, strict=True):
            W[:, place] = family.expected(S[:, place])
        return W

    def parameters(self, S: np.ndarray) -> ColumnsParameters:
        return ColumnsParameters(
            tuple(
                family.parameters(S[:, place])
                for family, place in zip(self.columns, self._places, strict=True)
            )
        )

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """A sum over the cells that are seen; see `Family.log_predictive`."""
        rows = np.zeros((len(S), len(X)))
        for d, (family, place) in enumerate(
            zip(self.columns, self._places, strict=True)
        ):
            seen = ~np.isnan(X[:, d])
            rows[:, seen] += family.log_predictive(S[:, place], X[seen, d : d + 1])
        return rows

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw whole rows (size, D), without missing cells; see `Family.sample`."""
        drawn = [
            family.sample(s[place], size, rng)
            for family, place in zip(self.columns, self._places, strict=True)
        ]
        return np.hstack(drawn).astype(float)

    def without_gaps(self, X: np.ndarray) -> np.ndarray:
        """The rows X (N, D) with the mean of the seen cells of a column in place of the
        missing ones, to look for directions in."""
        seen = ~np.isnan(X)
        counts = np.maximum(seen.sum(axis=0), 1)
        means = np.where(seen, X, 0.0).sum(axis=0) / counts
        return np.where(seen, X, means)
