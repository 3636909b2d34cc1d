"""Moves of structure, for any family: split a unit, merge two, delete some; and what each does to the bound.

Where the posterior over parameters is the M-step of responsibilities R, S = R' t(X), the bound is

    sum_n w_n (entropy of r_n + log_base(x_n)) + sum_k (A(S_k) - A(0)) + B(counts) - B(0),

A the log-normaliser of a unit's prior and B that of the Dirichlet. A move turns R into other responsibilities R', so
the change of the bound before anything is learned again is exact, and follows from the statistics and the entropies.
Learning from there raises it: it is what a move gains at least.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from vbkit.checks import as_whole
from vbkit.compiled import softmax_columns
from vbkit.families.base import ROUNDING
from vbkit.mixture import EM, Mixture, Observations, blocks

Prior = (
    Mixture | Callable[[int], Mixture]
)  # the model of any number of units, or the model of K units (Sato's gamma0/K)
ALL = np.empty(0)  # weights of softmax_columns: all ones


class Move(NamedTuple):
    """A change of structure and where learning goes on from.

    kind: "split", "merge" or "delete"; units: what was changed, by the old numbers. mixture and S (K', P): the new model
    and state. gain (nats): the exact change of the bound before learning, from the M-step of the old responsibilities to
    the M-step of the new ones.
    """

    kind: str
    units: tuple[int, ...]
    mixture: Mixture
    S: np.ndarray
    gain: float


@dataclass(frozen=True, eq=False)
class Census:
    """One E-step at the state `at` (K, P), with what moves of structure need of it.

    S (K, P): the M-step. entropy (K,): -sum_n w r log r of each unit; base (K,): sum_n w r log_base. overlap (K, K):
    sum_n w r_k r_l. pair_entropy (K, K): -sum_n w (r_k + r_l) log(r_k + r_l), the entropy of two units made one.
    """

    mixture: Mixture
    data: Observations
    at: np.ndarray
    S: np.ndarray
    entropy: np.ndarray
    base: np.ndarray
    overlap: np.ndarray
    pair_entropy: np.ndarray

    @cached_property
    def bound(self) -> float:
        """The bound (nats) of these responsibilities and their M-step."""
        return float(self.entropy.sum() + self.base.sum()) + log_evidence_of_statistics(self.mixture, self.S)

    @cached_property
    def unit_bounds(self) -> np.ndarray:
        """Each unit's share (K,) of the bound, Sato's F_i (2000, A.13). With `constant` they add up to `bound`.

        The Dirichlet's log Gamma of all counts is shared out by the expected weights of the units, as (A.13) does.
        """
        mixture, E = self.mixture, self.mixture.effective(self.S)
        alpha = mixture.weights.posterior(E[:, 0])
        units = mixture.component.log_normalizer(E) - mixture._log_normalizer_of_prior
        weights = gammaln(alpha) - alpha / alpha.sum() * gammaln(alpha.sum())
        return self.entropy + self.base + (units + weights) / mixture.copies

    @property
    def constant(self) -> float:
        """What the bound holds besides the units' shares, and (A.13) leaves out: log Gamma(sum a) - sum log Gamma(a),
        a the prior concentrations. It depends on the number of units."""
        return -float(self.mixture.weights.log_normalizer(np.zeros(len(self.S)))) / self.mixture.copies

    @property
    def correlation(self) -> np.ndarray:
        """The cosine (K, K) between the responsibilities of two units, over the data."""
        norm = np.sqrt(self.overlap.diagonal())
        product = np.outer(norm, norm)
        return np.divide(self.overlap, product, where=product > 0, out=np.zeros_like(product))


def take_census(mixture: Mixture, X, S, weights=None) -> Census:
    """The E-step over X (N, D) at the state S (K, P), in blocks. Raises ValueError on unfit data, and for copies = EM:
    structure is judged by the evidence, and maximum likelihood has none."""
    data, S = mixture.observe(X, weights), mixture.check_state(S)
    if mixture.copies >= EM:
        raise ValueError("copies is EM; moves of structure compare bounds on the evidence, which needs fewer copies")
    K = len(S)
    total, entropy, base, overlap = np.zeros_like(S), np.zeros(K), np.zeros(K), np.zeros((K, K))
    pairs = np.zeros((K, K))
    for T, R, w, log_base in _e_step(mixture, data, S):
        weighted = R * w
        total += weighted @ T.T
        overlap += weighted @ R.T
        entropy -= xlogy(R, R) @ w
        if log_base is not None:
            base += weighted @ log_base
        for k in range(K - 1):
            both = R[k] + R[k + 1 :]
            pairs[k, k + 1 :] -= xlogy(both, both) @ w
    return Census(mixture, data, S, total, entropy, base, overlap, pairs + pairs.T)


def _e_step(mixture: Mixture, data: Observations, S, keep=slice(None)):
    """Of each block of n data: statistics (P, n), responsibilities (K, n) of the units `keep` as if there were no
    others, weights (n,), and the log base measure (n,) or None."""
    _, W, log_pi = mixture._expected(mixture.effective(S))
    W[:, 0] += log_pi
    for rows in blocks(len(data.X), max(S.shape)):
        T = mixture.component.statistics(data.X[rows]).T
        R = W[keep] @ T
        softmax_columns(R, ALL)
        w = np.ones(T.shape[1]) if data.weights is None else data.weights[rows]
        yield T, R, w, mixture.component.log_base(data.X[rows])


def log_evidence_of_statistics(mixture: Mixture, S: np.ndarray) -> float:
    """log E_prior[exp <S, theta>], weights included (nats per copy): the bound but for entropy and base measure."""
    E = mixture.effective(S)
    n = E[:, 0]
    units = mixture.component.log_normalizer(E).sum() - len(E) * mixture._log_normalizer_of_prior
    return float(units + mixture.weights.log_normalizer(n) - mixture.weights.log_normalizer(0 * n)) / mixture.copies


def model_of(prior: Prior, units: int) -> Mixture:
    """The mixture of so many units. Raises ValueError if it is none, or its Dirichlet has a number a unit."""
    mixture = prior if isinstance(prior, Mixture) else prior(units)
    if not isinstance(mixture, Mixture):
        raise ValueError(
            f"prior gives {mixture!r} for {units} units; it must be a Mixture, or give one for each number"
        )
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
    for T, R, w, _ in _e_step(census.mixture, census.data, census.at, rest):
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
    r = np.concatenate([R[unit] * w for _, R, w, _ in _e_step(mixture, data, S)])
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


def _axis(mixture: Mixture, X, S, unit: int, weights) -> tuple[Observations, Axis]:
    data, S = mixture.observe(X, weights), mixture.check_state(S)
    axis = principal_axis(mixture, data, S, _unit("unit", unit, len(S)))
    if axis is None:
        raise ValueError(f"unit {unit} holds no two distinct data, so it has no halves")
    return data, axis


def split_halves(mixture: Mixture, X, S, unit: int, weights=None) -> Halves:
    """Split one unit of any family by the side on which a datum lies along the unit's principal direction.

    The direction is the leading eigenvector of the covariance of X under the unit's responsibilities; the halves are
    (r side).T @ statistics and the rest, so no statistic is lost. Raises ValueError if there is no such unit, or if
    fewer than two distinct data belong to it.
    """
    data, axis = _axis(mixture, X, S, unit, weights)
    side, T = axis.deviation > 0, mixture.component.statistics(data.X)
    return Halves((axis.r * side) @ T, (axis.r * ~side) @ T)


def split_along_axis(mixture: Mixture, X, S, unit: int, weights=None) -> Halves:
    """Split one Gaussian unit in two of half its count, at its centre +- sqrt(lambda / 2) u, with its covariance less
    lambda / 2 u u', lambda being the variance along the principal direction u. It conserves the unit's statistics.
    Raises as `split_halves` does, and for a family that has no `state`."""
    if not hasattr(mixture.component, "state"):
        raise ValueError(
            f"{type(mixture.component).__name__} has no `state`; split_along_axis is for Gaussian families"
        )
    _, axis = _axis(mixture, X, S, unit, weights)
    step = np.sqrt(axis.variance / 2) * axis.direction
    covariance = axis.covariance - np.outer(step, step)
    count = axis.r.sum() / 2
    centres = [axis.mean + step, axis.mean - step]
    return Halves(*mixture.component.state([count, count], centres, [covariance, covariance]))


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
    return move._replace(gain=move.mixture.sweep(census.data, S).elbo - census.bound)
