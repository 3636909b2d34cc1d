"""Lecture 11c, "How many hidden causes move ten gauges?": explorer and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.course import Explorer, select_slider
from vbkit.course.gauges import GAUGES, STRONG, first_columns, gauges, left, sweep

KNOWN = plots.COLOURS[0]
OFFERED = 8

# ---- the explorer --------------------------------------------------------------------

SEED = 11  # of the explorer's tables
DAYS = 400
THIRDS = (0.0, 0.5, 1.0, 2.0)
SWEEPS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 40, 50, 70, 100)


class Lives(NamedTuple):
    """The eight columns over SWEEPS, or the first of them."""

    lengths: np.ndarray  # (sweeps, OFFERED)
    left: list[int]  # how many columns are not empty after each


@cache
def lives(third: float) -> Lives:
    """Return the lives of the columns in the explorer's table of DAYS days."""
    X = gauges(np.random.default_rng(SEED), DAYS, third)
    A, cov_A = first_columns(X, OFFERED)
    lengths = []
    not_empty = []
    for done in range(SWEEPS[-1] + 1):
        if done in SWEEPS:
            lengths.append(np.linalg.norm(A, axis=0))
            not_empty.append(left(A))
        A, cov_A = sweep(X, A, cov_A)
    return Lives(np.array(lengths), not_empty)


class EightColumns(Explorer):
    """The length of each of eight columns over the sweeps, on a stretched axis: a heavy
    blue line if the column is not empty now, and else a thin grey one. Dotted lines
    show the lengths of the true causes.
    """

    title = "Eight columns for ten gauges"
    size = (7.0, 3.4)
    computes_ahead = True
    sweep = select_slider("Sweeps", SWEEPS, 0, play=300)
    third = select_slider("Length of the third cause", THIRDS, 2.0)

    def compute(self, sweep, third):
        whole = lives(third)
        shown = SWEEPS.index(sweep) + 1
        return Lives(whole.lengths[:shown], whole.left[:shown])

    def frame(self, figure):
        axes = figure.subplots()
        for length in STRONG:
            axes.axhline(length, color="black", ls=":", lw=1.2)
        axes.text(
            120, 4.5, "dotted: lengths of the true causes", ha="right", va="bottom"
        )
        axes.set(xscale="log", xlim=(0.9, 130), xlabel="sweeps (axis stretched)")
        axes.set(ylim=(-0.1, 5), ylabel="length of a column")
        marks = (0, 1, 2, 4, 8, 16, 30, 100)  # one to the right, so that 0 can be seen
        axes.set_xticks([mark + 1 for mark in marks], marks)
        axes.minorticks_off()
        return axes

    def draw(self, panels, columns, now):
        (panel,) = panels
        after = np.array(SWEEPS[: len(columns.lengths)]) + 1
        by_length = np.argsort(-columns.lengths[-1], kind="stable")
        for place, h in enumerate(by_length):
            not_empty = place < columns.left[-1]
            colour = KNOWN if not_empty else plots.GREY
            width = 2.0 if not_empty else 1.0
            panel.line(after, columns.lengths[:, h], color=colour, lw=width)
            panel.line(
                after[-1:], columns.lengths[-1:, h], color=colour, marker="o", ms=4
            )
        level = [now.third, now.third]
        panel.line([0.9, 130], level, color="black", ls=":", lw=1.2)

    def say(self, columns, now):
        return f"{columns.left[-1]} of {OFFERED} columns are not empty."


# ---- a column whose cause is known ---------------------------------------------------


def one_sweep(prior, length, N, D):
    """Return the length that VB keeps of a column, and the next prior variance of its
    loadings, for a cause that is known on N days with mean square 1; `length` is that of
    the column that fits the D gauges best, `prior` the prior variance so far."""
    share = N * prior / (N * prior + 1)
    kept = share * length
    variance = prior / (N * prior + 1)
    return kept, kept**2 / D + variance


def picture_of_useless_causes(squares) -> plots.Picture:
    """Draw a histogram of N times the squared length of the best column of a useless cause,
    in many tables (tables,), and the threshold."""
    fig, (ax,) = plots.figure(7.5, 2.8)
    edges = np.arange(0, 36, 2)
    low = squares[squares <= GAUGES]
    high = squares[squares > GAUGES]
    ax.hist(low, edges, color=plots.GREY, edgecolor="white")
    ax.hist(high, edges, color=KNOWN, edgecolor="white")
    ax.axvline(GAUGES, color="black", ls=":")
    top = ax.get_ylim()[1]
    ax.text(9.6, 1.06 * top, "emptied", color=plots.GREY, ha="right")
    ax.text(10.4, 1.06 * top, "not emptied", color=KNOWN)
    ax.set(xlabel=r"$N\hat{\ell}^2$ of a useless cause", ylabel="tables", xlim=(0, 34))
    ax.set(ylim=(0, 1.2 * top))
    share = 100 * len(high) / len(squares)
    alt = f"""A histogram of N times the squared length of the best column, for known causes
    that move nothing. It has its centre near the threshold of ten, which is dotted.
    {share:.0f} per cent of the tables lie above, where the column is not emptied."""
    return plots.Picture(fig, alt)


def picture_of_singular_values(values, edge: float) -> plots.Picture:
    """Draw the singular values (D,) of a table, and the edge of noise."""
    fig, (ax,) = plots.figure(7.5, 2.6)
    numbers = np.arange(1, len(values) + 1)
    above = values > edge
    ax.plot(numbers[above], values[above], "o", color=KNOWN, ms=8)
    ax.plot(numbers[~above], values[~above], "o", color=plots.GREY, ms=8)
    ax.axhline(edge, color="black", ls=":")
    ax.text(len(values), edge + 2, r"$\sqrt{N}+\sqrt{D}$", ha="right")
    ax.set(ylim=(0, 95), xticks=numbers)
    ax.set(xlabel="singular value of the table, by size", ylabel="size")
    shown = ", ".join(f"{value:.1f}" for value in values)
    alt = f"""The singular values of the table, by size: {shown}. A dotted line at
    {edge:.1f} is the local threshold and the edge of pure noise."""
    return plots.Picture(fig, alt)
