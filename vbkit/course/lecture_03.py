"""Lecture 03, "Can we learn from a stream that nobody keeps?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from scipy import stats
from scipy.special import digamma

from vbkit import plots
from vbkit.course import Explorer, dropdown, select_slider
from vbkit.course.bolts import AXIS
from vbkit.course.stream import (
    IN_USE,
    OFFERED,
    SEED,
    SIZE,
    TYPICAL,
    Judged,
    Truth,
    draw_stream,
    judge,
    make_mixture,
    states_along,
    true_machines,
)
from vbkit.learning import component_prior_means
from vbkit.mixture import Mixture

LINE = np.linspace(-13, 13, 131)  # where densities are drawn
BINS = np.linspace(-13, 13, 53)
STAGES = (10, 30, 100, 300, 1000, 3000)  # bolts seen, in the figure's arrays
DRAWN = (10, 100, 3000)  # of STAGES
SEEN = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700)
SEEN += (1000, 1500, 2000, SIZE)
ORDERS = ("as they came", "ascending")
OTHERS = "#999999"  # the colour of all components but three
CONCENTRATION = 1.0
CRITICAL = 1.5  # (d + 1) / 2: a component has a mean and a width


def colours_of(S) -> list[str]:
    """Return a colour for each component of a last state S (20, 3): the three that hold most
    have one of their own, and the others are grey."""
    colours = [OTHERS] * len(S)
    for place, k in enumerate(np.argsort(-S[:, 0])[:3]):
        colours[k] = plots.COLOURS[place]
    return colours


# ---- twenty components ---------------------------------------------------------------


class Learned(NamedTuple):
    """What twenty components know after some of the bolts."""

    histogram: np.ndarray  # (52,), density of the bolts seen, in BINS
    components: np.ndarray  # (20, 131), densities on LINE, times the expected weights
    predictive: np.ndarray  # (131,), of the next bolt
    seen: np.ndarray  # (n,), numbers of bolts
    shares: np.ndarray  # (n, 20), of the bolts seen, that each component holds
    colours: list  # (20,), one for each component, the same at all times
    judged: Judged


def in_order(order: str):
    """Return the bolts (3000, 1) of the stream in one of ORDERS, and the prior means."""
    stream = draw_stream(SEED, TYPICAL[1])
    if order == "ascending":
        return np.sort(stream.data, axis=0), stream.prior_means
    return stream.data, stream.prior_means


@cache
def states_of(order: str):
    """Return the model, the bolts and the states (22, 20, 3) after SEEN bolts."""
    X, prior_means = in_order(order)
    mixture = make_mixture(1, CONCENTRATION)
    start = component_prior_means(mixture, prior_means)
    return mixture, X, np.array(states_along(mixture, X, start, SEEN))


def densities(mixture: Mixture, S):
    """Return the densities of components (K, 131), times their weights, and of the next
    bolt (131,), on LINE."""
    weights, (means, covariances) = mixture.parameters(S)
    curves = stats.norm.pdf(LINE, means, np.sqrt(covariances[:, 0]))
    return weights[:, None] * curves, np.exp(mixture.log_predictive(LINE[:, None], S))


@cache
def learned(seen: int, order: str) -> Learned:
    """Return what is known after the first `seen` bolts."""
    mixture, X, states = states_of(order)
    place = SEEN.index(seen)
    components, predictive = densities(mixture, states[place])
    histogram = np.histogram(X[:seen], BINS)[0] / max(0.5 * seen, 1)
    counts = states[1 : place + 1, :, 0]
    shares = counts / counts.sum(axis=1, keepdims=True)
    judged = judge(mixture, states[place], true_machines())
    steps = np.array(SEEN[1 : place + 1])
    colours = colours_of(states[-1])
    return Learned(histogram, components, predictive, steps, shares, colours, judged)


def true_density(truth: Truth) -> np.ndarray:
    """Return the density (131,) of all bolts on LINE."""
    return truth.weights @ stats.norm.pdf(LINE, truth.means, truth.widths[:, None])


class _Stream(Explorer):
    """What the explorers of a stream have in common."""

    size = (8.2, 3.3)
    computes_ahead = True

    def frame(self, figure):
        left, right = figure.subplots(1, 2, width_ratios=[1.4, 1])
        left.set(xlim=(-13, 13), ylim=(0, 0.24), xlabel=AXIS, ylabel="density")
        left.xaxis.label.set_size(9)
        left.set_title("Next bolt (black), truth (dots)")
        left.plot(LINE, true_density(true_machines()), color="black", ls=":", lw=1.4)
        right.set(xscale="log", xlim=(0.9, 3400), ylim=(0, 0.31))
        right.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
        right.set(xlabel="bolts seen", title="Share of each component")
        return left, right

    def draw(self, panels, known, now):
        left, right = panels
        edges = np.repeat(BINS, 2)[1:-1]
        left.area(edges, 0, np.repeat(known.histogram, 2), color="#DDDDDD")
        faint = [(*to_rgb(one), 0.3) for one in known.colours]

        def make_areas(axes):
            return axes.add_collection(PolyCollection([], lw=1.2), autolim=False)

        def make_lines(axes):
            return axes.add_collection(LineCollection([], lw=1.4), autolim=False)

        ends = [[LINE[-1], 0], [LINE[0], 0]]
        outlines = [
            np.concatenate([np.column_stack([LINE, curve]), ends])
            for curve in known.components
        ]
        left.artist(
            make_areas, verts=outlines, facecolors=faint, edgecolors=known.colours
        )
        left.line(LINE, known.predictive, color="black", lw=1.8)
        courses = [np.column_stack([known.seen, share]) for share in known.shares.T]
        right.artist(make_lines, segments=courses, colors=known.colours)

    def say(self, known, now):
        judged = known.judged
        return (
            f"{now.seen:,} bolts: {judged.used} of {OFFERED} components are in use, "
            f"{judged.found} of 5 machines are found; the density is "
            f"{judged.divergence:.3f} nats from the truth."
        )


class TwentyComponents(_Stream):
    """Left: a histogram of the bolts seen so far, and twenty components as curves, whose
    areas are their weights; those that hold most bolts in the end have colours. Black is the
    density that they expect for the next bolt, dots are the truth. Right: the share of the
    bolts that each component holds, against the number of bolts seen, on a logarithmic axis.
    """

    title = "Twenty components, one bolt at a time"
    seen = select_slider("Bolts seen", SEEN, 10, play=400)

    def compute(self, seen):
        return learned(seen, "as they came")


class OtherOrders(_Stream):
    """Left: a histogram of the bolts seen so far, and twenty components as curves, whose
    areas are their weights; those that hold most bolts in the end have colours. Black is the
    density that they expect for the next bolt, dots are the truth. Right: the share of the
    bolts that each component holds, against the number of bolts seen, on a logarithmic axis.
    """

    title = "The same bolts in another order"
    seen = select_slider("Bolts seen", SEEN, 200, play=400)
    order = dropdown("Order", ORDERS, "as they came")

    def compute(self, seen, order):
        return learned(seen, order)

    def frame(self, figure):
        left, right = super().frame(figure)
        right.set_ylim(0, 1.03)
        return left, right


# ---- two copies ----------------------------------------------------------------------

TOGETHER = 40  # bolts that the two copies hold
SMALLER = 15  # of them, the smaller copy
ROUNDS = (0, 1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 100, 125, 150, 200, 250, 300)
CONCENTRATIONS = tuple(0.25 * i for i in range(1, 13))  # of the slider
GRID = tuple(round(0.05 * i, 2) for i in range(5, 61))  # of the curves against it


def bid(n, concentration):
    """Return what copies that hold n bolts bid, up to a common factor, exactly.

    The bolts are ideal: those of a copy have the average 0 and the variance 1, as the prior
    expects. n, concentration: numbers or arrays.
    """
    a = 1 + n / 2  # shape and rate are equal
    of_weight = digamma(concentration + n)
    of_width = (digamma(a) - np.log(a)) / 2
    of_mean = -0.5 / (0.1 + n)
    return np.exp(of_weight + of_width + of_mean)


class Shares(NamedTuple):
    """The share of the smaller of two copies, by round and by concentration."""

    online: np.ndarray  # (301, 56), for each concentration of GRID
    batch: np.ndarray  # (301, 56)


@cache
def shares_of_copies() -> Shares:
    """Return the shares of the smaller of two copies, which begin with 25 and 15 bolts.

    A round brings 40 new bolts online; in batch VB it is a sweep over the same 40.
    """
    concentrations = np.array(GRID)
    start = np.array([TOGETHER - SMALLER, SMALLER], float)[:, None]
    start = np.repeat(start, len(concentrations), axis=1)
    online = start
    batch = start
    shares_online = [online[1] / online.sum(axis=0)]
    shares_batch = [batch[1] / TOGETHER]
    for _ in range(ROUNDS[-1]):
        for _ in range(TOGETHER):
            bids = bid(online, concentrations)
            online = online + bids / bids.sum(axis=0)
        bids = bid(batch, concentrations)
        batch = TOGETHER * bids / bids.sum(axis=0)
        shares_online.append(online[1] / online.sum(axis=0))
        shares_batch.append(batch[1] / TOGETHER)
    return Shares(np.array(shares_online), np.array(shares_batch))


class CopiesOnline(Explorer):
    """The share of the smaller of two copies, which hold 25 and 15 bolts at the start; blue
    and solid if they learn online from ever new bolts, orange and dashed if batch VB sweeps
    over the same 40. Left: round by round, for one concentration. Right: the share in this
    round against the concentration; marks show the concentration of the left panel, and a
    dotted line its critical value.
    """

    title = "Two copies in one place"
    size = (8.2, 3.3)
    round = select_slider("Round", ROUNDS, 0, play=400)
    concentration = select_slider("Concentration", CONCENTRATIONS, 1.0)

    def compute(self):
        return shares_of_copies()

    def frame(self, figure):
        left, right = figure.subplots(1, 2, sharey=True)
        left.set(xlim=(-4, 304), ylim=(-0.02, 0.6), xlabel="round")
        left.set(ylabel="share", title="Share of the smaller copy")
        right.set(xlim=(0.15, 3.1), xlabel="concentration")
        right.set_title("... against the concentration")
        right.axvline(CRITICAL, color=plots.GREY, lw=1, ls=":")
        for name, k in (("online", 0), ("batch", 1)):
            left.plot([], [], color=plots.COLOURS[k], ls=plots.LINES[k], label=name)
        left.legend(loc="upper left", ncols=2)
        return left, right

    def draw(self, panels, shares, now):
        left, right = panels
        k = GRID.index(now.concentration)
        rounds = np.arange(now.round + 1)
        for of_method, place in ((shares.online, 0), (shares.batch, 1)):
            colour = plots.COLOURS[place]
            dashes = plots.LINES[place]
            marker = ("o", "s")[place]
            so_far = of_method[: now.round + 1 : 2, k]
            left.line(rounds[::2], so_far, color=colour, ls=dashes)
            here = of_method[now.round]
            left.points(now.round, here[k], color=colour, marker=marker)
            right.line(GRID, here, color=colour, ls=dashes)
            right.points(now.concentration, here[k], color=colour, marker=marker)

    def say(self, shares, now):
        k = GRID.index(now.concentration)
        return (
            f"Round {now.round}, concentration {now.concentration:g}: the smaller copy "
            f"has {shares.online[now.round, k]:.1%} online and "
            f"{shares.batch[now.round, k]:.1%} in batch VB."
        )


# ---- pictures of the text ------------------------------------------------------------


def picture_of_stream(x, prior_means) -> plots.Picture:
    """Draw the first sixty bolts x (N,) of a stream, and the prior means (20,)."""
    fig, (ax,) = plots.figure(7.5, 2.8)
    ax.plot(np.arange(1, 61), x[:60], "o", color=plots.COLOURS[0], ms=5)
    ax.plot(np.full(OFFERED, -1.5), prior_means, ">", color=plots.COLOURS[1], ms=6)
    ax.set(xlim=(-3, 61), ylim=(-13, 15.5), xlabel="order of arrival", ylabel="length")
    ax.text(-2.2, 13.2, "prior means of twenty components", color=plots.COLOURS[1])
    ax.set_title("The first sixty bolts")
    alt = """Sixty dots from left to right in the order of arrival; their heights, the
    lengths of bolts, lie in a few bands between -11 and 11. Twenty triangles at the left
    edge, scattered from -12 to 12, are the prior means of the components."""
    return plots.Picture(fig, alt)


def picture_of_one_bolt(x, before, after) -> plots.Picture:
    """Draw two components before and after they learn from one bolt.

    x: the bolt; before, after: means, and widths of their bell curves (2,) each.
    """
    fig, (ax,) = plots.figure(7.5, 2.6)
    places = np.linspace(-6, 6, 241)
    for k in range(2):
        for (means, widths), ls in ((before, ":"), (after, "-")):
            curve = stats.norm.pdf(places, means[k], widths[k])
            ax.plot(places, curve, color=plots.COLOURS[k], ls=ls)
    ax.plot(x, 0.012, "h", color="black", ms=10)
    ax.set(xlim=(-6, 6), ylim=(0, 0.5), xlabel="length", ylabel="density")
    ax.set_title("Dots: before the bolt at 1; solid: after it")
    alt = f"""Two bell curves around {before[0][0]:g} and {before[0][1]:g} before the bolt at
    {x:g} arrives. After it the left one is nearly where it was, and the right one has moved
    to {after[0][1]:.2f}."""
    return plots.Picture(fig, alt)


def draw_line(ax, mixture: Mixture, X, S, truth: Truth, colours: list[str]):
    """Draw bolts X (n, 1), the components after them in their colours, and the truth."""
    components, predictive = densities(mixture, S)
    ax.stairs(
        np.histogram(X, BINS)[0] / (0.5 * len(X)), BINS, fill=True, color="#DDDDDD"
    )
    for curve, colour in zip(components, colours, strict=True):
        ax.fill_between(LINE, curve, color=colour, alpha=0.3, lw=0)
        ax.plot(LINE, curve, color=colour, ls="-", lw=1)
    ax.plot(LINE, predictive, color="black", ls="-", lw=1.6)
    ax.plot(LINE, true_density(truth), color="black", ls=":", lw=1.3)
    ax.set(xlim=(-13, 13), ylim=(0, 0.24))


def picture_of_stages(mixture: Mixture, X, states, prior_means) -> plots.Picture:
    """Draw what is known of a stream X (N, 1) after 10, 100 and 3,000 bolts.

    states: (6, 20, 3), after each of STAGES; prior_means (20, 1).
    """
    fig, axes = plots.figure(8.6, 2.9, ncols=len(DRAWN), sharex=True, sharey=True)
    colours = colours_of(states[-1])
    for ax, n in zip(axes, DRAWN, strict=True):
        S = states[STAGES.index(n)]
        draw_line(ax, mixture, X[:n], S, true_machines(), colours)
        ax.set(title=f"after {n:,} bolts", xlabel="length")
    axes[0].set_ylabel("density")
    alt = """Three panels. After 10 bolts the density of the next bolt, in black, is broad,
    and there are many small components; after 100 it has bumps near the true ones; after
    3,000 it lies on the dotted true density, and several components share a bump."""
    arrays = {"data": X, "means": prior_means, "states": np.array(states)}
    return plots.Picture(fig, alt, arrays)


def picture_of_counts(mixture: Mixture, online, batch, sweeps: int) -> plots.Picture:
    """Draw where components lie and how many bolts each holds, for two states (20, 3)."""
    fig, axes = plots.figure(8.6, 2.9, ncols=2, sharex=True, sharey=True)
    titles = ("online VB, after one pass", f"batch VB, {sweeps:,} sweeps later")
    used = []
    for ax, S, letter, title in zip(axes, (online, batch), "AB", titles, strict=True):
        held = S[:, 0]
        means = mixture.family.parameters(S).mean[:, 0]
        shown = held > IN_USE * held.sum()
        used.append(int(shown.sum()))
        ax.vlines(means[shown], 0, held[shown], color=plots.COLOURS[0], lw=3)
        ax.plot(means[shown], held[shown], "o", color=plots.COLOURS[0], ms=5)
        for mean in true_machines().means[:, 0]:
            ax.axvline(mean, color=plots.GREY, ls=":", lw=1)
        ax.set(xlim=(-13, 13), ylim=(0, 1000), xlabel="mean of a component")
        plots.panel_title(ax, letter, title)
    axes[0].set_ylabel("bolts held")
    alt = f"""Stems at the means of the components that are in use, as high as the bolts
    that each holds; dotted lines at the five machines. A: {used[0]} stems after one pass
    of online VB, several beside each machine. B: {used[1]} stems after {sweeps:,} sweeps
    of batch VB."""
    return plots.Picture(fig, alt)
