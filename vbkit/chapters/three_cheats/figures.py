"""Figures of chapter 08c, with their alternative texts."""

import numpy as np

from vbkit import plots
from vbkit.chapters.bernoulli import phases, pictures
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.theory import phase_lines, predict, theorem

PUZZLE = """Two rows of four squares in shades of grey, 500 people each, with the numbers 0.2,
0.3, 0.8, 0.7 and 0.8, 0.7, 0.3, 0.2. A third row of four question marks."""


def puzzle() -> plots.Picture:
    """Two mixed kinds of people, nobody decided."""
    fig, (ax,) = plots.figure(5.4, 2.4)
    pictures.draw_people(ax, TRUTHS["A"].means, ("500 people", "500 people"))
    return plots.Picture(fig, PUZZLE)


def _people(n: float) -> str:
    return "1 person" if round(n) == 1 else f"{n:,.0f} people"


def found(truth, a, b, total) -> plots.Picture:
    """The three components that VB finds in ideal counts of `total` people."""
    S = phases.lowest_minimum(truth, 3, total, a, b)[0]
    means, names = phases.mean_answers(S, b), [_people(n) for n in S[:, 0]]
    fig, (ax,) = plots.figure(5.4, 2.1)
    pictures.draw_people(ax, means, names, unknown="")
    pairs = zip(names, means, strict=True)
    rows = [f"{name} with {', '.join(f'{x:.2f}' for x in row)}" for name, row in pairs]
    return plots.Picture(
        fig, f"Three rows of four squares in shades of grey: {'; '.join(rows)}."
    )


SURFACE = """Left: labelled contours over a and b, with kinks along three dashed lines that meet.
Right: the coefficient against a at b = 0.2 and 0.9 for M = 4. Measured points lie on the solid
lines of the general formula; at b = 0.9 the theorem, dotted, is too high by 0.8."""


def figure_5_2(a, measured) -> plots.Picture:
    """Draw the coefficient of log N (Kaji 2011, Figure 5.2).

    measured: b -> coefficients (n,) at a (n,).
    """
    aa, bb = np.linspace(0.05, 4, 60), np.linspace(0.02, 1.2, 60)
    surface = np.array(
        [[theorem(3, 3, 1, 1, x, y).coefficient for y in bb] for x in aa]
    )
    fig, (ax, side) = plots.figure(8.6, 3.7, ncols=2)
    lines = ax.contour(aa, bb, surface.T, 12, cmap="cividis", linewidths=1.6)
    ax.clabel(lines, lines.levels[::2], fontsize=9)
    for ends in phase_lines(3, 1, 1, aa[-1], bb[-1]).values():
        ax.plot(*ends.T, color="black", ls="--", lw=1.2)
    title = r"coefficient of $\log N$, theorem, $M = 3$"
    ax.set(xlabel="$a$", ylabel="$b$", title=title, xlim=(0, 4), ylim=(0, 1.2))
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
    return plots.Picture(fig, SURFACE, {"a": aa, "b": bb, "surface": surface})


THREE = """Three columns of three squares, white for probability 1: weights 0.4, 0.4 and 0.2 with
the patterns 110, 011 and 010."""
TWO = """Three columns of squares: weight 0.6 with probabilities 2/3, 1 and 0; weight 0.4 with
pattern 011; weight 0 with zeros."""


def figure_3(weights, means) -> plots.Picture:
    """Draw a reading of the example with two or three clusters (Kaji 2011, Figures 3.2, 3.3)."""
    fig, (ax,) = plots.figure(4.2, 2.6)
    pictures.draw_probabilities(ax, weights, means)
    arrays = {"weights": np.asarray(weights, float), "means": np.asarray(means, float)}
    alt = THREE if weights[2] else TWO
    return plots.Picture(fig, alt, arrays)
