"""Where in (a, b) and in N which minimum of F is the lowest: structured starts, growth with N, whole phase diagrams."""

from functools import partial
from typing import NamedTuple

import numpy as np

from vbkit.binary import Truth, binary_vectors, check_counts
from vbkit.checks import as_integer, as_positive, as_vector
from vbkit.families import BetaBernoulli
from vbkit.learning.many import run_many
from vbkit.theory.bernoulli import entropy
from vbkit.theory.bernoulli_solver import solve


class Growth(NamedTuple):
    """The lowest of all starts at each N: F - N S in nats (n,), states (n, K, 1 + 2M), names of the starts (n)."""

    normalized: np.ndarray
    S: np.ndarray
    start: list[str]


class Diagram(NamedTuple):
    """The lowest of all starts at each (a, b): F (A, B), states (A, B, K, 1 + 2M), which start it came from (A, B)."""

    free_energy: np.ndarray
    S: np.ndarray
    start: np.ndarray


def structured_starts(
    truth: Truth, n_components: int, total: float, counts=None
) -> tuple[list[str], np.ndarray]:
    """Where minima with redundant components are: names, and states (n, K, 1 + 2M) of `total` data.

    Each begins as the truth, and the components beyond the truth's are all empty; or duplicates of one component; or
    vertices at and around a component's most probable pattern, with half of that pattern's data or with sqrt(total) of
    them; or cut off a component, the part with x_m = 1. In "impure" starts deterministic components have sqrt(total)
    data of each neighbouring pattern. Of 2^M components and more, "vertices" gives one to every pattern.
    counts (2^M,): the data, if they are not total times the truth's probabilities. Raises ValueError for fewer components
    than the truth has, for a total that is not > 0, and for counts below 0 or of another number than the patterns.
    """
    K, total = len(truth.weights), as_positive("total", total)
    M, extra = truth.means.shape[1], as_integer("n_components", n_components, K) - K
    X, joint = binary_vectors(M), truth.joint(binary_vectors(M))
    p = joint.sum(axis=1)
    counts = total * p if counts is None else check_counts(counts, M)
    R = np.where(p[:, None] > 0, joint / np.where(p > 0, p, 1)[:, None], 1 / K)
    few = np.minimum(total**0.5 / np.maximum(counts, 1), 0.5)
    modes = (truth.means > 0.5) @ (1 << np.arange(M))
    inside = (truth.means > 0) & (truth.means < 1)
    bases = {"": R}
    if inside.any() and not inside.any(axis=1).all():
        bases["impure "] = R.copy()
        for k in np.flatnonzero(~inside.any(axis=1)):
            for at in modes[k] ^ (1 << np.arange(M)):
                bases["impure "][at] = (1 - few[at]) * R[at] + few[at] * np.eye(K)[k]
    found = {}
    for prefix, base in bases.items():
        found[prefix + ("empty" if extra else "truth")] = np.pad(base, ((0, 0), (0, extra)))
        for k in range(K if extra else 0):
            shared = np.column_stack([base, np.tile(base[:, k : k + 1], extra)])
            shared[:, [k, *range(K, n_components)]] /= 1 + extra
            found[f"{prefix}duplicate of {k}"] = shared
    for k in range(K if extra else 0):
        for name, share in (("vertex", np.full(len(X), 0.5)), ("small vertex", few)):
            taken = np.zeros((len(X), extra))
            at = modes[k] ^ np.where(np.arange(extra) > 0, 1 << (np.arange(extra) - 1) % M, 0)
            taken[at, np.arange(extra)] = share[at] / extra
            found[f"{name} at {k}"] = np.column_stack([R * (1 - taken.sum(axis=1))[:, None], taken])
        for m in np.flatnonzero(inside[k]):
            cut = np.pad(R, ((0, 0), (0, extra)))
            for e in range(extra):
                cut[:, K + e] = cut[:, k] * X[:, (m + e) % M]
                cut[:, k] -= cut[:, K + e]
            found[f"cut of {k} along {m}"] = cut
    if n_components >= len(X):
        found["vertices"] = np.pad(np.eye(len(X)), ((0, 0), (0, n_components - len(X))))
    T = BetaBernoulli(M).statistics(X)
    return list(found), np.stack([(R * counts[:, None]).T @ T for R in found.values()])


def growth(truth: Truth, n_components: int, totals, a: float, b: float, **settings) -> Growth:
    """The lowest F of `solve` over all structured starts, for ideal counts N p*(x) at each N of totals (n,).
    Raises ValueError for no totals, and as `structured_starts` and `solve` do."""
    p, found = truth.probabilities(), []
    for total in as_vector("totals", totals).tolist():
        names, starts = structured_starts(truth, n_components, total)
        every = solve(total * p, starts, a, b, **settings)
        best = every.free_energy.argmin()
        found.append((every.free_energy[best] - total * entropy(p), every.S[best], names[best]))
    F, S, names = zip(*found, strict=True)
    return Growth(np.array(F), np.stack(S), list(names))


def diagram(counts, starts, a, b, **settings) -> Diagram:
    """The lowest F of `solve` over all starts (n, K, P), at every pair of a (A,) and b (B,), one of each at least; a
    row of pairs is a job of `run_many`. Raises as `solve` does."""
    rows = run_many(partial(_row, counts, starts, as_vector("b", b), settings), as_vector("a", a))
    return Diagram(*(np.stack(part) for part in zip(*rows, strict=True)))


def _row(counts, starts, b, settings, a):
    n = len(starts)
    found = solve(counts, np.tile(starts, (len(b), 1, 1)), a, np.repeat(b, n), **settings)
    best = found.free_energy.reshape(-1, n).argmin(axis=1)
    at = np.arange(len(b)) * n + best
    return found.free_energy[at], found.S[at], best
