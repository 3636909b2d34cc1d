"""Sequential selection of the number of units (Sato 2000, section 4): change the structure, learn, and keep what is
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

from vbkit.checks import as_generator, as_matrix, as_number, as_positive, as_whole
from vbkit.families import Dirichlet
from vbkit.families.base import Gaussian
from vbkit.learning import Fit, fit_batch, fit_online, sato2000
from vbkit.mixture import EM, Mixture, Observations
from vbkit.structure.census import Census, take_census
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

OTHER = {"split": "merge", "merge": "split"}
IDLE = 1.0  # a unit with a smaller expected count has not been chosen at all

Learner = Callable[[Mixture, Observations, np.ndarray, np.random.Generator], Fit]


def learn_batch(mixture, data, S, rng, *, max_epochs: int = 1000, tolerance: float = 0.01) -> Fit:
    """Batch VB from the state S until an epoch raises the bound by less than `tolerance` nats."""
    return fit_batch(mixture, data, S, max_epochs=max_epochs, tolerance=tolerance)


def learn_online(mixture, data, S, rng, *, max_epochs=20, tolerance=0.01, tau0=100.0, kappa=0.01) -> Fit:
    """On-line VB from the state S with the schedule set back to 1 - lambda = eta = 1 / tau0 (Sato 2000, section 5),
    each epoch in a new random order, until one changes the bound by less than `tolerance` nats."""
    schedule = sato2000(len(data.X), tau0=tau0, kappa=kappa)  # gains carry the weights, if any
    return fit_online(mixture, data, S, schedule, epochs=max_epochs, rng=rng, tolerance=tolerance)


class Record(NamedTuple):
    """One attempt. Record 0 is the starting model, of kind "start".

    kind, units: what was done, to which units of the base. at_random: whether chance chose it. gain (nats): the exact
    change of the bound before learning. K, elbo, log_likelihood: of the model that was learned; the log-likelihood is
    at the expected parameters, and nan for other families than Gaussian ones. base_K, base_elbo: what it was compared
    with. best_K, best_elbo: the best so far, this attempt included. epochs of learning; visits: data seen in them.
    """

    attempt: int
    kind: str
    units: tuple[int, ...]
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
class Rules:
    """What a search is: the model of each number of units, the data, how it learns, and what it accepts."""

    prior: Prior
    data: Observations
    learn: Learner
    beta: float | None
    least_gain: float
    split_by: Callable[..., Halves]


@dataclass(frozen=True, eq=False)
class Selection:
    """A search after some attempts.

    base: the model that moves start from; best: the best so far (with greedy acceptance the same); trial: the last one
    learned. census: of the base. kind: of the next attempt. tried: the moves (kind, units) that failed at this base.
    wandering: the base was reached by a worse move, so that the next ones are chosen at random. finished: nothing is
    left to try.
    """

    rules: Rules = field(repr=False)
    rng: np.random.Generator = field(repr=False)
    base: Fit
    best: Fit
    trial: Fit
    census: Census = field(repr=False)
    records: tuple[Record, ...] = field(repr=False)
    kind: str = "split"
    tried: frozenset = field(default=frozenset(), repr=False)
    wandering: bool = False
    finished: bool = False


def begin(
    prior: Prior,
    X,
    start,
    rng: np.random.Generator,
    *,
    learn: Learner = learn_batch,
    beta: float | None = None,
    least_gain: float = 0.1,
    split_by: Callable[..., Halves] = split_halves,
) -> Selection:
    """Learn the starting model, from the state `start` (K, P), as the first base.

    prior: a Mixture, or a function that gives the Mixture of K units. learn: `learn_batch`, `learn_online`, or any
    function (mixture, data, S, rng) -> Fit.
    beta: None accepts a model whose bound is greater by `least_gain` nats, the greedy search. A number > 0 accepts
    others with the probability exp(beta (F_current - F_base)) (Metropolis).
    rng: the search goes on with a copy of it.
    Raises ValueError before any work if an argument is unfit, and where `learn` gives a fit without a bound.
    """
    as_generator("rng", rng)
    if beta is not None:
        as_positive("beta", beta)
    as_number("least_gain", least_gain, 0)
    for name, value in (("learn", learn), ("split_by", split_by)):
        if not callable(value):
            raise ValueError(f"{name} is {value!r}; it must be a function")
    mixture = model_of(prior, len(as_matrix("start", start)))
    if mixture.copies >= EM:
        raise ValueError("copies is EM; selection compares bounds on the evidence, which needs fewer copies")
    S, data, rng = mixture.check_state(start), mixture.observe(X), deepcopy(rng)
    rules = Rules(prior, data, learn, beta, least_gain, split_by)
    fit = _learned(rules, mixture, S, rng)
    K, bound = fit.units, fit.elbo
    scores = K, bound, log_likelihood(mixture, data, fit.S), K, bound, True, K, bound
    record = Record(0, "start", (), False, np.nan, *scores, fit.epochs, fit.epochs * len(data.X))
    return Selection(rules, rng, fit, fit, fit, take_census(mixture, data, fit.S), (record,))


def advance(selection: Selection) -> Selection:
    """One attempt: choose a move, learn from it, and accept it as the new base or not.

    Idle units (expected count below 1) are deleted first, one an attempt. Otherwise the kind of move is that of the
    last attempt after a success and the other after a failure; a split is of the untried unit of lowest unit bound, a
    merge of the untried pair with the most correlated responsibilities.
    Where no untried move is left, the greedy search comes back as it is, `finished`; Metropolis tries them all again.
    """
    rules, base, best, rng = selection.rules, selection.base, selection.best, deepcopy(selection.rng)
    choice = _choose(selection, rng)
    if choice is None and rules.beta is not None and selection.tried:  # chance may take what it refused before
        selection = replace(selection, tried=frozenset())
        choice = _choose(selection, rng)
    if choice is None:
        return replace(selection, finished=True)
    kind, units = choice
    move = _make(selection, kind, units)
    trial = _learned(rules, move.mixture, move.S, rng)
    change = trial.elbo - base.elbo
    better = change > rules.least_gain
    accepted = better or (rules.beta is not None and rng.random() < np.exp(min(0.0, rules.beta * change)))
    best = trial if trial.elbo > best.elbo and accepted else best
    likelihood = log_likelihood(trial.mixture, rules.data, trial.S)
    scores = trial.units, trial.elbo, likelihood, base.units, base.elbo, bool(accepted), best.units, best.elbo
    what = len(selection.records), kind, units, selection.wandering and kind != "delete", move.gain
    record = Record(*what, *scores, trial.epochs, trial.epochs * len(rules.data.X))
    records = (*selection.records, record)
    after = replace(selection, rng=rng, best=best, trial=trial, records=records)
    if not accepted:
        return replace(after, kind=OTHER.get(kind, selection.kind), tried=selection.tried | {choice})
    census = take_census(trial.mixture, rules.data, trial.S)
    following = kind if kind in OTHER else selection.kind
    return replace(after, base=trial, census=census, kind=following, tried=frozenset(), wandering=change < 0)


def _learned(rules: Rules, mixture: Mixture, S, rng) -> Fit:
    fit = rules.learn(mixture, rules.data, S, rng)
    if not (isinstance(fit, Fit) and np.isfinite(fit.elbo)):
        raise ValueError(f"learn gives {fit!r}; it must give a Fit with a finite bound, which selection compares")
    return fit


def _choose(selection: Selection, rng) -> tuple[str, tuple[int, ...]] | None:
    """The next move, or None where there is none left."""
    census, tried = selection.census, selection.tried
    K, counts = len(census.S), census.S[:, 0]
    for k in np.argsort(counts, kind="stable").tolist():
        if K > 1 and counts[k] < IDLE and ("delete", (k,)) not in tried:
            return "delete", (k,)
    splits = [("split", (k,)) for k in np.argsort(census.unit_bounds, kind="stable").tolist()]
    pairs = list(combinations(range(K), 2))
    cosines = census.correlation[tuple(np.array(pairs).T)] if pairs else []
    merges = [("merge", pairs[i]) for i in np.argsort(-np.array(cosines), kind="stable")]
    options = {kind: [m for m in moves if m not in tried] for kind, moves in (("split", splits), ("merge", merges))}
    if selection.wandering:
        options = {kind: [moves[i] for i in rng.permutation(len(moves))] for kind, moves in options.items()}
    first = selection.kind
    if selection.wandering and rng.random() < 0.5:
        first = OTHER[first]
    for kind in sorted(options, key=lambda kind: kind != first):
        for move in options[kind]:
            if kind == "merge" or principal_axis(census.mixture, census.data, census.at, *move[1]) is not None:
                return move
    return None


def _make(selection: Selection, kind: str, units: tuple[int, ...]) -> Move:
    census, prior = selection.census, selection.rules.prior
    if kind == "split":
        return split(census, *units, prior, selection.rules.split_by)
    return merge(census, *units, prior) if kind == "merge" else delete(census, units, prior)


def steps(selection: Selection, attempts: int) -> Iterator[Selection]:
    """The selection after each of at most so many further attempts; whoever loops over it keeps the last one if he is
    interrupted. Ends early where nothing is left to try; the last one is then `finished`."""
    as_whole("attempts", attempts, 0)
    for _ in range(attempts):
        selection = advance(selection)
        yield selection
        if selection.finished:
            return


def select(selection: Selection, attempts: int = 40) -> Selection:
    """The selection after at most so many further attempts."""
    for following in steps(selection, attempts):
        selection = following
    return selection


def log_likelihood(mixture: Mixture, data: Observations, S) -> float:
    """Log-likelihood (nats) at the expected parameters: weights E[pi], centres, inverses of the expected precisions;
    nan for other families than Gaussian ones."""
    if not isinstance(mixture.component, Gaussian):
        return np.nan
    point = Mixture(mixture.component, Dirichlet(0.0), copies=EM)
    return point.sweep(data, mixture.component.state(*mixture.parameters(S))).log_likelihood
