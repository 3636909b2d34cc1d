"""Mixtures on the line, and the stream of three machines: chapter 04b and its evidence."""

import numpy as np
from scipy import stats
from scipy.special import digamma, softmax, xlogy

from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

CENTRES, SHARES, SIGMA = np.array([-4.0, 0.0, 4.0]), np.array([0.3, 0.4, 0.3]), 0.9


def line_mixture(count: float = 1.0) -> Mixture:
    """Return a mixture on the line under a weak prior worth `count` data per component."""
    return Mixture(
        IsotropicGaussian.from_pseudo_data(0.0, 4.0, count), Dirichlet(1 + count)
    )


def machines(size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw numbers (size, 1) from three machines."""
    centres = rng.choice(CENTRES, size=size, p=SHARES)
    return (centres + SIGMA * rng.standard_normal(size))[:, None]


def first_state(mixture: Mixture, first, n_components: int, total: float):
    """Return a state (K, P) worth `total` data, centred at quantiles of the first data (n, 1)."""
    middles = np.quantile(first, (np.arange(n_components) + 0.5) / n_components)[
        :, None
    ]
    return mixture.family.state(
        [total / n_components], middles, np.full((1, 1, 1), 2.0)
    )


# ---- the running ELBO of many models, beside the exact one ---------------------------------------

TOTAL, COUNT = 500, 0.01  # data that a posterior stands for; pseudo-data of a component
MODEL = line_mixture(COUNT)


def source() -> tuple[np.ndarray, np.ndarray]:
    """Return a grid (n, 1) and weights (n,) that stand for TOTAL points of the three machines."""
    grid = np.linspace(-8, 8, 81)[:, None]
    density = stats.norm.pdf(grid, CENTRES, SIGMA) @ SHARES
    return grid, TOTAL * density / density.sum()


def monitored(settings, length: int, every: int) -> dict:
    """Learn with all settings at once; return setting -> running and exact ELBO (looks,).

    settings: pairs (components, memory). A look is taken after `every` of `length` data.
    """
    stream = machines(length, np.random.default_rng(2000))
    most = max(n for n, _ in settings)
    S = np.zeros((len(settings), most, 3))
    for state, (n, _) in zip(S, settings, strict=True):
        state[:n] = first_state(MODEL, stream[:50], n, TOTAL)
    absent = np.array(
        [[-np.inf if k >= n else 0.0 for k in range(most)] for n, _ in settings]
    )
    eta = 1 / np.array([memory for _, memory in settings])
    entropy, looks = np.zeros(len(S)), []
    for seen, t in enumerate(MODEL.family.statistics(stream), 1):
        log_r = MODEL.family.expected(S.reshape(-1, 3)) @ t
        log_r = log_r.reshape(S.shape[:2]) + digamma(1 + COUNT + S[:, :, 0])
        r = softmax(log_r + absent, axis=1)
        S = S + eta[:, None, None] * (TOTAL * r[:, :, None] * t - S)
        entropy = entropy + eta * (-xlogy(r, r).sum(axis=1) - entropy)
        if seen % every == 0:
            looks.append((S, entropy))
    return {s: _elbos(looks, i, s[0]) for i, s in enumerate(settings)}


def _elbos(looks: list, i: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return running and exact ELBO (looks,) of setting i with n components."""
    grid, weights = source()
    running, exact = [], []
    for S, entropy in looks:
        running.append(TOTAL * entropy[i] + MODEL.log_normalizer_ratio(S[i, :n]))
        exact.append(MODEL.elbo(grid, S[i, :n], weights=weights))
    return np.array(running), np.array(exact)
