"""The pass over the rows of one factor of a matrix with missing entries, compiled and in NumPy."""

from functools import partial

import numpy as np
from scipy import sparse

from vbkit.compiled import FUSED, inline, jit, log, uint64


@partial(inline, **FUSED)
def gather(first, last, others, values, seconds, means, G, r):
    """Sum E[x x'] (packed) into G (T,) and v E[x] into r (P,), over the entries first .. last."""
    T, P = uint64(len(G)), uint64(len(r))
    G[:] = 0.0
    r[:] = 0.0
    for e in range(first, last):
        m, v = (
            uint64(others[e]),
            values[e],
        )  # unsigned: an index that may be negative is no vector
        for t in range(T):
            G[t] += seconds[m, t]
        for i in range(P):
            r[i] += v * means[m, i]


@partial(inline, **FUSED)
def precision(G, r, prior, noise, mean, K):
    """Fill the lower triangle of K (P + 1, P + 1): a row's posterior precision, and below it
    precision times mean, from the sums that `gather` made.

    Where prior is 0, `mean` is known: what it explains is taken off the data, and it is cut loose
    (1 on the diagonal, else 0).
    """
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
def solve(K, z, row):
    """Turn what `precision` made, in place, into minus the inverse of the precision, and below it
    the mean (Gauss-Jordan elimination in its symmetric form).

    Unless z (P,) is empty, make it zero, and below it a draw: mean + C'^-1 z, precision = C C'.
    Returns minus the log-determinant of the precision. row (P + 1,): scratch.
    """
    N, P, total = uint64(len(K)), len(K) - 1, 0.0
    for k in range(P):
        pivot = K[k, k]
        total -= log(pivot)
        for j in range(k):
            row[j] = K[k, j]
        for j in range(k, len(K)):
            row[j] = K[j, k]
        for i in range(uint64(k if len(z) else 0), N):  # a draw needs no inverse
            factor = row[i] / pivot
            for j in range(i + uint64(1)):
                K[i, j] -= factor * row[j]
        for j in range(k):
            K[k, j] = row[j] / pivot
        for j in range(k, len(K)):
            K[j, k] = row[j] / pivot
        K[k, k] = -1.0 / pivot
        if len(z):
            shift = z[k] / np.sqrt(pivot)
            for j in range(k):
                K[P, j] -= shift * row[j]
            K[P, k] += shift
    if len(z):
        K[:P] = 0.0
    return total


@partial(jit, **FUSED)
def update_rows(
    first, others, values, seconds, means, prior, noise, z, mean, cov, second
):
    """Update the posteriors of the rows of one factor, given the other's; or draw the rows.

    Row l has the entries first[l] .. first[l + 1] of others (which row of the other factor) and
    values. means (n, P) and seconds (n, T) are the other's E[x] and E[x x']; a symmetric matrix is
    its T = P (P + 1) / 2 lower entries. z (rows, 0): each row gets its posterior. z (rows, P),
    standard normal or 0: each row gets a draw from it, or its mode, without covariance.
    Written: mean (rows, P), cov and second (rows, T). Returns the sum of the log-determinants of
    the covariances, and E sum (b . a)^2 - 2 v b . a over the entries.
    """
    T, P = seconds.shape[1], means.shape[1]
    G, r, work, K = np.empty(T), np.empty(P), np.empty(P + 1), np.empty((P + 1, P + 1))
    log_det, error = 0.0, 0.0
    for row in range(len(first) - 1):
        gather(first[row], first[row + 1], others, values, seconds, means, G, r)
        precision(G, r, prior, noise, mean[row], K)
        log_det += solve(K, z[row], work)
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


def plain_rows(
    first, others, values, seconds, means, prior, noise, z, mean, cov, second
):
    """`update_rows` in NumPy, all rows at once."""
    P, free, shape = len(prior), prior > 0, (len(first) - 1, len(means))
    i, j = np.tril_indices(P)
    times, square = np.where(i == j, 1.0, 2.0), np.ix_(range(shape[0]), free, free)
    G = sparse.csr_array((np.ones(len(values)), others, first), shape) @ seconds
    r = sparse.csr_array((values, others, first), shape) @ means
    full, inverse = np.empty((shape[0], P, P)), np.zeros((shape[0], P, P))
    full[:, i, j] = full[:, j, i] = G / noise
    known = full[:, :, ~free] @ mean[:, ~free, None]
    target = r[..., None] / noise - known  # less what is known
    C = np.linalg.cholesky(full[square] + np.diag(1 / prior[free]))
    half = np.linalg.inv(C)
    back = half.transpose(0, 2, 1)
    centre = back @ (half @ target[:, free])
    if z.shape[1]:
        centre += back @ z[:, free, None]
    else:
        inverse[square] = back @ half
    mean[:, free] = centre[..., 0]
    cov[:] = inverse[:, i, j]
    second[:] = mean[:, i] * mean[:, j] + cov
    error = (times * second * G).sum() - 2 * (r * mean).sum()
    return -2 * np.log(np.diagonal(C, axis1=1, axis2=2)).sum(), error
