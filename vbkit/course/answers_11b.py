"""Answers to the exercises of lecture 11b, and typical mistakes."""

import numpy as np
from scipy.stats import norm

from vbkit.press.exercises import Exercise

# ---- 1. the doubt of a line ----------------------------------------------------------


def variance_of_line(x: float, places, noise: float) -> float:
    """Return the variance of a measurement at x, by a line through points at places (n,)."""
    places = np.asarray(places, float)
    middle = places.mean()
    spread = ((places - middle) ** 2).sum()
    return float(noise * (1 + 1 / len(places) + (x - middle) ** 2 / spread))


def of_the_line_alone(x, places, noise):
    """This is how uncertain the line is. A measurement has noise of its own as well."""
    return variance_of_line(x, places, noise) - noise


def slope_known(x, places, noise):
    """You took the slope for known. Its uncertainty grows with the square of the distance
    from the points."""
    return noise * (1 + 1 / len(places))


def distance_from_zero(x, places, noise):
    """You measured the distance of x from zero. Measure it from the mean of the places."""
    places = np.asarray(places, float)
    spread = ((places - places.mean()) ** 2).sum()
    return float(noise * (1 + 1 / len(places) + x**2 / spread))


exercise_1 = Exercise(
    variance_of_line,
    [
        (3.0, np.array([-4.0, -3.5, -3.0, -2.5, -2.0]), 0.04),
        (0.5, np.array([1.0, 2.0, 4.0]), 0.3),
        (-1.0, np.array([0.2, 3.0]), 1.0),
    ],
    (of_the_line_alone, slope_known, distance_from_zero),
    hint="Three parts, each times the noise variance: 1 for the measurement, 1/n for the "
    "middle, and the squared distance over the spread for the slope.",
    meaning="An expert is sure near its own points, and unsure far from them.",
    further="double the distances of the places from their mean. What becomes of the doubt?",
)


# ---- 2. any experts ------------------------------------------------------------------


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


exercise_2 = Exercise(
    conditional,
    some_experts,
    (noise_alone, gates_left_out, weights_left_out),
    hint="The variance is the mean of the variances plus the variance of the means.",
    meaning="This is Sato's E[y | x], with its band, for any number of experts.",
    further="move two experts apart until they disagree widely at x. What does the band do?",
)
