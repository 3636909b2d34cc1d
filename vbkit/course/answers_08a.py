"""Answers to the exercises of lecture 08a, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

from vbkit.course.people import exact_prices, slopes
from vbkit.press.exercises import Exercise

# ---- 1. some answers are deterministic -----------------------------------------------


def slope_of_copy(questions, deterministic, alpha, beta):
    """Return the slope of a copy some of whose answers are deterministic."""
    mixed = questions - deterministic
    return 0.5 - alpha + mixed / 2 + deterministic * beta


def weight_forgotten(questions, deterministic, alpha, beta):
    """These are the answers alone. A copy has one more weight, too."""
    return slope_of_copy(questions, deterministic, alpha, beta) - (0.5 - alpha)


def kinds_exchanged(questions, deterministic, alpha, beta):
    """You seem to have exchanged the mixed and the deterministic answers."""
    return slope_of_copy(questions, questions - deterministic, alpha, beta)


def all_mixed(questions, deterministic, alpha, beta):
    """This is the slope if all answers were mixed. Some are deterministic."""
    return slope_of_copy(questions, 0, alpha, beta)


def earned_without_half(questions, deterministic, alpha, beta):
    """The weight lowers the slope by alpha, but it has to be learned, which adds one half."""
    return slope_of_copy(questions, deterministic, alpha, beta) - 0.5


exercise_1 = Exercise(
    slope_of_copy,
    [(4, 3, 2.0, 0.1), (4, 1, 1.0, 0.3), (10, 7, 3.0, 0.2), (6, 5, 0.5, 0.6)],
    (weight_forgotten, kinds_exchanged, all_mixed, earned_without_half),
    hint="Add one half less alpha, one half for each mixed answer, and beta for each other.",
    meaning="Each answer has a slope of its own, so kinds between the two can be priced.",
    further="beta = 1/2. Does it still matter which of the answers are deterministic?",
)

# ---- 2. how many people are enough ---------------------------------------------------


def first_power_of_ten(price, alpha, beta):
    """Return the smallest N of 10, 100, ... for which a price (N, alpha, beta) is negative;
    0 if the slope of a deterministic copy is not negative."""
    if slopes(alpha, beta).deterministic >= 0:
        return 0
    N = 10
    while price(N, alpha, beta) >= 0:
        N *= 10
    return N


def deterministic_price(N, alpha, beta):
    """Return the exact price of a deterministic copy among N people."""
    return exact_prices(N, alpha, beta).deterministic


def enough_people(alpha, beta):
    """Return from which power of ten on a deterministic copy has a negative price."""
    return first_power_of_ten(deterministic_price, alpha, beta)


def slope_alone(alpha, beta):
    """You seem to look at the slope, which is the same for every N. The price has a
    constant, too."""
    return 10 if slopes(alpha, beta).deterministic < 0 else 0


def last_positive(alpha, beta):
    """At this N the price is still positive. You stop one power of ten too early."""
    return enough_people(alpha, beta) // 10


def thousand(alpha, beta):
    """You seem to try a thousand people only. Let N grow from ten on."""
    return 1000 if exact_prices(1000, alpha, beta).deterministic < 0 else 0


def number_of_deterministic(alpha, beta):
    """You seem to return how many of the people are deterministic. The question is about
    all people."""
    return 0.4 * enough_people(alpha, beta)


exercise_2 = Exercise(
    enough_people,
    [(2.0, 0.1), (1.1, 0.1), (0.5, 0.1), (1.3, 0.15), (2.0, 0.3)],
    (slope_alone, last_positive, thousand, number_of_deterministic),
    hint="Return 0 first if 0.5 + 4 beta - alpha is not negative. Then let N grow in a loop.",
    meaning="The smaller the slope, the more people it takes to outgrow the constant.",
    further="alpha = 0.95. Why does the answer change so much?",
)
