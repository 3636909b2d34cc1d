"""The statistics of rows with many columns, without writing out all products of columns.

A row of D numbers has D (D + 1) / 2 products of two of them. From some fifty columns on it
takes longer to write these to memory, and to read them again for each component, than to
multiply matrices of the rows themselves.
"""

import numpy as np
from scipy.linalg import blas


class RowsWithSquares:
    """The statistics (n, P) of rows x (n, D): 1, x, and the products x_i x_j with i <= j (upper
    triangle, row by row), to whose squares `spread` (D,) is added.

    It is what an E-step needs of an array of statistics: its product with natural parameters
    from the right, and with responsibilities from the left.
    """

    dtype = np.dtype(np.float64)
    # So R @ T calls `__rmatmul__` below where R is an array of NumPy, too, by NumPy's rule
    # for binary operators: https://numpy.org/neps/nep-0013-ufunc-overrides.html
    __array_ufunc__ = None

    def __init__(self, x: np.ndarray, spread: np.ndarray):
        self.columns = np.asfortranarray(x.T)  # (D, n)
        self.spread = spread
        self.upper = np.triu_indices(len(spread))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and statistics, (n, P)."""
        D, n = self.columns.shape
        return n, 1 + D + len(self.upper[0])

    def __len__(self) -> int:
        return self.shape[0]

    def __matmul__(self, W: np.ndarray) -> np.ndarray:
        """The product (n, K) with natural parameters W (P, K): for each component
        w_0 + w . x + x' U x, with the triangle U of its last parameters."""
        D = len(self.spread)
        products = W[0] + self.columns.T @ W[1 : 1 + D]
        triangle = np.zeros((D, D), order="F")
        turned = np.empty_like(self.columns)
        for k, upper in enumerate(W[1 + D :].T):
            triangle[self.upper] = upper
            turned[:] = self.columns
            turned = blas.dtrmm(1.0, triangle, turned, trans_a=1, overwrite_b=1)
            products[:, k] += triangle.diagonal() @ self.spread
            products[:, k] += np.einsum("dn,dn->n", turned, self.columns)
        return products

    def __rmatmul__(self, R: np.ndarray) -> np.ndarray:
        """The product (K, P) of responsibilities R (K, n) >= 0 with the statistics."""
        D = len(self.spread)
        sums = np.empty((len(R), self.shape[1]))
        sums[:, 0] = R.sum(axis=1)
        sums[:, 1 : 1 + D] = R @ self.columns.T
        weighted = np.empty_like(self.columns)
        for row, r in zip(sums, R, strict=True):
            np.multiply(self.columns, np.sqrt(r), out=weighted)
            squares = blas.dsyrk(1.0, weighted)
            squares[np.diag_indices(D)] += row[0] * self.spread
            row[1 + D :] = squares[self.upper]
        return sums

    def toarray(self) -> np.ndarray:
        """The statistics written out (n, P), by products with unit vectors, (n, n): for few
        rows, as those of `check_family`."""
        return (np.eye(len(self)) @ self).reshape(self.shape)
