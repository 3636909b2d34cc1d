"""Kaji 2011, chapters 3 and 5: slide (a, b) and see redundant components vanish, freeze or multiply; the example of section
3.3."""

from functools import lru_cache

import numpy as np
from scipy.special import betaln, gammaln, xlogy

from vbkit import plots
from vbkit.chapters.phase_figures import A_MAX, B_MAX, KINDS, draw_phases
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.theory import bisect, entropy, predict, solve, structured_starts
from vbkit.widgets.controls import dropdown, slider
from vbkit.widgets.explorer import Explorer

MOST = 6  # components
PINNED = 0.1  # a coordinate whose rarer value has a smaller share of its component is called pinned
STATES = {  # of a component -> colour
    "empty": plots.GREY,
    "interior": plots.COLOURS[0],
    "deterministic": plots.COLOURS[1],
    "partly pinned": plots.COLOURS[2],
    "small vertex": plots.COLOURS[3],
}
NAMES = {"A": "none", "B": "one"}


def component_states(S, total: float) -> list[str]:
    """What each component of a state S (K, 1 + 2M) of `total` data is, at this size: one of STATES. Less than total^(1/4)
    data count as empty, and a deterministic component of less than total^(3/4) as a small vertex."""
    M, found = S.shape[1] // 2, []
    for n, *rest in S:
        pinned = np.minimum(rest[:M], rest[M:]) < PINNED * n
        if n < total**0.25:
            found.append("empty")
        elif pinned.all():
            found.append("small vertex" if n < total**0.75 else "deterministic")
        else:
            found.append("partly pinned" if pinned.any() else "interior")
    return found


@lru_cache(64)
def _problem(truth: str, n_components: int, total: float):
    names, starts = structured_starts(TRUTHS[truth], n_components, total)
    return names, starts, total * TRUTHS[truth].probabilities()


def compute(a, b, power, n_components, truth):
    """The lowest minimum of F over the structured starts, its components by falling size."""
    total = 10.0**power
    names, starts, counts = _problem(truth, n_components, total)
    found = solve(counts, starts, a, b, max_iterations=400)
    best = found.free_energy.argmin()
    S = found.S[best][np.argsort(-found.S[best, :, 0])]
    phase = predict(4, n_components, *KINDS[truth], a, b)
    normalized = float(found.free_energy[best]) - total * entropy(counts / total)
    return {
        "S": S,
        "total": total,
        "states": component_states(S, total),
        "phase": phase,
        "normalized": normalized,
    }


def explorer() -> Explorer:
    """Slide (a, b) through the phase diagram."""
    controls = {
        "a": slider("Weights' prior a", 0.1, A_MAX, 2.0, 0.1, form="{:.1f}"),
        "b": slider("Probabilities' prior b", 0.02, B_MAX, 0.1, 0.02, form="{:.2f}"),
        "power": slider("Number of data N", 2, 9, 6.0, 0.5, form="10^{:g}"),
        "n_components": slider("Components K", 2, MOST, 3),
        "truth": dropdown(
            "Deterministic components of the truth", [(v, k) for k, v in NAMES.items()], "B"
        ),
    }
    alt = (
        "Left: the phase diagram in (a, b) with its lines in the limit of many data and a dot at the chosen place. "
        "Right: a row of four squares for each component, white where ones are probable, and a bar whose length is the "
        "logarithm of the component's data over that of all data."
    )
    title = "Redundant components vanish, freeze or multiply"
    return Explorer(
        controls, compute, setup, draw, title=title, alt=alt, status=status, size=(9.6, 3.9)
    )


def setup(figure):
    left, tiles, bars = figure.subplots(1, 3, width_ratios=[1.5, 0.75, 1.1])
    left.set(xlim=(0, A_MAX), ylim=(0, B_MAX), title="Phases for many data, one component too many")
    image = setup_tiles(tiles, MOST, 4, "Components (white: 1)", gap=9, aspect="auto")
    tiles.set(facecolor="#EEEEEE", ylim=(MOST - 0.4, -0.7))
    rows = bars.barh(range(MOST), np.zeros(MOST), 0.55)
    words = [bars.text(0.02, row - 0.42, "", fontsize=9) for row in range(MOST)]
    bars.set(
        xlim=(0, 1.02),
        ylim=(MOST - 0.4, -0.7),
        yticks=[],
        xlabel="data of the component",
        title="Size (log scale)",
    )
    bars.set_xticks([0, 0.5, 1], ["1", r"$\sqrt{N}$", "$N$"])
    bars.grid(axis="x")
    phases = {truth: draw_phases(left, truth) for truth in NAMES}
    return {
        "image": image,
        "bars": list(rows),
        "words": words,
        "dot": setup_place(left),
        "phases": phases,
    }


