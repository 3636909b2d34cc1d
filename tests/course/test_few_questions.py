"""Other ways to describe the frequencies of few answer sheets: they hold every sheet once, and
need no misfit."""

import numpy as np
import pytest

from vbkit.course import few_questions
from vbkit.data import Truth
from vbkit.families.bernoulli import binary_vectors


def test_divisions_of_the_cube_hold_every_pattern_once_and_no_two_are_alike():
    """A cube has 9 sets of four disjoint edges, and 44 of three."""
    X = binary_vectors(3)
    for n_components, number in ((4, 9), (5, 9 + 44)):
        R = few_questions.divisions(n_components)
        assert R.shape == (number, 8, n_components)
        assert (R.sum(axis=2) == 1).all() and (R.sum(axis=1) <= 2).all()
        assert len({tuple(sorted(map(tuple, some.T))) for some in R}) == number
        of_two = [
            X[column == 1] for some in R for column in some.T if column.sum() == 2
        ]
        assert all((one != other).sum() == 1 for one, other in of_two)


def test_a_vertex_beside_two_kinds_leaves_the_patterns_as_they_are():
    truth = Truth([0.5, 0.5], [[0.2, 0.3, 0.8], [0.8, 0.6, 0.35]])
    p = truth.probabilities()
    X = binary_vectors(3)
    for vertex in (1, 4):
        share, R = few_questions.with_a_vertex(truth, vertex)
        assert 0.01 < share < 0.1
        held = R * p[:, None]
        assert held[:, 2].sum() == pytest.approx(share)
        assert held[vertex, 2] == pytest.approx(share)
        fitted = np.zeros(8)
        for k in (0, 1):  # answers are independent within each kind
            n = held[:, k].sum()
            means = held[:, k] @ X / n
            fitted += n * np.where(X == 1, means, 1 - means).prod(axis=1)
        fitted[vertex] += share
        assert np.allclose(fitted, p, atol=1e-7)
        kinds = held[:, :2].T @ X / held[:, :2].sum(axis=0)[:, None]
        assert np.minimum(kinds, 1 - kinds).min() < 1e-6  # one answer never varies


def test_an_edge_and_two_vertices_hold_every_pattern_once():
    for question in (0, 1):
        for answer in (0, 1):
            R = few_questions.edge_and_vertices(question, answer)
            assert (R.sum(axis=1) == 1).all()
            assert R.sum(axis=0).tolist() == [2, 1, 1]
