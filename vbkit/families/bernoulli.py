"""Independent Bernoulli coordinates with unknown probabilities; their conjugate prior is a Beta each."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.special import betaln

from vbkit.checks import as_array, as_integer, as_matrix, as_number, as_positive
from vbkit.compiled import digamma as psi
from vbkit.compiled import inline, jit, scratch
from vbkit.families.base import Family

SPARSE = 0.08  # share of ones below which a sparse matrix is kept: products with it are faster than dense ones


@dataclass(frozen=True, eq=False)
class BetaBernoulli(Family):
    """x_m ~ Bernoulli(mu_m),  mu_m ~ Beta(b, b2), for m = 1 ... M, independently (Kaji 2011, 3.2).

    dimension: M. b, b2: the prior's pseudo-counts of ones and of zeros; b2 = None: as many as ones.
    precision: None counts ones and zeros each by themselves, so that no zeros are lost beside many ones. np.float64 or
        np.float32 computes in that type and counts the zeros as rows minus ones, in half or a quarter of the time: for
        tables of data, where b is not below some 1e-14 or 1e-6 of the number of rows.

    Statistics of a row: 1, x, 1 - x: P = 1 + 2M. Data are 0 and 1 of any numeric type, or a scipy sparse matrix (which
    stays sparse where a precision is given and ones are rare). For repeated rows give each once with its count as
    observation weight; counts need not be whole numbers. In the limit of many copies (EM) a probability of 0 or 1 is
    one within 2**-100.
    """

    dimension: int
    b: float = 0.5
    b2: float | None = None
    precision: type | None = None

    def __post_init__(self):
        as_integer("dimension", self.dimension, 1)
        b = as_positive("b", self.b)
        vars(self).update(b=b, b2=b if self.b2 is None else as_positive("b2", self.b2))
        if self.precision not in (None, np.float64, np.float32):
            raise ValueError(
                f"precision is {self.precision!r}; it must be None, np.float64 or np.float32"
            )

    @property
    def dtype(self) -> type:
        return self.precision or np.float64

    compiled = property(lambda self: _log_density(self.dimension))

    @cached_property
    def numbers(self) -> np.ndarray:
        """What `compiled` takes."""
        return np.array([self.b, self.b2])

    def check_data(self, X) -> np.ndarray:
        """X as (N, M) uint8, or as a sparse matrix if it is one with few ones; ValueError names row and column of an
        entry that is neither 0 nor 1."""
        if not (
            issparse(X)
            or isinstance(X, np.ndarray)
            and X.ndim == 2
            and X.dtype in (np.bool_, np.uint8)
        ):
            X = as_matrix("X", X, self.dimension)
        if X.ndim != 2 or X.shape[1] != self.dimension or not X.shape[0]:
            raise ValueError(f"X has shape {X.shape}; it must be (N, {self.dimension}) with N >= 1")
        if issparse(X):
            X = Rows(X)
            X.sum_duplicates()
            wrong = ~np.isin(X.data, (0, 1))
            places = np.column_stack([X.tocoo().row, X.tocoo().col])[wrong]
        else:
            places = np.argwhere((X != 0) & (X != 1))
        for row, column in places:
            raise ValueError(f"X[{row}, {column}] is {X[row, column]}; every entry must be 0 or 1")
        if issparse(X) and self.precision and X.nnz < SPARSE * X.shape[0] * X.shape[1]:
            return X.astype(self.dtype)
        return np.ascontiguousarray(X.toarray() if issparse(X) else X, dtype=np.uint8)

    def statistics(self, X) -> np.ndarray:
        X = X.toarray() if issparse(X) else X
        N, M = X.shape
        T = np.empty((1 + 2 * M, N))
        T[0] = 1
        T[1 : 1 + M] = X.T
        np.subtract(1, T[1 : 1 + M], out=T[1 + M :])
        return T.T

    def products(self, X):
        if self.precision is None:
            return super().products(X)
        if issparse(X):
            return lambda V, out: np.add(
                (X @ V[:, 1:].T).T, V[:, :1], out=out
            ), lambda R: _gather_sparse(X, R)
        T = np.empty((len(X), 1 + self.dimension), self.dtype)
        T[:, 0], T[:, 1:] = 1, X
        return lambda V, out: np.matmul(V, T.T, out=out), lambda R: R @ T

    def fold(self, W: np.ndarray) -> np.ndarray:
        if self.precision is None:
            return W
        one, zero = W[:, 1 : 1 + self.dimension], W[:, 1 + self.dimension :]
        return np.column_stack([W[:, 0] + zero.sum(axis=1), one - zero]).astype(self.dtype)

    def unfold(self, S: np.ndarray) -> np.ndarray:
        return (
            S
            if self.precision is None
            else np.column_stack([S, np.maximum(S[:, :1] - S[:, 1:], 0)])
        )

    def posterior(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pseudo-counts of ones and of zeros (..., M) after the statistics S (..., P)."""
        M = self.dimension
        ones, zeros = self.b + S[..., 1 : 1 + M], self.b2 + S[..., 1 + M :]
        if not (ones > 0).all() or not (zeros > 0).all():
            raise ValueError(
                "the state has counts of ones or zeros below 0, so that a Beta posterior does not exist"
            )
        return ones, zeros

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        return betaln(*self.posterior(S)).sum(axis=-1)

    def expected(self, S: np.ndarray) -> np.ndarray:
        ones, zeros = self.posterior(S)
        parts = np.stack([ones, zeros, ones + zeros])
        _digammas(parts.reshape(-1))
        return np.concatenate([0 * S[..., :1], parts[0] - parts[2], parts[1] - parts[2]], axis=-1)

    def means(self, S: np.ndarray) -> np.ndarray:
        """E[mu] (..., M) after the statistics S (..., P); in the EM limit the estimates."""
        ones, zeros = self.posterior(S)
        return ones / (ones + zeros)

    def log_predictive(self, S: np.ndarray, T: np.ndarray) -> np.ndarray:
        ones, zeros = self.posterior(S)
        return T[:, 1:] @ np.log(np.concatenate([ones, zeros]) / np.tile(ones + zeros, 2))

    def state(self, counts, means) -> np.ndarray:
        """The state (K, P) of components with these counts (K,) and shares of ones (K, M) within [0, 1]."""
        n, means = (
            as_array("counts", counts, ndim=1)[:, None],
            as_matrix("means", means, self.dimension),
        )
        if not ((means >= 0) & (means <= 1)).all():
            raise ValueError(
                f"means reach from {means.min()} to {means.max()}; they must lie within 0 and 1"
            )
        return n * np.concatenate([np.ones_like(n), means, 1 - means], axis=1)

    def mode_statistics(self, concentration: float) -> np.ndarray:
        """The `pseudo` (P,) of a mixture with copies = EM and Dirichlet(0) that make its estimates MAP ones, for this
        prior and Dirichlet(concentration): the exponents of the prior density. ValueError if one is below 0: the
        density is then infinite where a weight or a probability vanishes, and has no largest value (VB has no such
        trouble)."""
        as_number("concentration", concentration, 1)
        for name in ("b", "b2"):
            as_number(name, getattr(self, name), 1)
        M = self.dimension
        return np.concatenate(
            [[concentration - 1.0], np.full(M, self.b - 1), np.full(M, self.b2 - 1)]
        )

    def sample(self, S: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draws (size, M) from one component with state S (P,), each with probabilities of its own from the posterior."""
        means = self.means(S)  # a single draw from Beta and Bernoulli is one from the mean
        return (rng.random((size, self.dimension)) < means).astype(np.uint8)


class Rows(csr_array):
    """A sparse matrix with a length, that NumPy functions may turn into an array."""

    def __len__(self):
        return self.shape[0]

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.toarray(), dtype)


def _gather_sparse(X, R):
    return np.column_stack([R.sum(axis=1), (X.T @ np.ascontiguousarray(R.T)).T])


@jit
def _digammas(x):
    for i in range(len(x)):
        x[i] = psi(x[i])


# ---- compiled: for the online loop, see vbkit.learning.stream ----------------------------------------------


@cache
def _log_density(M: int):
    @inline
    def log_density(t, s, numbers):
        """E log p(x) = sum_m of psi(ones or zeros) - psi(both) (Kaji 2011, 4.3)."""
        parts, total = scratch(M), 0.0
        for m in range(M):
            ones, zeros = numbers[0] + s[1 + m], numbers[1] + s[1 + M + m]
            seen = ones if t[1 + m] > 0.5 else zeros
            parts[m] = psi(seen) - psi(ones + zeros) if ones > 0.0 and zeros > 0.0 else np.nan
        for m in range(M):  # apart from the other loop, which then is vector code
            total += parts[m]
        return total

    return log_density
