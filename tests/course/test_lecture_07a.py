"""Lecture 07a: its updates are the engine's, they end at the closed form, and VB's product
leaves zero within the stated interval of V and nowhere else."""

import numpy as np
import pytest

from vbkit.course import factors
from vbkit.course import lecture_07a as lecture
from vbkit.course.answers_07a import product_at_rest, sweeps_of
from vbkit.course.factors import Factors
from vbkit.factorization import Factorization, elbo, fit
from vbkit.factorization.analytic import solve_fixed

GOLDEN = (1 + np.sqrt(5)) / 2
SOME = Factors(1.2, 0.3, 0.7, 0.5)


def engine(now: Factors, prior_a=1.0, prior_b=1.0, noise=1.0) -> Factorization:
    """The same posterior in the engine's class, for a table of one number."""
    means = np.array([[now.a]]), np.array([[now.b]])
    variances = np.array([[now.s_a]]), np.array([[now.s_b]])
    priors = np.array([prior_a]), np.array([prior_b])
    return Factorization(*means, *variances, *priors, noise)


@pytest.mark.parametrize(("prior_a", "prior_b", "noise"), [(1, 1, 1), (0.8, 1.4, 0.5)])
def test_a_sweep_is_that_of_the_engine(prior_a, prior_b, noise):
    V = 2.5
    a, s_a = factors.update(V, SOME.b, SOME.s_b, prior_a, noise)
    b, s_b = factors.update(V, a, s_a, prior_b, noise)
    there = fit(
        np.array([[V]]),
        engine(SOME, prior_a, prior_b, noise),
        max_sweeps=1,
        tolerance=0,
        learn_prior=False,
        learn_noise=False,
    )
    assert (a, b) == pytest.approx((there.A[0, 0], there.B[0, 0]))
    assert (s_a, s_b) == pytest.approx((there.cov_A[0, 0], there.cov_B[0, 0]))


@pytest.mark.parametrize("V", [0.5, 3.0])
def test_the_elbo_is_that_of_the_engine(V):
    expected = elbo(np.array([[V]]), engine(SOME))
    assert factors.elbo(V, SOME) == pytest.approx(expected)


@pytest.mark.parametrize("V", [0.0, 1.5, 3.0])
def test_the_exact_posterior_integrates_to_one_and_has_the_stated_product(V):
    grid = np.linspace(-8, 8, 801)
    weight = factors.exact_density(V, grid) * (grid[1] - grid[0]) ** 2
    assert weight.sum() == pytest.approx(1, abs=1e-6)
    product = np.sum(weight * np.outer(grid, grid))
    assert factors.exact_product(V) == pytest.approx(product, abs=1e-6)


