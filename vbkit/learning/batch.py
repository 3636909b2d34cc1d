"""Batch learning: E-step over all data, M-step, and again, until the ELBO stands still."""

from dataclasses import dataclass, field

import numpy as np

from vbkit.checks import as_integer, as_number
from vbkit.learning.schedule import Schedule
from vbkit.mixture import Mixture


@dataclass(frozen=True, eq=False)
class Fit:
    """What learning returns.

    S (K, P): the state, bound `elbo` (nats). trace: the ELBO before the first epoch and after each one (batch never
    falls). epochs: passes over the data. converged: whether the last epoch changed the ELBO by less than the
    tolerance.
    schedule: for online learning, what continues the stream.
    """

    mixture: Mixture = field(repr=False)
    S: np.ndarray = field(repr=False)
    trace: np.ndarray = field(repr=False)
    epochs: int = 0
    converged: bool = False
    schedule: Schedule | None = None

    @property
    def elbo(self) -> float:
        return float(self.trace[-1]) if len(self.trace) else np.nan

    @property
    def n_components(self) -> int:
        return len(self.S)

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        return f"Fit({self.n_components} components, {self.epochs} epochs, bound {self.elbo:.3f}, {state})"


def fit_batch(
    mixture: Mixture, X, start, *, max_epochs: int = 1000, tolerance: float = 1e-6, weights=None
) -> Fit:
    """Batch VB (Sato 2000, 2.14-2.18); with copies = EM batch EM.

    start: a state (K, P); components that are equal there stay so. weights (N,): of the observations. Stops when an epoch
    changes the ELBO by less than `tolerance` nats, or after max_epochs.
    Raises ValueError on unfit data or settings before any work, and where a bound is not finite (no component has any
    weight).
    """
    data, S = mixture.observe(X, weights), mixture.check_state(start)
    as_integer("max_epochs", max_epochs, 0)
    as_number("tolerance", tolerance, 0)
    trace, converged = [], False
    for epoch in range(max_epochs + 1):
        sweep = mixture.e_step(data, S)
        trace.append(finite(sweep.elbo, epoch))
        converged = epoch > 0 and abs(trace[-1] - trace[-2]) < tolerance
        if converged or epoch == max_epochs:
            break
        S = sweep.S
    return Fit(mixture, S, np.array(trace), epoch, converged)


def finite(bound: float, epoch: int) -> float:
    """The ELBO after an epoch; ValueError where it is not finite, for then it stays so."""
    if not np.isfinite(bound):
        raise ValueError(
            f"the ELBO is {bound} after {epoch} epochs: the start or the prior gives no component any weight"
        )
    return bound
