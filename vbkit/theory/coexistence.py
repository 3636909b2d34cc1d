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

    average (P,): their mean statistics. parameters: d, the number of parameters; a coordinate that
    is pinned (always 1) counts as 2 b of them.
    """

    family: Family
    average: np.ndarray
    parameters: float


def ideal_known(D: int, prior_variance: float = 10.0) -> IdealComponent:
    """A Gaussian in D dimensions with known covariance I and unknown centre."""
    return IdealComponent(
        KnownCovariance(np.zeros(D), prior_variance), np.eye(D + 1)[0], D
    )


def ideal_isotropic(D: int) -> IdealComponent:
    """A Gaussian in D dimensions with unknown centre and one unknown width."""
    average = np.concatenate([[1.0], np.zeros(D), [D]])
    return IdealComponent(IsotropicGaussian(np.zeros(D), 0.1, 1.0, 1.0), average, D + 1)


def ideal_full(D: int) -> IdealComponent:
    """A Gaussian in D dimensions with unknown centre and covariance matrix."""
    i, j = np.triu_indices(D)
    average = np.concatenate([[1.0], np.zeros(D), i == j])
    family = NormalWishart(np.zeros(D), 0.1, D + 1.0, np.eye(D))
    return IdealComponent(family, average, D + D * (D + 1) // 2)


def ideal_bernoulli(inside: int, pinned: int, b: float) -> IdealComponent:
    """Bernoulli coordinates: `inside` of probability 0.3, and `pinned` that are always 1."""
    means = np.concatenate([np.full(inside, 0.3), np.ones(pinned)])
    average = np.concatenate([[1.0], means, 1 - means])
    return IdealComponent(
        BetaBernoulli(inside + pinned, b), average, inside + 2 * b * pinned
    )


def share_landscape(
    component: IdealComponent, concentration: float, size: float, shares
) -> np.ndarray:
    """F (n,) in nats of two copies that share N = `size` ideal data as (w, 1 - w), for w (n,),
    less F of one copy beside an empty component. Raises as `free_energy_of_copies` does."""
    w = np.append(shares, 1.0)  # the last: one copy with all data
    pairs = np.stack([w, 1 - w], axis=-1)
    F = free_energy_of_copies(
        component.family, concentration, size * component.average, pairs
    )
    return F[:-1] - F[-1]


def minima(
    component: IdealComponent, concentration: float, size: float, shares
) -> np.ndarray:
    """Indices of the local minima of F among rising shares w (n,), of which the last is 1/2.

    The first share counts as a minimum where F rises from it. Raises as `slope_in_share` does.
    """
    rising = (
        slope_in_share(
            component.family, concentration, size * component.average, shares
        )
        > 0
    )
    rising[-1] = True  # F is symmetric about 1/2
    starts = np.flatnonzero(rising[1:] & ~rising[:-1]) + 1
    return np.concatenate([[0], starts]) if rising[0] else starts


class Transition(NamedTuple):
    """The transition from one component to two copies, as the concentration rises.

    empty_spinodal: the concentration at which the empty component stops being a minimum of F.
    transition: where F becomes lower at the copies. copies_spinodal: below it the copies are no
    minimum. jump: the change of the smaller share at the transition. barrier: the height (nats) of
    the pass between the two minima there. If the minimum moves continuously, jump and barrier are 0
    and the three concentrations are that at which equal shares become stable.
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
    counts = np.logspace(-25, np.log10(0.4999 * as_number("size", size, 1, 1e8)), 1500)
    S = size * component.average
    return counts, stationary_concentration(component.family, S, counts / size)


def find_transition(component: IdealComponent, size: float) -> Transition:
    """Follow the two minima of F along `state_curve`, which is S-shaped where they coexist.

    Raises ValueError as `state_curve` does, and where the copies are the best solution for no
    concentration up to 1,000: the data are then too few for the prior.
    """
    counts, phi = state_curve(component, size)
    top = int(phi.argmax())
    dip = top + int(phi[top:].argmin())
    if phi[dip] > phi[top] - 1e-4:
        return Transition(phi[-1], phi[-1], phi[-1], 0.0, 0.0)
    steep = (
        dip - int((phi[top : dip + 1] < phi[top]).sum()) + 1
    )  # where the curve leaves its top
    empty, between, copies = (
        slice(0, max(top, 1)),
        slice(steep, dip + 1),
        slice(dip, None),
    )

    def landscape(concentration):
        """Shares and F of the empty minimum, the pass and the copies."""
        least = np.interp(concentration, phi[empty], counts[empty])
        middle = np.interp(-concentration, -phi[between], counts[between])
        most = np.interp(concentration, phi[copies], counts[copies], right=size / 2)
        shares = np.array([least, middle, most]) / size
        return shares, share_landscape(component, concentration, size, shares)

    def excess(concentration):
        _, F = landscape(concentration)
        return F[2] - F[0]

    high = min(phi[top] - 1e-9, 1e3)
    if not phi[dip] < high or excess(high) > 0:
        raise ValueError(
            f"size is {size:g}; no concentration up to 1,000 makes copies the best"
        )
    transition = brentq(excess, phi[dip] + 1e-9, high)
    shares, F = landscape(transition)
    return Transition(
        phi[top], transition, phi[dip], shares[2] - shares[0], F[1] - F[0]
    )
