"""Gaussian with independent dimensions (diagonal covariance); its conjugate prior is a normal-gamma a dimension."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from vbkit.checks import as_vector, read_only
from vbkit.compiled import digamma as psi
from vbkit.compiled import inline, log_split, split
from vbkit.families.base import LOG_2PI, Gaussian, collapsed
from vbkit.families.isotropic_gaussian import IsotropicGaussian


@dataclass(frozen=True, eq=False)
class NormalGamma(Gaussian):
    """x_d ~ N(mu_d, 1 / rho_d),  mu_d | rho_d ~ N(mean_d, 1 / (mean_count rho_d)),  rho_d ~ Gamma(shape, rate_d).

    Ghahramani's component (2000, on-line mixture of Gaussians: m, g, a, b) in each dimension by itself. mean (D,): prior
    mean, from which all statistics are measured. mean_count: observations the prior mean is worth. shape, rate: of the
    gamma density of a precision, E[rho] = shape / rate; the rate is one number or (D,).

    Statistics of a row: 1, x - mean, (x - mean)^2 entry by entry: P = 1 + 2 D. The dimensions share nothing but the
    count, so each one is an `IsotropicGaussian` in one dimension, and for D = 1 the two families are the same.
    """

    mean: np.ndarray
    mean_count: float
    shape: float
    rate: float | np.ndarray

    def __post_init__(self):
        mean, rate = read_only(as_vector("mean", self.mean)), as_vector("rate", self.rate)
        if len(rate) not in (1, len(mean)):
            raise ValueError(
                f"rate has {len(rate)} entries; it must be one number or one a dimension, {len(mean)}"
            )
        rate = read_only(np.broadcast_to(rate, mean.shape))
        axes = tuple(IsotropicGaussian(0.0, self.mean_count, self.shape, b) for b in rate.tolist())
        vars(self).update(
            mean=mean, rate=rate, _axes=axes, mean_count=axes[0].mean_count, shape=axes[0].shape
        )

    compiled = property(lambda self: _log_density(self.dimension))

    @cached_property
    def numbers(self) -> np.ndarray:
        """What `compiled` takes: mean count, shape, rates."""
        return np.array([self.mean_count, self.shape, *self.rate])

    def statistics(self, X: np.ndarray) -> np.ndarray:
        D = self.dimension
        T = self._first(X, 1 + 2 * D)
        np.square(T[1 : 1 + D], out=T[1 + D :])
        return T.T

    def _each(self):
        """Each dimension's family and the columns of its statistics: the count, its first and its second moment."""
        return [(axis, [0, 1 + d, 1 + self.dimension + d]) for d, axis in enumerate(self._axes)]

    def posterior(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Hyperparameters after the statistics S (..., P): mean count (...), shape (...), mean from the prior's
        (..., D), rate (..., D)."""
        parts = [axis.posterior(S[..., columns]) for axis, columns in self._each()]
        beta, shape, _, _ = parts[0]
        return (
            beta,
            shape,
            np.concatenate([p[2] for p in parts], axis=-1),
            np.stack([p[3] for p in parts], axis=-1),
        )

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        return sum(axis.log_normalizer(S[..., columns]) for axis, columns in self._each())

    def expected(self, S: np.ndarray) -> np.ndarray:
        W = np.zeros_like(S)
        for axis, columns in self._each():
            W[:, columns] += axis.expected(S[:, columns])
        return W

    def _second(self, x, covariances):
        return np.diagonal(covariances, axis1=1, axis2=2) + x**2

    gaussians, sample = IsotropicGaussian.gaussians, IsotropicGaussian.sample


# ---- compiled: for the online loop, see vbkit.learning.stream ----------------------------------------------


@cache
def _log_density(D: int):
    lost = inline(collapsed)

    @inline
    def log_density(t, s, numbers):
        """E log p(x): sum_d 1/2 (E log rho_d - log 2 pi - 1 / count - E[rho_d] (x_d - mean_d)^2)."""
        inverse_count = 1.0 / (numbers[0] + s[0])
        shape = numbers[1] + 0.5 * s[0]
        quadratic, mantissa, exponent = 0.0, 1.0, 0.0
        for i in range(D):
            mean = s[1 + i] * inverse_count
            rate = numbers[2 + i] + 0.5 * (s[1 + D + i] - mean * s[1 + i])
            rate = (
                np.nan
                if lost(rate, numbers[2 + i] + 0.5 * s[1 + D + i], numbers[2 + i], s[0])
                else rate
            )
            quadratic += (t[1 + i] - mean) * (t[1 + i] - mean) / rate
            m, e = split(rate)
            mantissa *= m
            exponent += e
        m, e = split(mantissa)
        log_rates = log_split(m, e + exponent)
        return 0.5 * (D * (psi(shape) - LOG_2PI - inverse_count) - log_rates - shape * quadratic)

    return log_density
