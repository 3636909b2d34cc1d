"""Sweeps over a matrix with missing entries: one covariance a row, its sums in one compiled pass over the entries."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numba import uint64

from vbkit.compiled import inline, jit, log
from vbkit.factorization.data import Entries
from vbkit.factorization.model import Factorization, elbo


@inline
def invert(K):
    """Invert the positive definite K (P, P) in place (Gauss and Jordan); minus the log of its determinant."""
    P, total = uint64(K.shape[0]), 0.0
    for k in range(P):
        pivot = K[k, k]
        total -= log(pivot)
        K[k, k] = 1.0
        for j in range(P):
            K[k, j] /= pivot
        for i in range(P):
            if i != k:
                factor = K[i, k]
                K[i, k] = 0.0
                for j in range(P):
                    K[i, j] -= factor * K[k, j]
    return total


@inline
def gather(first, last, others, values, seconds, means, G, r):
    """G (T,), r (P,): the sums of E[x x'] (packed) and of v E[x] over the entries first .. last."""
    T, P = uint64(len(G)), uint64(len(r))
    G[:] = 0.0
    r[:] = 0.0
    for e in range(first, last):
        m, v = uint64(others[e]), values[e]  # unsigned: that an index may be negative rules out vector code
        for t in range(T):
            G[t] += seconds[m, t]
        for i in range(P):
            r[i] += v * means[m, i]


@inline
def precision(G, r, K, prior, noise, mean):
    """K (P, P), r (P,): a row's posterior precision, and precision times mean, from the sums that `gather` gave.

    Where prior is 0, `mean` is known: what it explains is taken off the data, and it is cut loose (K 1, r 0 there).
    """
    P, t = len(prior), 0
    for i in range(P):
        r[i] /= noise
        for j in range(i + 1):
            K[i, j] = K[j, i] = G[t] / noise
            t += 1
    for i in range(P):
        if prior[i] == 0.0:
            for j in range(P):
                r[j] -= K[j, i] * mean[i]
    for i in range(P):
        if prior[i] == 0.0:
            K[i, :] = 0.0
            K[:, i] = 0.0
            r[i] = 0.0
        K[i, i] += 1.0 / prior[i] if prior[i] > 0.0 else 1.0


@jit
def update_rows(first, others, values, seconds, means, covs, prior, noise, mean, cov, second):
    """New posteriors of the rows of one factor, given the other's.

    Row l has the entries first[l] .. first[l + 1] of others (which row of the other factor) and values. seconds, covs
    (n, T) and means (n, P) are the other's E[x x'], covariances and E[x]; a symmetric matrix is its T = P (P + 1) / 2
    lower entries. Written: mean (rows, P), cov and second (rows, T). Returns the sum of the log-determinants, and
    E sum (v - b . a)^2 as a sum of terms >= 0 (0 where covs is empty).
    """
    P, T = uint64(means.shape[1]), uint64(seconds.shape[1])
    G, S, r, K, log_det, error = np.empty(T), np.empty(T), np.empty(P), np.empty((P, P)), 0.0, 0.0
    for row in range(len(first) - 1):
        gather(first[row], first[row + 1], others, values, seconds, means, G, r)
        precision(G, r, K, prior, noise, mean[row])
        log_det += invert(K)
        for i in range(P):
            if prior[i] == 0.0:
                K[i, i] = 0.0
            else:
                mean[row, i] = 0.0
                for j in range(P):
                    mean[row, i] += K[i, j] * r[j]
        S[:] = 0.0
        if len(covs):
            for e in range(first[row], first[row + 1]):
                m, residual = uint64(others[e]), values[e]
                for t in range(T):
                    S[t] += covs[m, t]
                for i in range(P):
                    residual -= mean[row, i] * means[m, i]
                error += residual * residual
        t = 0
        for i in range(P):
            for j in range(i + 1):
                bb = mean[row, i] * mean[row, j]
                cov[row, t] = K[i, j]
                second[row, t] = K[i, j] + bb
                if len(covs):
                    error += (1.0 if i == j else 2.0) * (K[i, j] * G[t] + bb * S[t])
                t += 1
    return log_det, error


def products(x: np.ndarray) -> np.ndarray:
    """The products x_i x_j of each row of x (rows, P), j <= i, as (rows, T)."""
    i, j = np.tril_indices(x.shape[1])
    return np.ascontiguousarray(x[:, i] * x[:, j])  # an index gives columns first in memory


class Side:
    """One factor: mean (rows, P), cov and second moments packed (rows, T), prior (P,), and its entries by row."""

    def __init__(self, entries: sp.csr_array, centre: float, mean, cov, prior):
        self.entries = entries.indptr, entries.indices, entries.data - centre
        self.mean, self.prior, (rows, P) = mean.copy(), prior.copy(), mean.shape
        self.lower = i, j = np.tril_indices(P)
        self.cov = np.ascontiguousarray(np.broadcast_to(cov, (rows, P, P))[:, i, j])
        self.second = self.cov + products(mean)

    def update(self, other: Side, noise: float, learn: bool, measure: bool) -> tuple[float, float]:
        """Twice the divergence from the prior, which is set to what makes it least if `learn`; the squared error."""
        covs, free, rows = other.cov if measure else other.cov[:0], self.prior > 0, len(self.mean)
        given = *self.entries, other.second, other.mean, covs
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


class MissingSweeps:
    """VB with one covariance a row: cov_a[m] = (sum over the rows l seen in m of E[b_l b_l'] / noise + C_A^-1)^-1, and
    the mean cov_a[m] (sum of v_lm E[b_l]) / noise: the slides' updates for each row's own entries."""

    def __init__(self, data: Entries, start: Factorization, floor: float):
        self.data, self.start, self.floor, self.noise = data, start, floor, start.noise
        self.a = Side(data.by_column, start.centre, start.A, start.cov_A, start.prior_a)
        self.b = Side(data.by_row, start.centre, start.B, start.cov_B, start.prior_b)

    def bound(self) -> float:
        return elbo(self.data, self.start)

    def sweep(self, learn_a: bool, learn_b: bool, learn_noise: bool) -> float:
        twice_a, _ = self.a.update(self.b, self.noise, learn_a, False)
        twice_b, error = self.b.update(self.a, self.noise, learn_b, True)
        if learn_noise:
            self.noise = max(error / self.data.size, self.floor)
        N = self.data.size
        return -0.5 * float(N * np.log(2 * np.pi * self.noise) + error / self.noise + twice_a + twice_b)

    def state(self) -> Factorization:
        a, b, start = self.a, self.b, self.start
        moments = a.mean, b.mean, a.covariances(), b.covariances()
        return Factorization(*moments, a.prior, b.prior, self.noise, start.centre)
