"""Pictures of streams in the plane, and of how many components many streams end with."""

import numpy as np

from vbkit import plots
from vbkit.course.lecture_03 import DRAWN, STAGES
from vbkit.course.stream import IN_USE, Truth, true_machines
from vbkit.mixture import Mixture


def draw_in_the_plane(ax, mixture: Mixture, X, S, truth: Truth):
    """Draw data X (N, 2) seen so far, the components after them and the true means."""
    weights, gaussians = mixture.parameters(S)
    plots.draw_points(ax, X, size=2.5, alpha=0.35)
    used = S[:, 0] > IN_USE * S[:, 0].sum()
    for chosen, ink, width in ((~used, "#999999", 0.6), (used, "#C03000", 1.8)):
        means = gaussians.mean[chosen]
        covariances = gaussians.covariance[chosen]
        drawn = plots.draw_ellipses(
            ax, means, covariances, weights[chosen], colours=[ink], zorder=3 + width
        )
        drawn.outlines.set(linestyle="-", linewidth=width)
    ax.plot(
        truth.means[:, 0],
        truth.means[:, 1],
        "x",
        color="black",
        ms=7,
        mew=1.6,
        zorder=6,
    )
    ax.set(aspect="equal", xlim=(-13, 13), ylim=(-13, 13))


def stages_in_the_plane(mixture: Mixture, X, states, prior_means) -> plots.Picture:
    """Draw a stream X (N, 2) after 10, 100 and 3,000 data points.

    states: (6, 20, 5), after each of STAGES; prior_means (20, 2).
    """
    fig, axes = plots.figure(8.4, 3.2, ncols=len(DRAWN), sharex=True, sharey=True)
    for ax, n in zip(axes, DRAWN, strict=True):
        S = states[STAGES.index(n)]
        draw_in_the_plane(ax, mixture, X[:n], S, true_machines(2))
        ax.set_title(f"after {n:,} data points")
    axes[0].set(xlabel="$y_1$", ylabel="$y_2$")
    alt = """Three panels in the plane: components in use red, the others thin and grey.
    After 10 data points a few of twenty circles are red; after 100 each of the five crosses
    has a red ellipse, one two; after 3,000 these have the size of the clusters, and
    fifteen circles are grey."""
    arrays = {"data": X, "means": prior_means, "states": np.array(states)}
    return plots.Picture(fig, alt, arrays)


def picture_of_survey(surveys: dict, shown: dict) -> plots.Picture:
    """Draw how many streams end with each number of components in use.

    surveys: "on the line" and "in the plane" -> numbers (streams,); shown: the same names
    -> the number of the stream that has a colour.
    """
    fig, axes = plots.figure(7, 2.9, ncols=2)
    for ax, (name, used) in zip(axes, surveys.items(), strict=True):
        streams = np.bincount(used, minlength=21)
        bars = ax.bar(range(21), streams, color="#BBBBBB")
        number = used[shown[name]]
        bars[number].set_color(plots.COLOURS[1])
        ax.set(title=f"{len(used)} streams {name}", xlabel="components in use")
        ax.set(xlim=(0, 20.8))
        ax.set_xticks(range(0, 21, 5))
    axes[0].set_ylabel("streams")
    alt = """Two bar charts of how many of 100 streams end with each number of
    components in use. On the line the bars spread from 8 to 20 with most between 13 and
    17; in the plane from 3 to 9, with nearly half at 5. The bar of the stream that is
    shown, in the middle of each, has a colour."""
    return plots.Picture(fig, alt)
