"""Answers to the exercises of lecture 09b, and typical mistakes."""

import numpy as np
from scipy.special import digamma

from vbkit.press.exercises import Exercise


def share_of_the_unknown(beta: float, known: float) -> float:
    """Return the responsibility of a component that has seen no no, for a person who says no.

    known: so many people said no in the only other component, which is alike in all else.
    """
    bids = np.exp([digamma(beta), digamma(beta + known)])
    return float(bids[0] / bids.sum())


def isolated(R, minority) -> bool:
    """Tell whether one component of R (N, K) holds half of the minority and consists half of it.

    minority (N,): a truth value for each data point.
    """
    R = np.asarray(R, float)
    minority = np.asarray(minority, bool)
    held = R[minority].sum(axis=0)
    size = R.sum(axis=0)
    return bool(((held >= 0.5 * minority.sum()) & (held >= 0.5 * size)).any())


def bids_like_its_mean(beta, known):
    """You took the logarithm of the mean probability. The score is the mean of the logarithm,
    a difference of digammas, and near zero the two are far apart."""
    return beta / (2 * beta + known)


def gave_the_other(beta, known):
    """This is what the other component gets, the one that knows a no."""
    return 1 - share_of_the_unknown(beta, known)


def left_in_logs(beta, known):
    """You divided the scores themselves. A person goes to a component in proportion to e to
    the power of the score."""
    return digamma(beta) / (digamma(beta) + digamma(beta + known))


def different_components(R, minority):
    """You ask each question of the components separately. One and the same component has to pass
    both."""
    held = R[minority].sum(axis=0)
    size = R.sum(axis=0)
    return bool((held >= 0.5 * minority.sum()).any() and (held >= 0.5 * size).any())


def only_the_minority(R, minority):
    """You ask only how much of the minority a component holds. One component that holds everybody
    would pass that."""
    return bool((R[minority].sum(axis=0) >= 0.5 * minority.sum()).any())


def only_the_component(R, minority):
    """You ask only what a component consists of. A component with a single member of the minority
    would pass that."""
    return bool((R[minority].sum(axis=0) >= 0.5 * R.sum(axis=0)).any())


R = np.array(
    [
        [1, 0, 0],
        [0.75, 0.25, 0],
        [0.5, 0, 0.5],
        [0.25, 0.75, 0],
        [0, 0.5, 0.5],
        [0, 0, 1],
    ]
)
Q = np.array([[0.5, 0.25, 0.25], [0.75, 0.25, 0], [1, 0, 0], [1, 0, 0]])
MEMBERS = ([4], [1, 3], [0, 3], [3], [0, 3, 5], [0, 4])

exercise_1 = Exercise(
    share_of_the_unknown,
    [(1.0, 10.0), (0.3, 10.0), (0.1, 3.0)],
    mistakes=(bids_like_its_mean, gave_the_other, left_in_logs),
    hint="Everything that both components have in common cancels. What is left of the score?",
    meaning="This is how much of a person comes back to a component that lost an answer.",
    further="go down with beta until less than a thousandth of a person comes back.",
)
exercise_2 = Exercise(
    isolated,
    [(R, np.isin(np.arange(6), who)) for who in MEMBERS] + [(Q, np.arange(4) < 2)],
    mistakes=(different_components, only_the_minority, only_the_component),
    hint="Sum R over the minority, and over all data. Ask both questions of one component.",
    meaning="This is the test behind every rate of success in this lecture.",
    further="put everybody into one component. Does it belong to a minority of ten?",
)
