"""Lecture 04a, "Which way is uphill for a posterior?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from vbkit import plots
from vbkit.course import Explorer, select_slider, slider
from vbkit.course import forty_bolts as bolts

X = bolts.draw_lengths()  # of the explorers
TOP = bolts.top(X)
START = (0.7, 6.0)  # of the walks: mean and worth
MEANS = np.linspace(0.02, 0.98, 120)
WORTHS = np.geomspace(1, 120, 120)
CONTOURS = "#C0C0C0"
SECOND, FIRST, VB = plots.COLOURS[:3]
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
    unit = select_slider(
        "Unit in which the second hiker measures the mean (0.01 is one per cent)",
        UNITS,
        1.0,
        play=500,
    )

    def compute(self, unit):
        first = walk(1.0)
        second = walk(unit)
        one, other = (
            bolts.slope_at(START[0], START[1], X, some) * [some / BOLT, 1.0]
            for some in (1.0, unit)
        )
        return Walks(first, second, angle_between(one, other))

    def frame(self, figure):
        for unit in UNITS:  # walked here, so that no position has to wait for it
            walk(unit)
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


# ---- one step ------------------------------------------------------------------------

BEGIN = bolts.counts_at(0.5, 24.0)  # of the step
SIZES = tuple(i / 10 for i in range(21))
DRAWN = np.linspace(0, 2, 201)


class Heights(NamedTuple):
    """The ELBO along VB's step from BEGIN, in nats above it, at the sizes DRAWN."""

    anew: np.ndarray  # (201,), all bolts are assigned anew at each place
    fixed: np.ndarray  # (201,), the responsibilities stay those of BEGIN


def heights_along_step() -> Heights:
    """Return both heights along VB's step."""
    new = bolts.one_sweep(BEGIN, X)
    places = BEGIN[:, None] + DRAWN * (new - BEGIN)[:, None]
    log_z = np.array([bolts.divergence(np.zeros(2), place) for place in places.T])
    log_z += places.T @ bolts.average_logs(np.zeros(2))
    fixed = log_z + ((new[:, None] - places) * bolts.average_logs(places)).sum(axis=0)
    anew = bolts.elbo(places, X)
    return Heights(anew - anew[0], fixed - fixed[0])


class OneStep(Explorer):
    """The ELBO along a step of VB, in nats above its start: solid and black if all bolts are
    assigned anew, dashed and green if the responsibilities stay those of the start. A circle
    and a triangle mark the two at the size of the slider, and a dotted line marks a sweep.
    """

    title = "A step of another size"
    size = (7.2, 3.4)
    step_size = select_slider("Size of the step", SIZES, 0.0, play=300)

    def compute(self):
        return heights_along_step()

    def frame(self, figure):
        heights = self.compute()
        axes = figure.subplots()
        axes.plot(
            DRAWN, heights.anew, color="black", ls="-", label="ELBO, assigned anew"
        )
        axes.plot(
            DRAWN, heights.fixed, color=VB, ls="--", label=r"ELBO$_r$, held fixed"
        )
        axes.axvline(1, color=plots.GREY, lw=1, ls=":")
        axes.set(
            xlim=(-0.05, 2.05), ylim=(-0.1, 1.8), xlabel=r"size $\eta$ of the step"
        )
        axes.set_ylabel("nats above the start")
        axes.legend(loc="lower right").set_zorder(BEHIND)
        return axes

    def draw(self, panels, heights, now):
        (panel,) = panels
        anew, fixed = heights_at(heights, now.step_size)
        panel.line(np.full(2, now.step_size), np.array([fixed, anew]), color="black")
        panel.points(now.step_size, anew, color="black", ms=8)
        panel.points(now.step_size, fixed, color=VB, marker="^", ms=9)

    def say(self, heights, now):
        anew, fixed = heights_at(heights, now.step_size)
        return (
            f"Size {now.step_size:g}: {fixed:.2f} nats above the start with the old "
            f"responsibilities, {anew:.2f} after assigning anew."
        )


def heights_at(heights: Heights, step_size: float):
    """Return the two heights (nats) after a step of this size."""
    place = np.abs(DRAWN - step_size).argmin()
    return heights.anew[place], heights.fixed[place]
