"""What learning asks of a model, what it begins with, and what it returns."""

import math
import warnings
from typing import NamedTuple, Protocol, runtime_checkable

import attrs
import numpy as np

from vbkit.checks import ConvergenceWarning, as_instance, require_numbers
from vbkit.learning.schedule import Schedule
from vbkit.mixture import EStep
from vbkit.observations import Observations

# Relative: terms far larger than an ELBO may cancel in it.
ROUNDING_OF_ELBO = 1e-6


@runtime_checkable
class Model(Protocol):
    """What learning asks of a model: of a `Mixture`, or of any other with a state S
    (K, width) that is a sum of expected statistics over the data."""

    def observe(self, X, weights=None) -> Observations:
        """Check data and weights; ValueError if they are unfit."""

    def check_state(self, S) -> np.ndarray:
        """The state as a float64 array; ValueError if it is none of this model."""

    def alike(self, S: np.ndarray) -> bool:
        """Whether no learning can separate the components of S."""

    def sweep(self, data: Observations, S: np.ndarray) -> EStep:
        """One E-step over observed data, at a checked state: the next state, and the ELBO of
        S."""

    def elbo(self, X, S, weights=None) -> float:
        """The ELBO (nats) of S."""


@attrs.frozen(eq=False, repr=False, slots=False)
class Fit:
    """What learning returns: a model, and the state that was found for it.

    S (K, width): the state of `mixture`, with the ELBO `elbo` (nats).
    trace: the ELBO (nats) before the first sweep and after each one.
    epochs: how many sweeps, or passes over the data, were made.
    converged: whether the last one changed the ELBO by less than the tolerance.
    schedule: for online learning, what continues the stream.

    State and model belong together, for statistics are measured from the family's prior
    mean. So ask the fit, or give it whole to the function that goes on from it: a fit of
    another family or prior mean is refused there.
    """

    mixture: Model
    S: np.ndarray
    trace: np.ndarray
    epochs: int = 0
    converged: bool = False
    schedule: Schedule | None = None

    @property
    def elbo(self) -> float:
        """The ELBO (nats) of S; nan where none was worked out."""
        return float(self.trace[-1]) if len(self.trace) else np.nan

    @property
    def n_components(self) -> int:
        """K."""
        return len(self.S)

    def parameters(self) -> NamedTuple:
        """Return expected parameters, `Mixture.parameters` at S."""
        return self.mixture.parameters(self.S)

    def responsibilities(self, X) -> np.ndarray:
        """Return the responsibilities (N, K) for data X (N, D), or for what
        `mixture.observe(X, lengths=...)` gave, if the rows are several sequences. Raises
        ValueError for unfit data."""
        return self.mixture.responsibilities(X, self.S)

    def log_predictive(self, X) -> np.ndarray:
        """Return the log predictive density (N,) of new rows X (N, D), or of new sequences.
        Raises ValueError for unfit data."""
        return self.mixture.log_predictive(X, self.S)

    def sample(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows (size, D) from the predictive density. Raises ValueError as
        `Mixture.sample` does."""
        return self.mixture.sample(self.S, size, rng)

    def __repr__(self) -> str:
        end = "converged" if self.converged else "not converged"
        size = f"{self.n_components} components, {self.epochs} epochs"
        return f"{type(self).__name__}({size}, ELBO {self.elbo:.3f} nats, {end})"


def as_model(model) -> Model:
    """The model; ValueError if it is none."""
    return as_instance("mixture", model, Model, "Mixture(family)")


def begin(mixture: Model, X, start, weights) -> tuple[Observations, np.ndarray]:
    """Check the data and the state (K, width) that learning begins with; both are copies.
    Warns as `begin_state` does."""
    data = as_model(mixture).observe(X, weights)
    return data, begin_state(mixture, start)


def begin_state(mixture: Model, start) -> np.ndarray:
    """Return a checked copy of the state (K, width) that learning begins with: an array, or
    the state of a `Fit` whose components are of the same family and prior mean.

    Warns (ConvergenceWarning) if all components are identical, of more than one. A few
    identical ones are no cause for alarm: in a long stream, components come together to the
    last digit.
    """
    if isinstance(start, Fit):
        start = _compatible_state(start, mixture)
    S = mixture.check_state(start).copy()
    if mixture.alike(S):
        warnings.warn(
            f"all {len(S)} components of the start are identical, so they will never "
            "separate; start from data (`init_from_rows`) or spread means "
            "(`component_prior_means`)",
            ConvergenceWarning,
            stacklevel=4,
        )
    return S


def _compatible_state(fit: Fit, mixture: Model) -> np.ndarray:
    """The state of a fit, from which learning can go on with this mixture: ValueError if it
    was a fit of another family or prior mean."""
    before = fit.mixture.family
    now = mixture.family
    if type(before) is not type(now):
        raise ValueError(
            f"start is a fit of {type(before).__name__} components; "
            f"these are {type(now).__name__}"
        )
    if not np.array_equal(before.origin, now.origin):
        raise ValueError(
            f"start is a fit whose statistics were measured from the prior mean "
            f"{before.origin}; this mixture's is {now.origin}"
        )
    return fit.S


def check_rise(trace: list[float]) -> None:
    """Look at the last ELBO of a batch run: warn (ConvergenceWarning) if it fell, which no
    correct family allows. Raises ValueError if it is not finite; it cannot recover."""
    epoch = len(trace) - 1
    if not math.isfinite(trace[-1]):
        require_numbers(f"after {epoch} epochs the ELBO", trace[-1])
        raise ValueError(
            f"after {epoch} epochs the ELBO is {trace[-1]}: no component has weight"
        )
    if epoch and fell(trace[-2], trace[-1]):
        warnings.warn(
            f"the ELBO fell from {trace[-2]:.6g} to {trace[-1]:.6g} nats in batch epoch "
            f"{epoch}, which must never lower it: check the family "
            "(`vbkit.families.check_family`)",
            ConvergenceWarning,
            stacklevel=3,
        )


def stands_still(trace: list[float], tolerance: float) -> bool:
    """Whether the last epoch changed the ELBO by less than `tolerance` nats."""
    return len(trace) > 1 and abs(trace[-1] - trace[-2]) < tolerance


def fell(before: float, after: float) -> bool:
    """Whether an ELBO (nats) fell by more than rounding explains."""
    return after < before - ROUNDING_OF_ELBO * max(1.0, abs(before))
