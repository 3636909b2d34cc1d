"""Explorers of the hill: search its top in the fog, and watch three climbers."""

import numpy as np
from scipy import stats

from vbkit import plots
from vbkit.chapters import coin
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider, slider

X = coin.readings()  # of the explorers
*_, HEIGHT = coin.top(X)
MEANS, SIZES = np.linspace(0.02, 0.98, 120), np.geomspace(1, 120, 120)
BELOW_TOP = np.array(
    [0.03, 0.3, 1, 2, 4, 7, 12, 20, 32, 50, 80]
)  # nats, of the contours
G = np.linspace(0.002, 0.998, 300)
SAFE = (
    0.004  # length of a plain step, the mean as a share: with 0.006 the ELBO may fall
)
MOST, BETWEEN = 20, 15  # steps; points that draw one of them
PLAIN, NATURAL, VB, RULER = (
    1,
    0,
    2,
    3,
)  # the colour of each method, and of equal divergence
CHOICES = (
    2,
    3,
    4,
    6,
    8,
    10,
    13,
    16,
    20,
    24,
    28,
    32,
    36,
    40,
    44,
    48,
    54,
    60,
    70,
    80,
    100,
    120,
)


def draw_hill(ax, x, in_counts=False, levels=BELOW_TOP):
    """Draw contours of the hill, and its top, over mean and concentration, or over (a, b).

    levels: of the contours, in nats below the top.
    """
    place = coin.counts if in_counts else lambda *belief: belief
    *summit, height = coin.top(x)
    beliefs = np.meshgrid(MEANS, SIZES)
    below = height - coin.elbo(*coin.counts(*beliefs), x)
    ax.contour(*place(*beliefs), below, levels, colors="#C0C0C0", linewidths=0.9)
    ax.plot(*place(*summit), "*", ms=12, color="black", zorder=2)
    ax.set(xlabel="mean of the belief", ylabel="concentration (tosses)")


def draw_map(ax, x):
    """Draw the hill over the mean and the logarithm of the concentration."""
    draw_hill(ax, x)
    ax.set(yscale="log", xlim=(0.03, 0.9), ylim=(2, 120))
    ax.set_ylabel("concentration (tosses, log scale)")
    ax.set_yticks(ticks := [2, 5, 10, 20, 50, 100], [str(n) for n in ticks])
    ax.minorticks_off()


def below_top(path) -> np.ndarray:
    """Return the nats below the top along a path of mean and concentration (n, 2)."""
    return HEIGHT - coin.elbo(*coin.counts(*np.transpose(path)), X)


# ---- in the fog ----------------------------------------------------------------------------------


def fog() -> OldExplorer:
    """Search for the best belief about the coin with nothing but the ELBO to go by."""
    controls = {
        "mean": slider("Mean of the belief", 0.1, 0.9, 0.7, 0.04, form="{:.2f}"),
        "size": select_slider("Concentration of the belief (tosses)", CHOICES, 6),
    }
    draws, title = (fog_compute, fog_setup, fog_draw), "A hill in the fog"
    return OldExplorer(
        controls, *draws, title=title, status=fog_status, size=(9.0, 3.4)
    )


def fog_compute(mean, size):
    a, b = coin.counts(mean, size)
    cut = coin.elbo(*coin.counts(MEANS, size), X)
    return {
        "density": stats.beta.pdf(G, a, b),
        "cut": cut,
        "here": float(coin.elbo(a, b, X)),
    }


def fog_setup(figure):
    """Left: the density of the belief over the coin's probability of heads. Right: a cut through
    the hill, the ELBO against the mean of the belief at the concentration that is set, with a dot
    at the present belief.
    """
    left, right = figure.subplots(1, 2)
    left.set(
        xlim=(0, 1),
        ylim=(0, 10),
        xlabel="probability of heads",
        title="The belief (density)",
    )
    right.set(
        xlim=(0, 1),
        ylim=(-110, -65),
        xlabel="mean of the belief",
        title="Its ELBO (nats)",
    )
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
    return (
        f"The belief Beta({a:.1f}, {b:.1f}) has an ELBO of {arrays['here']:.2f} nats."
    )


