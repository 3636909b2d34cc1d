"""Schedules of online learning: how much of the past is kept, and how much a new data point counts.

An online step is  S <- retention S + gain r t(x).  A schedule supplies (retention, gain) for the
next n data points, and the schedule that follows them, so that a stream can be stopped and resumed
with the same numbers.
"""

from __future__ import annotations

import attrs
import numpy as np

from vbkit.checks import as_instance, as_integer, as_number, as_positive, checked
from vbkit.compiled.online import averages


@attrs.frozen
class Schedule:
    """Discounted averages that forget less and less (Sato 2000, 3.13, 3.23-3.25), and special
    cases.

    In Sato's count the first data point that a schedule meets is tau = 2; the start is tau = 1.

    memory: how many data points the running average holds now, 1 / eta. With a
        `total` it must start above 0, or the first data point replaces everything (eta = 1). Sato
        resets eta to .01, a size of 100.
    forgetting_rate: 1 - lambda at the next data point, within [0, 1]; Sato's 1 / tau0.
    decay: kappa >= 0. The forgetting rate f becomes f / (1 + kappa f) after each data point (3.24);
    0 keeps it fixed.
    total: the number T of data points that the posterior stands for; with observation weights the
        number of rows, as each gain is multiplied by its weight, and where rows form sequences the
        number of sequences, as a step learns from a whole one. S is T times the discounted
        average, so retention = 1 - eta and gain = T eta (3.10, 3.12). None: no fixed total. S is
        the discounted sum itself, with retention = lambda and gain = 1. With a forgetting rate of 0
        that is Ghahramani's accumulation, in which a second pass counts the data twice.

    Raises ValueError for numbers outside these ranges.
    """

    memory: float = checked(as_number, 0, default=100.0)
    forgetting_rate: float = checked(as_number, 0, 1, default=0.01)
    decay: float = checked(as_number, 0, default=0.01)
    total: float | None = None

    def __attrs_post_init__(self):
        if self.total is not None:
            as_positive("total", self.total)

    @property
    def learning_rate(self) -> float:
        """eta = 1 / memory: the rate at the last data point met, or that a start
        stands for."""
        return 1 / self.memory if self.memory else np.inf

    def rates(self, n: int) -> tuple[np.ndarray, np.ndarray, Schedule]:
        """retention (n,), gain (n,) for the next n data points, and the schedule after them.

        Raises ValueError unless n is a whole number.
        """
        discounts, memories, after = self._averages(n)
        if self.total is None:
            return discounts, np.ones(n), after
        return 1 - 1 / memories, self.total / memories, after

    def learning_rates(self, n: int) -> tuple[np.ndarray, Schedule]:
        """eta (n,) at the next n data points, and the schedule after them.

        It is one over the memory, the data point included.
        """
        _, memories, after = self._averages(n)
        return 1 / memories, after

    def _averages(self, n: int) -> tuple[np.ndarray, np.ndarray, Schedule]:
        """Discount factors (n,) and memories (n,) at the next n data points, and the schedule after
        them."""
        n = as_integer("n", n, 0)
        discounts, memories, forgetting_rate = averages(
            n, float(self.memory), float(self.forgetting_rate), float(self.decay)
        )
        memory = memories[-1] if n > 0 else self.memory
        after = attrs.evolve(self, memory=memory, forgetting_rate=forgetting_rate)
        return discounts, memories, after


def as_schedule(schedule) -> Schedule:
    """The Schedule; ValueError if it is none."""
    return as_instance("schedule", schedule, Schedule, "sato2000(total)")


