"""Lecture 05a, "Is online VB faster than batch VB?": explorers and pictures."""

from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from matplotlib.patches import Circle

from vbkit import plots
from vbkit.course import Explorer, dropdown, sato, select_slider
from vbkit.learning import (
    batch_epochs,
    fit_online,
    init_gaussian,
    online_epochs,
    sato2000,
    without_discount,
)
from vbkit.press.publish import arrays_of, on_file

SEED = 2000  # of data B, and of its first start
POINTS = 1000
# Of a run without noise; the longest of the ten takes some 4,000.
MOST_STEPS = 50_000
BATCH = "batch VB"
ONLINE = "online VB"
NEVER = "nothing forgotten"
LOOK = {
    BATCH: {"color": plots.COLOURS[1], "ls": "--"},
    ONLINE: {"color": plots.COLOURS[0], "ls": "-"},
    NEVER: {"color": plots.COLOURS[2], "ls": ":"},
}
LINES = {"--": "dashes", "-": "solid", ":": "dots"}  # how they read
CLOUD = 16.0  # half the side of the square that shows data B


class Problem(NamedTuple):
    """Data B, the mixture that shall learn it, and where learning begins."""

    X: np.ndarray  # (1000, 2)
    mixture: object
    start: np.ndarray  # (4, 6), expected statistics
    rng: np.random.Generator  # for the order of the points in each pass


def problem(start: int = 1, seed: int = SEED) -> Problem:
    """Return data B with four components and one of their random starts, 1, 2, 3, ..."""
    X = sato.draw(seed)["B"]
    mixture = sato.sato_mixture(X, 4, "full covariance", 0.01)
    rng = np.random.default_rng(seed + start - 1)
    return Problem(X, mixture, init_gaussian(mixture, X, 4, rng), rng)


def clock_after(points) -> np.ndarray:
    """Return what the clock of online VB reads after each number in `points` (n,)."""
    points = np.asarray(points, int)
    rates, _ = sato2000(1.0, tau0=100.0, kappa=0.01).learning_rates(points.max())
    return np.concatenate([[0.0], rates.cumsum()])[points]


def frame_of_points(axes, X):
    """Prepare axes for components among the points of data B, with circles of two standard
    deviations at the cores."""
    axes.set(aspect="equal", xlim=(-CLOUD, CLOUD), ylim=(-CLOUD, CLOUD))
    axes.set(xticks=[-10, 0, 10], yticks=[-10, 0, 10])
    plots.draw_points(axes, X, size=1.2, alpha=1.0)
    for core in sato.CORES:
        axes.add_patch(Circle(core, 2.0, fill=False, lw=1.5, zorder=2.9))


# ---- the race ------------------------------------------------------------------------

SHOWN = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40)


class Run(NamedTuple):
    """One way of learning, after 0, 1, 2, ... passes."""

    parameters: list  # weights and components
    elbo: np.ndarray  # nats


def run_of(mixture, states) -> Run:
    """Return the Run of states: S, its ELBO, and what else online learning yields."""
    parameters = []
    elbo = []
    for S, nats, *_ in states:
        parameters.append(mixture.parameters(S))
        elbo.append(nats)
    return Run(parameters, np.array(elbo))


def epochs_of(given: Problem, schedule):
    """Return what `online_epochs` yields for a Problem, in orders drawn by its rng."""
    return online_epochs(given.mixture, given.X, given.start, schedule, rng=given.rng)


@cache
def race() -> dict[str, Run]:
    """Run the three methods from the first start, for as many passes as are shown."""
    given = problem()
    states = {
        BATCH: batch_epochs(given.mixture, given.X, given.start),
        ONLINE: epochs_of(given, sato2000(POINTS)),
        NEVER: epochs_of(given, without_discount(POINTS)),
    }
    return {
        name: run_of(given.mixture, islice(pairs, SHOWN[-1] + 1))
        for name, pairs in states.items()
    }


