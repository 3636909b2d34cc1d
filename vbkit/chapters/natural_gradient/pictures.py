"""Pictures of chapter 04a; the docstring of each is its alternative text."""

import numpy as np
from scipy.special import expit

from vbkit import plots
from vbkit.chapters import coin
from vbkit.chapters.natural_gradient.hill import NATURAL, PLAIN, RULER, VB, draw_map

CIRCLE = np.stack([np.cos(t := np.linspace(0, 2 * np.pi, 121)), np.sin(t)])
START = (0.7, 6.0)  # of the chapter's walks: mean and concentration


def two_hikers(x) -> plots.Picture:
    """A part of a hill, drawn as contours over the mean and the concentration of a belief. Two
    paths of steepest ascent leave the same start. The path with the mean measured as a share
    runs to the left, the one with the mean in per cent runs up, well away from the first.
    """
    fig, (ax,) = plots.figure(7, 3.4)
    mean, size = np.meshgrid(np.linspace(0.42, 0.78, 50), np.linspace(4, 16, 50))
    ax.contour(mean, size, coin.elbo(*coin.counts(mean, size), x), 18, colors="#C0C0C0",
               linewidths=0.9, linestyles="-")  # fmt: skip
    colour = plots.COLOURS[PLAIN]  # both climb by the plain gradient
    for k, (name, unit, length, steps) in enumerate(
        [("mean as a share", 1.0, 1e-4, 90), ("mean in per cent", 0.01, 0.12, 110)]
    ):
        path = coin.plain_path(*START, x, length, steps, unit)
        ax.plot(*path.T, color=colour, ls=plots.LINES[k], lw=2.4)
        ax.plot(*path[-1], plots.MARKERS[k], color=colour, ms=9)
        style = {"at": len(path) // 2, "colour": colour, "weight": "bold"}
        plots.label_line(ax, *path.T, name, offset=[(0, -14), (8, 8)][k], **style)
    ax.plot(*START, "o", color="black", ms=8)
    plots.label_line(ax, [START[0]], [START[1]], "start", colour="black", offset=(8, -8))
    ax.set(xlabel="mean of the belief", ylabel="concentration (tosses)", xlim=(0.42, 0.78))
    return plots.show(fig, two_hikers.__doc__)


def ellipses(x, start=START, epochs=5) -> plots.Picture:
    """The whole hill as contours over mean and concentration. Triangles mark VB's beliefs, epoch
    by epoch, from the lower right to the top, which is a star. Closed curves of equal divergence
    surround these beliefs and some others: wide where the concentration is small, narrow where
    it is large.
    """
    fig, (ax,) = plots.figure(7, 4)
    draw_map(ax, x)
    path = coin.natural_path(*start, x, 1.0, epochs)
    ax.plot(*path.T, color=plots.COLOURS[VB], ls="", marker="^", ms=8, label="VB, epoch by epoch")
    names = ["equal divergence from the centre"]  # of the first ellipse, for the legend
    for mean, size in [*path[:4], (0.75, 30), (0.15, 10), (0.4, 90)]:
        to_map = np.array([1.0, size])  # the map shows log concentration
        root = np.linalg.cholesky(coin.metric(mean, size) * np.outer(to_map, to_map)).T
        across, up = 0.35 * np.linalg.solve(root, CIRCLE)
        style = {"color": plots.COLOURS[RULER], "ls": "-", "lw": 1.3}
        style["label"] = names.pop() if names else None
        ax.plot(mean + across, size * np.exp(up), **style)
    fig.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return plots.show(fig, ellipses.__doc__)


def which_way(x, start=START) -> plots.Picture:
    """The hill with three routes of one natural-gradient step from one start, straight in
    different coordinates. All leave the start in the same direction. The one that is straight
    in the natural parameters ends at VB's next belief. The one straight in mean and
    concentration leaves the map on the left, the one straight in log odds and log
    concentration leaves it at the top.
    """
    fig, (ax,) = plots.figure(7, 4)
    draw_map(ax, x)
    mean, size = start
    new = np.array(coin.epoch(*coin.counts(*start), x))
    move = np.linalg.solve(coin.jacobian(mean, size), new - coin.counts(*start))
    way = np.linspace(0, 1, 101)[:, None]
    a, b = (np.array(coin.counts(*start)) + way * (new - coin.counts(*start))).T
    odds = np.log(mean / (1 - mean)) + way[:, 0] * move[0] / (mean * (1 - mean))
    routes = {
        "natural parameters": (a / (a + b), a + b),
        "mean and concentration": (mean + way[:, 0] * move[0], size + way[:, 0] * move[1]),
        "log odds, log concentration": (expit(odds), size * np.exp(way[:, 0] * move[1] / size)),
    }
    for k, (name, (u, v)) in zip((VB, NATURAL, 4), routes.items(), strict=True):
        style = plots.line_style(k, color=plots.COLOURS[k])
        ax.plot(u, v, **style, lw=2.2, label=name)
        if u[-1] > 0 and v[-1] < 120:
            ax.plot(u[-1], v[-1], plots.MARKERS[k], color=plots.COLOURS[k], ms=9)
    ax.plot(*START, "o", color="black", ms=8)
    ax.legend(loc="lower left", title="a straight line in")
    return plots.show(fig, which_way.__doc__)
