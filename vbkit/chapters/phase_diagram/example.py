"""Explorer of notebook 08: two clusters or three? The example of Kaji 2011, section 3.3."""

import numpy as np
from scipy.special import betaln, gammaln, xlogy

from vbkit import plots
from vbkit.chapters.phase_diagram.phases import STATES, lowest_minimum
from vbkit.chapters.phase_diagram.pictures import setup_place, setup_tiles
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


def explorer() -> Explorer:
    """Two clusters or three? Likelihood cannot tell; the prior's numbers decide."""
    controls = {
        "a": slider("Weights' prior a", 0.05, 2.5, 1.0, 0.05, form="{:.2f}"),
        "b": slider("Probabilities' prior b", 0.02, 0.5, 0.1, 0.02, form="{:.2f}"),
        "power": slider("Number of data N", 2, 9, 3.0, 0.5, form="10^{:g}"),
    }
    title = "Two clusters or three?"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(9.6, 3.4))


def compute(a, b, power):
    total = 10.0**power
    S, _, _ = lowest_minimum("example 3.3", 3, total, a, b)
    line = np.linspace(0.02, 0.5, 25)
    F = free_energy_of_ties(a, b, total, np.linspace(0, 1, 101))
    return {"S": S, "total": total, "F": F - F[0], "line": (switch(line, total), line)}


def setup(figure):
    """Left: the plane of (a, b) with the line between two and three clusters in the limit and at
    the chosen N. Middle: the three components that VB finds. Right: F along the parameters that
    maximize the likelihood, from three clusters to two.
    """
    left, tiles, right = figure.subplots(1, 3, width_ratios=[1.15, 0.8, 1.2])
    left.plot([0, 2], [0, 0.5], color="black", ls="-", lw=1.5)
    left.text(1.2, 0.35, "many data", ha="right")
    left.text(1.5, 0.25, "$N$ as set", color=plots.COLOURS[0])
    left.text(0.2, 0.45, "two clusters", color=STATES["partly pinned"])
    left.text(1.35, 0.05, "three clusters", color=STATES["deterministic"])
    left.set(xlim=(0, 2.5), ylim=(0, 0.52))
    line = left.plot([], [], ls="--", color=plots.COLOURS[0])[0]
    image = setup_tiles(tiles, 3, 3, "Components (white: 1)", gap=6)
    labels = [tiles.text(-0.6, row, "", ha="right", va="center") for row in range(3)]
    curve = right.plot([], [], color=plots.COLOURS[0], ls="-")[0]
    right.axhline(0, color=plots.GREY, ls=":")
    right.set_yscale("symlog", linthresh=5, linscale=0.6)
    right.set_yticks(ticks := [-100, -20, -5, 0, 5, 20, 100], ticks)
    right.minorticks_off()
    right.set(xlim=(0, 1), ylim=(-100, 100), xlabel="share of 010 given to 110's cluster")
    right.set_title("$F$ along the ties (nats)")
    artists = {"line": line, "image": image, "curve": curve, "labels": labels}
    return artists | {"place": setup_place(left)}


def draw(artists, arrays, values):
    S, F = arrays["S"], arrays["F"]
    artists["place"].set_data([values["a"]], [values["b"]])
    artists["line"].set_data(*arrays["line"])
    artists["image"].set_data((S[:, 1:4] + values["b"]) / (S[:, :1] + 2 * values["b"]))
    artists["curve"].set_data(np.linspace(0, 1, len(F)), F)
    for label, n in zip(artists["labels"], S[:, 0], strict=True):
        label.set_text(f"{n / arrays['total']:.3f}")


def status(arrays, values) -> str:
    used, gap = int((arrays["S"][:, 0] > 0.02 * arrays["total"]).sum()), arrays["F"][-1]
    cheaper = "three" if gap > 0 else "two"
    limit = "three" if values["a"] > 4 * values["b"] else "two"
    return (
        f"VB uses {used} components. As hard assignments, {cheaper} clusters cost less, by "
        f"{abs(gap):.1f} nats; with ever more data {limit} clusters win."
    )
