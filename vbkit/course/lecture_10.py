"""Lecture 10, "Is it always the same phenomenon?": explorers and pictures."""

from functools import cache
from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.course import Explorer, slider, there_and_back
from vbkit.course.lecture_07c import (
    CURVE_FIXED,
    FIXED,
    LEARNED,
    NUMBER,
    XI,
    fixed_part,
    learned_rest,
)
from vbkit.course.people import price_of_copy
from vbkit.course.rolling_ball import DOWN, UP, RollingBall
from vbkit.factorization import (
    fixed_landscape,
    learned_landscape,
    shrink_fixed,
    thresholds,
)
from vbkit.theory import minima, share_landscape, slope_in_share, switch_concentration
from vbkit.theory.coexistence import ideal_bernoulli

QUESTIONS = 4
PSEUDO_COUNT = 0.1
PEOPLE = 400  # of the deterministic kind in lecture 08a
ALIKE = ideal_bernoulli(0, QUESTIONS, PSEUDO_COUNT)  # people who answer alike
CRITICAL = 0.5 + QUESTIONS * PSEUDO_COUNT  # concentration, for many people
# from here on F is lower at equal copies than at one
SWITCH = switch_concentration(ALIKE.family, PEOPLE * ALIKE.average)


# ---- two copies ----------------------------------------------------------------------

LEAST = 1e-3
# what the smaller copy holds in the landscape: next to nothing to exactly one half
COUNTS = np.geomspace(LEAST, PEOPLE / 2, 400)


class Valley(NamedTuple):
    """F of two copies above one beside an empty component, and where it has minima."""

    free_energy: np.ndarray  # (400,), nats, over COUNTS
    rises: np.ndarray  # (400,), whether F rises there
    lows: np.ndarray  # (m,), indices of the local minima

    @property
    def lowest(self) -> int:
        """The index of the lowest minimum."""
        return int(self.lows[self.free_energy[self.lows].argmin()])

    def roll(self, place: int) -> int:
        """Return the index of the minimum into which a ball rolls from an index."""
        if place in self.lows:
            return place
        if self.rises[place] or place == len(COUNTS) - 1:
            return int(self.lows[self.lows < place][-1])
        return int(self.lows[self.lows > place][0])


@cache
def valley(concentration: float) -> Valley:
    """Return the landscape of two copies of people who answer alike."""
    shares = COUNTS / PEOPLE
    S = PEOPLE * ALIKE.average
    return Valley(
        share_landscape(ALIKE, concentration, PEOPLE, shares),
        slope_in_share(ALIKE.family, concentration, S, shares) > 0,
        minima(ALIKE, concentration, PEOPLE, shares),
    )


# ---- three models, one slider --------------------------------------------------------

MULTIPLES = np.round(np.arange(0.8, 1.61, 0.05), 2)
CRITICAL_FIXED = (1 + np.sqrt(5)) / 2  # of the number, with priors of variance 1
CRITICAL_LEARNED = thresholds(NUMBER).local


class SideBySide(NamedTuple):
    """Three landscapes at one multiple of their critical values."""

    concentration: float
    copies: Valley
    learned_number: float
    product: np.ndarray  # (400,)
    learned: np.ndarray  # (400,), F over `product`, less its value at zero
    learned_best: float  # product at the lowest minimum
    fixed_number: float
    fixed: np.ndarray  # (301,), over CURVE_FIXED
    fixed_best: float

    @property
    def holds(self) -> float:
        """How many people the smaller copy holds at the lowest minimum."""
        return float(COUNTS[self.copies.lowest])

    @property
    def left(self) -> list[str]:
        """The models whose lowest minimum has left zero."""
        found = {
            "two copies": self.holds > 1,
            "the learned prior": self.learned_best > 0,
            "the fixed prior": self.fixed_best > 0,
        }
        return [name for name, has_left in found.items() if has_left]


def mark_lowest(panel, place: float, nats: float):
    """Draw a diamond at the lowest minimum of a landscape."""
    panel.points(place, nats, color=plots.COLOURS[1], marker="D", mec="black", ms=9)


