"""Lecture 01a, "Where do the update rules come from?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import digamma, entr, gammaln, softmax

from vbkit import plots
from vbkit.course import Explorer, dropdown, select_slider, slider
from vbkit.course.petals import LENGTH, MEAN_COUNT, nine_petals

BEFORE = plots.GREY
AFTER, PART = plots.COLOURS[:2]
MEANS = np.linspace(-4, 4, 161)  # where densities of a mean are drawn

# three numbers for calculations by hand, and the responsibilities of one component
NUMBERS = np.array([-1.0, 0.0, 2.0])
SHARES = np.array([0.9, 0.5, 0.1])


# ---- the model with known width, as the lecture writes it ----------------------------


class Learned(NamedTuple):
    """What the components have learned: counts, and the Gaussians of their means."""

    n: np.ndarray  # (K,), expected counts
    g: np.ndarray  # (K,), the precision of each mean: petals, real and imaginary
    m: np.ndarray  # (K,), the expected means


def m_step(x, R) -> Learned:
    """Learn from petals x (N,) with responsibilities R (N, K)."""
    n = R.sum(axis=0)
    g = MEAN_COUNT + n
    return Learned(n, g, x @ R / g)


def average_scores(x, n, g, m) -> np.ndarray:
    """Return the average scores (N, K) of petals x (N,), without -log(2 pi) / 2."""
    log_weight = digamma(1 + n) - digamma(np.sum(1 + n))
    misfit = (x[:, None] - m) ** 2 + 1 / g
    return log_weight - misfit / 2


def e_step(x, n, g, m) -> np.ndarray:
    """Return the responsibilities (N, K) by the right rule."""
    return softmax(average_scores(x, n, g, m), axis=1)


def total_scores(x, labellings, n, g, m) -> np.ndarray:
    """Return the sum (L,) of the average scores that each labelling (L, N) picks."""
    scores = average_scores(x, n, g, m)
    return scores[np.arange(len(x)), labellings].sum(axis=1)


def as_printed(x, n, g, m) -> np.ndarray:
    """Return the responsibilities (N, K) by the rule that has lost a bracket."""
    return softmax(digamma(1 + n) - (x[:, None] - m) ** 2 / 2 + 1 / g, axis=1)


def certain_means(x, n, g, m) -> np.ndarray:
    """Return the responsibilities (N, K) by a rule that forgets that means scatter."""
    return softmax(digamma(1 + n) - (x[:, None] - m) ** 2 / 2, axis=1)


def certain_weights(x, n, g, m) -> np.ndarray:
    """Return the responsibilities (N, K) by a rule with the expected weights."""
    return softmax(np.log(1 + n) - ((x[:, None] - m) ** 2 + 1 / g) / 2, axis=1)


def elbo(x, R, n, g, m) -> float:
    """Return the ELBO, in nats, of responsibilities R (N, K) with what was learned.

    R and (n, g, m) need not belong to the same step, so each step can be tested.
    """
    a = 1 + n
    log_weight = digamma(a) - digamma(a.sum())
    scores = average_scores(x, n, g, m) - np.log(2 * np.pi) / 2
    of_labels = np.sum(R * scores) + entr(R).sum()
    prior_of_weights = gammaln(len(a))  # with one imaginary petal of each component
    normalizer = gammaln(a.sum()) - gammaln(a).sum()
    of_weights = normalizer + n @ log_weight - prior_of_weights
    ratio = MEAN_COUNT / g
    of_means = np.sum(ratio - 1 - np.log(ratio) + MEAN_COUNT * m**2) / 2
    return float(of_labels - of_weights - of_means)


def random_start(offered: int, start: int) -> np.ndarray:
    """Return random responsibilities (9, offered) of the nine petals."""
    rng = np.random.default_rng(start)
    return rng.dirichlet(np.ones(offered), size=9)


# ---- each part adds ------------------------------------------------------------------


class Addition(NamedTuple):
    """What is known of a mean before and after the last part was added."""

    before: np.ndarray  # (161,), log density over MEANS, without its constant
    part: np.ndarray  # (161,), what the part adds
    precisions: tuple[float, float]  # before and after
    means: tuple[float, float]


class AddTheParts(Explorer):
    """Left: log densities of a component's mean, without constants. Grey dashes: before;
    orange: what one number adds; blue: their sum. Right: the densities before (grey
    dashes) and after (blue). Hexagons below: the three numbers.
    """

    title = "Each number adds its part"
    size = (9.0, 3.6)
    added = select_slider("Numbers added", range(4), 0, play=900)
    share = slider("Responsibility for the number at 2", 0.0, 1.0, 0.1, 0.1)

    def compute(self, added, share):
        numbers = NUMBERS[:added]
        shares = np.append(SHARES[:2], share)[:added]
        parts = -shares[:, None] * (MEANS - numbers[:, None]) ** 2 / 2
        prior = -MEAN_COUNT * MEANS**2 / 2
        earlier = slice(0, max(added - 1, 0))
        before = prior + parts[earlier].sum(axis=0)
        part = parts[-1] if added else np.zeros_like(MEANS)
        precisions = []
        means = []
        for those in (earlier, slice(0, added)):
            precision = MEAN_COUNT + shares[those].sum()
            precisions.append(float(precision))
            means.append(float(numbers[those] @ shares[those] / precision))
        return Addition(before, part, tuple(precisions), tuple(means))

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        left.set(xlim=(-4, 4), ylim=(-5, 1.1), xlabel="mean of the component")
        left.set(ylabel="nats", title="Logarithms are added")
        left.text(-3.8, 0.55, "dashes: before", color=BEFORE)
        left.text(-0.5, 0.55, "part", color=PART)
        left.text(1.2, 0.55, "sum", color=AFTER)
        right.set(xlim=(-4, 4), ylim=(-0.04, 0.7), ylabel="density")
        right.set(
            xlabel="mean of the component", title="q of the mean, before and after"
        )
        right.plot(NUMBERS, np.full(3, -0.02), "h", color=plots.GREY, ms=9)
        return left, right

    def draw(self, panels, addition, now):
        left, right = panels
        after = addition.before + addition.part
        left.line(MEANS, addition.before, color=BEFORE, ls="--")
        shown = MEANS if now.added else MEANS[:0]
        left.line(shown, addition.part[: len(shown)], color=PART, ls="-.")
        left.line(MEANS, after, color=AFTER)
        for time, colour, dashes in ((0, BEFORE, "--"), (1, AFTER, "-")):
            width = addition.precisions[time] ** -0.5
            density = stats.norm.pdf(MEANS, addition.means[time], width)
            right.line(MEANS, density, color=colour, ls=dashes)

    def say(self, addition, now):
        mean = addition.means[1]
        precision = addition.precisions[1]
        what = (
            f"Prior and {now.added} numbers" if now.added != 1 else "Prior and 1 number"
        )
        return (
            f"{what}: precision g = {precision:.1f}, mean {mean:.2f}, "
            f"standard deviation {precision**-0.5:.2f}."
        )


# ---- a bracket that got lost ---------------------------------------------------------

OFFERED = 6
LAST = 25  # sweeps
RULES = {"right": e_step, "as printed": as_printed}
STARTS = (1, 2, 3, 4, 5)
IN_USE = 0.5  # petals: a component that holds fewer counts as empty


class Run(NamedTuple):
    """How a rule for assigning works, sweep by sweep."""

    counts: np.ndarray  # (LAST + 1, 6), petals, components in the order of their means
    learned: np.ndarray  # (LAST + 1,), the ELBO after learning
    assigned: np.ndarray  # (LAST + 1,), the ELBO after the assigning that follows


def run(assign, start: int) -> Run:
    """Sweep over the nine petals with six components, from a random start."""
    x = nine_petals()
    R = random_start(OFFERED, start)
    counts = []
    learned = []
    assigned = []
    for _ in range(LAST + 1):
        n, g, m = m_step(x, R)
        counts.append(n[np.argsort(m)])
        learned.append(elbo(x, R, n, g, m))
        R = assign(x, n, g, m)
        assigned.append(elbo(x, R, n, g, m))
    return Run(np.array(counts), np.array(learned), np.array(assigned))


@cache
def run_of(rule: str) -> Run:
    """Return the run by a rule from the first start."""
    return run(RULES[rule], STARTS[0])


def steps_until(result: Run, sweep: int) -> np.ndarray:
    """Return the ELBO of each step (2 sweep - 1,) from the learning of sweep 1 on."""
    both = np.ravel(np.column_stack([result.learned, result.assigned]))
    return both[2 : 2 * sweep + 1]


class TwoRules(NamedTuple):
    """What one rule does, beside what the right one does from the same start."""

    tried: Run
    right: Run


class LoseABracket(Explorer):
    """Left: a bar for each of six components, the petals that it holds. Right: the ELBO
    after each step from sweep 1 on; blue dots after learning, orange squares after
    assigning. (The first sweep lifts it from far below.) Black rings and dashes: the right
    rule, from the same start.
    """

    title = "Nine petals, six components, two rules"
    size = (9.0, 3.6)
    sweep = select_slider("Sweep", range(1, LAST + 1), 1, play=300)
    rule = dropdown("Rule for assigning", RULES, "right")

    def compute(self, rule):
        return TwoRules(run_of(rule), run_of("right"))

    def frame(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1, 1.4])
        left.set(xlim=(0.4, OFFERED + 0.6), ylim=(0, 6.2), ylabel="petals")
        left.set(xlabel="component, by its mean", xticks=range(1, OFFERED + 1))
        left.set_title("Petals that each component holds")
        right.set(xlim=(0, LAST + 1), ylim=(-37.6, -29.6), ylabel="nats")
        right.set(xlabel="sweep", title="ELBO after each step")
        left.text(0.5, 5.8, "rings: the right rule")
        right.text(LAST, -35.8, "dots: after learning", color=AFTER, ha="right")
        right.text(LAST, -36.5, "squares: after assigning", color=PART, ha="right")
        right.text(LAST, -37.2, "dashes: the right rule", ha="right")
        return left, right

    def draw(self, panels, result, now):
        left, right = panels
        bars = np.arange(1, OFFERED + 1)
        counts = result.tried.counts[now.sweep]
        left.columns(bars, 0, counts, 0.7, facecolor=AFTER)
        held = result.right.counts[now.sweep]
        left.points(bars, held, color="black", mfc="none", ms=9)
        steps = steps_until(result.tried, now.sweep)
        sweeps = 1 + np.arange(len(steps)) / 2
        due = steps_until(result.right, now.sweep)
        right.line(sweeps, due, color="black", ls="--", lw=1.2)
        right.line(sweeps, steps, color=plots.GREY, lw=1)
        right.points(sweeps[::2], steps[::2], color=AFTER, ms=5)
        right.points(sweeps[1::2], steps[1::2], color=PART, marker="s", ms=4)

    def say(self, result, now):
        used = int(np.sum(result.tried.counts[now.sweep] > IN_USE))
        fall = largest_fall(steps_until(result.tried, now.sweep))
        return (
            f"Sweep {now.sweep}: {used} of {OFFERED} components hold more than half a "
            f"petal. The largest fall of the ELBO in one step so far: {fall:.2f} nats."
        )


def largest_fall(steps) -> float:
    """Return by how much the ELBO fell most from one step to the next, or 0."""
    return float(np.max(-np.diff(steps), initial=0.0))


# ---- pictures of the text ------------------------------------------------------------


def picture_of_petals(x) -> plots.Picture:
    """Draw petal lengths x (9,) as marks on a line."""
    fig, (ax,) = plots.figure(7, 1.4)
    ax.plot(x, np.zeros(len(x)), "h", color=plots.GREY, ms=15)
    ax.set(yticks=[], xlabel=LENGTH, xlim=(-7, 6))
    ax.spines["left"].set_visible(False)
    alt = "Nine petals: three close together near -5, six from 0.8 to 4.8."
    return plots.Picture(fig, alt)
