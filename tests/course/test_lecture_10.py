"""Lecture 10: the landscapes are the engine's, the balls lie and roll where VB ends, each
explorer changes where the theory says and nowhere else, and the formula is the limit."""

import numpy as np
import pytest

from vbkit.course import lecture_10 as lecture
from vbkit.course.answers_10 import best_from, bid, least_people, two_less_one
from vbkit.course.lecture_01b import PRIOR_VARIANCE, above_one
from vbkit.course.people import exact_prices
from vbkit.factorization import (
    fixed_landscape,
    learned_landscape,
    solve_empirical,
    thresholds,
)
from vbkit.families import BetaBernoulli
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import prior_constant, share_landscape
from vbkit.theory.coexistence import find_transition, ideal_known, minima
from vbkit.theory.redundancy import occupation_of_identical

# ---- two copies ----------------------------------------------------------------------


def rows_like(name):
    """Rows (n, D) and weights (n,) that have exactly the ideal statistics of a kind."""
    size = lecture.KINDS[name].size
    if name == lecture.ALIKE:
        return np.ones((1, 4)), np.array([float(size)])
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    return rows, np.full(4, size / 4)


@pytest.mark.parametrize("name", lecture.KINDS)
@pytest.mark.parametrize("alpha", [0.7, 1.45, 2.5])
def test_the_landscape_is_the_free_energy_of_the_engine(name, alpha):
    kind = lecture.KINDS[name]
    X, weights = rows_like(name)
    mixture = Mixture(kind.component.family, Dirichlet(alpha))

    def free_energy(count):
        share = count / kind.size
        R = np.tile([share, 1 - share], (len(X), 1))
        return -mixture.elbo_of_responsibilities(X, R, weights)

    valley = lecture.valley(name, alpha)
    assert valley.counts[-1] == kind.size / 2
    for place in (0, 150, 300, 399):
        expected = free_energy(valley.counts[place]) - free_energy(0.0)
        assert valley.free_energy[place] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", lecture.KINDS)
def test_a_sweep_of_copies_is_a_sweep_of_the_engine(name):
    kind = lecture.KINDS[name]
    X, weights = rows_like(name)
    mixture = Mixture(kind.component.family, Dirichlet(1.3))
    for count in (0.5, 20.0, kind.size / 3):
        S = np.outer([count, kind.size - count], kind.component.average)
        after = mixture.e_step(X, S, weights).S[0, 0]
        assert lecture.sweep(name, [count], 1.3)[0] == pytest.approx(after, rel=1e-9)
        if name == lecture.ALIKE:
            bids = bid(np.array([count, kind.size - count]), 1.3)
            expected = kind.size * bids[0] / bids.sum()
            assert expected == pytest.approx(after, rel=1e-9)


@pytest.mark.parametrize("name", lecture.KINDS)
@pytest.mark.parametrize("start", [0.3, 30.0])
def test_the_ball_rolls_where_sweeps_end(name, start):
    kind = lecture.KINDS[name]
    for alpha in (0.65, 1.25, 2.05):
        valley = lecture.valley(name, alpha)
        place = int(np.abs(np.log(valley.counts / start)).argmin())
        rest = valley.counts[valley.roll(place)]
        count = valley.counts[place]
        before = 0.0
        while abs(count - before) > 1e-7 * count and count > lecture.LEAST / 10:
            before = count
            count = lecture.sweep(name, [count], alpha)[0]
        smaller = min(count, kind.size - count)
        grid = valley.counts[1] / valley.counts[0]
        assert rest / grid <= max(smaller, lecture.LEAST) <= rest * grid


def test_the_copies_of_petals_are_those_of_lecture_01b():
    assert lecture.PRIOR_VARIANCES["weak"] == PRIOR_VARIANCE
    valley = lecture.valley(lecture.WEAK, 2.0)
    expected = above_one(valley.counts / lecture.PETALS, lecture.PETALS, 2.0)
    assert np.allclose(valley.free_energy, expected, atol=1e-8)


