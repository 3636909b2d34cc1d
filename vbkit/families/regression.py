"""Outputs that are linear in inputs, with Gaussian noise; the conjugate prior is a
normal-gamma density for each output."""

from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np
from scipy.special import digamma, gammaln

from vbkit.checks import (
    as_array,
    as_instance,
    as_positive,
    as_positives,
    as_vector,
    checked,
    one_for_each,
)
from vbkit.compiled import online
from vbkit.families.base import Family
from vbkit.families.gaussian import LOG_2PI


class RegressionPosterior(NamedTuple):
    """Of the components' experts: precisions of the weights (..., q, q) in units of the
    noise's, their means (..., J, q), and shape (...) and rates (..., J) of the noise
    precisions."""

    precision: np.ndarray
    weights: np.ndarray
    shape: np.ndarray
    rate: np.ndarray


class RegressionParameters(NamedTuple):
    """Expected weights (K, J, q), those of x - mean_x and of 1, and noise variances (K,
    J), the inverses of expected precisions."""

    weights: np.ndarray
    noise: np.ndarray


def _as_inputs(name: str, value) -> np.ndarray:
    return as_vector(name, value) if np.size(value) else as_array(name, value, ndim=1)


@attrs.frozen(eq=False, slots=False)
class LinearRegression(Family):
    """Outputs y_j that are linear in inputs x, j = 1 ... J, independently:

        y_j - mean_y,j ~ N(w_j . x~, 1 / rho_j)  with x~ = (x - mean_x, 1),
        w_j | rho_j ~ N(0, I / (precision rho_j)),  rho_j ~ Gamma(shape, rate).

    A row is (x, y): first the Dx inputs, then the J outputs. The inputs are not
    modelled: the density of a row is that of y given x (Sato 1999, 2.2, without its
    gate; see `Product`).

    mean_x, mean_y: (Dx,) and (J,), from which rows are measured; w = 0 predicts mean_y.
        Without inputs (Dx = 0) the outputs have a mean and noise alone.
        Sums of squares are taken from there: where outputs lie a million noise widths away,
        half of the digits are lost, so give the mean of the data.
    precision: of the prior of the weights, in units of the noise's: one number, or (Dx
        + 1,), of which the last is that of the intercept.
    shape, rate: of the gamma density of a noise precision; E[rho] = shape / rate.
    common_noise: whether all outputs have one noise precision, rho_j = rho.

    The statistics are 1, the other products of x~ (upper triangle), and for each output
    y x~, y^2. Raises ValueError for an improper prior.
    """

    mean_x: np.ndarray = checked(_as_inputs)
    mean_y: np.ndarray = checked(as_vector)
    precision: float | np.ndarray = checked(as_positives, default=1.0)
    shape: float = checked(as_positive, default=1.0)
    rate: float = checked(as_positive, default=1.0)
    common_noise: bool = False

    def __attrs_post_init__(self):
        as_instance("common_noise", self.common_noise, bool)
        q = len(self.mean_x) + 1
        object.__setattr__(
            self, "precision", one_for_each("precision", self.precision, q)
        )

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

    compiled_density = online.LINEAR_REGRESSION

    @cached_property
    def packed_hyperparameters(self) -> np.ndarray:
        """Shape, rate, the numbers of inputs, outputs and noise precisions, precisions
        (q,)."""
        outputs = len(self.mean_y)
        noises = 1 if self.common_noise else outputs
        sizes = [len(self.mean_x), outputs, noises]
        return np.array([self.shape, self.rate, *sizes, *self.precision])

    def design(self, x: np.ndarray) -> np.ndarray:
        """x~ (n, q) of inputs x (n, Dx)."""
        return np.column_stack([x - self.mean_x, np.ones(len(x))])

    def pack(self, second, products, squares) -> np.ndarray:
        """Statistics (..., P) from sums of products x~ x~' (..., q, q), y x~ (..., J,
        q) and y^2 (..., J)."""
        i, j = self._upper
        rest = np.concatenate([products, squares[..., None]], axis=-1)
        rest = rest.reshape(*rest.shape[:-2], -1)
        count = second[
            ..., -1:, -1
        ]  # the last entry of x~ is 1, so its square counts rows
        return np.concatenate([count, second[..., i, j], rest], axis=-1)

    def unpack(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The inverse of `pack`."""
        i, j = self._upper
        q = len(self.mean_x) + 1
        second = np.empty((*S.shape[:-1], q, q))
        second[..., i, j] = S[..., 1 : 1 + len(i)]
        second[..., j, i] = S[..., 1 : 1 + len(i)]
        second[..., -1, -1] = S[..., 0]
        rest = S[..., 1 + len(i) :].reshape(*S.shape[:-1], len(self.mean_y), q + 1)
        return second, rest[..., :q], rest[..., q]

    def statistics(self, X: np.ndarray) -> np.ndarray:
        x = X[:, : len(self.mean_x)]
        y = X[:, len(self.mean_x) :] - self.mean_y
        design = self.design(x)
        i, j = self._upper
        columns = [np.ones((len(X), 1)), design[:, i] * design[:, j]]
        for output in y.T[:, :, None]:
            columns += [design * output, output**2]
        return np.asfortranarray(np.hstack(columns))

    def posterior(self, S: np.ndarray) -> RegressionPosterior:
        """Hyperparameters after the effective statistics S (..., P); ValueError where
        an expert explains its outputs without noise."""
        A, products, squares = self.unpack(S)
        A += self.precision * np.eye(A.shape[-1])
        weights = np.linalg.solve(A, products.swapaxes(-1, -2)).swapaxes(-1, -2)
        unexplained = 0.5 * (squares - (weights * products).sum(-1))
        n = S[..., 0] / 2
        if not (self.rate + unexplained > 1e-14 * squares).all():
            raise ValueError(
                "an expert explains its outputs without noise: it has no posterior"
            )
        if self.common_noise:
            J = unexplained.shape[-1]
            n = n * J
            unexplained = unexplained.sum(-1, keepdims=True).repeat(J, -1)
        return RegressionPosterior(A, weights, self.shape + n, self.rate + unexplained)

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        A, _, shape, rate = self.posterior(np.asarray(S))
        J = rate.shape[-1]
        noises = 1 if self.common_noise else J
        value = -J / 2 * (np.linalg.slogdet(A).logabsdet + S[..., 0] * LOG_2PI)
        log_rates = np.log(rate[..., :noises]).sum(-1)
        return value + noises * gammaln(shape) - shape * log_rates

    def expected(self, S: np.ndarray) -> np.ndarray:
        A, weights, shape, rate = self.posterior(np.asarray(S))
        logs = digamma(shape)[:, None] - np.log(rate)
        return self.natural(weights, shape[:, None] / rate, logs, np.linalg.inv(A))

    def natural(self, weights, rho, logs, doubt) -> np.ndarray:
        """Natural parameters (K, P) of weights (K, J, q), noise precisions (K, J) and
        their logs, and covariances (K, q, q) of the weights in units of the noise, all
        of them expected."""
        of_means = np.einsum("kj,kja,kjb->kab", rho, weights, weights)
        second = of_means + rho.shape[1] * doubt
        # A product of two different entries stands for both of its places.
        factors = 0.5 * np.eye(second.shape[-1]) - 1
        natural = self.pack(factors * second, rho[..., None] * weights, -0.5 * rho)
        natural[:, 0] += 0.5 * (logs - LOG_2PI).sum(-1)
        return natural

    def parameters(self, S: np.ndarray) -> RegressionParameters:
        _, weights, shape, rate = self.posterior(S)
        return RegressionParameters(weights, rate / shape[:, None])

    def conditional(
        self, S: np.ndarray, x: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The mean and variance (K, n, J) of y at inputs x (n, Dx): Student densities
        of 2 shape degrees of freedom. The variance is infinite where the shape is at
        most 1."""
        A, weights, shape, rate = self.posterior(S)
        design = self.design(x)
        mean = self.mean_y + np.einsum("nq,kjq->knj", design, weights)
        doubt = np.einsum("nq,kqn->kn", design, np.linalg.solve(A, design.T))
        finite = (shape > 1)[:, None]
        noise = np.divide(
            rate, shape[:, None] - 1, where=finite, out=np.full(rate.shape, np.inf)
        )
        return mean, noise[:, None] * (1 + doubt[..., None])

    def sample_outputs(
        self, s: np.ndarray, x: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Draw an output (n, J) for each of the inputs x (n, Dx) from the predictive
        density of one component after the statistics s (P,), each with weights and
        noise of its own."""
        A, weights, shape, rate = self.posterior(s)
        design = self.design(x)
        J = len(self.mean_y)
        noises = 1 if self.common_noise else J
        rho = rng.gamma(shape, 1 / rate[:noises], (len(x), noises))
        doubt = (design * np.linalg.solve(A, design.T).T).sum(axis=1)
        width = np.sqrt((1 + doubt)[:, None] / rho)
        z = rng.standard_normal((len(x), J))
        return self.mean_y + design @ weights.T + width * z
