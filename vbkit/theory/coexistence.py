"""Ideal data of one component, and how two copies of it come to be the best solution: first order or continuous."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from vbkit.checks import as_number
from vbkit.families import BetaBernoulli, IsotropicGaussian, KnownCovariance, NormalWishart
from vbkit.families.base import Family
from vbkit.theory.two_copies import free_energy_of_copies, slope_in_share, stationary_concentration


class IdealComponent(NamedTuple):
    """One component: its family, the average statistics (P,) of its ideal data, and d, its number of parameters, a
    pinned coordinate counting as 2 b of them."""

    family: Family
    average: np.ndarray
    parameters: float


def ideal_known(D: int, prior_variance: float = 10.0) -> IdealComponent:
    """Gaussian with known covariance I in D dimensions: its centre is unknown."""
    return IdealComponent(KnownCovariance(np.zeros(D), prior_variance), np.eye(D + 1)[0], D)


def ideal_isotropic(D: int) -> IdealComponent:
    """Gaussian with unknown centre and one unknown width."""
    average = np.concatenate([[1.0], np.zeros(D), [D]])
    return IdealComponent(IsotropicGaussian(np.zeros(D), 0.1, 1.0, 1.0), average, D + 1)


def ideal_full(D: int) -> IdealComponent:
    """Gaussian with unknown centre and covariance matrix."""
    i, j = np.triu_indices(D)
    average = np.concatenate([[1.0], np.zeros(D), i == j])
    return IdealComponent(
        NormalWishart(np.zeros(D), 0.1, D + 1.0, np.eye(D)), average, D + D * (D + 1) // 2
    )


def ideal_bernoulli(inside: int, pinned: int, b: float) -> IdealComponent:
    """Bernoulli coordinates: some with probability 0.3, the others pinned, that is always 1."""
    means = np.concatenate([np.full(inside, 0.3), np.ones(pinned)])
    average = np.concatenate([[1.0], means, 1 - means])
    return IdealComponent(BetaBernoulli(inside + pinned, b), average, inside + 2 * b * pinned)


def share_landscape(
    component: IdealComponent, concentration: float, size: float, shares
) -> np.ndarray:
    """F (nats) of two copies with shares (w, 1 - w) of N = size ideal data, less F of one beside an empty component, for w
    (n,). Raises as `free_energy_of_copies` does."""
    w = np.append(shares, 1.0)  # last: one with all
    F = free_energy_of_copies(
        component.family, concentration, size * component.average, np.stack([w, 1 - w], axis=-1)
    )
    return F[:-1] - F[-1]


def minima(component: IdealComponent, concentration: float, size: float, shares) -> np.ndarray:
    """Indices into rising shares w (n,), of which the last is 1/2, of the local minima of F; the first counts where F
    rises from it. Raises as `slope_in_share` does."""
    rising = slope_in_share(component.family, concentration, size * component.average, shares) > 0
    rising[-1] = True  # F is symmetric
    starts = np.flatnonzero(rising[1:] & ~rising[:-1]) + 1
    return np.concatenate([[0], starts]) if rising[0] else starts


class Transition(NamedTuple):
    """A transition from one component with all data to two copies, as the concentration rises: where the empty component
    stops being a minimum of F (`up`), where F has its lowest value elsewhere (`switch`), where the copies stop being a
    minimum (`down`); at the switch the change of the smaller component's share and the height of the pass (nats). Where the
    minimum moves continuously, all three concentrations are that at which equal shares become stable."""

    empty_spinodal: float
    transition: float
    copies_spinodal: float
    jump: float
    barrier: float


def state_curve(component: IdealComponent, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Counts of the smaller component (n,) from 1e-25 to almost half of the data, and the concentrations at which F is
    stationary with them (n,). ValueError unless size is from 1 to 1e8 (beyond, rounding shows)."""
    counts = np.logspace(-25, np.log10(0.4999 * as_number("size", size, 1, 1e8)), 1500)
    return counts, stationary_concentration(
        component.family, size * component.average, counts / size
    )


def find_transition(component: IdealComponent, size: float) -> Transition:
    """Follow the minima of F from both ends along `state_curve`: it is S-shaped where they coexist. Raises as it does,
    and where the copies are the best solution for no concentration up to 1,000: data too few for the prior."""
    counts, phi = state_curve(component, size)
    top = int(phi.argmax())
    dip = top + int(phi[top:].argmin())
    if phi[dip] > phi[top] - 1e-4:
        return Transition(phi[-1], phi[-1], phi[-1], 0.0, 0.0)
    steep = (
        dip - int((phi[top : dip + 1] < phi[top]).sum()) + 1
    )  # where the curve comes down from its top
    empty, between, beyond = (slice(0, max(top, 1)), slice(steep, dip + 1), slice(dip, None))

    def at(concentration):  # shares and F of the two minima and of the pass between them
        left = np.interp(concentration, phi[empty], counts[empty])
        middle = np.interp(-concentration, -phi[between], counts[between])
        right = (
            np.interp(concentration, phi[beyond], counts[beyond])
            if concentration < phi[-1]
            else 0.5 * size
        )
        shares = np.array([left, middle, right]) / size
        return shares, share_landscape(component, concentration, size, shares)

    def excess(concentration):  # F of the copies
        F = at(concentration)[1]
        return F[2] - F[0]

    high = min(phi[top] - 1e-9, 1e3)
    if not phi[dip] < high or excess(high) > 0:
        raise ValueError(
            f"size is {size:g}; so few data are best shared by copies at no concentration up to 1,000"
        )
    switch = brentq(excess, phi[dip] + 1e-9, high)
    shares, F = at(switch)
    return Transition(phi[top], switch, phi[dip], shares[2] - shares[0], F[1] - F[0])
