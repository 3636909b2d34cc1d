"""The explorers of notebook 08 show what the engine computes; answers are formulas."""

import numpy as np
import pytest
from oracles import close

from vbkit import plots
from vbkit.binary import binary_vectors
from vbkit.chapters.phase_diagram import answers, example, phases, pictures
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.families import BetaBernoulli, Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import entropy, free_energy_terms, predict, solve, structured_starts


@pytest.mark.parametrize("a, b, total", [(1, 0.1, 100), (0.3, 0.3, 1e4), (3.0, 1.4, 50)])
def test_path_is_the_free_energy_along_the_ties(a, b, total):
    X = np.array([[1, 1, 0], [0, 1, 1], [0, 1, 0]])
    mixture = Mixture(BetaBernoulli(3, b), Dirichlet(a))

    def F(s):
        R = np.array([[1, 0, 0], [0, 1, 0], [s, 0, 1 - s]])
        return free_energy_terms(mixture, X, R, total * example.SHARES).sum()

    given = np.array([0, 0.2, 0.7, 1])
    ours = example.free_energy_of_ties(a, b, total, given)
    close(ours - ours[0], [F(s) - F(0) for s in given], atol=1e-9)


def test_switch_is_where_both_hard_assignments_cost_the_same():
    b = np.array([0.05, 0.2, 0.4])
    for total in (1e2, 1e6):
        a = example.switch(b, total)
        close(
            example.free_energy_of_ties(a, b, total, 0.0),
            example.free_energy_of_ties(a, b, total, 1.0),
            atol=1e-6 * total**0.5,
        )
    shift = [np.log(total) * (example.switch(b, total) - 4 * b) for total in (1e8, 1e10)]
    close(shift[0], shift[1], rtol=0.05)
    assert (shift[0] > 0).all()


def test_the_phases_found_are_those_predicted():
    names = {"cut": "partly pinned"}
    for truth, a, b in [
        ("B", 0.4, 0.3),
        ("B", 3, 0.1),
        ("B", 4, 0.9),
        ("A", 1, 0.8),
        ("A", 2, 0.1),
        ("A", 4, 0.9),
    ]:
        shown = phases.compute(a, b, 8.0, 3, truth)
        (expected,) = predict(4, 3, *pictures.KINDS[truth], a, b).redundant
        least = shown["states"].copy()
        for own in ("interior",) * pictures.KINDS[truth][0] + ("deterministic",) * pictures.KINDS[
            truth
        ][1]:
            least.remove(own)
        assert least == [names.get(expected, expected)]
        assert shown["phase"].redundant == (expected,)


def test_what_is_shown_is_the_lowest_minimum():
    shown = phases.compute(2.0, 0.1, 4.0, 4, "A")
    counts = 1e4 * TRUTHS["A"].probabilities()
    every = solve(counts, structured_starts(TRUTHS["A"], 4, 1e4)[1], 2.0, 0.1, max_iterations=400)
    close(shown["normalized"], every.free_energy.min() - 1e4 * entropy(TRUTHS["A"].probabilities()))
    assert (np.diff(shown["S"][:, 0]) <= 0).all()
    mixture = Mixture(BetaBernoulli(4, 0.1), Dirichlet(2.0))
    close(-mixture.elbo(binary_vectors(4), shown["S"], counts), every.free_energy.min())


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
    assert found == ["interior", "partly pinned", "deterministic", "small vertex", "empty"]
    assert set(found) == set(phases.STATES)


@pytest.mark.parametrize("make, first, second", [
    (phases.explorer, {"a": 4.0, "b": 0.8}, {"truth": "A", "n_components": 5}),
    (example.explorer, {"a": 0.3}, {"power": 9.0, "b": 0.3}),
])  # fmt: skip
def test_pictures_and_words_follow_the_controls(make, first, second):
    explorer = make()
    pictures = {explorer.png}
    words = {explorer.status}
    for values in (first, second):
        explorer.set(**values)
        pictures.add(explorer.png)
        words.add(explorer.status)
    assert explorer.error is None and len(pictures) == len(words) == 3


def test_the_example_says_who_wins():
    explorer = example.explorer()
    explorer.set(a=1.0, b=0.1, power=6.0)
    assert "VB uses 3 components" in explorer.status and "three clusters win" in explorer.status
    explorer.set(a=0.2, b=0.3)
    assert "VB uses 2 components" in explorer.status and "two clusters win" in explorer.status


def test_drawings():
    _, (ax, other) = plots.figure(ncols=2)
    shown = pictures.draw_phases(ax, "A")
    assert {"small vertex", "cut", "empty"} <= {text.get_text() for text in ax.texts} and len(
        shown
    ) == 3 + 4 + 4 + 1
    strips = np.linspace(0, 1, 24).reshape(2, 3, 4)
    empty = np.array([[True, True, False], [False, True, False]])
    pictures.draw_strips(other, strips, [0.1, 0.2], empty=empty)
    assert [(p.get_y(), p.get_height()) for p in other.patches] == [(-0.5, 2), (0.5, 1)]
    picture = other.images[0].get_array()
    assert picture.shape == (3, 10) and picture.mask[:, [4, 9]].all()
    close(picture[0, 5:9], strips[1, 0])


def test_answers():
    assert abs(answers.smallest_exponent(TRUTHS["A"], 3, 1e8, 2.0, 0.1) - 0.5) < 0.05
    assert answers.smallest_exponent(TRUTHS["B"], 3, 1e8, 0.4, 0.3) < 0.05
