"""Explorers of the hill: search its top in the fog, and watch three climbers."""

from functools import lru_cache

import numpy as np
from scipy import stats

from vbkit import plots
from vbkit.chapters import coin
from vbkit.widgets import Explorer, select_slider, slider

MEANS, SIZES = np.linspace(0.03, 0.9, 60), np.geomspace(2, 120, 60)
BELOW_TOP = np.array([0.03, 0.3, 1, 2, 4, 7, 12, 20, 32, 50, 80])  # nats, of the contours
G = np.linspace(0.002, 0.998, 300)
SAFE = 0.004  # length of a plain step, the mean as a share: with 0.006 the ELBO may fall
MOST, BETWEEN = 20, 15  # steps; points that draw one of them
PLAIN, NATURAL, VB, RULER = 1, 0, 2, 3  # the colour of each method, and of equal divergence
CHOICES = (2, 3, 4, 6, 8, 10, 13, 16, 20, 24, 28, 32, 36, 40, 44, 48, 54, 60, 70, 80, 100, 120)


@lru_cache
def home() -> tuple[np.ndarray, tuple]:
    """Return the readings of the explorers, and the top of their hill."""
    x = coin.readings()
    return x, coin.top(x)


def draw_map(ax, x):
    """Draw the hill over mean and concentration as contours, with its top."""
    *summit, height = coin.top(x)
    below = height - coin.elbo(*coin.counts(*np.meshgrid(MEANS, SIZES)), x)
    ax.contour(MEANS, SIZES, below, BELOW_TOP, colors="#C0C0C0", linewidths=0.9)
    ax.plot(*summit, "*", ms=12, color="black", zorder=2)
    ax.set(yscale="log", xlim=MEANS[[0, -1]], ylim=SIZES[[0, -1]])
    ax.set(xlabel="mean of the belief", ylabel="concentration (tosses)")
    ax.set_yticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
    ax.minorticks_off()


def below_top(path) -> np.ndarray:
    """Return the nats below the top along a path of mean and concentration (n, 2)."""
    x, (*_, height) = home()
    return height - coin.elbo(*coin.counts(*np.transpose(path)), x)


# ---- in the fog ----------------------------------------------------------------------------------


def fog() -> Explorer:
    """Search for the best belief about the coin with nothing but the ELBO to go by."""
    controls = {
        "mean": slider("Mean of the belief", 0.1, 0.9, 0.7, 0.04, form="{:.2f}"),
        "size": select_slider("Concentration of the belief (tosses)", CHOICES, 6),
    }
    return Explorer(
        controls, fog_compute, fog_setup, fog_draw, title="A hill in the fog", status=fog_status,
        size=(9.0, 3.4),
    )  # fmt: skip


def fog_compute(mean, size):
    density = stats.beta.pdf(G, *coin.counts(mean, size))
    cut = coin.elbo(*coin.counts(MEANS, size), home()[0])
    here = float(coin.elbo(*coin.counts(mean, size), home()[0]))
    return {"density": density, "cut": cut, "here": here}


def fog_setup(figure):
    """Left: the density of the belief over the coin's probability of heads. Right: a cut through
    the hill, the ELBO against the mean of the belief at the concentration that is set, with a dot
    at the present belief.
    """
    left, right = figure.subplots(1, 2)
    left.set(xlim=(0, 1), ylim=(0, 10), xlabel="probability of heads, $g$", ylabel="density")
    left.set_title("The belief")
    right.set(xlim=(0, 1), ylim=(-110, -65), xlabel="mean of the belief", ylabel="ELBO (nats)")
    right.set_title("How good it is (one cut)")
    (density,) = left.plot([], [], color=plots.COLOURS[0], ls="-")
    (cut,) = right.plot([], [], color=plots.GREY, ls="-", lw=1.4)
    (dot,) = right.plot([], [], "o", color=plots.COLOURS[1], ms=9)
    return {"density": density, "cut": cut, "dot": dot}


def fog_draw(artists, arrays, values):
    artists["density"].set_data(G, arrays["density"])
    artists["cut"].set_data(MEANS, arrays["cut"])
    artists["dot"].set_data([values["mean"]], [max(arrays["here"], -109.5)])


