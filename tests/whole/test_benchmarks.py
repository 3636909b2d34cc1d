"""The benchmark measures what it says: its peers give the engine's numbers, and its bars can be
missed."""

import numpy as np
import pytest

from tests.benchmarks import chunks, estimators, machine, measure, online
from tests.benchmarks.__main__ import SECTIONS, main
from tests.benchmarks.batch import problem
from vbkit.learning import fit_online, init_gaussian, sato1999, sato2000


@pytest.mark.parametrize(("D", "K"), [(1, 3), (2, 4), (3, 9)])
def test_the_numpy_loop_is_the_same_algorithm(D, K):
    mixture, X, _ = problem(60, D, K)
    start = init_gaussian(mixture, X, K, np.random.default_rng(0))
    schedule = sato2000(60)
    retention, gain, _ = schedule.rates(60)
    ours = fit_online(mixture, X, start, schedule, monitor=False).S
    assert np.allclose(
        online.numpy_stream(mixture, X, start, retention, gain),
        ours,
        rtol=1e-10,
        atol=1e-10,
    )


@pytest.mark.parametrize("K", [2, 9])
def test_the_numpy_loop_of_em_is_the_same_algorithm(K):
    mixture, X, start = online.em_problem(60, K)
    schedule = sato1999(60)
    retention, gain, _ = schedule.rates(60)
    ours = fit_online(mixture, X, start, schedule, monitor=False).S
    assert np.allclose(
        online.numpy_em(mixture, X, start, retention, gain), ours, rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("Dx", [1, 3])
def test_the_numpy_loop_of_experts_is_the_same_algorithm(Dx):
    mixture, X, start = online.regression_problem(Dx, 9, 60)
    schedule = sato2000(60)
    retention, gain, _ = schedule.rates(60)
    ours = fit_online(mixture, X, start, schedule, monitor=False).S
    by_hand = online.numpy_regression(mixture, X, start, retention, gain)
    assert np.allclose(by_hand, ours, rtol=1e-9, atol=1e-9)


SECTIONS_OF_SECONDS = (
    "batch predictive scaling online regression em ascent accumulation".split()
)
SECTIONS_OF_SECONDS += ["bernoulli", "markov", "factors", "partial fit"]


@pytest.mark.parametrize("section", SECTIONS_OF_SECONDS)
def test_both_sides_of_a_row_agree_before_they_are_timed(section, monkeypatch):
    monkeypatch.setattr(measure, "ROUNDS", 1)
    monkeypatch.setattr(measure, "WARM", 0)
    monkeypatch.setattr(measure, "settled", lambda rows: rows())
    assert all(row.value > 0 for row in SECTIONS[section]())


def test_bars():
    assert measure.Row("speed", 20.0, at_least=15).met is True
    assert measure.Row("speed", 14.9, at_least=15).met is False
    assert measure.Row("cost", 1.6, at_most=1.5).met is False
    assert measure.Row("cost", 1.6).met is None
    assert "MISSED" in str(measure.Row("cost", 1.6, at_most=1.5))


def test_ratio_is_of_low_percentiles():
    slow, fast = np.full(11, 3.0), np.ones(11)
    slow[-1] = 100.0  # one disturbed round
    row = measure.ratio("x", slow, fast)
    assert row.value == pytest.approx(3) and row.paired == pytest.approx(3)


def test_every_piece_of_work_is_timed_in_every_round():
    calls = []
    seconds = measure.measure(a=lambda: calls.append("a"), b=lambda: calls.append("b"))
    rounds = measure.WARM + measure.ROUNDS
    assert [len(t) for t in seconds.values()] == [measure.ROUNDS] * 2
    assert calls.count("a") == calls.count("b") == rounds
    assert calls[:4] in (list("abba"), list("baab"))


def test_time_to_a_density():
    from sklearn.mixture import BayesianGaussianMixture

    rng = np.random.default_rng(1)
    X = rng.standard_normal((90, 2)) + 5 * rng.integers(2, size=(90, 1))
    for kind in ("full", "diag"):
        model = BayesianGaussianMixture(n_components=2, covariance_type=kind).fit(X)
        assert estimators.density(model, X).mean() >= model.score(X)
    low, high = np.full(5, -1e9), np.full(5, 1e9)
    assert (estimators.reach(X, 2, low) < 10).all() and np.isinf(
        estimators.reach(X, 2, high)
    ).all()
    held = [part for _, part in estimators.parts(X)]
    assert np.array_equal(np.unique(np.concatenate(held), axis=0), np.unique(X, axis=0))


def test_memory_beyond_the_data_is_a_few_blocks():
    assert machine.memory_row(rows=100_000).value < 64


def test_the_command_line_knows_the_sections(capsys):
    assert main(["nonsense"]) == 2
    assert "there is no section nonsense; there are: batch, " in capsys.readouterr().err
    rows = {
        "a": lambda: [measure.Row("row a", 1.0, at_most=2)],
        "b": lambda: [measure.Row("row b", 1.0, at_most=0.5)],
    }
    assert main(["a"], rows) == 0 and "row b" not in capsys.readouterr().out
    assert main([], rows) == 1 and "row b" in capsys.readouterr().out


def test_a_sweep_in_chunks_is_one_in_memory_and_holds_little():
    memory, slower = chunks.memory_map_rows(rows=200_000)
    assert 0 < memory.value < 64 and slower.value > 0
