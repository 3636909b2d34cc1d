"""The explorers and drawings of notebook 07c show what the engine and its closed form compute."""

import numpy as np
import pytest

from vbkit.chapters import factorization as chapter
from vbkit.chapters.factorization import answers, column, pictures, well
from vbkit.factorization import Factorization, elbo, fit, thresholds
from vbkit.factorization.analytic import shrink_empirical, solve_empirical


def single(gamma, shape):
    V = np.zeros(shape)
    V[0, 0] = gamma
    return V


def factorization(f, shape):
    """A Column as a posterior along the first row and column."""
    A, B = np.zeros((shape[1], 1)), np.zeros((shape[0], 1))
    A[0], B[0] = f.a, f.b
    covariances = np.array([[f.s_a]]), np.array([[f.s_b]])
    return Factorization(A, B, *covariances, f.prior_a, f.prior_b, 1.0)


SOME = column.Column(1.2, 0.7, 0.3, 0.5, 0.8, 1.4)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (20, 30)])
def test_a_sweep_of_a_column_is_that_of_the_engine(shape):
    gamma = 2.5 * np.sqrt(shape[1])
    V, here = single(gamma, shape), column.sweep(SOME, gamma, shape)
    there = fit(
        V, factorization(SOME, shape), max_sweeps=1, tolerance=0, learn_noise=False
    )
    assert here.a == pytest.approx(there.A[0, 0]) and here.b == pytest.approx(
        there.B[0, 0]
    )
    assert here.s_a == pytest.approx(there.cov_A[0, 0])
    assert here.prior_b == pytest.approx(there.prior_b[0])
    constant = (V.size * np.log(2 * np.pi) + gamma**2) / 2
    for f in (SOME, here):
        free = column.free_energy(f, gamma, shape)
        assert free + constant == pytest.approx(-elbo(V, factorization(f, shape)))


def test_a_ball_is_the_best_column_of_its_shrunk_singular_value():
    ball, gamma = well.ball_at(4.0), 10.5
    assert ball.a * ball.b == pytest.approx(4)
    shrunk, F = well.profile(gamma)
    here = column.free_energy(ball, gamma, well.SHAPE)
    assert here == pytest.approx(np.interp(4.0, shrunk, F), abs=1e-3)
    rng = np.random.default_rng(0)
    for _ in range(200):
        s_a, s_b, prior_a, prior_b = ball[2:] * np.exp(0.3 * rng.standard_normal(4))
        other = column.Column(ball.a, ball.b, s_a, s_b, prior_a, prior_b)
        assert column.free_energy(other, gamma, well.SHAPE) > here - 1e-6


def test_without_a_push_the_ball_falls_at_the_local_threshold_and_never_returns():
    local = thresholds(well.SHAPE).local
    for push in (0.0, 1.0):
        rests, free = well.journey(push)
        down, up = well.JOURNEY[: well.TURN], well.JOURNEY[well.TURN :]
        alive = rests[: well.TURN] > 0
        assert np.array_equal(alive, down > local)
        live = pictures.branches(down[alive], well.SHAPE)["live"]
        assert np.allclose(rests[: well.TURN][alive], live, atol=2e-3)
        back = rests[well.TURN :] > 0
        assert back.any() == bool(push) and np.all(np.diff(back.astype(int)) >= 0)
        if push:
            assert up[back][0] == pytest.approx(10.8)


def test_words_and_pictures_follow_the_controls():
    ball, seen = chapter.double_well(), set()
    for name, control in ball.controls.items():
        for _, value in (control.options[0], control.options[-1]):
            ball.set(**ball.first | {name: value})
            seen.add(ball.png)
            assert ball.error is None
    assert len(seen) >= 3
    ball = chapter.double_well()
    ball.set(stop=0)
    assert "two valleys, the live one 10.17 nats below zero" in ball.status
    ball.set(stop=35)
    assert "one valley" in ball.status and ball.status.endswith("rests at 0.00.")


def test_branches_meet_at_the_local_threshold_and_solve_the_quadratic():
    L, M = shape = (20, 30)
    gammas = np.linspace(9, 14, 60)
    found = pictures.branches(gammas, shape)
    there = gammas >= thresholds(shape).local
    assert np.array_equal(np.isnan(found["live"]), ~there)
    for root in (found["live"][there], found["pass"][there]):
        g = gammas[there]
        assert np.abs(root**2 - (g - (L + M) / g) * root + L * M / g**2).max() < 1e-9
    assert np.all(found["live"][there] >= found["pass"][there])
    assert np.allclose(found["global"], shrink_empirical(gammas, shape, 1.0))


def test_answers():
    rng = np.random.default_rng(2)
    V = 5 * np.outer(
        rng.standard_normal(8), rng.standard_normal(12)
    ) + rng.standard_normal((8, 12))
    assert answers.kept(V, 1.0) == solve_empirical(V, noise=1.0).rank
    z = np.linspace(-12, 12, 4801)

    def log_evidence(c2):
        s = 3.0 + c2 * z**2
        return np.log(np.sum(np.exp(-0.5 * z**2 - 2.0 / s) / np.sqrt(s)))

    slope = (log_evidence(1e-5) - log_evidence(0)) / 1e-5
    assert answers.evidence_slope(2.0, 3.0) == pytest.approx(slope, rel=1e-3)


def test_with_zero_means_the_variances_shrink_like_one_over_the_sweeps():
    L, M = shape = (20, 30)
    f = column.Column(1e-9, 1e-9, 0.1, 0.1, 0.1, 0.1)
    for _ in range(1000):
        f = column.sweep(f, 1.0, shape)
    assert f.s_a * f.s_b == pytest.approx(1 / ((L + M) * 1000), rel=0.02)
    assert f.a * f.b < 1e-18


def test_one_number_with_a_learned_prior_rests_on_the_reciprocal():
    for gamma in (2.1, 3.0):
        c2 = (gamma + np.sqrt(gamma**2 - 4)) / 2
        f = column.Column(1.5, 1.5, 0.5, 0.5, c2, c2)
        for _ in range(1000):
            f = column.sweep(f, gamma)
        assert f.a * f.b == pytest.approx(c2 - 1 / gamma, abs=1e-6)
        assert f.prior_a * f.prior_b == pytest.approx(c2**2, abs=1e-6)


@pytest.mark.parametrize("gamma", [1.1, 1.9, 3.0])
def test_a_learned_prior_only_fades_if_a_factor_is_known_or_its_doubt_is_left_out(
    gamma,
):
    prior = 2.0
    for _ in range(1000):
        s = 1 / (1 + 1 / prior)  # b = 1 is known
        prior = (gamma * s) ** 2 + s
    assert gamma * s == pytest.approx(gamma - 1 / gamma)
    f = column.Column(1.5, 1.5, 0.5, 0.5, 2.0, 2.0)
    for _ in range(1000):
        f = column.update_a(f._replace(s_b=0.0), gamma)
        f = column.update_b(f._replace(s_a=0.0), gamma)._replace(s_a=f.s_a)
        f = f._replace(prior_a=f.a**2 + f.s_a, prior_b=f.b**2 + f.s_b)
    assert f.a * f.b == pytest.approx(gamma - 1 / gamma)
