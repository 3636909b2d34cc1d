"""Unit 4's belt: bolts of three machines pass one by one, and are gone.

The model is that of unit 1 for any number of machines: unknown weights, means and widths,
under the same prior. A state S (K, 3) holds the expected statistics (1, x, x^2) of each
machine. `follow` keeps a posterior for a fixed number of bolts, and the entropy of their
labels, from which the ELBO is known at any time.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import entr, softmax
from scipy.stats import norm

from vbkit.course import bolts
from vbkit.course.bolts import MIXTURE

MEANS = np.array([-4.0, 0.0, 4.0])
WEIGHTS = np.array([0.3, 0.4, 0.3])
WIDTH = 0.9
BOLTS = 3000  # of an hour
SEED = 2000
FIRST = 50  # bolts that a start looks at
TOTAL = 500  # bolts that a posterior stands for
MEMORY = 250  # bolts


def draw_lengths(seed: int = SEED, number: int = BOLTS) -> np.ndarray:
    """Return the lengths (number,) of bolts from the three machines, as they pass."""
    return next_lengths(np.random.default_rng(seed), number)


def next_lengths(rng: np.random.Generator, number: int) -> np.ndarray:
    """Return the lengths (number,) of the bolts that come next, drawn from rng."""
    machine = rng.choice(3, size=number, p=WEIGHTS)
    return MEANS[machine] + WIDTH * rng.standard_normal(number)


def density(x) -> np.ndarray:
    """Return the true density of the lengths x (n,)."""
    return norm.pdf(np.asarray(x)[:, None], MEANS, WIDTH) @ WEIGHTS


def made_up(first, machines: int, total: float) -> np.ndarray:
    """Return a state S (K, 3) of `total` bolts that nobody made, to begin with.

    Each machine holds as many, with the width one and a mean among the first bolts (n,).
    """
    middles = np.quantile(first, (np.arange(machines) + 0.5) / machines)
    rows = np.column_stack([np.ones(machines), middles, middles**2 + 1.0])
    return total / machines * rows


class Followed(NamedTuple):
    """What was kept along a stream: the rows are before the first bolt and after each."""

    S: np.ndarray  # (..., n + 1, K, 3)
    # (..., n + 1), of the labels of all bolts that S stands for, nats
    entropy: np.ndarray
    elbo: np.ndarray  # (..., n + 1), nats


def follow(x, S, total: float, memories) -> Followed:
    """Follow the bolts x (n,) from the state S (K, 3), once with each memory (m,).

    The results are (m, n + 1, ...). All bolts that S stands for at first have labels that
    are certain.
    """
    eta = 1 / np.asarray(memories, float)
    S = np.repeat(np.asarray(S)[None], len(eta), axis=0)
    entropy = np.zeros(len(eta))
    states = [S]
    entropies = [entropy]
    for t in bolts.statistics_of_each(x):
        densities = bolts.MACHINE.expected(S.reshape(-1, 3)) @ t
        scores = densities.reshape(S.shape[:2]) + bolts.WEIGHTS.expected(S[..., 0])
        r = softmax(scores, axis=-1)
        rate = eta[:, None, None]
        S = (1 - rate) * S + rate * total * r[:, :, None] * t
        entropy = (1 - eta) * entropy + eta * total * entr(r).sum(axis=-1)
        states.append(S)
        entropies.append(entropy)
    states = np.stack(states, axis=1)
    entropies = np.stack(entropies, axis=1)
    elbos = entropies + MIXTURE.log_normalizer_ratio(states)
    return Followed(states, entropies, elbos)


@cache
def hour(machines: int, seed: int = SEED) -> Followed:
    """Return what a model of so many machines keeps along an hour, in a single row."""
    x = draw_lengths(seed)
    return follow(x, made_up(x[:FIRST], machines, TOTAL), TOTAL, (MEMORY,))


def batch(x, S, sweeps: int = 3000) -> float:
    """Return the ELBO at which batch VB comes to rest on the bolts x (n,) from S (K, 3)."""
    before = -np.inf
    for _ in range(sweeps):
        S = MIXTURE.m_step(x, MIXTURE.responsibilities(x, S))
        elbo = float(MIXTURE.elbo(x, S))
        if elbo - before < 1e-9:
            break
        before = elbo
    return elbo
