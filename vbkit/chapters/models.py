"""The mixtures of the documents on online learning, with the priors of the documents."""

import numpy as np

from vbkit.families import IsotropicGaussian, NormalGamma, variance_floor
from vbkit.labels import Dirichlet
from vbkit.learning import fit_online
from vbkit.mixture import EM, Mixture

FLOOR = 1e-6  # least variance of a component of Sato 1999: 1e-4 of the variance of the true ones
N_COMPONENTS, REACH = (
    20,
    12.0,
)  # of Ghahramani 2000: prior means lie within -REACH and REACH


def em_mixture(total: float, floor: float | None = FLOOR) -> Mixture:
    """Return the mixture of Sato 1999: EM for isotropic components in the unit square.

    Their statistics stand for `total` data; no variance falls below `floor`.
    """
    family = IsotropicGaussian(np.full(2, 0.5), 1.0, 1.0, 1.0)
    pseudo_statistics = None if floor is None else variance_floor(family, floor, total)
    return Mixture(
        family, Dirichlet(0.0), clones=EM, pseudo_statistics=pseudo_statistics
    )


def states_after(mixture: Mixture, X, start, schedule, marks) -> list:
    """Return the states (K, P) of online learning after the first n rows of X, for each of `marks`.

    marks: ascending numbers n.
    """
    states, S, seen = [], start, 0
    for n in marks:
        if n > seen:
            fit = fit_online(mixture, X[seen:n], S, schedule, monitor=False)
            S, schedule, seen = fit.S, fit.schedule, n
        states.append(S)
    return states


def make_mixture(
    dimension: int, concentration: float, mean_count=0.1, rate=1.0
) -> Mixture:
    """Return the mixture of Ghahramani 2000: the slide's priors around 0 (g, b, a = 1), alpha."""
    family = NormalGamma(np.zeros(dimension), mean_count, 1.0, rate)
    return Mixture(family, Dirichlet(concentration))


def draw_means(rng: np.random.Generator, dimension: int) -> np.ndarray:
    """Draw prior means m_k (20, D) of Ghahramani's components, uniform where data may lie."""
    return rng.uniform(-REACH, REACH, (N_COMPONENTS, dimension))
