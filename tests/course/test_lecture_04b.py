"""Lecture 04b: following a stream is learning from weighted bolts, the running ELBO is the ELBO,
and its explorers show what is computed."""

import numpy as np
import pytest
from scipy.special import entr, logsumexp, softmax

from vbkit.course import belt, bolts
from vbkit.course import forty_bolts as share
from vbkit.course import lecture_04b as lecture
from vbkit.course.answers_04b import loss_of_old
from vbkit.learning import running_elbo, sato2000

STREAM = belt.draw_lengths(3, 120)


@pytest.mark.parametrize("machines", [1, 3])
def test_following_a_belt_is_what_the_engine_does(machines):
    start = belt.made_up(STREAM[:50], machines, 100)
    followed = belt.follow(STREAM, start, 100, (20, 50))
    for row, memory in enumerate((20.0, 50.0)):
        schedule = sato2000(100, tau0=memory, kappa=0.0)
        elbos, S, *_ = running_elbo(belt.MIXTURE, STREAM[:, None], start, schedule)
        assert np.allclose(followed.elbo[row, 1:], elbos)
        assert np.allclose(followed.S[row, -1], S)
    assert np.allclose(followed.S[..., 0].sum(axis=-1), 100)


def test_the_running_elbo_is_that_of_weighted_bolts_with_their_responsibilities():
    start = belt.made_up(STREAM[:50], 3, 100)
    followed = belt.follow(STREAM, start, 100, (10,))
    R = []
    for S, x in zip(followed.S[0], STREAM, strict=False):
        R.append(belt.MIXTURE.responsibilities([x], S)[0])
    R = np.array(R)
    weights = 10 * 0.9 ** np.arange(len(STREAM))[::-1]
    S = (weights[:, None] * R).T @ bolts.MACHINE.statistics(STREAM[:, None])
    S = S + 0.9 ** len(STREAM) * start
    assert np.allclose(S, followed.S[0, -1])
    entropy = weights @ entr(R).sum(axis=1)
    elbo = belt.MIXTURE.log_normalizer_ratio(S) + entropy
    assert followed.elbo[0, -1] == pytest.approx(elbo)


def test_a_start_holds_what_it_says():
    S = belt.made_up(STREAM[:50], 4, 100)
    assert np.allclose(S[:, 0], 25)
    means = S[:, 1] / S[:, 0]
    assert np.all(np.diff(means) > 0) and np.all(np.abs(means) < 6)
    assert np.allclose(S[:, 2] / S[:, 0] - means**2, 1)


def test_batch_vb_on_stored_bolts_comes_to_rest():
    start = belt.made_up(STREAM[:50], 3, 120)
    end = belt.batch(STREAM, start)
    assert end > belt.MIXTURE.elbo(STREAM, start)
    assert end == pytest.approx(belt.batch(STREAM, start, 6000), abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_three_machines_lead_four_on_other_belts_too(seed):
    elbos = [belt.hour(K, seed).elbo[-1, 1000:] for K in (3, 4)]
    lead = elbos[0] - elbos[1]
    assert lead.min() > 3 and lead.std() < 2.5 and elbos[0].std() > 8


def height(x, weights, S):
    """Return the ELBO (nats) of bolts x (n,) with these weights, assigned with S (K, 3)."""
    of_machine, of_weight = bolts.MACHINE.expected(S), bolts.WEIGHTS.expected(S[:, 0])
    scores = bolts.MACHINE.statistics(x[:, None]) @ of_machine.T + of_weight
    moved = (S * of_machine).sum() + S[:, 0] @ of_weight
    moved -= belt.MIXTURE.log_normalizer_ratio(S)
    return weights @ logsumexp(scores, axis=1) - moved


def test_old_responsibilities_cost_little():
    x = belt.draw_lengths()
    weights = 2 * (1 - 1 / 250) ** np.arange(len(x))[::-1]
    for machines in (2, 3, 4):
        end = belt.hour(machines)
        anew = height(x, weights, end.S[-1, -1])
        assert 0 < anew - end.elbo[-1, -1] < 0.5


def test_exercise_2_is_what_old_responsibilities_lose():
    r, s = np.array([0.2, 0.3, 0.5]), np.array([-2.0, -4.0, -1.0])
    brings = r @ (s - np.log(r))
    assert loss_of_old(r, s) == pytest.approx(logsumexp(s) - brings)
    assert loss_of_old(softmax(s), s) == pytest.approx(0)


def test_a_walk_is_the_average_of_the_proposals():
    walk = lecture.walk(10)
    x = share.draw_lengths(share.SEED, lecture.SEEN)
    S = 40 * np.array([walk.shares[7], 1 - walk.shares[7]])
    r = share.responsibilities(S, x[7:8])[0]
    assert walk.proposals[7] == pytest.approx(r)
    assert walk.shares[8] == pytest.approx(0.9 * walk.shares[7] + 0.1 * r)


def test_status_lines_say_what_there_is_to_see():
    one = lecture.OneBoltAfterAnother()
    one.set(seen=300)
    assert "holds 0.62 of the counts" in one.status
    four = lecture.FourModels()
    four.set(seen=3000)
    assert "They lead two by 53.2 and four by 6.7 nats" in four.status


def test_pictures_say_what_they_show():
    assert "three bands" in lecture.picture_of_belt(STREAM).alt
    S = np.array([10.0, 30.0])
    steps = lecture.picture_of_steps(S, share.draw_lengths(), 40, 20)
    assert "from -0.5 to 1.5" in steps.alt and "dashed line at 0.03" in steps.alt
