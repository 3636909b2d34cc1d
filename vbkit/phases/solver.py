"""Batch VB of Bernoulli mixtures on all 2^M patterns, fast enough for whole phase diagrams.

The loop is in `vbkit.compiled.patterns`. The same learning, in plain form, is `fit_batch` on
`binary_vectors(M)` with the counts as observation weights.
"""

from typing import NamedTuple

import numpy as np
from scipy import special

from vbkit.checks import as_array, as_integer, as_number, as_positives, one_for_each
from vbkit.compiled import COMPILED, patterns
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture


class Solutions(NamedTuple):
    """The ends of n problems.

    S (n, K, 1 + 2M): the states. free_energy (n,): F = -ELBO in nats. iterations (n,): how many
    each problem took. converged (n,): whether it stood still then.
    """

    S: np.ndarray
    free_energy: np.ndarray
    iterations: np.ndarray
    converged: np.ndarray


def solve(
    counts, starts, concentration, pseudo_count, *, max_iterations=1000, tolerance=1e-10
) -> Solutions:
    """Fit n Bernoulli mixtures to the same counts (2^M,) of patterns by batch VB (Kaji 2011, 4.3).

    counts: need not be whole numbers. starts: states (n, K, 1 + 2M), or one state (K, 1 + 2M).
    concentration, pseudo_count: of the weights and of every answer, one number or one a
        problem (n,).

    A problem ends when an iteration moves its counts by less than `tolerance` in the sum over all
    counts of (change)^2 / (count + prior count), about twice the gain in nats; or after
    `max_iterations`. Redundant components move slowly: a component with a share of N data may need
    N iterations to vanish, so start it where you expect it to end.

    Raises ValueError for shapes that do not fit, for counts, starts or a tolerance below 0, and
    unless concentration and pseudo_count are greater than 0.
    """
    counts, starts, priors = _check(counts, starts, concentration, pseudo_count)
    as_integer("max_iterations", max_iterations, 1)
    tolerance = as_number("tolerance", tolerance, 0)
    states = starts.copy()
    iterations = np.zeros(len(states), dtype=np.int64)
    moved = np.full(len(states), np.inf)
    advance = patterns.solve if COMPILED else patterns.plain_solve
    advance(counts, priors, states, max_iterations, tolerance, iterations, moved)
    F = np.empty(len(states))
    for pair in np.unique(priors, axis=0):
        same = (priors == pair).all(axis=1)
        a, b = pair
        F[same] = _free_energies(counts, states[same], a, b)
    return Solutions(states, F, iterations, moved < tolerance)


def _check(counts, starts, concentration, pseudo_count):
    """Counts (2^M,), starts (n, K, 1 + 2M) and priors (n, 2), or a ValueError."""
    starts = as_array("starts", starts)
    if starts.ndim == 2:
        starts = starts[None]
    fits = starts.ndim == 3 and starts.shape[2] % 2 == 1 and starts.size > 0
    if not fits or (starts < 0).any():
        raise ValueError(
            f"starts has shape {starts.shape}; it must be (n, K, 1 + 2M), all >= 0"
        )
    concentration = one_for_each(
        "concentration", as_positives("concentration", concentration), len(starts)
    )
    pseudo_count = one_for_each(
        "pseudo_count", as_positives("pseudo_count", pseudo_count), len(starts)
    )
    counts = check_counts(counts, starts.shape[2] // 2)
    return (
        counts,
        np.ascontiguousarray(starts),
        np.column_stack([concentration, pseudo_count]),
    )


def _free_energies(counts, S, concentration: float, pseudo_count: float) -> np.ndarray:
    """F (n,) in nats of n states (n, K, 1 + 2M): minus `Mixture.elbo`, for all of them at once."""
    mixture = Mixture(
        BetaBernoulli(S.shape[2] // 2, pseudo_count), Dirichlet(concentration)
    )
    W = mixture.family.expected(S)
    W[..., 0] += mixture.labels.expected(S[..., 0])
    T = mixture.family.statistics(binary_vectors(mixture.family.dimension)[counts > 0])
    log_likelihood = special.logsumexp(W @ T.T, axis=1) @ counts[counts > 0]
    return (S * W).sum(axis=(1, 2)) - mixture.log_normalizer_ratio(S) - log_likelihood


def check_counts(counts, M: int) -> np.ndarray:
    """Counts (2^M,) of all patterns as float64; ValueError unless they are >= 0 and not all 0."""
    counts = as_array("counts", counts, ndim=1)
    if len(counts) != 2**M or (counts < 0).any() or not counts.any():
        raise ValueError(
            f"counts has shape {counts.shape}; it must be ({2**M},), >= 0, not all 0"
        )
    return counts
