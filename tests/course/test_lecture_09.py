"""Lecture 09: what a small group pays, what VB finds of it, and what it finds where there is
no small group."""

import numpy as np
import pytest
from scipy.special import betaln, gammaln
from sklearn.datasets import load_digits

from vbkit.course import digits, minority
from vbkit.course import lecture_09 as lecture
from vbkit.course.answers_09 import cluster_behind, isolated, price_of_identical_rows
from vbkit.learning import fit_batch

# ---- prices --------------------------------------------------------------------------


def test_apart_and_inside_differ_by_the_evidence_of_two_clusterings():
    alpha, beta, n = 0.3, 0.2, np.array([7.0])
    apart, inside = minority.prices(n, alpha, beta, 5)
    truth = minority.MINORITIES[5]
    large = (1000 - n) * truth.weights[:2] / truth.weights[:2].sum()
    theirs = n * np.round(truth.means[2])

    def log_p(groups):
        total = 0.0
        for size, yes in groups:
            total += gammaln(alpha + size) - gammaln(alpha)
            pairs = betaln(beta + yes, beta + size - yes) - betaln(beta, beta)
            total += pairs.sum()
        return total

    split = list(zip(large, large[:, None] * truth.means[:2], strict=True))
    joined = []
    for k in (0, 1):
        groups = list(split)
        groups[k] = (large[k] + n[0], split[k][1] + theirs)
        joined.append(log_p(groups))
    gain = log_p([*split, (n[0], theirs)]) - max(joined)
    assert inside[0] - apart[0] == pytest.approx(gain, abs=1e-8)


def test_the_first_of_a_group_pays_log_2_per_question_for_any_pseudo_count():
    for beta in (1e-3, 1.0, 50.0):
        apart, _ = minority.prices(np.array([1.0]), 1.0, beta, 5)
        assert apart[0] == pytest.approx(5 * np.log(2) + np.log(1009), rel=1e-6)


def test_the_exact_posterior_needs_eight_people_and_vb_ten():
    assert minority.smallest_group(0.01, 0.001, 5) == 10
    for n, apart_wins in ((7, False), (8, True)):
        apart, inside = minority.prices(np.array([n]), 0.01, 0.001, 5)
        assert (apart[0] - np.log(8) < inside[0]) == apart_wins


def test_the_explorer_of_prices_marks_the_crossing():
    explorer = lecture.PriceOfAGroup()
    for values in (
        {"alpha": 0.01, "beta": 0.01},
        {"alpha": 10.0},
        {"alpha": 1.0, "beta": 10.0},
    ):
        explorer.set(**values)
        now = explorer.values
        least = minority.smallest_group(now["alpha"], now["beta"], 5)
        each = explorer.compute(**now)
        assert each.least == least and f"from {least} people" in explorer.status
        for lines in (each.apart, each.inside):
            assert 0 < lines.min() and lines.max() < 19
    found = []
    for questions in (5, 10):
        for beta in (0.01, 10):
            found.append(minority.smallest_group(0.01, beta, questions))
    assert found == [10, 46, 3, 9]


def test_a_group_that_never_pays_is_said_to_be_none():
    explorer = lecture.PriceOfAGroup()
    explorer.set(alpha=0.01, beta=10.0)
    each = explorer.compute(**explorer.values)
    never = each._replace(least=100)
    assert "for no group below 100" in explorer.say(never, None)


# ---- a thousand people ---------------------------------------------------------------


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


@pytest.mark.parametrize("prior", [(0.01, 0.3), (10.0, 0.3)])
def test_the_people_are_fitted_by_the_engine(prior):
    people = lecture.thousand_people()
    assert people.ten.sum() == 10 and people.counts.sum() == len(people.X) == 1000
    mixture = minority.bernoulli_mixture(5, *prior)
    fits = []
    for S in people.starts:
        fits.append(fit_batch(mixture, people.X, S, max_epochs=3000, tolerance=1e-9))
    best = max(fits, key=lambda fit: fit.elbo)
    found = lecture.find(*prior)
    assert found.free_energy == pytest.approx(-best.elbo, abs=0.05)
    assert len(found.counts) == (best.S[:, 0] >= minority.USED).sum()
    assert (np.diff(found.counts) <= 0).all()
    assert found.answers.shape == (len(found.counts), 5)


