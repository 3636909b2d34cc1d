"""Online learning: one data point after another.

    log r_k = E log p(x | theta_k) + E log pi_k;   r = softmax;   S <- retention S + gain r t(x)

`reference_steps` is this algorithm in NumPy, for every family. `run_stream` takes the same steps,
some hundred times faster where they are compiled: for families that name their expected log
density among those of `vbkit.compiled.online` (`compiled_density`) and say what hyperparameters
it takes (`packed_hyperparameters`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from vbkit.checks import as_generator, as_integer, as_number, require_numbers
from vbkit.compiled import COMPILED
from vbkit.compiled.online import Setting, advance
from vbkit.learning.fit import Fit, Model, begin, stands_still
from vbkit.learning.schedule import Schedule, as_schedule
from vbkit.mixture import Mixture
from vbkit.observations import Observations

CHUNK = 2**20  # statistics (numbers) held at a time
LOOK_BACK = 100  # states whose ELBO is worked out together


class Step(NamedTuple):
    """What a data point led to: the state S (K, P) after it, and its responsibilities r (K,)."""

    S: np.ndarray
    r: np.ndarray


def reference_steps(
    mixture: Mixture, S, X, retention, gain, weights=None
) -> Iterator[Step]:
    """Yield the steps of `run_stream`, with the same arguments and errors, in plain NumPy."""
    S, T, gain = _check_stream(mixture, S, X, retention, gain, weights)
    for n, t in enumerate(T):
        E = mixture.effective(S)
        log_r = mixture.family.expected(E) @ t + mixture.labels.expected(E[:, 0])
        if not np.isfinite(log_r.max()):
            raise _undefined(n, X[n])
        r = np.exp(log_r - log_r.max())
        r /= r.sum()
        S = retention[n] * S + gain[n] * r[:, None] * t
        yield Step(S, r)


def reference_stream(
    mixture: Mixture, S, X, retention, gain, weights=None
) -> np.ndarray:
    """The state (K, P) after the last of the `reference_steps`."""
    for step in reference_steps(mixture, S, X, retention, gain, weights):
        S = step.S
    return S


def run_stream(mixture: Mixture, S, X, retention, gain, weights=None) -> np.ndarray:
    """Return the state (K, P) after the rows of X (N, D) in turn, from S (K, P).

    X: rows that `mixture.observe` has checked.
    retention, gain: (N,), see `Schedule.rates`.
    weights: of the observations, (N,), or None.

    Cutting a stream changes no number. Raises ValueError for shapes that do not fit, and when a
    component's posterior ceases to exist (EM: a component has collapsed onto a point).
    """
    if COMPILED and mixture.family.compiled_density is not None:
        return _compiled_stream(mixture, S, X, retention, gain, weights)
    return reference_stream(mixture, S, X, retention, gain, weights)


def _compiled_stream(mixture: Mixture, S, X, retention, gain, weights) -> np.ndarray:
    """`run_stream` for a family with a compiled density."""
    S, T, gain = _check_stream(mixture, S, X, retention, gain, weights)
    K, P = S.shape
    columns = np.array(S.T, dtype=np.float64, order="C")
    pseudo = mixture.pseudo_statistics
    setting = Setting(
        concentration=np.full(K, mixture.labels.concentration, dtype=np.float64),
        clones=float(mixture.clones),
        pseudo=np.zeros(P) if pseudo is None else np.array(pseudo, dtype=np.float64),
        prior=mixture.family.packed_hyperparameters,
    )
    steps = advance(
        mixture.family.compiled_density,
        np.ascontiguousarray(T, dtype=np.float64),
        np.ascontiguousarray(retention, dtype=np.float64),
        np.ascontiguousarray(gain, dtype=np.float64),
        columns,
        setting,
    )
    S = np.ascontiguousarray(columns.T)
    if steps < len(T):
        mixture.family.expected(mixture.effective(S))  # raises the family's own error
        raise _undefined(steps, X[steps])
    return S


def _check_stream(mixture: Mixture, S, X, retention, gain, weights):
    """State, statistics and gains (weights included) whose shapes fit: compiled code reads them
    unchecked."""
    S = mixture.check_state(S)
    T = mixture.family.statistics(X)
    gain = gain if weights is None else gain * weights
    shapes = T.shape, np.shape(retention), np.shape(gain)
    N, P = len(T), S.shape[1]
    if shapes != ((N, P), (N,), (N,)):
        raise ValueError(
            f"statistics, retention and gain have the shapes {shapes}; "
            f"they must be (N, {P}), (N,) and (N,)"
        )
    return S, T, gain


def _undefined(n: int, x: np.ndarray) -> ValueError:
    return ValueError(
        f"responsibilities are undefined at data point {n} of the stream, {x}: a component has "
        "collapsed onto a point (EM: add pseudo-statistics as a floor), or no component has any "
        "weight"
    )


# ---- epochs --------------------------------------------------------------------------------------


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
    units_together = max(1, CHUNK // S.shape[1])
    while True:
        elbo = mixture.elbo(data, S) if monitor else np.nan
        yield S, elbo, schedule
        order = data if rng is None else data.take(rng.permutation(data.units))
        # The cuts change no number.
        for first in range(0, data.units, units_together):
            part = order.take(slice(first, first + units_together))
            retention, gain, schedule = schedule.rates(part.units)
            S = _advance(mixture, S, part, retention, gain)


def _advance(model: Model, S, data: Observations, retention, gain) -> np.ndarray:
    """The state after the units of the data in turn, each with its own E-step."""
    if isinstance(model, Mixture) and model.has_plain_labels:
        return run_stream(model, S, data.X, retention, gain, data.weights)
    for unit in range(data.units):
        step = model.sweep(data.take(slice(unit, unit + 1)), S)
        require_numbers("the ELBO", step.elbo)
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
    that is returned. Warns (ConvergenceWarning) if all components of the start are identical: they
    never separate. Raises ValueError for unfit data or settings before any work, and when a
    component's posterior ceases to exist.
    """
    as_integer("epochs", epochs, 0)
    as_number("tolerance", tolerance, 0)
    if tolerance > 0 and not monitor:
        raise ValueError(
            f"tolerance is {tolerance}; without monitor, no ELBO, it must be 0"
        )
    data, S = begin(mixture, X, start, weights)
    check_stream(schedule, rng)
    if monitor and tolerance == 0 and isinstance(mixture, Mixture):
        return _fit_and_look_back(mixture, data, S, schedule, epochs, rng)
    passes = _epochs(mixture, data, S, schedule, rng, monitor)
    trace = []
    for epoch, (S, elbo, schedule) in enumerate(passes):
        trace.append(elbo)
        converged = stands_still(trace, tolerance)
        if converged or epoch == epochs:
            shown = np.array(trace) if monitor else np.empty(0)
            return Fit(mixture, S, shown, epoch, converged, schedule)


def _fit_and_look_back(
    mixture: Mixture, data: Observations, S, schedule: Schedule, epochs: int, rng
) -> Fit:
    """`fit_online` where no ELBO decides when to stop: those of many states are worked out
    together, after the passes, in a fraction of the time."""
    trace = []
    states = []
    passes = _epochs(mixture, data, S, schedule, rng, monitor=False)
    for epoch, (S, _, schedule) in enumerate(passes):
        states.append(S)
        if epoch == epochs or len(states) == LOOK_BACK:
            elbos = mixture.sweep_each(data, np.array(states)).elbo
            require_numbers("the ELBO", elbos)
            trace.extend(elbos.tolist())
            states.clear()
        if epoch == epochs:
            return Fit(mixture, S, np.array(trace), epoch, False, schedule)


def check_stream(schedule: Schedule, rng) -> None:
    """ValueError unless a stream can be learned with this schedule and generator."""
    if rng is not None:
        as_generator("rng", rng)
    as_schedule(schedule)
    if schedule.total is not None and schedule.memory == 0:
        raise ValueError(
            "the schedule's memory is 0, so the first data point would replace every statistic; "
            "start it above 0"
        )
