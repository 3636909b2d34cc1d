"""Lecture 07c: a component with a learned prior falls where the theory says, comes back
only over the barrier, and a table's sweeps end where the closed form says."""

import numpy as np
import pytest

from vbkit.course import lecture_07c as lecture
from vbkit.course.answers_07c import least_push, staying
from vbkit.course.factors import Factors
from vbkit.course.tables import ratings
from vbkit.factorization import (
    elbo,
    fit,
    free_energy_of_column,
    init_random,
    init_spectral,
    learned_landscape,
    shrink_empirical,
    solve_empirical,
    solve_fixed,
    thresholds,
)


def free_energy(factors, prior_a, prior_b, gamma):
    """F (nats) of two factors of one number, less that of no component, from its definition."""
    a, s_a, b, s_b = factors
    square_a = a**2 + s_a
    square_b = b**2 + s_b
    divergence = 0.5 * (square_a / prior_a - 1 + np.log(prior_a / s_a))
    divergence += 0.5 * (square_b / prior_b - 1 + np.log(prior_b / s_b))
    return divergence + 0.5 * (square_a * square_b - 2 * gamma * a * b)


@pytest.mark.parametrize("gamma", [2.05, 2.5, 3.0])
def test_sweeps_rest_on_the_root_of_the_strength_and_its_reciprocal(gamma):
    factors = Factors(1.0, 0.5, 1.6, 0.3)
    for _ in range(2000):
        factors = lecture.sweep(factors, gamma)
    prior_a = factors.a**2 + factors.s_a
    prior_b = factors.b**2 + factors.s_b
    xi = prior_a * prior_b  # how it is shared out between the two is free
    assert np.sqrt(xi) + 1 / np.sqrt(xi) == pytest.approx(gamma)
    assert factors.product == pytest.approx(lecture.learned_rest(gamma))
    assert factors.product == pytest.approx(xi / gamma)
    assert factors.s_a == pytest.approx(prior_a / (xi + 1))
    assert factors.s_b == pytest.approx(prior_b / (xi + 1))
    change = free_energy(factors, prior_a, prior_b, gamma)
    assert change == pytest.approx(np.log1p(xi) - xi / 2)
    assert change == pytest.approx(free_energy_of_column(xi, (1, 1)))


def test_a_sweep_never_raises_the_free_energy():
    gamma = 2.4
    factors = Factors(0.9, 0.8, 1.4, 0.3)
    priors = (1.3, 0.9)
    last = free_energy(factors, *priors, gamma)
    for _ in range(50):
        priors = (factors.a**2 + factors.s_a, factors.b**2 + factors.s_b)
        factors = lecture.sweep(factors, gamma)
        now = free_energy(factors, *priors, gamma)
        assert now <= last + 1e-12
        last = now


def test_the_learned_product_jumps_between_two_stops_and_the_fixed_one_never():
    path = lecture.FadeOrFall().compute(lecture.LOWERED[-1])
    numbers = np.array([one.gamma for one in path])
    learned = np.array([one.learned_rest for one in path])
    fixed = np.array([one.fixed_rest for one in path])
    jumps = np.abs(np.diff(learned)) > 0.3
    assert numbers[:-1][jumps].tolist() == [2.0]
    assert numbers[1:][jumps].tolist() == [1.95]
    assert np.abs(np.diff(fixed)).max() < 0.08
    golden = (1 + np.sqrt(5)) / 2
    assert np.array_equal(fixed == 0, numbers < golden)


def test_both_balls_lie_at_a_minimum_of_their_curve():
    for gamma in (1.75, 2.1, 3.0):
        one = lecture.landscapes(gamma)
        lowest = lecture.CURVE_FIXED[one.fixed.argmin()]
        assert lowest == pytest.approx(one.fixed_rest, abs=0.01)
        right = one.product > max(0.5 * one.learned_rest, 1e-9)
        if one.learned_rest:
            lowest = one.product[right][one.learned[right].argmin()]
            assert lowest == pytest.approx(one.learned_rest, abs=0.03)
        else:
            assert np.all(np.diff(one.learned) > 0)
        expected = solve_fixed([[gamma]], 1.0, 1.0, 1.0).mean()[0, 0]
        assert one.fixed_rest == pytest.approx(abs(expected))


def test_a_component_falls_on_the_way_down_and_never_comes_back():
    rests = lecture.journey()
    down = lecture.JOURNEY[: lecture.TURN]
    assert np.array_equal(rests[: lecture.TURN] > 0, down > 2.0)
    assert np.all(rests[lecture.TURN :] == 0)


@pytest.mark.parametrize("gamma", [2.1, 2.5, 3.0])
def test_only_a_push_over_the_barrier_brings_a_component_back(gamma):
    barrier = lecture.pass_between(gamma)
    for push, back in ((0.95 * barrier, False), (1.05 * barrier, True)):
        factors = lecture.on_the_curve(push)
        for _ in range(3000):
            factors = lecture.sweep(factors, gamma)
        rest = lecture.learned_rest(gamma) if back else 0.0
        assert factors.product == pytest.approx(rest, abs=0.01)


