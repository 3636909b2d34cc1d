"""Lectures 00a to 00d, eight bolts from two machines: the data and the explorers."""

from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import logsumexp

from vbkit import plots
from vbkit.course import Explorer, dropdown, select_slider, slider
from vbkit.course.bolts import (  # noqa: F401
    AXIS,
    FIFTH,
    GUESS,
    LENGTHS,
    MACHINE,
    PLACES,
    STARTS,
    every_grouping,
    log_joint,
)
from vbkit.course.bolts import WEIGHTS as SHARE
from vbkit.course.lecture_00a import MoveABolt  # noqa: F401
from vbkit.mixture import Mixture

SWEEPS = 40


# ---- VB, sweep by sweep ------------------------------------------------------------------


class Learning(NamedTuple):
    """What VB believes before the first sweep and after each one."""

    left: np.ndarray  # (sweeps, 8), the responsibility of the left machine
    densities: np.ndarray  # (sweeps, 2, 161), of each machine's next bolt, at PLACES
    elbos: np.ndarray  # (sweeps,), in nats
    evidence: float  # the logarithm of the evidence, in nats


class PlayTheSweeps(Explorer):
    """Left: the bolts, each as high as the probability that it is from the left machine,
    and two curves, the density of each machine's next bolt. Right: the ELBO by sweep below
    the line of the log evidence.
    """

    title = "Eight bolts, sweep by sweep"
    size = (9.0, 3.7)
    sweep = select_slider("Sweep", range(SWEEPS + 1), 3, play=500)
    start = dropdown("Learning starts from", STARTS, "the clumsy guess")

    def compute(self, start):
        mixture = Mixture(MACHINE, SHARE)
        left = []
        densities = []
        elbos = []
        R = np.column_stack([STARTS[start], 1 - STARTS[start]])
        for _ in range(SWEEPS + 1):
            S = mixture.m_step(LENGTHS, R)
            entropy = -(R * np.log(np.maximum(R, 1e-300))).sum()
            elbos.append(mixture.log_normalizer_ratio(S) + entropy)
            left.append(R[:, 0])
            densities.append(np.exp(MACHINE.log_predictive(S, PLACES[:, None])))
            R = mixture.responsibilities(LENGTHS, S)
        evidence = logsumexp(log_joint(LENGTHS, every_grouping()))
        return Learning(
            np.array(left), np.array(densities), np.array(elbos), float(evidence)
        )

    def frame(self, figure):
        bolts, elbo = figure.subplots(1, 2, width_ratios=[1.3, 1])
        bolts.set(xlim=(-4, 4), ylim=(-0.05, 1.08))
        bolts.set_xlabel("deviation (tenths of a millimetre)")
        bolts.set_ylabel("dots: responsibility of the left", size=9)
        bolts.set_title("Curves: where each machine expects its next bolt", size=10)
        bolts.text(-1.7, 0.57, "left machine", color=plots.COLOURS[0], ha="center")
        bolts.text(1.7, 0.57, "right machine", color=plots.COLOURS[1], ha="center")
        elbo.set(xlim=(-1, SWEEPS + 1), ylim=(-24.2, -16.9))
        elbo.set(xlabel="sweep", title="ELBO (nats)")
        elbo.text(SWEEPS, -17.5, "log evidence", ha="right")
        return bolts, elbo

    def draw(self, panels, learning, now):
        bolts, elbo = panels
        for k, density in enumerate(learning.densities[now.sweep]):
            bolts.line(PLACES, density, **plots.line_style(k))
        bolts.points(LENGTHS, learning.left[now.sweep], color="black", ms=8)
        evidence = [learning.evidence, learning.evidence]
        elbo.line([-1, SWEEPS + 1], evidence, color="black", lw=1.2)
        elbo.line(np.arange(now.sweep + 1), learning.elbos[: now.sweep + 1])
        elbo.points(now.sweep, learning.elbos[now.sweep], color="black")

    def say(self, learning, now):
        elbo = learning.elbos[now.sweep]
        return (
            f"ELBO {elbo:.2f}, {learning.evidence - elbo:.2f} nats below the evidence; "
            f"the fifth bolt is {learning.left[now.sweep, FIFTH]:.2f} left."
        )


# ---- which way the divergence points -----------------------------------------------------


