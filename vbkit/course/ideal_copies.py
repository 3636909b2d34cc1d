"""Data without noise for two components on one cluster, and what the second one costs."""

from itertools import product

import numpy as np
from scipy.special import gammaln


def ideal_gaussian(
    dimension: int, total: float, order: int = 7
) -> tuple[np.ndarray, np.ndarray]:
    """Return data without noise, the nodes of Gauss-Hermite quadrature, and their weights.

    There are order^dimension of them. The moments up to the order 2 order - 1 are those of
    N(0, I); the weights add up to `total` data points.
    """
    nodes, mass = np.polynomial.hermite_e.hermegauss(order)
    part = mass / mass.sum()
    X = np.array(list(product(nodes, repeat=dimension)))
    parts = np.array(list(product(part, repeat=dimension)))
    return X, total * parts.prod(axis=1)


def cost_by_stirling(
    total: float, dimension: int, prior_variance: float, concentration: float
) -> float:
    """Return F of two equal copies less F of one beside an empty component, for many data.

    The copies are Gaussians of covariance I whose means have the prior N(0, prior_variance I),
    and they share `total` ideal data.
    """
    slope = (dimension + 1) / 2 - concentration
    further = slope * np.log(total) + dimension / 2 * np.log(prior_variance)
    further += gammaln(concentration) - np.log(2 * np.pi) / 2
    return further - 2 * slope * np.log(2)
