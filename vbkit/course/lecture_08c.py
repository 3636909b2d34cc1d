"""Lecture 08c, "What undercuts the price list?": explorers and pictures."""

from typing import NamedTuple

import numpy as np
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.course import Explorer, slider
from vbkit.course.lecture_08a import (
    BELOW,
    cover_of_third,
    draw_kinds,
    draw_row,
    frame_of_rows,
    short,
    square,
    write_in_square,
)
from vbkit.course.lecture_08b import ALPHA
from vbkit.course.partial_structures import (
    ENOUGH_SWEEPS,
    ONE_OF_EACH,
    OUTCOMES,
    TWO_MIXED,
    Balance,
    Found,
    balance,
    contaminated,
    lowest_found,
    small_component,
)
from vbkit.course.people import OFFERED, QUESTIONS, SHEETS
from vbkit.families import BetaBernoulli
from vbkit.phases import solve, structured_starts
from vbkit.theory import coefficient, phase_lines, predict, theorem

PEOPLE = 10_000
PRIOR = plots.COLOURS[2]
MISFIT = plots.COLOURS[1]
SUM = plots.COLOURS[0]


# ---- rows of squares -----------------------------------------------------------------


def draw_found(panel, found: Found, pseudo_count: float):
    """Draw three components as rows of squares, each with its number of people; an empty
    third one is hatched."""
    answers = found.answers(pseudo_count)
    for row, count in enumerate(found.counts):
        draw_row(panel, row, answers[row])
        words = f"{short(count)} people"
        panel.text(-0.12, row + 0.5, words, ha="right", va="center", size=9.5)
    width = QUESTIONS - 0.02 if found.outcome == "empty" else 0.0
    panel.artist(cover_of_third, width=width)


class TwoMixedKinds(Explorer):
    """Left: two mixed kinds of people as rows of four squares, one for each question; the
    lighter a square, the more probable is a yes. Right: the three components with the
    lowest free energy, as such rows, white where a yes is certain and black where a no is
    certain, with the number of people that each holds; the third is hatched where it is
    empty.
    """

    title = "Ten thousand people of two mixed kinds, and three components"
    size = (9.6, 3.2)
    concentration = slider("Concentration α", 0.5, 5.0, 1.0, 0.1, form="{:.1f}")
    pseudo_count = slider("Pseudo-count β", 0.05, 1.0, 0.8, 0.05, form="{:.2f}")

    def compute(self, concentration, pseudo_count):
        return lowest_found(TWO_MIXED, PEOPLE, concentration, pseudo_count)

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        left.set_title("The people")
        right.set_title("The three components")
        for axes in (left, right):
            frame_of_rows(axes, OFFERED)
        draw_kinds(left, TWO_MIXED.means, ["5,000\npeople"] * 2)
        return left, right

    def draw(self, panels, found, now):
        _, right = panels
        draw_found(right, found, now.pseudo_count)

    def say(self, found, now):
        return (
            f"α = {now.concentration:.1f}, β = {now.pseudo_count:.2f}: the third component "
            f"is {OUTCOMES[found.outcome]}; it holds {short(found.counts[2])} people."
        )


# ---- a few people change their component ---------------------------------------------


