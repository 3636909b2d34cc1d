"""The compiled passes behind `vbkit.phases.solver`: problems side by side, in lanes.

The last axis of every array is the lane: the problems side by side. Loops over lanes are the
innermost. Their number is unsigned and known at run time only: then they become vector code. Only
the two passes over all patterns have it as a constant: then their numbers stay in registers.
"""

from functools import cache

import numpy as np

from vbkit.compiled import digamma, exp, inline, jit, larger, scratch, uint64

SAFE = (
    1e-280  # below this density, products may have underflowed: sums of logs take over
)


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


@cache
def _compiled_passes(lanes: int):
    """The two passes over all patterns, for a number of lanes."""

    @inline
    def load(source, target):
        for lane in range(lanes):
            target[lane] = source[lane]

    @inline
    def double(densities, factors, M):
        """All densities (2^M, lanes) of a component, from its factors (1 + 2M, lanes)."""
        x, y, one, zero = scratch(lanes), scratch(lanes), scratch(lanes), scratch(lanes)
        load(factors[0], densities[0])
        for m in range(M):
            half = uint64(1) << uint64(m)
            load(factors[1 + m], one)
            load(factors[1 + M + m], zero)
            for j in range(half):
                load(densities[j], x)
                for lane in range(lanes):
                    y[lane] = x[lane] * one[lane]
                    x[lane] *= zero[lane]
                load(x, densities[j])
                load(y, densities[half + j])

    @inline
    def halve(parts, new, M):
        """A component's new counts (1 + 2M, lanes), from its parts (2^M, lanes) of all counts."""
        x, y, one, zero = scratch(lanes), scratch(lanes), scratch(lanes), scratch(lanes)
        for m in range(M - 1, -1, -1):
            half = uint64(1) << uint64(m)
            for lane in range(lanes):
                one[lane], zero[lane] = 0.0, 0.0
            for j in range(half):
                load(parts[j], x)
                load(parts[half + j], y)
                for lane in range(lanes):
                    zero[lane] += x[lane]
                    one[lane] += y[lane]
                    x[lane] += y[lane]
                load(x, parts[j])
            load(one, new[1 + m])
            load(zero, new[1 + M + m])
        load(parts[0], new[0])

    return double, halve


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


@cache
def compiled_solve(count: int):
    """The loop for a number of lanes."""
    double, halve = _compiled_passes(count)

    @jit
    def solve(
        weights, priors, states, max_iterations, tolerance, iterations, moved, lanes
    ):
        """Advance states (n, K, 1 + 2M) to where they stand still; see `phases.solve`."""
        n, K, P = states.shape
        M, C = P // 2, np.uint64(len(weights)) // lanes
        S, new, logs = (
            np.zeros((K, P, lanes)),
            np.zeros((K, P, lanes)),
            np.empty((K, P, lanes)),
        )
        densities, total = np.empty((K, C, lanes)), np.empty((C, lanes))
        flat_states, flat_S = states.reshape(n, K * P), S.reshape(K * P, lanes)
        flat_densities, flat_total = (
            densities.reshape(K, C * lanes),
            total.reshape(C * lanes),
        )
        a, b, both = np.ones(lanes), np.ones(lanes), np.empty(lanes)
        step, slot, done = (
            np.zeros(lanes),
            np.full(lanes, -1),
            np.zeros(lanes, np.int64),
        )
        waiting, running = 0, 0
        while True:
            for lane in range(lanes):
                problem = slot[lane]
                if problem >= 0 and (
                    step[lane] < tolerance or done[lane] == max_iterations
                ):
                    for i in range(K * P):
                        flat_states[problem, i] = flat_S[i, lane]
                    iterations[problem], moved[problem] = done[lane], step[lane]
                    slot[lane], running, problem = -1, running - 1, -1
                if problem < 0 and waiting < n:
                    for i in range(K * P):
                        flat_S[i, lane] = flat_states[waiting, i]
                    a[lane], b[lane] = priors[waiting, 0], priors[waiting, 1]
                    slot[lane], done[lane], waiting, running = (
                        waiting,
                        0,
                        waiting + 1,
                        running + 1,
                    )
            if running == 0:
                return
            _expected(S, a, b, logs, new, both, lanes)
            for k in range(K):
                double(densities[k], new[k], M)
                _add(flat_densities[k], flat_total, k > 0)
            if _share(flat_total, weights):
                _sum_of_logs(logs, M, densities, total, lanes)
                _share(flat_total, weights)
            for k in range(K):
                _multiply(flat_densities[k], flat_total)
                halve(densities[k], new[k], M)
            _move(S, new, a, b, step, lanes)
            done += 1

    return solve
