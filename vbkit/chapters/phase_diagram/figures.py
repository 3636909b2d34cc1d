"""Figures of chapter 08b, with their alternative texts."""

import numpy as np
from matplotlib.colors import ListedColormap

from vbkit import plots
from vbkit.chapters.bernoulli import phases, pictures
from vbkit.chapters.bernoulli.structures import limit_price
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors
from vbkit.phases import solve

PUZZLE = """Three rows of four squares. First row, 600 people: dark, dark, light, light grey, with
the numbers 0.2, 0.3, 0.8 and 0.7. Second row, 400 people: white, white, black, black, with the
numbers 1, 1, 0, 0. Third row: four question marks, and no number of people."""


def puzzle() -> plots.Picture:
    """Two kinds of people, and a third component for which there is nobody."""
    fig, (ax,) = plots.figure(6, 2.5)
    kinds = "the mixed kind", "the decided kind"
    pictures.draw_people(ax, TRUTHS["B"].means, ("600 people", "400 people"), kinds)
    return plots.Picture(fig, PUZZLE)


PRICES = """Two panels of prices over a, in units of log N: the empty component's is flat at 0,
the mixed duplicate's falls and crosses it at 2.5, the black-and-white duplicate's falls in
parallel. At b = 0.2 it lies below the mixed one and crosses 0 at 1.3. At b = 0.9 it lies above. A
thick yellow band, named VB's choice, follows the lowest line."""


def price_lines() -> plots.Picture:
    """Prices of the three fates over a, for a small and a large b."""
    fig, axes = plots.figure(8, 3.3, ncols=2, sharey=True)
    a = np.linspace(0, 5, 101)
    kinds = "empty", "deterministic", "interior"
    titles = "Small $b$: black-and-white comes first", "Large $b$: mixed comes first"
    places = (
        [(0.1, -0.55), (0.1, -2.2), (2.0, 0.9)],
        [(0.1, -0.55), (1.4, 3.2), (0.4, 0.6)],
    )
    for ax, b, title, spots in zip(axes, (0.2, 0.9), titles, places, strict=True):
        prices = [limit_price(kind, a, b) for kind in kinds]
        ax.plot(
            a,
            np.min(prices, axis=0),
            color="#FFE08A",
            lw=9,
            ls="-",
            solid_capstyle="butt",
        )
        for j, (k, name) in enumerate(
            {6: "empty", 1: "black-and-white", 0: "mixed"}.items()
        ):
            ax.plot(a, prices[j], color=plots.COLOURS[k], ls=plots.LINES[j])
            ax.text(*spots[j], name, color=plots.COLOURS[k])
        ax.set(title=f"{title} ($b = {b}$)", xlabel="$a$", xlim=(0, 5))
    axes[0].set_ylabel(r"price in units of $\log N$")
    axes[0].text(2.0, -3.5, "yellow: VB's choice", color="#806000")
    return plots.Picture(fig, PRICES)


DIAGRAM = """Two planes of a and b, coloured by the structure that VB finds at each point of a grid,
with the lines of the theory in black. Left, truth B: empty, mixed duplicate and black-and-white
duplicate, the smallest component growing as N to the power 0, 1 and 1. The colours change a little
to the right of the lines. Empty is hatched. A small green patch at (3, 0.5), in a ring, is a part
of the mixed kind. Right, truth A: one upright line, at a = 2.5, is that of the price list. Below
b = one half there are two other regions, one in which the smallest component grows as root N, left
of a green one, a part of a mixed kind, in which it grows as N; their other borders are dashed."""
TITLES = {
    "B": "Our people: VB keeps to the price list",
    "A": "Nobody is decided: two more phases",
}
UNLISTED = ("empty", "small vertex"), ("cut", "interior")  # lines that 08c derives
PLACES = {  # truth -> words and places of the phases found
    "B": [("empty, $N^0$", 1.2, 0.95), ("mixed\nduplicate, $N$", 4.4, 0.9)]
    + [("black-and-white\nduplicate, $N$", 4.2, 0.2)],
    "A": [("empty, $N^0$", 1.2, 0.95), ("mixed\nduplicate, $N$", 4.4, 0.9)]
    + [(r"$\sqrt{N}$", 2.0, 0.1), ("a part of a\nmixed kind, $N$", 4.5, 0.2)],
}


