"""The Dirichlet prior of mixture weights: a family whose only statistics are the counts."""

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_array, checked

LARGEST = 1e8  # beyond it, log Gamma leaves fewer than six decimals of an ELBO


def _as_concentration(name: str, value):
    a = as_array(name, value)
    if np.asarray(value).dtype == bool or a.ndim > 1 or a.size == 0 or (a < 0).any():
        raise ValueError(
            f"{name} is {value!r}; it must be one number or (K,), finite, >= 0"
        )
    if (a > LARGEST).any():
        raise ValueError(f"{name} reaches {a.max():g}; at most {LARGEST:g} is allowed")
    return float(a) if a.ndim == 0 else a


@attrs.frozen(eq=False, slots=False)
class Dirichlet:
    """Weights pi ~ Dirichlet(concentration).

    concentration: one number for every component, or (K,). 0 is the improper prior under which EM
        gives the maximum-likelihood weights; a `Mixture` refuses it for any other use.

    Sato's gamma_0 with equal shares is concentration = gamma_0 / K + 1 (his A.6 has exponents gamma
    nu_i on the weights). Raises ValueError for a concentration below 0 or
    above 1e8.
    """

    concentration: float | np.ndarray = checked(_as_concentration, default=1.0)

    @property
    def proper(self) -> bool:
        """Whether the prior integrates to one."""
        return bool(np.all(np.asarray(self.concentration) > 0))

    def posterior(self, counts: np.ndarray) -> np.ndarray:
        """Concentration (..., K) after the counts (..., K)."""
        return self.concentration + counts

    def log_normalizer(self, counts: np.ndarray) -> np.ndarray:
        """Log of the integral of prod pi^(concentration + counts - 1): (..., K) -> (...)."""
        a = self.posterior(counts)
        return gammaln(a).sum(axis=-1) - gammaln(a.sum(axis=-1))

    def expected(self, counts: np.ndarray) -> np.ndarray:
        """E[log pi] (..., K): psi(a_k) - psi(sum a)."""
        a = self.posterior(counts)
        return digamma(a) - digamma(a.sum(axis=-1, keepdims=True))

    def mean(self, counts: np.ndarray) -> np.ndarray:
        """E[pi] (..., K)."""
        a = self.posterior(counts)
        return a / a.sum(axis=-1, keepdims=True)
