"""Lecture 01a: its explorers and pictures show what the engine computes."""

import numpy as np
import pytest
from scipy.special import softmax

from vbkit.course import lecture_01a as lecture
from vbkit.course.answers_01a import elbo_of_each_step, largest_fall
from vbkit.course.bolts import every_labelling
from vbkit.course.petals import (
    NINE,
    every_petal,
    known_lengths,
    known_petals,
    nine_petals,
)
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

PETALS = Mixture(known_lengths(), Dirichlet(1.0))


# ---- the petals ----------------------------------------------------------------------


def test_the_unit_is_the_deviation_within_a_species():
    garden = every_petal()
    assert garden.X.shape == (150, 2)
    assert np.allclose(garden.X.mean(axis=0), 0)
    inside = []
    for k in range(3):
        of_species = garden.X[garden.species == k]
        inside.append(of_species - of_species.mean(axis=0))
    inside = np.concatenate(inside)
    assert np.allclose(inside.T @ inside / 150, garden.covariance)
    assert np.allclose(np.diag(garden.covariance), 1)
    assert np.allclose(garden.X * garden.width + garden.average, garden.centimetres)


def test_nine_petals_hold_some_of_each_species():
    garden = every_petal()
    assert np.bincount(garden.species[NINE]).tolist() == [3, 2, 4]
    assert (np.sort(garden.X[NINE, 0]) == nine_petals()).all()
    assert known_petals().dimension == 2 and known_lengths().dimension == 1


# ---- the lecture's own algorithm -----------------------------------------------------


@pytest.mark.parametrize("offered", [1, 3, 6])
def test_the_steps_and_the_elbo_are_those_of_the_engine(offered):
    x = nine_petals()
    R = lecture.random_start(offered, 7)
    for _ in range(3):
        state = lecture.m_step(x, R)
        S = PETALS.m_step(x, R)
        posterior = PETALS.family.posterior(S)
        assert np.allclose(posterior.mean[:, 0], state.m)
        assert np.allclose(posterior.covariance[:, 0, 0], 1 / state.g)
        due = PETALS.elbo_of_responsibilities(x, R)
        assert lecture.elbo(x, R, *state) == pytest.approx(due)
        R = lecture.e_step(x, *state)
        assert np.allclose(R, PETALS.responsibilities(x, S))
        assert lecture.elbo(x, R, *state) == pytest.approx(PETALS.elbo(x, S))


def test_the_second_rule_is_a_product_over_the_data_points():
    R = np.column_stack([lecture.SHARES, 1 - lecture.SHARES])
    state = lecture.m_step(lecture.NUMBERS, R)
    labellings = every_labelling(3)
    rule = softmax(lecture.total_scores(lecture.NUMBERS, labellings, *state))
    shares = lecture.e_step(lecture.NUMBERS, *state)
    assert np.allclose(rule, shares[np.arange(3), labellings].prod(axis=1))


# ---- explorers -----------------------------------------------------------------------


def test_each_number_adds_its_part_to_the_precision_and_to_the_sum():
    explorer = lecture.AddTheParts()
    for share in (0.0, 0.1, 1.0):
        shares = np.append(lecture.SHARES[:2], share)
        for added in (1, 2, 3):
            addition = explorer.compute(added, share)
            before, after = addition.precisions
            assert after - before == pytest.approx(shares[added - 1])
            sums = np.multiply(addition.precisions, addition.means)
            part = shares[added - 1] * lecture.NUMBERS[added - 1]
            assert sums[1] - sums[0] == pytest.approx(part)
            # the sum of the logarithms is the logarithm of the Gaussian, up to a constant
            log = addition.before + addition.part
            curve = -after * (lecture.MEANS - addition.means[1]) ** 2 / 2
            assert np.allclose(log - log.max(), curve - curve.max(), atol=1e-12)
    explorer.set(added=3)
    assert "g = 1.6, mean -0.44, standard deviation 0.79" in explorer.status


@pytest.mark.parametrize("start", [1, 2, 3, 4, 5])
def test_the_printed_rule_keeps_all_components_and_lowers_the_elbo(start):
    tried = lecture.run(lecture.as_printed, start)
    right = lecture.run(lecture.e_step, start)
    used = [int(np.sum(each.counts[-1] > lecture.IN_USE)) for each in (tried, right)]
    assert used == [6, 3]
    assert lecture.largest_fall(lecture.steps_until(right, lecture.LAST)) < 1e-9
    assert lecture.largest_fall(lecture.steps_until(tried, lecture.LAST)) > 0.3
    # learning is never to blame
    assert (tried.learned[1:] - tried.assigned[:-1]).min() > -1e-9
    steps = elbo_of_each_step(
        nine_petals(), lecture.random_start(6, start), lecture.as_printed, 4
    )
    assert np.allclose(lecture.steps_until(tried, 3), steps[2:7])


def test_the_explorer_of_the_bracket_shows_both_rules_from_the_first_start():
    tried, right = lecture.LoseABracket().compute("as printed")
    for shown, rule in ((tried, lecture.as_printed), (right, lecture.e_step)):
        due = lecture.run(rule, 1)
        assert np.allclose(shown.assigned, due.assigned)
        assert np.allclose(shown.counts, due.counts)


# ---- pictures and exercises ----------------------------------------------------------


def test_the_picture_of_the_petals_is_drawn():
    picture = lecture.picture_of_petals(nine_petals())
    assert picture.alt.startswith("Nine petals")
    assert picture.png.startswith(b"\x89PNG")


def test_the_test_for_mistakes_may_miss_them():
    rules = (lecture.as_printed, lecture.certain_means, lecture.certain_weights)
    for rule in rules:
        found = largest_fall(nine_petals(), lecture.random_start(6, 1), rule, 60)
        missed = largest_fall(nine_petals(), lecture.random_start(3, 2), rule, 60)
        assert found > 5e-4 and missed < 1e-9
