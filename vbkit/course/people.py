"""Unit 7's people: two kinds of them answer four questions, and three components are
offered. What VB makes of the third, and what each outcome costs.

An answer is a yes (1) or a no (0). The mixed kind answers each question with a probability
of its own; the deterministic kind always answers in the same way. The numbers of people are
ideal: each of the sixteen answer sheets occurs as often as the two kinds predict.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from vbkit.data import KAJI2011_TRUTHS
from vbkit.families.bernoulli import binary_vectors
from vbkit.phases import first_of_the_lowest, solve, structured_starts

KINDS = KAJI2011_TRUTHS["B"]
MIXED, DETERMINISTIC = KINDS.means  # probabilities of a yes, (4,)
SHARES = KINDS.weights  # of the mixed and of the deterministic kind, (2,)
SHEETS = binary_vectors(4).astype(float)  # all answer sheets, (16, 4)
QUESTIONS = SHEETS.shape[1]
OFFERED = 3  # components
NEVER_VARIES = 0.02  # an answer whose rarer value has a smaller share in its component
OUTCOMES = {  # of the third component, in words
    "empty": "empty",
    "mixed": "a second copy of the mixed kind",
    "deterministic": "a second copy of the deterministic kind",
    "part": "a part of the mixed kind",
}


def sheets_handed_in(N: float) -> np.ndarray:
    """Return how many of N people hand in each of the SHEETS, (16,); these need not be
    whole numbers."""
    return N * KINDS.probabilities()


# ---- prices --------------------------------------------------------------------------


class Prices(NamedTuple):
    """What F gains by a second copy of either kind, compared with an empty component."""

    deterministic: float
    mixed: float


def added_to_F(n, yes, concentration, pseudo_count) -> float:
    """Return what a component adds to F in nats, beside the entropy of the labels.

    n: how many people it holds; yes (D,): how many of them say yes to each question.
    """
    answers = gammaln(2 * pseudo_count + n) - gammaln(pseudo_count + yes)
    answers = answers - gammaln(pseudo_count + n - yes)
    return float(answers.sum() - gammaln(concentration + n))


def price_of_copy(n, yes, concentration, pseudo_count) -> float:
    """Return F of two equal halves less F of the whole and an empty component, in nats.

    n: how many people the whole holds; yes (D,): how many of them say yes.
    """
    yes = np.asarray(yes, float)
    entropy = n * np.log(2)  # of the labels
    halves = 2 * added_to_F(n / 2, yes / 2, concentration, pseudo_count) - entropy
    whole = added_to_F(n, yes, concentration, pseudo_count)
    return float(halves - whole - added_to_F(0, 0 * yes, concentration, pseudo_count))


def exact_prices(N, concentration, pseudo_count) -> Prices:
    """Return the Prices in nats among N people."""
    mixed, deterministic = N * SHARES
    return Prices(
        price_of_copy(
            deterministic, deterministic * DETERMINISTIC, concentration, pseudo_count
        ),
        price_of_copy(mixed, mixed * MIXED, concentration, pseudo_count),
    )


def slopes(concentration, pseudo_count, dimension=QUESTIONS) -> Prices:
    """Return the slopes of the Prices against log N, for so many questions."""
    weight = 0.5 - concentration
    return Prices(weight + dimension * pseudo_count, weight + dimension / 2)


# ---- what VB finds -------------------------------------------------------------------


def mean_answers(S, pseudo_count: float) -> np.ndarray:
    """Return the mean probabilities of a yes (K, 4) of components with the state S (K, 9):
    people, yes to each question, no to each question."""
    return (S[:, 1:5] + pseudo_count) / (S[:, :1] + 2 * pseudo_count)


class End(NamedTuple):
    """Where VB ends with three components.

    The first describes the mixed kind, the second the deterministic kind, and the third is
    the one too many.
    """

    S: np.ndarray  # (3, 9): people, yes to each question, no to each question
    free_energy: float  # nats

    @property
    def counts(self) -> np.ndarray:
        """Return how many people each component holds, (3,)."""
        return self.S[:, 0]

    def answers(self, pseudo_count) -> np.ndarray:
        """Return the mean probabilities of a yes, (3, 4)."""
        return mean_answers(self.S, pseudo_count)

    @property
    def outcome(self) -> str:
        """Return what the third component is, a key of OUTCOMES.

        It counts as empty with fewer people than the fourth root of all.
        """
        if self.counts[2] < self.counts.sum() ** 0.25:
            return "empty"
        # the halves of the mixed kind may be either of the first and the third component
        certain = certain_answers(self.S)
        if certain[2] == QUESTIONS:
            return "deterministic"
        return "part" if max(certain[0], certain[2]) > 0 else "mixed"


def certain_answers(S) -> np.ndarray:
    """Return how many answers (nearly) never vary in each component of S (K, 9), (K,)."""
    rarer = np.minimum(S[:, 1:5], S[:, 5:])
    return (rarer < NEVER_VARIES * S[:, :1]).sum(axis=1)


def in_order(S) -> np.ndarray:
    """Return S (3, 9) with the largest deterministic component second, and the largest of
    the others first."""
    deterministic = (certain_answers(S) == QUESTIONS) & (S[:, 0] > 1)
    second = np.where(deterministic, S[:, 0], -1).argmax()
    others = [k for k in np.argsort(-S[:, 0], kind="stable") if k != second]
    first = min(others, key=lambda k: deterministic[k])
    (third,) = {0, 1, 2} - {first, second}
    return S[[first, second, third]]


@lru_cache(16)
def starts_among(N: float) -> np.ndarray:
    """Return the states (n, 3, 9) from which VB starts among N people.

    Each begins with the two kinds, and the third component is empty, or holds half of a
    kind, or those of the mixed kind who say yes to one of the questions.
    """
    names, states = structured_starts(KINDS, OFFERED, N)
    begin = ("empty", "duplicate of", "cut of 0")
    return states[[name.startswith(begin) for name in names]]


def lowest_ends(N: float, concentrations, pseudo_counts) -> list[End]:
    """Return the End with the lowest F of all starts for each of n priors, (n,) and (n,).

    Of mirror images, which have the same F, it is the first (`first_of_the_lowest`).
    """
    starts = starts_among(N)
    number = len(concentrations)
    ends = solve(
        sheets_handed_in(N),
        np.tile(starts, (number, 1, 1)),
        np.repeat(concentrations, len(starts)),
        np.repeat(pseudo_counts, len(starts)),
        max_iterations=400,
    )
    states = ends.S.reshape(number, *starts.shape)
    lowest = []
    for S, F in zip(states, ends.free_energy.reshape(number, -1), strict=True):
        best = first_of_the_lowest(F)
        lowest.append(End(in_order(S[best]), float(F[best])))
    return lowest


def prices_of_vb(N: float, concentration: float, pseudo_count: float) -> Prices:
    """Return the Prices in nats where VB may move people, from both copies and from an
    empty component."""
    starts = starts_among(N)[:3]  # empty, mixed copy, deterministic copy
    empty, mixed, deterministic = solve(
        sheets_handed_in(N), starts, concentration, pseudo_count, max_iterations=400
    ).free_energy
    return Prices(float(deterministic - empty), float(mixed - empty))


def lowest_end(N: float, concentration: float, pseudo_count: float) -> End:
    """Return the End with the lowest F of all starts, for one prior."""
    (end,) = lowest_ends(N, [concentration], [pseudo_count])
    return end
