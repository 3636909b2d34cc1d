"""The explorer, data and answers of notebook 01."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from vbkit import plots
from vbkit.chapters import known_covariance as chapter
from vbkit.chapters.known_covariance import answers
from vbkit.families import Dirichlet, KnownCovariance
from vbkit.mixture import Mixture
from vbkit.theory import critical_concentration


@pytest.fixture(scope="module")
def explorer():
    return chapter.explorer()


def test_petals_have_the_covariance_within_species():
    X, species, within = chapter.petals()
    assert X.shape == (150, 2) and np.allclose(X.mean(axis=0), 0)
    covariances = [np.cov(X[species == k].T, bias=True) for k in range(3)]
    assert np.allclose(np.mean(covariances, axis=0), within) and np.allclose(np.diag(within), 1)
    raw = load_iris().data[:, 2]
    assert np.ptp(raw) / np.ptp(X[:, 0]) == pytest.approx(
        0.43, abs=0.005
    )  # cm, as the notebook says


@pytest.mark.parametrize("M", [1, 2, 3])
def test_ideal_data_have_the_moments_of_the_normal(M):
    X, w = chapter.ideal_gaussian(M, 50.0, 4)
    assert X.shape == (4**M, M) and w.sum() == pytest.approx(50)
    assert np.allclose(w @ X, 0) and np.allclose((X.T * w) @ X, 50 * np.eye(M))
    assert np.allclose(w @ X**4, 150) and np.allclose(w @ X**6, 750)


def test_a_sweep_is_that_of_the_engine_whichever_way_the_slider_went(explorer):
    explorer.compute(0.5, 100.0, 1.0, 30)
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
        arrays = explorer.compute(0.5, 100.0, 1.0, sweep)
        assert np.allclose(arrays["shares"], np.array(shares[: sweep + 1]).T, rtol=1e-9)
        assert np.allclose(arrays["F"], F[: sweep + 1], atol=1e-8)
    assert np.allclose(arrays["centres"], centres)


def test_who_lives_on_one_clump_and_on_two(explorer):
    def end(**values):
        return explorer.compute(**(explorer.first | {"sweep": 600} | values))

    assert 100 * end()["shares"][1, -1] < 0.01  # data; below the critical concentration: dead
    assert 0.1 < end(total=1000)["shares"][1, -1] < 0.4  # dying, but slowly
    even = end(concentration=2.0)
    assert even["shares"][1, -1] == pytest.approx(0.5, abs=1e-3) and even["F"][-1] < -1
    apart = end(distance=2.0)
    assert np.ptp(apart["centres"]) > 1.5 and apart["F"][-1] < -1
    assert end(distance=0.5)["shares"][1, -1] < 1e-3  # died before it could separate


def test_picture_and_status_follow_the_controls(explorer):
    pictures = set()
    for values in (
        {},
        {"sweep": 600},
        {"concentration": 2.0},
        {"distance": 3.0},
        {"total": 10_000},
    ):
        explorer.set(**(explorer.first | values))
        pictures.add(explorer.png)
        arrays = explorer.compute(**explorer.values)
        assert f"{arrays['F'][-1]:+.2f} nats" in chapter.status(arrays, explorer.values)
    assert len(pictures) == 5 and explorer.error is None
    for phi, words in (
        (0.9, "the poorer one dies"),
        (1.0, "shares stay"),
        (1.1, "shares even out"),
    ):
        values = explorer.first | {"concentration": phi}
        assert words in chapter.status(explorer.compute(**values), values)


def test_every_position_stays_on_the_picture(explorer):
    for concentration in (0.1, 3.0):
        for total in (10.0, 10_000.0):
            for distance in (0.0, 5.0):
                F = explorer.compute(concentration, total, distance, 600)["F"]
                assert -3e4 < F.min() and F.max() < 100


def test_bars_count_what_was_chosen():
    _, (ax,) = plots.figure()
    chapter.draw_choices(
        ax, {"a": np.array([1, 3, 3]), "b": np.array([2]), "c": np.array([3])}, np.arange(1, 4)
    )
    assert [bar.get_height() for bar in ax.patches] == [1, 0, 2, 0, 1, 0, 0, 0, 1]


def test_answers():
    mean, variance = answers.posterior_of_mean(np.array([1.0, 2.0]), np.array([0.5, 1.0]), 4.0)
    family = KnownCovariance(0.0, 4.0)
    exact = family.posterior(np.array([[1.5, 2.5]]))
    assert (mean, variance) == (pytest.approx(exact[0][0, 0]), pytest.approx(exact[1][0, 0, 0]))
    assert answers.switch_point(1e3, 1, 2 * np.pi) == pytest.approx(
        critical_concentration(1), abs=2e-4
    )
    for case in ((1e7, 2, 10.0, 0.5), (1e7, 4, 1.0, 3.0)):
        assert answers.cost_by_stirling(*case) == pytest.approx(
            answers.cost_of_copies(*case, 2), abs=1e-3
        )
