"""Lecture 11b, "Can a mixture draw a curve?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import softmax
from scipy.stats import norm

from vbkit import plots
from vbkit.course import Explorer, select_slider, slider
from vbkit.course.roof import (
    EXPERTS,
    GRID,
    NOISE,
    REACH,
    SEED,
    USED,
    Parts,
    height,
    learned,
    measure,
    network,
    predict,
)

MARKS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200)
PREDICTED = plots.COLOURS[0]
IDLE = plots.COLOURS[1]
BAND = "#D9D9D9"
SHARES = plots.COLOURS[1:3]
LINES = ("-", "--")
HIGHEST = 1.6  # square metres, of a variance that is drawn


class Seen(NamedTuple):
    """What some experts predict after some points."""

    points: np.ndarray  # (n, 2), rows of x and height
    counts: np.ndarray  # (K,), the points that each expert holds
    parts: Parts  # at GRID

    @property
    def idle(self) -> np.ndarray:
        """Which of the experts (K,) hold hardly any point."""
        return self.counts < USED


@cache
def after(points: int, experts: int) -> Seen:
    """Return what so many experts predict after so many points."""
    S = learned(experts)[points]
    X = measure(np.random.default_rng(SEED))[:points]
    return Seen(X, S[:, 0], predict(network(experts), S, GRID))


def frame_of_roof(axes):
    """Draw what stands still: the true roof, and the axes."""
    axes.plot(GRID, height(GRID), color=plots.GREY, ls=":", lw=1.6, zorder=2)
    axes.set(xlim=(-6, 6), ylim=(-1, 10), xlabel="$x$ (metres from the ridge)")
    axes.set_title("Height in metres (dotted: the roof)")


def draw_band(panel, seen: Seen):
    """Draw points, learned curve and band on a Panel."""
    mean = seen.parts.mean
    band = seen.parts.band
    panel.area(GRID, mean - band, mean + band, color=BAND, zorder=1)
    panel.line(GRID, mean, color=PREDICTED, lw=2.4, zorder=3)
    panel.points(*seen.points.T, color="black", ms=4, zorder=4)


def median_band(parts: Parts) -> float:
    """Return the median of the band's half width under the roof, in metres."""
    return float(np.median(parts.band[np.abs(GRID) <= REACH]))


# ---- explorers -----------------------------------------------------------------------


class RoofByExperts(Explorer):
    """Left: the measured points in black, the true roof dotted, the learned curve in blue, and a
    grey band of 1.96 standard deviations to either side. A triangle below marks a place.
    Right: the share that each of two experts has at each place, a line for each expert.
    """

    title = "A roof, measured point by point"
    size = (9.2, 4.0)
    points = select_slider("Points seen", MARKS, 1, play=400)
    place = slider("Place x (metres)", -5.5, 5.5, 0.5, 0.5, form="{:.1f}")

    def compute(self, points, place):
        return after(points, 2)

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        frame_of_roof(left)
        right.set(xlim=(-6, 6), ylim=(-0.03, 1.1), xlabel="$x$ (metres from the ridge)")
        right.set_title("Share of each expert")
        learned(2)  # so that no position has to wait
        return left, right

    def draw(self, panels, seen, now):
        roof, shares = panels
        draw_band(roof, seen)
        roof.points(now.place, -0.75, color="black", marker="^", ms=9)
        for k in range(2):
            shares.line(GRID, seen.parts.gate[:, k], color=SHARES[k], ls=LINES[k], lw=2)

    def say(self, seen, now):
        at = np.abs(GRID - now.place).argmin()
        return (
            f"At x = {now.place:.1f} the roof is {seen.parts.mean[at]:.2f} m high, give or "
            f"take {seen.parts.band[at]:.2f} m."
        )


class IdleExperts(Explorer):
    """Left: the measured points in black, the true roof dotted, the learned curve in blue, and a
    grey band of 1.96 standard deviations to either side. Right: the variance of a measurement
    at each place, in square metres. The blue area is what experts with points contribute, the
    orange area above it what idle experts contribute.
    """

    title = "Who makes the band?"
    size = (9.2, 4.0)
    experts = select_slider("Experts", EXPERTS, 2)

    def compute(self, experts):
        return after(20, experts)

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        frame_of_roof(left)
        right.set(xlim=(-6, 6), ylim=(0, HIGHEST), xlabel="$x$ (metres from the ridge)")
        right.set_title("Variance (m²) by experts:")
        for experts in EXPERTS:  # so that no position has to wait
            learned(experts)
        for place, words, colour in (
            (0.88, "with points,", PREDICTED),
            (1, "idle", IDLE),
        ):
            right.text(
                place,
                1.025,
                words,
                color=colour,
                weight="bold",
                ha="right",
                transform=right.transAxes,
            )
        return left, right

    def draw(self, panels, seen, now):
        roof, variance = panels
        draw_band(roof, seen)
        each = seen.parts.noise + seen.parts.doubt + seen.parts.disagreement
        busy = each[:, ~seen.idle].sum(axis=1)
        variance.area(GRID, 0, busy, color=PREDICTED)
        variance.area(GRID, busy, each.sum(axis=1), color=IDLE)

    def say(self, seen, now):
        idle = int(seen.idle.sum())
        return (
            f"Under the roof the median of the band is ± {median_band(seen.parts):.2f} m. "
            f"Idle experts: {idle} of {now.experts}."
        )