class Cut(NamedTuple):
    """A correlated Gaussian p, and the closest q without a correlation."""

    covariances: np.ndarray  # (2, 2, 2), of p and of q
    width: float  # the standard deviation of each coordinate under q
    divergence: float  # KL(q||p), in nats


class CutADependence(Explorer):
    """Left: ellipses of two standard deviations, of p and of q, the closest Gaussian that
    ignores the correlation. Right: the density of the first coordinate alone under p and q.
    """

    title = "Cut a dependence and watch q"
    size = (8.5, 3.7)
    correlation = slider("Correlation", 0.0, 0.98, 0.8, 0.02, form="{:.2f}")

    def compute(self, correlation):
        p = np.array([[1, correlation], [correlation, 1]])
        q = (1 - correlation**2) * np.eye(2)  # one over the diagonal of p's inverse
        width = np.sqrt(q[0, 0])
        return Cut(np.array([p, q]), width, -np.log(width))

    def frame(self, figure):
        plane, alone = figure.subplots(1, 2)
        plane.set(xlim=(-3.6, 3.6), ylim=(-2.6, 2.6), aspect="equal")
        plane.set(xlabel=r"$\theta_1$", ylabel=r"$\theta_2$")
        plane.set_title("p and q, two standard deviations")
        alone.set(xlim=(-4, 4), ylim=(0, 2.05), xlabel=r"$\theta_1$")
        alone.set_title("One axis: q is narrow")
        alone.fill_between(PLACES, stats.norm.pdf(PLACES), color="#CCCCCC")
        alone.text(-1.4, 0.24, "p", color="black", ha="right")
        return plane, alone

    def draw(self, panels, cut, now):
        plane, alone = panels
        orange = plots.COLOURS[1]
        plane.ellipses(np.zeros((2, 2)), cut.covariances, colours=["black", orange])
        alone.line(PLACES, stats.norm.pdf(PLACES, scale=cut.width), color=orange)
        height = stats.norm.pdf(cut.width, scale=cut.width)
        alone.text(cut.width, height, " q", color=orange)

    def say(self, cut, now):
        divergence = cut.divergence + 0  # no minus before a zero
        return (
            f"Standard deviation: true 1.00, under q {cut.width:.2f}; "
            f"KL(q||p) is {divergence:.2f} nats."
        )


# ---- pictures of the text ----------------------------------------------------------------


def picture_of_bolts() -> plots.Picture:
    """Draw where the bolts lie."""
    fig, (ax,) = plots.figure(7, 1.4)
    ax.plot(LENGTHS, np.zeros(8), "h", color=plots.GREY, ms=15)
    ax.set(yticks=[], xlabel=AXIS, xlim=(-2.8, 2.8))
    ax.spines["left"].set_visible(False)
    alt = "Eight bolts: four on the left, one alone, three on the right."
    return plots.Picture(fig, alt)


def picture_of_groupings(probability) -> plots.Picture:
    """Draw the six most probable of all groupings; probability (256,): of each."""
    groupings = every_grouping()
    # A grouping and its mirror image are the same, so only one of them is drawn.
    folded = 2 * probability * (groupings[:, 0] == 0)
    best = np.argsort(-folded)[:6]
    rows = np.arange(6)
    fig, (ax, bars) = plots.figure(7, 3, ncols=2, width_ratios=[3, 1])
    ax.hlines(rows, -2.6, 2.6, color="#DDDDDD", lw=1, zorder=1)
    places = np.column_stack([np.tile(LENGTHS, 6), np.repeat(rows, 8)])
    plots.draw_points(ax, places, np.ravel(groupings[best]), size=10, alpha=1)
    drawn = bars.barh(rows, 100 * folded[best], 0.5, color=plots.GREY)
    bars.bar_label(drawn, fmt="%.0f %%", padding=4)
    for panel, bare in ((ax, "left"), (bars, "bottom")):
        panel.set(yticks=[], ylim=(5.5, -0.5))
        panel.spines[bare].set_visible(False)
    bars.set(xticks=[], xlim=(0, 80), title="posterior probability")
    ax.set(xlabel=AXIS, title="the six most probable groupings")
    alt = """Six rows with the eight bolts as coloured marks, one row per grouping, and its
    probability. In the first (51 %) the four bolts on the left are one group and the other
    four the other; in the second (31 %) the fifth bolt has joined the left group."""
    return plots.Picture(fig, alt)
