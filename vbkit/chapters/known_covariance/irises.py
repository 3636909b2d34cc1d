"""Iris petals: the data, their pictures, and what a wrong width does."""

import numpy as np

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture

LENGTH, WIDTH = "petal length (within-species sd)", "petal width (likewise)"
AXES = {"xlabel": LENGTH, "ylabel": WIDTH, "aspect": "equal"}
FACTORS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


def petals() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return length and width of the petals of 150 irises (Fisher 1936, from scikit-learn).

    X (150, 2): minus their mean, in units of their standard deviation within a species; species
    (150,); and the correlation matrix (2, 2) within a species.
    """
    from sklearn.datasets import load_iris

    iris = load_iris()
    X, species = iris.data[:, 2:], iris.target
    inside = X - np.stack([X[species == k].mean(axis=0) for k in range(3)])[species]
    width = np.sqrt((inside**2).mean(axis=0))
    return (
        (X - X.mean(axis=0)) / width,
        species,
        (inside / width).T @ (inside / width) / len(X),
    )


def draw_strip(x) -> plots.Picture:
    """Draw petal lengths x (N,), as `petals` gives them, as marks on a line."""
    fig, (ax,) = plots.figure(7, 1.4)
    plots.draw_points(
        ax, np.column_stack([x, 0 * x]), size=9, alpha=0.75, colour=plots.COLOURS[0]
    )
    ax.set(
        yticks=[],
        ylim=(-1, 1),
        xlabel="petal length (standard deviations within a species)",
    )
    return plots.Picture(
        fig, "Nine marks on a line: three close together near -5, six from 1 to 5."
    )


def draw_petals(X, species, components, counts, F) -> plots.Picture:
    """Draw petals X (150, 2) with four components, and F (6,) over their number.

    species (150,); components: their centres and covariances; counts (K,).
    """
    fig, (left, right) = plots.figure(8, 3.7, ncols=2, width_ratios=[1.15, 1])
    plots.draw_points(left, X, species, size=4)
    plots.draw_ellipses(left, *components, counts, colours=["black"])
    left.set(**AXES, xlim=(-8, 9), ylim=(-7, 8))
    names = {
        "setosa": (-4.4, -1.9),
        "versicolor": (4.9, -1.2),
        "virginica": (-0.6, 5.4),
    }
    for k, (name, place) in enumerate(names.items()):
        left.text(*place, name, color=plots.COLOURS[k], ha="center")
    right.plot(np.arange(1, 7), F, "o-", color=plots.COLOURS[0])
    right.set(xlabel="components offered, $K$", ylabel="$F$ (nats)", ylim=(565, 710))
    right.text(2.3, 697, f"$K=1$, out of sight: {F[0]:.0f}", color=plots.GREY)
    right.text(4, F[3] - 3, "drawn in A", color=plots.COLOURS[0], ha="center", va="top")
    plots.panel_title(left, "A", "virginica takes two (ellipses: 2 sd)")
    plots.panel_title(right, "B", "four components have the lowest $F$")
    alt = """A: petal length and width of 150 irises, three species in colours, and four
    components as ellipses of the known shape: one on setosa, one on versicolor, two on
    virginica. B: the free energy against the number of components offered falls steeply
    to its minimum at four, which is the fit of panel A, and then rises slowly."""
    arrays = {"data": X, "centres": components[0], "F": F}
    return plots.Picture(fig, alt, arrays)


def change_the_width() -> OldExplorer:
    """Twenty components; the known standard deviations are wrong by a factor."""
    X, _, within = petals()

    def learn(factor):
        family = KnownCovariance(np.zeros(2), 10.0, factor**2 * within)
        mixture = Mixture(family, Dirichlet(1.0))
        start = init_gaussian(mixture, X, 20, np.random.default_rng([1, 0]))
        fit = fit_batch(mixture, X, start, max_epochs=400, tolerance=1e-5)
        return {"X": X, "gaussians": family.parameters(fit.S), "counts": fit.S[:, 0]}

    found = {factor: learn(factor) for factor in FACTORS}
    controls = {
        "factor": select_slider("Known width, times the true one", FACTORS, 0.8)
    }
    words = {"title": "When the botanist is wrong", "status": tell}
    return OldExplorer(
        controls, lambda factor: found[factor], set_up, draw, **words, size=(7, 4.2)
    )


def set_up(figure):
    """Petal length and width of 150 irises, and the components that hold more than one petal as
    ellipses of two standard deviations, heavier the more petals they hold."""
    ax = figure.subplots()
    ax.set(**AXES, xlim=(-9, 10), ylim=(-8, 9))
    return {
        "points": plots.draw_points(ax, np.zeros((1, 2)), size=3),
        "components": plots.draw_ellipses(ax, np.zeros((1, 2)), np.ones(1)),
    }


def draw(artists, arrays, values):
    living = arrays["counts"] > 1
    artists["points"][0].set_data(*arrays["X"].T)
    chosen = [part[living] for part in arrays["gaussians"]]
    plots.update_ellipses(artists["components"], *chosen, arrays["counts"][living])


def tell(arrays, values) -> str:
    alive = sum(arrays["counts"] > 1)
    return f"With {values['factor']:g} times the true width VB keeps {alive} components of twenty."
