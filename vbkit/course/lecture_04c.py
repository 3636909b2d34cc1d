"""Lecture 04c, "What do hidden labels cost?": explorers and pictures.

The bolts are those of lecture 04a, from a left machine at 0 and a right one some distance
away, both with the width 1. They are *ideal*: each length of a fine grid counts as often as
it is expected.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, digamma, expit, logsumexp, softmax
from scipy.stats import beta, norm

from vbkit import plots
from vbkit.course import Explorer, select_slider, slider
from vbkit.course.forty_bolts import RIGHT, SHARE

LENGTHS = np.linspace(-6, 11, 341)
NUMBERS = (30, 100, 300, 1000, 3000)  # of bolts
TICKS = (0.3, 0.15, 0.1, 0.05, 0.03)  # from tick to tick: both spreads fall like this
MOST_SWEEPS = 30
START = 0.9  # the share before the first sweep
SMALLEST = 1e-5  # distance from the end that is drawn
EXACT = "black"
VB = plots.COLOURS[2]
OBSERVED = plots.COLOURS[0]
MISSING = plots.COLOURS[1]
DISTANCE = "Distance of the two machines (in widths)"


# ---- ideal bolts ---------------------------------------------------------------------


@cache
def how_often(distance: float = RIGHT, share: float = SHARE) -> np.ndarray:
    """Return the fraction (341,) of the bolts that has each of the LENGTHS."""
    density = share * norm.pdf(LENGTHS, distance) + (1 - share) * norm.pdf(LENGTHS)
    return density / density.sum()


def responsibilities(log_odds, distance: float = RIGHT) -> np.ndarray:
    """Return the right machine's responsibilities (..., 341) for the LENGTHS.

    log_odds (...): of the right machine, before a bolt is measured.
    """
    by_length = distance * LENGTHS - distance**2 / 2
    return expit(np.asarray(log_odds)[..., None] + by_length)


def log_odds(share) -> np.ndarray:
    """Return the log odds of a share."""
    return np.log(share) - np.log1p(-np.asarray(share))


def new_share(share, distance: float = RIGHT) -> np.ndarray:
    """Return the share (...) after a sweep over many bolts, from the shares (...)."""
    return responsibilities(log_odds(share), distance) @ how_often(distance)


def fraction_missing(distance: float = RIGHT) -> float:
    """Return the fraction of the information on the share that the hidden labels take."""
    r = responsibilities(log_odds(SHARE), distance)
    return float(how_often(distance) @ (r * (1 - r)) / (SHARE * (1 - SHARE)))


class Posteriors(NamedTuple):
    """VB's posterior of the share, and the exact one."""

    shares: np.ndarray  # (400,)
    exact: np.ndarray  # (400,), density over the shares
    vb: np.ndarray  # (400,)
    exact_spread: float  # standard deviations
    vb_spread: float
    gap: float  # log evidence less ELBO, nats


@cache
def posteriors(bolts: int, distance: float) -> Posteriors:
    """Return both posteriors after so many ideal bolts, under a flat prior."""
    right, left = _vb_counts(bolts, distance)
    told = bolts * (1 - fraction_missing(distance)) / (SHARE * (1 - SHARE))
    reach = 8 / np.sqrt(told)  # eight spreads
    shares = np.linspace(max(5e-4, SHARE - reach), min(1 - 5e-4, SHARE + reach), 400)
    parts = np.outer(shares, norm.pdf(LENGTHS, distance))
    parts = parts + np.outer(1 - shares, norm.pdf(LENGTHS))
    log_joint = bolts * np.log(parts) @ how_often(distance)
    step = shares[1] - shares[0]
    log_evidence = logsumexp(log_joint) + np.log(step)
    exact = np.exp(log_joint - log_evidence)
    centre = step * exact @ shares
    exact_spread = np.sqrt(step * exact @ (shares - centre) ** 2)
    vb = beta(right, left)
    vb_spread = float(vb.std())
    gap = float(log_evidence - _elbo(right, left, bolts, distance))
    return Posteriors(
        shares, exact, vb.pdf(shares), float(exact_spread), vb_spread, gap
    )


class Exact(NamedTuple):
    """The exact posterior of the share: its spread, and the log evidence in nats."""

    spread: float
    log_evidence: float


