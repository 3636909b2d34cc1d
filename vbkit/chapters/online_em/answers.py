"""Answers to the exercises of notebook 02."""

import numpy as np

from vbkit.chapters import online_em as chapter
from vbkit.learning import init_uniform, sato1999


def rates_by_recursion(eta0: float, eps0: float, gamma: float, n: int) -> np.ndarray:
    """Return eta(1), ..., eta(n) of Sato 1999: (22b) with the forgetting rates of (39)."""
    return sato1999(1, eta0=eta0, eps0=eps0, gamma=gamma).learning_rates(n)[0]


def divergences_at_end(points, starts: int, eps0: float) -> np.ndarray:
    """Return the divergences (starts,) from the truth after ten epochs of online EM.

    There are four components. Start i has the generator i; the data keep their order.
    """
    N = len(points)
    mixture, schedule, ends = chapter.em_mixture(N), sato1999(N, eps0=eps0), []
    for i in range(starts):
        start = init_uniform(mixture, 4, N, np.random.default_rng(i))
        ends.append(chapter.learn(mixture, points, start, schedule, 10)[-1])
    return chapter.divergence(chapter.parameters(mixture, ends))


def shares_of_data(rates) -> np.ndarray:
    """Return the shares (n + 1,) in phi(n) of the start phi(0) and of each data point.

    rates: eta (n,) of the n steps.
    """
    rates = np.asarray(rates, dtype=float)
    left = np.append(np.cumprod((1 - rates)[::-1])[::-1], 1.0)  # what the steps from here on leave
    return left * np.append(1.0, rates)