# ---- three climbers ------------------------------------------------------------------------------


def climbers() -> OldExplorer:
    """Let plain gradient, natural gradient and VB climb from one start."""
    lengths = (0.1, 0.2, 0.3, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 1.6)
    taken = (0, 1, 2, 3, 4, 5, 6, 8, 10, 15, MOST)
    controls = {
        "length": select_slider("Length of a natural-gradient step", lengths, 0.3),
        "steps": select_slider("Steps taken", taken, 10, play=400),
        "mean": slider("Mean at the start", 0.1, 0.85, 0.7, 0.15, form="{:.2f}"),
        "size": select_slider("Concentration at the start", (3, 6, 20, 80), 6),
    }
    draws, title = (climb_compute, climb_setup, climb_draw), "Three climbers"
    return OldExplorer(
        controls, *draws, title=title, status=climb_status, size=(9.0, 4.2)
    )


def climb_compute(length, steps, mean, size):
    """Return each climber's path (MOST + 1, 2) and its nats below the top (MOST + 1,)."""
    paths = {"plain gradient": coin.plain_path(mean, size, X, SAFE, MOST)}
    for name, each in (("natural gradient", length), ("VB", 1.0)):
        paths[name] = coin.natural_path(mean, size, X, each, MOST)
    return {name: (path, below_top(path)) for name, path in paths.items()}


def walked(path):
    """Return points (n, 2) along a path of mean and concentration, BETWEEN a step.

    Each step is straight in the counts (a, b).
    """
    at = np.arange(BETWEEN * (len(path) - 1) + 1) / BETWEEN
    a, b = (
        np.interp(at, np.arange(len(path)), corners) for corners in coin.counts(*path.T)
    )
    return np.stack([a / (a + b), a + b], axis=1)


def climb_setup(figure):
    """Left: contours of the ELBO over mean and concentration of the belief, a star at the top, and
    the paths of three climbers from one start. Right: how many nats each still is below the top
    after each step, on a logarithmic scale.
    """
    chart, curve = figure.subplots(1, 2, width_ratios=[1.15, 1])
    draw_map(chart, X)
    chart.set_title("The way on the map")
    curve.set(xlim=(0, MOST), yscale="log", ylim=(1e-5, 1e2), xlabel="steps")
    curve.set(title="Nats below the top", xticks=range(0, MOST + 1, 5))
    artists, widths = {}, {"plain gradient": 2.0, "natural gradient": 4.0, "VB": 1.6}
    for (name, width), k in zip(widths.items(), (PLAIN, NATURAL, VB), strict=True):
        style = plots.line_style(
            k, True, ls="-", lw=width, ms=3 + 1.5 * width, label=name
        )
        artists[name] = [ax.plot([], [], **style)[0] for ax in (chart, curve)]
        artists[name][0].set_markevery(1 if k == PLAIN else BETWEEN)
    curve.legend(loc="upper right", handlelength=1.2).set_zorder(0)  # still: drawn once
    return artists


def climb_draw(artists, arrays, values):
    taken = slice(0, values["steps"] + 1)
    for name, (path, below) in arrays.items():
        on_map, on_curve = artists[name]
        way = path[taken] if name == "plain gradient" else walked(path[taken])
        on_map.set_data(*np.clip(way, [0.035, 2.05], [0.895, 118]).T)
        on_curve.set_data(np.arange(MOST + 1)[taken], np.maximum(below[taken], 1.3e-5))


def climb_status(arrays, values) -> str:
    left = [
        f"{name} {below[values['steps']]:.3f} nats"
        for name, (_, below) in arrays.items()
    ]
    return f"Below the top after {values['steps']} steps: {', '.join(left)}."
