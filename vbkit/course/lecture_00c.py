"""Lecture 00c, "What does a sweep improve?": explorers and pictures."""

from typing import NamedTuple

import numpy as np
from scipy.special import entr, logsumexp

from vbkit import plots
from vbkit.course import Explorer, dropdown, slider
from vbkit.course.bolts import (
    AXIS,
    FIFTH,
    GUESS,
    LENGTHS,
    MIXTURE,
    STARTS,
    TWO_BOLTS,
    average_scores,
    every_labelling,
    learn_in_sweeps,
    log_joint,
    two_columns,
)
from vbkit.course.lecture_00a import SWEEPS, PlayTheSweeps

# ---- the two parts of the log evidence of two bolts ----------------------------------

# the posterior: two bolts, at -1 and 2, come from different machines, or from the same one
TWO_GROUPINGS = np.array([0.79, 0.21])


class Parts(NamedTuple):
    """The two parts of the log evidence of two bolts, for different q."""

    path: np.ndarray  # (n,), q("different machines"), from its present value to 1
    elbos: np.ndarray  # (n,), nats, along the path
    evidence: float  # the logarithm of the evidence, nats


class MoveQ(Explorer):
    """Two bolts. Black: their log evidence. Blue: the ELBO against q's probability of
    "different machines", drawn from 1 down to the present q, which is a black dot. Grey
    below the log evidence: the divergence.
    """

    title = "One sum with two parts"
    size = (8.5, 3.6)
    different = slider('q("different machines")', 0.0, 1.0, 1.0, 0.01, form="{:.2f}")

    def compute(self, different):
        labellings = every_labelling(2)
        joint = log_joint(TWO_BOLTS, labellings)
        apart = labellings[:, 0] != labellings[:, 1]
        path = np.linspace(different, 1, 101)
        of_different = np.outer(path, apart / 2)  # mirror images alike
        of_same = np.outer(1 - path, ~apart / 2)
        q = of_different + of_same
        elbos = q @ joint + entr(q).sum(axis=1)
        return Parts(path, elbos, float(logsumexp(joint)))

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(-0.02, 1.02), ylim=(-6.85, -4.75), ylabel="nats")
        axes.set(xlabel='q("different machines")')
        axes.set_title("Two bolts: log evidence = ELBO + KL")
        axes.text(0.02, -5.0, "log evidence")
        return axes

    def draw(self, panels, parts, now):
        (panel,) = panels
        panel.line(
            [-0.02, 1.02], [parts.evidence, parts.evidence], color="black", lw=1.2
        )
        ends = [parts.elbos[0], parts.evidence]
        panel.line([now.different, now.different], ends, color="#BBBBBB", lw=5)
        panel.line(parts.path, parts.elbos, lw=2)
        panel.points(now.different, parts.elbos[0], color="black", ms=9)

    def say(self, parts, now):
        elbo = parts.elbos[0]
        divergence = abs(parts.evidence - elbo)  # no minus before a zero
        return (
            f'q gives {now.different:.2f} to "different machines", the posterior 0.79: '
            f"ELBO {elbo:.3f}, KL {divergence:.3f}, sum {parts.evidence:.3f}."
        )


# ---- how to divide one bolt ----------------------------------------------------------


class Division(NamedTuple):
    """What the bolt at 0.2 adds to the ELBO if it is divided in different ways."""

    scores: np.ndarray  # (2,), its average scores with left and right machine
    # (n,), responsibilities of the left machine, from 0 to the present
    shares: np.ndarray
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
    machine. Grey dashes: what the scores add. Blue: with its entropy, drawn from 0 up
    to the present responsibility, a black dot.
    """

    title = "How should the bolt at 0.2 be divided?"
    size = (8.5, 3.6)
    share = slider("Responsibility of the left machine", 0.0, 1.0, 0.0, 0.01)

    def compute(self, share):
        S = MIXTURE.m_step(LENGTHS, two_columns(GUESS))
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
        panel.text(0.5, middle - 0.08, "from the scores alone", ha="right", va="top")
        panel.line(division.shares, division.added, lw=2)
        panel.points(division.shares[-1], division.added[-1], color="black", ms=9)

    def say(self, division, now):
        total = division.added[-1]
        entropy = entr(now.share) + entr(1 - now.share)
        return (
            f"With {now.share:.2f} for the left machine the bolt adds {total:.2f} nats: "
            f"from the scores {total - entropy:.2f}, from the entropy {entropy:.2f}."
        )


# ---- the ELBO, sweep by sweep --------------------------------------------------------

NINE_TENTHS = "nine tenths to the left machine"
CLIMBS = STARTS | {NINE_TENTHS: np.full(8, 0.9)}


def elbos_by_sweep(x, left, sweeps: int) -> np.ndarray:
    """Return the ELBO (sweeps + 1,), in nats, before the first sweep and after each one.

    x (N,): bolts; left (N,): the responsibilities of the left machine at the start.
    """
    R, _ = learn_in_sweeps(MIXTURE, x, two_columns(left), sweeps)
    return np.array([MIXTURE.elbo_of_responsibilities(x, each) for each in R])


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
        R, _ = learn_in_sweeps(MIXTURE, LENGTHS, two_columns(CLIMBS[start]), SWEEPS)
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
        self.divide_bolts(below, LENGTHS, climb.left[now.sweep])

    def say(self, climb, now):
        elbo = climb.elbos[now.sweep]
        return (
            f"Sweep {now.sweep}: the ELBO is {elbo:.2f}, which is "
            f"{climb.evidence - elbo:.2f} nats below the log evidence."
        )
