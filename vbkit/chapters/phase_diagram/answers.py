"""Answers to the exercises of chapter 08a, and the mistakes that are recognised."""

import numpy as np
from scipy.special import betaln, gammaln

from vbkit.workbook.exercises import Exercise


def duplicate_cost(n, ones, a, b):
    """Exact change of F (nats) when a component with n data and `ones` (M,) becomes two halves."""
    ones = np.asarray(ones, float)

    def kept(share):  # the terms of one component with this share of the data
        value = -gammaln(a + share * n)
        return value - betaln(b + share * ones, b + share * (n - ones)).sum()

    return float(2 * kept(0.5) - kept(1.0) - kept(0.0) - n * np.log(2))


def _no_labels(n, ones, a, b):
    """You left out the labels. Nobody knows which of two equal halves a data point belongs to, and
    this uncertainty lowers F. Look at the sum of r log r."""
    return duplicate_cost(n, ones, a, b) + n * np.log(2)


def _empty_is_free(n, ones, a, b):
    """You compare two halves with one whole. But the empty component was there before, and its
    log-gammas are not zero."""
    empty = -gammaln(a) - len(ones) * betaln(b, b)
    return duplicate_cost(n, ones, a, b) + empty


def _gain(n, ones, a, b):
    """This is what the split gains. A cost is F after the split minus F before it."""
    return -duplicate_cost(n, ones, a, b)


DUPLICATES = [
    (400, np.array([400, 400, 0, 0]), 2.0, 0.1),
    (600, np.array([120, 180, 480, 420]), 2.0, 0.1),
    (600, np.array([120, 180, 480, 420]), 4.0, 0.8),
    (50, np.array([50, 10]), 1.0, 1.0),
]
exercise_1 = Exercise(
    duplicate_cost,
    DUPLICATES,
    mistakes=(_no_labels, _empty_is_free, _gain),
    hint="Write a function for the terms of one component that has a given share of the data.",
    meaning="You can now price a duplicate at any sample size, constants and all.",
    further="divide by log n for n = 1e3, 1e6, 1e9 and compare with the price list.",
)


def border(a, dimension):
    """The b below which the redundant component becomes black and white; 0 where it never does."""
    return max(0.0, min(0.5, (a - 0.5) / dimension))


def _no_half(a, dimension):
    """You follow the slanted line beyond the corner. For large a another offer sets the border."""
    return max(0.0, (a - 0.5) / dimension)


def _negative(a, dimension):
    """For small a this is negative, and b cannot be. There the component stays empty at every b."""
    return min(0.5, (a - 0.5) / dimension)


def _printed(a, dimension):
    """This is the slanted line as the thesis's corollary prints it. It misses the corner of the
    diagram. Solve one half minus a plus M b = 0 for b."""
    return max(0.0, min(0.5, a / dimension - 0.5))


exercise_2 = Exercise(
    border,
    [(0.3, 4), (1.3, 4), (2.0, 10), (4.0, 4), (2.4, 3), (9.0, 20)],
    mistakes=(_no_half, _negative, _printed),
    hint="A black-and-white duplicate must beat two rivals, the empty one and the mixed one.",
    meaning="With many questions the triangle is flat: only tiny b give black-and-white copies.",
    further="twenty questions and a = 1: how small must b be?",
)


def corner(dimension, levels):
    """The corner (a, b) of the diagram if each question has `levels` possible answers."""
    return 0.5 + dimension * (levels - 1) / 2, 0.5


def _binary(dimension, levels):
    """This is the corner for two answers. With more of them, more rarer answers leave a term."""
    return (dimension + 1) / 2, 0.5


def _every_answer(dimension, levels):
    """You count all answers of a question. The probabilities sum to 1, so one of them is not
    free."""
    return 0.5 + dimension * levels / 2, 0.5


def _other_way(dimension, levels):
    """These are the right numbers in the other order. Return a first, then b."""
    return 0.5, 0.5 + dimension * (levels - 1) / 2


def _jeffreys_guess(dimension, levels):
    """Your a is right. The price b is paid once for each rarer answer, and a mixed one costs one
    half: they tie at the same b for any number of answers."""
    return 0.5 + dimension * (levels - 1) / 2, 1 / levels


exercise_3 = Exercise(
    corner,
    [(4, 2), (4, 3), (10, 5), (1, 7)],
    mistakes=(_binary, _every_answer, _other_way, _jeffreys_guess),
    hint="Replace the four log-gammas: the sum has L b, and there are L - 1 rarer answers.",
    meaning="The critical b is one half however many answers there are: it is Jeffreys' prior.",
    further="20 questions with 5 answers each: above which a do mixed duplicates pay?",
)
