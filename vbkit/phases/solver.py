"""Batch VB of Bernoulli mixtures on all 2^M patterns, fast enough for whole phase diagrams.

The densities of all patterns under one component are products that double, coordinate by
coordinate, from 1 number to 2^M. Its counts of ones and zeros are sums that halve, coordinate by
coordinate, back to 1. That costs a few operations a pattern and no exp. Several problems are solved
side by side, in lanes; a problem that has converged makes room for the next. The same learning, in
plain form, is `fit_batch` on `binary_vectors(M)` with the counts as observation weights.
"""

from typing import NamedTuple

import numpy as np
from scipy import special

from vbkit.binary import binary_vectors, check_counts
from vbkit.checks import as_array, as_integer, as_number, as_positives, one_for_each
from vbkit.compiled import COMPILED
from vbkit.families import BetaBernoulli
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory.bernoulli_jit import compiled_solve

FEW, MANY = 8, 32  # problems solved side by side


class Solutions(NamedTuple):
    """The ends of n problems.

    S (n, K, 1 + 2M): the states. free_energy (n,): F = -ELBO in nats. iterations (n,): how many
    each problem took. converged (n,): whether it stood still then.
    """

    S: np.ndarray
    free_energy: np.ndarray
    iterations: np.ndarray
    converged: np.ndarray


def solve(counts, starts, a, b, *, max_iterations=1000, tolerance=1e-10) -> Solutions:
    """Fit n Bernoulli mixtures to the same counts (2^M,) of patterns by batch VB (Kaji 2011, 4.3).

    counts: need not be whole numbers. starts: states (n, K, 1 + 2M), or one state (K, 1 + 2M).
    a, b: concentration of the weights and of every Beta prior, one number or one a problem (n,).

    A problem ends when an iteration moves its counts by less than `tolerance` in the sum over all
    counts of (change)^2 / (count + prior count), about twice the gain in nats; or after
    `max_iterations`. Redundant components move slowly: a component with a share of N data may need
    N iterations to vanish, so start it where you expect it to end.

    Raises ValueError for shapes that do not fit, for counts, starts or a tolerance below 0, and
    unless a and b are greater than 0.
    """
    counts, starts, priors = _check(counts, starts, a, b)
    as_integer("max_iterations", max_iterations, 1)
    tolerance = as_number("tolerance", tolerance, 0)
    n, S = len(starts), starts.copy()
    iterations, moved = np.zeros(n, dtype=np.int64), np.full(n, np.inf)
    given, ends = (priors, S, max_iterations, tolerance), (iterations, moved)
    if COMPILED:
        lanes = FEW if n <= FEW else MANY
        compiled_solve(lanes)(np.repeat(counts, lanes), *given, *ends, np.uint64(lanes))
    else:
        _plain_solve(counts, *given, *ends)
    F = np.empty(n)
    for pair in np.unique(priors, axis=0):
        same = (priors == pair).all(axis=1)
        F[same] = _free_energies(counts, S[same], *pair)
    return Solutions(S, F, iterations, moved < tolerance)


def _check(counts, starts, a, b):
    starts = as_array("starts", starts)
    starts = starts[None] if starts.ndim == 2 else starts
    n = len(starts)
    if (
        starts.ndim != 3
        or starts.shape[2] % 2 == 0
        or 0 in starts.shape
        or (starts < 0).any()
    ):
        raise ValueError(
            f"starts has shape {starts.shape}; it must be (n, K, 1 + 2M), all >= 0"
        )
    a, b = (
        one_for_each(name, as_positives(name, x), n) for name, x in (("a", a), ("b", b))
    )
    return check_counts(counts, starts.shape[2] // 2), starts, np.column_stack([a, b])


def _free_energies(counts, S, a: float, b: float) -> np.ndarray:
    """F (n,) in nats of n states (n, K, 1 + 2M): minus `Mixture.elbo`, for all of them at once."""
    mixture = Mixture(BetaBernoulli(S.shape[2] // 2, b), Dirichlet(a))
    W = mixture.family.expected(S)
    W[..., 0] += mixture.labels.expected(S[..., 0])
    T = mixture.family.statistics(binary_vectors(mixture.family.dimension)[counts > 0])
    log_likelihood = special.logsumexp(W @ T.T, axis=1) @ counts[counts > 0]
    return (S * W).sum(axis=(1, 2)) - mixture.log_normalizer_ratio(S) - log_likelihood


def _plain_solve(counts, priors, states, max_iterations, tolerance, iterations, moved):
    """`compiled_solve` in NumPy: all problems side by side; those that stand still leave."""
    K, P = states.shape[1:]
    T = BetaBernoulli(P // 2, 1.0).statistics(binary_vectors(P // 2))  # (2^M, P)
    weighted, transposed = counts[:, None] * T, np.ascontiguousarray(T.T)
    running, iteration = np.arange(len(states)), 0
    while len(running) and iteration < max_iterations:
        S = states[running]
        own = priors[running][
            :, None, np.minimum(np.arange(P), 1)
        ]  # (n, 1, P): a, then b
        own, both = np.repeat(own, K, axis=1), 2 * own[..., 1:2]
        stays = True
        while stays and iteration < max_iterations:
            iteration += 1
            logs = special.digamma(own + S)
            logs[..., 1:] -= special.digamma(both + S[..., :1])
            R = (logs.reshape(-1, P) @ transposed).reshape(len(running), K, -1)
            R -= R.max(axis=1, keepdims=True)
            np.exp(R, out=R)
            R /= R.sum(axis=1, keepdims=True)
            new = (R.reshape(len(running) * K, -1) @ weighted).reshape(S.shape)
            step = new - S
            step *= step
            step /= new + own
            change, S = step.reshape(len(running), -1).sum(axis=1), new
            stays = change.min() >= tolerance
        states[running], iterations[running], moved[running] = S, iteration, change
        running = running[change >= tolerance]
