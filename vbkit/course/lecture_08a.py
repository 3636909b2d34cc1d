"""Lecture 08a, "What does one component too many cost?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from matplotlib.patches import Rectangle
from scipy.special import xlogy

from vbkit import plots
from vbkit.course import Explorer, slider
from vbkit.course.people import (
    DETERMINISTIC,
    MIXED,
    OFFERED,
    OUTCOMES,
    QUESTIONS,
    SHARES,
    Division,
    End,
    Group,
    Prices,
    exact_prices,
    lowest_end,
    lowest_ends,
    slopes,
)

EXACT = plots.COLOURS[0]
PEOPLE = 1000.0
PSEUDO_COUNT = 0.1  # beta in sections 1, 3 and 4
CONCENTRATIONS = np.arange(2, 41) / 10
# The zorder of words that stand still: those above what moves are drawn each time.
BELOW = 0.5
HEADS = [f"question {number + 1}" for number in range(QUESTIONS)]


# ---- rows of squares, one for each question -----------------------------------------


def frame_of_rows(axes, number: int, heads=HEADS):
    """Lay out axes for so many rows of squares, with the questions' heads above them."""
    axes.set(xlim=(-1.35, QUESTIONS), ylim=(number, -0.45), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    for question, words in enumerate(heads):
        axes.text(question + 0.47, -0.2, words, ha="center", size=9, zorder=BELOW)


def square(column: int, row: int):
    """Return how to make the square of a question in a row."""

    def make(axes):
        place = (column, row + 0.05)
        return axes.add_patch(Rectangle(place, 0.94, 0.86, ec="black", lw=0.8))

    return make


def write_in_square(axes, column: int, row: int, value: float, words: str, size=11):
    """Write words in the middle of a square, white if its probability makes it dark.

    axes: an Axes, or a Panel.
    """
    colour = "white" if value < 0.5 else "black"
    axes.text(
        column + 0.47,
        row + 0.5,
        words,
        ha="center",
        va="center",
        color=colour,
        size=size,
    )


def hatched_cover(place, width: float, height: float) -> Rectangle:
    """Return the hatched cover of a component that holds nobody."""
    return Rectangle(place, width, height, fc="#CCCCCC", ec="white", hatch="xx", lw=0)


def draw_row(panel, row: int, answers):
    """Draw probabilities of a yes (4,) as squares, white where a yes is certain."""
    for column, value in enumerate(answers):
        panel.artist(square(column, row), facecolor=plots.grey(value))


# ---- explorers -----------------------------------------------------------------------


class TwoKindsOfPeople(Explorer):
    """What the explorers of lectures 08a and 08c share. Left: two kinds of people; right: the
    three components with the lowest free energy. A lecture says which people these are."""

    size = (9.6, 3.2)
    kinds = ()  # the probabilities of a yes, (4,) for each kind
    groups = ()  # what stands before each kind
    outcomes = {}  # of the third component, in words

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        left.set_title("The people")
        right.set_title("The three components")
        for axes in (left, right):
            frame_of_rows(axes, OFFERED)
        draw_kinds(left, self.kinds, self.groups)
        return left, right

    def draw(self, panels, end, now):
        _, right = panels
        draw_components(right, end, now.pseudo_count, short)

    def say(self, end, now):
        return (
            f"α = {now.concentration:.1f}, β = {now.pseudo_count:.2f}: the third component "
            f"is {self.outcomes[end.outcome]}; it holds {short(end.counts[2])} people."
        )


class RedundantComponent(TwoKindsOfPeople):
    """Left: the two kinds of people as rows of four squares, one for each question; white
    stands for a certain yes and black for a certain no. Right: the three components with
    the lowest free energy, as such rows, with the number of people that each holds; the
    third is the one too many, and it is hatched where it is empty.
    """

    title = "A thousand people of two kinds, and three components"
    kinds = MIXED, DETERMINISTIC
    groups = "600 people\nmixed", "400 people\ndeterministic"
    outcomes = OUTCOMES
    concentration = slider("Concentration α", 0.2, 4.0, 1.0, 0.1, form="{:.1f}")
    pseudo_count = slider("Pseudo-count β", 0.05, 1.0, 1.0, 0.05, form="{:.2f}")

    def compute(self, concentration, pseudo_count):
        return lowest_end(PEOPLE, concentration, pseudo_count)


def draw_kinds(axes, kinds, words):
    """Draw two kinds of people as rows of squares that stand still.

    kinds: the probabilities of a yes, (4,) each. words: what stands before each row.
    """
    for row, answers in enumerate(kinds):
        for column, value in enumerate(answers):
            square(column, row)(axes).set_facecolor(str(value))
            write_in_square(axes, column, row, value, f"{value:g}", size=10)
        axes.text(-0.12, row + 0.5, words[row], ha="right", va="center", size=10)
    key = "number: probability of a yes\nwhite: always yes; black: always no"
    axes.text(QUESTIONS / 2, 2.5, key, ha="center", va="center", color=plots.GREY)
    axes.set_zorder(-1)  # behind all that moves


def draw_components(panel, end: End, pseudo_count: float, in_words):
    """Draw the three components of an End as rows of squares, each with its number of
    people, which `in_words` puts into words; an empty third one is hatched."""
    answers = end.answers(pseudo_count)
    for row, count in enumerate(end.counts):
        draw_row(panel, row, answers[row])
        words = f"{in_words(count)} people"
        panel.text(-0.12, row + 0.5, words, ha="right", va="center", size=9.5)
    # always said, so that no drawing has to make it anew
    width = QUESTIONS - 0.02 if end.outcome == "empty" else 0.0
    panel.artist(cover_of_third, width=width)


def cover_of_third(axes):
    """Make the hatched cover of an empty third component, of no width yet."""
    cover = hatched_cover((-0.02, OFFERED - 0.97), 0, 0.9)  # larger than the squares
    cover.set_zorder(4)
    return axes.add_patch(cover)


def short(count: float) -> str:
    """Return a number of people as a reader sees it."""
    return f"{count:.1f}" if count < 9.95 else f"{count:,.0f}"


class PriceList(NamedTuple):
    """The prices of the two copies: as slopes, and exactly."""

    slopes: Prices  # in units of log N
    exact: Prices  # in nats


class SlopesAndPrices(Explorer):
    """Three rows, one for each outcome of the third component: empty, a deterministic copy
    and a mixed copy. A blue bar leads from zero to the exact price in nats, which is also
    written at the right end. A black diamond marks the slope times log N.
    """

    title = "The price of a second copy, at β = 0.1"
    size = (9.0, 3.2)
    concentration = slider("Concentration α", 1.0, 2.5, 2.0, 0.1, form="{:.1f}")

    def compute(self, concentration):
        return PriceList(
            slopes(concentration, PSEUDO_COUNT),
            exact_prices(PEOPLE, concentration, PSEUDO_COUNT),
        )

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(-25, 32), ylim=(2.6, -0.5), xticks=range(-20, 25, 10))
        axes.set_xlabel("price (nats)")
        names = "leave it empty", "deterministic copy", "mixed copy"
        axes.set_yticks(range(3), names)
        axes.axvline(0, color="black", lw=1.2, zorder=BELOW)
        for place, words, colour, side in (
            (-24.5, "bar: exact price", EXACT, "left"),
            (-9.0, r"◆ slope times $\log N$", "black", "left"),
            (31.7, "exact", EXACT, "right"),
        ):
            axes.text(
                place, -0.75, words, color=colour, ha=side, va="center", zorder=BELOW
            )
        axes.text(31.7, 0, "0", color=EXACT, ha="right", va="center", zorder=BELOW)
        axes.plot(0, 0, "D", color="black", ms=8, zorder=BELOW)
        return axes

    def draw(self, panels, prices, now):
        (panel,) = panels
        log_n = np.log(PEOPLE)
        for row, kind in ((1, "deterministic"), (2, "mixed")):  # row 0: empty
            exact = getattr(prices.exact, kind)
            panel.line(
                [0, exact], [row, row], color=EXACT, lw=11, solid_capstyle="butt"
            )
            slope = getattr(prices.slopes, kind)
            panel.points(slope * log_n, row, marker="D", color="black", ms=8, zorder=3)
            panel.text(31.7, row, f"{exact:+.1f}", ha="right", va="center", color=EXACT)

    def say(self, prices, now):
        exact = prices.exact
        return (
            f"Exact prices among {PEOPLE:,.0f} people: deterministic copy "
            f"{exact.deterministic:+.1f}, mixed copy {exact.mixed:+.1f} nats. The lowest: "
            f"{lowest_outcome(exact)}. Slopes: {prices.slopes.deterministic:+.1f} and "
            f"{prices.slopes.mixed:+.1f}."
        )


