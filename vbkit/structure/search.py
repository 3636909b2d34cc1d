"""Search for the number of components (Sato 2000, section 4): change, learn, keep what is
better.

`step_search` makes one attempt and is a pure function of a `Search`, which holds the
generator's state too: a search can be stopped after any attempt and goes on with the same
numbers. (What it remembers beside that are candidate splits, so as not to work them out
again.)
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import combinations
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import as_generator, as_instance, as_integer, as_matrix, as_positive
from vbkit.learning import Fit, fit_batch, fit_online, sato2000
from vbkit.mixture import EM, Mixture
from vbkit.observations import Observations
from vbkit.structure import moves
from vbkit.structure.moves import Halves, Move, Prior, model_of, split_halves
from vbkit.structure.statistics import (
    ResponsibilityStatistics,
    log_likelihood,
    responsibility_statistics,
)

OTHER_KIND = {"split": "merge", "merge": "split"}
IMPROVEMENT = 0.1  # nats: a smaller rise may be what learning left undone
CANDIDATES = 5  # splits of each component that are tried
NEARLY_EMPTY = 1.0  # the expected count below which a component is deleted first

# A function (mixture, data, S, rng) -> Fit.
Learner = Callable[[Mixture, Observations, np.ndarray, np.random.Generator], Fit]


# ---- how a model is learned ----------------------------------------------------------


def learn_batch(mixture, data, S, rng, *, max_epochs=1000, tolerance=0.01) -> Fit:
    """Batch VB from the state S (K, P) until an epoch changes the ELBO by less than
    `tolerance` nats."""
    return fit_batch(mixture, data, S, max_epochs=max_epochs, tolerance=tolerance)


def learn_online(
    mixture, data, S, rng, *, max_epochs=20, tolerance=0.01, tau0=100.0, kappa=0.01
) -> Fit:
    """Online VB from the state S (K, P), each epoch in a new random order.

    The schedule is set back to 1 - lambda = eta = 1 / tau0 (Sato 2000, section 5), and
    stands for as many data points as there are rows, since gains carry the observation
    weights. Stops when an epoch changes the ELBO by less than `tolerance` nats.
    """
    schedule = sato2000(data.units, tau0=tau0, kappa=kappa)
    return fit_online(
        mixture, data, S, schedule, epochs=max_epochs, rng=rng, tolerance=tolerance
    )


# ---- a search ------------------------------------------------------------------------


class Choice(NamedTuple):
    """A move: its kind, the components it changes, and which candidate of a split it is."""

    kind: str
    components: tuple[int, ...]
    candidate: int = 0


class Record(NamedTuple):
    """One attempt. Record 0 is the starting model, of kind "start".

    kind, components: what was done, and to which components of the base.
    at_random: whether chance chose it.
    gain: the exact change of the ELBO (nats) before learning.
    K, elbo, log_likelihood: of the model that was learned, in nats. The log-likelihood is
        at the expected parameters, and nan for families that are not Gaussian.
    base_K, base_elbo: the model it was compared with. accepted: whether it became the next
        base.
    best_K, best_elbo: the best model so far, this attempt included.
    epochs, visits: of learning, and how many data points were seen in them.
    candidate: for a split, which of the family's it was (0: the first).
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


@attrs.frozen(eq=False)
class SearchConfig:
    """What a search is: models, data, how it learns, what it accepts, and which splits it
    tries. See `start_search`."""

    prior: Prior
    data: Observations
    learn: Learner
    temperature: float | None
    split_by: Callable[..., Halves]
    candidates: int


@attrs.frozen(eq=False)
class Search:
    """A search after some attempts.

    base: the model that moves start from. stats: of the base.
    best: the best model so far; in a greedy search it is the base.
    trial: the last model that was learned.
    records: of all attempts, the start first.
    kind: of the next attempt. tried: the moves that failed at this base.
    exploring: the base was reached by a move that made things worse, so the next moves are
        random.
    finished: no merge and none of the first `config.candidates` splits of a component is
        left to try, so none of them gains.
    """

    config: SearchConfig = attrs.field(repr=False)
    rng: np.random.Generator = attrs.field(repr=False)
    base: Fit
    best: Fit
    trial: Fit
    stats: ResponsibilityStatistics = attrs.field(repr=False)
    records: tuple[Record, ...] = attrs.field(repr=False)
    kind: str = "split"
    tried: frozenset[Choice] = attrs.field(default=frozenset(), repr=False)
    exploring: bool = False
    finished: bool = False


