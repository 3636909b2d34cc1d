"""Lecture 11a: a hidden Markov model that learns from a stream, and its exercises."""

from itertools import product

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import norm

from vbkit.course import answers_11a as answers
from vbkit.course import lecture_11a as lecture
from vbkit.course import pumps
from vbkit.learning import Schedule, fit_online


def stream():
    """The states and readings that the explorer follows."""
    return pumps.pump(np.random.default_rng(pumps.SEED))


# ---- the pump ------------------------------------------------------------------------


def test_the_pump_is_learned_by_the_engine():
    state, x = stream()
    model = pumps.model(pumps.CHAIN)
    S = pumps.begin(model, x[:50])
    schedule = Schedule(0.0, 1 - (199 / 200) ** 50, 0.0)
    data = model.observe(x[50:500], lengths=50)  # blocks are independent chains
    S = fit_online(model, data, S, schedule, monitor=False).S
    levels, wrong = pumps.follow(pumps.CHAIN)
    assert np.allclose(levels[9], model.parameters(S).components.mean[:, 0])
    on = model.responsibilities(x[500:550], S)[:, 1]
    assert wrong[9] == pytest.approx(np.mean((on > 0.5) != state[500:550]))
    learned = lecture.LearnedPump().compute(10, pumps.CHAIN)
    assert len(learned.wrong) == 10 and np.allclose(learned.levels, levels[:10])
    assert learned.wrong[-1] == pytest.approx(100 * wrong[:10].mean())


def test_the_status_of_the_pump_is_that_of_its_model():
    explorer = lecture.LearnedPump()
    for tie in pumps.TIES:
        explorer.set(tie=tie, seen=39)
        learned = explorer.compute(**explorer.values)
        misses = pumps.follow(tie).wrong
        assert len(learned.wrong) == len(learned.levels) == 39
        assert f"blocks {100 * misses[29:39].mean():.1f} % were" in explorer.status


def test_the_chain_labels_better_than_the_mixture():
    assert pumps.follow(pumps.CHAIN).wrong[20:].mean() < 0.08
    assert 0.13 < pumps.follow(pumps.MIXTURE).wrong[20:].mean() < 0.2


def test_most_mistakes_of_the_chain_lie_at_a_switch():
    """More than half of them are within two readings of a switch."""
    state, x = stream()
    model = pumps.model(pumps.CHAIN)
    S = pumps.begin(model, x[:50])
    for block in x[50:1000].reshape(-1, 50, 1):
        S = S + model.e_step(block, S).S
    rng = np.random.default_rng(5)
    levels = (pumps.BEFORE, pumps.BEFORE)
    state, x = pumps.pump(rng, 400, levels)
    on = [model.responsibilities(block, S)[:, 1] for block in x.reshape(-1, 50, 1)]
    missed = np.flatnonzero((np.ravel(on) > 0.5) != state)
    switches = np.flatnonzero(np.diff(state)) + 0.5
    distance = np.abs(missed[:, None] - switches).min(axis=1)
    assert np.mean(distance < 2) > 0.5


def test_medians_are_over_streams_of_other_seeds():
    told = {pumps.MIXTURE: 17, pumps.CHAIN: 3}
    for tie in pumps.TIES:
        ends = []
        for seed in pumps.MANY:
            ends.append(100 * pumps.follow(tie, seed).wrong[-10:].mean())
        median = pumps.recent_of_many(tie)
        assert len(ends) == 40 and len(median) == 39
        assert median[-1] == pytest.approx(np.median(ends))
        assert median[-1] == pytest.approx(told[tie], abs=0.5)
    own = pumps.follow(pumps.CHAIN, pumps.SEED)
    assert np.array_equal(own.wrong, pumps.follow(pumps.CHAIN).wrong)
    assert pumps.recent(np.array([0.1, 0.3])) == pytest.approx([10, 20])


# ---- paths ---------------------------------------------------------------------------


def test_neighbours_that_contradict_each_other_cancel():
    explorer = lecture.ThreeReadings()
    for stay in (0.7, 0.95):
        explorer.set(before=-0.8, after=0.8, stay=stay)
        assert "0.55 by itself, and 0.55 together" in explorer.status
    explorer.set(after=-0.8, stay=0.95)
    assert "and 0.07 together" in explorer.status


# ---- exercises -----------------------------------------------------------------------


def over_all_paths(x, stay):
    """The answer to exercise 1, path by path."""
    total = 0.0
    on = np.zeros(len(x))
    switches = 0.0
    for states in product((0, 1), repeat=len(x)):
        path = np.array(states)
        switched = np.count_nonzero(np.diff(path))
        weight = (1 - stay) ** switched * stay ** (len(x) - 1 - switched)
        weight *= norm.pdf(x, 2 * path - 1).prod()
        total += weight
        on += weight * path
        switches += weight * switched
    return on / total, switches / total


def test_exercise_1_is_the_sum_over_all_paths():
    assert answers.exercise_1(over_all_paths).passed
    x = np.array([-0.8, 0.1])
    on, switches = over_all_paths(x, 0.95)
    assert on == pytest.approx([0.19, 0.24], abs=0.005)
    assert on == pytest.approx(lecture.probability_of_on(x, 0.95))
    assert switches == pytest.approx(0.06, abs=0.005)
    one, none = answers.on_and_switches(np.array([0.4]), 0.9)
    assert one == pytest.approx([1 / (1 + np.exp(-0.8))]) and none == 0
    many, _ = pumps.pump(np.random.default_rng(0), 40)
    on, switches = answers.on_and_switches(2.0 * many - 1, 0.95)  # nothing overflows
    assert np.isfinite(on).all() and 0 < switches < len(many)


def test_exercise_1_tells_what_is_wrong():
    exercise = answers.exercise_1
    x, stay = exercise.inputs[0]
    forwards = answers.without_later_readings(x, stay)[0]
    assert forwards == pytest.approx([0.17, 0.24], abs=0.005)

    def as_before_the_data(x, stay):  # none of the mistakes that are recognised
        return over_all_paths(x, stay)[0], (len(x) - 1) * (1 - stay)

    said = exercise(as_before_the_data)
    assert not said.passed and said.message.startswith("as_before_the_data(x=")
    assert "Value 2 of 2" in said.message
    exercise.tries = 0


def test_exercise_2_is_the_online_step_with_path_weights():
    def path_by_path(blocks, S, keep):
        for block in blocks:
            stay, switch = np.exp(digamma(1 + S) - digamma(2 + S.sum()))
            new = np.zeros(2)
            total = 0.0
            for states in product((0, 1), repeat=len(block)):
                path = np.array(states)
                switches = np.count_nonzero(np.diff(path))
                stays = len(block) - 1 - switches
                weight = stay**stays * switch**switches
                weight *= norm.pdf(block, 2 * path - 1).prod()
                new += weight * np.array([stays, switches])
                total += weight
            S = keep * S + new / total
        return S

    assert answers.exercise_2(path_by_path).passed
    two = answers.learn_to_stay(np.array([[-0.8, 0.1]]), np.zeros(2), 1.0)
    assert two == pytest.approx([0.47, 0.53], abs=0.005)
