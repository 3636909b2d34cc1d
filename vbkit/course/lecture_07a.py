"""Lecture 07a, "What do we know of two factors if we see their product?": explorers and
pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from contourpy import contour_generator
from matplotlib import colormaps
from matplotlib.collections import PolyCollection
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.course import Explorer, slider
from vbkit.course.factors import Factors, at_rest, exact_product, start, take_turns

OF_EXACT, OF_VB = plots.COLOURS[:2]
REACH = 4.0  # of the planes of a and b
GRID = np.linspace(-REACH, REACH, 121)
BANDS = (0.02, 0.1, 0.25, 0.45, 0.65, 0.85)  # of the highest density
ALONG = np.linspace(-2.5, 2.5, 201)  # places t of the pairs (t, t)
BRANCH = np.geomspace(1e-3, 2 * REACH, 60)  # values of a on one branch of b a = V


# ---- the plane of the two factors ----------------------------------------------------


def frame_plane(plane, title):
    """Prepare a plane of a (across) and b (upwards), with a cross at the origin."""
    plane.axhline(0, color=plots.GREY, lw=0.6)
    plane.axvline(0, color=plots.GREY, lw=0.6)
    plane.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal")
    plane.set(xlabel="$a$, the film's number", ylabel="$b$, the person's number")
    plane.set_title(title)


def draw_density(panel, V):
    """Colour a plane in bands of the exact posterior density at V."""
    outlines, colours = bands_at(V)

    def make(axes):
        return axes.add_collection(PolyCollection([], zorder=0.5), autolim=False)

    panel.artist(make, verts=outlines, facecolor=colours)


def draw_curve(panel, V):
    """Draw the pairs with b a = V, as dashes."""
    a = np.concatenate([-BRANCH[::-1], [np.nan], BRANCH])
    b = V / a
    if V == 0:  # the two axes
        a = np.concatenate([a, [np.nan, 0, 0]])
        b = np.concatenate([b, [np.nan, -REACH, REACH]])
    panel.line(a, b, color="black", ls="--", lw=1)


def draw_vb(panel, factors: Factors):
    """Draw VB's posterior as an ellipse of two standard deviations."""
    centre = np.array([[factors.a, factors.b]])
    variances = np.array([[factors.s_a, factors.s_b]])
    panel.ellipses(centre, variances, colours=[OF_VB])


@cache
def bands_at(V: float) -> tuple[list, list]:
    """Return outlines (n, 2) in the plane and a colour for each, from the lightest on.

    An outline bounds where the exact density exceeds a part of its highest value.
    """
    log_density = -((V - np.outer(GRID, GRID)) ** 2) / 2 - (GRID**2)[:, None] / 2
    log_density = log_density - GRID**2 / 2
    density = np.exp(log_density - log_density.max())
    contours = contour_generator(GRID, GRID, density)
    shades = colormaps["Blues"](np.linspace(0.15, 0.8, len(BANDS)))
    outlines = []
    colours = []
    for level, shade in zip(BANDS, shades, strict=True):
        for outline in contours.lines(level):
            outlines.append(outline)
            colours.append(shade)
    return outlines, colours


# ---- one number ----------------------------------------------------------------------


def height(t, V):
    """Return the log density of the pair (t, t), above that of (0, 0), in nats."""
    return (V - 1) * t**2 - t**4 / 2


class Diagonal(NamedTuple):
    """The log density of the exact posterior along the diagonal."""

    heights: np.ndarray  # (201,), above that of (0, 0)
    peaks: np.ndarray  # (1,) or (2,), where they are highest