# ---- where the explorers change ------------------------------------------------------


def test_each_ball_leaves_zero_at_its_global_threshold_and_nowhere_else():
    expected = {
        "two copies": lecture.KINDS[lecture.ALIKE].switch / 0.9,
        "the learned prior": thresholds((1, 1)).keep / 2,
        "the fixed prior": 1.0,
    }
    explorer = lecture.ThreeModels()
    for multiple in lecture.MULTIPLES.tolist():
        found = explorer.compute(multiple)
        left = [name for name, edge in expected.items() if multiple > edge]
        assert found.left == left
        explorer.set(multiple=multiple)
        assert explorer.status.endswith(f"left zero: {', '.join(left) or 'none'}.")
        # at the lowest point of its own curve
        assert (
            found.copies.free_energy.min()
            >= found.copies.free_energy[found.copies.lowest] - 1e-3
        )
        low = found.product[found.learned.argmin()]
        assert found.learned_best == pytest.approx(low, abs=0.05)
        low = lecture.CURVE_FIXED[found.fixed.argmin()]
        assert found.fixed_best == pytest.approx(low, abs=0.02)


def test_two_of_the_three_jump_and_one_moves_by_little():
    found = [lecture.side_by_side(multiple) for multiple in lecture.MULTIPLES.tolist()]
    holds = np.array([one.holds for one in found])
    assert np.all((holds < 0.01) | (holds == 200))
    learned = np.array([one.learned_best for one in found])
    assert learned[learned > 0].min() > 1.1
    fixed = np.array([one.fixed_best for one in found])
    assert np.abs(np.diff(fixed)).max() < 0.16


@pytest.mark.parametrize("name", [lecture.ALIKE, lecture.WEAK])
def test_the_share_jumps_once_on_the_way_down_and_never_on_the_way_up(name):
    kind = lecture.KINDS[name]
    shares = kind.counts[lecture.journey(name)] / kind.size
    edge = find_transition(kind.component, kind.size).copies_spinodal
    down = lecture.STOPS[: lecture.TURN]
    assert np.array_equal(shares[: lecture.TURN] == 0.5, down > edge)
    assert shares[lecture.TURN :].max() < 1e-3
    assert np.all((shares == 0.5) | (shares < 1e-3))


def test_with_the_strong_prior_the_share_returns_on_the_same_way():
    kind = lecture.KINDS[lecture.STRONG]
    shares = kind.counts[lecture.journey(lecture.STRONG)] / kind.size
    there = shares[: lecture.TURN]
    back = shares[lecture.TURN - 1 :]
    assert np.array_equal(there, back[::-1])
    edge = find_transition(kind.component, kind.size).transition
    stops = lecture.STOPS[: lecture.TURN]
    assert np.array_equal(there == 0.5, stops > edge)
    assert np.all(np.diff(there) <= 0)
    # several stops in between, with a large and a small copy lower than equal ones
    between = (there > 0.01) & (there < 0.49)
    assert between.sum() >= 4
    for stop in (1.15, 1.25, 1.35):
        valley = lecture.valley(lecture.STRONG, stop)
        assert valley.free_energy[valley.lowest] < valley.free_energy[-1] < 0


def test_the_words_of_the_explorers_follow_their_arrays():
    second = lecture.SecondComponent()
    second.set(stop=len(lecture.STOPS) - 1)
    assert "hardly any of 400 data points" in second.status and "up" in second.status
    second.set(kind=lecture.STRONG)
    assert "holds 100.0 of 200" in second.status
    second.set(kind=lecture.ALIKE, stop=20)
    assert "holds 200.0 of 400" in second.status


# ---- price and reward ----------------------------------------------------------------


def test_a_small_product_pays_too_much_with_the_learned_prior_whatever_the_number():
    for number in (1.5, 2.5, 8.0):
        r = np.array([1e-9, 1e-6]) ** (2 / 3)
        product, F = learned_landscape(r, number, (1, 1))
        assert np.all(F > 0)
        assert np.allclose(F + number * product, 1.5 * product ** (2 / 3), rtol=1e-3)


