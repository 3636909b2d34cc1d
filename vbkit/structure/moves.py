"""Moves of structure, for any family: split a unit, merge two, delete some; and what each does to the bound.

A move turns responsibilities R into R' of another number of units. Of their M-steps the bounds are known exactly (see
`vbkit.structure.census`), so the change of the bound before anything is learned again is exact, too. Learning from
there raises the bound: that change is what a move gains at least.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from vbkit.checks import as_whole
from vbkit.families.base import ROUNDING, as_gaussian
from vbkit.mixture import Mixture, Observations
from vbkit.structure.census import Census, e_step, log_evidence_of_statistics

# The model of any number of units, or a function that gives that of K units (Sato's prior has gamma0 / K).
Prior = Mixture | Callable[[int], Mixture]


class Move(NamedTuple):
    """A change of structure and where learning goes on from.

    kind: "split", "merge" or "delete"; units: what was changed, by the old numbers. mixture and S (K', P): the new
    model and state. gain (nats): the exact change of the bound before learning, from the M-step of the old
    responsibilities to the M-step of the new ones.
    """

    kind: str
    units: tuple[int, ...]
    mixture: Mixture
    S: np.ndarray
    gain: float


def model_of(prior: Prior, units: int) -> Mixture:
    """The mixture of so many units. Raises ValueError if it is none, or its Dirichlet has a number a unit."""
    if not (isinstance(prior, Mixture) or callable(prior)):
        raise ValueError(f"prior is {prior!r}; it must be a Mixture, or a function that gives that of K units")
    mixture = prior if isinstance(prior, Mixture) else prior(units)
    if not isinstance(mixture, Mixture):
        raise ValueError(f"prior gives {mixture!r} for {units} units; it must be a Mixture or give one")
    if np.ndim(mixture.weights.concentration):
        raise ValueError("concentration has one entry a unit; where the number of units changes it must be one number")
    return mixture


def _moved(census: Census, prior: Prior | None, kind, units, S, entropy: float, base: float) -> Move:
    mixture = model_of(census.mixture if prior is None else prior, len(S))
    old, new = census.mixture.component, mixture.component
    if type(old) is not type(new) or not np.array_equal(old.origin, new.origin):
        raise ValueError("prior must give the same family, measured from the same point, for each number of units")
    gain = entropy + base + log_evidence_of_statistics(mixture, S) - census.bound
    return Move(kind, units, mixture, S, float(gain))


# ---- merge and delete ------------------------------------------------------------------------------------------------


def merge(census: Census, first: int, second: int, prior: Prior | None = None) -> Move:
    """Make two units one, r = r_first + r_second, in the place of the lower number.

    prior: the model for each number of units, if it is not the census's own. Raises ValueError where there is nothing
    to merge: one unit, or twice the same.
    """
    K = len(census.S)
    if K == 1:
        raise ValueError("the state has 1 unit; there is nothing to merge it with")
    i, j = sorted((_unit("first", first, K), _unit("second", second, K)))
    if i == j:
        raise ValueError(f"first and second are both {i}; a merge needs two units")
    S = census.S.copy()
    S[i] += S[j]
    entropy = census.entropy.sum() - census.entropy[i] - census.entropy[j] + census.pair_entropy[i, j]
    return _moved(census, prior, "merge", (i, j), np.delete(S, j, axis=0), entropy, census.base.sum())


def delete(census: Census, units, prior: Prior | None = None) -> Move:
    """Take away one unit, or several: the responsibilities of the others are rescaled to add up to 1 for each datum,
    r_l / sum over the others, worked out from their log densities, so also where the deleted ones held all of a datum.

    Raises ValueError where no unit would be left.
    """
    K = len(census.S)
    gone = sorted({_unit("units", k, K) for k in np.atleast_1d(units).tolist()})
    if not gone or len(gone) == K:
        raise ValueError(f"units is {units!r} of {K}; at least one unit must go and one must stay")
    rest = np.delete(np.arange(K), gone)
    S, entropy = np.zeros((len(rest), census.S.shape[1])), 0.0
    for T, R, w, _ in e_step(census.mixture, census.data, census.at, rest):
        S += (R * w) @ T.T
        entropy -= float((xlogy(R, R) @ w).sum())
    return _moved(census, prior, "delete", tuple(gone), S, entropy, census.base.sum())


def _unit(name: str, unit, K: int) -> int:
    if as_whole(name, unit, 0) >= K:
        raise ValueError(f"{name} is {unit}; the state has units 0 to {K - 1}")
    return int(unit)


# ---- split -----------------------------------------------------------------------------------------------------------


class Halves(NamedTuple):
    """The states (P,) of the two halves of a unit; they add up to the unit's own statistics."""

    first: np.ndarray
    second: np.ndarray


class Axis(NamedTuple):
    """The principal direction (D,) of the data under one unit's responsibilities r (N,), weights included; the variance
    along it, their mean (D,) and covariance (D, D), and each datum's deviation (N,) from the mean along it."""

    r: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    variance: float
    direction: np.ndarray
    deviation: np.ndarray


def principal_axis(mixture: Mixture, data: Observations, S, unit: int) -> Axis | None:
    """None where the unit holds no two distinct data, so that there is no direction."""
    r = np.concatenate([R[unit] * w for _, R, w, _ in e_step(mixture, data, S)])
    n = r.sum()
    if not n:
        return None
    x = data.X - mixture.component.origin
    mean = r @ x / n
    deviation = x - mean
    covariance = (r[:, None] * deviation).T @ deviation / n
    variances, directions = np.linalg.eigh(covariance)
    if variances[-1] <= ROUNDING * (r @ x**2).sum() / n:
        return None
    u = directions[:, -1]
    return Axis(r, mean + mixture.component.origin, covariance, float(variances[-1]), u, deviation @ u)


def _axis(mixture: Mixture, X, S, unit: int) -> tuple[Observations, Axis]:
    data, S = mixture.observe(X), mixture.check_state(S)
    axis = principal_axis(mixture, data, S, _unit("unit", unit, len(S)))
    if axis is None:
        raise ValueError(f"unit {unit} holds no two distinct data, so it has no halves")
    return data, axis


def split_halves(mixture: Mixture, X, S, unit: int) -> Halves:
    """Split one unit of any family by the side on which a datum lies along the unit's principal direction.

    The direction is the leading eigenvector of the covariance of X under the unit's responsibilities; the halves are
    (r side).T @ statistics and the rest, so no statistic is lost. Raises ValueError if there is no such unit, or if
    fewer than two distinct data belong to it.
    """
    data, axis = _axis(mixture, X, S, unit)
    side, T = axis.deviation > 0, mixture.component.statistics(data.X)
    return Halves((axis.r * side) @ T, (axis.r * ~side) @ T)


def split_along_axis(mixture: Mixture, X, S, unit: int) -> Halves:
    """Split one Gaussian unit in two of half its count, at its centre +- sqrt(lambda / 2) u, with its covariance less
    lambda / 2 u u', lambda being the variance along the principal direction u. It conserves the unit's statistics.
    Raises as `split_halves` does, and for another family."""
    component, (_, axis) = as_gaussian(mixture.component), _axis(mixture, X, S, unit)
    step = np.sqrt(axis.variance / 2) * axis.direction
    covariance = axis.covariance - np.outer(step, step)
    count = axis.r.sum() / 2
    centres = [axis.mean + step, axis.mean - step]
    return Halves(*component.state([count, count], centres, [covariance, covariance]))


def split(census: Census, unit: int, prior: Prior | None = None, by: Callable[..., Halves] = split_halves) -> Move:
    """Put the first half in the unit's place and the second at the end.

    by: `split_halves`, which divides responsibilities and so leaves the entropy as it is, or `split_along_axis`, whose
    halves are the M-step of no responsibilities: there the gain is that of one E-step from them.
    """
    first, second = by(census.mixture, census.data, census.at, unit)
    S = np.concatenate([census.S, second[None]])
    S[unit] = first
    move = _moved(census, prior, "split", (int(unit),), S, census.entropy.sum(), census.base.sum())
    if by is split_halves:
        return move
    return move._replace(gain=move.mixture.elbo(census.data, S) - census.bound)
