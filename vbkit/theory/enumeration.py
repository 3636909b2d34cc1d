"""The exact log evidence of a mixture, by summing over every assignment of a tiny data
set."""

from collections.abc import Iterator
from itertools import islice, product

import numpy as np
from scipy.special import logsumexp

from vbkit.checks import as_integer
from vbkit.families.base import Family
from vbkit.mixture import Mixture, check_variational
from vbkit.observations import without_weights

LARGEST_SUM = 2**20  # assignments
BLOCK = 2**10  # assignments worked on at a time


def log_evidence(mixture: Mixture, X, n_components: int) -> float:
    """log p(X) in nats of a mixture of K components on X (N, D), base measure included.

    The sum over all K^N assignments of the rows to the components (Sato 2000, 2.5).
    Given an assignment, the marginal likelihood is a product of ratios of normalisers.

    Raises ValueError if there are more than 2^20 assignments, for data with observation
    weights, and unless clones is 1 and pseudo_statistics None: a point estimate has no
    evidence.
    """
    check_variational(mixture)
    data = without_weights(mixture.observe(X))
    K = as_integer("n_components", n_components, 1)
    statistics = mixture.family.statistics(data.X)
    mixture.check_state(np.zeros((K, statistics.shape[1])))
    log_terms = []
    for S in states_of_assignments(statistics, K):
        log_terms.append(mixture.log_normalizer_ratio(S))
    log_sum = float(logsumexp(np.concatenate(log_terms)))
    return log_sum + total_log_base(mixture.family, data.X)


def states_of_assignments(
    statistics: np.ndarray, n_components: int
) -> Iterator[np.ndarray]:
    """States (n, K, P) of all assignments of data with statistics (N, P), in blocks of
    n.

    Raises ValueError if there are more than 2^20 assignments.
    """
    N = len(statistics)
    K = n_components
    if K**N > LARGEST_SUM:
        allowed = f"at most {LARGEST_SUM} assignments can be summed, not {K}**{N}"
        raise ValueError(f"X has {N} rows, and n_components is {K}: {allowed}")
    assignments = product(range(K), repeat=N)
    for _ in range(0, K**N, BLOCK):
        labels = np.array(list(islice(assignments, BLOCK)))  # (n, N)
        one_hot = np.eye(K)[labels]  # (n, N, K)
        yield one_hot.transpose(0, 2, 1) @ statistics


def total_log_base(family: Family, X: np.ndarray) -> float:
    """The sum of the log base measure (nats) over the rows of checked data X (N, D)."""
    log_base = family.log_base(X)
    if log_base is None:
        return 0.0
    return float(log_base.sum())
