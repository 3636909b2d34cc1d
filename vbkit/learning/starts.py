"""Where learning starts: a state of its own, never the prior (identical units never separate)."""

import numpy as np

from vbkit.checks import as_generator, as_matrix, as_positive, as_whole
from vbkit.families.base import as_gaussian
from vbkit.mixture import Mixture


def start_at_rows(mixture: Mixture, X, units: int, rng: np.random.Generator, *, spread: float = 0.3):
    """A state (K, P) for any family: each unit blends one randomly chosen row with the average of all.

    Its statistics are (T / K) ((1 - spread) t(x_k) + spread mean t). For Gaussians that is a centre drawn towards the
    mean by `spread`, and a covariance of about spread times that of the data. Rows are distinct as long as there are
    enough.

    Raises ValueError if units < 1, units exceeds the number of distinct rows, or spread is outside (0, 1].
    """
    data = mixture.observe(X)
    chosen = choose_rows(data.X, units, rng)
    if as_positive("spread", spread) > 1:
        raise ValueError(f"spread is {spread!r}; it must not exceed 1")
    mean = mixture.collect(data, np.ones((len(data.X), 1)))[0] / data.total
    blend = (1 - spread) * mixture.component.statistics(chosen) + spread * mean
    return np.ascontiguousarray(data.total / units * blend)


def gaussian_start(mixture: Mixture, X, units: int, rng: np.random.Generator, *, spread: float = 0.3) -> np.ndarray:
    """A state (K, P) of Gaussian units of equal weight, centred at random rows of X, with covariance
    spread * (mean variance of the columns) * I. Raises as `start_at_rows` does, and for another family."""
    component, data = as_gaussian(mixture.component), mixture.observe(X)
    chosen = choose_rows(data.X, units, rng)
    covariance = as_positive("spread", spread) * data.X.var(axis=0).mean() * np.eye(data.X.shape[1])
    return component.state([data.total / units], chosen, covariance[None])


def uniform_start(mixture: Mixture, units: int, total: float, rng: np.random.Generator) -> np.ndarray:
    """A state (K, P) of Gaussian units of equal weight, worth `total` data: centres uniform in the unit cube, and all
    variances the variance among the centres, averaged over the axes (Sato 1999, section 7.1).

    Raises ValueError for another family, and for fewer than two units (one centre has no variance). The centres differ
    with probability 1; identical units would never separate.
    """
    component = as_gaussian(mixture.component)
    as_whole("units", units, 2)
    as_positive("total", total)
    centres = as_generator("rng", rng).uniform(size=(units, component.dimension))
    covariance = centres.var(axis=0).mean() * np.eye(centres.shape[1])
    return component.state([total / units], centres, covariance[None])


def unit_priors(mixture: Mixture, means) -> np.ndarray:
    """A state (K, P) for Gaussian units that gives each a prior mean of its own, `means` (K, D), and nothing else.

    Units have one common prior; multiplying it by exp(S . theta) with S = mean_count (0, x, x x'), x measured from the
    common mean, moves its mean to that of the unit and leaves count, width and concentration as they are. So these
    pseudo-statistics and `accumulation`, which never forgets them, are priors that differ between units (Ghahramani
    2000, m_k), exactly. For other schedules they are a start that fades; in batch learning, for the first E-step only.

    Raises ValueError where two units have the same mean: equal units never separate; and for a family without
    `mean_count`.
    """
    if not hasattr(mixture.component, "mean_count"):
        kind = type(mixture.component).__name__
        raise ValueError(f"component is a {kind}; it must be of a Gaussian family whose prior has a mean_count")
    means = as_matrix("means", means, mixture.component.dimension)
    distinct = len(np.unique(means, axis=0))
    if distinct < len(means):
        raise ValueError(
            f"means has only {distinct} distinct rows for {len(means)} units; units with equal priors never separate: "
            "spread them, for instance rng.uniform(low, high, (units, dimensions)) over where data may lie"
        )
    S = mixture.component.mean_count * mixture.component.statistics(means)
    S[:, 0] = 0.0
    return np.ascontiguousarray(S)


def check_distinct(mixture: Mixture, S: np.ndarray) -> None:
    """ValueError where a state (K, P) has more than one unit, and all are the same in all respects."""
    if len(S) > 1 and np.ndim(mixture.weights.concentration) == 0 and (S == S[0]).all():
        raise ValueError(
            f"all {len(S)} units of the start are identical, so they would never separate; start from spread prior "
            "means (`unit_priors`) or from data (`start_at_rows`)"
        )


def choose_rows(X: np.ndarray, units: int, rng: np.random.Generator) -> np.ndarray:
    """`units` distinct rows of X drawn at random; ValueError if there are not so many."""
    as_whole("units", units, 1)
    as_generator("rng", rng)
    if units <= len(X):
        chosen = X[rng.choice(len(X), size=units, replace=False)]
        if len(np.unique(chosen, axis=0)) == units:
            return chosen
    _, first = np.unique(X, axis=0, return_index=True)
    if units > len(first):
        raise ValueError(f"units is {units}, but X has only {len(first)} distinct rows; units must not exceed that")
    return X[rng.choice(np.sort(first), size=units, replace=False)]
