"""Where learning starts: never at the prior, for identical components never separate."""

import warnings

import attrs
import numpy as np

from vbkit.checks import (
    ConvergenceWarning,
    as_generator,
    as_instance,
    as_integer,
    as_matrix,
    as_positive,
)
from vbkit.families.base import State
from vbkit.families.gaussian import as_gaussian
from vbkit.mixture import Mixture
from vbkit.models import FactorAnalysis, Model
from vbkit.observations import Observations


def init_from_rows(
    mixture: Model,
    X,
    n_components: int,
    rng: np.random.Generator,
    *,
    spread=0.3,
    weights=None,
) -> State:
    """Start any family: return a state (K, width) in which each component blends one randomly
    chosen row of X (N, D) with the mean of all.

    Component k has the statistics (T / K) ((1 - spread) t(x_k) + spread mean t), where T is the
    total of the observation weights (N,). For Gaussians that is a centre drawn towards the mean by
    `spread`, and a covariance of about spread times that of the data. Distinct rows are chosen, in
    proportion to their weights if that gives distinct ones.

    Raises ValueError if n_components is below 1 or above the number of distinct rows of positive
    weight, and if spread is outside (0, 1].
    """
    if isinstance(as_model(mixture), FactorAnalysis):
        raise ValueError(
            "mixture is a FactorAnalysis, which starts from `init_factors`"
        )
    data = mixture.observe(X, weights)
    chosen = _choose_rows(data, n_components, rng)
    if as_positive("spread", spread) > 1:
        raise ValueError(f"spread is {spread!r}; it must not exceed 1")
    T = mixture.family.statistics(chosen)
    mean = mixture.m_step(data, np.ones((len(data.X), 1)))[0, : T.shape[1]] / data.total
    blend = (1 - spread) * T + spread * mean
    return mixture.complete(data.total / n_components * blend, data)


def init_gaussian(
    mixture: Model,
    X,
    n_components: int,
    rng: np.random.Generator,
    *,
    spread=0.3,
    weights=None,
) -> State:
    """Return a state (K, width) of Gaussian components of equal count, centred at random rows of X
    (N, D).

    Their covariance is spread * (mean variance of the columns) * I, with observation weights (N,).
    Raises ValueError as `init_from_rows` does, and for a family that is not Gaussian.
    """
    as_model(mixture)
    family, data = as_gaussian(mixture.family), mixture.observe(X, weights)
    chosen = _choose_rows(data, n_components, rng)
    mean = np.average(data.X, axis=0, weights=data.weights)
    variance = np.average((data.X - mean) ** 2, axis=0, weights=data.weights)
    covariance = (
        as_positive("spread", spread) * variance.mean() * np.eye(data.X.shape[1])
    )
    S = family.state([data.total / n_components], chosen, covariance[None])
    return mixture.complete(S, data)


def init_factors(
    model: FactorAnalysis,
    X,
    n_components: int,
    rng: np.random.Generator,
    *,
    weights=None,
) -> State:
    """Return a state (K, width) of factor analysers, each with the principal components of the rows
    that are nearest to one randomly chosen row of X (N, D), in units of the columns' deviations.

    With one component chance has no part in it. Observation weights are (N,). Raises ValueError as
    `init_from_rows` does, and for another model.
    """
    data = as_instance("model", model, FactorAnalysis).observe(X, weights)
    spread = data.X.std(axis=0)
    rows = data.X / np.where(spread > 0, spread, 1.0)
    centres = _choose_rows(attrs.evolve(data, X=rows), n_components, rng)
    distances = np.stack(
        [((rows - centre) ** 2).sum(axis=1) for centre in centres], axis=1
    )
    return model.m_step(data, np.eye(n_components)[distances.argmin(axis=1)])


