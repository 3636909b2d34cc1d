"""Data without noise, for two components on one cluster."""

import numpy as np


def ideal_gaussian(
    dimension: int, total: float, order: int = 7
) -> tuple[np.ndarray, np.ndarray]:
    """Return data without noise, the nodes of Gauss-Hermite quadrature, and their weights.

    There are order^dimension of them. The moments up to the order 2 order - 1 are those of
    N(0, I); the weights add up to `total` data points.
    """
    nodes, mass = np.polynomial.hermite_e.hermegauss(order)
    axes = np.meshgrid(*[nodes] * dimension, indexing="ij")
    X = np.stack(axes, axis=-1).reshape(-1, dimension)
    shares = np.prod(np.meshgrid(*[mass / mass.sum()] * dimension), axis=0)
    return X, total * shares.ravel()
