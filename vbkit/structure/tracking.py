"""Structure in a stream whose components appear and vanish (Sato 2000, section 4: dynamic
environments)."""

import attrs
import numpy as np

from vbkit.checks import as_generator, as_instance, as_integer, as_positive
from vbkit.learning import Schedule, fit_online
from vbkit.mixture import as_independent
from vbkit.structure.moves import Prior, model_of
from vbkit.structure.search import Record, run_search, start_search

# So many memories of data are kept: the oldest of them count e^-8, too little to matter.
MEMORIES_KEPT = 8


@attrs.frozen(eq=False)
class Tracker:
    """A model that follows a stream: `track` gives the next one.

    prior: a Mixture, or a function that gives the Mixture of K components.
    S: (K, P), the state, a discounted sum; zeros (1, P) are one component that has seen
        nothing.
    memory: for how many data points the past counts, above 1. Every data point lowers the
        weight of those before it by the factor 1 - 1 / memory.
    attempts: how many moves are tried after each window.
    temperature: as for `start_search`; of each component only the first split is tried.

    `track` fills in:
    window, observed: the recent data (n, D), and the observation weights (n,) they came
        with.
    records: of the last window's attempts.
    elbo: the discounted ELBO (3.5) of S over the window, in nats.

    Raises ValueError for unfit settings.
    """

    prior: Prior = attrs.field(repr=False)
    S: np.ndarray = attrs.field(repr=False)
    rng: np.random.Generator = attrs.field(repr=False)
    memory: float = 500.0
    attempts: int = 2
    temperature: float | None = None
    window: np.ndarray | None = attrs.field(default=None, repr=False)
    observed: np.ndarray | None = attrs.field(default=None, repr=False)
    records: tuple[Record, ...] = attrs.field(default=(), repr=False)
    elbo: float = np.nan

    def __attrs_post_init__(self):
        as_generator("rng", self.rng)
        as_positive("memory", self.memory, above=1)
        as_integer("attempts", self.attempts, 0)

    @property
    def n_components(self) -> int:
        """K."""
        return len(self.S)

    @property
    def weights(self) -> np.ndarray:
        """How much each data point of the window still counts (n,)."""
        age = np.arange(len(self.window))[::-1]
        return self.observed * (1 - 1 / self.memory) ** age


def track(tracker: Tracker, X, weights=None) -> Tracker:
    """Return the tracker after further data X (n, D) with observation weights (n,), in
    order.

    An online pass, S <- (1 - 1 / memory) S + w r t(x), moves the posterior with every data
    point. Then moves of structure are tried as in a search, on the recent data with their
    weights. If one is accepted, its state, learned from them, replaces S. Raises ValueError
    as `fit_online` and `start_search` do.
    """
    as_instance("tracker", tracker, Tracker)
    mixture = as_independent(model_of(tracker.prior, len(tracker.S)))
    data = mixture.observe(X, weights)
    forgetting = Schedule(0.0, 1 / tracker.memory, decay=0.0)
    S = fit_online(mixture, data, tracker.S, forgetting, monitor=False).S
    tracker = _with_window(tracker, data)
    recent = mixture.observe(tracker.window, tracker.weights)
    first = start_search(
        tracker.prior,
        recent,
        S,
        tracker.rng,
        temperature=tracker.temperature,
        candidates=1,
    )
    last = run_search(first, tracker.attempts)
    if last.base is not first.base:
        mixture = last.base.mixture
        S = last.base.S
    return attrs.evolve(
        tracker,
        S=S,
        rng=last.rng,
        records=last.records[1:],
        elbo=mixture.elbo(recent, S),
    )


def _with_window(tracker: Tracker, data) -> Tracker:
    """The tracker whose window ends with these data."""
    window = data.X.copy()  # the caller may use the array again
    if data.weights is None:
        observed = np.ones(len(window))
    else:
        observed = data.weights.copy()
    if tracker.window is not None:
        window = np.concatenate([tracker.window, window])
        observed = np.concatenate([tracker.observed, observed])
    kept = int(MEMORIES_KEPT * tracker.memory)
    return attrs.evolve(tracker, window=window[-kept:], observed=observed[-kept:])
