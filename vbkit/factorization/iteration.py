"""The iteration: sweeps until the ELBO stands still."""

import warnings

import numpy as np
from tqdm import tqdm

from vbkit.checks import ConvergenceWarning, as_integer, as_number
from vbkit.factorization.matrices import SVD
from vbkit.factorization.model import Factorization, check_fit, elbo
from vbkit.factorization.updates import FullMatrixUpdates, MissingEntryUpdates

HELD = 20  # sweeps with hyperparameters held, where entries are missing
NOTHING = (False, False, False)


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
    """Fit V (L, M), full or with missing entries, by VB from a start (slides "VB posterior").

    A sweep updates cov_A, A, cov_B, B, then prior_a, prior_b and the noise, each from the newest
    values, so the ELBO never falls. A = B = 0 is a fixed point: do not start there.

    learn_prior: estimate prior_a and prior_b (empirical Bayes); "a" or "b": only that one.
    learn_noise: estimate the noise too, never below 1e-12 of the data's mean square.
    hold: how many sweeps at first keep prior variances and noise. None: 0 for a full matrix; if
        entries are missing 20, or half of max_sweeps if that is less. With few entries, below some
        15 %, empirical Bayes from a cold start gives columns up before they have found anything. It
        does so less often if held at first, and from small noise (`init_random`).
    max_sweeps, tolerance: stop when a sweep that learns changes the ELBO by less than `tolerance`
        nats (0: never), or after max_sweeps.
    progress: show a bar.

    Raises ValueError for unfit data or settings before any work: also for a start without an ELBO
    (a point, as `fit_map` finds), if V is zero everywhere and learn_noise, and if hold leaves no
    sweep to learn. Warns (ConvergenceWarning) if the ELBO falls
    by more than rounding explains.
    """
    data = check_fit(V, start)
    full = isinstance(data, SVD) and not start.centre and start.free.all()
    _check_choice("learn_prior", learn_prior, (True, False, "a", "b"))
    _check_choice("learn_noise", learn_noise, (True, False))
    as_integer("max_sweeps", max_sweeps, 0)
    as_number("tolerance", tolerance, 0)
    if hold is None:
        hold = 0 if full else min(HELD, max_sweeps // 2)
    learn = learn_prior in (True, "a"), learn_prior in (True, "b"), bool(learn_noise)
    if any(learn) and 0 < max_sweeps <= as_integer("hold", hold, 0):
        raise ValueError(
            f"hold is {hold} and max_sweeps {max_sweeps}; it must be less, to learn"
        )
    if learn_noise and not data.square:
        raise ValueError(
            "V is zero everywhere, so its noise cannot be learned; learn_noise=False"
        )
    if not np.isfinite(first := elbo(data, start)):
        point = "start has a singular covariance, as the point that fit_map finds, and no ELBO"
        raise ValueError(
            f"{point}; give it others: start.replace(cov_A=..., cov_B=...)"
        )
    updates = (FullMatrixUpdates if full else MissingEntryUpdates)(data, start)
    return iterate(updates, first, max_sweeps, tolerance, learn, hold, progress)


def _check_choice(name: str, value, allowed: tuple) -> None:
    if not isinstance(value, bool | np.bool_ | str) or value not in allowed:
        words = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} is {value!r}; it must be one of {words}")


def iterate(
    updates, first, max_sweeps, tolerance, learn=NOTHING, hold=0, progress=False
):
    """Sweep until a sweep that learns changes the ELBO by less than `tolerance`, or max_sweeps
    times; return the Factorization.

    updates: `Updates`. first: the ELBO at the start. learn: whether to learn prior_a, prior_b and
    the noise after `hold` sweeps.
    """
    trace, converged, data = [first], False, updates.data
    for sweep in tqdm(range(max_sweeps), desc="sweeps", disable=not progress):
        trace.append(updates.sweep(*(learn if sweep >= hold else NOTHING)))
        gain = trace[-1] - trace[-2]
        rounding = 1e-9 * (data.size + abs(first)) + 1e-15 * data.square / updates.noise
        if gain < -rounding:
            fall = f"sweep {sweep + 1} lowered the ELBO by {-gain:.3g} nats"
            why = "more than rounding explains unless the data have hardly any noise"
            warnings.warn(f"{fall}, {why}", ConvergenceWarning, stacklevel=3)
        converged = sweep >= hold and abs(gain) < tolerance
        if converged:
            break
    return updates.state().replace(trace=trace, converged=converged)