# ---- the two experts by hand ---------------------------------------------------------

HOMES = np.array([-2.0, 2.0])  # means of the gates, of width 1
SLOPES = np.array([1.0, -1.0])


def two_experts(x) -> tuple[np.ndarray, np.ndarray]:
    """Return shares and lines (2, n) of the two experts of section 2 at x (n,)."""
    x = np.asarray(x, float)
    shares = softmax(norm.logpdf(x, HOMES[:, None], 1), axis=0)
    return shares, 6 + SLOPES[:, None] * x


def picture_of_two_experts() -> plots.Picture:
    """Draw two lines, and the curve between them with its band."""
    x = np.linspace(-4, 4, 161)
    shares, lines = two_experts(x)
    mean = (shares * lines).sum(axis=0)
    variance = NOISE**2 + (shares * (lines - mean) ** 2).sum(axis=0)
    band = 1.96 * np.sqrt(variance)
    fig, (left, right) = plots.figure(8.6, 3.1, ncols=2)
    for k, name in enumerate(("left", "right")):
        left.plot(x, shares[k], color=SHARES[k], ls=LINES[k], lw=2)
        right.plot(x, lines[k], color=SHARES[k], ls=LINES[k], lw=1.4)
        left.text(HOMES[k], 0.87, name, ha="center", color=SHARES[k], weight="bold")
    right.fill_between(x, mean - band, mean + band, color=BAND, lw=0)
    right.plot(x, mean, color=PREDICTED, ls="-", lw=2.6)
    left.set(xlabel="$x$ (metres)", ylim=(0, 1.05), title="Share of each expert")
    right.set(xlabel="$x$ (metres)", ylim=(1, 9), title="Two lines, and their average")
    alt = """Left: the shares of two experts over x. The left one has nearly all of it below -1,
    the right one above 1, and at 0 they are equal. Right: the two lines as thin lines, and as a
    thick curve their average with the shares, which follows the left line up to the ridge and
    the right one down from it. The grey band is widest a little to either side of the ridge,
    where the two lines disagree and both have a share."""
    return plots.Picture(fig, alt)


# ---- pictures of what was learned ----------------------------------------------------


def picture_of_parts(points: int = 12, experts: int = 2) -> plots.Picture:
    """Draw the three parts of the variance over x."""
    parts = after(points, experts).parts
    rows = (
        ("noise", parts.noise),
        ("doubt", parts.doubt),
        ("disagreement", parts.disagreement),
    )
    fig, (ax,) = plots.figure(7.6, 3.3)
    inside = np.abs(GRID) <= REACH
    for k, (name, part) in enumerate(rows):
        total = part.sum(axis=1)[inside]
        ax.plot(GRID[inside], total, label=name, **plots.line_style(k, lw=2.4))
    ax.set(yscale="log", ylim=(1e-3, 4), xlim=(-4, 4), xlabel="$x$ (metres)")
    ax.set(ylabel="variance (square metres)")
    ax.set_title(f"Two experts after {points} points: three parts of the variance")
    ax.legend(loc="upper center", ncol=3)
    alt = """Three parts of the variance over x, on a logarithmic scale. Noise is level, near a
    tenth of a square metre. Doubt is small where points lie, and grows towards the edges and
    to a hump near -0.8, between the points of the two experts. Disagreement is by far the
    largest part on the left, above all at -1.5. It nearly vanishes at the ridge, where both
    lines say the same, and to the right it is smaller than the noise."""
    return plots.Picture(fig, alt)


def elbo_of(experts: int, points: int, seed: int = SEED) -> float:
    """Return the ELBO (nats) of so many experts after so many points."""
    X = measure(np.random.default_rng(seed))[:points]
    return float(network(experts).elbo(X, learned(experts, seed)[points]))
