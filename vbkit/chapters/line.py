"""Mixtures on the line, and a stream of three machines: for the evidence of 04."""

import numpy as np

from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

CENTRES, SHARES, SIGMA = np.array([-4.0, 0.0, 4.0]), np.array([0.3, 0.4, 0.3]), 0.9


def line_mixture(count: float = 1.0) -> Mixture:
    """Return a mixture on the line under a weak prior worth `count` data per component."""
    return Mixture(
        IsotropicGaussian.from_pseudo_data(0.0, 4.0, count), Dirichlet(1 + count)
    )


def machines(size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw numbers (size, 1) from three machines."""
    centres = rng.choice(CENTRES, size=size, p=SHARES)
    return (centres + SIGMA * rng.standard_normal(size))[:, None]
