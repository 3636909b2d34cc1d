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
    fig, axes = plots.figure(8.4, 4.6, ncols=2)
    fig.get_layout_engine().set(h_pad=0.12)  # else the titles touch the upper edge
    found = ("wide components everywhere", "one on each dense core")
    for ax, (method, parameters), words in zip(axes, models.items(), found, strict=True):
        show_model(open_plane(ax), "B", X, parameters, [COMPONENT])
        ax.set_title(f"{method.capitalize()} VB: {words}", color=METHODS[method]["color"])
    return plots.show(fig, one_pass.__doc__)


def open_data(X, titles):
    """Open a panel for each data set, with the points X[name] and the Gaussians that they came
    from, circles of two standard deviations."""
    fig, axes = plots.figure(7, 3.8, ncols=2)
    for ax, (name, words) in zip(axes, titles.items(), strict=True):
        plots.draw_points(ax, X[name], size=3)
        for centre, width in zip(SATO2000_CENTRES[name], SATO2000_WIDTHS[name], strict=True):
            ax.add_patch(Circle(centre, 2 * width, fill=False, lw=1.2, zorder=3))
        ax.set(aspect="equal", adjustable="datalim", box_aspect=1, xlabel="$x_1$", ylabel="$x_2$")
        plots.panel_title(ax, name, words)
    return fig, axes


def figure_1(X):
    """Two scatter plots, and the Gaussians that the points came from as circles of two standard
    deviations. A: 200 points in an elongated cloud with a bulge to the right, four equal circles
    that overlap. B: 1,000 points, two dense round cores inside one wide cloud; around each core a
    small circle inside a wide one."""
    words = {"A": "four alike", "B": "two inside two"}
    titles = {name: f"{words[name]}, {len(X[name]):,} points" for name in words}
    return open_data(X, titles)[0], figure_1.__doc__


def best_fits(X, models):
    """The two data sets with their true circles in black, and the best fits as ellipses. A: two
    ellipses, each over two neighbouring circles. B: one ellipse on each small circle, and one wide
    ellipse over both wide circles."""
    titles = {"A": "one ellipse for two circles", "B": "one for the two wide circles"}
    fig, axes = open_data(X, titles)
    for ax, (weights, components) in zip(axes, (models["A"], models["B"]), strict=True):
        plots.draw_ellipses(ax, *components, weights, colours=[COMPONENT])
    return plots.show(fig, best_fits.__doc__)


def figure_2(arrays):
    """Four panels over one to eight components for batch, online and online VB without discount,
    full covariance. The ELBO of data A peaks at two components and that of data B at three; without
    discount it lies lower, and leaves the panels below. Batch VB takes more passes than online VB
    from two components on."""
    fig, axes = plots.figure(7.5, 6.2, ncols=2, nrows=2, sharex=True)
    numbers, depth = arrays["n_components"], {"A": 110, "B": 260}
    for name, upper, lower in zip("AB", axes[:2], axes[2:], strict=True):
        bounds = arrays[f"bound_{name}"]
        for ax, curves in ((upper, bounds), (lower, arrays[f"epochs_{name}"])):
            for method, curve in zip(METHODS, curves, strict=True):
                ax.plot(numbers, curve, ms=6, mew=1.5, label=method, **METHODS[method])
        peak = numbers[bounds.max(axis=0).argmax()]
        upper.set_title(f"Data {name}: ELBO (nats), highest at {peak}")
        upper.set_ylim(bounds.max() - depth[name], bounds.max() + depth[name] / 8)
        lower.set_title(f"Data {name}: passes to the end")
        lower.set(xlabel="number of components", xticks=numbers, yscale="log")
        lower.yaxis.set_major_formatter("{x:,.0f}")
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return fig, figure_2.__doc__
