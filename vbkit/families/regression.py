"""Outputs that are linear in inputs, with Gaussian noise; the conjugate prior is a normal-gamma
density for each output."""

from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_positive, as_vector, checked
from vbkit.families.base import Family
from vbkit.families.gaussian import LOG_2PI


class RegressionPosterior(NamedTuple):
    """Of the components' experts: precisions of the weights (..., q, q) in units of the noise's,
    their means (..., J, q), and shape (...) and rates (..., J) of the noise precisions."""

    precision: np.ndarray
    weights: np.ndarray
    shape: np.ndarray
    rate: np.ndarray


class RegressionParameters(NamedTuple):
    """Expected weights (K, J, q), those of x - mean_x and of 1, and noise variances (K, J), the
    inverses of expected precisions."""

    weights: np.ndarray
    noise: np.ndarray


@attrs.frozen(eq=False, slots=False)
class LinearRegression(Family):
    """y_j - mean_y,j ~ N(w_j . x~, 1 / rho_j),  w_j | rho_j ~ N(0, I / (precision rho_j)),
    rho_j ~ Gamma(shape, rate), with x~ = (x - mean_x, 1), independently for each output j.

    A row is (x, y): first the Dx inputs, then the J outputs. The inputs are not modelled: the
    density of a row is that of y given x (Sato 1999, 2.2, without its gate; see `Product`).

    mean_x, mean_y: (Dx,) and (J,), from which rows are measured; w = 0 predicts mean_y.
    precision: of the prior of the weights, in units of the noise's.
    shape, rate: of the gamma density of a noise precision; E[rho] = shape / rate.

    The statistics are 1, the other products of x~ (upper triangle), and for each output y x~, y^2.
    Raises ValueError for an improper prior.
    """

    mean_x: np.ndarray = checked(as_vector)
    mean_y: np.ndarray = checked(as_vector)
    precision: float = checked(as_positive, default=1.0)
    shape: float = checked(as_positive, default=1.0)
    rate: float = checked(as_positive, default=1.0)

    @property
    def dimension(self) -> int:
        return len(self.mean_x) + len(self.mean_y)

    @property
    def origin(self) -> np.ndarray:
        return np.concatenate([self.mean_x, self.mean_y])

    @cached_property
    def _upper(self) -> tuple[np.ndarray, np.ndarray]:
        i, j = np.triu_indices(len(self.mean_x) + 1)
        return i[:-1], j[:-1]  # the last product is 1, the count

    def design(self, x: np.ndarray) -> np.ndarray:
        """x~ (n, q) of inputs x (n, Dx)."""
        return np.column_stack([x - self.mean_x, np.ones(len(x))])

    def statistics(self, X: np.ndarray) -> np.ndarray:
        x, y = X[:, : len(self.mean_x)], X[:, len(self.mean_x) :] - self.mean_y
        design, (i, j) = self.design(x), self._upper
        columns = [np.ones((len(X), 1)), design[:, i] * design[:, j]]
        for output in y.T[:, :, None]:
            columns += [design * output, output**2]
        return np.asfortranarray(np.hstack(columns))

    def posterior(self, S: np.ndarray) -> RegressionPosterior:
        """Hyperparameters after the effective statistics S (..., P); ValueError where an expert
        explains its outputs without noise."""
        (i, j), q = self._upper, len(self.mean_x) + 1
        A = np.zeros((*S.shape[:-1], q, q))
        A[..., i, j] = A[..., j, i] = S[..., 1 : 1 + len(i)]
        A[..., -1, -1] = S[..., 0]
        A = A + self.precision * np.eye(q)
        rest = S[..., 1 + len(i) :].reshape(*S.shape[:-1], len(self.mean_y), q + 1)
        products, squares = rest[..., :q], rest[..., q]
        weights = np.linalg.solve(A, products.swapaxes(-1, -2)).swapaxes(-1, -2)
        rate = self.rate + 0.5 * (squares - (weights * products).sum(-1))
        if not (rate > 1e-14 * squares).all():
            raise ValueError("an expert explains its outputs without noise: it has no posterior")
        return RegressionPosterior(A, weights, self.shape + S[..., 0] / 2, rate)

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        A, _, shape, rate = self.posterior(np.asarray(S))
        each = gammaln(shape) - 0.5 * np.linalg.slogdet(A)[1] - S[..., 0] / 2 * LOG_2PI
        return len(self.mean_y) * each - shape * np.log(rate).sum(-1)

    def expected(self, S: np.ndarray) -> np.ndarray:
        A, weights, shape, rate = self.posterior(np.asarray(S))
        rho = shape[:, None] / rate
        second = np.einsum("kj,kja,kjb->kab", rho, weights, weights)
        second += len(self.mean_y) * np.linalg.inv(A)
        logs = (digamma(shape)[:, None] - np.log(rate) - LOG_2PI).sum(-1)
        i, j = self._upper
        products = second[:, i, j] * np.where(i == j, -0.5, -1.0)
        rest = np.concatenate([rho[..., None] * weights, -0.5 * rho[..., None]], axis=-1)
        first = 0.5 * (logs - second[:, -1, -1])[:, None]
        return np.concatenate([first, products, rest.reshape(len(S), -1)], axis=1)

    def parameters(self, S: np.ndarray) -> RegressionParameters:
        _, weights, shape, rate = self.posterior(S)
        return RegressionParameters(weights, rate / shape[:, None])

    def conditional(self, S: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean and variance (K, n, J) of y at inputs x (n, Dx): Student densities of 2 shape
        degrees of freedom. The variance is infinite where the shape is at most 1."""
        A, weights, shape, rate = self.posterior(S)
        design = self.design(x)
        mean = self.mean_y + np.einsum("nq,kjq->knj", design, weights)
        doubt = np.einsum("nq,kqn->kn", design, np.linalg.solve(A, design.T))
        finite = (shape > 1)[:, None]
        noise = np.divide(rate, shape[:, None] - 1, where=finite, out=np.full(rate.shape, np.inf))
        return mean, noise[:, None] * (1 + doubt[..., None])
