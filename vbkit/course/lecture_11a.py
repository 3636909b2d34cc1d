"""Lecture 11a, "What if the order of the data matters?": explorers and pictures."""

from itertools import product
from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.course import Explorer, dropdown, select_slider, slider
from vbkit.course.pumps import BEFORE, MIXTURE, TIES, TURN, WINDOW, follow, recent

OFF = plots.COLOURS[0]
ON = plots.COLOURS[1]

# ---- paths ---------------------------------------------------------------------------


def all_paths(x, stay: float) -> tuple[np.ndarray, np.ndarray]:
    """Return all paths (2^n, n) of a pump through n readings x, 0 for off and 1 for on, and
    their weights (2^n,): a factor `stay` or 1 - stay for each step, and e^(2x) for each
    reading at which the pump is on."""
    paths = np.array(list(product((0, 1), repeat=len(x))))
    switched = np.diff(paths, axis=1) != 0
    steps = np.where(switched, 1 - stay, stay).prod(axis=1)
    return paths, steps * np.exp(2 * paths @ np.asarray(x))


def probability_of_on(x, stay: float) -> np.ndarray:
    """Return the probability (n,) of on at each of a few readings x (n,), given all."""
    paths, weights = all_paths(x, stay)
    return weights @ paths / weights.sum()


# ---- explorers -----------------------------------------------------------------------

IN_QUESTION = 0.1  # the reading in the middle


class Three(NamedTuple):
    """Three readings, and how probable it is at each that the pump is on."""

    x: np.ndarray  # (3,)
    alone: np.ndarray  # (3,)
    together: np.ndarray  # (3,)


class ThreeReadings(Explorer):
    """Left: three readings in their order, the middle one at 0.1. Right: the probability
    that the pump is on at each reading, judged by itself as a grey square, and judged
    together with its neighbours as a blue dot.
    """

    title = "A reading and its neighbours"
    size = (7.6, 3.2)
    before = slider("Reading before", -2, 2, -0.8, 0.2)
    after = slider("Reading after", -2, 2, 0.0, 0.2)
    stay = select_slider("Chance to stay", (0.5, 0.7, 0.9, 0.95, 0.99), 0.5)

    def compute(self, before, after, stay):
        x = np.array([before, IN_QUESTION, after])
        return Three(x, probability_of_on(x, 0.5), probability_of_on(x, stay))

    def frame(self, figure):
        readings, on = figure.subplots(1, 2)
        for axes in (readings, on):
            axes.set(xlim=(0.5, 3.5), xlabel="reading")
            axes.set_xticks([1, 2, 3], ["before", "in question", "after"])
        readings.set(ylim=(-2.4, 2.4), ylabel="gauge", title="What the gauge reads")
        readings.axhline(0, color=plots.GREY, lw=1)
        on.set(ylim=(0, 1.12), ylabel="probability", title="Is the pump on?")
        on.set_yticks([0, 0.25, 0.5, 0.75, 1])
        on.axhline(0.5, color=plots.GREY, lw=1)
        on.text(0.6, 1.04, "grey: by itself", color=plots.GREY)
        on.text(3.4, 1.04, "blue: together", color=OFF, ha="right")
        return readings, on

    def draw(self, panels, three, now):
        readings, on = panels
        places = np.arange(1, 4)
        readings.points(places, three.x, color="black", ms=8)
        on.points(places, three.alone, marker="s", color=plots.GREY, ms=9)
        on.line(places, three.together, lw=1)
        on.points(places, three.together, ms=8)

    def say(self, three, now):
        return (
            f"At the reading in question the pump is on with probability "
            f"{three.alone[1]:.2f} by itself, and {three.together[1]:.2f} together with "
            f"its neighbours. At the reading before it is {three.together[0]:.2f} together."
        )


class Learned(NamedTuple):
    """What was learned of the pump so far."""

    levels: np.ndarray  # (B, 2), off and on
    wrong: np.ndarray  # (B,), wrong labels in the last ten blocks, in per cent


class LearnedPump(Explorer):
    """Left: the two learned levels over the blocks, blue for off and orange for on, and the
    true ones as dotted lines. Right: the share of wrong labels over the last ten blocks.
    """

    title = "A pump that nobody sees"
    size = (8.4, 3.2)
    computes_ahead = True
    seen = slider("Blocks learned", 1, TURN - 1, 10, play=200)
    tie = dropdown("The model", TIES, MIXTURE)

    def compute(self, seen, tie):
        followed = follow(tie)
        wrong = recent(followed.wrong)
        return Learned(followed.levels[:seen], wrong[:seen])

    def frame(self, figure):
        levels, share = figure.subplots(1, 2)
        for k, colour in enumerate((OFF, ON)):
            levels.axhline(BEFORE[k], ls=":", color=plots.GREY)
            levels.text(2, 1.8 * BEFORE[k], ("off", "on")[k], color=colour)
        levels.set(xlabel="blocks learned", xlim=(0, TURN))
        levels.set(ylabel="gauge", ylim=(-2.6, 2.6))
        levels.set_title("Learned levels (dotted: the true ones)")
        share.set(xlabel="blocks learned", xlim=(0, TURN))
        share.set(ylabel="wrong labels (%)", ylim=(0, 42))
        share.set_title(f"Errors in the last {WINDOW} blocks")
        return levels, share

    def draw(self, panels, learned, now):
        levels, share = panels
        blocks = np.arange(1, len(learned.wrong) + 1)
        levels.line(blocks, learned.levels[:, 0], color=OFF, lw=2)
        levels.line(blocks, learned.levels[:, 1], color=ON, ls="--", lw=2)
        share.line(blocks, learned.wrong, color="black", lw=2)

    def say(self, learned, now):
        rate = learned.wrong[-1]
        return f"Of the labels in the last {WINDOW} blocks {rate:.1f} % were wrong."


# ---- pictures ------------------------------------------------------------------------


def picture_of_readings(x, shuffled, on) -> plots.Picture:
    """Draw readings x (n,) in order and shuffled (n,); on (n,): 1 while the pump is on."""
    fig, axes = plots.figure(7.5, 3.8, nrows=2, sharex=True, sharey=True)
    names = ("in order (shaded: the pump is on)", "shuffled")
    for ax, letter, y, name in zip(axes, "AB", (x, shuffled), names, strict=True):
        ax.plot(y, "o", ms=4, color=plots.COLOURS[0])
        plots.panel_title(ax, letter, name)
        ax.set_ylabel("gauge")
    over_the_height = axes[0].get_xaxis_transform()
    axes[0].fill_between(
        range(len(on)),
        0,
        1,
        where=on == 1,
        zorder=0,
        step="mid",
        color="#D9D9D9",
        lw=0,
        transform=over_the_height,
    )
    axes[1].set_xlabel("reading")
    alt = """Two rows of 150 readings. In order they stay high while the pump is on,
    which is shaded, and low while it is off. Shuffled, the same readings form one band
    without any pattern."""
    return plots.Picture(fig, alt, {"readings": x, "state": on})
