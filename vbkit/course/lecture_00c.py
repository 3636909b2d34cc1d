"""Lecture 00c, "What does a sweep improve?": explorers and pictures."""

from typing import NamedTuple

import numpy as np
from scipy.special import entr, logsumexp, rel_entr

from vbkit import plots
from vbkit.course import Explorer, dropdown, slider
from vbkit.course.bolts import (
    AXIS,
    FIFTH,
    GUESS,
    LENGTHS,
    MACHINE,
    STARTS,
    TWO_BOLTS,
    WEIGHTS,
    average_scores,
    every_labelling,
    learn_in_sweeps,
    log_joint,
    two_columns,
)
from vbkit.course.lecture_00a import LEFT, RIGHT, SWEEPS, PlayTheSweeps, draw_columns
from vbkit.mixture import Mixture

BOLTS = Mixture(MACHINE, WEIGHTS)
PROBABILITIES = np.linspace(0, 1, 101)  # where curves are drawn


# ---- how far q is from the posterior of two bolts ------------------------------------

# the posterior: two bolts, at -1 and 2, come from different machines, or from the same one
TWO_GROUPINGS = np.array([0.79, 0.21])


class Divergence(NamedTuple):
    """How far one q is from the posterior of two groupings."""

    q: np.ndarray  # (2,), the probabilities of the groupings
    path: np.ndarray  # (n,), the first of them, from its present value to 1
    divergences: np.ndarray  # (n,), nats, along the path


class MoveQ(Explorer):
    """Left: two groupings; for each, a grey column for the posterior and a blue one for q.
    Right: KL(q||p) against q's probability of "different machines". The curve is drawn
    from 1 down to the present q, which is a black dot.
    """

    title = "How far is q from the posterior?"
    size = (9.0, 3.4)
    different = slider('q("different machines")', 0.0, 1.0, 1.0, 0.01, form="{:.2f}")

    def compute(self, different):
        q = np.array([different, 1 - different])
        path = np.linspace(different, 1, 101)
        along = np.column_stack([path, 1 - path])
        return Divergence(q, path, rel_entr(along, TWO_GROUPINGS).sum(axis=1))

    def frame(self, figure):
        columns, divergence = figure.subplots(1, 2)
        columns.set(xlim=(-0.6, 1.6), ylim=(0, 1.15), yticks=[0, 0.5, 1])
        columns.set_xticks([0, 1], ["different machines", "same machine"])
        columns.set(ylabel="probability", title="Grey: posterior p. Blue: q")
        for grouping in (0, 1):
            place = grouping - 0.17
            bar = columns.bar(place, TWO_GROUPINGS[grouping], 0.3, color="#BBBBBB")
            columns.bar_label(bar, fmt="%.2f", padding=2)
        divergence.set(xlim=(-0.03, 1.03), ylim=(-0.1, 1.7), ylabel="nats")
        divergence.set(xlabel='q("different machines")', title="KL(q || p)")
        divergence.axhline(0, color=plots.GREY, lw=1, ls=":")
        return columns, divergence

    def draw(self, panels, result, now):
        columns, divergence = panels
        place = np.array([0, 1]) + 0.17
        draw_columns(columns, place, np.zeros(2), result.q, 0.3, LEFT)
        divergence.line(result.path, result.divergences)
        divergence.points(now.different, result.divergences[0], color="black", ms=9)

    def say(self, result, now):
        divergence = abs(result.divergences[0])  # no minus before a zero
        return (
            f'q gives {now.different:.2f} to "different machines", the posterior 0.79: '
            f"KL(q||p) is {divergence:.2f} nats."
        )


# ---- how to divide one bolt ----------------------------------------------------------


class Division(NamedTuple):
    """What the bolt at 0.2 adds to the ELBO if it is divided in different ways."""

    scores: np.ndarray  # (2,), its average scores with left and right machine
    shares: (
        np.ndarray
    )  # (n,), responsibilities of the left machine, from 0 to the present
    added: np.ndarray  # (n,), nats, average score plus entropy


def added_by_a_bolt(share, scores) -> np.ndarray:
    """Return what a bolt adds to the ELBO (n,), in nats: its average score plus entropy.

    share (n,): the responsibility of the left machine; scores (2,): its average scores.
    """
    share = np.asarray(share, float)
    average = share * scores[0] + (1 - share) * scores[1]
    return average + entr(share) + entr(1 - share)


class DivideABolt(Explorer):
    """What the bolt at 0.2 adds to the ELBO, against the responsibility of the left
    machine. Grey dashes: its average score alone. Blue: with its entropy, drawn from 0 up
    to the present responsibility, a black dot.
    """

    title = "How should the bolt at 0.2 be divided?"
    size = (8.5, 3.6)
    share = slider("Responsibility of the left machine", 0.0, 1.0, 0.0, 0.01)

    def compute(self, share):
        S = BOLTS.m_step(LENGTHS, two_columns(GUESS))
        scores = average_scores(LENGTHS[[FIFTH]], S)[0]
        shares = np.linspace(0, share, 101)
        return Division(scores, shares, added_by_a_bolt(shares, scores))

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(-0.02, 1.02), ylim=(-2.7, -1.3), ylabel="nats")
        axes.set_xlabel("responsibility of the left machine for the bolt at 0.2")
        axes.set_title("What the bolt adds to the ELBO")
        return axes

    def draw(self, panels, division, now):
        (panel,) = panels
        panel.line([0, 1], division.scores[::-1], color=plots.GREY, ls="--")
        middle = division.scores.mean()
        panel.text(0.5, middle - 0.08, "average score alone", ha="right", va="top")
        panel.line(division.shares, division.added, lw=2)
        panel.points(division.shares[-1], division.added[-1], color="black", ms=9)

    def say(self, division, now):
        total = division.added[-1]
        entropy = entr(now.share) + entr(1 - now.share)
        return (
            f"With {now.share:.2f} for the left machine the bolt adds {total:.2f} nats: "
            f"average score {total - entropy:.2f}, entropy {entropy:.2f}."
        )


