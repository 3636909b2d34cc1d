"""Answers to the exercises of lecture 07d, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.press.exercises import Exercise

# ---- 1. left out, or a zero ------------------------------------------------------------


def known_people(v, b, noise):
    """Return mean and standard deviation of a film with prior N(0, 1), from ratings v (n,)
    by known people b (n,)."""
    precision = b @ b / noise + 1
    return b @ v / noise / precision, precision**-0.5


def hole_or_zero(v, b, noise):
    """Return mean and standard deviation of a film with prior N(0, 1), with its holes left
    out, and then with zeros put in.

    v (n,): its ratings, nan at a hole; b (n,): a number for each person, known exactly;
    noise: the variance of a rating.
    """
    there = ~np.isnan(v)
    left_out = known_people(v[there], b[there], noise)
    put_in = known_people(np.where(there, v, 0.0), b, noise)
    return *left_out, *put_in


def everybody_counts(v, b, noise):
    """Your means differ, but both precisions count everybody. Who has not rated says
    nothing."""
    mean, _, mean_zero, sd_zero = hole_or_zero(v, b, noise)
    return mean, sd_zero, mean_zero, sd_zero


def variances(v, b, noise):
    """You return variances. A standard deviation is the root of one."""
    mean, sd, mean_zero, sd_zero = hole_or_zero(v, b, noise)
    return mean, sd**2, mean_zero, sd_zero**2


def no_prior(v, b, noise):
    """The prior N(0, 1) is missing: it adds 1 to each precision."""
    there = ~np.isnan(v)
    precision = b[there] @ b[there] / noise
    precision_zero = b @ b / noise
    total = b[there] @ v[there] / noise
    return (
        total / precision,
        precision**-0.5,
        total / precision_zero,
        precision_zero**-0.5,
    )


def other_order(v, b, noise):
    """These are the right numbers in the other order: first the holes left out, then the
    zeros put in."""
    mean, sd, mean_zero, sd_zero = hole_or_zero(v, b, noise)
    return mean_zero, sd_zero, mean, sd


exercise_1 = Exercise(
    hole_or_zero,
    [
        (np.array([1.5, np.nan]), np.array([1.0, 2.0]), 0.25),
        (np.array([np.nan, -0.5, 2.0]), np.array([0.5, 1.0, -1.0]), 1.0),
        (np.array([0.3, np.nan, np.nan]), np.array([1.0, 3.0, 2.0]), 0.5),
    ],
    (everybody_counts, variances, no_prior, other_order),
    hint="The precision is the sum of b squared over the people who count, divided by the "
    "noise, plus 1.",
    meaning="A zero does two kinds of harm: it pulls the mean to 0, and it makes us surer.",
    further="let Bob's number grow. What does his silence do if it is taken for a zero?",
)

# ---- 2. the variance of a product ------------------------------------------------------


def product_variance(a, cov_a, b, cov_b):
    """Return the variance of b . a for independent vectors with means (H,) and covariances
    (H, H)."""
    return a @ cov_b @ a + b @ cov_a @ b + np.trace(cov_a @ cov_b)


def last_term_missing(a, cov_a, b, cov_b):
    """That is the rule of small errors. The term in which both deviate at once is
    missing."""
    return a @ cov_b @ a + b @ cov_a @ b


def own_covariances(a, cov_a, b, cov_b):
    """Which factor's mean multiplies which factor's deviation?"""
    return a @ cov_a @ a + b @ cov_b @ b + np.trace(cov_a @ cov_b)


def mean_square(a, cov_a, b, cov_b):
    """That is the mean square. The square of the mean has to be subtracted."""
    return product_variance(a, cov_a, b, cov_b) + (a @ b) ** 2


def two_vectors(rng):
    """Draw two means and two covariances."""
    roots = 0.6 * rng.standard_normal((2, 3, 4))
    cov_a, cov_b = roots @ roots.transpose(0, 2, 1)
    return rng.standard_normal(3), cov_a, rng.standard_normal(3), cov_b


exercise_2 = Exercise(
    product_variance,
    two_vectors,
    (last_term_missing, own_covariances, mean_square),
    hint="Write a = mean + x and b = mean + y with x, y of mean zero, and multiply out. "
    "Which of the terms are uncorrelated?",
    meaning="This is the variance behind every error bar of this lecture.",
    further="show that rotating both vectors by the same matrix changes nothing.",
)
