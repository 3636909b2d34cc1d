"""Independent Bernoulli coordinates with unknown probabilities. The conjugate prior of
each probability is a Beta distribution."""

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
    """The Beta posterior's pseudo-counts of ones and of zeros, each (..., M)."""

    ones: np.ndarray
    zeros: np.ndarray


@attrs.frozen(eq=False, slots=False)
class BetaBernoulli(Family):
    """Independent answers of yes and no, m = 1 ... M (Kaji 2011, 3.2):

        x_m ~ Bernoulli(mu_m),  mu_m ~ Beta(pseudo_count, pseudo_count_of_zeros).

    dimension: M, the number of coordinates.
    pseudo_count, pseudo_count_of_zeros: of the prior; None makes the second, of zeros,
        equal to the first, of ones.
    precision: None counts ones and zeros separately. The statistics of a row are then
        1, x, 1 - x, so P = 1 + 2M, and a few zeros are not lost beside many ones. With
        np.float64 or np.float32 the statistics are 1, x, so P = 1 + M: the zeros are
        counted as rows minus ones, and E-steps are computed in that type, in half or a
        quarter of the time. The difference has a rounding error of 1e-16 or 1e-7 of the
        number of rows. So use these types only if pseudo_count is larger than 1e-14 or 1e-6 of
        the number of rows, as it is for tables of data.

    Data are 0 and 1 of any numeric type, or a scipy sparse matrix, which stays sparse
    if a precision is given and ones are rare. Give repeated rows once, with their count
    as observation weight; counts need not be whole numbers. In the EM limit,
    probabilities of 0 and 1 are exact to 2**-100. Raises ValueError for an improper
    prior.
    """

    dimension: int = checked(as_integer, 1)
    pseudo_count: float = checked(as_positive, default=0.5)
    pseudo_count_of_zeros: float | None = None
    precision: type | None = None

    def __attrs_post_init__(self):
        zeros = self.pseudo_count_of_zeros
        if zeros is None:
            zeros = self.pseudo_count
        as_positive("pseudo_count_of_zeros", zeros)
        # The class is frozen.
        object.__setattr__(self, "pseudo_count_of_zeros", float(zeros))
        if self.precision not in (None, np.float64, np.float32):
            allowed = "None, np.float64 or np.float32"
            raise ValueError(f"precision is {self.precision!r}; it must be {allowed}")

    compiled_density = online.BETA_BERNOULLI

    @property
    def _counts_zeros(self) -> bool:
        """Whether the statistics count zeros, rather than take rows minus ones."""
        return self.precision is None

    @cached_property
    def packed_hyperparameters(self) -> np.ndarray:
        """The two pseudo-counts and M, (3,), as `vbkit.compiled.online` reads them."""
        pseudo_counts = [self.pseudo_count, self.pseudo_count_of_zeros]
        return np.array([*pseudo_counts, self.dimension])

    def check_data(self, X) -> np.ndarray:
        """X as (N, M) uint8, or as a sparse matrix if it is one with few ones;
        ValueError names row and column of an entry that is neither 0 nor 1."""
        if sparse.issparse(X):
            return self._check_sparse(X)
        return self._check_dense(X)

    def _check_dense(self, X) -> np.ndarray:
        is_small = (
            isinstance(X, np.ndarray)
            and X.ndim == 2
            and X.dtype in (np.bool_, np.uint8)
        )
        if not is_small:  # small types would become eight times as large as floats
            X = as_matrix("X", X, self.dimension)
        self._check_shape(X)
        places = np.argwhere((X != 0) & (X != 1))
        if len(places):
            row, column = places[0]
            raise _not_binary(row, column, X[row, column])
        return np.ascontiguousarray(X, dtype=np.uint8)

    def _check_sparse(self, X):
        X = SparseRows(X, copy=True)
        X.sum_duplicates()
        self._check_shape(X)
        stored = np.flatnonzero((X.data != 0) & (X.data != 1))
        if len(stored):
            rows, columns = X.tocoo().coords
            first = stored[0]
            raise _not_binary(rows[first], columns[first], X.data[first])
        ones_are_rare = X.nnz < SPARSE * X.shape[0] * X.shape[1]
        if ones_are_rare and not self._counts_zeros:
            return X.astype(self.precision)
        return X.toarray().astype(np.uint8)

    def _check_shape(self, X):
        if X.ndim != 2 or X.shape[1] != self.dimension or not X.shape[0]:
            raise ValueError(
                f"X has shape {X.shape}; it must be (N, {self.dimension}) with N >= 1"
            )

    def statistics(self, X) -> np.ndarray:
        """The statistics (N, P) of rows: 1, x and, if zeros are counted, 1 - x."""
        X = X.toarray() if sparse.issparse(X) else X
        N, M = X.shape
        P = 1 + 2 * M if self._counts_zeros else 1 + M
        T = np.empty((P, N))
        T[0] = 1
        T[1 : 1 + M] = X.T
        if self._counts_zeros:
            np.subtract(1, T[1 : 1 + M], out=T[1 + M :])
        return T.T

    def block_statistics(self, X):
        """The statistics (N, P) for an E-step: in the type `precision`, and sparse if X
        is sparse."""
        if self._counts_zeros:
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
        ones = S[..., 1 : 1 + M]
        if self._counts_zeros:
            zeros = S[..., 1 + M :]
        else:
            zeros = np.maximum(S[..., :1] - ones, 0)  # rounding can make it negative
        posterior = BetaPosterior(
            self.pseudo_count + ones, self.pseudo_count_of_zeros + zeros
        )
        if not (posterior.ones > 0).all() or not (posterior.zeros > 0).all():
            raise ValueError(
                "the state has counts of ones or zeros below 0: no Beta posterior"
            )
        return posterior

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        return betaln(*self.posterior(S)).sum(axis=-1)

    def expected(self, S: np.ndarray) -> np.ndarray:
        ones, zeros = self.posterior(S)
        digamma_of_both = digamma(ones + zeros)
        log_one = digamma(ones) - digamma_of_both  # E log mu
        log_zero = digamma(zeros) - digamma_of_both  # E log(1 - mu)
        if self._counts_zeros:
            # The statistic 1 has no part of its own.
            nothing = np.zeros_like(S[..., :1])
            return np.concatenate([nothing, log_one, log_zero], axis=-1)
        # x log_one + (1 - x) log_zero = log_zero + x (log_one - log_zero), so that the
        # sum of log_zero belongs to the statistic 1.
        of_count = log_zero.sum(-1, keepdims=True)
        return np.concatenate([of_count, log_one - log_zero], axis=-1)

    def parameters(self, S: np.ndarray) -> BernoulliParameters:
        ones, zeros = self.posterior(S)
        return BernoulliParameters(ones / (ones + zeros))

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """The log probability (K, N) of new rows X (N, M); see `Family.log_predictive`.

        A new coordinate is 1 with the expected probability, independently of others.
        """
        ones, zeros = self.posterior(S)
        X = np.asarray(X, dtype=float).T
        log_one = np.log(ones / (ones + zeros))
        log_zero = np.log(zeros / (ones + zeros))
        return log_one @ X + log_zero @ (1 - X)

    def state(self, counts, means) -> np.ndarray:
        """The state (K, P) of components with these counts, (K,) or one number, and
        shares of ones (K, M) within [0, 1]."""
        means = as_matrix("means", means, self.dimension)
        if not ((means >= 0) & (means <= 1)).all():
            reach = f"{means.min()} to {means.max()}"
            raise ValueError(f"means reach from {reach}; they must lie within 0 and 1")
        return as_counts(counts, len(means)) * self.statistics(means)

    def mode_statistics(self, concentration: float) -> np.ndarray:
        """The pseudo-statistics (P,) that turn EM estimates into MAP estimates.

        They are the exponents of the prior density of this family and of
        Dirichlet(concentration). Give them to a mixture with clones = EM and
        Dirichlet(0). Raises ValueError if an exponent is below 0, because the density is
        then infinite where a weight or a probability vanishes, and has no largest value
        (VB has no such trouble). Raises it also for a family with a `precision`: there
        one count of rows serves both weights and zeros, so it cannot have an exponent
        for each.
        """
        as_number("concentration", concentration, 1)
        if not self._counts_zeros:
            raise ValueError(
                f"precision is {self.precision.__name__}; it must be None here"
            )
        as_number("pseudo_count", self.pseudo_count, 1)
        as_number("pseudo_count_of_zeros", self.pseudo_count_of_zeros, 1)
        ones = np.full(self.dimension, self.pseudo_count - 1)
        zeros = np.full(self.dimension, self.pseudo_count_of_zeros - 1)
        return np.concatenate([[concentration - 1.0], ones, zeros])

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        """`size` rows (size, M) of 0 and 1 from the component with the state s (P,).

        Each row has probabilities of its own from the posterior. Such a row is
        distributed as one drawn with the posterior's mean probabilities.
        """
        means = self.parameters(s).probability
        return (rng.random((size, self.dimension)) < means).astype(np.uint8)


