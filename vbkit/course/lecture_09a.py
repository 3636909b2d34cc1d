"""Lecture 09a, "Which prior finds a small group?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import betaln

from vbkit import plots
from vbkit.course import Explorer, log_slider, select_slider
from vbkit.course.lecture_08b import STUDENTS, kinds_of_students
from vbkit.course.minority import N_COMPONENTS, PEOPLE, TRIALS, prices, smallest_group
from vbkit.course.people import SHEETS, states_of
from vbkit.course.thousand_people import (
    QUESTIONS,
    draw_groups,
    draw_rows,
    find,
    frame_of_rows,
)
from vbkit.phases import first_of_the_lowest, solve

APART = plots.COLOURS[0]
INSIDE = plots.COLOURS[1]


# ---- explorers -----------------------------------------------------------------------

ALPHAS = (0.01, 0.1, 1.0, 10.0)
BETAS = (0.01, 0.1, 0.3, 1.0, 5.0)


class TenPeople(Explorer):
    """Left: the three groups of people as rows of five squares, one for each question,
    white where a yes is probable, with the number of people beside them; an orange frame
    marks the ten. Right: the components that VB uses, in the same way, by falling size. An
    orange frame marks the component that belongs to the ten, if there is one.
    """

    title = "A thousand people, ten components"
    size = (8.0, 3.8)
    computes_ahead = True
    alpha = select_slider("Concentration α", ALPHAS, 10.0)
    beta = select_slider("Pseudo-count β", BETAS, 5.0)

    def compute(self, alpha, beta):
        return find(alpha, beta)

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        frame_of_rows(left, "The people")
        frame_of_rows(right, "What VB finds")
        draw_groups(left)
        return left, right

    def draw(self, panels, found, now):
        _, right = panels
        draw_rows(right, found)

    def say(self, found, now):
        ending = ""
        if found.own is not None:
            ending = " One of them belongs to the ten people."
        return (
            f"α = {now.alpha:g}, β = {now.beta:g}: {len(found.counts)} of {N_COMPONENTS} "
            f"components are used.{ending}"
        )


class Prices(NamedTuple):
    """The price for each of n identical people, and the least n that pay for a component."""

    apart: np.ndarray  # (99,), nats for n = 1, 2, ..., 99
    inside: np.ndarray
    least: int  # 100 if it is not below


class PriceOfAGroup(Explorer):
    """The price in nats for each person against the number of people who answer alike, on a
    logarithmic scale: a blue line for a component of their own, an orange dashed one for
    staying inside a large component. A black dot marks the smallest group for which apart
    is cheaper.
    """

    title = "Apart or inside?"
    size = (7.6, 3.3)
    alpha = log_slider("Concentration α", 0.01, 10, 1.0, 4)
    beta = log_slider("Pseudo-count β", 0.001, 10, 10.0, 4)

    def compute(self, alpha, beta):
        apart, inside = prices(PEOPLE, alpha, beta, QUESTIONS)
        least = smallest_group(alpha, beta, QUESTIONS)
        return Prices(apart / PEOPLE, inside / PEOPLE, least)

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlabel="people in the group", ylabel="nats for each person")
        axes.set(xscale="log", xlim=(1, 99), ylim=(0, 19), yticks=[0, 5, 10, 15])
        axes.set_xticks([1, 2, 5, 10, 20, 50], [1, 2, 5, 10, 20, 50])
        axes.minorticks_off()
        for height, words, colour in (
            (17, "solid: apart, in a component", APART),
            (15, "dashed: inside a large one", INSIDE),
        ):
            axes.text(95, height, words, color=colour, ha="right", zorder=0.5)
        return axes

    def draw(self, panels, each, now):
        (panel,) = panels
        panel.line(PEOPLE, each.apart, color=APART, lw=2.4)
        panel.line(PEOPLE, each.inside, color=INSIDE, ls="--", lw=2.4)
        at = slice(each.least - 1, each.least)
        panel.points(PEOPLE[at], each.apart[at], color="black", ms=9)

    def say(self, each, now):
        least = each.least
        size = f"from {least} people on" if least < 100 else "for no group below 100"
        apart = 10 * each.apart[9]
        inside = 10 * each.inside[9]
        return (
            f"Apart is cheaper {size}. Ten people cost {apart:.1f} nats apart and "
            f"{inside:.1f} inside."
        )


# ---- pictures ------------------------------------------------------------------------


def price_of_alike(n, beta: float):
    """Return the price in nats of n people who answer one question alike."""
    return betaln(beta, beta) - betaln(beta + n, beta)


def picture_of_answers() -> plots.Picture:
    """Draw the price of people who answer one question alike, for three pseudo-counts."""
    n = np.arange(0, 11)
    fig, (ax,) = plots.figure(8, 3)
    for k, beta in enumerate((0.1, 1, 10)):
        price = price_of_alike(n, beta)
        ax.plot(n, price, **plots.line_style(k, True, ms=4))
        name = rf"$\beta$ = {beta:g}"
        plots.label_line(ax, n, price, name, colour=plots.COLOURS[k], offset=(6, 0))
    ax.set(xlim=(0, 11.5), ylim=(0, 6), xlabel="people who answer alike")
    ax.set(ylabel="price of one question (nats)", xticks=range(0, 11, 2))
    alt = """The price in nats against the number of people who give the same answer to one
    question. All three lines begin with 0.69 nats for the first person. With the
    pseudo-count 0.1 the line is nearly level from there on, with 10 it rises by nearly as
    much for each further person, and with 1 it lies between."""
    return plots.Picture(fig, alt)


# ---- 319 students, and as many who never were ----------------------------------------


@cache
def two_kinds() -> np.ndarray:
    """Return how many of 319 students hand in each sheet as each of the two kinds that VB
    reports at alpha = 0.5 and beta = 1, on average, (16, 2)."""
    two = kinds_of_students(0.5, 1.0)
    means = two.answers[:, ::-1]  # the engine's order of questions
    each = np.exp(SHEETS @ np.log(means).T + (1 - SHEETS) @ np.log(1 - means).T)
    each = each * two.counts
    return STUDENTS.sum() * each / each.sum()


@cache
def random_labels() -> np.ndarray:
    """Return forty random divisions of the sixteen sheets among four kinds (40, 16, 4)."""
    rng = np.random.default_rng(1)
    labels = [rng.dirichlet(np.full(4, spread), size=(20, 16)) for spread in (1.0, 0.1)]
    return np.concatenate(labels)


@cache
def kinds_reported(alpha: float, beta: float, seed: int) -> np.ndarray:
    """Return how many kinds VB reports in each of a hundred tables of 319 students, drawn
    from two kinds with a seed, (100,)."""
    rng = np.random.default_rng(seed)
    probabilities = two_kinds().sum(axis=1) / STUDENTS.sum()
    tables = rng.multinomial(int(STUDENTS.sum()), probabilities, size=TRIALS)
    numbers = []
    for table in tables.astype(float):
        starts = states_of(random_labels(), table)
        ends = solve(table, starts, alpha, beta, max_iterations=1000, tolerance=1e-8)
        S = ends.S[first_of_the_lowest(ends.free_energy)]
        numbers.append(int((S[:, 0] > 1).sum()))
    return np.array(numbers)


def picture_of_no_group(seed: int) -> plots.Picture:
    """Draw how many kinds are reported where there are two, for two priors, in tables that
    are drawn with a seed."""
    fig, axes = plots.figure(8, 2.8, ncols=2, sharey=True)
    words = []
    for ax, (alpha, beta) in zip(axes, [(0.5, 1.0), (1.0, 0.1)], strict=True):
        numbers = np.bincount(kinds_reported(alpha, beta, seed), minlength=5)[1:]
        colours = [plots.GREY, plots.COLOURS[0], plots.GREY, plots.GREY]
        ax.bar_label(ax.bar(range(1, 5), numbers, color=colours))
        ax.set(xlabel="kinds reported", ylim=(0, 112), xticks=range(1, 5))
        ax.set_title(rf"$\alpha$ = {alpha:g}, $\beta$ = {beta:g}")
        words.append(", ".join(f"{n} with {k}" for k, n in enumerate(numbers, start=1)))
    axes[0].set_ylabel("of 100 made-up tables")
    alt = f"""Bars: how many of a hundred tables, made up of two kinds of students, are
    reported with one, two, three or four kinds. At the first prior {words[0]}; at the
    second {words[1]}."""
    return plots.Picture(fig, alt)
