"""The pictures of notebook 05a."""

from vbkit import plots
from vbkit.chapters.planes import open_plane, show_model
from vbkit.course.sato import COMPONENT, draw_data


def side_by_side(X, models, height, alt) -> plots.Picture:
    """Draw data B once for each model, with the model's components.

    models: title -> parameters; height: of the figure in inches.
    """
    fig, axes = plots.figure(8.4, height, ncols=len(models))
    fig.get_layout_engine().set(h_pad=0.12)  # else the titles touch the upper edge
    for ax, (title, parameters) in zip(axes, models.items(), strict=True):
        show_model(open_plane(ax), "B", X, parameters, [COMPONENT])
        ax.set_title(title)
    return plots.Picture(fig, alt)


def two_data_sets(X, alt) -> plots.Picture:
    """Draw the data sets "A" and "B" of X; they are the arrays of the picture."""
    fig, axes = plots.figure(7, 3.8, ncols=2)
    draw_data(axes, X, {"A": "four alike", "B": "two inside two"})
    return plots.Picture(fig, alt, X)
