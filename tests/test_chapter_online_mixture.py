"""The explorer and helpers of notebook 03 show what the engine computes."""

import numpy as np
import pytest

from vbkit import plots
from vbkit.chapters import online_mixture as chapter
from vbkit.learning import accumulation, component_prior_means, fit_online


def test_stages_are_one_stream():
    X, means = chapter.stream("random")
    mixture = chapter.make_mixture(1, 0.4)
    states = chapter.accumulate(mixture, X, component_prior_means(mixture, means), (0, 7, 7, 500))
    whole = fit_online(mixture, X[:500], component_prior_means(mixture, means), accumulation()).S
    assert np.array_equal(states[-1], whole) and np.array_equal(states[1], states[2])
    assert np.array_equal(states[0], component_prior_means(mixture, means))


def test_orders_are_of_the_same_data():
    X, means = chapter.stream("random")
    for order in ("ascending", "cluster by cluster"):
        other, same = chapter.stream(order)
        assert np.array_equal(np.sort(other, axis=0), np.sort(X, axis=0)) and np.array_equal(
            means, same
        )
    assert (np.diff(chapter.stream("ascending")[0][:, 0]) >= 0).all()
    steps = np.diff(chapter.stream("cluster by cluster")[0][:, 0])
    assert (steps < 0).sum() > 1000 and (abs(steps) > 5).sum() < 10  # random within a cluster


@pytest.mark.parametrize("D", [1, 2])
def test_judge(D):
    """The truth itself; then two clusters that share a component, and a third with only 0.5 %."""
    mixture, (weights, centres, widths) = chapter.make_mixture(D, 1.0), chapter.five(D)
    covariances = widths[:, None, None] ** 2 * np.eye(D)
    S = mixture.family.state(1e7 * weights, centres, covariances)
    found = chapter.judge(mixture, S, chapter.five(D))
    assert (found["used"], found["found"], found["top"]) == (5, 5, 1.0)
    assert found["divergence"] == pytest.approx(0, abs=1e-4)
    merged = np.vstack([S[0] + S[1], S[2], S[3], 0.03 * S[4]])  # the last one holds 0.5 %
    found = chapter.judge(mixture, merged, chapter.five(D))
    assert (found["used"], found["found"]) == (3, 2) and found["divergence"] > 0.1
    found = chapter.judge(mixture, np.vstack([S, S[:2]]), chapter.five(D))
    assert found["used"] == 7 and found["top"] == pytest.approx(1.05 / 1.35)  # without two of .15


def test_areas_are_weights():
    mixture = chapter.make_mixture(1, 1.0)
    X, means = chapter.stream("random")
    S = chapter.accumulate(mixture, X, component_prior_means(mixture, means), (3000,))[0]
    shown = chapter.densities(mixture, X, S)
    areas = shown["components"].sum(axis=1) * 0.1
    inside = abs(mixture.parameters(S).components.mean[:, 0]) < 9
    assert areas[inside] == pytest.approx(mixture.parameters(S)[0][inside], rel=0.02)
    assert shown["histogram"].sum() * 0.5 == pytest.approx(1, abs=1e-3)
    assert not chapter.densities(mixture, X[:0], S)["histogram"].any()


def test_the_explorer_follows_its_controls():
    explorer = chapter.explorer()
    first = explorer.png
    explorer.set(seen=100, concentration=0.1, order="ascending")
    assert explorer.png != first and explorer.error is None
    X, means = chapter.stream("ascending")
    mixture = chapter.make_mixture(1, 0.1)
    S = fit_online(mixture, X[:100], component_prior_means(mixture, means), accumulation()).S
    arrays = chapter.compute(**explorer.values)
    assert (
        np.allclose(arrays["counts"][-1], S[:, 0], rtol=1e-12)
        and len(arrays["counts"]) == chapter.SEEN.index(100) + 1
    )
    assert arrays["judged"] == pytest.approx(chapter.judge(mixture, S, chapter.five(1)))
    assert "After 100 data" in chapter.status(arrays, explorer.values)
    explorer.set(seen=0)
    assert explorer.error is None


def test_drawings():
    fig, (line, plane, ranges) = plots.figure(ncols=3)
    for ax, D in ((line, 1), (plane, 2)):
        mixture, rng = chapter.make_mixture(D, 1.0), np.random.default_rng(0)
        X = rng.normal(size=(20, D))
        S = chapter.accumulate(
            mixture, X, component_prior_means(mixture, chapter.draw_means(rng, D)), (20,)
        )[0]
        chapter.draw_stage(ax, mixture, X, S, chapter.five(D))
    assert len(line.collections[0].get_paths()) == chapter.N_COMPONENTS
    chapter.draw_ranges(ranges, [0.1, 1.0], {"a": np.array([[1, 2], [3, 4], [5, 9.0]])})
    assert ranges.lines[0].get_ydata().tolist() == [3, 4]
