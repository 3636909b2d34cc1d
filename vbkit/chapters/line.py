"""Mixtures on the line, and the stream of three machines: chapter 04b and its evidence."""

import numpy as np

from vbkit.families import Dirichlet, IsotropicGaussian
from vbkit.mixture import Mixture

CENTRES, SHARES, SIGMA = np.array([-4.0, 0.0, 4.0]), np.array([0.3, 0.4, 0.3]), 0.9


def line_mixture(count: float = 1.0) -> Mixture:
    """Return a mixture on the line under a weak prior worth `count` data per component."""
    return Mixture(IsotropicGaussian.from_pseudo_data(0.0, 4.0, count), Dirichlet(1 + count))


def machines(size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw numbers (size, 1) from three machines."""
    centres = rng.choice(CENTRES, size=size, p=SHARES)
    return (centres + SIGMA * rng.standard_normal(size))[:, None]


def first_state(mixture: Mixture, first, n_components: int, total: float):
    """Return a state (K, P) worth `total` data, centred at quantiles of the first data (n, 1)."""
    middles = np.quantile(first, (np.arange(n_components) + 0.5) / n_components)[:, None]
    return mixture.family.state([total / n_components], middles, np.full((1, 1, 1), 2.0))
