"""Lecture 09, "Which prior finds a small group?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import Rectangle
from scipy.special import betaln

from vbkit import plots
from vbkit.course import Explorer, log_slider, select_slider
from vbkit.course.answers_09 import isolated
from vbkit.course.lecture_08b import STUDENTS, kinds_of_students
from vbkit.course.minority import (
    MINORITIES,
    N_COMPONENTS,
    PAIRS,
    PEOPLE,
    SIZE,
    TRIALS,
    USED,
    bernoulli_mixture,
    learn,
    prices,
    random_starts,
    smallest_group,
)
from vbkit.data import Truth
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors, pattern_counts
from vbkit.phases import solve
from vbkit.press.ledger import rate
from vbkit.press.publish import stored

QUESTIONS = 5
TRUTH = MINORITIES[QUESTIONS]
SIZES = (550, 440, 10)  # of the groups
STARTS = 10
SMALL_ALPHA = 0.01
SMALL_BETA = 0.01
OWN = plots.COLOURS[1]  # of whatever belongs to the ten people
APART = plots.COLOURS[0]
INSIDE = plots.COLOURS[1]


# ---- a thousand people ---------------------------------------------------------------


class People(NamedTuple):
    """A thousand people: what they answer, and where VB starts."""

    X: np.ndarray  # (1000, 5), 1 for a yes
    ten: np.ndarray  # (1000,), whether they belong to the ten
    counts: np.ndarray  # (32,), how many hand in each answer sheet
    starts: np.ndarray  # (10, 10, 11)


@cache
def thousand_people() -> People:
    """Draw the answers of the three groups, which have exactly SIZES people."""
    rng = np.random.default_rng(2011)
    group = np.repeat([0, 1, 2], SIZES)
    X = (rng.random((SIZE, QUESTIONS)) < TRUTH.means[group]).astype(np.uint8)
    return People(X, group == 2, pattern_counts(X), random_starts(X, STARTS, rng))


class Found(NamedTuple):
    """The components in use with the lowest free energy, the largest first."""

    counts: np.ndarray  # (n,), people
    answers: np.ndarray  # (n, 5), mean probabilities of a yes
    own: int | None  # which of them belongs to the ten people
    free_energy: float  # nats
    S: np.ndarray  # (10, 11), all components


def best_of(starts, alpha: float, beta: float) -> Found:
    """Run VB for the thousand people from the starts, and return the best end."""
    people = thousand_people()
    ends = learn(people.counts, starts, alpha, beta)
    S = ends.S[ends.free_energy.argmin()]
    S = S[np.argsort(-S[:, 0], kind="stable")]
    used = S[S[:, 0] >= USED]
    R = bernoulli_mixture(QUESTIONS, alpha, beta).responsibilities(people.X, S)
    own = int(R[people.ten].sum(axis=0).argmax()) if isolated(R, people.ten) else None
    answers = (used[:, 1:6] + beta) / (used[:, :1] + 2 * beta)
    return Found(used[:, 0], answers, own, float(ends.free_energy.min()), S)


@cache
def find(alpha: float, beta: float) -> Found:
    """Return the best of ten random starts."""
    return best_of(thousand_people().starts, alpha, beta)


@cache
def lowered(first: float) -> Found:
    """Return where VB ends at SMALL_BETA if it starts from the best end at a first beta."""
    begin = find(SMALL_ALPHA, first)
    return best_of(begin.S[None], SMALL_ALPHA, SMALL_BETA)


# ---- rows of squares -----------------------------------------------------------------

SQUARE = np.array([(0, 0.05), (0.94, 0.05), (0.94, 0.91), (0, 0.91)])


def frame_of_rows(axes, title: str, rows=N_COMPONENTS):
    """Lay out axes for so many rows of components."""
    axes.set(xlim=(-1.3, QUESTIONS + 0.1), ylim=(rows, -0.1), title=title)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def make_squares(axes):
    """Make a collection of squares, which come with each drawing."""
    return axes.add_collection(PolyCollection([], edgecolors="black", lw=0.7))


def make_box(axes):
    """Make the frame around the row of the ten people."""
    place = (-0.06, 0), QUESTIONS + 0.06, 0.96
    return axes.add_patch(Rectangle(*place, fill=False, ec=OWN, lw=2.5, zorder=5))


def squares_of(answers) -> dict:
    """Return the properties of squares for answers (n, 5), one row below the other."""
    places = [SQUARE + place[::-1] for place in np.ndindex(answers.shape)]
    greys = [str(round(float(value), 3)) for value in answers.ravel()]
    return {"verts": places, "facecolor": greys}


def draw_rows(panel, found: Found):
    """Draw components as rows of squares, with a frame around that of the ten people."""
    panel.artist(make_squares, **squares_of(found.answers))
    # outside of the axes if they have none
    panel.artist(make_box, y=-5.0 if found.own is None else float(found.own))
    for row, count in enumerate(found.counts):
        words = f"{count:.0f}" if count >= 9.95 else f"{count:.1f}"
        panel.text(-0.2, row + 0.5, words, ha="right", va="center", size=10)


def draw_groups(axes):
    """Draw the three groups of people, which stand still, in the same way."""
    make_squares(axes).update(squares_of(TRUTH.means))
    make_box(axes).set_y(2)
    for row, size in enumerate(SIZES):
        axes.text(-0.2, row + 0.5, size, ha="right", va="center", size=10)
    key = "white: always yes\nblack: always no\norange frame: the ten"
    axes.text(0, 5, key, va="center", color=plots.GREY)
    axes.set_zorder(-1)  # behind all that moves


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
    alpha = select_slider("Concentration α", ALPHAS, 10.0)
    beta = select_slider("Pseudo-count β", BETAS, 5.0)

    def compute(self, alpha, beta):
        return find(alpha, beta)

    def frame(self, figure):
        for alpha in ALPHAS:  # found here, so that no position has to wait for it
            for beta in BETAS:
                find(alpha, beta)
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
        style = {"ha": "right", "zorder": 0.5}
        axes.text(95, 17, "solid: apart, in a component", color=APART, **style)
        axes.text(95, 15, "dashed: inside a large one", color=INSIDE, **style)
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


FIRST = (0.01, 0.1, 0.3, 1.0, 3.0)


class LowerThePseudoCount(Explorer):
    """Left: the components that VB uses at the first pseudo-count, the best of ten random
    starts, as rows of squares with their numbers of people. Right: those that are left
    after VB has continued from there with the pseudo-count 0.01. An orange frame marks the
    component of the ten people, if they have one.
    """

    title = "First a large β, then a small one"
    size = (8.0, 2.9)
    beta = select_slider("First β", FIRST, 0.01)

    def compute(self, beta):
        return find(SMALL_ALPHA, beta), lowered(beta)

    def frame(self, figure):
        for first in FIRST:
            lowered(first)
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
        S = fits.S[fits.free_energy.argmin()]
        R = bernoulli_mixture(questions, alpha, beta).responsibilities(X, S)
        own = None
        if isolated(R, groups == 2):
            own = int(R[groups == 2].sum(axis=0).argmax())
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
        draw_still(ax, *parts)
        ax.set_title(rf"$a=\alpha$ = {alpha:g}" + "\n" + rf"$b=\beta$ = {beta:g}")
        numbers.append(int((parts[0] >= 5e-4).sum()))
        if parts[2] is not None:
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
            grey = str(round(float(value), 3))
            style = {"fc": grey, "ec": "black", "lw": 0.6}
            ax.add_patch(Rectangle((column, row + 0.05), 0.94, 0.86, **style))
        ax.text(5.2, row + 0.5, f"{weights[k]:.3f}", va="center")
        if k == own:
            make_box(ax).set_y(row)
    ax.set(xlim=(-0.2, 7.5), ylim=(N_COMPONENTS + 0.1, -0.1), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


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
        place = {"at": -1, "offset": (6, 0), "colour": plots.COLOURS[k]}
        plots.label_line(ax, n, price, rf"$\beta$ = {beta:g}", **place)
    ax.set(xlim=(0, 11.5), ylim=(0, 6), xlabel="people who answer alike")
    ax.set(ylabel="price of one question (nats)", xticks=range(0, 11, 2))
    alt = """The price in nats against the number of people who give the same answer to one
    question. All three lines begin with 0.69 nats for the first person. With the
    pseudo-count 0.1 the line is nearly level from there on, with 10 it rises by nearly as
    much for each further person, and with 1 it lies between."""
    return plots.Picture(fig, alt)


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


def picture_of_freezing() -> plots.Picture:
    """Draw the number of no in one component, sweep by sweep, at two pseudo-counts."""
    sweeps = np.arange(SWEEPS + 1)
    fig, (ax,) = plots.figure(8, 3)
    words = []
    for k, beta in enumerate((0.3, 0.01)):
        no = numbers_of_no(beta)
        ax.plot(sweeps, no, **plots.line_style(k))
        words.append(
            f"{no[5]:.1f} after 5 sweeps, {no[20]:.1f} after 20 and {no[50]:.0f} after 50"
        )
    ax.text(33, 15, r"$\beta$ = 0.3", color=plots.COLOURS[0])
    ax.text(33, 1.3, r"$\beta$ = 0.01", color=plots.COLOURS[1])
    ax.set(xlim=(0, SWEEPS), ylim=(-1, 40), xlabel="sweeps")
    ax.set(ylabel="people who say no")
    ax.set_title("One component and its last question")
    alt = f"""The number of people of one component who say no, against the sweeps, from the
    same start at two pseudo-counts. Both lines fall from {no[0]:.0f}. At 0.3 there are
    {words[0]}. At 0.01 there are {words[1]}."""
    return plots.Picture(fig, alt)


class Rates(NamedTuple):
    """In how many of a hundred samples VB is right, for each beta, at alpha = 0.01."""

    from_truth: dict[float, int]
    best_of_ten: dict[float, int]
    lowered: dict[float, int]  # first beta: after beta = 0.01 from there


@cache
def rates_of_success() -> Rates:
    """Return the rates of the stored studies for five questions (evidence 09)."""
    settings = {"compute": None, "profile": "paper", "recheck": 0}
    jobs = [{"dimension": M, "trial": i} for M in (5, 10) for i in range(TRIALS)]
    tried = {"tried": [0.1, 0.2, 0.3, 0.5, 0.7, 1, 2]}
    first = {"first": [0.3, 1]}
    by_trial = [
        {"dimension": M, "trial": i, "pairs": PAIRS}
        for i in range(TRIALS)
        for M in (5, 10)
    ]
    every = [
        stored("kaji2011-minority", jobs=by_trial, **settings),
        stored("kaji2011-starts", jobs=[job | tried for job in jobs], **settings),
        stored(
            "kaji2011-lowered", jobs=[job | tried | first for job in jobs], **settings
        ),
    ]
    hunt, compared, low = (
        [row for job, row in zip(asked, rows, strict=True) if job["dimension"] == 5]
        for asked, rows in zip((by_trial, jobs, jobs), every, strict=True)
    )
    from_truth = {}
    best_of_ten = {}
    for place, (alpha, beta) in enumerate(PAIRS):
        if alpha == SMALL_ALPHA:
            right = [
                (row["found"][place] > 0) & (row["used"][place] == 3) for row in hunt
            ]
            _, best, truth = np.sum(right, axis=0)
            from_truth[beta] = int(truth)
            best_of_ten[beta] = int(best)
    for place, beta in enumerate(tried["tried"]):
        from_truth[beta] = int(sum(row["from_truth"][place] for row in low))
        best_of_ten[beta] = int(sum(row["right"][place] for row in compared))
    after = np.sum([row["after"] for row in low], axis=0)
    return Rates(
        from_truth, best_of_ten, dict(zip((0.3, 1), map(int, after), strict=True))
    )


def picture_of_rates() -> plots.Picture:
    """Draw in how many of a hundred samples VB is right, against beta."""
    rates = rates_of_success()
    fig, (ax,) = plots.figure(8, 3.4)
    for k, found in enumerate((rates.from_truth, rates.best_of_ten)):
        betas = sorted(found)
        shares = [rate(found[beta], TRIALS) for beta in betas]
        rows = [[100 * getattr(one, end) for one in shares] for end in ENDS]
        plots.draw_band(ax, betas, rows, "", k)
    ax.text(0.011, 78, "started at the truth", color=plots.COLOURS[0])
    ax.text(0.011, 14, "best of ten\nrandom starts", color=plots.COLOURS[1])
    ax.set(xscale="log", ylim=(0, 106), xlabel=r"pseudo-count $\beta$")
    ax.set_xticks([0.01, 0.1, 0.3, 1, 5], ["0.01", "0.1", "0.3", "1", "5"])
    ax.minorticks_off()
    ax.set(ylabel="right (% of samples)")
    top = max(rates.best_of_ten, key=rates.best_of_ten.get)
    alt = f"""Percentage of 100 samples in which VB ends with exactly three components, one
    of them that of the small group, against the pseudo-count on a logarithmic axis, with
    95 % bands. Started at the truth, it falls from {rates.from_truth[0.01]} to
    {rates.from_truth[5]} as the pseudo-count rises. From the best of ten random starts it
    is {rates.best_of_ten[0.01]} at 0.01, {rates.best_of_ten[top]} at {top:g}, and
    {rates.best_of_ten[5]} at 5."""
    return plots.Picture(fig, alt)


ENDS = ("low", "value", "high")


# ---- the truth and its rival -------------------------------------------------------------


def two_starts(X, group) -> np.ndarray:
    """Return states (2, 10, 11) for people X (N, 5) of groups (N,): each group in a
    component of its own, and the small group joined to the second."""
    statistics = BetaBernoulli(QUESTIONS).statistics(X)
    components = np.eye(N_COMPONENTS)
    joined = np.minimum(group, 1)
    return np.stack([components[one].T @ statistics for one in (group, joined)])


def joined_to_the_second() -> np.ndarray:
    """Return the state (1, 10, 11) in which the ten people have joined the second group."""
    group = np.repeat([0, 1, 2], SIZES)
    return two_starts(thousand_people().X, group)[1:]


@cache
def truth_is_lower(size: int) -> int:
    """Return in how many of a hundred samples, with so many people in the small group on
    average, VB's end from the truth has a lower free energy than from the joined groups."""
    weights = np.array([550, 450 - size, size]) / SIZE
    truth = Truth(weights, TRUTH.means)
    lower = 0
    for trial in range(TRIALS):
        X, group = truth.sample(SIZE, np.random.default_rng([2011, size, trial]))
        ends = learn(pattern_counts(X), two_starts(X, group), SMALL_ALPHA, SMALL_BETA)
        apart, joined = ends.free_energy
        lower += int(apart < joined)
    return lower