class Race(Explorer):
    """Left: the thousand points of data B, its two cores as black circles, and the four
    components of one method as ellipses of two standard deviations, the heavier the
    stronger. Right: the ELBO of three methods, pass by pass.
    """

    title = "Three ways of learning, pass by pass"
    size = (7.5, 3.5)
    passes = select_slider("Passes through the data", SHOWN, 0, play=500)
    method = dropdown("Show the components of", (BATCH, ONLINE, NEVER), ONLINE)

    def compute(self):
        return race()

    def frame(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1, 1.25])
        frame_of_points(left, problem().X)
        left.set_title("Components")
        right.set(xlim=(-1, SHOWN[-1] + 1), ylim=(-6600, -5400), xlabel="passes")
        right.set(ylabel="nats", title="ELBO")
        for place, (name, look) in enumerate(LOOK.items()):
            words = f"{LINES[look['ls']]}: {name}"
            height = -6330 - 95 * place
            right.text(39, height, words, color=look["color"], ha="right")
        return left, right

    def draw(self, panels, runs, now):
        left, right = panels
        model = runs[now.method].parameters[now.passes]
        means, covariances = model.components
        colour = LOOK[now.method]["color"]
        drawn = left.ellipses(means, covariances, model.weights, colours=[colour])
        drawn.outlines.set_linestyle("-")  # on the right, line styles are methods
        until = np.arange(now.passes + 1)
        for name, run in runs.items():
            right.line(until, run.elbo[: now.passes + 1], lw=2, **LOOK[name])
        right.points(now.passes, runs[now.method].elbo[now.passes], color=colour)

    def say(self, runs, now):
        heights = []
        for name, run in runs.items():
            heights.append(f"{name} {run.elbo[now.passes]:.0f}")
        return f"Passes: {now.passes}. ELBO: {', '.join(heights)} nats."


# ---- the clock -----------------------------------------------------------------------

KAPPAS = (0.0, 0.001, 0.01, 0.1, 1.0, np.inf)
KAPPA_WORDS = [(f"{kappa:g}", kappa) for kappa in KAPPAS[:-1]]
KAPPA_WORDS.append(("no forgetting", np.inf))
PASSED = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)
MARKS = np.union1d(  # numbers of points, those after whole passes among them
    np.geomspace(1, 100 * POINTS, 120).astype(int), POINTS * np.array(PASSED)
)


class Clock(NamedTuple):
    """The memory, and what the clock reads, after each number of points in MARKS."""

    memory: np.ndarray
    reading: np.ndarray


@cache
def clock_of(kappa: float) -> Clock:
    """Return the Clock of online VB; kappa is infinite if nothing is forgotten."""
    if np.isinf(kappa):
        schedule = without_discount(1.0, memory=100.0)
    else:
        schedule = sato2000(1.0, tau0=100.0, kappa=kappa)
    rates, _ = schedule.learning_rates(int(MARKS[-1]))
    return Clock(1 / rates[MARKS - 1], rates.cumsum()[MARKS - 1])


class ReadTheClock(Explorer):
    """Two curves against the passes through a thousand points, on scales of powers of ten.
    Left: the memory, which is one over the learning rate. Right: the clock, the sum of all
    learning rates so far. Grey dots: the report's schedule. Black dots: now.
    """

    title = "The memory and the clock"
    size = (9.0, 3.8)
    passes = select_slider("Passes through the data", PASSED, 1, play=400)
    kappa = select_slider("Growth of the memory (kappa)", KAPPA_WORDS, 0.01)

    def compute(self, kappa):
        return clock_of(kappa)

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        reported = clock_of(0.01)
        passed = MARKS / POINTS
        for axes, values in ((left, reported.memory), (right, reported.reading)):
            axes.loglog(passed, values, color=plots.GREY, ls=":", lw=2)
            axes.set(xlim=(0.009, 110), xlabel="passes")
            axes.xaxis.set_major_formatter("{x:g}")
            axes.yaxis.set_major_formatter("{x:,.0f}")
        left.set(ylim=(6, 2e5), ylabel="data points", title="Memory")
        right.set(ylim=(0.6, 2e4), ylabel="sweeps", title="Clock")
        return left, right

    def draw(self, panels, clock, now):
        here = np.searchsorted(MARKS, now.passes * POINTS)
        for panel, values in zip(panels, clock, strict=True):
            panel.line(MARKS / POINTS, values, lw=2.5, **LOOK[ONLINE])
            panel.points(now.passes, values[here], color="black", ms=8)

    def say(self, clock, now):
        seen = now.passes * POINTS
        here = np.searchsorted(MARKS, seen)
        return (
            f"Passes: {now.passes}, so {seen:,} points seen. The memory is "
            f"{clock.memory[here]:,.0f} points; the clock reads "
            f"{clock.reading[here]:,.1f} sweeps."
        )


