"""The explorers of notebook 11 show what the engine computes, and the text says what they show."""

from itertools import product

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import norm

from vbkit.chapters import other_models as chapter
from vbkit.chapters.other_models import chain, factors
from vbkit.learning import Schedule, fit_online


def pump():
    """The states and readings of the explorer."""
    return chain.pump(np.random.default_rng(11))


def test_the_pump_is_learned_by_the_engine():
    (state, x), model = pump(), chain.model(chain.TIES[1])
    S = chain.begin(model, x[:50])
    schedule = Schedule(0.0, 1 - (199 / 200) ** 50, 0.0)
    data = model.observe(x[50:500], lengths=50)  # blocks are independent chains
    S = fit_online(model, data, S, schedule, monitor=False).S
    levels, wrong = chain.follow(chain.TIES[1], 200)
    assert np.allclose(levels[9], model.parameters(S).components.mean[:, 0])
    on = model.responsibilities(x[500:550], S)[:, 1]
    assert wrong[9] == pytest.approx(np.mean((on > 0.5) != state[500:550]))
    arrays = chapter.regimes().compute(10, chain.TIES[1], 200)
    assert len(arrays["wrong"]) == 10 and np.allclose(arrays["levels"], levels[:10])
    assert arrays["wrong"][-1] == pytest.approx(100 * wrong[:10].mean())


def test_the_status_of_the_pump_is_that_of_its_model():
    explorer = chapter.regimes()
    for tie in chain.TIES:
        explorer.set(tie=tie, seen=79)
        arrays = explorer.compute(**explorer.values)
        _, misses = chain.follow(tie, explorer.values["memory"])
        assert len(arrays["wrong"]) == len(arrays["levels"]) == 79
        assert f"blocks {100 * misses[69:79].mean():.1f} % of" in explorer.status


def test_what_the_text_says_of_the_pump():
    mixture, tied = chain.TIES
    for _, memory in chain.MEMORIES:
        assert chain.follow(tied, memory)[1][20:39].mean() < 0.08
        assert 0.13 < chain.follow(mixture, memory)[1][20:39].mean() < 0.2
    levels, wrong = chain.follow(tied, 200)
    assert wrong[60:].mean() < 0.05 and abs(levels[60:] - chain.AFTER).max() < 0.3
    assert chain.follow(tied, np.inf)[1][69:].mean() > 0.13
    assert abs(chain.follow(mixture, 200)[0][-1] - chain.AFTER).max() > 0.3


def test_what_the_text_says_of_errors_and_memory():
    (state, x), (mixture, tied) = pump(), chain.TIES
    before = {m: chain.follow(tied, m)[1][20:39].mean() for _, m in chain.MEMORIES}
    assert before[200] == pytest.approx(0.04, abs=0.005)
    assert before[np.inf] == pytest.approx(0.06, abs=0.005)
    mixed = chain.follow(mixture, np.inf)[1][20:39].mean()
    assert mixed == pytest.approx(0.18, abs=0.01)
    slow = chain.follow(tied, 200)[1][40:]  # blocks after the turn
    assert slow[10:20].mean() > 0.05 > slow[20:30].mean()
    singly = (x[:, 0] > 0) != state  # by the true levels, on the same blocks
    same = slice(21 * chain.BLOCK, 40 * chain.BLOCK)
    assert np.mean(singly[same]) == pytest.approx(mixed, abs=0.005)
    blocks = x[same, 0].reshape(-1, chain.BLOCK)  # by the true levels and chances
    on = np.array(
        [chapter.answers.on_and_switches(block, chain.STAY)[0] for block in blocks]
    )
    assert np.mean((on.ravel() > 0.5) != state[same]) == pytest.approx(0.03, abs=0.005)


def test_what_the_picture_of_the_turn_says():
    (mixture, tied), recent = chain.TIES, chain.recent
    found = {
        (tie, memory): recent(chain.follow(tie, memory)[1])
        for tie, memory in product((mixture, tied), (np.inf, 200))
    }
    rows = [(wrong[38], wrong[39:].max(), wrong[-1]) for wrong in found.values()]
    told = [(19, 36, 27), (19, 36, 24), (7, 32, 17), (5, 22, 2)]
    assert np.allclose(rows, told, atol=0.6)
    assert recent(np.array([0.1, 0.3])) == pytest.approx([10, 20])
    alt = " ".join(
        chapter.pictures.turn({"one": found[tied, 200]}, chain.TURN).alt.split()
    )
    (_, top, end), (_, _, end_of_200), kept, forgets = told
    assert f"rises to {top} after the screw is turned. It ends at {end} if" in alt
    assert f"at {end_of_200} with a memory of 200" in alt
    assert "from {} to {} per cent, and comes down to {}.".format(*kept) in alt
    assert "from {} to {}, and ends at {}.".format(*forgets) in alt


