"""The online loop: one data point after another, written once for all families.

    log r_k = E log p(x | theta_k) + E log pi_k;   r = softmax;   S <- keep S + gain w r t(x)

`reference_stream` is the algorithm in NumPy. A family may offer, for a pass some hundred times faster,

    compiled    a function (t, s, numbers) -> float made by `vbkit.compiled.inline`: E log p(x | theta)
                without the base measure, from the statistics t (P,) of x and the statistics s (P,) that
                were added to the component's prior; nan where the posterior does not exist. Make it in a cached
                function of the dimension: a constant to the compiler, so that loops over it are unrolled;
    numbers     the prior's hyperparameters as that function takes them, a float64 array.

The base measure is common to all components, so responsibilities do not depend on it, and nothing here does.
"""

from functools import cache

import numpy as np

from vbkit.compiled import digamma, exp, inline, jit, larger, scratch
from vbkit.mixture import Mixture

LANES = 8  # components are worked on by eights, side by side in memory


def run_stream(mixture: Mixture, S, X, keep, gain, w=None) -> np.ndarray:
    """The state (K, P) after the rows of X (N, D) in turn, from S (K, P). Cutting a stream changes no number.

    keep, gain: (N,), see `Schedule.rates`. w: observation weights (N,) or None. Raises ValueError where a
    component's posterior ceases to exist (EM: a component collapsed onto a point).
    """
    if mixture.family.log_density_jit is None:
        return reference_stream(mixture, S, X, keep, gain, w)
    T = np.ascontiguousarray(mixture.family.statistics(X).T)
    (K, P), groups = S.shape, -(-len(S) // LANES)
    n_components = np.zeros(
        (groups * LANES, P + 2)
    )  # of each component, and of those that fill up the last eight:
    n_components[:K, :P] = S  # the state,
    n_components[:K, P] = mixture.weights.concentration  # the prior concentration of its weight,
    n_components[K:, P + 1] = -np.inf  # and what keeps it from taking part
    blocks = np.ascontiguousarray(n_components.reshape(groups, LANES, P + 2).transpose(0, 2, 1))
    pseudo_statistics = (
        np.zeros(P)
        if mixture.pseudo_statistics is None
        else np.ascontiguousarray(mixture.pseudo_statistics, dtype=np.float64)
    )
    gain = gain if w is None else gain * w
    loop = _compiled_stream(mixture.family.log_density_jit, P)
    done = loop(
        T, keep, gain, blocks, pseudo_statistics, float(mixture.clones), mixture.family.packed_hyperparameters
    )
    S = np.ascontiguousarray(blocks[:, :P].transpose(0, 2, 1).reshape(-1, P)[:K])
    if done < len(X):
        mixture.family.expected(mixture.effective(S))  # raises the family's own error
        raise undefined(done, X[done])
    return S


def reference_stream(mixture: Mixture, S, X, keep, gain, w=None) -> np.ndarray:
    """`run_stream` in plain NumPy, for every family."""
    T = mixture.family.statistics(X)
    gain = gain if w is None else gain * w
    for n, t in enumerate(T):
        E = mixture.effective(S)
        log_r = mixture.family.expected(E) @ t + mixture.weights.expected(E[:, 0])
        if not np.isfinite(log_r.max()):
            raise undefined(n, X[n])
        r = np.exp(log_r - log_r.max())
        S = keep[n] * S + (gain[n] / r.sum()) * r[:, None] * t
    return S


def undefined(n: int, x: np.ndarray) -> ValueError:
    return ValueError(
        f"responsibilities are undefined at data point {n} of the stream, {x}: a component has collapsed onto a point "
        "(EM: add pseudo-statistics as a floor), or no component has any weight"
    )


@cache
def _compiled_stream(log_density, P: int):
    """The loop for one family's compiled function and number of statistics."""

    @inline
    def log_responsibilities(t, block, pseudo_statistics, clones, numbers, r):
        for lane in range(LANES):
            s = scratch(P)
            for p in range(P):
                s[p] = clones * (block[p, lane] + pseudo_statistics[p])
            r[lane] = (
                log_density(t, s, numbers) + digamma(block[P, lane] + s[0]) + block[P + 1, lane]
            )

    @jit
    def stream(T, keep, gain, blocks, pseudo_statistics, clones, numbers):
        """Advance blocks (groups, P + 2, LANES) by the columns of T (P, N); how many it could take."""
        t, R, r = np.empty(P), np.empty(len(blocks) * LANES), scratch(LANES)
        for n in range(len(keep)):
            for p in range(P):
                t[p] = T[p, n]
            top, total = -np.inf, 0.0
            for g in range(len(blocks)):
                log_responsibilities(t, blocks[g], pseudo_statistics, clones, numbers, r)
                for lane in range(LANES):
                    R[LANES * g + lane] = r[lane]
                    top = larger(top, r[lane])
            for k in range(len(R)):
                R[k] = exp(R[k] - top)
            for k in range(0, len(R), LANES):
                a, b, c, d = (
                    R[k] + R[k + 4],
                    R[k + 1] + R[k + 5],
                    R[k + 2] + R[k + 6],
                    R[k + 3] + R[k + 7],
                )
                total += (a + c) + (b + d)
            if not 0.0 < total < np.inf:
                return n
            past, share = keep[n], gain[n] / total
            for g in range(len(blocks)):
                for lane in range(LANES):
                    r[lane] = R[LANES * g + lane] * share
                for p in range(P):
                    x = t[p]
                    for lane in range(LANES):
                        blocks[g, p, lane] = past * blocks[g, p, lane] + r[lane] * x
        return len(keep)

    return stream
