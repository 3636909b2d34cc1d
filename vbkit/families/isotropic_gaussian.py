"""Gaussian with one variance for all directions; its conjugate prior is the normal-gamma."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_positive, as_vector, read_only
from vbkit.compiled import digamma as psi
from vbkit.compiled import inline, log_split, split
from vbkit.families.base import COLLAPSED, LARGEST, LOG_2PI, SMALLEST, Gaussian, collapsed


@dataclass(frozen=True, eq=False)
class IsotropicGaussian(Gaussian):
    """x ~ N(mu, I / rho),  mu | rho ~ N(mean, I / (mean_count rho)),  rho ~ Gamma(shape, rate).

    mean (D,): prior mean, from which all statistics are measured. mean_count: observations the prior mean is worth.
    shape, rate: of the gamma density of the precision rho; E[rho] = shape / rate.

    statistics of a row: 1, x - mean, |x - mean|^2: P = D + 2.
    """

    mean: np.ndarray
    mean_count: float
    shape: float
    rate: float

    def __post_init__(self):
        numbers = {
            name: as_positive(name, getattr(self, name)) for name in ("mean_count", "shape", "rate")
        }
        vars(self).update(numbers, mean=read_only(as_vector("mean", self.mean)))
        if not SMALLEST**2 <= self.rate <= LARGEST**2:
            raise ValueError(
                f"rate is {self.rate:g}; it must lie within {SMALLEST**2:g} to {LARGEST**2:g}"
            )

    @classmethod
    def from_pseudo_data(cls, mean, variance: float, count: float) -> IsotropicGaussian:
        """As if `count` data with this mean (D,) and this variance in every direction had been seen (Sato 2000, 2.11):
        exp(count (alpha . theta - Psi(theta))) with respect to d mu d rho, a gamma shape of 1 + (count - 1) D / 2.
        Raises ValueError where that is improper: for D > 2 and a count of 1 - 2 / D or less."""
        mean, variance, count = (
            as_vector("mean", mean),
            as_positive("variance", variance),
            as_positive("count", count),
        )
        D = len(mean)
        if 1 + (count - 1) * D / 2 <= 0:
            raise ValueError(
                f"count is {count:g}; in {D} dimensions it must exceed {1 - 2 / D:g} for a proper prior"
            )
        return cls(mean, count, 1 + (count - 1) * D / 2, count * variance * D / 2)

    compiled = property(lambda self: _log_density(self.dimension))

    @cached_property
    def numbers(self) -> np.ndarray:
        """What `compiled` takes: mean count, shape, rate."""
        return np.array([self.mean_count, self.shape, self.rate])

    def statistics(self, X: np.ndarray) -> np.ndarray:
        T = self._first(X, self.dimension + 2)
        np.einsum("dn,dn->n", T[1:-1], T[1:-1], out=T[-1])
        return T.T

    def posterior(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Hyperparameters after the statistics S (..., P): mean count (...), shape (...), mean from the
        prior's (..., D), rate (...)."""
        count, first = S[..., 0], S[..., 1:-1]
        beta = self.mean_count + count
        mean = first / beta[..., None]
        rate = self.rate + 0.5 * (S[..., -1] - (mean * first).sum(-1))
        lost = collapsed(rate, self.rate + 0.5 * S[..., -1], self.rate, count)
        if lost.any():
            raise ValueError(
                f"the rate of component {int(np.argmax(lost))} is made of rounding: {COLLAPSED}"
            )
        return beta, self.shape + 0.5 * self.dimension * count, mean, rate

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        beta, shape, _, rate = self.posterior(S)
        D = self.dimension
        return (
            gammaln(shape)
            - shape * np.log(rate)
            - D / 2 * np.log(beta)
            - S[..., 0] * D / 2 * LOG_2PI
        )

    def expected(self, S: np.ndarray) -> np.ndarray:
        beta, shape, mean, rate = self.posterior(S)
        D = self.dimension
        precision = shape / rate
        W = np.empty_like(S)
        W[:, 1:-1] = precision[:, None] * mean
        W[:, 0] = 0.5 * (
            D * (digamma(shape) - np.log(rate) - LOG_2PI - 1 / beta) - (mean * W[:, 1:-1]).sum(1)
        )
        W[:, -1] = -0.5 * precision
        return W

    def _second(self, x, covariances):
        return np.trace(covariances, axis1=1, axis2=2)[:, None] + (x**2).sum(1, keepdims=True)

    def gaussians(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a picture draws: the components' centres (K, D) and covariances I / E[rho] (K, D, D)."""
        _, shape, mean, rate = self.posterior(S)  # NormalGamma has one rate a dimension
        return self.mean + mean, (rate.T / shape).T.reshape(len(S), -1, 1) * np.eye(self.dimension)

    def sample(self, S: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draws (size, D) from one component with state S (P,), each with parameters of its own from the posterior."""
        beta, shape, mean, rate = self.posterior(S[None])
        precision = rng.gamma(shape[0], 1 / rate[0], (size, rate[0].size))
        width = np.sqrt((1 + 1 / beta[0]) / precision)
        return self.mean + mean[0] + width * rng.standard_normal((size, self.dimension))


# ---- compiled: for the online loop, see vbkit.learning.stream ----------------------------------------------


@cache
def _log_density(D: int):
    lost = inline(collapsed)

    @inline
    def log_density(t, s, numbers):
        """E log p(x): 1/2 (D (E log rho - log 2 pi - 1 / count) - E[rho] |x - mean|^2)."""
        inverse_count = 1.0 / (numbers[0] + s[0])
        shape = numbers[1] + 0.5 * D * s[0]
        scatter, distance = s[1 + D], 0.0
        for i in range(D):
            mean = s[1 + i] * inverse_count
            scatter -= mean * s[1 + i]
            distance += (t[1 + i] - mean) * (t[1 + i] - mean)
        rate = numbers[2] + 0.5 * scatter
        rate = np.nan if lost(rate, numbers[2] + 0.5 * s[1 + D], numbers[2], s[0]) else rate
        m, e = split(rate)
        log_rho = psi(shape) - log_split(m, e)
        return 0.5 * (D * (log_rho - LOG_2PI - inverse_count) - shape / rate * distance)

    return log_density