def sato2000(total: float, *, tau0=100.0, kappa=0.01, memory=None) -> Schedule:
    """Sato's schedule: 1 - lambda(tau) = 1 / ((tau - 2) kappa + tau0), for the data points tau = 2,
    3, ...

    total: the number T of data points that the posterior stands for.
    tau0: how many data points are averaged early on, at least 1.
    kappa: how fast the forgetting rate vanishes, at least 0; eta tends to (1 + 1/kappa) / tau.
    memory: of the start; None takes tau0, so that the start has eta = 1 / tau0.

    Raises ValueError for numbers outside these ranges.
    """
    as_number("tau0", tau0, 1)
    as_number("kappa", kappa, 0)
    if memory is None:
        memory = tau0
    return Schedule(memory, forgetting_rate=1 / tau0, decay=kappa, total=total)


def sato1999(
    total: float, *, learning_rate=0.5, forgetting_rate=0.01, kappa=0.05
) -> Schedule:
    """Sato's earlier schedule (1999, 22b, 32-39): an initial rate, a window and a decay.

    total: the number T of data points that the posterior stands for.
    learning_rate: eta(1), within (0, 1]; the start counts as 1 / eta(1) - 1 data points.
        In this paper the first data point is t = 1.
    forgetting_rate, kappa: the forgetting rate epsilon at t = 2 (the paper's eps_0), and
        how fast it falls (its gamma), 1 - lambda(t) = epsilon / (1 + (t - 2) kappa epsilon)
        for t = 2, 3, ... That is a window of 1 / epsilon data points early on, and eta
        tends to (1 + 1 / kappa) / t. 0 forgets nothing.

    A learning rate of 1 and a forgetting rate of 0 are eta = 1 / t, in which the first data
    point replaces the start. That is right for a picture, but `fit_online` refuses it; the
    workbook's 1 / t begins with a learning rate of 0.5, a start worth one data point:
    eta = 1 / (t + 1). Raises ValueError for numbers outside these ranges, and if
    epsilon (1 + kappa) >= 1, which leaves no step before the second.
    """
    as_positive("learning_rate", learning_rate)
    as_number("learning_rate", learning_rate, 0, 1)
    as_number("forgetting_rate", forgetting_rate, 0, 1)
    as_number("kappa", kappa, 0)
    if forgetting_rate * (1 + kappa) >= 1:
        raise ValueError(
            f"forgetting_rate is {forgetting_rate:g}, kappa {kappa:g}; "
            "forgetting_rate (1 + kappa) must be below 1"
        )
    # One decay leads from the first forgetting rate to the given one, and one data point
    # from the memory to 1 / learning_rate.
    first = forgetting_rate / (1 - kappa * forgetting_rate)
    memory = (1 / learning_rate - 1) / (1 - first)
    return Schedule(memory, forgetting_rate=first, decay=kappa, total=total)


def reciprocal(total: float, learning_rate: float, kappa: float) -> Schedule:
    """eta(t) = 1 / ((t - 1) kappa / (1 + kappa) + 1 / eta(1)) exactly (Sato 1999, 41), for
    t = 1, 2, ...

    total: the number T of data points that the posterior stands for.
    learning_rate: eta(1), within (0, 1). kappa: at least 0; 0 is a constant rate.

    It is `sato1999` with the forgetting rate eta(1) / (1 + kappa) (40). Raises ValueError
    for other numbers.
    """
    as_number("kappa", kappa, 0)
    as_positive("learning_rate", learning_rate)
    if learning_rate >= 1:
        raise ValueError(f"learning_rate is {learning_rate!r}; it must be less than 1")
    return sato1999(
        total,
        learning_rate=learning_rate,
        forgetting_rate=learning_rate / (1 + kappa),
        kappa=kappa,
    )


def without_discount(total: float, *, memory: float = 100.0) -> Schedule:
    """lambda = 1 (3.22): every data point so far counts alike.

    After n data points eta = 1 / (memory + n).
    """
    return Schedule(memory, forgetting_rate=0.0, decay=0.0, total=total)


def accumulation() -> Schedule:
    """Ghahramani's online rule: statistics are added to what is there; nothing is forgotten."""
    return Schedule(0.0, forgetting_rate=0.0, decay=0.0, total=None)