def exact_posterior(x) -> Exact:
    """Return what the bolts x (N,) of lecture 04a tell of the share, under a flat prior."""
    shares = (np.arange(20_000) + 0.5) / 20_000
    parts = np.outer(shares, norm.pdf(x, RIGHT)) + np.outer(1 - shares, norm.pdf(x))
    log_joint = np.log(parts).sum(axis=1)
    weights = softmax(log_joint)
    centre = weights @ shares
    spread = np.sqrt(weights @ (shares - centre) ** 2)
    return Exact(float(spread), float(logsumexp(log_joint) - np.log(len(shares))))


def _vb_counts(bolts: int, distance: float) -> tuple[float, float]:
    """Return the two parameters of VB's Beta posterior, where VB comes to rest."""
    right = 1 + SHARE * bolts
    for _ in range(1000):
        before = right
        log_odds_now = digamma(right) - digamma(2 + bolts - right)
        r = responsibilities(log_odds_now, distance)
        right = 1 + bolts * float(how_often(distance) @ r)
        if abs(right - before) < 1e-9:
            break
    return right, 2 + bolts - right


def _elbo(right: float, left: float, bolts: int, distance: float) -> float:
    """Return the ELBO (nats) of Beta(right, left), with the best responsibilities."""
    log_share = digamma(right) - digamma(right + left)
    log_rest = digamma(left) - digamma(right + left)
    score_right = log_share + norm.logpdf(LENGTHS, distance)
    score_left = log_rest + norm.logpdf(LENGTHS)
    explained = bolts * how_often(distance) @ np.logaddexp(score_right, score_left)
    divergence = (right - 1) * log_share + (left - 1) * log_rest - betaln(right, left)
    return float(explained - divergence)


# ---- several unknown numbers ---------------------------------------------------------

ROWS = {"share": [0], "means": [1, 2], "widths": [3, 4]}  # of the matrices


class Information(NamedTuple):
    """What one bolt tells of several unknown numbers, on average over the ideal bolts."""

    complete: np.ndarray  # (n, n), if its label is seen
    observed: np.ndarray  # (n, n), if it is hidden


def information(distance=RIGHT, unknown=tuple(ROWS), share=SHARE) -> Information:
    """Return the information on what is unknown (names among ROWS), the rest being known."""
    from_right = LENGTHS - distance
    one = np.ones_like(LENGTHS)
    zero = np.zeros_like(LENGTHS)
    if_right = np.array([one / share, from_right, zero, from_right**2 - 1, zero])
    if_left = np.array([-one / (1 - share), zero, LENGTHS, zero, LENGTHS**2 - 1])
    rows = np.concatenate([ROWS[name] for name in unknown])
    if_right = if_right[rows]
    if_left = if_left[rows]
    often = how_often(distance, share)
    r = responsibilities(log_odds(share), distance)
    complete_right = (often * r * if_right) @ if_right.T
    complete_left = (often * (1 - r) * if_left) @ if_left.T
    average = r * if_right + (1 - r) * if_left
    return Information(complete_right + complete_left, (often * average) @ average.T)


def fractions_observed(distance=RIGHT, unknown=tuple(ROWS)) -> np.ndarray:
    """Return the fractions of observed information (n,), the smallest first."""
    told = information(distance, unknown)
    ratio = np.linalg.solve(told.complete, told.observed)
    return np.sort(np.linalg.eigvals(ratio).real)


# ---- explorers -----------------------------------------------------------------------


class Spreads(NamedTuple):
    """Two posteriors, and how their spreads fall as bolts are added."""

    now: Posteriors
    exact: np.ndarray  # (5,), spreads at the NUMBERS
    vb: np.ndarray


