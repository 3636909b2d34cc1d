"""Answers to the exercises of lecture 02a, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.press.exercises import Exercise

# ---- 1. a memory that grows ----------------------------------------------------------


def memories(tau0, kappa, n):
    """Return the memories tau_1, ..., tau_n (n,) of Sato 1999: (22b) and (39)."""
    return memories_with(lambda k: 1 / (tau0 + kappa * (k - 2)), n)


def memories_with(forgetting_rate, n, first=2.0):
    """Return memories (n,) from the forgetting rate at each point k = 2, 3, ..."""
    found = [first]
    for k in range(2, n + 1):
        found.append(1 + (1 - forgetting_rate(k)) * found[-1])
    return np.array(found)


def one_point_late(tau0, kappa, n):
    """Your forgetting rate is one point ahead. At the second point it is still one over
    tau0."""
    return memories_with(lambda k: 1 / (tau0 + kappa * (k - 1)), n)


def forgetting_for_discount(tau0, kappa, n):
    """You multiplied the memory by the forgetting rate. It is multiplied by the discount
    factor, which is one minus this rate."""
    return memories_with(lambda k: 1 - 1 / (tau0 + kappa * (k - 2)), n)


def never_grows(tau0, kappa, n):
    """Your forgetting rate stays as it is at the beginning. It falls with each point."""
    return memories_with(lambda k: 1 / tau0, n)


def without_the_start(tau0, kappa, n):
    """The first memory is 2, because the start counts as one point."""
    return memories_with(lambda k: 1 / (tau0 + kappa * (k - 2)), n, first=1.0)


def learning_rates(tau0, kappa, n):
    """These are the learning rates. The memory is one over the rate."""
    return 1 / memories(tau0, kappa, n)


exercise_1 = Exercise(
    memories,
    [(100.0, 0.05, 5), (10.0, 0.02, 20), (5.0, 0.5, 50), (8.0, 0.1, 3)],
    (
        one_point_late,
        forgetting_for_discount,
        never_grows,
        without_the_start,
        learning_rates,
    ),
    hint="Begin with the list [2.0]. For k from 2 to n, append "
    "1 + (1 - epsilon) times the last entry.",
    meaning="Two numbers, tau0 and kappa, fix all memories, and so all learning rates.",
    further="kappa = 1 in place of 0.05. How long is the memory after a thousand points?",
)


# ---- 2. what each point counts -------------------------------------------------------


def shares_of_data(rates):
    """Return the shares (n + 1,) of the start and of each point after steps of rates (n,)."""
    rates = np.asarray(rates, dtype=float)
    left_by_later = np.append(np.cumprod((1 - rates)[::-1])[::-1], 1.0)
    return left_by_later * np.append(1.0, rates)


def rates_alone(rates):
    """Your points keep the share with which they came. What does each later step do to
    it?"""
    return np.append(np.prod(1 - np.asarray(rates)), rates)


def start_forgotten(rates):
    """The points are right, but the start is missing. Its share comes first, and all shares
    add up to one."""
    return shares_of_data(rates)[1:]


def newest_first(rates):
    """These are the right shares, with the newest point first. The start comes first."""
    return shares_of_data(rates)[::-1]


def own_step_twice(rates):
    """You let a point's own step fade it, too. Only the steps that come later do."""
    rates = np.asarray(rates, dtype=float)
    left = np.cumprod((1 - rates)[::-1])[::-1]
    return np.append(left[0], rates * left)


exercise_2 = Exercise(
    shares_of_data,
    [
        (np.array([0.5, 0.3]),),
        (np.array([0.5, 0.2, 0.1]),),
        (np.array([0.8, 0.2, 0.6, 0.05]),),
        (np.array([0.5, 1 / 3, 0.25, 0.2]),),
    ],
    (rates_alone, start_forgotten, newest_first, own_step_twice),
    hint="Do one and two steps by hand. Do your shares add up to one?",
    meaning="Online EM holds a weighted mean of what it was told, whatever the rates are.",
    further="rates that grow. Which point counts most now?",
)


# ---- 3. how much a weighted average scatters -----------------------------------------


def effective_size(weights):
    """Return the number of equal points whose average scatters as much."""
    weights = np.asarray(weights, dtype=float)
    return float(weights.sum() ** 2 / (weights**2).sum())


def total_weight(weights):
    """This is the total weight, the memory. How large is the variance of the weighted
    average?"""
    return float(np.sum(weights))


def not_divided(weights):
    """You forgot to divide by the total weight: this is one over the sum of the squares."""
    return float(1 / np.sum(np.square(weights)))


def divided_once(weights):
    """You divided by the total weight once. In a variance it is squared."""
    return float(np.sum(weights) / np.sum(np.square(weights)))


def inverse(weights):
    """This is the variance for sigma = 1. The number of points is one over it."""
    return 1 / effective_size(weights)


def how_many(weights):
    """This is how many points there are. Points with small weights count less."""
    return float(len(weights))


exercise_3 = Exercise(
    effective_size,
    [
        (np.array([1.0, 0.5]),),
        (0.9 ** np.arange(30),),
        (np.array([2.0, 1.0, 1.0, 4.0]),),
        (0.5 ** np.arange(8),),
    ],
    (total_weight, not_divided, divided_once, inverse, how_many),
    hint="The variance of the weighted average is sigma^2 sum w^2 / (sum w)^2.",
    meaning="A fading mean with memory tau scatters like a plain average of 2 tau - 1 "
    "points.",
    further="equal weights, and weights of which one is far larger than all others.",
)
