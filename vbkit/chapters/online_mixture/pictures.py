"""The pictures of notebook 03."""

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from scipy import stats

from vbkit import plots
from vbkit.chapters.models import N_COMPONENTS
from vbkit.chapters.online_mixture.streams import SHARE, five
from vbkit.mixture import Mixture

STAGES = (10, 30, 100, 300, 1000, 3000)  # stored
DRAWN = (10, 100, 3000)  # of STAGES
X_AXIS = np.linspace(-13, 13, 261)


def colour(k: int) -> str:
    """Return the colour of component k; after the last colour comes the first."""
    return plots.COLOURS[k % len(plots.COLOURS)]


def densities(mixture: Mixture, X, S) -> dict:
    """Return what `draw_line` shows of data X (N, 1) and a state.

    histogram (52,) in bins of half a unit from -13 to 13; components (K, 261) and predictive
    (261,), the densities on X_AXIS: each component's Gaussian at its expected precision times its
    weight, and that of the next data point.
    """
    weights, (centres, covariances) = mixture.parameters(S)
    components = stats.norm.pdf(X_AXIS, centres, np.sqrt(covariances[:, 0]))
    return {
        "histogram": np.histogram(X, bins=52, range=(-13, 13))[0]
        / max(0.5 * len(X), 1),
        "components": weights[:, None] * components,
        "predictive": np.exp(mixture.log_predictive(X_AXIS[:, None], S)),
    }


def density_of(truth, shift=0.0):
    """Return the true density (261,) on X_AXIS, moved to the right by `shift`."""
    weights, centres, widths = truth
    return weights @ stats.norm.pdf(X_AXIS, centres + shift, widths[:, None])


def setup_line(ax, truth):
    """Draw the truth; return the artists of histogram, components and predictive density."""
    ax.set(xlim=(-13, 13), ylim=(0, 0.22))
    (dotted,) = ax.plot(X_AXIS, density_of(truth), color="black", ls=":", lw=1.3)
    bars = ax.stairs(
        np.zeros(52), np.linspace(-13, 13, 53), fill=True, color="#DDDDDD", zorder=0.5
    )
    colours = [colour(k) for k in range(N_COMPONENTS)]
    components = PolyCollection(
        [], facecolors=[(*to_rgb(c), 0.3) for c in colours], linewidths=1.2
    )
    components.set_edgecolor(colours)
    ax.add_collection(components, autolim=False)
    (predictive,) = ax.plot([], [], color="black", ls="-", lw=1.6)
    return {
        "truth": dotted,
        "histogram": bars,
        "components": components,
        "predictive": predictive,
    }


def draw_line(artists, arrays):
    """Move the artists of `setup_line` to what `densities` returns."""
    artists["histogram"].set_data(arrays["histogram"])
    floor = np.column_stack([X_AXIS[[-1, 0]], np.zeros(2)])
    curves = [np.column_stack([X_AXIS, y]) for y in arrays["components"]]
    artists["components"].set_verts(
        [np.concatenate([curve, floor]) for curve in curves]
    )
    artists["predictive"].set_data(X_AXIS, arrays["predictive"])


def draw_stage(ax, mixture: Mixture, X, S, truth):
    """Draw data X (N, D) seen so far, the components after them and the truth; D is 1 or 2."""
    if X.shape[1] == 1:
        return draw_line(setup_line(ax, truth), densities(mixture, X, S))
    weights, gaussians = mixture.parameters(S)
    plots.draw_points(ax, X, size=2.5, alpha=0.35)
    used = S[:, 0] > SHARE * S[:, 0].sum()
    for chosen, ink, width in ((~used, "#999999", 0.6), (used, "#C03000", 1.8)):
        shown = [part[chosen] for part in (*gaussians, weights)]
        drawn = plots.draw_ellipses(ax, *shown, colours=[ink], zorder=3 + width)
        drawn.outlines.set(linestyle="-", linewidth=width)
    ax.plot(*truth[1].T, "x", color="black", ms=7, mew=1.6, zorder=6)
    ax.set(aspect="equal", xlim=(-13, 13), ylim=(-13, 13))


