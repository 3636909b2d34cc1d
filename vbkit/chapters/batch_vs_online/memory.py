"""Explorer of notebook 05: what the running average remembers."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.batch_vs_online.methods import METHODS
from vbkit.learning import sato2000
from vbkit.widgets import Explorer, log_slider

MOST = 100_000


def memory_explorer() -> Explorer:
    """See which data points a discounted average stands for."""
    controls = {
        "seen": log_slider("Data points seen", 10, MOST, 10, 4),
        "tau0": log_slider("Early memory tau0", 10, 1000, 32, 2),
        "kappa": log_slider("Decay of forgetting kappa", 0.001, 1, 0.1, 2),
    }
    look = {"title": "What does the average remember?", "status": status, "size": (9, 3.6)}
    return Explorer(controls, compute, setup, draw, **look)


@lru_cache(64)
def memories(tau0, kappa):
    """1 / eta (MOST,) after 1 to MOST data points."""
    return 1 / sato2000(1.0, tau0=tau0, kappa=kappa).learning_rates(MOST)[0]


def compute(seen, tau0, kappa):
    """The memory after 1 to MOST data points, and the weights of the last `seen`, newest first.

    The data point seen s steps ago has been discounted s times.
    """
    kept = 1 - 1 / (np.arange(round(seen)) * kappa + tau0)  # lambda (3.23)
    weights = np.append(1.0, np.cumprod(kept[:0:-1]))
    return {"memory": memories(tau0, kappa), "weights": weights}


def setup(figure):
    """Left: the weight of a data point against how many steps ago it was seen, on a logarithmic
    axis. Right: the memory against data points seen, both logarithmic, with a dot at the chosen
    number, a dotted line where every data point is remembered and a thin line for its limit.
    """
    left, right = figure.subplots(1, 2)
    left.set(xscale="log", xlim=(1, MOST), ylim=(0, 1.05))
    left.set(xlabel="seen so many steps ago", title="Weight of a data point")
    right.set(xscale="log", yscale="log", xlim=(1, MOST), ylim=(5, 2e5))
    right.set(xlabel="data points seen", title="Memory (data points)")
    seen, blue = np.array([1, MOST]), METHODS["online"]["color"]
    right.plot(seen, seen, ":", color=plots.GREY)
    right.text(6e3, 2.4e4, "all seen", color=plots.GREY, ha="right", fontsize=11)
    limit = right.plot([], [], "-", color=plots.COLOURS[1], lw=1.2, label="its limit")[0]
    memory = right.plot([], [], "-", color=blue, label="memory")[0]
    now = right.plot([], [], "o", color="black", ms=7, zorder=5)[0]
    right.legend(loc="upper left", fontsize=11)
    weights = left.plot([], [], "-", color=blue, lw=2.5)[0]
    return {"weights": weights, "memory": memory, "limit": limit, "now": now}


def draw(artists, arrays, values):
    weights, memory = arrays["weights"], arrays["memory"]
    ago = np.unique(np.geomspace(1, len(weights), 300).astype(int))
    artists["weights"].set_data(ago, weights[ago - 1])
    shown = np.unique(np.geomspace(1, MOST, 200).astype(int))
    artists["memory"].set_data(shown, memory[shown - 1])
    artists["limit"].set_data(shown, shown / (1 + 1 / values["kappa"]))
    artists["now"].set_data([values["seen"]], [memory[len(weights) - 1]])


def status(arrays, values) -> str:
    seen, weights = values["seen"], arrays["weights"]
    memory = arrays["memory"][len(weights) - 1]
    return (
        f"After {seen:,.0f} data points the average stands for {memory:,.0f}: learning rate "
        f"{1 / memory:.2g}. The first of them still has the weight {weights[-1]:.2g}."
    )