def setup_place(ax):
    """Axes of a and b; returns the ring that marks the chosen place."""
    ax.set(xlabel="$a$", ylabel="$b$")
    return ax.plot([], [], "o", color="black", ms=9, mfc="none", mew=2.5, clip_on=False)[0]


def setup_tiles(ax, n_components: int, dimension: int, title: str, *, gap: float, **look):
    """An image of probabilities (components, dimension), white for ones, its rows apart; returns it."""
    for edge in range(1, n_components):
        ax.axhline(edge - 0.5, color="#EEEEEE", lw=gap)
    image = ax.imshow(np.zeros((n_components, dimension)), cmap="gray", vmin=0, vmax=1, **look)
    ax.set(
        xticks=range(dimension),
        xticklabels=range(1, dimension + 1),
        yticks=[],
        xlabel="coordinate",
        title=title,
    )
    return image


def draw(artists, arrays, values):
    S = arrays["S"]
    artists["dot"].set_data([values["a"]], [values["b"]])
    means = np.full((MOST, 4), np.nan)
    means[: len(S)] = (S[:, 1:5] + values["b"]) / (S[:, :1] + 2 * values["b"])
    artists["image"].set_data(np.ma.masked_invalid(means))
    for k, (bar, word) in enumerate(zip(artists["bars"], artists["words"], strict=True)):
        there = k < len(S)
        bar.set_width(np.log(max(S[k, 0], 1)) / np.log(arrays["total"]) if there else 0)
        bar.set_color(STATES[arrays["states"][k]] if there else "white")
        word.set_text(f"{_short(S[k, 0])}: {arrays['states'][k]}" if there else "")
    for truth, shown in artists["phases"].items():
        for artist in shown:
            artist.set_visible(truth == values["truth"])


def _short(n: float) -> str:
    return f"{n:.1f}" if n < 9.95 else f"{n:,.0f}" if n < 1e5 else f"{n:.1e}"


def status(arrays, values) -> str:
    phase, states = arrays["phase"], arrays["states"]
    extra = states[len(TRUTHS[values["truth"]].weights) :]
    counts = ", ".join(f"{states.count(name)} {name}" for name in STATES if name in states)
    limit = ", ".join(dict.fromkeys(phase.redundant)) or "none"
    return (
        f"Found at N = {arrays['total']:.0e}: {counts}. F - N S = {arrays['normalized']:.1f} nats. Redundant components "
        f"({len(extra)}) for N to infinity: {limit}; F - N S grows as {phase.coefficient:.2f} log N."
    )


# ---- the example of section 3.3 --------------------------------------------------------------------------------------

SHARES = np.array([0.4, 0.4, 0.2])  # of the patterns 110, 011, 010


def path(a, b, total, given):
    """F (nats, up to a term that depends on a and total only) where a share `given` of the pattern 010 belongs to the
    cluster of 110, at points that maximize the likelihood. a, b and given may be arrays that broadcast."""
    given, b = np.broadcast_arrays(given, b)
    (one, two, rest), none = SHARES * total, 0 * given
    sizes = np.stack([one + given * rest, two + none, (1 - given) * rest])
    ones, zeros = (
        np.stack([one + none, two + none, none]),
        np.stack([given * rest, none, (1 - given) * rest]),
    )
    n_components = (
        betaln(b + ones, b + zeros).sum(axis=0)
        + 2 * betaln(b, b + sizes).sum(axis=0)
        - 9 * betaln(b, b)
    )
    shared = rest * (xlogy(given, given) + xlogy(1 - given, 1 - given))
    return shared - n_components - gammaln(a + sizes).sum(axis=0) + 3 * gammaln(a)


