"""Online learning: the posterior moves with every data point, or with every sequence."""

from collections.abc import Iterator

import numpy as np

from vbkit.checks import as_generator, as_integer, as_number
from vbkit.learning.fit import Fit, Model, begin, stands_still
from vbkit.learning.schedule import Schedule, as_schedule
from vbkit.learning.stream import run_stream
from vbkit.mixture import Mixture
from vbkit.observations import Observations

CHUNK = 2**20  # statistics (numbers) held at a time


def online_epochs(
    mixture: Model,
    X,
    start,
    schedule: Schedule,
    *,
    rng=None,
    monitor=True,
    weights=None,
) -> Iterator[tuple[np.ndarray, float, Schedule]]:
    """Yield (S, elbo, schedule) of online VB without end: the start, then after each pass.

    Arguments, warnings and errors are those of `fit_online`.
    """
    data, S = begin(mixture, X, start, weights)
    check_stream(schedule, rng)
    return _epochs(mixture, data, S, schedule, rng, monitor)


def _epochs(
    mixture: Model, data: Observations, S, schedule: Schedule, rng, monitor: bool
):
    while True:
        yield S, mixture.elbo(data, S) if monitor else np.nan, schedule
        shown = data if rng is None else data.take(rng.permutation(data.units))
        step = max(1, CHUNK // S.shape[1])
        for first in range(0, data.units, step):  # the cuts change no number
            part = shown.take(slice(first, first + step))
            retention, gain, schedule = schedule.rates(part.units)
            S = _advance(mixture, S, part, retention, gain)


def _advance(model: Model, S, data: Observations, retention, gain) -> np.ndarray:
    """The state after the units of the data in turn, each with its own E-step."""
    if isinstance(model, Mixture) and model.labels.independent:
        return run_stream(model, S, data.X, retention, gain, data.weights)
    for unit in range(data.units):
        step = model.e_step(data.take(slice(unit, unit + 1)), S)
        S = retention[unit] * S + gain[unit] * step.S
    return S


def fit_online(
    mixture,
    X,
    start,
    schedule,
    *,
    epochs=1,
    rng=None,
    monitor=True,
    tolerance=0.0,
    weights=None,
) -> Fit:
    """Fit online (Sato 2000, 3.12-3.16; Ghahramani 2000 with `accumulation()`): online VB, or
    online EM if clones is EM.

    mixture: any `Model`; a step learns from one row, or from a sequence of rows that depend on each
        other. X, start: data (N, D) and a state (K, width). weights: of the observations; they
        multiply the gains, so a schedule whose total is the number of rows stands for the sum of
        the weights.
    epochs, rng: each epoch presents every row once, in the order of X, or in a new random order if
        there is an rng.
    monitor: evaluate the ELBO over all data after each epoch, by an extra E-step that learning does
        not need.
    tolerance: stop when an epoch changes the ELBO by less than this many nats (0: never; needs
        monitor). Online the ELBO may fall, so a small fall counts like a small rise.

    To continue the stream with the same numbers as without a stop, give S and schedule of the fit
    that is returned. (Where nothing is forgotten and the family offers rank-one updates, in six
    dimensions or more, they are the same to rounding.) Warns (ConvergenceWarning) if all components
    of the start are identical: they never separate. Raises ValueError for unfit data or settings
    before any work, and when a component's posterior ceases to exist.
    """
    as_integer("epochs", epochs, 0)
    if as_number("tolerance", tolerance, 0) and not monitor:
        raise ValueError(
            f"tolerance is {tolerance}; without monitor, no ELBO, it must be 0"
        )
    passes = online_epochs(
        mixture, X, start, schedule, rng=rng, monitor=monitor, weights=weights
    )
    trace = []
    for epoch, state in enumerate(passes):
        S, elbo, schedule = state
        trace.append(elbo)
        converged = stands_still(trace, tolerance)
        if converged or epoch == epochs:
            break
    shown = np.array(trace) if monitor else np.empty(0)
    return Fit(mixture, S, shown, epoch, converged, schedule)


def check_stream(schedule: Schedule, rng) -> None:
    """ValueError unless a stream can be learned with this schedule and generator."""
    if rng is not None:
        as_generator("rng", rng)
    if as_schedule(schedule).total is not None and schedule.memory == 0:
        lost = "so the first data point would replace every statistic; start it above 0"
        raise ValueError(f"the schedule's memory is 0, {lost}")
