"""Drawings of the phase diagram and of Bernoulli mixtures, for notebook 08 and its explorers (Kaji 2011)."""

import numpy as np
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle

from vbkit import plots
from vbkit.theory import phase_lines

A_MAX, B_MAX = 6.0, 1.2  # the part of the phase diagram that is shown
KINDS = {
    "A": (2, 0),
    "B": (1, 1),
}  # interior and deterministic components of the truths A and B (M = 4)
CORNER = (2.5, 0.5)
INTERIOR = "#DCEAF5"
REGIONS = {  # of one component beyond the truth's: polygon, colour, label and its place
    "A": [
        ([(0.5, 0), CORNER, (2.5, 0)], "#F6E3EE", "small vertex", (1.05, 0.46)),
        ([CORNER, (2.5, 0), (A_MAX, 0), (A_MAX, 0.5)], "#DDF0EA", "cut", (5.2, 0.22)),
    ],
    "B": [
        (
            [(0.5, 0), CORNER, (A_MAX, 0.5), (A_MAX, 0)],
            "#FBE7D9",
            "deterministic\nduplicate",
            (3.6, 0.2),
        )
    ],
}


def draw_phases(ax, truth: str) -> list:
    """The phases of one redundant component for the truths A and B, in the limit of many data: regions, lines, names; a list
    of the artists."""
    style = {"ha": "center", "va": "center", "fontsize": 10}
    drawn = [ax.add_patch(Rectangle(CORNER, A_MAX, B_MAX, color=INTERIOR, lw=0, zorder=0))]
    drawn += [
        ax.add_patch(Polygon(xy, color=colour, lw=0, zorder=0))
        for xy, colour, _, _ in REGIONS[truth]
    ]
    for ends in phase_lines(4, *KINDS[truth], A_MAX, B_MAX).values():
        drawn += ax.plot(*ends.T, color="black", ls="-", lw=1.4)
    drawn += [
        ax.text(1.2, 0.85, "empty", **style),
        ax.text(4.25, 1.0, "interior duplicate", **style),
    ]
    if truth == "A":  # too narrow for its name: a line leads to it
        drawn += ax.plot([1.3, 1.9], [0.43, 0.28], color=plots.GREY, ls="-", lw=1)
    return drawn + [ax.text(*place, word, **style) for _, _, word, place in REGIONS[truth]]


def draw_map(ax, a, b, exponent):
    """The growth exponent (A, B) of the smallest component over a (A,) and b (B,), 0 to 1, as colours. Returns the mesh."""
    return ax.pcolormesh(
        a, b, exponent.T, vmin=0, vmax=1, cmap="cividis", shading="nearest", rasterized=True
    )


def draw_components(ax, weights, means):
    """Components as columns of squares, their weights above and their probabilities of ones within: white for 1."""
    K, M = np.shape(means)
    for k, m in np.ndindex(K, M):
        value = means[k][m]
        ax.add_patch(
            Rectangle((1.5 * k, -m), 1, 0.9, fc=str(0.15 + 0.85 * value), ec="black", lw=0.8)
        )
        colour = "white" if value < 0.4 else "black"
        ax.text(1.5 * k + 0.5, 0.45 - m, f"{value:.3g}", ha="center", va="center", color=colour)
    for k in range(K):
        ax.text(1.5 * k + 0.5, 1.25, rf"$\pi_{k + 1}$ = {weights[k]:.3g}", ha="center", va="center")
    for m in range(M):
        ax.text(-0.15, 0.45 - m, rf"$\mu_{{k{m + 1}}}$", ha="right", va="center")
    ax.set(xlim=(-0.8, 1.5 * K - 0.3), ylim=(0.8 - M, 1.7), aspect="equal")
    ax.axis("off")


def draw_graph(ax, nodes, edges, plates):
    """A graphical model. nodes: name -> (x, y, observed); edges: pairs of names; plates: (x, y, width, height,
    label)."""
    for x, y, width, height, label in plates:
        ax.add_patch(
            FancyBboxPatch(
                (x, y), width, height, boxstyle="round,pad=0.02", fc="none", ec=plots.GREY
            )
        )
        ax.text(x + width - 0.08, y + 0.06, label, ha="right", color=plots.GREY)
    for name, (x, y, observed) in nodes.items():
        ax.add_patch(
            Circle((x, y), 0.3, fc="#D5D5D5" if observed else "white", ec="black", lw=1.3, zorder=3)
        )
        ax.text(x, y, name, ha="center", va="center", zorder=4)
    for parent, child in edges:
        start, end = np.array(nodes[parent][:2]), np.array(nodes[child][:2])
        gap = 0.32 * (end - start) / np.hypot(*(end - start))
        style = {
            "arrowstyle": "-|>",
            "mutation_scale": 14,
            "shrinkA": 0,
            "shrinkB": 0,
            "color": "black",
        }
        ax.add_patch(FancyArrowPatch(start + gap, end - gap, **style))
    ax.set(aspect="equal")
    ax.autoscale_view()
    ax.axis("off")


def in_a_row(tiles):
    """Tiles (B, n, M) side by side (n, B (M + 1)), masked behind each."""
    return np.ma.masked_invalid(
        np.hstack([np.pad(t, ((0, 0), (0, 1)), constant_values=np.nan) for t in tiles])
    )


def draw_strips(ax, strips, b, *, empty=()):
    """Redundant components (B, n, M) over b (B,), each a row of M squares, white for ones, n of them in a column; where
    `empty` (B, n) they are hatched."""
    B, _, M = strips.shape
    ax.imshow(in_a_row(strips), cmap="gray", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    for left, rows in enumerate(empty):
        ends = (
            np.flatnonzero(np.diff(rows, prepend=False, append=False)) - 0.5
        )  # where a block begins, and ends
        for top, bottom in zip(ends[::2], ends[1::2], strict=True):
            place = (left * (M + 1) - 0.5, top)
            ax.add_patch(
                Rectangle(place, M, bottom - top, fc="none", ec="#C8C8C8", hatch="xx", lw=0)
            )
    ax.set_xticks(np.arange(B) * (M + 1) + (M - 1) / 2, [f"{x:g}" for x in b])
    ax.set(yticks=[], xlabel="$b$", facecolor="#8FB8D8")


def draw_growth(ax, totals, curves):
    """F - N S (n,) against N (n,), measured as points with their slopes' predictions as lines through the last point.
    curves: name -> (measured (n,), coefficient, k), k counts colours."""
    x = np.log(totals)
    for name, (measured, slope, k) in curves.items():
        ax.plot(totals, measured, **plots.line_style(k, True, ls="none"))
        ax.plot(totals, measured[-1] + slope * (x - x[-1]), lw=1.2, **plots.line_style(k))
        plots.label_line(ax, totals, measured, name, offset=(8, 0))
    ax.set(
        xscale="log",
        xlabel="$N$",
        ylabel=r"$\bar F - N S$ (nats)",
        xlim=(0.6 * totals[0], 60 * totals[-1]),
    )
    ax.set_xticks(totals[::2])
