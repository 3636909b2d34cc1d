"""What one redundant component can be, and what each possibility costs at finite N, exactly.

A structure is a choice of responsibilities: who holds which data. Its free energy is a sum of
log-gammas, so the lines between phases can be drawn for any N without running VB.
"""

from functools import lru_cache
from itertools import combinations

import numpy as np
from scipy.optimize import least_squares
from scipy.special import betaln, gammaln, xlogy

from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.data import Truth
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors

M, K = 4, 3
X = binary_vectors(M)
STATISTICS = BetaBernoulli(M).statistics(X)
KINDS = {
    "A": (2, 0),
    "B": (1, 1),
}  # interior and deterministic components of both truths
REDUNDANT = {
    "A": ("interior", "cut", "small vertex"),
    "B": ("interior", "deterministic", "cut"),
}
SIZES = np.linspace(0.25, 0.75, 15)  # exponents of N that a small vertex may have


def of_truth(truth: str, extra: int = 1) -> np.ndarray:
    """The truth's own responsibilities (16, 2 + extra), the redundant components empty."""
    joint = TRUTHS[truth].joint(X)
    return np.pad(joint / joint.sum(axis=1, keepdims=True), ((0, 0), (0, extra)))


def duplicate(R, k):
    """Component k and the last one share its data equally."""
    R = R.copy()
    R[:, -1] = R[:, k] = R[:, k] / 2
    return R


def cut(R, k, m):
    """The last component takes those data of component k in which coordinate m is a one."""
    R = R.copy()
    R[:, -1] = R[:, k] * X[:, m]
    R[:, k] -= R[:, -1]
    return R


def small_vertex(R, counts, k, size):
    """The last component takes `size` data of the most probable pattern of component k."""
    R, at = R.copy(), (R[:, k] * counts).argmax()
    share = min(size / counts[at], 0.9)
    R[at] *= 1 - share
    R[at, -1] = share
    return R


@lru_cache(64)
def structures(truth: str, total: float) -> dict[str, np.ndarray]:
    """Responsibilities (n, 16, 3) of each kind of redundant component; the cheapest counts."""
    R, counts = of_truth(truth), total * TRUTHS[truth].probabilities()
    found = {"interior": [duplicate(R, 0)], "cut": [cut(R, 0, m) for m in range(M)]}
    if truth == "B":
        found["deterministic"] = [duplicate(R, 1)]
    else:
        found["small vertex"] = [
            small_vertex(R, counts, 0, total**size) for size in SIZES
        ]
    return {kind: np.array(some) for kind, some in found.items()}


def free_energy(R, counts, a, b) -> np.ndarray:
    """F (n, A, B) of responsibilities R (n, 16, K), up to what they share; a (A,), b (B,)."""
    S = np.swapaxes(R * counts[:, None], 1, 2) @ STATISTICS
    n, ones, zeros = S[..., 0], S[..., 1 : M + 1, None], S[..., M + 1 :, None]
    weights = -gammaln(np.reshape(a, (-1, 1)) + n[:, None]).sum(axis=2)
    means = -betaln(b + ones, b + zeros).sum(axis=(1, 2))
    labels = (counts[:, None] * xlogy(R, R)).sum(axis=(1, 2))
    return weights[:, :, None] + means[:, None, :] + labels[:, None, None]


def extra_costs(truth: str, total: float, a, b) -> dict[str, np.ndarray]:
    """What each kind costs (A, B) beyond leaving the component empty, in nats; a (A,), b (B,)."""
    a, b = np.atleast_1d(a).astype(float), np.atleast_1d(b).astype(float)
    counts = total * TRUTHS[truth].probabilities()
    empty = free_energy(of_truth(truth)[None], counts, a, b)[0]
    every = structures(truth, total).items()
    return {kind: free_energy(R, counts, a, b).min(axis=0) - empty for kind, R in every}


def divisions(n_components: int) -> np.ndarray:
    """Responsibilities (n, 8, K) for three coordinates: every division of the cube's vertices into
    disjoint edges and the vertices that these leave, K parts at most."""
    lines = [{x, x | bit} for x in range(8) for bit in (1, 2, 4) if not x & bit]
    found = []
    for edges in (
        some for n in range(8 - n_components, 5) for some in combinations(lines, n)
    ):
        left = set(range(8)).difference(*edges)
        if len(left) == 8 - 2 * len(edges):  # they are disjoint
            R = np.zeros((8, n_components))
            for k, part in enumerate([*edges, *({x} for x in sorted(left))]):
                R[sorted(part), k] = 1
            found.append(R)
    return np.array(found)


