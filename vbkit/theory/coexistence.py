"""One component with ideal data, and how two copies of it become the best solution.

As the concentration of the weights' Dirichlet prior rises, the smaller of two components
turns from empty into half of the data: in a jump (a transition of first order) or
continuously.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from vbkit.checks import as_instance, as_number
from vbkit.families import (
    BetaBernoulli,
    IsotropicGaussian,
    KnownCovariance,
    NormalWishart,
)
from vbkit.families.base import Family
from vbkit.theory.two_copies import (
    free_energy_of_copies,
    slope_in_share,
    stationary_concentration,
)

# Concentrations this close are the same: a state curve that falls by less only rises.
LEAST_FALL = 1e-4
MARGIN = 1e-9  # keeps the search for the transition off the ends of the branches
HIGHEST_SEARCHED = 1e3  # concentration up to which copies may become the best


class IdealComponent(NamedTuple):
    """One component with its ideal data.

    family: of the component. average (P,): the mean statistics of the data. parameters:
    d, the effective number of parameters. It need not be a whole number, because a
    coordinate that is pinned (always 1) counts as 2 b parameters.
    """

    family: Family
    average: np.ndarray
    parameters: float


def ideal_known(D: int, prior_variance: float = 10.0) -> IdealComponent:
    """A Gaussian in D dimensions with known covariance I and unknown centre."""
    family = KnownCovariance(np.zeros(D), prior_variance)
    average = np.concatenate([[1.0], np.zeros(D)])  # the count, and the sum of rows
    return IdealComponent(family, average, D)


def ideal_isotropic(D: int) -> IdealComponent:
    """A Gaussian in D dimensions with unknown centre and one unknown width."""
    family = IsotropicGaussian(np.zeros(D), 0.1, 1.0, 1.0)
    average = np.concatenate([[1.0], np.zeros(D), [D]])
    return IdealComponent(family, average, D + 1)


def ideal_full(D: int) -> IdealComponent:
    """A Gaussian in D dimensions with unknown centre and covariance matrix."""
    family = NormalWishart(np.zeros(D), 0.1, D + 1.0, np.eye(D))
    row, column = np.triu_indices(D)
    products = row == column  # the upper triangle of I
    average = np.concatenate([[1.0], np.zeros(D), products])
    return IdealComponent(family, average, D + D * (D + 1) // 2)


def ideal_bernoulli(inside: int, pinned: int, b: float) -> IdealComponent:
    """Bernoulli coordinates: `inside` of them are 1 with probability 0.3, and `pinned`
    of them are always 1. b: the prior's pseudo-counts of ones and of zeros."""
    family = BetaBernoulli(inside + pinned, b)
    means = np.concatenate([np.full(inside, 0.3), np.ones(pinned)])
    average = np.concatenate([[1.0], means, 1 - means])
    return IdealComponent(family, average, inside + 2 * b * pinned)


def share_landscape(
    component: IdealComponent, concentration: float, size: float, shares
) -> np.ndarray:
    """F (n,) in nats of two copies, less F of one copy beside an empty component.

    size: the number N of ideal data. shares: w (n,); the two copies share the data as
    (w, 1 - w). Raises as `free_energy_of_copies` does.
    """
    S = size * component.average
    first = np.append(shares, 1.0)  # the last: one copy with all data
    pairs = np.stack([first, 1 - first], axis=-1)
    F = free_energy_of_copies(component.family, concentration, S, pairs)
    return F[:-1] - F[-1]


def minima(
    component: IdealComponent, concentration: float, size: float, shares
) -> np.ndarray:
    """Indices of the local minima of F among rising shares w (n,) that end at 1/2.

    The first share counts as a minimum if F rises from it. Raises as `slope_in_share`
    does.
    """
    S = size * component.average
    rises = slope_in_share(component.family, concentration, S, shares) > 0
    # F is symmetric about 1/2 and its slope is 0 there: if it falls towards 1/2, it
    # rises beyond.
    rises[-1] = True
    inner = np.flatnonzero(rises[1:] & ~rises[:-1]) + 1
    if rises[0]:
        return np.concatenate([[0], inner])
    return inner


class Transition(NamedTuple):
    """The transition from one component to two copies, as the concentration rises.

    empty_spinodal: the concentration at which the empty component stops being a minimum
    of F. transition: the concentration above which F is lower at the copies than with
    an empty component. copies_spinodal: the concentration below which the copies are no
    minimum. jump: the change of the smaller share at the transition. barrier: the
    height (nats) at the transition of the pass between the two minima, above them. If
    the minimum moves continuously, jump and barrier are 0, and the three concentrations
    are the one at which equal shares become stable.
    """

    empty_spinodal: float
    transition: float
    copies_spinodal: float
    jump: float
    barrier: float


