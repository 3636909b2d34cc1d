"""The discounted free energy, kept as a running number while data pass by and are forgotten (Sato 2000, 3.5)."""

from __future__ import annotations

import numpy as np

from vbkit.learning.schedule import Schedule
from vbkit.learning.stream import undefined
from vbkit.mixture import Mixture


def bound_of_statistics(mixture: Mixture, S) -> float:
    """The bound (nats) right after the M-step that collected S (K, P), without the entropy of the responsibilities and
    without the base measure: the log of the ratio of posterior and prior normalisers (Sato 2000, A.13 put right)."""
    S = mixture.check_state(S)
    after, before = (mixture.component.log_normalizer(s).sum() + mixture.weights.log_normalizer(s[:, 0])
                     for s in (S, 0 * S))  # fmt: skip
    return float(after - before)


def running_bound(mixture: Mixture, X, start, schedule: Schedule, *, entropy: float = 0.0):
    """On-line VB over the rows of X (N, D) and the discounted free energy (N,) in nats after each, from one number more
    than learning needs: the discounted mean of the entropy of the responsibilities. In plain NumPy.

    start: a state (K, P). entropy: that number (nats a datum) for the data that the start stands for; it fades with
    them. Returns (bounds (N,), S, entropy, schedule) to continue with. Raises ValueError unless the schedule has a
    total, its memory is above 0, and the mixture is variational Bayes (copies 1, no pseudo-statistics).
    """
    data, S = mixture.observe(X), mixture.check_state(start)
    if schedule.total is None or schedule.memory == 0:
        raise ValueError(f"schedule is {schedule}; the monitor needs a total and a memory above 0")
    if mixture.copies != 1 or mixture.pseudo is not None:
        raise ValueError("the monitor is that of variational Bayes: copies must be 1 and pseudo None")
    keep, gain, after = schedule.rates(len(data.X))
    base = mixture.component.log_base(data.X)
    bounds = np.empty(len(data.X))
    for n, t in enumerate(mixture.component.statistics(data.X)):
        log_r = mixture.component.expected(S) @ t + mixture.weights.expected(S[:, 0])
        if not np.isfinite(log_r.max()):
            raise undefined(n, data.X[n])
        r = np.exp(log_r - log_r.max())
        total = r.sum()
        r /= total
        h = log_r.max() + np.log(total) - r @ log_r + (0.0 if base is None else base[n])
        S = keep[n] * S + gain[n] * r[:, None] * t
        entropy = keep[n] * entropy + gain[n] / schedule.total * h
        bounds[n] = schedule.total * entropy + bound_of_statistics(mixture, S)
    return bounds, S, float(entropy), after
