"""Figures of chapter 08a, with their alternative texts."""

import numpy as np
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.binary import binary_vectors
from vbkit.chapters.phase_diagram import pictures
from vbkit.chapters.phase_diagram.pictures import A_MAX, B_MAX
from vbkit.chapters.phase_diagram.structures import limit_price
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.families import BetaBernoulli
from vbkit.theory import diagram, solve, structured_starts

PUZZLE = """Three rows of four squares. First row, 600 people: dark, dark, light, light grey, with
the numbers 0.2, 0.3, 0.8 and 0.7. Second row, 400 people: white, white, black, black, with the
numbers 1, 1, 0, 0. Third row: four question marks, and no number of people."""


def puzzle():
    """Two kinds of people, and a third component for which there is nobody."""
    fig, (ax,) = plots.figure(6, 2.5)
    weights, means = TRUTHS["B"]
    centre = {"ha": "center", "va": "center"}
    for (k, m), value in np.ndenumerate(means):
        ax.add_patch(Rectangle((m, -k), 0.94, 0.82, fc=str(value), ec="black", lw=0.8))
        colour = "white" if value < 0.5 else "black"
        ax.text(m + 0.47, 0.41 - k, f"{value:g}", color=colour, **centre)
    for m in range(4):
        ax.add_patch(Rectangle((m, -2), 0.94, 0.82, fc="white", ec=plots.GREY, lw=1, ls="--"))
        ax.text(m + 0.47, -1.59, "?", color=plots.COLOURS[1], size=16, **centre)
        ax.text(m + 0.47, 1.0, f"question {m + 1}", size=10, **centre)
    for k, words in enumerate(("600 people", "400 people", "the third\ncomponent")):
        ax.text(-0.15, 0.41 - k, words, ha="right", va="center")
    for k, words in enumerate(("the mixed kind", "the decided kind")):
        ax.text(4.1, 0.41 - k, words, ha="left", va="center")
    ax.set(xlim=(-1.3, 5.8), ylim=(-2.1, 1.25))
    ax.axis("off")
    return plots.show(fig, PUZZLE)


GRAPH = """A graph. a points to the weights pi, pi to the label z of data point n, b to the
probabilities mu of component k; z and mu point to the data point x. A plate N holds z and x, a
plate K holds mu."""


def figure_3_1():
    """The graphical model: figure and alternative text."""
    nodes = {r"$a$": (0, 1, True), r"$b$": (0, 0, True), r"$\pi$": (1.2, 1, False)}
    nodes |= {r"$\mu_k$": (1.2, 0, False), r"$z_n$": (2.6, 1, False), r"$x_n$": (2.6, 0, True)}
    edges = [(r"$a$", r"$\pi$"), (r"$b$", r"$\mu_k$"), (r"$\pi$", r"$z_n$")]
    edges += [(r"$z_n$", r"$x_n$"), (r"$\mu_k$", r"$x_n$")]
    plates = [(2.15, -0.55, 0.95, 2.0, "$N$"), (0.75, -0.55, 0.95, 1.0, "$K$")]
    fig, (ax,) = plots.figure(5, 2.8)
    pictures.draw_graph(ax, nodes, edges, plates)
    names = list(nodes)
    arrows = np.array([[names.index(parent), names.index(child)] for parent, child in edges])
    return fig, GRAPH, {"edges": arrows}


PRICES = """Two panels of prices over a, in units of log N: the empty component's is flat at 0,
the mixed duplicate's falls and crosses it at 2.5, the black-and-white duplicate's falls in
parallel. At b = 0.2 it lies below the mixed one and crosses 0 at 1.3. At b = 0.9 it lies above. A
thick band follows the lowest line."""


def price_lines():
    """Prices of the three offers over a, for a small and a large b."""
    fig, axes = plots.figure(8, 3.3, ncols=2, sharey=True)
    a = np.linspace(0, 5, 101)
    for ax, b in zip(axes, (0.2, 0.9), strict=True):
        prices = [limit_price(kind, a, b) for kind in ("empty", "deterministic", "interior")]
        ax.plot(a, np.min(prices, axis=0), color="#FFE08A", lw=9, ls="-", solid_capstyle="butt")
        for price, k in zip(prices, (6, 1, 0), strict=True):
            ax.plot(a, price, color=plots.COLOURS[k], ls=plots.LINES[(6, 1, 0).index(k)])
        ax.set(title=f"$b = {b}$", xlabel="$a$", xlim=(0, 5))
    axes[0].set_ylabel(r"price in units of $\log N$")
    words = (
        ("empty", (0.1, -0.5), 6),
        ("mixed", (2.0, 0.9), 0),
        ("black-and-white", (0.1, -2.2), 1),
    )
    for name, place, k in words:
        axes[0].text(*place, name, color=plots.COLOURS[k])
    words = (
        ("empty", (0.1, -0.5), 6),
        ("mixed", (0.4, 0.6), 0),
        ("black-and-white", (1.4, 3.2), 1),
    )
    for name, place, k in words:
        axes[1].text(*place, name, color=plots.COLOURS[k])
    return plots.show(fig, PRICES)