# ---- the finishing line --------------------------------------------------------------

TARGETS = (100, 50, 20, 10, 5, 2)  # nats below the median end of batch VB
RUNS = sato.JOB["starts"]  # ten starts of four components, those of Figure 2
LOWEST = 0.5  # nats: what lies closer to the median end, or above it, is drawn here
PART = 0.1  # of a sweep: a step of a run without noise
AS_PUBLISHED = {"seed": SEED, "tau0": 100.0, "kappa": 0.01}  # the notebook's parameters


class Arrivals(NamedTuple):
    """What ten runs of each method need until they stay above a target, in the median."""

    batch: float  # sweeps, which are passes
    online: float  # passes
    clock: float  # what the clock of the online runs reads then


def learn_the_runs() -> dict[str, np.ndarray]:
    """Return the ELBOs (10, passes) of ten runs of each method on data B, by "batch" and
    "online". A run that has ended stays where it is."""
    rng = np.random.default_rng([SEED, 1])
    every = sato.traces_of(sato.draw(SEED)["B"], 4, sato.JOB, rng)
    # Ten runs of batch VB, then ten of online VB. Those without a discount come after these.
    traces = list(islice(every, 2 * RUNS))
    return {"batch": until_all_end(traces[:RUNS]), "online": np.array(traces[RUNS:])}


def until_all_end(traces) -> np.ndarray:
    """Return the ELBOs of runs as rows; a run that has ended stays where it is."""
    longest = max(len(trace) for trace in traces)
    return np.array([np.pad(each, (0, longest - len(each)), "edge") for each in traces])


@cache
def runs_of_figure_2() -> dict[str, np.ndarray]:
    """Return the ELBOs (10, passes) of ten runs of batch VB and of online VB on data B.

    No parameter of the notebook changes them.
    """
    runs = arrays_of("sato2000-figarrivals", learn_the_runs, AS_PUBLISHED)
    return {BATCH: runs["batch"], ONLINE: runs["online"]}


@cache
def median_end() -> float:
    """Return the median of the ELBOs at which the ten runs of batch VB end."""
    return float(np.median([trace[-1] for trace in runs_of_figure_2()[BATCH]]))


@cache
def arrivals(target: float) -> Arrivals:
    """Return the medians of ten starts for a target, in nats below the median end."""
    line = median_end() - target
    needed = {}
    for name, traces in runs_of_figure_2().items():
        needed[name] = np.array([sato.first_within(trace, line) for trace in traces])
    # A run that never arrives is nan among what is needed, and infinitely late in a median.
    passes = np.nan_to_num(needed[ONLINE], nan=np.inf)
    readings = np.full(RUNS, np.inf)
    arrived = np.isfinite(passes)
    readings[arrived] = clock_after(POINTS * passes[arrived])
    return Arrivals(
        float(sato.median_passes(needed[BATCH])),
        float(np.median(passes)),
        float(np.median(readings)),
    )


