"""Answers to the exercises of lecture 05a, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.course.sato import draw, sato_mixture
from vbkit.learning import init_gaussian
from vbkit.press.exercises import Exercise

# ---- 1. reading the clock ------------------------------------------------------------


def clock_readings(forgetting_rates, memory):
    """Return what the clock reads (n,) after each point: Sato 2000, (3.13), added up."""
    rates = []
    for forgetting_rate in forgetting_rates:
        memory = 1 + (1 - forgetting_rate) * memory
        rates.append(1 / memory)
    return np.cumsum(rates)


def rates_alone(forgetting_rates, memory):
    """These are the learning rates. The clock is their sum so far."""
    readings = clock_readings(forgetting_rates, memory)
    return np.diff(readings, prepend=0.0)


def old_memory(forgetting_rates, memory):
    """You divide by the memory before the point came. The point itself counts as well."""
    rates = []
    for forgetting_rate in forgetting_rates:
        rates.append(1 / memory)
        memory = 1 + (1 - forgetting_rate) * memory
    return np.cumsum(rates)


def sum_of_memories(forgetting_rates, memory):
    """You added up the memories. The learning rate is one over the memory."""
    memories = []
    for forgetting_rate in forgetting_rates:
        memory = 1 + (1 - forgetting_rate) * memory
        memories.append(memory)
    return np.cumsum(memories)


def forgetting_for_discount(forgetting_rates, memory):
    """You multiplied the memory by the forgetting rate. It is multiplied by the discount
    factor, which is one minus this rate."""
    return clock_readings(1 - np.asarray(forgetting_rates), memory)


exercise_1 = Exercise(
    clock_readings,
    [
        (np.array([0.1, 0.1, 0.1]), 1.0),
        (np.array([0.01, 0.02, 0.03, 0.2]), 100.0),
        (np.array([0.0, 0.0, 0.0, 0.0, 0.0]), 100.0),
        (np.array([0.08, 0.01, 0.03]), 12.0),
    ],
    (rates_alone, old_memory, sum_of_memories, forgetting_for_discount),
    hint="Keep the memory in a loop, append one over it to a list, and use np.cumsum.",
    meaning="From the forgetting rates alone you know how many sweeps the work is worth.",
    further="2,300,000 forgetting rates of 0, and a start that counts as 100 points.",
)


# ---- 2. without the noise ------------------------------------------------------------


def small_sweeps(mixture, X, S, size, units):
    """Return S (K, P) after steps that go a part of each sweep, for `units` of the clock."""
    for _ in range(round(units / size)):
        S = S + size * (mixture.e_step(X, S).S - S)
    return S


def whole_sweeps(mixture, X, S, size, units):
    """Your steps are whole sweeps. Go only the part `size` of the way to S_new."""
    for _ in range(round(units / size)):
        S = mixture.e_step(X, S).S
    return S


def one_step_a_unit(mixture, X, S, size, units):
    """Your number of steps is `units`. Each step moves the clock by `size` only."""
    for _ in range(round(units)):
        S = S + size * (mixture.e_step(X, S).S - S)
    return S


def same_sweep(mixture, X, S, size, units):
    """S_new seems to be computed once. It depends on S, so each step needs a new one."""
    new = mixture.e_step(X, S).S
    for _ in range(round(units / size)):
        S = S + size * (new - S)
    return S


def share_of_the_old(mixture, X, S, size, units):
    """The part `size` belongs to S_new. You gave it to the old S."""
    for _ in range(round(units / size)):
        S = size * S + (1 - size) * mixture.e_step(X, S).S
    return S


POINTS = draw()["B"]
FOUR = sato_mixture(POINTS, 4, "full covariance", 0.01)
START = init_gaussian(FOUR, POINTS, 4, np.random.default_rng(2000))
FEW = POINTS[:200]
TWO = sato_mixture(FEW, 2, "full covariance", 1.0)
START_OF_TWO = init_gaussian(TWO, FEW, 2, np.random.default_rng(1))

exercise_2 = Exercise(
    small_sweeps,
    [
        (TWO, FEW, START_OF_TWO, 0.1, 2),
        (TWO, FEW, START_OF_TWO, 0.25, 3),
        (FOUR, POINTS, START, 0.05, 1),
        (FOUR, POINTS, START, 0.4, 2),
    ],
    (whole_sweeps, one_step_a_unit, same_sweep, share_of_the_old),
    hint="Repeat round(units / size) times: S = S + size * (S_new - S).",
    meaning="You have built online VB without the noise of single points.",
    further="sizes from 0.05 to 1 for 10 units, with `mixture.e_step(X, S).elbo`.",
)
