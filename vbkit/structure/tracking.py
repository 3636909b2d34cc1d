"""Structure in a stream whose components appear and vanish (Sato 2000, section 4: dynamic environments)."""

from dataclasses import dataclass, field, replace

import numpy as np

from vbkit.checks import as_generator, as_integer, as_positive
from vbkit.learning import Schedule, fit_online
from vbkit.structure.moves import Prior, model_of
from vbkit.structure.search import Learner, Record, learn_batch, run_search, start_search

REACH = 8  # memories of data that the window holds: the oldest count e^-8, less than matters to any move


@dataclass(frozen=True, eq=False)
class Tracker:
    """A model that follows a stream: `track` gives the next one.

    prior: a Mixture, or a function that gives the Mixture of K components. S (K, P): the state, a discounted sum; zeros
    (1, P) are one component that has seen nothing. memory > 1: for how many data the past counts, the effective total: a
    data point's weight falls by the factor 1 - 1 / memory with every later one.
    attempts: moves tried a window. learn, beta, min_improvement: as for `begin`.

    window (n, D), weights (n,): the recent data, and how much each still counts. elbo (nats): the discounted free
    energy (3.5) of S over them. records: of the last window's attempts. seen: data so far.
    """

    prior: Prior = field(repr=False)
    S: np.ndarray = field(repr=False)
    rng: np.random.Generator = field(repr=False)
    effective_sample_size: float = 500.0
    attempts: int = 2
    beta: float | None = None
    min_improvement: float = 0.1
    learn: Learner = field(default=learn_batch, repr=False)
    window: np.ndarray | None = field(default=None, repr=False)
    records: tuple[Record, ...] = field(default=(), repr=False)
    elbo: float = np.nan
    seen: int = 0

    def __post_init__(self):
        as_generator("rng", self.rng)
        as_positive("effective_sample_size", self.effective_sample_size, above=1)
        as_integer("attempts", self.attempts, 0)

    @property
    def n_components(self) -> int:
        return len(self.S)

    @property
    def weights(self) -> np.ndarray:
        return (1 - 1 / self.effective_sample_size) ** np.arange(len(self.window))[::-1]


def track(tracker: Tracker, X) -> Tracker:
    """The tracker after further data X (n, D), in their order.

    An online pass, S <- (1 - 1 / memory) S + r t(x), moves the posterior with every data point. Then moves of structure are
    tried as in a selection, on the recent data with their weights; only if one is accepted does its state, learned from
    them, take the place of S.
    """
    mixture = model_of(tracker.prior, len(tracker.S))
    data = mixture.observe(X)
    forget = Schedule(
        effective_sample_size=0.0,
        forgetting_rate=1 / tracker.effective_sample_size,
        decay=0.0,
        total=None,
    )
    S = fit_online(mixture, data, tracker.S, forget, monitor=False).S
    window = data.X if tracker.window is None else np.concatenate([tracker.window, data.X])
    tracker = replace(
        tracker,
        S=S,
        window=window[-int(REACH * tracker.effective_sample_size) :],
        seen=tracker.seen + len(data.X),
    )
    recent = mixture.observe(tracker.window, tracker.weights)
    settings = {
        "learn": tracker.learn,
        "beta": tracker.beta,
        "min_improvement": tracker.min_improvement,
    }
    first = start_search(tracker.prior, recent, S, tracker.rng, **settings)
    last = run_search(first, tracker.attempts)
    if last.base is not first.base:
        mixture, S = last.base.mixture, last.base.S
    return replace(
        tracker, S=S, rng=last.rng, records=last.records[1:], elbo=mixture.elbo(recent, S)
    )
