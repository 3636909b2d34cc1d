"""What the engine asks of a conjugate family.

One component has the density  p(x | theta) = exp(t(x) . theta + log_base(x)), with t_0(x) = 1, so that theta_0 is minus
the log-partition. Its conjugate prior is known through one function of a state s, the statistics that data added to it:

    log_normalizer(s) = log E_prior[exp(s . theta)] + constant.

Its gradient is the posterior mean of theta, and a difference of two of its values is a predictive probability or an
evidence. A new family is a frozen dataclass of its prior's hyperparameters with the three functions below; batch and
on-line learning, EM, the bound, the predictive density and the halves of a split follow from them.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

SMALLEST, LARGEST = 1e-100, 1e100  # a column's largest distance from the prior mean: squares and products stay exact


class Family:
    """Base class of the conjugate families of one component. P is the number of statistics, D of a datum's numbers.

    Subclasses define `dimension` (D), `statistics`, `log_normalizer` and `expected`; where it is not zero `log_base`;
    for a fast on-line pass a compiled `log_density` of one datum under one component (see `vbkit.learning.stream`).
    """

    dimension: int
    compiled: ClassVar = None

    def statistics(self, X: np.ndarray) -> np.ndarray:
        """Sufficient statistics (N, P) of the rows of X (N, D); the first column is 1."""
        raise NotImplementedError

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        """Log of the prior's expectation of exp(s . theta), up to a constant: (..., P) -> (...)."""
        raise NotImplementedError

    def expected(self, S: np.ndarray) -> np.ndarray:
        """Posterior mean of the natural parameters, the gradient of `log_normalizer`: (K, P) -> (K, P)."""
        raise NotImplementedError

    def log_base(self, X: np.ndarray) -> np.ndarray | None:
        """Log base measure (N,) of the rows of X, or None where it is zero."""
        return None

    def expected_log_density(self, X: np.ndarray, S: np.ndarray) -> np.ndarray | None:
        """E[log p(x | theta)] - log_base, (K, N), in a form that keeps its digits however far the data lie from the
        prior mean, or None where the product of statistics and expected parameters is good enough."""
        return None

    def check_data(self, X) -> np.ndarray:
        """X as an (N, D) float64 array, or a ValueError that says what is wrong with it."""
        X = as_matrix("X", X, self.dimension)
        reach = np.maximum(X.max(axis=0) - self.origin, self.origin - X.min(axis=0))
        for column in np.flatnonzero((reach > 0) & ((reach < SMALLEST) | (reach > LARGEST))):
            raise ValueError(
                f"X column {column} reaches {reach[column]:.3g} from the prior mean; "
                f"distances must be 0 or within {SMALLEST:g} to {LARGEST:g}: rescale the data"
            )
        return X

    @property
    def origin(self) -> np.ndarray:
        """The point (D,) from which statistics are measured."""
        return np.zeros(self.dimension)


def as_matrix(name: str, X, columns: int | None = None) -> np.ndarray:
    """X as a C-ordered float64 matrix with at least one row, finite everywhere; a vector is one column."""
    try:
        X = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of real numbers: {error}") from None
    if X.ndim == 1 and columns in (1, None):
        X = X[:, None]
    if X.ndim != 2 or X.shape[0] == 0 or X.shape[1] == 0:
        raise ValueError(f"{name} has shape {X.shape}; it must be (rows, columns) with at least one of each")
    if columns is not None and X.shape[1] != columns:
        raise ValueError(f"{name} has {X.shape[1]} columns; the family's dimension is {columns}")
    if not np.isfinite(X.sum()) and not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise ValueError(f"{name}[{row}, {column}] is {X[row, column]}; every number must be finite")
    return np.ascontiguousarray(X)


def as_vector(name: str, x) -> np.ndarray:
    """x as a float64 vector of finite numbers (a single number is a vector of one)."""
    if np.ndim(x) > 1:
        raise ValueError(f"{name} has shape {np.shape(x)}; it must be one number or a vector")
    return as_matrix(name, np.atleast_1d(x)[:, None])[:, 0]


def as_positive(name: str, value, *, above: float = 0.0) -> float:
    """A finite number greater than `above`, as a float."""
    if not np.isscalar(value) or isinstance(value, str | bytes) or not np.isfinite(value) or not value > above:
        raise ValueError(f"{name} is {value!r}; it must be a finite number greater than {above:g}")
    return float(value)
