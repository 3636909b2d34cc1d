"""Rows that come in sequences: joined, cut, and taken one sequence at a time."""

from typing import Self

import attrs
import numpy as np

from vbkit.checks import as_array, as_integer
from vbkit.families.base import Family
from vbkit.observations import Observations


@attrs.frozen(eq=False)
class Sequences(Observations):
    """Checked rows X (N, D) of n sequences, one after another: sequence s has the rows first[s] to
    first[s + 1]. Weights (N,) are those of the sequences, repeated for each row."""

    first: np.ndarray

    @property
    def units(self) -> int:
        return len(self.first) - 1

    def take(self, which) -> Self:
        begin, lengths = self.first[:-1][which], np.diff(self.first)[which]
        first = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.arange(first[-1]) + np.repeat(begin - first[:-1], lengths)
        weights = None if self.weights is None else self.weights[rows]
        return attrs.evolve(self, X=self.X[rows], weights=weights, first=first)


def joined(family: Family, sequences) -> tuple[np.ndarray, list[int]]:
    """The rows (N, D) of all sequences in a list, and their lengths; ValueError names the unfit."""
    checked = []
    for s, x in enumerate(sequences):
        try:
            checked.append(family.check_data(x))
        except ValueError as error:
            raise ValueError(f"sequence {s} is unfit: {error}") from None
    if not checked:
        raise ValueError("X is an empty list; give at least one sequence")
    return np.concatenate(checked), [len(x) for x in checked]


def as_lengths(lengths, N: int) -> np.ndarray:
    """The lengths (n,) of the sequences that N rows are."""
    if np.ndim(lengths) == 0:
        block = as_integer("lengths", lengths, 1)
        return np.diff([*range(0, N, block), N])
    found = as_array("lengths", lengths, ndim=1)
    if (found < 1).any() or (found != found.round()).any() or found.sum() != N:
        wanted = f"whole numbers >= 1 that add up to the {N} rows of X"
        raise ValueError(
            f"lengths is {lengths!r:.80}, of sum {found.sum():g}; it must be {wanted}"
        )
    return found.astype(np.int64)
