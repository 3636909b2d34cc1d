"""Answers to the exercises of notebook 07c, and the mistakes that are recognised."""

import numpy as np

from vbkit.factorization import Factorization, elbo, kappa, thresholds
from vbkit.press.exercises import Exercise


def free_energy(V, A, cov_A, B, cov_B, prior_a, prior_b, noise) -> float:
    """Return F (nats) of the slides' homework, with every constant.

    V (L, M), A (M, H), B (L, H), covariances (H, H), prior variances (H,), noise variance.
    """
    return -elbo(V, Factorization(A, B, cov_A, cov_B, prior_a, prior_b, noise))


def one_covariance_for_all_rows(V, A, cov_A, B, cov_B, prior_a, prior_b, noise):
    """Your <A'A> holds the covariance of a single row, and so does your <B'B>. A sum over rows has
    one covariance for each row."""
    (L, M), a, b = V.shape, A.T @ A, B.T @ B
    error = (
        np.trace((a + M * cov_A) @ (b + L * cov_B) - (a + cov_A) @ (b + cov_B)) / noise
    )
    error += (
        (M - 1) * np.diag(cov_A) / prior_a + (L - 1) * np.diag(cov_B) / prior_b
    ).sum()
    return free_energy(V, A, cov_A, B, cov_B, prior_a, prior_b, noise) - error / 2


def without_minus_dimension(V, A, cov_A, B, cov_B, prior_a, prior_b, noise):
    """Look at the divergence between two Gaussians again: it must be zero when they are equal."""
    missing = (len(A) + len(B)) * len(prior_a) / 2
    return free_energy(V, A, cov_A, B, cov_B, prior_a, prior_b, noise) + missing


def without_two_pi(V, A, cov_A, B, cov_B, prior_a, prior_b, noise):
    """The likelihood is a density of L M numbers: each has a normalising constant with pi in it."""
    missing = V.size * np.log(2 * np.pi) / 2
    return free_energy(V, A, cov_A, B, cov_B, prior_a, prior_b, noise) - missing


def _homework(rng):
    roots = rng.standard_normal((2, 2, 3))
    cov_A, cov_B = roots @ roots.transpose(0, 2, 1)
    V, A, B = (rng.standard_normal(shape) for shape in ((4, 5), (5, 2), (4, 2)))
    return V, A, cov_A, B, cov_B, *rng.uniform(0.5, 2, (2, 2)), rng.uniform(0.2, 2)


exercise_1 = Exercise(
    free_energy,
    _homework,
    mistakes=(one_covariance_for_all_rows, without_minus_dimension, without_two_pi),
    hint="Minus the expected log-likelihood, plus one divergence for each row of A and of B.",
    meaning="With every constant in place, F can be compared across ranks, priors and noises.",
    further="differentiate it by hand in prior_a and in noise: the two updates fall out.",
)


def kept(V, noise) -> int:
    """Count the components of a full matrix that empirical VB keeps at a known noise variance."""
    return _count(V, np.sqrt(noise) * thresholds(np.shape(V)).keep)


def _count(V, edge):
    return int((np.linalg.svd(V, compute_uv=False) > edge).sum())


def variance_as_unit(V, noise):
    """The threshold comes in units of sigma, and `noise` is a variance."""
    return _count(V, noise * thresholds(V.shape).keep)


def local_threshold(V, noise):
    """You count every component that has a valley of its own. Is each of these valleys below
    zero?"""
    return _count(V, np.sqrt(noise) * thresholds(V.shape).local)


def above_the_noise(V, noise):
    """You compare with the noise of one entry. A component has to rise above what noise does to
    the whole table."""
    return _count(V, np.sqrt(noise))


LADDER = (
    np.eye(12, 20) * np.arange(1.0, 13.0)[:, None]
)  # its singular values are 1, 2, ..., 12

exercise_2 = Exercise(
    kept,
    [(LADDER, 1.0), (LADDER, 0.5), (LADDER.T, 0.25), (LADDER, 1.5), (LADDER, 0.75)],
    mistakes=(variance_as_unit, local_threshold, above_the_noise),
    hint="`threshold(L, M)` is in units of sigma, and `noise` is sigma^2.",
    meaning="One comparison per singular value replaces thousands of sweeps.",
    further="plot kept(noisy, s**2) for the noisy digits and s from 2 to 8; the truth is 4.",
)


def evidence_slope(v, noise) -> float:
    """Return the derivative of log p(v) of a 1 x 1 matrix in c_a^2 c_b^2, at zero."""
    return (v**2 - noise) / (2 * noise**2)


def without_half(v, noise):
    """Twice too large: how does the log density of a normal number depend on its variance?"""
    return (v**2 - noise) / noise**2


def one_power_short(v, noise):
    """Right only where the noise variance is 1. Check the units: the slope is one over a
    variance."""
    return (v**2 - noise) / (2 * noise)


def wrong_sign(v, noise):
    """The other way round: a large number should ask for a wider prior."""
    return (noise - v**2) / (2 * noise**2)


exercise_3 = Exercise(
    evidence_slope,
    [(0.5, 1.0), (1.0, 1.0), (-2.0, 1.0), (2.0, 3.0)],
    mistakes=(without_half, one_power_short, wrong_sign),
    hint="Given b, V has variance sigma^2 + c_a^2 b^2. Write b = c_b z, and average over z.",
    meaning="The exact evidence believes in a signal from |V| = sigma on; VB asks for more.",
    further="do the same for L x M tables: the slope is (|V|^2 - L M sigma^2) / (2 sigma^4).",
)


def least_push(gamma, L, M) -> float:
    """Return the shrunk singular value of the pass between zero and the live valley, at noise 1.

    gamma: a singular value above the local threshold of an L x M table.
    """
    return L * M / kappa(gamma**2, (L, M)) / gamma


def the_valley_itself(gamma, L, M):
    """That is where the ball comes to rest, the larger root. Which root has it to cross?"""
    return kappa(gamma**2, (L, M)) / gamma


def kappa_of_the_pass(gamma, L, M):
    """That is kappa at the pass. The push is asked for as a reconstructed value."""
    return gamma * least_push(gamma, L, M)


def sum_on_the_wrong_side(gamma, L, M):
    """Multiply the brackets out again: which sign has L + M beside gamma^2?"""
    z = gamma**2 + L + M
    return (z - np.sqrt(z**2 - 4 * L * M)) / 2 / gamma


exercise_4 = Exercise(
    least_push,
    [(10.8, 20, 30), (12.4, 20, 30), (3.0, 1, 1), (18.0, 5, 100)],
    mistakes=(the_valley_itself, kappa_of_the_pass, sum_on_the_wrong_side),
    hint="The quadratic has two roots, and their product is L M. Its unknown is kappa.",
    meaning="The larger the singular value, the smaller the push that brings a component back.",
    further="find by bisection where a push of 1 becomes enough at 20 x 30, and compare.",
)
