"""Sweeps over a matrix with missing entries: one covariance a row, its sums in one compiled pass over the entries."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.sparse as sp
from numba import uint64

from vbkit.compiled import FUSED, inline, jit, log
from vbkit.factorization.matrices import ObservedEntries
from vbkit.factorization.model import CANCELLED, Factorization, squared_error


@partial(inline, **FUSED)
def gather(first, last, others, values, seconds, means, G, r):
    """G (T,), r (P,): the sums of E[x x'] (packed) and of v E[x] over the entries first .. last."""
    T, P = uint64(len(G)), uint64(len(r))
    G[:] = 0.0
    r[:] = 0.0
    for e in range(first, last):
        m, v = (
            uint64(others[e]),
            values[e],
        )  # unsigned: that an index may be negative rules out vector code
        for t in range(T):
            G[t] += seconds[m, t]
        for i in range(P):
            r[i] += v * means[m, i]


@partial(inline, **FUSED)
def precision(G, r, prior, noise, mean, K):
    """K (P + 1, P + 1), its lower triangle: a row's posterior precision, and below it precision times mean, from the
    sums that `gather` gave. Where prior is 0, `mean` is known: what it explains is taken off the data, and it is cut
    loose (1 on the diagonal, else 0)."""
    P, t = len(prior), 0
    for i in range(P):
        K[P, i] = r[i] / noise
        for j in range(i + 1):
            K[i, j] = G[t] / noise
            t += 1
    for i in range(P):
        if prior[i] == 0.0:
            for j in range(P):
                K[P, j] -= K[max(i, j), min(i, j)] * mean[i]
    for i in range(P):
        if prior[i] == 0.0:
            K[i, :i] = 0.0
            K[i:, i] = 0.0
        K[i, i] += 1.0 / prior[i] if prior[i] > 0.0 else 1.0


@partial(inline, **FUSED)
def solve(K, row):
    """Of what `precision` made: minus the inverse of the precision, and below it the mean, in place (the symmetric form
    of Gauss and Jordan's elimination). Returns minus the log-determinant of the precision."""
    N, total = uint64(len(K)), 0.0
    for k in range(len(K) - 1):
        pivot = K[k, k]
        total -= log(pivot)
        for j in range(k):
            row[j] = K[k, j]
        for j in range(k, len(K)):
            row[j] = K[j, k]
        for i in range(N):
            factor = row[i] / pivot
            for j in range(i + uint64(1)):
                K[i, j] -= factor * row[j]
        for j in range(k):
            K[k, j] = row[j] / pivot
        for j in range(k, len(K)):
            K[j, k] = row[j] / pivot
        K[k, k] = -1.0 / pivot
    return total


@partial(jit, **FUSED)
def update_rows(first, others, values, seconds, means, prior, noise, mean, cov, second):
    """New posteriors of the rows of one factor, given the other's.

    Row l has the entries first[l] .. first[l + 1] of others (which row of the other factor) and values. seconds (n, T)
    and means (n, P) are the other's E[x x'] and E[x]; a symmetric matrix is its T = P (P + 1) / 2 lower entries.
    Written: mean (rows, P), cov and second (rows, T). Returns the sum of the log-determinants of the covariances, and
    E sum (b . a)^2 - 2 v b . a over the entries.
    """
    P = means.shape[1]
    G, r, work, K = (
        np.empty(seconds.shape[1]),
        np.empty(P),
        np.empty(P + 1),
        np.empty((P + 1, P + 1)),
    )
    log_det, error = 0.0, 0.0
    for row in range(len(first) - 1):
        gather(first[row], first[row + 1], others, values, seconds, means, G, r)
        precision(G, r, prior, noise, mean[row], K)
        log_det += solve(K, work)
        for i in range(P):
            if prior[i] > 0.0:
                mean[row, i] = K[P, i]
            else:
                K[i, i] = 0.0
        t = 0
        for i in range(P):
            error -= 2.0 * r[i] * mean[row, i]
            for j in range(i + 1):
                cov[row, t] = -K[i, j]
                second[row, t] = mean[row, i] * mean[row, j] - K[i, j]
                error += (1.0 if i == j else 2.0) * second[row, t] * G[t]
                t += 1
    return log_det, error


def products(x: np.ndarray, lower) -> np.ndarray:
    """The products x_i x_j of each row of x (rows, P), as (rows, T); lower: the indices of a lower triangle."""
    i, j = lower
    return np.ascontiguousarray(x[:, i] * x[:, j])  # an index gives columns first in memory


class Side:
    """One factor: mean (rows, P), cov and second moments packed (rows, T), prior (P,), and its entries by row."""

    def __init__(self, entries: sp.csr_array, centre: float, mean, cov, prior):
        self.entries = entries.indptr, entries.indices, entries.data - centre
        self.mean, self.prior, (rows, P) = mean.copy(), prior.copy(), mean.shape
        self.lower = i, j = np.tril_indices(P)
        self.cov = np.ascontiguousarray(np.broadcast_to(cov, (rows, P, P))[:, i, j])
        self.second = self.cov + products(mean, self.lower)

    def update(self, other: Side, noise: float, learn: bool) -> tuple[float, float]:
        """Twice the divergence from the prior, which is set to what makes it least if `learn`; the squared error less
        the sum of squares."""
        free, rows = self.prior > 0, len(self.mean)
        given = *self.entries, other.second, other.mean
        log_det, error = update_rows(*given, self.prior, noise, self.mean, self.cov, self.second)
        second = self.second[:, self.lower[0] == self.lower[1]].sum(axis=0)[free]
        if learn:
            self.prior[free] = second / rows
        c = self.prior[free]
        return float(rows * np.log(c).sum() - log_det + (second / c).sum() - rows * len(c)), error

    def covariances(self) -> np.ndarray:
        (rows, P), (i, j) = self.mean.shape, self.lower
        full = np.empty((rows, P, P))
        full[:, i, j] = full[:, j, i] = self.cov
        return full


class MissingEntryUpdates:
    """VB with one covariance a row: cov_a[m] = (sum over the rows l seen in m of E[b_l b_l'] / noise + C_A^-1)^-1, and
    the mean cov_a[m] (sum of v_lm E[b_l]) / noise: the slides' updates for each row's own entries."""

    def __init__(self, data: ObservedEntries, start: Factorization, floor: float):
        self.data, self.start, self.floor, self.noise = data, start, floor, start.noise
        self.a = Side(data.by_column, start.centre, start.A, start.cov_A, start.prior_a)
        self.b = Side(data.by_row, start.centre, start.B, start.cov_B, start.prior_b)
        self.square = float(self.b.entries[2] @ self.b.entries[2])

    def sweep(self, learn_a: bool, learn_b: bool, learn_noise: bool) -> float:
        twice_a, _ = self.a.update(self.b, self.noise, learn_a)
        twice_b, difference = self.b.update(self.a, self.noise, learn_b)
        error = self.square + difference
        if error < CANCELLED * self.square:
            error = squared_error(self.data, self.state())
        if learn_noise:
            self.noise = max(error / self.data.size, self.floor)
        N = self.data.size
        return -0.5 * float(
            N * np.log(2 * np.pi * self.noise) + error / self.noise + twice_a + twice_b
        )

    def state(self) -> Factorization:
        a, b, start = self.a, self.b, self.start
        moments = a.mean, b.mean, a.covariances(), b.covariances()
        return Factorization(*moments, a.prior, b.prior, self.noise, start.centre)
