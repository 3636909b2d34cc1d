"""The eight bolts: the exact answer, and VB sweep by sweep."""

from functools import cache
from itertools import product

import numpy as np
from scipy.special import logsumexp, softmax

from vbkit import plots
from vbkit.course import Explorer, dropdown, select_slider, slider
from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

LENGTHS = np.array(
    [-2.3, -1.8, -1.6, -1.1, 0.2, 1.4, 1.9, 2.3]
)  # tenths of a millimetre
MACHINE = IsotropicGaussian(mean=0.0, mean_count=0.1, shape=2.0, rate=1.0)
SHARE = Dirichlet(1.0)
GUESS = np.array(
    [0.7, 0.7, 0.7, 0.3, 0.3, 0.3, 0.3, 0.3]
)  # of being from the left machine
AXIS = "deviation from the nominal length (tenths of a millimetre)"
SWEEPS = 40
SIDE = np.where(np.arange(8) < 4, 1.0, -1.0)
STARTS = {
    "the clumsy guess": GUESS,
    "another guess": np.array([0.6, 0.3, 0.5, 0.8, 0.4, 0.6, 0.3, 0.5]),
    "even, tilted by 1/1000": 0.5 + 1e-3 * SIDE,
    "exactly even": np.full(8, 0.5),
}


def log_joint(x, groupings) -> np.ndarray:
    """Return log p(x, z) (n,) of bolts x (N,) for groupings z (n, N) into machines 0 and 1."""
    one_of = groupings[:, None, :] == np.arange(2)[:, None]
    S = one_of @ MACHINE.statistics(np.asarray(x, float)[:, None])
    prior = 2 * MACHINE.log_normalizer(np.zeros(3)) + SHARE.log_normalizer(np.zeros(2))
    return (
        MACHINE.log_normalizer(S).sum(axis=1) + SHARE.log_normalizer(S[:, :, 0]) - prior
    )


@cache
def every_grouping(number: int = 8) -> np.ndarray:
    """Return all groupings (2^N, N) of N bolts into machines 0 and 1."""
    return np.array([*product((0, 1), repeat=number)])


# ---- explorer: one bolt moves --------------------------------------------------------------------


def move_a_bolt() -> Explorer:
    """Move the fifth bolt; the exact probabilities follow."""

    def compute(place):
        x, groupings = np.where(np.arange(8) == 4, place, LENGTHS), every_grouping()
        probability = softmax(log_joint(x, groupings))
        return {"x": x, "chance": probability @ (groupings == groupings[:, :1])}

    places = {
        "place": slider("Place of the fifth bolt", -1.0, 1.3, -0.7, 0.1, form="{:.1f}")
    }
    words = {"title": "The exact answer when one bolt moves", "status": tell_move}
    return Explorer(places, compute, set_up_move, draw_move, **words, size=(8.5, 3.2))


def set_up_move(figure):
    """Eight bolts by length; height is the exact probability that a bolt comes from the first
    bolt's machine. The fifth bolt is a large orange square that moves.
    """
    ax = figure.subplots()
    ax.set(xlim=(-2.6, 2.6), ylim=(-0.06, 1.09), xlabel=AXIS, ylabel="probability")
    ax.set_title("Is it from the first bolt's machine?")
    ax.axhline(0.5, color=plots.GREY, lw=1, ls=":")
    return {
        "all": ax.plot([], [], "o", color=plots.COLOURS[0], ms=8)[0],
        "fifth": ax.plot([], [], "s", color=plots.COLOURS[1], ms=12)[0],
    }


def draw_move(artists, arrays, values):
    x, chance = arrays["x"], arrays["chance"]
    artists["all"].set_data(np.delete(x, 4), np.delete(chance, 4))
    artists["fifth"].set_data(x[4:5], chance[4:5])


def tell_move(arrays, values) -> str:
    place, chance = values["place"], arrays["chance"][4]
    return (
        f"A fifth bolt at {place:.1f} is from the first bolt's machine: {chance:.2f}."
    )


# ---- explorer: sweep by sweep --------------------------------------------------------------------


def play_the_sweeps() -> Explorer:
    """Choose where learning starts and the sweep; the machines and the ELBO follow."""
    mixture = Mixture(MACHINE, SHARE)
    evidence = logsumexp(log_joint(LENGTHS, every_grouping()))
    axis = np.linspace(-4, 4, 161)[:, None]

    @cache
    def learn(start):
        R = np.column_stack([STARTS[start], 1 - STARTS[start]])
        sweeps, elbos = [], []
        for _ in range(SWEEPS + 1):
            S = mixture.m_step(LENGTHS, R)
            soft = R * np.log(np.maximum(R, 1e-300))
            elbos.append(mixture.log_normalizer_ratio(S) - soft.sum())
            sweeps.append((R[:, 0], np.exp(MACHINE.log_predictive(S, axis))))
            R = mixture.responsibilities(LENGTHS, S)
        return sweeps, np.array(elbos)

    def compute(sweep, start):
        sweeps, elbos = learn(start)
        left, densities = sweeps[sweep]
        return {
            "left": left,
            "densities": densities,
            "elbos": elbos,
            "evidence": evidence,
        }

    controls = {
        "sweep": select_slider("Sweep", range(SWEEPS + 1), 3, play=500),
        "start": dropdown("Learning starts from", [*STARTS], "the clumsy guess"),
    }
    words = {"title": "Eight bolts, sweep by sweep", "status": tell_sweep}
    return Explorer(
        controls, compute, set_up_sweeps, draw_sweeps, **words, size=(9, 3.7)
    )


