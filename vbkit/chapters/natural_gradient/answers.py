"""Exercises of chapter 04a: reference answers, and the mistakes that are recognised."""

import numpy as np
from scipy.special import digamma, polygamma

from vbkit.chapters import coin
from vbkit.workbook.exercises import Exercise

# ---- 1. the ruler --------------------------------------------------------------------------------


def ruler(a, b):
    """Return the Fisher matrix (2, 2) of Beta(a, b) in its natural parameters."""
    return coin.fisher(a, b)


def without_total(a, b):
    """You have the uncertainty of each count alone. log g and log(1 - g) also move together: where
    one rises the other falls. What does the normaliser's term in a + b contribute?"""
    return np.diag(polygamma(1, [a, b]))


def first_derivatives(a, b):
    """These are made of digamma functions, the first derivatives. A covariance needs one derivative
    more."""
    return np.diag(digamma([a, b])) - digamma(a + b)


def shared_sign(a, b):
    """Look at the sign of the term in a + b: the normaliser log B has it with a minus."""
    return np.diag(polygamma(1, [a, b])) + polygamma(1, a + b)


exercise_1 = Exercise(
    ruler,
    [(2.0, 2.0), (4.2, 1.8), (22.5, 19.4)],
    mistakes=(without_total, first_derivatives, shared_sign),
    hint="log B(a, b) = log Gamma(a) + log Gamma(b) - log Gamma(a + b); polygamma(1, a) is the "
    "second derivative of log Gamma.",
    meaning="You have the ruler of every Beta belief, and with it every natural gradient.",
    further="its determinant as a and b grow. How long is a step of one toss, early and late?",
)

# ---- 2. the length of a step ---------------------------------------------------------------------


def climb(a, b, x, length, steps):
    """Return a, b after so many natural-gradient steps of this length."""
    for _ in range(steps):
        new_a, new_b = coin.epoch(a, b, x)
        a, b = a + length * (new_a - a), b + length * (new_b - b)
    return a, b


def always_full(a, b, x, length, steps):
    """The length has no effect: each step goes all the way to VB's next belief."""
    return climb(a, b, x, 1.0, steps)


def never_judged_again(a, b, x, length, steps):
    """The faces are judged only once, at the start. The belief changes, and so must the
    judgements."""
    new_a, new_b = coin.epoch(a, b, x)
    for _ in range(steps):
        a, b = a + length * (new_a - a), b + length * (new_b - b)
    return a, b


def without_prior(a, b, x, length, steps):
    """The prior is missing: it adds one pseudo-toss to each face in every new belief."""
    for _ in range(steps):
        new_a, new_b = (n - 1 for n in coin.epoch(a, b, x))
        a, b = a + length * (new_a - a), b + length * (new_b - b)
    return a, b


FEW = np.array([1.5, 2.0, 0.0, -0.4])
exercise_2 = Exercise(
    climb,
    [(2.0, 2.0, FEW, 0.5, 3), (5.0, 1.0, FEW, 1.0, 2), (2.0, 3.0, FEW, 1.3, 4)],
    mistakes=(always_full, never_judged_again, without_prior),
    hint="Each step: new = one_epoch(a, b, x), then move from old to new by `length` of the way.",
    meaning="Length 1 is VB; other lengths are the natural gradient with a step length.",
    further="on the forty readings, which length needs the fewest steps to come within 0.001 nats?",
)

# ---- 3. the same direction on another map --------------------------------------------------------


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


exercise_3 = Exercise(
    direction,
    [(4.2, 1.8, 22.55, 19.45), (2.0, 2.0, 2.73, 2.27), (12.0, 30.0, 12.4, 29.6)],
    mistakes=(straight_to_the_end, wrong_sign, only_a_moves),
    hint="Differentiate mean = a / (a + b) along a -> a + t (new_a - a), and b likewise, at t = 0.",
    meaning="The change of the mean is (new total / old total) times VB's own change: one and the "
    "same direction, but a straight step of length 1 overshoots unless the totals agree.",
    further="in which coordinates besides (a, b) is the step of length 1 exact?",
)
