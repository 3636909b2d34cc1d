"""Pictures and explorer of notebook 06: when does a split pay?"""

import numpy as np
from scipy.special import gammaln

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import log_slider, slider

PRIOR_VARIANCE, FURTHEST = 4.0, 3.0


def split_gain(size, half):
    """Return the parts of the gain (nats) of splitting two heaps on a line, before learning.

    Each heap has `size` points at distance `half` from the middle, and every component has variance
    1 and a mean from N(0, 4). Parts: what the sums gain, the price of another mean, that of labels.
    """
    count = size + 1 / PRIOR_VARIANCE
    fit = (size * half) ** 2 / count
    price = np.log1p(size * PRIOR_VARIANCE) - np.log1p(2 * size * PRIOR_VARIANCE) / 2
    labels = gammaln(2 * size + 2) - 2 * gammaln(size + 1)
    return fit, price, labels


def split_explorer() -> OldExplorer:
    """Move two heaps apart: from where does a split pay?"""
    controls = {
        "half": slider("Distance of a heap from the middle", 0.0, FURTHEST, 2.0, 0.1),
        "size": log_slider("Points in each heap", 1, 1000, 4),
    }
    look = {
        "title": "One component for two heaps, or two?",
        "status": status,
        "size": (9, 3.4),
    }
    return OldExplorer(controls, compute, setup, draw, **look)


def compute(half, size):
    return {
        "grid": np.linspace(0, FURTHEST, 121),
        "parts": split_gain(round(size), half),
    }


def setup(figure):
    """Left: the densities of the two components that would cover the heaps. Right: the gain of the
    split in nats against the distance, with a dot at the chosen one. Above the dotted line it pays.
    """
    left, right = figure.subplots(1, 2)
    left.set(
        xlim=(-6, 6), ylim=(0, 0.43), yticks=[], xlabel="x", title="Two components"
    )
    right.set(xlim=(0, FURTHEST), ylim=(-15, 30), title="Gain of the split (nats)")
    right.set_xlabel("distance from the middle")
    right.axhline(0, color=plots.GREY, ls=":")
    heaps = [
        left.plot([], [], color=plots.COLOURS[k], ls=plots.LINES[k])[0]
        for k in range(2)
    ]
    gain = right.plot([], [], color=plots.COLOURS[0])[0]
    now = right.plot([], [], "o", color="black", ms=8, zorder=5, clip_on=False)[0]
    return {"heaps": heaps, "gain": gain, "now": now}


def draw(artists, arrays, values):
    x, size = np.linspace(-6, 6, 241), round(values["size"])
    for side, line in zip((-1, 1), artists["heaps"], strict=True):
        line.set_data(
            x, np.exp(-((x - side * values["half"]) ** 2) / 2) / np.sqrt(2 * np.pi)
        )
    fit, price, labels = split_gain(size, arrays["grid"])
    artists["gain"].set_data(arrays["grid"], fit - price - labels)
    gain = arrays["parts"][0] - arrays["parts"][1] - arrays["parts"][2]
    artists["now"].set_data([values["half"]], [np.clip(gain, -15, 30)])


def status(arrays, values) -> str:
    fit, price, labels = arrays["parts"]
    verdict = "The split pays." if fit > price + labels else "The split does not pay."
    words = f"Two means explain {fit:.1f} nats more; the second mean costs {price:.1f}, the labels"
    return f"{words} {labels:.1f}. Gain {fit - price - labels:+.1f}. {verdict}"