def set_up_sweeps(figure):
    """Left: the bolts, each as high as the probability that it is from the left machine, and two
    curves, the density of each machine's next bolt. Right: the ELBO by sweep below the line of the
    log evidence.
    """
    bolts, elbo = figure.subplots(1, 2, width_ratios=[1.3, 1])
    bolts.set(
        xlim=(-4, 4), ylim=(-0.05, 1.08), xlabel="deviation (tenths of a millimetre)"
    )
    bolts.set_title("Curves: where each machine expects its next bolt", size=10)
    bolts.set_ylabel("dots: responsibility of the left", size=9)
    bolts.text(-1.7, 0.57, "left machine", color=plots.COLOURS[0], ha="center")
    bolts.text(1.7, 0.57, "right machine", color=plots.COLOURS[1], ha="center")
    elbo.set(
        xlim=(-1, SWEEPS + 1), ylim=(-24.2, -16.9), xlabel="sweep", title="ELBO (nats)"
    )
    elbo.text(SWEEPS, -17.5, "log evidence", ha="right")
    return {
        "next": [bolts.plot([], [], **plots.line_style(k))[0] for k in range(2)],
        "bolts": bolts.plot([], [], "o", color="black", ms=8)[0],
        "evidence": elbo.plot([], [], color="black", ls="-", lw=1.2)[0],
        "trace": elbo.plot([], [], color=plots.COLOURS[0], ls="-")[0],
        "now": elbo.plot([], [], "o", color="black")[0],
    }


def draw_sweeps(artists, arrays, values):
    sweep, elbos = values["sweep"], arrays["elbos"]
    for line, density in zip(artists["next"], arrays["densities"], strict=True):
        line.set_data(np.linspace(-4, 4, 161), density)
    artists["bolts"].set_data(LENGTHS, arrays["left"])
    artists["evidence"].set_data([-1, SWEEPS + 1], 2 * [arrays["evidence"]])
    artists["trace"].set_data(np.arange(sweep + 1), elbos[: sweep + 1])
    artists["now"].set_data([sweep], [elbos[sweep]])


def tell_sweep(arrays, values) -> str:
    elbo = arrays["elbos"][values["sweep"]]
    below = f"{arrays['evidence'] - elbo:.2f} nats below the evidence"
    return f"ELBO {elbo:.2f}, {below}; the fifth bolt is {arrays['left'][4]:.2f} left."


# ---- drawings of the text ------------------------------------------------------------------------


def draw_bolts() -> plots.Picture:
    """Draw where the bolts lie."""
    fig, (ax,) = plots.figure(7, 1.4)
    ax.plot(LENGTHS, np.zeros(8), "h", color=plots.GREY, ms=15)
    ax.set(yticks=[], xlabel=AXIS, xlim=(-2.8, 2.8))
    ax.spines["left"].set_visible(False)
    return plots.Picture(
        fig, "Eight bolts: four on the left, one alone, three on the right."
    )


def draw_groupings(probability) -> plots.Picture:
    """Draw the six most probable of all groupings, given the probability (256,) of each."""
    folded = (
        2 * probability * (every_grouping()[:, 0] == 0)
    )  # a grouping and its mirror image
    best, rows = np.argsort(-folded)[:6], np.arange(6)
    fig, (ax, bars) = plots.figure(7, 3, ncols=2, width_ratios=[3, 1])
    ax.hlines(rows, -2.6, 2.6, color="#DDDDDD", lw=1, zorder=1)
    places = np.column_stack([np.tile(LENGTHS, 6), np.repeat(rows, 8)])
    plots.draw_points(ax, places, np.ravel(every_grouping()[best]), size=10, alpha=1)
    drawn = bars.barh(rows, 100 * folded[best], 0.5, color=plots.GREY)
    bars.bar_label(drawn, fmt="%.0f %%", padding=4)
    for panel, bare in ((ax, "left"), (bars, "bottom")):
        panel.set(yticks=[], ylim=(5.5, -0.5))
        panel.spines[bare].set_visible(False)
    bars.set(xticks=[], xlim=(0, 80), title="posterior probability")
    ax.set(xlabel=AXIS, title="the six most probable groupings")
    alt = """Six rows with the eight bolts as coloured marks, one row per grouping, and its
    probability. In the first (51 %) the four bolts on the left are one group and the other four the
    other; in the second (31 %) the fifth bolt has joined the left group."""
    return plots.Picture(fig, alt)
