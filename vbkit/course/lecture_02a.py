"""Lecture 02a, "What if we moved after every data point?": explorers and pictures."""

from functools import cache
from math import tanh
from typing import NamedTuple

import numpy as np
from scipy import stats

from vbkit import plots
from vbkit.course import Explorer, dropdown, select_slider, slider
from vbkit.course import four_gaussians as four
from vbkit.data import SATO1999_LAYOUTS
from vbkit.learning import fit_batch, sato1999
from vbkit.press.publish import arrays_of

ONLINE, BATCH = plots.COLOURS[:2]
BEST = plots.GREY
LOOK = {"batch": {"color": BATCH, "ls": "--"}, "online": {"color": ONLINE, "ls": "-"}}


# ---- components at several times -----------------------------------------------------

PASSES = 20


class Mixtures(NamedTuple):
    """Components at several times: weights, means, variances."""

    weights: np.ndarray  # (n, 4)
    means: np.ndarray  # (n, 4, 2)
    variances: np.ndarray  # (n, 4)

    def at(self, place: int) -> tuple:
        """Return means (4, 2), variances (4,) and weights (4,) at one time, to be drawn."""
        return self.means[place], self.variances[place], self.weights[place]


def frame_of_points(axes, title: str):
    """Prepare axes for components among the thousand points."""
    ticks = [0, 0.5, 1]
    axes.set(aspect="equal", xlim=(0, 1), ylim=(0, 1), xticks=ticks, yticks=ticks)
    axes.set_title(title)
    plots.draw_points(axes, four.points(), size=2)


# ---- one number: the two bumps -------------------------------------------------------

HAND = np.array([1.5, -0.5, 2.0])  # three bolts for calculations by hand
HAND_RATES = (1 / 2, 1 / 3, 1 / 4)
BOLTS = 300
TRUTH = 1.0  # theta of the machines that made them
OVER = 5  # passes over the bolts
RULES = ("1 / (n + 1)", "0.3", "0.1", "0.03", "0.003")
FROM = (0.1, 0.3, 1.0, 3.0)


@cache
def three_hundred_bolts() -> np.ndarray:
    """Return 300 bolts from two machines at -1 and 1 of width 1; they are always the same."""
    rng = np.random.default_rng(2)
    bolts = TRUTH * rng.choice([-1, 1], BOLTS) + rng.standard_normal(BOLTS)
    bolts.setflags(write=False)
    return bolts


class Estimates(NamedTuple):
    """How the estimate of theta moves."""

    online: np.ndarray  # (1501,), after each bolt
    batch: np.ndarray  # (6,), after each pass
    best: float  # where the likelihood is highest


def batch_estimates(x, theta: float, sweeps: int) -> np.ndarray:
    """Return the estimates (sweeps + 1,) of batch EM from theta."""
    estimates = [theta]
    for _ in range(sweeps):
        estimates.append(float(np.mean(x * np.tanh(estimates[-1] * x))))
    return np.array(estimates)


def online_estimates(x, theta: float, rates) -> np.ndarray:
    """Return the estimates (n + 1,) of online EM from theta, with rates (n,)."""
    estimates = [theta]
    for bolt, rate in zip(x.tolist(), rates, strict=True):
        proposal = bolt * tanh(theta * bolt)
        theta = theta + rate * (proposal - theta)
        estimates.append(theta)
    return np.array(estimates)


def rates_of(rule: str, number: int) -> list[float]:
    """Return the learning rates (number,) of a rule of RULES."""
    if rule == RULES[0]:
        return [1 / (n + 1) for n in range(1, number + 1)]
    return [float(rule)] * number


