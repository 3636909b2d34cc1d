"""What a mixture gains by representing one component with several identical copies.

All copies have the same shape and differ in weight only, so each data point is shared among them in the same
proportions. F = -bound is minimised, as in Kaji's thesis and Nakajima's slides.
"""

import numpy as np
from scipy.special import digamma, gammaln, xlogy

from vbkit.checks import as_array, as_positive, as_vector
from vbkit.families.base import Family
from vbkit.families.dirichlet import Dirichlet
from vbkit.theory.bisection import bisect


def critical_concentration(parameters: float) -> float:
    """The concentration (d + 1) / 2 at which copies of a component with d parameters keep their shares.

    In Kaji's Bernoulli mixture (d = M) it is the interior line of the phase diagram, a = (M + 1) / 2.
    """
    return (as_positive("parameters", parameters) + 1) / 2


def change_of_free_energy(shares, parameters: float, concentration: float) -> float:
    """F of copies with these shares (M,) minus F of equal shares, for many data and fixed smooth priors:
    ((d + 1)/2 - phi) sum_m (log w_m + log M). ValueError unless the shares are > 0 and sum to 1, and both numbers > 0.
    """
    w = _check_shares(shares)
    if not (w > 0).all():
        raise ValueError(
            f"shares is {shares!r}; in the limit of many data every copy must have a share > 0"
        )
    excess = critical_concentration(parameters) - as_positive("concentration", concentration)
    return float(excess * np.log(len(w) * w).sum())


def free_energy_of_copies(family: Family, concentration: float, S, shares) -> np.ndarray | float:
    """F (nats) when M copies share the data behind the statistics S (P,) in these shares (M,), exactly; of many such
    shares (..., M), F of each.

    concentration: of the symmetric Dirichlet over the M weights. A share of 0 is an empty component. The base
    measure is left out. ValueError if S is not one row of statistics or the shares do not sum to 1.
    """
    w, S = _check_shares(shares), _check_statistics(family, S)
    weights, parts = Dirichlet(as_positive("concentration", concentration)), w[..., None] * S
    n_components = family.log_normalizer(parts).sum(axis=-1) - w.shape[-1] * family.log_normalizer(
        0 * S
    )
    labels = weights.log_normalizer(parts[..., 0]) - weights.log_normalizer(0 * w)
    F = S[0] * xlogy(w, w).sum(axis=-1) - n_components - labels
    return float(F) if w.ndim == 1 else F


def gain_of_halves(family: Family, S) -> float:
    """2 A(S/2) - A(S) - A(0) (nats): what two components with half of the data behind S (P,) each are more likely to have
    seen than one component with all of them. ValueError if S is not one row of statistics."""
    A, S = family.log_normalizer, _check_statistics(family, S)
    return float(2 * A(S / 2) - A(S) - A(0 * S))


def switch_concentrations(gains, size: float) -> np.ndarray:
    """The concentrations (n,) at which two equal copies of a component with `size` data cost as much as one beside an
    empty component, for gains (n,) as from `gain_of_halves`: 0 where they cost less from 1e-6 on, inf where more up to 1e6.
    ValueError unless gains are finite and size > 0.
    """
    gains, size = as_array("gains", gains), as_positive("size", size)

    def more(log_concentration):
        phi = np.exp(log_concentration)
        return (
            -size * np.log(2)
            - gains
            - 2 * gammaln(phi + size / 2)
            + gammaln(phi + size)
            + gammaln(phi)
            > 0
        )

    low, high = np.full(gains.shape, np.log(1e-6)), np.full(gains.shape, np.log(1e6))
    never, always = more(high), ~more(low)
    return np.where(never, np.inf, np.where(always, 0.0, np.exp(bisect(more, low, high, 56))))


def switch_concentration(family: Family, S) -> float:
    """The concentration at which two equal copies that share the data behind S (P,) have the same F as one component
    with all of them beside an empty one; above it duplication pays.

    Unlike `critical_concentration`, its limit, it depends on the prior and on the number N of data, with a distance
    that falls like 1 / log N. ValueError if duplication pays for no concentration from 1e-6 to 1e6, or for every one.
    """
    S = _check_statistics(family, S)
    found = float(switch_concentrations(gain_of_halves(family, S), S[0]))
    if not 0 < found < np.inf:
        raise ValueError(
            f"S holds {S[0]:g} data, with which F has no switch at a concentration from 1e-6 to 1e6"
        )
    return found


