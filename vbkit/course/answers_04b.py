"""Answers to the exercises of lecture 04b, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.course import forty_bolts as bolts
from vbkit.press.exercises import Exercise

# ---- 1. mini-batches -----------------------------------------------------------------


def _step(S, x, T, rate):
    """Return S (2,) after a step of this rate towards the mean proposal of bolts x (B,)."""
    r = bolts.responsibilities(S, x).mean()
    return (1 - rate) * S + rate * T * np.array([r, 1 - r])


def batch_step(S, x, T, memory):
    """Return S (2,) after a batch of bolts x (B,), whose memory is counted in bolts."""
    return _step(S, x, T, 1 - (1 - 1 / memory) ** len(x))


def rate_of_one_bolt(S, x, T, memory):
    """You fade as if one bolt had come. All bolts of the batch have come since."""
    return _step(S, x, T, 1 / memory)


def sum_of_rates(S, x, T, memory):
    """You multiplied the learning rate by the number of bolts. For small batches this is
    close, but a batch larger than the memory would remove more than there is."""
    return _step(S, x, T, len(x) / memory)


def sum_for_mean(S, x, T, memory):
    """You added the responsibilities of the bolts up. The batch proposes their mean, times
    T: do the two counts still add up to T?"""
    rate = 1 - (1 - 1 / memory) ** len(x)
    r = bolts.responsibilities(S, x)
    return (1 - rate) * S + rate * T * np.array([r.sum(), (1 - r).sum()])


def one_after_another(S, x, T, memory):
    """You learned after each bolt. In a batch all bolts are assigned with the same S."""
    for bolt in x:
        S = _step(S, np.array([bolt]), T, 1 / memory)
    return S


X = bolts.draw_lengths()

exercise_1 = Exercise(
    batch_step,
    [
        (np.array([10.0, 30.0]), X[:10], 40, 20),
        (np.array([36.0, 4.0]), X[10:14], 40, 5),
        (np.array([20.0, 20.0]), X, 40, 10),
    ],
    (rate_of_one_bolt, sum_of_rates, sum_for_mean, one_after_another),
    hint="What is left of the old counts after B bolts is (1 - 1 / memory) ** B. The rest "
    "of T bolts is divided as the mean responsibility says.",
    meaning="The batch forgets as much as its bolts would one by one, in a single step.",
    further="a memory of 1, all forty bolts, T = 40. You know this step from lecture 04a.",
)


# ---- 2. what old responsibilities cost -----------------------------------------------


def loss_of_old(r, s):
    """Return the divergence (nats) of r (K,) from the best responsibilities for scores s."""
    return float(np.sum(r * (np.log(r) - s + np.logaddexp.reduce(s))))


def the_other_way(r, s):
    """This is the divergence of the best responsibilities from the old ones. The average is
    taken with the responsibilities that the bolt has."""
    best = np.exp(s - np.logaddexp.reduce(s))
    return float(np.sum(best * (np.log(best) - np.log(r))))


def what_it_brings(r, s):
    """This is what the bolt brings, and not how much less than with the best ones."""
    return float(np.sum(r * (s - np.log(r))))


def without_entropy(r, s):
    """You compared the average score with what the best ones bring. A divided bolt also
    brings its entropy."""
    return float(np.logaddexp.reduce(s) - r @ s)


def best_not_normalised(r, s):
    """Your scores are not yet logarithms of responsibilities: the exponentials of s do not
    add up to one."""
    return float(np.sum(r * (np.log(r) - s)))


exercise_2 = Exercise(
    loss_of_old,
    [
        (np.array([0.5, 0.5]), np.array([-1.0, -2.0])),
        (np.array([0.9, 0.1]), np.array([-3.0, -1.5])),
        (np.array([0.2, 0.3, 0.5]), np.array([-2.0, -4.0, -1.0])),
    ],
    (the_other_way, what_it_brings, without_entropy, best_not_normalised),
    hint="The best bring np.logaddexp.reduce(s), and the logarithms of the best "
    "responsibilities are s less this number.",
    meaning="Old responsibilities never make the running ELBO too high.",
    further="r = softmax(s), and then a small change of s. How does the loss grow with it?",
)
