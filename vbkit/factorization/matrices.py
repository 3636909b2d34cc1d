"""The matrix to factorize: full, with its singular values, or with missing entries."""

from __future__ import annotations

from functools import cached_property

import attrs
import numpy as np
import scipy.sparse as sp

from vbkit.checks import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    as_array,
    as_generator,
    as_number,
    as_shape,
)

# As a share of the mean square: a noiseless matrix of low rank needs a floor.
LEAST_NOISE = 1e-12


class Matrix:
    """What full matrices and those with missing entries share: `values` (N,), what is
    observed."""

    values: np.ndarray

    @cached_property
    def size(self) -> int:
        """The number N of observed entries."""
        return len(self.values)

    @cached_property
    def square(self) -> float:
        """The sum of the squares of the observed entries."""
        return float(self.values @ self.values)

    @cached_property
    def least_noise(self) -> float:
        """The smallest noise variance that is ever learned."""
        return LEAST_NOISE * self.square / self.size


@attrs.frozen(eq=False, slots=False)
class SVD(Matrix):
    """A full matrix V (L, M) = U diag(d) W' with U (L, R), d (R,) falling, W (M, R),
    R = min(L, M)."""

    V: np.ndarray = attrs.field(repr=False)
    U: np.ndarray = attrs.field(repr=False)
    d: np.ndarray
    W: np.ndarray = attrs.field(repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """(L, M)."""
        return self.V.shape

    @property
    def values(self) -> np.ndarray:
        """All entries (L M,), row by row."""
        return self.V.ravel()

    def entries(self) -> ObservedEntries:
        """Return the same matrix as triplets, all of them observed."""
        rows, cols = np.indices(self.shape)
        return ObservedEntries(rows.ravel(), cols.ravel(), self.values, self.shape)


def as_indices(name: str, value, length: int = 2**31) -> np.ndarray:
    """Whole numbers from 0 to length - 1, as int64 (N,)."""
    indices = np.atleast_1d(np.asarray(value))
    if indices.ndim != 1 or (indices.dtype.kind not in "iu" and indices.size):
        raise ValueError(
            f"{name} is {indices.dtype} {indices.shape}; it must be whole numbers (N,)"
        )
    outside = indices[(indices < 0) | (indices >= length)]
    if len(outside):
        raise ValueError(
            f"{name} holds {outside[0]}; indices must lie within 0 to {length - 1}"
        )
    return indices.astype(np.int64)


def _check_scale(name: str, values: np.ndarray) -> None:
    largest = float(np.abs(values).max())
    if largest and not SMALLEST_SCALE <= largest <= LARGEST_SCALE:
        raise ValueError(
            f"{name} reaches {largest:.3g}; allowed are {SMALLEST_SCALE:g} to {LARGEST_SCALE:g}"
        )


@attrs.frozen(eq=False, slots=False, repr=False)
class ObservedEntries(Matrix):
    """The observed entries of a matrix: values (N,) at rows (N,) and cols (N,), each
    place at most once.

    shape: (L, M); None takes the largest row and column. Rows and columns without an
    entry are allowed; they are predicted from the prior. Raises ValueError without any
    entry, for indices outside the shape, for a place given twice, for values that are
    not finite, and for a shape that is not two whole numbers.
    """

    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray
    shape: tuple[int, int]

    def __init__(self, rows, cols, values, shape=None):
        rows = as_indices("rows", rows)
        cols = as_indices("cols", cols)
        values = as_array("values", values, ndim=1).copy()
        lengths = len(rows), len(cols), len(values)
        if len(set(lengths)) > 1 or not len(values):
            raise ValueError(
                f"rows, cols and values have {lengths} numbers; give as many, >= 1"
            )
        _check_scale("values", values)
        if shape is None:
            shape = int(rows.max()) + 1, int(cols.max()) + 1
        else:
            shape = as_shape("shape", shape)
        L, M = shape
        as_indices("rows", rows, L)
        as_indices("cols", cols, M)
        places, counts = np.unique(rows * M + cols, return_counts=True)
        if len(places) < len(values):
            row, col = divmod(int(places[counts.argmax()]), M)
            raise ValueError(
                f"rows and cols name row {row}, column {col} more than once"
            )
        self.__attrs_init__(rows, cols, values, shape)

    def __repr__(self) -> str:
        L, M = self.shape
        percentage = 100 * self.size / (L * M)
        return f"ObservedEntries({self.size} of {L} x {M}, {percentage:.3g} %)"

    @cached_property
    def by_row(self) -> sp.csr_array:
        """The entries row by row (L, M); a zero that is stored is an observed zero."""
        return sp.csr_array((self.values, (self.rows, self.cols)), shape=self.shape)

    @cached_property
    def by_column(self) -> sp.csr_array:
        """The entries column by column (M, L)."""
        return sp.csr_array(
            (self.values, (self.cols, self.rows)), shape=self.shape[::-1]
        )

    def split(
        self, share: float, rng: np.random.Generator
    ) -> tuple[ObservedEntries, ObservedEntries]:
        """Split off a random share (0 < share < 1) of the entries.

        Returns the rest, and that share, both of the same shape as this matrix. Raises
        ValueError where either would be empty.
        """
        as_number("share", share, 1 / self.size, 1 - 1 / self.size)
        order = as_generator("rng", rng).permutation(self.size)
        taken, rest = np.split(order, [round(share * self.size)])
        return self._take(np.sort(rest)), self._take(np.sort(taken))

    def _take(self, part: np.ndarray) -> ObservedEntries:
        return ObservedEntries(
            self.rows[part], self.cols[part], self.values[part], self.shape
        )


def validate(V) -> SVD | ObservedEntries:
    """Check a matrix V (L, M): return a full array as its `SVD`, and one in which NaN
    or a mask marks what is missing as `ObservedEntries`.

    Of a scipy sparse matrix the stored entries are the observed ones, even where they
    are 0. Validated data are returned unchanged. Raises ValueError for what is not a
    matrix of finite numbers and NaN, for one with nothing observed, and for numbers
    beyond 1e-100 to 1e100.
    """
    if isinstance(V, SVD | ObservedEntries):
        return V
    if sp.issparse(V):
        triplets = sp.coo_array(V)
        rows, cols = triplets.coords
        return ObservedEntries(rows, cols, triplets.data, triplets.shape)
    if isinstance(V, np.ma.MaskedArray):
        V = V.astype(np.float64).filled(np.nan)
    V = as_array("V", V, ndim=2, nan=True)
    seen = ~np.isnan(V)
    if not seen.any():
        raise ValueError(
            f"V of shape {V.shape} holds no number; NaN marks a missing entry"
        )
    if not seen.all():
        rows, cols = np.nonzero(seen)
        return ObservedEntries(rows, cols, V[seen], V.shape)
    _check_scale("V", V)
    U, d, Wt = np.linalg.svd(V, full_matrices=False)
    return SVD(V.copy(), U, d, np.ascontiguousarray(Wt.T))
