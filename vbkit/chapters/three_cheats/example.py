"""Explorer of chapter 08b: two clusters or three? The example of Kaji 2011, section 3.3."""

from functools import lru_cache

import numpy as np
from scipy.special import betaln, gammaln, xlogy

from vbkit import plots
from vbkit.chapters.bernoulli.phases import STATES, lowest_minimum, short
from vbkit.chapters.bernoulli.pictures import setup_place, setup_tiles
from vbkit.theory import bisect
from vbkit.widgets import Explorer, slider

SHARES = np.array([0.4, 0.4, 0.2])  # of the patterns 110, 011, 010


def free_energy_of_ties(a, b, total, given):
    """Return F (nats) of points that maximize the likelihood, up to a term of a and `total`.

    given: the share of the pattern 010 that belongs to the cluster of 110. a, b and given may be
    arrays that broadcast.
    """
    given, b = np.broadcast_arrays(given, b)
    (one, two, rest), none = SHARES * total, 0 * given
    sizes = np.stack([one + given * rest, two + none, (1 - given) * rest])
    ones = np.stack([one + none, two + none, none])
    zeros = np.stack([given * rest, none, (1 - given) * rest])
    means = betaln(b + ones, b + zeros) + 2 * betaln(b, b + sizes) - 3 * betaln(b, b)
    shared = rest * (xlogy(given, given) + xlogy(1 - given, 1 - given))
    return shared - (means + gammaln(a + sizes)).sum(axis=0) + 3 * gammaln(a)


def switch(b, total):
    """Return the a (n,) at which hard assignments to two and three clusters tie, for b (n,)."""

    def two_win(a):
        return free_energy_of_ties(a, b, total, 0.0) > free_energy_of_ties(a, b, total, 1.0)

    return bisect(two_win, np.full(np.shape(b), 1e-9), np.full(np.shape(b), 50.0), 50)


def two_or_three() -> Explorer:
    """Two clusters or three? Likelihood cannot tell; the prior's numbers decide."""
    controls = {
        "a": slider("Prior a of the weights", 0.05, 2.5, 1.0, 0.05, form="{:.2f}"),
        "b": slider("Prior b of the answers", 0.02, 0.5, 0.4, 0.02, form="{:.2f}"),
        "power": slider("Number of data N", 2, 9, 3.0, 0.5, form="10^{:g}"),
    }
    title = "Two clusters or three?"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(8.6, 3.2))


def compute(a, b, power):
    total = 10.0**power
    S, _, _ = lowest_minimum("example 3.3", 3, total, a, b)
    F = free_energy_of_ties(a, b, total, np.array([0.0, 1.0]))
    return {"S": S, "total": total, "gap": F[1] - F[0], "line": _line(total)}


@lru_cache(32)
def _line(total: float):
    b = np.linspace(0.02, 0.5, 25)
    return switch(b, total), b


def setup(figure):
    """Left: the plane of (a, b) with the line between two and three clusters in the limit and at
    the chosen N, and a ring at the chosen place. Right: the three components that VB finds, with
    their shares of the data.
    """
    left, tiles = figure.subplots(1, 2, width_ratios=[1.5, 1])
    left.plot([0, 2], [0, 0.5], color="black", ls="-", lw=1.6)
    left.text(0.9, 0.3, "line for\nmany data", ha="right", va="center", zorder=1)
    left.text(1.85, 0.2, "dashed:\n$N$ as set", color=plots.COLOURS[0], zorder=1)
    left.text(0.15, 0.45, "two clusters", color=STATES["partly pinned"], zorder=1)
    left.text(1.35, 0.05, "three clusters", color=STATES["deterministic"], zorder=1)
    left.set(xlim=(0, 2.5), ylim=(0, 0.52))
    line = left.plot([], [], ls="--", color=plots.COLOURS[0])[0]
    image = setup_tiles(tiles, 3, 3, "The three components", gap=8, aspect="auto")
    labels = [tiles.text(-0.6, row, "", ha="right", va="center") for row in range(3)]
    return {"line": line, "image": image, "labels": labels, "place": setup_place(left)}


def draw(artists, arrays, values):
    S = arrays["S"]
    artists["place"].set_data([values["a"]], [values["b"]])
    artists["line"].set_data(*arrays["line"])
    artists["image"].set_data((S[:, 1:4] + values["b"]) / (S[:, :1] + 2 * values["b"]))
    for label, n in zip(artists["labels"], S[:, 0], strict=True):
        label.set_text(short(n))


def status(arrays, values) -> str:
    used, gap = int((arrays["S"][:, 0] > 0.02 * arrays["total"]).sum()), arrays["gap"]
    cheaper = "three" if gap > 0 else "two"
    limit = "three" if values["a"] > 4 * values["b"] else "two"
    return (
        f"VB uses {used} components. Counted by hand, {cheaper} clusters are cheaper by "
        f"{abs(gap):.1f} nats; with ever more data {limit} win."
    )