def fog_status(arrays, values) -> str:
    a, b = coin.counts(values["mean"], values["size"])
    return f"The belief Beta({a:.1f}, {b:.1f}) has an ELBO of {arrays['here']:.2f} nats."


# ---- three climbers ------------------------------------------------------------------------------


def climbers() -> Explorer:
    """Let plain gradient, natural gradient and VB climb from one start."""
    lengths = (0.1, 0.2, 0.3, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 1.6)
    taken = (0, 1, 2, 3, 4, 5, 6, 8, 10, 15, MOST)
    controls = {
        "length": select_slider("Length of a natural-gradient step", lengths, 0.3),
        "steps": select_slider("Steps taken", taken, 4, play=400),
        "mean": slider("Mean at the start", 0.1, 0.85, 0.7, 0.15, form="{:.2f}"),
        "size": select_slider("Concentration at the start", (3, 6, 20, 80), 6),
    }
    return Explorer(
        controls, climb_compute, climb_setup, climb_draw, title="Three climbers",
        status=climb_status, size=(9.0, 4.2),
    )  # fmt: skip


@lru_cache(64)
def routes(mean, size, length) -> dict:
    """Return each climber's path (MOST + 1, 2) and its nats below the top (MOST + 1,)."""
    x, _ = home()
    paths = {
        "plain gradient": coin.plain_path(mean, size, x, SAFE, MOST),
        "natural gradient": coin.natural_path(mean, size, x, length, MOST),
        "VB": coin.natural_path(mean, size, x, 1.0, MOST),
    }
    return {name: (path, below_top(path)) for name, path in paths.items()}


def climb_compute(length, steps, mean, size):
    return routes(mean, size, length)


def walked(path, in_counts: bool):
    """Return points (n, 2) along a path of mean and concentration, BETWEEN a step.

    Each step is straight in the counts (a, b), or else in mean and concentration.
    """
    corners = np.transpose(coin.counts(*path.T)) if in_counts else path
    at = np.arange(BETWEEN * (len(path) - 1) + 1) / BETWEEN
    first, second = (np.interp(at, np.arange(len(path)), c) for c in corners.T)
    if not in_counts:
        return np.stack([first, second], axis=1)
    return np.stack([first / (first + second), first + second], axis=1)


def climb_setup(figure):
    """Left: contours of the ELBO over mean and concentration of the belief, a star at the top, and
    the paths of three climbers from one start. Right: how many nats each still is below the top
    after each step, on a logarithmic scale.
    """
    chart, curve = figure.subplots(1, 2, width_ratios=[1.15, 1])
    draw_map(chart, home()[0])
    chart.set_title("The way on the map")
    curve.set(xlim=(0, MOST), yscale="log", ylim=(1e-6, 200), xlabel="steps")
    curve.set(title="Nats below the top", xticks=range(0, MOST + 1, 5))
    artists, widths = {}, {"plain gradient": 2.0, "natural gradient": 4.0, "VB": 1.6}
    for order, (name, k) in enumerate(zip(widths, (PLAIN, NATURAL, VB), strict=True)):
        width = widths[name]
        style = {"color": plots.COLOURS[k], "marker": plots.MARKERS[k], "lw": width, "ls": "-"}
        style |= {"ms": 3 + 1.5 * width, "zorder": 3 + order * 0.1}
        artists[name] = [ax.plot([], [], label=name, **style)[0] for ax in (chart, curve)]
        artists[name][0].set_markevery(BETWEEN)
    curve.legend(loc="upper right", handlelength=1.2).set_zorder(0)  # still: drawn once
    return artists


def climb_draw(artists, arrays, values):
    taken = slice(0, values["steps"] + 1)
    for name, (path, below) in arrays.items():
        on_map, on_curve = artists[name]
        way = walked(path[taken], in_counts=name != "plain gradient")
        on_map.set_data(*np.clip(way, [0.035, 2.05], [0.895, 118]).T)
        on_curve.set_data(np.arange(MOST + 1)[taken], np.maximum(below[taken], 1.3e-6))


def climb_status(arrays, values) -> str:
    left = [f"{name} {below[values['steps']]:.3f} nats" for name, (_, below) in arrays.items()]
    return f"Below the top after {values['steps']} steps: {', '.join(left)}."
