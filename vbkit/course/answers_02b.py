"""Answers to the exercises of lecture 02b, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

from math import comb

from vbkit.press.exercises import Exercise

# ---- 1. what luck alone does ---------------------------------------------------------


def luck_alone(rescued, lost):
    """Return the p-value of a sign test: so many heads or more in rescued + lost tosses."""
    return ways(rescued + lost, rescued) / 2 ** (rescued + lost)


def ways(n, least):
    """Return how many sequences of n tosses have at least so many heads."""
    return sum(comb(n, k) for k in range(least, n + 1))


def exactly_so_many(rescued, lost):
    """This is the probability of exactly so many rescues. A larger number would have
    impressed you as well."""
    return comb(rescued + lost, rescued) / 2 ** (rescued + lost)


def more_than_so_many(rescued, lost):
    """You left out the number of rescues that was observed. "At least" includes it."""
    return ways(rescued + lost, rescued + 1) / 2 ** (rescued + lost)


def the_losses(rescued, lost):
    """This is the probability of at least so many losses. Ask the question for the
    rescues."""
    return luck_alone(lost, rescued)


def number_of_sequences(rescued, lost):
    """You counted the sequences. Divide by the number of all sequences."""
    return ways(rescued + lost, rescued)


exercise_1 = Exercise(
    luck_alone,
    [(12, 10), (3, 0), (9, 2), (4, 7)],
    (exactly_so_many, more_than_so_many, the_losses, number_of_sequences),
    hint="Add up comb(n, k) from the observed number of rescues to n, over 2^n.",
    meaning="A few lines of counting tell what luck alone would do.",
    further="(30, 20) and (60, 40). The share of rescues is the same; is the evidence?",
)


# ---- 2. how many rescues are needed --------------------------------------------------


def rescues_needed(pairs, limit):
    """Return the least number of rescues whose p-value is at most the limit."""
    rescued = 0
    while rescued <= pairs and luck_alone(rescued, pairs - rescued) > limit:
        rescued += 1
    return rescued


def one_too_few(pairs, limit):
    """With one rescue less, luck is above the limit. You stopped one step too early."""
    return rescues_needed(pairs, limit) - 1


def both_sides(pairs, limit):
    """You doubled the p-value. We ask only whether the one method is better."""
    return rescues_needed(pairs, limit / 2)


def losses_allowed(pairs, limit):
    """This is the number of losses that are allowed. How many rescues are left?"""
    return pairs - rescues_needed(pairs, limit)


def exactly(pairs, limit):
    """You compared the probability of exactly so many rescues with the limit, and not
    that of so many or more."""
    rescued = 0
    while exactly_so_many(rescued, pairs - rescued) > limit:
        rescued += 1
    return rescued


exercise_2 = Exercise(
    rescues_needed,
    [(5, 0.05), (22, 0.05), (10, 0.01), (40, 0.05), (100, 0.001)],
    (one_too_few, both_sides, losses_allowed, exactly),
    hint="Try 0, 1, 2, ... rescues, and stop at the first whose p-value is small enough.",
    meaning="With few pairs only a landslide is told from luck.",
    further="pairs = 4. What does your function return, and what does this mean?",
)


# ---- 3. ties drop out ----------------------------------------------------------------


def probability_of_rescues(a, b, rescued, lost):
    """Return the probability of so many rescues among rescued + lost pairs that differ.

    a, b: the probabilities of a rescue and of a loss in a pair, ties included.
    """
    p = a / (a + b)
    return comb(rescued + lost, rescued) * p**rescued * (1 - p) ** lost


def one_sequence(a, b, rescued, lost):
    """This is the probability of one sequence. In how many orders can the rescues come?"""
    return probability_of_rescues(a, b, rescued, lost) / comb(rescued + lost, rescued)


def with_ties(a, b, rescued, lost):
    """You used a and b themselves. We know that these pairs differ: divide by the
    probability of that."""
    return comb(rescued + lost, rescued) * a**rescued * b**lost


def not_rescued(a, b, rescued, lost):
    """You used a and 1 - a, so a tie counts as a loss. What is the probability of a rescue
    if a pair differs?"""
    return comb(rescued + lost, rescued) * a**rescued * (1 - a) ** lost


def exchanged(a, b, rescued, lost):
    """You exchanged rescues and losses."""
    return probability_of_rescues(b, a, rescued, lost)


exercise_3 = Exercise(
    probability_of_rescues,
    [(0.12, 0.1, 3, 2), (0.3, 0.1, 4, 1), (0.05, 0.2, 2, 5), (0.5, 0.25, 6, 0)],
    (one_sequence, with_ties, not_rescued, exchanged),
    hint="If a pair differs, it is a rescue with the probability a / (a + b).",
    meaning="Only the ratio of a and b is left: how many pairs are alike does not matter.",
    further="a = b, for several values of a.",
)