GROWTH = """F minus N S against N on a logarithmic scale, for three settings. Each set of measured
points lies on a straight line of the slope that the formula gives."""


def growth_picture(totals, curves):
    """F - N S as measured, and lines of the predicted slopes; curves: name -> (values, slope)."""
    fig, (ax,) = plots.figure(7, 3.4)
    numbered = {name: (*pair, k) for k, (name, pair) in enumerate(curves.items())}
    pictures.draw_growth(ax, totals, numbered)
    return plots.show(fig, GROWTH)


DIAGRAM = """Left: the measured growth exponent of the smallest component over the plane of a and
b for truth B. It is 0 in the region named empty and 1 in the two regions of duplicates, whose
borders lie a little to the right of the white lines of the theory. Right: for truth A, without a
deterministic component, the triangle below the slanted line has the exponent one half."""


def exponents(truth: str, points: int):
    """Growth exponents (A, B) of the smallest component, from N = 10^6 to 10^8, and a, b."""
    a = (np.arange(points) + 0.5) * A_MAX / points
    b = (np.arange(points) + 0.5) * B_MAX / points
    smallest = []
    for total in (1e6, 1e8):
        _, starts = structured_starts(TRUTHS[truth], 3, total)
        counts = total * TRUTHS[truth].probabilities()
        S = diagram(counts, starts, a, b, max_iterations=500).S
        smallest.append(np.maximum(S[..., 0].min(axis=-1), 1e-3))
    return np.log(smallest[1] / smallest[0]) / np.log(100), a, b


def figure_5_1(found, a, b):
    """The phase diagram as measured, beside the lines of the theory; found: truth -> exponents."""
    fig, axes = plots.figure(8, 3.6, ncols=2, sharey=True)
    for ax, truth in zip(axes, "BA", strict=True):
        style = {"vmin": 0, "vmax": 1, "cmap": "cividis", "shading": "nearest", "rasterized": True}
        mesh = ax.pcolormesh(a, b, found[truth].T, **style)
        pictures.draw_lines(ax, truth, "white", names=False)
        words = "two mixed kinds" if truth == "A" else "mixed and decided kind"
        ax.set_title(f"truth {truth}: {words}")
    for x, y, words in ((1.1, 0.85, "empty"), (4.3, 0.9, "mixed\nduplicate")):
        axes[0].text(x, y, words, ha="center", va="center", color="white" if x < 2 else "black")
    axes[0].text(4.2, 0.2, "black-and-white\nduplicate", ha="center", va="center")
    axes[1].set_ylabel("")
    bar = fig.colorbar(mesh, ax=axes[1], ticks=[0, 0.5, 1])
    bar.set_label("smallest component grows as")
    bar.ax.set_yticklabels(["$N^0$", r"$\sqrt{N}$", "$N$"])
    return fig, DIAGRAM


STRIPS = """Left: the two kinds of people as two rows of four squares. Right: two panels of
columns of small rows of four squares, one column for each value of b, one row for each of a
hundred runs, best run on top. At a = 3 the upper rows are black and white for small b and turn to
shades of grey for larger b. At a = 1.5 they are black and white only for the smallest b; from
there on most rows are hatched, which means an empty component."""


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


def figure_5_3(strips, b):
    """The truth, and the redundant components; strips: a -> (means (B, n, M), counts (B, n))."""
    ratios = {"width_ratios": [0.75, 2, 2]}
    fig, (left, *axes) = plots.figure(9, 4.2, ncols=3, **ratios)
    means = TRUTHS["B"].means
    tiles = np.insert(means, 1, np.full(4, np.nan), axis=0)
    left.imshow(np.ma.masked_invalid(tiles), cmap="gray", vmin=0, vmax=1, aspect="auto")
    left.set_yticks([0, 2], ["600", "400"])
    left.set_xticks(range(4), range(1, 5))
    left.set(title="truth", facecolor="#8FB8D8", xlabel="question")
    for ax, (a, (means, sizes)) in zip(axes, strips.items(), strict=True):
        pictures.draw_strips(ax, means, b, empty=sizes < 1)
        ax.set_title(f"redundant component, $a = {a:g}$")
    axes[0].set_ylabel("runs, lowest $F$ on top")
    return fig, STRIPS
