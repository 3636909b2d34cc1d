"""Weak priors from data: the family that a name means, in the units of the data at hand.

Why the prior of numbers is a choice of twelve. A conjugate Gaussian prior ties two things
together: how wide a component is, and how far its centre may lie from the prior's, which
is measured in the component's own widths. A prior that takes the columns' whole variance
for a component's width therefore finds it unlikely that groups are narrow and far apart:
near groups are merged where another is far, and a wild value has the same effect. And
how narrow groups are, beside the whole, is not known beforehand.

So the width is left open. A component has a share of the variance of the columns, and
its centre lies as wide as the data whatever the share: the prior mean is worth
share * count rows, and the precision's expectation is 1 / (share * variance). Small
shares suit groups far apart, and 1 suits a single group; a step of three between them costs
few nats, a step of thirty costs hundreds in many columns. The second thing left open is
how alike components are: their covariances may be worth as little as a proper prior can
be (D - 1 + count degrees of freedom), or four rows a column more, which finds groups in
so many columns that no covariance of one group could be learned. The choice is made by
the ELBO, as that of the number of components is (empirical Bayes): all are priors of the
same data, so their ELBOs compare, and the choice among twelve can gain at most log 12 nats
too much.

The columns' centres are medians, and for their variances wild values are brought in, so
that no such value moves the prior. All of it goes along with the unit and the offset of a
column.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from vbkit.checks import LARGEST_SCALE, as_positive
from vbkit.families import (
    BetaBernoulli,
    Columns,
    DirichletCategorical,
    Family,
    GammaPoisson,
    IsotropicGaussian,
    KnownCovariance,
    NormalGamma,
    NormalWishart,
)
from vbkit.families.gaussian import OF_A_CELL

# Of the columns' variance, that components may have; the first is the one to begin with.
SHARES = 1 / 30, 1.0, 1 / 3, 1 / 10, 1 / 100, 1 / 1000
FIRM = 4  # rows a column that the firmer prior of covariances is worth besides
OF_A_NORMAL = 1.3489795  # standard deviations in a normal density's shortest half
REACH = 5  # see `_column`
ROUNDING = 16 * np.finfo(float).eps  # of a column's largest number
MOST_LEVELS = 10_000


def families_for(family, X, weights, prior_count: float, known=None) -> list[Family]:
    """Return the families that a name means, with priors worth `prior_count` rows of
    data, of which the ELBO chooses; the first is the one to begin with.

    family: a name of `FAMILIES`, or a Family, which is returned as it is.
    X: data (N, D). weights: of its rows, (N,), all > 0, or None.
    known: of family "known" the covariance (D, D), and None takes the identity; of family
        "columns" how many categories each column has (D,), 0 for numbers.

    Raises ValueError for a prior_count that is not > 0, and for data that the family does
    not take.
    """
    if isinstance(family, Family):
        return [family]
    as_positive("prior_count", prior_count)
    return FAMILIES[family](X, weights, prior_count, known)


def is_constant(X) -> np.ndarray:
    """Whether each column (D,) of X (N, D), which may be sparse, holds one number only,
    but for rounding. A missing cell, NaN, holds none."""
    if sparse.issparse(X):
        most = X.max(axis=0).toarray().ravel()
        least = X.min(axis=0).toarray().ravel()
    else:
        most = np.fmax.reduce(X)
        least = np.fmin.reduce(X)
        empty = np.isnan(most)
        most = np.where(empty, 0.0, most)
        least = np.where(empty, 0.0, least)
    return most - least <= ROUNDING * np.maximum(np.abs(most), np.abs(least))


# ---- centre and width of columns of numbers ----


class Scales(NamedTuple):
    """Of D columns: their centres, variances and the widths of their numbers' cells,
    (D,) each."""

    centre: np.ndarray
    variance: np.ndarray
    cell: np.ndarray


def scales_of(X, weights) -> Scales:
    """Centre, variance and cells of the columns of X (N, D), of rows with weights (N,)."""
    top = np.abs(X).max(axis=0)
    if top.max() > LARGEST_SCALE:
        column = int(top.argmax())
        raise ValueError(
            f"X column {column} reaches {top[column]:.3g}; "
            f"rescale it: at most {LARGEST_SCALE:g} is allowed"
        )
    each = [_column(values, weights) for values in X.T]
    return Scales(*np.array(each).T)


def _column(values: np.ndarray, weights) -> tuple[float, float, float]:
    """The median, the variance with that within cells, and the usual step between
    neighbouring numbers: it is the width of a cell where numbers are whole, or rounded,
    and next to nothing otherwise.

    For the variance, numbers beyond `REACH` are brought in to it: so many standard
    deviations of a normal density with the column's shortest half. A column of one number
    is given the width 1, or the rounding of a large number.
    """
    numbers, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, weights)
    total = np.cumsum(counts)
    half = total[-1] / 2
    slack = 1e-12 * half
    last = len(numbers) - 1
    low = min(np.searchsorted(total, half - slack), last)
    high = min(np.searchsorted(total, half + slack), last)
    median = numbers[low] / 2 + numbers[high] / 2
    if not last:
        return median, max(1.0, (ROUNDING * median) ** 2), 0.0
    ends = np.searchsorted(total, total - counts + half - slack)
    begins = np.flatnonzero(ends <= last)
    width = (numbers[ends[begins]] - numbers[begins]).min()
    near = numbers
    if width:  # else half of the rows hold the same number
        reach = REACH * width / OF_A_NORMAL
        near = np.clip(numbers, median - reach, median + reach)
    mean = np.average(near, weights=counts)
    variance = np.average((near - mean) ** 2, weights=counts)
    cell = float(np.median(np.diff(numbers)))
    return median, variance + OF_A_CELL * cell**2, cell


# ---- families by their names ----


def _full(X, weights, count, _) -> list[NormalWishart]:
    centre, variance, cell = scales_of(X, weights)
    D = len(centre)
    families = []
    # Of no more rows than columns no covariance can be learned.
    rows = len(X) if weights is None else weights.sum()
    for firmness in (0, FIRM) if rows > D else (FIRM,):
        for share in SHARES:
            nu = D - 1 + count + firmness * D
            scatter = nu * share * np.diag(variance)
            families.append(NormalWishart(centre, share * count, nu, scatter, cell))
    return families


def _diagonal(X, weights, count, _) -> list[NormalGamma]:
    centre, variance, cell = scales_of(X, weights)
    return [
        NormalGamma(
            centre, share * count, count / 2, count / 2 * share * variance, cell
        )
        for share in SHARES
    ]


def _spherical(X, weights, count, _) -> list[IsotropicGaussian]:
    centre, variance, cell = scales_of(X, weights)
    shape = len(centre) * count / 2
    usual = variance.mean()
    return [
        IsotropicGaussian(centre, share * count, shape, shape * share * usual, cell)
        for share in SHARES
    ]


def _known(X, weights, count, covariance) -> list[KnownCovariance]:
    centre = scales_of(X, weights).centre
    mean = np.average(X, axis=0, weights=weights)
    variance = np.average((X - mean) ** 2, axis=0, weights=weights).max()
    known = np.eye(len(centre)) if covariance is None else covariance
    if not variance:  # all rows are the same
        variance = np.diagonal(known).max()
    return [KnownCovariance(centre, variance / count, known)]


def _bernoulli(X, weights, count, _) -> list[BetaBernoulli]:
    precision = np.float64 if sparse.issparse(X) else None
    return [BetaBernoulli(X.shape[1], count / 2, precision=precision)]


def _categorical(X, weights, count, _) -> list[DirichletCategorical]:
    top = np.maximum(X.max(axis=0), 0)
    if top.max() >= MOST_LEVELS:
        column = int(top.argmax())
        raise ValueError(
            f"X column {column} reaches {top[column]:g}; "
            f"number its levels from 0 to at most {MOST_LEVELS - 1}"
        )
    levels = tuple((top.astype(int) + 1).tolist())
    return [DirichletCategorical(levels, count / max(levels))]


def _poisson(X, weights, count, _) -> list[GammaPoisson]:
    mean = np.average(X, axis=0, weights=weights)
    usual = mean[mean > 0].mean() if (mean > 0).any() else 1.0
    return [
        GammaPoisson.from_pseudo_data(np.where(mean > 0, mean, 1e-6 * usual), count)
    ]


def _columns(X, weights, count, n_categories) -> list[Columns]:
    """A family for each column: categories; yes or no, where all numbers are 0 and 1; or a
    Gaussian, of the same share for all columns of numbers."""
    by_share = [[] for _ in SHARES]
    for d, levels in enumerate(n_categories):
        seen = ~np.isnan(X[:, d])
        values = X[seen, d : d + 1]
        if levels:
            kinds = [DirichletCategorical((levels,), count / levels)] * len(SHARES)
        elif np.isin(values, (0, 1)).all():
            kinds = [BetaBernoulli(1, count / 2)] * len(SHARES)
        else:
            kinds = _diagonal(
                values, None if weights is None else weights[seen], count, None
            )
        for columns, kind in zip(by_share, kinds, strict=True):
            columns.append(kind)
    families = [Columns(columns) for columns in by_share]
    has_numbers = any(isinstance(kind, NormalGamma) for kind in by_share[0])
    return families if has_numbers else families[:1]


FAMILIES = {
    "gaussian": _full,
    "diagonal": _diagonal,
    "spherical": _spherical,
    "known": _known,
    "bernoulli": _bernoulli,
    "categorical": _categorical,
    "poisson": _poisson,
    "columns": _columns,
}
