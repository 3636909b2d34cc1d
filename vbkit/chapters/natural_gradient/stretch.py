"""An explorer: stretch the map until an ellipse of equal divergence is a circle."""

import numpy as np
from contourpy import contour_generator
from matplotlib.collections import LineCollection

from vbkit import plots
from vbkit.chapters import coin
from vbkit.chapters.natural_gradient.hill import NATURAL, PLAIN, RULER, X
from vbkit.chapters.natural_gradient.pictures import CIRCLE
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider, slider

REACH = (
    0.35  # radius of the circle of equal divergence, in root mean squares of the score
)
WIDE, HIGH = 2.6, 1.7  # half the width and the height of what is drawn
WINDOW = np.array(
    [0.12, 1 / 3]
)  # half the width of the map: of the mean, of the concentration


def stretched_map() -> OldExplorer:
    """Stretch the map about one place; watch which way is steepest."""
    controls = {
        "stretch": slider("Stretch of the map (per cent)", 0, 100, 0, 10, play=300),
        "mean": slider("Mean of the belief", 0.15, 0.75, 0.65, 0.1, form="{:.2f}"),
        "size": select_slider(
            "Concentration of the belief", (6, 8, 10, 15, 20, 30), 10
        ),
    }
    title = "Stretch the map"
    return OldExplorer(
        controls, compute, setup, draw, title=title, status=status, size=(7.0, 4.6)
    )


def frame(mean, size, stretch):
    """Return the matrix (2, 2) from offsets on the map to what is drawn, circle of radius 1."""
    plain, ruler = np.diag(1 / (WINDOW * [1.0, size])), coin.metric(mean, size)
    return (1 - stretch) * plain + stretch * np.linalg.cholesky(ruler).T / REACH


def contours(mean, size, L):
    """Return the contours of the hill, a nat apart, as lines (n, 2) on the map as it is drawn."""
    across, up = np.linspace(-WIDE, WIDE, 53), np.linspace(-HIGH, HIGH, 35)
    beliefs = np.tensordot(np.linalg.inv(L), np.meshgrid(across, up), 1)
    means, sizes = beliefs[0] + mean, beliefs[1] + size
    outside = (means < 0.01) | (means > 0.99) | (sizes < 0.5)  # there are no beliefs
    a, b = coin.counts(np.where(outside, 0.5, means), np.where(outside, 1.0, sizes))
    height = np.ma.array(
        coin.elbo(a, b, X) - coin.elbo(*coin.counts(mean, size), X), mask=outside
    )
    lines = contour_generator(across, up, height)
    return [line for level in np.arange(-40, 16) for line in lines.lines(level)]


def compute(stretch, mean, size):
    slope, G = coin.plain_gradient(mean, size, X), coin.metric(mean, size)
    L = frame(mean, size, stretch / 100)
    steepest, natural = np.linalg.solve(L.T, slope), L @ np.linalg.solve(G, slope)
    ellipse = REACH * L @ np.linalg.solve(np.linalg.cholesky(G).T, CIRCLE)
    turn = steepest @ natural / np.linalg.norm(steepest) / np.linalg.norm(natural)
    length = max(np.hypot(*ellipse).max(), 0.6)
    found = {"lines": contours(mean, size, L), "ellipse": ellipse}
    found |= {"steepest as drawn": length * steepest / np.linalg.norm(steepest)}
    found |= {"natural gradient": length * natural / np.linalg.norm(natural)}
    return found | {"angle": float(np.degrees(np.arccos(np.clip(turn, -1, 1))))}


def setup(figure):
    """Contours of the ELBO around one belief, with the curve of the beliefs that all differ from it
    by the same divergence, and two lines from it: the direction that is steepest on the map as it
    is drawn, and the natural gradient.
    """
    ax = figure.subplots()
    ax.set(xlim=(-WIDE, WIDE), ylim=(-HIGH, HIGH), aspect="equal", xticks=[], yticks=[])
    ax.set(xlabel="mean of the belief (as drawn)", ylabel="concentration (as drawn)")
    lines = ax.add_collection(LineCollection([], colors="#C0C0C0", linewidths=0.9))
    (ellipse,) = ax.plot(
        [], [], **plots.line_style(RULER, ls="-", lw=2, label="equal divergence")
    )
    arrows = {}
    for k, name, width in (
        (NATURAL, "natural gradient", 4.5),
        (PLAIN, "steepest as drawn", 2.0),
    ):
        style = plots.line_style(k, True, ls="-", lw=width, ms=5 + width, label=name)
        (arrows[name],) = ax.plot([], [], markevery=[1], **style)
    ax.plot(0, 0, "o", color="black", ms=6)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3).set_zorder(
        0
    )  # still: drawn once
    return {"contours": lines, "ellipse": ellipse} | arrows


def draw(artists, arrays, values):
    artists["contours"].set_segments(arrays["lines"])
    artists["ellipse"].set_data(*arrays["ellipse"])
    for name in ("natural gradient", "steepest as drawn"):
        x, y = arrays[name]
        artists[name].set_data([0, x], [0, y])


def status(arrays, values) -> str:
    return f"The two lines differ by {arrays['angle']:.0f} degrees on the map as it is drawn."
