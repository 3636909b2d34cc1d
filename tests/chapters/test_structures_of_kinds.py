"""What chapter 08c shares with the evidence: prices are differences of F, and what is found
is what the theory predicts."""

import numpy as np
import pytest
from oracles import close

from vbkit.chapters.bernoulli import phases, pictures, structures
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.data import Truth
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import free_energy_terms, predict, switch_concentration


@pytest.mark.parametrize("truth", ["A", "B"])
def test_extra_costs_are_differences_of_the_free_energy(truth):
    a, b, total = np.array([0.7, 3.0]), np.array([0.1, 0.9]), 1e4
    counts = total * TRUTHS[truth].probabilities()
    costs = structures.extra_costs(truth, total, a, b)

    def F(R, a, b):
        mixture = Mixture(BetaBernoulli(4, b), Dirichlet(a))
        return free_energy_terms(mixture, binary_vectors(4), R, counts).sum()

    empty = structures.of_truth(truth)
    for kind, R in structures.structures(truth, total).items():
        for i, j in np.ndindex(2, 2):
            lowest = min(F(some, a[i], b[j]) for some in R) - F(empty, a[i], b[j])
            close(costs[kind][i, j], lowest, atol=1e-6)


def test_divisions_of_the_cube_hold_every_pattern_once_and_no_two_are_alike():
    """A cube has 9 sets of four disjoint edges, and 44 of three."""
    X = binary_vectors(3)
    for n_components, number in ((4, 9), (5, 9 + 44)):
        R = structures.divisions(n_components)
        assert R.shape == (number, 8, n_components)
        assert (R.sum(axis=2) == 1).all() and (R.sum(axis=1) <= 2).all()
        assert len({tuple(sorted(map(tuple, some.T))) for some in R}) == number
        of_two = [
            X[column == 1] for some in R for column in some.T if column.sum() == 2
        ]
        assert all((one != other).sum() == 1 for one, other in of_two)


@pytest.mark.parametrize("kind, k", [("interior", 0), ("deterministic", 1)])
def test_the_border_at_finite_n_is_that_of_two_copies(kind, k):
    total, b = 1e5, 0.3
    counts = total * TRUTHS["B"].probabilities()
    S = (structures.of_truth("B", 0) * counts[:, None]).T @ structures.STATISTICS
    a = switch_concentration(BetaBernoulli(4, b), S[k])
    assert abs(structures.extra_costs("B", total, a, b)[kind].item()) < 1e-5


def test_prices_in_the_limit_are_slopes_of_the_exact_ones():
    a, b = 1.7, 0.2
    for truth in "AB":
        low, high = (structures.extra_costs(truth, N, a, b) for N in (1e9, 1e12))
        for kind in low:
            slope = (high[kind] - low[kind]).item() / np.log(1e3)
            close(slope, structures.limit_price(kind, a, b), atol=0.01)


@pytest.mark.parametrize("truth", ["A", "B"])
def test_the_fates_found_are_those_predicted_and_drawn(truth):
    for a, b in ((0.4, 0.3), (3.6, 0.2), (2.0, 0.1), (4, 0.9), (1, 0.8)):
        total = 1e8
        S, _, _ = phases.lowest_minimum(truth, 3, total, a, b)
        found = phases.fate(truth, S, total)
        assert found == predict(4, 3, *pictures.KINDS[truth], a, b).redundant[0]
        costs = structures.extra_costs(truth, total, a, b)
        cheapest = min(
            {"empty": 0.0} | costs, key=lambda kind: ({"empty": 0.0} | costs)[kind]
        )
        assert found == cheapest
        outlines = phases.regions(truth, total)
        inside = [kind for kind, xy in outlines.items() if _contains(xy, a, b)]
        assert inside == [kind for kind in [found] if kind != "empty"]


def _contains(outline, a, b):
    from matplotlib.path import Path

    return Path(outline).contains_point((a, b))


def test_states_of_components():
    S = np.array(
        [
            [6000, 3000, 3000, 3000, 3000],  # (count, ones, zeros), M = 2
            [3900, 3900, 0, 3000, 900],
            [3000, 3000, 0, 0, 3000],
            [90, 1, 89, 90, 0],
            [5, 2, 3, 3, 2],
        ],
        dtype=float,
    )[:, [0, 1, 3, 2, 4]]
    found = phases.component_states(S, 1e4)
    assert found == [
        "interior",
        "partly pinned",
        "deterministic",
        "small vertex",
        "empty",
    ]
    assert set(found) == set(phases.STATES)


def test_a_vertex_beside_two_kinds_leaves_the_patterns_as_they_are():
    truth = Truth([0.5, 0.5], [[0.2, 0.3, 0.8], [0.8, 0.6, 0.35]])
    p = truth.probabilities()
    X = binary_vectors(3)
    for vertex in (1, 4):
        share, R = structures.with_a_vertex(truth, vertex)
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
            R = structures.edge_and_vertices(question, answer)
            assert (R.sum(axis=1) == 1).all()
            assert R.sum(axis=0).tolist() == [2, 1, 1]
