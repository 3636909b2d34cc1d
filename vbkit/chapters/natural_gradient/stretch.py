"""An explorer: stretch the map until an ellipse of equal divergence is a circle."""

from functools import lru_cache

import numpy as np
from contourpy import contour_generator
from matplotlib.collections import LineCollection

from vbkit import plots
from vbkit.chapters import coin
from vbkit.chapters.natural_gradient.hill import NATURAL, PLAIN, RULER
from vbkit.chapters.natural_gradient.pictures import CIRCLE
from vbkit.widgets import Explorer, select_slider, slider

REACH = 0.35  # radius of the circle of equal divergence, in root mean squares of the score
WINDOW = np.array([0.12, 1 / 3])  # half the width of the map: of the mean, of the concentration


def stretched_map() -> Explorer:
    """Stretch the map about one place; watch which way is steepest."""
    controls = {
        "stretch": slider("Stretch of the map (per cent)", 0, 100, 0, 10, play=300),
        "mean": slider("Mean of the belief", 0.15, 0.75, 0.65, 0.1, form="{:.2f}"),
        "size": select_slider("Concentration of the belief", (6, 8, 10, 15, 20, 30), 10),
    }
    return Explorer(
        controls, compute, setup, draw, title="Stretch the map", status=status, size=(7.0, 4.6)
    )


@lru_cache(64)
def neighbourhood(mean: float, size: float):
    """Return contours as lists of offsets (n, 2), the gradient (2,) and the metric (2, 2)."""
    window = WINDOW * [1.0, size]
    du, dv = (np.linspace(-5, 5, 41)[:, None] * window).T
    inside = (mean + du > 0.01) & (mean + du < 0.99)
    du, dv = du[inside], dv[size + dv > 0.5]
    A, B = coin.counts(mean + du, size + dv[:, None])
    rise = coin.elbo(A, B, coin.readings()) - coin.elbo(*coin.counts(mean, size), coin.readings())
    lines = contour_generator(du, dv, rise)
    drawn = [line for level in np.arange(-40, 16, 1.0) for line in lines.lines(level)]
    return drawn, coin.plain_gradient(mean, size, coin.readings()), coin.metric(mean, size)


def frame(mean, size, stretch):
    """Return the matrix (2, 2) from offsets on the map to what is drawn, circle of radius 1."""
    _, _, G = neighbourhood(mean, size)
    plain = np.diag(1 / (WINDOW * [1.0, size]))
    return (1 - stretch) * plain + stretch * np.linalg.cholesky(G).T / REACH


def compute(stretch, mean, size):
    lines, slope, G = neighbourhood(mean, size)
    L = frame(mean, size, stretch / 100)
    steepest, natural = np.linalg.solve(L.T, slope), L @ np.linalg.solve(G, slope)
    ellipse = REACH * L @ np.linalg.solve(np.linalg.cholesky(G).T, CIRCLE)
    turn = steepest @ natural / np.linalg.norm(steepest) / np.linalg.norm(natural)
    length = max(np.hypot(*ellipse).max(), 0.6)
    found = {"lines": [line @ L.T for line in lines], "ellipse": ellipse}
    found |= {"steepest": length * steepest / np.linalg.norm(steepest)}
    found |= {"natural": length * natural / np.linalg.norm(natural)}
    return found | {"angle": float(np.degrees(np.arccos(np.clip(turn, -1, 1))))}


def setup(figure):
    """Contours of the ELBO around one belief, with the curve of the beliefs that all differ from it
    by the same divergence, and two arrows from it: the direction that is steepest on the map as it
    is drawn, and the natural gradient.
    """
    ax = figure.subplots()
    ax.set(xlim=(-2.6, 2.6), ylim=(-1.7, 1.7), aspect="equal", xticks=[], yticks=[])
    ax.set(xlabel="mean of the belief (as drawn)", ylabel="concentration (as drawn)")
    contours = ax.add_collection(LineCollection([], colors="#C0C0C0", linewidths=0.9))
    look = {"color": plots.COLOURS[RULER], "ls": "-", "lw": 2.2}
    (ellipse,) = ax.plot([], [], label="equal divergence", **look)
    arrows = {}
    for k, name, width in ((NATURAL, "natural gradient", 4.5), (PLAIN, "steepest as drawn", 2.0)):
        (arrow,) = ax.plot([], [], color=plots.COLOURS[k], ls="-", lw=width, label=name)
        (tip,) = ax.plot([], [], plots.MARKERS[k], color=plots.COLOURS[k], ms=5 + width)
        arrows[name] = (arrow, tip)
    ax.plot(0, 0, "o", color="black", ms=6)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3).set_zorder(0)  # still: drawn once
    return {"contours": contours, "ellipse": ellipse, "arrows": arrows}


def draw(artists, arrays, values):
    artists["contours"].set_segments(arrays["lines"])
    artists["ellipse"].set_data(*arrays["ellipse"])
    for name, key in (("natural gradient", "natural"), ("steepest as drawn", "steepest")):
        arrow, tip = artists["arrows"][name]
        x, y = arrays[key]
        arrow.set_data([0, x], [0, y])
        tip.set_data([x], [y])


def status(arrays, values) -> str:
    return f"The two arrows differ by {arrays['angle']:.0f} degrees on the map as it is drawn."
