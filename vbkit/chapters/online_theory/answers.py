"""Exercises of chapter 04b: reference answers, and the mistakes that are recognised."""

import numpy as np
from scipy.special import xlogy

from vbkit.chapters.line import line_mixture
from vbkit.chapters.online_theory.tracking import errors, track
from vbkit.workbook.exercises import Exercise

# ---- 1. two terms --------------------------------------------------------------------------------


def elbo_after_m_step(mixture, X, R) -> float:
    """Return the ELBO (nats) with responsibilities R (N, K) and the posterior that they give."""
    return float(-xlogy(R, R).sum() + mixture.log_normalizer_ratio(mixture.m_step(X, R)))


def without_entropy(mixture, X, R):
    """This is the evidence of data with known labels. The labels are uncertain: a term is
    missing."""
    return mixture.log_normalizer_ratio(mixture.m_step(X, R))


def wrong_sign(mixture, X, R):
    """Uncertain labels raise the ELBO; here they lower it. What is the sign of an entropy?"""
    return xlogy(R, R).sum() + mixture.log_normalizer_ratio(mixture.m_step(X, R))


def log_of_zero(mixture, X, R):
    """Where a responsibility is 0, 0 log 0 must count as 0. NumPy makes it nan."""
    with np.errstate(all="ignore"):
        return -(R * np.log(R)).sum() + mixture.log_normalizer_ratio(mixture.m_step(X, R))


LINE = np.array([[-2.2], [-1.6], [-0.1], [0.3], [1.8], [2.5]])
SURE, UNSURE = np.eye(3)[[0, 0, 1, 1, 2, 2]], np.full((6, 3), 1 / 3)
exercise_1 = Exercise(
    elbo_after_m_step,
    [(line_mixture(), LINE, 0.2 * UNSURE + 0.8 * SURE), (line_mixture(), LINE, SURE),
     (line_mixture(2.0), LINE, UNSURE)],
    mistakes=(without_entropy, wrong_sign, log_of_zero),
    hint="scipy.special.xlogy knows 0 log 0; mixture.m_step(X, R) gives the state, and "
    "mixture.log_normalizer_ratio the second term.",
    meaning="Right after counting, two numbers make the ELBO. On a stream both can be kept.",
    further="the same with the labels judged anew by the new posterior. Which one is larger?",
)  # fmt: skip

# ---- 2. the best memory --------------------------------------------------------------------------


def _best(memories, speed, total):
    tracks = [track(memory, 0.0, speed, 6.0) for memory in memories]
    totals = [float(total(*errors(run["centres"], run["truth"]))) for run in tracks]
    return memories[int(np.argmin(totals))], min(totals)


def best_of(memories, speed) -> tuple[float, float]:
    """Return the memory with the least root mean square error behind a target, and that error."""
    return _best(memories, speed, np.hypot)


def lag_alone(memories, speed):
    """You look at the lag alone. A short memory has little lag, but much noise."""
    return _best(memories, speed, lambda lag, noise: abs(lag))


def plain_sum(memories, speed):
    """Lag and noise do not add: the mean of a square is the squared mean plus the variance."""
    return _best(memories, speed, lambda lag, noise: lag + noise)


def mean_square(memories, speed):
    """This is the mean square error. The question asks for its root."""
    return _best(memories, speed, lambda lag, noise: lag**2 + noise**2)


exercise_2 = Exercise(
    best_of,
    [((10.0, 80.0, 640.0), 1.0), ((400.0, 40.0, 2000.0), 0.1), ((40.0, 400.0), 3.0)],
    mistakes=(lag_alone, plain_sum, mean_square),
    hint="np.hypot(lag, noise) is the root of the sum of the squares.",
    meaning="The best memory balances lag against noise; the slower the target, the longer it is.",
    further="components that stand closer than 6. Does the best memory become shorter or longer?",
)

# ---- 3. two laws ---------------------------------------------------------------------------------


def late_law(rho: float, kappa: float) -> tuple[float, float]:
    """Return the power p with which the start is forgotten, and the rho beyond which noise decides.

    The start dies as tau^-p under Sato's schedule, the noise as tau^(-1/2).
    """
    faster = 1 + 1 / kappa
    return rho * faster, 1 / (2 * faster)


def without_discount(rho, kappa):
    """These are the laws of eta = 1 / tau. Under the report's schedule eta is larger, by a factor
    that kappa gives."""
    return rho, 0.5


def noise_as_the_rate(rho, kappa):
    """The first number is right. But the noise falls as the square root of eta, not as eta."""
    return rho * (1 + 1 / kappa), 1 / (1 + 1 / kappa)


def kappa_alone(rho, kappa):
    """Almost: tau eta tends to 1 + 1/kappa, not to 1/kappa."""
    return rho / kappa, kappa / 2


exercise_3 = Exercise(
    late_law,
    [(0.07, 0.01), (0.5, 0.1), (1.0, 3.0)],
    mistakes=(without_discount, noise_as_the_rate, kappa_alone),
    hint="tau eta tends to 1 + 1/kappa. Compare tau^-p with tau^-1/2.",
    meaning="With kappa = 0.01 even a direction that batch VB cures by half a per cent per epoch "
    "is forgotten as fast as the noise falls.",
    further="the clock of section 5. Read off how many epochs each schedule is worth.",
)
