"""Checked data, and an E-step over them block by block."""

from collections.abc import Iterator
from typing import NamedTuple

import attrs
import numpy as np

from vbkit.checks import as_array
from vbkit.compiled import softmax_columns
from vbkit.families.base import Family, State

BLOCK = (
    2**15
)  # rows of a block of one number a row; the best length falls as the root of the width


@attrs.frozen(eq=False)
class Observations:
    """Data that `family` has checked: X (N, D), and observation weights (N,) or None."""

    X: np.ndarray
    weights: np.ndarray | None
    family: Family

    @property
    def total(self) -> float:
        """The number of observations, weights included."""
        return float(len(self.X) if self.weights is None else self.weights.sum())

    @property
    def units(self) -> int:
        """How many steps of online learning one pass takes: one a row."""
        return len(self.X)

    def take(self, which) -> "Observations":
        """Some of the units, in the order of `which`: a slice or an array of indices."""
        weights = None if self.weights is None else self.weights[which]
        return Observations(self.X[which], weights, self.family)


def observe(family: Family, X, weights=None) -> Observations:
    """`Mixture.observe`."""
    if isinstance(X, Observations):
        if weights is not None:
            raise ValueError(
                "weights came with data already observed; give them to `observe`"
            )
        if X.family is family:
            return X
        return attrs.evolve(X, X=family.check_data(X.X), family=family)
    X = _own(family.check_data(X), X)
    if weights is not None:
        weights = _own(as_array("weights", weights), weights)
        if weights.shape != (len(X),) or (weights < 0).any():
            shape = weights.shape
            raise ValueError(
                f"weights must be {len(X)} numbers >= 0, one a row; got shape {shape}"
            )
        if not weights.any():
            raise ValueError("weights are all 0; at least one observation must count")
        if (total := weights.sum()) > 2**53:
            raise ValueError(
                f"weights sum to {total:g}; beyond 2^53 an observation counts nothing"
            )
    return Observations(X, weights, family)


def _own(checked, given):
    """What was checked, as an array that does not change if the caller uses his own again."""
    return checked.copy() if np.may_share_memory(checked, given) else checked


def as_pseudo_statistics(family: Family, pseudo, clones: float | None) -> np.ndarray:
    """`pseudo` as a float64 array (P,). ValueError unless it fits the family and, for a number of
    clones, leaves a proper prior."""
    pseudo, width = as_array("pseudo_statistics", pseudo, ndim=1), family.n_statistics
    if len(pseudo) != width:
        raise ValueError(
            f"pseudo_statistics has {len(pseudo)} entries; it must have {width}"
        )
    if pseudo[0] < 0:
        raise ValueError(
            f"pseudo_statistics has the count {pseudo[0]}; it must be >= 0"
        )
    if clones is not None:
        try:
            proper = np.isfinite(family.log_normalizer(clones * pseudo[None])).all()
        except ValueError:
            proper = False
        if not proper:
            allowed = "not proper, as it must be unless clones is EM"
            raise ValueError(
                f"pseudo_statistics is {pseudo}; the prior it makes is {allowed}"
            )
    return pseudo


class EStep(NamedTuple):
    """One E-step over the data: the statistics S (K, width) of its responsibilities and the two
    terms of the ELBO.

    log_likelihood: sum_n w_n log sum_k exp(E log p(x_n, z_n = k)). divergence: of the posterior
    that the step started from, measured from the prior.
    """

    S: State
    log_likelihood: float
    divergence: float

    @property
    def elbo(self) -> float:
        """The ELBO (nats) of the posterior that the step started from, with the responsibilities it
        found."""
        return self.log_likelihood - self.divergence


class Block(NamedTuple):
    """The E-step of n rows: their statistics T (n, P), responsibilities R (K, n), observation
    weights and log base measure (n,) or None, and sum_n w_n log sum_k exp(E log p(x_n, z_n = k)).
    The next block overwrites R. labels: their statistics (K, L), weights included, if they have any
    besides the counts; the log-likelihood is then that of all rows together."""

    rows: slice
    T: np.ndarray
    R: np.ndarray
    weights: np.ndarray | None
    base: np.ndarray | None
    log_likelihood: float
    labels: np.ndarray | None = None

    @property
    def weighted(self) -> np.ndarray:
        """Responsibilities times observation weights (K, n)."""
        return self.R if self.weights is None else self.R * self.weights

    def m_step(self) -> np.ndarray:
        """The statistics (K, width) of these responsibilities."""
        R = self.weighted
        S = R @ self.T
        if not isinstance(self.T, np.ndarray) or self.T.dtype != np.float64:
            S[:, 0] = R.sum(
                axis=1
            )  # these products add one by one: too coarse for counts
        return S if self.labels is None else np.hstack([S, self.labels])


def e_step_blocks(family: Family, data: Observations, W: np.ndarray) -> Iterator[Block]:
    """The E-step of the data at the expected natural parameters W (K, P), weights of the mixture
    included, one block of rows after another."""
    R, everything = None, np.empty(0)
    for rows in blocks(len(data.X), max(W.shape)):
        X = data.X[rows]
        T = family.block_statistics(X)
        W = W.astype(T.dtype, copy=False)
        if isinstance(T, np.ndarray):
            if R is None or R.shape[1] != len(
                X
            ):  # new memory a block costs more than its work
                R = np.empty((len(W), len(X)), T.dtype)
            # A dead component has W = -inf. Wide instructions multiply it by the zeros that fill up
            # a vector and complain, though no such product enters R; a true nan is found later.
            with np.errstate(invalid="ignore"):
                np.matmul(W, T.T, out=R)
        else:
            R = np.ascontiguousarray((T @ W.T).T)
        weights = None if data.weights is None else data.weights[rows]
        total = softmax_columns(R, everything if weights is None else weights)
        base = family.log_base(X)
        if base is not None:
            total += float(base.sum() if weights is None else base @ weights)
        yield Block(rows, T, R, weights, base, total)


def blocks(N: int, width: int) -> list[slice]:
    """Slices that cut N rows into blocks, `width` numbers a row: long for the matrix products,
    short for the cache."""
    step = max(256, int(BLOCK / width**0.5))
    return [slice(first, min(first + step, N)) for first in range(0, N, step)]
