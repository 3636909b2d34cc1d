"""Answers to the exercises of lecture 00b, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np
from scipy.special import digamma, softmax

from vbkit.course.bolts import GUESS, LENGTHS, STARTS, two_columns
from vbkit.press.exercises import Exercise

# ---- 1. EM ---------------------------------------------------------------------------


def em_sweep(x, R):
    """Return the responsibilities (N, K) after one sweep of EM."""
    n = R.sum(axis=0)
    mean = x @ R / n
    variance = x**2 @ R / n - mean**2
    distance = x[:, None] - mean
    score = np.log(n / n.sum()) - np.log(variance) / 2 - distance**2 / (2 * variance)
    return softmax(score, axis=1)


def vb_posterior(x, R):
    """What VB learns: n, g, m, a, b of each machine, with the prior of the lecture."""
    n = R.sum(axis=0)
    g = 0.1 + n
    m = x @ R / g
    a = 2 + n / 2
    b = 1 + (x**2 @ R - g * m**2) / 2
    return n, g, m, a, b


def still_vb(x, R):
    """This is still a sweep of VB. EM has no prior, and it does not average."""
    n, g, m, a, b = vb_posterior(x, R)
    log_weight = digamma(1 + n) - digamma(np.sum(1 + n))
    log_precision = digamma(a) - np.log(b)
    misfit = a / b * (x[:, None] - m) ** 2 + 1 / g
    return softmax(log_weight + log_precision / 2 - misfit / 2, axis=1)


def prior_kept(x, R):
    """You inserted single values, but the prior is still there. Without it, alpha, g0, a0
    and b0 are 0."""
    n, _, m, a, b = vb_posterior(x, R)
    log_weight = np.log((1 + n) / np.sum(1 + n))
    misfit = a / b * (x[:, None] - m) ** 2
    return softmax(log_weight + np.log(a / b) / 2 - misfit / 2, axis=1)


def doubt_kept(x, R):
    """You left out the prior, but you still average: there are digammas, or 1/g is still
    in the misfit. With single values they become logarithms and 0."""
    n = R.sum(axis=0)
    m = x @ R / n
    a = n / 2
    b = (x**2 @ R - n * m**2) / 2
    log_weight = digamma(n) - digamma(np.sum(n))
    log_precision = digamma(a) - np.log(b)
    misfit = a / b * (x[:, None] - m) ** 2 + 1 / n
    return softmax(log_weight + log_precision / 2 - misfit / 2, axis=1)


def only_one_over_g_kept(x, R):
    """The 1/g is still in your misfit. A mean that is known does not scatter."""
    n = R.sum(axis=0)
    mean = x @ R / n
    variance = x**2 @ R / n - mean**2
    misfit = (x[:, None] - mean) ** 2 / variance + 1 / n
    return softmax(np.log(n) - np.log(variance) / 2 - misfit / 2, axis=1)


def even_weights(x, R):
    """Your score lacks the logarithm of the weight, n over N."""
    n = R.sum(axis=0)
    mean = x @ R / n
    variance = x**2 @ R / n - mean**2
    misfit = (x[:, None] - mean) ** 2 / variance
    return softmax(-np.log(variance) / 2 - misfit / 2, axis=1)


OTHER = np.array([0.8, 0.1, 0.6, 0.5, 0.3, 0.2, 0.9, 0.4])

exercise_1 = Exercise(
    em_sweep,
    [
        (LENGTHS, two_columns(GUESS)),
        (LENGTHS, two_columns(STARTS["another guess"])),
        (LENGTHS, two_columns(OTHER)),
    ],
    (still_vb, prior_kept, doubt_kept, only_one_over_g_kept, even_weights),
    hint="Set alpha, g0, a0 and b0 to 0 in the two functions of section 4, replace each "
    "digamma by a logarithm, and leave out 1/g.",
    meaning="EM is VB without a prior and without doubt about the parameters.",
    further="repeat it for the two bolts of this lecture, and print the widths.",
)


# ---- 2. the average logarithm of a precision -----------------------------------------


def expected_log_precision(a, b):
    """Return the average of log rho under a gamma density with shape a and rate b."""
    return digamma(a) - np.log(b)


def log_of_the_average(a, b):
    """This is the logarithm of the average precision. The average of the logarithm is
    lower."""
    return np.log(a / b)


def rate_multiplied(a, b):
    """The sign of log b is wrong. A large rate means small precisions."""
    return digamma(a) + np.log(b)


def digamma_of_the_ratio(a, b):
    """You applied digamma to a/b. The rate only stretches the axis, so it enters with an
    ordinary logarithm."""
    return digamma(a / b)


def roles_exchanged(a, b):
    """You exchanged shape and rate."""
    return digamma(b) - np.log(a)


exercise_2 = Exercise(
    expected_log_precision,
    [(2.0, 1.0), (2.5, 1.9), (0.7, 0.3), (10.0, 4.0), (50.0, 60.0)],
    (log_of_the_average, rate_multiplied, digamma_of_the_ratio, roles_exchanged),
    hint="Differentiate the integral of rho^(a-1) e^(-b rho), and its value, with respect "
    "to a, and divide one by the other.",
    meaning="A derivative of a log-normaliser is an average: this is how all the digammas "
    "of VB arise.",
    further="find the variance of log rho with a second derivative.",
)