def picture_of_stream(X, means) -> plots.Picture:
    """Draw the beginning of a stream X (N, 1), and the prior means (K, 1)."""
    fig, (ax,) = plots.figure(7, 2.8)
    ax.plot(np.arange(1, 61), X[:60, 0], "o", color=plots.COLOURS[0], ms=5)
    ax.plot(np.full(len(means), -1.5), means[:, 0], ">", color=plots.COLOURS[1], ms=6)
    ax.set(xlim=(-3, 61), ylim=(-13, 15), xlabel="order of arrival", ylabel="value")
    ax.text(
        -2.2,
        13,
        "prior means of the twenty components",
        color=plots.COLOURS[1],
        weight="bold",
    )
    ax.set_title("The first sixty of 3,000 data points")
    alt = """Sixty points from left to right in the order of arrival; their heights, the
    data, lie in a few bands between -10 and 10. Twenty triangles at the left edge,
    scattered from -12 to 12, are the prior means of the components."""
    return plots.Picture(fig, alt)


def stages_on_the_line(mixture: Mixture, X, states, means) -> plots.Picture:
    """Draw the states (6, K, P), after each of STAGES, of a stream X (N, 1).

    means (K, 1): the components' prior means, published with the figure.
    """
    fig, axes = plots.figure(8.4, 2.9, ncols=len(DRAWN), sharex=True, sharey=True)
    draw_stages(axes, mixture, X, states)
    axes[0].set(xlabel="$y$", ylabel="density")
    alt = """Three panels on the line. After 10 data a broad predictive density and many
    small components; after 100 it has bumps near the true ones; after 3,000 it lies on
    the dotted true density. Several components share a bump."""
    arrays = {"data": X, "means": means, "states": np.array(states)}
    return plots.Picture(fig, alt, arrays)


def stages_in_the_plane(mixture: Mixture, X, states, means) -> plots.Picture:
    """Draw the states (6, K, P), after each of STAGES, of a stream X (N, 2).

    means (K, 2): the components' prior means, published with the figure.
    """
    fig, axes = plots.figure(8.4, 3.2, ncols=len(DRAWN), sharex=True, sharey=True)
    draw_stages(axes, mixture, X, states)
    axes[0].set(xlabel="$y_1$", ylabel="$y_2$")
    alt = """Three panels in the plane: components in use red, the others thin and grey.
    After 10 data a few of twenty circles are red; after 100 each of the five crosses
    has a red ellipse, one two; after 3,000 these have the size of the clusters, and
    fifteen circles are grey."""
    arrays = {"data": X, "means": means, "states": np.array(states)}
    return plots.Picture(fig, alt, arrays)


def draw_stages(axes, mixture: Mixture, X, states):
    """Draw the state after each of DRAWN on axes of its own; states: after each of STAGES."""
    for ax, n in zip(axes, DRAWN, strict=True):
        draw_stage(ax, mixture, X[:n], states[STAGES.index(n)], five(X.shape[1]))
        ax.set_title(f"after {n:,} data points")


def picture_of_survey(surveys: dict, shown: dict) -> plots.Picture:
    """Draw how many streams end with each number of components in use.

    surveys: "on the line" and "in the plane" -> {"used": numbers (streams,)}; shown: the
    same names -> the stream that has a colour.
    """
    fig, axes = plots.figure(7, 2.9, ncols=2)
    for ax, (name, judged) in zip(axes, surveys.items(), strict=True):
        used = judged["used"]
        bars = ax.bar(range(21), np.bincount(used, minlength=21), color="#BBBBBB")
        bars[used[shown[name]]].set_color(plots.COLOURS[1])
        ax.set(
            title=f"{len(used)} streams {name}",
            xlabel="components in use",
            xlim=(0, 20.8),
        )
        ax.set_xticks(range(0, 21, 5))
    axes[0].set_ylabel("streams")
    alt = """Two bar charts of how many of 100 streams end with each number of
    components in use. On the line the bars spread from 8 to 20 with most between 13 and
    17; in the plane from 3 to 9, with nearly half at 5. The bar of the stream that is
    shown, in the middle of each, has a colour."""
    return plots.Picture(fig, alt)
