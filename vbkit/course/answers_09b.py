"""Answers to the exercises of lecture 09b, and typical mistakes."""

import numpy as np
from scipy.special import digamma, polygamma

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


def slope_of_the_even_split(people: float, beta: float) -> float:
    """Return how much one sweep multiplies a small lead, if two components alike in all else
    share the people who say no evenly."""
    return float(people / 2 * polygamma(1, people / 2 + beta))


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


def slope_of_the_bid(people, beta):
    """This is how the score changes with the number of people. A lead also has to be shared
    out: differentiate the new number, not the score."""
    return float(polygamma(1, people / 2 + beta))


def slope_without_the_prior(people, beta):
    """You left out the pseudo-count, which is added to each number before the digamma."""
    return float(people / 2 * polygamma(1, people / 2))


def slope_with_one_half_too_many(people, beta):
    """You differentiated one component's bid only. If one has x more, the other has x less,
    and both bids change."""
    return float(people / 4 * polygamma(1, people / 2 + beta))


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
    further="let it judge the handwritten digits.",
)
exercise_3 = Exercise(
    slope_of_the_even_split,
    [(20.0, 0.3), (8.0, 1.0), (100.0, 0.01)],
    mistakes=(slope_of_the_bid, slope_without_the_prior, slope_with_one_half_too_many),
    hint="Let the two hold m/2 + x and m/2 - x, and differentiate the new number at x = 0.",
    meaning="A pseudo-count below one half turns every even split into all or nothing.",
    further="compare it with the concentration at which a copy fades, in lecture 01b.",
)
