"""Outputs that are linear in inputs, with Gaussian noise; the conjugate prior is a normal-gamma
density for each output."""

from functools import cached_property

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import as_integer, as_positive, checked
from vbkit.families.base import Family
from vbkit.families.gaussian import LOG_2PI


@attrs.frozen(eq=False, slots=False)
class LinearRegression(Family):
    """y_j ~ N(w_j . x~, 1 / rho_j),  w_j | rho_j ~ N(0, I / (precision rho_j)),
    rho_j ~ Gamma(shape, rate), with x~ = (x, 1), independently for each output j.

    A row is (x, y): first the inputs, then the outputs. The inputs are not modelled: the density of
    a row is that of y given x (Sato 1999, 2.2).

    inputs, outputs: how many columns are x, and how many y.
    precision: of the prior of the weights, in units of the noise's.
    shape, rate: of the gamma density of a noise precision; E[rho] = shape / rate.

    The statistics are 1, the other products of x~ (upper triangle), and for each output y x~, y^2.
    Raises ValueError for an improper prior.
    """

    inputs: int = checked(as_integer, 1)
    outputs: int = checked(as_integer, 1, default=1)
    precision: float = checked(as_positive, default=1.0)
    shape: float = checked(as_positive, default=1.0)
    rate: float = checked(as_positive, default=1.0)

    @property
    def dimension(self) -> int:
        return self.inputs + self.outputs

    @cached_property
    def _upper(self) -> tuple[np.ndarray, np.ndarray]:
        i, j = np.triu_indices(self.inputs + 1)
        return i[:-1], j[:-1]  # the last product is 1, the count

    def statistics(self, X: np.ndarray) -> np.ndarray:
        x = np.column_stack([X[:, : self.inputs], np.ones(len(X))])
        i, j = self._upper
        columns = [np.ones((len(X), 1)), x[:, i] * x[:, j]]
        for y in X[:, self.inputs :].T:
            columns += [x * y[:, None], y[:, None] ** 2]
        return np.asfortranarray(np.hstack(columns))

    def _posterior(self, S):
        """Weights' precisions (..., q, q) and means (..., J, q), shapes (...) and rates (..., J)
        after S."""
        (i, j), q = self._upper, self.inputs + 1
        A = np.zeros((*S.shape[:-1], q, q))
        A[..., i, j] = A[..., j, i] = S[..., 1 : 1 + len(i)]
        A[..., -1, -1] = S[..., 0]
        A = A + self.precision * np.eye(q)
        rest = S[..., 1 + len(i) :].reshape(*S.shape[:-1], self.outputs, q + 1)
        b = rest[..., :q]
        mean = np.linalg.solve(A, b.swapaxes(-1, -2)).swapaxes(-1, -2)
        rate = self.rate + 0.5 * (rest[..., q] - (mean * b).sum(-1))
        if not (rate > 0).all():
            raise ValueError("a component explains its outputs without noise: no gamma posterior")
        return A, mean, self.shape + S[..., 0] / 2, rate

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        A, _, shape, rate = self._posterior(np.asarray(S))
        each = gammaln(shape) - 0.5 * np.linalg.slogdet(A)[1] - S[..., 0] / 2 * LOG_2PI
        return self.outputs * each - shape * np.log(rate).sum(-1)

    def expected(self, S: np.ndarray) -> np.ndarray:
        A, mean, shape, rate = self._posterior(np.asarray(S))
        rho = shape[:, None] / rate
        second = np.einsum("kj,kja,kjb->kab", rho, mean, mean)
        second += self.outputs * np.linalg.inv(A)
        logs = (digamma(shape)[:, None] - np.log(rate) - LOG_2PI).sum(-1)
        i, j = self._upper
        products = second[:, i, j] * np.where(i == j, -0.5, -1.0)
        rest = np.concatenate([rho[..., None] * mean, -0.5 * rho[..., None]], axis=-1)
        first = 0.5 * (logs - second[:, -1, -1])[:, None]
        return np.concatenate([first, products, rest.reshape(len(S), -1)], axis=1)
