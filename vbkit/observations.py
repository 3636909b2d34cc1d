"""Data that were checked once: rows with their weights, and the sequences they form, if any."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, Self

import attrs
import numpy as np

from vbkit.checks import as_array, as_integer
from vbkit.families.base import Family

# An E-step works on blocks of rows: long enough for the matrix products, short enough
# for the cache. The best length falls as the root of the numbers that a row takes.
ROWS_OF_ONE_NUMBER = 2**15
SHORTEST_BLOCK = 256
MOST_OBSERVATIONS = 2.0**53  # beyond it, one observation more changes no float64


class Moments(NamedTuple):
    """What rows amount to when all count for the same component: total, their number; mean
    (D,); scatter (D, D), the sum of products about the mean. Weights are included."""

    total: float
    mean: np.ndarray
    scatter: np.ndarray

    def about(self, place) -> np.ndarray:
        """The sums (D + 1, D + 1) of the products of (x - place, 1)."""
        mean = np.append(self.mean - place, 1.0)
        products = self.total * np.outer(mean, mean)
        products[:-1, :-1] += self.scatter
        return products


@attrs.frozen(eq=False, slots=False)
class Observations:
    """Data that `family` has checked.

    X: the rows (N, D). weights: how often each row counts (N,), or None for once.
    log_base: the log base measure of each row (N,), or None where it is zero. It is worked
        out once, for it does not change while a posterior moves.
    starts: where each sequence begins, and at the end N, (n + 1,), if the rows form
        sequences: sequence s has the rows starts[s] to starts[s + 1]. None: they do not.
    known: what a kind of labels knows of each row beforehand (N, ...), such as the number of
        a block that the row belongs to; it goes with the rows wherever they are cut.
    """

    X: np.ndarray
    weights: np.ndarray | None
    family: Family
    log_base: np.ndarray | None
    starts: np.ndarray | None = None
    known: np.ndarray | None = None

    @property
    def total(self) -> float:
        """The number of observations, weights included."""
        if self.weights is None:
            return float(len(self.X))
        return float(self.weights.sum())

    @cached_property
    def statistics(self) -> np.ndarray:
        """The family's statistics of the rows (N, P), in the form that its products are
        fastest with: an array of float64, one of float32, or an object with products of
        its own, sparse or `RowsWithSquares`. Every sweep needs them, so data of a single
        block keep them; those of many blocks are made anew, for the blocks pass through
        the cache."""
        compute = self.family.block_statistics or self.family.statistics
        return compute(self.X)

    @cached_property
    def moments(self) -> Moments:
        """The rows' moments. A sweep that needs only these takes no longer for many rows
        than for few."""
        if self.weights is None:
            mean = self.X.mean(axis=0)
            centred = self.X - mean
            return Moments(self.total, mean, centred.T @ centred)
        mean = self.weights @ self.X / self.total
        centred = self.X - mean
        return Moments(self.total, mean, (self.weights[:, None] * centred).T @ centred)

    @cached_property
    def total_log_base(self) -> float:
        """The sum of the rows' log base measure, times observation weights if there are
        any; 0 where it is zero."""
        if self.log_base is None:
            return 0.0
        if self.weights is None:
            return float(self.log_base.sum())
        return float(self.log_base @ self.weights)

    @property
    def units(self) -> int:
        """How many steps of online learning one pass takes: one for each row, or for
        each sequence where rows form some."""
        if self.starts is None:
            return len(self.X)
        return len(self.starts) - 1

    @property
    def weights_of_units(self) -> np.ndarray:
        """How often each row, or each sequence, counts (units,)."""
        if self.weights is None:
            return np.ones(self.units)
        if self.starts is None:
            return self.weights
        return self.weights[self.starts[:-1]]

    def take(self, which) -> Self:
        """Some of the units, in the order of `which`: a slice or an array of indices."""
        rows = which
        starts = None
        if self.starts is not None:
            begins = self.starts[:-1][which]
            lengths = np.diff(self.starts)[which]
            starts = np.concatenate([[0], np.cumsum(lengths)])
            rows = np.arange(starts[-1]) + np.repeat(begins - starts[:-1], lengths)
        return self._cut(rows, starts)

    def blocks(self, width: int) -> Iterator[tuple[slice, Self]]:
        """Cut the data into blocks for an E-step that takes `width` numbers a row: yields
        the rows (a slice) and these observations. No sequence is cut."""
        length = block_length(width)
        if len(self.X) <= length:
            yield slice(0, len(self.X)), self
            return
        cuts = np.arange(0, len(self.X), length)
        if self.starts is not None:
            cuts = np.unique(self.starts[np.searchsorted(self.starts, cuts)])
        ends = np.append(cuts[1:], len(self.X))
        for begin, end in zip(cuts.tolist(), ends.tolist(), strict=True):
            yield slice(begin, end), self._rows(begin, end)

    def _rows(self, begin: int, end: int) -> Self:
        """The rows from `begin` to `end`, between which no sequence is cut."""
        starts = None
        if self.starts is not None:
            inside = (self.starts >= begin) & (self.starts <= end)
            starts = self.starts[inside] - begin
        return self._cut(slice(begin, end), starts)

    def _cut(self, rows, starts: np.ndarray | None) -> Self:
        """The observations of some rows (a slice or indices), which begin new sequences at
        `starts`."""
        weights = None if self.weights is None else self.weights[rows]
        log_base = None if self.log_base is None else self.log_base[rows]
        known = None if self.known is None else self.known[rows]
        return Observations(self.X[rows], weights, self.family, log_base, starts, known)


def block_length(width: int) -> int:
    """How many rows a block has that takes `width` numbers a row."""
    return max(SHORTEST_BLOCK, int(ROWS_OF_ONE_NUMBER / width**0.5))


def observe_rows(family: Family, X, weights=None) -> Observations:
    """Check rows X (N, D) and their weights (N,), finite and >= 0 (None: all 1).

    The result holds copies, so the arrays may be used again. Data that were observed
    before are returned unchanged, or checked again if that was for another family.
    Raises ValueError if they are unfit.
    """
    if isinstance(X, Observations):
        if weights is not None:
            raise ValueError(
                "weights came with data already observed; give them to `observe`"
            )
        if X.starts is not None:
            raise ValueError("X was observed as sequences; give the array")
        return for_family(family, X)
    rows = _own(family.check_data(X), X)
    if weights is not None:
        weights = _own(as_weights(weights, len(rows)), weights)
    return Observations(rows, weights, family, family.log_base(rows))


def observe_sequences(family: Family, X, weights=None, lengths=None) -> Observations:
    """Check sequences X and their weights (n,), finite and >= 0 (None: all 1).

    X: one array (N, D), or a list of arrays, one for each sequence.
    lengths: of the sequences that the rows of an array are, in turn: (n,) whole numbers
        that add up to N. A single number cuts the rows into blocks of that many, of which
        the last may be shorter. None: the array is one sequence.

    Raises ValueError for unfit data, and names the sequence where there is a list.
    """
    if isinstance(X, Observations):
        if weights is not None or lengths is not None:
            raise ValueError(
                "X was observed already; give weights and lengths to `observe`"
            )
        if X.starts is None:
            raise ValueError(
                "X was observed by a model without sequences; give the array"
            )
        return for_family(family, X)
    if isinstance(X, list | tuple):
        if lengths is not None:
            raise ValueError("lengths came with a list of sequences, which has its own")
        X, lengths = _joined(family, X)
    rows = _own(family.check_data(X), X)
    N = len(rows)
    lengths = as_lengths(N if lengths is None else lengths, N)
    if weights is not None:
        weights = as_array("weights", weights)
        if weights.shape != lengths.shape:
            raise ValueError(
                f"weights has shape {weights.shape}; "
                f"it must be one for each of {len(lengths)} sequences"
            )
        weights = as_weights(np.repeat(weights, lengths), N)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return Observations(rows, weights, family, family.log_base(rows), starts)


def for_family(family: Family, data: Observations) -> Observations:
    """The data, checked again if another family checked them before."""
    if data.family is family:
        return data
    rows = family.check_data(data.X)
    log_base = family.log_base(rows)
    return attrs.evolve(data, X=rows, family=family, log_base=log_base)


def without_weights(data: Observations) -> Observations:
    """Data for what is written for rows that count once each, or a ValueError."""
    if data.weights is not None:
        raise ValueError(
            "X was observed with weights, which have no part in this; give rows alone"
        )
    return data


def as_weights(weights, N: int) -> np.ndarray:
    """Observation weights (N,): finite, >= 0, not all 0."""
    weights = as_array("weights", weights)
    if weights.shape != (N,) or (weights < 0).any():
        raise ValueError(
            f"weights must be {N} numbers >= 0, one a row; got shape {weights.shape}"
        )
    if not weights.any():
        raise ValueError("weights are all 0; at least one observation must count")
    total = weights.sum()
    if total > MOST_OBSERVATIONS:
        raise ValueError(
            f"weights sum to {total:g}; beyond 2^53 an observation counts nothing"
        )
    return weights


def as_lengths(lengths, N: int) -> np.ndarray:
    """The lengths (n,) of the sequences that N rows are."""
    if np.ndim(lengths) == 0:
        block = as_integer("lengths", lengths, 1)
        return np.diff([*range(0, N, block), N])
    checked = as_array("lengths", lengths, ndim=1)
    whole = (checked >= 1).all() and (checked == checked.round()).all()
    if not whole or checked.sum() != N:
        raise ValueError(
            f"lengths is {lengths!r:.80}, of sum {checked.sum():g}; it must be whole "
            f"numbers >= 1 that add up to the {N} rows of X"
        )
    return checked.astype(np.int64)


def _joined(family: Family, sequences) -> tuple[np.ndarray, list[int]]:
    """The rows (N, D) of all sequences in a list, and their lengths; ValueError names the
    unfit one."""
    checked = []
    for s, sequence in enumerate(sequences):
        try:
            checked.append(family.check_data(sequence))
        except ValueError as error:
            raise ValueError(f"sequence {s} is unfit: {error}") from None
    if not checked:
        raise ValueError("X is an empty list; give at least one sequence")
    return np.concatenate(checked), [len(rows) for rows in checked]


def _own(checked: np.ndarray, original) -> np.ndarray:
    """What was checked, as an array that does not change if the caller uses his own again."""
    if np.may_share_memory(checked, original):
        return checked.copy()
    return checked
