"""Lecture 00d: its explorers and its counting show what is exactly known and what VB says."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from vbkit.course import lecture_00d as lecture
from vbkit.course import wagers
from vbkit.course.bolts import GUESS, LENGTHS, statistics, vb


def test_sets_of_bolts_that_learn_side_by_side_learn_as_each_alone():
    other = LENGTHS + 0.3 * np.cos(np.arange(8))
    together = lecture.run_vb(np.array([LENGTHS, other]), tolerance=1e-10)
    assert np.allclose(together[0], vb(LENGTHS, GUESS), atol=1e-8)
    assert np.allclose(together[1], vb(other, GUESS), atol=1e-8)


def test_the_two_modes_are_mirror_images_and_all_of_the_posterior():
    density = np.exp(lecture.log_two_modes())
    step = lecture.GRID[1] - lecture.GRID[0]
    assert density.sum() * step**2 == pytest.approx(1, abs=1e-2)
    assert np.allclose(density, density.T)
    i, j = np.unravel_index(density.argmax(), density.shape)
    assert {*np.sign(lecture.GRID[[i, j]])} == {-1, 1}


def test_one_mode_is_closer_than_both_at_every_width():
    explorer = lecture.OneModeOrBoth()
    widths = [value for _, value in explorer.controls["width"].options]
    middle = len(lecture.MEANS) // 2
    on_both = min(explorer.compute(width)[middle] for width in widths)
    on_one = min(explorer.compute(width).min() for width in widths)
    assert on_both == pytest.approx(1.89, abs=0.005)
    assert lecture.HALF < on_one < 0.8 < on_both


def test_the_divergence_of_a_product_is_an_average_under_it():
    divergence = lecture.OneModeOrBoth().compute(0.5)
    centre = np.array([-1.5, 1.5])
    draws = np.random.default_rng(0).normal(centre, 0.5, size=(4000, 2))
    log_q = multivariate_normal.logpdf(draws, centre, 0.25)
    nearest = np.rint((draws + 8) / 0.1).astype(int)
    log_p = lecture.log_two_modes()[nearest[:, 0], nearest[:, 1]]
    place = np.argmin(np.abs(lecture.MEANS + 1.5))
    assert np.mean(log_q - log_p) == pytest.approx(divergence[place], abs=0.05)


def test_the_closest_product_has_the_variance_of_one_unknown_when_one_is_known():
    explorer = lecture.CutADependence()
    for correlation in (0.0, 0.5, 0.9, 0.98):
        cut = explorer.compute(correlation)
        lowest = lecture.TRIED[np.argmin(cut.narrow + cut.misfit)]
        assert lowest == pytest.approx(cut.variance, abs=0.006)
        precision = np.linalg.inv(cut.covariances[0])
        assert np.allclose(1 / np.diag(precision), cut.variance)


def test_the_density_of_a_mean_has_its_mean_and_variance():
    S = statistics(LENGTHS, [np.ones(8)])
    places = np.linspace(-12, 12, 4801)
    density = lecture.density_of_mean(places, S)[:, 0] * (places[1] - places[0])
    of_density = density @ places
    mean, variance = lecture.mean_and_variance(S)
    assert of_density == pytest.approx(mean[0], abs=1e-4)
    assert density @ (places - mean) ** 2 == pytest.approx(variance[0], rel=1e-3)


@pytest.mark.parametrize("seed", (0, 1, 2))
def test_the_exact_answer_is_honest_and_vb_too_sure(seed):
    workshops = lecture.invent_workshops(400, seed)
    assert workshops.truth.shape == workshops.vb.shape == (400, 7)
    sure, right = lecture.sure_and_right(workshops.exact, workshops.truth)
    assert sure == pytest.approx(right, abs=0.04)
    vb_sure, vb_right = lecture.sure_and_right(workshops.vb, workshops.truth)
    assert vb_sure - vb_right > 0.1 and vb_right == pytest.approx(right, abs=0.04)


def test_the_pictures_show_what_they_are_given():
    S = statistics(LENGTHS, [GUESS])
    pictures = [
        lecture.picture_of_left_mean(np.full(256, 1 / 256), S),
        lecture.picture_of_counting((0.8, 0.8), (0.9, 0.8)),
    ]
    assert "VB was 90 % sure and 80 %" in pictures[1].alt
    assert all(picture.png.startswith(b"\x89PNG") for picture in pictures)


def test_the_bar_of_a_unit_compares_sureness_with_what_came_true(monkeypatch):
    monkeypatch.setattr(wagers, "_said", {})
    monkeypatch.setattr(wagers, "_given", {})
    with pytest.raises(ValueError, match="no wager was scored"):
        wagers.were_you_too_sure()
    with pytest.raises(ValueError, match="earlier had 70; each must lie between"):
        wagers.were_you_too_sure([70])
    wagers.wager("test-1", 0.9)
    wagers.score("test-1", False)  # 0.1 to the truth: 90 % sure, and wrong
    picture = wagers.were_you_too_sure([0.7, 0.5])
    assert "3 wagers: you were 70 % sure on average, and right in 50 %" in " ".join(
        picture.alt.split()
    )
