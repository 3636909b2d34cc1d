"""Lecture 00d, "In which direction does VB err?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import digamma, softmax

from vbkit import plots
from vbkit.course import Explorer, slider
from vbkit.course.bolts import (
    FIFTH,
    GUESS,
    LENGTHS,
    MACHINE,
    WEIGHTS,
    every_labelling,
    log_joint,
    statistics,
    two_columns,
)

# q has the colour that VB had in lecture 00a; the others are for what is compared
OF_Q, SECOND, THIRD = plots.COLOURS[:3]
MOST_SWEEPS = 400


# ---- what is exactly known, and what VB says -----------------------------------------


def mean_and_variance(S) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior mean and variance (n,) of the unknown means of machines with
    statistics S (n, 3).
    """
    posterior = MACHINE.posterior(S)
    precision = posterior.mean_count * (posterior.shape - 1) / posterior.rate
    return posterior.mean[:, 0], 1 / precision


def density_of_mean(places, S) -> np.ndarray:
    """Return the posterior density (P, n), at places (P,), of the unknown means of machines
    with statistics S (n, 3). It is a Student t.
    """
    posterior = MACHINE.posterior(S)
    width = np.sqrt(posterior.rate / (posterior.shape * posterior.mean_count))
    mean = posterior.mean[:, 0]
    return stats.t.pdf(places[:, None], 2 * posterior.shape, mean, width)


def run_vb(x, tolerance: float = 1e-4) -> np.ndarray:
    """Return VB's responsibilities (W, 8, 2) for W sets of bolts x (W, 8), learned side by
    side from the clumsy guess.

    Learning ends when no responsibility changes by more than the tolerance.
    """
    x = np.asarray(x, float)
    t = MACHINE.statistics(x.reshape(-1, 1)).reshape(*x.shape, 3)
    R = np.broadcast_to(two_columns(GUESS), (*x.shape, 2))
    for _ in range(MOST_SWEEPS):
        S = np.swapaxes(R, 1, 2) @ t
        before = R
        count = S[:, None, :, 0]
        log_weight = digamma(WEIGHTS.concentration + count)
        omega = MACHINE.expected(S.reshape(-1, 3)).reshape(S.shape)
        score = log_weight + t @ np.swapaxes(omega, 1, 2)
        R = softmax(score, axis=2)
        if np.abs(R - before).max() < tolerance:
            break
    return R


# ---- one mode or both ----------------------------------------------------------------

GRID = np.linspace(-8, 8, 161)  # of both means
MEANS = np.round(np.arange(-2.0, 2.01, 0.1), 1)  # where q may lie
HALF = np.log(2)  # nats, what it costs to leave out one of two mirror images


@cache
def log_two_modes() -> np.ndarray:
    """Return the log posterior density (161, 161) of the means of labels 0 and 1."""
    labellings = every_labelling()
    probability = softmax(log_joint(LENGTHS, labellings))
    of_0 = density_of_mean(GRID, statistics(LENGTHS, labellings == 0))
    of_1 = density_of_mean(GRID, statistics(LENGTHS, labellings == 1))
    return np.log((of_0 * probability) @ of_1.T)


class OneModeOrBoth(Explorer):
    """Left: the plane of the two means. Grey contours are the exact posterior p: two modes,
    mirror images of each other. A blue ellipse, two standard deviations wide, is q.
    Right: KL(q||p) against the place of q, at the same width; a black dot marks q.
    """

    title = "A product q for two mirror images"
    size = (9.0, 4.0)
    place = slider("Mean of label 0 under q", -2.0, 2.0, 0.0, 0.1, form="{:.1f}")
    width = slider("Standard deviation of q", 0.3, 2.0, 1.4, 0.1, form="{:.1f}")

    def compute(self, width):
        # q at (m, -m): the two modes lie on this line
        one = stats.norm.pdf(GRID, MEANS[:, None], width)
        other = stats.norm.pdf(GRID, -MEANS[:, None], width)
        one = one / one.sum(axis=1, keepdims=True)
        other = other / other.sum(axis=1, keepdims=True)
        mean_log_p = np.sum((one @ log_two_modes()) * other, axis=1)
        entropy = np.log(2 * np.pi * np.e * width**2)
        return -entropy - mean_log_p

    def frame(self, figure):
        plane, right = figure.subplots(1, 2)
        plane.set(xlim=(-4, 4), ylim=(-4, 4), aspect="equal")
        plane.set(xlabel="mean of label 0", ylabel="mean of label 1")
        plane.set_title("p (grey) and q (blue)")
        density = np.exp(log_two_modes()).T
        levels = density.max() * np.array([0.01, 0.05, 0.2, 0.6, 1.01])
        plane.contourf(GRID, GRID, density, levels, cmap="Greys")
        right.set(xlim=(-2.05, 2.05), ylim=(0, 5))
        right.set(xlabel="mean of label 0 under q", ylabel="nats")
        right.set_title("KL(q||p) at this width")
        right.axhline(HALF, color=plots.GREY, lw=1, ls=":")
        right.text(2.0, HALF - 0.28, "log 2", color=plots.GREY, ha="right")
        return plane, right

    def draw(self, panels, divergence, now):
        plane, right = panels
        centre = np.array([[now.place, -now.place]])
        covariance = now.width**2 * np.eye(2)[None]
        plane.ellipses(centre, covariance, colours=[OF_Q])
        right.line(MEANS, divergence, color=OF_Q)
        right.points(now.place, self._here(divergence, now), color="black")

    def say(self, divergence, now):
        return f"KL(q||p) is {self._here(divergence, now):.2f} nats."

    def _here(self, divergence, now) -> float:
        return divergence[np.argmin(np.abs(MEANS - now.place))]


