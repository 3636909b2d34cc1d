"""Lecture 09b: how VB freezes at a small pseudo-count, and how it gets round."""

import numpy as np
import pytest
from scipy.special import digamma
from sklearn.datasets import load_digits

from vbkit.course import digits, minority, thousand_people
from vbkit.course import lecture_09b as lecture
from vbkit.course.answers_09b import share_of_the_unknown, smallest_that_recovers
from vbkit.course.minority import isolated


def test_isolation_wants_both_halves():
    X, labels = minority.MINORITIES[5].sample(300, np.random.default_rng(1))
    mixture, few = minority.bernoulli_mixture(5, 0.1, 0.1), labels == 2
    T = np.column_stack([np.ones(len(X)), X, 1 - X])
    together = np.stack([T[~few].sum(axis=0) / 2] * 2 + [0 * T[0]]) + 0.1
    everybody = np.ones((len(X), 1))
    assert isolated(np.eye(3)[labels], few)
    assert isolated(everybody, np.ones(len(X), bool))
    assert not isolated(everybody, few)
    assert not isolated(mixture.responsibilities(X, together), few)


def test_a_larger_first_pseudo_count_ends_lower_at_the_small_one():
    ends = {beta: lecture.lowered(beta).free_energy for beta in lecture.FIRST}
    assert ends[0.01] == pytest.approx(
        thousand_people.find(0.01, 0.01).free_energy, abs=1e-3
    )
    assert list(ends.values()) == sorted(ends.values(), reverse=True)
    explorer = lecture.LowerThePseudoCount()
    assert "6 components. Then" in explorer.status
    explorer.set(beta=1.0)
    assert "3 components, one of them that of the ten" in explorer.status
    explorer.set(beta=3.0)
    assert "Then β = 0.01: 2 components; F" in explorer.status


def test_rates_are_those_of_the_evidence():
    rates = lecture.rates_of_success()
    betas = sorted(rates.best_of_ten)
    assert betas == [0.01, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 2, 5]
    assert rates.best_of_ten[0.01] == 1 and max(rates.best_of_ten.values()) == 55
    assert rates.lowered == {0.3: 58, 1: 55}
    assert len(rates.saved) == 100 and rates.saved.min() > 3


@pytest.mark.parametrize("seed", [0, 2011])
def test_the_figure_says_how_many_components_it_shows(seed):
    picture = lecture.picture_of_five_priors(seed)
    assert len(picture.arrays) == 20
    for column in range(1, 6):
        weights = picture.arrays[f"weights_5_{column}"]
        assert weights.sum() == pytest.approx(1)
        assert str((weights >= 5e-4).sum()) in picture.alt


def test_a_component_loses_an_answer_only_at_a_small_pseudo_count():
    small, large = lecture.numbers_of_no(0.01), lecture.numbers_of_no(0.3)
    assert small[0] == large[0] > 10
    # sweep by sweep as by the plain loop over people
    people = thousand_people.thousand_people()
    mixture = minority.bernoulli_mixture(5, 0.01, 0.01)
    S = people.starts[0]
    for sweep in range(3):
        R = mixture.responsibilities(people.X, S)
        S = R.T @ mixture.family.statistics(people.X)
        assert S[lecture.FOLLOWED, -1] == pytest.approx(small[sweep + 1], rel=1e-6)
    assert small[-1] < 1e-6 and large.min() > 4


def test_digits_follow_the_prior():
    one = digits.cluster_digits(1.0, 100.0, 5, every=6)
    five = digits.cluster_digits(1.0, 1.0, 5, every=6)
    for fit in (one, five):
        assert fit["size"] == 300 and fit["counts"].sum() == pytest.approx(300)
        assert np.allclose(fit["R"].sum(axis=1), 1)
    assert (one["counts"] >= minority.USED).sum() == 1
    assert (np.diff(five["counts"]) <= 0).all()
    X, labels = digits.digits(6)
    ink, _ = load_digits(return_X_y=True)
    assert np.array_equal(X == 1, ink[::6] > 7)
    assert one["agreement"] == np.bincount(labels).max() / 300
    assert np.allclose(one["means"][0], (X.sum(axis=0) + 100) / 500)
    assert digits.cluster_digits(1.0, 1.0, 5, every=6, sweeps=0)["F"] > five["F"]


def test_the_few_recover_from_two_tenths_on_and_not_below():
    explorer = lecture.FollowTheFew()
    for beta in lecture.PSEUDO_COUNTS:
        explorer.set(beta=beta)
        last = lecture.numbers_of_no(beta)[-1]
        assert last > 15 if beta >= 0.2 else last < 1e-3
        assert f"and {last:.1f} after 60" in explorer.status
    assert "0.0 after 60" in lecture.FollowTheFew().at(beta=0.1).alt


def test_answers():
    for beta, known in [(0.1, 3.0), (1.0, 10.0)]:
        share = share_of_the_unknown(beta, known)
        odds = np.exp(digamma(beta) - digamma(beta + known))
        assert share / (1 - share) == pytest.approx(odds, rel=1e-12)
    for beta, factor in [(0.1, 1.1), (0.3, 2.0)]:
        number = smallest_that_recovers(beta, factor)
        assert factor * (number + beta - 0.5) == pytest.approx(number, rel=1e-12)
