"""Lecture 00a, "Which bolts came from the same machine?": explorers and pictures."""

from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import softmax

from vbkit import plots
from vbkit.course import Explorer, dropdown, select_slider, slider
from vbkit.course.bolts import (
    AXIS,
    FIFTH,
    LENGTHS,
    MACHINE,
    MIXTURE,
    PLACES,
    STARTS,
    every_labelling,
    learn_in_sweeps,
    log_joint,
    mean_and_width,
    two_columns,
)
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

LEFT, RIGHT = plots.COLOURS[:2]


# ---- the exact answer when one bolt moves --------------------------------------------


class ExactAnswer(NamedTuple):
    """What is exactly known of eight bolts, one of which was moved."""

    x: np.ndarray  # (8,), where the bolts lie
    chance: np.ndarray  # (8,), that a bolt comes from the first bolt's machine


def exact_answer(place: float) -> ExactAnswer:
    """Ask for the first bolt's machine when the fifth bolt lies at `place`."""
    x = LENGTHS.copy()
    x[FIFTH] = place
    labellings = every_labelling()
    probability = softmax(log_joint(x, labellings))
    like_the_first = labellings == labellings[:, :1]
    return ExactAnswer(x, probability @ like_the_first)


class MoveABolt(Explorer):
    """Eight bolts by length; height is the exact probability that a bolt comes from the
    first bolt's machine. The fifth bolt is a large black square that moves; rings show
    where all bolts are when it lies at 0.2.
    """

    title = "The exact answer when one bolt moves"
    size = (8.5, 3.2)
    place = slider("Place of the fifth bolt", -1.0, 1.3, 0.2, 0.1, form="{:.1f}")

    def compute(self, place):
        return exact_answer(place)

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(-2.6, 2.6), ylim=(-0.06, 1.09))
        axes.set(xlabel=AXIS, ylabel="probability")
        axes.set_title("Is it from the first bolt's machine?")
        axes.axhline(0.5, color=plots.GREY, lw=1, ls=":")
        before = exact_answer(LENGTHS[FIFTH])
        axes.plot(before.x, before.chance, "o", color=plots.GREY, mfc="none", ms=13)
        return axes

    def draw(self, panels, answer, now):
        (panel,) = panels
        x, chance = answer
        others = np.arange(8) != FIFTH
        panel.points(x[others], chance[others], color=plots.GREY, ms=8)
        panel.points(x[FIFTH], chance[FIFTH], marker="s", color="black", ms=11)

    def say(self, answer, now):
        neighbour, fifth, right = answer.chance[FIFTH - 1 : FIFTH + 2]
        return (
            f"A fifth bolt at {now.place:.1f} is from the first bolt's machine: "
            f"{fifth:.2f}. Its neighbours: {neighbour:.2f} and {right:.2f}."
        )


# ---- VB, sweep by sweep --------------------------------------------------------------

SWEEPS = 20


class Learning(NamedTuple):
    """What VB says before the first sweep and after each one."""

    x: np.ndarray  # (N,), where the bolts lie
    left: np.ndarray  # (sweeps + 1, N), the responsibility of the left machine
    densities: np.ndarray  # (sweeps + 1, 2, 161), of a machine with its expected values


def play(x, left) -> Learning:
    """Run VB on bolts x (N,) from the left machine's responsibilities left (N,)."""
    R, S = learn_in_sweeps(MIXTURE, x, two_columns(left), SWEEPS)
    densities = [bell_curves(*mean_and_width(state)) for state in S]
    return Learning(x, R[:, :, 0], np.array(densities))


def bell_curves(means, widths) -> np.ndarray:
    """Return the densities (K, 161) of machines, at all places; means, widths (K,)."""
    return stats.norm.pdf(PLACES, np.array(means)[:, None], np.array(widths)[:, None])


