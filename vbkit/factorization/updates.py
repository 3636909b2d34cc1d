"""The alternating updates of VB matrix factorization (Nakajima's slides, "VB posterior"
and "Hyperparameter estimation").

A sweep updates each part from the newest values of all others. For a full matrix V (L,
M):

    cov_A = (E[B'B] / noise + C_A^-1)^-1,    A = V' B cov_A / noise,
    cov_B = (E[A'A] / noise + C_B^-1)^-1,    B = V A cov_B / noise,
    prior_a = diag E[A'A] / M,               prior_b = diag E[B'B] / L,
    noise = E |V - B A'|^2 / (L M),

with E[A'A] = A'A + M cov_A and E[B'B] = B'B + L cov_B. Where entries are missing, each
row of a factor has a covariance of its own: the sums run over the entries that were
seen in it. Each update makes the ELBO as large as it can be given the other parts, so
the ELBO never falls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from vbkit.compiled import COMPILED
from vbkit.compiled.gaps import plain_rows, update_rows
from vbkit.factorization.matrices import LEAST_NOISE, SVD, ObservedEntries
from vbkit.factorization.model import (
    Factorization,
    Moments,
    elbo_from_moments,
    squared_error,
    total_covariance,
)

# As a share of the sum of squares: where the squared error is smaller, it must not be
# computed as a difference, which would lose its digits.
CANCELLED = 1e-4
NO_ENTROPY = -1 - np.log(2 * np.pi)  # log variance of a normal number with entropy 0


class Learn(NamedTuple):
    """Which hyperparameters a sweep learns."""

    prior_a: bool
    prior_b: bool
    noise: bool


NOTHING = Learn(False, False, False)


class Updates:
    """A posterior on the move: `sweep` updates all of it once, `state` returns it.

    Subclasses have two factors, `a` and `b`, with the methods `update(other, noise)`,
    `learn_prior()` and `moments()`, and say how the squared error is found.
    """

    def __init__(self, data: SVD | ObservedEntries, start: Factorization):
        self.data = data
        self.start = start
        self.noise = start.noise
        self.least_noise = data.least_noise

    def sweep(self, learn: Learn) -> float:
        """Update everything once, each part from the newest values; return the ELBO
        (nats)."""
        self.a.update(self.b, self.noise)
        self.b.update(self.a, self.noise)
        error = self.squared_error()
        if learn.prior_a:
            self.a.learn_prior()
        if learn.prior_b:
            self.b.learn_prior()
        if learn.noise:
            self.noise = max(error / self.data.size, self.least_noise)
        return elbo_from_moments(
            self.data.size, error, self.noise, self.a.moments(), self.b.moments()
        )


# ---- a full matrix ----


class FullMatrixUpdates(Updates):
    """VB of a full matrix V = U diag(d) W', in the coordinates of its singular vectors.

    The updates make A = W a and B = U b, with V'B = W (d b) and V A = U (d a). So a
    sweep needs products of (R, H) by (H, H) only, R = min(L, M), and none with V.
    """

    def __init__(self, data: SVD, start: Factorization):
        super().__init__(data, start)
        self.a = FullFactor(data.d, data.W, start.A, start.cov_A, start.prior_a)
        self.b = FullFactor(data.d, data.U, start.B, start.cov_B, start.prior_b)
        self.swept = False

    def sweep(self, learn: Learn) -> float:
        self.swept = True
        return super().sweep(learn)

    def squared_error(self) -> float:
        """E |V - B A'|^2 = |V - B A'|^2 + M tr(cov_A E[B'B]) + L tr(cov_B A'A)."""
        a = self.a
        b = self.b
        error = (
            self.data.square
            - 2 * np.vdot(b.mean, a.scaled_mean)
            + np.vdot(b.gram, a.gram)
        )
        if error < CANCELLED * self.data.square:
            error = ((np.diag(self.data.d) - b.mean @ a.mean.T) ** 2).sum()
        error += a.rows * np.vdot(a.cov, b.second) + b.rows * np.vdot(b.cov, a.gram)
        return float(error)

    def state(self) -> Factorization:
        """The posterior as it is now."""
        if not self.swept:  # the start may lie outside the span of the singular vectors
            return self.start
        return Factorization(
            self.data.W @ self.a.mean,
            self.data.U @ self.b.mean,
            self.a.cov,
            self.b.cov,
            self.a.prior,
            self.b.prior,
            self.noise,
        )


class FullFactor:
    """One factor of a full matrix, whose rows share one covariance.

    rows: their number. mean (R, H): the posterior mean's coordinates along the singular
    vectors; scaled_mean: these times the singular values; gram (H, H): mean' mean. cov
    (H, H). second (H, H): E[X'X] of the factor X. prior (H,). log_det: of all rows'
    covariances together. Of a start only `prior`, `scaled_mean` and `second` are known: the
    other four are there after the first `update`.
    """

    def __init__(self, d, singular_vectors, mean, cov, prior):
        self.d = d[:, None]
        self.rows = len(mean)
        self.prior = prior
        self.scaled_mean = self.d * (singular_vectors.T @ mean)
        # What the start has outside the span of the singular vectors counts here only.
        self.second = mean.T @ mean + total_covariance(cov, self.rows)

    def update(self, other: FullFactor, noise: float) -> None:
        """The best posterior given the other factor."""
        precision = other.second / noise + np.diag(1 / self.prior)
        self.cov, log_det = inverse(precision)
        self.mean = other.scaled_mean @ (self.cov / noise)
        self.scaled_mean = self.d * self.mean
        self.gram = self.mean.T @ self.mean
        self.second = self.gram + self.rows * self.cov
        self.log_det = self.rows * log_det

    def learn_prior(self) -> None:
        """The best prior variances given the posterior."""
        self.prior = self.second.diagonal() / self.rows

    def moments(self) -> Moments:
        """What the ELBO needs of this factor."""
        return Moments(self.rows, self.second.diagonal(), self.prior, self.log_det)


def inverse(precision: np.ndarray) -> tuple[np.ndarray, float]:
    """The inverse of a positive definite matrix (H, H), and the inverse's
    log-determinant.

    Raises ValueError where the matrix is not positive definite in floating point.
    """
    try:
        triangle = np.linalg.cholesky(precision)
        covariance = np.linalg.inv(precision)
    except np.linalg.LinAlgError:
        why = (
            "a factor's posterior precision is not positive definite in floating point"
        )
        raise ValueError(
            f"V is too large beside its noise: {why}; rescale V or raise the noise"
        ) from None
    return covariance, -2 * float(np.log(triangle.diagonal()).sum())


# ---- missing entries ----


class MissingEntryUpdates(Updates):
    """VB with one covariance a row: the slides' updates for each row's own entries,

        cov_a[m] = (sum_l E[b_l b_l'] / noise + C_A^-1)^-1,
        a[m] = cov_a[m] sum_l v_lm E[b_l] / noise,

    with sums over the rows l that were seen in column m, and the same for b. A full
    matrix is taken entry by entry. mode: put the mode of each row in place of its
    posterior, so that the "ELBO" is log p(V, A, B).
    """

    def __init__(
        self, data: SVD | ObservedEntries, start: Factorization, mode: bool = False
    ):
        if isinstance(data, SVD):
            data = data.entries()
        super().__init__(data, start)
        centre = start.centre
        self.a = Factor(
            data.by_column, centre, start.A, start.cov_A, start.prior_a, mode
        )
        self.b = Factor(data.by_row, centre, start.B, start.cov_B, start.prior_b, mode)
        self.square = float(self.b.values @ self.b.values)  # about the centre
        if centre and self.square:
            self.least_noise = LEAST_NOISE * self.square / data.size

    def squared_error(self) -> float:
        """E sum (v - centre - b . a)^2 over the observed entries."""
        error = self.square + self.b.error_difference
        if error < CANCELLED * self.square:
            error = squared_error(self.data, self.state())
        return error

    def state(self) -> Factorization:
        """The posterior as it is now."""
        return Factorization(
            self.a.mean,
            self.b.mean,
            self.a.covariances(),
            self.b.covariances(),
            self.a.prior,
            self.b.prior,
            self.noise,
            self.start.centre,
        )


class Factor:
    """One factor of a matrix with missing entries, each of whose rows has its own
    covariance.

    mean (rows, P), prior (P,). cov and second (rows, T): the lower triangles, T = P (P
    + 1) / 2, of the covariances and of E[x x'], row by row. first (rows + 1,), others
    and values (N,): row l has the entries first[l] to first[l + 1] of `values`, less
    the centre, at the rows `others` of the other factor. log_det: of all rows'
    covariances. error_difference: what the other factor and this one explain, E sum (b
    . a)^2 - 2 v b . a over the entries.
    """

    def __init__(self, by_row: sp.csr_array, centre: float, mean, cov, prior, mode):
        rows, P = mean.shape
        self.first = by_row.indptr
        self.others = by_row.indices
        self.values = by_row.data - centre
        self.mean = mean.copy()
        self.prior = prior.copy()
        self.free = prior > 0
        self.mode = mode
        i, j = np.tril_indices(P)
        self.lower = i, j
        self.cov = np.ascontiguousarray(np.broadcast_to(cov, (rows, P, P))[:, i, j])
        self.second = np.ascontiguousarray(self.cov + mean[:, i] * mean[:, j])
        self.squares = np.flatnonzero(i == j)[self.free]  # where `second` has E x^2
        self.log_det = NO_ENTROPY * rows * self.free.sum()  # for a point

    def update(self, other: Factor, noise: float) -> None:
        """The best posterior of all rows given the other factor; or their modes."""
        if self.mode:
            self.draw(other, noise, np.zeros_like(self.mean))
        else:
            no_draw = np.empty((len(self.mean), 0))
            self.log_det = self._update_rows(other, noise, no_draw)

    def draw(self, other: Factor, noise: float, z: np.ndarray) -> None:
        """Put a draw from each row's posterior in its place, from standard normal z
        (rows, P); the mode where z is 0."""
        self._update_rows(other, noise, z)

    def _update_rows(self, other: Factor, noise: float, z: np.ndarray) -> float:
        """Update mean, cov, second and error_difference; return the log-determinant."""
        update = update_rows if COMPILED else plain_rows
        log_det, self.error_difference = update(
            self.first,
            self.others,
            self.values,
            other.second,
            other.mean,
            self.prior,
            noise,
            z,
            self.mean,
            self.cov,
            self.second,
        )
        return log_det

    def learn_prior(self) -> None:
        """The best prior variances of the columns that are not known, given the
        posterior."""
        self.prior[self.free] = self._sum_of_squares() / len(self.mean)

    def moments(self) -> Moments:
        """What the ELBO needs of this factor."""
        return Moments(
            len(self.mean), self._sum_of_squares(), self.prior[self.free], self.log_det
        )

    def _sum_of_squares(self) -> np.ndarray:
        """E of the sum of x^2 over the rows, of each column that is not known."""
        return self.second[:, self.squares].sum(axis=0)

    def covariances(self) -> np.ndarray:
        """The covariances (rows, P, P), unpacked."""
        rows, P = self.mean.shape
        i, j = self.lower
        full = np.empty((rows, P, P))
        full[:, i, j] = self.cov
        full[:, j, i] = self.cov
        return full
