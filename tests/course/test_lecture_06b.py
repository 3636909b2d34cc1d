"""Lecture 06b: lag and noise are those of theory, and hidden labels increase the lag alone."""

import numpy as np
import pytest
from scipy.stats import norm

from vbkit.course import lecture_06b as lecture
from vbkit.course import moving_source
from vbkit.course.answers_06b import best_memory, best_of
from vbkit.learning import fit_online, sato2000
from vbkit.mixture import EM, Mixture

# ---- two machines that wear out ------------------------------------------------------


def test_a_track_in_pieces_is_the_whole_stream():
    found = moving_source.track(100.0, 1.0, 4.0)
    middle = 1e-3 * (np.arange(moving_source.LENGTH) - moving_source.LENGTH / 2)
    assert np.allclose(found.truth[-1], middle[-1] + np.array([-2, 2]))
    ends = middle[0] + np.array([[-2.0], [2.0]])
    start = moving_source.MODEL.family.state(
        np.full(2, 500.0), ends, np.ones((2, 1, 1))
    )
    schedule = sato2000(1000, tau0=100.0, kappa=0.0)
    fit = fit_online(
        moving_source.MODEL, found.X[:, None], start, schedule, monitor=False
    )
    assert np.allclose(found.means[-1, 0], fit.S[:, 1] / fit.S[:, 0], rtol=1e-9)
    assert fit.schedule.memory == pytest.approx(100)  # the memory stays


@pytest.mark.parametrize("memory, speed", [(100.0, 1.0), (100.0, 3.0), (320.0, 0.1)])
def test_lag_and_noise_are_those_of_theory_for_machines_far_apart(memory, speed):
    lag, noise = moving_source.errors(moving_source.track(memory, speed, 9.0))
    expected_lag, expected_noise = moving_source.theory(memory, speed / 1000)
    averages = moving_source.STREAMS * 2 * moving_source.LENGTH / 4 / (2 * memory)
    spread = expected_noise / np.sqrt(averages)  # of the mean over streams and time
    assert abs(lag - expected_lag) < 4 * spread
    assert noise == pytest.approx(expected_noise, rel=0.2)


def test_the_best_memory_is_where_theory_is_least():
    memories = np.linspace(20, 200, 18_001)
    total = np.hypot(*moving_source.theory(memories, 1e-3))
    best = moving_source.best_memory(1e-3)
    assert memories[total.argmin()] == pytest.approx(best, rel=0.01)


def test_another_seed_sends_other_bolts():
    one = moving_source.track(100.0, 0.5, 6.0, 1)
    other = moving_source.track(100.0, 0.5, 6.0, 2)
    assert not np.array_equal(one.X, other.X)
    assert np.array_equal(one.truth, other.truth)


# ---- hidden labels -------------------------------------------------------------------


def test_a_sweep_of_the_lecture_is_a_sweep_of_em_and_stays_at_the_machines():
    truth = np.array([-1.5, 1.5, 1.0, 1.0, 0.5])
    assert np.allclose(lecture.sweep(truth, 3.0), truth, atol=1e-9)
    elsewhere = np.array([-1.2, 1.9, 0.8, 1.3, 0.6])
    x = np.linspace(-12, 12, 4001)
    share = np.exp(-((x[:, None] - [-1.5, 1.5]) ** 2) / 2).sum(axis=1)
    family = moving_source.MODEL.family
    mixture = Mixture(family, moving_source.MODEL.labels, clones=EM)
    start = family.state(
        1e9 * np.array([0.4, 0.6]), elsewhere[:2, None], elsewhere[2:4, None, None]
    )
    R = mixture.responsibilities(x[:, None], start)
    counts = share @ R
    means = share @ (R * x[:, None]) / counts
    made = lecture.sweep(elsewhere, 3.0)
    assert np.allclose(made[:2], means, atol=1e-4)
    assert made[4] == pytest.approx(counts[1] / counts.sum(), abs=1e-4)


def log_density(parameters, x):
    """Of two components, at the lengths x (n,): two means, two variances, a weight."""
    weights = np.array([1 - parameters[4], parameters[4]])
    parts = norm.pdf(x[:, None], parameters[:2], np.sqrt(parameters[2:4]))
    return np.log(parts @ weights)


