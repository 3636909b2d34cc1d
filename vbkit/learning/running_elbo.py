"""The discounted free energy, kept up to date while data pass by and are forgotten."""

import numpy as np
from scipy.special import xlogy

from vbkit.checks import as_number
from vbkit.learning.online import run_stream
from vbkit.learning.schedule import Schedule, as_schedule
from vbkit.mixture import Mixture, check_variational
from vbkit.observations import without_weights


def running_elbo(
    mixture: Mixture, X, start, schedule: Schedule, *, entropy: float = 0.0
) -> tuple[np.ndarray, np.ndarray, float, Schedule]:
    """Run online VB over the rows of X (N, D), with the ELBO after each (Sato 2000, 3.5).

    The ELBO needs one number that learning does not: the discounted mean of the entropy of the
    responsibilities plus the log base measure.

    entropy: that number, in nats per data point, for the data that `start` (K, P) stands for; it
        fades with them.

    Returns the ELBOs (N,) in nats, and S (K, P), entropy and schedule to continue with. Runs in
    plain NumPy. Raises ValueError unless the schedule has a total and a memory above 0, unless
    clones is 1 and pseudo_statistics None, for data with observation weights, and for unfit data,
    states or numbers.
    """
    check_variational(mixture)
    data = without_weights(mixture.observe(X))
    S = mixture.check_state(start)
    entropy = as_number("entropy", entropy)
    total = as_schedule(schedule).total
    if total is None or schedule.memory == 0:
        raise ValueError(f"schedule {schedule} needs a total and a memory above 0")
    N = len(data.X)
    retention, gain, schedule = schedule.rates(N)
    states = np.empty((N + 1, *S.shape))
    states[0] = S
    for n in range(N):
        row = slice(n, n + 1)
        states[n + 1] = run_stream(
            mixture, states[n], data.X[row], retention[row], gain[row]
        )
    counts = states[..., 0]
    added = counts[1:] - retention[:, None] * counts[:-1]
    R = np.maximum(added / gain[:, None], 0.0)  # rounding may leave -1e-17
    of_rows = -xlogy(R, R).sum(axis=1)
    if data.log_base is not None:
        of_rows = of_rows + data.log_base
    entropies = np.empty(N)
    for n in range(N):
        entropy = retention[n] * entropy + gain[n] / total * of_rows[n]
        entropies[n] = entropy
    elbos = total * entropies + mixture.log_normalizer_ratio(states[1:])
    return elbos, states[-1], float(entropy), schedule