def switch(b, total):
    """The a (n,) at which the hard assignments to two and to three clusters have equal F, for b (n,), by bisection."""

    def two_win(a):
        return path(a, b, total, 0.0) > path(a, b, total, 1.0)

    return bisect(two_win, np.full(np.shape(b), 1e-9), np.full(np.shape(b), 50.0), 50)


def compute_example(a, b, power):
    total, given = 10.0**power, np.linspace(0, 1, 101)
    names, starts, counts = _problem("example 3.3", 3, total)
    found = solve(counts, starts, a, b, max_iterations=400)
    S = found.S[found.free_energy.argmin()]
    line = np.linspace(0.02, 0.5, 25)
    F = path(a, b, total, given)
    return {
        "S": S[np.argsort(-S[:, 0])],
        "total": total,
        "F": F - F[0],
        "line": (switch(line, total), line),
    }


def example() -> Explorer:
    """Two clusters or three? Likelihood cannot tell; the prior's numbers decide."""
    controls = {
        "a": slider("Weights' prior a", 0.05, 2.5, 1.0, 0.05, form="{:.2f}"),
        "b": slider("Probabilities' prior b", 0.02, 0.5, 0.1, 0.02, form="{:.2f}"),
        "power": slider("Number of data N", 2, 9, 3.0, 0.5, form="10^{:g}"),
    }
    alt = (
        "Left: the plane of (a, b) with the line between two and three clusters in the limit and at the chosen N. "
        "Middle: the three components that VB finds. Right: F along the parameters that maximize the likelihood, from three "
        "clusters to two."
    )
    look = {"title": "Two clusters or three?", "alt": alt, "status": tell, "size": (9.6, 3.4)}
    return Explorer(controls, compute_example, setup_example, draw_example, **look)


def setup_example(figure):
    left, tiles, right = figure.subplots(1, 3, width_ratios=[1.15, 0.8, 1.2])
    left.plot([0, 2], [0, 0.5], color="black", lw=1.5)
    left.text(1.2, 0.35, "many data", ha="right")
    left.text(1.5, 0.25, "$N$ as set", color=plots.COLOURS[0])
    left.text(0.2, 0.45, "two clusters", color=STATES["partly pinned"])
    left.text(1.35, 0.05, "three clusters", color=STATES["deterministic"])
    left.set(xlim=(0, 2.5), ylim=(0, 0.52))
    line = left.plot([], [], ls="--", color=plots.COLOURS[0])[0]
    image = setup_tiles(tiles, 3, 3, "VB's components (white: 1)", gap=6)
    words = [tiles.text(-0.6, row, "", ha="right", va="center") for row in range(3)]
    curve = right.plot([], [], color=plots.COLOURS[0])[0]
    right.axhline(0, color=plots.GREY, ls=":")
    right.set_yscale("symlog", linthresh=5, linscale=0.6)
    right.set_yticks(ticks := [-100, -20, -5, 0, 5, 20, 100], ticks)
    right.minorticks_off()
    right.set(xlim=(0, 1), ylim=(-100, 100), xlabel="share of 010 given to 110's cluster")
    right.set_title("$F$ along the ties (nats)")
    return {"line": line, "dot": setup_place(left), "image": image, "curve": curve, "words": words}


def draw_example(artists, arrays, values):
    S, F = arrays["S"], arrays["F"]
    artists["dot"].set_data([values["a"]], [values["b"]])
    artists["line"].set_data(*arrays["line"])
    artists["image"].set_data((S[:, 1:4] + values["b"]) / (S[:, :1] + 2 * values["b"]))
    artists["curve"].set_data(np.linspace(0, 1, len(F)), F)
    for word, n in zip(artists["words"], S[:, 0], strict=True):
        word.set_text(f"{n / arrays['total']:.3f}")


def tell(arrays, values) -> str:
    used, gap = int((arrays["S"][:, 0] > 0.02 * arrays["total"]).sum()), arrays["F"][-1]
    limit = "three" if values["a"] > 4 * values["b"] else "two"
    side = "three clusters cost less" if gap > 0 else "two clusters cost less"
    words = f"VB uses {used} components. As hard assignments, {side}, by {abs(gap):.1f} nats; with ever more data {limit}"
    return f"{words} clusters win."


EXPLORERS = {"08 phases": explorer, "08 example": example}