def test_a_small_product_pays_in_proportion_with_the_fixed_prior():
    F = fixed_landscape(np.array([0.0, 1e-5]), 1.0, (1, 1))
    slope = (F[1] - F[0]) / 1e-5
    assert slope == pytest.approx(lecture.CRITICAL_FIXED, abs=1e-3)


def test_the_reward_of_a_small_product_exceeds_the_fixed_price_from_1_618_on():
    prices = lecture.small_products()
    found = learned_landscape(lecture.XI, 0.0, (1, 1))
    some = prices.products > 0.01
    assert np.allclose(np.interp(prices.products[some], *found), prices.learned[some])
    explorer = lecture.SmallProducts()
    for number in np.arange(1.0, 6.01, 0.1):
        reward = explorer.compute(number)
        first = slice(1, 5)  # the smallest products that are drawn
        assert np.all(reward[first] < prices.learned[first])
        assert np.all((reward[first] > prices.fixed[first]) == (number > 1.65))
    explorer.set(number=3.0)
    assert "rewarded with 0.030 nats. It pays 0.071 with the learned" in explorer.status


@pytest.mark.parametrize("L, M", [(1, 1), (20, 30), (10, 40)])
def test_exercise_3_is_where_the_engine_begins_to_keep_a_component(L, M):
    gamma, product = best_from(L, M)
    for factor, alive in ((0.9999, False), (1.0001, True)):
        V = np.zeros((L, M))
        V[0, 0] = factor * gamma
        found = solve_empirical(V, noise=1.0)
        assert (found.rank > 0) == alive
        if alive:
            assert found.mean()[0, 0] == pytest.approx(product, rel=2e-3)
    r = 7.0  # the price of the text, and that of the engine
    price = r / 2 + L / 2 * np.log1p(r / L) + M / 2 * np.log1p(r / M)
    place, F = learned_landscape(np.array([r]), 0.0, (L, M))
    assert place[0] == pytest.approx(np.sqrt(r**3 / ((r + L) * (r + M))))
    assert F[0] == pytest.approx(price)


# ---- the formula ---------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.5, 1.1, 2.0, 3.5])
def test_the_price_nears_the_formula_like_one_over_the_number_of_people(alpha):
    component = lecture.KINDS[lecture.ALIKE].component
    errors = []
    for N in (100.0, 1000.0, 10_000.0):
        formula = (0.9 - alpha) * np.log(N / 4) + lecture.constant(alpha)
        exact = share_landscape(component, alpha, N, np.array([0.5]))[0]
        errors.append(abs(exact - formula))
    assert errors[0] < 0.15
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.1)
    assert errors[2] == pytest.approx(errors[1] / 10, rel=0.1)


def test_the_price_of_a_copy_is_that_of_lecture_08a():
    for alpha in (1.1, 2.0):
        price = exact_prices(1000, alpha, 0.1).deterministic
        valley = lecture.valley(lecture.ALIKE, alpha)
        assert valley.free_energy[-1] == pytest.approx(price, abs=1e-9)


@pytest.mark.parametrize("alpha", [0.5, 1.5, 3.0])
@pytest.mark.parametrize("d, variance", [(2, 10.0), (2, 0.5), (4, 10.0)])
def test_the_formula_of_petals_has_the_constant_of_its_prior(alpha, d, variance):
    component = ideal_known(d, variance)
    N = 1e6
    exact = share_landscape(component, alpha, N, np.array([0.5]))[0]
    assert two_less_one(N, alpha, d, 1 / variance) == pytest.approx(exact, abs=1e-4)
    of_prior = prior_constant(component.family, N * component.average, d)
    assert of_prior == pytest.approx(d / 2 * np.log(1 / variance), abs=1e-4)


