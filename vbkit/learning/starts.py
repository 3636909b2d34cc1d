"""Where learning starts: never at the prior, for identical components never separate."""

import numpy as np

from vbkit.checks import as_generator, as_integer, as_matrix, as_positive
from vbkit.families.gaussian import as_gaussian
from vbkit.mixture import Mixture, as_independent
from vbkit.observations import Observations


def init_from_rows(
    mixture: Mixture,
    X,
    n_components: int,
    rng: np.random.Generator,
    *,
    spread=0.3,
    weights=None,
) -> np.ndarray:
    """Start any family: return a state (K, width) in which each component blends one
    randomly chosen row of X (N, D) with the mean of all.

    Component k has the statistics (T / K) ((1 - spread) t(x_k) + spread mean t), where T is
    the total of the observation weights (N,). For Gaussians that is a centre drawn towards
    the mean by `spread`, and a covariance of about spread times that of the data. Distinct
    rows are chosen, in proportion to their weights if that gives distinct ones.

    Raises ValueError if n_components is below 1 or above the number of distinct rows of
    positive weight, and if spread is outside (0, 1].
    """
    as_mixture(mixture)
    data = mixture.observe(X, weights)
    chosen = choose_rows(data, n_components, rng)
    if as_positive("spread", spread) > 1:
        raise ValueError(f"spread is {spread!r}; it must not exceed 1")
    T = mixture.family.statistics(chosen)
    one_component = mixture.m_step(data, np.ones((len(data.X), 1)))
    mean = one_component[0, : T.shape[1]] / data.total
    blend = (1 - spread) * T + spread * mean
    R = _all_alike(data, n_components)
    return mixture.with_labels(data.total / n_components * blend, data, R)


def init_gaussian(
    mixture: Mixture,
    X,
    n_components: int,
    rng: np.random.Generator,
    *,
    spread=0.3,
    weights=None,
) -> np.ndarray:
    """Return a state (K, width) of Gaussian components of equal count, centred at random
    rows of X (N, D).

    Their covariance is spread * (mean variance of the columns) * I, with observation
    weights (N,). Raises ValueError as `init_from_rows` does, and for a family that is not
    Gaussian.
    """
    as_mixture(mixture)
    family = as_gaussian(mixture.family)
    data = mixture.observe(X, weights)
    chosen = choose_rows(data, n_components, rng)
    mean = np.average(data.X, axis=0, weights=data.weights)
    variance = np.average((data.X - mean) ** 2, axis=0, weights=data.weights)
    covariance = as_positive("spread", spread) * variance.mean() * np.eye(len(mean))
    S = family.state([data.total / n_components], chosen, covariance[None])
    return mixture.with_labels(S, data, _all_alike(data, n_components))


def init_uniform(
    mixture: Mixture, n_components: int, total: float, rng: np.random.Generator
) -> np.ndarray:
    """Return a state (K, P) of Gaussian components of equal count, worth `total` data
    points (Sato 1999, section 7.1).

    Centres are uniform in the unit cube; all variances are the variance among the centres,
    averaged over the axes. Raises ValueError for a family that is not Gaussian, for labels
    that are a chain, and for fewer than two components (one centre has no variance).
    """
    family = as_gaussian(as_independent(mixture).family)
    as_integer("n_components", n_components, 2)
    as_positive("total", total)
    as_generator("rng", rng)
    centres = rng.uniform(size=(n_components, family.dimension))
    covariance = centres.var(axis=0).mean() * np.eye(family.dimension)
    return family.state([total / n_components], centres, covariance[None])


def component_prior_means(mixture: Mixture, means) -> np.ndarray:
    """Return a state (K, P) that gives each Gaussian component a prior mean of its own,
    `means` (K, D), and nothing else.

    Components have one common prior. Multiplying it by exp(S . theta) with S = mean_count
    (0, x, x x'), x measured from the common mean, moves its mean to that of the component
    and leaves count, width and concentration as they are. With `accumulation`, which never
    forgets them, these pseudo-statistics are therefore exactly priors that differ between
    components (Ghahramani 2000, m_k). With other schedules they are a start that fades; in
    batch learning they count in the first E-step only.

    Raises ValueError if two components have the same mean (identical components never
    separate), for a family without `mean_count`, and for labels that are a chain.
    """
    family = as_independent(mixture).family
    if not hasattr(family, "mean_count"):
        raise ValueError(
            f"family is {type(family).__name__}; it must be Gaussian with a mean_count"
        )
    means = as_matrix("means", means, family.dimension)
    distinct = len(np.unique(means, axis=0))
    if distinct < len(means):
        raise ValueError(
            f"means has only {distinct} distinct rows for {len(means)} components; "
            "components with equal priors never separate: spread them"
        )
    S = family.mean_count * family.statistics(means)
    S[:, 0] = 0.0
    return S


def as_mixture(mixture) -> Mixture:
    """The mixture; ValueError if it is none."""
    if not isinstance(mixture, Mixture):
        raise ValueError(
            f"mixture is {mixture!r:.80}; it must be a Mixture, such as Mixture(family) "
            "(factor analysers start from their own `m_step`)"
        )
    return mixture


def _all_alike(data: Observations, n_components: int) -> np.ndarray:
    """Responsibilities (N, K) by which every row belongs to all components alike."""
    return np.full((len(data.X), n_components), 1 / n_components)


def choose_rows(
    data: Observations, n_components: int, rng: np.random.Generator
) -> np.ndarray:
    """So many distinct rows (K, D) of the data, in proportion to their weights as far as
    that gives distinct rows.

    Raises ValueError if there are not so many.
    """
    as_integer("n_components", n_components, 1)
    as_generator("rng", rng)
    X = data.X
    probabilities = None
    if data.weights is not None:
        counting = data.weights > 0
        X = X[counting]
        probabilities = data.weights[counting] / data.total
    if n_components <= len(X):
        chosen = X[
            rng.choice(len(X), size=n_components, replace=False, p=probabilities)
        ]
        if len(np.unique(chosen, axis=0)) == n_components:
            return chosen
    _, first = np.unique(X, axis=0, return_index=True)
    if n_components > len(first):
        raise ValueError(
            f"n_components is {n_components}, but X has only {len(first)} distinct rows "
            "of positive weight; it must not exceed that"
        )
    return X[rng.choice(np.sort(first), size=n_components, replace=False)]
