"""Which minimum of F is the lowest, in (a, b) and in N: starts, growth, phase diagrams."""

from functools import partial
from typing import NamedTuple

import numpy as np

from vbkit.checks import as_instance, as_integer, as_positive, as_vector
from vbkit.data import Truth
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors
from vbkit.learning.many import run_many
from vbkit.phases.solver import check_counts, solve
from vbkit.theory.bernoulli import entropy

# Parts of a diagram, one a job: each a sample of all its pairs, so that they take equally long.
PARTS = 16


class Growth(NamedTuple):
    """The lowest F of all starts at each N.

    normalized (n,): F - N S in nats. S (n, K, 1 + 2M): the states. start: names of their starts.
    """

    normalized: np.ndarray
    S: np.ndarray
    start: list[str]


class Diagram(NamedTuple):
    """The lowest F of all starts at each (a, b).

    free_energy (A, B): F in nats. S (A, B, K, 1 + 2M): the states. start (A, B): indices of starts.
    """

    free_energy: np.ndarray
    S: np.ndarray
    start: np.ndarray


def structured_starts(
    truth: Truth, n_components: int, total: float, counts=None
) -> tuple[list[str], np.ndarray]:
    """Names, and states (n, K, 1 + 2M) of `total` data, where minima with redundant components are.

    Each begins as the truth. The components beyond the truth's are all empty; or duplicates of one
    component; or vertices at and around a component's most probable pattern, with half of that
    pattern's data or with sqrt(total) of them; or cut off a component, the part with x_m = 1. In
    "impure" starts deterministic components have sqrt(total) data of each neighbouring pattern.
    From 2^M components on, "vertices" gives one to every pattern. counts (2^M,): the data, if they
    are not total times the truth's probabilities. Raises ValueError for fewer components than the
    truth has, for a total that is not > 0, and for unfit counts.
    """
    as_instance("truth", truth, Truth)
    K, M, total = len(truth.weights), truth.dimension, as_positive("total", total)
    extra, X = as_integer("n_components", n_components, K) - K, binary_vectors(M)
    joint = truth.joint(X)
    p = joint.sum(axis=1)
    counts = total * p if counts is None else check_counts(counts, M)
    R = np.where(p[:, None] > 0, joint / np.where(p > 0, p, 1)[:, None], 1 / K)
    few = np.minimum(total**0.5 / np.maximum(counts, 1), 0.5)
    found = _of_all_data(truth, R, few, extra)
    if extra:
        for k in range(K):
            found |= _of_component(truth, R, few, extra, k)
    if n_components >= len(X):
        found["vertices"] = np.eye(len(X), n_components)
    T = BetaBernoulli(M).statistics(X)
    return list(found), np.stack([(R * counts[:, None]).T @ T for R in found.values()])


def _bits(truth: Truth) -> tuple[np.ndarray, np.ndarray]:
    """The value (M,) of each coordinate's bit, and each component's most probable pattern (K,)."""
    bits = 1 << np.arange(truth.dimension)
    return bits, (truth.means > 0.5) @ bits


def _inside(truth: Truth) -> np.ndarray:
    """Whether each probability (K, M) is neither 0 nor 1."""
    return (truth.means > 0) & (truth.means < 1)


def _of_all_data(truth: Truth, R, few, extra: int) -> dict[str, np.ndarray]:
    """Responsibilities with empty components or duplicates, from pure and impure components."""
    K, (bits, modes), interior = (
        len(truth.weights),
        _bits(truth),
        _inside(truth).any(axis=1),
    )
    bases, found = {"": R}, {}
    if interior.any() and not interior.all():
        impure = R.copy()
        for k in np.flatnonzero(~interior):
            for at in modes[k] ^ bits:
                impure[at] = (1 - few[at]) * R[at] + few[at] * np.eye(K)[k]
        bases["impure "] = impure
    for prefix, base in bases.items():
        found[prefix + ("empty" if extra else "truth")] = np.pad(
            base, ((0, 0), (0, extra))
        )
        for k in range(K if extra else 0):
            shared = np.column_stack([base, np.tile(base[:, k : k + 1], extra)])
            shared[:, [k, *range(K, K + extra)]] /= 1 + extra
            found[f"{prefix}duplicate of {k}"] = shared
    return found


def _of_component(truth: Truth, R, few, extra: int, k: int) -> dict[str, np.ndarray]:
    """Responsibilities with vertices at, and cuts of, component k of the truth."""
    M, K, (bits, modes), found = truth.dimension, len(truth.weights), _bits(truth), {}
    neighbours = [0, *np.resize(bits, extra - 1)]
    for name, share in (("vertex", np.full(len(R), 0.5)), ("small vertex", few)):
        taken = np.zeros((len(R), extra))
        at = modes[k] ^ neighbours
        taken[at, np.arange(extra)] = share[at] / extra
        found[f"{name} at {k}"] = np.column_stack(
            [R * (1 - taken.sum(axis=1))[:, None], taken]
        )
    X = binary_vectors(M)
    for m in np.flatnonzero(_inside(truth)[k]):
        cut = np.pad(R, ((0, 0), (0, extra)))
        for e in range(extra):
            cut[:, K + e] = cut[:, k] * X[:, (m + e) % M]
            cut[:, k] -= cut[:, K + e]
        found[f"cut of {k} along {m}"] = cut
    return found


def growth(
    truth: Truth, n_components: int, totals, a: float, b: float, **settings
) -> Growth:
    """The lowest F over all structured starts, for ideal counts N p*(x) at each N of totals (n,).

    settings: of `solve`. Raises ValueError for no totals, and as `structured_starts` and `solve`
    do.
    """
    p, found = as_instance("truth", truth, Truth).probabilities(), []
    for total in as_vector("totals", totals).tolist():
        names, starts = structured_starts(truth, n_components, total)
        ends = solve(total * p, starts, a, b, **settings)
        best = ends.free_energy.argmin()
        found.append(
            (ends.free_energy[best] - total * entropy(p), ends.S[best], names[best])
        )
    F, S, names = zip(*found, strict=True)
    return Growth(np.array(F), np.stack(S), list(names))


def diagram(counts, starts, a, b, **settings) -> Diagram:
    """The lowest F over all starts (n, K, 1 + 2M), at every pair of a (A,) and b (B,).

    counts and settings: of `solve`. The pairs are shared out to jobs of `run_many`. Raises
    ValueError as `solve` does, and unless there is one a and one b at least.
    """
    a, b = as_vector("a", a), as_vector("b", b)
    pairs = np.stack(np.meshgrid(a, b, indexing="ij"), axis=-1).reshape(-1, 2)
    parts = [
        np.arange(first, len(pairs), PARTS) for first in range(min(PARTS, len(pairs)))
    ]
    found = run_many(
        partial(_lowest, counts, starts, settings), [pairs[part] for part in parts]
    )
    order = np.argsort(np.concatenate(parts))
    F, S, start = (np.concatenate(x)[order] for x in zip(*found, strict=True))
    return Diagram(*(x.reshape(len(a), len(b), *x.shape[1:]) for x in (F, S, start)))


def _lowest(counts, starts, settings, pairs):
    """F (m,), states (m, K, 1 + 2M) and start (m,) of the best of all starts at m pairs (a, b)."""
    n, m = len(starts), len(pairs)
    a, b = np.repeat(pairs, n, axis=0).T
    ends = solve(counts, np.tile(starts, (m, 1, 1)), a, b, **settings)
    best = ends.free_energy.reshape(m, n).argmin(axis=1)
    at = np.arange(m) * n + best
    return ends.free_energy[at], ends.S[at], best