class HowSure(Explorer):
    """Left: two curves over the share of the right machine. Black: the exact posterior times
    the evidence, green and dashed: VB's posterior times e to the ELBO; VB's curve lies below
    the exact one, touches it near the peak, and is narrower. The more bolts there are, the
    fewer shares are drawn. Right: the spreads of both
    posteriors against the number of bolts, on logarithmic scales, where they are two parallel
    lines. Dots mark the number of bolts that is chosen.
    """

    title = "How sure may you be?"
    size = (9.0, 3.8)
    computes_ahead = True
    bolts = select_slider("Number of bolts", NUMBERS, 30)
    distance = slider(DISTANCE, 1.0, 5.0, 2.0, 0.5, form="{:.1f}")

    def compute(self, bolts, distance):
        each = [posteriors(number, distance) for number in NUMBERS]
        exact = np.array([one.exact_spread for one in each])
        vb = np.array([one.vb_spread for one in each])
        return Spreads(posteriors(bolts, distance), exact, vb)

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        left.set(xlim=(-2, 2), ylim=(0, 1.3), yticks=[], xlabel=r"share $\pi$")
        left.set_xticks([-1, 0, 1], ["0.15", "0.30", "0.45"])
        left.tick_params(labelcolor="none")  # room for those that are written in `draw`
        left.set_title("Two curves that touch")
        for place, words, colour, side in (
            (0.03, "exact", EXACT, "left"),
            (0.97, "VB (dashed)", VB, "right"),
        ):
            left.text(
                place,
                0.92,
                words,
                color=colour,
                ha=side,
                weight="bold",
                transform=left.transAxes,
                zorder=0.5,
            )
        right.set(xscale="log", yscale="log", xlim=(25, 3600), ylim=(0.006, 0.25))
        right.set_xticks(NUMBERS, [f"{number:,}" for number in NUMBERS])
        right.set_yticks([0.01, 0.03, 0.1], ["0.01", "0.03", "0.1"])
        right.minorticks_off()
        right.set(xlabel="bolts", title="Spread of the posterior")
        return left, right

    def draw(self, panels, spreads, now):
        curves, fall = panels
        tick = TICKS[NUMBERS.index(now.bolts)]
        for place in (-1, 0, 1):
            share = f"{SHARE + place * tick:.2f}"
            curves.text(place, -0.035, share, ha="center", va="top", size=10)
        x = (spreads.now.shares - SHARE) / tick
        highest = spreads.now.exact.max()
        below = np.exp(-spreads.now.gap)
        curves.line(x, spreads.now.exact / highest, color=EXACT, lw=2.4)
        curves.line(x, below * spreads.now.vb / highest, color=VB, ls="--", lw=2.4)
        fall.line(NUMBERS, spreads.exact, color=EXACT, lw=2.0)
        fall.line(NUMBERS, spreads.vb, color=VB, ls="--", lw=2.0)
        fall.points(now.bolts, spreads.now.exact_spread, color=EXACT, ms=9)
        fall.points(now.bolts, spreads.now.vb_spread, color=VB, ms=9)

    def say(self, spreads, now):
        vb = spreads.now.vb_spread
        exact = spreads.now.exact_spread
        return (
            f"Spread of VB {vb:.3f}, exact {exact:.3f}: {vb / exact:.2f} of it. "
            f"The ELBO is {spreads.now.gap:.2f} nats below the log evidence."
        )


@cache
def sweeps_from_the_start(distance: float) -> np.ndarray:
    """Return the share (31,) before and after each of thirty sweeps over many bolts."""
    shares = [START]
    for _ in range(MOST_SWEEPS):
        shares.append(float(new_share(shares[-1], distance)))
    return np.array(shares)


class Approach(NamedTuple):
    """A climb to the end, and the curve that it follows."""

    shares: np.ndarray  # (31,), before and after each sweep
    after: np.ndarray  # (99,), the new share for old ones 0.01, 0.02, ...
    missing: float


OLD_SHARES = np.arange(1, 100) / 100


