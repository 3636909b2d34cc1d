"""How well ratings from 1 to 5 can be predicted at all."""

import numpy as np
from scipy.stats import norm


def best_possible(mean, sd: float = 0.9) -> float:
    """Return the root mean squared error of whoever knows the means (n,) before noise: a rating is
    its mean plus normal noise, rounded and clipped to 1 to 5."""
    edges = np.array([-np.inf, 1.5, 2.5, 3.5, 4.5, np.inf])
    below = norm.cdf((edges - np.ravel(mean)[:, None]) / sd)
    chances = np.diff(below, axis=1)  # (n, 5)
    stars = np.arange(1, 6)
    variances = chances @ stars**2 - (chances @ stars) ** 2
    return float(np.sqrt(variances.mean()))
