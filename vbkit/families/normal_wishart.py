"""Gaussian with unknown mean and full precision matrix; its conjugate prior is the
normal-Wishart."""

from functools import cached_property
from typing import NamedTuple, Self

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import (
    as_nonnegative,
    as_positive,
    as_symmetric,
    as_vector,
    checked,
    one_for_each,
    read_only,
)
from vbkit.compiled import online
from vbkit.compiled.online import ENDLESS, ROUNDING_OF_SCATTER
from vbkit.families.gaussian import (
    LOG_2,
    LOG_2PI,
    Gaussian,
    GaussianParameters,
    check_scale,
    collapse,
)
from vbkit.families.special import log1p_square, log_gamma_ratio, norms
from vbkit.families.squares import RowsWithSquares

MANY_COLUMNS = 48  # from so many on, products of columns are not written out


class NormalWishartPosterior(NamedTuple):
    """Hyperparameters, as those of `NormalWishart`: (...), (...), (..., D) and (..., D,
    D)."""

    mean_count: np.ndarray
    degrees_of_freedom: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray


@attrs.frozen(eq=False, slots=False)
class NormalWishart(Gaussian):
    """A Gaussian with unknown mean and precision matrix:

        x ~ N(mu, Lambda^-1),
        mu | Lambda ~ N(mean, (mean_count Lambda)^-1),  Lambda ~ Wishart.

    mean: (D,), the prior mean, from which all statistics are measured.
    mean_count: the number of observations that the prior mean is worth.
    degrees_of_freedom: of the Wishart of Lambda, greater than D - 1.
    scatter: (D, D), the inverse of that Wishart's scale matrix; E[Lambda] =
        degrees_of_freedom * scatter^-1.
    cell: how wide the cells are whose middles the numbers are, one width or (D,); see
        `Gaussian`.

    The statistics of a row are 1, x - mean, and the products of its entries (upper
    triangle, row by row): P = 1 + D + D (D + 1) / 2. Raises ValueError for an improper
    prior.
    """

    mean_count: float = checked(as_positive)
    degrees_of_freedom: float
    scatter: np.ndarray
    cell: float | np.ndarray = checked(as_nonnegative, default=0.0)

    def __attrs_post_init__(self):
        D = self.dimension
        object.__setattr__(self, "cell", one_for_each("cell", self.cell, D))
        scatter = read_only(as_symmetric("scatter", self.scatter, D))
        check_scale("scatter's diagonal", scatter.diagonal())
        scale = np.sqrt(scatter.diagonal())
        correlation = scatter / scale / scale[:, None]
        is_diagonal = not np.any(correlation - np.diag(correlation.diagonal()))
        if not is_diagonal and np.linalg.eigvalsh(correlation)[0] <= 0:
            raise ValueError(
                f"scatter must be positive definite; it is {scatter.tolist()}"
            )
        nu = as_positive("degrees_of_freedom", self.degrees_of_freedom, above=D - 1)
        object.__setattr__(self, "scatter", scatter)
        object.__setattr__(self, "degrees_of_freedom", nu)

    @classmethod
    def from_pseudo_data(cls, mean, variance: float, count: float) -> Self:
        """Return Sato's prior (2000, 2.11, A.16), as if `count` data points with this
        mean (D,) and this variance in every direction had been seen.

        It is exp(count (alpha . theta - Psi(theta))) with respect to d mu d Lambda.
        `count` is his gamma_i and may be tiny: with this measure the degrees of freedom
        are count + D, and the prior is proper. Raises ValueError for numbers that are
        not > 0.
        """
        mean = as_vector("mean", mean)
        count = as_positive("count", count)
        scatter = count * as_positive("variance", variance) * np.eye(len(mean))
        return cls(mean, count, count + len(mean), scatter)

    @cached_property
    def _upper(self) -> tuple[np.ndarray, np.ndarray]:
        return np.triu_indices(self.dimension)

    @cached_property
    def _halves(self) -> np.ndarray:
        """x' Lambda x / 2 as a sum over the upper triangle: a half on the diagonal, the
        whole product off it."""
        return np.where(self._upper[0] == self._upper[1], -0.5, -1.0)

    @cached_property
    def _square(self) -> np.ndarray:
        """Where entry (i, j) of the second moment stands among the statistics: (D,
        D)."""
        D = self.dimension
        index = np.zeros((D, D), dtype=np.intp)
        index[self._upper] = np.arange(1 + D, 1 + D + D * (D + 1) // 2)
        return np.maximum(index, index.T)

    compiled_density = online.NORMAL_WISHART

    @cached_property
    def packed_hyperparameters(self) -> np.ndarray:
        """Mean count, degrees of freedom, scatter (upper triangle)."""
        return np.array(
            [self.mean_count, self.degrees_of_freedom, *self.scatter[self._upper]]
        )

    def statistics(self, X: np.ndarray) -> np.ndarray:
        D = self.dimension
        T = np.empty((1 + D + D * (D + 1) // 2, len(X)))
        T[0] = 1
        x = np.subtract(X.T, self.mean[:, None], out=T[1 : 1 + D])
        row = 1 + D
        for i in range(D):
            np.multiply(x[i], x[i:], out=T[row : row + D - i])
            T[row] += self.spread_of_cells[i]
            row += D - i
        return T.T

    def block_statistics(self, X: np.ndarray):
        """The statistics (N, P) for an E-step; see `RowsWithSquares`."""
        if self.dimension < MANY_COLUMNS:
            return self.statistics(X)
        return RowsWithSquares(X - self.mean, self.spread_of_cells)

    def relative_posterior(self, S: np.ndarray) -> NormalWishartPosterior:
        D = self.dimension
        count = S[..., 0]
        first = S[..., 1 : 1 + D]
        beta = self.mean_count + count
        mean = first / beta[..., None]
        scatter = (
            self.scatter
            + S[..., self._square]
            - mean[..., :, None] * first[..., None, :]
        )
        return NormalWishartPosterior(
            beta, self.degrees_of_freedom + count, mean, scatter
        )

    def _factor(self, S: np.ndarray, scatter: np.ndarray) -> np.ndarray:
        """Cholesky factor (..., D, D) of the scatter after S, or a ValueError where it
        is no number of its own."""
        try:
            factor = np.linalg.cholesky(scatter)
        except np.linalg.LinAlgError:
            lost = np.linalg.eigvalsh(scatter)[..., :1] <= 0
            if not lost.any():
                lost[:] = True  # one of them is, but rounding hides which
            raise collapse(lost) from None
        pivots = factor.diagonal(axis1=-2, axis2=-1) ** 2
        prior = self.scatter.diagonal()
        raw = prior + S[..., self._square.diagonal()]
        only_prior = (S[..., :1] > ENDLESS) & (pivots <= 2 * prior)
        lost = (pivots <= ROUNDING_OF_SCATTER * raw) | only_prior
        if lost.any():
            raise collapse(lost)
        return factor

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        posterior = self.relative_posterior(S)
        return self._value(
            S, posterior, _half_log_det(self._factor(S, posterior.scatter))
        )

    def _value(self, S, posterior, half_log_det):
        D = self.dimension
        nu = posterior.degrees_of_freedom
        log_gammas = gammaln(0.5 * (nu[..., None] - np.arange(D))).sum(-1)
        constant = D / 2 * (np.log(posterior.mean_count) + S[..., 0] * LOG_2PI)
        return log_gammas + nu * (D / 2 * LOG_2 - half_log_det) - constant

    def expected(self, S: np.ndarray) -> np.ndarray:
        return self.value_and_gradient(S)[1]

    def value_and_gradient(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        posterior = self.relative_posterior(S)
        beta, nu, mean, scatter = posterior
        D = self.dimension
        factor = self._factor(S, scatter)
        half_log_det = _half_log_det(factor)
        inverse = np.linalg.inv(factor)
        precision = nu[:, None, None] * (inverse.transpose(0, 2, 1) @ inverse)
        sum_digamma = digamma(0.5 * (nu[:, None] - np.arange(D))).sum(1)
        W = np.empty_like(S)
        first = (precision @ mean[:, :, None])[:, :, 0]
        W[:, 1 : 1 + D] = first
        constant = sum_digamma + D * (LOG_2 - LOG_2PI) - D / beta
        W[:, 0] = 0.5 * (constant - (mean * first).sum(1)) - half_log_det
        W[:, 1 + D :] = precision[:, *self._upper] * self._halves
        return self._value(S, posterior, half_log_det), W

    def _second(self, x, covariances):
        return (covariances + x[:, :, None] * x[:, None, :])[:, *self._upper]

    def parameters(self, S: np.ndarray) -> GaussianParameters:
        _, nu, mean, scatter = self.posterior(S)
        return GaussianParameters(mean, scatter / nu[:, None, None])

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """The log of Student's density of nu + 1 - D degrees of freedom (Sato 2000, 2.37):
        (K, n), of the rows of X (n, D) after the effective statistics S (K, P)."""
        beta, nu, mean, scatter = self.relative_posterior(S)
        factor = self._factor(S, scatter)
        D = self.dimension
        peak = log_gamma_ratio(0.5 * (nu + 1 - D), 0.5 * D) - _half_log_det(factor)
        peak += D / 2 * (np.log(beta) - np.log1p(beta) - np.log(np.pi))
        x = (X - self.mean).T
        rows = np.empty((len(S), len(X)))
        whitener = np.linalg.inv(factor)
        for k, row in enumerate(rows):
            z = whitener[k] @ (x - mean[k][:, None])
            kernel = log1p_square(norms(z) / np.sqrt(1 + 1 / beta[k]))
            row[:] = peak[k] - 0.5 * (nu[k] + 1) * kernel
        return rows

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        beta, nu, mean, scatter = self.relative_posterior(s[None])
        D = self.dimension
        # Bartlett's decomposition of a precision Lambda from the Wishart density: with
        # scatter = L L' it is Lambda = L^-T A A' L^-1, where A is a lower triangle, normal
        # below the diagonal and chi on it. Hence Lambda^-1/2 z = L A^-T z.
        A = np.tril(rng.standard_normal((size, D, D)), -1)
        A[:, np.arange(D), np.arange(D)] = np.sqrt(
            rng.chisquare(nu[0] - np.arange(D), (size, D))
        )
        z = rng.standard_normal((size, D)) * np.sqrt(1 + 1 / beta[0])
        step = np.linalg.solve(A.transpose(0, 2, 1), z[:, :, None])[:, :, 0]
        return self.mean + mean[0] + step @ self._factor(s[None], scatter)[0].T


def _half_log_det(factor: np.ndarray) -> np.ndarray:
    return np.log(factor.diagonal(axis1=-2, axis2=-1)).sum(-1)
