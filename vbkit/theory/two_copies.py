"""What a mixture gains by representing one component with several copies of it.

All copies have the same shape and differ in weight only, so that each data point is shared among
them in the same proportions. F = -ELBO is minimised, as in Kaji's thesis and Nakajima's slides.
"""

import numpy as np
from scipy.special import digamma, gammaln, xlogy

from vbkit.checks import as_array, as_instance, as_positive, as_vector
from vbkit.families.base import Family
from vbkit.families.dirichlet import Dirichlet
from vbkit.mixture import Mixture


def bisect(below, low, high, steps: int) -> np.ndarray:
    """Halve the brackets between `low` and `high` (...) `steps` times; return their middles (...).

    below: a function of positions (...) that is True up to some place in each bracket and False
    from there on.
    """
    for _ in range(steps):
        middle = (low + high) / 2
        first = below(middle)
        low, high = np.where(first, middle, low), np.where(first, high, middle)
    return (low + high) / 2


def critical_concentration(parameters: float) -> float:
    """The concentration (d + 1) / 2 at which copies of a component with d parameters keep their
    shares. In Kaji's Bernoulli mixture (d = M) it is the interior line of the phase diagram."""
    return (as_positive("parameters", parameters) + 1) / 2


def change_of_free_energy(shares, parameters: float, concentration: float) -> float:
    """F (nats) of copies with shares w (M,) less F of equal shares, for many data and fixed priors:
    ((d + 1)/2 - phi) sum_m (log w_m + log M).

    Raises ValueError unless all numbers are greater than 0 and the shares sum to 1.
    """
    w = _check_shares(shares)
    if not (w > 0).all():
        raise ValueError(
            f"shares is {shares!r}; with many data every copy must have a share > 0"
        )
    excess = critical_concentration(parameters) - as_positive(
        "concentration", concentration
    )
    return float(excess * np.log(len(w) * w).sum())


def free_energy_of_copies(
    family: Family, concentration: float, S, shares
) -> np.ndarray | float:
    """F (nats), exactly, of M copies that share the data behind the statistics S (P,).

    shares (M,): of the copies; or many such shares (..., M), for F (...) of each. A share of 0 is
    an empty component. concentration: of the symmetric Dirichlet over the M weights. The base
    measure is left out. Raises ValueError unless S is one row of statistics and the shares sum to
    1.
    """
    w, S = _check_shares(shares), _check_statistics(family, S)
    mixture = Mixture(family, Dirichlet(as_positive("concentration", concentration)))
    ratio = mixture.log_normalizer_ratio(w[..., None] * S)
    F = S[0] * xlogy(w, w).sum(axis=-1) - ratio
    return float(F) if w.ndim == 1 else F


def gain_of_halves(family: Family, S) -> float:
    """2 A(S/2) - A(S) - A(0) (nats), A the log-normaliser, for statistics S (P,): how much more
    likely two components are to have seen half of the data each than one to have seen all.

    Raises ValueError unless S is one row of statistics.
    """
    S, A = _check_statistics(family, S), family.log_normalizer
    return float(2 * A(S / 2) - A(S) - A(0 * S))


def switch_concentrations(gains, size: float) -> np.ndarray:
    """The concentrations (n,) at which two equal copies of a component with `size` data have the
    same F as one beside an empty component, for gains (n,) as from `gain_of_halves`.

    0 where the copies have the lower F from 1e-6 on, inf where they have the higher up to 1e6.
    Raises ValueError unless the gains are finite and size > 0.
    """
    gains, size = as_array("gains", gains), as_positive("size", size)

    def copies_cost_more(log_concentration):
        phi = np.exp(log_concentration)
        labels = gammaln(phi + size) + gammaln(phi) - 2 * gammaln(phi + size / 2)
        return labels > size * np.log(2) + gains

    low, high = np.full(gains.shape, np.log(1e-6)), np.full(gains.shape, np.log(1e6))
    found = np.exp(bisect(copies_cost_more, low, high, 56))
    found = np.where(copies_cost_more(low), found, 0.0)
    return np.where(copies_cost_more(high), np.inf, found)


