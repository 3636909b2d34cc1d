"""The explorers and helpers of notebook 03 show what the engine computes."""

import numpy as np
import pytest
from scipy.special import expit

from vbkit import plots
from vbkit.chapters import online_mixture as chapter
from vbkit.chapters.models import states_after
from vbkit.chapters.online_mixture import answers, explorers, pictures, streams
from vbkit.learning import Schedule, accumulation, component_prior_means, fit_online

WANDER = explorers.ORDERS[-1]


def test_orders_are_of_the_same_data():
    X, means = explorers.stream("random")
    for order in ("ascending", "cluster by cluster"):
        other, same = explorers.stream(order)
        assert np.array_equal(np.sort(other, axis=0), np.sort(X, axis=0))
        assert np.array_equal(means, same)
    assert (np.diff(explorers.stream("ascending")[0][:, 0]) >= 0).all()
    steps = np.diff(explorers.stream("cluster by cluster")[0][:, 0])
    assert (steps < 0).sum() > 1000 and (
        abs(steps) > 5
    ).sum() < 10  # random within a cluster
    moved = explorers.stream(WANDER)[0] - X
    assert moved[0, 0] == -3 and moved[-1, 0] == pytest.approx(3, abs=0.01)


@pytest.mark.parametrize("D", [1, 2])
def test_judge(D):
    """The truth itself; then two clusters that share a component, and a third with only 0.5 %."""
    mixture, (weights, centres, widths) = chapter.make_mixture(D, 1.0), streams.five(D)
    covariances = widths[:, None, None] ** 2 * np.eye(D)
    S = mixture.family.state(1e7 * weights, centres, covariances)
    found = streams.judge(mixture, S, streams.five(D))
    assert (found["used"], found["found"], found["top"]) == (5, 5, 1.0)
    assert found["divergence"] == pytest.approx(0, abs=1e-4)
    merged = np.vstack(
        [S[0] + S[1], S[2], S[3], 0.03 * S[4]]
    )  # the last one holds 0.5 %
    found = streams.judge(mixture, merged, streams.five(D))
    assert (found["used"], found["found"]) == (3, 2) and found["divergence"] > 0.1
    found = streams.judge(mixture, np.vstack([S, S[:2]]), streams.five(D))
    assert found["used"] == 7 and found["top"] == pytest.approx(
        1.05 / 1.35
    )  # without two of .15


def test_areas_are_weights():
    mixture = chapter.make_mixture(1, 1.0)
    X, means = explorers.stream("random")
    S = fit_online(mixture, X, component_prior_means(mixture, means), accumulation()).S
    shown = pictures.densities(mixture, X, S)
    areas = shown["components"].sum(axis=1) * 0.1
    inside = abs(mixture.parameters(S).components.mean[:, 0]) < 9
    assert areas[inside] == pytest.approx(mixture.parameters(S)[0][inside], rel=0.02)
    assert shown["histogram"].sum() * 0.5 == pytest.approx(1, abs=1e-3)
    assert not pictures.densities(mixture, X[:0], S)["histogram"].any()


@pytest.mark.parametrize(("order", "memory"), [("ascending", 0), (WANDER, 300)])
def test_twenty_components_follow_their_controls(order, memory):
    explorer = chapter.orders()
    first = explorer.png
    explorer.set(seen=700, order=order, memory=memory)
    assert explorer.png != first and explorer.error is None
    X, means = explorers.stream(order)
    mixture = chapter.make_mixture(1, 1.0)
    rule = Schedule(0.0, 1 / memory, 0.0) if memory else accumulation()
    S = fit_online(mixture, X[:700], component_prior_means(mixture, means), rule).S
    arrays = explorer.compute(**explorer.values)
    assert np.allclose(arrays["counts"][-1], S[:, 0], rtol=1e-12)
    assert len(arrays["counts"]) == explorers.SEEN.index(700) + 1
    weights, centres, widths = streams.five(1)
    truth = weights, centres + explorers.shift_after(order, 700), widths
    assert arrays["judged"] == pytest.approx(streams.judge(mixture, S, truth))
    assert f"{arrays['judged']['used']} of 20 components are in use" in explorer.status


