"""Data over which `check_family` sums a predictive density."""

from math import prod

import numpy as np
from scipy.special import gammaln

from vbkit.families.base import Family

DRAWS = 20_000  # random points, and draws from `sample`
FAR = 1e6  # counts beyond it do not count
ROWS = 2**12  # categorical data of at most so many possible rows are enumerated


def points_of(family: Family, X, rng):
    """Possible data (m, D), what each stands for in a sum over all data (m,), and whether they were
    drawn, from a Cauchy density. None where a column is constant: nothing to draw from."""
    X = np.asarray(X, dtype=float)
    D, whole = X.shape[1], not _possible(family, X[:1] + 0.5)
    levels = [_levels(family, X[0], d) for d in range(D)] if whole else [ROWS + 1]
    if 0 < prod(levels) <= ROWS:
        points = np.indices(levels).reshape(D, -1).T
        return points, np.ones(len(points)), False
    reach = 60 * (X.std() + 1)
    if whole and D == 1 and reach <= DRAWS:
        points = np.arange(X.min() - reach, X.max() + reach)[:, None].round()
        return *_only_possible(family, points, np.ones(len(points))), False
    if not np.ptp(X, axis=0).all():
        return None
    if whole:
        from scipy.stats import cauchy  # takes half a second, which only counts need

        columns = cauchy(np.median(X, axis=0), X.std(axis=0))
        points = np.clip(columns.rvs((DRAWS, D), random_state=rng), -FAR, FAR).round()
        chance = columns.cdf(points + 0.5) - columns.cdf(points - 0.5)
        return *_only_possible(family, points, 1 / (DRAWS * chance.prod(axis=1))), True
    covariance = np.cov(X.T).reshape(D, D)
    root = np.linalg.cholesky(covariance + 1e-6 * np.diag(covariance.diagonal()))
    z = rng.standard_normal((DRAWS, D)) / np.abs(rng.standard_normal((DRAWS, 1)))
    half = (D + 1) / 2
    log_q = gammaln(half) - half * (np.log(np.pi) + np.log1p((z**2).sum(axis=1)))
    volumes = root.diagonal().prod() * np.exp(-log_q) / DRAWS
    return *_only_possible(family, X.mean(axis=0) + z @ root.T, volumes), True


def _levels(family: Family, x, column: int) -> int:
    """How many whole numbers from 0 on the column takes, the others being those of x (D,); at most
    `ROWS` + 1."""

    def takes(level: int) -> bool:
        row = x.copy()
        row[column] = level
        return _possible(family, row[None])

    if takes(ROWS):
        return ROWS + 1
    return next(level for level in range(ROWS + 1) if not takes(level))


def _only_possible(family: Family, points, volumes):
    """The points that the family takes: all, those not below 0, or one by one."""
    for some in (np.full(len(points), True), (points >= 0).all(axis=1)):
        if some.any() and _possible(family, points[some]):
            return points[some], volumes[some]
    some = np.array([_possible(family, x[None]) for x in points])
    return points[some], volumes[some]


def _possible(family: Family, X) -> bool:
    try:
        family.check_data(X)
    except ValueError:
        return False
    return True
