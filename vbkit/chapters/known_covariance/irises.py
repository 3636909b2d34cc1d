"""The picture of all iris petals."""

import numpy as np

from vbkit import plots
from vbkit.course.petals import LENGTH, WIDTH


def draw_petals(X, species, components, counts, F) -> plots.Picture:
    """Draw petals X (150, 2) with four components, and F (6,) over their number.

    species (150,); components: their centres and covariances; counts (K,).
    """
    fig, (left, right) = plots.figure(8, 3.7, ncols=2, width_ratios=[1.15, 1])
    plots.draw_points(left, X, species, size=4)
    plots.draw_ellipses(left, *components, counts, colours=["black"])
    left.set(xlabel=LENGTH, ylabel=WIDTH, aspect="equal", xlim=(-8, 9), ylim=(-7, 8))
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
