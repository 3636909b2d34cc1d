"""Tables of 0 and 1: all patterns of M coordinates, how often each occurs, and the mixtures they are drawn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vbkit.checks import as_array, as_generator, as_integer, as_matrix, read_only
from vbkit.families import BetaBernoulli

WIDEST = 16  # coordinates whose patterns are enumerated


@dataclass(frozen=True, eq=False)
class Truth:
    """A Bernoulli mixture: weights (K,) that sum to 1, probabilities of ones `means` (K, M). ValueError for others."""

    weights: np.ndarray
    means: np.ndarray

    def __post_init__(self):
        weights, means = as_array("weights", self.weights, ndim=1), as_matrix("means", self.means)
        if len(weights) != len(means) or (weights < 0).any() or abs(weights.sum() - 1) > 1e-9:
            raise ValueError(
                f"weights is {weights}; it must be {len(means)} numbers >= 0 that sum to 1"
            )
        if not ((means >= 0) & (means <= 1)).all():
            raise ValueError(
                f"means reach from {means.min()} to {means.max()}; they must lie within 0 and 1"
            )
        vars(self).update(
            weights=read_only(weights), means=read_only(np.asarray(self.means))
        )  # of the type given: 0 and 1

    def __iter__(self):
        """weights, means = truth"""
        return iter((self.weights, self.means))

    def joint(self, X) -> np.ndarray:
        """p(x, z = k) of the rows of X (N, M) of 0 and 1: (N, K) (Kaji 2011, 3.1). ValueError for other data."""
        X = np.asarray(BetaBernoulli(self.means.shape[1]).check_data(X), dtype=bool)[:, None]
        return self.weights * np.where(X, self.means, 1 - self.means).prod(axis=2)

    def probabilities(self) -> np.ndarray:
        """Of all patterns: (2^M,)."""
        return self.joint(binary_vectors(self.means.shape[1])).sum(axis=1)

    def sample(self, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Data (size, M) uint8 and labels (size,)."""
        as_integer("size", size, 1)
        labels = as_generator("rng", rng).choice(
            len(self.weights), size=size, p=self.weights / self.weights.sum()
        )
        return (rng.random((size, self.means.shape[1])) < self.means[labels]).astype(
            np.uint8
        ), labels


def binary_vectors(dimension: int) -> np.ndarray:
    """All 2^M patterns, uint8 (2^M, M): bit m of i is coordinate m of pattern i. ValueError for M > 16; learn then from
    the distinct rows, `np.unique(X, axis=0, return_counts=True)`, with their counts as observation weights."""
    if as_integer("dimension", dimension, 1) > WIDEST:
        raise ValueError(
            f"dimension is {dimension}; at most {WIDEST} can be listed; use distinct rows with weights"
        )
    return ((np.arange(2**dimension)[:, None] >> np.arange(dimension)) & 1).astype(np.uint8)


def pattern_counts(X) -> np.ndarray:
    """How often each pattern occurs among the rows of X (N, M) of 0 and 1: (2^M,). ValueError for other data."""
    M = as_matrix("X", X).shape[1]
    index = BetaBernoulli(M).check_data(X).astype(np.int64) @ (1 << np.arange(M))
    return np.bincount(index, minlength=len(binary_vectors(M))).astype(np.float64)
