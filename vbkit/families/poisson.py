"""Independent counts with unknown rates; their conjugate prior is a gamma density
each."""

from typing import NamedTuple, Self

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import (
    as_integer,
    as_matrix,
    as_positive,
    as_positives,
    as_vector,
    checked,
    one_for_each,
)
from vbkit.families.base import Family
from vbkit.families.special import log_gamma_ratio


class PoissonParameters(NamedTuple):
    """Expected rates (K, D); in the EM limit the estimates."""

    rate: np.ndarray


@attrs.frozen(eq=False, slots=False)
class GammaPoisson(Family):
    """Independent counts, d = 1 ... D:

        x_d ~ Poisson(lambda_d),  lambda_d ~ Gamma(shape_d, rate).

    dimension: D, the number of columns. shape, rate: of the gamma densities; E[lambda]
    = shape / rate. The shape is one number or (D,).

    The statistics of a row are 1, x: P = 1 + D. Data are whole numbers >= 0. Raises
    ValueError for an improper prior.
    """

    dimension: int = checked(as_integer, 1)
    shape: float | np.ndarray = checked(as_positives, default=1.0)
    rate: float = checked(as_positive, default=1.0)

    def __attrs_post_init__(self):
        object.__setattr__(
            self, "shape", one_for_each("shape", self.shape, self.dimension)
        )

    @classmethod
    def from_pseudo_data(cls, mean, count: float) -> Self:
        """Return the prior that is worth `count` rows with this mean (D,). Raises
        ValueError for numbers that are not > 0."""
        mean = as_positives("mean", as_vector("mean", mean))
        count = as_positive("count", count)
        return cls(len(mean), mean * count, count)

    def check_data(self, X) -> np.ndarray:
        """X as an (N, D) float64 array; ValueError names row and column of an entry
        that is no count."""
        X = as_matrix("X", X, self.dimension)
        for row, column in np.argwhere((X < 0) | (X != np.floor(X)) | (X > 2**53)):
            allowed = "every entry must be a whole number from 0 to 2**53"
            raise ValueError(f"X[{row}, {column}] is {X[row, column]:g}; {allowed}")
        return X

    def statistics(self, X: np.ndarray) -> np.ndarray:
        T = np.empty((1 + self.dimension, len(X)))
        T[0] = 1
        T[1:] = X.T
        return T.T

    def log_base(self, X: np.ndarray) -> np.ndarray:
        return -gammaln(X + 1).sum(axis=1)

    def _posterior(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Shapes (..., D) and rates (..., 1) of the gamma densities after the
        statistics S."""
        shape = self.shape + S[..., 1:]
        rate = self.rate + S[..., :1]
        if not ((shape > 0).all() and (rate > 0).all()):
            raise ValueError("the state has counts below 0: no gamma posterior")
        return shape, rate

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        shape, rate = self._posterior(S)
        return (gammaln(shape) - shape * np.log(rate)).sum(axis=-1)

    def expected(self, S: np.ndarray) -> np.ndarray:
        shape, rate = self._posterior(S)
        total = (shape / rate).sum(axis=-1, keepdims=True)
        return np.concatenate([-total, digamma(shape) - np.log(rate)], axis=-1)

    def parameters(self, S: np.ndarray) -> PoissonParameters:
        shape, rate = self._posterior(S)
        return PoissonParameters(shape / rate)

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """A product of negative binomial probabilities; see `Family.log_predictive`."""
        shape, rate = self._posterior(S)
        rows = np.empty((len(S), len(X)))
        for k, row in enumerate(rows):
            excess = log_gamma_ratio(shape[k], X) - X * np.log1p(rate[k])
            row[:] = (excess - shape[k] * np.log1p(1 / rate[k]) - gammaln(X + 1)).sum(
                axis=1
            )
        return rows

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        shape, rate = self._posterior(s)
        rates = rng.gamma(shape, 1 / rate, (size, self.dimension))
        return rng.poisson(rates).astype(float)
