"""Lecture 11b: experts are learned by the engine, the variance has three parts, and the
explorers show what the text says."""

import numpy as np
import pytest
from scipy.stats import norm

from vbkit.course import lecture_11b as lecture
from vbkit.course import roof
from vbkit.course.answers_11b import conditional, variance_of_line
from vbkit.learning import accumulation, fit_online
from vbkit.models import predict_outputs

HOME = np.abs(roof.GRID) <= roof.REACH


# ---- what is learned, and predicted --------------------------------------------------


@pytest.mark.parametrize("experts", [1, 4])
def test_the_roof_is_learned_by_the_engine(experts):
    X = roof.measure(np.random.default_rng(11))
    mixture = roof.network(experts)
    S = roof.spread_gates(mixture, experts)
    states = roof.learned(experts)
    assert len(states) == 201 and np.array_equal(states[0], S)
    fit = fit_online(mixture, X[:40], S, accumulation(), monitor=False)
    assert np.allclose(fit.S, states[40], rtol=1e-6)


@pytest.mark.parametrize(("experts", "points"), [(1, 5), (2, 12), (8, 20)])
def test_the_parts_of_the_variance_add_up(experts, points):
    mixture = roof.network(experts)
    S = roof.learned(experts)[points]
    parts = roof.predict(mixture, S, roof.GRID)
    due = predict_outputs(mixture, roof.GRID[:, None], S)
    assert np.allclose(parts.variance, due.variance[:, 0])
    assert np.allclose(parts.mean, due.mean[:, 0])
    for part in (parts.noise, parts.doubt, parts.disagreement):
        assert part.min() >= 0
    assert np.allclose(parts.gate.sum(axis=1), 1)


def test_the_parts_are_what_draws_from_the_posterior_say():
    """Noise, line and expert are drawn, each from its posterior, at one place."""
    mixture = roof.network(2)
    S = roof.learned(2)[12]
    at = -1.0
    parts = roof.predict(mixture, S, [at])
    rng = np.random.default_rng(0)
    size = 400_000
    of_lines = np.concatenate([S[:, :1], S[:, 3:]], axis=1)
    told = mixture.family.expert.posterior(of_lines)
    design = np.array([at, 1.0])
    heights = []
    noises = []
    for k in range(2):
        rho = rng.gamma(told.shape[k], 1 / told.rate[k, 0], size)
        doubt = design @ np.linalg.solve(told.precision[k], design)
        of_line = 4 + told.weights[k, 0] @ design
        heights.append(of_line + np.sqrt(doubt / rho) * rng.standard_normal(size))
        noises.append(1 / rho)
    share = parts.gate[0]
    assert parts.noise.sum() == pytest.approx(share @ np.mean(noises, axis=1), rel=0.02)
    doubts = np.var(heights, axis=1)
    assert parts.doubt.sum() == pytest.approx(share @ doubts, rel=0.02)
    means = np.mean(heights, axis=1)
    disagreement = share @ (means - share @ means) ** 2
    assert parts.disagreement.sum() == pytest.approx(disagreement, rel=0.02)


def test_an_idle_expert_is_as_unsure_as_its_prior_says():
    start = roof.spread_gates(roof.network(2), 2)
    first = roof.predict(roof.network(2), start, [-3.5, 2.0])
    assert np.allclose(first.variance, 0.075 * (11 + 10 * np.array([3.5, 2.0]) ** 2))
    assert np.allclose(first.mean, 4)


# ---- what the text says --------------------------------------------------------------


def test_more_points_do_not_make_the_band_narrower_everywhere():
    parts = lecture.after(12, 2).parts
    places = [np.abs(roof.GRID - place).argmin() for place in (-3.5, 0.5)]
    assert parts.band[places[0]] > 2 * parts.band[places[1]]
    disagreement = parts.disagreement.sum(axis=1)
    assert disagreement[places[0]] > 6 * parts.noise.sum(axis=1)[places[0]]


def test_idle_experts_widen_the_band():
    wide = lecture.after(20, 8)
    assert wide.idle.sum() == 4
    two = lecture.median_band(lecture.after(20, 2).parts)
    assert lecture.median_band(wide.parts) > 2 * two
    error = lecture.after(200, 4).parts.mean - roof.height(roof.GRID)
    assert np.sqrt(np.mean(error[HOME] ** 2)) < 0.15


