"""The explorers, data and answers of chapter 01."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from vbkit.chapters import known_covariance as chapter
from vbkit.chapters.known_covariance import answers
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch
from vbkit.mixture import Mixture
from vbkit.theory import critical_concentration, log_evidence


@pytest.fixture(scope="module")
def explorer():
    return chapter.two_components()


def test_petals_have_the_covariance_within_species():
    X, species, within = chapter.irises.petals()
    assert X.shape == (150, 2) and np.allclose(X.mean(axis=0), 0)
    covariances = [np.cov(X[species == k].T, bias=True) for k in range(3)]
    assert np.allclose(np.mean(covariances, axis=0), within) and np.allclose(
        np.diag(within), 1
    )
    raw = load_iris().data[:, 2]
    assert np.ptp(raw) / np.ptp(X[:, 0]) == pytest.approx(
        0.43, abs=0.005
    )  # cm, as the notebook says


@pytest.mark.parametrize("M", [1, 2, 3])
def test_ideal_data_have_the_moments_of_the_normal(M):
    X, w = chapter.copies.ideal_gaussian(M, 50.0, 4)
    assert X.shape == (4**M, M) and w.sum() == pytest.approx(50)
    assert np.allclose(w @ X, 0) and np.allclose((X.T * w) @ X, 50 * np.eye(M))
    assert np.allclose(w @ X**4, 150) and np.allclose(w @ X**6, 750)


def test_a_sweep_is_that_of_the_engine_whichever_way_the_slider_went(explorer):
    explorer.compute(30, 0.5, 100.0, 1.0)
    nodes, mass = np.polynomial.hermite_e.hermegauss(16)
    X = np.concatenate([nodes - 0.5, nodes + 0.5])[:, None]
    w = np.tile(50 * mass / mass.sum(), 2)
    mixture = Mixture(KnownCovariance(0.0, 10.0), Dirichlet(0.5))
    first = 0.6 + 0.01 * np.tanh(X)
    S, shares, F = mixture.m_step(X, np.hstack([first, 1 - first]), w), [], []
    alone = -mixture.elbo(X, np.vstack([S.sum(0), 0 * S[0]]), w)
    for _ in range(51):
        shares.append(S[:, 0] / 100)
        F.append(-mixture.elbo(X, S, w) - alone)
        centres, S = mixture.family.parameters(S)[0][:, 0], mixture.e_step(X, S, w).S
    for sweep in (5, 50):
        arrays = explorer.compute(sweep, 0.5, 100.0, 1.0)
        assert np.allclose(arrays["shares"], np.array(shares[: sweep + 1]).T, rtol=1e-9)
        assert np.allclose(arrays["F"], F[: sweep + 1], atol=1e-8)
    assert np.allclose(arrays["centres"], centres)


def test_who_lives_on_one_clump_and_on_two(explorer):
    def end(**values):
        return explorer.compute(
            **(explorer.first | {"sweep": 600, "concentration": 0.5} | values)
        )

    assert (
        100 * end()["shares"][1, -1] < 0.01
    )  # data; below the critical concentration: dead
    assert 0.1 < end(total=1000)["shares"][1, -1] < 0.4  # dying, but slowly
    even = end(concentration=2.0)
    assert even["shares"][1, -1] == pytest.approx(0.5, abs=1e-3) and even["F"][-1] < -1
    apart = end(distance=2.0)
    assert np.ptp(apart["centres"]) > 1.5 and apart["F"][-1] < -1
    assert end(distance=0.5)["shares"][1, -1] < 1e-3  # died before it could separate


def test_status_follows_the_controls(explorer):
    for values in ({}, {"sweep": 600}, {"concentration": 2.0}, {"distance": 3.0}):
        explorer.set(**(explorer.first | values))
        arrays = explorer.compute(**explorer.values)
        second = 100 * arrays["shares"][1, -1]
        assert f"holds {second:.1f} of 100 data" in explorer.status
        assert f"{arrays['F'][-1]:+.2f} nats" in explorer.status


def test_turns_end_where_batch_learning_ends():
    explorer, bench = chapter.take_turns(), chapter.bench
    evidence = log_evidence(bench.MIXTURE, bench.X3, 2)
    assert np.logaddexp.reduce(bench.log_joint()) == pytest.approx(evidence)
    for start, table in bench.STARTS.items():
        z = np.array([table @ (bench.LABELS == k) for k in (0, 1)]).T
        S = bench.MIXTURE.m_step(bench.X3, z)
        fit = fit_batch(bench.MIXTURE, bench.X3, S, max_epochs=18, tolerance=0)
        arrays = explorer.compute(37, start)
        assert np.allclose(arrays["F"][1::2], -fit.trace, rtol=1e-10)
        assert np.diff(arrays["F"]).max() < 1e-9
        assert arrays["floor"] == pytest.approx(-evidence)
        r = bench.MIXTURE.responsibilities(bench.X3, fit.S)
        assert np.allclose(
            arrays["table"], np.prod(r[np.arange(3), bench.LABELS], axis=1)
        )
        assert (
            5.9 < arrays["floor"]
            and arrays["F"].max() < 8.1
            and arrays["table"].max() < 0.75
        )
    explorer.set(step=38)
    assert "1.380 nats above its floor" in explorer.status


def test_the_corrected_rule_is_batch_learning_and_the_printed_one_is_not():
    slip = chapter.slip
    x = slip.clumps()
    z = np.random.default_rng([1, 2]).dirichlet(np.ones(6), 60)
    mixture = slip.MIXTURE
    fit = fit_batch(mixture, x, mixture.m_step(x, z), max_epochs=30, tolerance=0)
    states, F = slip.learn("corrected", 2)
    assert np.allclose(states[30], fit.S, atol=1e-8)
    assert F[30] - 1e-9 <= -fit.trace[29] <= F[29] + 1e-9
    for start in range(1, slip.STARTS + 1):
        good, bad = (slip.learn(rule, start)[1] for rule in slip.RULES)
        assert np.diff(good).max() < 1e-9 < np.diff(bad).max()
        assert bad[-1] > good[-1] + 7
        assert (
            248 < min(good[2:].min(), bad[2:].min())
            and max(good[2:].max(), bad[2:].max()) < 268
        )
    explorer = chapter.lose_a_bracket()
    explorer.set(rule="as printed", sweep=120)
    assert explorer.status.startswith("F 257.9") and "6 of 6" in explorer.status


def test_a_wrong_width_changes_the_number_of_components():
    explorer, alive = chapter.change_the_width(), {}
    for factor in chapter.irises.FACTORS:
        explorer.set(factor=factor)
        counts = explorer.compute(factor)["counts"]
        assert counts.sum() == pytest.approx(150)
        alive[factor] = (counts > 1).sum()
        assert f"keeps {alive[factor]} components" in explorer.status
    assert 12 <= alive[0.5] <= 16 and alive[2.0] == 2  # of twenty


def test_groupings_give_the_exact_evidence():
    assert len(chapter.groups.groupings(6)) == 203  # Bell's number
    X = np.random.default_rng(3).normal(0, 3, (6, 1))
    for phi in (0.5, 1.0):
        mixture = Mixture(KnownCovariance(0.0, 10.0), Dirichlet(phi))
        enumerated = [log_evidence(mixture, X, K) for K in (1, 2, 3, 5)]
        assert chapter.groups.log_evidence(mixture, X, (1, 2, 3, 5)) == pytest.approx(
            enumerated
        )


def test_the_picture_of_all_petals():
    X, species, within = chapter.irises.petals()
    components = (X[:3], np.tile(within, (3, 1, 1)))
    F = np.array([6000, 700, 650, 600, 610, 620.0])
    picture = chapter.irises.draw_petals(X, species, components, np.ones(3), F)
    assert "150 irises" in picture.alt
    assert picture.arrays["data"] is X and picture.arrays["F"] is F


def test_answers():
    mean, variance = answers.posterior_of_mean(
        np.array([1.0, 2.0]), np.array([0.5, 1.0]), 4.0
    )
    family = KnownCovariance(0.0, 4.0)
    exact = family.posterior(np.array([[1.5, 2.5]]))
    assert (mean, variance) == (
        pytest.approx(exact[0][0, 0]),
        pytest.approx(exact[1][0, 0, 0]),
    )
    assert answers.switch_point(1e3, 1, 2 * np.pi) == pytest.approx(
        critical_concentration(1), abs=2e-4
    )
    for case in ((1e7, 2, 10.0, 0.5), (1e7, 4, 1.0, 3.0)):
        assert answers.cost_by_stirling(*case) == pytest.approx(
            answers.cost_of_copies(*case, 2), abs=1e-3
        )
