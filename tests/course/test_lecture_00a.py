"""Lecture 00a: its explorers show what the engine computes, and its wagers are scored."""

import numpy as np
import pytest
from scipy.stats import norm

from vbkit.course import lecture_00a as lecture
from vbkit.course.bolts import (
    GUESS,
    LENGTHS,
    MACHINE,
    STARTS,
    WEIGHTS,
    every_labelling,
    learn_in_sweeps,
    log_joint,
    mean_and_width,
    statistics,
    two_columns,
    vb,
)
from vbkit.course.wagers import score, wager
from vbkit.learning import fit_batch
from vbkit.mixture import Mixture
from vbkit.theory import log_evidence

BOLTS = Mixture(MACHINE, WEIGHTS)


def test_the_groupings_add_up_to_the_evidence():
    evidence = log_evidence(BOLTS, LENGTHS, 2)
    added = np.logaddexp.reduce(log_joint(LENGTHS, every_labelling()))
    assert np.isclose(added, evidence, rtol=1e-12)


def test_the_moved_bolt_is_placed_by_the_exact_posterior():
    explorer = lecture.MoveABolt()
    for place, chance in ((0.2, 0.40), (0.1, 0.50), (-1.0, 0.98)):
        explorer.set(place=place)
        words = (
            f"A fifth bolt at {place} is from the first bolt's machine: {chance:.2f}. "
        )
        assert explorer.status.startswith(words)
        answer = explorer.compute(place)
        assert answer.x[4] == place and np.isclose(answer.chance[0], 1)


# on purpose
@pytest.mark.filterwarnings("ignore:all 2 components of the start are identical")
@pytest.mark.parametrize("start", STARTS)
def test_the_sweeps_are_those_of_batch_learning(start):
    learning = lecture.PlayTheSweeps().compute(start)
    S = BOLTS.m_step(LENGTHS, two_columns(STARTS[start]))
    middle = len(lecture.PLACES) // 2
    for sweep in (0, 7, 20):
        fit = fit_batch(BOLTS, LENGTHS, S, max_epochs=sweep, tolerance=0)
        density = norm.pdf(0, *mean_and_width(fit.S))
        assert np.allclose(density, learning.densities[sweep, :, middle], rtol=1e-6)
    assert learning.densities.max() < 0.66  # in sight


def test_the_drawn_curves_say_what_vb_says():
    learning = lecture.PlayTheSweeps().compute("the clumsy guess")
    S = BOLTS.m_step(LENGTHS, two_columns(learning.left[-1]))
    left, right = norm.pdf(0.2, *mean_and_width(S))
    assert left / (left + right) == pytest.approx(learning.left[-1, 4], abs=0.005)


def test_the_status_of_the_sweeps_is_true():
    explorer = lecture.PlayTheSweeps()
    explorer.set(sweep=12)
    words = "Sweep 12: the left machine's responsibility for the bolt at 0.2 is 0.07."
    assert explorer.status == words


def test_vb_is_that_of_the_engine():
    start = BOLTS.m_step(LENGTHS, two_columns(GUESS))
    fit = fit_batch(BOLTS, LENGTHS, start, max_epochs=100, tolerance=0)
    expected = BOLTS.responsibilities(LENGTHS, fit.S)
    assert np.allclose(vb(LENGTHS, GUESS), expected, atol=1e-9)
    R, S = learn_in_sweeps(BOLTS, LENGTHS, two_columns(GUESS), 3)
    assert R.shape == (4, 8, 2) and np.allclose(S[2], BOLTS.m_step(LENGTHS, R[2]))


def test_a_width_belongs_to_the_expected_precision():
    S = statistics(LENGTHS, [np.ones(8)])
    mean, width = mean_and_width(S)
    assert mean[0] == pytest.approx(LENGTHS.sum() / 8.1)
    expected = MACHINE.expected(S)[0]  # the last one is minus half the precision
    assert 1 / width[0] ** 2 == pytest.approx(-2 * expected[-1])


def test_the_pictures_show_what_they_are_given():
    exact = np.linspace(1, 0, 8)
    pictures = [
        lecture.picture_of_bolts(),
        lecture.picture_of_groupings(np.full(256, 1 / 256)),
        lecture.picture_of_a_sweep([-0.7, 0.4], [-1.3, 1.0]),
        lecture.picture_of_answers(exact, exact),
        lecture.picture_of_left_machines([-1.7, -1.3, -1.6], [0.6, 0.8, 0.6]),
    ]
    assert len({picture.alt for picture in pictures}) == 5
    assert all(picture.png.startswith(b"\x89PNG") for picture in pictures)


def test_a_wager_is_scored_by_the_logarithm_of_what_came_true():
    assert "70 %" in wager("test-1", 0.7).markdown
    assert "$\\log 0.70=-0.36$" in score("test-1", True).markdown
    assert "$\\log 0.30=-1.20$" in score("test-1", False).markdown
    for probability in (0, 1, 70):
        with pytest.raises(ValueError, match="it must lie between 0 and 1"):
            wager("test-2", probability)
    with pytest.raises(ValueError, match="name was 'test-2'; the wagers so far"):
        score("test-2", True)


def test_the_number_of_machines_changes_between_one_and_two_and_a_half_only():
    explorer = lecture.OfferMachines()
    used = {}
    for concentration in lecture.CONCENTRATIONS:
        starts = [value for _, value in explorer.controls["start"].options]
        ends = [explorer.compute(concentration, start) for start in starts]
        used[concentration] = {end.used for end in ends}
        for end in ends:
            assert end.counts.sum() == pytest.approx(8) and end.counts.max() < 4.4
            # no machine is near the border between empty and held
            assert not ((0.1 < end.counts) & (end.counts < 0.35)).any()
    assert all(number == {2} for a, number in used.items() if a <= 1)
    assert all(number == {5} for a, number in used.items() if a >= 2.5)
    assert all(min(number) >= 3 for a, number in used.items() if a > 1)
    explorer.set(concentration=1.25)
    assert explorer.status == "At concentration 1.25, 3 of the 5 machines hold bolts."
