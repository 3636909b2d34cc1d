"""A density of inputs and one of outputs given them: a component of a normalized
Gaussian network."""

from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import as_instance
from vbkit.compiled import online
from vbkit.families.base import Family
from vbkit.families.gaussian import Gaussian
from vbkit.families.regression import LinearRegression


class ProductParameters(NamedTuple):
    """The parameters of the gates and of the experts."""

    gate: NamedTuple
    expert: NamedTuple


@attrs.frozen(eq=False, slots=False)
class Product(Family):
    """p(x) p(y | x) over rows (x, y), with independent priors. A `Mixture` of it is
    Sato's normalized Gaussian network (1999, 2.2), or a mixture of linear experts.

    gate: the Gaussian family of the inputs x.
    expert: that of y given x.

    The statistics are 1, those of the gate, and those of the expert. Raises ValueError
    unless both measure the inputs from one point.
    """

    gate: Gaussian
    expert: LinearRegression

    def __attrs_post_init__(self):
        as_instance("gate", self.gate, Gaussian)
        as_instance("expert", self.expert, LinearRegression)
        if not np.array_equal(self.gate.mean, self.expert.mean_x):
            wanted = f"it must be the gate's, {self.gate.mean}"
            raise ValueError(f"the expert's mean_x is {self.expert.mean_x}; {wanted}")

    @property
    def dimension(self) -> int:
        return self.expert.dimension

    @property
    def origin(self) -> np.ndarray:
        return self.expert.origin

    def _inputs(self, X: np.ndarray) -> np.ndarray:
        return X[:, : self.gate.dimension]

    @property
    def compiled_density(self) -> int | None:
        return None if self.gate.compiled_density is None else online.PRODUCT

    @cached_property
    def packed_hyperparameters(self) -> np.ndarray:
        """The gate's family and its numbers of statistics and of hyperparameters, then
        those of the gate and of the expert."""
        gate = self.gate.packed_hyperparameters
        sizes = [self.gate.compiled_density, self.gate.n_statistics, len(gate)]
        return np.concatenate([sizes, gate, self.expert.packed_hyperparameters])

    def log_base(self, X: np.ndarray) -> np.ndarray | None:
        return self.gate.log_base(self._inputs(X))

    def statistics(self, X: np.ndarray) -> np.ndarray:
        gate = self.gate.statistics(self._inputs(X))
        return np.asfortranarray(np.hstack([gate, self.expert.statistics(X)[:, 1:]]))

    def _parts(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        P = self.gate.n_statistics
        return S[..., :P], np.concatenate([S[..., :1], S[..., P:]], axis=-1)

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        gate, expert = self._parts(np.asarray(S))
        return self.gate.log_normalizer(gate) + self.expert.log_normalizer(expert)

    def expected(self, S: np.ndarray) -> np.ndarray:
        gate, expert = self._parts(np.asarray(S))
        g = self.gate.expected(gate)
        e = self.expert.expected(expert)
        return np.concatenate([g[:, :1] + e[:, :1], g[:, 1:], e[:, 1:]], axis=1)

    def parameters(self, S: np.ndarray) -> ProductParameters:
        gate, expert = self._parts(S)
        return ProductParameters(
            self.gate.parameters(gate), self.expert.parameters(expert)
        )

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        gate, expert = self._parts(s)
        x = self.gate.sample(gate, size, rng)
        return np.hstack([x, self.expert.sample_outputs(expert, x, rng)])

    def conditional(self, S: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """At inputs x (n, Dx): the log predictive density (K, n) of x, and the mean and
        variance (K, n, J) of y."""
        gate, expert = self._parts(S)
        return self.gate.log_predictive(gate, x), *self.expert.conditional(expert, x)
