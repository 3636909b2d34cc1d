"""Moves of structure, for any family: split a component, merge two, delete some; and what each does to the ELBO.

A move turns responsibilities R into R' of another number of components. Of their M-steps the bounds are known exactly (see
`vbkit.structure.statistics`), so the change of the ELBO before anything is learned again is exact, too. Learning from
there raises the ELBO: that change is what a move gains at least.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from vbkit.checks import as_integer
from vbkit.families.base import ROUNDING, as_gaussian
from vbkit.mixture import Mixture, Observations
from vbkit.structure.statistics import ResponsibilityStatistics, e_step, log_evidence_of_statistics

# The model of any number of components, or a function that gives that of K components (Sato's prior has gamma0 / K).
Prior = Mixture | Callable[[int], Mixture]


class Move(NamedTuple):
    """A change of structure and where learning goes on from.

    kind: "split", "merge" or "delete"; components: what was changed, by the old numbers. mixture and S (K', P): the new
    model and state. gain (nats): the exact change of the ELBO before learning, from the M-step of the old
    responsibilities to the M-step of the new ones.
    """

    kind: str
    components: tuple[int, ...]
    mixture: Mixture
    S: np.ndarray
    gain: float


def model_of(prior: Prior, components: int) -> Mixture:
    """The mixture of so many components. Raises ValueError if it is none, or its Dirichlet has a number a component."""
    if not (isinstance(prior, Mixture) or callable(prior)):
        raise ValueError(
            f"prior is {prior!r}; it must be a Mixture, or a function that gives that of K components"
        )
    mixture = prior if isinstance(prior, Mixture) else prior(components)
    if not isinstance(mixture, Mixture):
        raise ValueError(
            f"prior gives {mixture!r} for {components} components; it must be a Mixture or give one"
        )
    if np.ndim(mixture.weights.concentration):
        raise ValueError(
            "concentration has one entry a component; where the number of components changes it must be one number"
        )
    return mixture


def _moved(
    stats: ResponsibilityStatistics,
    prior: Prior | None,
    kind,
    components,
    S,
    entropy: float,
    base: float,
) -> Move:
    mixture = model_of(stats.mixture if prior is None else prior, len(S))
    old, new = stats.mixture.family, mixture.family
    if type(old) is not type(new) or not np.array_equal(old.origin, new.origin):
        raise ValueError(
            "prior must give the same family, measured from the same point, for each number of components"
        )
    gain = entropy + base + log_evidence_of_statistics(mixture, S) - stats.elbo
    return Move(kind, components, mixture, S, float(gain))


# ---- merge and delete ------------------------------------------------------------------------------------------------


def merge(
    stats: ResponsibilityStatistics, first: int, second: int, prior: Prior | None = None
) -> Move:
    """Make two components one, r = r_first + r_second, in the place of the lower number.

    prior: the model for each number of components, if it is not the census's own. Raises ValueError where there is nothing
    to merge: one component, or twice the same.
    """
    K = len(stats.S)
    if K == 1:
        raise ValueError("the state has 1 component; there is nothing to merge it with")
    i, j = sorted((_component("first", first, K), _component("second", second, K)))
    if i == j:
        raise ValueError(f"first and second are both {i}; a merge needs two components")
    S = stats.S.copy()
    S[i] += S[j]
    entropy = stats.entropy.sum() - stats.entropy[i] - stats.entropy[j] + stats.pair_entropy[i, j]
    return _moved(stats, prior, "merge", (i, j), np.delete(S, j, axis=0), entropy, stats.base.sum())


def delete(stats: ResponsibilityStatistics, components, prior: Prior | None = None) -> Move:
    """Take away one component, or several: the responsibilities of the others are rescaled to add up to 1 for each data point,
    r_l / sum over the others, worked out from their log densities, so also where the deleted ones held all of a data point.

    Raises ValueError where no component would be left.
    """
    K = len(stats.S)
    gone = sorted({_component("n_components", k, K) for k in np.atleast_1d(components).tolist()})
    if not gone or len(gone) == K:
        raise ValueError(
            f"components is {components!r} of {K}; at least one component must go and one must stay"
        )
    rest = np.delete(np.arange(K), gone)
    S, entropy = np.zeros((len(rest), stats.S.shape[1])), 0.0
    for T, R, w, _ in e_step(stats.mixture, stats.data, stats.at, rest):
        S += (R * w) @ T.T
        entropy -= float((xlogy(R, R) @ w).sum())
    return _moved(stats, prior, "delete", tuple(gone), S, entropy, stats.base.sum())


def _component(name: str, component, K: int) -> int:
    if as_integer(name, component, 0) >= K:
        raise ValueError(f"{name} is {component}; the state has components 0 to {K - 1}")
    return int(component)


# ---- split -----------------------------------------------------------------------------------------------------------


class Halves(NamedTuple):
    """The states (P,) of the two halves of a component; they add up to the component's own statistics."""

    first: np.ndarray
    second: np.ndarray


class Axis(NamedTuple):
    """The principal direction (D,) of the data under one component's responsibilities r (N,), weights included; the variance
    along it, their mean (D,) and covariance (D, D), and each data point's deviation (N,) from the mean along it."""

    r: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    variance: float
    direction: np.ndarray
    deviation: np.ndarray


def principal_axis(mixture: Mixture, data: Observations, S, component: int) -> Axis | None:
    """None where the component holds no two distinct data, so that there is no direction."""
    r = np.concatenate([R[component] * w for _, R, w, _ in e_step(mixture, data, S)])
    n = r.sum()
    if not n:
        return None
    x = data.X - mixture.family.origin
    mean = r @ x / n
    deviation = x - mean
    covariance = (r[:, None] * deviation).T @ deviation / n
    variances, directions = np.linalg.eigh(covariance)
    if variances[-1] <= ROUNDING * (r @ x**2).sum() / n:
        return None
    u = directions[:, -1]
    return Axis(r, mean + mixture.family.origin, covariance, float(variances[-1]), u, deviation @ u)


def _axis(mixture: Mixture, X, S, component: int) -> tuple[Observations, Axis]:
    data, S = mixture.observe(X), mixture.check_state(S)
    axis = principal_axis(mixture, data, S, _component("component", component, len(S)))
    if axis is None:
        raise ValueError(f"component {component} holds no two distinct data, so it has no halves")
    return data, axis


def split_halves(mixture: Mixture, X, S, component: int) -> Halves:
    """Split one component of any family by the side on which a data point lies along the component's principal direction.

    The direction is the leading eigenvector of the covariance of X under the component's responsibilities; the halves are
    (r side).T @ statistics and the rest, so no statistic is lost. Raises ValueError if there is no such component, or if
    fewer than two distinct data belong to it.
    """
    data, axis = _axis(mixture, X, S, component)
    side, T = axis.deviation > 0, mixture.family.statistics(data.X)
    return Halves((axis.r * side) @ T, (axis.r * ~side) @ T)


def split_along_axis(mixture: Mixture, X, S, component: int) -> Halves:
    """Split one Gaussian component in two of half its count, at its centre +- sqrt(lambda / 2) u, with its covariance less
    lambda / 2 u u', lambda being the variance along the principal direction u. It conserves the component's statistics.
    Raises as `split_halves` does, and for another family."""
    family, (_, axis) = as_gaussian(mixture.family), _axis(mixture, X, S, component)
    step = np.sqrt(axis.variance / 2) * axis.direction
    covariance = axis.covariance - np.outer(step, step)
    count = axis.r.sum() / 2
    centres = [axis.mean + step, axis.mean - step]
    return Halves(*family.state([count, count], centres, [covariance, covariance]))


def split(
    stats: ResponsibilityStatistics,
    component: int,
    prior: Prior | None = None,
    by: Callable[..., Halves] = split_halves,
) -> Move:
    """Put the first half in the component's place and the second at the end.

    by: `split_halves`, which divides responsibilities and so leaves the entropy as it is, or `split_along_axis`, whose
    halves are the M-step of no responsibilities: there the gain is that of one E-step from them.
    """
    first, second = by(stats.mixture, stats.data, stats.at, component)
    S = np.concatenate([stats.S, second[None]])
    S[component] = first
    move = _moved(
        stats, prior, "split", (int(component),), S, stats.entropy.sum(), stats.base.sum()
    )
    if by is split_halves:
        return move
    return move._replace(gain=move.mixture.elbo(stats.data, S) - stats.elbo)
