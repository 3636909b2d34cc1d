"""Lecture 02a, "What if we moved after every data point?": explorers and pictures."""

from functools import cache
from math import tanh
from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.course import Explorer, dropdown, select_slider
from vbkit.course import four_gaussians as four
from vbkit.data import SATO1999_LAYOUTS
from vbkit.learning import fit_batch, sato1999
from vbkit.press.publish import arrays_of

ONLINE, BATCH = plots.COLOURS[:2]
BEST = plots.GREY
LOOK = {"batch": {"color": BATCH, "ls": "--"}, "online": {"color": ONLINE, "ls": "-"}}


# ---- components at several times -----------------------------------------------------

PASSES = 20


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
RATES = (0.003, 0.01, 0.03, 0.1, 0.3)
START = 0.1  # where both methods begin


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


class TwoBumps(Explorer):
    """The estimate of theta against the number of bolts seen, in five passes over 300 bolts.
    Blue: online EM, which moves with each bolt. Orange steps: batch EM, which moves at the
    end of a pass. Grey dots: the value with the highest likelihood.
    """

    title = "One number, two ways"
    size = (8.0, 3.6)
    rate = select_slider("Learning rate", RATES, RATES[0])

    def compute(self, rate):
        x = three_hundred_bolts()
        stream = np.tile(x, OVER)
        online = online_estimates(stream, START, [rate] * len(stream))
        batch = batch_estimates(x, START, 100)
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
        level = [estimates.best, estimates.best]
        panel.line([0, BOLTS * OVER], level, color=BEST, ls=":", lw=1.5)
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


def schedule(tau0: float, kappa: float):
    """Return the schedule whose memory is near tau0 at first, and grows with kappa."""
    return sato1999(four.SIZE, forgetting_rate=1 / tau0, kappa=kappa)


class Passes(NamedTuple):
    """Online EM after each of 20 passes, beside batch EM, from start 1."""

    found: four.Mixtures
    divergence: np.ndarray  # (21,), in nats
    batch: np.ndarray  # (21,), the divergence of batch EM


@cache
def passes_with(memory: str) -> Passes:
    """Run online EM with a memory of MEMORIES, and batch EM."""
    mixture = four.em_mixture(four.SIZE)
    S = four.start_state(1)
    rng = np.random.default_rng(1)
    states = four.learn(mixture, four.points(), S, MEMORIES[memory], PASSES, rng)
    found = four.parameters(mixture, states)
    batch = four.divergence_after_passes(1, None, PASSES)
    return Passes(found, four.divergence(found), batch)


class HowLongAMemory(Explorer):
    """Left: a thousand points, and the four components of online EM as circles of one
    standard deviation; a circle is the bolder, the more weight its component has. Right:
    the divergence from the truth after each pass, on a scale of powers of ten; blue: online
    EM with this memory, orange dashes: batch EM.
    """

    title = "How long should the memory be?"
    size = (9.0, 4.0)
    computes_ahead = True
    passed = select_slider("Passes", range(PASSES + 1), 0, play=400)
    memory = dropdown("Memory", MEMORIES, "no limit")

    def compute(self, memory):
        return passes_with(memory)

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
