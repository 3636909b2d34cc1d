"""A pump whose state nobody sees, and a model that learns its gauge block by block."""

from functools import cache
from typing import NamedTuple

import numpy as np

from vbkit.families import NormalGamma
from vbkit.labels import MarkovChain
from vbkit.mixture import Mixture

STAY = 0.95  # chance that the pump stays on, or off, from one reading to the next
BLOCK = 50  # readings in a block
BLOCKS = 80
TURN = BLOCKS // 2  # blocks learned when the gauge changes
BEFORE = (-1.0, 1.0)  # what the gauge reads on average, off and on
AFTER = (0.0, 2.0)
MIXTURE = "a mixture"
CHAIN = "a Markov chain"
TIES = (MIXTURE, CHAIN)
MEMORY = 200  # readings
WINDOW = 10  # blocks over which the share of wrong labels is averaged
SEED = 11  # of the stream that the course follows
MANY = range(40)  # seeds of the pumps over which the course takes medians


def pump(rng: np.random.Generator, blocks: int = BLOCKS, levels=(BEFORE, AFTER)):
    """Return the states (N,) of a pump, 0 (off) or 1 (on), and readings (N, 1) with noise
    of sd 1; in the second half of the `blocks` the gauge has other levels."""
    N = blocks * BLOCK
    switched = rng.random(N) > STAY
    state = (rng.integers(2) + np.cumsum(switched)) % 2
    half = np.arange(N) // (N // 2)
    x = np.array(levels)[half, state] + rng.standard_normal(N)
    return state, x[:, None]


def model(tie: str) -> Mixture:
    """Return a model of two components on the line, as one of TIES says."""
    family = NormalGamma([0.0], 0.1, 1.0, 1.0)
    if tie == MIXTURE:
        return Mixture(family)
    return Mixture(family, MarkovChain())


def begin(learner: Mixture, block):
    """Return the state after a first block (n, 1): its upper half is taken to be on, with
    90 %."""
    on = (block > np.median(block)) * 0.8 + 0.1
    return learner.m_step(block, np.hstack([1 - on, on]))


class Followed(NamedTuple):
    """What is known before each block of a stream but the first."""

    levels: np.ndarray  # (B, 2), learned, off and on
    wrong: np.ndarray  # (B,), share of wrong labels in the block


@cache
def follow(tie: str, seed: int = SEED) -> Followed:
    """Learn the stream of the course, or that of another `seed`, block by block, up to the
    turn. Each block is a chain of its own, and after it the old sums fade as MEMORY says."""
    state, x = pump(np.random.default_rng(seed))
    learner = model(tie)
    keep = (1 - 1 / MEMORY) ** BLOCK
    blocks = x.reshape(-1, BLOCK, 1)[:TURN]
    S = begin(learner, blocks[0])
    levels = []
    on = []
    for block in blocks[1:]:
        levels.append(learner.parameters(S).components.mean[:, 0])
        on.append(learner.responsibilities(block, S)[:, 1])
        S = keep * S + learner.e_step(block, S).S
    labels = np.array(on) > 0.5
    wrong = np.mean(labels != state.reshape(-1, BLOCK)[1:TURN], axis=1)
    return Followed(np.array(levels), wrong)


def recent(wrong) -> np.ndarray:
    """Return the mean of each share (B,) of wrong labels and of those of up to nine blocks
    before, in per cent (B,)."""
    means = []
    for b in range(len(wrong)):
        first = max(0, b - WINDOW + 1)
        means.append(100 * wrong[first : b + 1].mean())
    return np.array(means)


def recent_of_many(tie: str) -> np.ndarray:
    """Return the median over the pumps MANY of what `recent` says of each, in per cent (B,)."""
    shares = []
    for seed in MANY:
        shares.append(recent(follow(tie, seed).wrong))
    return np.median(shares, axis=0)
