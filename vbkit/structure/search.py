"""Sequential selection of the number of components (Sato 2000, section 4): change the structure, learn, and keep what is
better.

`advance` makes one attempt and is a pure function of a `Selection`, which holds the generator's state too: a search
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
    delete,
    merge,
    model_of,
    principal_axis,
    split,
    split_halves,
)
from vbkit.structure.statistics import ResponsibilityStatistics, responsibility_statistics

OTHER = {"split": "merge", "merge": "split"}
NEARLY_EMPTY = 1.0  # a component with a smaller expected count has not been chosen at all

Learner = Callable[[Mixture, Observations, np.ndarray, np.random.Generator], Fit]


def learn_batch(mixture, data, S, rng, *, max_epochs: int = 1000, tolerance: float = 0.01) -> Fit:
    """Batch VB from the state S until an epoch raises the ELBO by less than `tolerance` nats."""
    return fit_batch(mixture, data, S, max_epochs=max_epochs, tolerance=tolerance)


def learn_online(
    mixture, data, S, rng, *, max_epochs=20, tolerance=0.01, tau0=100.0, kappa=0.01
) -> Fit:
    """Online VB from the state S with the schedule set back to 1 - lambda = eta = 1 / tau0 (Sato 2000, section 5),
    each epoch in a new random order, until one changes the ELBO by less than `tolerance` nats."""
    schedule = sato2000(len(data.X), tau0=tau0, kappa=kappa)  # gains carry the weights, if any
    return fit_online(mixture, data, S, schedule, epochs=max_epochs, rng=rng, tolerance=tolerance)


class Record(NamedTuple):
    """One attempt. Record 0 is the starting model, of kind "start".

    kind, components: what was done, to which components of the base. at_random: whether chance chose it. gain (nats): the exact
    change of the ELBO before learning. K, elbo, log_likelihood: of the model that was learned; the log-likelihood is
    at the expected parameters, and nan for other families than Gaussian ones. base_K, base_elbo: what it was compared
    with. best_K, best_elbo: the best so far, this attempt included. epochs of learning; visits: data seen in them.
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


@dataclass(frozen=True, eq=False)
class SearchConfig:
    """What a search is: the model of each number of components, the data, how it learns, and what it accepts."""

    prior: Prior
    data: Observations
    learn: Learner
    beta: float | None
    min_improvement: float
    split_by: Callable[..., Halves]


@dataclass(frozen=True, eq=False)
class Search:
    """A search after some attempts.

    base: the model that moves start from; best: the best so far (with greedy acceptance the same); trial: the last one
    learned. census: of the base. kind: of the next attempt. tried: the moves (kind, components) that failed at this base.
    wandering: the base was reached by a worse move, so that the next ones are chosen at random. finished: nothing is
    left to try.
    """

    rules: SearchConfig = field(repr=False)
    rng: np.random.Generator = field(repr=False)
    base: Fit
    best: Fit
    trial: Fit
    stats: ResponsibilityStatistics = field(repr=False)
    records: tuple[Record, ...] = field(repr=False)
    kind: str = "split"
    tried: frozenset = field(default=frozenset(), repr=False)
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
) -> Search:
    """Learn the starting model, from the state `start` (K, P), as the first base.

    prior: a Mixture, or a function that gives the Mixture of K components. learn: `learn_batch`, `learn_online`, or any
    function (mixture, data, S, rng) -> Fit.
    beta: None accepts a model whose bound is greater by `min_improvement` nats, the greedy search. A number > 0 accepts
    others with the probability exp(beta (F_current - F_base)) (Metropolis).
    rng: the search goes on with a copy of it.
    Raises ValueError before any work if an argument is unfit, and where `learn` gives a fit without a bound.
    """
    as_generator("rng", rng)
    if beta is not None:
        as_positive("beta", beta)
    as_number("min_improvement", min_improvement, 0)
    for name, value in (("learn", learn), ("split_by", split_by)):
        if not callable(value):
            raise ValueError(f"{name} is {value!r}; it must be a function")
    mixture = model_of(prior, len(as_matrix("start", start)))
    if mixture.clones >= EM:
        raise ValueError(
            "copies is EM; selection compares bounds on the evidence, which needs fewer copies"
        )
    S, data, rng = mixture.check_state(start), mixture.observe(X), deepcopy(rng)
    rules = SearchConfig(prior, data, learn, beta, min_improvement, split_by)
    fit = _learned(rules, mixture, S, rng)
    K, bound = fit.n_components, fit.elbo
    scores = K, bound, log_likelihood(mixture, data, fit.S), K, bound, True, K, bound
    record = Record(0, "start", (), False, np.nan, *scores, fit.epochs, fit.epochs * len(data.X))
    return Search(
        rules, rng, fit, fit, fit, responsibility_statistics(mixture, data, fit.S), (record,)
    )


