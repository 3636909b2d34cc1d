"""Gaussian with a known covariance and an unknown mean: the simplest family, whose conjugate prior is a Gaussian."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from vbkit.checks import as_positive, as_symmetric, as_vector, read_only
from vbkit.compiled import inline
from vbkit.families.base import LARGEST, LOG_2PI, ROUNDING, SMALLEST, Gaussian


@dataclass(frozen=True, eq=False)
class KnownCovariance(Gaussian):
    """x ~ N(mu, covariance),  mu ~ N(mean, prior_variance I) (Nakajima, "Mixture of Gaussians (known covariance)").

    mean (D,): prior mean, from which all statistics are measured. prior_variance: the slides' sigma_0^2, of mu in every
    direction. covariance (D, D): known, positive definite; None for the slides' I.

    Statistics of a row: 1, x - mean: P = D + 1. What is quadratic in x is known, hence the log base measure
    -(x - mean)' covariance^-1 (x - mean) / 2. Along the known covariance's principal axes, with variances v_i, all is
    one-dimensional: the prior is worth v_i / prior_variance data, and a component that holds n data has posterior means
    sum x_i / (n + v_i / prior_variance) and posterior variances v_i / (n + v_i / prior_variance).
    """

    mean: np.ndarray
    prior_variance: float
    covariance: np.ndarray | None = None

    def __post_init__(self):
        mean = read_only(as_vector("mean", self.mean))
        known = np.eye(len(mean)) if self.covariance is None else self.covariance
        scale = as_positive("prior_variance", self.prior_variance)
        known = read_only(as_symmetric("covariance", known, len(mean)))
        vars(self).update(mean=mean, prior_variance=scale, covariance=known)
        variances = self._axes[0]
        if not SMALLEST**2 <= max(variances[0], 0.0) <= variances[-1] <= LARGEST**2:
            reach = f"{SMALLEST**2:g} to {LARGEST**2:g}"
            raise ValueError(
                f"covariance has the eigenvalues {variances}; they must lie within {reach}"
            )
        if variances[0] <= ROUNDING * variances[-1]:
            raise ValueError(
                f"covariance is not positive definite beyond rounding; its eigenvalues are {variances}"
            )
        if not SMALLEST <= self._worth[0] <= self._worth[-1] <= LARGEST:
            raise ValueError(
                f"prior_variance is {self.prior_variance:g}; the covariance's eigenvalues {variances} must lie within "
                f"factors of {SMALLEST:g} to {LARGEST:g} of it"
            )

    @cached_property
    def _axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Variances (D,) along the principal axes, and the axes as columns (D, D)."""
        return np.linalg.eigh(self.covariance)

    @cached_property
    def _worth(self) -> np.ndarray:
        """How many data (D,) the prior mean is worth, along each axis."""
        return self._axes[0] / self.prior_variance

    @cached_property
    def _log_peak(self) -> float:
        """Log density at a component's own centre."""
        return -0.5 * (self.dimension * LOG_2PI + float(np.log(self._axes[0]).sum()))

    compiled = property(lambda self: _log_density(self.dimension))

    @cached_property
    def numbers(self) -> np.ndarray:
        """What `compiled` takes: log peak, variances, what the prior is worth, axes (row by row)."""
        variances, axes = self._axes
        return np.concatenate([[self._log_peak], variances, self._worth, axes.ravel()])

    def statistics(self, X: np.ndarray) -> np.ndarray:
        return self._first(X, self.dimension + 1).T

    def log_base(self, X: np.ndarray) -> np.ndarray:
        variances, axes = self._axes
        return -0.5 * (((X - self.mean) @ axes) ** 2 / variances).sum(1)

    def _along_axes(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """After the statistics S (..., P), along each axis: data and prior together (..., D), mean (..., D)."""
        worth = self._worth + S[..., :1]
        return worth, S[..., 1:] @ self._axes[1] / worth

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        worth, mean = self._along_axes(S)
        fit = mean**2 * worth / self._axes[0]
        return 0.5 * (fit - np.log(worth)).sum(-1) + S[..., 0] * self._log_peak

    def expected(self, S: np.ndarray) -> np.ndarray:
        variances, axes = self._axes
        worth, mean = self._along_axes(S)
        W = np.empty_like(S)
        W[:, 0] = self._log_peak - 0.5 * (mean**2 / variances + 1 / worth).sum(1)
        W[:, 1:] = (mean / variances) @ axes.T
        return W

    def posterior(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of mu after the statistics S (..., P): mean measured from the prior's (..., D), covariance (..., D, D)."""
        variances, axes = self._axes
        worth, mean = self._along_axes(S)
        return mean @ axes.T, axes * (variances / worth)[..., None, :] @ axes.T

    def _second(self, x, covariances):
        return x[:, :0]  # the covariance is known: any given is left out

    def gaussians(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a picture draws: the components' centres (K, D) and their known covariance (K, D, D)."""
        mean = self.posterior(S)[0]
        return self.mean + mean, np.broadcast_to(
            self.covariance, (*mean.shape, self.dimension)
        ).copy()

    def sample(self, S: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draws (size, D) from one component with state S (P,), each around a centre of its own from the posterior."""
        variances, axes = self._axes
        worth, mean = self._along_axes(S)
        width = np.sqrt(variances * (1 + 1 / worth))
        return self.mean + (mean + width * rng.standard_normal((size, self.dimension))) @ axes.T


# ---- compiled: for the online loop, see vbkit.learning.stream ----------------------------------------------


@cache
def _log_density(D: int):
    @inline
    def log_density(t, s, numbers):
        """E log p(x) without the base measure: along each axis (x - mean / 2) mean / v - 1 / (2 worth), and the
        peak."""
        total = numbers[0]
        for i in range(D):
            x, first, worth = 0.0, 0.0, numbers[1 + D + i] + s[0]
            for j in range(D):
                axis = numbers[1 + 2 * D + j * D + i]
                x += axis * t[1 + j]
                first += axis * s[1 + j]
            mean = first / worth
            total += (x - 0.5 * mean) * mean / numbers[1 + i] - 0.5 / worth
        return total

    return log_density
