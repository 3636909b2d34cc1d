"""Pictures of chapter 04a; the docstring of each is its alternative text."""

import numpy as np
from scipy import stats

from vbkit import plots
from vbkit.chapters import coin
from vbkit.chapters.natural_gradient.hill import BELOW_TOP, NATURAL, PLAIN, RULER, VB, draw_map

CIRCLE = np.stack([np.cos(t := np.linspace(0, 2 * np.pi, 121)), np.sin(t)])
START = (0.7, 6.0)  # of the chapter's walks: mean and concentration


def forty_readings(x) -> plots.Picture:
    """A histogram of 40 readings, from about -2 to 5, with two normal curves: what 20 tosses with
    tails would give, around 0, and what 20 with heads would give, around 2. Many readings lie
    between 0 and 2, where the curves overlap.
    """
    fig, (ax,) = plots.figure(7, 2.4)
    edges, grid = np.arange(-2.5, 6, 0.5), np.linspace(-3, 6, 200)
    ax.hist(x, edges, color="#D0D0D0", ec="white")
    for face, (name, at, side) in enumerate([("tails", -1.4, "right"), ("heads", 3.2, "left")]):
        curve = 10 * stats.norm.pdf(grid, coin.SHIFT * face)  # 20 readings, bins of a half
        ax.plot(grid, curve, color="black", ls=plots.LINES[face])
        ax.text(at, 3.3, f"what 20 {name}\nwould give", ha=side, va="bottom")
    ax.set(xlim=(-3, 6), xlabel="reading $x$", ylabel="readings")
    ax.set_title("40 readings: between 0 and 2, either face is possible")
    return plots.show(fig, forty_readings.__doc__)


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
    """Two walks from one belief, each one natural-gradient step, on two maps. On the map of mean
    and concentration one is a straight line and ends at a mean below zero, where there is no
    belief; the other bends. On the map of a and b the other is the straight one, and it ends at
    VB's next belief. On both maps they set out in the same direction.
    """
    fig, axes = plots.figure(9, 3.8, ncols=2)
    old, green, blue = np.array(coin.counts(*start)), plots.COLOURS[VB], plots.COLOURS[NATURAL]
    new = np.array(coin.epoch(*old, x))
    move = np.linalg.solve(coin.jacobian(*start), new - old)
    way = np.linspace(0, 1, 101)[:, None]
    a, b = (old + way * (new - old)).T
    mean, size = (start + way * move).T
    walks = [((a / (a + b), a + b), (mean, size)), ((a, b), coin.counts(mean, size))]
    *summit, height = coin.top(x)
    grids = [np.meshgrid(np.linspace(0.02, 0.98, 60), np.linspace(1, 70, 60)),
             np.meshgrid(*[np.linspace(0.5, 70, 60)] * 2)]  # fmt: skip
    beliefs, stars = (coin.counts(*grids[0]), grids[1]), (summit, coin.counts(*summit))
    for ax, grid, belief, star, (vb, off) in zip(axes, grids, beliefs, stars, walks, strict=True):
        below = height - coin.elbo(*belief, x)
        ax.contour(*grid, below, BELOW_TOP, colors="#C0C0C0", linewidths=0.9)
        for walk, ls, mark, colour in ((vb, "-", "^", green), (off, "--", "o", blue)):
            ax.plot(*walk, color=colour, ls=ls, lw=2.4)
            ax.plot(walk[0][-1], walk[1][-1], mark, color=colour, ms=10)
        ax.plot(vb[0][0], vb[1][0], "o", color="black", ms=8)
        ax.plot(*star, "*", color="black", ms=12)
        ax.axvspan(-100, 0, color="#EEEEEE", zorder=0)
    axes[0].set(xlim=(-0.6, 0.95), ylim=(0, 66), xlabel="mean", ylabel="concentration")
    axes[1].set(xlim=(-27, 42.75), ylim=(0, 66), xlabel="$a$, heads", ylabel="$b$, tails")
    axes[0].text(-0.3, 6, "no beliefs here", ha="center", color=plots.GREY)
    axes[1].text(-13.5, 6, "no beliefs here", ha="center", color=plots.GREY)
    style = {"weight": "bold", "offset": (9, 4)}
    plots.label_line(axes[0], *walks[0][0], "VB's\nepoch", colour=green, **style)
    plots.label_line(axes[1], *walks[1][0], "straight:\nVB's epoch", colour=green, **style)
    plots.label_line(axes[0], *walks[0][1], "straight", colour=blue, **style)
    axes[0].set_title("Straight in (mean, concentration): leaves the map")
    axes[1].set_title("Straight in $(a, b)$: ends on VB's epoch")
    return plots.show(fig, which_way.__doc__)
