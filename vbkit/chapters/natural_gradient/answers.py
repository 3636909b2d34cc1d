"""Exercises of chapter 04a: reference answers, and the mistakes that are recognised."""

import numpy as np
from scipy.special import betaln, digamma, expit

from vbkit.chapters import coin
from vbkit.press.exercises import Exercise

# ---- 1. the exact divergence ---------------------------------------------------------------------


def divergence(a, b, new_a, new_b):
    """Return KL(Beta(a, b) || Beta(new_a, new_b)) in nats."""
    heads, tails = coin.mean_logs(a, b)
    return (
        betaln(new_a, new_b) - betaln(a, b) - (new_a - a) * heads - (new_b - b) * tails
    )


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

# ---- 2. another model ----------------------------------------------------------------------------


def clicks_step(a, b, x, length):
    """Return a, b of the gamma belief after one natural-gradient step of this length."""
    return _gamma_step(a, b, x, length, digamma(a) - np.log(b), a / b - 1)


def _gamma_step(a, b, x, length, log_rate, excess, prior=1.0):
    r = expit(x * log_rate - excess)
    return a + length * (prior + r @ x - a), b + length * (prior + r.sum() - b)


def log_of_the_mean(a, b, x, length):
    """You judged with the log of the mean rate. The belief's mean log is digamma(a) - log(b)."""
    return _gamma_step(a, b, x, length, np.log(a / b), a / b - 1)


def without_the_rates(a, b, x, length):
    """A Poisson density has the factor exp(-rate), too. It belongs into the log odds."""
    return _gamma_step(a, b, x, length, digamma(a) - np.log(b), 0.0)


def full_step(a, b, x, length):
    """The length has no effect: you went all the way to VB's next belief."""
    return clicks_step(a, b, x, 1.0)


def without_prior(a, b, x, length):
    """The prior is missing: the next belief is Gamma(1, 1) plus what was counted."""
    return _gamma_step(a, b, x, length, digamma(a) - np.log(b), a / b - 1, prior=0.0)


CLICKS = np.array([0.0, 1.0, 5.0, 2.0, 7.0])
exercise_2 = Exercise(
    clicks_step,
    [(2.0, 1.0, CLICKS, 1.0), (6.0, 1.5, CLICKS, 0.5), (12.0, 3.0, CLICKS, 1.3)],
    mistakes=(log_of_the_mean, without_the_rates, full_step, without_prior),
    hint="Judge with the mean log rate digamma(a) - log(b) and the mean rate a / b. Next belief: "
    "1 + sum(r x), 1 + sum(r). Go `length` of the way.",
    meaning="The theorem moved to another conjugate pair. You needed no derivative and no matrix.",
    further="a difference quotient of this model's ELBO: is V times your step its gradient?",
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