def smooth_arrivals(targets) -> list[float]:
    """Return, for each target, the median units that ten runs without noise need for it.

    targets: nats below the median end, the strictest last. The runs go a tenth of
    each sweep. Such a step never lowers the ELBO, so a run that has reached a target stays
    above it, and ends with the last target. Raises RuntimeError for a run that does not
    reach a target in MOST_STEPS.
    """
    X = sato.draw(SEED)["B"]
    mixture = sato.sato_mixture(X, 4, sato.JOB["model"], sato.JOB["prior_strength"])
    data = mixture.observe(X)
    rng = np.random.default_rng([SEED, 1])
    starts = [init_gaussian(mixture, X, 4, rng) for _ in range(RUNS)]
    needed = np.empty((RUNS, len(targets)))
    for run, S in enumerate(starts):
        sweep = mixture.e_step(data, S)
        steps = 0
        for place, target in enumerate(targets):
            line = median_end() - target
            while sweep.elbo < line:
                if steps == MOST_STEPS:
                    raise RuntimeError(
                        f"after {steps} steps run {run} is still "
                        f"{line - sweep.elbo:.3g} nats below the line of {target} nats"
                    )
                S = S + PART * (sweep.S - S)
                sweep = mixture.e_step(data, S)
                steps += 1
            needed[run, place] = PART * steps
    return np.median(needed, axis=0).tolist()


def draw_runs(panels):
    """Draw the median runs of both methods, against passes and against the clock."""
    for axes, words in zip(panels, ("passes", "sweeps by the clock"), strict=True):
        axes.set(xscale="log", yscale="log", xlim=(0.8, 600), xlabel=words)
        axes.set(ylim=(1400, LOWEST))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.yaxis.set_major_formatter("{x:,.0f}")
    left, right = panels
    left.set(ylabel="nats below the end", title="Against passes")
    right.set_title("Against the clock")
    for name, traces in runs_of_figure_2().items():
        trace = np.median(traces, axis=0)
        below = np.maximum(median_end() - trace, LOWEST)
        passed = np.arange(len(trace))
        clock = clock_after(POINTS * passed) if name == ONLINE else passed
        left.plot(passed[1:], below[1:], lw=2.5, **LOOK[name])
        right.plot(clock[1:], below[1:], lw=2.5, **LOOK[name])
    for axes in panels:
        for height, name in ((0.13, BATCH), (0.05, ONLINE)):
            words = f"{LINES[LOOK[name]['ls']]}: {name}"
            colour = LOOK[name]["color"]
            axes.text(
                0.97, height, words, color=colour, ha="right", transform=axes.transAxes
            )


def picture_of_runs() -> plots.Picture:
    """Draw the median runs; their arrays are the ELBOs (10, passes) of all runs."""
    fig, panels = plots.figure(8.5, 3.8, ncols=2, sharey=True)
    draw_runs(panels)
    runs = runs_of_figure_2()
    alt = """How many nats batch VB (dashed) and online VB (solid) lie below the median end of
    batch VB, in the median of ten runs on data B, on scales of powers of ten. Against passes
    online VB is ahead throughout. Against the clock batch VB is ahead from about 15 sweeps
    to about 65. There it lies on a level stretch at 10 nats, and online VB overtakes it."""
    return plots.Picture(fig, alt, {"batch": runs[BATCH], "online": runs[ONLINE]})


class WhoArrives(Explorer):
    """How many nats batch VB (dashed) and online VB (solid) lie below the median end of
    batch VB, in the median of ten runs, on scales of powers of ten. Left: against passes.
    Right: the same against the clock, where a sweep of batch VB counts one. The black line
    is the target; triangles mark when a run has arrived, in the median of ten.
    """

    title = "Who arrives first?"
    size = (8.5, 3.8)
    computes_ahead = True
    target = select_slider("Target: nats below the end of batch VB", TARGETS, 100)

    def compute(self, target):
        return arrivals(target)

    def frame(self, figure):
        panels = figure.subplots(1, 2, sharey=True)
        draw_runs(panels)
        for axes in panels:
            axes.text(
                0.97,
                0.21,
                "triangles: median time",
                ha="right",
                transform=axes.transAxes,
            )
        return panels

    def draw(self, panels, needed, now):
        left, right = panels
        for panel, online in ((left, needed.online), (right, needed.clock)):
            level = [now.target, now.target]
            panel.line([0.8, 600], level, color="black", ls="--")
            for name, time in ((BATCH, needed.batch), (ONLINE, online)):
                panel.points(
                    time,
                    now.target,
                    color=LOOK[name]["color"],
                    marker="^",
                    ms=12,
                    mec="white",
                    zorder=5,
                )

    def say(self, needed, now):
        return (
            f"Within {now.target} nats: batch VB after {needed.batch:g} sweeps; online VB "
            f"after {needed.online:g} passes, when its clock reads {needed.clock:.0f} "
            "(medians of ten starts)."
        )


