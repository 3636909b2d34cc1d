"""Answers to the exercises of lecture 11a, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import digamma
from scipy.stats import norm

from vbkit.compiled.chains import expectations_in_logs
from vbkit.press.exercises import Exercise

LEVELS = [-1, 1]


class Smoothed(NamedTuple):
    """What all paths through n readings say."""

    on: np.ndarray  # (n,), probability
    stays: float  # expected number
    switches: float


def smoothed(x, stay, switch) -> Smoothed:
    """Sum over all paths through readings x (n,); stay and switch are the weights of the
    two kinds of steps, which need not add up to 1."""
    densities = norm.logpdf(x[:, None], LEVELS)
    steps = np.log([[stay, switch], [switch, stay]])
    even = np.log([0.5, 0.5])
    _, states, sums = expectations_in_logs(densities, even, steps)
    (off_off, off_on), (on_off, on_on) = sums[:, 1:]  # the first column: starts
    return Smoothed(states[:, 1], off_off + on_on, off_on + on_off)


# ---- 1: on and switches --------------------------------------------------------------


def on_and_switches(x, stay) -> tuple[np.ndarray, float]:
    """Return the probability (n,) that the pump is on at each reading, given all readings x
    (n,), and the expected number of switches: levels -1 and 1, noise of sd 1, an even
    start, `stay` to stay."""
    found = smoothed(x, stay, 1 - stay)
    return found.on, found.switches


def without_later_readings(x, stay):
    """Your probabilities know the earlier readings only. Let the later ones speak: go
    backwards, too."""
    move = np.array([[stay, 1 - stay], [1 - stay, stay]])
    pairs_before = np.diag([0.5, 0.5])  # of the state before, and the next
    on = []
    switches = 0.0
    for row in norm.pdf(x[:, None], LEVELS):
        pairs = pairs_before * row / np.sum(pairs_before * row)
        on.append(pairs[:, 1].sum())
        switches += pairs[0, 1] + pairs[1, 0]
        pairs_before = pairs.sum(axis=0)[:, None] * move
    return np.array(on), switches


def as_if_independent(x, stay):
    """The probabilities of on are right. But you multiply those of two neighbours, as if
    one knew nothing of the other. Their joint probability has a step in it."""
    on, _ = on_and_switches(x, stay)
    up = (1 - on[:-1]) * on[1:]
    down = on[:-1] * (1 - on[1:])
    return on, np.sum(up + down)


def of_the_likeliest_states(x, stay):
    """The probabilities of on are right. But you count the switches between the likeliest
    states. A doubtful switch counts in part: add its probability."""
    on, _ = on_and_switches(x, stay)
    return on, float(np.sum(np.diff(on > 0.5)))


READINGS = np.array([1.3, 0.2, -0.4, 0.9, -1.8, -0.6, 0.3, -1.1, 1.5, 0.1, 2.2, -0.2])

exercise_1 = Exercise(
    on_and_switches,
    [(np.array([-0.8, 0.1]), 0.95), (np.array([0.5, -1.5, 2.0]), 0.8), (READINGS, 0.9)],
    mistakes=(without_later_readings, as_if_independent, of_the_likeliest_states),
    hint="Multiply four things for neighbours: ahead, the step, the next density, behind.",
    meaning="The M-step reads the chances off such expected numbers.",
    further="set stay to 0.5. Which model of lecture 00a is left?",
)

# ---- 2: an unknown chance on a stream ------------------------------------------------


def learn_to_stay(blocks, S, keep) -> np.ndarray:
    """Return the expected numbers (2,) of stays and switches after the `blocks` (B, n) of
    readings, from the numbers S (2,): levels -1 and 1, noise of sd 1, an even start, a
    Beta(1, 1) prior of the chance to stay."""
    return _learn(blocks, S, keep, lambda S: np.exp(digamma(1 + S)))


def _learn(blocks, S, keep, weigh):
    """`learn_to_stay`, where `weigh` makes the weights (2,) of the numbers so far."""
    for block in blocks:
        stay, switch = weigh(S)
        found = smoothed(block, stay, switch)
        S = keep * S + np.array([found.stays, found.switches])
    return S


def by_the_mean_chances(blocks, S, keep):
    """You weigh the steps by their mean chances. VB takes e to the mean log chance: use
    digamma."""
    return _learn(blocks, S, keep, lambda S: 1 + S)


def without_the_prior(blocks, S, keep):
    """Your weights come from S alone. The posterior's counts are the prior's plus S."""
    return _learn(blocks, S, keep, lambda S: np.exp(digamma(S)))


def by_the_first_numbers(blocks, S, keep):
    """You judge every block by the first S. Judge each block by the S so far."""
    first = np.exp(digamma(1 + S))
    return _learn(blocks, S, keep, lambda _: first)


def _blocks(rng):
    N = int(rng.integers(2, 6))
    state = np.cumsum(rng.random((N, 8)) > 0.85, axis=1) % 2
    x = 2.0 * state - 1 + rng.standard_normal(state.shape)
    S = rng.uniform(0.5, 9, 2).round(1)
    return x.round(1), S, float(rng.choice([0.5, 0.8, 0.9]))


exercise_2 = Exercise(
    learn_to_stay,
    _blocks,
    mistakes=(by_the_mean_chances, without_the_prior, by_the_first_numbers),
    hint="For each block: weights from 1 + S, both passes, the two expected numbers, the step.",
    meaning="This is online VB of a chain whose levels are known.",
    further="let S start at zero with keep = 1, on blocks of fifty. How near comes 0.95?",
)
