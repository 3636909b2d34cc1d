"""Candidate splits of one component in two, for every family: on which side of a cut
each data point lies."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from vbkit.compiled.online import ROUNDING_OF_SCATTER

WIDE = 200  # columns from which on the smaller matrix pays
LEADING = 3  # directions tried of the data as they are, and of standardised columns
# Statistics at most whose residuals are tried: those of which most is left.
RESIDUALS = 64


class Axis(NamedTuple):
    """The principal direction (D,) of data weighted by one component's
    responsibilities.

    mean: (D,), of the weighted data. centred: (N, D), deviations from it.
    shares: (N,), of the weight.
    variance: along the direction.
    deviation: (N,), of each data point from the mean along the direction.
    """

    mean: np.ndarray
    centred: np.ndarray
    shares: np.ndarray
    variance: float
    direction: np.ndarray
    deviation: np.ndarray

    @property
    def covariance(self) -> np.ndarray:
        """Of the weighted data, (D, D)."""
        return _covariance(self.centred, self.shares)


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
    shares = r / n
    variances, directions = _leading(deviation, shares, 1)
    if variances[0] <= ROUNDING_OF_SCATTER * (r @ x**2).sum() / n:
        return None
    direction = directions[:, 0]
    along = deviation @ direction
    variance = float(variances[0])
    return Axis(mean + origin, deviation, shares, variance, direction, along)


def _covariance(centred: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The covariance (D, D) of rows with these shares of the weight."""
    return (shares[:, None] * centred).T @ centred


def _leading(
    centred: np.ndarray, shares: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """The largest eigenvalues of the covariance, falling, and their eigenvectors, as columns:
    at most `count`. Of fewer rows than columns the smaller matrix of the rows' products
    gives the same."""
    if len(centred) >= centred.shape[1] or centred.shape[1] < WIDE:
        values, vectors = np.linalg.eigh(_covariance(centred, shares))
        return values[::-1][:count], vectors[:, ::-1][:, :count]
    weighted = np.sqrt(shares)[:, None] * centred
    values, vectors = np.linalg.eigh(weighted @ weighted.T)
    directions = weighted.T @ vectors[:, ::-1][:, :count]
    lengths = np.linalg.norm(directions, axis=0)
    directions /= np.where(lengths > 0, lengths, 1.0)
    return values[::-1][:count], directions


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
    spread = np.sqrt(axis.shares @ axis.centred**2)
    scale = np.where(spread > 0, spread, 1.0)
    standard = x / scale
    for values, size in ((x, 1.0), (standard, scale)):
        _, directions = _leading(axis.centred / size, axis.shares, LEADING)
        yield from (values @ directions).T
    if len(x) <= x.shape[1] and x.shape[1] >= WIDE:
        return  # the regression leaves nothing
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
