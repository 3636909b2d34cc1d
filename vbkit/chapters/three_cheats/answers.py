"""Answers to the exercises of chapter 08c, and the mistakes that are recognised."""

import numpy as np

from vbkit.press.exercises import Exercise
from vbkit.theory import coefficient


def best_size(total, probability, price):
    """The size that minimizes price log n + n^2 (1 - p) / (2 N p), for a negative price."""
    return np.sqrt(-price * total * probability / (1 - probability))


def _no_half(total, probability, price):
    """The slope of n squared over two is n. Check the factor two in the derivative."""
    return best_size(total, probability, price) / np.sqrt(2)


def _no_root(total, probability, price):
    """You found the square of the size. Solve for n itself."""
    return best_size(total, probability, price) ** 2


def _p_upside_down(total, probability, price):
    """A rare pattern hides fewer stolen people. Yours hides more: is p upside down?"""
    return np.sqrt(-price * total * (1 - probability) / probability)


exercise_1 = Exercise(
    best_size,
    [(1e6, 0.15, -1.1), (1e4, 0.15, -1.1), (1e9, 0.02, -0.3)],
    mistakes=(_no_half, _no_root, _p_upside_down),
    hint="Set the derivative in n to zero.",
    meaning="The best size is a multiple of the square root of N: neither a share nor a handful.",
    further="compare with the explorer at p = 0.16: it takes more, as the robbed component adapts.",
)


def two_readings(a, b):
    """Prices in units of log N of the three- and the two-cluster reading, M = 3."""
    pinned = 0.5 - a + 3 * b
    return 3 * pinned, 2 * pinned + 0.5 - b


def _all_mixed(a, b):
    """With two clusters only one of the three questions is mixed, not all of them."""
    return 3 * (0.5 - a + 3 * b), (0.5 - a + 3 * b) + (2 - a)


def _half_more(a, b):
    """A mixed question costs one half in place of b. You charge both."""
    pinned = 0.5 - a + 3 * b
    return 3 * pinned, 2 * pinned + 0.5


def _two_first(a, b):
    """These are the right prices in the other order. Return that of three clusters first."""
    return two_readings(a, b)[::-1]


def _third_counts(a, b):
    """The reading with two clusters leaves the third component empty, and empty costs nothing."""
    pinned = 0.5 - a + 3 * b
    return 3 * pinned, 3 * pinned + 0.5 - b


exercise_2 = Exercise(
    two_readings,
    [(1.0, 0.2), (0.3, 0.3), (2.0, 0.4)],
    mistakes=(_all_mixed, _half_more, _two_first, _third_counts),
    hint="Which components are in use, and which of their questions have a rarer answer?",
    meaning="Their difference is 4 b - a, so three clusters win for a above 4 b.",
    further="at b = 0.1, which reading wins at a = 0.3 and which at a = 0.5?",
)


def cut_price(dimension: int, cut: int, a: float, b: float) -> float:
    """Return by how much the `cut`-th cut of a mixed component raises the coefficient."""

    def price(pinned):
        minorities = [0.0] * pinned + [1.0] * (dimension - pinned)
        return coefficient([1.0], [minorities], a, b) - (a - 0.5)

    return 2 * price(cut) - price(cut - 1)


def _one_half_only(dimension, cut, a, b):
    """A cut makes two components out of one. You count only one of them."""
    return -(0.5 - b)


def _from_zero(dimension, cut, a, b):
    """You count the cuts from zero. The first cut turns no pinned question into one."""
    return (dimension - cut - 1) / 2 + (cut + 2) * b - a


def _duplicate(dimension, cut, a, b):
    """This is the price of a second mixed component. After a cut both halves have a pinned
    question."""
    return (dimension + 1) / 2 - a


exercise_3 = Exercise(
    cut_price,
    [(4, 1, 3.5, 0.2), (4, 2, 3.5, 0.2), (5, 1, 2.0, 0.4), (6, 3, 1.0, 0.1)],
    mistakes=(_one_half_only, _from_zero, _duplicate),
    hint="Two components with j pinned questions, less one with j - 1.",
    meaning="Each cut is cheaper than the one before by 1/2 - b.",
    further="at (2, 0.1) compare three cuts with three small vertices.",
)
