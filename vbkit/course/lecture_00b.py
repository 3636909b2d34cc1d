"""Lecture 00b, "What happens in one sweep?": explorers and pictures."""

from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import digamma

from vbkit import plots
from vbkit.course import dropdown, lecture_00a, select_slider, slider
from vbkit.course.bolts import (
    AXIS,
    GUESS,
    LENGTHS,
    MACHINE,
    PLACES,
    TWO_BOLTS,
    TWO_GUESS,
    statistics,
)
from vbkit.course.explorer import Explorer
from vbkit.course.lecture_00a import FIFTH, LEFT

MEANS = np.linspace(-5, 5, 201)  # where densities of a mean are drawn
WIDTHS = np.linspace(0.05, 3, 200)  # where densities of a width are drawn


# ---- what one machine learns ---------------------------------------------------------


class OneMachine(NamedTuple):
    """What is known of a machine that holds parts of the two bolts."""

    count: float  # bolts
    of_mean: np.ndarray  # (201,), the density of its mean
    of_width: np.ndarray  # (200,), the density of its width
    low: float  # its mean lies between low and high with a probability of 90 %
    high: float


def learn_one_machine(shares) -> OneMachine:
    """Return what a machine learns from shares (2,) of the two bolts."""
    posterior = MACHINE.posterior(statistics(TWO_BOLTS, [shares]))
    shape = posterior.shape[0]
    rate = posterior.rate[0]
    # averaged over the precision, the mean has a Student t density
    spread = np.sqrt(rate / (shape * posterior.mean_count[0]))
    mean = stats.t(2 * shape, posterior.mean[0, 0], spread)
    precision = stats.gamma(shape, scale=1 / rate)
    of_width = precision.pdf(WIDTHS**-2) * 2 * WIDTHS**-3
    low, high = mean.ppf([0.05, 0.95])
    return OneMachine(sum(shares), mean.pdf(MEANS), of_width, low, high)


class LearnOneMachine(Explorer):
    """What one machine knows of its mean (left) and of its width (right). Black dashes: the
    prior. Blue: after it has learned from its parts of the two bolts. A thick blue bar
    below the curve holds the mean with a probability of 90 %. Hexagons: the two bolts.
    """

    title = "What a machine learns from two bolts"
    size = (9.0, 3.4)
    of_first = slider("Responsibility for the bolt at -1", 0.0, 1.0, 0.0, 0.1)
    of_second = slider("Responsibility for the bolt at 2", 0.0, 1.0, 0.0, 0.1)

    def compute(self, of_first, of_second):
        return learn_one_machine((of_first, of_second))

    def frame(self, figure):
        mean, width = figure.subplots(1, 2, width_ratios=[1.5, 1])
        prior = learn_one_machine((0.0, 0.0))
        mean.plot(MEANS, prior.of_mean, color="black", ls="--", lw=1, zorder=3)
        width.plot(WIDTHS, prior.of_width, color="black", ls="--", lw=1, zorder=3)
        mean.plot(TWO_BOLTS, [0.0, 0.0], "h", color=plots.GREY, ms=10, clip_on=False)
        mean.text(-4.9, 0.11, "dashes: prior")
        mean.set(xlim=(-5, 5), ylim=(-0.06, 0.68), xlabel="its mean", ylabel="density")
        mean.set_title("What the machine knows of its mean")
        width.set(xlim=(0, 3), ylim=(0, 1.7), xlabel="its width", ylabel="density")
        width.set_title("... and of its width")
        return mean, width

    def draw(self, panels, machine, now):
        mean, width = panels
        mean.line(MEANS, machine.of_mean, lw=2)
        mean.line([machine.low, machine.high], [-0.04, -0.04], lw=5)
        width.line(WIDTHS, machine.of_width, lw=2)

    def say(self, machine, now):
        return (
            f"The machine holds {machine.count:.1f} bolts. With a probability of 90 % its "
            f"mean lies between {machine.low:.1f} and {machine.high:.1f}, an interval of "
            f"length {machine.high - machine.low:.1f}."
        )