# ---- 319 students, and as many who never were ----------------------------------------


@cache
def two_kinds() -> np.ndarray:
    """Return how many of 319 students hand in each sheet as each of the two kinds that VB
    reports at alpha = 0.5 and beta = 1, on average, (16, 2)."""
    two = kinds_of_students(0.5, 1.0)
    means = two.answers[:, ::-1]  # the engine's order of questions
    sheets = binary_vectors(4).astype(float)
    each = np.exp(sheets @ np.log(means).T + (1 - sheets) @ np.log(1 - means).T)
    each = each * two.counts
    return STUDENTS.sum() * each / each.sum()


@cache
def random_labels() -> np.ndarray:
    """Return forty random divisions of the sixteen sheets among four kinds (40, 16, 4)."""
    rng = np.random.default_rng(1)
    labels = [rng.dirichlet(np.full(4, spread), size=(20, 16)) for spread in (1.0, 0.1)]
    return np.concatenate(labels)


def starts_from_labels(table) -> np.ndarray:
    """Return the states (40, 4, 9) of the random divisions, for a table (16,) of counts."""
    rows = BetaBernoulli(4).statistics(binary_vectors(4))
    return np.swapaxes(random_labels() * table[:, None], 1, 2) @ rows


def expected_of_two_kinds() -> tuple[np.ndarray, np.ndarray]:
    """Return the sheets (16,) that 319 students of two kinds hand in on average, and starts
    (41, 4, 9) for VB: the two kinds, and random divisions."""
    expected = two_kinds().sum(axis=1)
    counts = np.pad(two_kinds(), [(0, 0), (0, 2)])  # two components are empty
    start = counts.T @ BetaBernoulli(4).statistics(binary_vectors(4))
    return expected, np.concatenate([start[None], starts_from_labels(expected)])


