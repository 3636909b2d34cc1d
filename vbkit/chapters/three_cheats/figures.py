"""Figures of chapter 08b, with their alternative texts."""

import numpy as np

from vbkit import plots
from vbkit.chapters.bernoulli import pictures
from vbkit.chapters.three_cheats.example import free_energy_of_ties
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.theory import predict, theorem

PUZZLE = """Two rows of four squares in shades of grey, 500 people each, with the numbers 0.2,
0.3, 0.8, 0.7 and 0.8, 0.7, 0.3, 0.2. A third row of four question marks."""


def puzzle():
    """Two mixed kinds of people, nobody decided."""
    fig, (ax,) = plots.figure(5.4, 2.4)
    pictures.draw_people(ax, TRUTHS["A"].means, ("500 people", "500 people"))
    return plots.show(fig, PUZZLE)


SURFACE = """Left: a surface over a and b, piecewise flat, with kinks along three half-lines that
meet. Right: the coefficient against a at b = 0.2 and 0.9 for M = 4. Measured points lie on the
solid lines of the general formula; at b = 0.9 the theorem, dotted, is too high by 0.8."""


def figure_5_2(a, measured):
    """The coefficient of log N; measured: b -> coefficients (n,) at a (n,). Also the arrays."""
    aa, bb = np.linspace(0.05, 4, 60), np.linspace(0.02, 1.2, 60)
    surface = np.array([[theorem(3, 3, 1, 1, x, y).coefficient for y in bb] for x in aa])
    fig = plots.Figure(figsize=(8.6, 3.9), layout="constrained")
    ax = fig.add_subplot(1, 2, 1, projection="3d")
    mesh = np.meshgrid(aa, bb, indexing="ij")
    ax.plot_surface(*mesh, surface, cmap="cividis", linewidth=0, rcount=60, ccount=60)
    title = r"coefficient of $\log N$, theorem, $M = 3$"
    ax.set(xlabel="$a$", ylabel="$b$", title=title)
    ax.view_init(28, -130)
    side = fig.add_subplot(1, 2, 2)
    line = np.linspace(0.1, 5, 99)
    for k, (b, dots) in enumerate(measured.items()):
        stated = [theorem(4, 3, 1, 1, x, b).coefficient for x in line]
        general = [predict(4, 3, 1, 1, x, b).coefficient for x in line]
        side.plot(line, stated, color=plots.COLOURS[k], ls=":", lw=2.2)
        side.plot(line, general, color=plots.COLOURS[k], ls="-")
        side.plot(a, dots, plots.MARKERS[k], color=plots.COLOURS[k])
        offset = {"colour": plots.COLOURS[k], "offset": (-6, -14 if k else 12)}
        plots.label_line(side, a, dots, f"$b = {b}$", **offset)
    side.set(xlabel="$a$", title="measured, $M = 4$, truth B", xlim=(0, 5.2))
    side.set_ylabel(r"coefficient of $\log N$")
    return fig, SURFACE, {"a": aa, "b": bb, "surface": surface}


THREE = """Three columns of three squares, white for probability 1: weights 0.4, 0.4 and 0.2 with
the patterns 110, 011 and 010."""
TWO = """Three columns of squares: weight 0.6 with probabilities 2/3, 1 and 0; weight 0.4 with
pattern 011; weight 0 with zeros."""


def figure_3(weights, means):
    """A reading of the example with two or three clusters: figure, words and arrays."""
    fig, (ax,) = plots.figure(4.2, 2.6)
    pictures.draw_probabilities(ax, weights, means)
    arrays = {"weights": np.asarray(weights, float), "means": np.asarray(means, float)}
    return fig, THREE if weights[2] else TWO, arrays


TIES = """Two panels of the free energy along the ties for N of 100, 10 thousand and a million. It
rises from both ends to a hump. For a = 1, b = 0.1 it climbs steadily from the end of three clusters
and falls, by about one nat only, just before the end of two. For a = b = 0.3 the hump is in
between, and the end of two clusters lies far below that of three, more so for larger N."""


def ties_picture():
    """F along the parameters that maximize the likelihood, at two priors."""
    odds = np.linspace(-9, 9, 361)  # log10 of s / (1 - s)
    fig, axes = plots.figure(8.4, 3.2, ncols=2, sharey=True)
    for ax, (a, b) in zip(axes, ((1.0, 0.1), (0.3, 0.3)), strict=True):
        for k, power in enumerate((2, 4, 6)):
            F = free_energy_of_ties(a, b, 10.0**power, 1 / (1 + 10.0**-odds))
            F -= free_energy_of_ties(a, b, 10.0**power, 0.0)
            plots.draw_curve(ax, odds, F, f"$10^{power}$" if a == 1 else "", k)
        ax.axhline(0, color=plots.GREY, lw=1)
        ax.set(title=f"$a = {a:g}$, $b = {b:g}$", xlabel="share $s$ of 010 that joins 110")
        ax.set(xlim=(-9, 9))
        ax.set_xticks([-6, 0, 6], ["$10^{-6}$", "1/2", "$1-10^{-6}$"])
    axes[0].set_ylabel("$F$, less that of\nthree clusters (nats)")
    return plots.show(fig, TIES)
