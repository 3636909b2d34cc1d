"""Lecture 09b, "Why does VB miss what the prior prefers?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.course import Explorer, select_slider
from vbkit.course.minority import (
    MINORITIES,
    N_COMPONENTS,
    PAIRS,
    SIZE,
    TRIALS,
    bernoulli_mixture,
    learn,
    own_component,
    random_starts,
)
from vbkit.course.tables_of_priors import study
from vbkit.course.thousand_people import (
    QUESTIONS,
    STARTS,
    TRUTH,
    Found,
    best_of,
    draw_rows,
    find,
    frame_of_rows,
    make_box,
    thousand_people,
)
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import pattern_counts
from vbkit.phases import first_of_the_lowest, solve
from vbkit.press.publish import stored

SMALL_ALPHA = 0.01
SMALL_BETA = 0.01


# ---- one component, sweep by sweep ---------------------------------------------------

SWEEPS = 60
FOLLOWED = 3  # the component that the picture of freezing follows, at the last question


@cache
def numbers_of_no(beta: float) -> np.ndarray:
    """Return how many people of one component say no to the last question, after each of
    SWEEPS sweeps from the first random start, (SWEEPS + 1,)."""
    people = thousand_people()
    states = [people.starts[:1]]
    for _ in range(SWEEPS):
        ends = solve(
            people.counts, states[-1], SMALL_ALPHA, beta, max_iterations=1, tolerance=0
        )
        states.append(ends.S)
    return np.concatenate(states)[:, FOLLOWED, -1]


PSEUDO_COUNTS = (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0)


class FollowTheFew(Explorer):
    """The number of people of one component who say no to the last question, against the
    number of sweeps. All lines begin with the same 15 people, and fall in the first sweeps.
    With a large pseudo-count they rise again, with a small one they end at zero.
    """

    title = "One component and its last question"
    size = (7.6, 3.3)
    computes_ahead = True
    beta = select_slider("Pseudo-count β", PSEUDO_COUNTS, 1.0)

    def compute(self, beta):
        return numbers_of_no(beta)

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(0, SWEEPS), ylim=(-1, 40), xlabel="sweeps")
        axes.set(ylabel="people who say no")
        return axes

    def draw(self, panels, no, now):
        (panel,) = panels
        panel.line(np.arange(SWEEPS + 1), no, color=plots.COLOURS[0], lw=2.4)
        panel.points(SWEEPS, no[-1], color="black", ms=9, clip_on=False)

    def say(self, no, now):
        return (
            f"β = {now.beta:g}: {no[0]:.0f} people at the start, {no[5]:.1f} after 5 "
            f"sweeps, {no[30]:.1f} after 30 and {no[-1]:.1f} after {SWEEPS}."
        )


# ---- first a large pseudo-count, then a small one ------------------------------------


@cache
def lowered(first: float) -> Found:
    """Return where VB ends at SMALL_BETA if it starts from the best end at a first beta."""
    begin = find(SMALL_ALPHA, first)
    return best_of(begin.S[None], SMALL_ALPHA, SMALL_BETA)


FIRST = (0.01, 0.1, 0.3, 1.0, 3.0)


class LowerThePseudoCount(Explorer):
    """Left: the components that VB uses at the first pseudo-count, the best of ten random
    starts, as rows of squares with their numbers of people. Right: those that are left
    after VB has continued from there with the pseudo-count 0.01. An orange frame marks the
    component of the ten people, if they have one.
    """

    title = "First a large β, then a small one"
    size = (8.0, 2.9)
    computes_ahead = True
    beta = select_slider("First β", FIRST, 0.01)

    def compute(self, beta):
        return find(SMALL_ALPHA, beta), lowered(beta)

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        frame_of_rows(left, r"At the first $\beta$", rows=6.1)
        frame_of_rows(right, r"Then at $\beta=0.01$", rows=6.1)
        return left, right

    def draw(self, panels, both, now):
        for panel, found in zip(panels, both, strict=True):
            draw_rows(panel, found)

    def say(self, both, now):
        before, after = both
        ending = "" if after.own is None else ", one of them that of the ten"
        return (
            f"β = {now.beta:g}: {len(before.counts)} components. Then β = 0.01: "
            f"{len(after.counts)} components{ending}; F = {after.free_energy:.1f} nats."
        )


# ---- the picture of the source -------------------------------------------------------

SHOWN = [(10, 5), (10, 0.01), (0.01, 0.01), (0.01, 0.3), (0.01, 5)]


def five_priors(seed: int, questions: int) -> dict:
    """Return weights (10,), means (10, D) and the component of the small group, or None,
    for each of the priors SHOWN and people drawn with a seed."""
    rng = np.random.default_rng([seed, questions])
    X, groups = MINORITIES[questions].sample(SIZE, rng)
    starts = random_starts(X, STARTS, np.random.default_rng(seed))
    found = {}
    for alpha, beta in SHOWN:
        fits = learn(pattern_counts(X), starts, alpha, beta)
        S = fits.S[first_of_the_lowest(fits.free_energy)]
        R = bernoulli_mixture(questions, alpha, beta).responsibilities(X, S)
        own = own_component(R, groups == 2)
        weights = (S[:, 0] + alpha) / (S[:, 0] + alpha).sum()
        means = BetaBernoulli(questions, beta).parameters(S).probability
        found[alpha, beta] = weights, means, own
    return found


def picture_of_five_priors(seed: int) -> plots.Picture:
    """Draw what VB finds under five priors, beside the truth (Kaji 2011, Figure 6.3)."""
    arrays = {}
    for questions in (5, 10):
        found = five_priors(seed, questions)
        for column, (weights, means, _) in enumerate(found.values(), start=1):
            arrays[f"weights_{questions}_{column}"] = weights
            arrays[f"means_{questions}_{column}"] = means
    fig, axes = plots.figure(9, 2.9, ncols=6)
    draw_still(axes[0], TRUTH.weights, TRUTH.means, 2)
    axes[0].set_title("truth (ours)\n5 questions")
    numbers = []
    isolated_at = []
    found = five_priors(seed, QUESTIONS)
    for ax, ((alpha, beta), parts) in zip(axes[1:], found.items(), strict=True):
        weights, means, own = parts
        draw_still(ax, weights, means, own)
        ax.set_title(rf"$a=\alpha$ = {alpha:g}" + "\n" + rf"$b=\beta$ = {beta:g}")
        numbers.append(int((weights >= 5e-4).sum()))
        if own is not None:
            isolated_at.append(f"({alpha:g}, {beta:g})")
    where = " and ".join(isolated_at) or "none of the priors"
    alt = f"""Components as rows of squares with weights, for five questions: the truth
    with three components, and what VB finds under five priors. With the concentration 10
    there are {numbers[0]} and {numbers[1]} components in use, with 0.01 there are
    {numbers[2]}, {numbers[3]} and {numbers[4]}, for rising pseudo-counts. An orange frame
    marks the small group's component, in the truth and at {where}."""
    return plots.Picture(fig, alt, arrays)