class PlayTheSweeps(Explorer):
    """Above: eight bolts on the axis of lengths, and the bell curves of the two machines,
    blue for the left machine and orange for the right one. Below: a column for each bolt;
    its blue part is the responsibility of the left machine.
    """

    title = "Eight bolts, sweep by sweep"
    size = (8.5, 4.6)
    sweep = select_slider("Sweep", range(SWEEPS + 1), 0, play=500)
    start = dropdown("Start from", STARTS, "the clumsy guess")

    def compute(self, start):
        return play(LENGTHS, STARTS[start])

    def frame(self, figure):
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[1.5, 1])
        above.set(xlim=(-3.6, 3.6), ylim=(0, 0.66), ylabel="density")
        above.set_title("The machines, at their average mean and average precision")
        self.lay_bolts(above)
        above.text(-3.4, 0.54, "left machine", color=LEFT)
        above.text(3.4, 0.54, "right machine", color=RIGHT, ha="right")
        below.set(ylim=(0, 1), yticks=[0, 0.5, 1], xlabel=AXIS)
        below.set_ylabel("responsibility")
        below.set_title("How each bolt is divided between them")
        return above, below

    def lay_bolts(self, axes):
        """Draw the bolts that stand still, above the axis of lengths."""
        axes.plot(LENGTHS, np.full(8, 0.022), "h", color=plots.GREY, ms=10)

    def draw(self, panels, learning, now):
        above, below = panels
        for k, density in enumerate(learning.densities[now.sweep]):
            above.line(PLACES, density, **plots.line_style(k))
        self.divide_bolts(below, learning.x, learning.left[now.sweep])

    def divide_bolts(self, panel, x, left):
        """Draw a column for each bolt at x (N,), divided as left (N,) says."""
        panel.columns(x, 0, left, 0.17, facecolor=LEFT)
        panel.columns(x, left, 1, 0.17, facecolor=RIGHT, hatch="///")

    def say(self, learning, now):
        fifth = learning.left[now.sweep, FIFTH]
        return (
            f"Sweep {now.sweep}: the left machine's responsibility for the bolt at 0.2 "
            f"is {fifth:.2f}."
        )


# ---- five machines for eight bolts ---------------------------------------------------

OFFERED = 5
CONCENTRATIONS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 5.0, 10.0)
HELD = 0.25  # bolts: a machine that has fewer counts as empty
SETTLED = 1e-3  # of a responsibility: a sweep that changes none by more is the last
LAST = 400  # sweeps


class Offer(NamedTuple):
    """How VB uses the machines that it is offered, in the order of their means."""

    shares: np.ndarray  # (8, 5), responsibilities
    counts: np.ndarray  # (5,), bolts

    @property
    def used(self) -> int:
        """How many machines hold bolts."""
        return int((self.counts > HELD).sum())


def offer(x, concentration: float, seed: int) -> Offer:
    """Run VB from a random start until nothing moves; x (N,): bolts."""
    mixture = Mixture(MACHINE, Dirichlet(concentration))
    R = np.random.default_rng(seed).dirichlet(np.ones(OFFERED), size=len(x))
    for _ in range(LAST):
        S = mixture.m_step(x, R)
        before = R
        R = mixture.responsibilities(x, S)
        if np.abs(R - before).max() < SETTLED:
            break
    mean, _ = mean_and_width(S)
    order = np.argsort(mean)
    return Offer(R[:, order], R.sum(axis=0)[order])


