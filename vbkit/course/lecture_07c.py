"""Lecture 07c, "Does a component fade, or does it fall?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.course import Explorer, select_slider, slider, there_and_back
from vbkit.course.factors import Factors, update
from vbkit.course.rolling_ball import DOWN, UP, RollingBall
from vbkit.course.tables import FILMS, PEOPLE, ratings, say_entries
from vbkit.factorization import (
    fixed_landscape,
    kappa,
    learned_landscape,
    shrink_empirical,
    shrink_fixed,
    thresholds,
)

NUMBER = (1, 1)  # the shape of a table with a single entry
TABLE = (PEOPLE, FILMS)
FIXED, LEARNED = plots.COLOURS[:2]
OBSERVED = r"observed number $\gamma$"
PRODUCT = r"VB's product $\hat\gamma$"
GONE = 0.01  # a product below this is on its way to zero


# ---- one number ----------------------------------------------------------------------


def sweep(factors: Factors, gamma: float) -> Factors:
    """Return the factors after one sweep with learned prior variances, for the number
    gamma."""
    a, s_a, b, s_b = factors
    prior_a = a**2 + s_a
    prior_b = b**2 + s_b
    a, s_a = update(gamma, b, s_b, prior_variance=prior_a)
    b, s_b = update(gamma, a, s_a, prior_variance=prior_b)
    return Factors(a, s_a, b, s_b)


def learned_rest(gamma: float) -> float:
    """Return the largest product at which VB with learned priors comes to rest, for the
    number gamma. It is 0 if there is no rest but zero."""
    xi = kappa(gamma**2, NUMBER)
    return 0.0 if np.isnan(xi) else float(xi / gamma)


def pass_between(gamma: float) -> float:
    """Return the product at the local maximum between zero and the other minimum, for a
    number gamma > 2."""
    return float(1 / kappa(gamma**2, NUMBER) / gamma)


def on_the_curve(product: float) -> Factors:
    """Return the factors with this product > 0 whose free energy is lowest."""
    xi = np.interp(product, learned_landscape(XI, 0.0, NUMBER)[0], XI)
    s = product / xi
    mean = np.sqrt(product)
    return Factors(mean, s, mean, s)


XI = 12 * np.linspace(0, 1, 400) ** 2
CURVE_FIXED = np.linspace(0, 3, 301)
LOWERED = np.round(np.arange(3.0, 1.29, -0.05), 2)


class Landscapes(NamedTuple):
    """The free energy over VB's product, less its value at zero, for both priors."""

    gamma: float
    fixed: np.ndarray  # (301,), over CURVE_FIXED
    product: np.ndarray  # (400,), over which the next is given
    learned: np.ndarray  # (400,)
    fixed_rest: float
    learned_rest: float


@cache
def fixed_part() -> np.ndarray:
    """Return the part of the free energy that does not depend on the data, for prior
    variances of 1, over CURVE_FIXED."""
    part = fixed_landscape(CURVE_FIXED, 1.0, NUMBER)
    return part - part[0]


@cache
def landscapes(gamma: float) -> Landscapes:
    """Return both landscapes for the number gamma."""
    product, learned = learned_landscape(XI, gamma, NUMBER)
    return Landscapes(
        gamma,
        fixed_part() - gamma * CURVE_FIXED,
        product,
        learned,
        float(shrink_fixed(gamma, NUMBER, 1.0, 1.0, 1.0)),
        learned_rest(gamma),
    )


