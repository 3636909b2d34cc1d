"""An explorer of the running ELBO, beside that on fresh data from the three machines."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters import line
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider

LENGTH, EVERY = 2400, 20  # of the stream; data between two looks
COMPONENTS, MEMORIES = (2, 3, 4), (25, 50, 100, 250, 400)


@lru_cache
def recorded() -> dict:
    """Return (components, memory) -> running and exact ELBO (looks,)."""
    return line.monitored(
        [(n, memory) for n in COMPONENTS for memory in MEMORIES], LENGTH, EVERY
    )


def monitor() -> OldExplorer:
    """Choose the memory and the model; see the running ELBO beside that on fresh data."""
    controls = {
        "memory": select_slider("Memory (data points)", MEMORIES, 100),
        "components": select_slider("Components of the model", COMPONENTS, 3),
    }
    title = "Can you trust the running ELBO?"
    return OldExplorer(
        controls, compute, setup, draw, title=title, status=status, size=(9.0, 3.6)
    )


def compute(memory, components):
    running, exact = recorded()[components, memory]
    upto, half = [m for m in MEMORIES if m <= memory], len(exact) // 2
    gaps = [np.subtract(*recorded()[components, m])[half:] for m in upto]
    found = {
        "running": running,
        "exact": exact,
        "trail": (upto, [gap.mean() for gap in gaps]),
    }
    return found | {"mean": gaps[-1].mean(), "scatter": gaps[-1].std()}


def setup(figure):
    """Left: the running ELBO of a model against the data points seen, and the ELBO of the same
    posterior on fresh data. Right: how far the running one lies above in the second half of the
    stream: a dot at the memory that is set, with a bar for the scatter, and pale dots at the
    shorter ones. A dashed curve falls as one over the memory: the law for three components.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1.4, 1])
    left.set(xlim=(0, LENGTH), ylim=(-1400, -1090), xlabel="data points seen")
    left.set_title("ELBO for 500 data points (nats)")
    left.text(1750, -1355, "running", color=plots.COLOURS[1])
    left.text(1750, -1382, "on fresh data", color=plots.COLOURS[0], weight="bold")
    right.set(
        xscale="log", xlim=(20, 500), ylim=(-40, 150), xlabel="memory (data points)"
    )
    right.set_title("How far running lies above fresh (nats)")
    right.set_xticks(MEMORIES, [str(m) for m in MEMORIES])
    right.minorticks_off()
    right.axhline(0, color=plots.GREY, lw=0.8)
    at = np.geomspace(20, 500, 100)
    right.plot(at, line.TOTAL / (2 * at) * 8, color="black", ls="--", lw=1.2)
    right.text(38, 70, "the law, for three\ncomponents")
    look = {"color": plots.COLOURS[1], "ls": "-"}
    artists = {"running": left.plot([], [], lw=1.2, **look)[0]}
    artists["exact"] = left.plot([], [], color=plots.COLOURS[0], ls="-", lw=2.4)[0]
    artists["bar"] = right.plot([], [], lw=4, alpha=0.4, **look)[0]
    artists["trail"] = right.plot(
        [], [], "o", color=plots.COLOURS[1], ms=9, alpha=0.4, mew=0
    )[0]
    artists["dot"] = right.plot([], [], "o", color=plots.COLOURS[1], ms=9)[0]
    return artists


def draw(artists, arrays, values):
    seen = EVERY * np.arange(1, len(arrays["exact"]) + 1)
    for name in ("running", "exact"):
        artists[name].set_data(seen, arrays[name])
    at, mean, scatter = values["memory"], arrays["mean"], arrays["scatter"]
    artists["bar"].set_data([at, at], [mean - scatter, mean + scatter])
    artists["trail"].set_data(*arrays["trail"])
    artists["dot"].set_data([at], [mean])


def status(arrays, values) -> str:
    mean, scatter = arrays["mean"], arrays["scatter"]
    return (
        f"In the second half the running ELBO lies {abs(mean):.0f} nats "
        f"{'above' if mean > 0 else 'below'} that on fresh data, and scatters by {scatter:.0f}."
    )
