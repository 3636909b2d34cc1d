"""Exercises of chapter 04b: reference answers, and the mistakes that are recognised."""

import numpy as np
from scipy.special import xlogy

from vbkit.chapters.line import line_mixture
from vbkit.chapters.online_theory.tracking import errors, track
from vbkit.press.exercises import Exercise

# ---- 1. two terms --------------------------------------------------------------------------------


def elbo_after_m_step(mixture, X, R) -> float:
    """Return the ELBO (nats) with responsibilities R (N, K) and the posterior that they give."""
    return float(
        -xlogy(R, R).sum() + mixture.log_normalizer_ratio(mixture.m_step(X, R))
    )


def without_entropy(mixture, X, R):
    """This is the evidence of data with known labels. The labels are uncertain: a term is
    missing."""
    return mixture.log_normalizer_ratio(mixture.m_step(X, R))


def wrong_sign(mixture, X, R):
    """Uncertain labels raise the ELBO; here they lower it. What is the sign of an entropy?"""
    return xlogy(R, R).sum() + mixture.log_normalizer_ratio(mixture.m_step(X, R))


def log_of_zero(mixture, X, R):
    """Where a responsibility is 0, 0 log 0 must count as 0. NumPy makes it nan."""
    with np.errstate(all="ignore"):
        return -(R * np.log(R)).sum() + mixture.log_normalizer_ratio(
            mixture.m_step(X, R)
        )


LINE = np.array([[-2.2], [-1.6], [-0.1], [0.3], [1.8], [2.5]])
SURE, UNSURE = np.eye(3)[[0, 0, 1, 1, 2, 2]], np.full((6, 3), 1 / 3)
exercise_1 = Exercise(
    elbo_after_m_step,
    [(line_mixture(), LINE, 0.2 * UNSURE + 0.8 * SURE), (line_mixture(), LINE, SURE),
     (line_mixture(2.0), LINE, UNSURE)],
    mistakes=(without_entropy, wrong_sign, log_of_zero),
    hint="scipy.special.xlogy knows 0 log 0; mixture.m_step(X, R) gives the state, and "
    "mixture.log_normalizer_ratio the second term.",
    meaning="Right after counting, two numbers make the ELBO. On a stream both can be kept.",
    further="the same with the labels judged anew by the new posterior. Which one is larger?",
)  # fmt: skip

# ---- 2. flattery ---------------------------------------------------------------------------------


def _memories(full, further, T, nats) -> tuple[float, float]:
    """Of a model with `full` parameters, and of the lead that its `further` ones give."""
    return float(T * full / (2 * nats)), float(T * further / (2 * nats))


def _full(components, dimension) -> float:
    return components * (dimension + dimension * (dimension + 1) / 2 + 1) - 1


def _off_diagonal(dimension) -> float:
    return dimension * (dimension - 1) / 2


def fair_memory(components, dimension, T, nats) -> tuple[float, float]:
    """Return the memory at which flattery lifts the running ELBO of a right model by `nats`, and
    the one at which full covariances lift it by so much more than diagonal ones."""
    full = _full(components, dimension)
    return _memories(full, components * _off_diagonal(dimension), T, nats)


def weights_all_free(components, dimension, T, nats):
    """You counted a weight for each component. The weights sum to 1: how many are free?"""
    full = _full(components, dimension) + 1
    return _memories(full, components * _off_diagonal(dimension), T, nats)


def no_weights(components, dimension, T, nats):
    """You counted no weights. All but one of them are free."""
    full = _full(components, dimension) + 1 - components
    return _memories(full, components * _off_diagonal(dimension), T, nats)


def of_one_component(components, dimension, T, nats):
    """Value 1 is right. Each component has a covariance of its own."""
    return _memories(_full(components, dimension), _off_diagonal(dimension), T, nats)


def the_smaller_model_alone(components, dimension, T, nats):
    """Value 1 is right. In the difference all cancels that both models have: what is left?"""
    full = _full(components, dimension)
    return _memories(full, full - components * _off_diagonal(dimension), T, nats)


def each_entry_free(components, dimension, T, nats):
    """A covariance is symmetric. You counted its entries off the diagonal twice."""
    twice = components * _off_diagonal(dimension)
    return _memories(_full(components, dimension) + twice, 2 * twice, T, nats)


