"""Unit 2, petals of Fisher's irises: the data, and what is known about them.

Lengths and widths are measured from the average of all 150 irises. The unit is the standard
deviation within a species: for petal lengths 0.426 cm, pooled over the three species.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from vbkit.families import KnownCovariance

LENGTH = "petal length (standard deviations within a species)"
WIDTH = "petal width (standard deviations within a species)"
SPECIES = ("setosa", "versicolor", "virginica")

# nine of the 150 irises, drawn at random once; there are some of each species
NINE = np.array([5, 21, 37, 67, 73, 108, 121, 137, 141])

# the prior of each mean: a Gaussian around 0, worth a tenth of a petal
MEAN_COUNT = 0.1
PRIOR_VARIANCE = 1 / MEAN_COUNT


class Petals(NamedTuple):
    """The petals of 150 irises (Fisher 1936, from scikit-learn)."""

    X: np.ndarray  # (150, 2), length and width, in standard deviations within a species
    species: np.ndarray  # (150,), an index of SPECIES
    covariance: np.ndarray  # (2, 2), within a species, pooled; its diagonal is 1
    centimetres: np.ndarray  # (150, 2), as measured
    average: np.ndarray  # (2,), of all irises, in centimetres
    width: np.ndarray  # (2,), the standard deviation within a species, in centimetres


@cache
def every_petal() -> Petals:
    """Return length and width of the petals of all 150 irises."""
    from sklearn.datasets import load_iris  # slow to import

    iris = load_iris()
    measured = iris.data[:, 2:]
    species = iris.target
    means = np.stack([measured[species == k].mean(axis=0) for k in range(3)])
    inside = measured - means[species]
    width = np.sqrt((inside**2).mean(axis=0))
    average = measured.mean(axis=0)
    covariance = (inside / width).T @ (inside / width) / len(inside)
    X = (measured - average) / width
    return Petals(X, species, covariance, measured, average, width)


@cache
def nine_petals() -> np.ndarray:
    """Return the lengths (9,) of nine petals, the shortest first."""
    lengths = np.sort(every_petal().X[NINE, 0])
    lengths.setflags(write=False)
    return lengths


def known_lengths() -> KnownCovariance:
    """Return the component for petal lengths: Gaussian with the known variance 1."""
    return KnownCovariance(0.0, PRIOR_VARIANCE)


def known_petals() -> KnownCovariance:
    """Return the component for length and width: Gaussian with the known covariance."""
    return KnownCovariance(np.zeros(2), PRIOR_VARIANCE, every_petal().covariance)
