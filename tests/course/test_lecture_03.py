"""Lecture 03: its streams are the engine's, and the share of a copy changes at the critical
concentration in batch VB, and nowhere online."""

import numpy as np
import pytest

from vbkit.course import lecture_03 as lecture
from vbkit.course import stream
from vbkit.course.answers_03 import combine, take_back
from vbkit.learning import accumulation, component_prior_means, fit_batch, fit_online

EXPLORERS = [lecture.TwentyComponents, lecture.CopiesOnline, lecture.OtherOrders]
A = lecture.GRID


# ---- the stream ----------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [1, 2])
def test_judge(dimension):
    """The truth itself; then two machines that share a component, and a third with 0.5 %."""
    mixture = stream.make_mixture(dimension, 1.0)
    truth = stream.true_machines(dimension)
    covariances = truth.widths[:, None, None] ** 2 * np.eye(dimension)
    S = mixture.family.state(1e7 * truth.weights, truth.means, covariances)
    judged = stream.judge(mixture, S, truth)
    assert (judged.used, judged.found, judged.top) == (5, 5, 1.0)
    assert judged.divergence == pytest.approx(0, abs=1e-4)
    merged = np.vstack([S[0] + S[1], S[2], S[3], 0.03 * S[4]])
    judged = stream.judge(mixture, merged, truth)
    assert (judged.used, judged.found) == (3, 2) and judged.divergence > 0.1
    judged = stream.judge(mixture, np.vstack([S, S[:2]]), truth)
    assert judged.used == 7
    assert judged.top == pytest.approx(1.05 / 1.35)  # without two of .15


def test_orders_are_of_the_same_bolts():
    X, means = lecture.in_order("as they came")
    other, same = lecture.in_order("ascending")
    assert np.array_equal(other, np.sort(X, axis=0)) and (np.diff(X[:, 0]) < 0).any()
    assert np.array_equal(means, same)


@pytest.mark.parametrize("order", lecture.ORDERS)
def test_twenty_components_are_learned_by_the_engine(order):
    known = lecture.OtherOrders().compute(700, order)
    X, means = lecture.in_order(order)
    mixture = stream.make_mixture(1, 1.0)
    start = component_prior_means(mixture, means)
    S = fit_online(mixture, X[:700], start, accumulation(), monitor=False).S
    assert np.allclose(known.shares[-1], S[:, 0] / 700, rtol=1e-10)
    assert known.seen[-1] == 700
    judged = stream.judge(mixture, S, stream.true_machines())
    assert known.judged == pytest.approx(judged)


def test_the_three_components_that_hold_most_in_the_end_have_colours():
    known = lecture.TwentyComponents().compute(10)
    ends = lecture.TwentyComponents().compute(3000)
    assert known.colours == ends.colours
    coloured = [k for k, one in enumerate(ends.colours) if one != lecture.OTHERS]
    assert len(coloured) == 3
    others = np.delete(ends.shares[-1], coloured)
    assert ends.shares[-1, coloured].min() > others.max()


def test_areas_are_weights():
    known = lecture.TwentyComponents().compute(3000)
    mixture, _, states = lecture.states_of("as they came")
    weights, (means, _) = mixture.parameters(states[-1])
    inside = abs(means[:, 0]) < 9
    areas = known.components.sum(axis=1) * 0.2
    assert areas[inside] == pytest.approx(weights[inside], rel=0.02)
    assert known.histogram.sum() * 0.5 == pytest.approx(1, abs=1e-3)
    assert known.predictive.sum() * 0.2 == pytest.approx(1, abs=1e-2)
    nothing = lecture.TwentyComponents().compute(0)
    assert not nothing.histogram.any() and nothing.shares.shape == (0, 20)


# ---- two copies ----------------------------------------------------------------------


def state_of_copies(counts):
    """Copies that hold ideal bolts, of average 0 and variance 1."""
    return np.outer(counts, [1.0, 0.0, 1.0])