class FadeOrFall(Explorer):
    """Left: the free energy over VB's product, less its value at zero, for one observed
    number. The solid curve belongs to a fixed prior and the dashed one to a learned prior,
    and a ball rests in the right-hand minimum of each. Right: where both balls have rested
    so far, while the number was lowered.
    """

    title = "The observed number becomes smaller"
    size = (9.0, 3.8)
    number = select_slider(
        "The observed number, from 3 down",
        [(f"{number:.2f}", number) for number in LOWERED.tolist()],
        3.0,
        play=250,
    )

    def compute(self, number):
        return [landscapes(one) for one in LOWERED[LOWERED >= number].tolist()]

    def frame(self, figure):
        well, trail = figure.subplots(1, 2)
        well.axhline(0, color=plots.GREY, lw=0.8)
        well.set(xlim=(-0.1, 2.6), ylim=(-1.8, 1.2), xlabel=PRODUCT, ylabel="nats")
        well.set_title("Free energy, less its value at zero")
        well.text(
            0.02, 0.06, "solid: fixed prior", color=FIXED, transform=well.transAxes
        )
        well.text(
            0.02, 0.15, "dashed: learned prior", color=LEARNED, transform=well.transAxes
        )
        trail.set(xlim=(1.25, 3.05), ylim=(-0.1, 2.5), xlabel=OBSERVED)
        trail.set_ylabel(PRODUCT)
        trail.set_title("Where the balls rest")
        return well, trail

    def draw(self, panels, path, now):
        well, trail = panels
        last = path[-1]
        well.line(CURVE_FIXED, last.fixed, color=FIXED)
        well.line(last.product, last.learned, color=LEARNED, ls="--")
        height = np.interp(last.learned_rest, last.product, last.learned)
        well.points(last.learned_rest, height, color=LEARNED, mec="black", ms=11)
        height = np.interp(last.fixed_rest, CURVE_FIXED, last.fixed)
        well.points(last.fixed_rest, height, color=FIXED, mec="black", ms=7)
        numbers = np.array([one.gamma for one in path])
        fixed = np.array([one.fixed_rest for one in path])
        learned = np.array([one.learned_rest for one in path])
        trail.points(numbers, learned, color=LEARNED, marker="s", ms=7)
        trail.points(numbers, fixed, color=FIXED, ms=4)

    def say(self, path, now):
        last = path[-1]
        return (
            f"Observed: {last.gamma:.2f}. VB's product: {last.fixed_rest:.2f} with the "
            f"fixed prior, {last.learned_rest:.2f} with the learned prior."
        )


# ---- there and back ------------------------------------------------------------------

JOURNEY = np.round(
    np.concatenate([np.arange(3.05, 1.9, -0.1), np.arange(1.85, 3.1, 0.1)]), 2
)
TURN = len(JOURNEY) // 2


@cache
def journey() -> np.ndarray:
    """Return the product (25,) at which VB comes to rest at each stop of JOURNEY.

    Each stop begins where the last one ended, but not quite at zero.
    """
    product = 2.5
    rests = []
    for gamma in JOURNEY:
        factors = on_the_curve(max(product, 1e-4))
        for _ in range(1000):
            before = factors.product
            factors = sweep(factors, gamma)
            if factors.product < GONE**2 or abs(factors.product - before) < 1e-7:
                break
        product = factors.product if factors.product > GONE else 0.0
        rests.append(product)
    return np.array(rests)


class ThereAndBack(RollingBall):
    """Left: the free energy over VB's product, for a learned prior, less its value at zero.
    A ball rests where VB comes to rest. Right: where the ball has rested so far, dots
    while the number was lowered and squares while it was raised again.
    """

    title = "Lower the number, and raise it again"
    stop = there_and_back("The observed number, down and up again", JOURNEY, TURN)

    stops = JOURNEY
    turn = TURN
    curve = {"color": LEARNED, "ls": "--"}

    def rests(self):
        return journey()

    def landscape(self, stop):
        return learned_landscape(XI, stop, NUMBER)

    def frame_of_each(self, well, trail):
        well.set(xlim=(-0.1, 2.8), ylim=(-1.8, 1.2), xlabel=PRODUCT, ylabel="nats")
        well.set_title("Free energy, less its value at zero")
        trail.set(xlim=(1.7, 3.1), ylim=(-0.1, 2.8), xlabel=OBSERVED, ylabel=PRODUCT)
        trail.set_title("Where the ball rests")
        trail.text(1.75, 2.55, "dots: on the way down", color=DOWN)
        trail.text(1.75, 2.3, "squares: on the way up", color=UP)

    def say(self, rests, now):
        stop = JOURNEY[now.stop]
        return f"On the way {self.way(now)}, at {stop:.2f}: the product is {rests[-1]:.2f}."