def frame_of_balance(figure, label: str, lowest: float):
    """Lay out axes for a Balance over the number of people, on a logarithmic scale."""
    axes = figure.subplots()
    axes.axhline(0, color=plots.GREY, lw=1)
    axes.set(
        xlim=(0, 1), ylim=(lowest, 10), ylabel="change of $F$ (nats)", xlabel=label
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


def draw_balance(panel, found: Balance, power: float):
    """Draw the parts of a Balance among 10^power people, with a dot at the lowest sum."""
    x = np.log10(found.people) / power
    panel.line(x, found.prior, color=PRIOR, ls="--", lw=1.8)
    panel.line(x, found.misfit, color=MISFIT, ls=":", lw=2.2)
    panel.line(x, found.F, color=SUM, lw=2.6)
    at = np.log10(max(found.best, 1.0)) / power
    panel.points(at, found.F_of_best, color=SUM, ms=9)


def words_of_balance(found: Balance, power: float, each="") -> str:
    """Return in words how many people make F lowest; each: how they are counted."""
    among = f"Among {10**power:,.0f} people, "
    if not found.best:
        return f"{among}F rises at once, so that it is lowest with nobody."
    # F is flat at its lowest point, so that further digits differ between processors
    rounded = float(f"{found.best:.2g}")
    people = f"about {short(rounded)} people{each}"
    return f"{among}F is lowest with {people} ({found.F_of_best:+.1f} nats)."


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
        return balance(small_component, TWO_MIXED, N, concentration, pseudo_count)

    def frame(self, figure):
        return frame_of_balance(figure, "people in the third component", -20)

    def draw(self, panels, found, now):
        (panel,) = panels
        draw_balance(panel, found, now.power)

    def say(self, found, now):
        return words_of_balance(found, now.power)


class Contamination(Explorer):
    """Three curves in nats over the number of mixed people for each question that the
    deterministic component takes over, on a logarithmic scale: what the prior adds to the
    free energy, dashed; the misfit, dotted; and their sum, solid, with a dot at its lowest
    point.
    """

    title = "A deterministic component that takes over others: prior and misfit"
    size = (8.4, 3.4)
    pseudo_count = slider("Pseudo-count β", 0.1, 1.2, 0.8, 0.1, form="{:.1f}")
    power = slider("Number of people N", 3, 9, 8.0, 0.5, form="10^{:g}")

    def compute(self, pseudo_count, power):
        # no weight changes much, so that the concentration hardly matters
        return balance(contaminated, ONE_OF_EACH, 10.0**power, 2.0, pseudo_count)

    def frame(self, figure):
        label = "mixed people in the deterministic component, for each question"
        return frame_of_balance(figure, label, -30)

    def draw(self, panels, found, now):
        (panel,) = panels
        draw_balance(panel, found, now.power)

    def say(self, found, now):
        return words_of_balance(found, now.power, " for each question")


class Samples(NamedTuple):
    """What VB makes of the third component in samples of people of two mixed kinds."""

    outcomes: list[str]  # keys of OUTCOMES
    held: np.ndarray  # how many people each small component holds


def samples_of(
    N: int, number: int, seed: int, concentration=2.0, pseudo_count=0.1
) -> Samples:
    """Draw so many Samples of N people, and run VB from likely and from random starts."""
    rows = BetaBernoulli(QUESTIONS).statistics(SHEETS)
    outcomes = []
    held = []
    for sample in range(number):
        rng = np.random.default_rng([seed, sample])
        counts = rng.multinomial(N, TWO_MIXED.probabilities()).astype(float)
        _, likely = structured_starts(TWO_MIXED, OFFERED, float(N), counts=counts)
        labels = rng.dirichlet(np.ones(OFFERED), (20, len(SHEETS)))
        chance = np.swapaxes(labels * counts[:, None], 1, 2) @ rows
        starts = np.concatenate([likely, chance])
        ends = solve(
            counts, starts, concentration, pseudo_count, max_iterations=ENOUGH_SWEEPS
        )
        S = ends.S[ends.free_energy.argmin()]
        found = Found(S[np.argsort(-S[:, 0])], float(ends.free_energy.min()))
        outcomes.append(found.outcome)
        if found.outcome == "small":
            held.append(found.counts[2])
    return Samples(outcomes, np.array(held))


# ---- pictures ------------------------------------------------------------------------


def picture_of_found(kinds, N, concentration, pseudo_count) -> plots.Picture:
    """Draw the three components that VB finds, with the probabilities of a yes."""
    found = lowest_found(kinds, N, concentration, pseudo_count, sweeps=ENOUGH_SWEEPS)
    answers = found.answers(pseudo_count)
    fig, (ax,) = plots.figure(6.4, 2.6)
    frame_of_rows(ax, OFFERED)
    rows = []
    for row, means in enumerate(answers):
        for column, value in enumerate(means):
            square(column, row)(ax).set_facecolor(str(round(float(value), 3)))
            write_in_square(ax, column, row, value, f"{value:.2f}")
        people = "person" if round(found.counts[row]) == 1 else "people"
        words = f"{found.counts[row]:,.0f} {people}"
        ax.text(-0.12, row + 0.5, words, ha="right", va="center", size=10)
        rows.append(f"{words} with {', '.join(f'{value:.2f}' for value in means)}")
    if found.counts[2] < N**0.25:
        cover_of_third(ax).set_width(QUESTIONS - 0.02)
        rows[-1] = "the third is empty, and hatched"
    alt = "The three components, with the probabilities of a yes to the four questions:"
    return plots.Picture(fig, f"{alt} {'; '.join(rows)}.")


def slope_of_two_kinds(concentration, pseudo_count) -> float:
    """Return the coefficient of log N in F of the mixed and the deterministic kind, beside
    an empty component."""
    answers = [np.ones(QUESTIONS), np.zeros(QUESTIONS), np.zeros(QUESTIONS)]
    return coefficient([1, 1, 0], answers, concentration, pseudo_count)


def slopes_by(formula, alphas, beta) -> np.ndarray:
    """Return the lowest slope (n,) of a price at each concentration (n,), by `theorem` or
    `predict`, for one component too many beside the people of lecture 08a."""
    values = []
    for alpha in alphas:
        lowest = formula(QUESTIONS, OFFERED, 1, 1, alpha, beta).coefficient
        values.append(lowest - slope_of_two_kinds(alpha, beta))
    return np.array(values)


SURFACE_ALPHAS = np.linspace(0.05, 4, 60)
SURFACE_BETAS = np.linspace(0.02, 1.2, 60)


def picture_of_surface(alphas, measured) -> plots.Picture:
    """Draw the coefficient of log N as the thesis has it (Kaji 2011, Figure 5.2), and slopes
    that were measured.

    alphas (n,); measured: pseudo-count -> slopes (n,) of the price of what VB finds.
    """
    surface = np.zeros((len(SURFACE_ALPHAS), len(SURFACE_BETAS)))
    for i, alpha in enumerate(SURFACE_ALPHAS):
        for j, beta in enumerate(SURFACE_BETAS):
            surface[i, j] = theorem(3, 3, 1, 1, alpha, beta).coefficient
    fig, (left, right) = plots.figure(8.6, 3.7, ncols=2)
    lines = left.contour(
        SURFACE_ALPHAS, SURFACE_BETAS, surface.T, 12, cmap="cividis", linewidths=1.6
    )
    left.clabel(lines, lines.levels[::2], fontsize=9)
    for ends in phase_lines(3, 1, 1, 4.0, 1.2).values():
        left.plot(*ends.T, color="black", ls="--", lw=1.2)
    left.set(xlim=(0, 4), ylim=(0, 1.2))
    left.set(xlabel=r"$\alpha$ ($a$ in the thesis)")
    left.set(ylabel=r"$\beta$ ($b$ in the thesis)")
    left.set_title(r"The theorem's multiple of $\log N$, $D=3$")
    fine = np.linspace(0.1, 5, 99)
    for k, (beta, found) in enumerate(measured.items()):
        colour = plots.COLOURS[k]
        right.plot(fine, slopes_by(theorem, fine, beta), color=colour, ls=":", lw=2.2)
        right.plot(fine, slopes_by(predict, fine, beta), color=colour, ls="-")
        right.plot(alphas, found, plots.MARKERS[k], color=colour)
    right.text(1.75, -1.9, r"$\beta=0.2$", color=plots.COLOURS[0])
    right.text(3.4, -0.45, r"$\beta=0.9$", color=plots.COLOURS[1])
    right.set(xlim=(0, 5.2), xlabel=ALPHA, ylabel=r"slope of the price")
    right.set_title("Measured, $D=4$; dotted: the price list")
    alt = """Left: contours of the theorem's multiple of log N over concentration and
    pseudo-count for three questions, with kinks along three dashed lines that meet. Right:
    the slope of the price of what VB finds against the concentration, for four questions
    and the pseudo-counts 0.2 and 0.9. The measured points lie on solid lines, those of the
    formula with all structures. At 0.2 the dotted line of the price list is the same; at
    0.9 it lies too high by 0.8."""
    arrays = {"a": SURFACE_ALPHAS, "b": SURFACE_BETAS, "surface": surface}
    return plots.Picture(fig, alt, arrays)


THREE_KINDS = np.array([0.4, 0.4, 0.2]), np.array([[1, 1, 0], [0, 1, 1], [0, 1, 0]])
TWO_KINDS = np.array([0.6, 0.4, 0.0]), np.array([[2 / 3, 1, 0], [0, 1, 1], [0, 0, 0]])


def picture_of_reading(weights, means) -> plots.Picture:
    """Draw a reading of three answer sheets as columns of squares (Kaji 2011, Figures 3.2
    and 3.3): weights (3,), probabilities of a yes (3, 3)."""
    weights = np.asarray(weights, float)
    means = np.asarray(means, float)
    fig, (ax,) = plots.figure(4.2, 2.6)
    columns = []
    for k, weight in enumerate(weights):
        middle = 1.5 * k + 0.5
        for question, value in enumerate(means[k]):
            place = (1.5 * k, -question)
            ax.add_patch(Rectangle(place, 1, 0.9, fc=str(value), ec="black", lw=0.8))
            ax.text(
                middle,
                0.45 - question,
                f"{value:.3g}",
                ha="center",
                va="center",
                color="white" if value < 0.5 else "black",
            )
        words = rf"$\pi_{k + 1}$ = {weight:.3g}"
        ax.text(middle, 1.25, words, ha="center", va="center")
        answers = ", ".join(f"{value:.3g}" for value in means[k])
        columns.append(f"weight {weight:.3g} with {answers}")
    for question in range(3):
        words = f"question {question + 1}"
        ax.text(-0.15, 0.45 - question, words, ha="right", va="center", size=9)
    ax.set(xlim=(-1.6, 4.2), ylim=(-2.2, 1.7), aspect="equal")
    ax.axis("off")
    alt = "Three components as columns of three squares, white for a certain yes:"
    arrays = {"weights": weights, "means": means}
    return plots.Picture(fig, f"{alt} {'; '.join(columns)}.", arrays)
