"""What the engine asks of a conjugate family.

One component has the density  p(x | theta) = exp(t(x) . theta + log_base(x)), with t_0(x) = 1, so that theta_0 is minus
the log-partition. Its conjugate prior is known through one function of a state s, the statistics that data added to it:

    log_normalizer(s) = log E_prior[exp(s . theta)] + constant.

Its gradient is the posterior mean of theta, and a difference of two of its values is a predictive probability or an
evidence. A new family is a frozen dataclass of its prior's hyperparameters with the three functions below; batch and
online learning, EM, the ELBO, the predictive density and the halves of a split follow from them.
"""

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np

from vbkit.checks import as_array, as_matrix, as_positive
from vbkit.families.splits import candidate_sides

LOG_2PI = np.log(2 * np.pi)
SMALLEST, LARGEST = (
    1e-100,
    1e100,
)  # a column's largest distance from the prior mean: squares and products stay exact
ROUNDING = (
    64 * np.finfo(float).eps
)  # a scatter smaller than this share of the raw second moment is made of rounding
DIGITS = 1e-11  # rounding of a log-normaliser (nats) above which a difference of two of them is integrated instead
ENDLESS = (
    2.0**60
)  # a count beyond which the prior's own scatter counts for nothing (the limit of many copies)


class Family:
    """Base class of the conjugate families of one component. P is the number of statistics, D of a data point's numbers.

    Subclasses define `dimension` (D), `statistics`, `log_normalizer` and `expected`; where it is not zero `log_base`;
    for a fast online pass a compiled `log_density` of one data point under one component (see `vbkit.learning.stream`).
    Raw second moments lose digits with the square of (distance from the prior mean) / (width of a component): about 1e-10 is
    left of a ratio of 1e3, 1e-6 of 1e5; where nothing is left, the Gaussian families raise a ValueError.
    """

    dimension: int
    compiled: ClassVar = None
    dtype: type = np.float64

    def statistics(self, X: np.ndarray) -> np.ndarray:
        """Sufficient statistics (N, P) of the rows of X (N, D); the first column is 1."""
        raise NotImplementedError

    def log_normalizer(self, S: np.ndarray) -> np.ndarray:
        """Log of the prior's expectation of exp(s . theta), up to a constant: (..., P) -> (...)."""
        raise NotImplementedError

    def expected(self, S: np.ndarray) -> np.ndarray:
        """Posterior mean of the natural parameters, the gradient of `log_normalizer`: (K, P) -> (K, P)."""
        raise NotImplementedError

    def value_and_gradient(self, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """`log_normalizer` (K,) and `expected` (K, P) at once, for families that can share work between them."""
        return self.log_normalizer(S), self.expected(S)

    def products(self, X: np.ndarray) -> tuple[Callable, Callable]:
        """The two matrix products of an E-step over rows X (n, D) with statistics T (n, P): (W, out) -> None, which
        writes W T' (K, n) into `out`, and R -> R T (K, P). A family with a shorter or less precise form of them works
        on `fold(W)`, in numbers of type `dtype`, and `unfold` turns the sum of all R T into statistics (K, P)."""
        T = self.statistics(X)
        return lambda W, out: np.matmul(W, T.T, out=out), lambda R: R @ T

    def fold(self, W: np.ndarray) -> np.ndarray:
        """Natural parameters (K, P) in the form that `products` takes."""
        return W

    def unfold(self, S: np.ndarray) -> np.ndarray:
        """Statistics (K, P) from the form that `products` gives."""
        return S

    def log_predictive(self, s: np.ndarray, T: np.ndarray) -> np.ndarray:
        """log_normalizer(s + t) - log_normalizer(s) for the rows t of T (n, P): one component's log predictive density (n,),
        after the statistics s (P,).

        Where the normaliser is so large that the difference would lose its digits (many data or copies), the gradient
        changes little between s and s + t, and its integral, by Gauss and Legendre's rule, keeps them.
        """
        at_s = self.log_normalizer(s)
        if np.finfo(float).eps * abs(at_s) < DIGITS:
            return self.log_normalizer(s + T) - at_s
        nodes, shares = np.polynomial.legendre.leggauss(8)
        gradients = (self.expected(s + (1 + u) / 2 * T) for u in nodes)
        return sum(
            share / 2 * (W * T).sum(axis=1) for share, W in zip(shares, gradients, strict=True)
        )

    def log_base(self, X: np.ndarray) -> np.ndarray | None:
        """Log base measure (N,) of the rows of X, or None where it is zero."""
        return None

    def split(self, X: np.ndarray, r: np.ndarray) -> Iterator[np.ndarray]:
        """Candidate splits of a component whose responsibilities times weights are r (N,), for rows X (N, D).

        Yields sides, boolean (N,): True for the first half. The first is the one that is tried first.
        """
        return candidate_sides(self, X, r)

    def check_data(self, X) -> np.ndarray:
        """X as an (N, D) float64 array, or a ValueError that says what is wrong with it."""
        X = as_matrix("X", X, self.dimension)
        reach = np.maximum(X.max(axis=0) - self.origin, self.origin - X.min(axis=0))
        for column in np.flatnonzero((reach > 0) & ((reach < SMALLEST) | (reach > LARGEST))):
            raise ValueError(
                f"X column {column} reaches {reach[column]:.3g} from the prior mean; "
                f"distances must be 0 or within {SMALLEST:g} to {LARGEST:g}: rescale the data"
            )
        return X

    @property
    def origin(self) -> np.ndarray:
        """The point (D,) from which statistics are measured."""
        return np.zeros(self.dimension)


class Gaussian(Family):
    """A Gaussian family: statistics are measured from the prior `mean` (D,) and begin with 1 and x - mean."""

    mean: np.ndarray

    @property
    def dimension(self) -> int:
        return len(self.mean)

    @property
    def origin(self) -> np.ndarray:
        return self.mean

    def _first(self, X: np.ndarray, P: int) -> np.ndarray:
        """Statistics (P, N) of which 1 and x - mean are filled in."""
        T = np.empty((P, len(X)))
        T[0] = 1
        np.subtract(X.T, self.mean[:, None], out=T[1 : 1 + self.dimension])
        return T

    def state(self, counts, centres, covariances) -> np.ndarray:
        """The state (K, P) of components with these counts (K,), centres (K, D) and covariances (K, D, D), of which only
        what the family describes counts: the diagonals, their sum, or nothing. One count or one covariance serves all
        components. Raises ValueError for what is not finite, for counts below 0, and for shapes that do not fit."""
        x = as_matrix("centres", centres, self.dimension) - self.mean
        counts, covariances = (
            as_array("counts", counts, ndim=1),
            as_array("covariances", covariances, ndim=3),
        )
        K, D = x.shape
        if len(counts) not in (1, K) or (counts < 0).any():
            raise ValueError(
                f"counts is {counts}; it must be {K} numbers >= 0, one a centre, or one number (1,)"
            )
        if len(covariances) not in (1, K) or covariances.shape[1:] != (D, D):
            raise ValueError(
                f"covariances has shape {covariances.shape}; it must be ({K}, {D}, {D}) or (1, {D}, {D})"
            )
        return counts[:, None] * np.concatenate(
            [np.ones((K, 1)), x, self._second(x, covariances)], axis=1
        )

    def _second(self, x: np.ndarray, covariances: np.ndarray) -> np.ndarray:
        """Mean statistics (K, P - 1 - D) beyond the first moments x (K, D) of components with these covariances."""
        raise NotImplementedError


def as_gaussian(family: Family) -> Gaussian:
    """The component, or a ValueError if it has no centre and width."""
    if not isinstance(family, Gaussian):
        raise ValueError(f"component is a {type(family).__name__}; it must be of a Gaussian family")
    return family


def collapsed(scatter, raw, prior, count):
    """Whether a component's scatter (...) is no number of its own: rounding of its raw second moment, or endless copies of a
    point, of which only the prior's share is left. Compiled code calls it for one number, so it uses no functions."""
    return (scatter <= ROUNDING * raw) | ((count > ENDLESS) & (scatter <= 2.0 * prior))


COLLAPSED = (
    "the component has collapsed onto a point or a line (EM: add pseudo-statistics as a floor), or lies too far from the "
    "prior mean for its width"
)


def variance_floor(family: Family, variance: float, count: float) -> np.ndarray:
    """Pseudo-statistics (P,) that keep a Gaussian family's components from collapsing under EM.

    They are the scatter, without count and without first moment, of `count` data with this variance in every
    direction. A component that holds n data with mean squared deviation s then has the variance s + variance count / n,
    so at least `variance` while n <= count. count = T is a floor for every component, but adds `variance` / (its weight) to
    each; count = 1 adds no more than a share 1/n of `variance`, and is a floor for components that hold a single data point.
    Raises ValueError for another family, and unless both numbers are > 0.
    """
    as_gaussian(family)
    as_positive("variance", variance)
    covariance = variance * np.eye(family.dimension)
    pseudo_statistics = family.state(
        [as_positive("count", count)], family.origin[None], covariance[None]
    )[0]
    pseudo_statistics[0] = 0.0
    return pseudo_statistics
