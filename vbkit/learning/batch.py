"""Batch learning: E-step over all data, M-step, and again, until the ELBO stands still."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

import numpy as np

from vbkit.checks import as_instance, as_integer, as_number
from vbkit.learning.fit import (
    Fit,
    Model,
    begin,
    begin_state,
    check_rise,
    fell,
    stands_still,
)
from vbkit.mixture import EStep, Mixture

ONLOOKER: ContextVar[Callable | None] = ContextVar("onlooker", default=None)


@contextmanager
def looking_on(onlooker: Callable[[int, float], None]) -> Iterator[None]:
    """A block in which `onlooker(K, elbo)` is called after each sweep of batch VB, whatever
    starts it: K components, and the ELBO in nats. It changes nothing."""
    token = ONLOOKER.set(onlooker)
    try:
        yield
    finally:
        ONLOOKER.reset(token)


def _tell(K: int, elbo: float) -> None:
    """Tell who looks on that a sweep of K components found this ELBO (nats)."""
    onlooker = ONLOOKER.get()
    if onlooker is not None:
        onlooker(K, elbo)


def fit_batch(
    mixture: Model, X, start, *, max_epochs=1000, tolerance=1e-6, weights=None
) -> Fit:
    """Fit by batch VB (Sato 2000, 2.14-2.18), or batch EM if clones is EM, from a state
    `start` (K, width), or a `Fit`, over X (N, D) with observation weights (N,). If the rows
    are several sequences, X is what `mixture.observe(X, lengths=...)` gave.

    Stops when an epoch changes the ELBO by less than `tolerance` nats (0: never), or after
    max_epochs. Components that are identical at the start stay so; there is a warning
    (ConvergenceWarning) if all are, and if the ELBO falls, which no correct family allows.
    Raises ValueError for unfit data, start or settings before any work, and if the ELBO is
    not finite (no component has any weight).
    """
    as_integer("max_epochs", max_epochs, 0)
    as_number("tolerance", tolerance, 0)
    data, S = begin(mixture, X, start, weights)
    return learn(mixture, partial(mixture.sweep, data), S, max_epochs, tolerance)


def fit_each_start(
    mixture: Mixture, X, starts, *, max_epochs=1000, tolerance=1e-6, weights=None
) -> list[Fit]:
    """Return the fit of `fit_batch` from each of several starts, in their order: states
    (K, width), or `Fit`s, all with the same K.

    The runs go side by side, sweep by sweep, and a run leaves when it stands still. With
    few data that takes a fraction of the time of one run after another, with the same
    numbers. Arguments, warnings and errors are those of `fit_batch`, of any of the runs;
    ValueError also for no start and for starts of different shapes.
    """
    as_integer("max_epochs", max_epochs, 0)
    as_number("tolerance", tolerance, 0)
    as_instance("mixture", mixture, Mixture, "Mixture(family)")
    data = mixture.observe(X, weights)
    states = [begin_state(mixture, start) for start in starts]
    shapes = {S.shape for S in states}
    if len(shapes) != 1:
        raise ValueError(
            f"starts have the shapes {sorted(shapes)}; they must have one in common"
        )
    return _learn_each(mixture, data, np.array(states), max_epochs, tolerance)


def _learn_each(
    mixture: Mixture, data, states: np.ndarray, max_epochs: int, tolerance: float
) -> list[Fit]:
    """`learn` from each of the checked states (n, K, width)."""
    fits = [None] * len(states)
    traces = [[] for _ in states]
    running = list(range(len(states)))
    for epoch in range(max_epochs + 1):
        step = mixture.sweep_each(data, states)
        elbos = step.elbo.tolist()
        _tell(states.shape[1], max(elbos))
        going_on = []
        for place, run in enumerate(running):
            trace = traces[run]
            trace.append(elbos[place])
            check_rise(trace)
            converged = has_converged(trace, tolerance)
            if converged or epoch == max_epochs:
                S = states[place].copy()
                fits[run] = Fit(mixture, S, np.array(trace), epoch, converged)
            else:
                going_on.append(place)
        if not going_on:
            break
        running = [running[place] for place in going_on]
        states = step.S[going_on]
    return fits


def learn(
    mixture: Model,
    e_step: Callable[[np.ndarray], EStep],
    S: np.ndarray,
    max_epochs: int,
    tolerance: float,
) -> Fit:
    """Alternate E-step and M-step from a checked state S (K, width) until the ELBO stands
    still; `e_step` does the one over all data at a state."""
    trace = []
    sweeps = _sweeps(e_step, S)
    for epoch, (S, elbo) in enumerate(sweeps):
        trace.append(elbo)
        converged = has_converged(trace, tolerance)
        if converged or epoch == max_epochs:
            return Fit(mixture, S, np.array(trace), epoch, converged)


def has_converged(trace: list[float], tolerance: float) -> bool:
    """Whether a batch run stands still, to less than `tolerance` nats, and did not fall
    beyond rounding."""
    return stands_still(trace, tolerance) and not fell(trace[-2], trace[-1])


def batch_epochs(
    mixture: Model, X, start, weights=None
) -> Iterator[tuple[np.ndarray, float]]:
    """Yield (S, elbo) without end: the start, then after each sweep of `fit_batch`, whose
    arguments, warnings and errors these are."""
    data, S = begin(mixture, X, start, weights)
    return _sweeps(partial(mixture.sweep, data), S)


def _sweeps(
    e_step: Callable[[np.ndarray], EStep], S: np.ndarray
) -> Iterator[tuple[np.ndarray, float]]:
    """Yield (S, elbo) without end: the state S (K, width), then the one after each sweep."""
    trace = []
    while True:
        step = e_step(S)
        trace.append(step.elbo)
        check_rise(trace)
        _tell(len(S), step.elbo)
        yield S, step.elbo
        S = step.S  # the M-step