# ---- a correlation that q cannot have ------------------------------------------------

TRIED = np.linspace(0.005, 1.5, 300)  # variances v of q


class Cut(NamedTuple):
    """A correlated Gaussian p, and products q of every variance."""

    covariances: np.ndarray  # (2, 2, 2), of p and of the closest q
    variance: float  # of each coordinate under the closest q
    narrow: np.ndarray  # (300,), -log v
    misfit: np.ndarray  # (300,), v / (1 - c^2)


class CutADependence(Explorer):
    """Left: ellipses of two standard deviations, black and tilted for p, blue and round
    for q, the closest product. Right: the two parts of KL(q||p) against the variance v of
    q. The part -log v falls, v / (1 - c^2) rises, and a dot marks the lowest place of their
    sum; the true variance is 1.
    """

    title = "The closest product q of a correlated Gaussian p"
    size = (9.0, 4.0)
    correlation = slider("Correlation c", 0.0, 0.98, 0.0, 0.02, form="{:.2f}")

    def compute(self, correlation):
        p = np.array([[1, correlation], [correlation, 1]])
        variance = 1 - correlation**2
        covariances = np.array([p, variance * np.eye(2)])
        return Cut(covariances, variance, -np.log(TRIED), TRIED / variance)

    def frame(self, figure):
        plane, parts = figure.subplots(1, 2)
        plane.set(xlim=(-3, 3), ylim=(-3, 3), aspect="equal")
        plane.set(xlabel=r"$\theta_1$", ylabel=r"$\theta_2$")
        plane.set_title("p (black) and the closest q (blue)")
        parts.set(xlim=(0, 1.5), ylim=(-0.5, 5), xlabel="variance v of q")
        parts.set(ylabel="nats", title="The two parts of KL(q||p), and their sum")
        parts.axvline(1, color=plots.GREY, lw=1, ls=":")
        parts.text(1.02, 4.6, "true variance", color=plots.GREY)
        return plane, parts

    def draw(self, panels, cut, now):
        plane, parts = panels
        plane.ellipses(np.zeros((2, 2)), cut.covariances, colours=["black", OF_Q])
        parts.line(TRIED, cut.narrow, color=SECOND, ls="--")
        parts.line(TRIED, cut.misfit, color=THIRD, ls="-.")
        parts.line(TRIED, cut.narrow + cut.misfit, color="black")
        parts.points(cut.variance, 1 - np.log(cut.variance), color=OF_Q, ms=9)
        parts.text(0.42, -0.25, r"$-\log v$", color=SECOND)
        place = min(1.3, 4.2 * cut.variance)
        height = place / cut.variance
        parts.text(place - 0.04, height, r"$v/(1-c^2)$", color=THIRD, ha="right")

    def say(self, cut, now):
        return (
            f"Correlation {now.correlation:.2f}: the standard deviation is 1.00 under p "
            f"and {np.sqrt(cut.variance):.2f} under q."
        )


# ---- workshops whose labels we know --------------------------------------------------


class Workshops(NamedTuple):
    """What is true of many invented workshops, and what two methods say.

    A question is whether a bolt came from the same machine as the first; there are seven
    in each of W workshops.
    """

    truth: np.ndarray  # (W, 7), yes or no
    exact: np.ndarray  # (W, 7), the probability of a yes
    vb: np.ndarray  # (W, 7), the same by VB


