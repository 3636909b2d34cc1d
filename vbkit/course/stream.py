"""Unit 3, a stream of 3,000 bolts from five machines, which are learned one at a time.

Lengths are deviations from the nominal length, in tenths of a millimetre. The model offers
twenty components, whose prior means are spread over the lengths at random. The sizes are
those of Ghahramani 2000; machines and prior are ours, because the slides do not state them.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from vbkit.data import FIVE_CENTRES, FIVE_WEIGHTS, FIVE_WIDTHS
from vbkit.data import ghahramani2000 as data_set
from vbkit.families import NormalGamma
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_online
from vbkit.mixture import Mixture
from vbkit.theory import divergence_on_grid, grid_points, isotropic_log_density

SIZE = 3000
OFFERED = 20
REACH = 12.0  # prior means lie within -REACH and REACH
IN_USE = 0.01  # of the data: a component that holds less is not in use
SEED = 2000
# the streams whose results are nearest to the medians of 100 streams, by dimension
TYPICAL = {1: 71, 2: 85}


class Truth(NamedTuple):
    """Where the data come from."""

    weights: np.ndarray  # (5,)
    means: np.ndarray  # (5, D)
    widths: np.ndarray  # (5,), standard deviations


class Stream(NamedTuple):
    """Data in the order of their arrival, and what was chosen before they arrived."""

    data: np.ndarray  # (3000, D)
    labels: np.ndarray  # (3000,), which machine made a bolt: hidden from the model
    prior_means: np.ndarray  # (20, D)


class Judged(NamedTuple):
    """A state, compared with the truth."""

    used: int  # components that hold more than a hundredth of the data
    found: int  # true means with such a component within a standard deviation
    top: float  # share of the data in the five components that hold most
    divergence: float  # nats, of the predictive density from the truth


def true_machines(dimension: int = 1) -> Truth:
    """Return the five machines on the line, or five clusters in the plane."""
    return Truth(FIVE_WEIGHTS, FIVE_CENTRES[dimension], FIVE_WIDTHS)


def draw_means(rng: np.random.Generator, dimension: int) -> np.ndarray:
    """Draw prior means (20, D), uniform where data may lie."""
    return rng.uniform(-REACH, REACH, (OFFERED, dimension))


def draw_stream(seed: int, number: int, dimension: int = 1) -> Stream:
    """Draw stream `number`: the data first, then the prior means."""
    rng = np.random.default_rng([seed, number, dimension])
    data, labels = data_set(SIZE, rng, dimension)
    return Stream(data, labels, draw_means(rng, dimension))


def make_mixture(
    dimension: int, concentration: float, mean_count: float = 0.1, rate: float = 1.0
) -> Mixture:
    """Return the model: the prior of a mean is worth `mean_count` data points at 0, that of
    a precision has shape 1 and `rate`."""
    family = NormalGamma(np.zeros(dimension), mean_count, 1.0, rate)
    return Mixture(family, Dirichlet(concentration))


def states_along(mixture: Mixture, X, start, marks) -> list:
    """Return the states (K, P) after the first n rows of X (N, D), for each n of `marks`,
    which ascend. Each data point is assigned and added once."""
    states = []
    S = start
    seen = 0
    for n in marks:
        if n > seen:
            S = fit_online(mixture, X[seen:n], S, accumulation(), monitor=False).S
            seen = n
        states.append(S)
    return states


@cache
def _grid(dimension: int):
    """Return points (M, D) and cells (M,) on which densities are compared."""
    if dimension == 1:
        return np.linspace(-15, 15, 301)[:, None], np.full(301, 0.1)
    return grid_points(61, -15, 15)


def divergence(mixture: Mixture, S, truth: Truth) -> float:
    """Return the divergence (nats) of the predictive density after S from the true one."""
    points, cell = _grid(mixture.family.dimension)
    log_p = isotropic_log_density(points, truth.weights, truth.means, truth.widths**2)
    return float(divergence_on_grid(log_p, mixture.log_predictive(points, S), cell))


def judge(mixture: Mixture, S, truth: Truth) -> Judged:
    """Compare a state S (20, P) with the truth."""
    shares = S[:, 0] / max(S[:, 0].sum(), 1e-300)
    used = shares > IN_USE
    means = mixture.family.parameters(S).mean[used]
    distances = np.linalg.norm(means[:, None] - truth.means, axis=2)
    found = (distances < truth.widths).any(axis=0)
    top = np.sort(shares)[-5:].sum()
    near = divergence(mixture, S, truth)
    return Judged(int(used.sum()), int(found.sum()), float(top), near)
