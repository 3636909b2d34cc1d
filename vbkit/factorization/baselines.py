"""What VB is measured against, with the same model and fixed hyperparameters: the posterior mode, and Gibbs sampling.

One compiled pass serves both: each row's normal posterior given the other factor's values, whose mean is a step of
alternating least squares (the mode), and whose mean plus noise is a Gibbs draw.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from vbkit.checks import as_generator, as_integer, as_number
from vbkit.compiled import FUSED, jit
from vbkit.factorization.matrices import SVD
from vbkit.factorization.missing import gather, precision, products
from vbkit.factorization.model import Factorization, check_fit, squared_error


class Draws(NamedTuple):
    """Draws of both factors: A (S, M, H) and B (S, L, H)."""

    A: np.ndarray
    B: np.ndarray


@partial(jit, **FUSED)
def draw_rows(first, others, values, seconds, given, prior, noise, z, out, second):
    """Rows of one factor, out (rows, P), and their products, second (rows, T), given the other's; entries as in
    `update_rows`. A row is its posterior mean plus standard normal z (rows, P) in the metric of its precision; where
    prior is 0 it stays as it is in `out`. Returns sum (b . a)^2 - 2 v b . a over the entries."""
    P, error = given.shape[1], 0.0
    G, r, column, K = (
        np.empty(seconds.shape[1]),
        np.empty(P),
        np.empty(P + 1),
        np.empty((P + 1, P + 1)),
    )
    for row in range(len(first) - 1):
        gather(first[row], first[row + 1], others, values, seconds, given, G, r)
        precision(G, r, prior, noise, out[row], K)
        for k in range(
            P
        ):  # precision = C D C'; the last row of K becomes D^-1 C^-1 (precision times mean)
            for i in range(k + 1, P + 1):
                column[i] = K[i, k]
                K[i, k] /= K[k, k]
            for i in range(k + 1, P + 1):
                for j in range(k + 1, i + 1):
                    K[i, j] -= K[i, k] * column[j]
        for i in range(P - 1, -1, -1):  # C' x = that + D^-1/2 z: mean and noise at once
            x = K[P, i] + z[row, i] / np.sqrt(K[i, i])
            for k in range(i):
                K[P, k] -= K[i, k] * x
            if prior[i] > 0.0:
                out[row, i] = x
        t = 0
        for i in range(P):
            error -= 2.0 * r[i] * out[row, i]
            for j in range(i + 1):
                second[row, t] = out[row, i] * out[row, j]
                error += (1.0 if i == j else 2.0) * G[t] * second[row, t]
                t += 1
    return error


class _Pair:
    """Both factors' values and their products, and rounds over them."""

    def __init__(self, V, start: Factorization):
        data = check_fit(V, start)
        self.data = data.entries() if isinstance(data, SVD) else data
        self.start, self.A, self.B = start, start.A.copy(), start.B.copy()
        self.AA, self.BB = (products(X, np.tril_indices(X.shape[1])) for X in (self.A, self.B))
        self.sides = [
            (e.indptr, e.indices, e.data - start.centre)
            for e in (self.data.by_column, self.data.by_row)
        ]

    def round(self, z_A: np.ndarray, z_B: np.ndarray) -> float:
        """A given B, then B given A; sum (b . a)^2 - 2 v b . a over the entries after it."""
        f = self.start
        draw_rows(*self.sides[0], self.BB, self.B, f.prior_a, f.noise, z_A, self.A, self.AA)
        return draw_rows(*self.sides[1], self.AA, self.A, f.prior_b, f.noise, z_B, self.B, self.BB)

    def log_joint(self, error: float) -> float:
        """log p(V, A, B) (nats), given sum (v - b . a)^2."""
        twice = self.data.size * np.log(2 * np.pi * self.start.noise) + error / self.start.noise
        for X, prior in ((self.A, self.start.prior_a), (self.B, self.start.prior_b)):
            c = prior[prior > 0]
            twice += len(X) * np.log(2 * np.pi * c).sum() + (X[:, prior > 0] ** 2 / c).sum()
        return -0.5 * float(twice)


def fit_map(
    V, start: Factorization, *, max_sweeps: int = 1000, tolerance: float = 1e-6
) -> Factorization:
    """The mode of p(A, B | V) by alternating least squares; its hyperparameters are the start's.

    The result has covariances of zero, and for its trace log p(V, A, B) at the start and after each sweep, which never
    falls. Stops when a sweep raises it by less than `tolerance`.
    """
    as_integer("max_sweeps", max_sweeps, 0)
    as_number("tolerance", tolerance, 0)
    pair = _Pair(V, start)
    zeros, none = (np.zeros_like(pair.A), np.zeros_like(pair.B)), np.zeros((pair.A.shape[1],) * 2)
    point = start.replace(cov_A=none, cov_B=none)
    square = float(pair.sides[1][2] @ pair.sides[1][2])
    trace, converged = [pair.log_joint(squared_error(pair.data, point))], False
    for _ in range(max_sweeps):
        trace.append(pair.log_joint(square + pair.round(*zeros)))
        converged = trace[-1] - trace[-2] < tolerance
        if converged:
            break
    return point.replace(A=pair.A, B=pair.B, trace=np.array(trace), converged=converged)


def gibbs(
    V, start: Factorization, draws: int, rng: np.random.Generator, *, burn: int = 100, thin: int = 1
) -> Draws:
    """Draws from p(A, B | V) by Gibbs sampling, A given B and B given A; its hyperparameters are the start's.

    Starts at the start's means; after `burn` rounds every `thin`-th is kept. Memory: draws x (L + M) x H numbers.
    """
    for name, value, least in (("draws", draws, 1), ("burn", burn, 0), ("thin", thin, 1)):
        as_integer(name, value, least)
    pair, rng = _Pair(V, start), as_generator("rng", rng)
    kept = Draws(np.empty((draws, *pair.A.shape)), np.empty((draws, *pair.B.shape)))
    for turn in range(burn + draws * thin):
        pair.round(rng.standard_normal(pair.A.shape), rng.standard_normal(pair.B.shape))
        if turn >= burn and (turn - burn) % thin == thin - 1:
            kept.A[(turn - burn) // thin], kept.B[(turn - burn) // thin] = pair.A, pair.B
    return kept