def state_curve(
    component: IdealComponent, size: float
) -> tuple[np.ndarray, np.ndarray]:
    """The states at which F is stationary: counts (n,) and concentrations (n,).

    The counts are those of the smaller component, from 1e-25 to almost half of the data.
    Each concentration is the one at which F is stationary with that count. Raises
    ValueError unless size is from 1 to 1e8; beyond, rounding shows.
    """
    as_instance("component", component, IdealComponent)
    size = as_number("size", size, 1, 1e8)
    counts = np.logspace(-25, np.log10(0.4999 * size), 1500)
    S = size * component.average
    return counts, stationary_concentration(component.family, S, counts / size)


def find_transition(component: IdealComponent, size: float) -> Transition:
    """Find the transition from an empty component to two copies, for `size` data.

    Where both minima of F exist, `state_curve` is S-shaped: the concentration rises
    along the minimum with an empty component up to its top, falls along the pass to its
    dip, and rises again along the copies. At a concentration between dip and top, F of
    the three states is compared. Raises ValueError as `state_curve` does, and if the
    copies are the best solution for no concentration up to 1,000: the data are then too
    few for the prior.
    """
    counts, concentrations = state_curve(component, size)
    top = int(concentrations.argmax())
    dip = top + int(concentrations[top:].argmin())
    if concentrations[dip] > concentrations[top] - LEAST_FALL:  # the curve only rises
        end = concentrations[-1]
        return Transition(end, end, end, 0.0, 0.0)
    branches = _split_curve(counts, concentrations, top, dip)

    def free_energies(concentration):
        """Shares (3,) and F (3,) of the empty minimum, the pass and the copies."""
        shares = branches.counts_at(concentration, size) / size
        return shares, share_landscape(component, concentration, size, shares)

    def excess_of_copies(concentration):
        _, F = free_energies(concentration)
        return F[2] - F[0]

    low = concentrations[dip] + MARGIN
    high = min(concentrations[top] - MARGIN, HIGHEST_SEARCHED)
    if not concentrations[dip] < high or excess_of_copies(high) > 0:
        raise ValueError(
            f"size is {size:g}; no concentration up to 1,000 makes copies the best"
        )
    transition = brentq(excess_of_copies, low, high)
    shares, F = free_energies(transition)
    return Transition(
        empty_spinodal=concentrations[top],
        transition=transition,
        copies_spinodal=concentrations[dip],
        jump=shares[2] - shares[0],
        barrier=F[1] - F[0],
    )


class _Branch(NamedTuple):
    """A part of a state curve on which the concentration only rises or only falls."""

    counts: np.ndarray
    concentrations: np.ndarray


class _Branches(NamedTuple):
    """The three branches of an S-shaped state curve: the minimum with an empty
    component, the pass, and the minimum with two copies."""

    empty: _Branch
    over_pass: _Branch
    copies: _Branch

    def counts_at(self, concentration: float, size: float) -> np.ndarray:
        """The smaller component's counts (3,) on the three branches."""
        empty = np.interp(concentration, self.empty.concentrations, self.empty.counts)
        # `interp` needs rising places, but the concentration falls along the pass.
        over_pass = np.interp(
            -concentration, -self.over_pass.concentrations, self.over_pass.counts
        )
        copies = np.interp(
            concentration,
            self.copies.concentrations,
            self.copies.counts,
            right=size / 2,  # beyond the curve's end the shares are equal
        )
        return np.array([empty, over_pass, copies])


def _split_curve(counts, concentrations, top: int, dip: int) -> _Branches:
    """Split the state curve at the indices of its top and of the dip after it."""
    # Near its top the curve may be flat to rounding, so the pass begins where it has
    # left the top.
    descent = concentrations[top : dip + 1]
    first_below = top + int(np.argmax(descent < concentrations[top]))
    end_of_empty = max(top, 1)  # without the top itself, but with one point at least
    return _Branches(
        empty=_Branch(counts[:end_of_empty], concentrations[:end_of_empty]),
        over_pass=_Branch(
            counts[first_below : dip + 1], concentrations[first_below : dip + 1]
        ),
        copies=_Branch(counts[dip:], concentrations[dip:]),
    )
