"""Answers to the exercises of lecture 04b, and typical mistakes."""

import numpy as np
from scipy.special import betaln, entr
from scipy.stats import norm

from vbkit.course import forty_bolts as bolts
from vbkit.press.exercises import Exercise

# ---- 1. what else must be kept -------------------------------------------------------


def _nats_of(r, x, with_densities: bool = True) -> float:
    """Return the entropy of a bolt's division, and its average log density."""
    nats = entr(r) + entr(1 - r)
    if with_densities:
        nats += r * norm.logpdf(x, bolts.RIGHT) + (1 - r) * norm.logpdf(x, bolts.LEFT)
    return nats


def _learn(S, x, T, memory):
    """Return the responsibility of the right machine, and the next S (2,)."""
    r = float(bolts.responsibilities(S, np.array([x]))[0])
    return r, (1 - 1 / memory) * S + T / memory * np.array([r, 1 - r])


def _kept(S, kept, r, x, T, memory, with_densities: bool = True):
    """Return what is kept, and the ELBO at the counts S (2,)."""
    kept = (1 - 1 / memory) * kept + T / memory * _nats_of(r, x, with_densities)
    return kept, kept + betaln(1 + S[0], 1 + S[1])


def follow_share(S, kept, x, T, memory):
    """Return counts (2,), the number that is kept, and the ELBO, after one bolt x."""
    r, new = _learn(S, x, T, memory)
    kept, elbo = _kept(new, kept, r, x, T, memory)
    return new, kept, elbo


def entropy_alone(S, kept, x, T, memory):
    """Your counts are right, but you keep the entropy alone. Here the machines are known,
    so their log densities are in no log Z: they must be kept, too."""
    r, new = _learn(S, x, T, memory)
    kept, elbo = _kept(new, kept, r, x, T, memory, with_densities=False)
    return new, kept, elbo


def counted_once(S, kept, x, T, memory):
    """Your counts are right, but the entropy and the log densities of the bolt count once.
    The bolt stands for T / memory bolts, in what is kept as in the counts."""
    r, new = _learn(S, x, T, memory)
    kept, elbo = _kept(new, kept, r, x, 1.0, memory)
    return new, kept, elbo


def assigned_again(S, kept, x, T, memory):
    """Your counts are right, but then you assigned the bolt a second time. Keep what belongs
    to the responsibilities with which you learned."""
    _, new = _learn(S, x, T, memory)
    r = float(bolts.responsibilities(new, np.array([x]))[0])
    kept, elbo = _kept(new, kept, r, x, T, memory)
    return new, kept, elbo


def never_faded(S, kept, x, T, memory):
    """What you keep only grows. The old bolts fade there as they fade in the counts."""
    r, new = _learn(S, x, T, memory)
    faded, elbo = _kept(new, kept, r, x, T, memory)
    more = kept / memory
    return new, faded + more, elbo + more


exercise_1 = Exercise(
    follow_share,
    [
        (np.array([10.0, 30.0]), -60.0, 1.5, 40, 20),
        (np.array([2.0, 8.0]), -12.5, -0.4, 10, 5),
        (np.array([90.0, 10.0]), -170.0, 2.2, 100, 50),
    ],
    (entropy_alone, counted_once, assigned_again, never_faded),
    hint="Assign with the old counts. Then fade and add twice: once for the counts, once for "
    "what the bolt adds to the ELBO besides log Z, which is its entropy and its average log "
    "density.",
    meaning="Three numbers are enough to know the ELBO of this stream.",
    further="the three bolts of lecture 04a as a stream, with T = 3 and a memory of 3. Why is "
    "the ELBO not that of its sweep?",
)


# ---- 2. mini-batches -----------------------------------------------------------------


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

exercise_2 = Exercise(
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


# ---- 3. what old responsibilities cost -----------------------------------------------


def loss_of_old(r, s):
    """Return the divergence (nats) of r (K,) from the best responsibilities for scores s."""
    return float(np.sum(r * (np.log(r) - s + np.logaddexp.reduce(s))))


def the_other_way(r, s):
    """This is the divergence of the best responsibilities from the old ones. The average is
    taken with the responsibilities that the bolt has."""
    best = np.exp(s - np.logaddexp.reduce(s))
    return float(np.sum(best * (np.log(best) - np.log(r))))


def what_it_brings(r, s):
    """This is what the bolt brings, and not how much this is less than its fit."""
    return float(np.sum(r * (s - np.log(r))))


def without_entropy(r, s):
    """You compared the average score with the fit. A divided bolt also brings its entropy."""
    return float(np.logaddexp.reduce(s) - r @ s)


def without_the_fit(r, s):
    """Your scores are not yet logarithms of responsibilities: the exponentials of s do not
    add up to one."""
    return float(np.sum(r * (np.log(r) - s)))


exercise_3 = Exercise(
    loss_of_old,
    [
        (np.array([0.5, 0.5]), np.array([-1.0, -2.0])),
        (np.array([0.9, 0.1]), np.array([-3.0, -1.5])),
        (np.array([0.2, 0.3, 0.5]), np.array([-2.0, -4.0, -1.0])),
    ],
    (the_other_way, what_it_brings, without_entropy, without_the_fit),
    hint="The fit is np.logaddexp.reduce(s), and the logarithms of the best "
    "responsibilities are s less the fit.",
    meaning="Old responsibilities never make the running ELBO too high.",
    further="r = softmax(s), and then a small change of s. How does the loss grow with it?",
)
