"""Exercises of chapter 04a: reference answers, and the mistakes that are recognised."""

import numpy as np
from scipy.special import betaln

from vbkit.chapters import coin
from vbkit.workbook.exercises import Exercise

# ---- 1. the exact divergence ---------------------------------------------------------------------


def divergence(a, b, new_a, new_b):
    """Return KL(Beta(a, b) || Beta(new_a, new_b)) in nats."""
    heads, tails = coin.mean_logs(a, b)
    return betaln(new_a, new_b) - betaln(a, b) - (new_a - a) * heads - (new_b - b) * tails


def the_other_way(a, b, new_a, new_b):
    """This is the divergence of the old belief from the new one. A divergence is not symmetric:
    which of the two beliefs takes the expectation?"""
    return divergence(new_a, new_b, a, b)


def quadratic_form(a, b, new_a, new_b):
    """This is the ruler's quadratic form. It agrees with the divergence for small steps only."""
    step = np.array([new_a - a, new_b - b])
    return 0.5 * step @ coin.fisher(a, b) @ step


def without_normalisers(a, b, new_a, new_b):
    """Both densities have a normaliser, B(a, b) and B(new_a, new_b). They do not cancel."""
    return divergence(a, b, new_a, new_b) - betaln(new_a, new_b) + betaln(a, b)


exercise_1 = Exercise(
    divergence,
    [(2.0, 2.0, 3.0, 2.0), (2.0, 2.0, 2.1, 2.1), (4.2, 1.8, 22.5, 19.4)],
    mistakes=(the_other_way, quadratic_form, without_normalisers),
    hint="betaln(new) minus betaln(old), minus the slope at the old belief times the step.",
    meaning="You have the distance that the ruler measures, for steps of any size.",
    further="the quadratic form of section 3. For which steps do the two agree to one per cent?",
)

# ---- 2. the length of a step ---------------------------------------------------------------------


def _climb(a, b, x, length, steps, prior):
    for _ in range(steps):
        new_a, new_b = (n - 1 + prior for n in coin.epoch(a, b, x))
        a, b = a + length * (new_a - a), b + length * (new_b - b)
    return a, b


def climb(a, b, x, length, steps):
    """Return a, b after so many natural-gradient steps of this length."""
    return _climb(a, b, x, length, steps, prior=1.0)


def always_full(a, b, x, length, steps):
    """The length has no effect: each step goes all the way to VB's next belief."""
    return climb(a, b, x, 1.0, steps)


def never_judged_again(a, b, x, length, steps):
    """The faces are judged only once, at the start. The belief changes, and so must the
    judgements."""
    return climb(a, b, x, 1 - (1 - length) ** steps, 1)  # nearer to the same end in each step


def without_prior(a, b, x, length, steps):
    """The prior is missing: it adds one pseudo-toss to each face in every new belief."""
    return _climb(a, b, x, length, steps, prior=0.0)


FEW = np.array([1.5, 2.0, 0.0, -0.4])
exercise_2 = Exercise(
    climb,
    [(2.0, 2.0, FEW, 0.5, 3), (5.0, 1.0, FEW, 1.0, 2), (2.0, 3.0, FEW, 1.3, 4)],
    mistakes=(always_full, never_judged_again, without_prior),
    hint="Each step: new = one_epoch(a, b, x), then move from old to new by `length` of the way.",
    meaning="Length 1 is VB; other lengths are the natural gradient with a step length.",
    further="on the forty readings, from which length on does the climb no longer settle?",
)

# ---- 3. a belief repaired ------------------------------------------------------------------------


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
exercise_3 = Exercise(
    repaired,
    [(0.4, FACES), (0.5, FACES), (0.3, FACES[:3])],
    mistakes=(share_hidden, narrower_still, without_the_half),
    hint="VB's width is one over the root of len(r) g (1 - g). Divide by the root of the share.",
    meaning="From VB's own judgements you get honest error bars and a better log evidence.",
    further="the explorer of section 7: are its widths and its gap yours, at 10,000 tosses?",
)

# ---- 4. the same direction on another map --------------------------------------------------------


def direction(a, b, new_a, new_b):
    """Return the change of mean and of concentration along the natural gradient."""
    mean, size = a / (a + b), a + b
    up = new_a + new_b - size
    return (new_a - a - mean * up) / size, up


def straight_to_the_end(a, b, new_a, new_b):
    """That is where VB's step ends, minus where it starts. The question asks for the direction in
    which it sets out: a derivative at the start."""
    return new_a / (new_a + new_b) - a / (a + b), new_a + new_b - a - b


def wrong_sign(a, b, new_a, new_b):
    """Check the sign of the second term in the derivative of a quotient."""
    up = new_a + new_b - a - b
    return (new_a - a + a / (a + b) * up) / (a + b), up


def only_a_moves(a, b, new_a, new_b):
    """The mean depends on b, too: its derivative has a second term."""
    return (new_a - a) / (a + b), new_a + new_b - a - b


exercise_4 = Exercise(
    direction,
    [(4.2, 1.8, 22.55, 19.45), (2.0, 2.0, 2.73, 2.27), (12.0, 30.0, 12.4, 29.6)],
    mistakes=(straight_to_the_end, wrong_sign, only_a_moves),
    hint="Differentiate mean = a / (a + b) along a -> a + t (new_a - a), and b likewise, at t = 0.",
    meaning="A straight step of length 1 overshoots the mean by the factor new total / old total.",
    further="in which coordinates besides (a, b) is the step of length 1 exact?",
)
