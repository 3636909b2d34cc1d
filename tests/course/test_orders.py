"""Streams in other orders, copies whose counts are remembered, and pictures of streams."""

import numpy as np
import pytest

from vbkit import plots
from vbkit.course import orders, pictures_of_streams
from vbkit.course.stream import draw_stream, make_mixture, states_along, true_machines
from vbkit.learning import component_prior_means


def test_a_moving_stream():
    stream = draw_stream(2000, 71)
    moved = orders.in_order(stream, orders.ORDERS[-1]) - stream.data
    assert moved[0, 0] == -3 and moved[-1, 0] == pytest.approx(3, abs=0.01)
    end = orders.truth_at_the_end(orders.ORDERS[-1], true_machines())
    assert np.allclose(end.means - true_machines().means, 3)
    same = orders.truth_at_the_end("random", true_machines())
    assert np.array_equal(same.means, true_machines().means)
    ascending = orders.in_order(stream, "ascending")
    assert np.array_equal(ascending, np.sort(stream.data, axis=0))


def test_a_memory_follows_its_flow():
    counts, c, memory = np.array([30.0, 10.0]), 0.5, 40.0
    for _ in range(30_000):
        counts = counts + 1e-2 * ((counts - c) / (counts - c).sum() - counts / memory)
    assert orders.remembered([30, 10], 1.0, 2, 300.0) == pytest.approx(counts, rel=1e-4)


def test_counts_of_copies_add_up():
    counts = orders.counts_of_copies([30, 10], 1.0, 2, 100)
    assert counts.sum() == pytest.approx(140)
    assert (counts[1] - 0.5) / (counts[0] - 0.5) == pytest.approx(9.5 / 29.5)


def test_drawings():
    _, (plane,) = plots.figure()
    mixture = make_mixture(2, 1.0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    start = component_prior_means(mixture, rng.uniform(-12, 12, (20, 2)))
    (S,) = states_along(mixture, X, start, [20])
    pictures_of_streams.draw_in_the_plane(plane, mixture, X, S, true_machines(2))
    assert len(plane.lines) > 0
