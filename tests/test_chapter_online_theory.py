"""The explorer of a moving target shows what the engine learns; its theory is right for
certain labels."""

import numpy as np
import pytest

from vbkit.chapters import online_theory as chapter
from vbkit.chapters.online_theory import answers
from vbkit.learning import fit_online, sato2000


def test_a_track_in_pieces_is_the_whole_stream():
    found = chapter.track(100.0, 0.01, 1.0, 4.0)
    path = 1e-3 * (np.arange(chapter.LENGTH) - chapter.LENGTH / 2)
    assert np.allclose(found["truth"][-1], path[-1] + np.array([-2, 2]))
    start = chapter.TARGET.family.state(
        np.full(2, 500.0), (path[0] + np.array([[-2.0], [2.0]])), np.ones((2, 1, 1))
    )
    fit = fit_online(chapter.TARGET, found["X"][:, None], start, sato2000(1000), monitor=False)
    assert np.allclose(found["centres"][-1, 0], fit.S[:, 1] / fit.S[:, 0], rtol=1e-9)
    assert found["effective_sample_size"][-1] == pytest.approx(fit.schedule.effective_sample_size)


@pytest.mark.parametrize("effective_sample_size, speed", [(100.0, 1.0), (100.0, 3.0), (320.0, 0.1)])
def test_lag_and_noise_are_those_of_theory_for_components_far_apart(effective_sample_size, speed):
    found = chapter.track(effective_sample_size, 0.0, speed, 9.0)
    lag, noise = chapter.errors(found["centres"], found["truth"])
    expected = chapter.theory(effective_sample_size, speed / 1000)
    spread = expected[1] / np.sqrt(
        chapter.STREAMS * 2 * chapter.LENGTH / 4 / (2 * effective_sample_size)
    )  # of the mean over streams and time
    assert abs(lag - expected[0]) < 4 * spread
    assert noise == pytest.approx(expected[1], rel=0.2)


def test_the_best_sample_size_is_where_theory_is_least():
    memories = np.linspace(20, 200, 18_001)
    total = np.hypot(*chapter.theory(memories, 1e-3))
    assert memories[total.argmin()] == pytest.approx(chapter.best_sample_size(1e-3), rel=0.01)


def test_labels_that_are_uncertain_lengthen_the_lag():
    near, far = (
        chapter.errors(f["centres"], f["truth"])[0]
        for f in (chapter.track(100.0, 0.0, 1.0, s) for s in (2.5, 6.0))
    )
    assert near > 3 * far


def test_the_explorer_follows_its_controls():
    explorer = chapter.explorer()
    first = explorer.png
    explorer.set(kappa=0.3, separation=2.5)
    arrays = chapter.compute(**explorer.values)
    assert explorer.png != first and explorer.error is None
    memory = arrays["effective_sample_size"][-1]
    assert f"Memory {memory:.0f} data" in explorer.status


def test_answers():
    R = np.array([[0.5, 0.5], [1.0, 0.0]])
    mixture, X = chapter.line_mixture(), np.array([[-1.0], [2.0]])
    S = mixture.m_step(X, R)
    a, prior = mixture.family.log_normalizer, np.zeros((2, 3))
    w = mixture.weights.log_normalizer
    wanted = np.log(2) + a(S).sum() - a(prior).sum() + w(S[:, 0]) - w(prior[:, 0])
    assert answers.elbo_after_m_step(mixture, X, R) == pytest.approx(wanted, rel=1e-12)
    memory, error = answers.best_of((10.0, 80.0, 640.0), 1.0)
    assert memory == 80.0 and error == pytest.approx(
        np.hypot(*chapter.theory(80.0, 0.001)), rel=0.1
    )
    rates = sato2000(1.0, tau0=20.0, kappa=0.5).learning_rates(10**5)[0]
    left = np.log(1 - 0.3 * rates).cumsum()
    power, limit = answers.late_law(0.3, 0.5)
    assert power == pytest.approx((left[10**4 - 1] - left[-1]) / np.log(10), rel=1e-2)
    assert answers.late_law(limit, 0.5)[0] == pytest.approx(0.5)
