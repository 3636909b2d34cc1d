"""Gaussian with unknown mean and full precision matrix; its conjugate prior is the normal-Wishart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import digamma, multigammaln

from vbkit.families.base import LARGEST, SMALLEST, Family, as_matrix, as_positive, as_vector

LOG_2PI = np.log(2 * np.pi)


@dataclass(frozen=True, eq=False)
class NormalWishart(Family):
    """x ~ N(mu, Lambda^-1),  mu | Lambda ~ N(mean, (mean_count Lambda)^-1),  Lambda ~ Wishart(degrees_of_freedom, scatter^-1).

    mean (D,): prior mean, from which all statistics are measured.
    mean_count: how many observations the prior mean is worth.
    degrees_of_freedom: of the Wishart, greater than D - 1.
    scatter (D, D): the inverse of the Wishart's scale matrix; E[Lambda] = degrees_of_freedom * scatter^-1.

    statistics of a row: 1, x - mean, and the products of its entries (upper triangle, row by row): P = 1 + D + D(D+1)/2.
    """

    mean: np.ndarray
    mean_count: float
    degrees_of_freedom: float
    scatter: np.ndarray

    def __post_init__(self):
        mean = as_vector("mean", self.mean)
        D = len(mean)
        scatter = as_matrix("scatter", np.atleast_2d(self.scatter))
        if scatter.shape != (D, D) or not np.allclose(scatter, scatter.T, rtol=1e-12, atol=0):
            raise ValueError(f"scatter has shape {scatter.shape}; it must be a symmetric ({D}, {D}) matrix")
        diagonal = scatter.diagonal()
        if not ((diagonal >= SMALLEST**2) & (diagonal <= LARGEST**2)).all():
            raise ValueError(f"scatter has the diagonal {diagonal}; it must lie within {SMALLEST**2:g} to {LARGEST**2:g}")
        scale = np.sqrt(diagonal)
        if np.linalg.eigvalsh(scatter / scale / scale[:, None])[0] <= 0:
            raise ValueError(f"scatter is not positive definite, so the prior is improper: {scatter.tolist()}")
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "scatter", scatter)
        object.__setattr__(self, "mean_count", as_positive("mean_count", self.mean_count))
        nu = as_positive("degrees_of_freedom", self.degrees_of_freedom, above=D - 1)
        object.__setattr__(self, "degrees_of_freedom", nu)

    @property
    def dimension(self) -> int:
        return len(self.mean)

    @property
    def origin(self) -> np.ndarray:
        return self.mean

    @cached_property
    def _square(self) -> np.ndarray:
        """Where entry (i, j) of the second moment stands among the statistics: (D, D)."""
        D = self.dimension
        index = np.zeros((D, D), dtype=np.intp)
        index[np.triu_indices(D)] = np.arange(1 + D, 1 + D + D * (D + 1) // 2)
        return np.maximum(index, index.T)

    def statistics(self, X: np.ndarray) -> np.ndarray:
        N, D = X.shape
        T = np.empty((1 + D + D * (D + 1) // 2, N))
        T[0] = 1
        x = T[1 : 1 + D]
        np.subtract(X.T, self.mean[:, None], out=x)
        row = 1 + D
        for i in range(D):
            np.multiply(x[i], x[i:], out=T[row : row + D - i])
            row += D - i
        return T.T

    def posterior(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Hyperparameters after the statistics S (..., P): mean count (...), degrees of freedom (...), mean measured
        from the prior's (..., D), scatter (..., D, D). For Sato's (A.16): gamma_i, gamma_i + D, c_i, gamma_i Delta_i^-1.
        """
        D = self.dimension
        count, first = S[..., 0], S[..., 1 : 1 + D]
        beta = self.mean_count + count
        mean = first / beta[..., None]
        scatter = self.scatter + S[..., self._square] - mean[..., :, None] * first[..., None, :]
        return beta, self.degrees_of_freedom + count, mean, scatter

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        beta, nu, _, scatter = self.posterior(S)
        D = self.dimension
        half_log_det = np.log(_cholesky(scatter).diagonal(axis1=-2, axis2=-1)).sum(-1)
        return (
            multigammaln(nu / 2, D)
            + nu * (D / 2 * np.log(2) - half_log_det)
            - D / 2 * np.log(beta)
            - S[..., 0] * D / 2 * LOG_2PI
        )

    def expected(self, S: np.ndarray) -> np.ndarray:
        beta, nu, mean, scatter = self.posterior(S)
        D = self.dimension
        factor = _cholesky(scatter)
        log_det = 2 * np.log(factor.diagonal(axis1=1, axis2=2)).sum(1)
        inverse_factor = np.linalg.inv(factor)
        precision = nu[:, None, None] * (inverse_factor.transpose(0, 2, 1) @ inverse_factor)
        W = np.empty_like(S)
        W[:, 1 : 1 + D] = (precision @ mean[:, :, None])[:, :, 0]
        W[:, 0] = 0.5 * (
            digamma(0.5 * (nu[:, None] - np.arange(D))).sum(1)
            + D * (np.log(2) - LOG_2PI)
            - log_det
            - D / beta
            - (mean * W[:, 1 : 1 + D]).sum(1)
        )
        upper = np.triu_indices(D)
        W[:, 1 + D :] = precision[:, upper[0], upper[1]] * np.where(upper[0] == upper[1], -0.5, -1.0)
        return W

    def expected_log_density(self, X: np.ndarray, S: np.ndarray) -> np.ndarray:
        beta, nu, mean, scatter = self.posterior(S)
        D = self.dimension
        factor = _cholesky(scatter)
        deviation = (X - self.mean)[None] - mean[:, None, :]
        whitened = np.linalg.solve(factor, deviation.transpose(0, 2, 1))
        log_det = 2 * np.log(factor.diagonal(axis1=1, axis2=2)).sum(1)
        constant = digamma(0.5 * (nu[:, None] - np.arange(D))).sum(1) + D * (np.log(2) - LOG_2PI) - log_det - D / beta
        return 0.5 * (constant[:, None] - nu[:, None] * (whitened**2).sum(1))

    def state(self, counts, centres, covariances) -> np.ndarray:
        """The state (K, P) of units with these counts (K,), centres (K, D) and covariances (K, D, D)."""
        D = self.dimension
        x = np.asarray(centres, dtype=np.float64) - self.mean
        moments = np.asarray(covariances) + x[:, :, None] * x[:, None, :]
        upper = np.triu_indices(D)
        rows = np.concatenate([np.ones((len(x), 1)), x, moments[:, upper[0], upper[1]]], axis=1)
        return np.asarray(counts, dtype=np.float64)[:, None] * rows

    def gaussians(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a picture draws: the units' centres (K, D) and covariances E[Lambda]^-1 (K, D, D)."""
        _, nu, mean, scatter = self.posterior(S)
        return self.mean + mean, scatter / nu[:, None, None]

    def sample(self, S: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draws (size, D) from one unit with state S (P,), each with parameters of its own from the posterior (so they
        follow the predictive Student density)."""
        beta, nu, mean, scatter = self.posterior(S[None])
        D = self.dimension
        # Bartlett: Lambda = L^-T A A' L^-1 with scatter = L L', hence Lambda^-1/2 z = L A^-T z
        A = np.tril(rng.standard_normal((size, D, D)), -1)
        A[:, np.arange(D), np.arange(D)] = np.sqrt(rng.chisquare(nu[0] - np.arange(D), (size, D)))
        z = rng.standard_normal((size, D)) * np.sqrt(1 + 1 / beta[0])
        step = np.linalg.solve(A.transpose(0, 2, 1), z[:, :, None])[:, :, 0]
        return self.mean + mean[0] + step @ _cholesky(scatter)[0].T


def _cholesky(scatter: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.cholesky(scatter)
    except np.linalg.LinAlgError:
        smallest = np.linalg.eigvalsh(scatter)[..., 0]
        raise ValueError(
            f"the scatter matrix of unit {int(np.argmin(smallest))} is not positive definite: the unit has collapsed onto "
            "a point or a line (EM: add pseudo-statistics as a floor), or lies too far from the prior mean for its width"
        ) from None
