"""The pictures of notebook 05b."""

from vbkit import plots
from vbkit.course.sato import COMPONENT, draw_data


def best_fits(X, models) -> plots.Picture:
    """Draw both data sets and the best fit to each.

    X: "A" and "B" -> points; models: the same names -> (weights, components).
    """
    titles = {"A": "one ellipse for two circles", "B": "one for the two wide circles"}
    fig, axes = plots.figure(7, 3.8, ncols=2)
    draw_data(axes, X, titles)
    for ax, (weights, components) in zip(axes, (models["A"], models["B"]), strict=True):
        plots.draw_ellipses(ax, *components, weights, colours=[COMPONENT])
    alt = """The two data sets with their true circles in black, and the best fits as
    ellipses. A: two ellipses, each over two neighbouring circles. B: one ellipse on
    each small circle, and one wide ellipse over both wide circles."""
    return plots.Picture(fig, alt)
