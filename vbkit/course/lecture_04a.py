"""Lecture 04a, "Which way is uphill for a posterior?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from vbkit import plots
from vbkit.course import Explorer, select_slider
from vbkit.course import forty_bolts as bolts

X = bolts.draw_lengths()  # of the explorers
TOP = bolts.top(X)
START = (0.7, 6.0)  # of the walks: mean and worth
MEANS = np.linspace(0.02, 0.98, 120)
WORTHS = np.geomspace(1, 120, 120)
CONTOURS = "#C0C0C0"
SECOND, FIRST = plots.COLOURS[:2]
EQUAL = plots.COLOURS[3]
BEHIND = 1.9  # order of what stands still: below what moves, so that it is drawn once
MEAN = "mean $m$ of the posterior"
WORTH = "worth $g$ (bolts)"


def draw_hill(axes, x, levels):
    """Draw contours of the ELBO and its top over mean and worth.

    levels: of the contours, in nats below the top.
    """
    highest = bolts.top(x)
    means, worths = np.meshgrid(MEANS, WORTHS)
    S = bolts.counts_at(means, worths)
    below = highest.elbo - bolts.elbo(S, x)
    axes.contour(
        means, worths, below, levels, colors=CONTOURS, linewidths=0.9, zorder=1.5
    )
    axes.plot(highest.m, highest.g, "*", ms=12, color="black", zorder=2)


# ---- two hikers ----------------------------------------------------------------------

UNITS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01)
BOLT = 0.01  # of the mean: drawn as long as one bolt
WALK = 14.0  # bolts, the length of a walk as it is drawn


@cache
def walk(unit: float) -> np.ndarray:
    """Return mean and worth (n, 2) on the way of steepest ascent from START.

    unit: in which the mean is measured. The way ends after the length WALK on the map.
    """

    def uphill(time, place):
        m, g = place
        return bolts.slope_at(m, g, X, unit) * [unit, 1.0]

    way = solve_ivp(uphill, (0, 40), START, "LSODA", max_step=0.25, rtol=1e-5).y.T
    lengths = np.hypot(*(np.diff(way, axis=0) / [BOLT, 1.0]).T)
    walked = np.concatenate([[0.0], np.cumsum(lengths)])
    at = np.linspace(0, min(WALK, walked[-1]), 80)
    return np.stack([np.interp(at, walked, way[:, j]) for j in (0, 1)], axis=1)


def direction_at_start(unit: float) -> np.ndarray:
    """Return the steepest way (2,) from START as the map shows it; unit: as of `walk`."""
    return bolts.slope_at(START[0], START[1], X, unit) * [unit / BOLT, 1.0]


def angle_between(one, other) -> float:
    """Return the angle between two ways (2,) on a map, in degrees."""
    cosine = one @ other / np.hypot(one[0], one[1]) / np.hypot(other[0], other[1])
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


class Walks(NamedTuple):
    """The ways of two hikers, and how much their directions differ at the start."""

    first: np.ndarray  # (80, 2), mean and worth; the mean is measured as a share
    second: np.ndarray  # (80, 2); the mean is measured in another unit
    angle: float  # degrees, on the map


class TwoHikers(Explorer):
    """A part of the hill: contours of the ELBO over the mean and the worth of the posterior,
    one nat apart, with 0.01 of the mean as long as one bolt. A black dot is the start. Two
    hikers take the steepest way: the first one (orange, square) measures the mean as a
    share, the second one (blue, circle) in the unit of the slider. Both walks are
    drawn equally long.
    """

    title = "Two hikers, one hill, one rule"
    size = (8.0, 3.8)
    computes_ahead = True
    unit = select_slider(
        "Unit in which the second hiker measures the mean (0.01 is one per cent)",
        UNITS,
        1.0,
        play=500,
    )

    def compute(self, unit):
        angle = angle_between(direction_at_start(1.0), direction_at_start(unit))
        return Walks(walk(1.0), walk(unit), angle)

    def frame(self, figure):
        axes = figure.subplots()
        draw_hill(axes, X, levels=np.arange(30))
        axes.set(xlim=(0.5, 0.76), ylim=(4, 16), aspect=BOLT, xlabel=MEAN)
        axes.set_ylabel(WORTH)
        axes.plot(START[0], START[1], "o", color="black", ms=8)
        axes.text(0.707, 5.2, "start", zorder=BEHIND)
        arrow = {"arrowstyle": "->", "lw": 1.5, "zorder": BEHIND}
        tip = (0.515, 14.9)
        axes.annotate("uphill", tip, (0.55, 12.6), arrowprops=arrow, zorder=BEHIND)
        return axes

    def draw(self, panels, walks, now):
        (panel,) = panels
        panel.line(*walks.first.T, color=FIRST, lw=4)
        panel.points(*walks.first[-1], color=FIRST, marker="s", ms=10)
        panel.line(*walks.second.T, color=SECOND, lw=2)
        panel.points(*walks.second[-1], color=SECOND, ms=8)

    def say(self, walks, now):
        return (
            f"The second hiker measures the mean in units of {now.unit:g}. At the start "
            f"the two ways differ by {walks.angle:.0f} degrees on this map."
        )


# ---- steps of the same divergence ----------------------------------------------------

THREE = np.array([1.5, 2.0, 0.0])  # bolts, for calculations by hand
PLACE = np.array([1.0, 1.0])  # the counts from which the steps go
REACH = 0.01  # the standard deviation of u: a step is 50 millionths of a nat long
DEGREES = np.arange(361)
STEPS_IN_DEGREES = range(0, 361, 5)


def steps_at(degrees) -> np.ndarray:
    """Return steps (2, n) of the counts, in these directions (n,) from PLACE.

    All have the same divergence. At 0 degrees only the right machine gets more, at 90
    degrees only the left one.
    """
    angles = np.radians(degrees)
    ways = np.stack([np.cos(angles), np.sin(angles)])
    spreads = np.sqrt((ways * (bolts.fisher(PLACE) @ ways)).sum(axis=0))
    return REACH * ways / spreads


class Turned(NamedTuple):
    """Steps of the same divergence, in the directions from 0 degrees to the present one."""

    degrees: np.ndarray  # (n,)
    steps: np.ndarray  # (2, n), of the two counts
    rises: np.ndarray  # (n,), of the ELBO of THREE, in thousandths of a nat


class TurnTheStep(Explorer):
    """Left: steps from n_R = n_L = 1 that all have the same divergence end on the purple
    curve. A blue line with a circle is the present one. Right: by how much the ELBO of the
    three bolts rises, against the direction of the step, drawn from 0 up to the present one.
    """

    title = "Steps of the same divergence"
    size = (9.0, 3.8)
    direction = select_slider(
        "Direction of the step (degrees)", STEPS_IN_DEGREES, 0, play=200
    )

    def compute(self, direction):
        degrees = DEGREES[: direction + 1]
        steps = steps_at(degrees)
        start = bolts.elbo(PLACE, THREE)
        rises = 1000 * (bolts.elbo(PLACE[:, None] + steps, THREE) - start)
        return Turned(degrees, steps, rises)

    def frame(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1, 1.2])
        left.set(xlim=(-0.045, 0.045), ylim=(-0.045, 0.045), aspect="equal")
        left.set(xlabel="more for the right machine (bolts)")
        left.set(ylabel="more for the left one", title="Equal divergence")
        left.plot(*steps_at(DEGREES), color=EQUAL, lw=2, zorder=BEHIND)
        left.plot(0, 0, "o", color="black", ms=6, zorder=BEHIND)
        right.axhline(0, color=plots.GREY, lw=1, ls="--")
        right.set(xlim=(-5, 365), ylim=(-4, 4), xticks=range(0, 361, 90))
        right.set(xlabel="direction of the step (degrees)", title="Rise of the ELBO")
        right.set_ylabel("thousandths of a nat")
        return left, right

    def draw(self, panels, turned, now):
        left, right = panels
        end = turned.steps[:, -1]
        left.line([0, end[0]], [0, end[1]], color=SECOND, lw=2.5)
        left.points(end[0], end[1], color=SECOND, ms=8)
        right.line(turned.degrees, turned.rises, color=SECOND, lw=2)
        right.points(now.direction, turned.rises[-1], color="black", ms=8)

    def say(self, turned, now):
        right, left = turned.steps[:, -1]
        return (
            f"Direction {now.direction} degrees: the right machine gets {right:.3f} bolts "
            f"more and the left one {left:.3f}. The ELBO changes by "
            f"{turned.rises[-1]:.1f} thousandths of a nat."
        )
