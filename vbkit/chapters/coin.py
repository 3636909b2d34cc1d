"""The coin whose face nobody sees: its beliefs Beta(a, b), their ELBO, and ways to climb it."""

from functools import lru_cache

import numpy as np
from scipy import stats
from scipy.special import betaln, digamma, expit, logsumexp, polygamma

SHIFT, TOSSES, HEADS = 2.0, 40, 0.3  # heads move a reading by SHIFT
SEED = 2000
GRID = np.linspace(-6, 11, 341)  # of readings, for ideal data
LOG_ODDS = np.log(HEADS / (1 - HEADS))


def readings(seed: int = SEED, tosses: int = TOSSES) -> np.ndarray:
    """Draw the readings x (tosses,): normal noise, about 0 for tails and about SHIFT for heads."""
    rng = np.random.default_rng(seed)
    return SHIFT * (rng.random(tosses) < HEADS) + rng.standard_normal(tosses)


def mean_logs(a, b):
    """Return the expectations of log g and log(1 - g) under Beta(a, b)."""
    return digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)


def judge(a, b, x, shift: float = SHIFT):
    """Return the probabilities of heads, the E-step; a, b broadcast against x."""
    heads, tails = mean_logs(a, b)
    return expit(heads - tails + shift * x - shift**2 / 2)


def epoch(a, b, x):
    """Return a, b after one epoch of VB: judge the faces, count them, add the uniform prior."""
    counted = judge(a, b, x).sum()
    return 1 + counted, 1 + len(x) - counted


def elbo(a, b, x, shift: float = SHIFT, weights=1.0):
    """Return the ELBO (nats) of Beta(a, b), faces judged by it; a, b of any one shape."""
    a, b = np.asarray(a, float)[..., None], np.asarray(b, float)[..., None]
    heads, tails = mean_logs(a, b)
    noise = -0.5 * np.log(2 * np.pi)
    each = np.logaddexp(heads - (x - shift) ** 2 / 2, tails - x**2 / 2) + noise
    divergence = ((a - 1) * heads + (b - 1) * tails - betaln(a, b))[..., 0]
    return (weights * each).sum(axis=-1) - divergence


def fisher(a: float, b: float) -> np.ndarray:
    """Return the Fisher matrix (2, 2) of Beta(a, b): the covariance of log g and log(1 - g)."""
    return np.diag(polygamma(1, [a, b])) - polygamma(1, a + b)


def counts(mean, size):
    """Return a, b of the belief with this mean and concentration."""
    return mean * size, (1 - mean) * size


def top(x) -> tuple[float, float, float]:
    """Return mean, concentration and ELBO at the top of the hill."""
    a = b = len(x) / 2
    for _ in range(300):
        a, b = epoch(a, b, x)
    return float(a / (a + b)), a + b, float(elbo(a, b, x))


# ---- ideal data, and the share of the information that readings hold -----------------------------


@lru_cache
def ideal(shift: float) -> np.ndarray:
    """Return the probabilities (401,) of the readings GRID if heads shift them by so much."""
    density = HEADS * stats.norm.pdf(GRID, shift) + (1 - HEADS) * stats.norm.pdf(GRID)
    return density / density.sum()


def share_seen(shift: float) -> float:
    """Return the information about g in a reading over that in a face that is seen."""
    heads = expit(LOG_ODDS + shift * GRID - shift**2 / 2)
    return float(ideal(shift) @ (heads - HEADS) ** 2 / (HEADS * (1 - HEADS)))


@lru_cache(128)
def fit_ideal(tosses: int, shift: float):
    """Return VB's a, b, the gap log p(GRID) - ELBO, and the exact log density of log odds.

    The data are `tosses` ideal readings: the true density, weighted. The log odds are those of
    `log_odds`.
    """
    weights, a, b = tosses * ideal(shift), 1 + 0.3 * tosses, 1 + 0.7 * tosses
    for _ in range(400):
        before, a = a, 1 + float(weights @ judge(a, b, GRID, shift))
        b = 2 + tosses - a
        if abs(a - before) < 1e-9:
            break
    t = log_odds(tosses)
    heads = -((GRID[:, None] - shift) ** 2) / 2 - np.logaddexp(0, -t)
    tails = -(GRID[:, None] ** 2) / 2 - np.logaddexp(0, t)
    exact = weights @ (np.logaddexp(heads, tails) - 0.5 * np.log(2 * np.pi))
    exact += -np.logaddexp(0, -t) - np.logaddexp(
        0, t
    )  # the uniform prior of g, over log odds
    evidence = logsumexp(exact) + np.log(t[1] - t[0])
    gap = evidence - float(elbo(a, b, GRID, shift, weights))
    return a, b, gap, exact - evidence


def log_odds(tosses: int) -> np.ndarray:
    """Return a grid (300,) of log odds around the truth, wide enough for the exact posterior."""
    return LOG_ODDS + np.linspace(-1, 1, 300) * max(25 / np.sqrt(tosses), 0.2)
