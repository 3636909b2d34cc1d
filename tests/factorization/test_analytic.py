"""The analytic solution against brute force, the iteration and the literature's form."""

import numpy as np
import pytest
from oracles import close
from scipy.optimize import brentq, minimize
from scipy.stats import chi2

from vbkit.factorization import (
    elbo,
    estimate_noise,
    fit,
    fixed_landscape,
    fixed_threshold,
    free_energy_of_column,
    free_energy_of_noise,
    init_random,
    init_spectral,
    kappa,
    learned_landscape,
    shrink_empirical,
    shrink_fixed,
    solve_empirical,
    solve_fixed,
    thresholds,
    validate,
)

HELD = {"learn_prior": False, "learn_noise": False}


def matrix(rng, L=None, M=None, r=None, scale=1.0):
    L, M = (n or int(rng.integers(1, 14)) for n in (L, M))
    r = int(rng.integers(0, 4)) if r is None else r
    return scale * rng.normal(size=(L, r)) @ rng.normal(size=(r, M)) + rng.normal(
        size=(L, M)
    )


def column_free_energy(p, g, L, M, noise, c_a=None, c_b=None):
    """2 F of one column less that of none, from its norms, log variances and, if learned, log
    prior variances."""
    alpha, beta, s_a, s_b = p[0], p[1], np.exp(p[2]), np.exp(p[3])
    c_a, c_b = (c_a, c_b) if c_a else np.exp(p[4:6])
    a2, b2 = alpha**2 + M * s_a, beta**2 + L * s_b
    kl = M * np.log(c_a / s_a) + L * np.log(c_b / s_b) + a2 / c_a + b2 / c_b - (L + M)
    return kl + (a2 * b2 - 2 * g * alpha * beta) / noise


@pytest.mark.long
def test_fixed_priors_by_brute_force():
    rng = np.random.default_rng(1)
    alive = 0
    for _ in range(40):
        (L, M), (c_a, c_b, noise) = rng.integers(1, 8, 2), np.exp(rng.normal(size=3))
        g = np.exp(rng.normal() + 1) * np.sqrt(noise)
        V = np.zeros((L, M))
        V[-1, 0] = g
        f = solve_fixed(V, c_a, c_b, noise, H=1)
        starts = rng.normal(size=(6, 4)) * [2, 2, 0, 0]
        settings = {
            "args": (g, L, M, noise, c_a, c_b),
            "method": "BFGS",
            "options": {"gtol": 1e-8},
        }
        best = min(
            (minimize(column_free_energy, p, **settings) for p in starts),
            key=lambda r: r.fun,
        )
        nothing = 0.5 * (L * M * np.log(2 * np.pi * noise) + g * g / noise)
        assert abs(-f.elbo - nothing - best.fun / 2) < 1e-7
        assert np.isclose(
            abs(np.prod(best.x[:2])),
            shrink_fixed(g, (L, M), c_a, c_b, noise),
            atol=1e-3,
        )
        assert np.isclose(
            f.singular_values[0], shrink_fixed(g, (L, M), c_a, c_b, noise), atol=1e-12
        )
        alive += f.singular_values[0] > 0
    assert 10 < alive < 35


def test_empirical_bayes_by_brute_force():
    """The column's gain at its optimum, and that neither start of a general optimizer finds a
    lower value."""
    rng = np.random.default_rng(2)
    for _ in range(30):
        L, M = rng.integers(1, 9, 2)
        t = thresholds((L, M))
        g = rng.uniform(t.local + 0.05, 1.6 * t.keep)
        k = kappa(g * g, (L, M))
        s_a = s_b = 1 / g
        p = [np.sqrt(k * s_a), np.sqrt(k * s_b), np.log(s_a), np.log(s_b)]
        p += [np.log((k + M) * s_a / M), np.log((k + L) * s_b / L)]
        assert np.isclose(
            column_free_energy(p, g, L, M, 1.0),
            2 * free_energy_of_column(k, (L, M)),
            atol=1e-10,
        )
        found = minimize(
            column_free_energy,
            p,
            args=(g, L, M, 1.0),
            method="BFGS",
            options={"gtol": 1e-9},
        )
        assert (
            found.fun > 2 * free_energy_of_column(k, (L, M)) - 1e-8
        )  # it is a local minimum
        assert (g > t.keep) == (free_energy_of_column(k, (L, M)) < 0)
        assert np.isclose(shrink_empirical(g, (L, M), 1.0), k / g if g > t.keep else 0)


