"""Lecture 00c: its explorers and pictures show what the engine computes."""

import numpy as np
import pytest
from scipy.special import rel_entr, softmax

from vbkit.course import lecture_00c as lecture
from vbkit.course.bolts import (
    GUESS,
    LENGTHS,
    MACHINE,
    TWO_BOLTS,
    WEIGHTS,
    average_scores,
    every_labelling,
    learn_in_sweeps,
    log_joint,
    two_columns,
)
from vbkit.learning import fit_batch
from vbkit.mixture import Mixture

BOLTS = Mixture(MACHINE, WEIGHTS)


def test_the_two_groupings_are_those_of_the_two_bolts():
    labellings = every_labelling(2)
    probability = softmax(log_joint(TWO_BOLTS, labellings))
    different = probability[labellings[:, 0] != labellings[:, 1]].sum()
    assert np.allclose(lecture.TWO_GROUPINGS, [different, 1 - different], atol=0.005)


def test_the_elbo_touches_the_log_evidence_at_the_posterior_only():
    explorer = lecture.MoveQ()
    path, elbos, evidence = explorer.compute(0.0)
    q = np.column_stack([path, 1 - path])
    assert np.allclose(
        evidence - elbos, rel_entr(q, lecture.TWO_GROUPINGS).sum(axis=1), atol=0.006
    )
    assert (elbos < evidence).all() and round(path[elbos.argmax()], 2) == 0.79
    assert elbos.min() > -6.85 and evidence < -5.0  # in sight
    explorer.set(different=0.79)
    assert explorer.status.endswith("ELBO -5.058, KL 0.000, sum -5.058.")


def test_a_score_is_averaged_over_what_the_machines_have_learned():
    S = BOLTS.m_step(LENGTHS, two_columns(GUESS))
    scores = average_scores(LENGTHS, S)
    assert np.allclose(softmax(scores, axis=1), BOLTS.responsibilities(LENGTHS, S))
    rng = np.random.default_rng(0)
    posterior = MACHINE.posterior(S)
    rate, count = posterior.rate[0], posterior.mean_count[0]
    precision = rng.gamma(posterior.shape[0], 1 / rate, 200_000)
    mean = rng.normal(posterior.mean[0, 0], 1 / np.sqrt(count * precision))
    weight = rng.beta(1 + S[0, 0], 1 + S[1, 0], 200_000)
    density = 0.5 * np.log(precision / (2 * np.pi))
    drawn = np.log(weight) + density - precision * (LENGTHS[4] - mean) ** 2 / 2
    assert drawn.mean() == pytest.approx(scores[4, 0], abs=0.02)


def test_what_a_bolt_adds_is_what_the_elbo_gains():
    division = lecture.DivideABolt().compute(1.0)
    R, S = learn_in_sweeps(BOLTS, LENGTHS, two_columns(GUESS), 1)
    best = division.shares[division.added.argmax()]
    assert best == pytest.approx(R[1, 4, 0], abs=0.006)
    # the ELBO with machines held fixed, before and after all bolts are divided again
    scores = average_scores(LENGTHS, S[0])
    before = lecture.added_by_a_bolt(R[0][:, 0], scores.T).sum()
    after = lecture.added_by_a_bolt(R[1][:, 0], scores.T).sum()
    gained = BOLTS.elbo(LENGTHS, S[0]) - BOLTS.elbo_of_responsibilities(LENGTHS, R[0])
    assert after - before == pytest.approx(gained)


# on purpose
@pytest.mark.filterwarnings("ignore:all 2 components of the start are identical")
@pytest.mark.parametrize("start", lecture.CLIMBS)
def test_the_climb_is_that_of_batch_learning_and_never_falls(start):
    climb = lecture.ClimbTheSweeps().compute(start)
    assert np.diff(climb.elbos).min() > -1e-9 and climb.elbos.max() < climb.evidence
    S = BOLTS.m_step(LENGTHS, two_columns(lecture.CLIMBS[start]))
    fit = fit_batch(BOLTS, LENGTHS, S, max_epochs=7, tolerance=0)
    R, _ = learn_in_sweeps(BOLTS, LENGTHS, two_columns(lecture.CLIMBS[start]), 7)
    assert np.allclose(fit.S, BOLTS.m_step(LENGTHS, R[7]))
    assert climb.elbos[7] == pytest.approx(
        BOLTS.elbo_of_responsibilities(LENGTHS, R[7])
    )
    assert -24.8 < climb.elbos.min() and climb.evidence < -17.3  # in sight


def test_where_the_climb_ends_is_said():
    explorer = lecture.ClimbTheSweeps()
    explorer.set(sweep=12)
    words = "Sweep 12: the ELBO is -18.93, which is 1.30 nats below the log evidence."
    assert explorer.status == words
    explorer.set(start=lecture.NINE_TENTHS, sweep=20)
    assert "-22.13" in explorer.status
