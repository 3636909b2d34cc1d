"""The explorer and helpers of notebook 03 show what the engine computes."""

import numpy as np
import pytest

from vbkit import plots
from vbkit.explore import online_mixture as lab
from vbkit.learning import accumulation, fit_online, unit_priors


def test_stages_are_one_stream():
    X, means = lab.stream("random")
    mixture = lab.make_mixture(1, 0.4)
    states = lab.accumulate(mixture, X, unit_priors(mixture, means), (0, 7, 7, 500))
    whole = fit_online(mixture, X[:500], unit_priors(mixture, means), accumulation()).S
    assert np.array_equal(states[-1], whole) and np.array_equal(states[1], states[2])
    assert np.array_equal(states[0], unit_priors(mixture, means))


def test_orders_are_of_the_same_data():
    X, means = lab.stream("random")
    for order in ("ascending", "cluster by cluster"):
        other, same = lab.stream(order)
        assert np.array_equal(np.sort(other, axis=0), np.sort(X, axis=0)) and np.array_equal(means, same)
    assert (np.diff(lab.stream("ascending")[0][:, 0]) >= 0).all()
    steps = np.diff(lab.stream("cluster by cluster")[0][:, 0])
    assert (steps < 0).sum() > 1000 and (abs(steps) > 5).sum() < 10  # random within a cluster


@pytest.mark.parametrize("D", [1, 2])
def test_judge(D):
    """The state of the truth itself, and one where two clusters are one unit's and a third has only 0.5 %."""
    mixture, (weights, centres, widths) = lab.make_mixture(D, 1.0), lab.five(D)
    covariances = widths[:, None, None] ** 2 * np.eye(D)
    S = mixture.component.state(1e7 * weights, centres, covariances)
    found = lab.judge(mixture, S, lab.five(D))
    assert (found["used"], found["found"], found["top"]) == (5, 5, 1.0)
    assert found["divergence"] == pytest.approx(0, abs=1e-4)
    merged = np.vstack([S[0] + S[1], S[2], S[3], 0.03 * S[4]])  # the last one holds 0.5 %
    found = lab.judge(mixture, merged, lab.five(D))
    assert (found["used"], found["found"]) == (3, 2) and found["divergence"] > 0.1
    found = lab.judge(mixture, np.vstack([S, S[:2]]), lab.five(D))
    assert found["used"] == 7 and found["top"] == pytest.approx(1.05 / 1.35)  # without two of .15


def test_areas_are_weights():
    mixture = lab.make_mixture(1, 1.0)
    X, means = lab.stream("random")
    S = lab.accumulate(mixture, X, unit_priors(mixture, means), (3000,))[0]
    areas = lab.unit_densities(mixture, S).sum(axis=1) * 0.1
    inside = abs(mixture.parameters(S)[1][:, 0]) < 9
    assert areas[inside] == pytest.approx(mixture.parameters(S)[0][inside], rel=0.02)
    assert lab.histogram(X).sum() * 0.5 == pytest.approx(1, abs=1e-3) and not lab.histogram(X[:0]).any()


def test_the_explorer_follows_its_controls():
    explorer = lab.explorer()
    first = explorer.png
    explorer.set(seen=100, concentration=0.1, order="ascending")
    assert explorer.png != first and explorer.error is None
    X, means = lab.stream("ascending")
    mixture = lab.make_mixture(1, 0.1)
    S = fit_online(mixture, X[:100], unit_priors(mixture, means), accumulation()).S
    arrays = lab.compute(**explorer.values)
    assert np.allclose(arrays["counts"][-1], S[:, 0], rtol=1e-12) and len(arrays["counts"]) == lab.SEEN.index(100) + 1
    assert arrays["judged"] == pytest.approx(lab.judge(mixture, S, lab.five(1)))
    assert "After 100 data" in lab.reading(arrays, explorer.values)
    explorer.set(seen=0)
    assert explorer.error is None


def test_drawings():
    fig, (line, plane, ranges) = plots.figure(ncols=3)
    for ax, D in ((line, 1), (plane, 2)):
        mixture, rng = lab.make_mixture(D, 1.0), np.random.default_rng(0)
        X = rng.normal(size=(20, D))
        S = lab.accumulate(mixture, X, unit_priors(mixture, lab.draw_means(rng, D)), (20,))[0]
        lab.draw_stage(ax, mixture, X, S, lab.five(D))
    assert len(line.collections[0].get_paths()) == lab.UNITS
    lab.draw_ranges(ranges, [0.1, 1.0], {"a": np.array([[1, 2], [3, 4], [5, 9.0]])})
    assert ranges.lines[0].get_ydata().tolist() == [3, 4]
