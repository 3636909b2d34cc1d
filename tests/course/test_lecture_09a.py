"""Lecture 09a: what a small group pays, and what a prior finds where there is none."""

import numpy as np
import pytest
from scipy.special import betaln, gammaln

from vbkit.course import lecture_09a as lecture
from vbkit.course import minority, thousand_people
from vbkit.course.answers_09a import (
    price_of_identical_rows,
    smallest_group_with_one_who_differs,
)
from vbkit.learning import fit_batch

# ---- prices --------------------------------------------------------------------------


@pytest.mark.parametrize("deviating", [None, 0, 3])
def test_apart_and_inside_differ_by_the_evidence_of_two_clusterings(deviating):
    alpha, beta, n = 0.3, 0.2, np.array([7.0])
    apart, inside = minority.prices(n, alpha, beta, 5, deviating=deviating)
    truth = minority.MINORITIES[5]
    large = (1000 - n) * truth.weights[:2] / truth.weights[:2].sum()
    theirs = {None: [0, 7, 0, 7, 0], 0: [1, 7, 0, 7, 0], 3: [0, 7, 0, 6, 0]}
    theirs = np.array(theirs[deviating])

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


@pytest.mark.parametrize("prior", [(0.01, 0.3), (10.0, 0.3)])
def test_the_people_are_fitted_by_the_engine(prior):
    people = thousand_people.thousand_people()
    assert people.ten.sum() == 10 and people.counts.sum() == len(people.X) == 1000
    mixture = minority.bernoulli_mixture(5, *prior)
    fits = []
    for S in people.starts:
        fits.append(fit_batch(mixture, people.X, S, max_epochs=3000, tolerance=1e-9))
    best = max(fits, key=lambda fit: fit.elbo)
    found = thousand_people.find(*prior)
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


# ---- students, answers ---------------------------------------------------------------


def test_the_second_prior_finds_four_kinds_where_there_are_two():
    assert lecture.two_kinds().sum() == pytest.approx(319)
    assert (lecture.kinds_reported(0.5, 1.0, 1) == 4).sum() < 15
    assert (lecture.kinds_reported(1.0, 0.1, 1) == 4).sum() > 80


def test_answers():
    for size, beta in [(1, 0.3), (4, 2.0)]:
        i = np.arange(size)
        price = -3 * np.log((beta + i) / (2 * beta + i)).sum()
        assert price_of_identical_rows(size, 3, beta) == pytest.approx(price, rel=1e-12)
    assert lecture.price_of_alike(4, 2.0) == pytest.approx(
        price_of_identical_rows(4, 1, 2.0)
    )
    for beta in (0.01, 1.0):
        least = smallest_group_with_one_who_differs(beta)
        people = np.array([least - 1.0, least])
        apart, inside = minority.prices(people, 0.01, beta, 5, deviating=4)
        assert (apart > inside).tolist() == [True, False]
    assert smallest_group_with_one_who_differs(
        0.1
    ) < smallest_group_with_one_who_differs(1e-3)


def test_vb_itself_prefers_nine_or_more_who_are_apart():
    differences = [minority.apart_less_inside(n, 0.01, 0.001) for n in (8, 9, 10)]
    assert differences[0] > 0 > differences[1] > differences[2]