@pytest.mark.parametrize("V", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("mean", [-1.0, 0.5])
def test_no_update_raises_the_divergence_and_the_end_is_the_closed_form(V, mean):
    states = factors.take_turns(V, factors.start(mean), 400)
    gaps = np.array([factors.divergence(V, now) for now in states])
    assert np.diff(gaps).max() < 1e-9 and gaps.min() > 0
    rest = factors.at_rest(V, mean)
    best = solve_fixed([[V]], 1.0, 1.0, 1.0).mean()[0, 0]
    assert rest.product == pytest.approx(best, abs=1e-6)
    assert rest.product == pytest.approx(product_at_rest(V, 1, 1, 1), abs=1e-6)
    if rest.product > 0.01:
        assert np.sign([rest.a, rest.b]).tolist() == [np.sign(mean)] * 2


def test_the_explorer_takes_the_turns_of_the_text():
    expected = factors.take_turns(3.0, factors.start(-1.0), 3)
    assert lecture.TakeTurns().compute(-1.0, 3) == expected


def test_two_peaks_appear_from_one_on_and_nowhere_else():
    explorer = lecture.OneNumber()
    for _, V in explorer.controls["V"].options:
        seen = explorer.compute(V)
        assert len(seen.peaks) == (1 if V <= 1 else 2)
        product = max(V - 1, 0)
        assert np.allclose(seen.peaks**2, product, atol=0.06)


def test_the_bands_of_the_plane_are_those_of_the_exact_density():
    grid = np.linspace(-4, 4, 161)
    for V in (0.0, 1.5, 4.0):
        density = factors.exact_density(V, grid)
        outlines, colours = lecture.bands_at(V)
        assert len(outlines) == len(colours) >= len(lecture.BANDS)
        lowest = outlines[0]
        log_height = -((V - lowest[:, 0] * lowest[:, 1]) ** 2 + (lowest**2).sum(axis=1))
        height = np.exp(log_height / 2 - factors.log_evidence(V)) / (2 * np.pi) ** 1.5
        assert np.allclose(height / density.max(), lecture.BANDS[0], rtol=0.1)


def test_the_product_leaves_zero_between_160_and_165_without_a_jump_and_nowhere_else():
    explorer = lecture.RaiseTheNumber()
    values = [V for _, V in explorer.controls["V"].options]
    ends = np.array([explorer.compute(V).vb[-1] for V in values])
    values = np.array(values)
    below, above = values <= 1.6, values >= 1.65
    assert (below | above).all()
    assert np.abs(ends[below]).max() < 1e-9
    assert ends[above].min() > 0.04
    slopes = np.diff(ends) / lecture.STEP
    assert slopes.max() < 1 + 1 / GOLDEN**2  # no jump
    bends = np.diff(slopes)  # the slope changes there, and hardly anywhere else
    places = values[1:-1]
    there = (places >= 1.6) & (places <= 1.65)
    assert bends[there].sum() > 1.3 and np.abs(bends[~there]).max() < 0.05
    # and it is VB that changes, not the exact mean
    exact = np.array([explorer.compute(V).exact[-1] for V in values])
    assert np.abs(np.diff(np.diff(exact) / lecture.STEP)).max() < 0.05


def test_the_way_down_is_the_way_up():
    """VB started from where it came to rest at the next larger V ends at the same place."""
    downwards = []
    b, s_b = 1.0, 0.5
    for V in lecture.NUMBERS[::-1]:
        for _ in range(3000):
            a, s_a = factors.update(V, b, s_b)
            b, s_b = factors.update(V, a, s_a)
        downwards.append(b * a)
    _, rest = lecture.products()
    assert np.allclose(downwards[::-1], rest.product, atol=1e-6)


def test_the_trail_ends_at_the_present_number():
    explorer = lecture.RaiseTheNumber()
    seen = explorer.compute(3.0)
    assert seen.V[-1] == 3.0 and len(seen.vb) == len(seen.exact) == len(seen.V) == 61
    assert seen.factors.product == pytest.approx(5 / 3)
    assert seen.exact[-1] == pytest.approx(factors.exact_product(3.0))


def test_tiny_means_die_out_below_the_golden_ratio_and_grow_above_it():
    for V, grows in ((GOLDEN - 0.05, False), (GOLDEN + 0.05, True)):
        rest = factors.at_rest(V, mean_of_b=1e-6)
        assert (rest.product > 1e-3) == grows


def test_without_its_variances_vb_climbs_to_the_peak():
    for V in (0.8, 1.5, 3.0):
        a, b = sweeps_of(V, 1.0, 0.5, 3000, keep_variances=False)
        assert b * a == pytest.approx(max(V - 1, 0), abs=1e-6)


def test_statuses_and_alternative_texts():
    one = lecture.OneNumber()
    assert one.status == "V = 0.0: one peak, at (0, 0)."
    one.set(V=3.0)
    assert "two peaks, at (1.41, 1.41)" in one.status
    assert one.status.endswith("their product is 2.00.")
    turns = lecture.TakeTurns()
    turns.set(updates=2)
    assert "Mean of a: 1.20, of b: 1.27, of the product: 1.52." in turns.status
    rise = lecture.RaiseTheNumber()
    rise.set(V=3.0)
    assert "1.72 exactly, 1.67 by VB." in rise.status
    holes = {(0, 2), (1, 1)}
    tables = [({"Ann": 2, "Bob": 1}, (1, 2, 3), holes)] * 2
    assert "A: Ann 2, Bob 1; films 1, 2, 3." in lecture.picture_of_tables(tables).alt
