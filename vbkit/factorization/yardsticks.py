"""What VB is measured against, with the same model and fixed hyperparameters: the posterior mode, and Gibbs sampling.

One compiled pass serves both: each row's normal posterior given the other factor's values, whose mean is a step of
alternating least squares (the mode), and whose mean plus noise is a Gibbs draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vbkit.checks import as_generator, as_number, as_whole
from vbkit.compiled import jit
from vbkit.factorization.data import Spectrum
from vbkit.factorization.missing import gather, precision, products
from vbkit.factorization.model import Factorization, check_fit, squared_error


class Draws(NamedTuple):
    """Draws of both factors: A (S, M, H) and B (S, L, H)."""

    A: np.ndarray
    B: np.ndarray


@jit
def draw_rows(first, others, values, seconds, given, prior, noise, z, out):
    """Rows of one factor, out (rows, P), given the other's (n, P) and their products x x', packed as seconds (n, T):
    posterior mean plus standard normal z (rows, P) in the metric of the posterior's precision. Entries whose prior is 0
    stay as they are in `out`. Returns sum (b . a)^2 - 2 v b . a over the entries."""
    P, error = given.shape[1], 0.0
    G, r, K = np.empty(seconds.shape[1]), np.empty(P), np.empty((P + 1, P + 1))
    x = K[P]
    for row in range(len(first) - 1):
        gather(first[row], first[row + 1], others, values, seconds, given, G, r)
        precision(G, r, prior, noise, out[row], K)
        for i in range(P):  # Cholesky's C C' of the precision, and y of C y = precision times mean
            for j in range(i + 1):
                for k in range(j):
                    K[i, j] -= K[i, k] * K[j, k]
                K[i, j] = np.sqrt(K[i, i]) if i == j else K[i, j] / K[j, j]
            for k in range(i):
                x[i] -= K[i, k] * x[k]
            x[i] /= K[i, i]
        for i in range(P - 1, -1, -1):  # C' x = y + z: mean and noise at once
            x[i] = (x[i] + z[row, i]) / K[i, i]
            for k in range(i):
                x[k] -= K[i, k] * x[i]
            if prior[i] > 0.0:
                out[row, i] = x[i]
        t = 0
        for i in range(P):
            error -= 2.0 * r[i] * out[row, i]
            for j in range(i + 1):
                error += (1.0 if i == j else 2.0) * G[t] * out[row, i] * out[row, j]
                t += 1
    return error


class _Pair:
    """Both factors' values, and rounds over them."""

    def __init__(self, V, start: Factorization):
        data = check_fit(V, start)
        self.data = data.entries() if isinstance(data, Spectrum) else data
        self.start, self.A, self.B, self.lower = (
            start,
            start.A.copy(),
            start.B.copy(),
            np.tril_indices(start.A.shape[1]),
        )
        self.sides = [(e.indptr, e.indices, e.data - start.centre) for e in (self.data.by_column, self.data.by_row)]

    def round(self, z_A: np.ndarray, z_B: np.ndarray) -> float:
        """A given B, then B given A; sum (b . a)^2 - 2 v b . a over the entries after it."""
        f = self.start
        draw_rows(*self.sides[0], products(self.B, self.lower), self.B, f.prior_a, f.noise, z_A, self.A)
        return draw_rows(*self.sides[1], products(self.A, self.lower), self.A, f.prior_b, f.noise, z_B, self.B)

    def log_joint(self, error: float) -> float:
        """log p(V, A, B) (nats), given sum (v - b . a)^2."""
        twice = self.data.size * np.log(2 * np.pi * self.start.noise) + error / self.start.noise
        for X, prior in ((self.A, self.start.prior_a), (self.B, self.start.prior_b)):
            c = prior[prior > 0]
            twice += len(X) * np.log(2 * np.pi * c).sum() + (X[:, prior > 0] ** 2 / c).sum()
        return -0.5 * float(twice)


def fit_map(V, start: Factorization, *, max_sweeps: int = 1000, tolerance: float = 1e-6) -> Factorization:
    """The mode of p(A, B | V) by alternating least squares; its hyperparameters are the start's.

    The result has covariances of zero, and for its trace log p(V, A, B) at the start and after each sweep, which never
    falls. Stops when a sweep raises it by less than `tolerance`.
    """
    as_whole("max_sweeps", max_sweeps, 0)
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


def gibbs(V, start: Factorization, draws: int, rng: np.random.Generator, *, burn: int = 100, thin: int = 1) -> Draws:
    """Draws from p(A, B | V) by Gibbs sampling, A given B and B given A; its hyperparameters are the start's.

    Starts at the start's means; after `burn` rounds every `thin`-th is kept. Memory: draws x (L + M) x H numbers.
    """
    for name, value, least in (("draws", draws, 1), ("burn", burn, 0), ("thin", thin, 1)):
        as_whole(name, value, least)
    pair, rng = _Pair(V, start), as_generator("rng", rng)
    kept = Draws(np.empty((draws, *pair.A.shape)), np.empty((draws, *pair.B.shape)))
    for turn in range(burn + draws * thin):
        pair.round(rng.standard_normal(pair.A.shape), rng.standard_normal(pair.B.shape))
        if turn >= burn and (turn - burn) % thin == thin - 1:
            kept.A[(turn - burn) // thin], kept.B[(turn - burn) // thin] = pair.A, pair.B
    return kept
