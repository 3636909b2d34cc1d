"""The exact evidence as a sum over groupings: names of components are counted, not enumerated."""

from functools import cache

import numpy as np
from scipy.special import gammaln, logsumexp


@cache
def groupings(N: int) -> np.ndarray:
    """Return all partitions of N data as labels (n, N), where groups are numbered in order."""
    rows = [()]
    for _ in range(N):
        rows = [(*row, k) for row in rows for k in range(max(row, default=-1) + 2)]
    labels = np.array(rows)
    labels.setflags(write=False)  # every caller gets the same array
    return labels


def log_evidence(mixture, X, offered) -> np.ndarray:
    """Return log p(X) of X (N, D) for each number K, up to N, of components offered.

    The K! / (K - g)! ways to name g groups all have the same probability.
    """
    labels, T = groupings(len(X)), mixture.family.statistics(X)
    S, used = np.eye(len(X))[labels].transpose(0, 2, 1) @ T, labels.max(axis=1) + 1
    sums = []
    for K in offered:
        names = gammaln(K + 1) - gammaln(K + 1 - used[used <= K])
        sums.append(logsumexp(mixture.log_normalizer_ratio(S[used <= K, :K]) + names))
    return np.array(sums) + mixture.family.log_base(X).sum()
