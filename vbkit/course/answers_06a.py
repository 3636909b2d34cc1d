"""Answers to the exercises of lecture 06a, and typical mistakes."""

from functools import cache

import numpy as np
from scipy.special import softmax

from vbkit.course.sato import draw, sato_mixture
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture
from vbkit.press.exercises import Exercise
from vbkit.structure import merge, responsibility_statistics

POINTS = draw()
FIVE = sato_mixture(POINTS["A"], 5, "isotropic", 1.0)
STATE = init_gaussian(FIVE, POINTS["A"], 5, np.random.default_rng(0))

# ---- 1. what a merge gains -----------------------------------------------------------


def merge_gain(mixture: Mixture, X, S, i: int, j: int) -> float:
    """Return the change of the ELBO (nats) when two components become one, before
    learning."""
    return merge(responsibility_statistics(mixture, X, S), i, j).gain


def change_of_elbo(mixture, X, S, R) -> float:
    """Return the ELBO of responsibilities R (N, K) less the ELBO of those at S."""
    before = mixture.elbo_of_responsibilities(X, mixture.responsibilities(X, S))
    return mixture.elbo_of_responsibilities(X, R) - before


def empty_left(mixture, X, S, i, j):
    """You seem to leave an empty component behind. It still has its place among the
    weights. Delete its column."""
    R = mixture.responsibilities(X, S)
    R[:, i] += R[:, j]
    R[:, j] = 0
    return change_of_elbo(mixture, X, S, R)


def rest_rescaled(mixture, X, S, i, j):
    """That deletes component j: its points go to all others. In a merge they go to
    component i."""
    R = np.delete(mixture.responsibilities(X, S), j, axis=1)
    return change_of_elbo(mixture, X, S, R / R.sum(axis=1, keepdims=True))


def turned_round(mixture, X, S, i, j):
    """The gain is the ELBO after the merge less the ELBO before it. You have the
    opposite."""
    return -merge_gain(mixture, X, S, i, j)


def after_a_sweep(mixture, X, S, i, j):
    """You compare with the ELBO at S itself. But the responsibilities at S have learned
    nothing yet: use elbo_of_responsibilities for both."""
    R = mixture.responsibilities(X, S)
    merged = np.delete(R, j, axis=1)
    merged[:, i - (j < i)] += R[:, j]
    return mixture.elbo_of_responsibilities(X, merged) - mixture.elbo(X, S)


exercise_1 = Exercise(
    merge_gain,
    [(FIVE, POINTS["A"], STATE, i, j) for i, j in ((0, 1), (3, 2), (1, 4))],
    (empty_left, rest_rescaled, turned_round, after_a_sweep),
    hint="A point belongs to the merged component if it belonged to either. Delete a "
    "column.",
    meaning="So many nats a merge gains before learning, and learning can only add to it.",
    further="all pairs of `five`. Which pair would you merge first?",
)

# ---- 2. the height of the wall -------------------------------------------------------


def ends(points, starts: int, prior_strength: float = 1.0):
    """Return the ELBOs of all starts with two circles, and with three."""
    key = np.ascontiguousarray(points, float).tobytes()
    return kept_ends(key, starts, prior_strength)


@cache
def kept_ends(key: bytes, starts: int, prior_strength: float):
    """Compute `ends` once for the bytes of points (N, 2)."""
    points = np.frombuffer(key).reshape(-1, 2)
    rng = np.random.default_rng(0)
    numbers = []
    for K in (2, 3):
        mixture = sato_mixture(points, K, "isotropic", prior_strength)
        runs = []
        for _ in range(starts):
            start = init_gaussian(mixture, points, K, rng)
            runs.append(fit_batch(mixture, points, start, tolerance=1e-4).elbo)
        numbers.append(runs)
    return numbers


def wall(points, starts: int) -> float:
    """Return by how many nats the best of three circles stays below the best of two."""
    two, three = ends(points, starts)
    return max(two) - max(three)


def upside_down(points, starts):
    """A wall should be a positive number: the best of three circles lies below the best of
    two."""
    return -wall(points, starts)


def last_start_alone(points, starts):
    """You seem to compare one start of each. A single run may end in a local optimum; take
    the best."""
    two, three = ends(points, starts)
    return two[-1] - three[-1]


def weaker_prior(points, starts):
    """You seem to have taken the prior of lecture 05b. Here it is worth a whole point."""
    two, three = ends(points, starts, 0.01)
    return max(two) - max(three)


exercise_2 = Exercise(
    wall,
    [(POINTS["A"], 3), (POINTS["A"][:100], 3), (POINTS["B"][:200], 3)],
    (upside_down, last_start_alone, weaker_prior),
    hint="The ELBO of the best run of two circles, less that of three.",
    meaning="Positive numbers are walls that a search cannot pass if it accepts only "
    "gains.",
    further="data sets A of 100, 200, 400 and 800 points, with several seeds.",
    rtol=1e-5,
)

# ---- 3. where a search spends its time -----------------------------------------------


def visits(elbos, temperature: float) -> np.ndarray:
    """Return the share of its time (n,) that a search at a temperature spends at each of n
    models."""
    return softmax(np.asarray(elbos, dtype=float) / temperature)


def underflow(elbos, temperature):
    """The exponential of -900 is 0 on a computer. Only differences matter: subtract the
    largest ELBO first."""
    with np.errstate(all="ignore"):
        weights = np.exp(elbos / temperature)
        return weights / weights.sum()


def not_divided(elbos, temperature):
    """Shares of time add up to one."""
    return np.exp((elbos - elbos.max()) / temperature)


def temperature_forgotten(elbos, temperature):
    """These shares hold at the temperature one. At a higher one the search is less
    choosy."""
    return visits(elbos, 1.0)


def multiplied(elbos, temperature):
    """You multiply by the temperature. A loss is divided by it."""
    return visits(elbos, 1 / temperature)


exercise_3 = Exercise(
    visits,
    [
        (np.array([-930.7, -932.1, -918.7, -923.6]), temperature)
        for temperature in (0.5, 1.0, 3.0, 30.0)
    ],
    (underflow, not_divided, temperature_forgotten, multiplied),
    hint="Begin with two models. When are as many steps made from 1 to 2 as from 2 to 1?",
    meaning="At the temperature one, a model's share of time is in proportion to e^ELBO, "
    "VB's stand-in for its posterior probability.",
    further="a temperature of a third. How long would you wait for the search to leave the "
    "best model?",
)
