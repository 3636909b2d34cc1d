"""The exercises of notebook 02: references, and mistakes that the checker recognises."""

import numpy as np

from vbkit.chapters.models import em_mixture
from vbkit.chapters.online_em.runs import divergence, learn, parameters
from vbkit.data import sato1999 as data_set
from vbkit.learning import init_uniform, sato1999
from vbkit.workbook.exercises import Exercise


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
    [(0.5, 0.01, 0.05, 5), (0.9, 0.1, 0.02, 20), (0.5, 0.2, 0.5, 50), (0.3, 0.1, 0.1, 3)],
    mistakes=(one_step_late, forgetting_for_discount, no_decay),
    hint="The first discount enters at t = 2, and there epsilon is eps0.",
    meaning="Three constants fix all rates, and 1 / eta is the number of data that count.",
    further="t * eta(t) at t = 200,000. Which limit does it approach?",
)


def divergences_at_end(points, starts, eps0):
    """Return the divergences (starts,) from the truth after ten epochs of online EM.

    There are four components. Start i has the generator i; the data keep their order.
    """
    return _ends(points, range(starts), sato1999(len(points), eps0=eps0))


def _ends(points, seeds, schedule, epochs=10):
    N, ends = len(points), []
    mixture = em_mixture(N)
    for i in seeds:
        start = init_uniform(mixture, 4, N, np.random.default_rng(i))
        ends.append(learn(mixture, points, start, schedule, epochs)[-1])
    return divergence(parameters(mixture, ends))


def one_generator(points, starts, eps0):
    """All your starts are the same. Start i needs the generator i."""
    return np.repeat(divergences_at_end(points, 1, eps0), starts)


def counted_from_one(points, starts, eps0):
    """You counted the starts from 1. The first start has the generator 0."""
    return _ends(points, range(1, starts + 1), sato1999(len(points), eps0=eps0))


def batch_instead(points, starts, eps0):
    """This is batch EM: no schedule has reached chapter.learn."""
    return _ends(points, range(starts), None)


_X = data_set(1000, np.random.default_rng(1999))[0]
exercise_2 = Exercise(
    divergences_at_end,
    [(_X, 3, 0.01), (_X, 3, 0.0001)],
    mistakes=(one_generator, counted_from_one, batch_instead),
    hint="Start, sato1999 of the number of points, chapter.learn, and its last state.",
    meaning="Memory decides how much of the start is left after ten epochs.",
    further="40 epochs instead of ten. Which runs were trapped, and which only slow?",
    rtol=1e-4,
)


def shares_of_data(rates):
    """Return the shares (n + 1,) in phi(n) of the start phi(0) and of each data point.

    rates: eta (n,) of the n steps.
    """
    rates = np.asarray(rates, dtype=float)
    left = np.append(np.cumprod((1 - rates)[::-1])[::-1], 1.0)  # what the steps from here on leave
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
    [(np.array(r),) for r in ([0.5, 0.3], [0.5, 0.2, 0.1], [0.8, 0.2, 0.6, 0.05], [1.0, 0.5])],
    mistakes=(rates_alone, start_forgotten, newest_first),
    hint="Do n = 1 and n = 2 by hand. Do your shares add up to one?",
    meaning="phi is a weighted mean, so it never leaves the hull of the data: no clipping needed.",
    further="the schedule's first 1,000 rates. How much weight do the last 200 data hold?",
)