def test_a_smaller_alpha_is_learned_with():
    explorer = chapter.shared_stream()
    explorer.set(seen=300, concentration=0.1)
    X, means = explorers.stream("random")
    mixture = chapter.make_mixture(1, 0.1)
    S = fit_online(
        mixture, X[:300], component_prior_means(mixture, means), accumulation()
    ).S
    arrays = explorer.compute(**explorer.values)
    assert np.allclose(arrays["counts"][-1], S[:, 0], rtol=1e-12)


def test_one_data_point_is_weighed_as_the_engine_weighs_it():
    explorer = chapter.one_data_point()
    explorer.set(y=1.0, left=10, right=3)
    arrays = explorer.compute(**explorer.values)
    mixture = chapter.make_mixture(1, 1.0)
    start = component_prior_means(mixture, np.array([[-2.0], [2.0]]))
    # data at the component's own mean with variance 1, so that rate and shape grow alike
    held = np.array([[10.0, -20.0, 50.0], [3.0, 6.0, 15.0]])
    R = mixture.responsibilities(np.array([[1.0]]), start + held)
    assert arrays["share"] == pytest.approx(R[0, 0])
    assert arrays["share"] == pytest.approx(expit(sum(arrays["terms"])))
    assert f"takes {R[0, 0]:.1%}" in explorer.status
    for values in ({"y": -5, "left": 0}, {"y": 5, "right": 300}):
        explorer.set(**values)
        assert explorer.error is None
        arrays = explorer.compute(**explorer.values)
        lead = sum(arrays["terms"])
        assert arrays["share"] == pytest.approx(expit(lead), abs=1e-9)
        assert f"takes {arrays['share']:.1%}" in explorer.status


def test_two_copies():
    explorer = chapter.copies()
    explorer.set(smaller=10, rounds=1000)
    arrays = explorer.compute(**explorer.values)
    flow = answers.frozen_shares([30, 10], 1.0, 2, 40 * explorers.ROUNDS[-1])
    assert arrays["online"][-1] == pytest.approx(flow[1] / flow.sum())
    n = np.array([30.0, 10.0])
    for _ in range(5):
        n = 40 * (n - 0.5) / (n - 0.5).sum()
    assert arrays["batch"][explorers.ROUNDS == 5][0] == pytest.approx(n[1] / 40)
    assert "begins with 25%" in explorer.status
    for smaller, concentration in ((2, 0.01), (2, 10.0), (20, 10.0)):
        explorer.set(smaller=smaller, concentration=concentration)
        arrays = explorer.compute(**explorer.values)
        assert all(
            0 <= arrays[k].min() <= arrays[k].max() <= 0.55 for k in ("online", "batch")
        )


def test_drawings():
    fig, (line, plane) = plots.figure(ncols=2)
    for ax, D in ((line, 1), (plane, 2)):
        mixture, rng = chapter.make_mixture(D, 1.0), np.random.default_rng(0)
        X, start = rng.normal(size=(20, D)), chapter.draw_means(rng, D)
        (S,) = states_after(
            mixture, X, component_prior_means(mixture, start), accumulation(), [20]
        )
        pictures.draw_stage(ax, mixture, X, S, streams.five(D))
    assert len(line.collections[0].get_paths()) == chapter.N_COMPONENTS


def test_take_back_undoes_a_step():
    before = (1.0, 2.0, 0.5, -1.0, 0.3)
    after = answers.component_step(3.0, 0.4, *before)
    assert answers.take_back(3.0, 0.4, *after) == pytest.approx(before)


def test_a_memory_follows_its_flow():
    counts, c, memory = np.array([30.0, 10.0]), 0.5, 40.0
    for _ in range(30_000):
        counts = counts + 1e-2 * ((counts - c) / (counts - c).sum() - counts / memory)
    assert answers.remembered([30, 10], 1.0, 2, 300.0) == pytest.approx(
        counts, rel=1e-4
    )
