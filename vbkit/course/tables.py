"""Unit 6, tables: people who rate films; VB with learned priors.

A table V (L, M) is B A' plus noise. A row of B (L, H) holds the numbers of a person, a row
of A (M, H) those of a film. Rows have Gaussian priors with one variance for each column.
"""

from typing import NamedTuple

import numpy as np

from vbkit.factorization import Factorization

PEOPLE = 20
FILMS = 30
RANK = 3
OFFERED = 6


class Ratings(NamedTuple):
    """A table of ratings, measured from their average, before and after the noise."""

    product: np.ndarray  # (20, 30), people times films, of rank three
    noise: np.ndarray  # (20, 30), standard normal


def ratings(seed: int) -> Ratings:
    """Draw the numbers of 20 people and 30 films, three each, and the noise of a table."""
    rng = np.random.default_rng(seed)
    people = rng.standard_normal((PEOPLE, RANK))
    films = rng.standard_normal((RANK, FILMS))
    return Ratings(people @ films, rng.standard_normal((PEOPLE, FILMS)))


def draw_entries(axes, entries, top: float):
    """Draw a table (L, M) in colours from -top to top; return the image."""
    image = axes.imshow(entries, cmap="RdBu_r", vmin=-top, vmax=top, aspect="equal")
    image.set_interpolation("nearest")
    return image


def say_entries(panel, entries, top: float):
    """Draw a table (L, M) on a Panel, as `draw_entries` does on axes."""
    panel.artist(lambda axes: draw_entries(axes, entries, top), data=entries)


class Posterior(NamedTuple):
    """Means and covariances of both factors, and the prior variances of their columns."""

    A: np.ndarray  # (M, H)
    B: np.ndarray  # (L, H)
    cov_A: np.ndarray  # (H, H), of each row of A
    cov_B: np.ndarray  # (H, H), of each row of B
    prior_a: np.ndarray  # (H,)
    prior_b: np.ndarray  # (H,)

    @property
    def strengths(self) -> np.ndarray:
        """Return prior_a prior_b (H,): the prior variance of what a column adds to an
        entry."""
        return self.prior_a * self.prior_b


def update(V, B, cov_B, prior_a, noise):
    """Return mean (M, H) and covariance (H, H) of the rows of A, given the other factor."""
    BB = B.T @ B + len(B) * cov_B
    cov_A = np.linalg.inv(BB / noise + np.diag(1 / prior_a))
    return V.T @ B @ cov_A / noise, cov_A


def learn(A, cov_A) -> np.ndarray:
    """Return the best prior variance of each column (H,): its mean square."""
    return np.mean(A**2, axis=0) + np.diag(cov_A)


def start(V, offered: int, seed: int) -> Posterior:
    """Return a random start: standard normal numbers for the people, all variances 1."""
    L, M = V.shape
    B = np.random.default_rng(seed).standard_normal((L, offered))
    ones = np.ones(offered)
    return Posterior(
        np.zeros((M, offered)), B, np.eye(offered), np.eye(offered), ones, ones
    )


def sweep(V, now: Posterior, noise: float) -> Posterior:
    """Return what one sweep makes of a Posterior: both factors, then their priors."""
    A, cov_A = update(V, now.B, now.cov_B, now.prior_a, noise)
    B, cov_B = update(V.T, A, cov_A, now.prior_b, noise)
    return Posterior(A, B, cov_A, cov_B, learn(A, cov_A), learn(B, cov_B))


def sweeps(V, now: Posterior, noise: float, number: int) -> list[Posterior]:
    """Return the Posterior at first, after one sweep, and so on: number + 1 of them."""
    states = [now]
    for _ in range(number):
        states.append(sweep(V, states[-1], noise))
    return states


def as_factorization(now: Posterior, noise: float) -> Factorization:
    """Return a Posterior as the engine's Factorization."""
    return Factorization(
        now.A, now.B, now.cov_A, now.cov_B, now.prior_a, now.prior_b, noise
    )
