"""The experiments, drawings and explorer of notebook 09 show what the engine computes."""

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.datasets import load_digits

from vbkit import plots
from vbkit.binary import binary_vectors, pattern_counts
from vbkit.chapters.hyperparameter_design import answers, digits, experiments, pictures
from vbkit.learning import fit_batch
from vbkit.theory import entropy, generalization_error


@pytest.fixture(scope="module")
def data():
    X, labels = experiments.MINORITIES[5].sample(300, np.random.default_rng(1))
    return X, labels, experiments.random_starts(X, 3, np.random.default_rng(2))


def test_evidence_of_assigned_data_adds_up_to_a_distribution():
    """p(X, Z) sums to 1 over all data and assignments: three rows of two items, two components."""
    logs = []
    for rows, Z in product(product(binary_vectors(2), repeat=3), product(range(2), repeat=3)):
        R = np.eye(2)[list(Z)]
        logs.append(experiments.log_evidence(R.sum(axis=0), R.T @ np.array(rows, float), 0.7, 0.3))
    assert logsumexp(logs) == pytest.approx(0.0, abs=1e-10)


def test_a_trial_reports_the_lowest_free_energy_and_its_error():
    truth, a, b = experiments.TRUTHS["clear"], [0.1, 4.0], [0.3, 2.0]
    found = experiments.surfaces(truth, a, b, 2, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    X, _ = truth.sample(experiments.SIZE, rng)
    starts = experiments.random_starts(X, 2, rng)
    for i, j in product(range(2), range(2)):
        mixture = experiments.bernoulli_mixture(5, a[i], b[j])
        fits = [fit_batch(mixture, X, start, max_epochs=3000, tolerance=1e-9) for start in starts]
        best = max(fits, key=lambda fit: fit.elbo)
        used = best.S[:, 0] >= experiments.USED
        F = -best.elbo - experiments.SIZE * entropy(pattern_counts(X) / experiments.SIZE)
        assert found["free_energy"][i, j] == pytest.approx(F, abs=1e-3)
        assert found["error"][i, j] == pytest.approx(
            generalization_error(mixture, best.S, truth)[0], rel=1e-3
        )
        assert found["used"][i, j] == used.sum()
        assert found["smallest"][i, j] == pytest.approx(best.S[used, 0].min(), rel=0.01)
        assert found["spread"][i, j] == pytest.approx(np.ptp([fit.elbo for fit in fits]), abs=2e-3)


def test_isolation_wants_both_halves(data):
    X, labels, _ = data
    mixture, minority = experiments.bernoulli_mixture(5, 0.1, 0.1), labels == 2
    T = np.column_stack([np.ones(len(X)), X, 1 - X])
    together = np.stack([T[~minority].sum(axis=0) / 2] * 2 + [0 * T[0]]) + 0.1
    everybody = np.ones((len(X), 1))
    assert answers.isolated(np.eye(3)[labels], minority)
    assert answers.isolated(everybody, np.ones(len(X), bool))
    assert not answers.isolated(everybody, minority)
    assert not answers.isolated(mixture.responsibilities(X, together), minority)


def test_minority_trials_judge_the_three_solutions():
    found = experiments.minority_trial(10, [(0.01, 1.0), (10, 1.0)], 2, np.random.default_rng(3))
    assert found["found"].shape == found["used"].shape == (2, 3) and found["excess"].shape == (2,)
    assert found["found"][0, 2] == 1 and found["used"][0, 2] == 3
    assert (found["used"][1, :2] == experiments.N_COMPONENTS).all()
    rng = np.random.default_rng(3)
    X, labels = experiments.MINORITIES[10].sample(experiments.SIZE, rng)
    mixture, T = (
        experiments.bernoulli_mixture(10, 10, 1.0),
        np.column_stack([np.ones(len(X)), X, 1 - X]),
    )
    at_truth = np.pad(np.eye(3)[labels].T @ T, ((0, experiments.N_COMPONENTS - 3), (0, 0)))
    starts = [*experiments.random_starts(X, 2, rng), at_truth]
    F = [-fit_batch(mixture, X, start, max_epochs=3000, tolerance=1e-9).elbo for start in starts]
    assert found["excess"][1] == pytest.approx(F[2] - min(F[:2]), abs=2e-3) and F[
        2
    ] != pytest.approx(F[0], abs=0.1)


def test_a_start_at_the_truth_finds_what_random_ones_miss():
    found = experiments.minority_trial(5, [(10, 0.01)], 2, np.random.default_rng(1))
    assert found["found"][0].tolist() == [0, 0, 1] and found["used"][0].tolist() == [10, 10, 3]


def test_digits_follow_the_prior():
    one = digits.cluster_digits(1.0, 100.0, 5, every=6)
    five = digits.cluster_digits(1.0, 1.0, 5, every=6)
    assert one["size"] == 300 and np.allclose([one["counts"].sum(), five["counts"].sum()], 300)
    assert (one["counts"] >= experiments.USED).sum() == 1 and (np.diff(five["counts"]) <= 0).all()
    X, labels = digits.digits(6)
    ink, _ = load_digits(return_X_y=True)
    assert np.array_equal(X == 1, ink[::6] > 7)
    assert one["agreement"] == np.bincount(labels).max() / 300
    assert np.allclose(one["means"][0], (X.sum(axis=0) + 100) / 500)
    assert digits.cluster_digits(1.0, 1.0, 5, every=6, sweeps=0)["F"] > five["F"]


def test_the_explorer_shows_what_it_learned():
    live = digits.explorer()
    first = live.png
    live.set(b=100.0, n_components=10)
    assert live.png != first and live.error is None
    arrays = digits.compute(**live.values)
    assert digits.status(arrays, live.values).startswith("1 of 10 components")
    artists = live._blit.artists
    assert (
        artists["labels"][0].get_text() == f"{arrays['counts'][0]:.0f}"
        and artists["labels"][1].get_text() == ""
    )
    assert np.ma.count(artists["image"].get_array()) == 64
    assert np.array_equal(artists["image"].get_array()[3:11, 1:9], arrays["means"][0].reshape(8, 8))


def test_drawings_show_their_numbers():
    _, axes = plots.figure(ncols=3)
    pictures.draw_surface(axes[0], [1, 10], [0.1, 1], [[1, 2], [3, 4]], limit_of=5)
    assert {t.get_text(): t.get_position() for t in axes[0].texts}["3"] == (1.5, 0.5)
    x, y = axes[0].lines[0].get_data()
    assert y[0] == 0.5 and x[-1] == pytest.approx(
        0.5 + np.log10(3)
    )  # a = 1 at b = 0.1, a = 3 at b = 1
    pictures.draw_rows(axes[1], [0.2, 0.7, 0.1], np.eye(3), least=0.15)
    assert [t.get_text() for t in axes[1].texts] == ["0.700", "0.200"]
    pictures.draw_images(axes[2], np.zeros((2, 64)), np.array([3.0, 0.1]))
    assert [t.get_text() for t in axes[2].texts] == ["3"]


def test_answers():
    n, yes, no = answers.cluster_behind(0.00057, 1750, 1e-4, 1e-4, 13)
    assert n == pytest.approx(0.9974, abs=1e-3) and (round(yes, 5), round(no, 5)) == (
        0.9999,
        0.0001,
    )
    weights = (np.array([700.0, n]) + 1e-4) / (1750 + 13e-4)
    assert weights[1] == pytest.approx(0.00057, rel=1e-12)
    for size, b in [(1, 0.3), (4, 2.0)]:
        ones = np.array([[size, 0, size]])
        price = -experiments.log_evidence([size], ones, 1.0, b)
        assert answers.price_of_identical_rows(size, 3, b) == pytest.approx(price, rel=1e-12)
