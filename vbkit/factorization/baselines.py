"""Baselines for VB, with the same model and fixed hyperparameters: the posterior mode,
and Gibbs sampling."""

from typing import NamedTuple

import numpy as np

from vbkit.checks import as_generator, as_integer, as_number
from vbkit.factorization.iteration import iterate
from vbkit.factorization.model import (
    Factorization,
    check_fit,
    elbo_from_moments,
    squared_error,
)
from vbkit.factorization.updates import MissingEntryUpdates


class Draws(NamedTuple):
    """Draws of both factors: A (S, M, H) and B (S, L, H)."""

    A: np.ndarray
    B: np.ndarray


def _as_point(f: Factorization) -> Factorization:
    """The means alone, with covariances of zero."""
    H = f.A.shape[1]
    return f.replace(cov_A=np.zeros((H, H)), cov_B=np.zeros((H, H)))


def fit_map(
    V, start: Factorization, *, max_sweeps: int = 1000, tolerance: float = 1e-6
) -> Factorization:
    """Find the mode of p(A, B | V) by alternating least squares, with the start's
    hyperparameters.

    V: (L, M), as `validate` takes it. The result has covariances of zero, and for its
    trace log p(V, A, B) at the start and after each sweep, which never falls. Stops
    when a sweep changes it by less than `tolerance` nats (0: never), or after
    max_sweeps. Raises ValueError for unfit data or settings.
    """
    as_integer("max_sweeps", max_sweeps, 0)
    as_number("tolerance", tolerance, 0)
    data = check_fit(V, start)
    point = _as_point(start)
    updates = MissingEntryUpdates(data, point, mode=True)
    log_joint = elbo_from_moments(
        data.size,
        squared_error(data, point),
        point.noise,
        updates.a.moments(),
        updates.b.moments(),
    )
    mode = iterate(updates, log_joint, max_sweeps, tolerance)
    return _as_point(mode)


def gibbs(
    V,
    start: Factorization,
    draws: int,
    rng: np.random.Generator,
    *,
    burn: int = 100,
    thin: int = 1,
) -> Draws:
    """Draw from p(A, B | V) by Gibbs sampling, A given B and B given A, with the
    start's hyperparameters.

    V: (L, M), as `validate` takes it. Begins at the start's means; after `burn` rounds
    every `thin`-th is kept. Memory: draws x (L + M) x H numbers. Raises ValueError for
    unfit data or settings.
    """
    as_integer("draws", draws, 1)
    as_integer("burn", burn, 0)
    as_integer("thin", thin, 1)
    rng = as_generator("rng", rng)
    data = check_fit(V, start)
    updates = MissingEntryUpdates(data, _as_point(start))
    a = updates.a
    b = updates.b
    kept = Draws(np.empty((draws, *a.mean.shape)), np.empty((draws, *b.mean.shape)))
    for turn in range(-burn, draws * thin):
        z_a = rng.standard_normal(a.mean.shape)
        z_b = rng.standard_normal(b.mean.shape)
        a.draw(b, start.noise, z_a)
        b.draw(a, start.noise, z_b)
        if turn >= 0 and turn % thin == thin - 1:
            kept.A[turn // thin] = a.mean
            kept.B[turn // thin] = b.mean
    if not np.isfinite(kept.B).all():  # B is drawn given A, so this holds for both
        raise ValueError(
            f"the draws overflow: V is too large for the noise, {start.noise:.3g}"
        )
    return kept
