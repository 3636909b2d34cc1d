"""Gaussian with independent dimensions (diagonal covariance); its conjugate prior is a normal-gamma a dimension."""

from functools import cached_property

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_positive, as_positives, as_vector, checked, read_only
from vbkit.families import jit_densities
from vbkit.families.gaussian import LOG_2PI, Gaussian, GaussianParameters, check_scale
from vbkit.families.gaussian import collapsed, refuse_collapsed
from vbkit.families.isotropic_gaussian import IsotropicGaussian, NormalGammaPosterior
from vbkit.families.special import log1p_square, log_gamma_ratio


@attrs.frozen(eq=False, slots=False)
class NormalGamma(Gaussian):
    """x_d ~ N(mu_d, 1 / rho_d),  mu_d | rho_d ~ N(mean_d, 1 / (mean_count rho_d)),  rho_d ~ Gamma(shape, rate_d).

    Ghahramani's component (2000, on-line mixture of Gaussians: m, g, a, b) in each dimension by itself. mean (D,): prior
    mean, from which all statistics are measured. mean_count: observations the prior mean is worth. shape, rate: of the
    gamma density of a precision, E[rho] = shape / rate; the rate is one number or (D,).

    Statistics of a row: 1, x - mean, (x - mean)^2 entry by entry: P = 1 + 2 D. The dimensions share nothing but the
    count; for D = 1 this is `IsotropicGaussian`. Raises ValueError for an improper prior.
    """

    mean: np.ndarray = checked(as_vector)
    mean_count: float = checked(as_positive)
    shape: float = checked(as_positive)
    rate: float | np.ndarray = checked(as_positives)

    def __attrs_post_init__(self):
        if self.rate.shape not in ((), (1,), self.mean.shape):
            raise ValueError(
                f"rate has shape {self.rate.shape}; it must be one number or {self.mean.shape}"
            )
        check_scale("rate", self.rate)
        rate = read_only(np.broadcast_to(self.rate, self.mean.shape))
        object.__setattr__(self, "rate", rate)

    @property
    def log_density_jit(self):
        return jit_densities.normal_gamma(self.dimension)

    @cached_property
    def packed_hyperparameters(self) -> np.ndarray:
        """Mean count, shape, rates."""
        return np.array([self.mean_count, self.shape, *self.rate])

    def statistics(self, X: np.ndarray) -> np.ndarray:
        D = self.dimension
        T = self._first(X, 1 + 2 * D)
        np.square(T[1 : 1 + D], out=T[1 + D :])
        return T.T

    def relative_posterior(self, S: np.ndarray) -> NormalGammaPosterior:
        D = self.dimension
        count, first, second = S[..., 0], S[..., 1 : 1 + D], S[..., 1 + D :]
        beta = self.mean_count + count
        mean = first / beta[..., None]
        rate = self.rate + 0.5 * (second - mean * first)
        lost = collapsed(rate, self.rate + 0.5 * second, self.rate, count[..., None])
        refuse_collapsed(lost.any(axis=-1))
        return NormalGammaPosterior(beta, self.shape + 0.5 * count, mean, rate)

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        beta, shape, _, rate = self.relative_posterior(S)
        constant = gammaln(shape) - 0.5 * (np.log(beta) + S[..., 0] * LOG_2PI)
        return self.dimension * constant - shape * np.log(rate).sum(-1)

    def expected(self, S: np.ndarray) -> np.ndarray:
        D = self.dimension
        beta, shape, mean, rate = self.relative_posterior(S)
        precision = shape[:, None] / rate
        peak = D * (digamma(shape) - LOG_2PI - 1 / beta) - np.log(rate).sum(1)
        W = np.empty_like(S)
        W[:, 1 : 1 + D] = precision * mean
        W[:, 0] = 0.5 * (peak - (mean * W[:, 1 : 1 + D]).sum(1))
        W[:, 1 + D :] = -0.5 * precision
        return W

    def _second(self, x, covariances):
        return np.diagonal(covariances, axis1=1, axis2=2) + x**2

    def parameters(self, S: np.ndarray) -> GaussianParameters:
        _, shape, mean, rate = self.posterior(S)
        return GaussianParameters(
            mean, (rate / shape[:, None])[:, :, None] * np.eye(self.dimension)
        )

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """A product of Student densities of 2 shape degrees of freedom; see `Family.log_predictive`."""
        beta, shape, mean, rate = self.relative_posterior(S)
        scale = np.sqrt(2 * rate) * np.sqrt(1 + 1 / beta)[:, None]
        peak = self.dimension * (log_gamma_ratio(shape, 0.5) - 0.5 * np.log(np.pi))
        peak -= np.log(scale).sum(axis=1)
        rows = np.empty((len(S), len(X)))
        for k, row in enumerate(rows):
            kernel = log1p_square((X - self.mean - mean[k]) / scale[k])
            row[:] = peak[k] - (shape[k] + 0.5) * kernel.sum(axis=1)
        return rows

    sample = IsotropicGaussian.sample
