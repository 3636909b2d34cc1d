"""Batch VB of Bernoulli mixtures on all 2^M patterns, fast enough for whole phase diagrams.

The densities of all patterns under one component are products that double, coordinate by
coordinate, from 1 number to 2^M. Its counts of ones and zeros are sums that halve, coordinate by
coordinate, back to 1. That costs a few operations a pattern and no exp. Several problems are solved
side by side, in lanes; a problem that has converged makes room for the next. The same learning, in
plain form, is `fit_batch` on `binary_vectors(M)` with the counts as observation weights.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from vbkit.binary import binary_vectors, check_counts
from vbkit.checks import as_array, as_integer, as_number, as_positives
from vbkit.compiled import digamma, exp, inline, jit, larger
from vbkit.families import BetaBernoulli, Dirichlet
from vbkit.mixture import Mixture

LANES = 32  # problems solved side by side
SAFE = 1e-280  # below this density, products may have underflowed: sums of logs take over


class Solutions(NamedTuple):
    """The ends of n problems.

    S (n, K, 1 + 2M): the states. free_energy (n,): F = -ELBO in nats. iterations (n,): how many
    each problem took. converged (n,): whether it stood still then.
    """

    S: np.ndarray
    free_energy: np.ndarray
    iterations: np.ndarray
    converged: np.ndarray


def solve(counts, starts, a, b, *, max_iterations=1000, tolerance=1e-10) -> Solutions:
    """Fit n Bernoulli mixtures to the same counts (2^M,) of patterns by batch VB (Kaji 2011, 4.3).

    counts: need not be whole numbers. starts: states (n, K, 1 + 2M), or one state (K, 1 + 2M).
    a, b: concentration of the weights and of every Beta prior, one number or one a problem (n,).

    A problem ends when an iteration moves its counts by less than `tolerance` in the sum over all
    counts of (change)^2 / (count + prior count), about twice the gain in nats; or after
    `max_iterations`. Redundant components move slowly: a component with a share of N data may need
    N iterations to vanish, so start it where you expect it to end.

    Raises ValueError for shapes that do not fit, for counts, starts or a tolerance below 0, and
    unless a and b are greater than 0.
    """
    counts, starts, priors = _check(counts, starts, a, b)
    as_integer("max_iterations", max_iterations, 1)
    tolerance = as_number("tolerance", tolerance, 0)
    n, S = len(starts), starts.copy()
    iterations, moved = np.zeros(n, dtype=np.int64), np.full(n, np.inf)
    lanes = np.uint64(min(LANES, -(-n // 8) * 8))
    weights = np.repeat(counts, lanes)
    _solve(weights, priors, S, max_iterations, tolerance, iterations, moved, lanes)
    F = np.empty(n)
    for pair in np.unique(priors, axis=0):
        same = (priors == pair).all(axis=1)
        F[same] = _free_energies(counts, S[same], *pair)
    return Solutions(S, F, iterations, moved < tolerance)


def _check(counts, starts, a, b):
    starts = as_array("starts", starts)
    starts = starts[None] if starts.ndim == 2 else starts
    n = len(starts)
    if starts.ndim != 3 or starts.shape[2] % 2 == 0 or 0 in starts.shape or (starts < 0).any():
        raise ValueError(f"starts has shape {starts.shape}; it must be (n, K, 1 + 2M), all >= 0")
    priors = np.empty((n, 2))
    for column, name, value in ((0, "a", a), (1, "b", b)):
        value = as_positives(name, value)
        if value.shape not in ((), (1,), (n,)):
            raise ValueError(f"{name} has shape {value.shape}; it must be one number, or ({n},)")
        priors[:, column] = value
    return check_counts(counts, starts.shape[2] // 2), starts, priors


def _free_energies(counts, S, a: float, b: float) -> np.ndarray:
    """F (n,) in nats of n states (n, K, 1 + 2M): minus `Mixture.elbo`, for all of them at once."""
    mixture = Mixture(BetaBernoulli(S.shape[2] // 2, b), Dirichlet(a))
    W = mixture.family.expected(S)
    W[..., 0] += mixture.weights.expected(S[..., 0])
    T = mixture.family.statistics(binary_vectors(mixture.family.dimension)[counts > 0])
    log_likelihood = logsumexp(W @ T.T, axis=1) @ counts[counts > 0]
    return (S * W).sum(axis=(1, 2)) - mixture.log_normalizer_ratio(S) - log_likelihood


# ---- compiled ------------------------------------------------------------------------------------
# The last axis of every array is the lane: the problems side by side. Loops over lanes are the
# innermost. Their number is unsigned and known at run time only: then they become vector code.


@inline
def _expected(S, a, b, logs, factors, both, lanes):
    """Expected logs (K, 1 + 2M, lanes) of the weights (but for a term common to all components), of
    mu and of 1 - mu, and the exponentials of all of them."""
    for k in range(len(S)):
        n, y = S[k, 0], logs[k, 0]
        for lane in range(lanes):
            y[lane] = digamma(a[lane] + n[lane])
        for lane in range(lanes):
            both[lane] = digamma(2.0 * b[lane] + n[lane])
        for i in range(1, S.shape[1]):
            x, y = S[k, i], logs[k, i]
            for lane in range(lanes):
                y[lane] = digamma(b[lane] + x[lane]) - both[lane]
        for i in range(S.shape[1]):
            x, y = logs[k, i], factors[k, i]
            for lane in range(lanes):
                y[lane] = exp(x[lane])


@inline
def _double(densities, factors, M, lanes):
    """All densities (2^M, lanes) of a component, from its factors (1 + 2M, lanes)."""
    for lane in range(lanes):
        densities[0, lane] = factors[0, lane]
    for m in range(M):
        half, one, zero = 1 << m, factors[1 + m], factors[1 + M + m]
        for j in range(half):
            lower, upper = densities[j], densities[half + j]
            for lane in range(lanes):
                x = lower[lane]
                upper[lane] = x * one[lane]
                lower[lane] = x * zero[lane]


@inline
def _halve(parts, new, M, lanes):
    """A component's new counts (1 + 2M, lanes), from its parts (2^M, lanes) of all counts."""
    for m in range(M - 1, -1, -1):
        half, one, zero = 1 << m, new[1 + m], new[1 + M + m]
        for lane in range(lanes):
            one[lane], zero[lane] = 0.0, 0.0
        for j in range(half):
            lower, upper = parts[j], parts[half + j]
            for lane in range(lanes):
                x, y = lower[lane], upper[lane]
                zero[lane] += x
                one[lane] += y
                lower[lane] = x + y
    for lane in range(lanes):
        new[0, lane] = parts[0, lane]


