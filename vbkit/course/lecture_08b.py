"""Lecture 08b, "Where does one outcome give way to another?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from matplotlib.colors import ListedColormap

from vbkit import plots
from vbkit.course import Explorer, select_slider, slider
from vbkit.course.lecture_08a import (
    BELOW,
    draw_components,
    draw_row,
    frame_of_rows,
    short,
    write_in_square,
)
from vbkit.course.people import (
    KINDS,
    MIXED,
    OFFERED,
    OUTCOMES,
    QUESTIONS,
    SHARES,
    SHEETS,
    Division,
    Group,
    copies_of_kinds,
    in_order,
    lowest_end,
    mean_answers,
    outcome_of,
    sheets_handed_in,
    slopes,
    starts_among,
    states_of,
)
from vbkit.phases import diagram, first_of_the_lowest, solve, structured_starts
from vbkit.theory import phase_lines

ALPHA_MAX = 6.0  # the part of the plane that is shown
BETA_MAX = 1.2
PHASES = tuple(OUTCOMES)
COLOURS = {
    "empty": "#DDDDDD",
    "mixed": "#9CC3E6",
    "deterministic": "#F2B48A",
    "part": "#3DAE8B",
}
ALPHA = r"concentration $\alpha$"
BETA = r"pseudo-count $\beta$"
CORNER = ((QUESTIONS + 1) / 2, 0.5)
CHEAPEST = 1  # the question along which it costs least to divide the mixed kind


# ---- exact prices on a grid ----------------------------------------------------------

ALPHAS = (np.arange(240) + 0.5) * ALPHA_MAX / 240
BETAS = (np.arange(120) + 0.5) * BETA_MAX / 120


def divisions(N: float) -> dict[str, Division]:
    """Return how the third component may be used among N people, for each of PHASES but
    the first."""
    # a part: the mixed people who say yes to one question, and those who say no
    n = N * SHARES[0]
    yes = n * MIXED
    share = MIXED[CHEAPEST]
    yes_of_first = share * yes
    yes_of_first[CHEAPEST] = yes[CHEAPEST]
    yes_of_other = (1 - share) * yes
    yes_of_other[CHEAPEST] = 0.0
    first = Group(share * n, yes_of_first)
    other = Group((1 - share) * n, yes_of_other)
    return copies_of_kinds(N) | {"part": Division(Group(n, yes), (first, other), 0.0)}


@cache
def cheapest(N: float) -> np.ndarray:
    """Return which of PHASES has the lowest price (240, 120) over ALPHAS and BETAS."""
    ways = divisions(N)
    prices = [np.zeros((len(ALPHAS), len(BETAS)))]  # of an empty component
    for name in PHASES[1:]:
        prices.append(ways[name].price(ALPHAS[:, None], BETAS))
    return np.argmin(prices, axis=0)


# ---- explorers -----------------------------------------------------------------------

PLACES = {  # of the outcomes in the plane
    "empty": (1.1, 0.95),
    "mixed copy": (4.5, 0.95),
    "deterministic copy": (4.5, 0.15),
}


def frame_of_plane(axes):
    """Lay out the plane of the two numbers of the prior, with the lines of the theory."""
    axes.set(xlim=(0, ALPHA_MAX), ylim=(0, BETA_MAX), xlabel=ALPHA, ylabel=BETA)
    lines = phase_lines(QUESTIONS, 1, 1, ALPHA_MAX, BETA_MAX)
    for ends in lines.values():
        axes.plot(*ends.T, "-", color="black", lw=1.6)
    for name, (alpha, beta) in PLACES.items():
        axes.text(alpha, beta, name, ha="center", va="center", size=10)


def make_map(axes):
    """Make the map of the phases, whose colours come with each drawing."""
    nothing = np.zeros((len(BETAS), len(ALPHAS)))
    return axes.imshow(
        nothing,
        vmin=0,
        vmax=3,
        cmap=ListedColormap([COLOURS[name] for name in PHASES]),
        extent=(0, ALPHA_MAX, 0, BETA_MAX),
        origin="lower",
        aspect="auto",
        interpolation="nearest",  # a third of the time of a move
        zorder=0,
    )


class PhasePlane(Explorer):
    """Left: the plane of concentration and pseudo-count. Its colours say which outcome of
    the third component has the lowest price among N people: grey for empty, blue for a
    mixed copy, orange for a deterministic copy, green for something else. Black lines are
    the borders as N grows, and a ring marks the present prior. Right: the three components
    that VB finds there, as rows of squares, white where a yes is certain and black where a
    no is certain, with the number of people that each holds; the third is hatched where it
    is empty.
    """

    title = "The phase diagram"
    size = (9.6, 3.9)
    concentration = slider("Concentration α", 0.1, ALPHA_MAX, 1.0, 0.1, form="{:.1f}")
    pseudo_count = slider("Pseudo-count β", 0.02, BETA_MAX, 0.8, 0.02, form="{:.2f}")
    power = slider("Number of people N", 2, 9, 3.0, 0.5, form="10^{:g}")

    def compute(self, concentration, pseudo_count, power):
        N = 10.0**power
        return cheapest(N), lowest_end(N, concentration, pseudo_count)

    def frame(self, figure):
        plane, rows = figure.subplots(1, 2, width_ratios=[1.35, 1])
        frame_of_plane(plane)
        plane.set_title("Colours: at this N. Lines: as N grows")
        rows.set_title("The three components")
        frame_of_rows(rows, OFFERED)
        return plane, rows

    def draw(self, panels, found, now):
        plane, rows = panels
        outcome, end = found
        plane.artist(make_map, data=outcome.T)
        plane.points(
            now.concentration,
            now.pseudo_count,
            color="black",
            mfc="none",
            mew=2.5,
            ms=10,
        )
        draw_components(rows, end, now.pseudo_count, in_thousands)

    def say(self, found, now):
        _, end = found
        return (
            f"N = {10**now.power:,.0f}: the third component is {OUTCOMES[end.outcome]}; "
            f"it holds {short(end.counts[2])} people."
        )


def in_thousands(count: float) -> str:
    """Return a number of people in few characters."""
    for unit, letter in ((1e6, " M"), (1e3, " k")):
        if count >= 10 * unit:
            return f"{count / unit:,.0f}{letter}"
    return short(count)


class Walk(NamedTuple):
    """The two local minima that VB finds along the WALK, (n,) each: how many people the
    third component holds, and the free energy in nats. Where there is only one minimum, the
    two are equal."""

    nearly_empty: np.ndarray
    used: np.ndarray
    F_nearly_empty: np.ndarray
    F_used: np.ndarray

    @property
    def apart(self) -> np.ndarray:
        """Return where the two minima differ, (n,)."""
        return np.abs(self.used - self.nearly_empty) > 5

    @property
    def lowest(self) -> np.ndarray:
        """Return how many people the third component holds in the lower minimum, (n,)."""
        return np.where(self.F_used < self.F_nearly_empty, self.used, self.nearly_empty)


WALK = np.round(np.arange(2.4, 2.661, 0.01), 2)
WALK_BETA = 0.8
WALK_PEOPLE = 1e3
ENOUGH_SWEEPS = 20_000  # close to the end of a minimum VB is slow


@cache
def walk() -> Walk:
    """Walk through the plane at WALK_BETA, along WALK, among WALK_PEOPLE."""
    counts = sheets_handed_in(WALK_PEOPLE)
    starts = starts_among(WALK_PEOPLE)
    many = np.tile(starts["empty"], (len(WALK), 1, 1))
    betas = np.full(len(WALK), WALK_BETA)
    nearly_empty = solve(counts, many, WALK, betas, max_iterations=ENOUGH_SWEEPS)
    used = []
    F_used = []
    state = starts["cut of 0 along 0"][None]
    for concentration in WALK[::-1]:  # from right to left, each from the last end
        end = solve(
            counts, state, concentration, WALK_BETA, max_iterations=ENOUGH_SWEEPS
        )
        state = end.S
        used.append(in_order(state[0])[2, 0])
        F_used.append(end.free_energy[0])
    held = np.array([in_order(S)[2, 0] for S in nearly_empty.S])
    F_empty = np.asarray(nearly_empty.free_energy)
    return Walk(held, np.array(used[::-1]), F_empty, np.array(F_used[::-1]))


class CrossTheBorder(Explorer):
    """A walk to the right through the phase diagram, at the pseudo-count 0.8, among a
    thousand people. Left: how many people the third component holds, against the
    concentration; full dots are the minimum with the lowest free energy, and hollow ones
    the other local minimum, where there is one. Right: the free energy of the minimum that
    uses the third component, minus that of the minimum in which it is nearly empty.
    """

    title = "Across the border of the mixed copy, at β = 0.8"
    size = (9.0, 3.4)
    concentration = select_slider(
        "Concentration α", [(f"{a:.2f}", a) for a in WALK.tolist()], 2.4, play=250
    )

    def compute(self):
        return walk()

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        for axes in (left, right):
            axes.set(xlim=(2.38, 2.68), xlabel=ALPHA)
        left.set(ylim=(-8, 200), ylabel="people")
        left.set_title("What the third component holds")
        words = "full: lowest minimum\nhollow: the other one"
        left.text(2.39, 172, words, color=plots.GREY)
        left.text(2.61, 120, "used", color=plots.GREY, zorder=BELOW)
        left.text(2.6, 12, "nearly empty", color=plots.GREY, zorder=BELOW)
        right.axhline(0, color=plots.GREY, lw=0.8)
        right.set(ylim=(-0.13, 0.23), ylabel="difference of F (nats)")
        right.set_title("F if it is used, minus F if nearly empty")
        return left, right

    def draw(self, panels, found, now):
        left, right = panels
        seen = now.concentration + 1e-9 >= WALK
        left.points(WALK[seen], found.lowest[seen], color=plots.COLOURS[1], ms=6)
        both = seen & found.apart
        other = found.used + found.nearly_empty - found.lowest
        left.points(WALK[both], other[both], color=plots.COLOURS[1], mfc="none", ms=6)
        change = found.F_used - found.F_nearly_empty
        right.line(WALK[both], change[both], marker="o", ms=4)

    def say(self, found, now):
        at = np.abs(WALK - now.concentration).argmin()
        minima = "are two local minima" if found.apart[at] else "is one minimum"
        return (
            f"α = {now.concentration:.2f}: in the lowest minimum the third component "
            f"holds {short(found.lowest[at])} of a thousand people; there {minima}."
        )


# ---- real people ---------------------------------------------------------------------

# How many of 319 students gave each pattern of four answers, 0000, 0001, ..., 1111, where
# 1 stands for a yes (Dayton 1998): lied to avoid an exam, lied to avoid handing in a paper,
# bought a paper or had the exam beforehand, copied answers in an exam.
STUDENTS = np.array([207, 46, 7, 5, 13, 4, 1, 2, 10, 3, 1, 2, 11, 4, 1, 2], float)
# In the engine's order of patterns the first question changes fastest, here the last one
# does, so that the engine's questions are these from the last to the first.
KINDS_OFFERED = 4
HONESTY = "lied: exam", "lied: paper", "bought or got", "copied"
STUDENT_ALPHAS = (0.01, 0.5, 1.0, 2.0)
STUDENT_BETAS = (0.1, 0.5, 1.0)
STARTS = 50  # at random, for each number of kinds and each spread of the labels
HELD = 1.0  # a kind that holds fewer students is empty


class Kinds(NamedTuple):
    """The kinds of students that VB reports, the largest first."""

    counts: np.ndarray  # (n,)
    answers: np.ndarray  # (n, 4), mean probabilities of a yes
    free_energy: float


def settled_by_four_questions(kinds: int) -> int:
    """Return how many combinations of the numbers of so many kinds the frequencies of the
    sixteen sheets fix: the rank of their derivatives, at a place drawn at random."""
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.full(kinds, 5.0))
    yes = rng.uniform(0.1, 0.9, (kinds, 1, 4))
    answers = np.where(SHEETS == 1, yes, 1 - yes)  # (kinds, 16, 4)
    of_kind = answers.prod(axis=2)
    derivatives = list(of_kind[:-1] - of_kind[-1])  # in the weights that are free
    signs = np.where(SHEETS == 1, 1, -1)
    for weight, probability, answer in zip(weights, of_kind, answers, strict=True):
        for question in range(4):
            slope = signs[:, question] / answer[:, question]
            derivatives.append(weight * probability * slope)
    return int(np.linalg.matrix_rank(np.array(derivatives)))


@cache
def starts_of_students() -> np.ndarray:
    """Return random starts (n, 4, 9): students of one to four kinds, whose labels are
    drawn evenly, or nearly all of one kind for each pattern."""
    rng = np.random.default_rng(0)
    starts = []
    for kinds in range(1, KINDS_OFFERED + 1):
        for spread in (1.0, 0.1):
            labels = np.zeros((STARTS, len(STUDENTS), KINDS_OFFERED))
            size = (STARTS, len(STUDENTS))
            labels[:, :, :kinds] = rng.dirichlet(np.full(kinds, spread), size=size)
            starts.append(states_of(labels, STUDENTS))
    return np.concatenate(starts)


@cache
def kinds_of_students(concentration: float, pseudo_count: float) -> Kinds:
    """Return the kinds with the lowest free energy from all starts."""
    starts = starts_of_students()
    ends = solve(STUDENTS, starts, concentration, pseudo_count, max_iterations=5000)
    best = first_of_the_lowest(ends.free_energy)
    S = ends.S[best]
    S = S[np.argsort(-S[:, 0])]
    S = S[S[:, 0] > HELD]
    answers = mean_answers(S, pseudo_count)
    return Kinds(S[:, 0], answers[:, ::-1], float(ends.free_energy[best]))


class KindsOfStudents(Explorer):
    """The kinds among 319 students that VB reports, as rows of squares, one for each of
    four questions on honesty. The lighter a square, the more probable is a yes, whose
    percentage is written in it. On the left stands how many students each kind holds.
    """

    title = "319 students, and at most four kinds"
    size = (7.6, 3.6)
    computes_ahead = True
    concentration = select_slider("Concentration α", STUDENT_ALPHAS, 0.01)
    pseudo_count = select_slider("Pseudo-count β", STUDENT_BETAS, 1.0)

    def compute(self, concentration, pseudo_count):
        return kinds_of_students(concentration, pseudo_count)

    def frame(self, figure):
        axes = figure.subplots()
        frame_of_rows(axes, KINDS_OFFERED, HONESTY)
        return axes

    def draw(self, panels, kinds, now):
        (panel,) = panels
        for row, (count, answers) in enumerate(
            zip(kinds.counts, kinds.answers, strict=True)
        ):
            draw_row(panel, row, answers)
            words = f"{count:.0f} students"
            panel.text(-0.12, row + 0.5, words, ha="right", va="center", color="black")
            for column, value in enumerate(answers):
                percent = f"{100 * value:.0f} %"
                write_in_square(panel, column, row, value, percent)

    def say(self, kinds, now):
        counts = ", ".join(f"{count:.0f}" for count in kinds.counts)
        return (
            f"α = {now.concentration:g}, β = {now.pseudo_count:g}: {len(kinds.counts)} "
            f"kinds, of {counts} students."
        )


# ---- pictures ------------------------------------------------------------------------


def picture_of_slopes() -> plots.Picture:
    """Draw the slopes of the three prices over the concentration, for a small and a large
    pseudo-count."""
    fig, axes = plots.figure(8, 3.3, ncols=2, sharey=True)
    alphas = np.linspace(0, 5, 101)
    for ax, beta in zip(axes, (0.2, 0.9), strict=True):
        both = slopes(alphas, beta)
        ax.plot(alphas, 0 * alphas, color="black", ls="-")
        ax.plot(alphas, both.deterministic, color=plots.COLOURS[1], ls="--")
        ax.plot(alphas, both.mixed, color=plots.COLOURS[0], ls="-.")
        crossing = min(0.5 + QUESTIONS * beta, CORNER[0])
        ax.plot(crossing, 0, "o", color="black", ms=9)
        ax.set(xlabel=ALPHA, xlim=(0, 5), ylim=(-4, 4))
        ax.set_title(rf"$\beta={beta}$")
    axes[0].set_ylabel(r"slope of the price against $\log N$")
    axes[0].text(4.9, 0.15, "empty", ha="right")
    axes[0].text(0.2, -1.2, "deterministic copy", color=plots.COLOURS[1])
    axes[0].text(0.9, 2.2, "mixed copy", color=plots.COLOURS[0])
    alt = """The slopes of three prices against the concentration. That of the empty
    component is zero, and those of the two copies fall. At the pseudo-count 0.2 the
    deterministic copy is the cheaper one, and crosses zero at 1.3. At 0.9 the mixed copy is
    the cheaper one, and crosses zero at 2.5."""
    return plots.Picture(fig, alt)


# Figure 5.1 of the thesis: what VB finds on a grid


def grid_of_priors(points: int) -> dict[str, np.ndarray]:
    """Return what VB finds among our people on a grid of priors.

    "exponent" (points, points): how the smallest component grows from a million people to
    a hundred million; "kind": the structure among a hundred million, as its place in
    PHASES; "alpha" and "beta": the grid.
    """
    alphas = (np.arange(points) + 0.5) * ALPHA_MAX / points
    betas = (np.arange(points) + 0.5) * BETA_MAX / points
    smallest = []
    for N in (1e6, 1e8):
        _, starts = structured_starts(KINDS, OFFERED, N)
        counts = sheets_handed_in(N)
        states = diagram(counts, starts, alphas, betas, max_iterations=500).S
        smallest.append(np.maximum(states[..., 0].min(axis=-1), 1e-3))
    kind = np.zeros((points, points))
    for i in range(points):
        for j in range(points):
            kind[i, j] = PHASES.index(outcome_of(in_order(states[i, j])))
    exponent = np.log(smallest[1] / smallest[0]) / np.log(100)
    return {"exponent": exponent, "kind": kind, "alpha": alphas, "beta": betas}


def picture_of_diagram(arrays) -> plots.Picture:
    """Draw the phases found, beside the lines of the theory (Kaji 2011, Figure 5.1).

    arrays: "a" (A,), "b" (B,), the grid in the thesis's letters, and the "exponent_B" and
    "kind_B" (A, B) of `grid_of_priors`, where B is the thesis's name of our people.
    """
    fig, (ax,) = plots.figure(6.4, 3.6)
    colours = ListedColormap([COLOURS[name] for name in PHASES])
    kinds = arrays["kind_B"]
    ax.pcolormesh(
        arrays["a"],
        arrays["b"],
        kinds.T,
        vmin=-0.5,
        vmax=len(PHASES) - 0.5,
        cmap=colours,
        shading="nearest",
        rasterized=True,
    )
    frame_of_plane(ax)
    ax.set(xlabel=r"concentration $\alpha$ ($a$ in the thesis)")
    ax.set(ylabel=r"pseudo-count $\beta$ ($b$ in the thesis)")
    ax.set_title(r"What VB makes of the third component among $10^8$ people")
    parts = np.argwhere(kinds == PHASES.index("part"))
    if len(parts):
        i, j = parts[0]
        a = arrays["a"][i]
        b = arrays["b"][j]
        ax.annotate(
            "part",
            (a, b),
            (a + 0.35, b + 0.16),
            arrowprops={"arrowstyle": "-"},
            size=10,
            va="center",
        )
    alt = """The plane of concentration and pseudo-count, coloured by what VB makes of the
    third component among a hundred million people, with the three lines of the diagram.
    There are three phases, empty, a mixed copy and a deterministic copy, and their borders
    lie on the lines or close to them."""
    return plots.Picture(fig, alt, arrays)