def draw_still(ax, weights, means, own):
    """Draw components of a weight of at least 0.0005 as rows of squares, by falling
    weight, with a frame around one of them."""
    order = [k for k in np.argsort(-weights, kind="stable") if weights[k] >= 5e-4]
    for row, k in enumerate(order):
        for column, value in enumerate(means[k]):
            place = (column, row + 0.05)
            grey = plots.grey(value)
            ax.add_patch(Rectangle(place, 0.94, 0.86, fc=grey, ec="black", lw=0.6))
        ax.text(5.2, row + 0.5, f"{weights[k]:.3f}", va="center")
        if k == own:
            make_box(ax).set_y(row)
    ax.set(xlim=(-0.2, 7.5), ylim=(N_COMPONENTS + 0.1, -0.1), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


# ---- a hundred samples ---------------------------------------------------------------


class Rates(NamedTuple):
    """In how many of a hundred samples VB is right, for each beta, at alpha = 0.01."""

    best_of_ten: dict[float, int]
    lowered: dict[float, int]  # first beta: after beta = 0.01 from there
    # (100,), nats that the truth's end at 0.01 is below the best of ten
    saved: np.ndarray


TRIED = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 2]  # betas with ten starts
LOWERED_FROM = [0.3, 1]  # first betas


def results_at_five(name: str, jobs: list[dict]) -> list[dict]:
    """Return the results of a stored study for those of its jobs with five questions."""
    results = stored(name, None, jobs, profile="paper", recheck=0)
    at_five = []
    for job, result in zip(jobs, results, strict=True):
        if job["dimension"] == QUESTIONS:
            at_five.append(result)
    return at_five


@cache
def rates_of_success() -> Rates:
    """Return the rates of the stored studies for five questions (evidence 09)."""
    hunt = study("kaji2011-minority")[QUESTIONS]
    # (100, priors, 3): of the first start, of the best, and of that at the truth
    is_right = (hunt["found"] > 0) & (hunt["used"] == 3)
    best_of_ten = {}
    for place, (alpha, beta) in enumerate(PAIRS):
        if alpha == SMALL_ALPHA:
            best_of_ten[beta] = int(is_right[:, place, 1].sum())
    jobs = []
    for dimension in (5, 10):
        for trial in range(TRIALS):
            jobs.append({"dimension": dimension, "trial": trial, "tried": TRIED})
    compared = results_at_five("kaji2011-starts", jobs)
    for place, beta in enumerate(TRIED):
        best_of_ten[beta] = int(sum(result["right"][place] for result in compared))
    jobs_of_lowering = [job | {"first": LOWERED_FROM} for job in jobs]
    after = results_at_five("kaji2011-lowered", jobs_of_lowering)
    lowered = {}
    for place, beta in enumerate(LOWERED_FROM):
        lowered[beta] = int(sum(result["after"][place] for result in after))
    at_small = PAIRS.index([SMALL_ALPHA, SMALL_BETA])
    return Rates(best_of_ten, lowered, -hunt["excess"][:, at_small])
