"""Schedules of online learning: how much of the past is kept, and how much a new data point counts.

An online step is  S <- keep S + gain r t(x).  A schedule supplies (keep, gain) for the next n data, and the schedule
that follows them, so that a stream can be stopped and resumed with the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vbkit.checks import as_integer, as_number, as_positive
from vbkit.compiled import jit


@dataclass(frozen=True)
class Schedule:
    """Discounted averages with a slowly vanishing discount (Sato 2000, 3.13, 3.23-3.25), and their special cases.

    memory: how many data the running average holds now, 1 / eta. It must start above 0 where `total` is given, or the
        first data point replaces everything (memory 0, eta = 1); Sato resets eta to .01, a memory of 100.
    discount: 1 - lambda for the next data point, within [0, 1]; Sato's 1 / tau0.
    decay: kappa >= 0; the discount d becomes d / (1 + kappa d) after each data point (3.24). 0 keeps it fixed.
    total: the number T of data that the posterior stands for: S = T times the discounted average, so keep = 1 - eta and
        gain = T eta (3.10, 3.12). None: no fixed total; S is the discounted sum itself, keep = lambda and gain = 1
        (with a discount of 0: Ghahramani's accumulation, in which a second pass counts the data twice).
    """

    effective_sample_size: float = 100.0
    forgetting_rate: float = 0.01
    decay: float = 0.01
    total: float | None = None

    def __post_init__(self):
        for name, high in (
            ("effective_sample_size", np.inf),
            ("forgetting_rate", 1),
            ("decay", np.inf),
        ):
            as_number(name, getattr(self, name), 0, high)
        if self.total is not None:
            as_positive("total", self.total)

    @property
    def rate(self) -> float:
        """The learning rate eta = 1 / memory."""
        return 1 / self.effective_sample_size if self.effective_sample_size else np.inf

    def rates(self, n: int) -> tuple[np.ndarray, np.ndarray, Schedule]:
        """keep (n,), gain (n,) for the next n data, and the schedule after them. ValueError unless n is a whole
        number."""
        keep_past, effective_sample_size, after = self._advance(n)
        if self.total is None:
            return keep_past, np.ones(n), after
        return 1 - 1 / effective_sample_size, self.total / effective_sample_size, after

    def learning_rates(self, n: int) -> tuple[np.ndarray, Schedule]:
        """eta (n,) at the next n data, one over the memory that includes the data point, and the schedule after them."""
        _, effective_sample_size, after = self._advance(n)
        return 1 / effective_sample_size, after

    def _advance(self, n: int):
        keep_past, effective_sample_size, forgetting_rate = _recursion(
            as_integer("n", n, 0), self.effective_sample_size, self.forgetting_rate, self.decay
        )
        return (
            keep_past,
            effective_sample_size,
            replace(
                self,
                effective_sample_size=float(effective_sample_size[-1]),
                forgetting_rate=float(forgetting_rate),
            )
            if n
            else self,
        )


def as_schedule(schedule) -> Schedule:
    """A Schedule, or a ValueError."""
    if not isinstance(schedule, Schedule):
        raise ValueError(
            f"schedule is {schedule!r}; it must be a Schedule, such as sato2000(total)"
        )
    return schedule


def sato2000(
    total: float,
    *,
    tau0: float = 100.0,
    kappa: float = 0.01,
    effective_sample_size: float | None = None,
) -> Schedule:
    """Sato's schedule: 1 - lambda = 1 / ((tau - 2) kappa + tau0), starting from eta = 1 / tau0 unless `memory` is
    given.

    total: the amount of data T that the posterior stands for. tau0 >= 1: data averaged early on. kappa >= 0: how fast
    the discount vanishes; eta tends to (1 + 1/kappa) / tau.
    """
    as_number("tau0", tau0, 1)
    as_number("kappa", kappa, 0)
    return Schedule(
        effective_sample_size=tau0 if effective_sample_size is None else effective_sample_size,
        forgetting_rate=1 / tau0,
        decay=kappa,
        total=total,
    )


def sato1999(
    total: float, *, eta0: float = 0.5, eps0: float = 0.01, gamma: float = 0.05
) -> Schedule:
    """Sato's earlier schedule (1999, 22b, 32-39), with a rate, a window and a decay of their own.

    eta(1) = eta0 within (0, 1]: the start counts as 1/eta0 - 1 data. 1 - lambda(t) = eps0 / (1 + (t - 2) gamma eps0)
    for t = 2, 3, ...: a window of 1/eps0 data early on, and eta tends to (1 + 1/gamma) / t; eps0 = 0 forgets nothing.
    total: the amount of data T that the posterior stands for.

    eta0 = 1 with eps0 = 0 is eta = 1/t, in which the first data point replaces the start: right for a picture, but
    `fit_online` refuses it. The workbook's 1/t has eta0 = 0.5, a start worth one data point: eta = 1 / (t + 1).
    Raises ValueError also where eps0 (1 + gamma) >= 1, for which there is no step before the second.
    """
    as_number("eta0", as_positive("eta0", eta0), 0, 1)
    as_number("eps0", eps0, 0, 1)
    as_number("gamma", gamma, 0)
    if eps0 * (1 + gamma) >= 1:
        raise ValueError(
            f"eps0 is {eps0:g} with gamma {gamma:g}; eps0 (1 + gamma) must be less than 1"
        )
    first = eps0 / (
        1 - gamma * eps0
    )  # from it one decay leads to eps0, and one step from the memory to 1/eta0
    return Schedule(
        effective_sample_size=(1 / eta0 - 1) / (1 - first),
        forgetting_rate=first,
        decay=gamma,
        total=total,
    )


def reciprocal(total: float, eta0: float, gamma: float) -> Schedule:
    """eta(t) = 1 / ((t - 1) gamma / (1 + gamma) + 1/eta0) exactly (Sato 1999, 41): `sato1999` with
    eps0 = eta0 / (1 + gamma) (40). gamma = 0: a constant rate. eta0 within (0, 1)."""
    as_number("gamma", gamma, 0)
    if as_positive("eta0", eta0) >= 1:
        raise ValueError(f"eta0 is {eta0!r}; it must be less than 1")
    return sato1999(total, eta0=eta0, eps0=eta0 / (1 + gamma), gamma=gamma)


def without_discount(total: float, *, effective_sample_size: float = 100.0) -> Schedule:
    """lambda = 1 (3.22): every data point so far counts alike; eta = 1 / (memory + tau)."""
    return Schedule(
        effective_sample_size=effective_sample_size, forgetting_rate=0.0, decay=0.0, total=total
    )


def accumulation() -> Schedule:
    """Ghahramani's online rule: statistics are added to what is there; nothing is ever forgotten."""
    return Schedule(effective_sample_size=0.0, forgetting_rate=0.0, decay=0.0, total=None)


@jit
def _recursion(n, effective_sample_size, forgetting_rate, decay):
    lambdas, memories = np.empty(n), np.empty(n)
    for i in range(n):
        lambdas[i] = 1.0 - forgetting_rate
        effective_sample_size = 1.0 + lambdas[i] * effective_sample_size
        memories[i] = effective_sample_size
        forgetting_rate = forgetting_rate / (1.0 + decay * forgetting_rate)
    return lambdas, memories, forgetting_rate