class ThreeModels(Explorer):
    """Three landscapes of the free energy, each less its value at zero, with a diamond at the
    lowest minimum. Left: two copies of people who answer alike, over the people that the
    smaller copy holds, on a logarithmic axis. Middle: one number with a learned prior, over
    VB's product. Right: the same with a fixed prior.
    """

    title = "Three models at a multiple of their critical values"
    size = (10.0, 3.4)
    computes_ahead = True
    multiple = slider(
        "Multiple of the critical value", 0.8, 1.6, 0.8, 0.05, form="{:.2f}", play=400
    )

    def compute(self, multiple):
        return side_by_side(multiple)

    def frame(self, figure):
        axes = figure.subplots(1, 3, sharey=True)
        for ax in axes:
            ax.axhline(0, color=plots.GREY, lw=0.8)
            ax.set(ylim=(-2.3, 3.6))
        axes[0].set(xscale="log", xlim=(LEAST / 1.6, PEOPLE / 2 * 1.6))
        label_counts(axes[0], [0.001, 0.1, 1, 10, 200])
        axes[0].set(xlabel="people in the smaller copy", ylabel="nats")
        axes[0].set_title("Two copies")
        for ax, prior in zip(axes[1:], ("learned", "fixed"), strict=True):
            ax.set(xlim=(-0.15, 3.0), xlabel=r"VB's product $\hat\gamma$")
            ax.set_title(f"One number, {prior} prior")
        return axes

    def draw(self, panels, found, now):
        copies, learned, fixed = panels
        valley = found.copies
        copies.line(COUNTS, valley.free_energy)
        mark_lowest(copies, found.holds, valley.free_energy[valley.lowest])
        learned.line(found.product, found.learned)
        best = found.learned_best
        mark_lowest(learned, best, np.interp(best, found.product, found.learned))
        fixed.line(CURVE_FIXED, found.fixed)
        best = found.fixed_best
        mark_lowest(fixed, best, np.interp(best, CURVE_FIXED, found.fixed))

    def say(self, found, now):
        left = ", ".join(found.left) or "none"
        return (
            f"Concentration {found.concentration:.2f}, numbers {found.learned_number:.2f} "
            f"and {found.fixed_number:.2f}. The lowest minimum has left zero: {left}."
        )


@cache
def side_by_side(multiple: float) -> SideBySide:
    """Return the three landscapes at a multiple of their critical values."""
    concentration = round(multiple * CRITICAL, 6)
    learned_number = round(multiple * CRITICAL_LEARNED, 6)
    fixed_number = multiple * CRITICAL_FIXED
    product, learned = learned_landscape(XI, learned_number, NUMBER)
    keep = learned_number > thresholds(NUMBER).keep
    return SideBySide(
        concentration,
        valley(concentration),
        learned_number,
        product,
        learned,
        learned_rest(learned_number) if keep else 0.0,
        fixed_number,
        fixed_part() - fixed_number * CURVE_FIXED,
        float(shrink_fixed(fixed_number, NUMBER, 1.0, 1.0, 1.0)),
    )


def label_counts(ax, counts):
    """Write plain numbers at places of a logarithmic axis, the first of them as "≈ 0"."""
    ax.set_xticks(counts, ["≈ 0"] + [f"{count:g}" for count in counts[1:]])
    ax.minorticks_off()


# ---- there and back ------------------------------------------------------------------

STOPS = np.round(  # beside the thresholds 0.9 and 1.31, not on them
    np.concatenate([np.arange(3.05, 0.7, -0.1), np.arange(0.85, 3.1, 0.1)]), 2
)
TURN = len(STOPS) // 2 + 1  # so many stops on the way down


@cache
def journey() -> np.ndarray:
    """Return where the ball rests at each of STOPS, as indices (n,) of COUNTS.

    It begins at equal copies, and at each stop rolls from where it was.
    """
    place = len(COUNTS) - 1
    rests = []
    for concentration in STOPS.tolist():
        place = valley(concentration).roll(place)
        rests.append(place)
    return np.array(rests)


class SecondComponent(RollingBall):
    """Left: the free energy of two copies over the people that the smaller copy holds, on a
    logarithmic axis, less that of one beside an empty component. A ball rests where it has
    rolled. Right: the people that the smaller copy holds at each stop so far, circles while
    the concentration was lowered and squares while it was raised again.
    """

    title = "Lower the concentration, and raise it again"
    stop = there_and_back("Concentration, down and up again", STOPS, TURN)

    stops = STOPS
    turn = TURN

    def rests(self):
        return COUNTS[journey()]

    def landscape(self, stop):
        return COUNTS, valley(stop).free_energy

    def frame_of_each(self, well, trail):
        well.set(xscale="log", xlim=(LEAST / 1.6, PEOPLE / 2 * 1.6), ylim=(-8.5, 4.5))
        label_counts(well, [0.001, 0.1, 1, 10, 200])
        well.set(xlabel="people in the smaller copy", ylabel="nats")
        well.set_title("Free energy, less that of one")
        trail.set(xlim=(0.5, 3.2), ylim=(-12, 250), xlabel=r"concentration $\alpha$")
        trail.set(ylabel="people in the smaller copy", title="Where the ball rests")
        trail.text(0.6, 232, "circles: on the way down", color=DOWN, zorder=0)
        trail.text(0.6, 214, "squares: on the way up", color=UP, zorder=0)

    def say(self, rests, now):
        held = rests[-1]
        words = f"{held:.1f}" if held >= 0.05 else "hardly any"
        stop = float(STOPS[now.stop])
        equal = valley(stop).free_energy[-1]
        return (
            f"On the way {self.way(now)}, at {stop:.2f}: the smaller copy holds {words} "
            f"of {PEOPLE} people. F of equal copies: {equal:+.2f} nats."
        )


