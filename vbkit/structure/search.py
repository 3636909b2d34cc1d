"""Search for the number of components (Sato 2000, section 4): change, learn, keep what is better.

`step_search` makes one attempt and is a pure function of a `Search`, which holds the generator's
state too: a search can be stopped after any attempt and goes on with the same numbers.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import (
    as_generator,
    as_instance,
    as_integer,
    as_matrix,
    as_number,
    as_positive,
)
from vbkit.learning import Fit, fit_batch, fit_online, sato2000
from vbkit.mixture import EM, Mixture
from vbkit.structure import statistics
from vbkit.structure.choosing import OTHER, Choice, Learner, SearchConfig, choose, make
from vbkit.structure.moves import Halves, Prior, model_of, split_halves
from vbkit.structure.statistics import log_likelihood, responsibility_statistics


def learn_batch(mixture, data, S, rng, *, max_epochs=1000, tolerance=0.01) -> Fit:
    """Batch VB from the state S (K, P) until an epoch changes the ELBO by less than `tolerance`
    nats."""
    return fit_batch(mixture, data, S, max_epochs=max_epochs, tolerance=tolerance)


def learn_online(
    mixture, data, S, rng, *, max_epochs=20, tolerance=0.01, tau0=100.0, kappa=0.01
) -> Fit:
    """Online VB from the state S (K, P), each epoch in a new random order.

    The schedule is set back to 1 - lambda = eta = 1 / tau0 (Sato 2000, section 5). Stops when an
    epoch changes the ELBO by less than `tolerance` nats.
    """
    schedule = sato2000(
        data.units, tau0=tau0, kappa=kappa
    )  # gains carry the weights, if any
    return fit_online(
        mixture, data, S, schedule, epochs=max_epochs, rng=rng, tolerance=tolerance
    )


class Record(NamedTuple):
    """One attempt. Record 0 is the starting model, of kind "start".

    kind, components: what was done, and to which components of the base.
    candidate: for a split, which of the family's it was (0: the first).
    at_random: whether chance chose it.
    gain: the exact change of the ELBO (nats) before learning.
    K, elbo, log_likelihood: of the model that was learned, in nats. The log-likelihood is at the
        expected parameters, and nan for families that are not Gaussian.
    base_K, base_elbo: the model it was compared with. accepted: whether it became the next base.
    best_K, best_elbo: the best model so far, this attempt included.
    epochs, visits: of learning, and how many data points were seen in them.
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
class Search:
    """A search after some attempts.

    base: the model that moves start from. stats: of the base.
    best: the best model so far; in a greedy search it is the base.
    trial: the last model that was learned.
    records: of all attempts, the start first.
    kind: of the next attempt. tried: the moves that failed at this base.
    exploring: the base was reached by a move that made things worse, so the next moves are random.
    finished: no merge and none of the first `config.candidates` splits of a component is left to
        try, so none of them gains.
    """

    config: SearchConfig = attrs.field(repr=False)
    rng: np.random.Generator = attrs.field(repr=False)
    base: Fit
    best: Fit
    trial: Fit
    stats: statistics.ResponsibilityStatistics = attrs.field(repr=False)
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
    beta: float | None = None,
    min_improvement: float = 0.1,
    split_by: Callable[..., Halves] = split_halves,
    candidates: int = 5,
    weights=None,
) -> Search:
    """Learn the starting model, from the state `start` (K, P), as the first base.

    prior: a `Mixture`, or a function that gives that of K components.
    X: data (N, D), or what `prior.observe` gave. weights: of the observations, (N,).
    rng: the search goes on with a copy of it.
    learn: `learn_batch`, `learn_online`, or any function (mixture, data, S, rng) -> Fit.
    beta, min_improvement: with beta None (greedy), a model is accepted if its ELBO is higher by
        more than `min_improvement` nats. With beta > 0 (Metropolis) others are accepted too, with
        the probability exp(beta (F_trial - F_base)).
    split_by: how a component is split, as `by` of `split`.
    candidates: how many splits of each component are tried: the family's first, and once nothing
        else is left the others, by their gain before learning. 1 is the report's procedure. A
        `split_by` of your own gives only one.

    Raises ValueError before any work if an argument is unfit, and if `learn` gives a fit without an
    ELBO.
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
            "clones is EM, which has no evidence; a search compares ELBOs: use fewer"
        )
    S, data, rng = (
        mixture.check_state(start),
        mixture.observe(X, weights),
        deepcopy(rng),
    )
    if split_by is not split_halves:
        candidates = 1
    config = SearchConfig(
        prior, data, learn, beta, min_improvement, split_by, candidates
    )
    fit = _learn(config, mixture, S, rng)
    record = _record(0, Choice("start", ()), False, np.nan, fit, fit, True, fit, data)
    stats = responsibility_statistics(mixture, data, fit.S)
    return Search(config, rng, fit, fit, fit, stats, (record,))


def step_search(search: Search) -> Search:
    """Make one attempt: choose a move, learn from it, and accept it as the new base or not.

    Nearly empty components (expected count below 1) are deleted first, one per attempt. Otherwise
    the kind of move is that of the last attempt after a success, and the other one after a failure.
    The component to split is the untried one with the lowest component ELBO; the pair to merge is
    the untried one with the most correlated responsibilities. If no untried move is left, a greedy
    search is returned unchanged but `finished`; Metropolis tries them all again.
    """
    as_instance("search", search, Search)
    config, base, rng = search.config, search.base, deepcopy(search.rng)
    choice = choose(search, rng)
    if choice is None and config.beta is not None and search.tried:
        search = attrs.evolve(
            search, tried=frozenset()
        )  # chance may take what it refused before
        choice = choose(search, rng)
    if choice is None:
        return attrs.evolve(search, finished=True)
    move = make(search, choice)
    trial = _learn(config, move.mixture, move.S, rng)
    change = trial.elbo - base.elbo
    accepted = bool(change > config.min_improvement)
    if not accepted and config.beta is not None:
        accepted = bool(rng.random() < np.exp(min(0.0, config.beta * change)))
    best = trial if accepted and trial.elbo > search.best.elbo else search.best
    at_random = search.exploring and choice.kind != "delete" and choice.candidate == 0
    record = _record(
        len(search.records),
        choice,
        at_random,
        move.gain,
        trial,
        base,
        accepted,
        best,
        config.data,
    )
    after = attrs.evolve(
        search, rng=rng, best=best, trial=trial, records=(*search.records, record)
    )
    if not accepted:
        kind = OTHER.get(choice.kind, search.kind)
        return attrs.evolve(after, kind=kind, tried=search.tried | {choice})
    stats = responsibility_statistics(trial.mixture, config.data, trial.S)
    kind = choice.kind if choice.kind in OTHER else search.kind
    return attrs.evolve(
        after,
        base=trial,
        stats=stats,
        kind=kind,
        tried=frozenset(),
        exploring=bool(change < 0),
    )


def iterate_search(search: Search, attempts: int) -> Iterator[Search]:
    """Yield the search after each of at most `attempts` further attempts.

    If you interrupt the loop, the last search yielded is complete. The loop ends early if nothing
    is left to try; the last search is then `finished`.
    """
    as_integer("attempts", attempts, 0)
    for _ in range(attempts):
        search = step_search(search)
        yield search
        if search.finished:
            return


def run_search(search: Search, attempts: int = 40) -> Search:
    """Return the search after at most `attempts` further attempts."""
    for following in iterate_search(search, attempts):
        search = following
    return search


# ---- parts of an attempt -------------------------------------------------------------------------


def _learn(config: SearchConfig, mixture: Mixture, S, rng) -> Fit:
    fit = config.learn(mixture, config.data, S, rng)
    if not (isinstance(fit, Fit) and np.isfinite(fit.elbo)):
        raise ValueError(f"learn gives {fit!r}; it must give a Fit with a finite ELBO")
    return fit


def _record(
    attempt,
    choice: Choice,
    at_random,
    gain,
    trial: Fit,
    base: Fit,
    accepted,
    best: Fit,
    data,
) -> Record:
    made = choice.kind, choice.components, at_random, gain
    learned = (
        trial.n_components,
        trial.elbo,
        log_likelihood(trial.mixture, data, trial.S),
    )
    compared = base.n_components, base.elbo, accepted, best.n_components, best.elbo
    effort = trial.epochs, trial.epochs * len(data.X)
    return Record(attempt, *made, *learned, *compared, *effort, choice.candidate)
