"""Panels that show a data set of Sato 2000 with the components of a model."""

import numpy as np

from vbkit import plots
from vbkit.data import SATO2000_CENTRES

VIEW = {"A": 7.5, "B": 16.0}  # half the side of the square that is shown
REACH = 1.0  # of a panel, in views


def open_plane(ax) -> dict:
    """Make a square panel for `show_model`; return its moving artists.

    Axes count in views, so another data set needs no other limits.
    """
    ax.set(
        aspect="equal", xticks=[], yticks=[], xlim=(-REACH, REACH), ylim=(-REACH, REACH)
    )
    angle = np.linspace(0, 2 * np.pi, 65)
    rings = SATO2000_CENTRES["B"][[0, 2]] / VIEW["B"]
    circle = 2 / VIEW["B"] * np.stack([np.cos(angle), np.sin(angle)])
    return {
        "points": plots.draw_points(ax, np.zeros((1, 2)), size=2.5, alpha=0.45)[0],
        "rings": [
            ax.plot(*(c[:, None] + circle), "-k", lw=1.2, zorder=2.9)[0] for c in rings
        ],
        "ellipses": plots.draw_ellipses(ax, np.zeros((1, 2)), np.ones(1)),
    }


def show_model(plane, name, X, parameters, colours=None) -> None:
    """Show data X (N, 2) of set `name` and the components of a model, ellipses of two standard
    deviations, each in the next of the colours; the two narrow true Gaussians of B are black
    circles."""
    weights, (centres, covariances) = parameters
    view = VIEW[name]
    plane["points"].set_data(*X.T / view)
    scaled = centres / view, np.asarray(covariances) / view**2
    plots.update_ellipses(plane["ellipses"], *scaled, weights, colours=colours)
    for ring in plane["rings"]:
        ring.set_visible(name == "B")
