"""Lecture 04c: information observed and missing, the speed and the spread that it explains."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from vbkit.course import forty_bolts as bolts
from vbkit.course import lecture_04c as lecture
from vbkit.course.answers_04c import corrected, fraction_left

# ---- one unknown number --------------------------------------------------------------


def log_density(share, x, distance):
    return np.log(share * norm.pdf(x, distance) + (1 - share) * norm.pdf(x))


@pytest.mark.parametrize("distance", [1.0, 2.0, 4.0])
def test_observed_information_is_how_the_log_likelihood_bends(distance):
    h = 1e-3
    often = lecture.how_often(distance)
    places = (0.3 - h, 0.3, 0.3 + h)
    low, middle, high = (
        often @ log_density(p, lecture.LENGTHS, distance) for p in places
    )
    bend = -(low - 2 * middle + high) / h**2
    fraction = bend * 0.3 * 0.7
    assert 1 - lecture.fraction_missing(distance) == pytest.approx(fraction, rel=1e-4)


@pytest.mark.parametrize("distance", [1.0, 2.0, 4.0])
def test_a_sweep_leaves_the_fraction_missing(distance):
    h = 1e-4
    change = lecture.new_share(0.3 + h, distance) - lecture.new_share(0.3 - h, distance)
    missing = lecture.fraction_missing(distance)
    assert change / (2 * h) == pytest.approx(missing, rel=1e-6)
    shares = lecture.sweeps_from_the_start(distance)
    assert shares[0] == 0.9 and abs(shares[-1] - 0.3) < 2e-3


@pytest.mark.parametrize("distance", [1.0, 2.0, 4.0])
def test_gap_and_spread_tend_to_what_the_fraction_says(distance):
    observed = 1 - lecture.fraction_missing(distance)
    both = lecture.posteriors(10_000, distance)
    assert both.gap == pytest.approx(-0.5 * np.log(observed), abs=0.001)
    assert both.vb_spread / both.exact_spread == pytest.approx(observed**0.5, abs=0.001)


def test_the_two_curves_touch_and_vb_lies_below():
    for number, distance in ((30, 1.0), (100, 2.0), (3000, 5.0)):
        both = lecture.posteriors(number, distance)
        below = np.log(both.exact) - np.log(both.vb) + both.gap
        assert below.min() > -1e-6 and below.min() < 0.002
        step = both.shares[1] - both.shares[0]
        assert step * both.exact.sum() == pytest.approx(1, abs=1e-6)
        assert step * both.vb.sum() == pytest.approx(1, abs=1e-3)


def test_the_exact_posterior_of_forty_bolts_is_an_integral():
    x = bolts.draw_lengths(7)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    shares = (nodes + 1) / 2
    parts = np.outer(shares, norm.pdf(x, 2)) + np.outer(1 - shares, norm.pdf(x))
    joint = np.exp(np.log(parts).sum(axis=1)) * weights / 2
    exact = lecture.exact_posterior(x)
    assert exact.log_evidence == pytest.approx(np.log(joint.sum()), abs=1e-6)
    posterior = joint / joint.sum()
    spread = posterior @ shares**2 - (posterior @ shares) ** 2
    assert exact.spread == pytest.approx(spread**0.5, rel=1e-6)
    assert exact.log_evidence > bolts.top(x).elbo


# ---- several unknown numbers ---------------------------------------------------------


def one_sweep_of_em(numbers, often):
    """EM on ideal bolts: share, right and left mean, right and left width."""
    share, right, left, right_width, left_width = numbers
    x = lecture.LENGTHS
    odds = np.log(share / (1 - share)) + norm.logpdf(x, right, right_width)
    r = expit(odds - norm.logpdf(x, left, left_width))
    new = [often @ r]
    means = []
    for part in (r, 1 - r):
        means.append(often @ (part * x) / (often @ part))
    widths = []
    for part, mean in zip((r, 1 - r), means, strict=True):
        widths.append((often @ (part * (x - mean) ** 2) / (often @ part)) ** 0.5)
    return np.array(new + means + widths)


def test_a_sweep_multiplies_an_error_by_one_minus_the_matrix():
    often = lecture.how_often(2.0)
    truth = np.array([0.3, 2.0, 0.0, 1.0, 1.0])
    assert np.allclose(one_sweep_of_em(truth, often), truth, atol=1e-6)
    h = 1e-5
    columns = []
    for step in h * np.eye(5):
        change = one_sweep_of_em(truth + step, often) - one_sweep_of_em(
            truth - step, often
        )
        columns.append(change / (2 * h))
    told = lecture.information(2.0)
    due = np.eye(5) - np.linalg.solve(told.complete, told.observed)
    assert np.allclose(np.transpose(columns), due, atol=1e-4)


def test_observed_information_is_how_the_log_likelihood_of_five_numbers_bends():
    often = lecture.how_often(2.0)
    truth = np.array([0.3, 2.0, 0.0, 1.0, 1.0])
    h = 1e-3

    def log_likelihoods(numbers):
        share, right, left, right_width, left_width = numbers
        from_right = share * norm.pdf(lecture.LENGTHS, right, right_width)
        from_left = (1 - share) * norm.pdf(lecture.LENGTHS, left, left_width)
        return np.log(from_right + from_left)

    steps = h * np.eye(5)
    bends = np.empty((5, 5, len(lecture.LENGTHS)))
    for i in range(5):
        for j in range(5):
            higher = log_likelihoods(truth + steps[i] + steps[j])
            higher = higher - log_likelihoods(truth + steps[i] - steps[j])
            lower = log_likelihoods(truth - steps[i] + steps[j])
            lower = lower - log_likelihoods(truth - steps[i] - steps[j])
            bends[i, j] = (higher - lower) / (4 * h**2)
    assert np.allclose(-bends @ often, lecture.information(2.0).observed, atol=1e-4)


def test_the_more_is_unknown_the_smaller_is_the_smallest_fraction():
    assert lecture.fractions_observed(2.0, ["share"]) == pytest.approx(
        1 - lecture.fraction_missing(2.0)
    )
    unknown = (["share"], ["share", "means"], ["share", "means", "widths"])
    smallest = [lecture.fractions_observed(2.0, names)[0] for names in unknown]
    assert smallest == sorted(smallest, reverse=True)
    assert np.allclose(smallest, [0.527, 0.0939, 0.00468], rtol=2e-3)
    far = lecture.fractions_observed(9.0)
    assert np.allclose(far, 1, atol=0.02)


# ---- explorers, answers --------------------------------------------------------------


def test_the_explorers_say_what_they_show():
    sure = lecture.HowSure()
    sure.set(bolts=3000, distance=1.0)
    assert "0.43 of it" in sure.status and "0.85 nats below" in sure.status
    slow = lecture.HowSlow()
    slow.set(sweeps=20, distance=1.0)
    assert "left 0.81 of the distance" in slow.status
    slow.set(sweeps=0)
    assert slow.status.startswith("The share is 0.9 and should become 0.3")


def test_answers():
    x = bolts.draw_lengths()
    top = bolts.top(x)
    r = bolts.responsibilities(bolts.counts_at(top.m, top.g), x)
    spread, gap = corrected(top.m, r)
    exact = lecture.exact_posterior(x)
    assert spread == pytest.approx(exact.spread, rel=0.06)
    assert gap == pytest.approx(exact.log_evidence - top.elbo, abs=0.01)
    step = 1e-5
    up = np.mean(x * np.tanh((0.8 + step) * x))
    down = np.mean(x * np.tanh((0.8 - step) * x))
    assert fraction_left(0.8, x) == pytest.approx((up - down) / (2 * step), rel=1e-6)
