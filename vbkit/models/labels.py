"""Labels that are independent of each other, with Dirichlet weights: what a mixture's component
counts say of them."""

from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from vbkit.families.dirichlet import Dirichlet
from vbkit.models.model import Model


class IndependentLabels(Model):
    """Base class of the models in which each row draws its component from the same weights."""

    weights: Dirichlet
    labels: ClassVar = slice(0, 1)  # the counts

    def check_state(self, S) -> np.ndarray:
        S, a = super().check_state(S), self.weights.concentration
        if not isinstance(a, float) and len(a) != len(S):
            raise ValueError(
                f"concentration has {len(a)} entries; the state {len(S)} components"
            )
        return S

    @property
    def common_prior(self) -> bool:
        return np.ndim(self.weights.concentration) == 0

    def label_elbos(self, E: np.ndarray) -> np.ndarray:
        """The share (K,) of each component in the log-normaliser of the weights. log Gamma of all
        counts is shared out by the expected weights (Sato 2000, A.13)."""
        alpha = self.weights.posterior(E[:, 0])
        return gammaln(alpha) - alpha / alpha.sum() * gammaln(alpha.sum())

    def label_prior(self, N: np.ndarray) -> np.ndarray:
        """The log-normaliser (...) of the mixing weights after the counts N (..., K, 1)."""
        return self.weights.log_normalizer(N[..., 0])

    def label_expected(self, N: np.ndarray) -> np.ndarray:
        """E[log pi] (..., K, 1)."""
        return self.weights.expected(N[..., 0])[..., None]
