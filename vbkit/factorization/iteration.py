"""The iteration: sweeps until the ELBO stands still."""

import warnings

import numpy as np
from tqdm import tqdm

from vbkit.checks import ConvergenceWarning, as_integer, as_number
from vbkit.factorization.matrices import SVD
from vbkit.factorization.model import Factorization, check_fit, elbo
from vbkit.factorization.updates import (
    NOTHING,
    FullMatrixUpdates,
    Learn,
    MissingEntryUpdates,
    Updates,
)

HELD = 20  # sweeps with hyperparameters held, where entries are missing


def fit(
    V,
    start: Factorization,
    *,
    learn_prior: bool | str = True,
    learn_noise: bool = True,
    hold: int | None = None,
    max_sweeps: int = 1000,
    tolerance: float = 1e-6,
    progress: bool = False,
) -> Factorization:
    """Fit V (L, M), full or with missing entries, by VB from a start (slides "VB
    posterior").

    A sweep updates cov_A, A, cov_B, B, then prior_a, prior_b and the noise, each from
    the newest values, so the ELBO never falls. A = B = 0 is a fixed point: do not start
    there.

    learn_prior: estimate prior_a and prior_b (empirical Bayes); "a" or "b": only that
        one.
    learn_noise: estimate the noise too, never below 1e-12 of the data's mean square.
    hold: how many sweeps at first keep prior variances and noise. None: 0 for a full
        matrix; if entries are missing 20, or half of max_sweeps if that is less. With
        few entries, below some 15 %, empirical Bayes from a cold start gives columns up
        before they have found anything. It does so less often if held at first, and
        from small noise (`init_random`).
    max_sweeps, tolerance: stop when a sweep that learns changes the ELBO by less than
        `tolerance` nats (0: never), or after max_sweeps.
    progress: show a bar.

    Raises ValueError for unfit data or settings before any work: also for a start
    without an ELBO (a point, as `fit_map` finds), if V is zero everywhere and
    learn_noise, and if hold leaves no sweep to learn. Warns (ConvergenceWarning) if the
    ELBO falls by more than rounding explains.
    """
    data = check_fit(V, start)
    _check_choice("learn_prior", learn_prior, (True, False, "a", "b"))
    _check_choice("learn_noise", learn_noise, (True, False))
    as_integer("max_sweeps", max_sweeps, 0)
    as_number("tolerance", tolerance, 0)
    shared_covariances = isinstance(data, SVD) and not start.centre and start.free.all()
    if hold is None:
        hold = 0 if shared_covariances else min(HELD, max_sweeps // 2)
    learn = Learn(
        prior_a=learn_prior in (True, "a"),
        prior_b=learn_prior in (True, "b"),
        noise=bool(learn_noise),
    )
    if any(learn) and 0 < max_sweeps <= as_integer("hold", hold, 0):
        raise ValueError(
            f"hold is {hold} and max_sweeps {max_sweeps}; it must be less, to learn"
        )
    if learn_noise and not data.square:
        raise ValueError(
            "V is zero everywhere, so its noise cannot be learned; learn_noise=False"
        )
    first_elbo = elbo(data, start)
    if not np.isfinite(first_elbo):
        raise ValueError(
            "start has a singular covariance, as the point that fit_map finds, and no "
            "ELBO; give it others: start.replace(cov_A=..., cov_B=...)"
        )
    if shared_covariances:
        updates = FullMatrixUpdates(data, start)
    else:
        updates = MissingEntryUpdates(data, start)
    return iterate(updates, first_elbo, max_sweeps, tolerance, learn, hold, progress)


def _check_choice(name: str, value, allowed: tuple) -> None:
    if not isinstance(value, bool | np.bool_ | str) or value not in allowed:
        choices = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} is {value!r}; it must be one of {choices}")


def iterate(
    updates: Updates,
    first_elbo: float,
    max_sweeps: int,
    tolerance: float,
    learn: Learn = NOTHING,
    hold: int = 0,
    progress: bool = False,
) -> Factorization:
    """Sweep until a sweep that learns changes the ELBO by less than `tolerance`.

    Or max_sweeps times. first_elbo: at the start. learn: what to learn after `hold`
    sweeps.
    """
    trace = [first_elbo]
    converged = False
    for sweep in tqdm(range(max_sweeps), desc="sweeps", disable=not progress):
        held = sweep < hold
        trace.append(updates.sweep(NOTHING if held else learn))
        gain = trace[-1] - trace[-2]
        if gain < -_rounding(updates, first_elbo):
            warnings.warn(
                f"sweep {sweep + 1} lowered the ELBO by {-gain:.3g} nats, more than "
                "rounding explains unless the data have hardly any noise",
                ConvergenceWarning,
                stacklevel=3,
            )
        if not held and abs(gain) < tolerance:
            converged = True
            break
    return updates.state().replace(trace=trace, converged=converged)


def _rounding(updates: Updates, first_elbo: float) -> float:
    """By how much rounding may lower the ELBO (nats)."""
    data = updates.data
    of_the_sum = 1e-9 * (data.size + abs(first_elbo))
    of_the_error = 1e-15 * data.square / updates.noise
    return of_the_sum + of_the_error
