"""What the Gaussian families share: a prior mean from which data are measured, and the
guards against collapse."""

from functools import cached_property
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    as_array,
    as_counts,
    as_instance,
    as_matrix,
    as_positive,
    as_vector,
    checked,
)
from vbkit.families.base import Family

LOG_2 = np.log(2)
LOG_2PI = np.log(2 * np.pi)
OF_A_CELL = 0.1  # see `Gaussian`


class GaussianParameters(NamedTuple):
    """The components' means (K, D) and covariances (K, D, D), the inverses of their
    expected precisions."""

    mean: np.ndarray
    covariance: np.ndarray


@attrs.frozen(eq=False, slots=False)
class Gaussian(Family):
    """A Gaussian family: statistics are measured from the prior `mean` (D,); the first
    ones are 1 and x - mean.

    Squares lose digits with the square of the ratio (distance from the prior mean) /
    (width of a component): they are good to about 1e-10 at a ratio of 1e3, and to 1e-6
    at 1e5. Where nothing is left, from a ratio of some 1e7 on, a ValueError says so.

    A family that learns widths may be told that a number stands for a whole `cell`, as
    a year of age or a count does. Squares are then greater by cell^2 / 10. By Jensen's
    inequality the ELBO is a lower bound of the log probability of the cells less the sum
    of log cell, for the mean of a square over the cell is greater by cell^2 / 12; and
    with 1/10 (0.0986 is the least) it never pays to divide a column of 0 and 1 by its
    values alone, whatever the share of 1. Without cells a component on a single value
    would have an endless density. Predictive densities are those at the numbers
    themselves.
    """

    mean: np.ndarray = checked(as_vector)

    @cached_property
    def dimension(self) -> int:
        """D."""
        return len(self.mean)

    @cached_property
    def spread_of_cells(self) -> np.ndarray:
        """What cells add to squares of the numbers (D,)."""
        return np.square(self.cell) * OF_A_CELL

    @property
    def origin(self) -> np.ndarray:
        return self.mean

    def relative_posterior(self, S: np.ndarray) -> NamedTuple:
        """`posterior` with its mean measured from the prior mean, which keeps digits
        where that lies far from 0."""
        raise self._missing("relative_posterior(S)")

    def posterior(self, S: np.ndarray) -> NamedTuple:
        """Hyperparameters of the components after the effective statistics S (..., P),
        named as the prior's."""
        relative = self.relative_posterior(S)
        return relative._replace(mean=self.mean + relative.mean)

    def state(self, counts, centres, covariances) -> np.ndarray:
        """Return the state (K, P) of components with these counts, centres and
        covariances.

        counts: (K,), or one number for all.
        centres: (K, D).
        covariances: (K, D, D), or one (D, D) for all. Only what the family describes is
            used: the diagonals, their sum, or nothing.

        Raises ValueError for numbers that are not finite or far too large, counts below
        0, and shapes that do not fit.
        """
        x = as_matrix("centres", centres, self.dimension) - self.mean
        K, D = x.shape
        covariances = as_array("covariances", covariances)
        if covariances.shape not in ((D, D), (1, D, D), (K, D, D)):
            allowed = f"({D}, {D}) or ({K}, {D}, {D})"
            raise ValueError(
                f"covariances has shape {covariances.shape}; it must be {allowed}"
            )
        _check_reach("centres", x, LARGEST_SCALE)
        _check_reach("covariances", covariances, LARGEST_SCALE**2)
        second = self._second(x, np.broadcast_to(covariances, (K, D, D)))
        mean = np.concatenate([np.ones((K, 1)), x, second], axis=1)
        return as_counts(counts, K) * mean

    def _second(self, x: np.ndarray, covariances: np.ndarray) -> np.ndarray:
        """Mean statistics (K, P - 1 - D) beyond the first moments x (K, D) of
        components with these covariances."""
        raise self._missing("state(counts, centres, covariances)")


def as_gaussian(family: Family) -> Gaussian:
    """The family, or a ValueError if it is not a Gaussian one."""
    return as_instance("family", family, Gaussian, "NormalWishart")


def check_scale(name: str, variances: np.ndarray) -> None:
    """ValueError where a prior's variances (...) lie beyond the squares of
    SMALLEST_SCALE and LARGEST_SCALE."""
    if not np.all((variances >= SMALLEST_SCALE**2) & (variances <= LARGEST_SCALE**2)):
        allowed = f"{SMALLEST_SCALE**2:g} to {LARGEST_SCALE**2:g}"
        raise ValueError(f"{name} must lie within {allowed}; got {variances}")


def _check_reach(name: str, values: np.ndarray, most: float) -> None:
    reach = np.abs(values).max()
    if reach > most:
        raise ValueError(f"{name} reach {reach:g}; at most {most:g} is allowed")


def collapse(lost: np.ndarray) -> ValueError:
    """The error that names the first component with a True in its row of `lost`
    (..., K, n).

    A component is lost where its scatter is no number of its own: it is at most
    ROUNDING_OF_SCATTER times the raw second moment from which it was taken; or of more than ENDLESS
    clones of a point only the prior's share is left, at most twice the prior's scatter.
    """
    component = int(np.argmax(lost.any(axis=-1)))
    return ValueError(
        f"component {component} has collapsed onto a point or a line (EM: add "
        "pseudo-statistics as a floor), or lies too far from the prior mean for its "
        "width"
    )


def variance_floor(family: Family, variance: float, count: float) -> np.ndarray:
    """Return pseudo-statistics (P,) that keep a Gaussian family's components from
    collapsing under EM.

    They are the scatter, without count and first moment, of `count` data points with
    this variance in every direction. A component that holds n data points with mean
    squared deviation s then has the variance s + variance count / n, so at least
    `variance` while n <= count. With count = T this is a floor for every component, but
    adds `variance` / (its weight) to each. With count = 1 it adds only `variance` / n,
    and is a floor for components that hold a single data point. Raises ValueError for a
    family that is not Gaussian, and unless both numbers are > 0.
    """
    variance = as_positive("variance", variance)
    count = as_positive("count", count)
    covariance = variance * np.eye(as_gaussian(family).dimension)
    floor = family.state(count, family.origin[None], covariance)[0]
    floor[0] = 0.0
    return floor
