"""Independent Bernoulli coordinates with unknown probabilities; their conjugate prior
is a Beta each."""

from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np
from scipy import sparse
from scipy.special import betaln, digamma

from vbkit.checks import (
    as_counts,
    as_integer,
    as_matrix,
    as_number,
    as_positive,
    checked,
)
from vbkit.compiled import online
from vbkit.families.base import Family

# Share of ones below which products with a sparse matrix are faster than dense ones.
SPARSE = 0.08
WIDEST = 16  # coordinates whose patterns are enumerated


class BernoulliParameters(NamedTuple):
    """Expected probabilities E[mu] (K, M); in the EM limit the estimates."""

    probability: np.ndarray


class BetaPosterior(NamedTuple):
    """Beta pseudo-counts of ones and of zeros, (..., M) each."""

    ones: np.ndarray
    zeros: np.ndarray


@attrs.frozen(eq=False, slots=False)
class BetaBernoulli(Family):
    """Independent answers of yes and no, m = 1 ... M (Kaji 2011, 3.2):

        x_m ~ Bernoulli(mu_m),  mu_m ~ Beta(b, b2).

    dimension: M, the number of coordinates.
    b, b2: the prior's pseudo-counts of ones and of zeros; b2 = None takes b.
    precision: None counts ones and zeros separately, so that few zeros are not lost
        beside many ones: the statistics of a row are 1, x, 1 - x, P = 1 + 2M. With
        np.float64 or np.float32 the zeros are rows minus ones, the statistics 1, x, P =
        1 + M, and E-steps are computed in that type, in half or a quarter of the time.
        That is meant for tables of data, in which b is not below 1e-14 or 1e-6 of the
        number of rows.

    Data are 0 and 1 of any numeric type, or a scipy sparse matrix, which stays sparse
    if a precision is given and ones are rare. Give repeated rows once, with their count
    as observation weight; counts need not be whole numbers. In the EM limit,
    probabilities of 0 and 1 are exact to 2**-100. Raises ValueError for an improper
    prior.
    """

    dimension: int = checked(as_integer, 1)
    b: float = checked(as_positive, default=0.5)
    b2: float | None = None
    precision: type | None = None

    def __attrs_post_init__(self):
        object.__setattr__(
            self, "b2", self.b if self.b2 is None else as_positive("b2", self.b2)
        )
        if self.precision not in (None, np.float64, np.float32):
            allowed = "None, np.float64 or np.float32"
            raise ValueError(f"precision is {self.precision!r}; it must be {allowed}")

    compiled_density = online.BETA_BERNOULLI

    @cached_property
    def packed_hyperparameters(self) -> np.ndarray:
        """b, b2, M."""
        return np.array([self.b, self.b2, self.dimension])

    def check_data(self, X) -> np.ndarray:
        """X as (N, M) uint8, or as a sparse matrix if it is one with few ones;
        ValueError names row and column of an entry that is neither 0 nor 1."""
        binary = (
            isinstance(X, np.ndarray)
            and X.ndim == 2
            and X.dtype in (np.bool_, np.uint8)
        )
        if sparse.issparse(X):
            X = SparseRows(X, copy=True)
            X.sum_duplicates()
        elif not binary:
            X = as_matrix("X", X, self.dimension)
        if X.ndim != 2 or X.shape[1] != self.dimension or not X.shape[0]:
            raise ValueError(
                f"X has shape {X.shape}; it must be (N, {self.dimension}) with N >= 1"
            )
        entries = X.data if sparse.issparse(X) else X
        places = np.argwhere((entries != 0) & (entries != 1))
        if sparse.issparse(X):
            places = np.column_stack(X.tocoo().coords)[places[:, 0]]
        for row, column in places:
            raise ValueError(
                f"X[{row}, {column}] is {X[row, column]}; every entry must be 0 or 1"
            )
        if not sparse.issparse(X):
            return np.ascontiguousarray(X, dtype=np.uint8)
        few = X.nnz < SPARSE * X.shape[0] * X.shape[1]
        return (
            X.astype(self.precision)
            if few and self.precision
            else X.toarray().astype(np.uint8)
        )

    def statistics(self, X) -> np.ndarray:
        X = X.toarray() if sparse.issparse(X) else X
        N, M = X.shape
        T = np.empty((1 + M if self.precision else 1 + 2 * M, N))
        T[0] = 1
        T[1 : 1 + M] = X.T
        if not self.precision:
            np.subtract(1, T[1 : 1 + M], out=T[1 + M :])
        return T.T

    def block_statistics(self, X):
        if self.precision is None:
            return self.statistics(X)
        if sparse.issparse(X):
            ones = sparse.csr_array(np.ones((X.shape[0], 1), self.precision))
            return sparse.hstack([ones, sparse.csr_array(X)], format="csr")
        T = np.empty((len(X), 1 + self.dimension), self.precision)
        T[:, 0] = 1
        T[:, 1:] = X
        return T

    def posterior(self, S: np.ndarray) -> BetaPosterior:
        """Beta pseudo-counts of ones and of zeros after the effective statistics S
        (..., P); ValueError where they are not positive."""
        M = self.dimension
        seen = S[..., 1 : 1 + M]
        missing = (
            np.maximum(S[..., :1] - seen, 0) if self.precision else S[..., 1 + M :]
        )
        posterior = BetaPosterior(self.b + seen, self.b2 + missing)
        if not (posterior.ones > 0).all() or not (posterior.zeros > 0).all():
            raise ValueError(
                "the state has counts of ones or zeros below 0: no Beta posterior"
            )
        return posterior

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        return betaln(*self.posterior(S)).sum(axis=-1)

    def expected(self, S: np.ndarray) -> np.ndarray:
        ones, zeros = self.posterior(S)
        both = digamma(ones + zeros)
        one = digamma(ones) - both
        zero = digamma(zeros) - both
        if self.precision:
            return np.concatenate([zero.sum(-1, keepdims=True), one - zero], axis=-1)
        return np.concatenate([0 * S[..., :1], one, zero], axis=-1)

    def parameters(self, S: np.ndarray) -> BernoulliParameters:
        ones, zeros = self.posterior(S)
        return BernoulliParameters(ones / (ones + zeros))

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """A product of Beta ratios, those of expected probabilities; see
        `Family.log_predictive`."""
        ones, zeros = self.posterior(S)
        X = np.asarray(X, dtype=float).T
        return np.log(ones / (ones + zeros)) @ X + np.log(zeros / (ones + zeros)) @ (
            1 - X
        )

    def state(self, counts, means) -> np.ndarray:
        """The state (K, P) of components with these counts, (K,) or one number, and
        shares of ones (K, M) within [0, 1]."""
        means = as_matrix("means", means, self.dimension)
        if not ((means >= 0) & (means <= 1)).all():
            reach = f"{means.min()} to {means.max()}"
            raise ValueError(f"means reach from {reach}; they must lie within 0 and 1")
        return as_counts(counts, len(means)) * self.statistics(means)

    def mode_statistics(self, concentration: float) -> np.ndarray:
        """The pseudo-statistics (P,) of a mixture with clones = EM and Dirichlet(0)
        that make its estimates MAP ones, for this prior and Dirichlet(concentration):
        the exponents of the prior density. ValueError if one is below 0: the density is
        then infinite where a weight or a probability vanishes, and has no largest value
        (VB has no such trouble), and for a family with a `precision`, whose counts of
        rows serve weights and zeros alike."""
        as_number("concentration", concentration, 1)
        if self.precision:
            raise ValueError(
                f"precision is {self.precision.__name__}; it must be None here"
            )
        ones = np.full(self.dimension, as_number("b", self.b, 1) - 1)
        zeros = np.full(self.dimension, as_number("b2", self.b2, 1) - 1)
        return np.concatenate([[concentration - 1.0], ones, zeros])

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        # a draw from Beta and Bernoulli is one from the mean
        means = self.parameters(s).probability
        return (rng.random((size, self.dimension)) < means).astype(np.uint8)


