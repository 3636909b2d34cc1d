"""The coin agrees with the engine and with differences; its explorers show what it computes."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import digamma, gammaln, polygamma

from vbkit.chapters import coin
from vbkit.chapters import natural_gradient as chapter
from vbkit.chapters.natural_gradient import answers, hill, share, stretch

X = coin.readings()
EXPLORERS = [chapter.fog, chapter.climbers, chapter.stretched_map, chapter.blur]


def differences(function, point, h=1e-5):
    steps = h * np.eye(len(point))
    return np.array(
        [(function(point + d) - function(point - d)) / (2 * h) for d in steps]
    )


def test_the_elbo_is_an_expectation_minus_a_divergence():
    a, b, r = 4.2, 1.8, coin.judge(4.2, 1.8, X)
    belief, terms = stats.beta(a, b), stats.norm.logpdf(X, [[0.0], [2.0]])
    log_g = quad(lambda g: np.log(g) * belief.pdf(g), 0, 1)[0]
    log_not_g = quad(lambda g: np.log(1 - g) * belief.pdf(g), 0, 1)[0]
    expected = r @ (terms[1] + log_g - np.log(r)) + (1 - r) @ (
        terms[0] + log_not_g - np.log1p(-r)
    )
    assert coin.elbo(a, b, X) == pytest.approx(expected + belief.entropy(), rel=1e-7)


@pytest.mark.parametrize("mean, size", [(0.7, 6.0), (0.2, 40.0), (0.5, 90.0)])
def test_gradients_are_differences_of_the_elbo(mean, size):
    counts = np.array(coin.counts(mean, size))
    in_counts = differences(lambda p: coin.elbo(*p, X), counts)
    assert np.allclose(coin.gradient(*counts, X), in_counts, rtol=1e-5, atol=1e-6)
    on_map = differences(
        lambda p: coin.elbo(*coin.counts(*p), X), np.array([mean, size])
    )
    assert np.allclose(coin.plain_gradient(mean, size, X), on_map, rtol=1e-5, atol=1e-6)


def test_the_fisher_matrix_is_the_covariance_of_the_logs():
    g = stats.beta(2.5, 4.0).rvs(200_000, random_state=np.random.default_rng(1))
    assert np.allclose(coin.fisher(2.5, 4.0), np.cov(np.log([g, 1 - g])), atol=0.01)


def test_a_natural_step_of_length_one_is_an_epoch_and_the_top_is_its_fixed_point():
    a, b = coin.epoch(4.2, 1.8, X)
    assert np.allclose(coin.natural_path(0.7, 6.0, X, 1.0, 1)[1], [a / (a + b), a + b])
    mean, size, height = coin.top(X)
    assert np.allclose(coin.epoch(*coin.counts(mean, size), X), coin.counts(mean, size))
    assert height == pytest.approx(coin.elbo(*coin.counts(mean, size), X))
    assert np.all(np.diff(hill.below_top(coin.natural_path(0.7, 6.0, X, 1.0, 15))) < 0)


def test_drawn_steps_pass_the_climbers_beliefs_and_are_straight_in_a_and_b():
    path = coin.natural_path(0.7, 6.0, X, 1.0, 3)
    way = hill.walked(path)
    assert np.allclose(way[:: hill.BETWEEN], path)
    first = way[: hill.BETWEEN + 1]
    assert np.allclose(np.diff(coin.counts(*first.T), 2, axis=1), 0, atol=1e-9)
    assert np.abs(np.diff(first, 2, axis=0)).max() > 1e-3


def clicks_elbo(a, b, x):
    """Of exercise 2: Gamma(a, b) of a rate, each count with even odds from it or from rate 1."""
    of_rate = x * (digamma(a) - np.log(b)) - a / b
    fit = np.logaddexp(of_rate, -1.0) + np.log(0.5) - gammaln(x + 1)
    moved = (a - 1) * digamma(a) - gammaln(a) + np.log(b) + a * (1 - b) / b
    return fit.sum() - moved


@pytest.mark.parametrize(
    "a, b, length", [(2.0, 1.0, 1.0), (6.0, 1.5, 0.5), (12.0, 3.0, 1.3)]
)
def test_the_step_of_exercise_2_is_a_natural_gradient_step(a, b, length):
    slope = differences(lambda p: clicks_elbo(*p, answers.CLICKS), np.array([a, b]))
    fisher = np.array([[polygamma(1, a), -1 / b], [-1 / b, a / b**2]])
    expected = np.array([a, b]) + length * np.linalg.solve(fisher, slope)
    assert np.allclose(
        answers.clicks_step(a, b, answers.CLICKS, length), expected, rtol=1e-6
    )


@pytest.mark.parametrize("make", EXPLORERS)
def test_explorers_answer_at_the_extremes(make):
    explorer = make()
    pictures = {explorer.png}
    for end in (0, -1):
        explorer.set(
            **{name: c.options[end][1] for name, c in explorer.controls.items()}
        )
        pictures.add(explorer.png)
    assert explorer.error is None and len(pictures) == 3


def test_the_climbers_status_is_the_paths():
    explorer = chapter.climbers()
    explorer.set(mean=0.55, size=20, length=1.0, steps=3)
    path, below = explorer.compute(**explorer.values)["natural gradient"]
    _, vb = explorer.compute(**explorer.values)["VB"]
    expected = coin.top(X)[2] - coin.elbo(*coin.counts(*path[3]), X)
    assert np.allclose(below, vb) and below[3] == pytest.approx(expected)
    assert f"VB {expected:.3f} nats" in explorer.status


@pytest.mark.parametrize("mean, size", [(0.6, 10), (0.3, 30)])
def test_on_the_stretched_map_the_ellipse_is_a_circle_and_the_arrows_agree(mean, size):
    found = stretch.compute(100, mean, size)
    assert np.allclose(np.hypot(*found["ellipse"]), 1.0) and found["angle"] < 0.01
    assert stretch.compute(0, mean, size)["angle"] > 1
    move = np.array(coin.epoch(*coin.counts(mean, size), X)) - coin.counts(mean, size)
    on_map = np.linalg.solve(coin.jacobian(mean, size), move)
    drawn = stretch.frame(mean, size, 0.0) @ on_map
    arrow = stretch.compute(0, mean, size)["natural gradient"]
    assert np.allclose(drawn / np.hypot(*drawn), arrow / np.hypot(*arrow))


@pytest.mark.parametrize("shift", [1.0, 2.0, 4.0])
def test_gap_and_width_tend_to_what_the_share_says(shift):
    seen = share.compute(shift, 10_000)
    exact, vb = seen["width"]
    assert seen["gap"] == pytest.approx(-0.5 * np.log(seen["share"]), abs=0.005)
    assert vb / exact == pytest.approx(np.sqrt(seen["share"]), abs=0.005)
