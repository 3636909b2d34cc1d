"""What a mixture gains by representing one component with several copies of it.

All copies have the same shape and differ in weight only, so that each data point is
shared among them in the same proportions. F = -ELBO is minimised, as in Kaji's thesis
and Nakajima's slides.
"""

import numpy as np
from scipy.special import digamma, gammaln, xlogy

from vbkit.checks import as_array, as_instance, as_positive, as_vector
from vbkit.families.base import Family
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture


def bisect(below, low, high, steps: int) -> np.ndarray:
    """Halve the brackets between `low` and `high` (...) `steps` times.

    below: a function of positions (...) that is True up to some place in each bracket
    and False from there on. Returns the middles (...) of the last brackets.
    """
    for _ in range(steps):
        middle = (low + high) / 2
        is_below = below(middle)
        low = np.where(is_below, middle, low)
        high = np.where(is_below, high, middle)
    return (low + high) / 2


def critical_concentration(parameters: float) -> float:
    """(d + 1) / 2, the concentration at which copies of a component keep their shares.

    parameters: d, their number in a component. In Kaji's Bernoulli mixture (d = M) it
    is the interior line of the phase diagram.
    """
    return (as_positive("parameters", parameters) + 1) / 2


def change_of_free_energy(shares, parameters: float, concentration: float) -> float:
    """F (nats) of copies with shares w (M,) less F of equal shares, for many data:

        ((d + 1) / 2 - alpha) sum_m (log w_m + log M),

    with a fixed prior, d the number of `parameters` and alpha the concentration. Raises
    ValueError unless all numbers are greater than 0 and the shares sum to 1.
    """
    w = _check_shares(shares)
    if not (w > 0).all():
        raise ValueError(
            f"shares is {shares!r}; with many data every copy must have a share > 0"
        )
    concentration = as_positive("concentration", concentration)
    excess = critical_concentration(parameters) - concentration
    return float(excess * np.log(len(w) * w).sum())


def free_energy_of_copies(
    family: Family, concentration: float, S, shares
) -> np.ndarray | float:
    """F (nats), exactly, of M copies that share the data behind the statistics S (P,).

    shares (M,): of the copies; or many such shares (..., M), for F (...) of each. A
    share of 0 is an empty component. concentration: of the symmetric Dirichlet over the
    M weights. The base measure is left out. Raises ValueError unless S is one row of
    statistics and the shares sum to 1.
    """
    w = _check_shares(shares)
    S = _check_statistics(family, S)
    mixture = Mixture(family, Dirichlet(as_positive("concentration", concentration)))
    ratio = mixture.log_normalizer_ratio(w[..., None] * S)
    F = S[0] * xlogy(w, w).sum(axis=-1) - ratio
    if w.ndim == 1:
        return float(F)
    return F


def gain_of_halves(family: Family, S) -> float:
    """2 A(S/2) - A(S) - A(0) (nats), A the log-normaliser, for statistics S (P,).

    How much more likely two components are to have seen half of the data each than one
    to have seen all. Raises ValueError unless S is one row of statistics.
    """
    S = _check_statistics(family, S)
    A = family.log_normalizer
    return float(2 * A(S / 2) - A(S) - A(0 * S))


def switch_concentrations(gains, size: float) -> np.ndarray:
    """The concentrations (n,) at which duplication begins to pay, for gains (n,).

    There two equal copies of a component with `size` data have the same F as one beside
    an empty component. gains: as from `gain_of_halves`. The result is 0 where the
    copies have the lower F from 1e-6 on, inf where they have the higher up to 1e6.
    Raises ValueError unless the gains are finite and size > 0.
    """
    gains = as_array("gains", gains)
    size = as_positive("size", size)

    def copies_cost_more(log_concentration):
        alpha = np.exp(log_concentration)
        of_one = gammaln(alpha + size) + gammaln(alpha)
        label_cost = of_one - 2 * gammaln(alpha + size / 2)
        return label_cost > size * np.log(2) + gains

    low = np.full(gains.shape, np.log(1e-6))
    high = np.full(gains.shape, np.log(1e6))
    switches = np.exp(bisect(copies_cost_more, low, high, 56))
    switches = np.where(copies_cost_more(low), switches, 0.0)
    return np.where(copies_cost_more(high), np.inf, switches)


