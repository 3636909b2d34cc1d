"""What is factorized: a full matrix, by its singular values, or a matrix with missing entries, by its triplets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from vbkit.checks import as_array, as_generator, as_matrix, as_number, as_shape
from vbkit.families.base import LARGEST, SMALLEST


@dataclass(frozen=True, eq=False)
class SVD:
    """A full matrix V (L, M) = U diag(d) W' with U (L, R), d (R,) falling, W (M, R), R = min(L, M)."""

    V: np.ndarray = field(repr=False)
    U: np.ndarray = field(repr=False)
    d: np.ndarray
    W: np.ndarray = field(repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        return self.V.shape

    @property
    def size(self) -> int:
        return self.V.size

    @cached_property
    def square(self) -> float:
        """The sum of the squares of all entries."""
        return float(self.d @ self.d)

    @property
    def mean(self) -> float:
        return float(self.V.mean())

    def entries(self) -> ObservedEntries:
        """The same matrix as triplets, all of them observed."""
        rows, cols = np.indices(self.shape)
        return ObservedEntries(rows.ravel(), cols.ravel(), self.V.ravel(), self.shape)


@dataclass(frozen=True, eq=False)
class ObservedEntries:
    """The observed entries of a matrix: values (N,) at rows (N,) and cols (N,), each place at most once.

    shape: (L, M); None: as many as the largest indices ask for. Rows and columns without an entry are allowed; they
    are predicted from the prior. Raises ValueError for no entry at all, for indices outside the shape, for a place
    given twice, for values that are not finite, and for a shape that is not two whole numbers.
    """

    rows: np.ndarray = field(repr=False)
    cols: np.ndarray = field(repr=False)
    values: np.ndarray = field(repr=False)
    shape: tuple[int, int] | None = None

    def __post_init__(self):
        values = as_array("values", self.values, ndim=1)
        if len(values) == 0:
            raise ValueError("values is empty; at least one entry must be observed")
        check_scale("values", values)
        L, M = (None, None) if self.shape is None else as_shape("shape", self.shape)
        rows, cols = as_index("rows", self.rows, L), as_index("cols", self.cols, M)
        if len(rows) != len(values) or len(cols) != len(values):
            lengths = f"{len(rows)}, {len(cols)} and {len(values)}"
            raise ValueError(f"rows, cols and values have {lengths} entries, not as many")
        shape = int(L or rows.max() + 1), int(M or cols.max() + 1)
        places, counts = np.unique(rows * shape[1] + cols, return_counts=True)
        if len(places) < len(values):
            row, col = divmod(int(places[counts.argmax()]), shape[1])
            raise ValueError(
                f"rows and cols name row {row}, column {col} more than once; a place may hold one value"
            )
        vars(self).update(rows=rows, cols=cols, values=values, shape=shape)

    def __repr__(self) -> str:
        share = self.size / (self.shape[0] * self.shape[1])
        return f"Entries({self.size} of {self.shape[0]} x {self.shape[1]}, {100 * share:.3g} %)"

    @property
    def size(self) -> int:
        return len(self.values)

    @cached_property
    def square(self) -> float:
        """The sum of the squares of the observed entries."""
        return float(self.values @ self.values)

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @cached_property
    def by_row(self) -> sp.csr_array:
        """The entries row by row (L, M); a zero that is stored is an observed zero."""
        return sp.csr_array((self.values, (self.rows, self.cols)), shape=self.shape)

    @cached_property
    def by_column(self) -> sp.csr_array:
        return sp.csr_array((self.values, (self.cols, self.rows)), shape=self.shape[::-1])

    def split(
        self, share: float, rng: np.random.Generator
    ) -> tuple[ObservedEntries, ObservedEntries]:
        """All but a random share (0 < share < 1) of the entries, and that share, with the same shape."""
        as_number("share", share, 1 / self.size, 1 - 1 / self.size)
        order = as_generator("rng", rng).permutation(self.size)
        cut = round(share * self.size)
        parts = np.sort(order[cut:]), np.sort(order[:cut])
        return tuple(
            ObservedEntries(self.rows[p], self.cols[p], self.values[p], self.shape) for p in parts
        )


def validate(V) -> SVD | ObservedEntries:
    """V (L, M), checked: a full array as its `Spectrum`; one in which NaN marks what is missing as `Entries`.

    Of a scipy sparse matrix the stored entries are the observed ones, also where they are 0. Raises ValueError for what
    is not a matrix of finite numbers and NaN, for one with nothing observed, and for numbers beyond 1e-100 to 1e100.
    """
    if isinstance(V, SVD | ObservedEntries):
        return V
    if sp.issparse(V):
        triplets = sp.coo_array(V)
        return ObservedEntries(*triplets.coords, triplets.data, triplets.shape)
    found = np.asarray(V)
    missing = np.isnan(found) if found.dtype.kind == "f" else np.zeros(found.shape, bool)
    if missing.any() and found.ndim == 2:
        if missing.all():
            raise ValueError(
                "V holds only NaN, the mark of a missing entry; at least one entry must be observed"
            )
        V, (rows, cols) = as_matrix("V", np.where(missing, 0.0, found)), np.nonzero(~missing)
        return ObservedEntries(rows, cols, V[rows, cols], V.shape)
    V = as_matrix("V", V)
    check_scale("V", V)
    U, d, Wt = np.linalg.svd(V, full_matrices=False)
    return SVD(V, U, d, np.ascontiguousarray(Wt.T))


def check_scale(name: str, values: np.ndarray) -> None:
    """Squares and their products must stay exact."""
    reach = float(np.abs(values).max())
    if reach and not SMALLEST <= reach <= LARGEST:
        raise ValueError(
            f"{name} reaches {reach:.3g}; its largest number must lie within {SMALLEST:g} to {LARGEST:g}"
        )


def as_index(name: str, value, length: int | None = None) -> np.ndarray:
    """Whole numbers as int64 (N,), from 0 to length - 1, or to 2^31 - 1 if no length is given."""
    found = np.atleast_1d(np.asarray(value))
    if found.ndim != 1 or (found.dtype.kind not in "iu" and found.size):
        raise ValueError(
            f"{name} must be whole numbers, one or a vector; got {found.dtype} of shape {found.shape}"
        )
    high = 2**31 - 1 if length is None else length - 1
    for wrong in found[(found < 0) | (found > high)]:
        raise ValueError(f"{name} holds {wrong}; indices must lie within 0 to {high}")
    return found.astype(np.int64)
