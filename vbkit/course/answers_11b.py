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
    """Return mean and variance of y at x, and how much of its density the band holds.

    weights (K,), gates N(centre, width^2), lines (K, 2) of slope and intercept, noise
    variances (K,); the band is the mean and 1.96 standard deviations to either side.
    """
    shares = shares_at(x, weights, centres, widths)
    says = lines @ np.array([x, 1.0])
    mean = shares @ says
    variance = shares @ noises + shares @ (says - mean) ** 2
    return mean, variance, held_by(shares, says, noises, mean, variance)


def shares_at(x, weights, centres, widths):
    """Return the shares (K,) of the experts at x."""
    joint = weights * norm.pdf(x, centres, widths)
    return joint / joint.sum()


def held_by(shares, says, noises, mean, variance):
    """Return the probability that y is within 1.96 standard deviations of its mean."""
    reach = 1.96 * np.sqrt(variance)
    width = np.sqrt(noises)
    below = norm.cdf(mean + reach, says, width)
    return shares @ (below - norm.cdf(mean - reach, says, width))


def noise_alone(x, weights, centres, widths, lines, noises):
    """Your variance averages the noises. Where the experts disagree there is more."""
    shares = shares_at(x, weights, centres, widths)
    says = lines @ np.array([x, 1.0])
    mean = shares @ says
    variance = shares @ noises
    return mean, variance, held_by(shares, says, noises, mean, variance)


def as_if_normal(x, weights, centres, widths, lines, noises):
    """Mean and variance are right. But the band holds 95 % of a Gaussian only, and the
    density of y is a mixture of Gaussians."""
    mean, variance, _ = conditional(x, weights, centres, widths, lines, noises)
    return mean, variance, 1 - 2 * norm.sf(1.96)


def gates_left_out(x, weights, centres, widths, lines, noises):
    """You weight the experts alike at every x. Which of them is at home there?"""
    everywhere = np.full(len(weights), 1e9)
    centres = np.full(len(weights), x)
    return conditional(x, weights, centres, everywhere, lines, noises)


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
    (noise_alone, as_if_normal, gates_left_out),
    hint="The variance is the mean of the variances plus the variance of the means. Each "
    "expert gives the band a difference of two values of the normal distribution function.",
    meaning="This is Sato's E[y | x], with its band, for any number of experts.",
    further="move two experts apart until they disagree widely at x. What does the band do?",
)


# ---- 3. every Gaussian of pairs is an expert -----------------------------------------


def expert_of(mean, covariance):
    """Return gate and line of a Gaussian of (x, y): the gate's mean and variance, slope and
    intercept of the line, and the variance of its noise."""
    slope = covariance[0, 1] / covariance[0, 0]
    intercept = mean[1] - slope * mean[0]
    noise = covariance[1, 1] - slope * covariance[0, 1]
    return mean[0], covariance[0, 0], slope, intercept, noise


def x_from_y(mean, covariance):
    """Your slope says how x follows from y. Divide the covariance by the variance of x."""
    slope = covariance[0, 1] / covariance[1, 1]
    noise = covariance[1, 1] - slope * covariance[0, 1]
    return mean[0], covariance[0, 0], slope, mean[1] - slope * mean[0], noise


def all_of_the_variance(mean, covariance):
    """This is the whole variance of y. The line explains a part of it."""
    centre, width, slope, intercept, _ = expert_of(mean, covariance)
    return centre, width, slope, intercept, covariance[1, 1]


def intercept_at_the_mean(mean, covariance):
    """This is the height of the line at the mean of x. The intercept is its height at
    zero."""
    centre, width, slope, _, noise = expert_of(mean, covariance)
    return centre, width, slope, mean[1], noise


exercise_3 = Exercise(
    expert_of,
    [
        (np.array([-2.0, 4.0]), np.array([[1.0, 1.0], [1.0, 1.04]])),
        (np.array([0.5, -1.0]), np.array([[2.0, -0.6], [-0.6, 0.5]])),
        (np.array([3.0, 1.0]), np.array([[0.4, 0.3], [0.3, 1.2]])),
    ],
    (x_from_y, all_of_the_variance, intercept_at_the_mean),
    hint="The slope is the covariance over the variance of x, and the line runs through the "
    "mean.",
    meaning="So a mixture of ordinary Gaussians over pairs draws a curve, too.",
    further="give the Gaussian no covariance. What is left of its line?",
)
