"""Lecture 00b: its explorers and pictures show what the engine computes."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma

from vbkit.course import answers_00b as answers
from vbkit.course import lecture_00a
from vbkit.course import lecture_00b as lecture
from vbkit.course.bolts import (
    GUESS,
    LENGTHS,
    MACHINE,
    PLACES,
    TWO_BOLTS,
    TWO_GUESS,
    WEIGHTS,
    learn_in_sweeps,
    statistics,
    two_columns,
)
from vbkit.mixture import EM, Mixture

BOLTS = Mixture(MACHINE, WEIGHTS)


def test_a_machine_learns_the_posterior_of_mean_and_width():
    shares = np.array([0.7, 0.3])
    machine = lecture.learn_one_machine(shares)
    g = 0.1 + shares.sum()  # the four lines of the box
    m = shares @ TWO_BOLTS / g
    a = 2 + shares.sum() / 2
    b = 1 + (shares @ TWO_BOLTS**2 - g * m**2) / 2
    posterior = MACHINE.posterior(statistics(TWO_BOLTS, [shares]))
    expected = (
        posterior.mean_count,
        posterior.mean[:, 0],
        posterior.shape,
        posterior.rate,
    )
    assert np.allclose(np.ravel(expected), [g, m, a, b])
    # the density of the mean by adding up over precisions
    chances = (np.arange(4000) + 0.5) / 4000
    precisions = stats.gamma(a, scale=1 / b).ppf(chances)
    spread = 1 / np.sqrt(g * precisions)
    by_sum = stats.norm.pdf(lecture.MEANS[:, None], m, spread).mean(axis=1)
    assert np.allclose(machine.of_mean, by_sum, atol=1e-4)
    inside = (machine.low <= lecture.MEANS) & (machine.high >= lecture.MEANS)
    assert machine.of_mean[inside].sum() * 0.05 == pytest.approx(0.9, abs=0.02)
    step = lecture.WIDTHS[1] - lecture.WIDTHS[0]
    narrower = stats.gamma(a, scale=1 / b).sf(1 / 9)  # widths below 3
    assert machine.of_width.sum() * step == pytest.approx(narrower, abs=1e-3)


def test_a_second_bolt_far_away_makes_the_mean_less_certain():
    explorer = lecture.LearnOneMachine()
    lengths = []
    for of_second in (0.0, 1.0):
        explorer.set(of_first=1.0, of_second=of_second)
        learned = explorer.compute(1.0, of_second)
        lengths.append(learned.high - learned.low)
    assert lengths[1] > lengths[0]
    assert explorer.status == (
        "The machine holds 2.0 bolts. With a probability of 90 % its mean lies between "
        "-0.9 and 1.9, an interval of length 2.8."
    )


@pytest.mark.parametrize("times", [1, 5, 100])
def test_the_average_score_is_the_engines(times):
    drawn = lecture.score_of_a_bolt(times)
    R = two_columns(np.repeat(TWO_GUESS, times))
    S = BOLTS.m_step(np.repeat(TWO_BOLTS, times), R)
    log_weight = digamma(1 + times) - digamma(2 + 2 * times)
    average = MACHINE.statistics(PLACES[:, None]) @ MACHINE.expected(S)[0] + log_weight
    # both omit the constant of the Gaussian density, or neither does
    difference = average - drawn.average
    assert np.allclose(difference, difference[0])
    posterior = MACHINE.posterior(S)
    precision = posterior.shape[0] / posterior.rate[0]
    distance = PLACES - posterior.mean[0, 0]
    # the average weight, precision and mean, put into the density of weight and length
    density = stats.norm.pdf(distance, scale=precision**-0.5) / 2
    constant = np.log(2 * np.pi) / 2  # the lecture omits it
    assert np.allclose(drawn.single, np.log(density) + constant)
    assert np.allclose(drawn.single - drawn.average, drawn.penalty)
    assert drawn.penalty > 0


def test_the_sweeps_are_those_of_batch_learning():
    explorer = lecture.PlayTwoOrEight()
    learning = explorer.compute(lecture.TWO)
    R, _ = learn_in_sweeps(BOLTS, TWO_BOLTS, two_columns(TWO_GUESS), 20)
    assert np.allclose(learning.left, R[:, :, 0])
    eight = explorer.compute("eight bolts")
    assert np.allclose(eight.left, lecture_00a.play(LENGTHS, GUESS).left)
    assert max(learning.densities.max(), eight.densities.max()) < 0.66  # in sight
    explorer.set(sweep=2)
    words = "the two bolts come from different machines with a probability of 0.9885."
    assert explorer.status == f"Sweep 2: {words}"
    explorer.set(start="eight bolts", sweep=12)
    words = "the left machine's responsibility for the bolt at 0.2 is 0.07."
    assert explorer.status == f"Sweep 12: {words}"


def test_single_values_make_em():
    R = two_columns(GUESS)
    for _ in range(100):
        R = answers.em_sweep(LENGTHS, R)
    mixture = Mixture(MACHINE, WEIGHTS, clones=EM)
    expected, _ = learn_in_sweeps(mixture, LENGTHS, two_columns(GUESS), 100)
    assert np.allclose(R, expected[-1], atol=1e-9)