# ---- what not knowing costs ----------------------------------------------------------


class Score(NamedTuple):
    """The score of a bolt with the left machine, which has learned from the two bolts."""

    single: np.ndarray  # (161,), with single values, at each length
    average: np.ndarray  # (161,), averaged over what is not known
    penalty: float  # how far the average lies below, at every length


def score_of_a_bolt(times: int) -> Score:
    """Return the left machine's scores after it has seen each of two bolts `times` times.

    Both machines hold the same number of bolts.
    """
    posterior = MACHINE.posterior(times * statistics(TWO_BOLTS, [TWO_GUESS]))
    g = posterior.mean_count[0]
    a = posterior.shape[0]
    of_weight = np.log(0.5) - (digamma(1 + times) - digamma(2 + 2 * times))
    of_precision = (np.log(a) - digamma(a)) / 2
    penalty = of_weight + of_precision + 1 / (2 * g)
    precision = a / posterior.rate[0]
    misfit = precision * (PLACES - posterior.mean[0, 0]) ** 2
    single = np.log(0.5) + np.log(precision) / 2 - misfit / 2
    return Score(single, single - penalty, penalty)


class ScoreOfABolt(Explorer):
    """The score that the left machine gives to a bolt, by the bolt's length. Black dashes:
    with single values for weight, precision and mean. Blue: averaged over what is not
    known.
    """

    title = "What not knowing costs"
    size = (7.5, 3.4)
    times = select_slider(
        "How often each bolt occurs", (1, 2, 3, 5, 10, 20, 50, 100), 1
    )

    def compute(self, times):
        return score_of_a_bolt(times)

    def frame(self, figure):
        score = figure.subplots()
        score.set(xlim=(-4, 4), ylim=(-9, 1), xlabel=AXIS, ylabel="score")
        score.set_title("Score of a bolt with the left machine")
        score.text(-3.9, 0.2, "with single values (dashes)")
        score.text(-1.05, -8.6, "average score", color=LEFT)
        return score

    def draw(self, panels, score, now):
        (panel,) = panels
        panel.line(PLACES, score.single, color="black", ls="--")
        panel.line(PLACES, score.average, color=LEFT, lw=2)

    def say(self, score, now):
        often = "once" if now.times == 1 else f"{now.times} times"
        return (
            f"Each bolt occurs {often}: at every length the average score lies "
            f"{score.penalty:.2f} below the score with single values."
        )


# ---- sweep by sweep ------------------------------------------------------------------

TWO = "two bolts"
BEGINNINGS = {TWO: (TWO_BOLTS, TWO_GUESS), "eight bolts": (LENGTHS, GUESS)}


class PlayTwoOrEight(lecture_00a.PlayTheSweeps):
    """Above: bolts on the axis of lengths, and the bell curves of the two machines, blue
    for the left machine and orange for the right one. Below: a column for each bolt; its
    blue part is the responsibility of the left machine.
    """

    title = "Two bolts, sweep by sweep"
    start = dropdown("Bolts", BEGINNINGS, TWO)

    def compute(self, start):
        return lecture_00a.play(*BEGINNINGS[start])

    def lay_bolts(self, axes):
        """Leave the bolts to `draw`, since their number may change."""

    def draw(self, panels, learning, now):
        above, _ = panels
        heights = np.full(len(learning.x), 0.022)
        above.points(learning.x, heights, marker="h", color=plots.GREY, ms=10)
        super().draw(panels, learning, now)

    def say(self, learning, now):
        left = learning.left[now.sweep]
        if now.start != TWO:
            return (
                f"Sweep {now.sweep}: the left machine's responsibility for the bolt at "
                f"0.2 is {left[FIFTH]:.2f}."
            )
        together = left[0] * left[1] + (1 - left[0]) * (1 - left[1])
        return (
            f"Sweep {now.sweep}: the two bolts come from different machines with a "
            f"probability of {1 - together:.4f}."
        )
