"""Lecture 04a: its hill is the engine's, gradients are differences, a sweep is a natural
gradient, and its explorers show what it computes."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import digamma, gammaln, polygamma

from vbkit.course import forty_bolts as bolts
from vbkit.course import lecture_04a as lecture
from vbkit.course.answers_04a import VISITS, visits_step

X = bolts.draw_lengths()


def differences(function, point, h=1e-5):
    steps = h * np.eye(len(point))
    return np.array(
        [(function(point + d) - function(point - d)) / (2 * h) for d in steps]
    )


def test_the_elbo_is_an_average():
    S = np.array([3.2, 0.8])
    r = bolts.responsibilities(S, X)
    posterior = stats.beta(*(1 + S))
    fits = stats.norm.logpdf(X, [[2.0], [0.0]])
    log_share = quad(lambda p: np.log(p) * posterior.pdf(p), 0, 1)[0]
    log_rest = quad(lambda p: np.log(1 - p) * posterior.pdf(p), 0, 1)[0]
    expected = r @ (fits[0] + log_share - np.log(r))
    expected += (1 - r) @ (fits[1] + log_rest - np.log1p(-r)) + posterior.entropy()
    assert bolts.elbo(S, X) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("m, g", [(0.7, 6.0), (0.2, 40.0), (0.5, 90.0)])
@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_gradients_are_differences_of_the_elbo(m, g, unit):
    S = bolts.counts_at(m, g)
    in_counts = differences(lambda place: bolts.elbo(place, X), S)
    assert np.allclose(bolts.gradient(S, X), in_counts, rtol=1e-5, atol=1e-6)

    def height(place):
        return bolts.elbo(bolts.counts_at(unit * place[0], place[1]), X)

    on_map = differences(height, np.array([m / unit, g]))
    assert np.allclose(bolts.slope_at(m, g, X, unit), on_map, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("m, g", [(0.7, 6.0), (0.2, 40.0), (0.5, 90.0)])
def test_no_step_of_the_same_divergence_rises_more_than_the_way_of_the_sweep(m, g):
    S = bolts.counts_at(m, g)
    root = np.linalg.cholesky(bolts.fisher(S)).T
    angles = np.linspace(0, 2 * np.pi, 721)
    steps = 1e-3 * np.linalg.solve(root, [np.cos(angles), np.sin(angles)])
    far = [bolts.divergence(S, S + step) for step in steps.T]
    assert np.allclose(far, 0.5e-6, rtol=0.02)
    rises = bolts.elbo(S[:, None] + steps, X) - bolts.elbo(S[:, None] - steps, X)
    best = steps[:, rises.argmax()]
    sweep = bolts.one_sweep(S, X) - S
    correlation = best @ bolts.fisher(S) @ sweep / 1e-3 / np.hypot(*(root @ sweep))
    assert correlation == pytest.approx(1, abs=1e-4)


def test_the_fisher_matrix_is_a_covariance_and_gives_small_divergences():
    S = np.array([1.5, 3.0])
    share = stats.beta(*(1 + S)).rvs(200_000, random_state=np.random.default_rng(1))
    G = bolts.fisher(S)
    assert np.allclose(G, np.cov(np.log([share, 1 - share])), atol=0.01)
    step = np.array([0.002, -0.001])
    assert bolts.divergence(S, S + step) == pytest.approx(step @ G @ step / 2, rel=0.01)


def test_places_and_counts_are_inverse():
    S = np.array([3.2, 0.8])
    assert np.allclose(bolts.place_of(S), [0.7, 6.0])
    assert np.allclose(bolts.counts_at(*bolts.place_of(S)), S)


def test_the_top_is_where_a_sweep_changes_nothing():
    highest = bolts.top(X)
    S = bolts.counts_at(highest.m, highest.g)
    assert np.allclose(bolts.one_sweep(S, X), S)
    assert np.allclose(bolts.gradient(S, X), 0, atol=1e-8)
    assert highest.elbo == pytest.approx(bolts.elbo(S, X))


@pytest.mark.parametrize("size", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("m, g", [(0.7, 6.0), (0.1, 80.0), (0.85, 3.0)])
def test_no_step_up_to_size_one_lowers_the_elbo(size, m, g):
    S = bolts.counts_at(m, g)
    for _ in range(20):
        higher = S + size * (bolts.one_sweep(S, X) - S)
        assert bolts.elbo(higher, X) > bolts.elbo(S, X) - 1e-9
        S = higher


def test_a_sweep_covers_about_half_of_the_way_to_the_top():
    S = bolts.one_sweep(bolts.counts_at(0.7, 6.0), X)
    for _ in range(4):
        new = bolts.one_sweep(S, X)
        left, before = (bolts.place_of(place)[0] - lecture.TOP.m for place in (new, S))
        assert left / before == pytest.approx(0.55, abs=0.05)
        S = new


def test_steps_of_the_same_divergence_rise_most_in_the_direction_of_the_sweep():
    turned = lecture.TurnTheStep().compute(360)
    far = [bolts.divergence(lecture.PLACE, lecture.PLACE + d) for d in turned.steps.T]
    assert np.allclose(far, lecture.REACH**2 / 2, rtol=0.02)
    sweep = bolts.one_sweep(lecture.PLACE, lecture.THREE) - lecture.PLACE
    degrees = np.degrees(np.arctan2(sweep[1], sweep[0]))
    assert turned.rises.argmax() == pytest.approx(degrees, abs=1)
    expected = 1000 * sweep @ bolts.fisher(lecture.PLACE) @ turned.steps
    assert np.allclose(turned.rises, expected, atol=0.1)
    assert (
        np.abs(turned.steps).max() < 0.045 and np.abs(turned.rises).max() < 4
    )  # in sight


def test_hikers_part_as_the_unit_becomes_smaller():
    hikers = lecture.TwoHikers()
    angles = [hikers.compute(unit).angle for unit in lecture.UNITS]
    assert angles == sorted(angles) and angles[0] < 0.01
    walks = hikers.compute(0.01)
    way = bolts.slope_at(*lecture.START, lecture.X, 0.01) * [0.01, 1]
    first = walks.second[1] - walks.second[0]
    scale = np.array([lecture.BOLT, 1.0])
    way = way / scale / np.hypot(*(way / scale))
    first = first / scale / np.hypot(*(first / scale))
    assert np.allclose(way, first, atol=0.02)
    for walk in (walks.first, walks.second):
        S = bolts.counts_at(*walk.T)
        assert np.all(np.diff(bolts.elbo(S, lecture.X)) > 0)
        drawn = np.hypot(*(np.diff(walk, axis=0) / scale).T).sum()
        assert np.isclose(drawn, lecture.WALK, rtol=1e-3)


def visits_elbo(a, b, x):
    of_rate = x * (digamma(a) - np.log(b)) - a / b
    fit = np.logaddexp(of_rate, -1.0) + np.log(0.5) - gammaln(x + 1)
    moved = (a - 1) * digamma(a) - gammaln(a) + np.log(b) + a * (1 - b) / b
    return fit.sum() - moved


@pytest.mark.parametrize(
    "a, b, size", [(2.0, 1.0, 1.0), (6.0, 1.5, 0.5), (12.0, 3.0, 1.3)]
)
def test_the_step_of_exercise_2_is_a_natural_gradient_step(a, b, size):
    slope = differences(lambda p: visits_elbo(*p, VISITS), np.array([a, b]))
    fisher = np.array([[polygamma(1, a), -1 / b], [-1 / b, a / b**2]])
    expected = np.array([a, b]) + size * np.linalg.solve(fisher, slope)
    assert np.allclose(visits_step(a, b, VISITS, size), expected, rtol=1e-6)


def test_status_lines_say_what_there_is_to_see():
    hikers = lecture.TwoHikers()
    hikers.set(unit=0.01)
    assert "differ by 60 degrees" in hikers.status
    turn = lecture.TurnTheStep()
    turn.set(direction=90)
    assert turn.status.endswith("The ELBO changes by -1.9 thousandths of a nat.")