class TwoBumps(Explorer):
    """The estimate of theta against the number of bolts seen, in five passes over 300 bolts.
    Blue: online EM, which moves with each bolt. Orange steps: batch EM, which moves at the
    end of a pass. Grey dots: the value with the highest likelihood.
    """

    title = "One number, two ways"
    size = (8.0, 3.6)
    rule = dropdown("Learning rate", RULES, RULES[0])
    theta = select_slider("Start", FROM, 0.1)

    def compute(self, rule, theta):
        x = three_hundred_bolts()
        stream = np.tile(x, OVER)
        online = online_estimates(stream, theta, rates_of(rule, len(stream)))
        batch = batch_estimates(x, theta, 100)
        return Estimates(online, batch[: OVER + 1], float(batch[-1]))

    def frame(self, figure):
        axes = figure.subplots()
        passes = range(0, BOLTS * OVER + 1, BOLTS)
        axes.set(xlim=(0, BOLTS * OVER), ylim=(0, 3.3), xticks=passes)
        axes.set(xlabel="bolts seen (a pass: 300)", ylabel="estimate of θ")
        for place, text, colour in (
            (0.02, "blue: online EM", ONLINE),
            (0.27, "orange steps: batch EM", BATCH),
            (0.62, "dots: highest likelihood", BEST),
        ):
            axes.text(place, 0.92, text, color=colour, transform=axes.transAxes)
        return axes

    def draw(self, panels, estimates, now):
        (panel,) = panels
        ends = np.array([0, BOLTS * OVER])
        panel.line(ends, np.full(2, estimates.best), color=BEST, ls=":", lw=1.5)
        panel.line(
            BOLTS * np.arange(OVER + 1),
            estimates.batch,
            color=BATCH,
            ls="--",
            lw=2,
            drawstyle="steps-post",
        )
        n = np.arange(len(estimates.online))
        panel.line(n, estimates.online, color=ONLINE, ls="-", lw=1.2)

    def say(self, estimates, now):
        lowest, highest = in_last_pass(estimates.online)
        return (
            f"After one pass: online {estimates.online[BOLTS]:.2f}, batch "
            f"{estimates.batch[1]:.2f}. In the fifth pass online EM moves between "
            f"{lowest:.2f} and {highest:.2f}; the likelihood is highest at "
            f"{estimates.best:.2f}."
        )


def in_last_pass(online) -> tuple[float, float]:
    """Return the lowest and the highest estimate of the last pass."""
    last = online[BOLTS * (OVER - 1) :]
    return float(last.min()), float(last.max())


# ---- how long a memory ---------------------------------------------------------------

MEMORIES = {  # schedules of online EM; every start counts as one point
    "no limit": sato1999(four.SIZE, forgetting_rate=0.0),
    "100 points": sato1999(four.SIZE, forgetting_rate=0.01, kappa=0.0),
    "growing": sato1999(four.SIZE, forgetting_rate=0.01, kappa=0.05),
}
FEW_STARTS = range(1, 6)


def schedule(tau0: float, kappa: float):
    """Return the schedule whose memory is near tau0 at first, and grows with kappa."""
    return sato1999(four.SIZE, forgetting_rate=1 / tau0, kappa=kappa)


class Passes(NamedTuple):
    """Online EM after each of 20 passes, beside batch EM from the same start."""

    found: Mixtures
    divergence: np.ndarray  # (21,), in nats
    batch: np.ndarray  # (21,), the divergence of batch EM


@cache
def passes_with(memory: str, start: int) -> Passes:
    """Run online EM with a memory of MEMORIES, and batch EM."""
    mixture = four.em_mixture(four.SIZE)
    S = four.start_state(start)
    rng = np.random.default_rng(start)
    states = four.learn(mixture, four.points(), S, MEMORIES[memory], PASSES, rng)
    found = Mixtures(*four.parameters(mixture, states))
    batch = four.divergence_after_passes(start, None, PASSES)
    return Passes(found, four.divergence(found), batch)


class HowLongAMemory(Explorer):
    """Left: a thousand points, and the four components of online EM as circles of one
    standard deviation; a circle is the bolder, the more weight its component has. Right:
    the divergence from the truth after each pass, on a scale of powers of ten; blue: online
    EM with this memory, orange dashes: batch EM.
    """

    title = "How long should the memory be?"
    size = (9.0, 4.0)
    passed = select_slider("Passes", range(PASSES + 1), 0, play=400)
    memory = dropdown("Memory", MEMORIES, "no limit")
    start = slider("Start", 1, 5, 1)

    def compute(self, memory, start):
        for each in MEMORIES:
            for one in FEW_STARTS:
                passes_with(each, one)  # now, and not while the slider moves
        return passes_with(memory, start)

    def frame(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1, 1.25])
        frame_of_points(left, "Online EM")
        right.set(yscale="log", xlim=(-0.4, PASSES + 0.4), ylim=(3e-3, 6))
        right.set(xlabel="passes over the thousand points", ylabel="nats")
        right.set(xticks=range(0, PASSES + 1, 5), title="Divergence from the truth")
        right.text(PASSES, 3.2, "blue: online EM", color=ONLINE, ha="right")
        right.text(PASSES, 1.7, "dashes: batch EM", color=BATCH, ha="right")
        return left, right

    def draw(self, panels, passes, now):
        left, right = panels
        means, variances, weights = passes.found.at(now.passed)
        visible = np.maximum(weights, 0.5 * weights.max())  # none becomes too pale
        left.ellipses(means, variances, visible, radius=1.0)
        shown = np.arange(now.passed + 1)
        right.line(shown, passes.batch[: now.passed + 1], **LOOK["batch"])
        right.line(shown, passes.divergence[: now.passed + 1], **LOOK["online"])
        right.points(now.passed, passes.divergence[now.passed], color=ONLINE, ms=7)

    def say(self, passes, now):
        return (
            f"Passes: {now.passed}. Divergence from the truth: online EM "
            f"{passes.divergence[now.passed]:.3f}, batch EM "
            f"{passes.batch[now.passed]:.3f} nats."
        )