@pytest.mark.parametrize("shape", [(1, 1), (5, 50), (50, 5), (10, 1000), (200, 100)])
def test_thresholds_in_the_form_of_the_literature(shape):
    """gamma^2 > M s (1 + tau)(1 + alpha / tau) with Phi(tau) + Phi(tau / alpha) = 0, alpha = L / M
    <= 1."""
    L, M = sorted(shape)
    alpha = L / M

    def phi(z):
        return np.log1p(z) / z - 0.5

    tau = brentq(lambda t: phi(t) + phi(t / alpha), np.sqrt(alpha), 10, xtol=1e-14)
    assert np.isclose(
        thresholds(shape).keep ** 2, M * (1 + tau) * (1 + alpha / tau), rtol=1e-11
    )
    assert np.isclose(thresholds(shape).local, np.sqrt(L) + np.sqrt(M))
    assert (
        shrink_empirical(thresholds(shape).keep * (1 + 1e-12), shape, 1.0) > 1.13
    )  # what is kept counts for `rank`
    if L == M:
        assert np.isclose(tau, 2.5129, atol=5e-5) and np.isclose(
            thresholds((1, 1)).keep, 2.216, atol=5e-4
        )


@pytest.mark.long
def test_iteration_never_beats_the_solution_and_reaches_it():
    """With fixed hyperparameters, different for each column, from random and from spectral
    starts."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        V = matrix(rng)
        H = int(rng.integers(0, min(V.shape) + 3))
        given = {
            "prior_a": np.exp(rng.normal(size=H)),
            "prior_b": np.exp(rng.normal(size=H)),
            "noise": rng.uniform(0.3, 2),
        }
        best = solve_fixed(V, **given)
        assert abs(best.elbo - elbo(V, best)) < 1e-9 and best.A.shape == (V.shape[1], H)
        again = fit(V, best, max_sweeps=3, tolerance=0, **HELD)
        assert np.ptp(again.trace) < 1e-8 and np.allclose(again.B, best.B, atol=1e-6)
        ends = [fit(V, s, max_sweeps=30_000, tolerance=1e-12, **HELD).elbo for s in (
            init_spectral(V, H, **given), init_random(V, H, rng, **given))]  # fmt: skip
        assert -1e-8 < best.elbo - ends[0] < 1e-6
        assert -1e-8 < best.elbo - ends[1] < 1e-6  # slow now and then, never stuck


@pytest.mark.parametrize("shape", [(20, 35), (35, 20), (25, 25)])
def test_empirical_bayes_is_a_fixed_point_that_no_run_beats(shape):
    rng = np.random.default_rng(4)
    for r in (0, 1, 4):
        V = matrix(rng, *shape, r)
        for noise in (1.3, None):
            best = solve_empirical(V, noise)
            assert best.rank == best.A.shape[1] <= r
            learn = {"learn_noise": noise is None}
            again = fit(V, best, max_sweeps=5, tolerance=0, **learn)
            assert np.ptp(again.trace) < 1e-7 and np.allclose(
                again.prior_a, best.prior_a
            )
            assert np.isclose(again.noise, best.noise, rtol=1e-7)
            for H in (r, 8):
                start = init_random(V, H, rng, noise=noise)
                assert fit(V, start, max_sweeps=500, **learn).elbo < best.elbo + 1e-7
        turned = solve_empirical(V.T)
        assert np.isclose(turned.elbo, best.elbo) and np.isclose(
            turned.noise, best.noise
        )


def test_noise_is_the_global_minimum():
    """Against a fine grid, on matrices whose F has several minima, with and without a limit on the
    columns."""
    rng, several = np.random.default_rng(5), 0
    for turn in range(120):
        V = validate(
            matrix(
                rng,
                *rng.integers(2, 40, 2),
                int(rng.integers(0, 9)),
                np.exp(rng.normal()),
            )
        )
        H = None if turn % 2 else int(rng.integers(0, min(V.shape) + 1))
        noise, mean = estimate_noise(V, H), V.square / V.size
        grid = mean * np.exp(np.linspace(np.log(1e-7), 1, 3000))
        F = free_energy_of_noise(V, grid, H)
        several += ((F[1:-1] < F[:-2]) & (F[1:-1] < F[2:])).sum() > 1
        best = solve_empirical(V, H=H)
        assert best.noise == noise and -best.elbo <= F.min() + 1e-9 * abs(F.min())
        assert np.isclose(-best.elbo, free_energy_of_noise(V, [noise], H)[0], rtol=1e-9)
        assert H is None or best.A.shape[1] <= H
    assert several > 10


def test_noise_iteration_stops():
    """A matrix on which Newton's steps come and go at the last digit."""
    rng = np.random.default_rng([7, 1003])
    V = rng.standard_normal((60, 24)) @ rng.standard_normal(
        (24, 120)
    ) + rng.standard_normal((60, 120))
    assert solve_empirical(V).rank == 24


