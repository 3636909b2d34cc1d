"""Answers to the exercises of lecture 10, and typical mistakes."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

from vbkit.factorization import kappa, thresholds
from vbkit.press.exercises import Exercise

# ---- 1. the price of a second copy ----------------------------------------------------


def two_less_one(N, alpha, d, worth):
    """Return F of two equal copies less F of one beside an empty component, in nats.

    N: many data points; d: coordinates of an unknown mean, whose prior is worth `worth`
    data points.
    """
    return slope(alpha, d) * np.log(N / 4) + constant(alpha, d, worth)


def slope(alpha, d):
    """Return what stands before log(N / 4)."""
    return (d + 1) / 2 - alpha


def constant(alpha, d, worth):
    """Return C(alpha): of the weight, and of d unknown numbers."""
    return gammaln(alpha) - np.log(2 * np.pi) / 2 - d / 2 * np.log(worth)


def whole_logarithm(N, alpha, d, worth):
    """You have log N in place of log(N / 4). Each of the two copies holds N / 2 data
    points: what is 2 log(N / 2) - log N?"""
    return slope(alpha, d) * np.log(N) + constant(alpha, d, worth)


def one_unknown_number(N, alpha, d, worth):
    """The prior's part of your constant is that of a single unknown number. There are d."""
    return slope(alpha, d) * np.log(N / 4) + constant(alpha, 1, worth)


def prior_turned_round(N, alpha, d, worth):
    """Your constant rises with the worth of the prior. A weak prior makes a second copy
    expensive, because it spreads over many places where no petals are."""
    return slope(alpha, d) * np.log(N / 4) + constant(alpha, d, 1 / worth)


exercise_1 = Exercise(
    two_less_one,
    [(2000, 0.5, 2, 0.1), (20_000, 1.0, 2, 2.0), (5000, 3.0, 4, 0.1)],
    mistakes=(whole_logarithm, one_unknown_number, prior_turned_round),
    hint="Write the log evidence of a component with n data points, once for N and twice for "
    "N / 2, and let n be large. The weights are those of section 3.",
    meaning="Only the constant knows how much the prior is worth; the logarithm does not.",
    further="find where it passes through zero for the two priors of the explorer.",
    rtol=5e-3,  # the exact F will do
)

# ---- 2. how many people bring a component back ----------------------------------------


def bid(n, alpha):
    """Return what n people who answer four questions alike bid, at beta = 0.1."""
    answers = 4 * (digamma(0.1 + n) - digamma(0.2 + n))
    return np.exp(digamma(alpha + n) + answers)


def least_people(alpha, N):
    """Return how many of N people an emptied component must be given so that it neither
    shrinks nor grows: from there on it grows."""

    def gain(n):
        first = bid(n, alpha)
        return N * first / (first + bid(N - n, alpha)) - n

    return brentq(gain, 1e-2, N / 4)


def equal_copies(alpha, N):
    """That is where both copies are equal, which is a rest as well. Search below it: where
    is the barrier?"""
    return N / 2


def as_a_share(alpha, N):
    """This is a share of all people. How many people are they?"""
    return least_people(alpha, N) / N


def rule_for_many(alpha, N):
    """By the rule for many people every small copy would grow here. Use the bid itself, as
    it is for a few people."""
    return 0.0


exercise_2 = Exercise(
    least_people,
    [(1.31, 400), (2.0, 400), (1.0, 400), (3.0, 1000)],
    mistakes=(equal_copies, as_a_share, rule_for_many),
    hint="Let brentq find where a sweep changes nothing, between a hundredth of a person and "
    "a quarter of all.",
    meaning="An emptied component needs a push, and about one person is enough.",
    further="the weak and the strong prior of the petals, whose bid is that of lecture 01b.",
    rtol=1e-2,  # the bid of the other copy hardly matters
)

# ---- 3. price and reward of a product -------------------------------------------------


def best_from(L, M):
    """Return the singular value of an L x M table with noise 1 from which on a component
    with learned priors is the lowest minimum, and the reconstructed value to which VB's
    answer jumps there."""
    keep = thresholds((L, M)).keep
    return keep, float(kappa(keep**2, (L, M))) / keep


def local_threshold(L, M):
    """From there on the component has a minimum of its own. Where does its reward make up for
    its price?"""
    local = thresholds((L, M)).local
    return local, np.sqrt(L * M) / local


def as_observed(L, M):
    """The first number is right. The second one is the reconstructed value, which is smaller
    than the observed one: at which value is the ratio least?"""
    keep, _ = best_from(L, M)
    return keep, keep


def one_factor(L, M):
    """You seem to have left out one of the two logarithms of the price."""
    r = np.geomspace(1e-3, 1e4, 100_001)
    product = np.sqrt(r**3 / ((r + L) * (r + M)))
    ratio = (r / 2 + L / 2 * np.log1p(r / L)) / product
    return ratio.min(), product[ratio.argmin()]


exercise_3 = Exercise(
    best_from,
    [(1, 1), (20, 30), (10, 40), (50, 60)],
    mistakes=(local_threshold, as_observed, one_factor),
    hint="Compute price and product at ten thousand values of r. Which ratio is the least?",
    meaning="The least ratio is not at zero, and therefore the component jumps.",
    further="the ratio over the product, for a table of 20 x 30: where does it fall?",
    rtol=2e-3,  # values on a grid will do
)
