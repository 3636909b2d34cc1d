"""Moves of structure, for any family: split a component, merge two, delete some; and what each does
to the ELBO.

A move turns responsibilities R into R' for another number of components. The ELBO of each and its
M-step is known exactly (see `vbkit.structure.statistics`), so the change of the ELBO before
anything is learned again is exact too.
Learning from there can only raise the ELBO, so that change is the least that a move gains.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy

from vbkit.checks import as_instance, as_integer
from vbkit.families.base import Family
from vbkit.families.gaussian import as_gaussian
from vbkit.learning.starts import as_mixture
from vbkit.mixture import Mixture
from vbkit.observations import Observations
from vbkit.structure.splits import candidate_sides, principal_axis
from vbkit.structure.statistics import ResponsibilityStatistics

# The model of any number of components, or a function that gives that of K components
# (in Sato's each component has a K-th of the prior's strength).
Prior = Mixture | Callable[[int], Mixture]


class Move(NamedTuple):
    """A change of structure, and where learning goes on from.

    kind: "split", "merge" or "delete".
    components: the indices of what was changed, in the old state.
    mixture, S: the new model and state (K', P).
    gain: the exact change of the ELBO (nats) before learning, from the M-step of the old
        responsibilities to the M-step of the new ones. In a chain, of the ELBO after one E-step
        from each.
    """

    kind: str
    components: tuple[int, ...]
    mixture: Mixture
    S: np.ndarray
    gain: float


class Halves(NamedTuple):
    """The states (P,) of the two halves of a component; they add up to the component's own
    statistics."""

    first: np.ndarray
    second: np.ndarray


def model_of(prior: Prior, n_components: int) -> Mixture:
    """Return the model of n_components components.

    Raises ValueError if `prior` does not give a Mixture, or one whose
    concentration has a number for each component.
    """
    mixture = prior(n_components) if callable(prior) else prior
    if not isinstance(mixture, Mixture):
        raise ValueError(
            f"prior gives {mixture!r:.80} for {n_components} components; "
            "it must give a Mixture"
        )
    if not mixture.labels.common_prior:
        raise ValueError(
            "concentration has one entry for each component; it must be one number"
        )
    return mixture


def merge(stats: ResponsibilityStatistics, first: int, second: int, prior=None) -> Move:
    """Make two components one, r = r_first + r_second, in the place of the lower index.

    prior: the model of each number of components; None takes that of `stats`. Raises ValueError if
    there is only one component, or if the same one is named twice.
    """
    K = _size(stats)
    if K == 1:
        raise ValueError("the state has 1 component; there is nothing to merge it with")
    first = _index("first", first, K)
    second = _index("second", second, K)
    if first == second:
        raise ValueError(
            f"first and second are both {first}; a merge needs two components"
        )
    low = min(first, second)
    high = max(first, second)
    S = _merged(stats.mixture, stats.S, low, high)
    entropy = (
        stats.entropy.sum()
        - stats.entropy[low]
        - stats.entropy[high]
        + stats.pair_entropy[low, high]
    )
    return _move(stats, prior, "merge", (low, high), S, entropy)


def delete(stats: ResponsibilityStatistics, components, prior=None) -> Move:
    """Delete one component, or several.

    The responsibilities of the others are rescaled to add up to 1 for each data point. They are
    computed from the log densities, so this also works for a data point that belonged to the
    deleted components alone. Raises ValueError if no component would go or none would be left.
    """
    K = _size(stats)
    deleted = set()
    for component in np.atleast_1d(components).tolist():
        deleted.add(_index("components", component, K))
    deleted = sorted(deleted)
    if not 0 < len(deleted) < K:
        raise ValueError(
            f"components is {components!r} of {K}; at least one must go and one stay"
        )
    rest = np.delete(np.arange(K), deleted)
    S = np.zeros((len(rest), stats.mixture.width(len(rest))))
    entropy = 0.0
    for block in stats.mixture.e_step_blocks(stats.data, stats.at, rest):
        S += block.m_step()
        entropy -= float(xlogy(block.weighted, block.R).sum())
    return _move(stats, prior, "delete", tuple(deleted), S, entropy)


def split_halves(mixture: Mixture, X, S, component: int) -> Halves:
    """Split a component of the state S (K, P) of data X (N, D) by the first of its cuts.

    The cut is across the component's principal direction, the leading eigenvector of the
    covariance of X under its responsibilities. The halves add up to the component's statistics.
    Raises ValueError if there is no such component, or if fewer than two distinct data points
    belong to it.
    """
    for halves in _all_halves(mixture, X, S, component):
        return halves
    raise _indivisible(component)


def split_along_axis(mixture: Mixture, X, S, component: int) -> Halves:
    """Split a Gaussian component of the state S (K, P) of data X (N, D) in two of half its count,
    apart along its principal direction u.

    Their centres are its centre +- sqrt(lambda / 2) u and their covariance is its own less
    (lambda / 2) u u', where lambda is the variance along u. Raises ValueError as `split_halves`
    does, and for a family that is not Gaussian.
    """
    family = as_gaussian(as_mixture(mixture).family)
    data, r = _data_of(mixture, X, S, component)
    axis = principal_axis(data.X, r, family.origin)
    if axis is None:
        raise _indivisible(component)
    step = np.sqrt(axis.variance / 2) * axis.direction
    covariance = axis.covariance - np.outer(step, step)
    count = r.sum() / 2
    centres = [axis.mean + step, axis.mean - step]
    return Halves(*family.state([count, count], centres, [covariance, covariance]))


def split(
    stats: ResponsibilityStatistics, component: int, prior=None, by=split_halves
) -> Move:
    """Split a component: put its first half in its place and the second at the end.

    prior: as for `merge`. by: `split_halves`, which divides responsibilities and so keeps the
    entropy, or another function of its signature, such as `split_along_axis`. The halves of such a
    function are the M-step of no responsibilities, so the gain is that of one E-step from them.
    """
    _size(stats)
    halves = by(stats.mixture, stats.data, stats.at, component)
    move = _split(stats, component, prior, halves)
    if by is split_halves:
        return move
    return move._replace(gain=move.mixture.elbo(stats.data, move.S) - stats.elbo)


def candidate_splits(
    stats: ResponsibilityStatistics, component: int, prior=None
) -> list[Move]:
    """Return a split by each cut of a component (`candidate_sides`): the first, then the others by
    falling gain. Empty if fewer than two distinct data points belong to the component."""
    moves = []
    for halves in _all_halves(stats.mixture, stats.data, stats.at, component):
        moves.append(_split(stats, component, prior, halves))
    return moves[:1] + sorted(moves[1:], key=lambda move: -move.gain)


def first_splits(stats: ResponsibilityStatistics, prior=None) -> list[Move]:
    """Return a split of each component that can be cut, by its first cut; by falling gain, which
    depends on no unit."""
    moves = []
    # One E-step for all components, which keeps a number for each row and component.
    weighted = _responsibilities(stats.mixture, stats.data, stats.at, slice(None))
    for component, r in enumerate(weighted):
        halves = next(_halves_by_cuts(stats.mixture.family, stats.data.X, r), None)
        if halves is not None:
            moves.append(_split(stats, component, prior, halves))
    # Gains that differ by rounding only keep the components' order.
    return sorted(moves, key=lambda move: -round(move.gain, 6))


def divisible(stats: ResponsibilityStatistics, component: int) -> bool:
    """Whether there is a cut of the component."""
    all_halves = _all_halves(stats.mixture, stats.data, stats.at, component)
    return next(all_halves, None) is not None


# ---- parts of moves ------------------------------------------------------------------------------


def _move(stats, prior: Prior | None, kind: str, components, S, entropy: float) -> Move:
    """The move to the state S (K', P), the M-step of responsibilities of this entropy (nats)."""
    mixture = model_of(stats.mixture if prior is None else prior, len(S))
    before = stats.mixture.family
    after = mixture.family
    alike = type(before) is type(after)
    if not alike or not np.array_equal(before.origin, after.origin):
        raise ValueError(
            "prior must give the same family and origin for each number of components"
        )
    if mixture.labels.independent:
        elbo = entropy + stats.base.sum() + mixture.log_normalizer_ratio(S)
    else:
        elbo = mixture.elbo(stats.data, S)
    return Move(kind, components, mixture, S, float(elbo - stats.elbo))


def _split(stats, component: int, prior: Prior | None, halves: Halves) -> Move:
    S = _divided(stats.mixture, stats.S, component, halves)
    return _move(stats, prior, "split", (int(component),), S, stats.entropy.sum())


def _merged(mixture: Mixture, S, first: int, second: int) -> np.ndarray:
    """The state in which the component `second` is part of `first`."""
    P = mixture.n_statistics
    statistics = S[:, :P].copy()
    statistics[first] += statistics[second]
    statistics = np.delete(statistics, second, axis=0)
    return np.hstack([statistics, mixture.labels.merged(S[:, P:], first, second)])


def _divided(mixture: Mixture, S, component: int, halves: Halves) -> np.ndarray:
    """The state in which a component has the first half of its statistics only, and another
    one at the end the second."""
    P = mixture.n_statistics
    statistics = np.vstack([S[:, :P], halves.second])
    statistics[component] = halves.first
    share = halves.first[0] / (halves.first[0] + halves.second[0])
    columns = mixture.labels.divided(S[:, P:], component, share)
    return np.hstack([statistics, columns])


def _all_halves(mixture: Mixture, X, S, component: int) -> Iterator[Halves]:
    """The halves of a component by each of its cuts, in their order."""
    data, r = _data_of(mixture, X, S, component)
    return _halves_by_cuts(mixture.family, data.X, r)


def _halves_by_cuts(family: Family, X: np.ndarray, r: np.ndarray) -> Iterator[Halves]:
    """The halves of a component to which the rows of X (N, D) belong by r (N,)."""
    T = family.statistics(X)
    for side in candidate_sides(family, X, r):
        yield Halves((r * side) @ T, (r * ~side) @ T)


def _data_of(mixture: Mixture, X, S, component: int) -> tuple[Observations, np.ndarray]:
    """The data, and the component's responsibilities times observation weights (N,), from
    an E-step over all data that keeps this one row of them."""
    as_mixture(mixture)
    data = mixture.observe(X)
    S = mixture.check_state(S)
    _index("component", component, len(S))
    return data, _responsibilities(mixture, data, S, component)


def _responsibilities(
    mixture: Mixture, data: Observations, S: np.ndarray, components
) -> np.ndarray:
    """Responsibilities times observation weights of one component (N,), or of several, a
    slice of them, (n, N)."""
    of_blocks = []
    for block in mixture.e_step_blocks(data, S):
        of_blocks.append(block.weighted[components].copy())
    return np.concatenate(of_blocks, axis=-1)


def _size(stats: ResponsibilityStatistics) -> int:
    return len(as_instance("stats", stats, ResponsibilityStatistics).S)


def _index(name: str, component, K: int) -> int:
    if as_integer(name, component, 0) >= K:
        raise ValueError(
            f"{name} is {component}; the state has components 0 to {K - 1}"
        )
    return int(component)


def _indivisible(component: int) -> ValueError:
    return ValueError(
        f"component {component} holds no two distinct data points: it has no halves"
    )