def limit_price(kind: str, a, b):
    """The same over log N, for ever more data."""
    halves = {
        "interior": (M + 1) / 2 - a,
        "deterministic": 0.5 - a + M * b,
        "empty": 0.0 * a,
    }
    halves |= {"cut": (M - 1) / 2 + 2 * b - a, "small vertex": (0.5 - a + M * b) / 2}
    return halves[kind]


def fit_part(R, counts):
    """The part (n,) of F (n, 1, 1) that is about fit, not about the prior, in nats; R (n, 16, K).

    It is minus the log-likelihood of the data with these labels at their best parameters.
    """
    S = np.swapaxes(R * counts[:, None], 1, 2) @ STATISTICS
    labels = (counts[:, None] * xlogy(R, R)).sum(axis=(1, 2))
    each = xlogy(S[..., 1:], S[..., 1:]).sum(axis=(1, 2))
    return labels - each - (1 - M) * xlogy(S[..., 0], S[..., 0]).sum(axis=1)


def small_vertices(total: float, sizes):
    """Responsibilities (n, 16, 3), truth A: the last component has `sizes` data of one pattern."""
    counts = total * TRUTHS["A"].probabilities()
    R = of_truth("A")
    return np.array([small_vertex(R, counts, 0, size) for size in sizes]), counts


def impure(total: float, sizes):
    """Responsibilities (n, 16, 2), truth B: 1100 has `sizes` data of each pattern next to it."""
    counts, R = total * TRUTHS["B"].probabilities(), of_truth("B", extra=0)
    found = np.repeat(R[None], len(sizes), axis=0)
    for m in range(M):
        at = np.flatnonzero((X == TRUTHS["B"].means[1]).all(axis=1))[0] ^ (1 << m)
        share = np.minimum(np.asarray(sizes) / counts[at], 1)
        found[:, at] = (1 - share[:, None]) * R[at] + share[:, None] * [0, 1]
    return found, counts


def balance(make, total: float, a: float, b: float, most: float):
    """Exact change of F (n,) and its misfit (n,) over the number of data taken (n,)."""
    sizes = np.geomspace(1, most * total, 61)
    R, counts = make(total, np.append(0.0, sizes))
    F = free_energy(R, counts, np.array([a]), np.array([b]))[:, 0, 0]
    lost = fit_part(R, counts)
    return {"sizes": sizes, "F": F[1:] - F[0], "misfit": lost[1:] - lost[0]}


# ---- few questions: structures without a misfit beside those of the price list ---------


def _joint_of_two(parameters, X) -> np.ndarray:
    """Return the joint probabilities (N, 2) of rows X (N, M) and two components, for their
    parameters (1 + 2M,): the first weight, and the means. They may lie outside 0 to 1."""
    weights = np.array([parameters[0], 1 - parameters[0]])
    means = parameters[1:].reshape(2, -1)
    return np.prod(np.where(X[:, None] == 1, means, 1 - means), axis=2) * weights


def with_a_vertex(truth: Truth, vertex: int) -> tuple[float, np.ndarray]:
    """Return the largest share that a vertex can hold beside two kinds without a misfit,
    and the labels R (8, 3) of that structure.

    truth: of two kinds and three questions, which have as many parameters as the patterns
    have free probabilities; vertex: a row of `binary_vectors(3)`. The share grows in small
    steps, and the two kinds follow, until a mean arrives at 0 or 1.
    """
    X = binary_vectors(3)
    whole = truth.probabilities()
    kinds = np.append(truth.weights[0], np.ravel(truth.means))
    share = 0.0
    step = 0.002
    exactly = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    while step > 1e-8:
        rest = whole.copy()
        rest[vertex] -= share + step
        rest /= rest.sum()

        def misfit(parameters, rest=rest):
            return _joint_of_two(parameters, X).sum(axis=1) - rest

        near = least_squares(misfit, kinds, **exactly)
        is_possible = near.x.min() > -1e-12 and near.x.max() < 1 + 1e-12
        if rest.min() > 0 and is_possible and np.abs(near.fun).max() < 1e-11:
            kinds = near.x
            share += step
        else:
            step /= 2
    parts = np.zeros((8, 3))
    parts[:, :2] = (1 - share) * np.clip(_joint_of_two(kinds, X), 0, None)
    parts[vertex, 2] = share
    return share, parts / parts.sum(axis=1, keepdims=True)


def edge_and_vertices(question: int, answer: int) -> np.ndarray:
    """Return labels R (4, 3) for two questions: all who give this answer in one component,
    and the two other patterns in one each."""
    X = binary_vectors(2)
    is_same = X[:, question] == answer
    other = X[:, 1 - question]
    columns = [is_same, ~is_same & (other == 0), ~is_same & (other == 1)]
    return np.column_stack(columns).astype(float)