# ---- pictures of the text ------------------------------------------------------------


def picture_of_two_bumps(theta: float = TRUTH) -> plots.Picture:
    """Draw the density of all bolts, and the average label of a bolt."""
    x = np.linspace(-4, 4, 201)
    fig, (left, right) = plots.figure(8.5, 3, ncols=2)
    for side, colour in ((-1, BATCH), (1, ONLINE)):
        half = stats.norm.pdf(x, side * theta) / 2
        left.plot(x, half, color=colour, ls="--" if side < 0 else "-.")
    total = (stats.norm.pdf(x, -theta) + stats.norm.pdf(x, theta)) / 2
    left.plot(x, total, color="black", ls="-")
    left.set(xlabel="length of a bolt", ylabel="density", ylim=(0, 0.32))
    left.set_title(f"Two machines, at −{theta:g} and {theta:g}")
    left.text(-3.8, 0.28, "black: all bolts")
    right.plot(x, np.tanh(theta * x), color="black", ls="-")
    right.set(
        xlabel="length of a bolt", ylabel="average of its label", ylim=(-1.1, 1.1)
    )
    right.set_title(f"What the length says about the label (θ = {theta:g})")
    alt = """Left: two bell curves at -1 and 1, each with half the area, and their sum. Right:
    the average of a bolt's label rises from -1 at the left to 1 at the right, and is 0 for a
    bolt in the middle."""
    return plots.Picture(fig, alt)


def picture_of_three_steps() -> plots.Picture:
    """Draw the three proposals of the calculation by hand, and the moves."""
    path = online_estimates(HAND, 1.0, HAND_RATES)
    fig, (left, right) = plots.figure(8.5, 3.2, ncols=2, sharey=True)
    places = np.arange(1, 4)
    proposals = {
        "batch": HAND * np.tanh(HAND),
        "online": HAND * np.tanh(path[:-1] * HAND),
    }
    for axes, name in ((left, "batch"), (right, "online")):
        label = "proposals" if name == "batch" else None
        axes.plot(places, proposals[name], "s", color=BEST, ms=9, label=label)
        axes.set(xlim=(-0.4, 3.6), xticks=range(4), ylim=(0, 2.1))
        axes.set_xlabel("bolts seen")
    after = [1.0, 1.0, 1.0, proposals["batch"].mean()]
    left.plot(range(4), after, "o-", color=BATCH, ms=8, drawstyle="steps-post")
    left.set(ylabel="estimate of θ", title="Batch EM: three proposals, one move")
    right.plot(range(4), path, "o-", color=ONLINE, ms=8)
    for place in places:
        arrow = {"arrowstyle": "-", "color": BEST, "ls": ":", "lw": 1.5}
        proposal = (place, proposals["online"][place - 1])
        right.annotate("", proposal, (place, path[place]), arrowprops=arrow)
    right.set_title("Online EM: a move after each")
    left.legend(loc="lower left")
    alt = """Squares: the proposals of three bolts, 1.36, 0.23 and 1.93 for batch EM. The
    estimate of batch EM stays at 1 for all three and then moves to 1.17. That of online EM
    moves towards each proposal: 1.18, 0.87, 1.13; its second proposal is 0.26."""
    return plots.Picture(fig, alt)


