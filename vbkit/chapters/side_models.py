"""What the explorer of notebook 10 shows: copies of one of several components, a singular pair of a matrix."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from vbkit.factorization import (
    fixed_landscape,
    fixed_threshold,
    learned_landscape,
    shrink_empirical,
    shrink_fixed,
    thresholds,
)
from vbkit.theory import (
    critical_concentration,
    gain_of_halves,
    ideal_bernoulli,
    ideal_full,
    ideal_isotropic,
    ideal_known,
    switch_concentrations,
)

SHAPE = (20, 30)  # of the matrix
SHARES = 1 / (1 + np.exp(-np.linspace(-23, 23, 277)))  # 1e-10 to 1 - 1e-10, one half among them
B_LINE = np.linspace(0.02, 1.2, 30)

COMPONENTS = {  # name -> component for a given b
    "Gaussian, centre in 1 dimension": lambda b: ideal_known(1),
    "Gaussian, centre in 4 dimensions": lambda b: ideal_known(4),
    "Gaussian, centre and width in 2 dimensions": lambda b: ideal_isotropic(2),
    "Gaussian, centre and covariance in 2 dimensions": lambda b: ideal_full(2),
    "Bernoulli, 4 coordinates inside": lambda b: ideal_bernoulli(4, 0, b),
    "Bernoulli, 2 inside and 2 pinned": lambda b: ideal_bernoulli(2, 2, b),
    "Bernoulli, 4 pinned": lambda b: ideal_bernoulli(0, 4, b),
}


@lru_cache(128)
def lines(name: str, size: float):
    """Concentrations (n,) of the limit and of the switch at this size, over B_LINE."""
    made = [COMPONENTS[name](b) for b in B_LINE]
    limit = np.array([critical_concentration(one.parameters) for one in made])
    return limit, switch_concentrations(
        [gain_of_halves(one.family, size * one.average) for one in made], size
    )


@lru_cache(64)
def _fixed(top: float, strength: float):
    """Shrunk singular values (n,) from 0 to top and F of each at gamma = 0, less that of a dead pair."""
    shrunk = np.linspace(0, top, 121)
    G = fixed_landscape(shrunk, strength, SHAPE)
    return shrunk, G - G[0]


def pair(gamma: float, learned: bool, size: float):
    """Share kept (n,), F (n,) of it, the best share, and the thresholds of the singular value gamma, for a matrix that
    is the average of `size` observations with noise 1 and (if not learned) prior variances 1."""
    root = size**0.5
    seen = gamma * root
    if learned:
        kappa = np.concatenate([[0.0], np.logspace(-2, np.log10(1.3 * seen**2 + 20), 160)])
        shrunk, F = learned_landscape(kappa, seen, SHAPE)
        best, marks = (
            float(shrink_empirical(seen, SHAPE, 1.0)),
            tuple(t / root for t in thresholds(SHAPE)),
        )
    else:
        shrunk, G = _fixed(1.1 * seen, root)
        F, best = G - seen * shrunk, float(shrink_fixed(seen, SHAPE, root, root, 1.0))
        marks = (fixed_threshold(root * root, SHAPE) / root,) * 2
    return shrunk / seen, F, best / seen, marks