# ---- pictures of the text ------------------------------------------------------------


class Paths(NamedTuple):
    """The ELBO of two ways from one start, against the clock."""

    batch: np.ndarray  # (n,), after each sweep
    online: np.ndarray  # (p,), after every 50 points
    online_clock: np.ndarray  # (p,)


def paths_by_the_clock(mixture, X, start) -> Paths:
    """Return two paths (Paths) from a start, until the clock reads 26."""
    batch = [nats for _, nats, *_ in islice(batch_epochs(mixture, X, start), 27)]
    seen = np.arange(0, 3001, 50)
    clock = clock_after(seen)
    stream = np.tile(X, (3, 1))
    schedule = sato2000(len(X))
    S = start
    online = [mixture.e_step(X, S).elbo]
    for first in seen[:-1]:
        piece = stream[first : first + 50]
        fit = fit_online(mixture, piece, S, schedule, monitor=False)
        S = fit.S
        schedule = fit.schedule
        online.append(mixture.e_step(X, S).elbo)
    return Paths(np.array(batch), np.array(online), clock)


def picture_of_paths(paths: Paths) -> plots.Picture:
    """Draw the ELBO of batch VB and of online VB."""
    fig, (ax,) = plots.figure(8, 3.6)
    ax.plot(np.arange(len(paths.batch)), paths.batch, marker="o", ms=4, **LOOK[BATCH])
    ax.plot(paths.online_clock, paths.online, **LOOK[ONLINE])
    ax.set(xlim=(-0.5, 26.5), ylim=(-6500, -5430), ylabel="ELBO (nats)")
    ax.set(xlabel="sweeps of batch VB, or sweeps by the clock")
    for place, (words, colour) in enumerate(
        (
            ("solid: online VB", LOOK[ONLINE]["color"]),
            ("dashes and dots: batch VB", LOOK[BATCH]["color"]),
        )
    ):
        ax.text(26, -6200 - 100 * place, words, color=colour, ha="right")
    alt = """The ELBO of two ways of learning from one start, against the sweeps of batch VB
    or the clock. Both rise in the same way at first; at 10 online VB is about 60 nats above
    batch VB. From 15 on it stays about 20 nats below."""
    return plots.Picture(fig, alt)


def picture_of_data(X: dict) -> plots.Picture:
    """Draw the data sets "A" and "B" of X, which are the arrays of the picture."""
    fig, axes = plots.figure(7, 3.8, ncols=2)
    sato.draw_data(axes, X, {"A": "four alike", "B": "two inside two"})
    alt = """Two scatter plots, and the Gaussians that the points came from as circles of two
    standard deviations. A: 200 points in an elongated cloud with a bulge to the right, four
    equal circles that overlap. B: 1,000 points, two dense round cores inside one wide cloud;
    around each core a small circle inside a wide one."""
    return plots.Picture(fig, alt, X)


def passes_of_figure_2() -> dict[str, np.ndarray]:
    """Return the published arrays behind Figure 2; evidence 05 computes them."""
    with np.load(on_file("data/sato2000-fig2.npz")) as arrays:
        return dict(arrays)


def picture_of_figure_2(arrays: dict) -> plots.Picture:
    """Draw the lower half of Figure 2: passes to the target, by number of components."""
    alt = """The passes until a run stays within 5 nats of batch VB's median end, over one to
    eight components, a panel for each data set. From two components on batch VB needs more
    passes than online VB, on data B more than ten times as many from four on. Without a
    discount the curve breaks off: most runs never arrive."""
    return sato.panels(arrays, "epochs", alt)
