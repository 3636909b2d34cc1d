"""The explorers of chapter 00 show what the engine computes, however the sliders moved."""

import numpy as np
import pytest

from vbkit.chapters import start_here as chapter
from vbkit.chapters.start_here import answers
from vbkit.chapters.start_here.bolts import (
    LENGTHS,
    MACHINE,
    SHARE,
    STARTS,
    every_grouping,
)
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture
from vbkit.theory import change_of_free_energy, log_evidence

BOLTS = Mixture(MACHINE, SHARE)
X = chapter.copies.three_clumps(np.random.default_rng(1))


def all_values_on_the_picture(explorer, name, low, high):
    for key, control in explorer.controls.items():
        for _, value in control.options:
            values = explorer.compute(**explorer.first | {key: value})[name]
            assert low <= np.min(values) and np.max(values) <= high


def test_the_groupings_add_up_to_the_evidence():
    log_joint = chapter.bolts.log_joint(LENGTHS, every_grouping())
    assert np.isclose(
        np.logaddexp.reduce(log_joint), log_evidence(BOLTS, LENGTHS, 2), rtol=1e-12
    )


def test_the_moved_bolt_is_placed_by_the_exact_posterior():
    explorer = chapter.move_a_bolt()
    for place, chance in ((0.2, 0.40), (0.1, 0.50), (-1.0, 0.98)):
        explorer.set(place=place)
        assert explorer.status.endswith(f"{chance:.2f}.")
        arrays = explorer.compute(place)
        assert arrays["x"][4] == place and np.isclose(arrays["chance"][0], 1)
    all_values_on_the_picture(explorer, "chance", -1e-9, 1 + 1e-9)


@pytest.mark.filterwarnings(
    "ignore:all 2 components of the start are identical"
)  # on purpose
@pytest.mark.parametrize("start", STARTS)
def test_the_sweeps_are_those_of_batch_learning(start):
    explorer = chapter.play_the_sweeps()
    R = np.column_stack([STARTS[start], 1 - STARTS[start]])
    for sweep in (0, 7, 25):
        fit = fit_batch(
            BOLTS, LENGTHS, BOLTS.m_step(LENGTHS, R), max_epochs=sweep, tolerance=0
        )
        arrays = explorer.compute(sweep, start)
        assert np.allclose(np.exp(MACHINE.log_predictive(fit.S, np.zeros((1, 1))))[:, 0],
                           np.array(arrays["densities"])[:, 80], rtol=1e-6)  # fmt: skip
        # Between two M-steps lies an E-step, so the two traces interleave.
        assert (
            arrays["elbos"][sweep]
            <= fit.elbo + 1e-9
            <= arrays["elbos"][sweep + 1] + 2e-9
        )
    assert np.diff(arrays["elbos"]).min() > -1e-9
    assert arrays["elbos"].max() < arrays["evidence"]
    all_values_on_the_picture(explorer, "elbos", -24.2, -16.9)


def test_the_status_of_the_sweeps_is_true():
    explorer = chapter.play_the_sweeps()
    explorer.set(sweep=30)
    assert explorer.status == (
        "ELBO -18.93, 1.30 nats below the evidence; the fifth bolt is 0.07 left."
    )


def test_the_factorised_gaussian_is_as_wide_as_a_conditional():
    explorer = chapter.cut_a_dependence()
    for c in (0.0, 0.6, 0.98):
        arrays = explorer.compute(c)
        p, q = arrays["gaussians"]
        assert np.isclose(arrays["width"], np.sqrt(1 - c**2))
        kl = (
            np.trace(np.linalg.solve(p, q))
            - 2
            + np.log(np.linalg.det(p) / np.linalg.det(q))
        )
        assert np.isclose(arrays["gap"], kl / 2, atol=1e-12)
    explorer.set(correlation=0.8)
    assert "under q 0.60; KL(q||p) is 0.51 nats" in explorer.status


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
    groupings = every_grouping()
    log_joint = chapter.bolts.log_joint(LENGTHS, groupings)
    every = answers.highest_elbo(log_joint, np.full(256, True))
    one_image = answers.highest_elbo(log_joint, groupings[:, 0] == 0)
    one_opinion = answers.highest_elbo(log_joint, groupings[:, 4] != groupings[:, 0])
    assert np.isclose(every - one_image, np.log(2), rtol=1e-12)
    assert every - one_opinion == pytest.approx(0.52, abs=0.005)  # minus log 0.596
    assert every == pytest.approx(log_evidence(BOLTS, LENGTHS, 2), rel=1e-12)


def test_the_pictures_show_what_they_are_given():
    chances = np.full(256, 1 / 256)
    assert "Eight bolts" in chapter.bolts.draw_bolts().alt
    assert chapter.bolts.draw_groupings(chances).png[:4] == b"\x89PNG"
