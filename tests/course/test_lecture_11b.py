"""Lecture 11b: experts are learned by the engine, the variance has three parts, and the
explorers show what the text says."""

import numpy as np
import pytest
from scipy.stats import norm

from vbkit.course import lecture_11b as lecture
from vbkit.course import roof
from vbkit.course.answers_11b import conditional, student_shares
from vbkit.learning import accumulation, fit_online
from vbkit.models import predict_outputs

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
    parts = lecture.after(12).parts
    places = [np.abs(roof.GRID - place).argmin() for place in (-3.5, 0.5)]
    assert parts.band[places[0]] > 2 * parts.band[places[1]]
    disagreement = parts.disagreement.sum(axis=1)
    assert disagreement[places[0]] > 6 * parts.noise.sum(axis=1)[places[0]]


def test_the_averaged_gates_are_what_draws_from_the_posterior_say():
    """Mean and precision of each gate are drawn, and the densities averaged."""
    S = roof.learned(2)[12]
    told = roof.network(2).family.gate.posterior(S[:, :3])
    rng = np.random.default_rng(0)
    size = 1_000_000
    averaged = lecture.averaged_gates(S, [-3.5, 0.5])
    for k in range(2):
        rho = rng.gamma(told.shape[k], 1 / told.rate[k, 0], size)
        spread = 1 / np.sqrt(told.mean_count[k] * rho)
        mu = told.mean[k, 0] + spread * rng.standard_normal(size)
        for place, due in zip((-3.5, 0.5), averaged[k], strict=True):
            drawn = norm.pdf(place, mu, 1 / np.sqrt(rho)).mean()
            assert drawn == pytest.approx(due, rel=0.03)


def test_on_most_roofs_a_single_gate_would_be_surer():
    """The share of the distant expert at -3.5 is smaller with a single gate."""
    smaller = 0
    for seed in range(40):
        mixture = roof.network(2)
        X = roof.measure(np.random.default_rng(seed), 12)
        start = roof.spread_gates(mixture, 2)
        S = fit_online(mixture, X, start, accumulation(), monitor=False).S
        weights = mixture.labels.mean(S[:, 0])
        single = weights * norm.pdf(-3.5, *lecture.single_gates(S))
        averaged = weights * lecture.averaged_gates(S, [-3.5])[:, 0]
        far = averaged.argmin()
        shares = [each[far] / each.sum() for each in (single, averaged)]
        smaller += shares[0] < shares[1]
    assert smaller >= 30


def test_the_start_moves_the_gates_and_nothing_else():
    experts = roof.network(2)
    start = roof.spread_gates(experts, 2)
    told = experts.family.gate.posterior(start[:, :3])
    prior = experts.family.gate.posterior(np.zeros((2, 3)))
    assert np.allclose(told.mean[:, 0], [-2, 2]) and np.allclose(prior.mean, 0)
    assert np.allclose(told.mean_count, prior.mean_count)
    assert np.allclose(told.shape, prior.shape) and np.allclose(told.rate, prior.rate)
    assert not start[:, 3:].any() and not start[:, 0].any()


def test_the_explorers_say_what_they_show():
    roofs = lecture.RoofByExperts()
    assert "At x = 0.5 the roof is" in roofs.status
    roofs.set(points=12, place=-3.5)
    assert "2.68 m high, give or take 1.75 m" in roofs.status


# ---- answers -------------------------------------------------------------------------


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


def test_student_gates_with_many_degrees_of_freedom_are_gaussian():
    weights = np.array([0.3, 0.7])
    means = np.array([-2.0, 2.0])
    scales = np.array([1.0, 1.5])
    joint = weights * norm.pdf(-1.0, means, scales)
    told = student_shares(-1.0, weights, means, scales, 10**7)
    assert np.allclose(told, joint / joint.sum(), rtol=1e-4)
