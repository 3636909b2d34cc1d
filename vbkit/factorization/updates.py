"""Coordinate updates of the posterior: of a full matrix, and of one with missing entries."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from vbkit.compiled import COMPILED
from vbkit.compiled.gaps import plain_rows, update_rows
from vbkit.factorization import model
from vbkit.factorization.matrices import LEAST_NOISE, SVD, ObservedEntries
from vbkit.factorization.model import Factorization, Moments

NO_ENTROPY = -1 - np.log(
    2 * np.pi
)  # log variance of a normal number whose entropy is 0
CANCELLED = 1e-4  # a smaller share of the sum of squares: as a difference the error loses digits


class Updates:
    """A posterior on the move: `sweep` updates all of it once, `state` returns it.

    Subclasses say how: `update(learn_a, learn_b)` updates cov_A, A, cov_B, B, then the prior
    variances that are learned, and returns the squared error with the `Moments` of A and B.
    """

    def __init__(self, data: SVD | ObservedEntries, start: Factorization):
        self.data, self.start, self.noise = data, start, start.noise
        self.least_noise = data.least_noise

    def sweep(self, learn_a: bool, learn_b: bool, learn_noise: bool) -> float:
        """Update everything once, each from the newest values; return the ELBO (nats)."""
        error, *factors = self.update(learn_a, learn_b)
        if learn_noise:
            self.noise = max(error / self.data.size, self.least_noise)
        return model.elbo_from_moments(self.data.size, error, self.noise, *factors)


class FullMatrixUpdates(Updates):
    """VB of a full matrix V = U diag(d) W' (slides "VB posterior", "Hyperparameter Estimation").

    The updates make A = W a and B = U b: V'B is W (d b), V A is U (d a). So a sweep needs products
    of min(L, M) x H by H x H only, none with V. What the start's B has outside the column space of
    V counts only in E[B'B].
    """

    def __init__(self, data: SVD, start: Factorization):
        super().__init__(data, start)
        self.d, self.prior_a, self.prior_b = (
            data.d[:, None],
            start.prior_a,
            start.prior_b,
        )
        self.cov_A, self.cov_B, self.b = None, None, data.U.T @ start.B
        self.second_b = start.B.T @ start.B + model.total_covariance(
            start.cov_B, len(start.B)
        )

    def update(self, learn_a: bool, learn_b: bool):
        (L, M), data = self.data.shape, self.data
        self.cov_A, log_det_A = inverse(self.second_b / self.noise, 1 / self.prior_a)
        self.a = (self.d * self.b) @ (self.cov_A / self.noise)
        aa = self.a.T @ self.a
        second_a = aa + M * self.cov_A
        self.cov_B, log_det_B = inverse(second_a / self.noise, 1 / self.prior_b)
        scaled = self.d * self.a
        self.b = scaled @ (self.cov_B / self.noise)
        bb = self.b.T @ self.b
        self.second_b = bb + L * self.cov_B
        error = (
            data.square - 2 * np.vdot(self.b, scaled) + np.vdot(bb, aa)
        )  # |V - B A'|^2
        if error < CANCELLED * data.square:
            error = ((np.diag(data.d) - self.b @ self.a.T) ** 2).sum()
        error += M * np.vdot(self.cov_A, self.second_b) + L * np.vdot(self.cov_B, aa)
        squares_a, squares_b = second_a.diagonal(), self.second_b.diagonal()
        if learn_a:
            self.prior_a = squares_a / M
        if learn_b:
            self.prior_b = squares_b / L
        moments_a = Moments(M, squares_a, self.prior_a, M * log_det_A)
        return (
            float(error),
            moments_a,
            Moments(L, squares_b, self.prior_b, L * log_det_B),
        )

    def state(self) -> Factorization:
        """The posterior as it is now."""
        if self.cov_A is None:  # no sweep yet
            return self.start
        A, B = self.data.W @ self.a, self.data.U @ self.b
        return Factorization(
            A, B, self.cov_A, self.cov_B, self.prior_a, self.prior_b, self.noise
        )


def inverse(K: np.ndarray, diagonal: np.ndarray) -> tuple[np.ndarray, float]:
    """Invert K + diag(diagonal), positive definite (H, H); return the inverse and the log of its
    determinant. K is overwritten. By Cholesky: half the time of `np.linalg.inv` and `slogdet`."""
    if not len(K):
        return K, 0.0
    K.ravel()[:: len(K) + 1] += diagonal
    factor, failed = lapack.dpotrf(K.T, lower=1, overwrite_a=1)
    if failed:
        why = (
            "a factor's posterior precision is not positive definite in floating point"
        )
        raise ValueError(
            f"V is too large beside its noise: {why}; rescale V or raise the noise"
        )
    log_det = -2 * float(np.log(factor.diagonal()).sum())
    lower = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]  # zeros above the diagonal
    inverse = lower + lower.T
    inverse.ravel(order="K")[:: len(K) + 1] /= 2
    return inverse, log_det


class Factor:
    """One factor of a matrix with missing entries: mean (rows, P), prior (P,), cov and second
    (rows, T), the lower triangles of its covariances and of E[x x'], and its entries by row."""

    def __init__(self, by_row: sp.csr_array, centre: float, mean, cov, prior):
        self.entries = by_row.indptr, by_row.indices, by_row.data - centre
        rows, P = mean.shape
        self.mean, self.prior, self.free = mean.copy(), prior.copy(), prior > 0
        self.lower = i, j = np.tril_indices(P)
        self.cov = np.ascontiguousarray(np.broadcast_to(cov, (rows, P, P))[:, i, j])
        self.second = np.ascontiguousarray(self.cov + mean[:, i] * mean[:, j])
        self.squares = np.flatnonzero(i == j)[self.free]  # where `second` holds E x^2
        self.no_draw, self.no_entropy = (
            np.empty((rows, 0)),
            NO_ENTROPY * rows * self.free.sum(),
        )

    def update(self, other: Factor, noise: float, z=None) -> tuple[float, float]:
        """Update all rows given the other factor. z (rows, P): put in a draw (z standard normal) or
        the mode (z = 0) instead of the posterior.

        Returns the log-determinant of the covariances (`no_entropy` where there are none), and
        E sum (b . a)^2 - 2 v b . a over the entries.
        """
        given = *self.entries, other.second, other.mean, self.prior, noise
        written = self.mean, self.cov, self.second
        update = update_rows if COMPILED else plain_rows
        log_det, error = update(*given, self.no_draw if z is None else z, *written)
        return log_det if z is None else self.no_entropy, error

    def moments(self, log_det: float, learn: bool) -> Moments:
        """The moments, after the prior variances are learned where they should be."""
        rows, squares = len(self.mean), self.second[:, self.squares].sum(axis=0)
        if learn:
            self.prior[self.free] = squares / rows
        return Moments(rows, squares, self.prior[self.free], log_det)

    def covariances(self) -> np.ndarray:
        """Unpack the covariances (rows, P, P)."""
        (rows, P), (i, j) = self.mean.shape, self.lower
        full = np.empty((rows, P, P))
        full[:, i, j] = full[:, j, i] = self.cov
        return full


class MissingEntryUpdates(Updates):
    """VB with one covariance per row: the slides' updates for each row's own entries.

    cov_a[m] = (sum over the rows l seen in m of E[b_l b_l'] / noise + C_A^-1)^-1, with the mean
    cov_a[m] (sum of v_lm E[b_l]) / noise. A full matrix is taken entry by entry. `mode`: put the
    mode of each row in place of its posterior, so that the "ELBO" is log p(V, A, B).
    """

    def __init__(
        self, data: SVD | ObservedEntries, start: Factorization, mode: bool = False
    ):
        data = data.entries() if isinstance(data, SVD) else data
        super().__init__(data, start)
        self.a = Factor(
            data.by_column, start.centre, start.A, start.cov_A, start.prior_a
        )
        self.b = Factor(data.by_row, start.centre, start.B, start.cov_B, start.prior_b)
        self.z_a, self.z_b = (
            np.zeros_like(x.mean) if mode else None for x in (self.a, self.b)
        )
        self.square = float(self.b.entries[2] @ self.b.entries[2])  # about the centre
        if start.centre and self.square:
            self.least_noise = LEAST_NOISE * self.square / data.size

    def update(self, learn_a: bool, learn_b: bool):
        log_det_A, _ = self.a.update(self.b, self.noise, self.z_a)
        log_det_B, difference = self.b.update(self.a, self.noise, self.z_b)
        factors = self.a.moments(log_det_A, learn_a), self.b.moments(log_det_B, learn_b)
        error = self.square + difference
        if error < CANCELLED * self.square:
            error = model.squared_error(self.data, self.state())
        return error, *factors

    def state(self) -> Factorization:
        """The posterior as it is now."""
        a, b, centre = self.a, self.b, self.start.centre
        covariances = a.covariances(), b.covariances()
        return Factorization(
            a.mean, b.mean, *covariances, a.prior, b.prior, self.noise, centre
        )