def test_without_noise_the_floor_holds():
    rng = np.random.default_rng(6)
    V = rng.normal(size=(12, 3)) @ rng.normal(size=(3, 20))
    floor = 1e-12 * (V**2).mean()
    best, end = solve_empirical(V), fit(V, init_random(V, 5, rng), max_sweeps=3000)
    assert (
        best.noise == pytest.approx(floor)
        and end.noise == pytest.approx(floor)
        and best.rank == end.rank == 3
    )
    assert (
        np.allclose(best.mean(), V, atol=1e-9)
        and np.diff(end.trace).min() > -1e-4
        and end.elbo < best.elbo
    )
    hidden = np.where(rng.random(V.shape) < 0.3, np.nan, V)
    end = fit(hidden, init_random(hidden, 3, rng), max_sweeps=3000)
    assert (
        end.noise < 1e-9
        and np.diff(end.trace).min() > -1e-4
        and np.allclose(end.mean(), V, atol=1e-3)
    )


def test_dead_columns_and_none():
    rng = np.random.default_rng(7)
    V = rng.normal(size=(6, 9))
    f = solve_fixed(V, 1e-3, 1e-3, 1.0)
    assert (
        f.A.shape == (9, 6) and f.rank == 0 and not f.A.any()
    )  # weak priors: nothing is explained
    assert solve_fixed(V, 1.0, 1.0, 1.0, H=20).A.shape == (9, 20)
    none = solve_empirical(V, 50.0)
    assert (
        none.A.shape == (9, 0) and none.rank == 0 and none.predict([0], [0]).mean == 0
    )
    assert np.isclose(
        none.elbo, -0.5 * (54 * np.log(2 * np.pi * 50) + (V**2).sum() / 50)
    )
    zero = solve_empirical(np.zeros((3, 4)), 1.0)
    assert zero.rank == 0 and shrink_fixed(
        np.zeros(2), (3, 4), 1.0, 1.0, 1.0
    ).tolist() == [0, 0]


@pytest.mark.parametrize("sigma", [0.3, 7.0])
def test_empirical_bayes_in_other_units(sigma):
    shape = (4, 9)
    gamma = thresholds(shape).keep * np.array([0.5, 0.99, 1.01, 3.0])
    ours = shrink_empirical(sigma * gamma, shape, sigma**2)
    assert np.allclose(ours, sigma * shrink_empirical(gamma, shape, 1.0), rtol=1e-12)
    assert (ours > 0).tolist() == [False, False, True, True]


