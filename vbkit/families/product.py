"""A density of inputs and one of outputs given them: a component of a normalized Gaussian
network."""

import attrs
import numpy as np

from vbkit.families.base import Family
from vbkit.families.regression import LinearRegression


@attrs.frozen(eq=False, slots=False)
class Product(Family):
    """p(x) p(y | x) over rows (x, y), with independent priors (Sato 1999, 2.2).

    gate: the family of the inputs x.
    expert: that of y given x.

    The statistics are 1, those of the gate, and those of the expert. Raises ValueError where the
    two differ in the number of inputs.
    """

    gate: Family
    expert: LinearRegression

    def __attrs_post_init__(self):
        if self.gate.dimension != self.expert.inputs:
            wanted = f"the expert has {self.expert.inputs} inputs"
            raise ValueError(f"gate has dimension {self.gate.dimension}; {wanted}")

    @property
    def dimension(self) -> int:
        return self.expert.dimension

    @property
    def origin(self) -> np.ndarray:
        return np.append(self.gate.origin, np.zeros(self.expert.outputs))

    def statistics(self, X: np.ndarray) -> np.ndarray:
        gate = self.gate.statistics(X[:, : self.gate.dimension])
        return np.asfortranarray(np.hstack([gate, self.expert.statistics(X)[:, 1:]]))

    def _parts(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        P = self.gate.n_statistics
        return S[..., :P], np.concatenate([S[..., :1], S[..., P:]], axis=-1)

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        gate, expert = self._parts(np.asarray(S))
        return self.gate.log_normalizer(gate) + self.expert.log_normalizer(expert)

    def expected(self, S: np.ndarray) -> np.ndarray:
        gate, expert = self._parts(np.asarray(S))
        g, e = self.gate.expected(gate), self.expert.expected(expert)
        return np.concatenate([g[:, :1] + e[:, :1], g[:, 1:], e[:, 1:]], axis=1)
