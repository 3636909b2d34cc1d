"""Where nothing is forgotten, rank-one updates give what a factorization for each row gives."""

import numpy as np
import pytest
from oracles import close

from vbkit import compiled
from vbkit.families import NormalWishart, rank_one
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_online, sato2000, stream
from vbkit.mixture import Mixture

pytestmark = pytest.mark.skipif(not compiled.COMPILED, reason="nothing is compiled")


def problem(N, D, K=3, concentration=1.0):
    rng = np.random.default_rng(D)
    centres = 3 * rng.standard_normal((K, D))
    X = (
        50
        + centres[rng.integers(K, size=N)]
        + rng.standard_normal((N, D)) * rng.uniform(1, 3, D)
    )
    family = NormalWishart(X.mean(axis=0), 0.5, D + 1.0, np.cov(X.T) / 2)
    mixture = Mixture(family, Dirichlet(concentration))
    return mixture, X, mixture.m_step(X[:60], rng.dirichlet(np.ones(K), 60))


def with_factorizations(monkeypatch, mixture, X, S, weights=None):
    monkeypatch.setattr(rank_one, "WIDE", 1000)
    return fit_online(mixture, X, S, accumulation(), monitor=False, weights=weights).S


@pytest.mark.parametrize("D, K", [(1, 3), (2, 1), (6, 9), (7, 8), (16, 3)])
def test_one_row_after_another(D, K, monkeypatch):
    mixture, X, S = problem(700, D, K, np.linspace(0.1, 2, K))
    weights = np.random.default_rng(1).integers(0, 3, len(X)) * 0.7
    keep, gain, _ = accumulation().rates(len(X))
    truth = stream.reference_stream(mixture, S, X, keep, gain, weights)
    monkeypatch.setattr(rank_one, "WIDE", 1)
    close(
        stream.run_stream(mixture, S, X, keep, gain, weights),
        truth,
        rtol=1e-10,
        atol=1e-10,
    )
    pseudo = Mixture(
        mixture.family, pseudo_statistics=mixture.family.statistics(X[:1])[0]
    )
    truth = stream.reference_stream(pseudo, S, X, keep, gain)
    close(stream.run_stream(pseudo, S, X, keep, gain), truth, rtol=1e-10, atol=1e-10)


def test_a_long_stream_stays_with_the_exact_one(monkeypatch):
    mixture, X, S = problem(100_000, 6)
    ours = fit_online(mixture, X, S, accumulation(), monitor=False).S
    assert mixture.family.in_turn
    exact = with_factorizations(monkeypatch, mixture, X, S)
    assert not mixture.family.in_turn and not np.array_equal(ours, exact)
    assert np.abs(ours - exact).max() < 1e-9 * np.abs(exact).max()
    close(
        mixture.log_predictive(X[:500], ours),
        mixture.log_predictive(X[:500], exact),
        rtol=1e-9,
    )


def test_a_resumed_stream_is_the_unbroken_one():
    mixture, X, S = problem(3000, 8)
    whole = fit_online(mixture, X, S, accumulation(), monitor=False).S
    parts, schedule = S, accumulation()
    for part in np.split(X, [1, 2, 300, 1111]):
        fit = fit_online(mixture, part, parts, schedule, monitor=False)
        parts, schedule = fit.S, fit.schedule
    assert np.abs(parts - whole).max() < 1e-12 * np.abs(whole).max()


def test_what_is_forgotten_is_factorized_anew(monkeypatch):
    mixture, X, S = problem(300, 6)
    ours = fit_online(mixture, X, S, sato2000(300), monitor=False).S
    monkeypatch.setattr(rank_one, "WIDE", 1000)
    assert np.array_equal(
        fit_online(mixture, X, S, sato2000(300), monitor=False).S, ours
    )


@pytest.mark.parametrize("wide", [1, 1000])
def test_what_has_lost_its_digits_is_refused(wide, monkeypatch):
    monkeypatch.setattr(rank_one, "WIDE", wide)
    mixture, X, S = problem(300, 6)
    with pytest.raises(
        ValueError, match="component . has collapsed .* or lies too far"
    ):
        fit_online(mixture, X + 1e9, S, accumulation(), monitor=False)
