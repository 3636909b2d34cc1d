"""Structure in a stream whose units appear and vanish (Sato 2000, section 4: dynamic environments)."""

from dataclasses import dataclass, field, replace

import numpy as np

from vbkit.checks import as_generator, as_positive, as_whole
from vbkit.learning import Schedule, fit_online
from vbkit.structure.moves import Prior, model_of
from vbkit.structure.selection import Learner, Record, begin, learn_batch, select

REACH = 8  # memories of data that the window holds: the oldest count e^-8, less than matters to any move


@dataclass(frozen=True, eq=False)
class Tracker:
    """A model that follows a stream: `track` gives the next one.

    prior: a Mixture, or a function that gives the Mixture of K units. S (K, P): the state, a discounted sum; zeros
    (1, P) are one unit that has seen nothing. memory > 1: for how many data the past counts, the effective total: a
    datum's weight falls by the factor 1 - 1 / memory with every later one.
    attempts: moves tried a window. learn, beta, least_gain: as for `begin`.

    window (n, D), weights (n,): the recent data, and how much each still counts. elbo (nats): the discounted free
    energy (3.5) of S over them. records: of the last window's attempts. seen: data so far.
    """

    prior: Prior = field(repr=False)
    S: np.ndarray = field(repr=False)
    rng: np.random.Generator = field(repr=False)
    memory: float = 500.0
    attempts: int = 2
    beta: float | None = None
    least_gain: float = 0.1
    learn: Learner = field(default=learn_batch, repr=False)
    window: np.ndarray | None = field(default=None, repr=False)
    records: tuple[Record, ...] = field(default=(), repr=False)
    elbo: float = np.nan
    seen: int = 0

    def __post_init__(self):
        as_generator("rng", self.rng)
        as_positive("memory", self.memory, above=1)
        as_whole("attempts", self.attempts, 0)

    @property
    def units(self) -> int:
        return len(self.S)

    @property
    def weights(self) -> np.ndarray:
        return (1 - 1 / self.memory) ** np.arange(len(self.window))[::-1]


def track(tracker: Tracker, X) -> Tracker:
    """The tracker after further data X (n, D), in their order.

    An on-line pass, S <- (1 - 1 / memory) S + r t(x), moves the posterior with every datum. Then moves of structure are
    tried as in a selection, on the recent data with their weights; only if one is accepted does its state, learned from
    them, take the place of S.
    """
    mixture = model_of(tracker.prior, len(tracker.S))
    data = mixture.observe(X)
    forget = Schedule(memory=0.0, discount=1 / tracker.memory, decay=0.0, total=None)
    S = fit_online(mixture, data, tracker.S, forget, monitor=False).S
    window = data.X if tracker.window is None else np.concatenate([tracker.window, data.X])
    tracker = replace(tracker, S=S, window=window[-int(REACH * tracker.memory) :], seen=tracker.seen + len(data.X))
    recent = mixture.observe(tracker.window, tracker.weights)
    settings = {"learn": tracker.learn, "beta": tracker.beta, "least_gain": tracker.least_gain}
    first = begin(tracker.prior, recent, S, tracker.rng, **settings)
    last = select(first, tracker.attempts)
    if last.base is not first.base:
        mixture, S = last.base.mixture, last.base.S
    return replace(tracker, S=S, rng=last.rng, records=last.records[1:], elbo=mixture.elbo(recent, S))