class SparseRows(sparse.csr_array):
    """A sparse matrix with a length, that NumPy functions may turn into an array."""

    def __len__(self):
        return self.shape[0]

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.toarray(), dtype)


# ---- all answer patterns of M coordinates ----


def binary_vectors(dimension: int) -> np.ndarray:
    """All 2^M patterns (2^M, M), uint8: bit m of the row number is coordinate m.

    Raises ValueError for M > 16. Learn then from the distinct rows of the data, with
    their counts as observation weights: `np.unique(X, axis=0, return_counts=True)`.
    """
    if as_integer("dimension", dimension, 1) > WIDEST:
        allowed = f"at most {WIDEST} are enumerated; use the distinct rows with weights"
        raise ValueError(f"dimension is {dimension}; {allowed}")
    row_numbers = np.arange(2**dimension)
    bits = (row_numbers[:, None] >> np.arange(dimension)) & 1
    return bits.astype(np.uint8)


def pattern_counts(X) -> np.ndarray:
    """How often each pattern (2^M,) occurs among the rows of X (N, M), dense or sparse,
    of 0 and 1.

    Raises ValueError for other data, and for M > 16.
    """
    M = X.shape[-1] if sparse.issparse(X) else as_matrix("X", X).shape[1]
    X = BetaBernoulli(M).check_data(X)
    row_numbers = X.astype(np.int64) @ (1 << np.arange(M))
    counts = np.bincount(row_numbers, minlength=len(binary_vectors(M)))
    return counts.astype(np.float64)
