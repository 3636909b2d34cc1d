"""Lecture 01b: its runs are the engine's, they end where nothing moves any more, and what
survives changes within the stated interval of the concentration and nowhere else."""

import numpy as np
import pytest

from vbkit.course import lecture_01b as lecture
from vbkit.course.answers_01b import (
    FULL_COVARIANCE,
    ONE_CLUSTER,
    ONE_WIDTH,
    gain_in_a_sweep,
    sweeps_until_empty,
)
from vbkit.course.petals import every_petal, known_petals
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import change_of_free_energy

BELOW = [a for a in lecture.CONCENTRATIONS if a <= 1.5]
ABOVE = [a for a in lecture.CONCENTRATIONS if a >= 2.0]


def test_a_sweep_is_that_of_the_engine():
    petals = every_petal()
    R = lecture.random_start(12, 3)
    concentrations = np.array([0.5, 2.0])
    after = lecture.sweep_petals(lecture.garden(), np.stack([R, R]), concentrations)
    for i, concentration in enumerate(concentrations):
        mixture = lecture.mixture_of_petals(concentration)
        S = mixture.m_step(petals.X, R)
        assert np.allclose(after[i], mixture.responsibilities(petals.X, S))


def test_means_and_counts_of_an_end_are_those_of_the_engine():
    end = lecture.learn_to_the_end(1.0, 1)
    R, _ = lecture.rest(lecture.random_start(12, 1), [1.0])
    mixture = lecture.mixture_of_petals(1.0)
    S = mixture.m_step(every_petal().X, R[0])
    order = np.argsort(-end.counts)
    engine = np.argsort(-S[:, 0])
    surviving = slice(0, end.survivors)
    assert np.allclose(end.counts[order], S[engine, 0], atol=1e-6)
    means = mixture.family.posterior(S).mean[engine][surviving]
    assert np.allclose(end.means[order][surviving], means, atol=1e-6)


@pytest.mark.parametrize("start", lecture.STARTS)
def test_survivors_change_between_one_and_a_half_and_two_and_nowhere_else(start):
    ends = lecture.ends_of(start)
    below = [ends[a].survivors for a in BELOW]
    above = [ends[a].survivors for a in ABOVE]
    assert {*below} <= {5, 6} and {*above} <= {11, 12}
    assert below == sorted(below) and above == sorted(above)
    assert ends[1.75].survivors >= 9
    # the places hardly change: below, nobody has a copy, and above, nearly everybody
    assert [ends[a].different for a in BELOW] == below
    assert all(ends[a].different in (6, 7) for a in ABOVE)


@pytest.mark.parametrize("start", lecture.STARTS)
def test_no_copy_is_reported_that_is_still_losing_petals(start):
    R, sweeps = lecture.rest(lecture.random_start(12, start), lecture.CONCENTRATIONS)
    assert sweeps.max() < lecture.MOST_SWEEPS / 4
    seen = lecture.garden()
    concentrations = np.array(lecture.CONCENTRATIONS)
    later = R
    for _ in range(1000):
        later = lecture.sweep_petals(seen, later, concentrations)
    assert np.abs(later.sum(axis=1) - R.sum(axis=1)).max() < 0.05
    # copies of one place hold equally many petals, and who is emptied holds nothing
    for i, concentration in enumerate(lecture.CONCENTRATIONS):
        end = lecture.learn_to_the_end(concentration, start)
        assert np.allclose(np.sort(end.counts), np.sort(R[i].sum(axis=0)))
        assert end.counts[end.places < 0].max(initial=0) < 1e-3
        for place in range(end.different):
            assert np.ptp(end.counts[end.places == place]) < 0.05