def _not_binary(row: int, column: int, entry) -> ValueError:
    return ValueError(f"X[{row}, {column}] is {entry}; every entry must be 0 or 1")


class SparseRows(sparse.csr_array):
    """A sparse matrix that has a length and that NumPy functions can make dense."""

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
    _check_enumerable(dimension)
    row_numbers = np.arange(2**dimension)
    bits = (row_numbers[:, None] >> np.arange(dimension)) & 1
    return bits.astype(np.uint8)


def pattern_counts(X) -> np.ndarray:
    """How often each of the 2^M patterns occurs among the rows of X, (2^M,).

    X: (N, M), dense or sparse, of 0 and 1. The patterns are in the order of
    `binary_vectors`. Raises ValueError for other data, and for M > 16.
    """
    M = X.shape[-1] if sparse.issparse(X) else as_matrix("X", X).shape[1]
    _check_enumerable(M)
    X = BetaBernoulli(M).check_data(X)
    pattern_numbers = X.astype(np.intp) @ (1 << np.arange(M))  # as bincount takes
    return np.bincount(pattern_numbers, minlength=2**M).astype(np.float64)


def _check_enumerable(dimension: int):
    if as_integer("dimension", dimension, 1) > WIDEST:
        allowed = f"at most {WIDEST} are enumerated; use the distinct rows with weights"
        raise ValueError(f"dimension is {dimension}; {allowed}")
