"""The explorer of notebook 00 shows what the engine computes, however the sliders moved."""

import numpy as np
import pytest

from vbkit import plots
from vbkit.chapters import start_here as chapter
from vbkit.chapters.start_here import answers
from vbkit.families import Dirichlet
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture

X = chapter.three_clumps(np.random.default_rng(1))


@pytest.fixture(scope="module")
def explorer():
    return chapter.explorer(X)


def fit(n_components, concentration, epochs):
    mixture = Mixture(chapter.FAMILY, Dirichlet(concentration))
    start = init_gaussian(mixture, X, n_components, np.random.default_rng(0))
    return fit_batch(mixture, X, start, max_epochs=epochs, tolerance=0)


def test_an_epoch_is_that_of_batch_learning(explorer):
    explorer.compute(5, 1.0, 20)
    for epoch in (3, 40):  # back, then on from where it stopped
        arrays, reference = explorer.compute(5, 1.0, epoch), fit(5, 1.0, epoch)
        assert np.allclose(arrays["counts"], reference.S[:, 0], rtol=1e-9)
        assert np.allclose(arrays["elbos"], reference.trace, rtol=1e-12)
        assert np.diff(arrays["elbos"]).min() > -1e-9


def test_small_concentrations_starve_components_and_large_ones_do_not():
    start = fit(7, 1.0, 0).S
    assert answers.count_alive(X, start, 0.01) == 3 and answers.count_alive(X, start, 10.0) == 7
    assert (fit(7, 0.01, 1).S[:, 0] > 1).sum() > 3  # starving takes time


def test_status_and_picture_follow_the_sliders(explorer):
    pictures = set()
    for values in ({}, {"concentration": 0.01, "epoch": 150}, {"n_components": 1}):
        explorer.set(**values)
        pictures.add(explorer.png)
    assert len(pictures) == 3 and explorer.error is None
    arrays = explorer.compute(7, 0.01, 150)
    elbo = fit(7, 0.01, 150).elbo
    words = f"3 of 7 components hold more than one data point; ELBO {elbo:.1f} nats."
    assert chapter.status(arrays, {"n_components": 7}) == words


def test_every_elbo_is_on_the_picture(explorer):
    for n_components in range(1, chapter.MOST + 1):
        for concentration in (0.01, 1.0, 100.0):
            assert -830 < explorer.compute(n_components, concentration, 150)["elbos"][-1] < -600


def test_drawings_show_what_they_are_given():
    _, (ax, bars) = plots.figure(ncols=2)
    x = np.array([-1.0, 0.0, 2.0])
    groupings = np.array([[0, 0, 1], [0, 1, 1]])
    chapter.draw_groupings(ax, bars, x, groupings, np.array([0.6, 0.3]))
    drawn = {line.get_marker(): sorted(zip(*line.get_data(), strict=True)) for line in ax.lines}
    assert drawn == {"o": [(-1, 0), (-1, 1), (0, 0)], "s": [(0, 1), (2, 0), (2, 1)]}
    assert [text.get_text() for text in bars.texts] == ["60 %", "30 %"]

    _, (ax,) = plots.figure()
    chapter.draw_simplex(ax, np.array([[1, 0, 0], [0, 0, 1]]))
    assert np.allclose(ax.lines[0].get_data(), [[0, 0.5], [0, np.sqrt(0.75)]])


def test_a_curve_carries_its_name_and_colour():
    _, (ax,) = plots.figure()
    line = plots.draw_curve(ax, [0, 1, 2], [5, 6, 7], "rising", 8, at=1, marked=True)
    assert line.get_color() == plots.COLOURS[1] and line.get_marker() == plots.MARKERS[1]
    assert ax.texts[0].get_text() == "rising" and ax.texts[0].xy == (1, 6)
    assert ax.texts[0].get_color() == plots.COLOURS[1]
