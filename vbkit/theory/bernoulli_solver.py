"""Batch VB of Bernoulli mixtures on all 2^M patterns, fast enough for whole phase diagrams.

The patterns are the corners of a cube. A component's densities at all of them are products that double, coordinate by
coordinate, from 1 to 2^M numbers; its counts of ones and zeros are sums that halve, coordinate by coordinate, back to
1. That costs a few operations a pattern and no exp. Several problems are worked on side by side; one that has
converged makes room for the next. The same learning, in plain form, is `fit_batch` on `patterns(M)` with the counts as
observation weights.
"""

from typing import NamedTuple

import numpy as np
from numba import uint64
from scipy.special import logsumexp

from vbkit.binary import binary_vectors
from vbkit.checks import as_array, as_integer, as_number, as_positives
from vbkit.compiled import digamma, exp, inline, jit, larger
from vbkit.families import BetaBernoulli, Dirichlet

LANES = 32  # problems worked on side by side
SAFE = 1e-280  # a density below which the products have lost it, so that sums of logs are needed


class Solutions(NamedTuple):
    """Of n problems: the states S (n, K, 1 + 2M), F = -bound in nats (n,), how many iterations each took (n,), and whether
    it stood still then (n,)."""

    S: np.ndarray
    free_energy: np.ndarray
    iterations: np.ndarray
    converged: np.ndarray


