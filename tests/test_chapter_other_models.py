"""The explorers of notebook 11 show what the engine computes, and the text says what they show."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from vbkit.chapters import other_models as chapter
from vbkit.chapters.other_models import chain, curve, factors
from vbkit.latent import predict_outputs
from vbkit.learning import accumulation, fit_online


def test_the_pump_is_learned_by_the_engine():
    state, x, runs = chain.stream()
    model = chain.model(chain.TIES[1])
    S = chain.begin(model, x[:50])
    data = model.observe(x[50:500], lengths=50)
    assert chain.forgetting(200).forgetting_rate == pytest.approx(1 - (199 / 200) ** 50)
    S = fit_online(model, data, S, chain.forgetting(200), monitor=False).S
    levels, stay, on = (part[9] for part in runs[chain.TIES[1], 200])
    assert np.allclose(levels, model.parameters(S).components.mean[:, 0])
    assert np.allclose(stay, model.parameters(S).transitions.diagonal())
    assert np.allclose(on, model.responsibilities(x[500:550], S)[:, 1])
    arrays = chapter.regimes().compute(10, chain.TIES[1], 200)
    assert np.allclose(arrays["x"], x[500:550, 0]) and (arrays["on"] == (on > 0.5)).all()
    assert len(arrays["wrong"]) == 10
    assert arrays["wrong"][-1] == pytest.approx(
        100 * chain.wrong(runs[chain.TIES[1], 200][2], state)[:10].mean()
    )


def test_what_the_text_says_of_the_pump():
    state, _, runs = chain.stream()
    wrong = {key: chain.wrong(run[2], state) for key, run in runs.items()}
    for memory in chain.MEMORIES:
        assert wrong[chain.TIES[1], memory][20:39].mean() < 0.08
        assert 0.13 < wrong[chain.TIES[0], memory][20:39].mean() < 0.2
    assert wrong[chain.TIES[1], 200][60:].mean() < 0.05
    assert wrong[chain.TIES[1], np.inf][69:].mean() > 0.13
    short = runs[chain.TIES[1], 200][0]
    assert abs(short[60:] - chain.AFTER).max() < 0.3
    assert abs(runs[chain.TIES[0], 200][0][-1] - chain.AFTER).max() > 0.3


def test_what_the_text_says_of_errors_and_memory():
    state, x, runs = chain.stream()
    assert chain.floor() == pytest.approx(0.035, abs=0.002)
    before = {
        m: chain.wrong(runs[chain.TIES[1], m][2], state)[20:39].mean() for m in chain.MEMORIES
    }
    assert before[200] == pytest.approx(0.04, abs=0.005)
    assert before[np.inf] == pytest.approx(0.06, abs=0.005)
    mixed = chain.wrong(runs[chain.TIES[0], np.inf][2], state)[20:39].mean()
    assert mixed == pytest.approx(0.18, abs=0.01)
    S, known = 0.0, []  # counts and sums of a gauge whose labels are known
    for labels, block in zip(
        np.eye(2)[state].reshape(-1, chain.BLOCK, 2), x.reshape(-1, chain.BLOCK), strict=True
    ):
        S = (199 / 200) ** chain.BLOCK * S + np.array([labels.sum(axis=0), block @ labels])
        known.append(S[1] / S[0])
    guessed = runs[chain.TIES[1], 200][0][39:]  # learned from 40 blocks on
    off = {"known": np.array(known)[39:], "guessed": guessed}
    off = {name: np.abs(levels - chain.AFTER).max(axis=1) for name, levels in off.items()}
    assert off["known"][12] < 0.2 < off["guessed"][[4, 12]].min() and off["guessed"][20] < 0.2
    assert (199 / 200) ** 200 == pytest.approx(0.37, abs=0.005)


def test_the_roof_is_learned_by_the_engine():
    rows, runs = curve.lessons()
    mixture = curve.network(4)
    S = curve.spread_gates(mixture, 4)
    S = fit_online(mixture, rows[curve.ORDERS[0]][:40], S, accumulation(), monitor=False).S
    found = predict_outputs(mixture, curve.GRID, S)
    arrays = chapter.roof().compute(40, 4, curve.ORDERS[0])
    assert np.allclose(arrays["mean"], found.mean[:, 0]) and np.allclose(arrays["gate"], found.gate)
    half = 1.96 * np.sqrt(found.variance[:, 0])
    assert np.allclose(arrays["high"] - arrays["low"], 2 * half)
    assert np.allclose((arrays["gate"] * arrays["lines"].T).sum(axis=1), arrays["mean"])


def test_what_the_text_says_of_the_roof():
    explorer = chapter.roof()
    mixed, left = curve.ORDERS
    eight, two = (explorer.compute(20, experts, mixed)["half"] for experts in (8, 2))
    assert eight > 1.3 * two
    assert explorer.compute(200, 4, mixed)["error"] < 0.15
    assert explorer.compute(20, 8, mixed)["busy"].sum() == 4
    prior = explorer.compute(0, 8, mixed)
    width = prior["high"] - prior["low"]
    assert np.allclose(prior["lines"], 4) and (np.diff(width[60:]) > 0).all()
    end = explorer.compute(200, 8, mixed)
    idle = end["gate"][:, ~end["busy"]].sum(axis=1)
    assert min(idle[[0, -1]]) > 0.4 and idle[40:81].max() < 0.05
    flat = explorer.compute(200, 4, left)
    assert (flat["busy"] == [True, False, False, False]).all()
    assert flat["error"] > 1 and flat["gate"][:, 0].min() > 0.8
    assert np.ptp(flat["mean"]) < 1.5
    assert np.allclose(explorer.compute(0, 2, mixed)["mean"], curve.TOP - curve.REACH / 2)


def test_the_two_experts_of_the_text():
    two = np.ones(2) / 2, np.array([-2.0, 2.0]), np.ones(2), np.array([[1.0, 6.0], [-1.0, 6.0]])
    mean, variance, held = chapter.answers.conditional(0.5, *two, np.full(2, 0.04))
    assert mean == pytest.approx(5.62, abs=0.005) and variance == pytest.approx(0.145, abs=5e-4)
    assert held == pytest.approx(0.91, abs=0.005)
    y = np.linspace(0, 12, 200_001)  # the integral of the density over the band
    share = norm.pdf(0.5, two[1])
    density = share @ norm.pdf(y, [[6.5], [5.5]], 0.2) / share.sum()
    inside = np.abs(y - mean) < 1.96 * np.sqrt(variance)
    assert density[inside].sum() * (y[1] - y[0]) == pytest.approx(held, abs=1e-3)
    one = curve.network(1).family.expert  # an expert that knows its noise, and has no prior else
    family = type(one)([0.0], [0.0], precision=1e-9, shape=1e9, rate=0.04e9)
    x = -2 + np.array([-1, 1, -1, 1, 0]) * np.sqrt(5 / 4)
    S = family.statistics(np.column_stack([x, 6 + x])).sum(axis=0)[None]
    doubt = family.conditional(S, np.array([[0.5]]))[1].item() - 0.04
    assert doubt == pytest.approx(0.058, abs=1e-4)


def test_factors_die_as_the_text_says():
    loadings, alive = factors.lives()
    end = alive[:, :, -1]
    at = factors.THIRDS.index
    assert (end[factors.DAYS.index(400), at(0.5) :] == 3).all()
    assert (end[factors.DAYS.index(20)] == 2).all()
    assert (end[:, at(0.0)] == 2).all() and end[factors.DAYS.index(100), at(1.0)] == 2
    sweeps = factors.SWEEPS.index(30)
    assert alive[factors.DAYS.index(400), at(2.0), sweeps] == 3
    arrays = chapter.dying().compute(30, 400, 2.0)
    assert np.allclose(arrays["table"], loadings[-1, at(2.0), sweeps]) and arrays["alive"] == 3
    lengths = np.sqrt((arrays["table"] ** 2).sum(axis=0))
    assert np.allclose(arrays["lengths"][-1], lengths)


def over_all_paths(x, stay):
    """The answer to exercise 1, as section 3 finds it: path by path."""
    total, on, switches = 0.0, np.zeros(len(x)), 0.0
    for path in product((0, 1), repeat=len(x)):
        path, switched = np.array(path), np.count_nonzero(np.diff(path))
        weight = (1 - stay) ** switched * stay ** (len(x) - 1 - switched)
        weight *= norm.pdf(x, 2 * path - 1).prod()
        total, on, switches = total + weight, on + weight * path, switches + weight * switched
    return on / total, switches / total


def test_exercise_1_is_the_sum_over_all_paths():
    exercise = chapter.answers.exercise_1
    assert exercise(over_all_paths).passed
    on, switches = over_all_paths(np.array([-0.8, 0.1]), 0.95)
    assert on == pytest.approx([0.19, 0.24], abs=0.005)  # as section 3 says
    assert switches == pytest.approx(0.06, abs=0.005)
    one, none = chapter.answers.on_and_switches(np.array([0.4]), 0.9)
    assert one == pytest.approx([1 / (1 + np.exp(-0.8))]) and none == 0
    many, _ = chain.pump(np.random.default_rng(0), 40)
    on, switches = chapter.answers.on_and_switches(2.0 * many - 1, 0.95)  # nothing overflows
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


def test_a_column_dies_where_exercise_3_says():
    n, D = 20, 10
    for length in (0.3, 0.6, 0.8, 2.0):
        alpha = 1.0
        for _ in range(20000):
            alpha = 1 / ((length * n / (n + alpha)) ** 2 / D + 1 / (n + alpha))
        expected = chapter.answers.kept(length, n, D)
        assert n / (n + alpha) == pytest.approx(expected, abs=2e-3)
