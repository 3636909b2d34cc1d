"""Online learning: the posterior moves with every data point."""

import numpy as np

from vbkit.checks import as_generator, as_integer, as_number
from vbkit.learning.batch import Fit
from vbkit.learning.initialization import check_distinct
from vbkit.learning.schedule import Schedule, as_schedule
from vbkit.learning.stream import run_stream
from vbkit.mixture import Mixture, Observations

CHUNK = 2**20  # statistics (numbers) held at a time


def fit_online(
    mixture: Mixture,
    X,
    start,
    schedule: Schedule,
    *,
    epochs: int = 1,
    rng: np.random.Generator | None = None,
    monitor: bool = True,
    tolerance: float | None = None,
) -> Fit:
    """Online VB (Sato 2000, 3.12-3.16; Ghahramani 2000 with `accumulation()`); with copies = EM online EM.

    start: a state (K, P), its components not all identical (ValueError: they would never separate). Each epoch presents
    every row once, in the order of X, or in a new random order if `rng` is given. Observation weights, if any, come
    with the data: `mixture.observe(X, weights)`.
    monitor: evaluate the ELBO over all data after each epoch (an extra E-step that learning does not need).
    tolerance: stop once an epoch changes the ELBO by less than this many nats (needs monitor).
    The returned fit's S and schedule go in again to continue the stream with the same numbers as without the stop.
    Raises ValueError on unfit data or settings before any work, and where a component's posterior ceases to exist.
    """
    data, S = mixture.observe(X), mixture.check_state(start)
    check_distinct(mixture, S)
    check_stream(schedule, epochs, rng)
    if tolerance is not None:
        as_number("tolerance", tolerance, 0)
        if not monitor:
            raise ValueError(
                "tolerance needs the ELBO after each epoch; it must be None where monitor is False"
            )
    trace, converged, done = [mixture.elbo(data, S)] if monitor else [], False, 0
    for _ in range(epochs):
        S, schedule = _epoch(
            mixture, data, S, schedule, None if rng is None else rng.permutation(len(data.X))
        )
        done += 1
        if monitor:
            trace.append(mixture.elbo(data, S))
            converged = tolerance is not None and abs(trace[-1] - trace[-2]) < tolerance
            if converged:
                break
    return Fit(mixture, S, np.array(trace), done, converged, schedule)


def check_stream(schedule: Schedule, epochs: int, rng) -> None:
    """ValueError unless epochs of a stream can be learned so."""
    as_schedule(schedule)
    as_integer("epochs", epochs, 0)
    if rng is not None:
        as_generator("rng", rng)
    if schedule.total is not None and schedule.effective_sample_size == 0:
        words = "so the first data point would replace every statistic; start it above 0"
        raise ValueError(f"the schedule's memory is 0, {words}")


def _epoch(mixture: Mixture, data: Observations, S, schedule: Schedule, order):
    """One pass in blocks; the cuts change no number."""
    X, w = data.X, data.weights
    if order is not None:
        X, w = X[order], None if w is None else w[order]
    step = max(1, CHUNK // S.shape[1])
    for first in range(0, len(X), step):
        rows = slice(first, first + step)
        keep, gain, schedule = schedule.rates(len(X[rows]))
        S = run_stream(mixture, S, X[rows], keep, gain, None if w is None else w[rows])
    return S, schedule
