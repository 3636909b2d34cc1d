"""Where there are few questions, components can be exchanged without a misfit: other ways to
describe the same frequencies of the answer sheets. For the evidence.

Labels R (n, K) say which share of each answer sheet belongs to each component; the sheets are
those of `binary_vectors`.
"""

from itertools import combinations

import numpy as np
from scipy.optimize import least_squares

from vbkit.data import Truth
from vbkit.families.bernoulli import binary_vectors


def edges_of_cube() -> list[set[int]]:
    """Return the twelve edges of the cube of three questions, as pairs of numbers of
    sheets that differ in one answer."""
    edges = []
    for sheet in range(8):
        for bit in (1, 2, 4):
            if not sheet & bit:
                edges.append({sheet, sheet | bit})
    return edges


def divisions(n_components: int) -> np.ndarray:
    """Return labels (n, 8, K) for three questions: every division of the cube's vertices
    into disjoint edges and the vertices that these leave, K parts at most."""
    found = []
    for number in range(8 - n_components, 5):
        for edges in combinations(edges_of_cube(), number):
            vertices = []
            for sheet in range(8):
                if not any(sheet in edge for edge in edges):
                    vertices.append({sheet})
            if len(vertices) == 8 - 2 * number:  # the edges are disjoint
                R = np.zeros((8, n_components))
                for k, part in enumerate([*edges, *vertices]):
                    R[sorted(part), k] = 1
                found.append(R)
    return np.array(found)


def joint_of_two(parameters, X) -> np.ndarray:
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
    exactly = 1e-15
    while step > 1e-8:
        rest = whole.copy()
        rest[vertex] -= share + step
        rest /= rest.sum()

        def misfit(parameters, rest=rest):
            return joint_of_two(parameters, X).sum(axis=1) - rest

        near = least_squares(misfit, kinds, ftol=exactly, xtol=exactly, gtol=exactly)
        is_possible = near.x.min() > -1e-12 and near.x.max() < 1 + 1e-12
        if rest.min() > 0 and is_possible and np.abs(near.fun).max() < 1e-11:
            kinds = near.x
            share += step
        else:
            step /= 2
    parts = np.zeros((8, 3))
    parts[:, :2] = (1 - share) * np.clip(joint_of_two(kinds, X), 0, None)
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
