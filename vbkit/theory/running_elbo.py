"""The discounted free energy, kept as a running number while data pass by and are forgotten (Sato 2000, 3.5)."""

import numpy as np

from vbkit.learning.schedule import Schedule
from vbkit.learning.stream import undefined
from vbkit.mixture import Mixture, without_weights
from vbkit.structure.statistics import log_evidence_of_statistics


def elbo_of_statistics(mixture: Mixture, S) -> float:
    """The ELBO (nats) right after the M-step that collected S (K, P), without the entropy of the responsibilities and
    without the base measure: the log of the ratio of posterior and prior normalisers (Sato 2000, A.13 put right)."""
    return log_evidence_of_statistics(mixture, mixture.check_state(S))


def running_elbo(mixture: Mixture, X, start, schedule: Schedule, *, entropy: float = 0.0):
    """Online VB over the rows of X (N, D) and the discounted free energy (N,) in nats after each, from one number more
    than learning needs: the discounted mean of the entropy of the responsibilities. In plain NumPy.

    start: a state (K, P). entropy: that number (nats a data point) for the data that the start stands for; it fades with
    them. Returns (bounds (N,), S, entropy, schedule) to continue with. Raises ValueError unless the schedule has a
    total, its memory is above 0, and the mixture is variational Bayes (copies 1, no pseudo-statistics).
    """
    data, S = without_weights(mixture.observe(X)), mixture.check_state(start)
    if schedule.total is None or schedule.effective_sample_size == 0:
        raise ValueError(f"schedule is {schedule}; the monitor needs a total and a memory above 0")
    if mixture.clones != 1 or mixture.pseudo_statistics is not None:
        raise ValueError(
            "the monitor is that of variational Bayes: clones must be 1 and pseudo_statistics None"
        )
    keep, gain, after = schedule.rates(len(data.X))
    family, weights, base = mixture.family, mixture.weights, mixture.family.log_base(data.X)
    bounds, empty = np.empty(len(data.X)), 0 * S
    before = family.log_normalizer(empty).sum() + weights.log_normalizer(empty[:, 0])
    values, W = family.value_and_gradient(S)
    for n, t in enumerate(family.statistics(data.X)):
        log_r = W @ t + weights.expected(S[:, 0])
        if not np.isfinite(top := log_r.max()):
            raise undefined(n, data.X[n])
        r = np.exp(log_r - top)
        total = r.sum()
        r /= total
        label = (
            top + np.log(total) - r @ log_r + (0.0 if base is None else base[n])
        )  # entropy, and the base measure
        S = keep[n] * S + gain[n] * r[:, None] * t
        entropy = keep[n] * entropy + gain[n] / schedule.total * label
        values, W = family.value_and_gradient(S)
        bounds[n] = (
            schedule.total * entropy + values.sum() + weights.log_normalizer(S[:, 0]) - before
        )
    return bounds, S, float(entropy), after