def start_search(
    prior: Prior,
    X,
    start,
    rng: np.random.Generator,
    *,
    learn: Learner = learn_batch,
    temperature: float | None = None,
    split_by: Callable[..., Halves] = split_halves,
    candidates: int | None = None,
    weights=None,
) -> Search:
    """Learn the starting model, from the state `start` (K, P), as the first base.

    prior: a `Mixture`, or a function that gives that of K components.
    X: data (N, D), or what `prior.observe` gave. weights: of the observations, (N,).
    rng: the search goes on with a copy of it.
    learn: `learn_batch`, `learn_online`, or any function (mixture, data, S, rng) -> Fit.
    temperature: without one (greedy) a model is accepted if its ELBO is higher than the
        base's by more than 0.1 nats, which learning may leave undone. At a temperature
        (nats, Metropolis) others are accepted too: a loss of l nats with the probability
        exp(-l / temperature). Sato's beta is 1 / temperature.
    split_by: how a component is split, as `by` of `split`.
    candidates: how many splits of each component are tried: the family's first, and once
        nothing else is left the others, by their gain before learning. 1 is the report's
        procedure, and all that a `split_by` of your own can give. None: 5, or that 1.

    Raises ValueError before any work if an argument is unfit, and if `learn` gives a fit
    without an ELBO.
    """
    as_generator("rng", rng)
    if temperature is not None:
        as_positive("temperature", temperature)
    _check_callable("learn", learn)
    _check_callable("split_by", split_by)
    candidates = _as_candidates(candidates, split_by)
    mixture = model_of(prior, len(as_matrix("start", start)))
    if mixture.clones >= EM:
        raise ValueError(
            "clones is EM, which has no evidence; a search compares ELBOs: use fewer"
        )
    S = mixture.check_state(start)
    data = mixture.observe(X, weights)
    rng = deepcopy(rng)
    config = SearchConfig(prior, data, learn, temperature, split_by, candidates)
    fit = _learn(config, mixture, S, rng)
    record = _record(
        attempt=0,
        choice=Choice("start", ()),
        at_random=False,
        gain=np.nan,
        trial=fit,
        base=fit,
        accepted=True,
        best=fit,
        data=data,
    )
    stats = responsibility_statistics(mixture, data, fit.S)
    return Search(
        config, rng, base=fit, best=fit, trial=fit, stats=stats, records=(record,)
    )


def step_search(search: Search) -> Search:
    """Make one attempt: choose a move, learn from it, and accept it as the new base or not.

    Nearly empty components (expected count below 1) are deleted first, one per attempt.
    Otherwise the kind of move is that of the last attempt after a success, and the other
    one after a failure. The component to split is the untried one with the lowest component
    ELBO; the pair to merge is the untried one with the most correlated responsibilities. If
    no untried move is left, a greedy search is returned unchanged but `finished`;
    Metropolis tries them all again.
    """
    as_instance("search", search, Search)
    config = search.config
    rng = deepcopy(search.rng)
    choice = choose(search, rng)
    if choice is None and config.temperature is not None and search.tried:
        # Chance may accept now what it refused before.
        search = attrs.evolve(search, tried=frozenset())
        choice = choose(search, rng)
    if choice is None:
        return attrs.evolve(search, finished=True)
    move = make(search, choice)
    trial = _learn(config, move.mixture, move.S, rng)
    change = trial.elbo - search.base.elbo
    accepted = _is_accepted(config, change, rng)
    best = search.best
    if accepted and trial.elbo > best.elbo:
        best = trial
    record = _record(
        attempt=len(search.records),
        choice=choice,
        at_random=_is_random(search, choice),
        gain=move.gain,
        trial=trial,
        base=search.base,
        accepted=accepted,
        best=best,
        data=config.data,
    )
    after = attrs.evolve(
        search, rng=rng, best=best, trial=trial, records=(*search.records, record)
    )
    if not accepted:
        return attrs.evolve(
            after,
            kind=OTHER_KIND.get(choice.kind, search.kind),
            tried=search.tried | {choice},
        )
    return attrs.evolve(
        after,
        base=trial,
        stats=responsibility_statistics(trial.mixture, config.data, trial.S),
        kind=choice.kind if choice.kind in OTHER_KIND else search.kind,
        tried=frozenset(),
        exploring=bool(change < 0),
    )


def iterate_search(search: Search, attempts: int) -> Iterator[Search]:
    """Yield the search after each of at most `attempts` further attempts.

    If you interrupt the loop, the last search yielded is complete. The loop ends early if
    nothing is left to try; the last search is then `finished`. Raises ValueError unless
    attempts is a whole number >= 0.
    """
    as_integer("attempts", attempts, 0)
    for _ in range(attempts):
        search = step_search(search)
        yield search
        if search.finished:
            return