class OneNumber(Explorer):
    """Left: the plane of the two factors. The darker the blue, the more plausible is the
    pair; dashes mark the pairs whose product is V, and a cross the mean. Right: the log
    density of the pairs (t, t), in nats above that of (0, 0); dots mark its peaks.
    """

    title = "One number V, two factors"
    size = (9.0, 4.0)
    V = slider("The number V", 0.0, 4.0, 0.0, 0.1, form="{:.1f}", play=250)

    def compute(self, V):
        heights = height(ALONG, V)
        inner = heights[1:-1]
        peaks = (inner >= heights[:-2]) & (inner >= heights[2:])
        return Diagonal(heights, ALONG[1:-1][peaks])

    def frame(self, figure):
        plane, profile = figure.subplots(1, 2)
        frame_plane(plane, "How plausible is each pair? (+: mean)")
        plane.plot(0, 0, "+", color="black", ms=12, mew=2, zorder=5)  # by symmetry
        profile.set(xlim=(-2.5, 2.5), ylim=(-5, 5.5))
        profile.set(xlabel="$t$, for the pair $a=b=t$", ylabel="nats")
        profile.set_title("The log density along the diagonal")
        profile.axhline(0, color=plots.GREY, lw=0.6)
        return plane, profile

    def draw(self, panels, seen, now):
        plane, profile = panels
        draw_density(plane, now.V)
        draw_curve(plane, now.V)
        profile.line(ALONG, seen.heights, color=OF_EXACT)
        profile.points(seen.peaks, height(seen.peaks, now.V), color="black", ms=8)

    def say(self, seen, now):
        if len(seen.peaks) == 1:
            return f"V = {now.V:.1f}: one peak, at (0, 0)."
        t = np.sqrt(now.V - 1)
        return (
            f"V = {now.V:.1f}: two peaks, at ({t:.2f}, {t:.2f}) and (-{t:.2f}, -{t:.2f}); "
            f"their product is {t * t:.2f}."
        )


# ---- VB's two updates ----------------------------------------------------------------

UPDATES = 24
RATING = 3.0  # V in the text


class TakeTurns(Explorer):
    """The exact posterior at V = 3 in blue, VB's posterior as an orange ellipse of two
    standard deviations, and the path of its two means in black.
    """

    title = "Two updates that take turns, V = 3"
    size = (5.4, 4.6)
    mean = slider("Mean of b at the start", -2.0, 2.0, 1.0, 0.25, form="{:.2f}")
    updates = slider("Updates", 0, UPDATES, 0, play=500)

    def compute(self, mean, updates):
        return take_turns(RATING, start(mean), updates)

    def frame(self, figure):
        plane = figure.subplots()
        frame_plane(plane, "Exact (blue), and VB (ellipse)")
        return plane

    def draw(self, panels, states, now):
        (plane,) = panels
        draw_density(plane, RATING)
        draw_curve(plane, RATING)
        draw_vb(plane, states[-1])
        a = [factors.a for factors in states]
        b = [factors.b for factors in states]
        plane.line(a, b, color="black", lw=1.2, marker=".", ms=5, zorder=5)

    def say(self, states, now):
        last = states[-1]
        return (
            f"Updates: {now.updates}. Mean of a: {last.a:.2f}, of b: {last.b:.2f}, of the "
            f"product: {last.product:.2f}."
        )


# ---- the transition ------------------------------------------------------------------

STEP = 0.05
NUMBERS = np.round(np.arange(0, 4 + STEP / 2, STEP), 2)


class Products(NamedTuple):
    """The mean of the product, for all numbers V up to the present one."""

    V: np.ndarray  # (n,)
    exact: np.ndarray  # (n,)
    vb: np.ndarray  # (n,)
    factors: Factors  # VB's posterior of the present one


@cache
def products() -> tuple[np.ndarray, Factors]:
    """Return the exact mean product (81,), and where VB rests, for all NUMBERS."""
    exact = np.array([exact_product(V) for V in NUMBERS])
    return exact, at_rest(NUMBERS)


class RaiseTheNumber(Explorer):
    """Left: the exact posterior in blue, and VB's posterior, where it comes to rest, as an
    orange ellipse of two standard deviations. Right: the mean of the product against V, up
    to the present V: black dashes exactly, orange by VB.
    """

    title = "The product as V rises"
    size = (9.0, 4.0)
    V = slider("The number V", 0.0, 4.0, 0.0, STEP, form="{:.2f}", play=150)

    def compute(self, V):
        exact, vb = products()
        n = int(round(V / STEP)) + 1
        last = Factors(*(each[n - 1] for each in vb))
        return Products(NUMBERS[:n], exact[:n], vb.product[:n], last)

    def frame(self, figure):
        plane, right = figure.subplots(1, 2)
        frame_plane(plane, "Exact (blue), and VB (ellipse)")
        right.plot([0, 4], [0, 4], color=plots.GREY, lw=0.8, ls=":")
        # texts below what moves are not drawn again
        right.text(3.2, 3.4, "V itself", color=plots.GREY, ha="right", zorder=0.4)
        right.set(xlim=(-0.05, 4.05), ylim=(-0.15, 4), xlabel="$V$")
        right.set(ylabel="mean of $b\\,a$", title="The mean of the product")
        right.text(0.15, 3.7, "- - exact", color="black", zorder=0.4)
        right.text(0.15, 3.35, "— VB", color=OF_VB, zorder=0.4)
        return plane, right

    def draw(self, panels, seen, now):
        plane, right = panels
        draw_density(plane, now.V)
        draw_curve(plane, now.V)
        draw_vb(plane, seen.factors)
        right.line(seen.V, seen.exact, color="black", ls="--")
        right.line(seen.V, seen.vb, color=OF_VB, lw=2.4)
        right.points(seen.V[-1], seen.exact[-1], color="black", ms=6)
        right.points(seen.V[-1], seen.vb[-1], color=OF_VB, ms=9)

    def say(self, seen, now):
        return (
            f"V = {now.V:.2f}: mean of the product {seen.exact[-1]:.2f} exactly, "
            f"{seen.vb[-1]:.2f} by VB."
        )


