"""Ideal data of one component, and how two copies of it become the best solution as the
concentration rises: in a jump (first order) or continuously."""

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


class IdealComponent(NamedTuple):
    """One component with its ideal data.

    average (P,): their mean statistics. parameters: d, the number of parameters; a
    coordinate that is pinned (always 1) counts as 2 b of them.
    """

    family: Family
    average: np.ndarray
    parameters: float


def ideal_known(D: int, prior_variance: float = 10.0) -> IdealComponent:
    """A Gaussian in D dimensions with known covariance I and unknown centre."""
    family = KnownCovariance(np.zeros(D), prior_variance)
    average = np.eye(D + 1)[0]
    return IdealComponent(family, average, D)


def ideal_isotropic(D: int) -> IdealComponent:
    """A Gaussian in D dimensions with unknown centre and one unknown width."""
    family = IsotropicGaussian(np.zeros(D), 0.1, 1.0, 1.0)
    average = np.concatenate([[1.0], np.zeros(D), [D]])
    return IdealComponent(family, average, D + 1)


def ideal_full(D: int) -> IdealComponent:
    """A Gaussian in D dimensions with unknown centre and covariance matrix."""
    family = NormalWishart(np.zeros(D), 0.1, D + 1.0, np.eye(D))
    i, j = np.triu_indices(D)
    average = np.concatenate([[1.0], np.zeros(D), i == j])
    return IdealComponent(family, average, D + D * (D + 1) // 2)


def ideal_bernoulli(inside: int, pinned: int, b: float) -> IdealComponent:
    """Bernoulli coordinates: `inside` of probability 0.3, `pinned` that are always
    1."""
    family = BetaBernoulli(inside + pinned, b)
    means = np.concatenate([np.full(inside, 0.3), np.ones(pinned)])
    average = np.concatenate([[1.0], means, 1 - means])
    return IdealComponent(family, average, inside + 2 * b * pinned)


def share_landscape(
    component: IdealComponent, concentration: float, size: float, shares
) -> np.ndarray:
    """F (n,) in nats of two copies that share N = `size` ideal data as (w, 1 - w), less
    F of one copy beside an empty component.

    shares: w (n,). Raises as `free_energy_of_copies` does.
    """
    S = size * component.average
    w = np.append(shares, 1.0)  # the last: one copy with all data
    pairs = np.stack([w, 1 - w], axis=-1)
    F = free_energy_of_copies(component.family, concentration, S, pairs)
    return F[:-1] - F[-1]


def minima(
    component: IdealComponent, concentration: float, size: float, shares
) -> np.ndarray:
    """Indices of the local minima of F among rising shares w (n,) that end at 1/2.

    The first share counts as a minimum where F rises from it. Raises as
    `slope_in_share` does.
    """
    S = size * component.average
    rises = slope_in_share(component.family, concentration, S, shares) > 0
    rises[-1] = True  # F is symmetric about 1/2
    turns = np.flatnonzero(rises[1:] & ~rises[:-1]) + 1
    if rises[0]:
        return np.concatenate([[0], turns])
    return turns


class Transition(NamedTuple):
    """The transition from one component to two copies, as the concentration rises.

    empty_spinodal: the concentration at which the empty component stops being a minimum
    of F. transition: where F becomes lower at the copies. copies_spinodal: below it the
    copies are no minimum. jump: the change of the smaller share at the transition.
    barrier: the height (nats) of the pass between the two minima there. If the minimum
    moves continuously, jump and barrier are 0 and the three concentrations are that at
    which equal shares become stable.
    """

    empty_spinodal: float
    transition: float
    copies_spinodal: float
    jump: float
    barrier: float


def state_curve(
    component: IdealComponent, size: float
) -> tuple[np.ndarray, np.ndarray]:
    """Counts (n,) of the smaller component, 1e-25 to almost half of the data, and the
    concentrations (n,) at which F is stationary with them.

    Raises ValueError unless size is from 1 to 1e8; beyond, rounding shows.
    """
    as_instance("component", component, IdealComponent)
    size = as_number("size", size, 1, 1e8)
    counts = np.logspace(-25, np.log10(0.4999 * size), 1500)
    S = size * component.average
    return counts, stationary_concentration(component.family, S, counts / size)


def find_transition(component: IdealComponent, size: float) -> Transition:
    """Follow the two minima of F along `state_curve`.

    The curve is S-shaped where they coexist. Raises ValueError as `state_curve` does,
    and where the copies are the best solution for no concentration up to 1,000: the
    data are then too few for the prior.
    """
    counts, concentrations = state_curve(component, size)
    top = int(concentrations.argmax())
    dip = top + int(concentrations[top:].argmin())
    if concentrations[dip] > concentrations[top] - 1e-4:  # the curve only rises
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

    low = concentrations[dip] + 1e-9
    high = min(concentrations[top] - 1e-9, 1e3)
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


class _Branches(NamedTuple):
    """The three parts of an S-shaped state curve, each (counts, concentrations): the
    minimum with an empty component, the pass, and the minimum with two copies."""

    empty: tuple[np.ndarray, np.ndarray]
    barrier: tuple[np.ndarray, np.ndarray]
    copies: tuple[np.ndarray, np.ndarray]

    def counts_at(self, concentration: float, size: float) -> np.ndarray:
        """The smaller component's counts (3,) on the three branches."""
        counts, rising = self.empty
        least = np.interp(concentration, rising, counts)
        counts, falling = self.barrier
        middle = np.interp(-concentration, -falling, counts)
        counts, rising = self.copies
        most = np.interp(concentration, rising, counts, right=size / 2)
        return np.array([least, middle, most])


def _split_curve(counts, concentrations, top: int, dip: int) -> _Branches:
    """Split the state curve at the indices of its top and of the dip after it."""
    # Near its top the curve may be flat to rounding; the pass begins where it has left
    # the top.
    descent = concentrations[top : dip + 1]
    n_below_top = int((descent < concentrations[top]).sum())
    first_below = dip - n_below_top + 1
    empty = slice(0, max(top, 1))
    barrier = slice(first_below, dip + 1)
    copies = slice(dip, None)
    return _Branches(
        (counts[empty], concentrations[empty]),
        (counts[barrier], concentrations[barrier]),
        (counts[copies], concentrations[copies]),
    )