def test_ideal_copies_drift_as_the_engine_says():
    family = KnownCovariance(np.zeros(2), 10.0)
    X = np.array([[1.0, 0.5], [-1.0, -0.5]])
    for concentration in (0.5, 2.0):
        mixture = Mixture(family, Dirichlet(concentration))
        data = mixture.observe(X, np.array([100.0, 100.0]))
        S = mixture.m_step(data, np.tile([0.4, 0.6], (2, 1)))
        share = mixture.responsibilities(X, S)[:, 0]
        assert np.allclose(share, lecture.sweep_of_share(0.4, 200, concentration))


def test_the_landscape_turns_over_at_the_critical_concentration():
    explorer = lecture.TwoCopies()
    middle = len(lecture.SHARES) // 2
    near = middle + 20
    for concentration in lecture.CONCENTRATIONS:
        copies = explorer.compute(concentration)
        valley = copies.free_energy[near] > copies.free_energy[middle]
        closer = copies.shares[-1] > lecture.FIRST_SHARE
        assert valley == closer == (concentration > lecture.CRITICAL)
        assert np.all(np.diff(copies.on_the_way) < 1e-9)  # no sweep raises F


def test_the_landscape_is_that_of_the_formula():
    shares = np.array([0.1, 0.3])
    for concentration in (0.5, 2.5):
        equal = lecture.above_one(0.5, 1e5, concentration)
        exact = lecture.above_one(shares, 1e5, concentration) - equal
        for w, change in zip(shares, exact, strict=True):
            formula = change_of_free_energy([w, 1 - w], 2, concentration)
            assert change == pytest.approx(formula, abs=1e-3)
    assert lecture.above_one(0.0, 200, 1.0) == pytest.approx(0)


def test_copies_of_few_data_points_stay_together_a_little_later():
    for n, border in ((4, 1.73), (25, 1.53), (1000, 1.50)):
        for shift in (-0.01, 0.01):
            share = lecture.sweep_of_share(0.49, 2 * n, border + shift)
            assert (share > 0.49) == (shift > 0)


def test_the_rule_of_the_gap_predicts_the_sweeps():
    for n, total, concentration in ((80, 200, 1.0), (600, 2000, 0.5)):
        w = n / total
        sweeps = 0
        while w * total >= 1:
            w = lecture.sweep_of_share(w, total, concentration)
            sweeps += 1
        rule = sweeps_until_empty(n, total, 2, concentration)
        assert rule == pytest.approx(sweeps, rel=0.03)


@pytest.mark.parametrize(
    ("family", "critical"),
    [(FULL_COVARIANCE, 3), (ONE_WIDTH, 2), (known_petals(), 1.5)],
)
def test_exact_copies_of_every_family_drift_as_the_rule_says(family, critical):
    gains = [
        gain_in_a_sweep(ONE_CLUSTER, 0.3, family, critical + shift)
        for shift in (-0.5, 0.0, 0.5)
    ]
    assert gains == pytest.approx([-0.2, 0.0, 0.2], abs=0.003)


def test_status_lines_say_what_there_is_to_see():
    twelve = lecture.OfferTwelve()
    assert twelve.status == (
        "Concentration 0.25: 5 of 12 components survive, in 5 different places."
    )
    twelve.set(concentration=2.0)
    assert "12 of 12 components survive, in 6 different places" in twelve.status
    copies = lecture.TwoCopies()
    copies.set(sweep=400)
    assert copies.status == (
        "Sweep 400: the smaller copy holds 0.0 of 200 data points; F lies 0.00 nats above "
        "that of one component alone."
    )
    copies.set(concentration=2.0)
    assert copies.status.endswith("F lies 0.59 nats below that of one component alone.")


def test_pictures_say_what_they_show():
    stops = {200: (0.0, 329), 2_000_000: (0.4, 1)}
    assert "sweep 1, share 0.40" in lecture.picture_of_stops(stops).alt
    ends = [lecture.ends_of(start) for start in lecture.STARTS]
    picture = lecture.picture_of_petals(ends[0][1.0], ends)
    assert "the 5 components" in " ".join(picture.alt.split())
    assert picture.arrays["survivors"].shape == (3, 12)