def step_search(selection: Search) -> Search:
    """One attempt: choose a move, learn from it, and accept it as the new base or not.

    Idle components (expected count below 1) are deleted first, one an attempt. Otherwise the kind of move is that of the
    last attempt after a success and the other after a failure; a split is of the untried component of lowest component bound, a
    merge of the untried pair with the most correlated responsibilities.
    Where no untried move is left, the greedy search comes back as it is, `finished`; Metropolis tries them all again.
    """
    rules, base, best, rng = (
        selection.rules,
        selection.base,
        selection.best,
        deepcopy(selection.rng),
    )
    choice = _choose(selection, rng)
    if (
        choice is None and rules.beta is not None and selection.tried
    ):  # chance may take what it refused before
        selection = replace(selection, tried=frozenset())
        choice = _choose(selection, rng)
    if choice is None:
        return replace(selection, finished=True)
    kind, components = choice
    move = _make(selection, kind, components)
    trial = _learned(rules, move.mixture, move.S, rng)
    change = trial.elbo - base.elbo
    better = change > rules.min_improvement
    accepted = better or (
        rules.beta is not None and rng.random() < np.exp(min(0.0, rules.beta * change))
    )
    best = trial if trial.elbo > best.elbo and accepted else best
    likelihood = log_likelihood(trial.mixture, rules.data, trial.S)
    scores = (
        trial.n_components,
        trial.elbo,
        likelihood,
        base.n_components,
        base.elbo,
        bool(accepted),
        best.n_components,
        best.elbo,
    )
    what = (
        len(selection.records),
        kind,
        components,
        selection.exploring and kind != "delete",
        move.gain,
    )
    record = Record(*what, *scores, trial.epochs, trial.epochs * len(rules.data.X))
    records = (*selection.records, record)
    after = replace(selection, rng=rng, best=best, trial=trial, records=records)
    if not accepted:
        return replace(
            after, kind=OTHER.get(kind, selection.kind), tried=selection.tried | {choice}
        )
    stats = responsibility_statistics(trial.mixture, rules.data, trial.S)
    following = kind if kind in OTHER else selection.kind
    return replace(
        after, base=trial, stats=stats, kind=following, tried=frozenset(), exploring=change < 0
    )


def _learned(rules: SearchConfig, mixture: Mixture, S, rng) -> Fit:
    fit = rules.learn(mixture, rules.data, S, rng)
    if not (isinstance(fit, Fit) and np.isfinite(fit.elbo)):
        raise ValueError(
            f"learn gives {fit!r}; it must give a Fit with a finite bound, which selection compares"
        )
    return fit


def _choose(selection: Search, rng) -> tuple[str, tuple[int, ...]] | None:
    """The next move, or None where there is none left."""
    stats, tried = selection.stats, selection.tried
    K, counts = len(stats.S), stats.S[:, 0]
    for k in np.argsort(counts, kind="stable").tolist():
        if K > 1 and counts[k] < NEARLY_EMPTY and ("delete", (k,)) not in tried:
            return "delete", (k,)
    splits = [("split", (k,)) for k in np.argsort(stats.component_elbos, kind="stable").tolist()]
    pairs = list(combinations(range(K), 2))
    cosines = stats.correlation[tuple(np.array(pairs).T)] if pairs else []
    merges = [("merge", pairs[i]) for i in np.argsort(-np.array(cosines), kind="stable")]
    options = {
        kind: [m for m in moves if m not in tried]
        for kind, moves in (("split", splits), ("merge", merges))
    }
    if selection.exploring:
        options = {
            kind: [moves[i] for i in rng.permutation(len(moves))] for kind, moves in options.items()
        }
    first = selection.kind
    if selection.exploring and rng.random() < 0.5:
        first = OTHER[first]
    for kind in sorted(options, key=lambda kind: kind != first):
        for move in options[kind]:
            if (
                kind == "merge"
                or principal_axis(stats.mixture, stats.data, stats.at, *move[1]) is not None
            ):
                return move
    return None


def _make(selection: Search, kind: str, components: tuple[int, ...]) -> Move:
    stats, prior = selection.stats, selection.rules.prior
    if kind == "split":
        return split(stats, *components, prior, selection.rules.split_by)
    return merge(stats, *components, prior) if kind == "merge" else delete(stats, components, prior)


def iterate_search(selection: Search, attempts: int) -> Iterator[Search]:
    """The selection after each of at most so many further attempts; whoever loops over it keeps the last one if he is
    interrupted. Ends early where nothing is left to try; the last one is then `finished`."""
    as_integer("attempts", attempts, 0)
    for _ in range(attempts):
        selection = step_search(selection)
        yield selection
        if selection.finished:
            return


def run_search(selection: Search, attempts: int = 40) -> Search:
    """The selection after at most so many further attempts."""
    for following in iterate_search(selection, attempts):
        selection = following
    return selection


def log_likelihood(mixture: Mixture, data: Observations, S) -> float:
    """Log-likelihood (nats) at the expected parameters: weights E[pi], centres, inverses of the expected precisions;
    nan for other families than Gaussian ones."""
    if not isinstance(mixture.family, Gaussian):
        return np.nan
    point = Mixture(mixture.family, Dirichlet(0.0), clones=EM)
    return point.e_step(data, mixture.family.state(*mixture.parameters(S))).log_likelihood
