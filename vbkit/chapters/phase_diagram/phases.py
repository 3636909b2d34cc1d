"""Explorer of notebook 08: slide (a, b) and see redundant components vanish, freeze or multiply."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.phase_diagram import pictures
from vbkit.data import KAJI2011_TRUTHS as TRUTHS
from vbkit.theory import entropy, predict, solve, structured_starts
from vbkit.widgets import Explorer, dropdown, slider

MOST = 6  # components
PINNED = 0.1  # a coordinate whose rarer value has a smaller share of its component is called pinned
STATES = {  # of a component -> colour
    "empty": plots.GREY,
    "interior": plots.COLOURS[0],
    "deterministic": plots.COLOURS[1],
    "partly pinned": plots.COLOURS[2],
    "small vertex": plots.COLOURS[3],
}


def component_states(S, total: float) -> list[str]:
    """Name what each component of a state S (K, 1 + 2M) of `total` data is: one of STATES.

    A component with less than total^(1/4) data counts as empty, a deterministic one with less than
    total^(3/4) as a small vertex.
    """
    M, n = S.shape[1] // 2, S[:, 0]
    rarer = np.minimum(S[:, 1 : M + 1], S[:, M + 1 :])
    pinned = (rarer < PINNED * n[:, None]).sum(axis=1)
    where = [n < total**0.25, (pinned == M) & (n < total**0.75), pinned == M, pinned > 0]
    names = ["empty", "small vertex", "deterministic", "partly pinned"]
    return np.select(where, names, "interior").tolist()


@lru_cache(64)
def _problem(truth: str, n_components: int, total: float):
    starts = structured_starts(TRUTHS[truth], n_components, total)[1]
    return starts, total * TRUTHS[truth].probabilities()


def lowest_minimum(truth: str, n_components: int, total: float, a, b):
    """Return the state S (K, P) of lowest F from the structured starts, its F, and all counts."""
    starts, counts = _problem(truth, n_components, total)
    ends = solve(counts, starts, a, b, max_iterations=400)
    S = ends.S[ends.free_energy.argmin()]
    return S[np.argsort(-S[:, 0])], float(ends.free_energy.min()), counts


def compute(a, b, power, n_components, truth):
    total = 10.0**power
    S, F, counts = lowest_minimum(truth, n_components, total, a, b)
    return {
        "S": S,
        "total": total,
        "states": component_states(S, total),
        "phase": predict(4, n_components, *pictures.KINDS[truth], a, b),
        "normalized": F - total * entropy(counts / total),
    }


def explorer() -> Explorer:
    """Slide (a, b) through the phase diagram."""
    truths = [("none", "A"), ("one", "B")]
    controls = {
        "a": slider("Weights' prior a", 0.1, pictures.A_MAX, 2.0, 0.1, form="{:.1f}"),
        "b": slider("Probabilities' prior b", 0.02, pictures.B_MAX, 0.1, 0.02, form="{:.2f}"),
        "power": slider("Number of data N", 2, 9, 6.0, 0.5, form="10^{:g}"),
        "n_components": slider("Components K", 2, MOST, 3),
        "truth": dropdown("Deterministic components of the truth", truths, "B"),
    }
    title = "Redundant components vanish, freeze or multiply"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(9.6, 3.9))


def setup(figure):
    """Left: the phase diagram in (a, b) with its lines in the limit of many data and a dot at the
    chosen place. Right: a row of four squares per component, white where ones are probable, and a
    bar whose length is the logarithm of the component's data over that of all data.
    """
    left, tiles, right = figure.subplots(1, 3, width_ratios=[1.5, 0.75, 1.1])
    left.set(xlim=(0, pictures.A_MAX), ylim=(0, pictures.B_MAX))
    left.set_title("Many data, one component too many")
    image = pictures.setup_tiles(tiles, MOST, 4, "Components (white: 1)", gap=9, aspect="auto")
    tiles.set(facecolor="#EEEEEE", ylim=(rows := (MOST - 0.4, -0.7)))
    bars = right.barh(range(MOST), np.zeros(MOST), 0.55)
    labels = [right.text(0.02, row - 0.42, "", fontsize=9) for row in range(MOST)]
    right.set(xlim=(0, 1.02), ylim=rows, yticks=[], title="Size (log scale)")
    right.set_xlabel("data of the component")
    right.set_xticks([0, 0.5, 1], ["1", r"$\sqrt{N}$", "$N$"])
    right.grid(axis="x")
    phases = {truth: pictures.draw_phases(left, truth) for truth in ("A", "B")}
    artists = {"place": pictures.setup_place(left), "image": image, "bars": list(bars)}
    return artists | {"labels": labels, "phases": phases}


def draw(artists, arrays, values):
    S, states = arrays["S"], arrays["states"]
    artists["place"].set_data([values["a"]], [values["b"]])
    means = np.full((MOST, 4), np.nan)
    means[: len(S)] = (S[:, 1:5] + values["b"]) / (S[:, :1] + 2 * values["b"])
    artists["image"].set_data(np.ma.masked_invalid(means))
    for k, (bar, label) in enumerate(zip(artists["bars"], artists["labels"], strict=True)):
        shown = k < len(S)
        bar.set_width(np.log(max(S[k, 0], 1)) / np.log(arrays["total"]) if shown else 0)
        bar.set_color(STATES[states[k]] if shown else "white")
        label.set_text(f"{_short(S[k, 0])}: {states[k]}" if shown else "")
    for truth, shown in artists["phases"].items():
        for artist in shown:
            artist.set_visible(truth == values["truth"])


def _short(n: float) -> str:
    return f"{n:.1f}" if n < 9.95 else f"{n:,.0f}" if n < 1e5 else f"{n:.1e}"


def status(arrays, values) -> str:
    phase, states = arrays["phase"], arrays["states"]
    counts = ", ".join(f"{states.count(name)} {name}" for name in STATES if name in states)
    redundant = len(states) - len(TRUTHS[values["truth"]].weights)
    limit = ", ".join(dict.fromkeys(phase.redundant)) or "none"
    return (
        f"Found at N = {arrays['total']:.0e}: {counts}. F - N S = {arrays['normalized']:.1f} nats. "
        f"Redundant components ({redundant}) for N to infinity: {limit}; "
        f"F - N S grows as {phase.coefficient:.2f} log N."
    )
