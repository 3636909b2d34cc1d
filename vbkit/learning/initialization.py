"""Where learning starts: a state of its own, never the prior (identical components never separate)."""

import numpy as np

from vbkit.checks import as_generator, as_integer, as_matrix, as_positive
from vbkit.families.gaussian import as_gaussian
from vbkit.mixture import Mixture


def init_from_rows(
    mixture: Mixture, X, n_components: int, rng: np.random.Generator, *, spread: float = 0.3
):
    """A state (K, P) for any family: each component blends one randomly chosen row with the average of all.

    Its statistics are (T / K) ((1 - spread) t(x_k) + spread mean t). For Gaussians that is a centre drawn towards the
    mean by `spread`, and a covariance of about spread times that of the data. Rows are distinct as long as there are
    enough.

    Raises ValueError if components < 1, components exceeds the number of distinct rows, or spread is outside (0, 1].
    """
    data = mixture.observe(X)
    chosen = choose_rows(data.X, n_components, rng)
    if as_positive("spread", spread) > 1:
        raise ValueError(f"spread is {spread!r}; it must not exceed 1")
    mean = mixture.m_step(data, np.ones((len(data.X), 1)))[0] / data.total
    blend = (1 - spread) * mixture.family.statistics(chosen) + spread * mean
    return np.ascontiguousarray(data.total / n_components * blend)


def init_gaussian(
    mixture: Mixture, X, n_components: int, rng: np.random.Generator, *, spread: float = 0.3
) -> np.ndarray:
    """A state (K, P) of Gaussian components of equal weight, centred at random rows of X, with covariance
    spread * (mean variance of the columns) * I. Raises as `init_from_rows` does, and for another family."""
    family, data = as_gaussian(mixture.family), mixture.observe(X)
    chosen = choose_rows(data.X, n_components, rng)
    covariance = as_positive("spread", spread) * data.X.var(axis=0).mean() * np.eye(data.X.shape[1])
    return family.state([data.total / n_components], chosen, covariance[None])


def init_uniform(
    mixture: Mixture, n_components: int, total: float, rng: np.random.Generator
) -> np.ndarray:
    """A state (K, P) of Gaussian components of equal weight, worth `total` data: centres uniform in the unit cube, and all
    variances the variance among the centres, averaged over the axes (Sato 1999, section 7.1).

    Raises ValueError for another family, and for fewer than two components (one centre has no variance). The centres differ
    with probability 1; identical components would never separate.
    """
    family = as_gaussian(mixture.family)
    as_integer("n_components", n_components, 2)
    as_positive("total", total)
    centres = as_generator("rng", rng).uniform(size=(n_components, family.dimension))
    covariance = centres.var(axis=0).mean() * np.eye(centres.shape[1])
    return family.state([total / n_components], centres, covariance[None])


def component_prior_means(mixture: Mixture, means) -> np.ndarray:
    """A state (K, P) for Gaussian components that gives each a prior mean of its own, `means` (K, D), and nothing else.

    Components have one common prior; multiplying it by exp(S . theta) with S = mean_count (0, x, x x'), x measured from the
    common mean, moves its mean to that of the component and leaves count, width and concentration as they are. So these
    pseudo-statistics and `accumulation`, which never forgets them, are priors that differ between components (Ghahramani
    2000, m_k), exactly. For other schedules they are a start that fades; in batch learning, for the first E-step only.

    Raises ValueError where two components have the same mean: equal components never separate; and for a family without
    `mean_count`.
    """
    if not hasattr(mixture.family, "mean_count"):
        kind = type(mixture.family).__name__
        raise ValueError(
            f"component is a {kind}; it must be of a Gaussian family whose prior has a mean_count"
        )
    means = as_matrix("means", means, mixture.family.dimension)
    distinct = len(np.unique(means, axis=0))
    if distinct < len(means):
        raise ValueError(
            f"means has only {distinct} distinct rows for {len(means)} components; components with equal priors never separate: "
            "spread them, for instance rng.uniform(low, high, (components, dimensions)) over where data may lie"
        )
    S = mixture.family.mean_count * mixture.family.statistics(means)
    S[:, 0] = 0.0
    return np.ascontiguousarray(S)


def check_distinct(mixture: Mixture, S: np.ndarray) -> None:
    """ValueError where a state (K, P) has more than one component, and all are the same in all respects."""
    if len(S) > 1 and np.ndim(mixture.weights.concentration) == 0 and (S == S[0]).all():
        raise ValueError(
            f"all {len(S)} components of the start are identical, so they would never separate; start from spread prior "
            "means (`component_priors`) or from data (`init_from_rows`)"
        )


def choose_rows(X: np.ndarray, n_components: int, rng: np.random.Generator) -> np.ndarray:
    """`components` distinct rows of X drawn at random; ValueError if there are not so many."""
    as_integer("n_components", n_components, 1)
    as_generator("rng", rng)
    if n_components <= len(X):
        chosen = X[rng.choice(len(X), size=n_components, replace=False)]
        if len(np.unique(chosen, axis=0)) == n_components:
            return chosen
    _, first = np.unique(X, axis=0, return_index=True)
    if n_components > len(first):
        raise ValueError(
            f"components is {n_components}, but X has only {len(first)} distinct rows; components must not exceed that"
        )
    return X[rng.choice(np.sort(first), size=n_components, replace=False)]