# ---- a table -------------------------------------------------------------------------


class Shrunk(NamedTuple):
    """The singular values of a table, and what VB makes of them and of the table."""

    hidden: np.ndarray  # (20,)
    observed: np.ndarray  # (20,)
    kept: np.ndarray  # (20,)
    table: np.ndarray  # (20, 30)


class FainterPatterns(Explorer):
    """Left: the twenty singular values of a table with three patterns and noise, as circles,
    and what the global minimum makes of those that it keeps, as dots. A dashed line marks
    the edge of the noise, and a solid one the place from which a component is kept. Right:
    the table that is reconstructed there, from blue (-6) over white (0) to red (6).
    """

    title = "Three patterns in a table become fainter"
    size = (9.0, 3.8)
    strength = slider("Factor on the patterns", 0.0, 1.0, 1.0, 0.05, form="{:.2f}")

    def compute(self, strength):
        drawn = ratings(7)
        rows, observed, films = np.linalg.svd(
            strength * drawn.product + drawn.noise, full_matrices=False
        )
        kept = shrink_empirical(observed, TABLE, 1.0)
        hidden = np.linalg.svd(strength * drawn.product, compute_uv=False)
        return Shrunk(hidden, observed, kept, (rows * kept) @ films)

    def frame(self, figure):
        values, picture = figure.subplots(1, 2, width_ratios=[1, 1.1])
        edge = thresholds(TABLE)
        values.axhline(edge.local, color=plots.GREY, ls="--", lw=1)
        values.axhline(edge.keep, color=plots.GREY, lw=1)
        for at, words in (
            (edge.keep + 0.4, "global threshold"),
            (edge.local - 1.6, "edge of the noise"),
        ):
            values.text(20.8, at, words, ha="right", color="#555555", size=9)
        values.set(xlim=(0, 21), ylim=(-1, 28), xticks=(1, 5, 10, 15, 20))
        values.set(xlabel="number of the singular value", ylabel="singular value")
        values.set_title("Circles: observed. Dots: kept")
        picture.set(xticks=[], yticks=[], xlabel="films", ylabel="people")
        picture.set_title("The table at the global minimum (-6 to 6)")
        picture.set(xlim=(-0.5, 29.5), ylim=(19.5, -0.5))
        return values, picture

    def draw(self, panels, shrunk, now):
        values, picture = panels
        places = np.arange(1, 21)
        values.points(places, shrunk.observed, mfc="none", color="black", ms=7)
        kept = shrunk.kept > 0
        values.points(places[kept], shrunk.kept[kept], color=LEARNED, ms=7)
        say_entries(picture, shrunk.table, top=6)

    def say(self, shrunk, now):
        number = int((shrunk.kept > 0).sum())
        hidden = ", ".join(f"{size:.1f}" for size in shrunk.hidden[:3])
        observed = ", ".join(f"{size:.1f}" for size in shrunk.observed[:3])
        return f"Hidden: {hidden}. Observed: {observed}. Kept: {number}."


# ---- pictures ------------------------------------------------------------------------


def branches(gammas, shape) -> dict[str, np.ndarray]:
    """Return the shrunk singular values (n,) at noise 1, which the evidence draws.

    They are those of the "live" minimum, the "pass" below it and the "global" minimum; the
    first two are nan where they do not exist.
    """
    live = kappa(gammas**2, shape)  # L M times the strength
    return {
        "live": live / gammas,
        "pass": np.prod(shape) / live / gammas,
        "global": shrink_empirical(gammas, shape, 1.0),
    }
