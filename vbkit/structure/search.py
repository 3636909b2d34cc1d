"""Search for the number of components (Sato 2000, section 4): change the structure, learn, and keep what is better.

`step_search` makes one attempt and is a pure function of a `Search`, which holds the generator's state too: a search
can be stopped after any attempt and goes on with the same numbers.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from vbkit.checks import as_generator, as_integer, as_matrix, as_number, as_positive
from vbkit.families import Dirichlet
from vbkit.families.base import Gaussian
from vbkit.learning import Fit, fit_batch, fit_online, sato2000
from vbkit.mixture import EM, Mixture, Observations
from vbkit.structure.moves import (
    Halves,
    Move,
    Prior,
    candidate_splits,
    delete,
    divisible,
    merge,
    model_of,
    split,
    split_halves,
)
from vbkit.structure.statistics import ResponsibilityStatistics, responsibility_statistics

OTHER = {"split": "merge", "merge": "split"}
NEARLY_EMPTY = 1.0  # a component with a smaller expected count has not been chosen at all

Learner = Callable[[Mixture, Observations, np.ndarray, np.random.Generator], Fit]


def learn_batch(mixture, data, S, rng, *, max_epochs: int = 1000, tolerance: float = 0.01) -> Fit:
    """Batch VB from the state S (K, P) until an epoch changes the ELBO by less than `tolerance` nats."""
    return fit_batch(mixture, data, S, max_epochs=max_epochs, tolerance=tolerance)


def learn_online(
    mixture, data, S, rng, *, max_epochs=20, tolerance=0.01, tau0=100.0, kappa=0.01
) -> Fit:
    """Online VB from the state S (K, P), each epoch in a new random order.

    The schedule is set back to 1 - lambda = eta = 1 / tau0 (Sato 2000, section 5). Stops when an epoch changes the
    ELBO by less than `tolerance` nats.
    """
    schedule = sato2000(len(data.X), tau0=tau0, kappa=kappa)  # gains carry the weights, if any
    return fit_online(mixture, data, S, schedule, epochs=max_epochs, rng=rng, tolerance=tolerance)


class Record(NamedTuple):
    """One attempt. Record 0 is the starting model, of kind "start".

    kind, components: what was done, to which components of the base. candidate: of a split, which of the family's
    (0: the first). at_random: whether chance chose it. gain (nats): the exact change of the ELBO before learning.
    K, elbo, log_likelihood (nats): of the model that was learned. The log-likelihood is at the expected parameters,
    and nan for families that are not Gaussian. base_K, base_elbo: what it was compared with. best_K, best_elbo: the
    best so far, this attempt included. epochs: of learning. visits: data points seen in them.
    """

    attempt: int
    kind: str
    components: tuple[int, ...]
    at_random: bool
    gain: float
    K: int
    elbo: float
    log_likelihood: float
    base_K: int
    base_elbo: float
    accepted: bool
    best_K: int
    best_elbo: float
    epochs: int
    visits: int
    candidate: int = 0


class Choice(NamedTuple):
    """The next move: its kind, the components it changes, and which candidate of a split it is."""

    kind: str
    components: tuple[int, ...]
    candidate: int = 0


@dataclass(frozen=True, eq=False)
class SearchConfig:
    """What a search is: models, data, how it learns, what it accepts, and which splits it tries."""

    prior: Prior
    data: Observations
    learn: Learner
    beta: float | None
    min_improvement: float
    split_by: Callable[..., Halves]
    candidates: int


@dataclass(frozen=True, eq=False)
class Search:
    """A search after some attempts.

    base: the model that moves start from. best: the best so far (in a greedy search the same). trial: the last one
    learned. stats: of the base. kind: of the next attempt. tried: the moves that failed at this base.
    exploring: the base was reached by a worse move, so that the next moves are chosen at random.
    finished: no merge of two components and none of the first `config.candidates` splits of a component is left to
    try, so none of them gains.
    """

    config: SearchConfig = field(repr=False)
    rng: np.random.Generator = field(repr=False)
    base: Fit
    best: Fit
    trial: Fit
    stats: ResponsibilityStatistics = field(repr=False)
    records: tuple[Record, ...] = field(repr=False)
    kind: str = "split"
    tried: frozenset[Choice] = field(default=frozenset(), repr=False)
    exploring: bool = False
    finished: bool = False


def start_search(
    prior: Prior,
    X,
    start,
    rng: np.random.Generator,
    *,
    learn: Learner = learn_batch,
    beta: float | None = None,
    min_improvement: float = 0.1,
    split_by: Callable[..., Halves] = split_halves,
    candidates: int = 5,
    weights=None,
) -> Search:
    """Learn the starting model, from the state `start` (K, P), as the first base.

    prior: a Mixture, or a function that gives the Mixture of K components. X (N, D), with observation weights (N,).
    learn: `learn_batch`, `learn_online`, or any function (mixture, data, S, rng) -> Fit.
    beta: None accepts a model whose ELBO is higher by more than `min_improvement` nats, the greedy search. A number
    > 0 also accepts others, with the probability exp(beta (F_trial - F_base)) (Metropolis).
    candidates: how many splits of each component are tried: the family's first, and once nothing else is left the
    others by their gain before learning. 1 is the report's procedure. A `split_by` of your own gives one only.
    rng: the search goes on with a copy of it.
    Raises ValueError before any work if an argument is unfit, and where `learn` gives a fit without an ELBO.
    """
    as_generator("rng", rng)
    if beta is not None:
        as_positive("beta", beta)
    as_number("min_improvement", min_improvement, 0)
    as_integer("candidates", candidates, 1)
    for name, value in (("learn", learn), ("split_by", split_by)):
        if not callable(value):
            raise ValueError(f"{name} is {value!r}; it must be a function")
    mixture = model_of(prior, len(as_matrix("start", start)))
    if mixture.clones >= EM:
        raise ValueError(
            "clones is EM; a search compares ELBOs, which need fewer clones: EM has no evidence"
        )
    S, data, rng = mixture.check_state(start), mixture.observe(X, weights), deepcopy(rng)
    if split_by is not split_halves:
        candidates = 1
    config = SearchConfig(prior, data, learn, beta, min_improvement, split_by, candidates)
    fit = _learn(config, mixture, S, rng)
    record = _record(0, Choice("start", ()), False, np.nan, fit, fit, True, fit, data)
    return Search(
        config, rng, fit, fit, fit, responsibility_statistics(mixture, data, fit.S), (record,)
    )


def step_search(search: Search) -> Search:
    """One attempt: choose a move, learn from it, and accept it as the new base or not.

    Nearly empty components (expected count below 1) are deleted first, one an attempt. Otherwise the kind of move is
    that of the last attempt after a success and the other one after a failure. A split is of the untried component
    with the lowest component ELBO, a merge of the untried pair with the most correlated responsibilities.
    Where no untried move is left, the greedy search comes back as it is, `finished`; Metropolis tries them all again.
    """
    config, base, rng = search.config, search.base, deepcopy(search.rng)
    choice = _choose(search, rng)
    if choice is None and config.beta is not None and search.tried:
        search = replace(search, tried=frozenset())  # chance may take what it refused before
        choice = _choose(search, rng)
    if choice is None:
        return replace(search, finished=True)
    move = _make(search, choice)
    trial = _learn(config, move.mixture, move.S, rng)
    change = trial.elbo - base.elbo
    accepted = bool(change > config.min_improvement)
    if not accepted and config.beta is not None:
        accepted = bool(rng.random() < np.exp(min(0.0, config.beta * change)))
    best = trial if accepted and trial.elbo > search.best.elbo else search.best
    at_random = search.exploring and choice.kind != "delete" and choice.candidate == 0
    record = _record(
        len(search.records), choice, at_random, move.gain, trial, base, accepted, best, config.data
    )
    after = replace(search, rng=rng, best=best, trial=trial, records=(*search.records, record))
    if not accepted:
        kind = OTHER.get(choice.kind, search.kind)
        return replace(after, kind=kind, tried=search.tried | {choice})
    return replace(
        after,
        base=trial,
        stats=responsibility_statistics(trial.mixture, config.data, trial.S),
        kind=choice.kind if choice.kind in OTHER else search.kind,
        tried=frozenset(),
        exploring=bool(change < 0),
    )


def iterate_search(search: Search, attempts: int) -> Iterator[Search]:
    """Yield the search after each of at most so many further attempts.

    Whoever loops over it keeps the last one if the loop is interrupted. It ends early where nothing is left to try;
    the last search is then `finished`.
    """
    as_integer("attempts", attempts, 0)
    for _ in range(attempts):
        search = step_search(search)
        yield search
        if search.finished:
            return


def run_search(search: Search, attempts: int = 40) -> Search:
    """The search after at most so many further attempts."""
    for following in iterate_search(search, attempts):
        search = following
    return search


def log_likelihood(mixture: Mixture, data: Observations, S) -> float:
    """Log-likelihood (nats) at the expected parameters of the state S (K, P); nan for a family that is not Gaussian.

    These are the weights E[pi], the means, and the inverses of the expected precisions.
    """
    if not isinstance(mixture.family, Gaussian):
        return np.nan
    point = Mixture(mixture.family, Dirichlet(0.0), clones=EM)
    return point.e_step(data, mixture.family.state(*mixture.parameters(S))).log_likelihood


# ---- parts of an attempt -------------------------------------------------------------------------


def _learn(config: SearchConfig, mixture: Mixture, S, rng) -> Fit:
    fit = config.learn(mixture, config.data, S, rng)
    if not (isinstance(fit, Fit) and np.isfinite(fit.elbo)):
        raise ValueError(f"learn gives {fit!r}; it must give a Fit with a finite ELBO")
    return fit


def _choose(search: Search, rng) -> Choice | None:
    """The next move, or None where there is none left."""
    stats, tried = search.stats, search.tried
    counts = stats.S[:, 0]
    for k in np.argsort(counts, kind="stable").tolist():
        choice = Choice("delete", (k,))
        if len(counts) > 1 and counts[k] < NEARLY_EMPTY and choice not in tried:
            return choice
    options = {"split": _splits(stats), "merge": _merges(stats)}
    options = {kind: [m for m in moves if m not in tried] for kind, moves in options.items()}
    first = search.kind
    if search.exploring:
        for kind, moves in options.items():
            options[kind] = [moves[i] for i in rng.permutation(len(moves))]
        if rng.random() < 0.5:
            first = OTHER[first]
    for choice in options[first] + options[OTHER[first]]:
        if choice.kind == "merge" or divisible(stats, *choice.components):
            return choice
    return _further_split(search)


def _splits(stats: ResponsibilityStatistics) -> list[Choice]:
    """The first split of each component, that of the lowest component ELBO first."""
    return [Choice("split", (k,)) for k in np.argsort(stats.component_elbos, kind="stable").tolist()]


def _merges(stats: ResponsibilityStatistics) -> list[Choice]:
    """The merges of all pairs, that of the most correlated responsibilities first."""
    pairs = list(combinations(range(len(stats.S)), 2))
    cosines = stats.correlation[tuple(np.array(pairs).T)] if pairs else np.empty(0)
    return [Choice("merge", pairs[i]) for i in np.argsort(-cosines, kind="stable")]


def _further_split(search: Search) -> Choice | None:
    """The next untried split besides the first of each component: of all components the second best, and so on."""
    splits, prior = _splits(search.stats), search.config.prior
    for candidate in range(1, search.config.candidates):
        for choice in splits:
            choice = choice._replace(candidate=candidate)
            if choice not in search.tried:
                offered = candidate_splits(search.stats, *choice.components, prior)
                if candidate < len(offered):
                    return choice
    return None


def _make(search: Search, choice: Choice) -> Move:
    stats, prior = search.stats, search.config.prior
    if choice.kind == "merge":
        return merge(stats, *choice.components, prior)
    if choice.kind == "delete":
        return delete(stats, choice.components, prior)
    if choice.candidate:
        return candidate_splits(stats, *choice.components, prior)[choice.candidate]
    return split(stats, *choice.components, prior, search.config.split_by)


def _record(
    attempt, choice: Choice, at_random, gain, trial: Fit, base: Fit, accepted, best: Fit, data
) -> Record:
    return Record(
        attempt=attempt,
        kind=choice.kind,
        components=choice.components,
        candidate=choice.candidate,
        at_random=at_random,
        gain=gain,
        K=trial.n_components,
        elbo=trial.elbo,
        log_likelihood=log_likelihood(trial.mixture, data, trial.S),
        base_K=base.n_components,
        base_elbo=base.elbo,
        accepted=accepted,
        best_K=best.n_components,
        best_elbo=best.elbo,
        epochs=trial.epochs,
        visits=trial.epochs * len(data.X),
    )