class HowSlow(Explorer):
    """Left: the share after a sweep against the share before it, as a blue curve; where it
    crosses the grey diagonal, a sweep changes nothing. Orange steps show sweep after sweep.
    Right: the distance of the share from its end after each sweep, on a logarithmic scale.
    """

    title = "How fast does the climb end?"
    size = (9.0, 3.9)
    sweeps = slider("Sweeps", 0, MOST_SWEEPS, 0, play=300)
    distance = slider(DISTANCE, 1.0, 5.0, 2.0, 0.5, form="{:.1f}")

    def compute(self, distance):
        after = new_share(OLD_SHARES, distance)
        shares = sweeps_from_the_start(distance)
        return Approach(shares, after, fraction_missing(distance))

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        left.plot([0, 1], [0, 1], color="#B0B0B0", ls="-", lw=1.2, zorder=0.5)
        left.set(xlim=(0, 1), ylim=(0, 1), xlabel="share before a sweep")
        left.set(ylabel="share after it", title="Each sweep moves the share")
        right.set(xlim=(0, MOST_SWEEPS), yscale="log", ylim=(SMALLEST, 1))
        right.set(xlabel="sweeps", title="Distance from the end")
        return left, right

    def draw(self, panels, approach, now):
        curve, distance = panels
        curve.line(OLD_SHARES, approach.after, color=OBSERVED, lw=2.4)
        taken = approach.shares[: now.sweeps + 1]
        corners = np.repeat(taken, 2)
        curve.line(corners[:-1], corners[1:], color=MISSING, lw=1.8)
        curve.points(taken[-1], taken[-1], color=MISSING, ms=7)
        left = np.maximum(np.abs(taken - SHARE), 1.2 * SMALLEST)
        distance.line(np.arange(len(taken)), left, color=MISSING, marker="o", ms=5)

    def say(self, approach, now):
        missing = f"Fraction of missing information: {approach.missing:.2f}."
        if now.sweeps == 0:
            return f"The share is {START} and should become {SHARE}. {missing}"
        left = np.abs(approach.shares - SHARE)
        share = approach.shares[now.sweeps]
        ratio = left[now.sweeps] / left[now.sweeps - 1]
        return (
            f"After {now.sweeps} sweeps the share is {share:.4f}; the last sweep left "
            f"{ratio:.2f} of the distance. {missing}"
        )


# ---- pictures ------------------------------------------------------------------------


def picture_of_information() -> plots.Picture:
    """Draw what bolts of each length tell of the share, seen and hidden."""
    r = responsibilities(log_odds(SHARE))
    often = how_often() / (LENGTHS[1] - LENGTHS[0])
    complete = often * (r / SHARE**2 + (1 - r) / (1 - SHARE) ** 2)
    observed = often * (r / SHARE - (1 - r) / (1 - SHARE)) ** 2
    fig, (ax,) = plots.figure(7.5, 3.2)
    ax.fill_between(LENGTHS, 0, observed, color=OBSERVED, alpha=0.75, lw=0)
    ax.fill_between(LENGTHS, observed, complete, color=MISSING, alpha=0.75, lw=0)
    ax.plot(LENGTHS, complete, color="black", ls="-", lw=1.6)
    for length, height, words, colour in (
        (-0.45, 0.17, "observed", "white"),
        (2.6, 0.35, "observed", "white"),
        (1.05, 0.7, "missing", "black"),
    ):
        ax.text(length, height, words, color=colour, ha="center", weight="bold")
    ax.set(xlim=(-4, 6), ylim=(0, 1.6), xlabel="length of the bolt")
    ax.set(ylabel="information, times how often")
    ax.set_title("Hidden labels cost most between the machines")
    alt = """Information on the share against the length of the bolt, each length weighted by how
    often it occurs. The black line is what bolts tell whose labels are seen. The blue area
    below it is what they tell if the labels are hidden, and the orange area between is missing.
    Beyond the two machines, below -1 and above 3, nearly all is blue. Between them, at the
    length 1, all is orange."""
    return plots.Picture(fig, alt)


def picture_of_touch() -> plots.Picture:
    """Draw the logarithms of the two curves, which touch and bend differently."""
    bolts = 100
    both = posteriors(bolts, RIGHT)
    log_exact = np.log(both.exact)
    log_vb = np.log(both.vb) - both.gap - log_exact.max()
    log_exact = log_exact - log_exact.max()
    fig, (ax,) = plots.figure(7.5, 3.2)
    ax.plot(both.shares, log_exact, color=EXACT, ls="-", lw=2.2)
    ax.plot(both.shares, log_vb, color=VB, ls="--", lw=2.2)
    ax.set(xlim=(0.08, 0.56), ylim=(-8, 0.6), xlabel=r"share $\pi$")
    ax.set(ylabel="nats below the peak")
    ax.text(0.475, -2.2, "exact", color=EXACT, weight="bold")
    ax.text(0.365, -5.2, "VB", color=VB, weight="bold")
    ax.set_title(f"{bolts} bolts: VB's curve touches the exact one and bends more")
    alt = f"""The logarithms of two curves over the share, for {bolts} bolts, in nats below the
    peak of the exact one. Both have their peaks near {SHARE}, where they touch. To both sides
    VB's dashed curve falls faster, and it lies below the exact one everywhere."""
    return plots.Picture(fig, alt)
