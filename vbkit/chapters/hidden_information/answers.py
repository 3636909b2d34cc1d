"""The exercise of chapter 04c: its answer, and the mistakes that are recognised."""

import numpy as np

from vbkit.press.exercises import Exercise

# ---- 1. a belief repaired ------------------------------------------------------------------------


def repaired(g, r):
    """Return the width of the exact posterior of the log odds, and the gap of the ELBO (nats)."""
    return _repaired(g, r, 1 - np.mean(r * (1 - r)) / (g * (1 - g)))


def _repaired(g, r, seen):
    return 1 / np.sqrt(len(r) * g * (1 - g) * seen), -0.5 * np.log(seen)


def share_hidden(g, r):
    """You took the share of the information that is hidden. Both laws have the share *seen*."""
    return _repaired(g, r, np.mean(r * (1 - r)) / (g * (1 - g)))


def narrower_still(g, r):
    """Your width is smaller than VB's. But VB's belief is too narrow: divide by the root."""
    width, gap = repaired(g, r)
    return width * np.exp(-2 * gap), gap  # times the share seen


def without_the_half(g, r):
    """The width is right. The gap is the logarithm of a ratio of widths: of a *root*."""
    width, gap = repaired(g, r)
    return width, 2 * gap


FACES = np.array([0.05, 0.9, 0.2, 0.45])
exercise_1 = Exercise(
    repaired,
    [(0.4, FACES), (0.5, FACES), (0.3, FACES[:3])],
    mistakes=(share_hidden, narrower_still, without_the_half),
    hint="VB's width is one over the root of len(r) g (1 - g). Divide by the root of the share.",
    meaning="From VB's own judgements you get honest error bars and a better log evidence.",
    further="the explorer: are its widths and its gap yours, at 10,000 tosses?",
)


# ---- 2. how many epochs --------------------------------------------------------------


def epochs_needed(hidden, factor):
    """Return after how many epochs the error of the mean is `factor` times smaller."""
    return int(np.ceil(np.log(factor) / -np.log(hidden)))


def share_seen_left(hidden, factor):
    """You took the share seen for what an epoch leaves. It leaves the share hidden."""
    return int(np.ceil(np.log(factor) / -np.log(1 - hidden)))


def not_rounded_up(hidden, factor):
    """You rounded down: one epoch before that, the error is still too large."""
    return int(np.log(factor) / -np.log(hidden))


def same_amount(hidden, factor):
    """You subtract the same amount in each epoch. Each one leaves a *share* of what is left."""
    return int(np.ceil((1 - 1 / factor) / (1 - hidden)))


exercise_2 = Exercise(
    epochs_needed,
    [(0.547, 100.0), (0.9, 10.0), (0.2, 1000.0)],
    mistakes=(share_seen_left, not_rounded_up, same_amount),
    hint="After n epochs the error is multiplied by hidden to the power n. Take logarithms.",
    meaning="The share of hidden information is the speed of VB near its top.",
    further="a share hidden of 0.99: how many epochs for each digit?",
)
