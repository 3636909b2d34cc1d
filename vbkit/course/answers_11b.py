"""Answers to the exercises of lecture 11b, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np
from scipy.stats import norm, t

from vbkit.press.exercises import Exercise

# ---- 1. any experts ------------------------------------------------------------------


def conditional(x, weights, centres, widths, lines, noises):
    """Return mean and variance of y at x.

    weights (K,), gates N(centre, width^2), lines (K, 2) of slope and intercept, noise
    variances (K,).
    """
    shares = shares_at(x, weights, centres, widths)
    says = lines @ np.array([x, 1.0])
    mean = shares @ says
    return mean, shares @ noises + shares @ (says - mean) ** 2


def shares_at(x, weights, centres, widths):
    """Return the shares (K,) of the experts at x."""
    joint = weights * norm.pdf(x, centres, widths)
    return joint / joint.sum()


def noise_alone(x, weights, centres, widths, lines, noises):
    """Your variance averages the noises. Where the experts disagree there is more."""
    shares = shares_at(x, weights, centres, widths)
    mean, _ = conditional(x, weights, centres, widths, lines, noises)
    return mean, shares @ noises


def gates_left_out(x, weights, centres, widths, lines, noises):
    """You weight the experts alike at every x. Which of them is at home there?"""
    everywhere = np.full(len(weights), 1e9)
    centres = np.full(len(weights), x)
    return conditional(x, weights, centres, everywhere, lines, noises)


def weights_left_out(x, weights, centres, widths, lines, noises):
    """You judge by the gates alone. An expert with a larger weight has a larger share."""
    alike = np.full(len(weights), 1 / len(weights))
    return conditional(x, alike, centres, widths, lines, noises)


def some_experts(rng):
    """Return the arguments of an exercise, drawn."""
    K = int(rng.integers(2, 5))
    weights = rng.dirichlet(np.full(K, 5.0)).round(2) + 0.01
    lines = rng.normal(0, 2, (K, 2)).round(1)
    noises = rng.uniform(0.1, 1, K).round(1)
    centres = rng.normal(0, 1, K).round(1)
    widths = rng.uniform(0.5, 2, K).round(1)
    x = round(rng.normal(), 1)
    return x, weights / weights.sum(), centres, widths, lines, noises


exercise_1 = Exercise(
    conditional,
    some_experts,
    (noise_alone, gates_left_out, weights_left_out),
    hint="The variance is the mean of the variances plus the variance of the means.",
    meaning="This is Sato's E[y | x], with its band, for any number of experts.",
    further="move two experts apart until they disagree widely at x. What does the band do?",
)


# ---- 2. gates with heavy tails -------------------------------------------------------


def student_shares(x, weights, means, scales, freedom):
    """Return the shares (K,) at x of experts whose gates are Student densities.

    weights, means and scales (K,); freedom: the degrees of freedom of all of them.
    """
    joint = weights * t.pdf(x, freedom, means, scales)
    return joint / joint.sum()


def gaussian_gates(x, weights, means, scales, freedom):
    """Your gates are Gaussians. A Student density falls more slowly, by a power."""
    return shares_at(x, weights, means, scales)


def scales_left_out(x, weights, means, scales, freedom):
    """You left out the factor 1 / scale. A wide gate is lower at its top."""
    joint = weights * scales * t.pdf(x, freedom, means, scales)
    return joint / joint.sum()


def weights_forgotten(x, weights, means, scales, freedom):
    """You judge by the gates alone. An expert with a larger weight has a larger share."""
    alike = np.full(len(weights), 1 / len(weights))
    return student_shares(x, alike, means, scales, freedom)


def some_gates(rng):
    """Return the arguments of student_shares, drawn."""
    x, weights, means, scales, _, _ = some_experts(rng)
    return x, weights, means, scales, int(rng.integers(3, 20))


exercise_2 = Exercise(
    student_shares,
    some_gates,
    (gaussian_gates, scales_left_out, weights_forgotten),
    hint="Only the densities differ from the first exercise. Mind the factor 1 / scale.",
    meaning="Heavy tails keep a share for an expert whose home is far away.",
    further="raise the degrees of freedom to a thousand. To which shares do you come?",
)
