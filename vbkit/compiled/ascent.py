"""Gradient ascent by the data point: the loop of `vbkit.learning.gradient`, compiled and in NumPy.

theta (K, D + 2) holds of each component a logit, the centre, and the number for the width.
"""

import math

import numpy as np
from scipy.special import softmax

from vbkit.compiled import jit
from vbkit.compiled.special import exp

SIGMA = 0
VARIANCE = 1
LOG_VARIANCE = 2


@jit
def run_ascent(X, rates, theta, width):
    """Advance theta (K, D + 2) by the rows of X (N, D) with the learning rates (N,), in place; how
    many rows it took.

    width: SIGMA, VARIANCE or LOG_VARIANCE. It stops early at a row that has no responsibilities.
    """
    K, P = theta.shape
    D = P - 2
    log_variance = np.empty(K)
    square = np.empty(K)
    weight = np.empty(K)
    r = np.empty(K)
    for n in range(len(X)):
        top_logit = theta[:, 0].max()
        top = -np.inf
        for k in range(K):
            if width == SIGMA:
                log_variance[k] = 2.0 * math.log(theta[k, 1 + D])
            elif width == VARIANCE:
                log_variance[k] = math.log(theta[k, 1 + D])
            else:
                log_variance[k] = theta[k, 1 + D]
            square[k] = 0.0
            for d in range(D):
                deviation = X[n, d] - theta[k, 1 + d]
                square[k] += deviation * deviation
            square[k] *= _precision(theta[k, 1 + D], width)
            weight[k] = theta[k, 0]
            r[k] = theta[k, 0] - 0.5 * (square[k] + D * log_variance[k])
            top = r[k] if r[k] > top else top
        total = 0.0
        whole = 0.0
        for k in range(K):  # apart from the sums, which are taken one after another
            r[k] = exp(r[k] - top)
            weight[k] = exp(weight[k] - top_logit)
        for k in range(K):
            total += r[k]
            whole += weight[k]
        if not 0.0 < total < np.inf:
            return n
        for k in range(K):
            responsibility = r[k] / total
            precision = _precision(theta[k, 1 + D], width)
            if width == SIGMA:
                slope = 2.0 / theta[k, 1 + D]
            elif width == VARIANCE:
                slope = precision
            else:
                slope = 1.0
            theta[k, 0] += rates[n] * (responsibility - weight[k] / whole)
            step = rates[n] * responsibility
            for d in range(D):
                theta[k, 1 + d] += step * precision * (X[n, d] - theta[k, 1 + d])
            theta[k, 1 + D] += step * 0.5 * slope * (square[k] - D)
    return len(X)


@jit
def _precision(number, width):
    """1 / sigma^2 of the number that stands for a width."""
    if width == SIGMA:
        return 1.0 / (number * number)
    if width == VARIANCE:
        return 1.0 / number
    return exp(-number)


def plain_ascent(X, rates, theta, width) -> int:
    """`run_ascent` in NumPy."""
    D = X.shape[1]
    with np.errstate(all="ignore"):  # where learning breaks down, the caller says so
        for n, x in enumerate(X):
            number = theta[:, -1]
            if width == SIGMA:
                variance = number**2
                slope = 2 / number
            elif width == VARIANCE:
                variance = number
                slope = 1 / number
            else:
                variance = np.exp(number)
                slope = 1.0
            deviation = x - theta[:, 1:-1]
            square = (deviation**2).sum(axis=1) / variance
            r = softmax(theta[:, 0] - 0.5 * (square + D * np.log(variance)))
            if not np.isfinite(r).all():
                return n
            gradient = np.column_stack(
                [
                    r - softmax(theta[:, 0]),
                    (r / variance)[:, None] * deviation,
                    r * (square - D) / 2 * slope,
                ]
            )
            theta += rates[n] * gradient
    return len(X)