def test_the_elbo_prefers_two_experts_even_if_their_own_gates_are_the_prior():
    """log (own prior / common prior) of a gate is 0.1 rho (mu h - h^2 / 2), h its home."""
    for points in (20, 200):
        elbos = []
        for experts in (1, 2, 3, 4, 8):
            gate = roof.network(experts).family.gate
            homes = roof.learned(experts)[0][:, 1] / 0.1
            told = gate.posterior(roof.learned(experts)[points][:, :3])
            precision = told.shape / told.rate[:, 0]
            mean = told.mean[:, 0]
            own = np.sum(0.1 * precision * (homes * mean - homes**2 / 2))
            elbos.append(lecture.elbo_of(experts, points) + own)
        assert np.argmax(elbos) == 1


def test_the_start_moves_the_gates_and_nothing_else():
    experts = roof.network(2)
    start = roof.spread_gates(experts, 2)
    told = experts.family.gate.posterior(start[:, :3])
    prior = experts.family.gate.posterior(np.zeros((2, 3)))
    assert np.allclose(told.mean[:, 0], [-2, 2]) and np.allclose(prior.mean, 0)
    assert np.allclose(told.mean_count, prior.mean_count)
    assert np.allclose(told.shape, prior.shape) and np.allclose(told.rate, prior.rate)
    assert not start[:, 3:].any() and not start[:, 0].any()


def test_on_most_roofs_eight_experts_have_a_wider_band_than_four():
    wider = 0
    for seed in range(40):
        X = roof.measure(np.random.default_rng(seed), 20)
        bands = []
        for experts in (4, 8):
            mixture = roof.network(experts)
            start = roof.spread_gates(mixture, experts)
            S = fit_online(mixture, X, start, accumulation(), monitor=False).S
            bands.append(lecture.median_band(roof.predict(mixture, S, roof.GRID)))
        wider += bands[1] > bands[0]
    assert wider >= 30


def test_the_elbo_prefers_two_experts():
    for points in (20, 200):
        elbos = [lecture.elbo_of(experts, points) for experts in (1, 2, 3, 4, 8)]
        assert np.argmax(elbos) == 1
    X = roof.measure(np.random.default_rng(11))[:20]
    mixture = roof.network(4)
    due = float(mixture.elbo(X, roof.learned(4)[20]))
    assert lecture.elbo_of(4, 20) == pytest.approx(due)


def test_the_explorers_say_what_they_show():
    roofs = lecture.RoofByExperts()
    assert "At x = 0.5 the roof is" in roofs.status
    roofs.set(points=12, place=-3.5)
    assert "2.68 m high, give or take 1.75 m" in roofs.status
    idle = lecture.IdleExperts()
    idle.set(experts=8)
    assert "± 1.69 m" in idle.status and "Idle experts: 4 of 8" in idle.status


# ---- answers -------------------------------------------------------------------------


def test_the_doubt_of_a_line_is_that_of_least_squares():
    places = np.array([0.3, 1.0, 2.5, 4.0])
    design = np.column_stack([places, np.ones(4)])
    at = np.array([-1.0, 1.0])
    doubt = at @ np.linalg.inv(design.T @ design) @ at
    assert variance_of_line(-1.0, places, 0.3) == pytest.approx(0.3 * (1 + doubt))


def test_the_two_experts_of_the_text():
    weights = np.array([0.5, 0.5])
    homes = np.array([-2.0, 2.0])
    lines = np.array([[1.0, 6.0], [-1.0, 6.0]])
    told = conditional(0.5, weights, homes, np.ones(2), lines, np.full(2, 0.04))
    assert np.allclose(told, [5.62, 0.145], atol=0.005)
    y = np.linspace(0, 12, 200_001)  # the moments of the density itself
    share = norm.pdf(0.5, homes)
    density = share @ norm.pdf(y, [[6.5], [5.5]], 0.2) / share.sum() * (y[1] - y[0])
    mean = density @ y
    assert np.allclose(told, [mean, density @ (y - mean) ** 2], atol=1e-6)