def slope_in_share(family: Family, concentration: float, S, share) -> np.ndarray:
    """dF/dw / N (nats) of two copies with shares (w, 1 - w) of the data behind S (P,), for shares w (n,) in (0, 1).

    Exact, and free of the large terms of F: its signs are right for counts of 1e-20 and of 1e9 data. A sweep of VB
    that finds the copies coincident moves w towards where it vanishes. ValueError as for `free_energy_of_copies`.
    """
    w, odds = _check_open(share)
    S, concentration = _check_statistics(family, S), as_positive("concentration", concentration)
    labels = digamma(concentration + S[0] * w) - digamma(concentration + S[0] * (1 - w))
    return odds - labels - _advantage(family, S, w)


def stationary_concentration(family: Family, S, share) -> np.ndarray:
    """The concentration (n,) at which F is stationary in the share w of one of two copies of the data behind S (P,),
    for shares w (n,) in (0, 1/2); inf where F rises with w even at 1e9.

    The points are minima of F where this rises with w, and passes between minima where it falls. Towards w = 1/2 it is
    the concentration from which equal shares are stable, `critical_concentration` but for terms of order 1/N.
    ValueError for other shares, or if S is not one row of statistics.
    """
    w, odds = _check_open(share)
    if not (w < 0.5).all():
        raise ValueError(f"share is {share!r}; it must be numbers above 0 and below 1/2")
    S = _check_statistics(family, S)
    wanted, n = odds - _advantage(family, S, w), S[0] * w

    def excess(log_phi):
        phi = np.exp(log_phi)
        return digamma(phi + n) - digamma(phi + S[0] - n) - wanted

    low, high = np.full(w.shape, np.log(1e-9)), np.full(w.shape, np.log(1e9))
    found = np.exp(bisect(lambda log_phi: excess(log_phi) < 0, low, high, 60))
    return np.where(excess(high) < 0, np.inf, found)


def prior_constant(family: Family, S, parameters: float) -> float:
    """c of the expansion A(S) - A(0) = N l - (d/2) log N + c of the family's log-normaliser, at the averages of S (P,).

    For d smooth parameters it is the log prior density at the component, over the square root of the Fisher information
    there, plus (d/2) log 2 pi. With it F of two equal copies less F of one beside an empty component is, for many data,
    ((d + 1)/2 - phi) log(N/4) + log Gamma(phi) - log(2 pi)/2 - c.
    """
    S = _check_statistics(family, S)
    return gain_of_halves(family, S) + float(
        as_positive("parameters", parameters) / 2 * np.log(S[0] / 4)
    )


def _advantage(family: Family, S, w) -> np.ndarray:
    """E log p of the average data point under the copy with share w, less that under the other: (n,)."""
    E = family.expected(np.concatenate([w, 1 - w])[:, None] * S)
    return (E[: len(w)] - E[len(w) :]) @ (S / S[0])


def _check_statistics(family: Family, S) -> np.ndarray:
    S, P = as_array("S", S), family.statistics(np.ones((1, family.dimension))).shape[1]
    if S.shape != (P,) or not S[0] > 0:
        raise ValueError(
            f"S has shape {S.shape}; it must be one component's statistics ({P},) with a count > 0"
        )
    return S


def _check_open(share) -> tuple[np.ndarray, np.ndarray]:
    w = as_vector("share", share)
    if not ((w > 0) & (w < 1)).all():
        raise ValueError(f"share is {share!r}; it must be numbers above 0 and below 1")
    return w, np.log(w) - np.log1p(-w)


def _check_shares(shares) -> np.ndarray:
    w = as_array("shares", shares)
    if w.ndim < 1 or not (w >= 0).all() or not (abs(w.sum(axis=-1) - 1) < 1e-9).all():
        raise ValueError(f"shares is {shares!r}; it must be numbers >= 0 that sum to 1, one a copy")
    return w