class OfferMachines(Explorer):
    """Left: a column for each of the eight bolts; its colours are the responsibilities of
    the five machines. Right: a bar for each machine, the number of bolts that it holds.
    The machines stand in the order of their means; an empty one has the prior's mean, 0.
    """

    title = "Five machines for eight bolts"
    size = (9.0, 3.6)
    concentration = select_slider("Concentration", CONCENTRATIONS, 0.1)
    start = dropdown("Random start", (1, 2, 3, 4), 1)

    def compute(self, concentration, start):
        return offer(LENGTHS, concentration, start)

    def frame(self, figure):
        bolts, machines = figure.subplots(1, 2, width_ratios=[1.5, 1])
        bolts.set(xlim=(-0.6, 7.6), ylim=(0, 1), yticks=[0, 0.5, 1])
        bolts.set_xticks(range(8), [f"{x:.1f}" for x in LENGTHS])
        bolts.set(xlabel="bolt at", ylabel="responsibility")
        bolts.set_title("How each bolt is divided")
        machines.set(xlim=(0.4, 5.6), ylim=(0, 4.4))
        machines.set(xticks=range(1, 6), yticks=range(5))
        machines.set(xlabel="machine, in the order of their means", ylabel="bolts")
        machines.set_title("Bolts that each machine holds")
        return bolts, machines

    def draw(self, panels, offer, now):
        bolts, machines = panels
        top = np.cumsum(offer.shares, axis=1)
        first, last, *between = plots.COLOURS[:OFFERED]
        colours = (first, *between, last)  # blue is left and orange right, as before
        hatches = ("", "...", "\\\\\\", "xx", "///")
        for k, (colour, hatch) in enumerate(zip(colours, hatches, strict=True)):
            bottom = top[:, k] - offer.shares[:, k]
            bolts.columns(
                np.arange(8), bottom, top[:, k], 0.8, facecolor=colour, hatch=hatch
            )
            machine = np.array([k + 1])
            machines.columns(
                machine, 0, offer.counts[k], 0.7, facecolor=colour, hatch=hatch
            )

    def say(self, offer, now):
        return (
            f"At concentration {now.concentration:g}, {offer.used} of the {OFFERED} "
            "machines hold bolts."
        )


# ---- pictures of the text ------------------------------------------------------------


def picture_of_bolts() -> plots.Picture:
    """Draw where the bolts lie."""
    fig, (ax,) = plots.figure(7, 1.4)
    ax.plot(LENGTHS, np.zeros(8), "h", color=plots.GREY, ms=15)
    ax.set(yticks=[], xlabel=AXIS, xlim=(-2.8, 2.8))
    ax.spines["left"].set_visible(False)
    alt = "Eight bolts: four on the left, one alone at 0.2, three on the right."
    return plots.Picture(fig, alt)


def picture_of_groupings(probability) -> plots.Picture:
    """Draw the six most probable groupings; probability (256,): of each labelling."""
    labellings = every_labelling()
    # A grouping has two labellings; the one that gives the first bolt a 0 stands for both.
    folded = 2 * probability * (labellings[:, 0] == 0)
    best = np.argsort(-folded)[:6]
    rows = np.arange(6)
    fig, (ax, bars) = plots.figure(7.5, 3, ncols=2, width_ratios=[3, 1])
    ax.hlines(rows, -2.6, 2.6, color="#DDDDDD", lw=1, zorder=1)
    places = np.column_stack([np.tile(LENGTHS, 6), np.repeat(rows, 8)])
    plots.draw_points(ax, places, np.ravel(labellings[best]), size=10, alpha=1)
    drawn = bars.barh(rows, 100 * folded[best], 0.5, color=plots.GREY)
    bars.bar_label(drawn, fmt="%.0f %%", padding=4)
    for panel, bare in ((ax, "left"), (bars, "bottom")):
        panel.set(yticks=[], ylim=(5.5, -0.5))
        panel.spines[bare].set_visible(False)
    bars.set(xticks=[], xlim=(0, 80), title="probability")
    ax.set(xlabel=AXIS, title="The six most probable groupings")
    alt = """Six rows with the eight bolts as coloured marks, one row per grouping, and its
    probability. In the first (51 %) the four bolts on the left are one group and the other
    four the other; in the second (31 %) the fifth bolt has joined the left group."""
    return plots.Picture(fig, alt)