def test_the_explorer_of_the_people_says_what_it_shows():
    explorer = lecture.TenPeople()
    assert "10 of 10 components are used." in explorer.status
    first = explorer.png
    explorer.set(alpha=0.01, beta=0.3)
    assert explorer.png != first
    assert "3 of 10 components are used. One of them belongs" in explorer.status
    explorer.set(beta=5.0)
    assert explorer.status.endswith("2 of 10 components are used.")


def test_a_larger_first_pseudo_count_ends_lower_at_the_small_one():
    ends = {beta: lecture.lowered(beta).free_energy for beta in lecture.FIRST}
    assert ends[0.01] == pytest.approx(lecture.find(0.01, 0.01).free_energy, abs=1e-3)
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
    truth = [rates.from_truth[beta] for beta in betas]
    assert truth == sorted(truth, reverse=True) and truth[0] == 95
    assert rates.best_of_ten[0.01] == 1 and max(rates.best_of_ten.values()) == 55
    assert rates.lowered == {0.3: 58, 1: 55}
    assert "it is 1 at 0.01, 55 at 0.3" in " ".join(
        lecture.picture_of_rates().alt.split()
    )


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
    people = lecture.thousand_people()
    mixture = minority.bernoulli_mixture(5, 0.01, 0.01)
    S = people.starts[0]
    for sweep in range(3):
        R = mixture.responsibilities(people.X, S)
        S = R.T @ mixture.family.statistics(people.X)
        assert S[lecture.FOLLOWED, -1] == pytest.approx(small[sweep + 1], rel=1e-6)
    assert small[-1] < 1e-6 and large.min() > 4


def test_ten_people_are_a_draw_and_twenty_are_not():
    assert 40 <= lecture.truth_is_lower(10) <= 65
    assert lecture.truth_is_lower(20) >= 95
    state = lecture.joined_to_the_second()[0]
    assert state[:, 0].tolist() == [550, 450] + [0] * 8


# ---- students, digits, answers -------------------------------------------------------


def test_a_prior_that_finds_small_groups_finds_them_where_there_are_none():
    expected, starts = lecture.expected_of_two_kinds()
    assert expected.sum() == pytest.approx(319) and starts.shape == (41, 4, 9)
    # they are the students, as far as two kinds describe them
    assert np.abs(expected - lecture.STUDENTS).max() < 6
    for alpha, beta, number in [(0.5, 1.0, 2), (0.5, 0.1, 2), (1.0, 0.1, 4)]:
        ends = minority.learn(expected, starts, alpha, beta)
        assert (ends.S[ends.free_energy.argmin()][:, 0] > 1).sum() == number
    assert (lecture.kinds_reported(0.5, 1.0) == 2).sum() > 90
    assert (lecture.kinds_reported(1.0, 0.1) > 2).sum() > 95


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


def test_answers():
    n, yes, no = cluster_behind(0.00057, 1750, 1e-4, 1e-4, 13)
    assert n == pytest.approx(0.9974, abs=1e-3)
    assert (round(yes, 5), round(no, 5)) == (0.9999, 0.0001)
    weights = (np.array([700.0, n]) + 1e-4) / (1750 + 13e-4)
    assert weights[1] == pytest.approx(0.00057, rel=1e-12)
    for size, beta in [(1, 0.3), (4, 2.0)]:
        i = np.arange(size)
        price = -3 * np.log((beta + i) / (2 * beta + i)).sum()
        assert price_of_identical_rows(size, 3, beta) == pytest.approx(price, rel=1e-12)
    assert lecture.price_of_alike(4, 2.0) == pytest.approx(
        price_of_identical_rows(4, 1, 2.0)
    )