def solve(
    counts, starts, a, b, *, max_iterations: int = 1000, tolerance: float = 1e-10
) -> Solutions:
    """Batch VB of n problems on the same counts (2^M,), which need not be whole numbers.

    starts: states (n, K, 1 + 2M) or (K, 1 + 2M). a, b: concentration of the weights and of every Beta prior, one number
    or one a problem. A problem ends when a sweep moves its counts by less than `tolerance`, in the sum over all counts
    of (change)^2 / (count + prior count), about twice what the sweep gains in nats; or after `max_iterations`. Redundant
    components move slowly: one with a share of N data may need N iterations to vanish, so begin with it where it should end.
    Raises ValueError for arguments of other shapes, for counts, starts or settings below 0, and unless a, b > 0.
    """
    counts, starts, a, b = _check(counts, starts, a, b)
    S, priors = starts.copy(), np.stack([a, b], axis=1)
    iterations, moved = np.zeros(len(S), dtype=np.int64), np.full(len(S), np.inf)
    as_integer("max_iterations", max_iterations, 1)
    lanes = np.uint64(min(LANES, -(-len(S) // 8) * 8))
    _solve(
        np.repeat(counts, lanes),
        priors,
        S,
        max_iterations,
        as_number("tolerance", tolerance, 0),
        iterations,
        moved,
        lanes,
    )
    F = np.empty(len(S))
    for pair in np.unique(priors, axis=0):
        same = (priors == pair).all(axis=1)
        F[same] = _free_energies(counts, S[same], *pair)
    return Solutions(S, F, iterations, moved < tolerance)


def _check(counts, starts, a, b):
    starts = as_array("starts", starts)
    starts = starts[None] if starts.ndim == 2 else starts
    if starts.ndim != 3 or starts.shape[2] % 2 == 0 or 0 in starts.shape or (starts < 0).any():
        raise ValueError(
            f"starts has shape {starts.shape}; it must be (n, K, 1 + 2M), of numbers >= 0"
        )
    a, b = as_positives("a", a), as_positives("b", b)
    for name, value in (("a", a), ("b", b)):
        if value.shape not in ((), (1,), starts.shape[:1]):
            raise ValueError(
                f"{name} has shape {value.shape}; it must be one number or one a problem ({len(starts)},)"
            )
    a, b = np.broadcast_to(a, len(starts)), np.broadcast_to(b, len(starts))
    return check_counts(counts, starts.shape[2] // 2), starts, a, b


def check_counts(counts, M: int) -> np.ndarray:
    """Counts (2^M,) of the patterns, >= 0 and not all 0, or a ValueError."""
    counts = as_array("counts", counts, ndim=1)
    if len(counts) != 2**M or (counts < 0).any() or not counts.any():
        raise ValueError(
            f"counts has shape {counts.shape}; it must be (2^M,) = {2**M} numbers >= 0, not all of them 0"
        )
    return counts


def _free_energies(counts, S, a: float, b: float) -> np.ndarray:
    """F (n,) in nats of n states (n, K, 1 + 2M), as `Mixture.elbo` computes it (with the opposite sign)."""
    family, weights, n = BetaBernoulli(S.shape[2] // 2, b), Dirichlet(a), S[..., 0]
    W, log_pi = family.expected(S), weights.expected(n)
    log_p = logsumexp(
        W @ family.statistics(binary_vectors(family.dimension)).T + log_pi[..., None], axis=1
    )
    n_components = (S * W).sum(axis=(1, 2)) - (
        family.log_normalizer(S) - family.log_normalizer(0 * S)
    ).sum(axis=1)
    divergence = (
        n_components
        + (n * log_pi).sum(axis=1)
        - weights.log_normalizer(n)
        + weights.log_normalizer(0 * n)
    )
    return divergence - np.where(counts > 0, log_p, 0) @ counts


# ---- compiled ----------------------------------------------------------------------------------------------
# The last axis of every array is the lane: the problems side by side. Loops over lanes are the innermost, and their
# number is known at run time only (and unsigned): then the compiler makes vector code of them.


@inline
def _expected(S, a, b, logs, both, lanes):
    """After the states: E log pi but for a term common to all components, E log mu and E log(1 - mu), (K, 1 + 2M, lanes)."""
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


@inline
def _double(densities, factors, M, lanes):
    """From the first of the densities (2^M, lanes) all of them, by factors (1 + 2M, lanes) for ones and for zeros."""
    first, factor = densities[0], factors[0]
    for lane in range(lanes):
        first[lane] = factor[lane]
    for m in range(M):
        half, one, zero = 1 << m, factors[1 + m], factors[1 + M + m]
        for j in range(half):
            x, upper = densities[j], densities[half + j]
            for lane in range(lanes):
                y = x[lane]
                upper[lane] = y * one[lane]
                x[lane] = y * zero[lane]


@inline
def _fold(parts, new, M, lanes):
    """From one component's parts of the counts (2^M, lanes) its count and its counts of ones and zeros (1 + 2M, lanes)."""
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
    n, x = new[0], parts[0]
    for lane in range(lanes):
        n[lane] = x[lane]


@inline
def _sum_of_logs(logs, M, cube, total, lanes):
    """The densities but for a factor common to the components of a pattern, from their logs, so that none is lost."""
    for j in range(len(total)):
        for lane in range(lanes):
            top, total[j, lane] = -np.inf, 0.0
            for k in range(len(cube)):
                y = logs[k, 0, lane]
                for m in range(M):
                    y += logs[k, 1 + m if (j >> m) & 1 else 1 + M + m, lane]
                cube[k, j, lane] = y
                top = larger(top, y)
            for k in range(len(cube)):
                cube[k, j, lane] = exp(cube[k, j, lane] - top)
                total[j, lane] += cube[k, j, lane]


@inline
def _share(total, weights):
    """Sums over components become weights / sums; how many sums are too small where there are data (weights > 0)."""
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
    """Take the new counts; how far they moved."""
    for lane in range(lanes):
        moved[lane] = 0.0
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
    M, C = P // 2, uint64(len(weights)) // lanes
    S, new, logs = np.zeros((K, P, lanes)), np.zeros((K, P, lanes)), np.empty((K, P, lanes))
    cube, total = np.empty((K, C, lanes)), np.empty((C, lanes))
    a, b, both = np.ones(lanes), np.ones(lanes), np.empty(lanes)
    step, slot, done = np.zeros(lanes), np.full(lanes, -1), np.zeros(lanes, np.int64)
    flat_cube, flat_total = cube.reshape(K, C * lanes), total.reshape(C * lanes)
    waiting, running = 0, 0
    while True:
        for lane in range(lanes):
            problem = slot[lane]
            if problem >= 0 and (step[lane] < tolerance or done[lane] == max_iterations):
                for k in range(K):
                    for i in range(P):
                        states[problem, k, i] = S[k, i, lane]
                iterations[problem], moved[problem] = done[lane], step[lane]
                slot[lane], running, problem = -1, running - 1, -1
            if problem < 0 and waiting < n:
                for k in range(K):
                    for i in range(P):
                        S[k, i, lane] = states[waiting, k, i]
                a[lane], b[lane] = priors[waiting, 0], priors[waiting, 1]
                slot[lane], done[lane], waiting, running = waiting, 0, waiting + 1, running + 1
        if running == 0:
            return
        _expected(S, a, b, logs, both, lanes)
        for k in range(K):
            for i in range(P):
                x, y = logs[k, i], new[k, i]
                for lane in range(lanes):
                    y[lane] = exp(x[lane])
            _double(cube[k], new[k], M, lanes)
            _add(flat_cube[k], flat_total, k > 0)
        if _share(flat_total, weights):
            _sum_of_logs(logs, M, cube, total, lanes)
            _share(flat_total, weights)
        for k in range(K):
            _multiply(flat_cube[k], flat_total)
            _fold(cube[k], new[k], M, lanes)
        _move(S, new, a, b, step, lanes)
        for lane in range(lanes):
            done[lane] += 1
