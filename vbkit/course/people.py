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
from vbkit.families import BetaBernoulli
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


def states_of(labels, counts) -> np.ndarray:
    """Return the states (n, K, 9) of n choices of labels (n, 16, K), which say for each of
    the SHEETS which share of the counts (16,) belongs to each component."""
    rows = BetaBernoulli(QUESTIONS).statistics(SHEETS)
    divided = labels * np.asarray(counts)[:, None]
    return np.swapaxes(divided, 1, 2) @ rows


# ---- prices --------------------------------------------------------------------------


class Prices(NamedTuple):
    """What F gains by a second copy of either kind, compared with an empty component."""

    deterministic: float
    mixed: float


def added_to_F(n, yes, concentration, pseudo_count):
    """Return what a component adds to F in nats, beside the entropy of the labels.

    n: how many people it holds; yes (D,): how many of them say yes to each question. The
    numbers of the prior may be arrays: what is returned has the shape to which they
    broadcast.
    """
    beta = np.expand_dims(pseudo_count, -1)  # of each question
    answers = gammaln(2 * beta + n) - gammaln(beta + yes)
    answers = answers - gammaln(beta + n - yes)
    return answers.sum(axis=-1) - gammaln(np.add(concentration, n))


class Group(NamedTuple):
    """What a component holds: n people, and how many of them say yes to each question."""

    n: float
    yes: np.ndarray  # (D,)

    def added_to_F(self, concentration, pseudo_count):
        """Return `added_to_F` of this component."""
        return added_to_F(self.n, self.yes, concentration, pseudo_count)


class Division(NamedTuple):
    """How two components hold what one held beside an empty one."""

    whole: Group
    parts: tuple[Group, Group]
    labels: float  # what these add to F in nats: minus their entropy

    def price(self, concentration, pseudo_count):
        """Return F of the parts less F of the whole and an empty component, in nats.

        The numbers of the prior may be arrays, as of `added_to_F`.
        """
        nobody = Group(0.0, np.zeros_like(self.whole.yes))
        divided = self.labels
        for part in self.parts:
            divided = divided + part.added_to_F(concentration, pseudo_count)
        undivided = self.whole.added_to_F(concentration, pseudo_count)
        undivided = undivided + nobody.added_to_F(concentration, pseudo_count)
        return divided - undivided


def copies(n, yes) -> Division:
    """Return the Division of n people into two equal halves; yes (D,): how many say yes."""
    yes = np.asarray(yes, float)
    half = Group(n / 2, yes / 2)
    return Division(Group(n, yes), (half, half), -n * np.log(2))


def price_of_copy(n, yes, concentration, pseudo_count) -> float:
    """Return F of two equal halves less F of the whole and an empty component, in nats.

    n: how many people the whole holds; yes (D,): how many of them say yes.
    """
    return float(copies(n, yes).price(concentration, pseudo_count))


def copies_of_kinds(N) -> dict[str, Division]:
    """Return the Division of either kind among N people into two copies, by its name."""
    mixed, deterministic = N * SHARES
    return {
        "mixed": copies(mixed, mixed * MIXED),
        "deterministic": copies(deterministic, deterministic * DETERMINISTIC),
    }


def exact_prices(N, concentration, pseudo_count) -> Prices:
    """Return the Prices in nats among N people."""
    divisions = copies_of_kinds(N)
    return Prices(
        deterministic=float(
            divisions["deterministic"].price(concentration, pseudo_count)
        ),
        mixed=float(divisions["mixed"].price(concentration, pseudo_count)),
    )


def slopes(concentration, pseudo_count, dimension=QUESTIONS) -> Prices:
    """Return the slopes of the Prices against log N, for so many questions."""
    weight = 0.5 - concentration
    return Prices(weight + dimension * pseudo_count, weight + dimension / 2)


# ---- what VB finds -------------------------------------------------------------------


def mean_answers(S, pseudo_count: float) -> np.ndarray:
    """Return the mean probabilities of a yes (K, D) of components with the state
    S (K, 1 + 2 D): people, yes to each question, no to each question."""
    questions = S.shape[1] // 2
    yes = S[:, 1 : questions + 1]
    return (yes + pseudo_count) / (S[:, :1] + 2 * pseudo_count)


