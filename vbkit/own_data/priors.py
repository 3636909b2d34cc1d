"""Weak priors from data: the family that a name means, in the units of the data at hand."""

import numpy as np
from scipy import sparse

from vbkit.checks import as_positive
from vbkit.families import (
    BetaBernoulli,
    DirichletCategorical,
    Family,
    GammaPoisson,
    IsotropicGaussian,
    KnownCovariance,
    NormalGamma,
    NormalWishart,
)
from vbkit.families.base import LARGEST

NARROW = 1e-6  # a constant column is given this share of the other columns' variance
MOST_LEVELS = 10_000


def family_for(family, X, weights, prior_count: float, covariance=None) -> Family:
    """Return the family that a name means, with a prior worth `prior_count` rows of data.

    family: a name of `FAMILIES`, or a Family, which is returned as it is.
    X: data (N, D). weights: of its rows, (N,), or None.
    covariance: of family "known", (D, D); None takes the identity.

    Raises ValueError for a prior_count that is not > 0, and for data that the family does
    not take.
    """
    if isinstance(family, Family):
        return family
    as_positive("prior_count", prior_count)
    return FAMILIES[family](X, weights, prior_count, covariance)


def _moments(X, weights) -> tuple[np.ndarray, np.ndarray]:
    """Mean (D,) and variance (D,) of the columns; no variance is 0."""
    top = np.abs(X).max(axis=0)
    if top.max() > LARGEST:
        column = int(top.argmax())
        raise ValueError(
            f"X column {column} reaches {top[column]:.3g}; "
            f"rescale it: at most {LARGEST:g} is allowed"
        )
    mean = np.average(X, axis=0, weights=weights)
    variance = np.average((X - mean) ** 2, axis=0, weights=weights)
    rounding = 1e-24 * np.average(X**2, axis=0, weights=weights)
    varies = variance > rounding
    usual = np.exp(np.log(variance[varies]).mean()) if varies.any() else 1.0
    return mean, np.where(varies, variance, np.maximum(NARROW * usual, 4 * rounding))


def _full(X, weights, count, _) -> NormalWishart:
    mean, variance = _moments(X, weights)
    D = len(mean)
    return NormalWishart(mean, count, D - 1 + count, count * np.diag(variance))


def _diagonal(X, weights, count, _) -> NormalGamma:
    mean, variance = _moments(X, weights)
    return NormalGamma(mean, count, count / 2, count / 2 * variance)


def _spherical(X, weights, count, _) -> IsotropicGaussian:
    mean, variance = _moments(X, weights)
    D = len(mean)
    return IsotropicGaussian(
        mean, count, D * count / 2, D * count / 2 * variance.mean()
    )


def _known(X, weights, count, covariance) -> KnownCovariance:
    mean, variance = _moments(X, weights)
    known = np.eye(len(mean)) if covariance is None else covariance
    return KnownCovariance(mean, variance.max() / count, known)


def _bernoulli(X, weights, count, _) -> BetaBernoulli:
    precision = np.float64 if sparse.issparse(X) else None
    return BetaBernoulli(X.shape[1], count / 2, precision=precision)


def _categorical(X, weights, count, _) -> DirichletCategorical:
    top = np.maximum(X.max(axis=0), 0)
    if top.max() >= MOST_LEVELS:
        column = int(top.argmax())
        raise ValueError(
            f"X column {column} reaches {top[column]:g}; "
            f"number its levels from 0 to at most {MOST_LEVELS - 1}"
        )
    levels = tuple((top.astype(int) + 1).tolist())
    return DirichletCategorical(levels, count / max(levels))


def _poisson(X, weights, count, _) -> GammaPoisson:
    mean = np.average(X, axis=0, weights=weights)
    usual = mean[mean > 0].mean() if (mean > 0).any() else 1.0
    return GammaPoisson.from_pseudo_data(
        np.where(mean > 0, mean, NARROW * usual), count
    )


FAMILIES = {
    "gaussian": _full,
    "diagonal": _diagonal,
    "spherical": _spherical,
    "known": _known,
    "bernoulli": _bernoulli,
    "categorical": _categorical,
    "poisson": _poisson,
}
