"""The pictures of notebook 05."""

from matplotlib.patches import Circle

from vbkit import plots
from vbkit.chapters.batch_vs_online.methods import COMPONENT, METHODS
from vbkit.chapters.planes import open_plane, show_model
from vbkit.data import SATO2000_CENTRES, SATO2000_WIDTHS


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


def draw_data(axes, X, titles):
    """Draw each data set, the points X[name], on axes of its own, with the Gaussians that
    they came from, circles of two standard deviations; titles: name -> words."""
    for ax, (name, words) in zip(axes, titles.items(), strict=True):
        plots.draw_points(ax, X[name], size=3)
        for centre, width in zip(
            SATO2000_CENTRES[name], SATO2000_WIDTHS[name], strict=True
        ):
            ax.add_patch(Circle(centre, 2 * width, fill=False, lw=1.2, zorder=3))
        ax.set(
            aspect="equal",
            adjustable="datalim",
            box_aspect=1,
            xlabel="$x_1$",
            ylabel="$x_2$",
        )
        plots.panel_title(ax, name, words)


def two_data_sets(X, alt) -> plots.Picture:
    """Draw the data sets "A" and "B" of X; they are the arrays of the picture."""
    fig, axes = plots.figure(7, 3.8, ncols=2)
    draw_data(axes, X, {"A": "four alike", "B": "two inside two"})
    return plots.Picture(fig, alt, X)


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


def panels(arrays, kind, alt) -> plots.Picture:
    """Draw for data A and B a curve of each method over the numbers of components.

    kind: "bound" for the ELBO, or "epochs"; arrays: of `study_of_figure_2`, which are the
    picture's, too.
    """
    fig, axes = plots.figure(7.5, 3.6, ncols=2)
    numbers, depth = arrays["n_components"], {"A": 110, "B": 260}
    for name, ax in zip("AB", axes, strict=True):
        curves = arrays[f"{kind}_{name}"]
        for method, curve in zip(METHODS, curves, strict=True):
            ax.plot(numbers, curve, ms=6, mew=1.5, label=method, **METHODS[method])
        ax.set(xlabel="number of components", xticks=numbers)
        if kind == "bound":
            peak = numbers[curves.max(axis=0).argmax()]
            ax.set_title(f"Data {name}: ELBO (nats), highest at {peak}")
            ax.set_ylim(curves.max() - depth[name], curves.max() + depth[name] / 8)
        else:
            ax.set(yscale="log", title=f"Data {name}: passes to the line")
            ax.yaxis.set_major_formatter("{x:,.0f}")
    fig.legend(
        *axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3
    )
    return plots.Picture(fig, alt, arrays)
