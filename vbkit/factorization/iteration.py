"""The iteration: sweeps until the ELBO stands still."""

import numpy as np
from tqdm import tqdm

from vbkit.checks import as_integer, as_number
from vbkit.factorization.full import FullMatrixUpdates
from vbkit.factorization.matrices import SVD
from vbkit.factorization.missing import MissingEntryUpdates
from vbkit.factorization.model import Factorization, check_fit, elbo

FLOOR = 1e-12  # the least noise, as a share of the data's mean square: a matrix of low rank without noise has none
HELD = 20  # sweeps with hyperparameters held, where entries are missing
LEARN = (True, False, "a", "b")


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
    """VB matrix factorization of V (L, M), full or with missing entries, from a start (slides "VB posterior").

    A sweep updates cov_A, A, cov_B, B, then prior_a, prior_b and the noise, each from the newest values: the ELBO
    never falls. A = B = 0 is a fixed point: do not start there.
    learn_prior: estimate prior_a and prior_b (empirical Bayes); "a" or "b": only that one. learn_noise: likewise,
    never below 1e-12 of the data's mean square. hold: so many sweeps at first with all of them held (None: 20 where
    entries are missing, else 0). With few entries, below some 15 %, empirical Bayes from a cold start gives columns up
    before they have found anything; held at first, and from small noise (`init_random`), it does so less often.
    Stops when a sweep that learns raises the ELBO by less than `tolerance` nats, or after max_sweeps. progress: show a
    bar.
    Raises ValueError for unfit data or settings before any work, also if V is zero everywhere and learn_noise.
    """
    data = check_fit(V, start)
    if start.centre or not start.free.all():
        data = data.entries() if isinstance(data, SVD) else data
    for name, value, allowed in (
        ("learn_prior", learn_prior, LEARN),
        ("learn_noise", learn_noise, LEARN[:2]),
    ):
        if not isinstance(value, bool | np.bool_ | str) or value not in allowed:
            raise ValueError(
                f"{name} is {value!r}; it must be one of {', '.join(map(repr, allowed))}"
            )
    full = isinstance(data, SVD)
    hold = (0 if full else HELD) if hold is None else as_integer("hold", hold, 0)
    as_integer("max_sweeps", max_sweeps, 0)
    as_number("tolerance", tolerance, 0)
    if learn_noise and not data.square:
        raise ValueError(
            "V is zero everywhere, so its noise cannot be learned; hold it: learn_noise=False"
        )
    engine = (FullMatrixUpdates if full else MissingEntryUpdates)(
        data, start, FLOOR * data.square / data.size
    )
    learn = learn_prior in (True, "a"), learn_prior in (True, "b"), learn_noise
    trace, converged, nothing = [elbo(data, start)], False, (False, False, False)
    for sweep in tqdm(range(max_sweeps), desc="sweeps", disable=not progress):
        trace.append(engine.sweep(*(learn if sweep >= hold else nothing)))
        converged = sweep >= hold and trace[-1] - trace[-2] < tolerance
        if converged:
            break
    return engine.state().replace(trace=np.array(trace), converged=converged)
