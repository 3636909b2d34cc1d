"""Lecture 05b: its solutions are the engine's, an empty component changes no fit, and the
cost of an unknown number is what an integral says."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from vbkit.course import lecture_05b as lecture
from vbkit.course.answers_05b import cost_of_mean, points_needed
from vbkit.course.sato import draw, sato_mixture
from vbkit.learning import fit_batch


@pytest.fixture(scope="module")
def best():
    return lecture.solutions_of_stream(1, 200)


def test_stream_one_begins_with_data_set_a():
    assert np.array_equal(lecture.points_of_stream(1)[:200], draw()["A"])
    assert lecture.points_of_stream(2).shape == (1600, 2)


def test_fit_is_the_part_of_the_elbo_that_an_e_step_returns(best):
    X = lecture.points_of_stream(1)[:200]
    for one in best:
        step = one.mixture.e_step(X, one.S)
        assert one.elbo == pytest.approx(
            step.log_likelihood - step.divergence, abs=0.01
        )
        assert one.fit == pytest.approx(step.log_likelihood, abs=0.01)
        assert one.complexity == pytest.approx(step.divergence)


def test_no_solution_is_worse_than_that_with_an_empty_component(best):
    X = lecture.points_of_stream(1)[:200]
    for fewer, more in zip(best, best[1:], strict=False):
        start = lecture.with_empty(fewer.S)
        fit = fit_batch(more.mixture, X, start, max_epochs=2000, tolerance=1e-3)
        assert more.elbo >= fit.elbo - 1e-6


@pytest.mark.parametrize("stream", lecture.STREAMS)
def test_the_best_number_is_two_at_200_points_and_four_from_800_on(stream):
    numbers = {}
    for size in lecture.SIZES:
        best = lecture.solutions_of_stream(stream, size)
        numbers[size] = lecture.best_number(best)
    assert [numbers[size] for size in (200, 400, 800, 1600)] == [2, 2, 4, 4]
    assert list(numbers.values()) == sorted(numbers.values())


@pytest.mark.parametrize(("bolts", "scale"), [(10, 10), (100, 20)])
def test_the_cost_of_a_setting_is_what_an_integral_says(bolts, scale):
    x = np.random.default_rng(1).normal(0.3, 1.0, bolts)
    average = x.mean()
    highest = norm.logpdf(x, average).sum()

    def likelihood(setting):
        return np.exp(norm.logpdf(x, setting).sum() - highest) / scale

    area, _ = quad(
        likelihood, average - scale / 2, average + scale / 2, points=[average]
    )
    expected = lecture.cost_of_setting(bolts, scale)
    assert -np.log(area) == pytest.approx(expected, abs=1e-6)


def test_the_cost_of_a_mean_is_the_log_evidence_of_a_correlated_gaussian():
    x = np.array([0.4, 2.0, -1.0, 1.5])
    s = 1.7
    covariance = np.eye(4) + s**2
    evidence = multivariate_normal(np.zeros(4), covariance).logpdf(x)
    highest = norm.logpdf(x, x.mean()).sum()
    assert cost_of_mean(x, s) == pytest.approx(highest - evidence)


def test_a_larger_gain_needs_fewer_points():
    sizes = [points_needed(gain, 6, 7.0) for gain in (0.5, 0.2, 0.1)]
    assert sizes == sorted(sizes)
    N = sizes[0]
    assert 0.5 * N > 3 * np.log(N) + 7 and 0.5 * (N - 1) <= 3 * np.log(N - 1) + 7


def test_statuses_and_alternative_texts():
    offer = lecture.OfferComponents()
    offer.set(offered=4)
    assert "components that hold points: 2." in offer.status
    setting = lecture.OneSetting()
    assert setting.status.startswith("1 bolts")
    setting.set(bolts=100)
    assert "holds 40 boxes" in setting.status and "3.69 nats" in setting.status
    more = lecture.MorePoints()
    more.set(points=1600)
    assert "highest for 4 of 5" in more.status
    picture = lecture.picture_of_gains()
    assert "200 points: gain 41, cost 22; 400 points" in picture.alt


def test_an_empty_component_costs_more_with_more_points():
    extra = []
    for size in (200, 1600):
        X = lecture.points_of_stream(1)[:size]
        S = sato_mixture(X, 1, "full covariance", 0.01).m_step(X, np.ones((size, 1)))
        two = sato_mixture(X, 2, "full covariance", 0.01)
        fit = fit_batch(two, X, lecture.with_empty(S), max_epochs=500, tolerance=1e-4)
        assert fit.S[1, 0] < 1
        extra.append(lecture.solutions(X, 1)[0].elbo - fit.elbo)
    assert extra[1] - extra[0] == pytest.approx(np.log(8), abs=0.2)


def test_log_evidence_is_the_sum_of_predictions_from_the_first_point_on():
    X = lecture.points_of_stream(1)[:6]
    mixture = sato_mixture(X, 1, "full covariance", 1.0)
    total = 0.0
    S = np.zeros((1, mixture.width(1)))
    for n in range(len(X)):
        total += mixture.log_predictive(X[n : n + 1], S).item()
        S = mixture.m_step(X[: n + 1], np.ones((n + 1, 1)))
    assert total == pytest.approx(mixture.elbo(X, S))
