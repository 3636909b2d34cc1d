"""How much a hidden factor matters: the precision of its loadings, which is learned.

The loadings on a factor are N(0, 1 / (alpha rho_j)), one for each of J outputs of noise precision
rho_j, and alpha ~ Gamma(shape, rate). The posterior of alpha is a factor of its own, a gamma
density of mean

    (shape + J / 2) / (rate + v),   v = sum_j E[rho_j w_j^2] / 2.
"""

import attrs
import numpy as np
from scipy.special import gammaln

from vbkit.checks import as_positive, checked


@attrs.frozen
class Relevance:
    """alpha ~ Gamma(shape, rate): the prior of the precision of a factor's loadings. Raises
    ValueError unless both are > 0."""

    shape: float = checked(as_positive, default=1e-3)
    rate: float = checked(as_positive, default=1e-3)

    def mean(self, sums, counts, outputs: int) -> np.ndarray:
        """E[alpha] (..., Q) for sums (..., Q) of v times the counts (..., 1); the prior's where
        the count is 0."""
        v = np.full(sums.shape, outputs / 2 * self.rate / self.shape)
        v = np.divide(sums, counts, where=counts > 0, out=v)
        return (self.shape + outputs / 2) / (self.rate + v)

    def cost(self, mean: np.ndarray, outputs: int) -> float:
        """The divergence (nats) of q(alpha), of means (...), from the prior, and what E log alpha
        falls short of log E alpha in the prior of the loadings."""
        a, b, after = self.shape, self.rate, self.shape + outputs / 2
        each = (
            a * np.log(after / (mean * b))
            + mean * b
            - after
            + outputs / 2 * np.log(after)
        )
        return float((each + gammaln(a) - gammaln(after)).sum())
