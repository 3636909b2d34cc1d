"""Unit 4's smallest model: bolts of two known machines, whose mixing weight is unknown.

The left machine makes bolts of mean length 0, the right one of mean length 2, both with the
width 1. The unknown is the share pi of the right machine, with a flat prior. Its posterior
is Beta(1 + n_R, 1 + n_L), where S = (n_R, n_L) are the expected counts of the two machines.
On a map the same posterior has its mean m and the number g of bolts that it is worth.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, digamma, expit, polygamma

LEFT = 0.0  # mean length of the bolts of the left machine
RIGHT = 2.0  # and of the right one
BOLTS = 40
SHARE = 0.3  # of the right machine, where the bolts are drawn
SEED = 2000


def draw_lengths(seed: int = SEED, bolts: int = BOLTS) -> np.ndarray:
    """Return the lengths (bolts,) of bolts, some from either machine."""
    rng = np.random.default_rng(seed)
    from_right = rng.random(bolts) < SHARE
    return RIGHT * from_right + rng.standard_normal(bolts)


def average_logs(S) -> np.ndarray:
    """Return the averages of log pi and log(1 - pi), (2, ...) for S (2, ...)."""
    counts = 1 + np.asarray(S, float)
    return digamma(counts) - digamma(counts.sum(axis=0))


def responsibilities(S, x) -> np.ndarray:
    """Return the right machine's responsibilities for bolts x (N,), (..., N) for S (2, ...)."""
    log_right, log_left = average_logs(S)
    log_odds = (log_right - log_left)[..., None]
    return expit(log_odds + RIGHT * x - RIGHT**2 / 2)  # the left machine is at 0


def log_z(S) -> np.ndarray:
    """Return the log-normaliser (...) of the posterior with S (2, ...)."""
    to_right, to_left = S
    return betaln(1 + to_right, 1 + to_left)


def one_sweep(S, x) -> np.ndarray:
    """Return the expected counts (2,) after assigning and learning once, from S (2,)."""
    r = responsibilities(S, x)
    return np.array([r.sum(), (1 - r).sum()])


def elbo(S, x) -> np.ndarray:
    """Return the ELBO (nats), with the bolts x (N,) assigned anew; (...) for S (2, ...)."""
    S = np.asarray(S, float)
    logs = average_logs(S)
    noise = 0.5 * np.log(2 * np.pi)
    score_right = logs[0][..., None] - (x - RIGHT) ** 2 / 2 - noise
    score_left = logs[1][..., None] - (x - LEFT) ** 2 / 2 - noise
    of_bolts = np.logaddexp(score_right, score_left).sum(axis=-1)
    return of_bolts + log_z(S) - (S * logs).sum(axis=0)


def fisher(S) -> np.ndarray:
    """Return the Fisher matrix G (2, 2) of the posterior with S (2,): the covariance of
    log pi and log(1 - pi)."""
    counts = 1 + np.asarray(S, float)
    return np.diag(polygamma(1, counts)) - polygamma(1, counts.sum())


def gradient(S, x) -> np.ndarray:
    """Return the gradient (2,) of the ELBO in S (2,), Sato's (2.34) with (2.30)."""
    return fisher(S) @ (one_sweep(S, x) - S)


def divergence(S, new) -> float:
    """Return KL (nats) of the posterior with S (2,) from the one with the counts new (2,)."""
    S = np.asarray(S, float)
    new = np.asarray(new, float)
    return log_z(new) - log_z(S) - (new - S) @ average_logs(S)


# ---- the map: mean m and worth g -----------------------------------------------------


def counts_at(m, g) -> np.ndarray:
    """Return the S (2, ...) of the posterior with mean m, worth g bolts."""
    return np.array([m * g - 1, (1 - m) * g - 1])


def place_of(S) -> np.ndarray:
    """Return mean and worth (2, ...) of the posterior with S (2, ...)."""
    counts = 1 + np.asarray(S, float)
    worth = counts.sum(axis=0)
    return np.array([counts[0] / worth, worth])


def jacobian(m: float, g: float) -> np.ndarray:
    """Return the derivatives (2, 2) of S in (m, g)."""
    return np.array([[g, m], [-g, 1 - m]])


def slope_at(m: float, g: float, x, unit: float = 1.0) -> np.ndarray:
    """Return the gradient (2,) at mean m, worth g: nats per unit of the mean, and per bolt.

    unit: in which the mean is measured; 0.01 means per cent.
    """
    S = counts_at(m, g)
    J = jacobian(m, g) * [unit, 1.0]
    return J.T @ gradient(S, x)


class Top(NamedTuple):
    """The highest place: mean, worth, and ELBO in nats."""

    m: float
    g: float
    elbo: float


def top(x) -> Top:
    """Return where VB comes to rest on the bolts x (N,)."""
    S = np.full(2, len(x) / 2)
    for _ in range(300):
        S = one_sweep(S, x)
    m, g = place_of(S)
    return Top(m, g, float(elbo(S, x)))
