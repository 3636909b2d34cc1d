"""The pictures of notebook 05."""

from matplotlib.patches import Circle

from vbkit import plots
from vbkit.chapters.batch_vs_online.methods import COMPONENT, METHODS
from vbkit.chapters.planes import open_plane, show_model
from vbkit.data import SATO2000_CENTRES, SATO2000_WIDTHS


def one_pass(X, models):
    """The 1,000 points of data B twice, the two narrow true Gaussians as black circles. Left,
    batch VB after one pass: all four components are wide and lie over one another. Right, online
    VB after one pass: narrow components have moved to the dense cores."""
    fig, axes = plots.figure(8.4, 4.4, ncols=2)
    found = ("wide components everywhere", "one on each dense core")
    for ax, (method, parameters), words in zip(axes, models.items(), found, strict=True):
        show_model(open_plane(ax), "B", X, parameters, [COMPONENT])
        ax.set_title(f"{method.capitalize()} VB: {words}", color=METHODS[method]["color"])
    return plots.show(fig, one_pass.__doc__)


def figure_1(X):
    """Two scatter plots, and the Gaussians that the points came from as circles of two standard
    deviations. A: 200 points in an elongated cloud with a bulge to the right, four equal circles
    that overlap. B: 1,000 points, two dense round cores inside one wide cloud; around each core a
    small circle inside a wide one."""
    fig, axes = plots.figure(7, 3.6, ncols=2)
    for ax, name in zip(axes, "AB", strict=True):
        plots.draw_points(ax, X[name], size=3)
        plots.panel_title(ax, name, f"{len(X[name]):,} points")
        for centre, width in zip(SATO2000_CENTRES[name], SATO2000_WIDTHS[name], strict=True):
            ax.add_patch(Circle(centre, 2 * width, fill=False, lw=1.2, zorder=3))
        ax.set(aspect="equal", xlabel="$x_1$", ylabel="$x_2$")
    return fig, figure_1.__doc__


def figure_2(arrays):
    """Four panels over one to eight components for batch, online and online VB without discount,
    full covariance. The ELBO of data A peaks at two components and that of data B at three; without
    discount it lies lower, in part below the axes, which are cut off. Batch VB takes more epochs
    than online VB from two components on."""
    fig, axes = plots.figure(7.5, 6.2, ncols=2, nrows=2, sharex=True)
    fig.get_layout_engine().set(hspace=0.1)
    for column, name in enumerate("AB"):
        upper, lower = axes[column], axes[2 + column]
        for ax, key in ((upper, "bound"), (lower, "epochs")):
            for method, curve in zip(METHODS, arrays[f"{key}_{name}"], strict=True):
                ax.plot(
                    arrays["n_components"], curve, ms=6, mew=1.5, label=method, **METHODS[method]
                )
            ax.set_xticks(arrays["n_components"])
        best = arrays[f"bound_{name}"].max()
        upper.set_ylim(best - (260 if name == "B" else 110), best + (35 if name == "B" else 15))
        corner = {"x": 0.24, "ha": "left"} if name == "B" else {"x": 0.7, "ha": "right"}
        corner |= {"transform": upper.transAxes, "color": plots.GREY, "zorder": 4}
        corner["bbox"] = {"fc": "white", "ec": "none", "pad": 1}
        upper.text(y=0.03, s="cut off below", **corner)
        upper.set_title(f"data {name}: best ELBO (nats)", loc="left")
        lower.set_title(f"data {name}: epochs", loc="left")
        lower.set(xlabel="number of components", yscale="log")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return fig, figure_2.__doc__
