"""Lecture 01b, "Why does VB switch components off?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, expit

from vbkit import plots
from vbkit.course import Explorer, select_slider
from vbkit.course.petals import (
    LENGTH,
    MEAN_COUNT,
    PRIOR_VARIANCE,
    WIDTH,
    every_petal,
    known_petals,
)
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import free_energy_of_copies

OFFERED = 12
SURVIVES = 1.0  # petals: a component that ends with fewer is emptied
SETTLED = 1e-6  # of a responsibility: a sweep that changes none by more is the last
MOST_SWEEPS = 20_000  # no run of this lecture needs as many
CONCENTRATIONS = tuple(0.25 * i for i in range(1, 13))
CRITICAL = 1.5  # (d + 1) / 2 for the two unknown numbers of a petal's component
STARTS = (1, 2, 3)


def random_start(offered: int, start: int) -> np.ndarray:
    """Return random responsibilities (150, offered) of all petals."""
    rng = np.random.default_rng(start)
    return rng.dirichlet(np.ones(offered), size=150)


# ---- all petals, to the very end -----------------------------------------------------


class End(NamedTuple):
    """Where a run comes to rest. The components are in the order of their places, those
    that are emptied come last."""

    counts: np.ndarray  # (12,), petals that each component holds
    means: np.ndarray  # (12, 2), length and width
    places: np.ndarray  # (12,), copies have the same number; -1 if emptied
    covariance: np.ndarray  # (2, 2), of every component
    sweeps: int  # until no responsibility moved any more

    @property
    def survivors(self) -> int:
        """Return how many components end with more than one petal."""
        return int(np.sum(self.places >= 0))

    @property
    def different(self) -> int:
        """Return in how many places these components lie."""
        return int(self.places.max()) + 1


class Garden(NamedTuple):
    """The petals along the principal axes of the known covariance, where it is round."""

    y: np.ndarray  # (150, 2), petals, with the variance 1 along both axes
    worth: np.ndarray  # (2,), petals that the prior of a mean is worth along both axes
    back: np.ndarray  # (2, 2), y @ back are length and width again


def garden() -> Garden:
    """Return the petals as seen by components of the known covariance."""
    petals = every_petal()
    variances, axes = np.linalg.eigh(petals.covariance)
    widths = np.sqrt(variances)
    return Garden(petals.X @ axes / widths, variances * MEAN_COUNT, (axes * widths).T)


def sweep_petals(seen: Garden, R, concentrations) -> np.ndarray:
    """Return the responsibilities (B, 150, K) after one sweep from R (B, 150, K).

    B runs, each with its own concentration (B,), sweep side by side.
    """
    n = R.sum(axis=1)
    g = n[:, :, None] + seen.worth
    m = np.swapaxes(R, 1, 2) @ seen.y / g
    log_weight = digamma(concentrations[:, None] + n)
    # the square of the petal itself is the same for all components
    of_component = log_weight - np.sum(m**2 + 1 / g, axis=2) / 2
    scores = seen.y @ np.swapaxes(m, 1, 2) + of_component[:, None, :]
    scores -= scores.max(axis=2, keepdims=True)
    np.exp(scores, out=scores)
    return scores / scores.sum(axis=2, keepdims=True)


def rest(R, concentrations):
    """Sweep until nothing moves: return responsibilities (B, 150, K) and sweeps (B,).

    R (150, K): the start of all B runs; concentrations (B,). A copy that loses petals
    slowly still moves, so no run stops before it is emptied.
    """
    seen = garden()
    concentrations = np.asarray(concentrations, float)
    ends = np.repeat(R[None], len(concentrations), axis=0)
    sweeps = np.zeros(len(concentrations), int)
    moving = np.arange(len(concentrations))
    for sweep in range(1, MOST_SWEEPS + 1):
        before = ends[moving]
        after = sweep_petals(seen, before, concentrations[moving])
        ends[moving] = after
        sweeps[moving] = sweep
        moved = np.abs(after - before).max(axis=(1, 2))
        moving = moving[moved > SETTLED]
        if not len(moving):
            break
    return ends, sweeps


def describe(R, sweeps: int) -> End:
    """Return the End that responsibilities R (150, K) are."""
    seen = garden()
    n = R.sum(axis=0)
    means = R.T @ seen.y / (n[:, None] + seen.worth)
    places = np.full(len(n), -1)
    # from left to right, so that places are numbered by the length of their petals
    by_length = np.argsort((means @ seen.back)[:, 0])
    for k in by_length[n[by_length] > SURVIVES]:
        near = np.linalg.norm(means - means[k], axis=1) < 0.1
        known = places[near & (places >= 0)]
        places[k] = known[0] if len(known) else places.max() + 1
    # by place, those that are emptied last; in one place the largest comes first
    order = np.lexsort([-n, np.where(places < 0, len(n), places)])
    covariance = every_petal().covariance
    means = means[order] @ seen.back
    return End(n[order], means, places[order], covariance, int(sweeps))


@cache
def ends_of(start: int) -> dict[float, End]:
    """Return the End (by concentration) of twelve components from a random start."""
    R, sweeps = rest(random_start(OFFERED, start), CONCENTRATIONS)
    return {
        concentration: describe(R[i], sweeps[i])
        for i, concentration in enumerate(CONCENTRATIONS)
    }


def learn_to_the_end(concentration: float, start: int) -> End:
    """Return the End of twelve components at one concentration, from a random start."""
    return ends_of(start)[concentration]


HATCHES = ("", "///", "...", "\\\\\\", "xx", "++", "oo", "--", "**")


class OfferTwelve(Explorer):
    """Left: 150 petals by length and width, and the components that survive, as ellipses of
    two standard deviations. Right: a bar for each of twelve components, the petals that it
    holds when nothing moves any more. Bars with the same colour and hatch have the same
    mean; they share one ellipse.
    """

    title = "Twelve components for 150 petals, when nothing moves any more"
    size = (9.0, 4.0)
    concentration = select_slider("Concentration", CONCENTRATIONS, 0.25)

    def compute(self, concentration):
        return learn_to_the_end(concentration, start=1)

    def frame(self, figure):
        plane, right = figure.subplots(1, 2, width_ratios=[1, 1.1])
        plane.set(xlim=(-8, 9), ylim=(-8, 9), aspect="equal")
        plane.set(xlabel=LENGTH, ylabel=WIDTH)
        plane.xaxis.label.set_size(9)
        plane.yaxis.label.set_size(9)
        plane.set_title("Petals, and components (2 sd)")
        points = every_petal().X
        plane.plot(*points.T, "o", color="#999999", ms=3)
        right.set(xlim=(0.4, OFFERED + 0.6), ylim=(0, 56), ylabel="petals")
        right.set(xlabel="component, by its place", xticks=range(1, OFFERED + 1))
        right.set_title("Petals that each component holds")
        return plane, right

    def draw(self, panels, end, now):
        plane, right = panels
        surviving = end.places >= 0
        colours = [plots.COLOURS[place % 7] for place in end.places[surviving]]
        covariances = np.repeat(end.covariance[None], surviving.sum(), axis=0)
        plane.ellipses(end.means[surviving], covariances, colours=colours)
        bars = np.arange(1, OFFERED + 1)
        for place in range(end.different):
            here = end.places == place
            right.columns(
                bars[here],
                0,
                end.counts[here],
                0.7,
                facecolor=plots.COLOURS[place % 7],
                hatch=HATCHES[place],
            )

    def say(self, end, now):
        return (
            f"Concentration {now.concentration:g}: {end.survivors} of {OFFERED} "
            f"components survive, in {end.different} different places."
        )


# ---- two copies on ideal data --------------------------------------------------------


def bid(n, concentration: float):
    """Return what copies that hold n data points bid, up to a common factor.

    n: a number or an array. A component has two unknown numbers, the mean's coordinates.
    """
    return np.exp(digamma(concentration + n) - 1 / (MEAN_COUNT + n))


def sweep_of_share(w, total, concentration: float):
    """Return the share of the first of two copies after a sweep, from the share w."""
    first = bid(w * total, concentration)
    other = bid((1 - w) * total, concentration)
    return first / (first + other)


def shares_over_sweeps(w, total, concentration: float, sweeps: int) -> np.ndarray:
    """Return the share (sweeps + 1,) of the first copy, sweep by sweep."""
    shares = [w]
    for _ in range(sweeps):
        shares.append(sweep_of_share(shares[-1], total, concentration))
    return np.array(shares)


def above_one(w, total, concentration: float):
    """Return F (nats) of two copies with the shares w and 1 - w, exactly, less F of one
    component beside an empty one.

    w: a number or an array (n,). The data are ideal: `total` points with the average 0.
    """
    w = np.asarray(w, float)
    family = KnownCovariance(np.zeros(2), PRIOR_VARIANCE)
    S = total * np.array([1.0, 0.0, 0.0])
    shares = np.stack([w, 1 - w], axis=-1)
    both = free_energy_of_copies(family, concentration, S, shares)
    return both - free_energy_of_copies(family, concentration, S, np.array([0.0, 1.0]))


FIRST_SHARE = 0.4
SHARED = 200  # data points of two copies
SWEEPS = (0, 1, 2, 3, 5, 8, 12, 20, 30, 40, 60, 80, 100, 130, 160, 200, 250, 300, 400)
# dense near the ends, where F changes fastest
SHARES = np.concatenate([[0.0], expit(np.linspace(-8, 8, 161)), [1.0]])


class Copies(NamedTuple):
    """Two copies: how they share the data sweep by sweep, and F of all ways to share."""

    shares: np.ndarray  # (401,), of the smaller copy, by sweep
    free_energy: np.ndarray  # (163,), over SHARES, above one component and an empty one
    on_the_way: np.ndarray  # (401,), the same for the shares of each sweep


class TwoCopies(Explorer):
    """The free energy of two copies against the share of the first one, less that of one
    component alone (dots: zero). A black dot is where they are now.
    """

    title = "The landscape of two copies"
    size = (6.5, 3.6)
    sweep = select_slider("Sweep", SWEEPS, 0, play=400)
    concentration = select_slider("Concentration", CONCENTRATIONS, 0.5)

    def compute(self, concentration):
        shares = shares_over_sweeps(FIRST_SHARE, SHARED, concentration, SWEEPS[-1])
        of_all = above_one(SHARES, SHARED, concentration)
        return Copies(shares, of_all, above_one(shares, SHARED, concentration))

    def frame(self, figure):
        axes = figure.subplots()
        axes.set(xlim=(-0.03, 1.03), ylim=(-8, 11.5), xlabel="share of the first copy")
        axes.set(ylabel="nats", title="Free energy, above one alone")
        axes.axhline(0, color=plots.GREY, lw=1, ls=":")
        return axes

    def draw(self, panels, copies, now):
        (panel,) = panels
        panel.line(SHARES, copies.free_energy, color=plots.COLOURS[2])
        here = copies.on_the_way[now.sweep]
        panel.points(copies.shares[now.sweep], here, color="black", ms=9)

    def say(self, copies, now):
        held = SHARED * copies.shares[now.sweep]
        cost = copies.on_the_way[now.sweep]
        side = "below" if cost < -0.005 else "above"
        return (
            f"Sweep {now.sweep}: the smaller copy holds {held:.1f} of {SHARED} data "
            f"points; F lies {abs(cost):.2f} nats {side} that of one component alone."
        )


# ---- pictures of the text ------------------------------------------------------------


def picture_of_stops(ends) -> plots.Picture:
    """Draw the share of the smaller copy, sweep by sweep, and where a rule stops.

    ends: the share and the number of sweeps at which the rule stops, by N. The lines are
    the rule of the gap at concentration 1.
    """
    loss = CRITICAL - 1.0
    fig, (ax,) = plots.figure(7.5, 3)
    for k, (total, (share, sweeps)) in enumerate(ends.items()):
        times = np.geomspace(1, 1e7, 400)
        gap = (1 - 2 * FIRST_SHARE) * np.exp(
            np.minimum(times * np.log(total / (total - 2 * loss)), 5)
        )
        shares = np.maximum((1 - gap) / 2, 0)
        colour = plots.COLOURS[k]
        name = f"N = {total:,}"
        ax.plot(times, shares, color=colour, ls=plots.LINES[k], label=name)
        ax.plot(sweeps, share, "o", color=colour, ms=9, clip_on=False)
    ax.set(xscale="log", xlim=(0.8, 1e7), ylim=(-0.03, 0.5))
    ax.set(xlabel="sweep", ylabel="share of the smaller copy")
    ax.set_title("Dots: where the rule stops")
    ax.legend(loc="lower left")
    said = "; ".join(
        f"{total:,} data points: sweep {sweeps:,}, share {share:.2f}"
        for total, (share, sweeps) in ends.items()
    )
    alt = f"""Share of the smaller of two copies against the sweep, on a logarithmic axis.
    It falls from {FIRST_SHARE:.2f} to 0, later the more data there are. A dot shows where
    the rule stops: {said}."""
    return plots.Picture(fig, alt)


def picture_of_petals(end: End, ends) -> plots.Picture:
    """Draw what survives at concentration 1, and the survivors by concentration.

    end: the fit to draw; ends: the End by concentration, for each start.
    """
    petals = every_petal()
    fig, (left, right) = plots.figure(8.5, 3.9, ncols=2, width_ratios=[1.1, 1])
    plots.draw_points(left, petals.X, petals.species, size=4)
    surviving = end.places >= 0
    covariances = np.repeat(end.covariance[None], surviving.sum(), axis=0)
    plots.draw_ellipses(left, end.means[surviving], covariances, colours=["black"])
    left.set(xlim=(-8, 9), ylim=(-8, 9), aspect="equal")
    left.set(xlabel="petal length", ylabel="petal width")
    names = {"setosa": (-4.4, -1.6), "versicolor": (4.6, -2.0), "virginica": (0.4, 6.4)}
    for k, (name, (across, up)) in enumerate(names.items()):
        left.text(across, up, name, color=plots.COLOURS[k], ha="center")
    survivors = []
    for k, of_start in enumerate(ends):
        numbers = [one.survivors for one in of_start.values()]
        survivors.append(numbers)
        right.plot(
            CONCENTRATIONS,
            numbers,
            color=plots.COLOURS[k],
            ls=plots.LINES[k],
            marker=plots.MARKERS[k],
        )
    places = [one.different for one in ends[0].values()]
    right.plot(CONCENTRATIONS, places, color=plots.GREY, lw=1.2, marker=".")
    right.text(2.98, 4.9, "places (start 1)", color=plots.GREY, ha="right")
    right.text(2.98, 9.4, "survivors\n(three starts)", ha="right")
    right.axvline(CRITICAL, color=plots.GREY, lw=1, ls=":")
    right.text(CRITICAL - 0.05, 11.6, r"$\alpha_c$", color=plots.GREY, ha="right")
    right.set(ylim=(3, 12.6), xlabel=r"concentration $\alpha$", ylabel="components")
    number = end.survivors
    plots.panel_title(left, "A", rf"{number} survive at $\alpha=1$ (2 sd)")
    plots.panel_title(right, "B", r"copies survive above $\alpha_c$")
    alt = f"""A: petal length and width of 150 irises, three species in colours, and the
    {number} components that survive at concentration 1, as ellipses of the known shape: one
    on setosa, and several on versicolor and virginica. B: how many of twelve components
    survive, against the concentration, from three starts. Up to 1.5 they are five or six,
    from 2 on eleven or twelve. A grey line, the places of start 1, stays at five or six."""
    arrays = {
        "data": petals.X,
        "centres": end.means[surviving],
        "survivors": np.array(survivors),
    }
    return plots.Picture(fig, alt, arrays)


def mixture_of_petals(concentration: float) -> Mixture:
    """Return the model of this lecture: Gaussians of the known covariance."""
    return Mixture(known_petals(), Dirichlet(concentration))
