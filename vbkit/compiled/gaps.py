"""The pass over the rows of one factor of a matrix with missing entries, compiled and in NumPy."""

import math

import numpy as np
from scipy import sparse

from vbkit.compiled import jit


@jit
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
    T = seconds.shape[1]
    P = means.shape[1]
    G = np.empty(T)
    r = np.empty(P)
    K = np.empty((P + 1, P + 1))
    column = np.empty(P + 1)
    log_det = 0.0
    error = 0.0
    for row in range(len(first) - 1):
        _gather(first[row], first[row + 1], others, values, seconds, means, G, r)
        _fill_precision(G, r, prior, noise, mean[row], K)
        log_det += eliminate(K, z[row], column)
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
                times = 1.0 if i == j else 2.0
                error += times * second[row, t] * G[t]
                t += 1
    return log_det, error


@jit
def _gather(begin, end, others, values, seconds, means, G, r):
    """Sum E[x x'] (lower entries) into G (T,) and v E[x] into r (P,), over the entries from begin
    to end."""
    G[:] = 0.0
    r[:] = 0.0
    for entry in range(begin, end):
        other = others[entry]
        for t in range(len(G)):
            G[t] += seconds[other, t]
        for i in range(len(r)):
            r[i] += values[entry] * means[other, i]


@jit
def _fill_precision(G, r, prior, noise, mean, K):
    """Fill the lower triangle of K (P + 1, P + 1): a row's posterior precision, and below it
    precision times mean, from the sums G and r.

    Where prior is 0, `mean` is known: what it explains is taken off the data, and it is cut loose
    (1 on the diagonal, else 0).
    """
    P = len(prior)
    t = 0
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


@jit
def eliminate(K, z, column):
    """Turn the lower triangle of K (P + 1, P + 1), in place, from a precision and precision times
    mean below it into minus the inverse of the precision, and below it the mean.

    (Gauss-Jordan elimination in its symmetric form.) Unless z (P,) is empty, the inverse becomes
    zero, and the mean a draw: mean + C'^-1 z, precision = C C'. Returns minus the log-determinant
    of the precision. column (P + 1,): room to work in.
    """
    P = len(K) - 1
    draws = len(z) > 0
    log_det = 0.0
    for k in range(P):
        pivot = K[k, k]
        log_det -= math.log(pivot)
        for j in range(k):
            column[j] = K[k, j]
        for j in range(k, P + 1):
            column[j] = K[j, k]
        begin = k if draws else 0  # a draw needs no inverse
        for i in range(begin, P + 1):
            factor = column[i] / pivot
            for j in range(i + 1):
                K[i, j] -= factor * column[j]
        for j in range(k):
            K[k, j] = column[j] / pivot
        for j in range(k, P + 1):
            K[j, k] = column[j] / pivot
        K[k, k] = -1.0 / pivot
        if draws:
            shift = z[k] / math.sqrt(pivot)
            for j in range(k):
                K[P, j] -= shift * column[j]
            K[P, k] += shift
    if draws:
        K[:P] = 0.0
    return log_det


def plain_rows(
    first, others, values, seconds, means, prior, noise, z, mean, cov, second
):
    """`update_rows` in NumPy, all rows at once."""
    rows = len(first) - 1
    free = prior > 0
    square = np.ix_(range(rows), free, free)
    i, j = np.tril_indices(len(prior))
    ones = np.ones(len(values))
    G = sparse.csr_array((ones, others, first), (rows, len(means))) @ seconds
    r = sparse.csr_array((values, others, first), (rows, len(means))) @ means
    full = np.empty((rows, len(prior), len(prior)))
    full[:, i, j] = G / noise
    full[:, j, i] = G / noise
    explained = full[:, :, ~free] @ mean[:, ~free, None]
    target = r[..., None] / noise - explained
    C = np.linalg.cholesky(full[square] + np.diag(1 / prior[free]))
    inverse_C = np.linalg.inv(C)
    transposed = inverse_C.transpose(0, 2, 1)
    centre = transposed @ (inverse_C @ target[:, free])
    covariance = np.zeros_like(full)
    if z.shape[1]:
        centre += transposed @ z[:, free, None]
    else:
        covariance[square] = transposed @ inverse_C
    mean[:, free] = centre[..., 0]
    cov[:] = covariance[:, i, j]
    second[:] = mean[:, i] * mean[:, j] + cov
    times = np.where(i == j, 1.0, 2.0)
    error = (times * second * G).sum() - 2 * (r * mean).sum()
    log_det = -2 * np.log(np.diagonal(C, axis1=1, axis2=2)).sum()
    return log_det, error
