"""The exercises of notebook 02: references, and mistakes that the checker recognises."""

from math import comb

import numpy as np

from vbkit.press.exercises import Exercise


def rates_by_recursion(eta0, eps0, gamma, n):
    """Return eta(1), ..., eta(n) of Sato 1999: (22b) with the forgetting rates of (39)."""
    return _recursion(eta0, n, lambda t: 1 / ((t - 2) * gamma + 1 / eps0))


def _recursion(eta0, n, forgetting):
    rates = [eta0]
    for t in range(2, n + 1):
        rates.append(1 / (1 + (1 - forgetting(t)) / rates[-1]))
    return np.array(rates)


def one_step_late(eta0, eps0, gamma, n):
    """Your forgetting is one step ahead. It should still be eps0 when eta(2) is made: put t = 2
    into (39)."""
    return _recursion(eta0, n, lambda t: 1 / ((t - 1) * gamma + 1 / eps0))


def forgetting_for_discount(eta0, eps0, gamma, n):
    """You put epsilon where the recursion wants the discount factor lambda. How are the two
    related?"""
    return _recursion(eta0, n, lambda t: 1 - 1 / ((t - 2) * gamma + 1 / eps0))


def no_decay(eta0, eps0, gamma, n):
    """Your forgetting rate stays at eps0. In (39) it falls with t."""
    return _recursion(eta0, n, lambda t: eps0)


exercise_1 = Exercise(
    rates_by_recursion,
    [
        (0.5, 0.01, 0.05, 5),
        (0.9, 0.1, 0.02, 20),
        (0.5, 0.2, 0.5, 50),
        (0.3, 0.1, 0.1, 3),
    ],
    mistakes=(one_step_late, forgetting_for_discount, no_decay),
    hint="The first discount enters at t = 2, and there epsilon is eps0.",
    meaning="Three constants fix all rates, and 1 / eta is the number of data that count.",
    further="t * eta(t) at t = 200,000. Which limit does it approach?",
)


def probability_of_luck(rescued, lost):
    """Return the probability of at least `rescued` heads in rescued + lost tosses (a sign test)."""
    return _ways(rescued + lost, rescued) / 2 ** (rescued + lost)


def _ways(n, least):
    return sum(comb(n, k) for k in range(least, n + 1))


def exactly_so_many(rescued, lost):
    """This is the probability of exactly so many rescues. A still larger number would have
    impressed you as well."""
    return comb(rescued + lost, rescued) / 2 ** (rescued + lost)


def more_than_so_many(rescued, lost):
    """You left out the number of rescues that was observed. 'At least' includes it."""
    return _ways(rescued + lost, rescued + 1) / 2 ** (rescued + lost)


def the_losses(rescued, lost):
    """This is the probability of at least so many losses. Ask the question for the rescues."""
    return probability_of_luck(lost, rescued)


exercise_2 = Exercise(
    probability_of_luck,
    [(12, 10), (3, 0), (9, 2), (4, 7)],
    mistakes=(exactly_so_many, more_than_so_many, the_losses),
    hint="Add up comb(n, k) from the observed number of rescues to n, over 2^n.",
    meaning="Only where two methods differ can a race tell which is better.",
    further="(3, 0), (7, 0) and (51, 51). Which of these would convince you?",
)


def shares_of_data(rates):
    """Return the shares (n + 1,) in phi(n) of the start phi(0) and of each data point.

    rates: eta (n,) of the n steps.
    """
    rates = np.asarray(rates, dtype=float)
    left = np.append(
        np.cumprod((1 - rates)[::-1])[::-1], 1.0
    )  # what the steps from here on leave
    return left * np.append(1.0, rates)


def rates_alone(rates):
    """Your data points keep the weight with which they came. What does each later step do to it?"""
    return np.append(np.prod(1 - np.asarray(rates)), rates)


def start_forgotten(rates):
    """The data points are right, but the start is missing: its share comes first, so that all
    shares add up to one."""
    return shares_of_data(rates)[1:]


def newest_first(rates):
    """These are the right shares with the newest data point first. The start comes first."""
    return shares_of_data(rates)[::-1]


exercise_3 = Exercise(
    shares_of_data,
    [
        (np.array(r),)
        for r in ([0.5, 0.3], [0.5, 0.2, 0.1], [0.8, 0.2, 0.6, 0.05], [1.0, 0.5])
    ],
    mistakes=(rates_alone, start_forgotten, newest_first),
    hint="Do n = 1 and n = 2 by hand. Do your shares add up to one?",
    meaning="phi is a weighted mean, so it never leaves the hull of the start and the data.",
    further="the schedule's first 1,000 rates. How much weight do the last 200 data hold?",
)
