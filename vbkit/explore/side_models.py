"""The models of notebook 10 and their free energies: copies of one component, a singular pair of a matrix."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, xlogy

from vbkit.factorization import shrink_empirical, shrink_fixed, thresholds
from vbkit.families import BetaBernoulli, Dirichlet, IsotropicGaussian, KnownCovariance, NormalWishart
from vbkit.families.base import Family
from vbkit.theory.two_copies import critical_concentration, slope_in_share, stationary_concentration

SHAPE = (20, 30)  # of the matrix
SHARES = 1 / (1 + np.exp(-np.linspace(-23, 23, 277)))  # 1e-10 to 1 - 1e-10, one half among them
B_LINE = np.linspace(0.02, 1.2, 30)
LARGEST = 1000.0  # concentration up to which `switches` looks


class Component(NamedTuple):
    """One component: its family, the average statistics (P,) of its ideal data, and d, its number of parameters, a
    pinned coordinate counting as 2 b of them."""

    family: Family
    average: np.ndarray
    parameters: float


def known(D: int, prior_variance: float = 10.0) -> Component:
    """Gaussian with known covariance I in D dimensions: its centre is unknown."""
    return Component(KnownCovariance(np.zeros(D), prior_variance), np.eye(D + 1)[0], D)


def isotropic(D: int) -> Component:
    """Gaussian with unknown centre and one unknown width."""
    average = np.concatenate([[1.0], np.zeros(D), [D]])
    return Component(IsotropicGaussian(np.zeros(D), 0.1, 1.0, 1.0), average, D + 1)


def full(D: int) -> Component:
    """Gaussian with unknown centre and covariance matrix."""
    i, j = np.triu_indices(D)
    average = np.concatenate([[1.0], np.zeros(D), i == j])
    return Component(NormalWishart(np.zeros(D), 0.1, D + 1.0, np.eye(D)), average, D + D * (D + 1) // 2)


def bernoulli(inside: int, pinned: int, b: float) -> Component:
    """Bernoulli coordinates: some with probability 0.3, the others pinned, that is always 1."""
    means = np.concatenate([np.full(inside, 0.3), np.ones(pinned)])
    average = np.concatenate([[1.0], means, 1 - means])
    return Component(BetaBernoulli(inside + pinned, b), average, inside + 2 * b * pinned)


COMPONENTS = {  # name -> component for a given b
    "Gaussian, centre in 1 dimension": lambda b: known(1),
    "Gaussian, centre in 4 dimensions": lambda b: known(4),
    "Gaussian, centre and width in 2 dimensions": lambda b: isotropic(2),
    "Gaussian, centre and covariance in 2 dimensions": lambda b: full(2),
    "Bernoulli, 4 coordinates inside": lambda b: bernoulli(4, 0, b),
    "Bernoulli, 2 inside and 2 pinned": lambda b: bernoulli(2, 2, b),
    "Bernoulli, 4 pinned": lambda b: bernoulli(0, 4, b),
}


def share_landscape(component: Component, concentration: float, size: float, shares) -> np.ndarray:
    """F (nats) of two copies with shares (w, 1 - w) of N = size ideal data, less F of one beside an empty unit, for w
    (n,): `free_energy_of_copies` for many shares at once."""
    family, S, n = component.family, size * component.average, np.stack([shares, 1 - np.asarray(shares)], axis=-1)
    weights, A = Dirichlet(concentration), family.log_normalizer
    labels = weights.log_normalizer(size * n) - weights.log_normalizer(size * np.array([1.0, 0.0]))
    return size * xlogy(n, n).sum(axis=-1) - (A(n[..., None] * S).sum(axis=-1) - A(S) - A(0 * S)) - labels


def minima(component: Component, concentration: float, size: float) -> np.ndarray:
    """Indices into SHARES of the local minima of F with w <= 1/2; the end counts where F rises from it."""
    half = len(SHARES) // 2
    rising = slope_in_share(component.family, concentration, size * component.average, SHARES[: half + 1]) > 0
    rising[half] = True  # F is symmetric
    starts = np.flatnonzero(rising[1:] & ~rising[:-1]) + 1
    return np.concatenate([[0], starts]) if rising[0] else starts


def gain(component: Component, size: float) -> float:
    """What two equal copies add to the log evidence of one: 2 A(S/2) - A(S) - A(0)."""
    A, S = component.family.log_normalizer, size * component.average
    return float(2 * A(S / 2) - A(S) - A(0 * S))


def switches(gains, size: float) -> np.ndarray:
    """The concentration (n,) at which two equal copies cost as much as one, for gains (n,) as from `gain`; LARGEST
    where they cost more at any smaller one."""
    low, high = np.full(np.shape(gains), np.log(1e-3)), np.full(np.shape(gains), np.log(LARGEST))
    for _ in range(40):
        middle = (low + high) / 2
        phi = np.exp(middle)
        labels = 2 * gammaln(phi + size / 2) - gammaln(phi + size) - gammaln(phi)
        costs = -size * np.log(2) - gains - labels > 0
        low, high = np.where(costs, middle, low), np.where(costs, high, middle)
    return np.exp((low + high) / 2)


@lru_cache(128)
def lines(name: str, size: float):
    """Concentrations (n,) of the limit and of the switch at this size, over B_LINE."""
    made = [COMPONENTS[name](b) for b in B_LINE]
    limit = np.array([critical_concentration(one.parameters) for one in made])
    return limit, switches(np.array([gain(one, size) for one in made]), size)


class Order(NamedTuple):
    """A transition from one component with all data to two copies, as the concentration rises: where the empty unit
    stops being a minimum of F (`up`), where F has its lowest value elsewhere (`switch`), where the copies stop being a
    minimum (`down`); at the switch the change of the smaller unit's share and the height of the pass (nats). Where the
    minimum moves continuously, all three concentrations are that at which equal shares become stable."""

    up: float
    switch: float
    down: float
    jump: float
    barrier: float


def state_curve(component: Component, size: float, points: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    """Counts of the smaller unit (n,) from 1e-25 to almost half of the data, and the concentrations at which F is
    stationary with them (n,)."""
    counts = np.logspace(-25, np.log10(0.4999 * size), points)
    return counts, stationary_concentration(component.family, size * component.average, counts / size)


def order_of_transition(component: Component, size: float) -> Order:
    """Follow the minima of F from both ends along `state_curve`: it is S-shaped where they coexist."""
    counts, phi = state_curve(component, size)
    top = int(phi.argmax())
    dip = top + int(phi[top:].argmin())
    if phi[top] - phi[dip] < 1e-4:
        return Order(phi[-1], phi[-1], phi[-1], 0.0, 0.0)
    steep = dip - int((phi[top : dip + 1] < phi[top]).sum()) + 1  # where the curve comes down from its top
    empty, between, beyond = (slice(0, top), slice(steep, dip + 1), slice(dip, None))

    def at(concentration):  # shares and F of the two minima and of the pass between them
        left = np.interp(concentration, phi[empty], counts[empty])
        middle = np.interp(-concentration, -phi[between], counts[between])
        right = np.interp(concentration, phi[beyond], counts[beyond]) if concentration < phi[-1] else 0.5 * size
        shares = np.array([left, middle, right]) / size
        return shares, share_landscape(component, concentration, size, shares)

    switch = brentq(lambda c: at(c)[1][2] - at(c)[1][0], phi[dip] + 1e-9, min(phi[top] - 1e-9, 1e3))
    shares, F = at(switch)
    return Order(phi[top], switch, phi[dip], shares[2] - shares[0], F[1] - F[0])


# ---- the factorization -----------------------------------------------------------------------------------------------


def learned_landscape(kappa, gamma: float, shape) -> tuple[np.ndarray, np.ndarray]:
    """The shrunk singular value and F (nats, less that of none) of one column with learned priors at noise 1, for kappa
    = |a|^2 / s_a = |b|^2 / s_b (n,): least over all the rest, where kappa^3 = shrunk^2 (kappa + L)(kappa + M)."""
    L, M = shape
    shrunk = np.sqrt(kappa**3 / ((kappa + L) * (kappa + M)))
    return shrunk, 0.5 * (M * np.log1p(kappa / M) + L * np.log1p(kappa / L) + kappa) - gamma * shrunk


@lru_cache(64)
def fixed_landscape(top: float, strength: float, shape):
    """Shrunk singular values (n,) from 0 to top, and the part of F that does not depend on the one observed, at noise 1
    and c_a^2 = c_b^2 = strength: least over all the rest, by alternating over it."""
    L, M = shape
    shrunk = np.linspace(0, top, 121)
    u, s_a, s_b = shrunk.copy(), np.full(121, strength), np.full(121, strength)
    for _ in range(300):
        w = np.divide(shrunk**2, u, out=np.zeros(121), where=u > 0)
        s_a = 1 / (w + L * s_b + 1 / strength)
        s_b = 1 / (u + M * s_a + 1 / strength)
        u = shrunk * np.sqrt((M * s_a + 1 / strength) / (L * s_b + 1 / strength))
    w = np.divide(shrunk**2, u, out=np.zeros(121), where=u > 0)
    a, b = u + M * s_a, w + L * s_b
    G = 0.5 * (a * b + M * np.log(strength / s_a) + L * np.log(strength / s_b) + (a + b) / strength - L - M)
    return shrunk, G - G[0]


def pair(gamma: float, learned: bool, size: float):
    """Share kept (n,), F (n,) of it, the best share, and the thresholds of the singular value gamma, for a matrix that
    is the average of `size` observations with noise 1 and (if not learned) prior variances 1."""
    root = size**0.5
    seen = gamma * root
    if learned:
        kappa = np.concatenate([[0.0], np.logspace(-2, np.log10(1.3 * seen**2 + 20), 160)])
        shrunk, F = learned_landscape(kappa, seen, SHAPE)
        best, marks = float(shrink_empirical(seen, SHAPE, 1.0)), tuple(t / root for t in thresholds(SHAPE))
    else:
        shrunk, G = fixed_landscape(1.1 * seen, root, SHAPE)
        F, best = G - seen * shrunk, float(shrink_fixed(seen, SHAPE, root, root, 1.0))
        marks = (fixed_threshold(root * root, SHAPE) / root,) * 2
    return shrunk / seen, F, best / seen, marks


def fixed_threshold(strength: float, shape) -> float:
    """The singular value above which a column with prior variances c_a^2 c_b^2 = strength is alive, at noise 1:
    (x - L)(x - M) = x / strength for its square x > max(L, M)."""
    L, M = shape
    half = (L + M + 1 / strength) / 2
    return float(np.sqrt(half + np.sqrt(half**2 - L * M)))