def lowest_outcome(prices: Prices) -> str:
    """Return which outcome has the lowest of the prices, where an empty one has zero."""
    lowest = min(prices._fields, key=lambda kind: getattr(prices, kind))
    if getattr(prices, lowest) > 0:
        return "leave it empty"
    return f"{lowest} copy"


def price_of_division(held, concentration) -> float:
    """Return F in nats if the third component holds so many of the 400 deterministic people,
    less F if it is empty."""
    n = PEOPLE * SHARES[1]
    whole, third, second = [
        Group(count, count * DETERMINISTIC) for count in (n, held, n - held)
    ]
    labels = xlogy(third.n, third.n / n) + xlogy(second.n, second.n / n)
    division = Division(whole, (third, second), labels)
    return float(division.price(concentration, PSEUDO_COUNT))


# ---- pictures ------------------------------------------------------------------------


@cache
def ends_along(pseudo_count: float) -> list[End]:
    """Return the lowest End among a thousand people at each of the CONCENTRATIONS."""
    betas = np.full(len(CONCENTRATIONS), pseudo_count)
    return lowest_ends(PEOPLE, CONCENTRATIONS, betas)


def picture_of_change() -> plots.Picture:
    """Draw how many people the three components hold while the concentration rises."""
    counts = np.array([end.counts for end in ends_along(PSEUDO_COUNT)])
    fig, (ax,) = plots.figure(8, 3)
    names = "mixed", "deterministic", "third"
    for k in range(OFFERED):
        # no line, because it would fill the jump
        marker = plots.MARKERS[k]
        ax.plot(CONCENTRATIONS, counts[:, k], marker, color=plots.COLOURS[k], ms=4)
    ax.text(3.95, 630, names[0], ha="right", color=plots.COLOURS[0])
    ax.text(0.3, 430, names[1], color=plots.COLOURS[1])
    ax.text(0.3, 30, names[2], color=plots.COLOURS[2])
    ax.text(3.95, 230, f"{names[1]} and {names[2]}", ha="right", color=plots.GREY)
    ax.set(ylim=(-30, 700), xlabel=r"concentration $\alpha$", ylabel="people")
    ax.set_title(rf"People in each component, $\beta$ = {PSEUDO_COUNT:g}")
    jump = int(np.abs(np.diff(counts[:, 2])).argmax())
    alt = f"""The number of people in each of three components while the concentration
    rises from 0.2 to 4. The mixed one holds 600 throughout. Up to
    {CONCENTRATIONS[jump]:g} the second holds {counts[jump, 1]:.0f} and the third
    {counts[jump, 2]:.0f}; from {CONCENTRATIONS[jump + 1]:g} on both hold
    {counts[jump + 1, 2]:.0f}."""
    return plots.Picture(fig, alt)


