"""The explorers of chapter 08b show what the engine computes; its prices are those of F."""

import numpy as np
import pytest
from oracles import close

from vbkit import plots
from vbkit.chapters import phase_diagram as chapter
from vbkit.chapters.bernoulli import phases, pictures, structures
from vbkit.chapters.phase_diagram import answers
from vbkit.chapters.phase_diagram.costs import leftover
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
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


def test_three_fates_and_no_other_at_a_thousand():
    explorer = chapter.redundant_component()
    for values, words in (
        ({}, "empty"),
        ({"a": 4.0, "b": 0.8}, "a mixed duplicate"),
        ({"a": 2.0, "b": 0.1}, "a black-and-white duplicate"),
    ):
        explorer.set(**values)
        assert explorer.status.endswith(f"is {words}.")
    for a in np.arange(0.4, 6.1, 0.8):
        for b in np.arange(0.1, 1.21, 0.2):
            S = phases.lowest_minimum("B", 3, 1000.0, round(a, 1), round(b, 2))[0]
            kind = phases.fate("B", S, 1000.0)
            border = a > 2.5 and 0.3 < b < 0.5
            assert (
                kind in ("empty", "interior", "deterministic")
                or border
                and kind == "cut"
            )


def test_the_plane_says_what_is_found_and_what_is_to_come():
    explorer = chapter.phase_plane()
    explorer.set(a=1.2, b=0.1, power=3.0)
    assert "component empty" in explorer.status
    assert "With ever more data: a black-and-white duplicate" in explorer.status
    explorer.set(power=4.0)
    assert "component a black-and-white duplicate" in explorer.status


def test_prices_stay_on_the_picture_and_cross_where_the_text_says():
    explorer = chapter.price_list()
    explorer.set(a=0.9, b=0.1)
    assert abs(structures.limit_price("deterministic", 0.9, 0.1)) < 1e-12
    costs = [
        structures.extra_costs("B", 1e3, a, 0.1)["deterministic"].item()
        for a in (1.2, 1.3)
    ]
    assert costs[0] > 0 > costs[1] or abs(costs[1]) < 0.3
    for a, b in ((0.1, 1.2), (4.0, 0.02), (4.0, 1.2), (0.1, 0.02)):
        for power in (2, 9):
            costs = structures.extra_costs("B", 10.0**power, a, b).values()
            assert all(
                -4.2 < cost.item() / (power * np.log(10)) < 5.2 for cost in costs
            )


def test_the_leftover_of_a_log_gamma():
    n = 10.0 ** np.array([3, 6, 9])
    for b in (0.05, 0.5, 1.5):
        line = (0.5 - b) * np.log(n)
        close(leftover(b, n) - line, -np.log(2 * np.pi) / 2, atol=2e-3)
    explorer = chapter.one_term()
    explorer.set(b=0.5)
    assert "dashed line is at 0.00" in explorer.status


@pytest.mark.parametrize(
    "make", ["redundant_component", "price_list", "one_term", "phase_plane"]
)
def test_pictures_and_words_follow_the_controls(make):
    explorer = getattr(chapter, make)()
    first = explorer.png, explorer.status
    name, control = list(explorer.controls.items())[-1]
    explorer.set(**{name: control.options[-1][1]})
    assert (
        explorer.error is None
        and explorer.png != first[0]
        and explorer.status != first[1]
    )


def test_a_component_is_empty_where_the_prior_of_the_weights_is_small():
    for place, empty in (((1.0, 1.0), [False, False, True]), ((4.0, 0.8), [False] * 3)):
        S = phases.lowest_minimum("B", 3, 1000.0, *place)[0]
        states = phases.component_states(S, 1000.0)
        assert [state == "empty" for state in states] == empty


@pytest.mark.parametrize("power", range(2, 10))
def test_the_name_of_the_strip_leads_into_it(power):
    _, (ax,) = plots.figure()
    line, strip = pictures.setup_strip_name(ax), phases.regions("B", 10.0**power)["cut"]
    pictures.lead_to_strip(line, strip)
    assert _contains(strip, *line.get_xydata()[1])


def test_drawings():
    _, (ax, other) = plots.figure(ncols=2)
    pictures.draw_lines(ax, "A")
    assert {"small\nvertex", "half of a cut", "empty"} <= {
        text.get_text() for text in ax.texts
    }
    means, names = np.linspace(0, 1, 8).reshape(2, 4), ["0.1", "0.2"]
    pictures.draw_columns(other, means, names, empty=[False, True])
    first, second = other.collections
    close(second.get_array().ravel(), means[1])
    corners = first.get_coordinates()
    assert corners.shape == (5, 2, 2) and other.get_aspect() == 1
    close(np.ptp(corners[:2, :, 0]), np.ptp(corners[:2, :, 1]))  # squares
    (block,) = other.patches
    assert (block.get_x(), block.get_width()) == (0.6, 0.8)
    assert block.get_hatch() == pictures.EMPTY["hatch"]
    assert [label.get_text() for label in other.get_xticklabels()] == names


def test_answers():
    for total, b in ((1e3, 0.1), (1e6, 0.4)):  # by two copies of the decided kind alone
        decided = np.array([0.4, 0.4, 0.4, 0, 0, 0, 0, 0.4, 0.4]) * total
        a = switch_concentration(BetaBernoulli(4, b), decided)
        close(answers.worth_from(total, b), a, rtol=1e-6)
    assert (
        answers.border(1.3, 4) == pytest.approx(0.2) and answers.border(9.0, 4) == 0.5
    )
    assert answers.corner(4, 2) == (2.5, 0.5)