@pytest.mark.parametrize("distance", [6.0, 4.0, 3.0, 2.5])
def test_the_lag_is_that_of_observed_and_complete_information(distance):
    """A sweep leaves I - I_com^-1 I_obs, so the lag is v tau I_obs^-1 I_com u."""
    truth = np.array([-distance / 2, distance / 2, 1.0, 1.0, 0.5])
    x = np.linspace(-distance / 2 - 9, distance / 2 + 9, 4001)
    slopes = []
    for nudge in 1e-5 * np.eye(5):
        rise = log_density(truth + nudge, x) - log_density(truth - nudge, x)
        slopes.append(rise / 2e-5)
    slopes = np.array(slopes)
    world = np.exp(log_density(truth, x)) * (x[1] - x[0])
    observed = slopes * world @ slopes.T
    complete = np.diag([0.5, 0.5, 0.25, 0.25, 4.0])
    for learned in (2, 5):
        some = slice(0, learned)
        both_means = np.array([1.0, 1.0, 0.0, 0.0, 0.0])[some]
        push = complete[some, some] @ both_means
        expected = np.linalg.solve(observed[some, some], push)[0]
        found = lecture.times_as_late(distance, learned)
        assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("distance", [6.0, 3.5, 2.5])
def test_what_a_sweep_leaves_of_late_means_is_the_squared_distance_times_the_doubt(
    distance,
):
    x = np.linspace(-12, 12, 4001)
    often = norm.pdf(x, -distance / 2) + norm.pdf(x, distance / 2)
    r = norm.pdf(x, -distance / 2) / often
    left = distance**2 * np.average(r * (1 - r), weights=often)
    assert lecture.times_as_late(distance, 2) == pytest.approx(1 / (1 - left), rel=1e-4)


@pytest.mark.parametrize("distance", [3.5, 4.0])
def test_hidden_labels_increase_the_lag_as_calculated_and_not_the_noise(distance):
    found = lecture.followed(100, 0.5, distance)
    known = 100 * 0.5 / 1000
    assert found.lag / known == pytest.approx(
        lecture.times_as_late(distance, 5), rel=0.15
    )
    assert found.noise == pytest.approx(0.1, rel=0.1)


def test_without_chance_machines_far_apart_are_followed_as_with_known_labels():
    lags = lecture.lags_without_chance(1000, 0.5, 12.0)
    known_labels = 0.99 * (1 - 0.99 ** np.arange(1000))
    assert np.allclose(lags, known_labels, atol=1e-3)


@pytest.mark.parametrize("distance", [3.5, 4.0])
def test_the_calculated_lag_is_that_of_slow_machines_after_a_while(distance):
    lags = lecture.lags_without_chance(4000, 0.05, distance)
    assert lags[-1] == pytest.approx(lecture.times_as_late(distance, 5), rel=0.01)


def test_late_means_are_excused_by_weights_and_widths():
    late = lecture.late_components(3.0)
    assert late.weights[1] > 0.6 and late.widths[1] > 1.1
    assert late.widths[0] < 0.9
    x = np.linspace(-11, 11, 4001)
    world = norm.pdf(x[:, None], late.ends).mean(axis=1)
    without = norm.pdf(x[:, None], late.means).mean(axis=1)
    lost = np.sum(world * np.log(world / without)) * (x[1] - x[0])
    assert lost > 3 * lecture.nats_lost(3.0) > 0


def test_the_picture_of_doubt_tells_how_much_of_the_bolts_it_is():
    assert "it is 0.030 of the grey area" in lecture.picture_of_doubt(3.5).alt


# ---- the explorers ---------------------------------------------------------------------


def test_the_explorers_say_what_they_show():
    wearing = lecture.FollowTwoMachines()
    assert "the longer, the better" in wearing.status
    wearing.set(speed=0.5)
    assert "a memory of 126 bolts is best" in wearing.status
    close = lecture.MachinesCloseTogether()
    close.set(distance=3.5)
    assert "by calculation 3.4 times" in close.status


# ---- answers -------------------------------------------------------------------------


def test_the_best_of_several_memories_is_shorter_behind_close_machines():
    memories = (30.0, 125.0)
    assert best_of(memories, 0.5, 6.0)[0] == 125
    best, error = best_of(memories, 0.5, 3.0)
    assert best == 30
    found = moving_source.track(30.0, 0.5, 3.0)
    assert error == pytest.approx(np.hypot(*moving_source.errors(found)))


@pytest.mark.parametrize(
    "speed, machines, factor", [(1e-3, 2, 1.0), (3e-4, 5, 1.0), (5e-4, 2, 7.4)]
)
def test_the_best_memory_of_exercise_2(speed, machines, factor):
    memories = np.geomspace(10, 2000, 40_001)
    squares = (factor * speed * memories) ** 2 + machines / (2 * memories)
    best, error = best_memory(speed, machines, factor)
    assert best == pytest.approx(memories[squares.argmin()], rel=1e-3)
    assert error == pytest.approx(np.sqrt(squares.min()))
    assert machines / (2 * best) == pytest.approx(2 / 3 * error**2)
    if machines == 2 and factor == 1:
        assert best == pytest.approx(moving_source.best_memory(speed))
