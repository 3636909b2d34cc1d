"""Partial structures: what one component too many can be beside an empty one and a copy, and
what it costs. For lecture 08c: two mixed kinds, and the four questions and three components of
`people`.

Labels R (16, 3) say which share of those who hand in each answer sheet belongs to each
component. The numbers of people are ideal, as in `people`.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, xlogy

from vbkit.course.people import (
    OFFERED,
    QUESTIONS,
    SHEETS,
    End,
    certain_answers,
    is_empty,
    states_of,
)
from vbkit.data import KAJI2011_TRUTHS
from vbkit.families import BetaBernoulli
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.phases import first_of_the_lowest, solve, structured_starts
from vbkit.theory import free_energy_terms

TWO_MIXED = KAJI2011_TRUTHS["A"]  # two mixed kinds, and nobody deterministic
OUTCOMES = {  # of the third component, in words
    "empty": "empty",
    "mixed": "a mixed copy",
    "part": "a part of a mixed kind",
    "small": "a small component",
}
SWEEPS = 3_000  # while a slider moves; enough, but for how two mixed copies share
ENOUGH_SWEEPS = 30_000


# ---- labels, and what they cost ------------------------------------------------------


def labels_apart() -> np.ndarray:
    """Return the labels R (16, 3) that keep the two mixed kinds apart, as far as the answers
    tell them apart, and leave the third component empty."""
    joint = TWO_MIXED.joint(SHEETS)
    R = np.zeros((len(SHEETS), OFFERED))
    R[:, :2] = joint / joint.sum(axis=1, keepdims=True)
    return R


class Held(NamedTuple):
    """What the components hold under n choices of labels."""

    people: np.ndarray  # (n, 3)
    yes: np.ndarray  # (n, 3, 4), to each question
    no: np.ndarray  # (n, 3, 4)


def held_by(R, counts) -> Held:
    """Return what the components hold under labels R (n, 16, 3), where counts (16,) people
    hand in each sheet."""
    S = states_of(R, counts)
    return Held(S[:, :, 0], S[:, :, 1:5], S[:, :, 5:])


def free_energies(R, counts, concentration, pseudo_count) -> np.ndarray:
    """Return F (n,) in nats of labels R (n, 16, 3), up to a constant that all labels
    share."""
    held = held_by(R, counts)
    answers = gammaln(2 * pseudo_count + held.people) * QUESTIONS
    for numbers in (held.yes, held.no):
        answers = answers - gammaln(pseudo_count + numbers).sum(axis=2)
    weights = -gammaln(concentration + held.people)
    labels = (counts[:, None] * xlogy(R, R)).sum(axis=(1, 2))
    return (weights + answers).sum(axis=1) + labels


def misfits(R, counts) -> np.ndarray:
    """Return minus the log likelihood (n,) in nats of labels R (n, 16, 3) with the weights
    and answers that suit them best: the part of F that is about the fit, not the prior."""
    held = held_by(R, counts)
    answers = xlogy(held.people, held.people) * QUESTIONS
    for numbers in (held.yes, held.no):
        answers = answers - xlogy(numbers, numbers).sum(axis=2)
    weights = -xlogy(held.people, held.people)
    labels = (counts[:, None] * xlogy(R, R)).sum(axis=(1, 2))
    return (weights + answers).sum(axis=1) + labels


# ---- what VB finds -------------------------------------------------------------------


def outcome_of(S) -> str:
    """Return what the third of the components S (3, 9) is, a key of OUTCOMES; the largest is
    the first."""
    if is_empty(S):
        return "empty"
    certain = certain_answers(S)
    if certain[2] == QUESTIONS:
        return "small"
    return "part" if certain.max() > 0 else "mixed"


def largest_first(S, free_energy: float) -> End:
    """Return the End at a state S (3, 9), with the largest component first."""
    people = S[:, 0].round(3)  # so that rounding does not order two equal halves
    ordered = S[np.argsort(-people, kind="stable")]
    return End(ordered, float(free_energy), outcome_of(ordered))


@lru_cache(64)
def starts_of(N: float) -> np.ndarray:
    """Return the states (n, 3, 9) from which VB starts among N people of two mixed kinds.

    The kinds are mirror images of each other, so that one of them is enough.
    """
    names, states = structured_starts(TWO_MIXED, OFFERED, N)
    of_second_kind = [" of 1" in name or " at 1" in name for name in names]
    return states[np.logical_not(of_second_kind)]


def lowest_found(
    N: float, concentration: float, pseudo_count: float, sweeps=SWEEPS
) -> End:
    """Return the End with the lowest F of all starts among N people, its largest component
    first.

    Of mirror images, which have the same F, it is the first (`first_of_the_lowest`).
    """
    ends = solve(
        N * TWO_MIXED.probabilities(),
        starts_of(N),
        concentration,
        pseudo_count,
        max_iterations=sweeps,
    )
    F = ends.free_energy
    best = first_of_the_lowest(F)
    return largest_first(ends.S[best], F[best])


def price_of_vb(N: float, concentration: float, pseudo_count: float) -> float:
    """Return F where VB ends, less F if the kinds are kept apart and the third component is
    empty, in nats."""
    found = lowest_found(N, concentration, pseudo_count, sweeps=ENOUGH_SWEEPS)
    family = BetaBernoulli(QUESTIONS, pseudo_count)
    mixture = Mixture(family, Dirichlet(concentration))
    counts = N * TWO_MIXED.probabilities()
    F_apart = free_energy_terms(mixture, SHEETS, labels_apart(), counts).sum()
    return found.free_energy - float(F_apart)


# ---- a few people change their component ---------------------------------------------


def small_component(N: float, held) -> np.ndarray:
    """Return labels R (n, 16, 3) where the third component holds so many people (n,) with
    the answer sheet that is the most frequent among the first of two mixed kinds."""
    counts = N * TWO_MIXED.probabilities()
    R = labels_apart()
    sheet = (R[:, 0] * counts).argmax()
    labels = np.repeat(R[None], len(held), axis=0)
    share = np.minimum(np.asarray(held) / counts[sheet], 0.9)
    labels[:, sheet] *= 1 - share[:, None]
    labels[:, sheet, 2] = share
    return labels


class Balance(NamedTuple):
    """How F changes if a few people change their component, in nats."""

    people: np.ndarray  # (n,), how many
    F: np.ndarray  # (n,)
    misfit: np.ndarray  # (n,)
    best: float  # how many people make F lowest, 0 if F rises at once
    F_of_best: float

    @property
    def prior(self) -> np.ndarray:
        """Return the part of the change that is not about the fit, (n,)."""
        return self.F - self.misfit


MOST = 0.03  # of all people


def balance(N: float, concentration: float, pseudo_count: float) -> Balance:
    """Return the Balance of a small component among N people, from one person to a thirtieth
    of all."""
    counts = N * TWO_MIXED.probabilities()

    def change_of(some):
        labels = small_component(N, np.append(0.0, some))
        F = free_energies(labels, counts, concentration, pseudo_count)
        return F[1:] - F[0]

    people = np.geomspace(1, MOST * N, 41)
    F = change_of(people)
    lost = misfits(small_component(N, np.append(0.0, people)), counts)
    lowest = int(F.argmin())
    if F[lowest] > 0 or lowest == 0:
        best = people[0]
    else:
        at = np.log(people)
        nearby = at[lowest - 1], at[min(lowest + 1, len(at) - 1)]
        found = minimize_scalar(
            lambda log: change_of([np.exp(log)])[0], bounds=nearby, method="bounded"
        )
        best = float(np.exp(found.x))
    F_of_best = float(change_of([best])[0])
    if F_of_best > 0:
        return Balance(people, F, lost[1:] - lost[0], 0.0, 0.0)
    return Balance(people, F, lost[1:] - lost[0], float(best), F_of_best)
