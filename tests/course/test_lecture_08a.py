"""Lecture 08a: its prices are differences of the engine's F, its slopes those of the prices,
and the outcomes change where the lecture says."""

import numpy as np
import pytest

from vbkit.course import lecture_08a as lecture
from vbkit.course import people
from vbkit.course.answers_08a import enough_people, slope_of_copy
from vbkit.families import BetaBernoulli
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import free_energy_terms, predict

PRIORS = [(1.0, 1.0), (2.0, 0.1), (4.0, 0.6), (0.3, 0.45)]


def responsibilities(outcome: str) -> np.ndarray:
    """The responsibilities (16, 3) of an outcome in which nobody holds others' people."""
    joint = people.KINDS.joint(people.SHEETS)
    R = np.zeros((16, 3))
    R[:, :2] = joint / joint.sum(axis=1, keepdims=True)
    if outcome != "empty":
        k = ("mixed", "deterministic").index(outcome)
        R[:, k] /= 2
        R[:, 2] = R[:, k]
    return R


@pytest.mark.parametrize(("concentration", "pseudo_count"), PRIORS)
def test_exact_prices_are_differences_of_the_free_energy(concentration, pseudo_count):
    mixture = Mixture(BetaBernoulli(4, pseudo_count), Dirichlet(concentration))
    F = {}
    for outcome in ("empty", "mixed", "deterministic"):
        R = responsibilities(outcome)
        counts = people.sheets_handed_in(1000)
        F[outcome] = free_energy_terms(mixture, people.SHEETS, R, counts).sum()
    prices = people.exact_prices(1000, concentration, pseudo_count)
    for outcome, price in prices._asdict().items():
        assert price == pytest.approx(F[outcome] - F["empty"], abs=1e-6)


@pytest.mark.parametrize(("concentration", "pseudo_count"), PRIORS)
def test_slopes_are_those_of_the_exact_prices(concentration, pseudo_count):
    low = people.exact_prices(1e9, concentration, pseudo_count)
    high = people.exact_prices(1e12, concentration, pseudo_count)
    rise = (np.array(high) - np.array(low)) / np.log(1e3)
    slopes = people.slopes(concentration, pseudo_count)
    assert np.allclose(rise, slopes, atol=0.01)


@pytest.mark.parametrize(
    ("prior", "outcome"),
    [
        ((1.0, 1.0), "empty"),
        ((2.0, 0.1), "deterministic"),
        ((4.0, 0.6), "mixed"),
        ((4.0, 0.45), "part"),
    ],
)
def test_outcomes(prior, outcome):
    end = people.lowest_end(1000.0, *prior)
    assert end.outcome == outcome
    assert end.counts.sum() == pytest.approx(1000)
    explorer = lecture.RedundantComponent()
    explorer.set(concentration=prior[0], pseudo_count=prior[1])
    assert people.OUTCOMES[outcome] in explorer.status


def test_the_first_component_is_mixed_and_the_second_deterministic():
    for prior in PRIORS:
        end = people.lowest_end(1000.0, *prior)
        answers = end.answers(prior[1])
        assert np.allclose(answers[0], people.MIXED, atol=0.03)
        assert np.allclose(answers[1], people.DETERMINISTIC, atol=0.03)


def test_the_redundant_component_changes_between_1_3_and_1_4_and_nowhere_else():
    """The phase transition, in the explorer's own numbers at the pseudo-count 0.1."""
    explorer = lecture.RedundantComponent()
    held = []
    for concentration in lecture.CONCENTRATIONS:
        held.append(explorer.compute(float(concentration), 0.1).counts[2])
    jumps = np.abs(np.diff(held))
    assert lecture.CONCENTRATIONS[jumps.argmax()] == 1.3
    assert jumps.max() == pytest.approx(200, abs=0.1)
    assert np.delete(jumps, jumps.argmax()).max() < 0.1
    drawn = [end.counts[2] for end in lecture.ends_along(0.1)]
    assert np.allclose(held, drawn)


def test_the_third_component_is_covered_only_where_it_is_empty():
    explorer = lecture.RedundantComponent()
    for prior, width in (((1.0, 1.0), 3.98), ((2.0, 0.1), 0), ((1.0, 0.5), 3.98)):
        explorer.set(concentration=prior[0], pseudo_count=prior[1])
        covers = [one for one in explorer.figure.axes[1].patches if one.get_hatch()]
        assert [cover.get_width() for cover in covers] == [width]


def test_the_price_of_the_explorer_changes_its_sign_there():
    explorer = lecture.SlopesAndPrices()
    at = {}
    for concentration in (1.3, 1.4):
        at[concentration] = explorer.compute(concentration).exact.deterministic
    assert at[1.3] > 0 > at[1.4]
    assert people.exact_prices(1e6, 1.1, 0.1).deterministic < 0


def test_for_very_many_people_the_outcomes_are_those_of_the_theory():
    for concentration, pseudo_count in [*PRIORS, (1.2, 0.1), (3.6, 0.2)]:
        end = people.lowest_end(1e8, concentration, pseudo_count)
        predicted = predict(4, 3, 1, 1, concentration, pseudo_count).redundant[0]
        assert end.outcome == predicted.replace("interior", "mixed")


def test_vb_prices_are_exact_prices_for_a_small_pseudo_count():
    assert np.allclose(
        people.prices_of_vb(1000.0, 2.0, 0.1),
        people.exact_prices(1000, 2.0, 0.1),
        atol=1e-3,
    )


def test_slopes_of_mixed_and_deterministic_copies_are_ends_of_exercise_1():
    slopes = people.slopes(1.7, 0.2)
    assert slope_of_copy(4, 0, 1.7, 0.2) == pytest.approx(slopes.mixed)
    assert slope_of_copy(4, 4, 1.7, 0.2) == pytest.approx(slopes.deterministic)


def test_enough_people_is_where_the_price_changes_its_sign():
    N = enough_people(1.1, 0.1)
    assert people.exact_prices(N, 1.1, 0.1).deterministic < 0
    assert people.exact_prices(N / 10, 1.1, 0.1).deterministic > 0
    assert enough_people(0.9, 0.1) == 0


def test_statuses_and_alternative_texts():
    explorer = lecture.SlopesAndPrices()
    assert "1,000 people: deterministic copy -3.1, mixed copy +7.1" in explorer.status
    assert "The lowest: deterministic copy." in explorer.status
    explorer.set(concentration=1.1)
    assert "The lowest: leave it empty." in explorer.status
    assert explorer.status.endswith("Slopes: -0.2 and +1.4.")
    assert "Up to 1.3 the second holds 400" in " ".join(
        lecture.picture_of_change().alt.split()
    )


def test_unequal_copies_of_the_deterministic_kind_are_dearer_than_one_of_the_two_ends():
    for concentration in (1.2, 1.31, 1.4, 2.0):
        prices = []
        for held in np.arange(0, 201):
            prices.append(lecture.price_of_division(held, concentration))
        halves = people.exact_prices(1000, concentration, 0.1).deterministic
        assert prices[0] == pytest.approx(0, abs=1e-9)
        assert prices[-1] == pytest.approx(halves)
        assert min(prices[1:-1]) > min(0, halves)


def test_the_hill_is_drawn_with_its_summit():
    alt = " ".join(lecture.picture_of_hill().alt.split())
    assert "rises from 0 to 1.49 at 0.7 of a person" in alt
    assert "falls to -0.20 at two equal halves" in alt
