"""Typical mistakes, made as a student makes them.

A mistake that returns or passes a constant may be one that no student can make: what a
student computes instead of it depends on the inputs. So here such mistakes are made anew,
from what the lectures offer, and each has to be met by its own words.
"""

from math import comb

import numpy as np
import pytest
from scipy.optimize import brentq

from vbkit.course import (
    answers_00a,
    answers_01b,
    answers_02b,
    answers_03,
    answers_04a,
    answers_05b,
    answers_08a,
    answers_08b,
    answers_08c,
    answers_09a,
    answers_10,
    answers_11b,
    sato,
)
from vbkit.course.minority import PEOPLE, prices
from vbkit.course.people import SHARES, exact_prices
from vbkit.course.stream import make_mixture
from vbkit.labels import Dirichlet
from vbkit.learning import (
    accumulation,
    component_prior_means,
    fit_batch,
    fit_online,
    init_gaussian,
)
from vbkit.mixture import Mixture


def width_one(x, r, sd):
    """The sweep of the lecture, whose machines have the width 1."""
    left = r @ x / r.sum()
    right = (1 - r) @ x / (1 - r).sum()
    score = (x - right) ** 2 / 2 - (x - left) ** 2 / 2
    return 1 / (1 + np.exp(-score))


def even_weights(X, w, family, concentration):
    mixture = Mixture(family, Dirichlet(1.0))
    S = mixture.m_step(X, np.tile([w, 1 - w], (len(X), 1)))
    return np.sum(mixture.responsibilities(X, S)[:, 0] - w)


def first_improbable_number(pairs, limit):
    """Tries 0, 1, 2, ... rescues, as the hint says."""
    for rescued in range(pairs + 1):
        if comb(pairs, rescued) / 2**pairs <= limit:
            return rescued
    return pairs + 1


def components_with_a_bolt(X, prior_means, concentration, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    mixture = make_mixture(1, concentration)
    start = component_prior_means(mixture, prior_means)
    S = fit_online(mixture, X[order], start, accumulation(), monitor=False).S
    return sum(held > 1 for held in S[:, 0])


def to_the_next_posterior(a, b, x, size):
    r = 1 / (1 + np.exp(-(x * (answers_04a.digamma(a) - np.log(b)) - a / b + 1)))
    return 1 + sum(r * x), 1 + sum(r)


def best_fit(points, most, starts):
    """Compares log likelihoods, which are higher the more components there are."""
    rng = np.random.default_rng(0)
    fits = []
    for K in range(1, most + 1):
        mixture = sato.sato_mixture(points, K, "isotropic", 1.0)
        best = -np.inf
        for _ in range(starts):
            start = init_gaussian(mixture, points, K, rng)
            S = fit_batch(mixture, points, start, tolerance=1e-3).S
            best = max(best, mixture.e_step(points, S).log_likelihood)
        fits.append(best)
    return int(np.argmax(fits)) + 1


def deterministic_people(alpha, beta):
    if 0.5 + 4 * beta - alpha >= 0:
        return 0
    N = 10
    while exact_prices(N, alpha, beta).deterministic >= 0:
        N = 10 * N
    return N * SHARES[1]


def border_for_logarithm(N, beta):
    def price(alpha):
        return exact_prices(np.log(N), alpha, beta).mixed

    return brentq(price, 0.5, 10)


def slope_of_one_part(dimension, step, alpha, beta):
    part = 0.5 - alpha + step * beta + (dimension - step) / 2
    whole = 0.5 - alpha + (step - 1) * beta + (dimension - step + 1) / 2
    return part - whole


def first_inside(beta):
    apart, inside = prices(PEOPLE, answers_09a.ALPHA, beta, 5, deviating=4)
    n = 1
    while apart[n - 1] <= inside[n - 1]:
        n = n + 1
    return n


def second_rest(alpha, N):
    def gain(n):
        first = answers_10.bid(n, alpha)
        return N * first / (first + answers_10.bid(N - n, alpha)) - n

    return brentq(gain, 0.3 * N, 0.8 * N)


def weights_everywhere(x, weights, centres, widths, lines, noises):
    says = lines[:, 0] * x + lines[:, 1]
    mean = weights @ says
    return mean, weights @ noises + weights @ says**2 - mean**2


MADE = [
    (answers_00a.exercise_2, "always_one", width_one),
    (answers_01b.exercise_2, "always_one", even_weights),
    (answers_02b.exercise_2, "exactly", first_improbable_number),
    (answers_03.exercise_2, "more_than_one_bolt", components_with_a_bolt),
    (answers_04a.exercise_2, "whole_step", to_the_next_posterior),
    (answers_05b.exercise_2, "more_is_better", best_fit),
    (answers_08a.exercise_2, "number_of_deterministic", deterministic_people),
    (answers_08b.exercise_1, "logarithm_of_people", border_for_logarithm),
    (answers_08c.exercise_2, "one_part_only", slope_of_one_part),
    (answers_09a.exercise_2, "wrong_way_round", first_inside),
    (answers_10.exercise_2, "equal_copies", second_rest),
    (answers_11b.exercise_1, "gates_left_out", weights_everywhere),
]


@pytest.mark.parametrize(
    ("exercise", "name", "student"), MADE, ids=[made[2].__name__ for made in MADE]
)
def test_a_mistake_is_recognised_as_a_student_makes_it(exercise, name, student):
    (mistake,) = [each for each in exercise.mistakes if each.__name__ == name]
    feedback = exercise(student)
    exercise.tries = 0
    assert not feedback.passed
    assert feedback.message.startswith(" ".join(mistake.__doc__.split()))
