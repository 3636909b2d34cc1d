"""Gaussian with unknown mean and full precision matrix; its conjugate prior is the normal-Wishart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_positive, as_symmetric, as_vector, read_only
from vbkit.compiled import LN2, inline, log_split, scratch, split
from vbkit.compiled import digamma as psi
from vbkit.families.base import COLLAPSED, LARGEST, LOG_2PI, SMALLEST, Gaussian, collapsed

LOG_2 = np.log(2)


@dataclass(frozen=True, eq=False)
class NormalWishart(Gaussian):
    """x ~ N(mu, Lambda^-1),  mu | Lambda ~ N(mean, (mean_count Lambda)^-1),  Lambda ~ Wishart.

    mean (D,): prior mean, from which all statistics are measured.
    mean_count: how many observations the prior mean is worth.
    degrees_of_freedom: of the Wishart of Lambda, greater than D - 1.
    scatter (D, D): the inverse of that Wishart's scale matrix; E[Lambda] = degrees_of_freedom * scatter^-1.

    Statistics of a row: 1, x - mean, and the products of its entries (upper triangle, row by row); their number is
    P = 1 + D + D(D+1)/2.
    """

    mean: np.ndarray
    mean_count: float
    degrees_of_freedom: float
    scatter: np.ndarray

    def __post_init__(self):
        mean = read_only(as_vector("mean", self.mean))
        D = len(mean)
        scatter = read_only(as_symmetric("scatter", self.scatter, D))
        diagonal = scatter.diagonal()
        if not ((diagonal >= SMALLEST**2) & (diagonal <= LARGEST**2)).all():
            reach = f"{SMALLEST**2:g} to {LARGEST**2:g}"
            raise ValueError(f"scatter has the diagonal {diagonal}; it must lie within {reach}")
        scale = np.sqrt(diagonal)
        if np.linalg.eigvalsh(scatter / scale / scale[:, None])[0] <= 0:
            raise ValueError(
                f"scatter is not positive definite, so the prior is improper: {scatter.tolist()}"
            )
        nu = as_positive("degrees_of_freedom", self.degrees_of_freedom, above=D - 1)
        count = as_positive("mean_count", self.mean_count)
        vars(self).update(mean=mean, scatter=scatter, mean_count=count, degrees_of_freedom=nu)

    @classmethod
    def from_pseudo_data(cls, mean, variance: float, count: float) -> NormalWishart:
        """Sato's prior (2000, 2.11, A.16): as if `count` data with this mean (D,) and this variance in every direction
        had been seen, exp(count (alpha . theta - Psi(theta))) with respect to d mu d Lambda. `count` is his gamma_i and
        may be tiny: with this measure the degrees of freedom are count + D, and the prior is proper."""
        mean, variance, count = (
            as_vector("mean", mean),
            as_positive("variance", variance),
            as_positive("count", count),
        )
        return cls(mean, count, count + len(mean), count * variance * np.eye(len(mean)))

    @cached_property
    def _upper(self) -> tuple[np.ndarray, np.ndarray]:
        return np.triu_indices(self.dimension)

    @cached_property
    def _halves(self) -> np.ndarray:
        """x' Lambda x / 2 as a sum over the upper triangle: a half on the diagonal, the whole product off it."""
        return np.where(self._upper[0] == self._upper[1], -0.5, -1.0)

    compiled = property(lambda self: _log_density(self.dimension))

    @cached_property
    def numbers(self) -> np.ndarray:
        """What `compiled` takes: mean count, degrees of freedom, scatter (upper triangle)."""
        return np.array([self.mean_count, self.degrees_of_freedom, *self.scatter[self._upper]])

    @cached_property
    def _square(self) -> np.ndarray:
        """Where entry (i, j) of the second moment stands among the statistics: (D, D)."""
        D = self.dimension
        index = np.zeros((D, D), dtype=np.intp)
        index[self._upper] = np.arange(1 + D, 1 + D + D * (D + 1) // 2)
        return np.maximum(index, index.T)

    def statistics(self, X: np.ndarray) -> np.ndarray:
        D = self.dimension
        T = self._first(X, 1 + D + D * (D + 1) // 2)
        x, row = T[1 : 1 + D], 1 + D
        for i in range(D):
            np.multiply(x[i], x[i:], out=T[row : row + D - i])
            row += D - i
        return T.T

    def posterior(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Hyperparameters after the statistics S (..., P): mean count (...), degrees of freedom (...), mean measured
        from the prior's (..., D), scatter (..., D, D)."""
        D = self.dimension
        count, first = S[..., 0], S[..., 1 : 1 + D]
        beta = self.mean_count + count
        mean = first / beta[..., None]
        scatter = self.scatter + S[..., self._square] - mean[..., :, None] * first[..., None, :]
        return beta, self.degrees_of_freedom + count, mean, scatter

    def _factor(self, S: np.ndarray, scatter: np.ndarray) -> np.ndarray:
        """Cholesky factor (..., D, D) of the scatter after S, or a ValueError where it is no number of its own."""
        prior = self.scatter.diagonal()
        try:
            factor = np.linalg.cholesky(scatter)
            pivots = factor.diagonal(axis1=-2, axis2=-1) ** 2
            raw = prior + S[..., self._square.diagonal()]
            lost = collapsed(pivots, raw, prior, S[..., :1]).any(axis=-1)
        except np.linalg.LinAlgError:
            lost = np.linalg.eigvalsh(scatter)[..., 0] <= 0
        if lost.any():
            raise ValueError(
                f"the scatter matrix of component {int(np.argmax(lost))} is not positive definite: {COLLAPSED}"
            )
        return factor

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        beta, nu, _, scatter = self.posterior(S)
        return self._value(S, beta, nu, _half_log_det(self._factor(S, scatter)))

    def _value(self, S, beta, nu, half_log_det):
        D = self.dimension
        log_gammas = gammaln(0.5 * (nu[..., None] - np.arange(D))).sum(-1)
        return (
            log_gammas
            + nu * (D / 2 * LOG_2 - half_log_det)
            - D / 2 * (np.log(beta) + S[..., 0] * LOG_2PI)
        )

    def expected(self, S: np.ndarray) -> np.ndarray:
        return self.value_and_gradient(S)[1]

    def value_and_gradient(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        beta, nu, mean, scatter = self.posterior(S)
        D = self.dimension
        factor = self._factor(S, scatter)
        half_log_det = _half_log_det(factor)
        inverse = np.linalg.inv(factor)
        precision = nu[:, None, None] * (inverse.transpose(0, 2, 1) @ inverse)
        sum_digamma = digamma(0.5 * (nu[:, None] - np.arange(D))).sum(1)
        W = np.empty_like(S)
        first = W[:, 1 : 1 + D]
        np.matmul(precision, mean[:, :, None], out=first[:, :, None])
        W[:, 0] = (
            0.5 * (sum_digamma + D * (LOG_2 - LOG_2PI) - D / beta - (mean * first).sum(1))
            - half_log_det
        )
        W[:, 1 + D :] = precision[:, *self._upper] * self._halves
        return self._value(S, beta, nu, half_log_det), W

    def _second(self, x, covariances):
        return (covariances + x[:, :, None] * x[:, None, :])[:, *self._upper]

    def gaussians(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What a picture draws: the components' centres (K, D) and covariances E[Lambda]^-1 (K, D, D)."""
        _, nu, mean, scatter = self.posterior(S)
        return self.mean + mean, scatter / nu[:, None, None]

    def sample(self, S: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draws (size, D) from one component with state S (P,), each with parameters of its own from the posterior (so they
        follow the predictive Student density)."""
        beta, nu, mean, scatter = self.posterior(S[None])
        D = self.dimension
        # Bartlett: Lambda = L^-T A A' L^-1 with scatter = L L', hence Lambda^-1/2 z = L A^-T z
        A = np.tril(rng.standard_normal((size, D, D)), -1)
        A[:, np.arange(D), np.arange(D)] = np.sqrt(rng.chisquare(nu[0] - np.arange(D), (size, D)))
        z = rng.standard_normal((size, D)) * np.sqrt(1 + 1 / beta[0])
        step = np.linalg.solve(A.transpose(0, 2, 1), z[:, :, None])[:, :, 0]
        return self.mean + mean[0] + step @ self._factor(S[None], scatter)[0].T


def _half_log_det(factor: np.ndarray) -> np.ndarray:
    return np.log(factor.diagonal(axis1=-2, axis2=-1)).sum(-1)


# ---- compiled: for the online loop, see vbkit.learning.stream ----------------------------------------------


@cache
def _log_density(D: int):
    square, lost = D * D, inline(collapsed)

    @inline
    def log_density(t, s, numbers):
        """E log p(x) (Sato 2000, A.8): scatter = L diag(pivots) L', deviation = L z, quadratic = sum z^2 / pivots."""
        U, inverse, z = scratch(square), scratch(D), scratch(D)  # U = L diag(pivots)
        nu, inverse_count = numbers[1] + s[0], 1.0 / (numbers[0] + s[0])
        quadratic, mantissa, exponent = 0.0, 1.0, 0.0
        for i in range(D):
            mean = s[1 + i] * inverse_count
            deviation = t[1 + i] - mean
            for j in range(i + 1):
                at = 1 + D + j * D - (j * (j - 1)) // 2 + i - j
                u = numbers[at + 1 - D] + (s[at] - mean * s[1 + j])
                for h in range(j):
                    u -= U[i * D + h] * (
                        U[j * D + h] * inverse[h]
                    )  # in this order at scales near 1e100
                U[i * D + j] = u
            for h in range(i):
                deviation -= U[i * D + h] * inverse[h] * z[h]
            z[i] = deviation
            pivot = U[i * D + i]
            prior = numbers[at + 1 - D]  # the loop ended at entry (i, i)
            inverse[i] = np.nan if lost(pivot, prior + s[at], prior, s[0]) else 1.0 / pivot
            quadratic += deviation * deviation * inverse[i]
            m, e = split(pivot)
            mantissa *= m
            exponent += e
        sum_psi = psi(0.5 * (nu - D + 1.0)) if D % 2 else 0.0
        for i in range(0, D - 1, 2):  # psi((nu - i) / 2) + psi((nu - i - 1) / 2)
            sum_psi += 2.0 * (psi(nu - i - 1.0) - LN2)
        m, e = split(mantissa)
        log_det = log_split(m, e + exponent)
        return 0.5 * (sum_psi + D * (LN2 - LOG_2PI) - log_det - D * inverse_count - nu * quadratic)

    return log_density