def init_uniform(
    mixture: Mixture, n_components: int, total: float, rng: np.random.Generator
) -> State:
    """Return a state (K, P) of Gaussian components of equal count, worth `total` data points
    (Sato 1999, section 7.1).

    Centres are uniform in the unit cube; all variances are the variance among the centres, averaged
    over the axes. Raises ValueError for a family that is not Gaussian, and for fewer than two
    components (one centre has no variance).
    """
    as_instance("mixture", mixture, Mixture)
    family = as_gaussian(mixture.family)
    as_integer("n_components", n_components, 2)
    as_positive("total", total)
    centres = as_generator("rng", rng).uniform(size=(n_components, family.dimension))
    covariance = centres.var(axis=0).mean() * np.eye(centres.shape[1])
    return family.state([total / n_components], centres, covariance[None])


def component_prior_means(mixture: Mixture, means) -> State:
    """Return a state (K, P) that gives each Gaussian component a prior mean of its own, `means`
    (K, D), and nothing else.

    Components have one common prior. Multiplying it by exp(S . theta) with S = mean_count
    (0, x, x x'), x measured from the common mean, moves its mean to that of the component and
    leaves count, width and concentration as they are. With `accumulation`, which never forgets
    them, these pseudo-statistics are therefore exactly priors that differ between components
    (Ghahramani 2000, m_k). With other schedules they are a start that fades; in batch learning they
    count in the first E-step only.

    Raises ValueError if two components have the same mean (identical components never separate),
    and for a family without `mean_count`.
    """
    as_instance("mixture", mixture, Mixture)
    if not hasattr(mixture.family, "mean_count"):
        name = type(mixture.family).__name__
        raise ValueError(f"family is {name}; it must be Gaussian with a mean_count")
    means = as_matrix("means", means, mixture.family.dimension)
    distinct = len(np.unique(means, axis=0))
    if distinct < len(means):
        found = f"means has only {distinct} distinct rows for {len(means)} components"
        raise ValueError(
            f"{found}; components with equal priors never separate: spread them"
        )
    S = mixture.family.mean_count * mixture.family.statistics(means)
    S[:, 0] = 0.0
    return State(S, mixture.family.origin)


def as_model(model) -> Model:
    """The model; ValueError if it is none."""
    return as_instance("mixture", model, Model, "Mixture(family)")


def begin(mixture: Model, X, start, weights) -> tuple[Observations, State]:
    """Check the data and the state (K, width) that learning begins with; both are copies. Warns as
    `begin_state` does."""
    data = as_model(mixture).observe(X, weights)
    return data, begin_state(mixture, start)


def begin_state(mixture: Model, start) -> State:
    """Return a checked copy of the state (K, width) that learning begins with.

    Warns (ConvergenceWarning) if all components are identical, of more than one. A few identical
    ones are no cause for alarm: in a long stream, components come together to the last digit.
    """
    S = mixture.check_state(start).copy()
    if mixture.alike(S):
        alike = f"all {len(S)} components of the start are identical, so they will never separate"
        advice = "start from data (`init_from_rows`) or spread means (`component_prior_means`)"
        warnings.warn(f"{alike}; {advice}", ConvergenceWarning, stacklevel=4)
    return State(S, mixture.family.origin)


def _choose_rows(
    data: Observations, n_components: int, rng: np.random.Generator
) -> np.ndarray:
    """So many distinct rows of the data; in proportion to their weights, as far as that gives
    distinct rows."""
    as_integer("n_components", n_components, 1)
    as_generator("rng", rng)
    X, p = data.X, None
    if data.weights is not None:
        X, p = X[data.weights > 0], data.weights[data.weights > 0] / data.total
    if n_components <= len(X):
        chosen = X[rng.choice(len(X), size=n_components, replace=False, p=p)]
        if len(np.unique(chosen, axis=0)) == n_components:
            return chosen
    _, first = np.unique(X, axis=0, return_index=True)
    if n_components > len(first):
        found = f"X has only {len(first)} distinct rows of positive weight"
        raise ValueError(
            f"n_components is {n_components}, but {found}; it must not exceed that"
        )
    return X[rng.choice(np.sort(first), size=n_components, replace=False)]
