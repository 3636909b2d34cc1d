"""Batch learning: E-step over all data, M-step, and again, until the ELBO stands still."""

import warnings
from collections.abc import Iterable, Iterator
from itertools import islice

import attrs
import numpy as np

from vbkit.checks import ConvergenceWarning, as_integer, as_number
from vbkit.families.base import State
from vbkit.learning.initialization import begin
from vbkit.learning.schedule import Schedule
from vbkit.models import Model
from vbkit.observations import Observations

ROUNDING = 1e-6  # of an ELBO, relative: terms far larger than it may cancel in it


@attrs.frozen(eq=False, repr=False, slots=False)
class Fit:
    """What learning returns.

    S (K, width): the state of the model `mixture`, with the ELBO `elbo` (nats).
    trace: the ELBO (nats) before the first epoch and after each one.
    epochs: passes over the data.
    converged: whether the last epoch changed the ELBO by less than the tolerance.
    schedule: for online learning, what continues the stream.
    """

    mixture: Model
    S: State
    trace: np.ndarray
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
        end = "converged" if self.converged else "not converged"
        size = f"{self.n_components} components, {self.epochs} epochs"
        return f"{type(self).__name__}({size}, ELBO {self.elbo:.3f} nats, {end})"


def batch_epochs(
    mixture: Model, X, start, weights=None
) -> Iterator[tuple[State, float]]:
    """Yield (S, elbo) of batch VB (Sato 2000, 2.14-2.18) without end: the start, then after each
    epoch.

    mixture: any `Model`. X (N, D), start (K, width), observation weights (N,). If clones is EM this
    is batch EM, and the ELBO is the log-likelihood. Warns (ConvergenceWarning) if the ELBO falls,
    which no correct family allows, and if all components of the start are identical. Raises
    ValueError for unfit data or start before any work, and if the ELBO is not finite (no component
    has any weight).
    """
    return rising(_epochs(mixture, *begin(mixture, X, start, weights)))


def _epochs(mixture: Model, data: Observations, S) -> Iterator[tuple[State, float]]:
    while True:
        step = mixture.e_step(data, S)
        yield S, step.elbo
        S = step.S


def fit_batch(
    mixture: Model, X, start, *, max_epochs=1000, tolerance=1e-6, weights=None
) -> Fit:
    """Fit by batch VB, or batch EM, from a state `start` (K, width) over X (N, D) with observation
    weights (N,).

    Stops when an epoch changes the ELBO by less than `tolerance` nats (0: never), or after
    max_epochs. Components that are identical at the start stay so; there is a warning if all are.
    Warns and raises as `batch_epochs` does, and raises ValueError for unfit settings.
    """
    epochs = batch_epochs(mixture, X, start, weights)
    (S, _), trace, converged = run_epochs(epochs, max_epochs, tolerance)
    return Fit(mixture, S, trace, len(trace) - 1, converged)


def run_epochs(
    epochs: Iterable[tuple], max_epochs: int, tolerance: float, *, falls: bool = False
):
    """The last item of `epochs`, the trace of ELBOs (their second entries), and whether it
    converged.

    The first item is the start; at most max_epochs further ones are taken. Converged: the last one
    changed the ELBO by less than `tolerance` nats, without a fall beyond rounding unless `falls`.
    Raises ValueError for unfit settings before it takes an item.
    """
    as_integer("max_epochs", max_epochs, 0)
    as_number("tolerance", tolerance, 0)
    trace, converged = [], False
    for item in islice(epochs, max_epochs + 1):
        trace.append(item[1])
        if len(trace) > 1 and abs(trace[-1] - trace[-2]) < tolerance:
            converged = falls or not _fell(*trace[-2:])
        if converged:
            break
    return item, np.array(trace), converged


def rising(epochs: Iterable[tuple]) -> Iterator[tuple]:
    """Yield the items (S, elbo, ...) of batch learning as they come; warn if the ELBO falls.

    Raises ValueError if the ELBO is not finite; it cannot recover.
    """
    before = -np.inf
    for epoch, item in enumerate(epochs):
        elbo = item[1]
        if not np.isfinite(elbo):
            raise ValueError(
                f"after {epoch} epochs the ELBO is {elbo}: no component has weight"
            )
        if _fell(before, elbo):
            fall = f"the ELBO fell from {before:.6g} to {elbo:.6g} nats in batch epoch {epoch}"
            advice = "which must never lower it: check the family (`vbkit.families.check_family`)"
            warnings.warn(f"{fall}, {advice}", ConvergenceWarning, stacklevel=4)
        before = elbo
        yield item


def _fell(before: float, after: float) -> bool:
    return after < before - ROUNDING * max(1.0, abs(before))