def test_a_start_on_the_curve_is_the_best_for_its_product():
    gamma = 2.5
    factors = lecture.on_the_curve(0.7)
    assert factors.product == pytest.approx(0.7)
    product, curve = learned_landscape(lecture.XI, gamma, (1, 1))
    mean_square = factors.a**2 + factors.s_a
    here = free_energy(factors, mean_square, mean_square, gamma)
    assert here == pytest.approx(np.interp(0.7, product, curve), abs=1e-3)
    rng = np.random.default_rng(0)
    for _ in range(200):
        s_a, s_b, prior_a, prior_b = np.exp(0.3 * rng.standard_normal(4)) * (
            factors.s_a,
            factors.s_b,
            mean_square,
            mean_square,
        )
        other = Factors(factors.a, s_a, factors.b, s_b)
        assert free_energy(other, prior_a, prior_b, gamma) > here - 1e-4


def test_sweeps_of_a_table_end_at_the_closed_form():
    drawn = ratings(3)
    V = drawn.product + drawn.noise
    state = fit(V, init_spectral(V, 5, noise=1.0), learn_noise=False)
    swept = np.linalg.svd(state.mean(), compute_uv=False)
    expected = shrink_empirical(np.linalg.svd(V, compute_uv=False), lecture.TABLE, 1.0)
    assert np.allclose(swept[:5], expected[:5], atol=0.02)


def test_between_the_thresholds_the_start_decides_and_the_formula_gives_the_difference():
    drawn = ratings(7)
    V = 0.45 * drawn.product + drawn.noise
    observed = np.linalg.svd(V, compute_uv=False)
    edge = thresholds(lecture.TABLE)
    assert observed[1] > edge.keep > observed[2] > edge.local > observed[3]
    bounds = {}
    for seed in range(6):
        start = init_random(V, 6, np.random.default_rng(seed), noise=1.0)
        state = fit(V, start, learn_noise=False, max_sweeps=2000)
        rank = int((np.linalg.svd(state.mean(), compute_uv=False) > 0.01).sum())
        bounds[rank] = elbo(V, state)
    assert sorted(bounds) == [2, 3]
    kappa = lecture.kappa(observed[2] ** 2, lecture.TABLE)
    expected = free_energy_of_column(kappa, lecture.TABLE)
    assert bounds[2] - bounds[3] == pytest.approx(expected, abs=0.01)


def test_fainter_patterns_disappear_one_after_another():
    explorer = lecture.FainterPatterns()
    numbers = []
    for strength in np.arange(0, 1.01, 0.05).round(2):
        shrunk = explorer.compute(strength)
        numbers.append(int((shrunk.kept > 0).sum()))
        assert np.linalg.matrix_rank(shrunk.table) == numbers[-1]
    assert numbers[0] == 0 and numbers[-1] == 3
    assert numbers == sorted(numbers)


def test_branches_meet_at_the_local_threshold():
    L, M = lecture.TABLE
    gammas = np.linspace(9, 14, 60)
    found = lecture.branches(gammas, lecture.TABLE)
    there = gammas >= thresholds(lecture.TABLE).local
    assert np.array_equal(np.isnan(found["live"]), ~there)
    assert np.all(found["live"][there] >= found["pass"][there])
    xi = gammas[there] * found["pass"][there] / (L * M)
    assert np.allclose((1 + L * xi) * (1 + M * xi), xi * gammas[there] ** 2)


@pytest.mark.parametrize(("gamma", "strength"), [(2.5, 0.01), (10.0, 0.0005)])
@pytest.mark.parametrize("variance", [0.05, 0.5, 0.95])
def test_a_weak_column_loses_its_means_whatever_the_number(gamma, strength, variance):
    for prior_a in np.sqrt(strength) * np.array([0.2, 1.0, 5.0]):
        prior_b = strength / prior_a
        a, b = np.sqrt((1 - variance) * np.array([prior_a, prior_b]))
        factors = Factors(a, variance * prior_a, b, variance * prior_b)
        after = lecture.sweep(factors, gamma)
        assert after.b < gamma**2 * strength * b
        for _ in range(100):
            after = lecture.sweep(after, gamma)
        assert after.product < 1e-12


@pytest.mark.parametrize("gamma", [2.1, 2.5, 4.0])
def test_the_least_push_is_the_top_of_the_hill(gamma):
    assert least_push(gamma) == pytest.approx(lecture.pass_between(gamma))


def test_components_stay_that_are_above_the_local_threshold():
    drawn = ratings(7)
    V = 0.45 * drawn.product + drawn.noise
    start = init_spectral(V, 6, noise=1.0)
    state = fit(V, start, learn_noise=False, max_sweeps=2000)
    rank = int((np.linalg.svd(state.mean(), compute_uv=False) > 0.01).sum())
    assert staying(V, 1.0) == rank == 3
    # the third component has a minimum, but not the lowest one
    assert solve_empirical(V, noise=1.0).rank == 2