@inline
def _sum_of_logs(logs, M, densities, total, lanes):
    """Densities (K, 2^M, lanes) and their sums from logs, each pattern's largest scaled to 1."""
    for j in range(len(total)):
        for lane in range(lanes):
            top, total[j, lane] = -np.inf, 0.0
            for k in range(len(densities)):
                y = logs[k, 0, lane]
                for m in range(M):
                    y += logs[k, 1 + m if (j >> m) & 1 else 1 + M + m, lane]
                densities[k, j, lane] = y
                top = larger(top, y)
            for k in range(len(densities)):
                densities[k, j, lane] = exp(densities[k, j, lane] - top)
                total[j, lane] += densities[k, j, lane]


@inline
def _share(total, weights):
    """Turn sums over components into weights / sums; count those too small where there are data."""
    lost = 0
    for i in range(len(total)):
        t, w = total[i], weights[i]
        lost += (t <= SAFE) & (w > 0.0)
        total[i] = w / (t if t > 0.0 else 1.0)
    return lost


@inline
def _add(x, total, some):
    for i in range(len(total)):
        total[i] = x[i] + (total[i] if some else 0.0)


@inline
def _multiply(x, factors):
    for i in range(len(factors)):
        x[i] *= factors[i]


@inline
def _move(S, new, a, b, moved, lanes):
    """Take the new counts, and say how far they moved."""
    moved[:] = 0.0
    for k in range(len(S)):
        for i in range(S.shape[1]):
            x, y, prior = S[k, i], new[k, i], (b if i else a)
            for lane in range(lanes):
                step = y[lane] - x[lane]
                moved[lane] += step * step / (y[lane] + prior[lane])
                x[lane] = y[lane]


@jit
def _solve(weights, priors, states, max_iterations, tolerance, iterations, moved, lanes):
    """Advance states (n, K, 1 + 2M) to where they stand still; see `solve`."""
    n, K, P = states.shape
    M, C = P // 2, np.uint64(len(weights)) // lanes
    S, new, logs = np.zeros((K, P, lanes)), np.zeros((K, P, lanes)), np.empty((K, P, lanes))
    densities, total = np.empty((K, C, lanes)), np.empty((C, lanes))
    flat_states, flat_S = states.reshape(n, K * P), S.reshape(K * P, lanes)
    flat_densities, flat_total = densities.reshape(K, C * lanes), total.reshape(C * lanes)
    a, b, both = np.ones(lanes), np.ones(lanes), np.empty(lanes)
    step, slot, done = np.zeros(lanes), np.full(lanes, -1), np.zeros(lanes, np.int64)
    waiting, running = 0, 0
    while True:
        for lane in range(lanes):
            problem = slot[lane]
            if problem >= 0 and (step[lane] < tolerance or done[lane] == max_iterations):
                for i in range(K * P):
                    flat_states[problem, i] = flat_S[i, lane]
                iterations[problem], moved[problem] = done[lane], step[lane]
                slot[lane], running, problem = -1, running - 1, -1
            if problem < 0 and waiting < n:
                for i in range(K * P):
                    flat_S[i, lane] = flat_states[waiting, i]
                a[lane], b[lane] = priors[waiting, 0], priors[waiting, 1]
                slot[lane], done[lane], waiting, running = waiting, 0, waiting + 1, running + 1
        if running == 0:
            return
        _expected(S, a, b, logs, new, both, lanes)
        for k in range(K):
            _double(densities[k], new[k], M, lanes)
            _add(flat_densities[k], flat_total, k > 0)
        if _share(flat_total, weights):
            _sum_of_logs(logs, M, densities, total, lanes)
            _share(flat_total, weights)
        for k in range(K):
            _multiply(flat_densities[k], flat_total)
            _halve(densities[k], new[k], M, lanes)
        _move(S, new, a, b, step, lanes)
        done += 1
