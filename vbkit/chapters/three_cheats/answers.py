"""Answers to the exercises of chapter 08b, and the mistakes that are recognised."""

import numpy as np

from vbkit.binary import Truth
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.theory import coefficient, solve, structured_starts
from vbkit.workbook.exercises import Exercise


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


exercise_1 = Exercise(
    two_readings,
    [(1.0, 0.2), (0.3, 0.3), (2.0, 0.4)],
    mistakes=(_all_mixed, _half_more, _two_first, _third_counts),
    hint="Which components are in use, and which of their questions have a rarer answer?",
    meaning="Their difference is 4 b - a, so three clusters win for a above 4 b.",
    further="find the same switch on the explorer, and see how slowly it gets there.",
)


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
    """A rare pattern hides fewer stolen data. Yours hides more: is p upside down?"""
    return np.sqrt(-price * total * (1 - probability) / probability)


exercise_2 = Exercise(
    best_size,
    [(1e6, 0.15, -1.1), (1e4, 0.15, -1.1), (1e9, 0.02, -0.3)],
    mistakes=(_no_half, _no_root, _p_upside_down),
    hint="Set the derivative in n to zero.",
    meaning="The best size is a multiple of the square root of N: neither a share nor a handful.",
    further="compare with the dot of the explorer at a = 2, b = 0.1.",
)


def smallest_exponent(truth: Truth, n_components: int, total: float, a: float, b: float) -> float:
    """Return log N_min / log N of the lowest minimum over the structured starts.

    N_min is the count of the smallest component.
    """
    _, starts = structured_starts(truth, n_components, total)
    ends = solve(total * truth.probabilities(), starts, a, b)
    S = ends.S[ends.free_energy.argmin()]
    return float(np.log(S[:, 0].min()) / np.log(total))


def _not_divided(truth, n_components, total, a, b):
    """This is the logarithm of the count. Compare it with the logarithm of N."""
    return smallest_exponent(truth, n_components, total, a, b) * np.log(total)


def _ends(truth, n_components, total, a, b):
    starts = structured_starts(truth, n_components, total)[1]
    return solve(total * truth.probabilities(), starts, a, b)


def _highest(truth, n_components, total, a, b):
    """You keep the highest minimum. F is minimized: the lowest one wins."""
    ends = _ends(truth, n_components, total, a, b)
    smallest = ends.S[ends.free_energy.argmax()][:, 0].min()
    return float(np.log(smallest) / np.log(total))


def _first(truth, n_components, total, a, b):
    """You look at the first start only. Compare the free energies of all of them."""
    smallest = _ends(truth, n_components, total, a, b).S[0][:, 0].min()
    return float(np.log(smallest) / np.log(total))


A, B = TRUTHS["A"], TRUTHS["B"]
exercise_3 = Exercise(
    smallest_exponent,
    [(A, 3, 1e6, 2.0, 0.1), (B, 3, 1e6, 2.0, 0.1), (B, 4, 1e4, 3.5, 0.9), (B, 3, 1e6, 0.5, 0.3)],
    mistakes=(_not_divided, _highest, _first),
    hint="Patterns: total times truth.probabilities(). Counts: the first column of a state S.",
    meaning="One half says small vertex, one says a share of the data, zero or less says empty.",
    further="give truth A four and five components at (2, 0.1): do small vertices still win?",
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


exercise_4 = Exercise(
    cut_price,
    [(4, 1, 3.5, 0.2), (4, 2, 3.5, 0.2), (5, 1, 2.0, 0.4), (6, 3, 1.0, 0.1)],
    mistakes=(_one_half_only, _from_zero, _duplicate),
    hint="Two components with j pinned questions, less one with j - 1.",
    meaning="Each cut is cheaper than the one before by 1/2 - b.",
    further="with many components to spare, when do cuts beat small vertices at (2, 0.1)?",
)


def new_line(dimension, b):
    """The a at which a small vertex and a first cut cost the same."""
    return dimension - 1.5 + (4 - dimension) * b


def _against_duplicate(dimension, b):
    """You compare the small vertex with a duplicate. Below b = 1/2 the cut is cheaper than that."""
    return dimension + 0.5 - dimension * b


def _four_only(dimension, b):
    """Right for four questions, where the line is upright. In general it leans."""
    return dimension - 1.5 + 0.0 * b


def _corner(dimension, b):
    """This is the corner of the diagram. The line starts there, but for other b it leans away."""
    return dimension / 2 + 0.5


exercise_5 = Exercise(
    new_line,
    [(4, 0.1), (6, 0.1), (3, 0.25), (10, 0.5)],
    mistakes=(_four_only, _corner, _against_duplicate),
    hint="Half of one half - a + M b equals (M - 1)/2 + 2 b - a.",
    meaning="This line is not in the thesis's Figure 5.1.",
    further="check that it passes through the corner at b = 1/2 for every M.",
)
