"""Lecture 11b, "Can a mixture draw a curve?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import softmax
from scipy.stats import norm, t

from vbkit import plots
from vbkit.course import Explorer, select_slider, slider
from vbkit.course.roof import (
    GRID,
    NOISE,
    SEED,
    Parts,
    height,
    learned,
    measure,
    network,
    predict,
)

MARKS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200)
PREDICTED = plots.COLOURS[0]
BAND = "#D9D9D9"
SHARES = plots.COLOURS[1:3]
LINES = ("-", "--")


class Seen(NamedTuple):
    """What two experts predict after some points."""

    points: np.ndarray  # (n, 2), rows of x and height
    parts: Parts  # at GRID


@cache
def after(points: int) -> Seen:
    """Return what two experts predict after so many points."""
    X = measure(np.random.default_rng(SEED))[:points]
    return Seen(X, predict(network(2), learned(2)[points], GRID))


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
        return after(points)

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        left.plot(GRID, height(GRID), color=plots.GREY, ls=":", lw=1.6, zorder=2)
        left.set(xlim=(-6, 6), ylim=(-1, 10), xlabel="$x$ (metres from the ridge)")
        left.set_title("Height in metres (dotted: the roof)")
        right.set(xlim=(-6, 6), ylim=(-0.03, 1.1), xlabel="$x$ (metres from the ridge)")
        right.set_title("Share of each expert")
        return left, right

    def draw(self, panels, seen, now):
        roof, shares = panels
        mean = seen.parts.mean
        band = seen.parts.band
        roof.area(GRID, mean - band, mean + band, color=BAND, zorder=1)
        roof.line(GRID, mean, color=PREDICTED, lw=2.4, zorder=3)
        roof.points(*seen.points.T, color="black", ms=4, zorder=4)
        roof.points(now.place, -0.75, color="black", marker="^", ms=9)
        for k in range(2):
            shares.line(GRID, seen.parts.gate[:, k], color=SHARES[k], ls=LINES[k], lw=2)

    def say(self, seen, now):
        at = np.abs(GRID - now.place).argmin()
        return (
            f"At x = {now.place:.1f} the roof is {seen.parts.mean[at]:.2f} m high, give or "
            f"take {seen.parts.band[at]:.2f} m."
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


# ---- gates whose widths are not known -------------------------------------------------


def single_gates(S) -> tuple[np.ndarray, np.ndarray]:
    """Return means and widths (2,) in metres of two gates with the mean precision under q.

    S (2, P) is the state of the two experts.
    """
    gate = network(2).family.gate
    told = gate.posterior(S[:, : gate.n_statistics])
    return told.mean[:, 0], np.sqrt(told.rate[:, 0] / told.shape)


def averaged_gates(S, x) -> np.ndarray:
    """Return the densities (2, n) at x (n,) of two gates, averaged over q: Student densities."""
    gate = network(2).family.gate
    told = gate.posterior(S[:, : gate.n_statistics])
    _, widths = single_gates(S)
    scales = widths * np.sqrt(1 + 1 / told.mean_count)
    freedom = 2 * told.shape
    return t.pdf(x, freedom[:, None], told.mean, scales[:, None])


def picture_of_a_gate() -> plots.Picture:
    """Draw the right expert's gate after some points, averaged, and as a single Gaussian."""
    points = 12
    S = learned(2)[points]
    x = np.linspace(-5, 5, 201)
    means, widths = single_gates(S)
    fig, (ax,) = plots.figure(7.0, 3.1)
    averaged = plots.line_style(0, lw=2.4)
    single = plots.line_style(1, lw=2.4)
    ax.plot(x, averaged_gates(S, x)[1], label="average over q: Student", **averaged)
    ax.plot(x, norm.pdf(x, means[1], widths[1]), label="a single Gaussian", **single)
    far = -3.5
    ax.axvline(far, color=plots.GREY, ls=":", lw=1.6)
    ax.set(yscale="log", xlim=(-5, 5), ylim=(1e-5, 1), xlabel="$x$ (metres)")
    ax.set_title(f"Density of the right expert's gate after {points} points")
    ax.legend(loc="lower right")
    top = norm.pdf(means[1], means[1], widths[1])
    of_average = averaged_gates(S, np.array([far]))[1, 0]
    of_gaussian = norm.pdf(far, means[1], widths[1])
    alt = f"""The density of one gate over x, on a logarithmic scale, with its top of about
    {top:.1f} at {means[1]:.1f}. Near the top the average and the single Gaussian agree. To the
    left they part: at {far}, marked by a dotted line, the average is at {of_average:.3f} and
    the Gaussian at {of_gaussian:.4f}."""
    return plots.Picture(fig, alt)
