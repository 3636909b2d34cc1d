"""Lecture 08c, "What undercuts the price list?": explorers and pictures."""

from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.course import Explorer, slider
from vbkit.course.lecture_08a import (
    BELOW,
    TwoKindsOfPeople,
    frame_of_rows,
    short,
    square,
    write_in_square,
)
from vbkit.course.partial_structures import (
    ENOUGH_SWEEPS,
    OUTCOMES,
    TWO_MIXED,
    balance,
    largest_first,
    lowest_found,
)
from vbkit.course.people import OFFERED, SHEETS, states_of
from vbkit.phases import first_of_the_lowest, solve, structured_starts

PEOPLE = 10_000
PRIOR = plots.COLOURS[2]
MISFIT = plots.COLOURS[1]
SUM = plots.COLOURS[0]


# ---- two mixed kinds ------------------------------------------------------------------


class TwoMixedKinds(TwoKindsOfPeople):
    """Left: two mixed kinds of people as rows of four squares, one for each question; the
    lighter a square, the more probable is a yes. Right: the three components with the
    lowest free energy, as such rows, white where a yes is certain and black where a no is
    certain, with the number of people that each holds; the third is hatched where it is
    empty.
    """

    title = "Ten thousand people of two mixed kinds, and three components"
    kinds = TWO_MIXED.means
    groups = ("5,000\npeople",) * 2
    outcomes = OUTCOMES
    concentration = slider("Concentration α", 0.5, 5.0, 1.0, 0.1, form="{:.1f}")
    pseudo_count = slider("Pseudo-count β", 0.05, 1.0, 0.8, 0.05, form="{:.2f}")

    def compute(self, concentration, pseudo_count):
        return lowest_found(PEOPLE, concentration, pseudo_count)


# ---- a few people change their component ---------------------------------------------


class SmallComponent(Explorer):
    """Three curves in nats over the number of people that the third component takes over,
    on a logarithmic scale: what the prior adds to the free energy, dashed; the misfit,
    dotted; and their sum, solid, with a dot at its lowest point. The people all hand in the
    same answer sheet, and come from two mixed kinds.
    """

    title = "A small component with one answer sheet: prior and misfit"
    size = (8.4, 3.4)
    concentration = slider("Concentration α", 0.5, 2.5, 2.0, 0.1, form="{:.1f}")
    pseudo_count = slider("Pseudo-count β", 0.02, 0.5, 0.1, 0.02, form="{:.2f}")
    power = slider("Number of people N", 3, 9, 5.0, 0.5, form="10^{:g}")

    def compute(self, concentration, pseudo_count, power):
        N = 10.0**power
        return balance(N, concentration, pseudo_count)

    def frame(self, figure):
        axes = figure.subplots()
        axes.axhline(0, color=plots.GREY, lw=1)
        axes.set(
            xlim=(0, 1),
            ylim=(-20, 10),
            xlabel="people in the third component",
            ylabel="change of $F$ (nats)",
        )
        places = [0, 0.25, 0.5, 0.75, 1]
        axes.set_xticks(places, ["1", "$N^{1/4}$", r"$\sqrt{N}$", "$N^{3/4}$", "$N$"])
        for height, words, colour in (
            (0.94, "– –  prior", PRIOR),
            (0.86, "····  misfit", MISFIT),
            (0.78, "──  sum", SUM),
        ):
            axes.text(
                0.8,
                height,
                words,
                color=colour,
                va="center",
                transform=axes.transAxes,
                zorder=BELOW,
            )
        return axes

    def draw(self, panels, found, now):
        (panel,) = panels
        x = np.log10(found.people) / now.power
        panel.line(x, found.prior, color=PRIOR, ls="--", lw=1.8)
        panel.line(x, found.misfit, color=MISFIT, ls=":", lw=2.2)
        panel.line(x, found.F, color=SUM, lw=2.6)
        at = np.log10(max(found.best, 1.0)) / now.power
        panel.points(at, found.F_of_best, color=SUM, ms=9)

    def say(self, found, now):
        among = f"Among {10**now.power:,.0f} people, "
        if not found.best:
            return f"{among}F rises at once, so that it is lowest with nobody."
        # F is flat at its lowest point, so that further digits differ between processors
        rounded = float(f"{found.best:.2g}")
        people = f"about {short(rounded)} people"
        return f"{among}F is lowest with {people} ({found.F_of_best:+.1f} nats)."


class Samples(NamedTuple):
    """What VB makes of the third component in samples of people of two mixed kinds."""

    outcomes: list[str]  # keys of OUTCOMES
    held: np.ndarray  # how many people each small component holds


def samples_of(N: int, number: int, seed: int) -> Samples:
    """Draw so many Samples of N people, and run VB with the concentration 2 and the
    pseudo-count 0.1 from likely and from random starts."""
    outcomes = []
    held = []
    for sample in range(number):
        rng = np.random.default_rng([seed, sample])
        counts = rng.multinomial(N, TWO_MIXED.probabilities()).astype(float)
        _, likely = structured_starts(TWO_MIXED, OFFERED, float(N), counts=counts)
        labels = rng.dirichlet(np.ones(OFFERED), (20, len(SHEETS)))
        starts = np.concatenate([likely, states_of(labels, counts)])
        ends = solve(counts, starts, 2.0, 0.1, max_iterations=ENOUGH_SWEEPS)
        best = first_of_the_lowest(ends.free_energy)
        found = largest_first(ends.S[best], ends.free_energy[best])
        outcomes.append(found.outcome)
        if found.outcome == "small":
            held.append(found.counts[2])
    return Samples(outcomes, np.array(held))


# ---- pictures ------------------------------------------------------------------------


def picture_of_found(N, concentration, pseudo_count) -> plots.Picture:
    """Draw the three components that VB finds, with the probabilities of a yes."""
    found = lowest_found(N, concentration, pseudo_count, sweeps=ENOUGH_SWEEPS)
    answers = found.answers(pseudo_count)
    fig, (ax,) = plots.figure(6.4, 2.6)
    frame_of_rows(ax, OFFERED)
    rows = []
    for row, means in enumerate(answers):
        for column, value in enumerate(means):
            square(column, row)(ax).set_facecolor(plots.grey(value))
            write_in_square(ax, column, row, value, f"{value:.2f}")
        words = f"{found.counts[row]:,.0f} people"
        ax.text(-0.12, row + 0.5, words, ha="right", va="center", size=10)
        rows.append(f"{words} with {', '.join(f'{value:.2f}' for value in means)}")
    alt = "The three components, with the probabilities of a yes to the four questions:"
    return plots.Picture(fig, f"{alt} {'; '.join(rows)}.")
