"""Lecture 10: the landscapes are the engine's, the balls lie and roll where VB ends, each
explorer changes where the theory says and nowhere else, and the formula is the limit."""

import numpy as np
import pytest

from vbkit.course import lecture_10 as lecture
from vbkit.course.answers_10 import bid, least_people, leaves_zero_at, more_than_equal
from vbkit.course.people import exact_prices
from vbkit.factorization import (
    fixed_landscape,
    learned_landscape,
    shrink_fixed,
    thresholds,
)
from vbkit.families import BetaBernoulli
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import share_landscape
from vbkit.theory.coexistence import find_transition
from vbkit.theory.redundancy import occupation_of_identical

# ---- two copies ----------------------------------------------------------------------


ROWS = np.ones((1, 4))  # one row stands for all people
EVERYBODY = np.array([float(lecture.PEOPLE)])


def swept(count, alpha):
    """What the first of two copies of all people holds after a sweep, by the bids."""
    bids = bid(np.array([count, lecture.PEOPLE - count]), alpha)
    return lecture.PEOPLE * bids[0] / bids.sum()


@pytest.mark.parametrize("alpha", [0.7, 1.45, 2.5])
def test_the_landscape_is_the_free_energy_of_the_engine(alpha):
    mixture = Mixture(lecture.ALIKE.family, Dirichlet(alpha))

    def free_energy(count):
        share = count / lecture.PEOPLE
        R = np.array([[share, 1 - share]])
        return -mixture.elbo_of_responsibilities(ROWS, R, EVERYBODY)

    valley = lecture.valley(alpha)
    assert lecture.COUNTS[-1] == lecture.PEOPLE / 2
    for place in (0, 150, 300, 399):
        expected = free_energy(lecture.COUNTS[place]) - free_energy(0.0)
        assert valley.free_energy[place] == pytest.approx(expected, abs=1e-6)


def test_a_sweep_of_bids_is_a_sweep_of_the_engine():
    mixture = Mixture(lecture.ALIKE.family, Dirichlet(1.3))
    for count in (0.5, 20.0, 133.0):
        S = np.outer([count, lecture.PEOPLE - count], lecture.ALIKE.average)
        after = mixture.e_step(ROWS, S, EVERYBODY).S[0, 0]
        assert swept(count, 1.3) == pytest.approx(after, rel=1e-9)


@pytest.mark.parametrize("start", [0.3, 30.0])
def test_the_ball_rolls_where_sweeps_end(start):
    for alpha in (0.65, 1.25, 2.05):
        valley = lecture.valley(alpha)
        place = int(np.abs(np.log(lecture.COUNTS / start)).argmin())
        rest = lecture.COUNTS[valley.roll(place)]
        count = lecture.COUNTS[place]
        before = 0.0
        while abs(count - before) > 1e-7 * count and count > lecture.LEAST / 10:
            before = count
            count = swept(count, alpha)
        smaller = min(count, lecture.PEOPLE - count)
        grid = lecture.COUNTS[1] / lecture.COUNTS[0]
        assert rest / grid <= max(smaller, lecture.LEAST) <= rest * grid


# ---- where the explorers change ------------------------------------------------------


def test_each_ball_leaves_zero_at_its_global_threshold_and_nowhere_else():
    expected = {
        "two copies": lecture.SWITCH / 0.9,
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


def test_the_second_copy_is_lost_once_on_the_way_down_and_never_comes_back():
    held = lecture.COUNTS[lecture.journey()]
    edge = find_transition(lecture.ALIKE, lecture.PEOPLE).copies_spinodal
    down = lecture.STOPS[: lecture.TURN]
    up = lecture.STOPS[lecture.TURN :]
    assert np.all(np.diff(down) < 0)
    assert np.all(np.diff(up) > 0)
    assert np.array_equal(held[: lecture.TURN] == 200, down > edge)
    assert held[lecture.TURN :].max() < 0.01
    assert np.all((held == 200) | (held < 0.01))


def test_the_words_of_the_explorer_follow_its_arrays():
    second = lecture.SecondComponent()
    second.set(stop=len(lecture.STOPS) - 1)
    assert "hardly any of 400 people" in second.status
    assert "up, at 3.05" in second.status
    second.set(stop=20)
    assert "holds 200.0 of 400" in second.status
    assert "down, at 1.05" in second.status


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


@pytest.mark.parametrize("prior_variance", [0.25, 1.0, 3.0, 50.0])
def test_exercise_3_is_where_the_engine_sees_a_product(prior_variance):
    edge = leaves_zero_at(prior_variance)
    for factor, sees in ((0.9999, False), (1.0001, True)):
        found = shrink_fixed(factor * edge, (1, 1), prior_variance, prior_variance, 1.0)
        assert (found > 0) == sees
    # and it is the price of a small product
    F = fixed_landscape(np.array([0.0, 1e-6]), prior_variance, (1, 1))
    assert (F[1] - F[0]) / 1e-6 == pytest.approx(edge, rel=1e-3)


# ---- the formula ---------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.35, 0.2])
@pytest.mark.parametrize("alpha", [0.5, 1.1, 2.0, 3.5])
def test_the_price_of_a_division_nears_the_formula_like_one_over_the_number(
    alpha, share
):
    """Beside its constant, so the prices of two divisions are compared."""
    errors = []
    for N in (100.0, 1000.0, 10_000.0):
        shares = np.array([share, 0.5])
        unequal, equal = share_landscape(lecture.ALIKE, alpha, N, shares)
        formula = more_than_equal(share, alpha, 4, 0.1)
        errors.append(abs(unequal - equal - formula))
    assert errors[0] < 0.4
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.1)
    assert errors[2] == pytest.approx(errors[1] / 10, rel=0.1)


@pytest.mark.parametrize("alpha", [0.5, 1.1, 2.0])
def test_the_price_of_equal_copies_has_the_slope_of_the_formula(alpha):
    half = np.array([0.5])
    low, high = (share_landscape(lecture.ALIKE, alpha, N, half)[0] for N in (1e5, 1e7))
    assert (high - low) / np.log(100) == pytest.approx(0.9 - alpha, abs=1e-4)


def test_the_price_of_a_copy_is_that_of_lecture_08a():
    for alpha in (1.1, 2.0):
        price = exact_prices(1000, alpha, 0.1).deterministic
        assert lecture.valley(alpha).free_energy[-1] == pytest.approx(price, abs=1e-9)


@pytest.mark.parametrize("alpha, N", [(1.31, 400), (1.0, 400), (3.0, 1000)])
def test_exercise_2_finds_the_top_of_the_barrier(alpha, N):
    shares = np.geomspace(1e-4 / N, 0.4, 40_000)
    F = share_landscape(lecture.ALIKE, alpha, N, shares)
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


def test_the_words_of_the_picture_are_true():
    alt = lecture.picture_of_two_borders().alt
    assert "falls from 3.8 at 0.6" in alt and "zero at 1.31" in alt