def a_memory_of_m_points(components, dimension, T, nats):
    """This is twice the memory. A fading average of memory m is as good as 2m equal points."""
    return fair_memory(components, dimension, 2 * T, nats)


exercise_2 = Exercise(
    fair_memory,
    [(3, 2, 500, 50.0), (4, 3, 1000, 10.0), (2, 4, 300, 5.0)],
    mistakes=(weights_all_free, no_weights, of_one_component, the_smaller_model_alone,
              each_entry_free, a_memory_of_m_points),
    hint="The flattery is T k / 2m. A symmetric matrix has D (D + 1) / 2 free entries. In the "
    "difference of two models only the parameters count that one has and the other has not.",
    meaning="To compare takes less memory than to measure: what both models have cancels.",
    further="the rule T = 2m. By how many nats does it flatter your first model?",
)  # fmt: skip

# ---- 3. the best memory --------------------------------------------------------------------------


def _best(memories, speed, total):
    tracks = [track(memory, speed, 6.0) for memory in memories]
    totals = [float(total(*errors(run["centres"], run["truth"]))) for run in tracks]
    return memories[int(np.argmin(totals))], min(totals)


def best_of(memories, speed) -> tuple[float, float]:
    """Return the memory with the least root mean square error behind a target, and that error."""
    return _best(memories, speed, np.hypot)


def lag_alone(memories, speed):
    """You look at the lag alone. A short memory has little lag, but much noise."""
    return _best(memories, speed, lambda lag, noise: abs(lag))


def plain_sum(memories, speed):
    """Lag and noise do not add: the mean of a square is the squared mean plus the variance."""
    return _best(memories, speed, lambda lag, noise: lag + noise)


def mean_square(memories, speed):
    """This is the mean square error. The question asks for its root."""
    return _best(memories, speed, lambda lag, noise: lag**2 + noise**2)


def noise_not_squared(memories, speed):
    """You took the noise for a variance. It is a standard deviation: square it, too."""
    return _best(memories, speed, lambda lag, noise: np.sqrt(lag**2 + noise))


exercise_3 = Exercise(
    best_of,
    [((10.0, 80.0, 640.0), 1.0), ((400.0, 40.0, 2000.0), 0.1), ((40.0, 400.0), 3.0)],
    mistakes=(lag_alone, plain_sum, mean_square, noise_not_squared),
    hint="np.hypot(lag, noise) is the root of the sum of the squares.",
    meaning="The best memory balances lag against noise; the slower the target, the longer it is.",
    further="components that stand closer than 6. Does the best memory become shorter or longer?",
)  # fmt: skip

# ---- 4. the best memory, by theory ---------------------------------------------------------------


def _with_error(memory, speed, components):
    return memory, float(np.sqrt((speed * memory) ** 2 + components / (2 * memory)))


def best_memory(speed, components) -> tuple[float, float]:
    """Return the memory with the least error behind machines with known labels, and that error.

    The speed is in standard deviations per data point; each machine sends 1 / components of them.
    """
    return _with_error((components / (4 * speed**2)) ** (1 / 3), speed, components)


def lag_as_large_as_noise(speed, components):
    """You made lag and noise equally large. Their sum is least where its derivative is zero."""
    return _with_error((components / (2 * speed**2)) ** (1 / 3), speed, components)


def sum_of_the_roots(speed, components):
    """You made the sum of lag and noise least. Their squares add."""
    return _with_error((components / (8 * speed**2)) ** (1 / 3), speed, components)


def all_points_for_each(speed, components):
    """You gave every machine all points. Each centre learns from its own share of them."""
    return best_memory(speed, 1)


exercise_4 = Exercise(
    best_memory,
    [(0.001, 2), (0.0003, 5), (0.01, 3)],
    mistakes=(lag_as_large_as_noise, sum_of_the_roots, all_points_for_each),
    hint="The mean square error is v^2 m^2 + K / 2m. Where is its derivative zero?",
    meaning="A target ten times slower deserves 4.6 times the memory, and leaves half the error.",
    further="the explorer of section 5, at your memory. Is the noise larger than the lag?",
)
