"""Candidate splits of one component in two, for every family: on which side of a cut
each data point lies."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from vbkit.compiled.online import ROUNDING

LEADING = 3  # directions tried of the data as they are, and of standardised columns
# Statistics at most whose residuals are tried: those of which most is left.
RESIDUALS = 64


class Axis(NamedTuple):
    """The principal direction (D,) of data weighted by one component's
    responsibilities.

    mean, covariance: of the weighted data, (D,) and (D, D).
    variance: along the direction.
    deviation: (N,), of each data point from the mean along the direction.
    """

    mean: np.ndarray
    covariance: np.ndarray
    variance: float
    direction: np.ndarray
    deviation: np.ndarray


def principal_axis(X, r, origin) -> Axis | None:
    """Return the principal direction of the rows of X (N, D) with weights r (N,), the
    leading eigenvector of their covariance; None if fewer than two distinct rows have
    weight.

    origin: (D,), the point from which deviations are measured, for the sake of
    rounding.
    """
    n = r.sum()
    if not n:
        return None
    x = (X.toarray() if issparse(X) else X) - origin
    mean = r @ x / n
    deviation = x - mean
    covariance = (r[:, None] * deviation).T @ deviation / n
    variances, directions = np.linalg.eigh(covariance)
    if variances[-1] <= ROUNDING * (r @ x**2).sum() / n:
        return None
    direction = directions[:, -1]
    along = deviation @ direction
    return Axis(mean + origin, covariance, float(variances[-1]), direction, along)


def candidate_sides(family, X, r) -> Iterator[np.ndarray]:
    """Yield the sides (N,) of the cuts to try, all different: True if a data point goes
    to the first half.

    The first cut is across the principal direction of the rows of X (N, D) with weights
    r (N,). Then come the next leading directions, those of standardised columns, and
    cuts at the mean of what is left of each sufficient statistic after its regression
    on X (for Gaussians: products and squares about the component's centre).
    """
    axis = principal_axis(family.without_gaps(X), r, family.origin)
    if axis is None:
        return
    seen = set()
    counts = r > 0  # rows of weight 0 do not tell two cuts apart
    for score in _scores(family, X, r, axis):
        side = score > 0
        key = min(side[counts].tobytes(), (~side[counts]).tobytes())
        if key not in seen and 0 < r @ side < r.sum():
            seen.add(key)
            yield side


def _scores(family, X, r, axis: Axis) -> Iterator[np.ndarray]:
    """Numbers (N,) whose signs are the sides of a cut."""
    yield axis.deviation
    rows = family.without_gaps(X)
    x = (rows.toarray() if issparse(rows) else rows) - axis.mean
    spread = np.sqrt(axis.covariance.diagonal())
    scale = np.where(spread > 0, spread, 1.0)
    standard = x / scale
    for values, size in ((x, 1.0), (standard, np.outer(scale, scale))):
        _, directions = np.linalg.eigh(axis.covariance / size)
        yield from (values @ directions[:, : -1 - LEADING : -1]).T
    T = family.statistics(X)[:, 1:]
    _, exponents = np.frexp(np.abs(T).max(axis=0))
    T = np.ldexp(T, -exponents)  # of squares of any scale; exact
    root = np.sqrt(r)[:, None]
    design = np.column_stack([np.ones(len(x)), standard])
    coefficients = np.linalg.lstsq(root * design, root * T, rcond=None)[0]
    residual = T - design @ coefficients
    whole = r @ T**2
    share = np.divide(r @ residual**2, whole, where=whole > 0, out=np.zeros(len(whole)))
    most = np.sort(np.argsort(-share, kind="stable")[:RESIDUALS])
    yield from residual[:, most[share[most] > 1e-9]].T
