"""Batch learning: E-step over all data, M-step, and again, until the ELBO stands still."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from vbkit.checks import as_integer, as_number
from vbkit.learning.fit import Fit, Model, begin, check_rise, fell, stands_still
from vbkit.mixture import EStep


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
    for epoch, state in enumerate(_sweeps(e_step, S)):
        S, elbo = state
        trace.append(elbo)
        converged = has_converged(trace, tolerance)
        if converged or epoch == max_epochs:
            break
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
    trace = []
    while True:
        step = e_step(S)
        trace.append(step.elbo)
        check_rise(trace)
        yield S, step.elbo
        S = step.S  # the M-step
