"""The explorers of chapter 08c show what the engine computes; its cheats cost what it says."""

import numpy as np
import pytest
from oracles import close

from vbkit.chapters import three_cheats as chapter
from vbkit.chapters.bernoulli import structures
from vbkit.chapters.three_cheats import answers, example
from vbkit.families import BetaBernoulli
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import coefficient, free_energy_terms


@pytest.mark.parametrize(
    "a, b, total", [(1, 0.1, 100), (0.3, 0.3, 1e4), (3.0, 1.4, 50)]
)
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
    shift = [
        np.log(total) * (example.switch(b, total) - 4 * b) for total in (1e8, 1e10)
    ]
    close(shift[0], shift[1], rtol=0.05)
    assert (shift[0] > 0).all()


def test_what_is_left_when_the_fit_is_taken_away_is_the_price():
    """Prior's part of F: a straight line in log n with the slope of the price."""
    a, b, total = 2.0, 0.1, 1e9
    found = structures.balance(structures.small_vertices, total, a, b, 1e-3)
    prior, x = found["F"] - found["misfit"], np.log(found["sizes"])
    slope = np.polyfit(x[20:], prior[20:], 1)[0]
    close(slope, 2 * structures.limit_price("small vertex", a, b), atol=0.02)
    found = structures.balance(structures.impure, total, 1.0, 0.9, 1e-4)
    prior, x = found["F"] - found["misfit"], np.log(found["sizes"])
    close(np.polyfit(x[20:], prior[20:], 1)[0], 4 * (0.5 - 0.9), atol=0.02)


def test_misfit_is_about_the_square_over_n():
    for make in (structures.small_vertices, structures.impure):
        scaled = []
        for total in (1e4, 1e8):
            R, counts = make(total, np.array([0.0, total**0.5]))
            lost = structures.fit_part(R, counts)
            scaled.append(lost[1] - lost[0])
        assert 0 < scaled[0] and 0.5 < scaled[1] / scaled[0] < 2


def test_the_best_size_follows_the_root_of_n():
    explorer, sizes = chapter.small_vertex(), []
    for power in (4.0, 7.0):
        explorer.set(a=2.0, b=0.1, power=power)
        arrays = explorer.compute(a=2.0, b=0.1, power=power)
        sizes.append(arrays["sizes"][arrays["F"].argmin()])
    assert abs(sizes[0] - 79) < 1 and abs(sizes[1] - 2385) < 1
    explorer = chapter.impurity()
    for power in (6.0, 9.0):
        arrays = explorer.compute(b=1.0, power=power)
        sizes.append(arrays["sizes"][arrays["F"].argmin()])
    assert 20 < sizes[3] / sizes[2] < 45
    for b, power in ((1.2, 9.0), (0.1, 3.0)):
        assert explorer.compute(b=b, power=power)["F"].min() > -30


def test_cut_says_which_is_cheaper():
    explorer = chapter.cut()
    explorer.set(a=3.5, b=0.2, power=6.0)
    assert explorer.status.endswith("Cheaper is the cut.")
    explorer.set(b=0.8)
    assert explorer.status.endswith("Cheaper is the duplicate.")
    before, after = ([0.0] * j + [1.0] * (4 - j) for j in (0, 1))
    whole, halves = (
        coefficient([1], [before], 3, 0.2),
        coefficient([1, 1], [after, after], 3, 0.2),
    )
    close(halves - whole - 3, structures.limit_price("cut", 3, 0.2), atol=1e-12)


def test_the_plane_without_decided_people():
    explorer = chapter.plane_without()
    explorer.set(a=2.0, b=0.1, power=6.0)
    assert "a small vertex; the smallest component holds 1,201" in explorer.status
    explorer.set(a=5.0)
    assert "a part of a mixed kind" in explorer.status


MAKERS = ["cut", "small_vertex", "impurity", "plane_without"]


@pytest.mark.parametrize("make", MAKERS)
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


def test_the_pictures_show_what_the_text_says():
    """The numbers of people in the text, and the answer sheet of the small vertex."""
    assert (
        "350,002 people with 0.20, 0.30, 0.80, 1.00"
        in chapter.found("A", 3.5, 0.2, 1e6).alt
    )
    assert (
        "139 people with 0.00, 0.00, 1.00, 1.00"
        in chapter.found("A", 2.0, 0.1, 1e4).alt
    )
    assert "400,229 people" in chapter.found("B", 2.0, 0.8, 1e6).alt


def test_answers():
    three, two = answers.two_readings(1.0, 0.1)
    close(two - three, 1.0 - 0.4, atol=1e-12)
    half = 0.5 - 3.5 + 0.2 + 1.5
    close(answers.cut_price(4, 1, 3.5, 0.2), 2 * half - (0.5 - 3.5 + 2), atol=1e-12)
    p, n = 0.16, answers.best_size(1e6, 0.16, -1.1)
    misfit = n**2 * (1 - p) / (2 * 1e6 * p)
    close(2 * misfit, 1.1, atol=1e-12)  # n times the slope is zero
