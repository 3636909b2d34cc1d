"""Pictures of chapter 04a."""

import numpy as np
from scipy import stats

from vbkit import plots
from vbkit.chapters import coin
from vbkit.chapters.natural_gradient.hill import (
    NATURAL,
    PLAIN,
    RULER,
    VB,
    draw_hill,
    draw_map,
)

CIRCLE = np.stack([np.cos(t := np.linspace(0, 2 * np.pi, 121)), np.sin(t)])
START = (0.7, 6.0)  # of the chapter's walks: mean and concentration


def forty_readings(x) -> plots.Picture:
    """Draw the readings x (40,) and what either face of the coin would give."""
    fig, (ax,) = plots.figure(7, 2.4)
    edges, grid = np.arange(-2.5, 6, 0.5), np.linspace(-3, 6, 200)
    ax.hist(x, edges, color="#D0D0D0", ec="white")
    for face, (name, at, side) in enumerate(
        [("tails", -1.4, "right"), ("heads", 3.2, "left")]
    ):
        curve = 10 * stats.norm.pdf(
            grid, coin.SHIFT * face
        )  # 20 readings, bins of a half
        ax.plot(grid, curve, color="black", ls=plots.LINES[face])
        ax.text(at, 3.3, f"what 20 {name}\nwould give", ha=side, va="bottom")
    ax.set(xlim=(-3, 6), xlabel="reading $x$", ylabel="readings")
    ax.set_title("40 readings: between 0 and 2, either face is possible")
    alt = """A histogram of 40 readings, from about -2 to 5, with two normal curves:
    what 20 tosses with tails would give, around 0, and what 20 with heads would give,
    around 2. Many readings lie between 0 and 2, where the curves overlap."""
    return plots.Picture(fig, alt)


def two_hikers(x) -> plots.Picture:
    """Draw two paths of steepest ascent on the hill of the readings x (N,)."""
    fig, (ax,) = plots.figure(8, 3.3)
    draw_hill(ax, x, levels=np.arange(30))
    look = {
        "color": plots.COLOURS[PLAIN],
        "lw": 2.4,
        "marked": True,
        "markevery": [-1],
        "ms": 9,
    }
    share = coin.plain_path(*START, x, 1e-4, 90)
    per_cent = coin.plain_path(*START, x, 0.12, 110, unit=0.01)
    plots.draw_curve(ax, *share.T, "mean as a share", 0, at=45, offset=(0, -14), **look)
    plots.draw_curve(
        ax, *per_cent.T, "mean in per cent", 1, at=55, offset=(8, 8), **look
    )
    ax.plot(*START, "o", color="black", ms=8)
    ax.text(0.707, 5.3, "start")
    ax.annotate(
        "uphill", (0.48, 13.6), (0.52, 11), arrowprops={"arrowstyle": "->", "lw": 1.5}
    )
    ax.set(xlim=(0.42, 0.78), ylim=(4, 16), aspect=0.01)  # a toss is as long as 0.01
    ax.set_title("One hill, one start, one rule: two directions")
    alt = """A part of a hill, drawn as contours over the mean and the concentration of
    a belief, with 0.01 of the mean as long as one toss. Two paths of steepest ascent
    leave the same start. The one with the mean in per cent runs up and crosses the
    contours at right angles; the one with the mean as a share runs to the left and cuts
    them at a slant. An arrow to the upper left says which way is uphill."""
    return plots.Picture(fig, alt)


def ellipses(x) -> plots.Picture:
    """Draw the hill of the readings x (N,) with the metric's unit circles at nine places."""
    fig, (ax,) = plots.figure(7, 3.8)
    draw_map(ax, x)
    for size in (5.0, 17.0, 60.0):
        for mean in (0.15, 0.45, 0.75):
            root = np.linalg.cholesky(coin.metric(mean, size)).T
            across, up = (
                0.35 * np.linalg.solve(root, CIRCLE) / [[1.0], [size]]
            )  # up: of the log
            ax.plot(
                mean + across,
                size * np.exp(up),
                color=plots.COLOURS[RULER],
                ls="-",
                lw=1.6,
            )
    ax.text(
        0.5, 15, "0.06 nats from\nthe centre", color=plots.COLOURS[RULER], weight="bold"
    )
    ax.set_title("The sharper the belief, the more a small change of its mean counts")
    alt = """The whole hill as contours over mean and concentration, its top a star.
    Nine closed curves of equal divergence from their centres: wide where the
    concentration is small, narrow where it is large."""
    return plots.Picture(fig, alt)


def which_way(x, start=START) -> plots.Picture:
    """Draw two natural-gradient steps from `start` = (mean, concentration) on two maps.

    x (N,): the readings.
    """
    fig, axes = plots.figure(9, 3.8, ncols=2)
    old, step = np.array(coin.counts(*start)), np.linspace(0, 1, 101)[:, None]
    move = np.array(coin.epoch(*old, x)) - old
    a, b = (old + step * move).T
    straight = (start + step * np.linalg.solve(coin.jacobian(*start), move)).T
    vb_walks, others = (
        ((a / (a + b), a + b), (a, b)),
        (straight, coin.counts(*straight)),
    )
    look = {"lw": 2.4, "marked": True, "markevery": [-1], "ms": 10, "offset": (9, 4)}
    for ax, vb, other in zip(axes, vb_walks, others, strict=True):
        draw_hill(ax, x, in_counts=ax is axes[1])
        plots.draw_curve(ax, *vb, "VB's\nepoch", VB, ls="-", **look)
        plots.draw_curve(ax, *other, "off the map", NATURAL, ls="--", **look)
        ax.plot(vb[0][0], vb[1][0], "o", color="black", ms=8)
        ax.axvspan(-100, 0, color="#EEEEEE", zorder=0)
        ax.text(0.02, 0.08, "no beliefs here", color=plots.GREY, transform=ax.transAxes)
    axes[0].set(xlim=(-0.6, 0.95), ylim=(0, 66), xlabel="mean", ylabel="concentration")
    axes[1].set(
        xlim=(-27, 42.75), ylim=(0, 66), xlabel="$a$, heads", ylabel="$b$, tails"
    )
    axes[0].set_title("Straight in (mean, concentration): leaves the map")
    axes[1].set_title("Straight in $(a, b)$: ends on VB's epoch")
    alt = """Two walks from one belief, each one natural-gradient step, on two maps. On
    the map of mean and concentration one is a straight line and ends at a mean below
    zero, where there is no belief; the other bends. On the map of a and b the other is
    the straight one, and it ends at VB's next belief. On both maps they set out in the
    same direction."""
    return plots.Picture(fig, alt)
