"""Answers to the exercises of lecture 07b, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np

from vbkit.course.tables import learn, update
from vbkit.press.exercises import Exercise

# ---- 1. the people's numbers ---------------------------------------------------------


def random_posterior(rng, rows: int, columns: int):
    """Return means (rows, columns) and a covariance (columns, columns)."""
    root = rng.standard_normal((columns, columns))
    covariance = root @ root.T / columns + 0.1 * np.eye(columns)
    return rng.standard_normal((rows, columns)), covariance


def square_table(rng):
    """Return a table with as many films as people, the films' posterior, a prior, a noise
    variance."""
    V = rng.standard_normal((5, 5))
    A, cov_A = random_posterior(rng, 5, 2)
    return V, A, cov_A, rng.uniform(0.5, 2.0, 2), rng.uniform(0.5, 2.0)


def update_people(V, A, cov_A, prior_b, noise):
    """Return mean (L, H) and covariance (H, H) of the rows of B, given those of A."""
    return update(V.T, A, cov_A, prior_b, noise)


def table_turned(V, A, cov_A, prior_b, noise):
    """You multiplied V in the wrong direction. A person's numbers come from the ratings of
    this person, a row of V."""
    return update(V, A, cov_A, prior_b, noise)


def one_covariance(V, A, cov_A, prior_b, noise):
    """Your average of A'A has the covariance of a single film. Each film has one."""
    return update(V.T, A, cov_A / len(A), prior_b, noise)


def means_only(V, A, cov_A, prior_b, noise):
    """You treat the films' numbers as known. Their covariances belong to the average of
    A'A as well."""
    return update(V.T, A, 0 * cov_A, prior_b, noise)


def prior_not_inverted(V, A, cov_A, prior_b, noise):
    """A precision is one over a variance, also that of the prior."""
    return update(V.T, A, cov_A, 1 / prior_b, noise)


def mean_without_noise(V, A, cov_A, prior_b, noise):
    """Your mean lacks a division by the noise variance. The less the noise, the more a
    rating says."""
    B, cov_B = update_people(V, A, cov_A, prior_b, noise)
    return B * noise, cov_B


exercise_1 = Exercise(
    update_people,
    square_table,
    (table_turned, one_covariance, means_only, prior_not_inverted, mean_without_noise),
    hint="A person has rated len(A) films. Multiply V, not its transpose, by A.",
    meaning="The two factors are updated alike, with the table read by rows or by columns.",
    further="a single person and a single film, with one column. Is it the update of lecture 07a?",
)

# ---- 2. one prior variance for all columns -------------------------------------------


def posterior_of_films(rng):
    """Return means and a covariance."""
    return random_posterior(rng, 6, 3)


def learn_together(A, cov_A):
    """Return the best prior variance (H,) if all columns have the same one."""
    return np.full(A.shape[1], learn(A, cov_A).mean())


def each_for_itself(A, cov_A):
    """These are different for different columns. Here all columns share one variance."""
    return learn(A, cov_A)


def means_alone(A, cov_A):
    """You average the squares of the means only. The mean square also contains the
    variances."""
    return np.full(A.shape[1], (A**2).mean())


def summed(A, cov_A):
    """You add the columns up. Their numbers share a variance, so it is an average."""
    return np.full(A.shape[1], learn(A, cov_A).sum())


def all_of_the_covariance(A, cov_A):
    """Only the diagonal of the covariance belongs to mean squares; the rest says how two
    columns vary together."""
    return np.full(A.shape[1], (A**2).mean() + cov_A.mean())


exercise_2 = Exercise(
    learn_together,
    posterior_of_films,
    (each_for_itself, means_alone, summed, all_of_the_covariance),
    hint="The mean square of each column is what learn returns. Average over the columns.",
    meaning="With a common variance no column can be judged by itself.",
    further="a thousand sweeps with it: compare the product with the truth, too.",
)
