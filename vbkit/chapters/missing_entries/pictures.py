"""Pictures of notebook 07b; the docstring of a figure is its alternative text."""

from vbkit import plots
from vbkit.chapters.factorization.pictures import draw_table


def ratings(holes, truth, tables, errors):
    """Four tables of 24 people by 36 films in colour. The given one is mostly grey holes. With
    zeros put in the completed table is pale; with holes left out it looks like the truth."""
    # tables, errors: name -> completed table (L, M), its error
    fig, axes = plots.figure(7.5, 4.8, ncols=2, nrows=2)
    panels = {"what we are given (holes grey)": holes, "the truth": truth}
    panels |= {
        f"{name}: error {errors[name]:.1f}": table for name, table in tables.items()
    }
    for ax, letter, (name, table) in zip(axes, "ABCD", panels.items(), strict=False):
        image = draw_table(ax, table, top=4)
        plots.panel_title(ax, letter, name)
    fig.colorbar(image, ax=axes, shrink=0.7, label="rating, from the mean")
    return fig, ratings.__doc__
