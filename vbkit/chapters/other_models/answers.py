"""Answers to the exercises of notebook 11, and the mistakes that are recognised."""

import numpy as np
from scipy.stats import norm

from vbkit.workbook.exercises import Exercise


def believed_on(x, stay):
    """Return the probability (n,) that the pump is on at each reading x (n,), given that reading
    and those before it: levels -1 and 1, noise of sd 1, an even start, `stay` to stay."""
    belief, found = 0.5, []
    for reading in x:
        ahead = stay * belief + (1 - stay) * (1 - belief)
        on, off = ahead * norm.pdf(reading, 1), (1 - ahead) * norm.pdf(reading, -1)
        belief = on / (on + off)
        found.append(belief)
    return np.array(found)


def each_by_itself(x, stay):
    """You judge each reading by itself. What did you believe before you saw it?"""
    return believed_on(x, 0.5)


def never_switches(x, stay):
    """Your pump never switches: the belief is handed on as it is. Move it before each reading."""
    return believed_on(x, 1.0)


def moves_afterwards(x, stay):
    """You move the belief after the reading. So you return what to expect of the next reading."""
    belief = believed_on(x, stay)
    return stay * belief + (1 - stay) * (1 - belief)


exercise_1 = Exercise(
    believed_on,
    [(np.array([-0.8, 0.1]), 0.95), (np.array([0.5, -1.5, 2.0, 0.3]), 0.8)],
    mistakes=(each_by_itself, never_switches, moves_afterwards),
    hint="Move the belief: stay b + (1 - stay)(1 - b). Then weigh it with the two densities.",
    meaning="These are the filtered probabilities: the forward half of the E-step of a chain.",
    further="set stay to 0.5. Which model of chapter 00 is left?",
)


def conditional(x, weights, centres, widths, lines, noises):
    """Return mean and variance of y at the input x, of experts with weights, gates N(centre,
    width^2), lines (K, 2) of slope and intercept, and noise variances."""
    gate = weights * norm.pdf(x, centres, widths)
    gate = gate / gate.sum()
    each = lines @ np.array([x, 1.0])
    mean = gate @ each
    return mean, gate @ noises + gate @ (each - mean) ** 2


def noise_alone(x, weights, centres, widths, lines, noises):
    """Your variance averages the noises. Where the experts disagree, that is doubt, too."""
    mean, _ = conditional(x, weights, centres, widths, lines, noises)
    gate = weights * norm.pdf(x, centres, widths)
    return mean, gate @ noises / gate.sum()


def gates_without_inputs(x, weights, centres, widths, lines, noises):
    """You weight the experts alike at every x. Who is at home there?"""
    flat = np.full(len(weights), 1e9)
    return conditional(x, weights, np.full(len(weights), x), flat, lines, noises)


def the_winner_alone(x, weights, centres, widths, lines, noises):
    """You ask only the expert with the largest share. The others have a say as well."""
    best = [np.argmax(weights * norm.pdf(x, centres, widths))]
    return conditional(x, weights[best], centres[best], widths[best], lines[best], noises[best])


def _experts(rng):
    K = int(rng.integers(2, 5))
    weights = rng.dirichlet(np.full(K, 5.0)).round(2) + 0.01
    lines, noises = rng.normal(0, 2, (K, 2)).round(1), rng.uniform(0.1, 1, K).round(1)
    centres, widths = rng.normal(0, 1, K).round(1), rng.uniform(0.5, 2, K).round(1)
    return round(rng.normal(), 1), weights / weights.sum(), centres, widths, lines, noises


exercise_2 = Exercise(
    conditional,
    _experts,
    mistakes=(noise_alone, gates_without_inputs, the_winner_alone),
    hint="The variance is the mean of the experts' variances plus the variance of their means.",
    meaning="This is Sato's E[y | x], with its error band, for any number of experts.",
    further="move two experts apart until they disagree wildly at x. What does the band do?",
)


def kept(length, n, D):
    """Return the share of a column that is left, of the `length` (in the noise's sd) that fits best
    the n rows of D gauges, where its relevance is learned."""
    return max(0.0, 1 - D / (n * length**2))


def below_zero(length, n, D):
    """Right for columns that live. A short one does not turn round: alpha has no finite solution,
    and nothing of the column is left."""
    return 1 - D / (n * length**2)


def one_sweep(length, n, D):
    """That is the first sweep. The shorter column gives a larger alpha, and so on: solve for it."""
    return n / (n + D / length**2)


def without_shrinking(length, n, D):
    """Your alpha is that of the best fit. Put the column in that is left after shrinking."""
    alpha = (np.sqrt(n**2 + 4 * D * n / length**2) - n) / 2
    return n / (n + alpha)


exercise_3 = Exercise(
    kept,
    [(2.0, 20, 10), (0.5, 20, 10), (1.0, 40, 8), (0.3, 400, 12)],
    mistakes=(below_zero, one_sweep, without_shrinking),
    hint="Multiply 1/alpha = w^2/D + 1/(n + alpha) by n + alpha. What cancels?",
    meaning="A column dies below the length of sqrt(D / n): a threshold, as in chapter 07a.",
    further="at which length is half of the column left?",
)