@pytest.mark.parametrize("concentration", [0.25, 1.0, 3.0])
def test_bids_are_those_of_the_engine(concentration):
    mixture = stream.make_mixture(1, concentration)
    counts = np.array([25.0, 15.0])
    bids = lecture.bid(counts, concentration)
    for bolt in (-1.3, 0.0, 2.0):  # the same everywhere
        R = mixture.responsibilities(np.array([[bolt]]), state_of_copies(counts))
        assert R[0] == pytest.approx(bids / bids.sum(), rel=1e-10)


def test_a_round_of_batch_vb_is_a_sweep():
    """Forty bolts of average 0 and variance 1, exactly."""
    ideal = np.repeat([-1.0, 1.0], 20)[:, None]
    mixture = stream.make_mixture(1, 1.0)
    start = state_of_copies([25.0, 15.0])
    S = fit_batch(mixture, ideal, start, max_epochs=10, tolerance=0).S
    shares = lecture.shares_of_copies().batch[:, A.index(1.0)]
    # the engine starts with an E-step: each epoch is a sweep
    assert S[1, 0] / 40 == pytest.approx(shares[10], rel=1e-8)


@pytest.mark.parametrize("concentration", [0.5, 1.0, 2.0])
def test_random_bolts_keep_the_ratio_of_the_bids(concentration):
    """The rule for many bolts, on the average of many real streams."""
    mixture = stream.make_mixture(1, concentration)
    ends = []
    for seed in range(20):
        bolts = np.random.default_rng(seed).standard_normal((1000, 1))
        start = state_of_copies([250.0, 150.0])
        S = fit_online(mixture, bolts, start, accumulation(), monitor=False).S
        ends.append(S[:, 0])
    lost = 1.5 - concentration
    large, small = np.mean(ends, axis=0) - lost
    assert small / large == pytest.approx((150 - lost) / (250 - lost), rel=5e-3)


def test_the_share_jumps_at_the_critical_concentration_in_batch_vb_only():
    explorer = lecture.CopiesOnline()
    shares = explorer.compute()
    batch = shares.batch[-1]
    online = shares.online[-1]
    below = [k for k, a in enumerate(A) if a <= 1.25]
    above = [k for k, a in enumerate(A) if a >= 1.75]
    assert batch[below].max() < 0.01 and batch[above].min() > 0.49
    assert 0.4 < batch[A.index(1.5)] < 0.45
    assert (np.diff(online) > 0).all() and np.ptp(online) < 0.02
    of_rule = (15 - 1.5 + np.array(A)) / (40 - 3 + 2 * np.array(A))
    assert online == pytest.approx(of_rule, abs=0.005)


# ---- pictures and exercises ----------------------------------------------------------


def test_a_bolt_is_taken_back_and_two_inspectors_agree():
    prior = (1.0, 0.0, 1.0, 1.0)
    after_two = (2.0, 1.0, 1.5, 2.0)  # the bolt at 2
    after_both = (3.0, 2.0, 2.0, 5.0)  # and the bolt at 4
    assert take_back(4.0, 1.0, *after_both) == pytest.approx(after_two)
    after_four = take_back(2.0, 1.0, *after_both)
    assert combine(after_two, after_four, prior) == pytest.approx(after_both)


def test_first_pictures_stand_at_the_beginning():
    assert lecture.TwentyComponents().first["seen"] == 10
    assert lecture.CopiesOnline().first["round"] == 0
    assert "15 of 20" in lecture.TwentyComponents().at(seen=3000).alt
    assert "37.2% online" in lecture.CopiesOnline().at(round=300).alt


def test_pictures():
    one = stream.draw_stream(0, 0)
    mixture = stream.make_mixture(1, 1.0)
    start = component_prior_means(mixture, one.prior_means)
    states = stream.states_along(mixture, one.data, start, lecture.STAGES)
    figure = lecture.picture_of_stages(mixture, one.data, states, one.prior_means)
    assert figure.arrays["states"].shape == (6, 20, 3)
    counts = lecture.picture_of_counts(mixture, states[-1], states[2], 100)
    assert "100 sweeps" in counts.alt
    beginning = lecture.picture_of_stream(one.data[:, 0], one.prior_means[:, 0])
    assert beginning.png
