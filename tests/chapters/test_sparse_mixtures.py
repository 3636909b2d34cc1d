"""The explorer of chapter 01b shows what the engine computes, however the sliders moved."""

import numpy as np
import pytest

from vbkit.chapters import sparse_mixtures as chapter
from vbkit.chapters.sparse_mixtures import answers
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture

X = chapter.copies.three_clumps(np.random.default_rng(1))


def fit(n_components, concentration, epochs):
    mixture = Mixture(chapter.copies.FAMILY, Dirichlet(concentration))
    start = init_gaussian(mixture, X, n_components, np.random.default_rng(0))
    return fit_batch(mixture, X, start, max_epochs=epochs, tolerance=0)


def test_an_epoch_is_that_of_batch_learning():
    explorer = chapter.how_many_live()
    explorer.compute(20, 5, 1.0)
    for epoch in (3, 40):  # back, then on from where it stopped
        arrays, reference = explorer.compute(epoch, 5, 1.0), fit(5, 1.0, epoch)
        assert np.allclose(arrays["counts"][-1], reference.S[:, 0], rtol=1e-9)
        assert np.isclose(arrays["elbo"], reference.elbo, rtol=1e-12)
    explorer.set(n_components=7, concentration=0.01, epoch=150)
    elbo = fit(7, 0.01, 150).elbo
    words = f"3 of 7 components hold more than one data point; ELBO {elbo:.1f} nats."
    assert explorer.status == words


def survivors(concentration, n_components=7):
    return (fit(n_components, concentration, 150).S[:, 0] > 1).sum()


def test_small_concentrations_empty_components_and_large_ones_do_not():
    assert [survivors(alpha) for alpha in (0.01, 1.0, 2.2, 4.6, 10.0)] == [
        3,
        4,
        6,
        7,
        7,
    ]
    assert (
        survivors(1.0, n_components=5) == 3
    )  # as the text says: the start matters, too
    assert (fit(7, 0.01, 1).S[:, 0] > 1).sum() > 3  # emptying takes time


@pytest.mark.parametrize(
    ("family", "critical"), [(chapter.copies.FAMILY, 3), (answers.ROUND, 2)]
)
def test_exact_copies_with_many_data_drift_as_the_formula_says(family, critical):
    gains = [
        answers.gain_in_a_sweep(answers.ONE_CLUMP, 0.3, family, critical + shift)
        for shift in (-0.5, 0.0, 0.5)
    ]
    assert gains == pytest.approx([-0.2, 0.0, 0.2], abs=0.003)
