"""Which minimum of F is the lowest, by prior and by N: starts, growth, phase diagrams."""

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

# Ends whose F differ by less than the sum of these are one minimum, reached from several starts: by
# what iterations leave undone when they stop, in nats, and by rounding, a share of |F|, of which it
# makes some 1e-15. Neither must decide which state stands for the minimum: where components move
# slowly, these states still differ in the fourth digit.
LEFT_UNDONE = 1e-9
ROUNDING_OF_F = 5e-14


class Growth(NamedTuple):
    """The lowest F of all starts at each N.

    normalized (n,): F - N S in nats. S (n, K, 1 + 2M): the states. start: names of their starts.
    """

    normalized: np.ndarray
    S: np.ndarray
    start: list[str]


class Diagram(NamedTuple):
    """The lowest F of all starts at each of A concentrations and B pseudo-counts.

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
    total = as_positive("total", total)
    K = len(truth.weights)
    M = truth.dimension
    extra = as_integer("n_components", n_components, K) - K
    X = binary_vectors(M)
    joint = truth.joint(X)
    p = joint.sum(axis=1)
    if counts is None:
        counts = total * p
    else:
        counts = check_counts(counts, M)
    R = np.where(p[:, None] > 0, joint / np.where(p > 0, p, 1)[:, None], 1 / K)
    few = np.minimum(total**0.5 / np.maximum(counts, 1), 0.5)
    responsibilities = _of_all_data(truth, R, few, extra)
    if extra > 0:
        for k in range(K):
            responsibilities |= _of_component(truth, R, few, extra, k)
    if n_components >= len(X):
        responsibilities["vertices"] = np.eye(len(X), n_components)
    T = BetaBernoulli(M).statistics(X)
    states = [(r * counts[:, None]).T @ T for r in responsibilities.values()]
    return list(responsibilities), np.stack(states)


def _number_of_pattern(x: np.ndarray) -> np.ndarray:
    """The numbers (...) of patterns x (..., M): their rows in `binary_vectors(M)`."""
    return x @ 2 ** np.arange(x.shape[-1])


def _most_probable_pattern(truth: Truth, k: int) -> int:
    """The number of component k's most probable pattern."""
    return int(_number_of_pattern(truth.means[k] > 0.5))


def _neighbours(truth: Truth, k: int) -> np.ndarray:
    """The numbers (M,) of the patterns that differ from that in one coordinate each."""
    other_coordinate = np.eye(truth.dimension, dtype=bool)
    return _number_of_pattern((truth.means[k] > 0.5) != other_coordinate)


def _inside(truth: Truth) -> np.ndarray:
    """Whether each probability (K, M) is neither 0 nor 1."""
    return (truth.means > 0) & (truth.means < 1)


def _of_all_data(truth: Truth, R, few, extra: int) -> dict[str, np.ndarray]:
    """Responsibilities with empty components or duplicates, from pure and impure components."""
    bases = {"": R}
    deterministic = ~_inside(truth).any(axis=1)
    if deterministic.any() and not deterministic.all():
        bases["impure "] = _impure(truth, R, few, np.flatnonzero(deterministic))
    starts = {}
    for prefix, base in bases.items():
        if extra == 0:
            starts[prefix + "truth"] = base
            continue
        starts[prefix + "empty"] = np.pad(base, ((0, 0), (0, extra)))
        for k in range(len(truth.weights)):
            starts[f"{prefix}duplicate of {k}"] = _duplicates(base, k, extra)
    return starts


def _impure(truth: Truth, R, few, components) -> np.ndarray:
    """Responsibilities that give these components a few data of each neighbouring pattern."""
    impure = R.copy()
    for k in components:
        own = np.zeros(R.shape[1])
        own[k] = 1.0
        for pattern in _neighbours(truth, k):
            share = few[pattern]
            impure[pattern] = (1 - share) * R[pattern] + share * own
    return impure


def _duplicates(base, k: int, extra: int) -> np.ndarray:
    """Responsibilities that share component k evenly among it and the components added."""
    share = base[:, k] / (1 + extra)
    shared = np.column_stack([base, np.tile(share[:, None], extra)])
    shared[:, k] = share
    return shared