def test_factors_die_as_the_text_says():
    end = {
        (days, third): factors.lives(days, third)[1][-1]
        for days, third in product(factors.DAYS, factors.THIRDS)
    }
    assert all(end[days, 0.0] == 2 for days in factors.DAYS)
    assert [end[days, 1.0] for days in factors.DAYS] == [2, 2, 3, 3]
    assert end[400, 0.5] == end[400, 2.0] == 3
    opened = chapter.dying().compute(**chapter.dying().first)
    assert (
        opened["alive"] == 5 and len(opened["lengths"]) == factors.SWEEPS.index(8) + 1
    )
    assert np.allclose(
        np.sort(factors.lives(400, 2.0)[0][-1])[-3:], [2.05, 2.87, 4.17], atol=0.01
    )
    arrays = chapter.dying().compute(30, 400, 2.0)
    lengths, alive = factors.lives(400, 2.0)
    now = factors.SWEEPS.index(30)
    assert np.allclose(arrays["lengths"], lengths[: now + 1])
    assert arrays["alive"] == alive[now] == 3


def test_a_sweep_of_the_factors_never_lowers_the_elbo():
    """The bound from its definition, with each alpha at its best, and the noise's sd 1."""

    def elbo(x, v, C, D=10):
        alpha = D / ((v**2).sum(axis=0) + D * np.diag(C))
        spread = np.linalg.inv(np.eye(8) + v.T @ v + D * C)
        fit = x @ v
        states = (
            0.5 * np.sum((fit @ spread) * fit)
            + len(x) / 2 * np.linalg.slogdet(spread)[1]
        )
        prior = D / 2 * (np.log(alpha).sum() + np.linalg.slogdet(C)[1])
        return states + prior - (x**2).sum() / 2

    x = factors.gauges(np.random.default_rng(2), 50, 2.0)
    v, C, values = np.random.default_rng(3).normal(size=(10, 8)), np.eye(8), []
    for _ in range(40):
        v, C = factors.sweep(x, v, C)
        values.append(elbo(x, v, C))
    assert np.diff(values).min() > -1e-8 and values[-1] > values[0] + 1


def over_all_paths(x, stay):
    """The answer to exercise 1, as section 4 finds it: path by path."""
    total, on, switches = 0.0, np.zeros(len(x)), 0.0
    for path in product((0, 1), repeat=len(x)):
        path, switched = np.array(path), np.count_nonzero(np.diff(path))
        weight = (1 - stay) ** switched * stay ** (len(x) - 1 - switched)
        weight *= norm.pdf(x, 2 * path - 1).prod()
        total, on, switches = (
            total + weight,
            on + weight * path,
            switches + weight * switched,
        )
    return on / total, switches / total


def test_exercise_1_is_the_sum_over_all_paths():
    exercise = chapter.answers.exercise_1
    assert exercise(over_all_paths).passed
    on, switches = over_all_paths(np.array([-0.8, 0.1]), 0.95)
    assert on == pytest.approx([0.19, 0.24], abs=0.005)  # as section 4 says
    assert switches == pytest.approx(0.06, abs=0.005)
    one, none = chapter.answers.on_and_switches(np.array([0.4]), 0.9)
    assert one == pytest.approx([1 / (1 + np.exp(-0.8))]) and none == 0
    many, _ = chain.pump(np.random.default_rng(0), 40)
    on, switches = chapter.answers.on_and_switches(
        2.0 * many - 1, 0.95
    )  # nothing overflows
    assert np.isfinite(on).all() and 0 < switches < len(many)


def test_exercise_1_tells_what_is_wrong():
    exercise = chapter.answers.exercise_1
    x, stay = exercise.inputs[0]
    forwards = chapter.answers.without_later_readings(x, stay)[0]
    assert forwards == pytest.approx([0.17, 0.24], abs=0.005)  # the table of section 2

    def as_before_the_data(x, stay):  # none of the mistakes that are recognised
        return over_all_paths(x, stay)[0], (len(x) - 1) * (1 - stay)

    said = exercise(as_before_the_data)
    assert not said.passed and said.message.startswith("as_before_the_data(x=")
    assert "Value 2 of 2" in said.message
    exercise.tries = 0


def test_a_column_dies_where_exercise_2_says():
    n, D = 20, 10
    for length in (0.3, 0.6, 0.8, 2.0):
        alpha = 1.0
        for _ in range(20000):
            alpha = 1 / ((length * n / (n + alpha)) ** 2 / D + 1 / (n + alpha))
        expected = chapter.answers.kept(length, n, D)
        assert n / (n + alpha) == pytest.approx(expected, abs=2e-3)


def test_exercise_3_is_the_step_of_a_mixture_with_known_levels():
    def by_hand(blocks, S, keep):
        for block in blocks:
            off, on = np.exp(digamma(1 + S))
            new = np.zeros(2)
            for x in block:
                share = on * np.exp(2 * x) / (off + on * np.exp(2 * x))
                new += 1 - share, share
            S = keep * S + new
        return S

    assert chapter.answers.exercise_3(by_hand).passed
    found = chapter.answers.learn_weights(np.array([[-0.8, 0.1]]), np.zeros(2), 1.0)
    assert found == pytest.approx([1.28, 0.72], abs=0.005)  # as the exercise says