def figure_5_1(arrays) -> plots.Picture:
    """Draw the phases found, beside the lines of the theory (Kaji 2011, Figure 5.1).

    arrays: "a" (A,), "b" (B,), and for the truths "A" and "B" what `phases.measured` gives,
    "exponent_A" and "kind_A" (A, B), and so on; they are the arrays of the picture.
    """
    fig, axes = plots.figure(8, 3.6, ncols=2, sharey=True)
    colours = ListedColormap(
        [pictures.GROUNDS[kind] for kind in list(phases.FATES)[1:]]
    )
    for ax, truth in zip(axes, "BA", strict=True):
        pictures.setup_grounds(ax, ())
        kinds = np.ma.masked_equal(arrays[f"kind_{truth}"].T, 0)
        style = {
            "vmin": 0.5,
            "vmax": 4.5,
            "cmap": colours,
            "shading": "nearest",
            "zorder": 1,
        }
        ax.pcolormesh(arrays["a"], arrays["b"], kinds, rasterized=True, **style)
        pictures.draw_lines(ax, truth, names=False, dashed=UNLISTED)
        for words, x, y in PLACES[truth]:
            ax.text(x, y, words, ha="center", va="center")
        ax.set_title(TITLES[truth])
    axes[0].plot([3.07], [0.5], "o", color="black", mfc="none", ms=13, mew=1)
    arrow = {"arrowstyle": "-", "lw": 1, "shrinkB": 7}
    place = {"xy": (3.07, 0.5), "xytext": (2.7, 0.68), "va": "center"}
    axes[0].annotate("a part of the mixed kind", **place, arrowprops=arrow, fontsize=10)
    key = {"fontsize": 10, "zorder": 3}
    axes[1].text(2.6, 1.12, "solid: border of the price list", **key)
    axes[1].text(5.9, 0.53, "dashed: borders from 08c", ha="right", **key)
    axes[1].set_ylabel("")
    return plots.Picture(fig, DIAGRAM, arrays)


RUNS = """Left: the two kinds of people as columns of four squares. Right, for a = 3 above and
a = 1.5 below, the redundant component of the best of a hundred runs as a column of four squares for
each b. At a = 3 it is black-and-white, 1100, up to b = 0.2, a part of the mixed kind with a black
first square up to 0.5, and one of two mixed components above that. At a = 1.5 it is 1100 at b =
0.1, a part with a white first square at 0.2, and empty from 0.3 on."""
ENDS = "empty", "black-\nwhite", "part of\nmixed", "one of two mixed components"


def random_runs(counts, a, b_values, starts):
    """The redundant component of each run from random starts (n, 16, 3), lowest F first.

    Returns its mean probabilities (B, n, M) and its counts (B, n), for each of b_values (B,).
    """
    T, found = BetaBernoulli(4).statistics(binary_vectors(4)), []
    states = np.swapaxes(starts * np.reshape(counts, (-1, 1)), 1, 2) @ T
    for b in b_values:
        runs = solve(counts, states, a, b, max_iterations=5000)
        smallest = runs.S[:, :, 0].argmin(axis=1)
        order = runs.free_energy.argsort(kind="stable")
        S = runs.S[np.arange(len(smallest)), smallest][order]
        found.append(((b + S[:, 1:5]) / (2 * b + S[:, :1]), S[:, 0]))
    means, sizes = zip(*found, strict=True)
    return np.stack(means), np.stack(sizes)


def _ends(means, sizes):
    """What each component is, as its place among ENDS (B,), from means (B, M) and sizes (B,)."""
    pure = (np.minimum(means, 1 - means) < phases.PURE).sum(axis=1)
    return np.select([sizes < 1, pure == means.shape[1], pure > 0], [0, 1, 2], 3)


def _name_ends(ax, ends):
    """Draw a line above each stretch of columns that ended alike, and say how."""
    ax.set_ylim(top=-1.0)  # room for the words
    first = np.flatnonzero(np.diff(ends, prepend=-1))
    for start, end in zip(first, [*first[1:], len(ends)], strict=True):
        ax.plot([start - 0.4, end - 0.6], [-0.2, -0.2], "-k", lw=1.5)
        ax.text(start - 0.4, -0.3, ENDS[ends[start]], va="bottom", size=9.5)


def figure_5_3(sample, strips, b) -> plots.Picture:
    """Draw the truth, and the redundant component of the best run (Kaji 2011, Figure 5.3).

    sample: counts (16,) of the rows that were drawn; strips: a -> (means (B, n, M), counts
    (B, n)) of the redundant components for each of b (B,).
    """
    fig, axes = plots.figure(8.6, 5.4, nrows=2, ncols=2, width_ratios=[2.4, 10])
    axes, names = axes.reshape(2, 2), [f"{x:g}" for x in b]
    for (a, (means, sizes)), (left, right) in zip(strips.items(), axes, strict=True):
        pictures.draw_columns(left, TRUTHS["B"].means, ["mixed", "decided"])
        left.set(title="the people", ylabel="question")
        left.tick_params(axis="x", labelsize=8.5)
        left.set_ylim(top=-1.0)  # as on the right, so that all squares are equal
        pictures.draw_columns(right, means[:, 0], names, empty=sizes[:, 0] < 1)
        _name_ends(right, _ends(means[:, 0], sizes[:, 0]))
        right.set(
            title=f"$a = {a:g}$: the redundant component of the best run", xlabel="$b$"
        )
    arrays = {"counts": sample.astype(float), "b": b}
    for a, (means, _) in strips.items():
        arrays[f"means_{a:g}"] = means[:, 0]
    return plots.Picture(fig, RUNS, arrays)
