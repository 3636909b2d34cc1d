"""The online loop: one data point after another, written once for all families.

    log r_k = E log p(x | theta_k) + E log pi_k;   r = softmax;   S <- retention S + gain w r t(x)

`reference_steps` is the algorithm in NumPy. For a pass some hundred times faster (three times where
nothing is compiled: `plain_stream`), a family may offer two attributes:

log_density_jit: a function (t, s, packed) -> float made by `vbkit.compiled.inline`. It returns
    E log p(x | theta) without the base measure, from the statistics t (P,) of x and the statistics
    s (P,) that were added to the component's prior, or nan if there is no posterior. Make it in a
    cached function of the dimension, which is then a constant to the compiler: loops unroll.
packed_hyperparameters: the prior's hyperparameters as that function takes them, a float64 array.

Where nothing is forgotten a family may save more: `in_turn`, a method or None, takes effective
statistics E (K, P), rows X (n, D), the Dirichlet parameters (K,) of the weights and gains (n,). It
returns the responsibilities (n, K) of the rows in turn, each added with its responsibility times
its gain before the next, and for how many rows there are any.

The base measure is common to all components, so responsibilities do not depend on it.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np

from vbkit.compiled import COMPILED, digamma, exp, inline, jit, larger, scratch
from vbkit.families.rank_one import LANES
from vbkit.mixture import Mixture

AFRESH = 512  # rows that `in_turn` is given at a time, so that no rounding grows


def run_stream(mixture: Mixture, S, X, retention, gain, weights=None) -> np.ndarray:
    """Return the state (K, P) after the rows of X (N, D) in turn, from S (K, P).

    X: rows that `mixture.observe` has checked.
    retention, gain: (N,), see `Schedule.rates`.
    weights: of the observations, (N,), or None.

    Cutting a stream changes no number, or (with `in_turn`) none beyond rounding. Raises ValueError
    for shapes that do not fit, and when a component's posterior ceases to exist (EM: a component
    has collapsed onto a point).
    """
    if mixture.family.log_density_jit is None:
        S = reference_stream(mixture, S, X, retention, gain, weights)
        return S
    if (
        COMPILED
        and mixture.clones == 1
        and mixture.family.in_turn
        and np.all(retention == 1)
    ):
        return _accumulated(mixture, S, X, retention, gain, weights)
    S, T, gain = _checked(mixture, S, X, retention, gain, weights)
    S, done = (_in_lanes if COMPILED else plain_stream)(mixture, S, T, retention, gain)
    if done < len(T):
        _explain(mixture, S, done, X)
    return S


def _accumulated(mixture: Mixture, S, X, retention, gain, weights) -> np.ndarray:
    """The state after the rows of X in turn, none of which is forgotten."""
    _checked(mixture, S, X[:0], retention[:0], gain[:0], None)
    for first in range(0, len(X), AFRESH):
        part = slice(first, first + AFRESH)
        few = None if weights is None else weights[part]
        S, T, share = _checked(mixture, S, X[part], retention[part], gain[part], few)
        E = mixture.effective(S)
        weight = mixture.labels.concentration + E[:, 0]
        R, done = mixture.family.in_turn(E, X[part], weight, share)
        S = S + (R[:done] * share[:done, None]).T @ T[:done]
        if done < len(T):
            _explain(mixture, S, first + done, X)
    mixture.family.log_normalizer(
        mixture.effective(S)
    )  # refuses what has lost its digits
    return S


def _in_lanes(mixture: Mixture, S, T, retention, gain) -> tuple[np.ndarray, int]:
    """The compiled loop: the state (K, P) after the rows of T (N, P), and how many it took."""
    (K, P), groups = S.shape, -(-len(S) // LANES)
    padded = np.zeros(
        (groups * LANES, P + 2)
    )  # of components and what fills up the last eight:
    padded[:K, :P] = S  # the state,
    padded[:K, P] = (
        mixture.labels.concentration
    )  # the prior concentration of its weight,
    padded[K:, P + 1] = -np.inf  # and what keeps it from taking part
    blocks = np.ascontiguousarray(
        padded.reshape(groups, LANES, P + 2).transpose(0, 2, 1)
    )
    pseudo = (
        np.zeros(P) if mixture.pseudo_statistics is None else mixture.pseudo_statistics
    )
    loop = _compiled_stream(mixture.family.log_density_jit, P)
    rows = [
        np.ascontiguousarray(each, dtype=np.float64) for each in (T.T, retention, gain)
    ]
    prior = pseudo.copy(), float(mixture.clones), mixture.family.packed_hyperparameters
    done = loop(*rows, blocks, *prior)
    return np.ascontiguousarray(
        blocks[:, :P].transpose(0, 2, 1).reshape(-1, P)[:K]
    ), done


def plain_stream(mixture: Mixture, S, T, retention, gain) -> tuple[np.ndarray, int]:
    """The same in Python, number by number: a call of NumPy costs more than a few small sums.

    `log_density_jit` is then a plain function, and arrays become lists.
    """
    density, packed = (
        mixture.family.log_density_jit,
        mixture.family.packed_hyperparameters.tolist(),
    )
    given = mixture.pseudo_statistics
    pseudo = [0.0] * S.shape[1] if given is None else given.tolist()
    prior = np.broadcast_to(mixture.labels.concentration, len(S)).tolist()
    state, rows, clones = S.tolist(), T.tolist(), float(mixture.clones)
    rates = zip(np.asarray(retention).tolist(), gain.tolist(), strict=True)
    for n, (t, (past, new)) in enumerate(zip(rows, rates, strict=True)):
        log_r = []
        for a, row in zip(prior, state, strict=True):
            s = [clones * (x + y) for x, y in zip(row, pseudo, strict=True)]
            log_r.append(density(t, s, packed) + digamma(a + s[0]))
        top = max(log_r)
        r = [exp(x - top) for x in log_r]
        if not 0.0 < sum(r) < np.inf:
            return np.array(state), n
        share = new / sum(r)
        state = [
            [past * x + share * w * y for x, y in zip(row, t, strict=True)]
            for row, w in zip(state, r, strict=True)
        ]
    return np.array(state), len(rows)


def reference_steps(
    mixture: Mixture, S, X, retention, gain, weights=None
) -> Iterator[tuple]:
    """The stream in plain NumPy, for every family: yields the state (K, P) after each row, and its
    r (K,).

    Arguments and errors are those of `run_stream`.
    """
    S, T, gain = _checked(mixture, S, X, retention, gain, weights)
    for n, t in enumerate(T):
        E = mixture.effective(S)
        log_r = mixture.family.expected(E) @ t + mixture.labels.expected(E[:, 0])
        if not np.isfinite(log_r.max()):
            raise _undefined(n, X[n])
        r = np.exp(log_r - log_r.max())
        r /= r.sum()
        S = retention[n] * S + gain[n] * r[:, None] * t
        yield S, r


def reference_stream(
    mixture: Mixture, S, X, retention, gain, weights=None
) -> np.ndarray:
    """`run_stream` in plain NumPy: the last state of `reference_steps`."""
    for after, _ in reference_steps(mixture, S, X, retention, gain, weights):
        S = after
    return S


def _checked(mixture: Mixture, S, X, retention, gain, weights):
    """State, statistics and gains (weights included) whose shapes fit: compiled code reads them
    unchecked."""
    S, T = mixture.check_state(S), mixture.family.statistics(X)
    gain = gain if weights is None else gain * weights
    shapes = T.shape, np.shape(retention), np.shape(gain)
    if shapes != ((len(T), S.shape[1]), (len(T),), (len(T),)):
        wanted = f"they must be (N, {S.shape[1]}), (N,) and (N,)"
        raise ValueError(
            f"statistics, retention and gain have the shapes {shapes}; {wanted}"
        )
    return S, T, gain


def _explain(mixture: Mixture, S, n: int, X):
    mixture.family.expected(mixture.effective(S))  # raises the family's own error
    raise _undefined(n, X[n])


def _undefined(n: int, x: np.ndarray) -> ValueError:
    place = f"responsibilities are undefined at data point {n} of the stream, {x}"
    collapse = (
        "a component has collapsed onto a point (EM: add pseudo-statistics as a floor)"
    )
    return ValueError(f"{place}: {collapse}, or no component has any weight")


@cache
def _compiled_stream(log_density, P: int):
    """The loop for one family's compiled function and number of statistics."""

    @inline
    def log_responsibilities(t, block, pseudo_statistics, clones, packed, r):
        for lane in range(LANES):
            s = scratch(P)
            for p in range(P):
                s[p] = clones * (block[p, lane] + pseudo_statistics[p])
            weight = digamma(block[P, lane] + s[0])
            r[lane] = log_density(t, s, packed) + weight + block[P + 1, lane]

    @jit
    def stream(T, retention, gain, blocks, pseudo_statistics, clones, packed):
        """Advance blocks (groups, P + 2, LANES) by the columns of T (P, N); how many it took."""
        t, R, r = np.empty(P), np.empty(len(blocks) * LANES), scratch(LANES)
        for n in range(len(retention)):
            for p in range(P):
                t[p] = T[p, n]
            top, total = -np.inf, 0.0
            for g in range(len(blocks)):
                log_responsibilities(t, blocks[g], pseudo_statistics, clones, packed, r)
                for lane in range(LANES):
                    R[LANES * g + lane] = r[lane]
                    top = larger(top, r[lane])
            for k in range(len(R)):
                R[k] = exp(R[k] - top)
            for k in range(0, len(R), LANES):
                even = (R[k] + R[k + 4]) + (R[k + 2] + R[k + 6])
                odd = (R[k + 1] + R[k + 5]) + (R[k + 3] + R[k + 7])
                total += even + odd
            if not 0.0 < total < np.inf:
                return n
            past, share = retention[n], gain[n] / total
            for g in range(len(blocks)):
                for lane in range(LANES):
                    r[lane] = R[LANES * g + lane] * share
                for p in range(P):
                    x = t[p]
                    for lane in range(LANES):
                        blocks[g, p, lane] = past * blocks[g, p, lane] + r[lane] * x
        return len(retention)

    return stream