def switch_concentration(family: Family, S) -> float:
    """The concentration above which duplication pays, for the data behind S (P,).

    There two equal copies that share the data have the same F as one component with all
    of them beside an empty one. Unlike `critical_concentration`, its limit, it depends
    on the prior and on the number N of data, with a distance that falls like 1 / log N.
    Raises ValueError where there is none from 1e-6 to 1e6.
    """
    S = _check_statistics(family, S)
    switch = float(switch_concentrations(gain_of_halves(family, S), S[0]))
    if not 0 < switch < np.inf:
        raise ValueError(
            f"S holds {S[0]:g} data; no concentration from 1e-6 to 1e6 is a switch"
        )
    return switch


def slope_in_share(family: Family, concentration: float, S, share) -> np.ndarray:
    """dF/dw / N (n,) in nats of two copies that share the data behind S (P,).

    share: w (n,) in (0, 1); the copies have w and 1 - w. Exact, and free of the large
    terms of F: the signs are right for counts of 1e-20 and for 1e9 data. An iteration
    of VB that finds the copies coincident moves w towards where it vanishes. Raises
    ValueError unless S is one row of statistics and the numbers are in range.
    """
    w = _check_open(share)
    S = _check_statistics(family, S)
    alpha = as_positive("concentration", concentration)
    log_weights = digamma(alpha + S[0] * w) - digamma(alpha + S[0] * (1 - w))
    return _log_odds(w) - log_weights - _advantage(family, S, w)


def stationary_concentration(family: Family, S, share) -> np.ndarray:
    """The concentrations (n,) at which F is stationary in the share w of one of two
    copies.

    share: w (n,) in (0, 1/2), of the data behind S (P,). The result is inf where F
    rises with w even at 1e9. The points are minima of F where the concentration rises
    with w, and passes between minima where it falls. Towards w = 1/2 it becomes the
    concentration from which equal shares are stable: `critical_concentration` but for
    terms of order 1/N. Raises ValueError for other shares, and unless S is one row of
    statistics.
    """
    w = _check_open(share)
    if not (w < 0.5).all():
        raise ValueError(
            f"share is {share!r}; it must be numbers above 0 and below 1/2"
        )
    S = _check_statistics(family, S)
    n = S[0] * w
    log_weights = _log_odds(w) - _advantage(family, S, w)  # where the slope vanishes

    def too_low(log_concentration):
        alpha = np.exp(log_concentration)
        return digamma(alpha + n) - digamma(alpha + S[0] - n) - log_weights < 0

    low = np.full(w.shape, np.log(1e-9))
    high = np.full(w.shape, np.log(1e9))
    concentrations = np.exp(bisect(too_low, low, high, 60))
    return np.where(too_low(high), np.inf, concentrations)


def prior_constant(family: Family, S, parameters: float) -> float:
    """c in A(S) - A(0) = N l - (d/2) log N + c, the expansion of the log-normaliser A.

    S (P,): N data of one component. For d smooth parameters c is the log prior density
    at the component, less half the log determinant of the Fisher information there,
    plus (d/2) log 2 pi. For many data, F of two equal copies less F of one beside an
    empty component is

        ((d + 1)/2 - alpha) log(N/4) + log Gamma(alpha) - log(2 pi)/2 - c.

    Raises ValueError unless S is one row of statistics and d > 0.
    """
    S = _check_statistics(family, S)
    d = as_positive("parameters", parameters)
    return gain_of_halves(family, S) + float(d / 2 * np.log(S[0] / 4))


def _advantage(family: Family, S, w) -> np.ndarray:
    """E log p (n,) of the average data point under the copy with share w (n,), less
    that under the other copy.
    """
    average = S / S[0]
    E = family.expected(np.concatenate([w, 1 - w])[:, None] * S)
    first, second = np.split(E, 2)
    return (first - second) @ average


def _log_odds(w) -> np.ndarray:
    return np.log(w) - np.log1p(-w)


def _check_statistics(family: Family, S) -> np.ndarray:
    S = as_array("S", S)
    P = as_instance("family", family, Family).n_statistics
    if S.shape != (P,) or not S[0] > 0:
        raise ValueError(
            f"S has shape {S.shape}; it must be statistics ({P},) with a count > 0"
        )
    return S


def _check_open(share) -> np.ndarray:
    w = as_vector("share", share)
    if not ((w > 0) & (w < 1)).all():
        raise ValueError(f"share is {share!r}; it must be numbers above 0 and below 1")
    return w


def _check_shares(shares) -> np.ndarray:
    w = as_array("shares", shares)
    if (
        w.ndim < 1
        or not (w >= 0).all()
        or not (np.abs(w.sum(axis=-1) - 1) < 1e-9).all()
    ):
        raise ValueError(
            f"shares is {shares!r}; it must be numbers >= 0 that sum to 1, one a copy"
        )
    return w