def invent_workshops(number: int, seed: int) -> Workshops:
    """Draw workshops from the prior, eight bolts each, hide the labels, and ask twice."""
    rng = np.random.default_rng(seed)
    weight = rng.dirichlet([1.0, 1.0], size=number)[:, :1]
    precision = rng.gamma(2.0, 1.0, size=(number, 2))
    mean = rng.normal(0.0, 1 / np.sqrt(0.1 * precision))
    z = (rng.random((number, 8)) > weight).astype(int)
    own_mean = np.take_along_axis(mean, z, axis=1)
    own_precision = np.take_along_axis(precision, z, axis=1)
    x = rng.normal(own_mean, 1 / np.sqrt(own_precision))
    order = np.argsort(x, axis=1)  # the guess of VB expects short bolts first
    x = np.take_along_axis(x, order, axis=1)
    z = np.take_along_axis(z, order, axis=1)

    labellings = every_labelling()
    same_label = labellings == labellings[:, :1]
    exact = [softmax(log_joint(one, labellings)) @ same_label for one in x]
    R = run_vb(x)
    vb = np.sum(R * R[:, :1], axis=2)
    return Workshops((z == z[:, :1])[:, 1:], np.array(exact)[:, 1:], vb[:, 1:])


def sure_and_right(probability, truth) -> tuple[float, float]:
    """Return how sure a method is on average, and in what fraction it is right.

    probability: of a yes, for each question; truth: yes or no. A method votes for what it
    thinks more probable, and is as sure as it thinks this is.
    """
    sure = np.maximum(probability, 1 - probability)
    right = (probability > 0.5) == truth
    return sure.mean(), right.mean()


# ---- pictures of the text ------------------------------------------------------------


def picture_of_left_mean(probability, S) -> plots.Picture:
    """Draw the posterior density of the mean of the first bolt's machine, in two ways.

    probability (256,): of each labelling; S (1, 3): VB's statistics of this machine.
    """
    labellings = every_labelling()
    places = np.linspace(-3.2, 0.6, 191)
    same_label = labellings == labellings[:, :1]
    of_each = density_of_mean(places, statistics(LENGTHS, same_label)) * probability
    with_short = same_label[:, FIFTH]
    fig, (ax,) = plots.figure(7.5, 3)
    ax.plot(places, density_of_mean(places, S)[:, 0], color=OF_Q, label="VB")
    ax.plot(
        places,
        of_each.sum(axis=1),
        color="black",
        ls="-",
        label="exact: the sum of ...",
    )
    parts = {
        "... groupings with the doubtful bolt long": ~with_short,
        "... and those with it short": with_short,
    }
    for (name, kept), dashes in zip(parts.items(), ("--", ":"), strict=True):
        part = of_each[:, kept].sum(axis=1)
        ax.plot(places, part, color=plots.GREY, ls=dashes, label=name)
    ax.legend(loc="upper right")
    ax.set(xlim=(-3.2, 0.6), ylim=(0, 1.35), ylabel="density")
    ax.set(xlabel="mean of the first bolt's machine")
    ax.set_title("What is known of this mean")
    alt = """Density of the mean of the first bolt's machine. The exact curve is wide and
    leans to the right; it is the sum of a narrow part around -1.65 and a wide part around
    -1.2. VB's curve is narrow and high and lies on the first part alone."""
    return plots.Picture(fig, alt)


def picture_of_counting(exact, vb) -> plots.Picture:
    """Draw how sure and how often right two methods are; each a pair of fractions."""
    fig, (ax,) = plots.figure(7.5, 2.8)
    for k, (colour, hatch) in enumerate(((SECOND, ""), (THIRD, "///"))):
        heights = [100 * exact[k], 100 * vb[k]]
        places = np.arange(2) + (k - 0.5) * 0.34
        name = ("how sure it was", "how often it was right")[k]
        drawn = ax.bar(
            places,
            heights,
            0.32,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            label=name,
        )
        ax.bar_label(drawn, fmt="%.0f %%", padding=2)
    ax.set_xticks([0, 1], ["exact", "VB"])
    ax.set(xlim=(-0.6, 2.4), ylim=(0, 115), yticks=[0, 50, 100], ylabel="%")
    ax.legend(loc="center right")
    alt = f"""Two pairs of bars. The exact method was {100 * exact[0]:.0f} % sure and
    {100 * exact[1]:.0f} % right; VB was {100 * vb[0]:.0f} % sure and {100 * vb[1]:.0f} %
    right."""
    return plots.Picture(fig, alt)