def test_learned_landscape_is_the_least_of_the_plane():
    hats = np.linspace(0, 1.45 * (20**0.5 + 30**0.5), 90)
    scales = np.logspace(-2.5, 2.5, 200) / 600**0.25  # of the prior deviations
    G = fixed_landscape(hats, scales[:, None], (20, 30))
    kappa = np.logspace(-3, 4, 4000)
    shrunk, F = learned_landscape(kappa, 0.0, (20, 30))
    gap = G.min(axis=0)[1:] - np.interp(hats[1:], shrunk, F)
    assert gap.min() > -1e-3 and gap.max() < 0.02  # the plane's scales are a grid
    gamma, shape = 4.2, (2, 3)
    V = np.zeros(shape)
    V[0, 0] = gamma
    run = fit(
        V,
        init_spectral(V, 1, prior_a=1.0, prior_b=1.0, noise=1.0),
        learn_noise=False,
        max_sweeps=2000,
        tolerance=0,
    )
    nothing = -0.5 * (6 * np.log(2 * np.pi) + gamma**2)
    close(
        learned_landscape(kappa, gamma, shape)[1].min(), nothing - run.elbo, atol=1e-4
    )
    close(learned_landscape(1e300, 0.0, shape)[0], 1e150)


@pytest.mark.parametrize("gamma, strength", [(9.0, 0.5), (6.0, 0.5), (14.0, 2.0)])
def test_fixed_landscape_has_the_closed_form_s_minimum(gamma, strength):
    V = np.zeros((20, 30))
    V[0, 0] = gamma
    shrunk = np.linspace(0, gamma, 121)
    G = fixed_landscape(shrunk, strength, (20, 30))
    F, best = (
        G - G[0] - gamma * shrunk,
        float(shrink_fixed(gamma, (20, 30), strength, strength, 1.0)),
    )
    assert abs(shrunk[F.argmin()] - best) <= shrunk[1]
    value = [elbo(V, solve_fixed(V, strength, strength, 1.0, H=1))]
    dead = solve_fixed(0 * V, strength, strength, 1.0, H=1)
    value.append(
        elbo(0 * V, dead) - 0.5 * gamma**2
    )  # all that V adds where the pair is dead
    close(F.min(), value[1] - value[0], atol=0.02)


def test_fixed_threshold():
    close(fixed_threshold(1.0, (1, 1)), (1 + 5**0.5) / 2)
    close(fixed_threshold(1e-300, (20, 30)), 1e150)
    for shape, c in (((4, 7), 2.0), ((20, 30), 0.1)):
        edge = fixed_threshold(c * c, shape)
        below, above = shrink_fixed(
            edge * np.array([1 - 1e-6, 1 + 1e-6]), shape, c, c, 1.0
        )
        assert below == 0 < above


def test_coefficient_of_a_matrix_without_signal():
    for L, M in ((1, 1), (2, 3), (3, 5)):

        def bayes(N, L=L, M=M):
            t = np.linspace(-60, 6, 40_001)
            return -np.log(
                chi2.pdf(np.exp(t), L)
                * np.exp(t)
                @ (1 + N * np.exp(t)) ** (-M / 2)
                * (t[1] - t[0])
            )

        def vb(N, L=L, M=M):
            f = solve_fixed(np.zeros((L, M)), 1.0, 1.0, 1 / N, H=1)
            return -elbo(np.zeros((L, M)), f) - L * M / 2 * np.log(2 * np.pi / N)

        slopes = [(f(1e9) - f(1e6)) / np.log(1e3) for f in (bayes, vb)]
        close(slopes[1], min(L, M) / 2, atol=1e-3)
        close(
            slopes[0], min(L, M) / 2 - (1 / np.log(10**7.5) if L == M else 0), atol=5e-3
        )
        assert bayes(1e4) < vb(1e4)


@pytest.mark.parametrize("shape", [(1, 1), (1, 16), (20, 30)])
def test_a_fixed_landscape_is_a_number_at_the_limits_and_refuses_what_is_beyond(shape):
    for strength in (1e-50, 1e50):
        assert np.isfinite(fixed_landscape([0.0, 1.0, 1e100], strength, shape)).all()
    for strength in (0.99e-50, 1.01e50, 1e300, [1.0, 1e300]):
        with pytest.raises(ValueError, match="prior_variance reaches .*1e-50 to 1e.50"):
            fixed_landscape([0.0, 1.0], strength, shape)
    with pytest.raises(ValueError, match=r"shrunk reaches 1.01e\+100"):
        fixed_landscape([0.0, 1.01e100], 1.0, shape)
