"""The exact evidence as a sum over groupings: names of components are counted, not enumerated."""

from functools import cache

import numpy as np
from scipy.special import gammaln, logsumexp


@cache
def groupings(N: int) -> np.ndarray:
    """Return all partitions of N data as labels (n, N), where groups are numbered in order."""
    rows = [()]
    for _ in range(N):
        longer = []
        for row in rows:
            next_group = max(row, default=-1) + 1
            for k in range(next_group + 1):
                longer.append((*row, k))
        rows = longer
    labels = np.array(rows)
    labels.setflags(write=False)  # every caller gets the same array
    return labels


def log_evidence(mixture, X, offered) -> np.ndarray:
    """Return log p(X) of X (N, D) for each number K, up to N, of components offered.

    The K! / (K - g)! ways to name g groups all have the same probability.
    """
    labels = groupings(len(X))
    one_of = np.eye(len(X))[labels]  # (n, N, N): which group each data point is in
    S = one_of.transpose(0, 2, 1) @ mixture.family.statistics(X)
    used = labels.max(axis=1) + 1
    sums = []
    for K in offered:
        fitting = used <= K
        names = gammaln(K + 1) - gammaln(K + 1 - used[fitting])
        log_joint = mixture.log_normalizer_ratio(S[fitting, :K])
        sums.append(logsumexp(log_joint + names))
    return np.array(sums) + mixture.family.log_base(X).sum()
