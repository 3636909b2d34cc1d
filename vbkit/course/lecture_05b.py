"""Lecture 05b, "How many components does the ELBO want?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from matplotlib.patches import Circle

from vbkit import plots
from vbkit.course import Explorer, log_slider, select_slider, slider
from vbkit.course.sato import draw, sato_mixture
from vbkit.data import SATO2000_CENTRES, SATO2000_WIDTHS
from vbkit.data import sato2000 as data_set
from vbkit.learning import fit_each_start, init_gaussian
from vbkit.mixture import Mixture
from vbkit.structure import split_halves

OFFERED = 5
NUMBERS = np.arange(1, OFFERED + 1)
POINTS = 200  # of data set A
SIZES = (200, 400, 800, 1600)
STREAMS = (1, 2, 3)
PRIOR = 0.01  # data points that the prior of all components together is worth
HOLDS = 1.0  # points: a component that ends with fewer is empty
RANDOM_STARTS = 2
FIT, COMPLEXITY = plots.COLOURS[:2]
BELOW = 60.0  # nats below the highest ELBO that a panel shows


# ---- the data, and the best solution for each number of components -------------------


@cache
def points_of_stream(number: int) -> np.ndarray:
    """Return 1,600 points (1600, 2) from the four Gaussians of data set A. The first 200 of
    stream 1 are data set A itself."""
    if number == 1:
        first = draw()["A"]
    else:
        first, _ = data_set("A", np.random.default_rng([number, 0]))
    rng = np.random.default_rng([number, 1])
    others, _ = data_set("A", rng, size=SIZES[-1] - POINTS)
    return np.concatenate([first, others])


class Solution(NamedTuple):
    """Where VB ends with K components, from the start with the highest ELBO."""

    mixture: Mixture
    S: np.ndarray  # (K, P), what the data added to the prior
    elbo: float
    complexity: float  # the divergence of q(theta) from the prior

    @property
    def fit(self) -> float:
        """Return the first part of the ELBO, which is the ELBO plus the complexity."""
        return self.elbo + self.complexity

    @property
    def holds(self) -> np.ndarray:
        """Return which components hold data points, (K,) booleans."""
        return self.S[:, 0] > HOLDS

    def ellipses(self):
        """Return means (n, 2), covariances (n, 2, 2) and weights (n,) of those."""
        weights, components = self.mixture.parameters(self.S)
        centres, covariances = components
        holds = self.holds
        return centres[holds], covariances[holds], weights[holds]


def solutions(X, most=OFFERED) -> list[Solution]:
    """Return the best Solution with one component, with two, and so on, for X (N, 2).

    Each number starts from a few random points. It also starts from the best solution with
    one component fewer: once with an empty component beside it, and once with each of its
    components cut in two.
    """
    rng = np.random.default_rng(0)
    best = []
    for K in range(1, most + 1):
        mixture = sato_mixture(X, K, "full covariance", PRIOR)
        starts = []
        for _ in range(RANDOM_STARTS):
            starts.append(init_gaussian(mixture, X, K, rng))
        if best:
            starts.extend(starts_from(best[-1], mixture, X))
        fits = fit_each_start(mixture, X, starts, max_epochs=2000, tolerance=1e-3)
        highest = max(fits, key=lambda fit: fit.elbo)
        complexity = mixture.divergence(highest.S)
        best.append(Solution(mixture, highest.S, highest.elbo, complexity))
    return best


def starts_from(fewer: Solution, mixture: Mixture, X) -> list[np.ndarray]:
    """Return starts with one component more than a Solution has, for X (N, 2)."""
    starts = [with_empty(fewer.S)]
    for k in np.flatnonzero(fewer.holds):
        if fewer.S[k, 0] < 4:
            continue  # too few points for two halves
        halves = split_halves(mixture, X, fewer.S, k)
        start = with_empty(fewer.S)
        start[k] = halves.first
        start[-1] = halves.second
        starts.append(start)
    return starts


def with_empty(S: np.ndarray) -> np.ndarray:
    """Return the state (K + 1, P) in which an empty component stands beside S (K, P)."""
    return np.vstack([S, np.zeros(S.shape[1])])


@cache
def solutions_of_stream(number: int, size: int) -> list[Solution]:
    """Return the best Solution for each number of components, for the first points."""
    return solutions(points_of_stream(number)[:size])


def elbos(best: list[Solution]) -> np.ndarray:
    """Return the ELBO of each Solution."""
    return np.array([one.elbo for one in best])


def best_number(best: list[Solution]) -> int:
    """Return the number of components with the highest ELBO."""
    return int(elbos(best).argmax()) + 1


# ---- explorers -----------------------------------------------------------------------


def frame_of_plane(plane):
    """Lay out the panel of data set A, and draw the Gaussians that made the points."""
    plane.set(xlim=(-7, 9), ylim=(-8, 8), aspect="equal", xlabel="$x_1$")
    plane.set_ylabel("$x_2$")
    for centre, width in zip(SATO2000_CENTRES["A"], SATO2000_WIDTHS["A"], strict=True):
        circle = Circle(centre, 2 * width, fill=False, lw=1.2, ls="--", zorder=3)
        plane.add_patch(circle)


class OfferComponents(Explorer):
    """Left: the 200 points of data set A, the four Gaussians that made them as dashed black
    circles, and the components that hold points as ellipses, all of two standard
    deviations. Right: the highest ELBO that was found for each number of components, up to
    the number that is offered.
    """

    title = "One component more for the 200 points of data set A"
    size = (9.0, 4.0)
    offered = slider("Components offered", 1, OFFERED, 1)

    def compute(self):
        return solutions_of_stream(1, POINTS)

    def frame(self, figure):
        plane, right = figure.subplots(1, 2, width_ratios=[1, 1.1])
        frame_of_plane(plane)
        plane.set_title("Points, sources, components")
        plane.plot(*points_of_stream(1)[:POINTS].T, "o", color="#999999", ms=2.5)
        right.set(xlim=(0.6, OFFERED + 0.4), ylim=(-965, -935), xticks=NUMBERS)
        right.set(xlabel="components offered", ylabel="nats")
        right.set_title("Highest ELBO found")
        return plane, right

    def draw(self, panels, best, now):
        plane, right = panels
        centres, covariances, weights = best[now.offered - 1].ellipses()
        plane.ellipses(centres, covariances, colours=plots.COLOURS[: len(weights)])
        so_far = elbos(best)[: now.offered]
        right.line(NUMBERS[: now.offered], so_far, marker="o", ms=7)

    def say(self, best, now):
        one = best[now.offered - 1]
        return (
            f"Components offered: {now.offered}; components that hold points: "
            f"{one.holds.sum()}. Highest ELBO found: {one.elbo:.1f} nats."
        )


class Setting(NamedTuple):
    """What bolts say about the setting of their machine, on a scale of some length."""

    place: np.ndarray  # (n,), possible settings, millimetres
    likelihood: np.ndarray  # (n,), divided by its highest value
    width: float  # of the box with the same area and the height one, millimetres
    nats: float  # the logarithm of how many such boxes the scale holds


class OneSetting(Explorer):
    """Left: a scale on which the setting of a machine lies, as a row of boxes, and the
    likelihood of the setting, divided by its highest value. A dashed box has the same area
    and the height one, and the width of a box of the row. Right: the logarithm of how many
    such boxes fit side by side on the scale, against the number of bolts, with a dot at the
    present one.
    """

    title = "What one unknown number costs"
    size = (9.0, 3.6)
    bolts = log_slider("Bolts", 1, 400, 1, 10)
    scale = select_slider("Length of the scale (mm)", (2.5, 5, 10), 10)

    def compute(self, bolts, scale):
        place = np.linspace(-5.5, 5.5, 1101)
        width = np.sqrt(2 * np.pi / bolts)
        likelihood = np.exp(-bolts * place**2 / 2)
        return Setting(place, likelihood, width, cost_of_setting(bolts, scale))

    def frame(self, figure):
        left, right = figure.subplots(1, 2)
        left.set(xlim=(-5.5, 5.5), ylim=(0, 1.25), xlabel="setting (mm)", yticks=[0, 1])
        left.set_title("Likelihood, and a box of the same area")
        right.set(xscale="log", xlim=(0.9, 440), ylim=(0, 6), xlabel="bolts")
        right.set(ylabel="nats", xticks=[1, 10, 100], xticklabels=[1, 10, 100])
        right.set_title("Cost of the setting")
        return left, right

    def draw(self, panels, setting, now):
        left, right = panels
        end = now.scale / 2
        left.area(np.array([-end, end]), 0, np.array([0.08, 0.08]), color="#BBBBBB")
        left.line(*walls(end, setting.width), color="black", lw=0.6)
        left.line(setting.place, setting.likelihood, color=FIT)
        half = setting.width / 2
        corners = np.array([-half, -half, half, half])
        left.line(corners, np.array([0, 1, 1, 0]), color="black", ls="--", lw=1.2)
        bolts = np.geomspace(1, 400, 50)
        right.line(bolts, cost_of_setting(bolts, now.scale), color=COMPLEXITY)
        right.points(now.bolts, setting.nats, color="black", ms=9)

    def say(self, setting, now):
        return (
            f"{now.bolts:,.0f} bolts: the scale holds {now.scale / setting.width:,.0f} boxes, "
            f"so the setting costs {setting.nats:.2f} nats."
        )


def walls(end: float, width: float):
    """Return a line x (3 n,), y (3 n,) of the walls between boxes on a scale up to an end."""
    right = np.arange(width / 2, end, width)
    places = np.concatenate([-right[::-1], right])
    x = np.repeat(places, 3)
    y = np.tile([0, 0.08, np.nan], len(places))
    return x, y


def cost_of_setting(bolts, scale):
    """Return what an unknown setting costs, for bolts of standard deviation one."""
    return np.log(scale * np.sqrt(bolts / (2 * np.pi)))


class MorePoints(Explorer):
    """Left: the first points of a stream from four Gaussians, these Gaussians as dashed
    black circles, and the components with the highest ELBO as ellipses, all of two standard
    deviations. Right: the ELBO for each number of components, below the highest of them,
    which has a large dot; what lies more than 60 nats below it is drawn at the lower edge.
    """

    title = "More points from the same four Gaussians"
    size = (9.0, 4.0)
    computes_ahead = True
    points = select_slider("Points", SIZES, SIZES[0])

    def compute(self, points):
        return solutions_of_stream(1, points)

    def frame(self, figure):
        plane, right = figure.subplots(1, 2, width_ratios=[1, 1.1])
        frame_of_plane(plane)
        plane.set_title("Points, sources, components")
        right.set(xlim=(0.6, OFFERED + 0.4), ylim=(-BELOW, 4), xticks=NUMBERS)
        right.set(xlabel="components offered", ylabel="nats below the highest")
        right.set_title("ELBO")
        return plane, right

    def draw(self, panels, best, now):
        plane, right = panels
        X = points_of_stream(1)[: now.points]
        plane.points(*X.T, color="#999999", ms=2)
        number = best_number(best)
        centres, covariances, weights = best[number - 1].ellipses()
        plane.ellipses(centres, covariances, colours=plots.COLOURS[: len(weights)])
        below = np.maximum(elbos(best) - elbos(best).max(), -BELOW)
        right.line(NUMBERS, below, marker="o", ms=5)
        right.points(number, 0.0, color="black", ms=10)

    def say(self, best, now):
        return (
            f"{now.points:,} points: the ELBO is highest for {best_number(best)} of "
            f"{OFFERED} components."
        )


# ---- pictures ------------------------------------------------------------------------


def gains_and_costs(stream: int, component: int):
    """Return what this component adds to fit and complexity, each (4,), over the SIZES."""
    gains = []
    costs = []
    for size in SIZES:
        best = solutions_of_stream(stream, size)
        gains.append(best[component - 1].fit - best[component - 2].fit)
        costs.append(best[component - 1].complexity - best[component - 2].complexity)
    return np.array(gains), np.array(costs)


def picture_of_gains() -> plots.Picture:
    """Draw what the second component gains and costs, against the number of points, as the
    mean of the streams."""
    every = np.array([gains_and_costs(stream, 2) for stream in STREAMS])
    gains, costs = every.mean(axis=0)
    fig, (ax,) = plots.figure(7.5, 3)
    ax.plot(SIZES, gains, marker="o", color=FIT)
    ax.plot(SIZES, costs, marker="s", ls="--", color=COMPLEXITY)
    plots.label_line(ax, SIZES, gains, "gain in fit", colour=FIT)
    plots.label_line(ax, SIZES, costs, "cost", colour=COMPLEXITY)
    ax.set(xlabel="points (log scale)", ylabel="nats (log scale)")
    ax.set(xscale="log", yscale="log", xlim=(180, 2900), ylim=(10, 500))
    ax.set_xticks(SIZES, [f"{size:,}" for size in SIZES])
    ax.set_yticks([10, 100], ["10", "100"])
    ax.minorticks_off()
    ax.set_title(f"The second component: gain and cost, mean of {len(STREAMS)} streams")
    said = "; ".join(
        f"{size:,} points: gain {gain:.0f}, cost {cost:.0f}"
        for size, gain, cost in zip(SIZES, gains, costs, strict=True)
    )
    alt = f"""What a second component adds to fit and complexity against the number of
    points, as the mean of {len(STREAMS)} streams. On logarithmic axes the gain is a straight
    line, and the cost hardly rises. {said}."""
    return plots.Picture(fig, alt)
