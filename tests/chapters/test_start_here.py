"""The explorers of chapter 00 show what the engine computes, however the sliders moved."""

import numpy as np
import pytest

from vbkit.chapters import start_here as chapter
from vbkit.chapters.start_here import answers
from vbkit.course import lecture_00
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture
from vbkit.theory import change_of_free_energy, log_evidence

X = chapter.copies.three_clumps(np.random.default_rng(1))


def all_values_on_the_picture(explorer, name, low, high):
    for key, control in explorer.controls.items():
        for _, value in control.options:
            values = explorer.compute(**explorer.first | {key: value})[name]
            assert low <= np.min(values) and np.max(values) <= high


def test_tax_and_grant_tilt_as_the_formula_says():
    explorer = chapter.tax_and_grant()
    for d, phi, words in (
        (5, 2.0, "dies"),
        (5, 3.0, "balance"),
        (5, 4.0, "both copies live"),
    ):
        explorer.set(parameters=d, concentration=phi)
        assert words in explorer.status
        w, F = chapter.copies.WEIGHTS, explorer.compute(d, phi)["F"]
        assert np.isclose(F[20], change_of_free_energy([w[20], 1 - w[20]], d, phi))
    all_values_on_the_picture(explorer, "F", -11, 11)


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


def alive(concentration, n_components=7):
    return (fit(n_components, concentration, 150).S[:, 0] > 1).sum()


def test_small_concentrations_starve_components_and_large_ones_do_not():
    assert [alive(phi) for phi in (0.01, 1.0, 2.2, 4.6, 10.0)] == [3, 4, 6, 7, 7]
    assert alive(1.0, n_components=5) == 3  # as the text says: the start matters, too
    assert (fit(7, 0.01, 1).S[:, 0] > 1).sum() > 3  # starving takes time


@pytest.mark.parametrize(
    ("family", "critical"), [(chapter.copies.FAMILY, 3), (answers.ROUND, 2)]
)
def test_exact_copies_with_many_data_drift_as_the_formula_says(family, critical):
    gains = [
        answers.gain_in_a_sweep(answers.ONE_CLUMP, 0.3, family, critical + shift)
        for shift in (-0.5, 0.0, 0.5)
    ]
    assert gains == pytest.approx([-0.2, 0.0, 0.2], abs=0.003)


def test_leaving_out_groupings_costs_the_logarithm_of_the_mass_that_is_left():
    groupings = lecture_00.every_grouping()
    log_joint = lecture_00.log_joint(lecture_00.LENGTHS, groupings)
    every = answers.highest_elbo(log_joint, np.full(256, True))
    one_image = answers.highest_elbo(log_joint, groupings[:, 0] == 0)
    one_opinion = answers.highest_elbo(log_joint, groupings[:, 4] != groupings[:, 0])
    assert np.isclose(every - one_image, np.log(2), rtol=1e-12)
    assert every - one_opinion == pytest.approx(0.52, abs=0.005)  # minus log 0.596
    bolts = Mixture(lecture_00.MACHINE, lecture_00.SHARE)
    evidence = log_evidence(bolts, lecture_00.LENGTHS, 2)
    assert every == pytest.approx(evidence, rel=1e-12)
