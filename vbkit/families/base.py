"""What the engine asks of a conjugate family.

One component has the density  p(x | theta) = exp(t(x) . theta + log_base(x)), with
t_0(x) = 1, so that theta_0 is minus the log-partition. Its conjugate prior is known
through one function of a state s, the statistics that data added to it:

    log_normalizer(s) = log E_prior[exp(s . theta)] + constant.

Its gradient is the posterior mean of theta. A difference of two of its values is a
predictive probability or an evidence. A new family is a frozen class of its prior's
hyperparameters with three functions and a `dimension`: batch and online learning, EM,
the ELBO, the predictive density and structure search follow. `check_family` tests it,
and the notebook `93_your_own_family` derives and writes one.
"""

from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np

from vbkit.checks import LARGEST_SCALE, SMALLEST_SCALE, as_matrix
from vbkit.compiled.online import ENDLESS

# Where the log-normaliser is larger, differences of it have lost too many digits.
LARGEST_DIFFERENCED = 1e8


class NaturalParameters(NamedTuple):
    """Posterior means of the natural parameters, (K, P): what a family offers that
    states nothing better."""

    natural: np.ndarray


class Family:
    """Base class of the conjugate families. A data point has D entries and P
    statistics.

    A subclass must define `dimension` (D), `statistics`, `log_normalizer` and
    `expected`, and `log_base` where it is not zero. It may define `check_data` (which
    data are possible), `sample`, `parameters`, `log_predictive` in closed form,
    and for a fast online pass `compiled_density` with `packed_hyperparameters`
    (`vbkit.compiled.online`).
    """

    dimension: int
    compiled_density: ClassVar[int | None] = None
    # A method that returns `statistics` in the form that is fastest in an E-step's
    # products: an array (n, P) of another type of floats, or a sparse one. None:
    # `statistics` is.
    block_statistics: ClassVar[Callable | None] = None

    def statistics(self, X: np.ndarray) -> np.ndarray:
        """Return the sufficient statistics (N, P) of the rows of X (N, D), N >= 0. The
        first column is 1."""
        raise self._missing("statistics(X)")

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        """Return the log of the prior's expectation of exp(s . theta), up to a
        constant: (..., P) -> (...)."""
        raise self._missing("log_normalizer(S)")

    def expected(self, S: np.ndarray) -> np.ndarray:
        """Return the posterior mean of the natural parameters, the gradient of
        `log_normalizer`: (K, P) -> (K, P)."""
        raise self._missing("expected(S)")

    def sample(self, s: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows (size, D) from the predictive density of one component after the
        statistics s (P,)."""
        raise self._missing("sample(s, size, rng)")

    def _missing(self, method: str) -> NotImplementedError:
        return NotImplementedError(
            f"{type(self).__name__} does not define {method}, needed here"
        )

    @property
    def n_statistics(self) -> int:
        """P, from the statistics of no rows. Override it if `statistics` needs a
        row."""
        return self.statistics(np.empty((0, self.dimension))).shape[1]

    @property
    def origin(self) -> np.ndarray:
        """The point (D,) from which statistics are measured."""
        return np.zeros(self.dimension)

    def value_and_gradient(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return `log_normalizer` (K,) and `expected` (K, P) at once. Override it to
        share work."""
        return self.log_normalizer(S), self.expected(S)

    def log_base(self, X: np.ndarray) -> np.ndarray | None:
        """Return the log base measure (N,) of the rows of X (N, D), or None if it is
        zero."""
        return None

    def parameters(self, S: np.ndarray) -> NamedTuple:
        """Return the components' parameters after the effective statistics S (K, P), as
        arrays whose first axis is K."""
        return NaturalParameters(self.expected(S))

    def log_predictive(self, S: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Return the log predictive densities (K, n) of the rows of X (n, D) after the
        effective statistics S (K, P).

        By default log_normalizer(s + t) - log_normalizer(s), whose rounding error is
        about 2e-16 |log_normalizer(s)|, or more where that is itself a difference of
        large numbers, as for a beta function of large counts. Where |log_normalizer(s)|
        exceeds 1e8, it is the integral of expected(s + u t) . t over u from 0 to 1, by a
        Gauss rule in the fourth root of u. From counts of 2**60 on the density is the one
        at the expected parameters.
        Override it if there is a closed form.
        """
        T = self.statistics(X)
        base = self.log_base(X)
        rows = np.empty((len(S), len(X)))
        for row, s, value in zip(rows, S, self.log_normalizer(S), strict=True):
            if s[0] >= ENDLESS:
                row[:] = T @ self.expected(s[None])[0]
            elif abs(value) < LARGEST_DIFFERENCED:
                row[:] = self.log_normalizer(s + T) - value
            else:
                row[:] = self._integrated_gradient(s, T)
        return rows if base is None else rows + base

    def _integrated_gradient(self, s: np.ndarray, T: np.ndarray) -> np.ndarray:
        """log_normalizer(s + t) - log_normalizer(s), (n,), of the statistics s (P,) and
        each t of T (n, P): the integral of expected(s + u t) . t over u from 0 to 1.

        The gradient changes most near u = 0, for what was never seen before. So the Gauss
        rule is one in v, where u = v^4 and du = 4 v^3 dv. Its places go from -1 to 1, twice
        as far as v goes, which leaves 2 v^3 of 4 v^3.
        """
        places, weights = np.polynomial.legendre.leggauss(16)
        v = (places + 1) / 2
        slopes = [(self.expected(s + u * T) * T).sum(axis=1) for u in v**4]
        return (2 * weights * v**3) @ slopes

    def without_gaps(self, X: np.ndarray) -> np.ndarray:
        """Return rows X (N, D) in which no cell is missing, to look for directions in.
        Only a family that takes missing cells has to fill them."""
        return X

    def check_data(self, X) -> np.ndarray:
        """Return X as an (N, D) float64 array; raise a ValueError that says what is
        wrong with it.

        A family with restricted data (counts, positive numbers) refuses others here.
        """
        X = as_matrix("X", X, self.dimension)
        most = max(-X.min(), X.max()) + np.abs(self.origin).max()
        of_first_row = np.abs(X[0] - self.origin)
        if most <= LARGEST_SCALE and (of_first_row >= SMALLEST_SCALE).all():
            return X  # no column can be too wide or too narrow
        # A long row is reduced far faster than narrow columns.
        columns = np.ascontiguousarray(X.T)
        reach = np.maximum(
            columns.max(axis=1) - self.origin, self.origin - columns.min(axis=1)
        )
        is_unfit = (reach > 0) & ((reach < SMALLEST_SCALE) | (reach > LARGEST_SCALE))
        if is_unfit.any():
            column = int(np.argmax(is_unfit))
            far = f"X column {column} reaches {reach[column]:.3g} from the prior mean"
            raise ValueError(
                f"{far}; rescale it: 0 or {SMALLEST_SCALE:g} to {LARGEST_SCALE:g} is allowed"
            )
        return X
