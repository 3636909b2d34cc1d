"""The next move of a search for the number of components (Sato 2000, section 4)."""

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.learning import Fit
from vbkit.mixture import Mixture
from vbkit.observations import Observations
from vbkit.structure import moves
from vbkit.structure.moves import Move, Prior
from vbkit.structure.statistics import ResponsibilityStatistics

OTHER = {"split": "merge", "merge": "split"}
NEARLY_EMPTY = (
    1.0  # a component with a smaller expected count has not been chosen at all
)

Learner = Callable[[Mixture, Observations, np.ndarray, np.random.Generator], Fit]


class Choice(NamedTuple):
    """A move: its kind, the components it changes, and which candidate of a split it is."""

    kind: str
    components: tuple[int, ...]
    candidate: int = 0


@attrs.frozen(eq=False)
class SearchConfig:
    """What a search is: models, data, how it learns, what it accepts, and which splits it tries."""

    prior: Prior
    data: Observations
    learn: Learner
    beta: float | None
    min_improvement: float
    split_by: Callable[..., moves.Halves]
    candidates: int


def choose(search, rng: np.random.Generator) -> Choice | None:
    """The next move that a `Search` has not tried from its base, or None where there is none left.

    Its `kind` comes first. While it is `exploring` the choice is the generator's.
    """
    stats, tried, kind = search.stats, search.tried, search.kind
    counts = stats.S[:, 0]
    for k in np.argsort(counts, kind="stable").tolist():
        choice = Choice("delete", (k,))
        if len(counts) > 1 and counts[k] < NEARLY_EMPTY and choice not in tried:
            return choice
    options = {"split": _splits(stats), "merge": _merges(stats)}
    for name, choices in options.items():
        left = [choice for choice in choices if choice not in tried]
        options[name] = (
            [left[i] for i in rng.permutation(len(left))] if search.exploring else left
        )
    if search.exploring and rng.random() < 0.5:
        kind = OTHER[kind]
    for choice in options[kind] + options[OTHER[kind]]:
        if choice.kind == "merge" or moves.divisible(stats, *choice.components):
            return choice
    for candidate in range(
        1, search.config.candidates
    ):  # the second split of all, and so on
        for choice in _splits(stats, candidate):
            if choice not in tried and candidate < len(_candidates(search, choice)):
                return choice
    return None


def make(search, choice: Choice) -> Move:
    """The move that was chosen, from the base of a `Search`."""
    stats, prior = search.stats, search.config.prior
    if choice.kind == "merge":
        return moves.merge(stats, *choice.components, prior)
    if choice.kind == "delete":
        return moves.delete(stats, choice.components, prior)
    if choice.candidate:
        return _candidates(search, choice)[choice.candidate]
    return moves.split(stats, *choice.components, prior, search.config.split_by)


def _splits(stats: ResponsibilityStatistics, candidate: int = 0) -> list[Choice]:
    """A split of each component, that of the lowest component ELBO first."""
    order = np.argsort(stats.component_elbos, kind="stable")
    return [Choice("split", (k,), candidate) for k in order.tolist()]


def _merges(stats: ResponsibilityStatistics) -> list[Choice]:
    """The merges of all pairs, that of the most correlated responsibilities first."""
    pairs = list(combinations(range(len(stats.S)), 2))
    cosines = np.array([stats.correlation[pair] for pair in pairs])
    return [Choice("merge", pairs[i]) for i in np.argsort(-cosines, kind="stable")]


def _candidates(search, choice: Choice) -> list[Move]:
    """The candidates of a split that a `Search` may try, worked out once for each base."""
    (component,), known = choice.components, search.stats.candidates
    if component not in known:
        found = moves.candidate_splits(search.stats, component, search.config.prior)
        known[component] = found[: search.config.candidates]
    return known[component]
