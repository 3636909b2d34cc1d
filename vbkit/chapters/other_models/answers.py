"""Answers to the exercises of notebook 11, and the mistakes that are recognised."""

import numpy as np
from scipy.special import digamma
from scipy.stats import norm

from vbkit.compiled.chains import path_expectations
from vbkit.press.exercises import Exercise


def on_and_switches(x, stay) -> tuple[np.ndarray, float]:
    """Return the probability (n,) that the pump is on at each reading, given all readings x (n,),
    and the expected number of switches: levels -1 and 1, noise of sd 1, an even start, `stay` to
    stay."""
    L, ends, move = norm.logpdf(x[:, None], [-1, 1]), np.array([0, len(x)]), _move(stay)
    _, states, sums = path_expectations(
        L, ends, np.log([0.5, 0.5]), np.log(move), np.ones(1)
    )
    return states[:, 1], sums[0, 2] + sums[1, 1]


def _move(stay):
    return np.array([[stay, 1 - stay], [1 - stay, stay]])


def without_later_readings(x, stay):
    """Your beliefs know the earlier readings only. Let the later ones speak: run backwards, too."""
    on, switches, before = (
        [],
        0.0,
        np.diag([0.5, 0.5]),
    )  # of the state before, and the next
    for row in norm.pdf(x[:, None], [-1, 1]):
        pairs = before * row / np.sum(before * row)
        on.append(pairs[:, 1].sum())
        switches += pairs[0, 1] + pairs[1, 0]
        before = pairs.sum(axis=0)[:, None] * _move(stay)
    return np.array(on), switches


def as_if_independent(x, stay):
    """The probabilities of on are right. But you multiply those of two neighbours, as if one knew
    nothing of the other. Their joint probability has a transition in it."""
    on, _ = on_and_switches(x, stay)
    return on, np.sum(on[:-1] * (1 - on[1:]) + (1 - on[:-1]) * on[1:])


def of_the_likeliest_states(x, stay):
    """The probabilities of on are right. But you count the switches between the likeliest states.
    A doubtful switch counts in part: add its probability."""
    on, _ = on_and_switches(x, stay)
    return on, float(np.sum(np.diff(on > 0.5)))


READINGS = np.array([1.3, 0.2, -0.4, 0.9, -1.8, -0.6, 0.3, -1.1, 1.5, 0.1, 2.2, -0.2])

exercise_1 = Exercise(
    on_and_switches,
    [(np.array([-0.8, 0.1]), 0.95), (np.array([0.5, -1.5, 2.0]), 0.8), (READINGS, 0.9)],
    mistakes=(without_later_readings, as_if_independent, of_the_likeliest_states),
    hint="Multiply four things for neighbours: ahead, the transition, the next density, behind.",
    meaning="The M-step reads the chance to switch off such sums, as section 4 does off its table.",
    further="set stay to 0.5. Which model of lecture 00a is left?",
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


exercise_2 = Exercise(
    kept,
    [(2.0, 20, 10), (0.5, 20, 10), (1.0, 40, 8), (0.3, 400, 12)],
    mistakes=(below_zero, one_sweep, without_shrinking),
    hint="Multiply 1/alpha = w^2/D + 1/(n + alpha) by n + alpha. What cancels?",
    meaning="A column dies below the length of sqrt(D / n): a threshold, as in chapter 07c.",
    further="at which length is half of the column left?",
)


def learn_weights(blocks, S, keep) -> np.ndarray:
    """Return the sums (2,) of off and on after the `blocks` (B, n) of readings, from the sums S
    (2,): a mixture with levels -1 and 1, noise of sd 1, and a Dirichlet(1, 1) prior."""
    return _learn(blocks, S, keep, lambda S: np.exp(digamma(1 + S)))


def _learn(blocks, S, keep, weigh):
    """`learn_weights`, where `weigh` makes the weights (2,) of the sums so far."""
    for block in blocks:
        joint = weigh(S) * norm.pdf(block[:, None], [-1, 1])
        S = keep * S + (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
    return S


def by_the_mean_weights(blocks, S, keep):
    """You weigh off and on by their mean weights. VB takes e to the mean log weight: use
    digamma."""
    return _learn(blocks, S, keep, lambda S: 1 + S)


def without_the_prior(blocks, S, keep):
    """Your weights come from the sums alone. The posterior's counts are the prior's plus S."""
    return _learn(blocks, S, keep, lambda S: np.exp(digamma(S)))


def by_the_first_sums(blocks, S, keep):
    """You judge every block by the first sums. Judge each by the sums so far."""
    return _learn(blocks, S, keep, lambda _: np.exp(digamma(1 + S)))


def _blocks(rng):
    on = rng.random((int(rng.integers(2, 6)), 4)) < 0.7
    x = (2.0 * on - 1 + rng.standard_normal(on.shape)).round(1)
    return x, rng.uniform(0.5, 9, 2).round(1), float(rng.choice([0.5, 0.8, 0.9]))


exercise_3 = Exercise(
    learn_weights,
    _blocks,
    mistakes=(by_the_mean_weights, without_the_prior, by_the_first_sums),
    hint="For each block: weights from 1 + S, shares of its readings, their sums. Then the step.",
    meaning="You brought an E-step, its sums and a prior. The step is that of every model here.",
    further="let S start at zero, and keep at 1. How near does the weight of on come to 0.7?",
)
