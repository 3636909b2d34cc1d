"""Labels that are independent of each other, with Dirichlet weights: what a mixture's component
counts say of them."""

from typing import ClassVar

import numpy as np

from vbkit.families.dirichlet import Dirichlet
from vbkit.latent.model import Model


class IndependentLabels(Model):
    """Base class of the models in which each row draws its component from the same weights."""

    weights: Dirichlet
    labels: ClassVar = slice(0, 1)  # the counts

    def check_state(self, S) -> np.ndarray:
        S, a = super().check_state(S), self.weights.concentration
        if not isinstance(a, float) and len(a) != len(S):
            raise ValueError(f"concentration has {len(a)} entries; the state {len(S)} components")
        return S

    def alike(self, S) -> bool:
        return np.ndim(self.weights.concentration) == 0 and super().alike(S)

    def label_prior(self, N: np.ndarray) -> np.ndarray:
        """The log-normaliser (...) of the mixing weights after the counts N (..., K, 1)."""
        return self.weights.log_normalizer(N[..., 0])

    def label_expected(self, N: np.ndarray) -> np.ndarray:
        """E[log pi] (..., K, 1)."""
        return self.weights.expected(N[..., 0])[..., None]