def test_a_negative_constant_does_not_exclude_a_barrier():
    component = ideal_known(1, 5.8)
    constant = -np.log(2 * np.pi) / 2 + np.log(5.8) / 2  # at alpha = 1
    assert constant == pytest.approx(-0.04, abs=0.001)
    shares = np.append(np.geomspace(1e-12, 0.49, 5000), 0.5)
    for N in (100, 400, 10_000):
        assert len(minima(component, 1.0, N, shares)) == 2


@pytest.mark.parametrize("alpha, N", [(1.31, 400), (1.0, 400), (3.0, 1000)])
def test_exercise_2_finds_the_top_of_the_barrier(alpha, N):
    component = lecture.KINDS[lecture.ALIKE].component
    shares = np.geomspace(1e-4 / N, 0.4, 40_000)
    F = share_landscape(component, alpha, N, shares)
    top = N * shares[F.argmax()]
    assert least_people(alpha, N) == pytest.approx(top, rel=2e-3)


# ---- the exact posterior -------------------------------------------------------------


def smaller_share(alpha, N, beta=0.25):
    family = BetaBernoulli(4, beta)
    return occupation_of_identical(family, alpha, np.ones(4), N).smaller


def test_the_exact_share_rises_from_zero_at_half_a_data_point_less_than_vb():
    """With four answers and beta = 0.25 it begins at 1, and VB's critical value is 1.5."""
    rng = np.random.default_rng(0)
    for alpha in (1.5, 2.0):
        draws = rng.beta(alpha - 1, alpha - 1, size=200_000)
        limit = np.minimum(draws, 1 - draws).mean()
        assert smaller_share(alpha, 30_000) == pytest.approx(limit, abs=0.012)
    below = [smaller_share(0.7, N) for N in (100, 1000, 10_000)]
    assert below[0] > 1.5 * below[1] > 2 * below[2]


@pytest.mark.parametrize("alpha", [0.3, 0.8, 1.7, 3.0])
def test_vb_exceeds_the_exact_coefficient_by_at_most_one_half(alpha):
    """Equal rows: exactly D beta + min(alpha, D beta), and VB D beta + min(alpha, D beta + 1/2)."""
    D, beta = 4, 0.3
    gaps = []
    for N in (30_000, 300_000):
        family = BetaBernoulli(D, beta)
        exact = -occupation_of_identical(family, alpha, np.ones(D), N).log_evidence
        mixture = Mixture(family, Dirichlet(alpha))
        row = N * np.concatenate([[1], np.ones(D), np.zeros(D)])
        states = [np.outer(shares, row) for shares in ([0.5, 0.5], [1.0, 0.0])]
        F = [-mixture.elbo(np.ones((1, D)), S, [N]) for S in states]
        assert min(F) > exact
        gaps.append(min(F) - exact)
    expected = min(max(alpha - D * beta, 0), 0.5)
    assert (gaps[1] - gaps[0]) / np.log(10) == pytest.approx(expected, abs=0.03)


# ---- pictures ------------------------------------------------------------------------


def test_the_words_of_the_pictures_are_true():
    alt = lecture.picture_of_two_borders().alt
    assert "falls from 3.8 at 0.6" in alt and "zero at 1.31" in alt
    alpha = lecture.BEGINNERS
    for name, edge in ((lecture.ALIKE, 0.48), (lecture.WEAK, 1.32)):
        counts = np.array([0.05, edge - 0.05, edge + 0.05, 3.0])
        gains = lecture.sweep(name, counts, alpha) - counts
        assert np.array_equal(gains > 0, [False, False, True, True])
    counts = np.linspace(0.001, 3, 50)
    assert np.all(lecture.sweep(lecture.STRONG, counts, alpha) > counts)
    assert "below zero up to 0.48" in lecture.picture_of_beginners().alt
    for name in lecture.KINDS:  # two equal copies are lower than one
        assert lecture.valley(name, alpha).free_energy[-1] < 0