def ends_of_figure_1(seed: int, schedule) -> dict:
    """Return the states (4, 4) in which batch EM and online EM come to rest from start 1.

    seed: of the points and of the start; schedule: of online EM. In a browser the states
    that were published are read, where the memory grows as it did there.
    """

    def study():
        mixture = four.em_mixture(four.SIZE)
        X = four.points(seed=seed)
        S = four.start_state(1, seed)
        batch = fit_batch(mixture, X, S, max_epochs=5000, tolerance=1e-7).S
        states = four.learn(mixture, X, S, schedule, 100, np.random.default_rng(1))
        return {"batch": batch, "online": states[-1]}

    if schedule != MEMORIES["growing"]:
        return study()
    arrays = arrays_of("sato1999-fig1", study, {"seed": seed})
    return {name: arrays[name] for name in ("batch", "online")}


def picture_of_two_ends(X, few, ends: dict) -> plots.Picture:
    """Draw data, truth, and where EM ends (Sato 1999, Figure 1).

    X (1000, 2), few (100, 2): points; ends: "batch" and "online" -> state (4, 4).
    """
    means, widths = SATO1999_LAYOUTS["factorised"]
    shown = {
        name: four.parameters(four.em_mixture(four.SIZE), [S])
        for name, S in ends.items()
    }
    panels = [
        (means, widths**2, few, "truth, 100 points"),
        (means, widths**2, X, "truth, 1,000 points"),
    ]
    for name, (_, middles, variances) in shown.items():
        panels.append((middles[0], variances[0], X, f"{name} EM"))
    fig, axes = plots.figure(7, 7.2, ncols=2, nrows=2, sharex=True, sharey=True)
    for ax, letter, panel in zip(axes, "ABCD", panels, strict=True):
        middles, variances, points, words = panel
        plots.draw_points(ax, points, size=2.5)
        plots.draw_ellipses(ax, middles, variances, radius=1.0)
        plots.panel_title(ax, letter, words)
        ticks = [0, 0.5, 1]
        ax.set(aspect="equal", xlim=(0, 1), ylim=(0, 1), xticks=ticks, yticks=ticks)
    alt = """Four panels in the unit square, with circles of one standard deviation. A and B:
    100 and 1,000 points with the four true Gaussians. C: batch EM, one large circle over
    both upper groups and two small ones that share the lower right one. D: online EM from
    the same start, a circle on each group."""
    return plots.Picture(fig, alt, {"data_100": few, "data_1000": X} | ends)


def picture_of_weights(forgetting_rate: float = 0.1, seen: int = 40) -> plots.Picture:
    """Draw the weight of each data point in a fading mean."""
    age = np.arange(seen)[::-1]
    weights = (1 - forgetting_rate) ** age
    memory = 1 / forgetting_rate
    fig, (ax,) = plots.figure(7.5, 2.8)
    ax.bar(np.arange(1, seen + 1), weights, 0.8, color=ONLINE)
    ends = [seen - memory + 0.5, seen + 0.5]
    ax.fill_between(ends, 0, 1, facecolor="none", edgecolor="black", ls="--", lw=1.5)
    ax.set(xlim=(0, seen + 1), ylim=(0, 1.12), ylabel="weight")
    ax.set(xlabel="data point, the newest on the right")
    words = f"dashes: the same total weight, {memory:g} whole points"
    ax.text(1, 0.97, words, va="center")
    alt = f"""Bars for {seen} data points: the newest has the weight 1, and each older one nine
    tenths of the next. A dashed box of height 1 over the last {memory:g} points has the same
    area."""
    return plots.Picture(fig, alt)


def picture_of_memories(memories: dict) -> plots.Picture:
    """Draw memories (n,) by name over the number of points seen."""
    fig, (ax,) = plots.figure(7.5, 3.6)
    for k, (name, values) in enumerate(memories.items()):
        at = np.unique(np.geomspace(1, len(values), 150).astype(int))
        colour = plots.COLOURS[k]
        ax.loglog(at, values[at - 1], color=colour, ls=plots.LINES[k], lw=1.8)
        plots.label_line(ax, at, values[at - 1], name, at=-1, offset=(6, 0))
    ax.set(xlabel="points seen", ylabel="memory τ (points)")
    ax.set(xlim=(1, 2e4), ylim=(1, 3e4))
    alt = """Three memories against the points seen, both on scales of powers of ten. Without
    a limit the memory is the number of points. The fixed one rises to 100 and stays there.
    The growing one goes with the fixed one up to about 300 points, and then grows on."""
    return plots.Picture(fig, alt)
