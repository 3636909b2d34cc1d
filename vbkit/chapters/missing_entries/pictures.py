"""Pictures of notebook 07d."""

from vbkit import plots


def draw_table(ax, table, *, top: float):
    """Draw a table (L, M) in colours from -top to top, grey where it is nan. Returns the image."""
    ax.set(xticks=[], yticks=[], facecolor="#B8B8B8")  # no colour of the scale
    image = ax.imshow(table, cmap="RdBu_r", vmin=-top, vmax=top, aspect="auto")
    image.set_interpolation("nearest")
    return image


def ratings(holes, truth, tables, errors) -> plots.Picture:
    """Draw the table with holes, the truth, and the completed tables, all (L, M).

    tables, errors: "zeros put in" and "holes left out" -> completed table, its error.
    """
    fig, axes = plots.figure(7.5, 4.8, ncols=2, nrows=2)
    panels = {"what we are given (holes grey)": holes, "the truth": truth}
    panels |= {
        f"{name}: error {errors[name]:.1f}": table for name, table in tables.items()
    }
    for ax, letter, (name, table) in zip(axes, "ABCD", panels.items(), strict=False):
        image = draw_table(ax, table, top=4)
        plots.panel_title(ax, letter, name)
    fig.colorbar(image, ax=axes, shrink=0.7, label="rating, from the mean")
    alt = """Four tables of 24 people by 36 films in colour. The given one is mostly
    grey holes. With zeros put in the completed table is pale; with holes left out it
    looks like the truth."""
    arrays = {
        "holes": holes,
        "truth": truth,
        "zeros": tables["zeros put in"],
        "left_out": tables["holes left out"],
    }
    return plots.Picture(fig, alt, arrays)
