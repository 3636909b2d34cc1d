"""Batch VB of Bernoulli mixtures on all 2^M patterns, compiled and in NumPy.

The densities of all patterns under one component are products that double, coordinate by
coordinate, from 1 number to 2^M. Its counts of ones and zeros are sums that halve, coordinate by
coordinate, back to 1. That costs a few operations a pattern and no exponential.

A pattern's number has bit m where its coordinate m is one. States are (K, 1 + 2M): a component's
count, its ones and its zeros.
"""

import numpy as np
from scipy import special

from vbkit.compiled import jit
from vbkit.compiled.special import digamma, exp

SAFE = (
    1e-280  # below this density products may have underflowed: sums of logs take over
)


@jit
def solve(counts, priors, states, max_iterations, tolerance, iterations, moved):
    """Advance states (n, K, 1 + 2M) to where they stand still; see `vbkit.phases.solve`.

    priors (n, 2): the concentration of the weights, and the Beta prior's b. Written: states,
    iterations (n,), and moved (n,), how far the last iteration went.
    """
    n, K, P = states.shape
    M = P // 2
    logs = np.empty((K, P))
    factors = np.empty((K, P))
    new = np.empty((K, P))
    densities = np.empty((K, len(counts)))
    total = np.empty(len(counts))
    for problem in range(n):
        S = states[problem]
        a = priors[problem, 0]
        b = priors[problem, 1]
        while iterations[problem] < max_iterations:
            expected_logs(S, a, b, logs, factors)
            for k in range(K):
                fill_densities(factors[k], M, densities[k])
            add_up(densities, total)
            if is_unsafe(total, counts):
                for k in range(K):
                    fill_log_densities(logs[k], M, densities[k])
                scale_largest_to_one(densities)
                add_up(densities, total)
            for j in range(len(counts)):
                total[j] = counts[j] / total[j] if total[j] > 0.0 else 0.0
            for k in range(K):
                for j in range(len(counts)):
                    densities[k, j] *= total[j]
                fill_counts(densities[k], M, new[k])
            moved[problem] = move(S, new, a, b)
            iterations[problem] += 1
            if moved[problem] < tolerance:
                break


@jit
def expected_logs(S, a, b, logs, factors):
    """Write the expected logs (K, 1 + 2M) of the weights (but for a term common to all components),
    of mu and of 1 - mu; and the exponentials of all of them."""
    K, P = S.shape
    for k in range(K):
        logs[k, 0] = digamma(a + S[k, 0])
        both = digamma(2.0 * b + S[k, 0])
        for i in range(1, P):
            logs[k, i] = digamma(b + S[k, i]) - both
        for i in range(P):
            factors[k, i] = exp(logs[k, i])


@jit
def fill_densities(factors, M, densities):
    """Write the densities (2^M,) of all patterns, from a component's factors (1 + 2M,)."""
    densities[0] = factors[0]
    half = 1
    for m in range(M):
        one = factors[1 + m]
        zero = factors[1 + M + m]
        for j in range(half):
            densities[half + j] = densities[j] * one
            densities[j] *= zero
        half *= 2


@jit
def fill_log_densities(logs, M, densities):
    """Write the logs of the same densities, from the logs of the factors."""
    densities[0] = logs[0]
    half = 1
    for m in range(M):
        for j in range(half):
            densities[half + j] = densities[j] + logs[1 + m]
            densities[j] += logs[1 + M + m]
        half *= 2


@jit
def scale_largest_to_one(densities):
    """Turn logs (K, 2^M) into densities, of each pattern the largest 1."""
    K, patterns = densities.shape
    for j in range(patterns):
        top = densities[0, j]
        for k in range(1, K):
            top = max(top, densities[k, j])
        for k in range(K):
            densities[k, j] = exp(densities[k, j] - top)


@jit
def add_up(densities, total):
    """Write the sums (2^M,) over the components."""
    for j in range(len(total)):
        total[j] = densities[0, j]
    for k in range(1, len(densities)):
        for j in range(len(total)):
            total[j] += densities[k, j]


@jit
def is_unsafe(total, counts):
    """Whether a sum is so small, where there are data, that products may have underflowed."""
    for j in range(len(total)):
        if counts[j] > 0.0 and not total[j] > SAFE:
            return True
    return False


@jit
def fill_counts(parts, M, new):
    """Write a component's counts (1 + 2M,), from its parts (2^M,) of the patterns' counts, which
    are overwritten."""
    half = len(parts)
    for m in range(M - 1, -1, -1):
        half //= 2
        zeros = 0.0
        ones = 0.0
        for j in range(half):
            zeros += parts[j]
            ones += parts[half + j]
            parts[j] += parts[half + j]
        new[1 + m] = ones
        new[1 + M + m] = zeros
    new[0] = parts[0]


@jit
def move(S, new, a, b):
    """Take the new counts, and return how far they moved: the sum of
    (change)^2 / (count + prior count)."""
    K, P = S.shape
    moved = 0.0
    for k in range(K):
        for i in range(P):
            prior = a if i == 0 else b
            step = new[k, i] - S[k, i]
            moved += step * step / (new[k, i] + prior)
            S[k, i] = new[k, i]
    return moved


def plain_solve(counts, priors, states, max_iterations, tolerance, iterations, moved):
    """`solve` in NumPy: all problems side by side; those that stand still leave."""
    K, P = states.shape[1:]
    M = P // 2
    ones = (np.arange(2**M)[:, None] >> np.arange(M)) & 1
    T = np.hstack([np.ones((2**M, 1)), ones, 1 - ones])
    weighted = counts[:, None] * T
    transposed = np.ascontiguousarray(T.T)
    running = np.arange(len(states))
    iteration = 0
    while len(running) and iteration < max_iterations:
        iteration += 1
        S = states[running]
        n = len(running)
        prior = np.repeat(priors[running, 1], K * P).reshape(n, K, P)
        prior[..., 0] = priors[running, :1]
        logs = special.digamma(prior + S)
        logs[..., 1:] -= special.digamma(2 * prior[..., 1:2] + S[..., :1])
        R = (logs.reshape(-1, P) @ transposed).reshape(n, K, -1)
        R -= R.max(axis=1, keepdims=True)
        np.exp(R, out=R)
        R /= R.sum(axis=1, keepdims=True)
        new = (R.reshape(n * K, -1) @ weighted).reshape(S.shape)
        change = ((new - S) ** 2 / (new + prior)).reshape(n, -1).sum(axis=1)
        states[running] = new
        iterations[running] = iteration
        moved[running] = change
        running = running[change >= tolerance]
