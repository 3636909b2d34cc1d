"""Gaussians whose precisions are gamma variables: one for all directions, or one a
dimension."""

from functools import cached_property
from typing import NamedTuple, Self

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import (
    as_nonnegative,
    as_positive,
    as_positives,
    as_vector,
    checked,
    one_for_each,
)
from vbkit.compiled import online
from vbkit.compiled.online import ENDLESS, ROUNDING_OF_SCATTER
from vbkit.families.gaussian import (
    LOG_2PI,
    Gaussian,
    GaussianParameters,
    check_scale,
    collapse,
)
from vbkit.families.special import log1p_square, log_gamma_ratio


class NormalGammaPosterior(NamedTuple):
    """Hyperparameters: mean count (...), shape (...), mean (..., D) and rate, (...) if
    it is common to all directions, else (..., D)."""

    mean_count: np.ndarray
    shape: np.ndarray
    mean: np.ndarray
    rate: np.ndarray


@attrs.frozen(eq=False, slots=False)
class GammaPrecisions(Gaussian):
    """What both families share: G groups of `_size` dimensions, one precision per
    group.

    The statistics are 1, x - mean, and a sum of squares per group. Inside, rates are
    (..., G).
    """

    mean_count: float = checked(as_positive)
    shape: float = checked(as_positive)

    @cached_property
    def _rates(self) -> np.ndarray:
        """(G,)"""
        return np.atleast_1d(self.rate)

    @property
    def _size(self) -> int:
        return self.dimension // len(self._rates)

    compiled_density = online.GAMMA_PRECISIONS

    @cached_property
    def packed_hyperparameters(self) -> np.ndarray:
        """Mean count, shape, rates."""
        return np.array([self.mean_count, self.shape, *self._rates])

    def _grouped(self, x: np.ndarray) -> np.ndarray:
        """Sums over each group of dimensions: (..., D) -> (..., G)."""
        return x if self._size == 1 else x.sum(axis=-1, keepdims=True)

    def statistics(self, X: np.ndarray) -> np.ndarray:
        D = self.dimension
        T = np.empty((1 + D + len(self._rates), len(X)))
        T[0] = 1
        x = np.subtract(X.T, self.mean[:, None], out=T[1 : 1 + D])
        if self._size == 1:
            np.square(x, out=T[1 + D :])
        else:
            np.einsum("dn,dn->n", x, x, out=T[-1])
        T[1 + D :] += self._grouped(self.spread_of_cells)[:, None]
        return T.T

    def _relative(self, S: np.ndarray) -> NormalGammaPosterior:
        """`relative_posterior` with rates (..., G)."""
        D = self.dimension
        count = S[..., 0]
        first = S[..., 1 : 1 + D]
        second = S[..., 1 + D :]
        beta = self.mean_count + count
        mean = first / beta[..., None]
        rate = self._rates + 0.5 * (second - self._grouped(mean * first))
        only_prior = (count[..., None] > ENDLESS) & (rate <= 2 * self._rates)
        lost = (rate <= ROUNDING_OF_SCATTER * (self._rates + 0.5 * second)) | only_prior
        if lost.any():
            raise collapse(lost)
        return NormalGammaPosterior(
            beta, self.shape + 0.5 * self._size * count, mean, rate
        )

    def relative_posterior(self, S: np.ndarray) -> NormalGammaPosterior:
        found = self._relative(S)
        return found if np.ndim(self.rate) else found._replace(rate=found.rate[..., 0])

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        return self._value(S, self._relative(S))

    def expected(self, S: np.ndarray) -> np.ndarray:
        return self._gradient(S, self._relative(S))

    def value_and_gradient(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        posterior = self._relative(S)
        return self._value(S, posterior), self._gradient(S, posterior)

    def _value(self, S, posterior: NormalGammaPosterior) -> np.ndarray:
        beta, shape, _, rate = posterior
        constant = self.dimension / 2 * (np.log(beta) + S[..., 0] * LOG_2PI)
        return (
            len(self._rates) * gammaln(shape) - shape * np.log(rate).sum(-1) - constant
        )

    def _gradient(self, S, posterior: NormalGammaPosterior) -> np.ndarray:
        D = self.dimension
        size = self._size
        beta, shape, mean, rate = posterior
        precision = shape[:, None] / rate
        W = np.empty_like(S)
        W[:, 1 : 1 + D] = precision * mean
        peak = D * (digamma(shape) - LOG_2PI - 1 / beta) - size * np.log(rate).sum(1)
        W[:, 0] = 0.5 * (peak - (mean * W[:, 1 : 1 + D]).sum(1))
        W[:, 1 + D :] = -0.5 * precision
        return W

    def _second(self, x, covariances):
        return self._grouped(np.diagonal(covariances, axis1=1, axis2=2) + x**2)

    def parameters(self, S: np.ndarray) -> GaussianParameters:
        _, shape, mean, rate = self._relative(S)
        variances = (rate / shape[:, None])[:, :, None]
        return GaussianParameters(self.mean + mean, variances * np.eye(self.dimension))

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """A product over the groups of Student densities, each of 2 shape degrees of
        freedom; see `Family.log_predictive`."""
        beta, shape, mean, rate = self._relative(S)
        half = 0.5 * self._size
        scale = np.sqrt(2 * rate) * np.sqrt(1 + 1 / beta)[:, None]
        peak = log_gamma_ratio(shape, half) - half * np.log(np.pi)
        peak = len(self._rates) * peak - self._size * np.log(scale).sum(axis=1)
        rows = np.empty((len(S), len(X)))
        for k, row in enumerate(rows):
            distance = np.sqrt(self._grouped((X - self.mean - mean[k]) ** 2))
            kernel = log1p_square(distance / scale[k]).sum(axis=1)
            row[:] = peak[k] - (shape[k] + half) * kernel
        return rows

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        beta, shape, mean, rate = self._relative(s)
        precision = rng.gamma(shape, 1 / rate, (size, len(rate)))
        width = np.sqrt((1 + 1 / beta) / precision)
        return self.mean + mean + width * rng.standard_normal((size, self.dimension))


@attrs.frozen(eq=False, slots=False)
class IsotropicGaussian(GammaPrecisions):
    """A Gaussian with unknown mean and one precision for all directions:

        x ~ N(mu, I / rho),
        mu | rho ~ N(mean, I / (mean_count rho)),  rho ~ Gamma(shape, rate).

    mean: (D,), the prior mean, from which all statistics are measured.
    mean_count: the number of observations that the prior mean is worth.
    shape, rate: of the gamma density of the precision rho; E[rho] = shape / rate.
    cell: how wide the cells are whose middles the numbers are, one width or (D,); see
        `Gaussian`.

    The statistics of a row are 1, x - mean, |x - mean|^2: P = D + 2. Raises ValueError
    for an improper prior.
    """

    rate: float = checked(as_positive)
    cell: float | np.ndarray = checked(as_nonnegative, default=0.0)

    def __attrs_post_init__(self):
        check_scale("rate", self.rate)
        object.__setattr__(
            self, "cell", one_for_each("cell", self.cell, self.dimension)
        )

    @classmethod
    def from_pseudo_data(cls, mean, variance: float, count: float) -> Self:
        """Sato's prior (2000, 2.11), as if `count` data points with this mean (D,) and
        this variance in every direction had been seen: exp(count (alpha . theta -
        Psi(theta))) with respect to d mu d rho, a gamma shape of 1 + (count - 1) D / 2.
        Raises ValueError where that is improper: for D > 2 and a count of 1 - 2 / D or
        less."""
        mean = as_vector("mean", mean)
        D = len(mean)
        count = as_positive("count", count, above=max(0.0, 1 - 2 / D))
        rate = count * as_positive("variance", variance) * D / 2
        return cls(mean, count, 1 + (count - 1) * D / 2, rate)


@attrs.frozen(eq=False, slots=False)
class NormalGamma(GammaPrecisions):
    """A Gaussian with independent dimensions (diagonal covariance), d = 1 ... D:

        x_d ~ N(mu_d, 1 / rho_d),
        mu_d | rho_d ~ N(mean_d, 1 / (mean_count rho_d)),  rho_d ~ Gamma(shape, rate_d).

    In each dimension this is Ghahramani's component (2000, m, g, a, b).

    mean: (D,), the prior mean, from which all statistics are measured.
    mean_count: the number of observations that the prior mean is worth.
    shape, rate: of the gamma density of a precision; E[rho] = shape / rate. The rate is
        one number or (D,).
    cell: how wide the cells are whose middles the numbers are, one width or (D,); see
        `Gaussian`.

    The statistics of a row are 1, x - mean, and (x - mean)^2 entry by entry: P = 1 + 2
    D. The dimensions share only the count; for D = 1 this is `IsotropicGaussian`.
    Raises ValueError for an improper prior.
    """

    rate: float | np.ndarray = checked(as_positives)
    cell: float | np.ndarray = checked(as_nonnegative, default=0.0)

    def __attrs_post_init__(self):
        check_scale("rate", self.rate)
        object.__setattr__(
            self, "cell", one_for_each("cell", self.cell, self.dimension)
        )
        object.__setattr__(
            self, "rate", one_for_each("rate", self.rate, self.dimension)
        )
