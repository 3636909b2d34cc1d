"""The style of every figure, and functions that draw: arrays and an Axes in, artists out.

They know no model. Figures are `matplotlib.figure.Figure` on the Agg canvas; pyplot is never
imported, so nothing is shown twice and no figure outlives its cell.
"""

import base64
import io
import textwrap
from typing import NamedTuple

from vbkit.checks import require

require("workbook", "matplotlib", "PIL")

import attrs
import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

# The colours of Okabe and Ito can be told apart with any colour vision; their yellow is left out
# because it is too faint when projected. The lists go together: shape says the same as colour.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
LINES = ["-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (2, 1)), (0, (8, 3))]
GREY = "#6E6E6E"
DPI = 110
LINE_HEIGHT = 20  # pixels, of text above a picture
LETTER_WIDTH = 8  # pixels


def grey(lightness: float) -> str:
    """Return the grey between black, for 0, and white, for 1."""
    return str(round(float(lightness), 3))


def use_style():
    """Make the workbook's style the default of every figure made from now on."""
    rc = matplotlib.rc
    rc(("figure", "savefig"), dpi=DPI)
    rc("font", family="DejaVu Sans", size=11)
    rc("axes", titlesize=11, titlelocation="left", labelsize=11, linewidth=0.8)
    rc("axes", prop_cycle=matplotlib.cycler(color=COLOURS, linestyle=LINES))
    rc("axes.spines", top=False, right=False)
    rc("axes.formatter", useoffset=False)
    rc("grid", color="#DDDDDD", linewidth=0.6)
    rc(("xtick", "ytick"), labelsize=10)
    rc("legend", fontsize=10, frameon=False)
    rc("lines", linewidth=1.8, markersize=5)
    rc("image", cmap="cividis")


def figure(width=7.0, height=3.2, ncols=1, nrows=1, **subplots):
    """Make a figure of `width` x `height` inches; return it and the flat array of its axes.

    Further arguments go to `Figure.subplots` (for instance `sharex=True`, `width_ratios=[2, 1]`).
    """
    fig = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(fig)
    return fig, fig.subplots(nrows, ncols, squeeze=False, **subplots).ravel()


def _png_of(figure: Figure | bytes) -> bytes:
    """Draw a figure as PNG bytes; bytes are returned as they are."""
    if isinstance(figure, bytes):
        return figure
    figure.set(dpi=DPI, facecolor="white")
    file = io.BytesIO()
    # `Figure.savefig` would draw twice where there is a layout to fit.
    FigureCanvasAgg(figure).print_png(file, metadata={"Software": None})  # no version
    return file.getvalue()


def _alternative_text(alt: str) -> str:
    """Return the words in one line; raise ValueError if there are none."""
    if not isinstance(alt, str) or not alt.strip():
        raise ValueError(f"alt was {alt!r}: say in words what the figure shows")
    return " ".join(alt.split())


@attrs.frozen(repr=False, eq=False)
class Picture:
    """What a figure shows, the words that stand for it, and the arrays behind it.

    `Picture(figure, alt, arrays)` draws a matplotlib Figure, opaque on white and the same
    bytes each time; in the place of a figure it also takes the bytes of a PNG. A notebook
    displays a picture that ends a cell, and `vbkit.press.publish` stores it.

    png: bytes; alt: what the picture shows, for a reader who does not see it; arrays: the
    ndarrays behind it by name, where it is to be published. Raises ValueError for an alt
    that is empty.
    """

    png: bytes = attrs.field(converter=_png_of)
    alt: str = attrs.field(converter=_alternative_text)
    arrays: dict[str, np.ndarray] = attrs.field(factory=dict)

    def _repr_mimebundle_(self, include=None, exclude=None):
        image = base64.b64encode(self.png).decode()
        data = {"image/png": image, "text/plain": self.alt}
        return data, {"image/png": {"alt": self.alt}}

    def __repr__(self):
        return self.alt


def below_lines(png: bytes, title: str, *lines: str) -> bytes:
    """Return a picture below its title and further lines of text, drawn into it.

    For a page on which the picture stands alone. A line that is too long is wrapped.
    """
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    wrapped = [title]
    for line in lines:
        wrapped += textwrap.wrap(line, picture.width // LETTER_WIDTH)
    height = LINE_HEIGHT * len(wrapped)
    figure = Figure(figsize=(picture.width / 100, height / 100), dpi=100)
    for number, line in enumerate(wrapped):
        middle = 1 - (number + 0.5) * LINE_HEIGHT / height
        weight = "bold" if number == 0 else "normal"
        figure.text(0.01, middle, line, va="center", size=9.5, weight=weight)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    text = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    both = Image.new("RGB", (picture.width, height + picture.height))
    both.paste(text, (0, 0))
    both.paste(picture, (0, height))
    file = io.BytesIO()
    both.save(file, "PNG", optimize=True)
    return file.getvalue()


def in_few_colours(png: bytes, size: int) -> bytes:
    """Return a picture with at most 256 colours, and with fewer if it exceeds `size` bytes.

    With sixteen colours it is returned as it is, whatever its size.
    """
    for colours in (256, 128, 64, 32, 16):
        few = quantised(png, colours)
        if len(few) <= size:
            break
    return few


def quantised(png: bytes, colours: int) -> bytes:
    """Return a picture with so many colours at most."""
    few = (
        Image.open(io.BytesIO(png))
        .convert("RGB")
        .quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    file = io.BytesIO()
    few.save(file, "PNG", optimize=True)
    return file.getvalue()


def panel_title(ax, letter, text):
    """Title a panel at its left: the letter in bold, then the text. Return the Text."""
    return ax.set_title(rf"$\bf{{{letter}}}$  {text}", loc="left")


def label_line(ax, x, y, text, *, at=-1, colour=None, offset=(5, 0), **style):
    """Write `text` beside the point `at` of a line, and return the Annotation.

    x, y (n,) are the line's points and `at` is an index into them; `offset` is in points. The
    colour is that of the newest line in the axes unless given. To move the label later, set its
    `xy`.
    """
    if colour is None:
        colour = ax.lines[-1].get_color() if ax.lines else GREY
    side = "left" if offset[0] >= 0 else "right"
    style = {
        "va": "center",
        "ha": side,
        "annotation_clip": False,
        "color": colour,
    } | style
    point = (np.ravel(x)[at], np.ravel(y)[at])
    return ax.annotate(text, point, xytext=offset, textcoords="offset points", **style)


def draw_points(ax, X, labels=None, *, size=4.0, alpha=0.6):
    """Draw points X (N, 2), with integer `labels` (N,) in a colour and a marker per label.

    Returns a list of Line2D, one per label (much faster to draw again than a scatter).
    """
    X = np.asarray(X)
    groups = []
    if labels is None:
        groups.append((X, "o", GREY))
    else:
        for label in np.unique(labels):
            k = label % len(COLOURS)
            groups.append((X[np.equal(labels, label)], MARKERS[k], COLOURS[k]))
    lines = []
    for points, marker, colour in groups:
        lines += ax.plot(
            points[:, 0],
            points[:, 1],
            color=colour,
            ls="none",
            marker=marker,
            ms=size,
            mew=0,
            alpha=alpha,
            zorder=1.5,
        )
    return lines


class Components(NamedTuple):
    """The artists of `draw_ellipses`; hand them to `update_ellipses` to move them."""

    outlines: PolyCollection
    centres: PathCollection


def draw_ellipses(
    ax, centres, covariances, weights=None, *, radius=2.0, colours=None, zorder=3.0
):
    """Draw K Gaussian components as ellipses of `radius` standard deviations.

    centres (K, 2); covariances (K, 2, 2), or variances (K, 2) or (K,); weights (K,), 0 or more,
    make line and fill heavier. Each component has a colour and a line style; one that is not finite
    is left out. Returns the Components to hand to `update_ellipses`.
    """
    outlines = PolyCollection([], closed=True, zorder=zorder)
    middles = ax.scatter([], [], marker="+", s=50, linewidths=1.6, zorder=zorder + 0.1)
    ax.add_collection(outlines, autolim=False)
    components = Components(outlines, middles)
    update_ellipses(
        components, centres, covariances, weights, radius=radius, colours=colours
    )
    return components


def update_ellipses(
    components, centres, covariances, weights=None, *, radius=2.0, colours=None
):
    """Move the Components of `draw_ellipses`; K may change, component k keeps its colour."""
    centres, verts, weights = _ellipses(centres, covariances, weights, radius)
    colours = colours or COLOURS
    shown = np.flatnonzero(np.isfinite(verts).all(axis=(1, 2)))
    edge = np.array([to_rgb(colours[k % len(colours)]) for k in shown]).reshape(-1, 3)
    heaviest = max(weights.max(initial=0), np.finfo(float).tiny)
    strength = np.sqrt(weights[shown] / heaviest)
    outlines = components.outlines
    outlines.set_verts(verts[shown])
    outlines.set_facecolor(np.column_stack([edge, 0.18 * strength]))
    outlines.set_edgecolor(np.column_stack([edge, 0.25 + 0.75 * strength]))
    if shown.size:  # matplotlib takes no empty lists
        outlines.set_linewidth(0.6 + 1.8 * strength)
        outlines.set_linestyle([LINES[k % len(LINES)] for k in shown])
    components.centres.set_offsets(centres[shown])
    components.centres.set_color(edge)


def _ellipses(centres, covariances, weights, radius):
    """Return centres (K, 2), vertices of the ellipses (K, 65, 2) and weights (K,)."""
    centres = np.asarray(centres, float)
    covariances = np.asarray(covariances, float)
    K = len(centres)
    if covariances.ndim == 1:
        covariances = covariances[:, None]
    if covariances.ndim == 2:
        covariances = covariances[:, :, None] * np.eye(2)
    weights = np.ones(K) if weights is None else np.asarray(weights, float)
    # This matrix root also exists for a singular covariance, where a collapsing component ends up.
    finite = np.isfinite(covariances).all(axis=(1, 2))
    values, vectors = np.linalg.eigh(np.where(finite[:, None, None], covariances, 0.0))
    root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    angle = np.linspace(0, 2 * np.pi, 65)
    circle = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    verts = centres[:, None, :] + circle @ root.transpose(0, 2, 1)
    verts[~finite] = np.nan
    return centres, verts, weights


# ---- curves and tables -------------------------------------------------------------------------


def line_style(k, marked=False, **style):
    """Return the k-th colour and line style, and marker if `marked`, for `Axes.plot`.

    `style` overrides them.
    """
    k %= len(COLOURS)
    marker = {"marker": MARKERS[k]} if marked else {}
    return {"color": COLOURS[k], "ls": LINES[k]} | marker | style


def draw_curve(ax, x, y, name, k=0, *, at=-1, offset=(5, 0), marked=False, **style):
    """Draw y (n,) over x (n,), named beside its point `at`, and return the Line2D."""
    (line,) = ax.plot(x, y, **(line_style(k, marked) | style))
    label_line(ax, x, y, name, at=at, colour=line.get_color(), offset=offset)
    return line


def draw_bars(ax, x, bars, *, width):
    """Draw up to three bars side by side at each x (n,); bars: name -> heights (n,)."""
    looks = [(COLOURS[1], "///"), (COLOURS[0], ""), (COLOURS[2], "...")]
    for k, (name, heights) in enumerate(bars.items()):
        colour, hatch = looks[k]
        ax.bar(
            x + (width + 0.02) * (k - 1),
            heights,
            width,
            label=name,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            lw=0.5,
        )
    ax.set_xticks(x)


def draw_band(ax, x, rows, name, k, *, alpha=0.15):
    """Draw a band and its middle over x (n,); rows: lower end, middle, upper end (n,)."""
    low, middle, high = rows
    ax.plot(x, middle, label=name, **line_style(k, True))
    ax.fill_between(x, low, high, color=COLOURS[k], alpha=alpha, lw=0)


def draw_table(ax, values, columns, rows, *, form, top, low=0.0, size=None):
    """Draw values (rows, columns) as a table shaded from `low` to `top`, with the numbers.

    columns, rows: the numbers beside the table; form: format of the numbers, which are white where
    their cell is dark. A line drawn across stops where a number stands.
    """
    mesh = ax.pcolormesh(
        values, cmap="cividis", vmin=low, vmax=top, edgecolors="white", lw=1.5
    )
    for (i, j), value in np.ndenumerate(values):
        colour = "white" if value < low + 0.55 * (top - low) else "black"
        text = ax.text(
            j + 0.5, i + 0.5, form.format(value), color=colour, ha="center", va="center"
        )
        text.set(
            fontsize=size, bbox={"fc": mesh.to_rgba(value), "ec": "none", "pad": 1}
        )
    ax.set_xticks(np.arange(len(columns)) + 0.5, [f"{c:g}" for c in columns])
    ax.set_yticks(np.arange(len(rows)) + 0.5, [f"{r:g}" for r in rows])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