def _of_component(truth: Truth, R, few, extra: int, k: int) -> dict[str, np.ndarray]:
    """Responsibilities with vertices at, and cuts of, component k of the truth."""
    starts = {}
    neighbours = _neighbours(truth, k)
    in_turn = np.arange(extra - 1) % len(neighbours)  # over again if there are too few
    patterns = np.append(_most_probable_pattern(truth, k), neighbours[in_turn])
    half = np.full(len(R), 0.5)
    for name, share in (("vertex", half), ("small vertex", few)):
        taken = np.zeros((len(R), extra))
        taken[patterns, np.arange(extra)] = share[patterns] / extra
        left = R * (1 - taken.sum(axis=1))[:, None]
        starts[f"{name} at {k}"] = np.column_stack([left, taken])
    for m in np.flatnonzero(_inside(truth)[k]):
        starts[f"cut of {k} along {m}"] = _cut(R, k, m, extra, truth.dimension)
    return starts


def _cut(R, k: int, m: int, extra: int, M: int) -> np.ndarray:
    """Responsibilities that cut the part with x_m = 1 off component k, then of what is left the
    part where the next coordinate is 1, and so on."""
    K = R.shape[1]
    X = binary_vectors(M)
    cut = np.pad(R, ((0, 0), (0, extra)))
    for e in range(extra):
        cut[:, K + e] = cut[:, k] * X[:, (m + e) % M]
        cut[:, k] -= cut[:, K + e]
    return cut


def growth(
    truth: Truth,
    n_components: int,
    totals,
    concentration: float,
    pseudo_count: float,
    *,
    max_iterations=1000,
) -> Growth:
    """The lowest F over all structured starts, for ideal counts N p*(x) at each N of totals (n,).

    max_iterations: of `solve`. Raises ValueError for no totals, and as
    `structured_starts` and `solve` do.
    """
    p = as_instance("truth", truth, Truth).probabilities()
    normalized = []
    states = []
    lowest = []
    for total in as_vector("totals", totals).tolist():
        names, starts = structured_starts(truth, n_components, total)
        ends = solve(
            total * p,
            starts,
            concentration,
            pseudo_count,
            max_iterations=max_iterations,
        )
        best = first_of_the_lowest(ends.free_energy)
        normalized.append(ends.free_energy[best] - total * entropy(p))
        states.append(ends.S[best])
        lowest.append(names[best])
    return Growth(np.array(normalized), np.stack(states), lowest)


def first_of_the_lowest(F: np.ndarray) -> np.ndarray:
    """Return the index (...) of the first start that ends in the lowest minimum, of the F
    (..., n) in which the starts end.

    Starts whose F differ by less than LEFT_UNDONE and ROUNDING_OF_F together end in the
    same minimum, or in mirror images of it.
    """
    lowest = F.min(axis=-1, keepdims=True)
    margin = LEFT_UNDONE + ROUNDING_OF_F * np.abs(lowest)
    return np.argmax(F <= lowest + margin, axis=-1)


def diagram(
    counts, starts, concentration, pseudo_count, *, max_iterations=1000
) -> Diagram:
    """The lowest F over all starts (n, K, 1 + 2M), at every pair of concentration (A,) and
    pseudo_count (B,).

    counts, max_iterations: of `solve`. The pairs are shared out to jobs of `run_many`.
    Raises ValueError as `solve` does, and unless there is one of each at least.
    """
    concentration = as_vector("concentration", concentration)
    pseudo_count = as_vector("pseudo_count", pseudo_count)
    pairs = np.stack(
        np.meshgrid(concentration, pseudo_count, indexing="ij"), axis=-1
    ).reshape(-1, 2)
    jobs = min(PARTS, len(pairs))
    parts = [np.arange(first, len(pairs), jobs) for first in range(jobs)]
    lowest = partial(_lowest, counts, starts, max_iterations)
    results = run_many(lowest, [pairs[part] for part in parts])
    order = np.argsort(np.concatenate(parts))
    shape = len(concentration), len(pseudo_count)
    free_energy = np.concatenate([result.free_energy for result in results])[order]
    S = np.concatenate([result.S for result in results])[order]
    start = np.concatenate([result.start for result in results])[order]
    return Diagram(
        free_energy.reshape(shape), S.reshape(shape + S.shape[1:]), start.reshape(shape)
    )


def _lowest(counts, starts, max_iterations, pairs) -> Diagram:
    """The best of all starts at m priors: F (m,), states (m, K, 1 + 2M) and start (m,)."""
    n = len(starts)
    m = len(pairs)
    concentration, pseudo_count = np.repeat(pairs, n, axis=0).T
    ends = solve(
        counts,
        np.tile(starts, (m, 1, 1)),
        concentration,
        pseudo_count,
        max_iterations=max_iterations,
    )
    best = first_of_the_lowest(ends.free_energy.reshape(m, n))
    problem = np.arange(m) * n + best
    return Diagram(ends.free_energy[problem], ends.S[problem], best)