def picture_of_hill() -> plots.Picture:
    """Draw the price of a division against how many of the 400 the third component holds."""
    concentration = 1.35
    halves = PEOPLE * SHARES[1] / 2
    held = np.geomspace(0.01, halves, 401)
    prices = np.array([price_of_division(number, concentration) for number in held])
    top = prices.argmax()
    fig, (ax,) = plots.figure(8, 3)
    ax.axhline(0, color="black", lw=1)
    ax.plot(held, prices)
    ax.plot(held[[top, -1]], prices[[top, -1]], "o", color="black")
    ax.set(xscale="log", xlim=(0.01, 1.3 * halves), ylim=(-0.6, 2))
    ax.set_xticks([0.01, 0.1, 1, 10, 200], ["0.01", "0.1", "1", "10", "200"])
    ax.minorticks_off()
    ax.set(
        xlabel="how many of the 400 the third component holds", ylabel="price (nats)"
    )
    ax.text(held[top], prices[top] + 0.15, f"{prices[top]:+.2f}", ha="center")
    ax.text(0.9 * halves, prices[-1] - 0.3, f"{prices[-1]:+.2f}", ha="right")
    ax.set_title(rf"Price of using the third component, $\alpha$ = {concentration:g}")
    alt = f"""The price against how many of the 400 people the third component holds, on a
    logarithmic scale. It rises from 0 to {prices[top]:.2f} at {held[top]:.1f} of a person, and
    falls to {prices[-1]:.2f} at two equal halves."""
    return plots.Picture(fig, alt)