# ---- pictures ------------------------------------------------------------------------


def picture_of_two_borders() -> plots.Picture:
    """Draw F of two equal copies less F of one against the concentration."""
    alphas = np.linspace(0.6, 2.0, 141)
    yes = np.full(QUESTIONS, PEOPLE)
    exact = [price_of_copy(PEOPLE, yes, alpha, PSEUDO_COUNT) for alpha in alphas]
    fig, (ax,) = plots.figure(7.5, 3.4)
    ax.axhline(0, color=plots.GREY, lw=0.8)
    ax.axvspan(CRITICAL, SWITCH, color="#E8E8E8")
    ax.plot(alphas, exact, color=plots.COLOURS[0])
    ax.text(0.75, -2.6, "two copies:\nno minimum", ha="center", color=plots.GREY)
    middle = (CRITICAL + SWITCH) / 2
    ax.text(middle, -2.6, "a minimum,\nnot the lowest", ha="center", color="#555555")
    ax.text(1.5, -2.6, "the lowest\nminimum", ha="center", color=plots.GREY)
    ax.set(xlim=(0.6, 2.0), ylim=(-3.2, 3.6), xlabel=r"concentration $\alpha$")
    ax.set(ylabel="F(two) - F(one) (nats)")
    ax.set_xticks([0.6, 0.9, 1.1, 1.31, 1.6, 2.0])
    alt = f"""The free energy of two copies less that of one against the concentration, for
    400 people who answer alike. It falls from {exact[0]:.1f} at 0.6, passes through zero at
    {SWITCH:.2f}, and is {exact[-1]:.1f} at 2. Between 0.9 and
    {SWITCH:.2f}, in grey, two copies are a minimum but not the lowest."""
    return plots.Picture(fig, alt)


# ---- price and reward of a small product ---------------------------------------------


class Prices(NamedTuple):
    """Small products (n,), and their prices (n,) in nats with either prior."""

    products: np.ndarray
    learned: np.ndarray
    fixed: np.ndarray


@cache
def small_products() -> Prices:
    """Return small products and their prices."""
    products = np.linspace(0, 0.1, 201)
    product, learned = learned_landscape(XI, 0.0, NUMBER)
    fixed = fixed_landscape(products, 1.0, NUMBER)
    return Prices(products, np.interp(products, product, learned), fixed - fixed[0])


class SmallProducts(Explorer):
    """What a small product pays with the learned prior (orange) and with the fixed prior
    (blue), and what it is rewarded with (dashed), against the product, in nats.
    """

    title = "What a small product pays, and what it is rewarded with"
    size = (7.5, 3.2)
    number = slider("The observed number", 1.0, 6.0, 1.0, 0.1, form="{:.1f}", play=250)

    def compute(self, number):
        return number * small_products().products

    def frame(self, figure):
        axes = figure.subplots()
        products, learned, fixed = small_products()
        axes.plot(products, learned, color=LEARNED, ls="-")
        axes.plot(products, fixed, color=FIXED, ls="-")
        axes.text(0.002, 0.35, "price, learned prior", color=LEARNED)
        axes.text(0.002, 0.31, "price, fixed prior", color=FIXED)
        axes.text(0.002, 0.27, "dashed: reward")
        axes.set(xlim=(0, 0.1), ylim=(0, 0.39), ylabel="nats")
        axes.set_xlabel(r"product $\hat\gamma$")
        return axes

    def draw(self, panels, reward, now):
        (panel,) = panels
        panel.line(small_products().products, reward, color="black", ls="--")

    def say(self, reward, now):
        products, learned, fixed = small_products()
        place = np.abs(products - 0.01).argmin()
        return (
            f"A product of 0.01 is rewarded with {reward[place]:.3f} nats. It pays "
            f"{learned[place]:.3f} with the learned prior and {fixed[place]:.3f} with "
            "the fixed prior."
        )
