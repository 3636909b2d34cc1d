"""The style of every figure, and draw functions that know no model: arrays and an Axes in, artists out.

Figures are `matplotlib.figure.Figure` on the Agg canvas; pyplot is never imported, so nothing is shown twice
and no figure outlives its cell.
"""

from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart with any colour vision; the strongest on a white ground come first and
# their yellow, too faint when projected, is left out. The lists go together: shape says the same as colour.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
LINES = ["-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (2, 1)), (0, (8, 3))]
GREY = "#6E6E6E"

STYLE = {
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "savefig.dpi": 110,
    "savefig.facecolor": "white",
    "savefig.transparent": False,
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelsize": 11,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "white",
    "axes.grid": False,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS, linestyle=LINES),
    "axes.formatter.useoffset": False,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "image.cmap": "cividis",
}


def use_style():
    """Make the workbook's style the default of every figure made from now on."""
    matplotlib.rcParams.update(STYLE)


def figure(width=7.0, height=3.2, ncols=1, nrows=1, **subplots):
    """A figure of `width` x `height` inches and its axes in reading order, always a flat array.

    Further arguments go to `Figure.subplots` (for instance `sharex=True`, `width_ratios=[2, 1]`).
    """
    fig = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(fig)
    return fig, fig.subplots(nrows, ncols, squeeze=False, **subplots).ravel()


def panel_title(ax, letter, text):
    """Title a panel at its left: the letter in bold, then the text. Returns the Text."""
    return ax.set_title(rf"$\bf{{{letter}}}$  {text}", loc="left")


def label_line(ax, x, y, text, *, at=-1, colour=None, offset=(5, 0), **style):
    """Write `text` beside the point `at` of a line, instead of a legend entry. Returns the Annotation.

    x, y (n,) are the line's points and `at` an index into them; `offset` is in points. The colour is that of
    the axes' newest line unless given. To move the label later set its `xy`.
    """
    if colour is None:
        colour = ax.lines[-1].get_color() if ax.lines else GREY
    style = {
        "va": "center",
        "ha": "left" if offset[0] >= 0 else "right",
        "annotation_clip": False,
    } | style
    point = (np.ravel(x)[at], np.ravel(y)[at])
    return ax.annotate(
        text, point, xytext=offset, textcoords="offset points", color=colour, **style
    )


def draw_points(ax, X, labels=None, *, size=4.0, colour=GREY, alpha=0.6):
    """Draw points X (N, 2), in one colour or, with integer `labels` (N,), a colour and a marker a label.

    Returns a list of Line2D, one a label (much faster to draw again than a scatter).
    """
    X = np.asarray(X, float)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"X has shape {X.shape}; points are drawn from an array (N, 2)")
    style = {
        "linestyle": "none",
        "markersize": size,
        "markeredgewidth": 0,
        "alpha": alpha,
        "zorder": 1.5,
    }
    if labels is None:
        return ax.plot(*X.T, marker="o", color=colour, **style)
    labels = np.asarray(labels)
    if labels.shape != X.shape[:1] or labels.dtype.kind not in "biu":
        found = f"{labels.dtype} of shape {labels.shape}"
        raise ValueError(f"labels is {found}; allowed is one whole number a point, {X.shape[:1]}")
    cycle = len(COLOURS)
    return [
        ax.plot(*X[labels == k].T, marker=MARKERS[k % cycle], color=COLOURS[k % cycle], **style)[0]
        for k in np.unique(labels)
    ]


class Components(NamedTuple):
    """The artists of `draw_components`; hand them to `update_components` to move them."""

    outlines: PolyCollection
    middles: PathCollection


def draw_ellipses(ax, centres, covariances, weights=None, *, radius=2.0, colours=None, zorder=3.0):
    """Draw K Gaussian components as ellipses of `radius` standard deviations, each in a colour and line style.

    centres (K, 2); covariances (K, 2, 2), or variances (K, 2) or (K,); weights (K,) make line and fill
    heavier. A component that is not finite is left out. Returns the Components to hand to `update_components`.
    """
    outlines = PolyCollection([], closed=True, zorder=zorder)
    middles = ax.scatter([], [], marker="+", s=50, linewidths=1.6, zorder=zorder + 0.1)
    ax.add_collection(outlines, autolim=False)
    n_components = Components(outlines, middles)
    update_components(n_components, centres, covariances, weights, radius=radius, colours=colours)
    return n_components


def update_components(
    n_components, centres, covariances, weights=None, *, radius=2.0, colours=None
):
    """Move the Components of `draw_components`; arguments as there. K may change; component k keeps its colour."""
    centres, verts, weights = _ellipses(centres, covariances, weights, radius)
    K = len(centres)
    edge = _palette(K, colours)
    shown = np.isfinite(verts).all(axis=(1, 2))
    strength = np.sqrt(weights / max(weights.max(initial=0), np.finfo(float).tiny))[shown]
    n_components.outlines.set_verts(verts[shown])
    n_components.outlines.set_facecolor(np.column_stack([edge[shown], 0.18 * strength]))
    n_components.outlines.set_edgecolor(np.column_stack([edge[shown], 0.25 + 0.75 * strength]))
    n_components.outlines.set_linewidth(0.6 + 1.8 * strength if shown.any() else 1.0)
    n_components.outlines.set_linestyle(
        [LINES[k % len(LINES)] for k in np.flatnonzero(shown)] or "-"
    )
    n_components.middles.set_offsets(centres[shown])
    n_components.middles.set_color(edge[shown])


