"""Drawing for chapters 08b and 08c: the phase diagram, Bernoulli components, a graphical model."""

import numpy as np
from matplotlib.patches import Polygon, Rectangle

from vbkit import plots
from vbkit.chapters.bernoulli.structures import KINDS
from vbkit.theory import phase_lines

A_MAX, B_MAX = 6.0, 1.2  # the part of the phase diagram that is shown
EMPTY = {
    "fc": "#CCCCCC",
    "ec": "white",
    "hatch": "xx",
    "lw": 0,
}  # the look of what is empty
GROUNDS = {  # of the other phases
    "interior": "#9CC3E6",
    "deterministic": "#F2B48A",
    "cut": "#3DAE8B",
    "small vertex": "#E8B4D0",
}
NAMES = {  # of the phases below b = 1/2, by truth: name and place
    "A": [("small\nvertex", (2.08, 0.23)), ("half of a cut", (4.25, 0.2))],
    "B": [("black-and-white\nduplicate", (4.0, 0.14))],
}


def draw_lines(ax, truth: str, colour="black", names=True, dashed=()):
    """Draw the lines between the phases for ever more data, and the phases' names. dashed: the
    pairs of phases whose line is."""
    for pair, ends in phase_lines(4, *KINDS[truth], A_MAX, B_MAX).items():
        ls = "--" if pair in dashed else "-"
        ax.plot(*ends.T, color=colour, ls=ls, lw=1.6, zorder=1.5)
    named = [("empty", (1.15, 0.85)), ("mixed duplicate", (4.25, 0.95))]
    for name, place in (named + NAMES[truth]) * names:
        ax.text(*place, name, ha="center", va="center", fontsize=11, zorder=1.5)
    ax.set(xlim=(0, A_MAX), ylim=(0, B_MAX), xlabel="$a$", ylabel="$b$")


def setup_grounds(ax, kinds):
    """Cover the plane with the look of what is empty; return an empty polygon for each of kinds."""
    ax.add_patch(Rectangle((0, 0), A_MAX, B_MAX, **EMPTY, zorder=0.9))
    nothing = np.zeros((3, 2))
    return {
        k: ax.add_patch(Polygon(nothing, fc=GROUNDS[k], lw=0, zorder=1)) for k in kinds
    }


def setup_strip_name(ax):
    """Name the thin strip of the plane, and return the line that leads to it."""
    ax.text(4.25, 0.6, "a part of the mixed kind", ha="center", fontsize=10, zorder=1.5)
    return ax.plot([], [], color="black", ls="-", lw=1, zorder=1.5)[0]


def lead_to_strip(line, outline):
    """Let the line end in the middle of the strip, below its name."""
    lower = outline[: len(outline) // 2]
    at = abs(lower[:, 0] - 4.25).argmin()
    line.set_data([4.25, 4.25], [0.58, (lower[at, 1] + outline[-1 - at, 1]) / 2])


def setup_place(ax):
    """Label the axes of a and b, and return the ring that marks the chosen place."""
    ax.set(xlabel="$a$", ylabel="$b$")
    return ax.plot(
        [], [], "o", color="black", ms=9, mfc="none", mew=2.5, clip_on=False
    )[0]


def setup_tiles(
    ax, n_components: int, dimension: int, title: str, *, gap: float, aspect=None
):
    """Make an image of probabilities (components, dimension), white for ones, its rows apart."""
    for edge in range(1, n_components):
        ax.axhline(edge - 0.5, color="#EEEEEE", lw=gap)
    tiles = np.zeros((n_components, dimension))
    image = ax.imshow(tiles, cmap="gray", vmin=0, vmax=1, aspect=aspect)
    ax.set_xticks(range(dimension), range(1, dimension + 1))
    ax.set(yticks=[], xlabel="question", title=title)
    return image


def setup_covers(ax, n_components: int, dimension: int):
    """Make a cover for each row of an image of components, to show where that one is empty."""
    rows = [
        Rectangle((-0.5, k - 0.5), dimension, 1, **EMPTY) for k in range(n_components)
    ]
    return [ax.add_patch(row) for row in rows]


def draw_probabilities(ax, weights, means):
    """Draw components as columns of squares, white for probability 1, with their numbers."""
    K, M = np.shape(means)
    centre = {"ha": "center", "va": "center"}
    for (k, m), value in np.ndenumerate(means):
        square = Rectangle((1.5 * k, -m), 1, 0.9, fc=str(value), ec="black", lw=0.8)
        ax.add_patch(square)
        colour = "white" if value < 0.5 else "black"
        ax.text(1.5 * k + 0.5, 0.45 - m, f"{value:.3g}", color=colour, **centre)
    for k, weight in enumerate(weights):
        ax.text(1.5 * k + 0.5, 1.25, rf"$\pi_{k + 1}$ = {weight:.3g}", **centre)
    for m in range(M):
        ax.text(-0.15, 0.45 - m, rf"$\mu_{{k{m + 1}}}$", ha="right", va="center")
    ax.set(xlim=(-0.8, 1.5 * K - 0.3), ylim=(0.8 - M, 1.7), aspect="equal")
    ax.axis("off")


def draw_people(ax, means, names, kinds=(), unknown="the third\ncomponent"):
    """Draw kinds of people (K, M) as rows of squares; if `unknown`, a dashed row of "?" so named.

    names and kinds: words to the left and to the right of the rows.
    """
    K, M = means.shape
    centre = {"ha": "center", "va": "center"}
    for (k, m), value in np.ndenumerate(means):
        ax.add_patch(Rectangle((m, -k), 0.94, 0.82, fc=str(value), ec="black", lw=0.8))
        colour = "white" if value < 0.5 else "black"
        ax.text(m + 0.47, 0.41 - k, f"{round(value, 2):g}", color=colour, **centre)
    for m in range(M):
        ax.text(m + 0.47, 1.0, f"question {m + 1}", size=10, **centre)
    for m in range(M) if unknown else ():
        ax.add_patch(
            Rectangle((m, -K), 0.94, 0.82, fc="white", ec=plots.GREY, lw=1, ls="--")
        )
        ax.text(m + 0.47, 0.41 - K, "?", color=plots.COLOURS[1], size=16, **centre)
    for k, words in enumerate((*names, unknown)):
        ax.text(-0.15, 0.41 - k, words, ha="right", va="center")
    for k, words in enumerate(kinds):
        ax.text(M + 0.1, 0.41 - k, words, ha="left", va="center")
    lowest = -K - 0.1 if unknown else 0.9 - K
    ax.set(xlim=(-1.6, M + 1.8 * bool(kinds) + 0.1), ylim=(lowest, 1.25))
    ax.axis("off")


def draw_growth(ax, totals, curves):
    """Draw F - N S (n,) against N (n,), and lines of the predicted slopes through the last points.

    curves: name -> (measured (n,), coefficient, k), where k counts colours.
    """
    x = np.log(totals)
    for name, (measured, slope, k) in curves.items():
        ax.plot(totals, measured, **plots.line_style(k, True, ls="none"))
        ax.plot(
            totals, measured[-1] + slope * (x - x[-1]), **plots.line_style(k, lw=1.2)
        )
        plots.label_line(ax, totals, measured, name, offset=(8, 0))
    ax.set(xscale="log", xlabel="$N$", ylabel=r"$\bar F - N S$ (nats)")
    ax.set_xlim(0.6 * totals[0], 20 * totals[-1])
    ax.set_xticks(totals[::2])
