"""Expectations over the paths of a Markov chain: forward and backward, and the most probable path.

For a sequence of n rows with log densities L (n, K), log start weights a (K,) and log transition
weights A (K, K), at most 0, which need not add up to 1, a path z has the weight

    exp(a[z_1] + sum_t A[z_t, z_t+1] + sum_t L[t, z_t]).

Forward, each row's filtered probabilities are divided by their sum, so nothing underflows however
long the sequence. Backward, they become the smoothed ones: what each row is told by the next is a
ratio of probabilities, too. Where transitions are so improbable that ratios may be lost in rounding
to zero (below 1e-280), and a row is a surprise, the sequence is done again in logs.
"""

from functools import partial

import numpy as np

from vbkit.compiled import COMPILED, FUSED, exp, inline, jit, larger, log

RARE, SURPRISE = 1e-280, 1e-20


def path_expectations(
    L, first, start, A, weights
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum over all paths of each sequence.

    L (N, K): rows of all sequences, C-ordered; sequence s has the rows first[s] to first[s + 1].
    weights (n,): how often each sequence counts in the third result.

    Returns log total weights (n,), smoothed probabilities (N, K), and the expected starts and
    transitions (K, 1 + K). A sequence that no path explains has -inf and zeros.
    """
    R, logs = np.empty(L.shape), np.full(len(first) - 1, np.nan)
    sums = np.zeros((len(A), 1 + len(A)))
    if COMPILED:
        begin, move = np.exp(start), np.exp(A)
        careful = min(begin.min(), move.min()) < RARE
        _scaled(L, first, begin, move, move.T.copy(), weights, careful, R, logs, sums)
        sums[:, 1:] *= move
    for s in np.flatnonzero(np.isnan(logs)):
        rows = slice(first[s], first[s + 1])
        logs[s], R[rows], found = expectations_in_logs(L[rows], start, A)
        sums += weights[s] * found
    return logs, R, sums


def expectations_in_logs(L, start, A) -> tuple[float, np.ndarray, np.ndarray]:
    """`path_expectations` of one sequence of weight 1, in NumPy and with logs throughout."""
    filtered, predicted, total = np.empty(L.shape), np.empty(L.shape), 0.0
    sums, K = np.zeros((len(A), 1 + len(A))), len(A)
    for t, row in enumerate(L):
        predicted[t] = (
            np.logaddexp.reduce(filtered[t - 1][:, None] + A, axis=0) if t else start
        )
        filtered[t] = predicted[t] + row
        step = np.logaddexp.reduce(filtered[t])
        if step == -np.inf or np.isnan(step):
            return step, np.zeros(L.shape), sums
        filtered[t] -= step
        total += step
    smoothed = filtered  # from the last row on
    for t in range(len(L) - 2, -1, -1):
        there = predicted[t + 1] > -np.inf
        told = np.subtract(
            smoothed[t + 1], predicted[t + 1], where=there, out=np.full(K, -np.inf)
        )
        pairs = filtered[t][:, None] + A + told
        sums[:, 1:] += np.exp(pairs)
        smoothed[t] = np.logaddexp.reduce(pairs, axis=1)
    R = np.exp(smoothed)
    sums[:, 0] = R[0]
    return total, R, sums


def most_probable_path(L, start, A) -> np.ndarray:
    """Return the path (n,) of the largest weight (Viterbi's), of one sequence; the lowest states
    where there are several."""
    path = np.empty(len(L), dtype=np.int64)
    _viterbi(np.ascontiguousarray(L), start, np.ascontiguousarray(A.T), path)
    return path


@jit
def _viterbi(L, start, into, path):
    came = np.empty(L.shape, dtype=np.int32)
    best = start + L[0]
    for t in range(1, len(L)):
        row = np.empty(len(best))
        for j in range(len(best)):
            score = best + into[j]
            came[t, j] = np.argmax(score)
            row[j] = score[came[t, j]] + L[t, j]
        best = row
    path[-1] = np.argmax(best)
    for t in range(len(L) - 1, 0, -1):
        path[t - 1] = came[t, path[t]]


@jit
def _relative(L, R, tops):
    """R = exp(L - tops), tops (N,) being the largest of each row."""
    N, K = L.shape
    for t in range(N):
        top = L[t, 0]
        for k in range(1, K):
            top = larger(top, L[t, k])
        tops[t] = top
        for k in range(K):
            R[t, k] = L[t, k] - top
    flat = R.reshape(-1)
    for i in range(len(flat)):
        flat[i] = exp(flat[i])


@partial(jit, **FUSED)
def _scaled(L, first, start, move, back, weights, careful, R, logs, sums):
    """`path_expectations` with numbers divided by their sums: fills R and logs and adds to sums,
    but for the factor `move` of transitions. back: move transposed.

    A sequence on which it cannot be relied keeps its nan in logs.
    """
    N, K = L.shape
    c, tops, ahead, told = np.empty(N), np.empty(N), np.empty(K), np.empty(K)
    _relative(L, R, tops)
    for s in range(len(weights)):
        least = 1.0
        for t in range(first[s], first[s + 1]):
            if t == first[s]:
                ahead[:] = start
            else:
                _predict(R[t - 1], move, ahead)
            total = 0.0
            for j in range(K):
                R[t, j] *= ahead[j]
                total += R[t, j]
            share = 1.0 / total
            for j in range(K):
                R[t, j] *= share
            c[t] = total
            least = total if not total > least else least  # nan stays
        if not least > (SURPRISE if careful else 0.0):
            continue
        logs[s] = 0.0
        for t in range(first[s], first[s + 1]):
            c[t] = log(c[t])
        for t in range(first[s], first[s + 1]):
            logs[s] += tops[t] + c[t]
        for t in range(first[s + 1] - 2, first[s] - 1, -1):
            _predict(R[t], move, ahead)
            for j in range(K):
                told[j] = R[t + 1, j] / ahead[j] if ahead[j] > 0.0 else 0.0
            _predict(told, back, ahead)
            for i in range(K):
                seen = weights[s] * R[t, i]
                for j in range(K):
                    sums[i, 1 + j] += seen * told[j]
                R[t, i] *= ahead[i]
        for k in range(K):
            sums[k, 0] += weights[s] * R[first[s], k]


@partial(inline, **FUSED)
def _predict(p, move, ahead):
    """ahead = p @ move."""
    for j in range(len(p)):
        ahead[j] = p[0] * move[0, j]
    for i in range(1, len(p)):
        for j in range(len(p)):
            ahead[j] += p[i] * move[i, j]