def _ellipses(centres, covariances, weights, radius):
    """Centres (K, 2), vertices of the ellipses (K, 65, 2) and weights (K,), checked."""
    centres = np.asarray(centres, float)
    covariances = np.asarray(covariances, float)
    if centres.ndim != 2 or centres.shape[1] != 2:
        raise ValueError(
            f"centres has shape {centres.shape}; components are drawn from an array (K, 2)"
        )
    K = len(centres)
    if covariances.shape == (K,):
        covariances = covariances[:, None, None] * np.eye(2)
    elif covariances.shape == (K, 2):
        covariances = covariances[:, :, None] * np.eye(2)
    if covariances.shape != (K, 2, 2):
        raise ValueError(
            f"covariances has shape {covariances.shape}, for {K} components; see draw_components"
        )
    weights = np.ones(K) if weights is None else np.asarray(weights, float)
    if weights.shape != (K,) or not np.all(weights >= 0):
        raise ValueError(f"weights is {weights}; allowed are {K} numbers of 0 or more")
    # A matrix root that also exists at the edge of definiteness, where a collapsing component ends up.
    finite = np.isfinite(covariances).all(axis=(1, 2))
    values, vectors = np.linalg.eigh(np.where(finite[:, None, None], covariances, 0.0))
    root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    angle = np.linspace(0, 2 * np.pi, 65)
    circle = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    verts = centres[:, None, :] + circle @ root.transpose(0, 2, 1)
    verts[~finite] = np.nan
    return centres, verts, weights


def _palette(K, colours=None):
    """RGB (K, 3) of the first K components; the palette starts again after its end."""
    colours = COLOURS if colours is None else colours
    return np.array([to_rgb(colours[k % len(colours)]) for k in range(K)]).reshape(K, 3)


# ---- curves and tables -------------------------------------------------------------------------


def line_style(k, marked=False, **style):
    """The k-th colour and line style, and marker if `marked`, as arguments of `Axes.plot`; `style` goes before."""
    k %= len(COLOURS)
    return (
        {"color": COLOURS[k], "ls": LINES[k]} | ({"marker": MARKERS[k]} if marked else {}) | style
    )


def draw_curve(ax, x, y, name, k=0, *, at=-1, offset=(5, 0), marked=False, **style):
    """Draw y (n,) over x (n,) in the k-th colour and line style (and marker, if `marked`), with its name
    `offset` points away from its point `at`. Returns the Line2D."""
    (line,) = ax.plot(x, y, **line_style(k, marked, **style))
    label_line(ax, x, y, name, at=at, colour=line.get_color(), offset=offset)
    return line


def draw_bars(ax, x, bars, *, width):
    """Three bars of this width side by side at each x (n,), told apart by colour and hatch; bars: name -> (n,)."""
    for k, (name, heights) in enumerate(bars.items()):
        style = {
            "color": COLOURS[(1, 0, 2)[k]],
            "hatch": ("///", "", "...")[k],
            "edgecolor": "white",
            "lw": 0.5,
        }
        ax.bar(x + (width + 0.02) * (k - 1), heights, width, label=name, **style)
    ax.set_xticks(x)


def draw_band(ax, x, rows, name, k, *, alpha=0.15):
    """A curve over x (n,) in the k-th look and behind it a band; rows: its lower end, the curve, its upper end (n,)."""
    low, middle, high = rows
    ax.plot(x, middle, label=name, **line_style(k, True))
    ax.fill_between(x, low, high, color=COLOURS[k], alpha=alpha, lw=0)


def draw_table(ax, values, columns, rows, *, form, top, low=0.0, middle=0.55, lw=1.5, size=None):
    """A table of values (rows, columns), shaded from `low` to `top`, with its numbers written in: white where they lie
    below the share `middle` of that. columns, rows: the numbers that stand beside them."""
    mesh = ax.pcolormesh(
        values, cmap="cividis", vmin=low, vmax=top, edgecolors="white", linewidth=lw
    )
    for (i, j), value in np.ndenumerate(values):
        line_style = {
            "color": "white" if value < low + middle * (top - low) else "black",
            "fontsize": size,
        }
        ground = {
            "fc": mesh.to_rgba(value),
            "ec": "none",
            "pad": 1,
        }  # a line drawn across stops where a number stands
        ax.text(
            j + 0.5,
            i + 0.5,
            form.format(value),
            ha="center",
            va="center",
            bbox=ground,
            **line_style,
        )
    ax.set_xticks(np.arange(len(columns)) + 0.5, [f"{c:g}" for c in columns])
    ax.set_yticks(np.arange(len(rows)) + 0.5, [f"{r:g}" for r in rows])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
