"""Answers to the exercises of notebook 09."""

import numpy as np
from scipy.special import betaln


def cluster_behind(weight: float, users: int, a: float, b: float, categories: int):
    """Work out what stands behind a category's mixing ratio (Kaji 2011, Tables 6.1 and 6.2).

    Returns how many users it holds, and the probabilities that are printed for an item that all of
    them have and for one that none has.
    """
    n = weight * (categories * a + users) - a
    return n, (n + b) / (n + 2 * b), b / (n + 2 * b)


def isolated(R, minority) -> bool:
    """Tell whether one component of R (N, K) holds half of the minority and consists half of it.

    minority (N,): a truth value for each data point.
    """
    R, minority = np.asarray(R, float), np.asarray(minority, bool)
    held, size = R[minority].sum(axis=0), R.sum(axis=0)
    return bool(((held >= 0.5 * minority.sum()) & (held >= 0.5 * size)).any())


def price_of_identical_rows(n: int, dimension: int, b: float) -> float:
    """Return -log evidence (nats) of n identical rows of M binary items in one component."""
    return float(dimension * (betaln(b, b) - betaln(b + n, b)))
