"""A start without chance: split the data until there are enough components."""

import numpy as np

from vbkit.checks import as_integer
from vbkit.learning.starts import as_mixture
from vbkit.mixture import Mixture
from vbkit.structure.moves import first_splits
from vbkit.structure.statistics import responsibility_statistics


def init_by_splits(
    mixture: Mixture, X, n_components: int, *, weights=None
) -> np.ndarray:
    """Return a state (K, P) of any family: one component is split, and again, by its first cut.

    X (N, D), observation weights (N,). The next to be split is the component whose split raises
    the ELBO most, or lowers it least, before learning; the unit of the data has no part in that.
    No generator takes part, and a row of weight 2 is two rows. Raises ValueError if n_components
    is below 1 or above the number of rows, if the cuts end before, and for clones = EM.
    """
    as_mixture(mixture)
    as_integer("n_components", n_components, 1)
    data = mixture.observe(X, weights)
    if n_components > len(data.X):
        raise ValueError(
            f"n_components is {n_components}; it must not exceed the {len(data.X)} rows "
            "of X"
        )
    S = mixture.m_step(data, np.ones((len(data.X), 1)))
    while len(S) < n_components:
        stats = responsibility_statistics(mixture, data, S)
        splits = first_splits(stats)
        if not splits:
            raise ValueError(
                f"n_components is {n_components}; X can be cut into {len(S)} only"
            )
        S = splits[0].S
    return S