# ---- the ELBO, sweep by sweep --------------------------------------------------------

NINE_TENTHS = "nine tenths to the left machine"
CLIMBS = STARTS | {NINE_TENTHS: np.full(8, 0.9)}


def elbos_by_sweep(x, left, sweeps: int) -> np.ndarray:
    """Return the ELBO (sweeps + 1,), in nats, before the first sweep and after each one.

    x (N,): bolts; left (N,): the responsibilities of the left machine at the start.
    """
    R, _ = learn_in_sweeps(BOLTS, x, two_columns(left), sweeps)
    return np.array([BOLTS.elbo_of_responsibilities(x, each) for each in R])


class Climb(NamedTuple):
    """How VB climbs, before the first sweep and after each one."""

    left: np.ndarray  # (sweeps + 1, 8), the responsibility of the left machine
    elbos: np.ndarray  # (sweeps + 1,), nats
    evidence: float  # the logarithm of the evidence, nats


class ClimbTheSweeps(PlayTheSweeps):
    """Above: the ELBO by sweep, below the level line of the log evidence. Below: a column
    for each of the eight bolts; its blue part is the responsibility of the left machine.
    """

    title = "The ELBO, sweep by sweep"
    start = dropdown("Start from", CLIMBS, "the clumsy guess")

    def compute(self, start):
        R, _ = learn_in_sweeps(BOLTS, LENGTHS, two_columns(CLIMBS[start]), SWEEPS)
        elbos = elbos_by_sweep(LENGTHS, CLIMBS[start], SWEEPS)
        evidence = logsumexp(log_joint(LENGTHS, every_labelling()))
        return Climb(R[:, :, 0], elbos, float(evidence))

    def frame(self, figure):
        above, below = figure.subplots(2, 1, height_ratios=[1.5, 1])
        above.set(xlim=(-0.5, SWEEPS + 0.5), ylim=(-24.8, -16.2))
        above.set(ylabel="nats", xlabel="sweep", title="ELBO")
        above.set_xticks(range(0, SWEEPS + 1, 5))
        above.text(SWEEPS, -17.3, "log evidence", ha="right")
        below.set(xlim=(-3.6, 3.6), ylim=(0, 1), yticks=[0, 0.5, 1], xlabel=AXIS)
        below.set_ylabel("responsibility")
        below.set_title("How each bolt is divided (blue: left machine)")
        return above, below

    def draw(self, panels, climb, now):
        above, below = panels
        level = [climb.evidence, climb.evidence]
        above.line([-0.5, SWEEPS + 0.5], level, color="black", lw=1.2)
        sweeps = np.arange(now.sweep + 1)
        above.line(sweeps, climb.elbos[: now.sweep + 1], marker="o", ms=4)
        above.points(now.sweep, climb.elbos[now.sweep], color="black", ms=8)
        left = climb.left[now.sweep]
        draw_columns(below, LENGTHS, np.zeros(8), left, 0.17, LEFT)
        draw_columns(below, LENGTHS, left, np.ones(8), 0.17, RIGHT, "///")

    def say(self, climb, now):
        elbo = climb.elbos[now.sweep]
        return (
            f"Sweep {now.sweep}: the ELBO is {elbo:.2f}, which is "
            f"{climb.evidence - elbo:.2f} nats below the log evidence."
        )


# ---- pictures of the text ------------------------------------------------------------


def picture_of_two_parts() -> plots.Picture:
    """Draw the ELBO of two bolts below their log evidence: the gap is the divergence."""
    labellings = every_labelling(2)
    joint = log_joint(TWO_BOLTS, labellings)
    evidence = logsumexp(joint)
    different = labellings[:, 0] != labellings[:, 1]
    of_different = np.outer(PROBABILITIES, different / 2)
    of_same = np.outer(1 - PROBABILITIES, ~different / 2)
    q = of_different + of_same  # mirror images alike
    elbo = q @ joint + entr(q).sum(axis=1)
    fig, (ax,) = plots.figure(7.5, 3.4)
    ax.axhline(evidence, color="black", lw=1.2)
    ax.plot(PROBABILITIES, elbo)
    ax.fill_between(PROBABILITIES, elbo, evidence, color="#EEEEEE", zorder=0)
    ax.text(0.02, evidence + 0.06, "log evidence")
    ax.text(0.25, -5.9, "ELBO", color=LEFT)
    ax.text(0.1, -5.45, "KL", color="black")
    ax.plot([1, 1], [elbo[-1], evidence], color=RIGHT, lw=3, ls="-", clip_on=False)
    ax.plot(1, elbo[-1], "o", color=LEFT, ms=8, clip_on=False)
    ax.text(0.98, elbo[-1] - 0.1, "sure: KL 0.236", color=RIGHT, ha="right", va="top")
    ax.set(xlim=(0, 1.01), ylim=(-6.75, -4.75), ylabel="nats")
    ax.set(xlabel='q("different machines")')
    ax.set_title("Two bolts: log evidence = ELBO + KL")
    alt = """A level line, the log evidence at -5.06, and below it a curve, the ELBO against
    q's probability of "different machines". The curve touches the line at 0.79. The gap
    between them is the divergence; at 1 it is 0.236 nats."""
    return plots.Picture(fig, alt)
