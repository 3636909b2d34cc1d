"""Gradient ascent by the data point, compiled: eight components at a time, side by side."""

from functools import cache

import numpy as np

from vbkit.compiled import exp, inline, jit, larger, log, scratch, uint64
from vbkit.learning.stream import LANES

SAFE = 1e-150  # a density (times a weight) above which exps need no common factor taken out


def run_ascent(X, rates, theta, parametrisation: str) -> tuple[np.ndarray, int]:
    """theta (K, D + 2) after the rows of X (N, D) with the learning rates (N,), and how many rows
    it took.

    A row of theta is a component's logit, centre and width. It stops early where there are no more
    responsibilities. Shapes must fit: compiled code reads the arrays unchecked.
    """
    (K, P), groups = theta.shape, -(-len(theta) // LANES)
    padded = np.zeros((groups * LANES, P))
    padded[:K] = theta
    padded[K:, 0], padded[K:, -1] = (
        -np.inf,
        1.0,
    )  # those that fill up the last eight have no weight
    flat = padded.reshape(groups, LANES, P).transpose(0, 2, 1).ravel()
    done = _compiled_ascent(P - 2, parametrisation)(X, rates, flat)
    return flat.reshape(groups, P, LANES).transpose(0, 2, 1).reshape(-1, P)[
        :K
    ].copy(), done


@inline
def _sigma(width):
    """Of a width: log sigma^2 (nan where there is none), 1 / sigma^2, d log sigma^2 / d width."""
    inverse = 1.0 / width
    return 2.0 * log(width), inverse * inverse, 2.0 * inverse


@inline
def _variance(width):
    inverse = 1.0 / width
    return log(width), inverse, inverse


@inline
def _log_variance(width):
    return width, exp(-width), 1.0


COMPILED = {"sigma": _sigma, "variance": _variance, "log variance": _log_variance}


@inline
def sum_of(r):
    return ((r[0] + r[4]) + (r[2] + r[6])) + ((r[1] + r[5]) + (r[3] + r[7]))


@inline
def copy(source, at, target, to):
    for lane in range(LANES):
        target[to + lane] = source[at + lane]


@inline
def rescale(log_R, R):
    """Make R exp(log_R) but for a factor, the largest 1: for a data point so far out that all were
    0. Their sum."""
    top, total = -np.inf, 0.0
    for k in range(len(R)):
        top = larger(top, log_R[k])
    for k in range(len(R)):
        R[k] = exp(log_R[k] - top)
        total += R[k]
    return total


@cache
def _parts_of_a_step(D: int, parametrisation: str):
    """The two parts of a step: responsibilities, and the move along the gradient."""
    shape, width = COMPILED[parametrisation], (D + 1) * LANES

    @inline
    def joint(x, theta, log_r, r, weight):
        """Of eight components, side by side: log pi_k p_k(x), its exp, and pi_k; all but for a
        common factor."""
        for lane in range(LANES):
            square = 0.0
            for d in range(D):
                deviation = x[d] - theta[(1 + d) * LANES + lane]
                square += deviation * deviation
            log_variance, precision, _ = shape(theta[width + lane])
            log_r[lane] = (
                theta[lane] - 0.5 * (square * precision)
            ) - 0.5 * D * log_variance
            r[lane] = exp(log_r[lane])
            weight[lane] = exp(theta[lane])

    @inline
    def climb(x, theta, r, weight, share, back):
        """A step of eight components; products are in an order that leaves little to do once
        `share` is known."""
        for lane in range(LANES):
            step = share * r[lane]
            _, precision, slope = shape(theta[width + lane])
            square = 0.0
            for d in range(D):
                deviation = x[d] - theta[(1 + d) * LANES + lane]
                square += deviation * deviation
                theta[(1 + d) * LANES + lane] += step * (precision * deviation)
            theta[lane] += step - back * weight[lane]
            theta[width + lane] += step * (0.5 * slope * (square * precision - D))

    return joint, climb


@cache
def _compiled_ascent(D: int, parametrisation: str):
    """The loop for one number of dimensions and one parametrisation of the width."""
    joint, climb = _parts_of_a_step(D, parametrisation)
    size = (D + 2) * LANES

    @jit
    def ascent(X, rates, theta):
        """Advance theta, flat (groups, D + 2, LANES), by the rows of X (N, D); how many it could
        take."""
        groups = uint64(len(theta) // size)
        length = groups * LANES
        log_R, R, weights = np.empty(length), np.empty(length), np.empty(length)
        x, log_r, r, weight = scratch(D), scratch(LANES), scratch(LANES), scratch(LANES)
        for n in range(len(rates)):
            for d in range(D):
                x[d] = X[n, d]
            total, whole = 0.0, 0.0
            for g in range(groups):
                joint(x, theta[g * size :], log_r, r, weight)
                copy(log_r, 0, log_R, g * LANES)
                copy(r, 0, R, g * LANES)
                copy(weight, 0, weights, g * LANES)
                total += sum_of(r)
                whole += sum_of(weight)
            if not SAFE < total < np.inf:
                total = rescale(log_R, R)
            if not 0.0 < total < np.inf:
                return n
            share, back = rates[n] / total, rates[n] / whole
            for g in range(groups):
                copy(R, g * LANES, r, 0)
                copy(weights, g * LANES, weight, 0)
                climb(x, theta[g * size :], r, weight, share, back)
        return len(rates)

    return ascent
