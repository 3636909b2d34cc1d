"""Gaussian with one variance for all directions; its conjugate prior is the normal-gamma."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_positive, as_vector, checked
from vbkit.families import jit_densities
from vbkit.families.gaussian import LOG_2PI, Gaussian, GaussianParameters, check_scale
from vbkit.families.gaussian import collapsed, refuse_collapsed
from vbkit.families.special import log1p_square, log_gamma_ratio


class NormalGammaPosterior(NamedTuple):
    """Hyperparameters: mean count (...), shape (...), mean (..., D) and rate, (...) or one a dimension (..., D)."""

    mean_count: np.ndarray
    shape: np.ndarray
    mean: np.ndarray
    rate: np.ndarray


@attrs.frozen(eq=False, slots=False)
class IsotropicGaussian(Gaussian):
    """x ~ N(mu, I / rho),  mu | rho ~ N(mean, I / (mean_count rho)),  rho ~ Gamma(shape, rate).

    mean (D,): prior mean, from which all statistics are measured. mean_count: observations the prior mean is worth.
    shape, rate: of the gamma density of the precision rho; E[rho] = shape / rate.

    Statistics of a row: 1, x - mean, |x - mean|^2: P = D + 2. Raises ValueError for an improper prior.
    """

    mean: np.ndarray = checked(as_vector)
    mean_count: float = checked(as_positive)
    shape: float = checked(as_positive)
    rate: float = checked(as_positive)

    def __attrs_post_init__(self):
        check_scale("rate", self.rate)

    @classmethod
    def from_pseudo_data(cls, mean, variance: float, count: float) -> IsotropicGaussian:
        """As if `count` data points with this mean (D,) and this variance in every direction had been seen (Sato 2000,
        2.11): exp(count (alpha . theta - Psi(theta))) with respect to d mu d rho, a gamma shape of
        1 + (count - 1) D / 2. Raises ValueError where that is improper: for D > 2 and a count of 1 - 2 / D or less."""
        mean, count = as_vector("mean", mean), as_positive("count", count)
        D, shape = len(mean), 1 + (count - 1) * len(mean) / 2
        if shape <= 0:
            raise ValueError(
                f"count is {count:g}; in {D} dimensions it must exceed {1 - 2 / D:g} for a proper prior"
            )
        return cls(mean, count, shape, count * as_positive("variance", variance) * D / 2)

    @property
    def log_density_jit(self):
        return jit_densities.isotropic_gaussian(self.dimension)

    @cached_property
    def packed_hyperparameters(self) -> np.ndarray:
        """Mean count, shape, rate."""
        return np.array([self.mean_count, self.shape, self.rate])

    def statistics(self, X: np.ndarray) -> np.ndarray:
        T = self._first(X, self.dimension + 2)
        np.einsum("dn,dn->n", T[1:-1], T[1:-1], out=T[-1])
        return T.T

    def relative_posterior(self, S: np.ndarray) -> NormalGammaPosterior:
        count, first, second = S[..., 0], S[..., 1:-1], S[..., -1]
        beta = self.mean_count + count
        mean = first / beta[..., None]
        rate = self.rate + 0.5 * (second - (mean * first).sum(-1))
        refuse_collapsed(collapsed(rate, self.rate + 0.5 * second, self.rate, count))
        return NormalGammaPosterior(beta, self.shape + 0.5 * self.dimension * count, mean, rate)

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        beta, shape, _, rate = self.relative_posterior(S)
        constant = self.dimension / 2 * (np.log(beta) + S[..., 0] * LOG_2PI)
        return gammaln(shape) - shape * np.log(rate) - constant

    def expected(self, S: np.ndarray) -> np.ndarray:
        beta, shape, mean, rate = self.relative_posterior(S)
        precision = shape / rate
        W = np.empty_like(S)
        W[:, 1:-1] = precision[:, None] * mean
        peak = self.dimension * (digamma(shape) - np.log(rate) - LOG_2PI - 1 / beta)
        W[:, 0] = 0.5 * (peak - (mean * W[:, 1:-1]).sum(1))
        W[:, -1] = -0.5 * precision
        return W

    def _second(self, x, covariances):
        return np.trace(covariances, axis1=1, axis2=2)[:, None] + (x**2).sum(1, keepdims=True)

    def parameters(self, S: np.ndarray) -> GaussianParameters:
        _, shape, mean, rate = self.posterior(S)
        return GaussianParameters(mean, (rate / shape)[:, None, None] * np.eye(self.dimension))

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Student's density of 2 shape degrees of freedom, common to all directions; see `Family.log_predictive`."""
        beta, shape, mean, rate = self.relative_posterior(S)
        half = 0.5 * self.dimension
        scale = np.sqrt(2 * rate) * np.sqrt(1 + 1 / beta)
        peak = log_gamma_ratio(shape, half) - half * np.log(np.pi) - self.dimension * np.log(scale)
        rows = np.empty((len(S), len(X)))
        for k, row in enumerate(rows):
            distance = np.linalg.norm(X - self.mean - mean[k], axis=1)
            row[:] = peak[k] - (shape[k] + half) * log1p_square(distance / scale[k])
        return rows

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        beta, shape, mean, rate = self.relative_posterior(s)
        precision = rng.gamma(shape, 1 / rate, (size, np.size(rate)))
        width = np.sqrt((1 + 1 / beta) / precision)
        return self.mean + mean + width * rng.standard_normal((size, self.dimension))
