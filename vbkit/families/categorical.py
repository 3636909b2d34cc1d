"""Independent categorical columns with unknown probabilities; their conjugate prior is
a Dirichlet each."""

from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_integer, as_matrix, as_positive, checked
from vbkit.families.base import Family


class CategoricalParameters(NamedTuple):
    """Expected probabilities (K, L) of all levels, the columns' levels one after
    another; in the EM limit the estimates."""

    probability: np.ndarray


def _as_levels(name: str, value) -> tuple[int, ...]:
    if (
        not isinstance(value, tuple | list | np.ndarray)
        or np.ndim(value) != 1
        or not len(value)
    ):
        raise ValueError(
            f"{name} is {value!r}; it must be a whole number >= 1 for each column"
        )
    return tuple(as_integer(f"{name}[{d}]", n, 1) for d, n in enumerate(value))


@attrs.frozen(eq=False, slots=False)
class DirichletCategorical(Family):
    """Independent categorical columns, d = 1 ... D:

        x_d ~ Categorical(p_d) with levels[d] levels,  p_d ~ Dirichlet(pseudo_count).

    levels: (D,), how many levels each column has.
    pseudo_count: of the prior, the same for every level.

    Data are whole numbers from 0 to levels[d] - 1. The statistics of a row are 1 and,
    for each column, the indicators of its levels: P = 1 + L with L = sum of levels.
    With two levels a column this is `BetaBernoulli`. Raises ValueError for an improper
    prior.
    """

    levels: tuple[int, ...] = checked(_as_levels)
    pseudo_count: float = checked(as_positive, default=0.5)

    @property
    def dimension(self) -> int:
        return len(self.levels)

    @cached_property
    def first(self) -> np.ndarray:
        """Where each column's levels begin, (D,)."""
        return np.cumsum([0, *self.levels[:-1]])

    def check_data(self, X) -> np.ndarray:
        """X as an (N, D) float64 array; ValueError names row and column of an entry
        that is no level."""
        X = as_matrix("X", X, self.dimension)
        for row, column in np.argwhere(
            (X < 0) | (X >= self.levels) | (X != np.floor(X))
        ):
            allowed = f"a whole number from 0 to {self.levels[column] - 1}"
            raise ValueError(
                f"X[{row}, {column}] is {X[row, column]:g}; it must be {allowed}"
            )
        return X

    def statistics(self, X: np.ndarray) -> np.ndarray:
        T = np.zeros((1 + sum(self.levels), len(X)))
        T[0] = 1
        np.put_along_axis(T, 1 + self.first[:, None] + X.T.astype(np.intp), 1.0, axis=0)
        return T.T

    def _posterior(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Dirichlet pseudo-counts (..., L) after the statistics S, and their column's
        sums."""
        counts = self.pseudo_count + S[..., 1:]
        if not (counts > 0).all():
            raise ValueError(
                "the state has counts of levels below 0: no Dirichlet posterior"
            )
        totals = np.add.reduceat(counts, self.first, axis=-1)
        return counts, np.repeat(totals, self.levels, axis=-1)

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        counts, totals = self._posterior(S)
        return gammaln(counts).sum(axis=-1) - gammaln(totals[..., self.first]).sum(
            axis=-1
        )

    def expected(self, S: np.ndarray) -> np.ndarray:
        counts, totals = self._posterior(S)
        return np.concatenate(
            [0 * S[..., :1], digamma(counts) - digamma(totals)], axis=-1
        )

    def parameters(self, S: np.ndarray) -> CategoricalParameters:
        counts, totals = self._posterior(S)
        return CategoricalParameters(counts / totals)

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """A product of expected probabilities; see `Family.log_predictive`."""
        counts, totals = self._posterior(S)
        return np.log(counts / totals) @ self.statistics(X)[:, 1:].T

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        probability = self.parameters(
            s
        ).probability  # a draw from both densities is one from this
        columns = np.split(probability, self.first[1:])
        return np.stack(
            [rng.choice(len(p), size, p=p) for p in columns], axis=1
        ).astype(float)