# ---- pictures of the text ------------------------------------------------------------


def picture_of_tables(tables) -> plots.Picture:
    """Draw ratings with the numbers behind them.

    tables: for each panel the numbers of the people, a dict by name, those of the films
    (3,), and the holes, a set of (row, column).
    """
    fig, axes = plots.figure(7.5, 2.6, ncols=len(tables))
    said = []
    for letter, ax, (people, films, holes) in zip("AB", axes, tables, strict=False):
        ax.set(xlim=(-1.9, 3.1), ylim=(2.1, -1.2), aspect="equal")
        ax.set_axis_off()
        plots.panel_title(ax, letter, "blue: numbers; orange: holes")
        for column, film in enumerate(films):
            ax.text(column + 0.5, -0.5, f"{film:g}", ha="center", color=OF_EXACT)
            ax.text(column + 0.5, -0.95, f"film {column + 1}", ha="center", fontsize=9)
        for row, (name, person) in enumerate(people.items()):
            ax.text(-1.8, row + 0.5, name, va="center", fontsize=9)
            ax.text(-0.45, row + 0.5, f"{person:g}", va="center", color=OF_EXACT)
            for column, film in enumerate(films):
                hole = (row, column) in holes
                colour = OF_VB if hole else "black"
                ax.add_patch(_cell(column, row, "#FBE9DD" if hole else "#F2F2F2"))
                ax.text(
                    column + 0.5,
                    row + 0.5,
                    f"{person * film:g}",
                    ha="center",
                    va="center",
                    color=colour,
                )
        numbers = ", ".join(f"{name} {person:g}" for name, person in people.items())
        said.append(f"{numbers}; films {', '.join(f'{film:g}' for film in films)}")
    alt = f"""The same table of ratings, filled twice, as products of a person's and a
    film's number. A: {said[0]}. B: {said[1]}. The two holes are filled with the same
    ratings."""
    return plots.Picture(fig, alt)


def _cell(column, row, colour):
    """Make a cell of a table."""
    return Rectangle((column + 0.03, row + 0.03), 0.94, 0.94, fc=colour, ec="none")


def picture_of_posteriors(x, exact, vb) -> plots.Picture:
    """Draw the densities `exact` and `vb` (n, n) over a and b, both on the grid x (n,)."""
    levels = vb.max() * np.array([0.01, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0])
    fig, (left, right) = plots.figure(7, 3.6, ncols=2)
    for ax, density, colour, colours in (
        (left, exact, OF_EXACT, "Blues"),
        (right, vb, OF_VB, "Oranges"),
    ):
        ax.contourf(x, x, density.T, levels, cmap=colours)
        ax.contour(x, x, density.T, levels[:-1], colors=colour, linewidths=0.6)
        frame_plane(ax, "")
    right.contour(x, x, exact.T, levels[:1], colors=OF_EXACT, linestyles="--")
    right.text(-3.3, 0.5, "edge of the\nexact one", color=OF_EXACT)
    plots.panel_title(left, "A", "exact: two bent lobes")
    plots.panel_title(right, "B", "VB: one lobe, straightened")
    alt = """Two contour plots over a and b. The exact posterior has two banana-shaped
    lobes along the hyperbola ab = 3, one for each common sign. The VB posterior is one
    upright round blob within one lobe, darker at its centre; it leaves out the other
    lobe and the tips of its own. Both have contours at the same levels."""
    thinned = slice(None, None, 4)  # enough to draw it
    arrays = {
        "x": x[thinned],
        "exact": exact[thinned, thinned],
        "vb": vb[thinned, thinned],
    }
    return plots.Picture(fig, alt, arrays)
