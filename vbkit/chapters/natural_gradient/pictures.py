"""Pictures of chapter 04a; the docstring of each is its alternative text."""

import numpy as np

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
    ax.set_title("One hill, one start, one rule: two directions")
    return plots.show(fig, two_hikers.__doc__)


def ellipses(x) -> plots.Picture:
    """The whole hill as contours over mean and concentration, its top a star. Nine closed curves
    of equal divergence from their centres: wide where the concentration is small, narrow where it
    is large.
    """
    fig, (ax,) = plots.figure(7, 3.8)
    draw_map(ax, x)
    for size in (5.0, 17.0, 60.0):
        for mean in (0.15, 0.45, 0.75):
            to_map = np.array([1.0, size])  # the map shows log concentration
            root = np.linalg.cholesky(coin.metric(mean, size) * np.outer(to_map, to_map)).T
            across, up = 0.35 * np.linalg.solve(root, CIRCLE)
            ax.plot(mean + across, size * np.exp(up), color=plots.COLOURS[RULER], ls="-", lw=1.6)
            ax.plot(mean, size, "o", color=plots.COLOURS[RULER], ms=3)
    style = {"offset": (26, 0), "weight": "bold"}
    plots.label_line(ax, [0.45], [17.0], "equal divergence\nfrom the centre", **style)
    ax.set_title("The sharper the belief, the more a small change of its mean counts")
    return plots.show(fig, ellipses.__doc__)


def which_way(x, start=START) -> plots.Picture:
    """The hill with two routes of one natural-gradient step from one start, straight in different
    coordinates. Both leave the start in the same direction. The one that is straight in the
    natural parameters ends at VB's next belief. The one straight in mean and concentration leaves
    the map on the left.
    """
    fig, (ax,) = plots.figure(7, 3.8)
    draw_map(ax, x)
    mean, size = start
    new = np.array(coin.epoch(*coin.counts(*start), x))
    move = np.linalg.solve(coin.jacobian(mean, size), new - coin.counts(*start))
    way = np.linspace(0, 1, 101)[:, None]
    a, b = (np.array(coin.counts(*start)) + way * (new - coin.counts(*start))).T
    colours = plots.COLOURS[VB], plots.COLOURS[NATURAL]
    ax.plot(a / (a + b), a + b, color=colours[0], ls="-", lw=2.4)
    ax.plot(a[-1] / (a + b)[-1], (a + b)[-1], "^", color=colours[0], ms=10)
    left, up = (start + way * move).T
    ax.plot(left, up, color=colours[1], ls="--", lw=2.4)
    ax.plot(*start, "o", color="black", ms=8)
    style = {"weight": "bold", "offset": (8, 6)}
    plots.label_line(
        ax, [0.55], [36], "straight in $(a, b)$:\nVB's epoch", colour=colours[0], **style
    )
    text = "straight in (mean, concentration):\noff the map"
    plots.label_line(ax, [0.04], [8], text, colour=colours[1], **style)
    ax.set_title("One direction, two ends")
    return plots.show(fig, which_way.__doc__)
