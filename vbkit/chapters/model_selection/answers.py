"""Answers to the exercises of notebook 06, and typical mistakes."""

import numpy as np
from scipy.special import softmax

from vbkit.course.sato import sato_mixture
from vbkit.data import sato2000
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture
from vbkit.press.exercises import Exercise
from vbkit.structure import merge, responsibility_statistics

POINTS = {name: sato2000(name, np.random.default_rng(2000))[0] for name in "AB"}
FIVE = sato_mixture(POINTS["A"], 5, "isotropic", 1.0)
STATE = init_gaussian(FIVE, POINTS["A"], 5, np.random.default_rng(0))


def merge_gain(mixture: Mixture, points, S, i: int, j: int) -> float:
    """Return the change of the ELBO (nats) when components i and j become one, before learning."""
    return merge(responsibility_statistics(mixture, points, S), i, j).gain


def changed(mixture, points, S, R) -> float:
    """The ELBO of responsibilities R (N, K) minus that of those at S."""
    before = mixture.elbo_of_responsibilities(
        points, mixture.responsibilities(points, S)
    )
    return mixture.elbo_of_responsibilities(points, R) - before


def empty_left(mixture, points, S, i, j):
    """You seem to leave an empty component behind. It still has its place among the weights."""
    R = mixture.responsibilities(points, S)
    R[:, i], R[:, j] = R[:, i] + R[:, j], 0
    return changed(mixture, points, S, R)


def rest_rescaled(mixture, points, S, i, j):
    """That deletes component j: its data go to all others. In a merge they go to component i."""
    R = np.delete(mixture.responsibilities(points, S), j, axis=1)
    return changed(mixture, points, S, R / R.sum(axis=1, keepdims=True))


def turned_round(mixture, points, S, i, j):
    """The gain is the ELBO after the merge minus the ELBO before it."""
    return -merge_gain(mixture, points, S, i, j)


exercise_1 = Exercise(
    merge_gain,
    [(FIVE, POINTS["A"], STATE, i, j) for i, j in ((0, 1), (3, 2), (1, 4))],
    mistakes=(empty_left, rest_rescaled, turned_round),
    hint="A data point belongs to the merged component if it belonged to either. Delete a column.",
    meaning="That many nats change hands before anything is learned, and learning can only add.",
    further="the pair whose responsibilities are most alike, and the pair that is least alike.",
)


def ends(points, starts: int, prior_strength: float = 1.0) -> list[list[float]]:
    """The ELBOs of batch VB with two and with three isotropic components, one for each start."""
    rng, found = np.random.default_rng(0), []
    for n_components in (2, 3):
        mixture = sato_mixture(points, n_components, "isotropic", prior_strength)
        states = [
            init_gaussian(mixture, points, n_components, rng) for _ in range(starts)
        ]
        found.append(
            [fit_batch(mixture, points, S, tolerance=1e-3).elbo for S in states]
        )
    return found


def barrier(points, starts: int) -> float:
    """Return by how many nats the best of three isotropic components stays below two."""
    two, three = ends(points, starts)
    return max(two) - max(three)


def upside_down(points, starts):
    """Positive should mean a wall: the best model of three lies below the best of two."""
    return -barrier(points, starts)


def last_start_alone(points, starts):
    """You seem to compare one start of each. A single run may be stuck; take the best."""
    two, three = ends(points, starts)
    return two[-1] - three[-1]


def weaker_prior(points, starts):
    """The prior here is weaker than asked for. Which gamma0 did the exercise name?"""
    two, three = ends(points, starts, 0.01)
    return max(two) - max(three)


exercise_2 = Exercise(
    barrier,
    [(POINTS["A"], 3), (POINTS["A"][:100], 3), (POINTS["B"][:200], 3)],
    mistakes=(upside_down, last_start_alone, weaker_prior),
    hint="The ELBO of the best run of two components, minus that of three.",
    meaning="Positive numbers are walls that a greedy search cannot climb.",
    further="data A of 100, 400 and 1,600 points. Does the wall vanish?",
)


def visits(elbos, beta: float) -> np.ndarray:
    """Return the share of time (n,) that a Metropolis chain spends at each of n models."""
    return softmax(beta * np.asarray(elbos, dtype=float))


def underflow(elbos, beta):
    """The exponential of -900 is 0 on a computer. Only differences matter: subtract the largest."""
    with np.errstate(all="ignore"):
        weights = np.exp(beta * elbos)
        return weights / weights.sum()


def not_normalised(elbos, beta):
    """Shares of time add up to 1."""
    return np.exp(beta * (elbos - elbos.max()))


def beta_forgotten(elbos, beta):
    """These shares hold for beta = 1 alone. A smaller beta makes the chain less choosy."""
    return visits(elbos, 1.0)


exercise_3 = Exercise(
    visits,
    [
        (np.array([-930.7, -932.1, -918.7, -923.6]), beta)
        for beta in (0.0, 0.03, 0.3, 1.0)
    ],
    mistakes=(underflow, not_normalised, beta_forgotten),
    hint="Start from two models: when are as many steps made from 1 to 2 as from 2 to 1?",
    meaning="At beta = 1 a model's share is e^ELBO, which lacks a factor K! of the evidence.",
    further="beta = 3. How long would you wait for the chain to leave the best model?",
)
