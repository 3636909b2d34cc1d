"""Answers to the exercises of notebook 07b, and the mistakes that are recognised."""

import numpy as np

from vbkit.workbook.exercises import Exercise


def film_posterior(v, B, cov_B, prior, noise):
    """Return mean (H,) and covariance (H, H) of a film's row of A.

    v (n,): its ratings; B (n, H), cov_B (n, H, H): the people who gave them; prior (H,): prior
    variances; noise: the variance of a rating.
    """
    second = B.T @ B + cov_B.sum(axis=0)
    cov = np.linalg.inv(second / noise + np.diag(1 / prior))
    return cov @ B.T @ v / noise, cov


def people_are_certain(v, B, cov_B, prior, noise):
    """You treat the people's numbers as known. VB averages over them: what is <b b'>?"""
    return film_posterior(v, B, 0 * cov_B, prior, noise)


def precision_for_covariance(v, B, cov_B, prior, noise):
    """That sum of precisions has to be inverted before it is a covariance."""
    cov = np.linalg.inv(film_posterior(v, B, cov_B, prior, noise)[1])
    return cov @ B.T @ v / noise, cov


def noise_left_out_of_the_mean(v, B, cov_B, prior, noise):
    """Your covariance is right. In the mean the ratings count in units of the noise variance."""
    mean, cov = film_posterior(v, B, cov_B, prior, noise)
    return mean * noise, cov


def prior_variance_as_precision(v, B, cov_B, prior, noise):
    """The prior's variances went in where its precisions belong."""
    return film_posterior(v, B, cov_B, 1 / prior, noise)


def _people(rng, n, H):
    """Made-up ratings of a film by n people, in short numbers: the checker prints them."""
    roots = 0.5 * rng.standard_normal((n, H, H + 1)).round(1)
    B, prior = rng.standard_normal((n, H)).round(1), rng.uniform(0.3, 2, H).round(1)
    v, noise = rng.standard_normal(n).round(1), rng.uniform(0.2, 0.9)
    return v, B, (roots @ roots.transpose(0, 2, 1)).round(3), prior, round(noise, 1)


SIZES = (1, 1), (2, 1), (2, 2), (5, 2)  # people and numbers per film, the smallest first

exercise_1 = Exercise(
    film_posterior,
    [_people(np.random.default_rng(k), n, H) for k, (n, H) in enumerate(SIZES)],
    mistakes=(
        people_are_certain,
        precision_for_covariance,
        noise_left_out_of_the_mean,
        prior_variance_as_precision,
    ),
    hint="The precision is (sum of <b b'>) / noise plus the prior's precision, and <b b'> is "
    "b b' plus a covariance. Each person has their own.",
    meaning="A film with few ratings keeps a wide posterior. No shared covariance could say so.",
    further="pass no ratings at all, v of shape (0,): the prior comes back.",
)


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
    [_careful_people(np.random.default_rng(k), n, H) for k, (n, H) in enumerate(SIZES[1:])],
    mistakes=(one_noise_for_all, weights_by_standard_deviation, weights_in_the_mean_only),
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