def switch_concentration(family: Family, S) -> float:
    """The concentration at which two equal copies that share the data behind S (P,) have the same F
    as one component with all of them beside an empty one; above it duplication pays.

    Unlike `critical_concentration`, its limit, it depends on the prior and on the number N of data,
    with a distance that falls like 1 / log N. Raises ValueError where there is none from 1e-6 to
    1e6.
    """
    S = _check_statistics(family, S)
    found = float(switch_concentrations(gain_of_halves(family, S), S[0]))
    if not 0 < found < np.inf:
        raise ValueError(
            f"S holds {S[0]:g} data; no concentration from 1e-6 to 1e6 is a switch"
        )
    return found


def slope_in_share(family: Family, concentration: float, S, share) -> np.ndarray:
    """dF/dw / N (n,) in nats of two copies with shares (w, 1 - w) of the data behind S (P,), for
    shares w (n,) in (0, 1).

    Exact, and free of the large terms of F: the signs are right for counts of 1e-20 and for 1e9
    data. An iteration of VB that finds the copies coincident moves w towards where it vanishes.
    Raises ValueError unless S is one row of statistics and the numbers are in range.
    """
    w, odds = _check_open(share)
    S, concentration = (
        _check_statistics(family, S),
        as_positive("concentration", concentration),
    )
    labels = digamma(concentration + S[0] * w) - digamma(concentration + S[0] * (1 - w))
    return odds - labels - _advantage(family, S, w)


def stationary_concentration(family: Family, S, share) -> np.ndarray:
    """The concentrations (n,) at which F is stationary in the share w of one of two copies of the
    data behind S (P,), for shares w (n,) in (0, 1/2); inf where F rises with w even at 1e9.

    The points are minima of F where the concentration rises with w, and passes between minima where
    it falls. Towards w = 1/2 it becomes the concentration from which equal shares are stable:
    `critical_concentration` but for terms of order 1/N. Raises ValueError for other shares, and
    unless S is one row of statistics.
    """
    w, odds = _check_open(share)
    if not (w < 0.5).all():
        raise ValueError(
            f"share is {share!r}; it must be numbers above 0 and below 1/2"
        )
    S = _check_statistics(family, S)
    wanted, n = odds - _advantage(family, S, w), S[0] * w

    def below(log_phi):
        phi = np.exp(log_phi)
        return digamma(phi + n) - digamma(phi + S[0] - n) - wanted < 0

    low, high = np.full(w.shape, np.log(1e-9)), np.full(w.shape, np.log(1e9))
    return np.where(below(high), np.inf, np.exp(bisect(below, low, high, 60)))


def prior_constant(family: Family, S, parameters: float) -> float:
    """c in A(S) - A(0) = N l - (d/2) log N + c, the expansion of the log-normaliser A, at S (P,).

    For d smooth parameters c is the log prior density at the component, less half the log
    determinant of the Fisher information there, plus (d/2) log 2 pi. For many data, F of two equal
    copies less F of one beside an empty component is ((d + 1)/2 - phi) log(N/4) + log Gamma(phi)
    - log(2 pi)/2 - c. Raises ValueError unless S is one row of statistics and d > 0.
    """
    S, d = _check_statistics(family, S), as_positive("parameters", parameters)
    return gain_of_halves(family, S) + float(d / 2 * np.log(S[0] / 4))


def _advantage(family: Family, S, w) -> np.ndarray:
    """E log p (n,) of the average data point under the copy with share w (n,), less that under the
    other."""
    E = family.expected(np.concatenate([w, 1 - w])[:, None] * S)
    return (E[: len(w)] - E[len(w) :]) @ (S / S[0])


def _check_statistics(family: Family, S) -> np.ndarray:
    S, P = as_array("S", S), as_instance("family", family, Family).n_statistics
    if S.shape != (P,) or not S[0] > 0:
        raise ValueError(
            f"S has shape {S.shape}; it must be statistics ({P},) with a count > 0"
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
        raise ValueError(
            f"shares is {shares!r}; it must be numbers >= 0 that sum to 1, one a copy"
        )
    return w
