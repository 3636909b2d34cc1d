"""Expectations over the paths of a Markov chain: forward and backward, and the most probable path.

For a sequence of n rows with log densities L (n, K), log start weights a (K,) and log transition
weights A (K, K), at most 0, which need not add up to 1, a path z has the weight

    exp(a[z_1] + sum_t A[z_t, z_t+1] + sum_t L[t, z_t]).

Forward, each row's filtered probabilities are divided by their sum, so nothing underflows however
long the sequence. Backward, they become the smoothed ones: what each row is told by the next is a
ratio of probabilities, too. Where transitions are so improbable that ratios may be lost in rounding
to zero (below 1e-280), and a row is a surprise, the sequence is done again in logs.
"""

from functools import reduce

import numpy as np

from vbkit.compiled import COMPILED, jit, jit_inline

RARE = 1e-280  # a transition so improbable that ratios may be lost in rounding to zero
SURPRISE = 1e-20  # a row's total that is then too small to rely on


def path_expectations(
    L, first, start, A, weights
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum over all paths of each sequence.

    L (N, K): rows of all sequences, C-ordered; sequence s has the rows first[s] to first[s + 1].
    weights (n,): how often each sequence counts in the third result.

    Returns log total weights (n,), smoothed probabilities (N, K), and the expected starts and
    transitions (K, 1 + K). A sequence that no path explains has -inf and zeros.
    """
    if COMPILED:
        logs, R, sums = _scaled_expectations(L, first, start, A, weights)
    else:
        logs = np.full(len(first) - 1, np.nan)
        R = np.empty(L.shape)
        sums = np.zeros((len(A), 1 + len(A)))
    for s in np.flatnonzero(np.isnan(logs)):
        rows = slice(first[s], first[s + 1])
        logs[s], R[rows], counts = expectations_in_logs(L[rows], start, A)
        sums += weights[s] * counts
    return logs, R, sums


def expectations_in_logs(L, start, A) -> tuple[float, np.ndarray, np.ndarray]:
    """`path_expectations` of one sequence of weight 1, in NumPy and with logs throughout."""
    K = len(A)
    sums = np.zeros((K, 1 + K))
    filtered = np.empty(L.shape)
    predicted = np.empty(L.shape)
    log_total = 0.0
    for t, row in enumerate(L):
        if t == 0:
            predicted[t] = start
        else:
            predicted[t] = np.logaddexp.reduce(filtered[t - 1][:, None] + A, axis=0)
        filtered[t] = predicted[t] + row
        step = np.logaddexp.reduce(filtered[t])
        if step == -np.inf or np.isnan(step):
            return step, np.zeros(L.shape), sums
        filtered[t] -= step
        log_total += step
    smoothed = filtered  # from the last row on
    for t in range(len(L) - 2, -1, -1):
        possible = predicted[t + 1] > -np.inf
        ratio = np.full(K, -np.inf)
        ratio[possible] = smoothed[t + 1, possible] - predicted[t + 1, possible]
        pairs = filtered[t][:, None] + A + ratio
        sums[:, 1:] += np.exp(pairs)
        smoothed[t] = np.logaddexp.reduce(pairs, axis=1)
    R = np.exp(smoothed)
    sums[:, 0] = R[0]
    return log_total, R, sums


def most_probable_path(L, start, A) -> np.ndarray:
    """Return the path (n,) of the largest weight (Viterbi's), of one sequence; the lowest states
    where there are several."""
    path = np.empty(len(L), dtype=np.int64)
    _viterbi(np.ascontiguousarray(L), start, np.ascontiguousarray(A.T), path)
    return path


def _scaled_expectations(L, first, start, A, weights):
    """`path_expectations` with numbers divided by their sums; nan in the logs of a sequence on
    which that cannot be relied."""
    begin = np.exp(start)
    move = np.exp(A)
    least = SURPRISE if min(begin.min(), move.min()) < RARE else 0.0
    top = reduce(np.maximum, L.T)  # NumPy's own `max` is slow along a short axis
    with np.errstate(invalid="ignore"):  # a row that no state explains: nan
        R = L - top[:, None]
    np.exp(R, out=R)
    totals = np.ones(len(L))
    _filter_forward(R, first, begin, move, least, totals)
    K = len(A)
    starts = np.zeros(K)
    transitions = np.zeros((K, K))
    _smooth_backward(R, first, move, weights, totals, starts, transitions)
    logs = np.add.reduceat(top + np.log(totals), first[:-1])
    return logs, R, np.column_stack([starts, transitions * move])


@jit
def _filter_forward(R, first, begin, move, least, totals):
    """Turn relative densities R (N, K) of the rows into filtered probabilities, in place.

    Written besides: totals (N,), by which each row was divided so that it adds up to 1.
    Sequence s has the rows first[s] to first[s + 1]. begin (K,), move (K, K): start and
    transition weights. A sequence with a total that is not above `least` is left unfinished; its
    first total is then nan.
    """
    K = R.shape[1]
    predicted = np.empty(K)
    for s in range(len(first) - 1):
        for t in range(first[s], first[s + 1]):
            if t == first[s]:
                predicted[:] = begin
            else:
                _multiply(R, t - 1, move, predicted)
            total = 0.0
            for j in range(K):
                R[t, j] *= predicted[j]
                total += R[t, j]
            if not total > least:
                totals[first[s]] = np.nan
                break
            totals[t] = total
            for j in range(K):
                R[t, j] /= total


@jit
def _smooth_backward(R, first, move, weights, totals, starts, transitions):
    """Turn the filtered probabilities R (N, K) of finished sequences into smoothed ones, in place.

    Added to: starts (K,) and transitions (K, K), the expected counts times the sequences' weights
    (n,); transitions lack the factor `move`. Sequences that `_filter_forward` left unfinished are
    passed over.
    """
    K = R.shape[1]
    back = move.T.copy()
    predicted = np.empty(K)
    ratio = np.empty((1, K))
    message = np.empty(K)
    for s in range(len(first) - 1):
        if np.isnan(totals[first[s]]):
            continue
        for t in range(first[s + 1] - 2, first[s] - 1, -1):
            _multiply(R, t, move, predicted)
            for j in range(K):
                ratio[0, j] = R[t + 1, j] / predicted[j] if predicted[j] > 0.0 else 0.0
            _multiply(ratio, 0, back, message)
            for i in range(K):
                share = weights[s] * R[t, i]
                for j in range(K):
                    transitions[i, j] += share * ratio[0, j]
                R[t, i] *= message[i]
        for k in range(K):
            starts[k] += weights[s] * R[first[s], k]


@jit_inline
def _multiply(P, n, matrix, product):
    """product = P[n] @ matrix."""
    K = len(product)
    for j in range(K):
        product[j] = P[n, 0] * matrix[0, j]
    for i in range(1, K):
        for j in range(K):
            product[j] += P[n, i] * matrix[i, j]


@jit
def _viterbi(L, start, into, path):
    """Write the path (n,) of the largest weight, the lowest states where there are several.

    L (n, K): log densities. start (K,): log start weights. into (K, K): log transition weights, a
    row for each state that is moved to.
    """
    n, K = L.shape
    came_from = np.empty((n, K), dtype=np.int32)
    best = start + L[0]
    for t in range(1, n):
        extended = np.empty(K)
        for j in range(K):
            score = best + into[j]
            came_from[t, j] = np.argmax(score)
            extended[j] = score[came_from[t, j]] + L[t, j]
        best = extended
    path[-1] = np.argmax(best)
    for t in range(n - 1, 0, -1):
        path[t - 1] = came_from[t, path[t]]
