"""Answers to the exercises of notebook 07d, and the mistakes that are recognised."""

import numpy as np

from vbkit.press.exercises import Exercise


def film_posterior(v, B, cov_B, prior, noise):
    """Return mean (H,) and covariance (H, H) of a film's row of A.

    v (n,): its ratings; B (n, H), cov_B (n, H, H): the people who gave them; prior (H,): prior
    variances; noise: the variance of a rating.
    """
    second = B.T @ B + cov_B.sum(axis=0)
    cov = np.linalg.inv(second / noise + np.diag(1 / prior))
    return cov @ B.T @ v / noise, cov


def _people(rng, n, H):
    """Made-up ratings of a film by n people, in short numbers: the checker prints them."""
    roots = 0.5 * rng.standard_normal((n, H, H + 1)).round(1)
    B, prior = rng.standard_normal((n, H)).round(1), rng.uniform(0.3, 2, H).round(1)
    v, noise = rng.standard_normal(n).round(1), rng.uniform(0.2, 0.9)
    return v, B, (roots @ roots.transpose(0, 2, 1)).round(3), prior, round(noise, 1)


def hole_or_zero(v, b, noise):
    """Return mean and sd of a film with prior N(0, 1), its holes left out; then with zeros put in.

    v (n,): its ratings, nan at a hole; b (n,): a number for each person, known exactly; noise: the
    variance of a rating.
    """

    def posterior(ratings, people):
        precision = people @ people / noise + 1
        return people @ ratings / noise / precision, precision**-0.5

    there = ~np.isnan(v)
    return *posterior(v[there], b[there]), *posterior(np.where(there, v, 0.0), b)


def _everybody_counts(v, b, noise):
    """Your means differ, but both precisions count everybody. Who has not rated says nothing."""
    mean, _, mean_zero, sd_zero = hole_or_zero(v, b, noise)
    return mean, sd_zero, mean_zero, sd_zero


def _variances(v, b, noise):
    """You return variances. A standard deviation is the root of one."""
    mean, sd, mean_zero, sd_zero = hole_or_zero(v, b, noise)
    return mean, sd**2, mean_zero, sd_zero**2


def _no_prior(v, b, noise):
    """The prior N(0, 1) is missing: it adds 1 to each precision."""
    there = ~np.isnan(v)
    precision, zero = b[there] @ b[there] / noise, b @ b / noise
    total = b[there] @ v[there] / noise
    return total / precision, precision**-0.5, total / zero, zero**-0.5


def _other_order(v, b, noise):
    """These are the right numbers in the other order: holes left out first, then zeros put in."""
    mean, sd, mean_zero, sd_zero = hole_or_zero(v, b, noise)
    return mean_zero, sd_zero, mean, sd


exercise_1 = Exercise(
    hole_or_zero,
    [
        (np.array([1.5, np.nan]), np.array([1.0, 2.0]), 0.25),
        (np.array([np.nan, -0.5, 2.0]), np.array([0.5, 1.0, -1.0]), 1.0),
        (np.array([0.3, np.nan, np.nan]), np.array([1.0, 3.0, 2.0]), 0.5),
    ],
    mistakes=(_everybody_counts, _variances, _no_prior, _other_order),
    hint="The precision is the sum of b squared over the people who count, over the noise, plus 1.",
    meaning="A zero does two kinds of harm: it pulls the mean to 0, and it makes you surer of it.",
    further="let Bob's number grow. What does his silence do if it is taken for a zero?",
)


SIZES = (2, 1), (2, 2), (5, 2)  # people and numbers per film, the smallest first


def weighted_posterior(v, B, cov_B, prior, noises):
    """The same with a noise variance for each rating, noises (n,)."""
    second = B[:, :, None] * B[:, None] + cov_B
    precision = (second / noises[:, None, None]).sum(axis=0) + np.diag(1 / prior)
    cov = np.linalg.inv(precision)
    return cov @ B.T @ (v / noises), cov


def one_noise_for_all(v, B, cov_B, prior, noises):
    """You replaced the variances by their average. A careful rating should count for more."""
    return film_posterior(v, B, cov_B, prior, noises.mean())


def weights_by_standard_deviation(v, B, cov_B, prior, noises):
    """You weight by one over the standard deviation. The exponent holds the variance."""
    return weighted_posterior(v, B, cov_B, prior, np.sqrt(noises))


def weights_in_the_mean_only(v, B, cov_B, prior, noises):
    """The ratings are weighted, but the precision is not."""
    _, cov = film_posterior(v, B, cov_B, prior, noises.mean())
    return cov @ B.T @ (v / noises), cov


def _careful_people(rng, n, H):
    v, B, cov_B, prior, _ = _people(rng, n, H)
    return v, B, cov_B, prior, rng.uniform(0.1, 3, n).round(1)


exercise_2 = Exercise(
    weighted_posterior,
    [_careful_people(np.random.default_rng(k), n, H) for k, (n, H) in enumerate(SIZES)],
    mistakes=(
        one_noise_for_all,
        weights_by_standard_deviation,
        weights_in_the_mean_only,
    ),
    hint="Divide each term of the two sums by its own variance before you add.",
    meaning="A hole is a rating of infinite variance: it drops out by itself.",
    further="set one of the variances to 1e9 and compare with leaving that person out.",
)


def product_variance(a, cov_a, b, cov_b):
    """Return Var(b . a) of independent normal vectors with means (H,) and covariances (H, H)."""
    return a @ cov_b @ a + b @ cov_a @ b + np.trace(cov_a @ cov_b)


def without_the_product_of_covariances(a, cov_a, b, cov_b):
    """That is the rule of small errors. The term in which both deviate at once is missing."""
    return a @ cov_b @ a + b @ cov_a @ b


def own_covariances(a, cov_a, b, cov_b):
    """Which factor's mean multiplies which factor's deviation?"""
    return a @ cov_a @ a + b @ cov_b @ b + np.trace(cov_a @ cov_b)


def second_moment(a, cov_a, b, cov_b):
    """That is the mean of the square. The square of the mean has to go."""
    return product_variance(a, cov_a, b, cov_b) + (a @ b) ** 2


def _pair(rng):
    roots = 0.6 * rng.standard_normal((2, 3, 4))
    cov_a, cov_b = roots @ roots.transpose(0, 2, 1)
    return rng.standard_normal(3), cov_a, rng.standard_normal(3), cov_b


exercise_3 = Exercise(
    product_variance,
    _pair,
    mistakes=(without_the_product_of_covariances, own_covariances, second_moment),
    hint="Write a = mean + x and b = mean + y with x, y of mean zero, and multiply out. Which of "
    "the terms are uncorrelated?",
    meaning="This is the variance behind every error bar of this chapter.",
    further="show that rotating both vectors by the same matrix changes nothing.",
)
