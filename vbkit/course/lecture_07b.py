"""Lecture 07b, "How many columns does a table need?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.course import Explorer, select_slider, slider
from vbkit.course.tables import (
    FILMS,
    OFFERED,
    PEOPLE,
    Posterior,
    draw_entries,
    ratings,
    say_entries,
    start,
    sweeps,
)

SEED = 7  # of the table that the explorers show
START = 1  # of the random numbers from which its sweeps start
LAST = 1000  # sweeps
STOPS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, LAST)
NOISES = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)  # standard deviations
IN_USE = 0.01  # a column that ends with less strength is emptied
COLOUR = plots.COLOURS[0]
EMPTIED = "#888888"
TOTAL = plots.COLOURS[1]


# ---- 1. each further column lowers the misfit ----------------------------------------


class Leftover(NamedTuple):
    """What the best products of few columns leave of a table."""

    tables: np.ndarray  # (7, 20, 30): V less the best product of 0, 1, ..., 6 columns
    misfits: np.ndarray  # (7,), mean squares of these
    noise: float  # mean square of the noise that is in V


def leftover(seed: int) -> Leftover:
    """Return what the best products leave of a table with noise of variance 1."""
    drawn = ratings(seed)
    V = drawn.product + drawn.noise
    U, d, W = np.linalg.svd(V, full_matrices=False)
    tables = []
    for columns in range(OFFERED + 1):
        product = (U[:, :columns] * d[:columns]) @ W[:columns]
        tables.append(V - product)
    tables = np.array(tables)
    misfits = (tables**2).mean(axis=(1, 2))
    return Leftover(tables, misfits, float((drawn.noise**2).mean()))


class OneColumnMore(Explorer):
    """Left: a table of 20 people and 30 films in colours, less the product that comes
    nearest to it with so many columns. Right: the mean square of what is left, against the
    number of columns so far, and a dotted line at the mean square of the noise.
    """

    title = "One column more for a table of 20 people and 30 films"
    size = (9.0, 3.9)
    columns = slider("Columns", 0, OFFERED, 0)

    def compute(self):
        return leftover(SEED)

    def frame(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1.45, 1])
        left.set(xticks=[], yticks=[], xlabel="films", ylabel="people")
        left.set_title("What is left of the table")
        image = draw_entries(left, np.zeros((PEOPLE, FILMS)), top=5)
        figure.colorbar(image, ax=left, shrink=0.8, label="rating, from the average")
        image.remove()
        right.set(xlim=(-0.3, OFFERED + 0.3), ylim=(0, 3.4), xlabel="columns")
        right.set_title("Mean square of what is left")
        noise = leftover(SEED).noise
        right.axhline(noise, color="black", ls=":", lw=1.2)
        right.annotate("noise", (0, noise), xytext=(0, 4), textcoords="offset points")
        return left, right

    def draw(self, panels, left_over, now):
        left, right = panels
        say_entries(left, left_over.tables[now.columns], top=5)
        so_far = np.arange(now.columns + 1)
        right.line(so_far, left_over.misfits[: now.columns + 1], marker="o", ms=7)

    def say(self, left_over, now):
        return (
            f"Columns: {now.columns}. Mean square of what is left: "
            f"{left_over.misfits[now.columns]:.2f}; of the noise: {left_over.noise:.2f}."
        )


# ---- 2. six columns, sweep by sweep --------------------------------------------------


class Path(NamedTuple):
    """Six columns of a table, sweep by sweep, the strongest at the end first."""

    strengths: np.ndarray  # (1001, 6), after 0, 1, ..., 1000 sweeps
    B: dict[int, np.ndarray]  # the numbers of the people (20, 6) at each of the STOPS


def in_use(strengths) -> int:
    """Return how many columns have more than a hundredth of strength."""
    return int(np.sum(strengths > IN_USE))


@cache
def path(noise: float) -> Path:
    """Return the Path of six columns offered, for noise of this standard deviation."""
    drawn = ratings(SEED)
    V = drawn.product + noise * drawn.noise
    states: list[Posterior] = sweeps(V, start(V, OFFERED, START), noise**2, LAST)
    strengths = np.array([state.strengths for state in states])
    order = np.argsort(-strengths[-1])
    B = {stop: states[stop].B[:, order] for stop in STOPS}
    return Path(strengths[:, order], B)


def law(noise: float) -> np.ndarray:
    """Return the strength (1000,) of an emptied column after 1, 2, ... sweeps."""
    return noise**2 / ((PEOPLE + FILMS) * np.arange(1, LAST + 1))


class SixColumns(Explorer):
    """Left: the numbers of 20 people, a row for each, in six columns, as colours. Right:
    the strength of each column, up to a black dot at the present sweep, both axes
    logarithmic; thick and blue if the column is in use now, thin and grey if it is emptied.
    A dotted line falls like one over the number of sweeps.
    """

    title = "Six columns offered to a table of rank three"
    size = (9.0, 4.0)
    computes_ahead = True
    stop = select_slider("Sweep", STOPS, 1, play=500)
    noise = select_slider("Standard deviation of the noise", NOISES, 1.0)

    def compute(self, noise):
        return path(noise)

    def frame(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1, 2.3])
        left.set(xticks=range(OFFERED), xticklabels=range(1, OFFERED + 1))
        left.set(yticks=[], xlabel="column", ylabel="people")
        left.set_title(r"Their numbers $\hat B$")
        right.set(xscale="log", yscale="log", xlim=(0.8, 1300), ylim=(3e-6, 5))
        right.set(xlabel="sweep", ylabel=r"strength $c_a^2c_b^2$")
        right.set_title("Strength of each column")
        return left, right

    def draw(self, panels, path, now):
        left, right = panels
        say_entries(left, path.B[now.stop], top=2.5)
        swept = np.arange(1, now.stop + 1)
        right.line(swept, law(now.noise)[: now.stop], color="black", ls=":", lw=1.2)
        used = path.strengths[now.stop] > IN_USE
        for column in range(OFFERED):
            colour = COLOUR if used[column] else EMPTIED
            width = 2.4 if used[column] else 1.2
            so_far = path.strengths[1 : now.stop + 1, column]
            right.line(swept, so_far, color=colour, lw=width)
        ends = np.full(OFFERED, now.stop)
        right.points(ends, path.strengths[now.stop], color="black", ms=5)

    def say(self, path, now):
        number = in_use(path.strengths[now.stop])
        weakest = path.strengths[now.stop].min()
        return (
            f"Sweep {now.stop}. Columns in use: {number} of {OFFERED}; strength of the "
            f"weakest: {weakest:.6f}."
        )


# ---- pictures ------------------------------------------------------------------------


def picture_of_table(B, A, V) -> plots.Picture:
    """Draw B (L, H), A (M, H) transposed, their product, and the table V (L, M)."""
    tables = {"$B$": B, r"$A^\top$": A.T, r"$BA^\top$": B @ A.T, "$V$": V}
    widths = [8, 30, 30, 30]
    fig, axes = plots.figure(9, 2.4, ncols=4, width_ratios=widths)
    for ax, (name, table) in zip(axes, tables.items(), strict=True):
        image = draw_entries(ax, table, top=4)
        ax.set(xticks=[], yticks=[], xlabel="films", ylabel="people")
        ax.set_title(name, loc="center")
    axes[0].set(aspect="auto", xlabel="numbers")
    axes[1].set(aspect=8 / 3, ylabel="numbers")
    fig.colorbar(image, ax=axes[3], shrink=0.9)
    alt = f"""Four tables in colours, on one scale: {len(B)} people with {B.shape[1]} numbers
    each, as rows; {len(A)} films, as columns, with as many; their product; and the product
    with noise, which is the table that is given."""
    return plots.Picture(fig, alt)


def picture_of_prior(mean_square: float) -> plots.Picture:
    """Draw the part of F that contains the prior variance of one number."""
    variance = np.linspace(0.5, 6, 400)
    cost = cost_of_prior(variance, mean_square)
    fig, (ax,) = plots.figure(7.5, 2.6)
    ax.plot(variance, cost, color=COLOUR)
    best = cost_of_prior(mean_square, mean_square)
    ax.plot(mean_square, best, "o", color="black", ms=8)
    plots.label_line(ax, [mean_square], [best], f"{mean_square:.2f}", offset=(0, 14))
    for other in (1.0, 4.0):
        ax.plot(other, cost_of_prior(other, mean_square), "o", color=TOTAL)
    ax.set(xlabel="prior variance $c_b^2$", ylabel="nats", ylim=(0.7, 1.4))
    ax.set_title("What the prior variance of one number adds to F")
    alt = f"""A curve over prior variances from 0.5 to 6: it falls steeply, is lowest at
    {mean_square:.2f}, and rises slowly from there on."""
    return plots.Picture(fig, alt)


def cost_of_prior(variance, mean_square: float):
    """Return (log c^2 + E[b^2] / c^2) / 2, in nats."""
    return (np.log(variance) + mean_square / variance) / 2