def picture_of_a_sweep(before, after) -> plots.Picture:
    """Draw the two machines of the sweep by hand, and where their means move next.

    before, after: left and right mean, learned in the first sweep and in the second.
    """
    fig, (ax,) = plots.figure(7.5, 3)
    shortest = LENGTHS[0]
    for k, name in enumerate(("left", "right")):
        density = stats.norm.pdf(PLACES, before[k])
        ax.plot(PLACES, density, **plots.line_style(k))
        colour = plots.COLOURS[k]
        height = stats.norm.pdf(shortest, before[k])
        ax.plot(shortest, height, plots.MARKERS[k], color=colour, ms=8)
        base = height + (0.012, -0.05)[k]  # where no curve is in the way
        ax.text(shortest - 0.12, base, f"{height:.4f}", color=colour, ha="right")
        side = ("right", "left")[k]
        ax.text(before[k], 0.41, f"{name} machine", color=colour, ha=side)
        tip = {"arrowstyle": "->", "color": colour, "lw": 2}
        ax.annotate("", (after[k], 0.36), (before[k], 0.36), arrowprops=tip)
    ax.plot(LENGTHS, np.full(8, -0.025), "h", color=plots.GREY, ms=10)
    ax.vlines(shortest, -0.025, 0.2, color=plots.GREY, lw=1, ls=":")
    ax.text(shortest, 0.21, "the shortest bolt", ha="right")
    ax.set(xlim=(-4, 4), ylim=(-0.05, 0.46), xlabel=AXIS, ylabel="density")
    ax.set_title("After learning; arrows: how far the means move in the next sweep")
    alt = """Two bell curves of the same width, the left one around -0.72, the right one
    around 0.36. At the shortest bolt the left curve is about ten times as high as the right
    one. An arrow leads from each mean outwards."""
    return plots.Picture(fig, alt)


def picture_of_answers(exact, vb) -> plots.Picture:
    """Draw the probability (8,) of the first bolt's machine, exact and by VB."""
    fig, (ax,) = plots.figure(7.5, 3)
    ax.plot(LENGTHS, exact, "o", color="black", mfc="none", mew=2, ms=13, label="exact")
    ax.plot(LENGTHS, vb, "s", color=plots.GREY, ms=6, label="VB")
    ax.axhline(0.5, color=plots.GREY, lw=1, ls=":")
    ax.text(0.38, exact[FIFTH], f"exact {exact[FIFTH]:.2f}", va="center")
    ax.text(0.38, vb[FIFTH], f"VB {vb[FIFTH]:.2f}", color=plots.GREY, va="center")
    ax.set(xlim=(-2.6, 2.6), ylim=(-0.06, 1.09), xlabel=AXIS, ylabel="probability")
    ax.set_title("From the first bolt's machine?")
    ax.legend(loc="upper right")
    alt = """The probability that a bolt came from the first bolt's machine, at each of the
    eight lengths, by two methods. Exact: near 0.95 at the left, 0.40 for the bolt at 0.2,
    0.07 at the right. VB: 1 at the left, 0 at the right, and 0.07 for the bolt at 0.2."""
    return plots.Picture(fig, alt)


def picture_of_left_machines(means, widths) -> plots.Picture:
    """Draw the left machine in the leading groupings and in VB; means, widths (3,)."""
    fig, (ax,) = plots.figure(7.5, 3)
    looks = (("black", "--"), ("black", "-"), (LEFT, "-"))
    for density, (colour, dashes) in zip(
        bell_curves(means, widths), looks, strict=True
    ):
        ax.plot(PLACES, density, color=colour, ls=dashes)
    ax.plot(LENGTHS, np.full(8, 0.02), "h", color=plots.GREY, ms=10)
    ax.vlines(LENGTHS[FIFTH], 0, 0.2, color=plots.GREY, lw=1, ls=":", zorder=0)
    ax.text(-2.3, 0.62, "VB", color=LEFT, ha="right")
    ax.text(-1.2, 0.62, "first grouping (dashed)")
    ax.text(-0.4, 0.3, "second grouping")
    ax.text(0.28, 0.17, "the doubtful bolt", color=plots.GREY)
    ax.set(xlim=(-4, 2.7), ylim=(0, 0.74), xlabel=AXIS, ylabel="density")
    ax.set_title("The left machine, in two groupings and in VB")
    alt = """Three bell curves of the left machine. In the first grouping and in VB the curves
    nearly coincide: around -1.65, narrow, and almost zero at the doubtful bolt at 0.2. In
    the second grouping the curve is wider, lies around -1.29, and still has some height at
    0.2."""
    return plots.Picture(fig, alt)
