"""Gaussian with a known covariance and an unknown mean: the simplest family, whose
conjugate prior is a Gaussian."""

from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    as_positive,
    as_symmetric,
    checked,
    read_only,
)
from vbkit.compiled import online
from vbkit.compiled.online import ROUNDING_OF_SCATTER
from vbkit.families.gaussian import (
    LOG_2PI,
    Gaussian,
    GaussianParameters,
    check_scale,
    collapse,
)


class KnownCovariancePosterior(NamedTuple):
    """The Gaussian of mu: mean (..., D) and covariance (..., D, D)."""

    mean: np.ndarray
    covariance: np.ndarray


@attrs.frozen(eq=False, slots=False)
class KnownCovariance(Gaussian):
    """x ~ N(mu, covariance),  mu ~ N(mean, prior_variance I) (Nakajima, "Mixture of
    Gaussians (known covariance)").

    mean: (D,), the prior mean, from which all statistics are measured.
    prior_variance: the variance of mu in every direction, the slides' sigma_0^2.
    covariance: (D, D), known and positive definite; None is the slides' I.

    The statistics of a row are 1, x - mean: P = D + 1. What is quadratic in x is known:
    it is the log base measure, -(x - mean)' covariance^-1 (x - mean) / 2. Along the
    principal axes of the covariance, with variances v_i, the problem is
    one-dimensional: the prior is worth v_i / prior_variance data points, and a
    component that holds n of them has posterior means sum x_i / (n + v_i /
    prior_variance) and posterior variances v_i / (n + v_i / prior_variance). Raises
    ValueError for an improper prior and a singular covariance.
    """

    prior_variance: float = checked(as_positive)
    covariance: np.ndarray | None = None

    def __attrs_post_init__(self):
        D = self.dimension
        known = np.eye(D) if self.covariance is None else self.covariance
        object.__setattr__(
            self, "covariance", read_only(as_symmetric("covariance", known, D))
        )
        variances, _, worth = self._axes
        check_scale("covariance's eigenvalues", variances)
        if variances[0] <= ROUNDING_OF_SCATTER * variances[-1]:
            raise ValueError(
                f"covariance is singular within rounding; eigenvalues: {variances}"
            )
        if not SMALLEST_SCALE <= worth[0] <= worth[-1] <= LARGEST_SCALE:
            allowed = f"within factors of {SMALLEST_SCALE:g} to {LARGEST_SCALE:g} of it"
            eigenvalues = (
                f"the covariance's eigenvalues, {variances}, must lie {allowed}"
            )
            raise ValueError(
                f"prior_variance is {self.prior_variance:g}; {eigenvalues}"
            )

    @cached_property
    def _axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Along the principal axes: variances (D,), the axes as columns (D, D), and how
        many data points (D,) the prior mean is worth."""
        variances, axes = np.linalg.eigh(self.covariance)
        return variances, axes, variances / self.prior_variance

    @cached_property
    def _log_peak(self) -> float:
        """Log density at a component's own centre."""
        return -0.5 * (self.dimension * LOG_2PI + float(np.log(self._axes[0]).sum()))

    compiled_density = online.KNOWN_COVARIANCE

    @cached_property
    def packed_hyperparameters(self) -> np.ndarray:
        """Log peak, variances, what the prior is worth, axes (row by row)."""
        variances, axes, worth = self._axes
        return np.concatenate([[self._log_peak], variances, worth, axes.ravel()])

    def statistics(self, X: np.ndarray) -> np.ndarray:
        T = np.empty((1 + self.dimension, len(X)))
        T[0] = 1
        np.subtract(X.T, self.mean[:, None], out=T[1:])
        return T.T

    def log_base(self, X: np.ndarray) -> np.ndarray:
        variances, axes, _ = self._axes
        return -0.5 * (((X - self.mean) @ axes) ** 2 / variances).sum(1)

    def _along_axes(self, S: np.ndarray) -> tuple[np.ndarray, ...]:
        """Variances (D,) and axes (D, D), and along each axis, after the statistics S
        (..., P), what data and prior are worth together (..., D) and the mean (...,
        D)."""
        variances, axes, worth = self._axes
        worth = worth + S[..., :1]
        return variances, axes, worth, S[..., 1:] @ axes / worth

    def _near(self, S: np.ndarray) -> tuple[np.ndarray, ...]:
        """`_along_axes`, or a ValueError where differences of squares would be
        rounding."""
        variances, axes, worth, mean = self._along_axes(S)
        lost = variances <= ROUNDING_OF_SCATTER * mean**2
        if lost.any():
            raise collapse(lost)
        return variances, axes, worth, mean

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        return self._value(S, self._near(S))

    def expected(self, S: np.ndarray) -> np.ndarray:
        return self._gradient(S, self._near(S))

    def value_and_gradient(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        along_axes = self._near(S)
        return self._value(S, along_axes), self._gradient(S, along_axes)

    def _value(self, S, along_axes) -> np.ndarray:
        variances, _, worth, mean = along_axes
        fit = mean**2 * worth / variances
        return 0.5 * (fit - np.log(worth)).sum(-1) + S[..., 0] * self._log_peak

    def _gradient(self, S, along_axes) -> np.ndarray:
        variances, axes, worth, mean = along_axes
        W = np.empty_like(S)
        W[:, 0] = self._log_peak - 0.5 * (mean**2 / variances + 1 / worth).sum(1)
        W[:, 1:] = (mean / variances) @ axes.T
        return W

    def relative_posterior(self, S: np.ndarray) -> KnownCovariancePosterior:
        variances, axes, worth, mean = self._along_axes(S)
        covariance = axes * (variances / worth)[..., None, :] @ axes.T
        return KnownCovariancePosterior(mean @ axes.T, covariance)

    def state(self, counts, centres, covariances=None):
        """As `Gaussian.state`; the covariance is known, so any given is left out."""
        known = self.covariance if covariances is None else covariances
        return super().state(counts, centres, known)

    def _second(self, x, covariances):
        return x[:, :0]

    def parameters(self, S: np.ndarray) -> GaussianParameters:
        mean = self.posterior(S).mean
        return GaussianParameters(mean, np.tile(self.covariance, (len(mean), 1, 1)))

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """A Gaussian, wider than the known one by the posterior variance of mu; see
        `Family.log_predictive`."""
        variances, axes, worth, mean = self._along_axes(S)
        width = np.sqrt(variances) * np.sqrt(1 + 1 / worth)
        x = (X - self.mean) @ axes
        rows = np.empty((len(S), len(X)))
        for k, row in enumerate(rows):
            peak = -0.5 * self.dimension * LOG_2PI - np.log(width[k]).sum()
            row[:] = peak - 0.5 * (((x - mean[k]) / width[k]) ** 2).sum(1)
        return rows

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        variances, axes, worth, mean = self._along_axes(s)
        width = np.sqrt(variances * (1 + 1 / worth))
        return (
            self.mean
            + (mean + width * rng.standard_normal((size, self.dimension))) @ axes.T
        )