@cache
def kinds_reported(alpha: float, beta: float) -> np.ndarray:
    """Return how many kinds VB reports in each of a hundred tables of 319 students, drawn
    from two kinds, (100,)."""
    rng = np.random.default_rng(0)
    probabilities = two_kinds().sum(axis=1) / STUDENTS.sum()
    tables = rng.multinomial(int(STUDENTS.sum()), probabilities, size=TRIALS)
    numbers = []
    for table in tables.astype(float):
        starts = starts_from_labels(table)
        ends = solve(table, starts, alpha, beta, max_iterations=1000, tolerance=1e-8)
        S = ends.S[ends.free_energy.argmin()]
        numbers.append(int((S[:, 0] > 1).sum()))
    return np.array(numbers)


def picture_of_no_group() -> plots.Picture:
    """Draw how many kinds are reported where there are two, for two priors."""
    fig, axes = plots.figure(8, 2.8, ncols=2, sharey=True)
    words = []
    for ax, prior in zip(axes, [(0.5, 1.0), (1.0, 0.1)], strict=True):
        numbers = np.bincount(kinds_reported(*prior), minlength=5)[1:]
        colours = [plots.GREY, plots.COLOURS[0], plots.GREY, plots.GREY]
        ax.bar_label(ax.bar(range(1, 5), numbers, color=colours))
        ax.set(xlabel="kinds reported", ylim=(0, 112), xticks=range(1, 5))
        ax.set_title(rf"$\alpha$ = {prior[0]:g}, $\beta$ = {prior[1]:g}")
        words.append(", ".join(f"{n} with {k}" for k, n in enumerate(numbers, start=1)))
    axes[0].set_ylabel("of 100 made-up tables")
    alt = f"""Bars: how many of a hundred tables, made up of two kinds of students, are
    reported with one, two, three or four kinds. At the first prior {words[0]}; at the
    second {words[1]}."""
    return plots.Picture(fig, alt)
