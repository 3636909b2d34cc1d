"""Tables of 0 and 1: all patterns of M coordinates, their counts, and the mixtures behind them."""

import attrs
import numpy as np
from scipy.sparse import issparse

from vbkit.checks import as_array, as_generator, as_integer, as_matrix, read_only
from vbkit.families import BetaBernoulli

WIDEST = 16  # coordinates whose patterns are enumerated


def _as_probabilities(means) -> np.ndarray:
    values = as_matrix("means", means)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(
            f"means reach from {values.min()} to {values.max()}; allowed is 0 to 1"
        )
    return read_only(
        np.asarray(means)
    )  # of the type given: 0 and 1 may be whole numbers


@attrs.frozen(eq=False)
class Truth:
    """A Bernoulli mixture that data come from: `weights, means = truth` (Kaji 2011, 3.1).

    weights (K,): >= 0, with sum 1. means (K, M): the probabilities of ones. Raises ValueError for
    other numbers and for shapes that do not fit.
    """

    weights: np.ndarray = attrs.field(
        converter=lambda w: read_only(as_array("weights", w, ndim=1))
    )
    means: np.ndarray = attrs.field(converter=_as_probabilities)

    def __attrs_post_init__(self):
        w = self.weights
        if len(w) != len(self.means) or (w < 0).any() or abs(w.sum() - 1) > 1e-9:
            raise ValueError(
                f"weights is {w}; it must be {len(self.means)} numbers >= 0, sum 1"
            )

    def __iter__(self):
        return iter((self.weights, self.means))

    @property
    def dimension(self) -> int:
        """M, the number of coordinates."""
        return self.means.shape[1]

    def joint(self, X) -> np.ndarray:
        """p(x, z = k) (N, K) of the rows of X (N, M) of 0 and 1; ValueError for other data."""
        X = np.asarray(BetaBernoulli(self.dimension).check_data(X), dtype=bool)[:, None]
        return self.weights * np.where(X, self.means, 1 - self.means).prod(axis=2)

    def probabilities(self) -> np.ndarray:
        """p(x) of all patterns (2^M,), in the order of `binary_vectors`."""
        return self.joint(binary_vectors(self.dimension)).sum(axis=1)

    def sample(
        self, size: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw data (size, M), uint8, and their labels (size,)."""
        as_integer("size", size, 1)
        p = self.weights / self.weights.sum()
        labels = as_generator("rng", rng).choice(len(p), size=size, p=p)
        X = rng.random((size, self.dimension)) < self.means[labels]
        return X.astype(np.uint8), labels


def binary_vectors(dimension: int) -> np.ndarray:
    """All 2^M patterns (2^M, M), uint8: bit m of the row number is coordinate m.

    Raises ValueError for M > 16. Learn then from the distinct rows of the data, with their counts
    as observation weights: `np.unique(X, axis=0, return_counts=True)`.
    """
    if as_integer("dimension", dimension, 1) > WIDEST:
        allowed = f"at most {WIDEST} are enumerated; use the distinct rows with weights"
        raise ValueError(f"dimension is {dimension}; {allowed}")
    return ((np.arange(2**dimension)[:, None] >> np.arange(dimension)) & 1).astype(
        np.uint8
    )


def pattern_counts(X) -> np.ndarray:
    """How often each pattern (2^M,) occurs among the rows of X (N, M), dense or sparse, of 0 and 1.

    Raises ValueError for other data, and for M > 16.
    """
    M = X.shape[-1] if issparse(X) else as_matrix("X", X).shape[1]
    index = BetaBernoulli(M).check_data(X).astype(np.int64) @ (1 << np.arange(M))
    return np.bincount(index, minlength=len(binary_vectors(M))).astype(np.float64)


def check_counts(counts, M: int) -> np.ndarray:
    """Counts (2^M,) of all patterns as float64; ValueError unless they are >= 0 and not all 0."""
    counts = as_array("counts", counts, ndim=1)
    if len(counts) != 2**M or (counts < 0).any() or not counts.any():
        raise ValueError(
            f"counts has shape {counts.shape}; it must be ({2**M},), >= 0, not all 0"
        )
    return counts
