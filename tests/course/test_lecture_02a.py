"""Lecture 02a: its explorers and pictures show what the engine computes."""

import numpy as np
import pytest

from vbkit.course import four_gaussians as four
from vbkit.course import lecture_02a as lecture
from vbkit.course.answers_02a import effective_size, memories, shares_of_data
from vbkit.learning import fit_batch, fit_online, sato1999
from vbkit.press import publish

# settings in which every control matters


# ---- four Gaussians ------------------------------------------------------------------


def test_states_by_pass_are_those_of_the_learning_rules():
    X = four.points()
    mixture = four.em_mixture(four.SIZE)
    start = four.start_state(3)
    batch = four.learn(mixture, X, start, None, 5)
    rng = np.random.default_rng(2)
    online = four.learn(mixture, X, start, sato1999(1000), 5, rng)
    due = fit_batch(mixture, X, start, max_epochs=5, tolerance=0).S
    assert np.array_equal(batch[-1], due)
    rng = np.random.default_rng(2)
    due = fit_online(mixture, X, start, sato1999(1000), epochs=5, rng=rng).S
    assert np.array_equal(online[-1], due)
    assert len(batch) == len(online) == 6 and np.array_equal(batch[0], start)


def test_a_start_in_mean_statistics_is_the_same_start():
    weights, means, variances = four.parameters(
        four.em_mixture(four.SIZE), [four.start_state(2)]
    )
    s = four.start_statistics(2)
    assert np.allclose(s[:, 0], weights[0])
    assert np.allclose(s[:, 1:3], weights[0][:, None] * means[0])
    squares = (means[0] ** 2).sum(axis=1) + 2 * variances[0]
    assert np.allclose(s[:, 3], weights[0] * squares, atol=1e-5)
    nats = four.divergence_of(weights[0], means[0], variances[0])
    assert nats == pytest.approx(four.divergence_after_passes(2, None, 1)[0])


# ---- explorers -----------------------------------------------------------------------


@pytest.mark.parametrize("rate", lecture.RATES)
def test_two_bumps_are_the_two_methods(rate):
    estimates = lecture.TwoBumps().compute(rate)
    x = lecture.three_hundred_bolts()
    theta = 0.1
    for bolt in x:
        theta += rate * (bolt * np.tanh(theta * bolt) - theta)
    assert estimates.online[300] == pytest.approx(theta)
    assert estimates.batch[1] == pytest.approx(np.mean(x * np.tanh(0.1 * x)))
    best = estimates.best
    assert np.mean(x * np.tanh(best * x)) == pytest.approx(best, abs=1e-6)


def test_the_average_label_is_that_of_the_responsibility():
    theta, x = 0.7, np.linspace(-3, 3, 13)
    right = np.exp(-((x - theta) ** 2) / 2)
    left = np.exp(-((x + theta) ** 2) / 2)
    r = right / (left + right)
    assert np.allclose(2 * r - 1, np.tanh(theta * x))


def test_passes_are_those_of_the_engine():
    passes = lecture.passes_with("growing")
    due = four.divergence_after_passes(1, sato1999(1000), 20)
    assert np.allclose(passes.divergence, due)
    explorer = lecture.HowLongAMemory()
    explorer.set(passed=20, memory="growing")
    assert f"online EM {due[-1]:.3f}" in explorer.status


def test_memories_reach_what_they_are_called():
    for name, due in (("no limit", 20_001), ("100 points", 100)):
        rates, _ = lecture.MEMORIES[name].learning_rates(20_000)
        assert 1 / rates[-1] == pytest.approx(due)
        assert 1 / rates[0] == pytest.approx(2)


# ---- pictures and exercises ----------------------------------------------------------


def test_the_picture_shows_where_both_methods_end():
    growing = lecture.schedule(100.0, 0.05)
    ends = lecture.ends_of_figure_1(four.SEED, growing)
    picture = lecture.picture_of_two_ends(four.points(), four.points(100), ends)
    assert np.array_equal(picture.arrays["online"], ends["online"])
    assert picture.png.startswith(b"\x89PNG")


def test_in_a_browser_the_ends_are_read_where_the_memory_grows_as_published(
    monkeypatch,
):
    growing = lecture.schedule(100.0, 0.05)
    due = lecture.ends_of_figure_1(four.SEED, growing)
    monkeypatch.setattr(publish, "IN_BROWSER", True)
    monkeypatch.delattr(lecture, "fit_batch")  # nothing can be computed
    ends = lecture.ends_of_figure_1(four.SEED, growing)
    assert ends.keys() == due.keys()
    for name, state in ends.items():
        assert np.allclose(state, due[name], rtol=1e-3)
    for other in ((four.SEED, lecture.schedule(50.0, 0.05)), (1, growing)):
        with pytest.raises(NameError):
            lecture.ends_of_figure_1(*other)


def test_the_answers_are_those_of_the_engine():
    rates, _ = lecture.schedule(50.0, 0.1).learning_rates(400)
    assert np.allclose(memories(50.0, 0.1, 400), 1 / rates)
    numbers = np.random.default_rng(5).normal(size=401)
    mean = numbers[0]
    for number, rate in zip(numbers[1:], rates, strict=True):
        mean += rate * (number - mean)
    shares = shares_of_data(rates)
    assert mean == pytest.approx(shares @ numbers) and shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("epsilon", [0.02, 0.1, 0.5])
def test_a_fading_mean_scatters_like_one_of_twice_its_memory_less_one(epsilon):
    weights = (1 - epsilon) ** np.arange(3000)
    assert effective_size(weights) == pytest.approx(2 / epsilon - 1)