class End(NamedTuple):
    """Where VB ends with three components, of which the third is the one too many."""

    S: np.ndarray  # (3, 9): people, yes to each question, no to each question
    free_energy: float  # nats
    outcome: str  # what the third component is, a key of OUTCOMES

    @property
    def counts(self) -> np.ndarray:
        """Return how many people each component holds, (3,)."""
        return self.S[:, 0]

    def answers(self, pseudo_count) -> np.ndarray:
        """Return the mean probabilities of a yes, (3, 4)."""
        return mean_answers(self.S, pseudo_count)


def certain_answers(S, share: float = NEVER_VARIES) -> np.ndarray:
    """Return how many answers (nearly) never vary in each component of S (K, 1 + 2 D), (K,):
    those whose rarer value has less than a share."""
    questions = S.shape[1] // 2
    rarer = np.minimum(S[:, 1 : questions + 1], S[:, questions + 1 :])
    return (rarer < share * S[:, :1]).sum(axis=1)


def in_order(S) -> np.ndarray:
    """Return S (3, 9) with the largest deterministic component second, and the largest of
    the others first."""
    deterministic = (certain_answers(S) == QUESTIONS) & (S[:, 0] > 1)
    second = np.where(deterministic, S[:, 0], -1).argmax()
    others = [k for k in np.argsort(-S[:, 0], kind="stable") if k != second]
    first = min(others, key=lambda k: deterministic[k])
    (third,) = {0, 1, 2} - {first, second}
    return S[[first, second, third]]


def is_empty(S) -> bool:
    """Return whether the third of the components S (3, 9) counts as empty: with fewer people
    than the fourth root of all."""
    counts = S[:, 0]
    return counts[2] < counts.sum() ** 0.25


def outcome_of(S) -> str:
    """Return what the third of the components S (3, 9) is, a key of OUTCOMES; they are
    `in_order`."""
    if is_empty(S):
        return "empty"
    # the halves of the mixed kind may be either of the first and the third component
    certain = certain_answers(S)
    if certain[2] == QUESTIONS:
        return "deterministic"
    return "part" if max(certain[0], certain[2]) > 0 else "mixed"


@lru_cache(16)
def starts_among(N: float) -> dict[str, np.ndarray]:
    """Return the states (3, 9) from which VB starts among N people, by name.

    Each begins with the two kinds, and the third component is empty, or holds half of a
    kind, or those of the mixed kind who say yes to one of the questions.
    """
    names, states = structured_starts(KINDS, OFFERED, N)
    begin = ("empty", "duplicate of", "cut of 0")
    return {
        name: S for name, S in zip(names, states, strict=True) if name.startswith(begin)
    }


def lowest_ends(N: float, concentrations, pseudo_counts) -> list[End]:
    """Return the End with the lowest F of all starts for each of n priors, (n,) and (n,).

    Its first component describes the mixed kind, the second the deterministic kind. Of
    mirror images, which have the same F, it is the first (`first_of_the_lowest`).
    """
    starts = np.array([*starts_among(N).values()])
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
        ordered = in_order(S[best])
        lowest.append(End(ordered, float(F[best]), outcome_of(ordered)))
    return lowest


def prices_of_vb(N: float, concentration: float, pseudo_count: float) -> Prices:
    """Return the Prices in nats where VB may move people, from both copies and from an
    empty component."""
    starts = starts_among(N)
    names = "empty", "duplicate of 0", "duplicate of 1"
    empty, mixed, deterministic = solve(
        sheets_handed_in(N),
        np.array([starts[name] for name in names]),
        concentration,
        pseudo_count,
        max_iterations=400,
    ).free_energy
    return Prices(float(deterministic - empty), float(mixed - empty))


def lowest_end(N: float, concentration: float, pseudo_count: float) -> End:
    """Return the End with the lowest F of all starts, for one prior."""
    (end,) = lowest_ends(N, [concentration], [pseudo_count])
    return end
