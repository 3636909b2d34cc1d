"""The explorers of the eight bolts show what the engine computes."""

import numpy as np
import pytest

from vbkit.course import lecture_00 as lecture
from vbkit.course.lecture_00 import LENGTHS, MACHINE, SHARE, STARTS
from vbkit.learning import fit_batch
from vbkit.mixture import Mixture
from vbkit.theory import log_evidence

BOLTS = Mixture(MACHINE, SHARE)


def test_the_groupings_add_up_to_the_evidence():
    log_joint = lecture.log_joint(LENGTHS, lecture.every_grouping())
    evidence = log_evidence(BOLTS, LENGTHS, 2)
    assert np.isclose(np.logaddexp.reduce(log_joint), evidence, rtol=1e-12)


def test_the_moved_bolt_is_placed_by_the_exact_posterior():
    explorer = lecture.MoveABolt()
    for place, chance in ((0.2, 0.40), (0.1, 0.50), (-1.0, 0.98)):
        explorer.set(place=place)
        words = (
            f"A fifth bolt at {place} is from the first bolt's machine: {chance:.2f}."
        )
        assert explorer.status == words
        answer = explorer.compute(place)
        assert answer.x[4] == place and np.isclose(answer.chance[0], 1)
    for _, place in explorer.controls["place"].options:
        chance = explorer.compute(place).chance
        assert -1e-9 <= chance.min() and chance.max() <= 1 + 1e-9


# on purpose
@pytest.mark.filterwarnings("ignore:all 2 components of the start are identical")
@pytest.mark.parametrize("start", STARTS)
def test_the_sweeps_are_those_of_batch_learning(start):
    learning = lecture.PlayTheSweeps().compute(start)
    S = BOLTS.m_step(LENGTHS, np.column_stack([STARTS[start], 1 - STARTS[start]]))
    middle = len(lecture.PLACES) // 2
    for sweep in (0, 7, 25):
        fit = fit_batch(BOLTS, LENGTHS, S, max_epochs=sweep, tolerance=0)
        density = np.exp(MACHINE.log_predictive(fit.S, np.zeros((1, 1))))[:, 0]
        assert np.allclose(density, learning.densities[sweep, :, middle], rtol=1e-6)
        # Between two M-steps lies an E-step, so the two traces interleave.
        assert learning.elbos[sweep] <= fit.elbo + 1e-9
        assert fit.elbo <= learning.elbos[sweep + 1] + 1e-9
    assert np.diff(learning.elbos).min() > -1e-9
    assert learning.elbos.max() < learning.evidence
    assert -24.2 <= learning.elbos.min() and learning.elbos.max() <= -16.9  # in sight


def test_the_status_of_the_sweeps_is_true():
    explorer = lecture.PlayTheSweeps()
    explorer.set(sweep=30)
    words = "ELBO -18.93, 1.30 nats below the evidence; the fifth bolt is 0.07 left."
    assert explorer.status == words
    assert explorer.at(sweep=30).alt.endswith(
        f"Learning starts from: the clumsy guess. {words}"
    )


def test_the_factorised_gaussian_is_as_wide_as_a_conditional():
    explorer = lecture.CutADependence()
    for correlation in (0.0, 0.6, 0.98):
        cut = explorer.compute(correlation)
        p, q = cut.covariances
        assert np.isclose(cut.width, np.sqrt(1 - correlation**2))
        spread = np.trace(np.linalg.solve(p, q)) - 2
        volumes = np.log(np.linalg.det(p) / np.linalg.det(q))
        assert np.isclose(cut.divergence, (spread + volumes) / 2, atol=1e-12)
    explorer.set(correlation=0.8)
    assert "under q 0.60; KL(q||p) is 0.51 nats" in explorer.status
    explorer.set(correlation=0.0)
    assert explorer.status.endswith("KL(q||p) is 0.00 nats.")


@pytest.mark.parametrize(
    "make", [lecture.MoveABolt, lecture.PlayTheSweeps, lecture.CutADependence]
)
def test_each_control_moves_the_picture_and_the_words(make):
    explorer = make()
    for name, control in explorer.controls.items():
        settings = [explorer.at(**{name: value}) for _, value in control.options[::5]]
        settings.append(explorer.at(**{name: control.options[-1][1]}))
        assert len({still.png for still in settings}) > 1
        assert len({still.alt for still in settings}) > 1
        assert max(len(still.png) for still in settings) <= 60_000


def test_the_pictures_show_what_they_are_given():
    groupings = lecture.picture_of_groupings(np.full(256, 1 / 256))
    assert "Eight bolts" in lecture.picture_of_bolts().alt
    assert groupings.png.startswith(b"\x89PNG") and "six rows" in groupings.alt.lower()
