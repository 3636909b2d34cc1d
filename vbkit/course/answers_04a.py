"""Answers to the exercises of lecture 04a, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np
from scipy.special import betaln, digamma, expit

from vbkit.course import forty_bolts as bolts
from vbkit.press.exercises import Exercise

# ---- 1. the exact divergence ---------------------------------------------------------


def divergence(S, new):
    """Return KL (nats) of the posterior with the counts S (2,) from that with new (2,)."""
    return bolts.divergence(S, new)


def the_other_way(S, new):
    """This is the divergence of the new posterior from the old one. Under which of the two
    is the average taken?"""
    return bolts.divergence(new, S)


def quadratic_form(S, new):
    """This is half of the quadratic form with G. It agrees with the divergence for small
    steps only."""
    step = new - S
    return 0.5 * step @ bolts.fisher(S) @ step


def without_z(S, new):
    """Your log Z is missing. Each posterior has one of its own, and they do not cancel."""
    return -(new - S) @ bolts.average_logs(S)


def counts_for_parameters(S, new):
    """You inserted the counts where the Beta density has one more: its parameters are
    1 + n_R and 1 + n_L."""
    logs = digamma(S) - digamma(S.sum())
    return betaln(new[0], new[1]) - betaln(S[0], S[1]) - (new - S) @ logs


exercise_1 = Exercise(
    divergence,
    [
        (np.array([1.0, 1.0]), np.array([2.0, 1.0])),
        (np.array([1.0, 1.0]), np.array([1.1, 1.1])),
        (np.array([3.2, 0.8]), np.array([21.5, 18.4])),
    ],
    (the_other_way, quadratic_form, without_z, counts_for_parameters),
    hint="log Z at the new counts, less log Z at the old ones, less the step times the "
    "averages of omega under the old posterior.",
    meaning="You have the length of a step of any size, in nats.",
    further="exchange the two posteriors. For which steps does it hardly matter?",
)


# ---- 2. another family ---------------------------------------------------------------


def step_of_rate(a, b, x, size, log_rate, rate, prior=1.0):
    """Return a, b after a step, with these averages of log lambda and lambda."""
    r = expit(x * log_rate - rate + 1)
    new_a = prior + r @ x
    new_b = prior + r.sum()
    return a + size * (new_a - a), b + size * (new_b - b)


def visits_step(a, b, x, size):
    """Return a, b of the gamma posterior after one natural-gradient step of this size."""
    return step_of_rate(a, b, x, size, digamma(a) - np.log(b), a / b)


def log_of_the_mean(a, b, x, size):
    """You assigned with the logarithm of the mean rate. VB averages the logarithm itself,
    which gives digamma(a) - log(b)."""
    return step_of_rate(a, b, x, size, np.log(a / b), a / b)


def without_the_rate(a, b, x, size):
    """A Poisson density also has the factor exp(-rate). It belongs into the log odds, for
    both species."""
    return step_of_rate(a, b, x, size, digamma(a) - np.log(b), 1.0)


def whole_step(a, b, x, size):
    """The size has no effect: you went all the way to the next posterior of VB."""
    return visits_step(a, b, x, 1.0)


def without_the_prior(a, b, x, size):
    """The prior is missing. The next posterior has 1 + sum(r x) and 1 + sum(r)."""
    return step_of_rate(a, b, x, size, digamma(a) - np.log(b), a / b, prior=0.0)


VISITS = np.array([0.0, 1.0, 5.0, 2.0, 7.0])

exercise_2 = Exercise(
    visits_step,
    [(2.0, 1.0, VISITS, 1.0), (6.0, 1.5, VISITS, 0.5), (12.0, 3.0, VISITS, 1.3)],
    (log_of_the_mean, without_the_rate, whole_step, without_the_prior),
    hint="Assign with the averages of log lambda and lambda, learn a and b from the prior "
    "on, and go `size` of the way from the old values to these.",
    meaning="The step took you to another family, and you did not need its Fisher matrix.",
    further="the ELBO of this model: is G times your step its gradient?",
)
