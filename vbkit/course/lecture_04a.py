"""Lecture 04a, "Which way is uphill for a posterior?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from contourpy import contour_generator
from matplotlib.collections import LineCollection
from scipy.integrate import solve_ivp

from vbkit import plots
from vbkit.course import Explorer, select_slider, slider
from vbkit.course import forty_bolts as bolts

X = bolts.draw_lengths()  # of the explorers
TOP = bolts.top(X)
START = (0.7, 6.0)  # of the walks: mean and worth
MEANS = np.linspace(0.02, 0.98, 120)
WORTHS = np.geomspace(1, 120, 120)
BELOW_TOP = np.array([0.03, 0.3, 1, 2, 4, 7, 12, 20, 32, 50, 80])  # nats, of contours
CONTOURS = "#C0C0C0"
NATURAL, PLAIN, VB, EQUAL = plots.COLOURS[:4]
ANGLES = np.linspace(0, 2 * np.pi, 121)
CIRCLE = np.stack([np.cos(ANGLES), np.sin(ANGLES)])
BEHIND = 1.9  # order of what stands still: below what moves, so that it is drawn once
MEAN = "mean $m$ of the posterior"
WORTH = "worth $g$ (bolts)"


def draw_hill(axes, x, levels=BELOW_TOP):
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


def draw_map(axes, x):
    """Draw the hill over the mean and the logarithm of the worth."""
    draw_hill(axes, x)
    axes.set(yscale="log", xlim=(0.03, 0.9), ylim=(2, 120), xlabel=MEAN)
    axes.set_ylabel("worth $g$ (bolts, log scale)")
    ticks = [2, 5, 10, 20, 50, 100]
    axes.set_yticks(ticks, [str(number) for number in ticks])
    axes.minorticks_off()


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
        return bolts.slope_at(m, g, X, unit).gradient * [unit, 1.0]

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
            bolts.slope_at(START[0], START[1], X, some).gradient * [some / BOLT, 1.0]
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
        panel.line(*walks.first.T, color=PLAIN, lw=4)
        panel.points(*walks.first[-1], color=PLAIN, marker="s", ms=10)
        panel.line(*walks.second.T, color=NATURAL, lw=2)
        panel.points(*walks.second[-1], color=NATURAL, ms=8)

    def say(self, walks, now):
        return (
            f"The second hiker measures the mean in units of {now.unit:g}. At the start "
            f"the two ways differ by {walks.angle:.0f} degrees on this map."
        )


# ---- the stretched map ---------------------------------------------------------------

MIDDLE = (0.65, 10.0)  # of the map: mean and worth
REACH = 0.35  # of the curve of equal divergence: KL is about REACH ** 2 / 2 nats
WIDE = 2.6  # half the width and half the height of what is drawn
HIGH = 1.7
WINDOW = np.array([0.12, 1 / 3])  # half the map: of the mean, and part of the worth


class Stretched(NamedTuple):
    """The map around one posterior, as it is drawn after stretching."""

    contours: list  # of arrays (n, 2), a nat apart
    ellipse: np.ndarray  # (2, 121), posteriors at equal divergence from the middle
    steepest: np.ndarray  # (2,), the steepest way on the map as it is drawn
    natural: np.ndarray  # (2,), the natural gradient
    angle: float  # degrees between the two


def drawing_matrix(m: float, g: float, stretch: float) -> np.ndarray:
    """Return the matrix (2, 2) from steps in (m, g) to what is drawn; stretch 0 to 1."""
    plain = np.diag(1 / (WINDOW * [1.0, g]))
    G = bolts.slope_at(m, g, X).fisher
    return (1 - stretch) * plain + stretch * np.linalg.cholesky(G).T / REACH


def drawn_contours(m: float, g: float, L) -> list:
    """Return contours of the ELBO, a nat apart, as lines (n, 2) on the map drawn by L."""
    across = np.linspace(-WIDE, WIDE, 53)
    up = np.linspace(-HIGH, HIGH, 35)
    places = np.tensordot(np.linalg.inv(L), np.meshgrid(across, up), 1)
    means = places[0] + m
    worths = places[1] + g
    outside = (means < 0.01) | (means > 0.99) | (worths < 0.5)  # no posteriors there
    S = bolts.counts_at(np.where(outside, 0.5, means), np.where(outside, 1.0, worths))
    height = bolts.elbo(S, X) - bolts.elbo(bolts.counts_at(m, g), X)
    lines = contour_generator(across, up, np.ma.array(height, mask=outside))
    return [line for level in np.arange(-40, 16) for line in lines.lines(level)]


class StretchedMap(Explorer):
    """Grey: contours of the ELBO around one posterior, a nat apart. Purple: the posteriors
    that all have the same divergence from it. Orange (square): the way that is steepest on
    the map as it is drawn. Blue (circle): the natural gradient. Both end on the purple curve.
    The map is stretched, and slanted a little, around the posterior in the middle; at 0 per
    cent it shows 0.62 of the mean from left to right.
    """

    title = "Stretch the map"
    size = (7.0, 4.6)
    stretch = slider("Stretch of the map (per cent)", 0, 100, 0, 10, play=300)

    def compute(self, stretch):
        m, g = MIDDLE
        L = drawing_matrix(m, g, stretch / 100)
        slope = bolts.slope_at(m, g, X)
        steepest = np.linalg.solve(L.T, slope.gradient)
        natural = L @ np.linalg.solve(slope.fisher, slope.gradient)
        root = np.linalg.cholesky(slope.fisher).T
        ellipse = REACH * L @ np.linalg.solve(root, CIRCLE)
        # both ways end on the curve: their steps (in m and g) have the length REACH
        steepest, natural = (
            REACH * way / np.linalg.norm(root @ np.linalg.solve(L, way))
            for way in (steepest, natural)
        )
        angle = angle_between(steepest, natural)
        contours = drawn_contours(m, g, L)
        return Stretched(contours, ellipse, steepest, natural, angle)

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(-WIDE, WIDE), ylim=(-HIGH, HIGH), aspect="equal")
        axes.set(xticks=[], yticks=[])
        axes.set_xlabel("mean (as drawn)")
        axes.set_ylabel("worth (as drawn)")
        axes.plot([], [], color=EQUAL, ls="-", lw=2, label="equal divergence")
        for name, colour, marker, width, size in (
            ("natural gradient", NATURAL, "o", 4.5, 9),
            ("steepest as drawn", PLAIN, "s", 2, 7),
        ):
            axes.plot(
                [],
                [],
                color=colour,
                ls="-",
                lw=width,
                marker=marker,
                ms=size,
                label=name,
            )
        legend = axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
        legend.set_zorder(BEHIND)
        return axes

    def draw(self, panels, stretched, now):
        (panel,) = panels

        def make(axes):
            lines = LineCollection([], colors=CONTOURS, linewidths=0.9)
            return axes.add_collection(lines)

        panel.artist(make, segments=stretched.contours)
        panel.line(*stretched.ellipse, color=EQUAL, lw=2)
        for way, colour, marker, width in (
            (stretched.natural, NATURAL, "o", 4.5),
            (stretched.steepest, PLAIN, "s", 2.0),
        ):
            panel.line([0, way[0]], [0, way[1]], color=colour, lw=width)
            panel.points(way[0], way[1], color=colour, marker=marker, ms=5 + width)
        panel.points(0, 0, color="black", ms=6)

    def say(self, stretched, now):
        return (
            f"The two ways differ by {stretched.angle:.0f} degrees on the map as it is "
            "drawn."
        )


# ---- two climbers --------------------------------------------------------------------

SIZES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.2, 1.4, 1.6, 1.8)
STEPS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20)
MOST = STEPS[-1]
BETWEEN = 15  # points that draw one step
CLIMBERS = ("VB", "natural gradient")
COLOURS = (VB, NATURAL)
MARKERS = ("^", "o")
WIDTHS = (4.0, 1.6)


def below_top(path) -> np.ndarray:
    """Return the nats (n,) below the top along a path of mean and worth (n, 2)."""
    return TOP.elbo - bolts.elbo(bolts.counts_at(*np.transpose(path)), X)


def drawn_way(path) -> np.ndarray:
    """Return points (n, 2) along a path of mean and worth whose steps are straight in S."""
    at = np.arange(BETWEEN * (len(path) - 1) + 1) / BETWEEN
    corners = bolts.counts_at(*path.T)
    S = np.array([np.interp(at, np.arange(len(path)), row) for row in corners])
    return bolts.place_of(S).T


class Climb(NamedTuple):
    """Two climbs from START; the rows are those of CLIMBERS."""

    paths: np.ndarray  # (2, MOST + 1, 2), mean and worth after each step
    below: np.ndarray  # (2, MOST + 1), nats below the top


class TwoClimbers(Explorer):
    """Left: contours of the ELBO over mean and worth of the posterior, a star at the top,
    and the ways of two climbers from one start, where their marks cover each other. Right:
    how many nats each of them still is below the top after each step, on a logarithmic
    scale; what is less than 0.00001 is drawn at the bottom.
    """

    title = "Two climbers"
    size = (9.0, 4.2)
    steps = select_slider("Steps taken", STEPS, 0, play=400)
    step_size = select_slider("Size of a natural-gradient step", SIZES, 0.3)

    def compute(self, step_size):
        paths = (
            bolts.natural_path(START[0], START[1], X, 1.0, MOST),
            bolts.natural_path(START[0], START[1], X, step_size, MOST),
        )
        return Climb(np.array(paths), np.array([below_top(path) for path in paths]))

    def frame(self, figure):
        chart, curve = figure.subplots(1, 2, width_ratios=[1.15, 1])
        draw_map(chart, X)
        chart.set_title("The way on the map")
        curve.set(xlim=(0, MOST), yscale="log", ylim=(1e-5, 1e2), xlabel="steps")
        curve.set(title="Nats below the top", xticks=range(0, MOST + 1, 5))
        looks = zip(CLIMBERS, COLOURS, MARKERS, WIDTHS, strict=True)
        for name, colour, marker, width in looks:
            curve.plot(
                [],
                [],
                color=colour,
                ls="-",
                lw=width,
                marker=marker,
                ms=3 + 1.5 * width,
                label=name,
            )
        curve.legend(loc="upper right", handlelength=1.2).set_zorder(BEHIND)
        return chart, curve

    def draw(self, panels, climb, now):
        chart, curve = panels
        taken = now.steps + 1
        times = np.arange(taken)
        for i, (colour, marker, width) in enumerate(
            zip(COLOURS, MARKERS, WIDTHS, strict=True)
        ):
            path = climb.paths[i, :taken]
            m, g = np.clip(drawn_way(path), [0.035, 2.05], [0.895, 118]).T
            size = 3 + 1.5 * width
            chart.line(
                m, g, color=colour, lw=width, marker=marker, ms=size, markevery=BETWEEN
            )
            below = np.maximum(climb.below[i, :taken], 1.3e-5)
            curve.line(times, below, color=colour, lw=width, marker=marker, ms=size)

    def say(self, climb, now):
        below = climb.below[:, now.steps]
        parts = [
            f"{name} {nats:.3f} nats"
            for name, nats in zip(CLIMBERS, below, strict=True)
        ]
        return f"Below the top after {now.steps} steps: {', '.join(parts)}."


# ---- pictures of the text ------------------------------------------------------------


def picture_of_touch(S, x) -> plots.Picture:
    """Draw the ELBO along VB's step from S (2,): with fixed responsibilities, and assigned
    anew."""
    new = bolts.one_sweep(S, x)
    r = bolts.responsibilities(S, x)
    sizes = np.linspace(-0.5, 2.0, 201)
    S_there = S[:, None] + sizes * (new - S)[:, None]
    inside = (S_there > -1).all(axis=0)
    sizes = sizes[inside]
    S_there = S_there[:, inside]
    anew = bolts.elbo(S_there, x)
    logs = bolts.average_logs(S_there)
    noise = 0.5 * np.log(2 * np.pi)
    fits = (
        np.stack([-((x - bolts.RIGHT) ** 2) / 2, -((x - bolts.LEFT) ** 2) / 2]) - noise
    )
    parts = np.stack([r, 1 - r])
    constant = (parts * (fits - np.log(parts))).sum()
    log_z = np.array([bolts.divergence(np.zeros(2), place) for place in S_there.T])
    log_z += S_there.T @ bolts.average_logs(np.zeros(2))
    fixed = log_z + ((new[:, None] - S_there) * logs).sum(axis=0) + constant
    here = float(bolts.elbo(S, x))
    fig, (ax,) = plots.figure(7.2, 3.2)
    ax.plot(sizes, anew - here, color="black", ls="-", label="ELBO, assigned anew")
    ax.plot(sizes, fixed - here, color=VB, ls="--", label=r"ELBO$_r$, held fixed")
    ax.plot(0, 0, "o", color="black", ms=8)
    at_one = fixed[np.abs(sizes - 1).argmin()] - here
    ax.plot(1, at_one, "^", color=VB, ms=9)
    above = anew[np.abs(sizes - 1).argmin()] - here
    arrow = {"arrowstyle": "->", "lw": 1.5, "shrinkA": 6, "shrinkB": 1}
    ax.annotate("", (1, above), (1, at_one), arrowprops=arrow)
    ax.text(1.03, at_one - 0.45, "learned", color=VB, weight="bold")
    ax.text(1.0, above + 0.25, "assigned", ha="center", va="bottom")
    ax.set_ylim(top=above + 1.2)
    ax.set(xlabel=r"size $\eta$ of the step", ylabel="nats above the start")
    ax.set_title("The two curves touch at the start")
    ax.legend(loc="lower right")
    alt = f"""The ELBO along VB's step, in nats above the start. A solid curve: all bolts are
    assigned anew. A dashed curve below it: the responsibilities stay those of the start. The
    curves touch at the start; the dashed one is highest at size 1, {at_one:.2f} nats up. From
    there an arrow, assigning, leads straight up to the solid curve."""
    return plots.Picture(fig, alt)