def run_search(search: Search, attempts: int = 40) -> Search:
    """Return the search after at most `attempts` further attempts. Raises ValueError as
    `iterate_search` does."""
    for after in iterate_search(search, attempts):
        search = after
    return search


# ---- the next move -------------------------------------------------------------------


def choose(search: Search, rng: np.random.Generator) -> Choice | None:
    """The next move that a search has not tried from its base, or None where there is none
    left.

    The search's `kind` comes first. While it is `exploring` the choice is the generator's.
    """
    stats = search.stats
    deletion = _deletion(search)
    if deletion is not None:
        return deletion
    untried = {}
    for kind, choices in (("split", _splits(stats)), ("merge", _merges(stats))):
        untried[kind] = [choice for choice in choices if choice not in search.tried]
        if search.exploring:
            order = rng.permutation(len(untried[kind]))
            untried[kind] = [untried[kind][i] for i in order]
    kind = search.kind
    if search.exploring and rng.random() < 0.5:
        kind = OTHER_KIND[kind]
    for choice in untried[kind] + untried[OTHER_KIND[kind]]:
        if choice.kind == "merge" or moves.divisible(stats, *choice.components):
            return choice
    return _further_split(search)


def _deletion(search: Search) -> Choice | None:
    """The deletion of the emptiest component that is nearly empty and was not tried."""
    counts = search.stats.S[:, 0]
    if len(counts) == 1:
        return None
    for k in np.argsort(counts, kind="stable").tolist():
        choice = Choice("delete", (k,))
        if counts[k] < NEARLY_EMPTY and choice not in search.tried:
            return choice
    return None


def _further_split(search: Search) -> Choice | None:
    """The second candidate split of any component, or the third, and so on, that was not
    tried."""
    for candidate in range(1, search.config.candidates):
        for choice in _splits(search.stats, candidate):
            offered = _candidates(search, choice)
            if choice not in search.tried and candidate < len(offered):
                return choice
    return None


def make(search: Search, choice: Choice) -> Move:
    """The move that was chosen, from the base of a search."""
    stats = search.stats
    prior = search.config.prior
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


def _candidates(search: Search, choice: Choice) -> list[Move]:
    """The candidates of a split that a search may try, worked out once for each base."""
    component = choice.components[0]
    worked_out = search.stats.candidates
    if component not in worked_out:
        splits = moves.candidate_splits(search.stats, component, search.config.prior)
        worked_out[component] = splits[: search.config.candidates]
    return worked_out[component]


# ---- parts of an attempt -------------------------------------------------------------


def _check_callable(name: str, function) -> None:
    if not callable(function):
        raise ValueError(f"{name} is {function!r}; it must be a function")


def _as_candidates(candidates: int | None, split_by) -> int:
    """How many splits of each component are tried."""
    if candidates is None:
        return CANDIDATES if split_by is split_halves else 1
    as_integer("candidates", candidates, 1)
    if candidates > 1 and split_by is not split_halves:
        name = getattr(split_by, "__name__", repr(split_by))
        raise ValueError(
            f"candidates is {candidates}, but split_by is {name}, which gives "
            "one split of a component: candidates must be 1"
        )
    return candidates


def _learn(config: SearchConfig, mixture: Mixture, S, rng) -> Fit:
    fit = config.learn(mixture, config.data, S, rng)
    if not (isinstance(fit, Fit) and np.isfinite(fit.elbo)):
        raise ValueError(f"learn gives {fit!r}; it must give a Fit with a finite ELBO")
    return fit


def _is_accepted(config: SearchConfig, change: float, rng) -> bool:
    """Whether a model is accepted whose ELBO differs from the base's by so many nats."""
    if change > IMPROVEMENT:
        return True
    if config.temperature is None:
        return False
    probability = np.exp(min(0.0, change / config.temperature))
    return bool(rng.random() < probability)


def _is_random(search: Search, choice: Choice) -> bool:
    """Whether chance made this choice."""
    return search.exploring and choice.kind != "delete" and choice.candidate == 0


def _record(
    *,
    attempt: int,
    choice: Choice,
    at_random: bool,
    gain: float,
    trial: Fit,
    base: Fit,
    accepted: bool,
    best: Fit,
    data: Observations,
) -> Record:
    return Record(
        attempt=attempt,
        kind=choice.kind,
        components=choice.components,
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
        candidate=choice.candidate,
    )
