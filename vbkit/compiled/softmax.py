"""Responsibilities of a block of rows: a softmax of each column."""

import numpy as np

from vbkit.compiled import COMPILED, jit
from vbkit.compiled.special import exp, log


def softmax_columns(L, w) -> float:
    """Turn log responsibilities L (K, n) into responsibilities in place.

    Returns sum_n w_n log sum_k exp(L_kn).

    L: C-contiguous float64 or float32. w: weights (n,) >= 0, or an empty array for all ones. A
    column of -inf only (a data point that no component can explain) gets responsibilities 0, and
    the sum is -inf unless its weight is 0; a nan stays nan.
    """
    return _weighted_sum(log_sums(L), w)


def log_sums(L) -> np.ndarray:
    """The sums log sum_k exp(L_kn) of `softmax_columns` one by one, (n,); L is overwritten too."""
    if COMPILED and L.dtype == np.float64:
        totals = np.empty(L.shape[1])
        _compiled_softmax(L, totals)
        return totals
    return _plain_softmax(L)  # in single precision, NumPy's own exp is as fast


def softmax_each(L, w) -> np.ndarray:
    """`softmax_columns` of each matrix (K, n) in a C-contiguous float64 L (m, K, n): the sums
    (m,)."""
    totals = np.empty((len(L), L.shape[2]))
    if COMPILED:
        _compiled_softmax_each(L, totals)
    else:
        for i, one in enumerate(L):
            totals[i] = _plain_softmax(one)
    return np.array([_weighted_sum(row, w) for row in totals])


def _weighted_sum(totals: np.ndarray, w: np.ndarray) -> float:
    """The sum of totals (n,) times weights w (n,), or an empty array for all ones."""
    if len(w) == 0:
        return float(totals.sum())
    counted = w != 0
    return float((w[counted] * totals[counted]).sum())


def _plain_softmax(L) -> np.ndarray:
    """Turn L (K, n) into responsibilities; the log of each column's sum of exponentials (n,)."""
    top = L.max(axis=0)
    np.subtract(L, np.where(top > -np.inf, top, 0), out=L)
    np.exp(L, out=L)
    sums = L.sum(axis=0)
    with np.errstate(divide="ignore"):
        totals = top + np.log(sums.astype(np.float64))
    L /= np.where(sums == 0, 1, sums)
    return totals


@jit
def _compiled_softmax(L, totals):
    """`_plain_softmax` of a float64 L, which fills totals (n,)."""
    K, n = L.shape
    top = np.empty(n)
    sums = np.zeros(n)
    for i in range(n):
        top[i] = L[0, i]
    for k in range(1, K):
        for i in range(n):
            top[i] = L[k, i] if L[k, i] > top[i] else top[i]
    for i in range(n):
        totals[i] = top[i]
        top[i] = top[i] if top[i] > -np.inf else 0.0
    for k in range(K):
        for i in range(n):
            density = exp(L[k, i] - top[i])
            L[k, i] = density
            sums[i] += density
    for i in range(n):
        total = totals[i] + log(sums[i])
        share = 1.0 / sums[i]
        totals[i] = total if sums[i] != 0.0 else -np.inf
        sums[i] = share if sums[i] != 0.0 else 0.0
    for k in range(K):
        for i in range(n):
            L[k, i] *= sums[i]


@jit
def _compiled_softmax_each(L, totals):
    """`_compiled_softmax` of each of the matrices in L (m, K, n), which fills totals (m, n)."""
    for i in range(len(L)):
        _compiled_softmax(L[i], totals[i])
