"""Answers to the exercises of notebook 10."""

import numpy as np

from vbkit.families import BetaBernoulli
from vbkit.theory import critical_concentration, occupation_of_identical


def copy_pays_from(inside, pinned, b) -> float:
    """Return the concentration above which a copy of a Bernoulli component pays in the limit.

    `inside` of its coordinates have a probability between 0 and 1, `pinned` are always the same.
    """
    return critical_concentration(inside + 2 * b * pinned)


def expected_smaller_share(a, b, M, N) -> float:
    """Return E[min(n, N - n)] / N under the exact posterior of two components.

    The data are N identical rows of M ones.
    """
    return occupation_of_identical(BetaBernoulli(M, b), a, np.ones(M), N).smaller


def coefficient_gap(a, b, M) -> float:
    """Return by how much VB's coefficient of log N exceeds that of exact Bayes, for those data."""
    return min(max(a - M * b, 0.0), 0.5)
