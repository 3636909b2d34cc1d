"""OldExplorer of notebook 05a: how much the running average remembers, and how far learning is."""

import numpy as np

from vbkit.chapters.old_form import OldExplorer
from vbkit.course import log_slider, select_slider
from vbkit.course.sato import COMPONENT, METHODS
from vbkit.learning import sato2000, without_discount

MOST = 100_000
LOOKS = np.unique(np.geomspace(1, MOST, 160).astype(int))
NEVER = "forget nothing"


def memory_explorer() -> OldExplorer:
    """Choose how fast to forget; see the memory, and count the batch passes it is worth."""
    kappas = (0.0, 0.001, 0.01, 0.1, 1.0, NEVER)
    controls = {
        "seen": log_slider("Data points seen", 10, MOST, 1000, 4),
        "tau0": log_slider("Early memory tau0", 10, 1000, 100, 4),
        "kappa": select_slider("Decay of forgetting kappa", kappas, 0.01),
    }
    look = {"title": "The memory and the clock", "status": status, "size": (9, 3.6)}
    return OldExplorer(controls, compute, setup, draw, **look)


def compute(seen, tau0, kappa):
    """The "memory", one over the rate, and the clock, which counts "passes", after each of LOOKS
    ("curves") and after `seen` data points."""
    if kappa == NEVER:
        schedule = without_discount(1.0, memory=tau0)
    else:
        schedule = sato2000(1.0, tau0=tau0, kappa=kappa)
    eta = schedule.learning_rates(MOST)[0]
    every = {"memory": 1 / eta, "passes": eta.cumsum()}
    now = {name: float(values[round(seen) - 1]) for name, values in every.items()}
    return now | {"curves": {name: values[LOOKS - 1] for name, values in every.items()}}


def setup(figure):
    """Two curves against the data points seen, both axes logarithmic: a dashed one for the memory,
    how many data points the average holds, and a solid one for the clock, how many batch passes
    learning is worth. Dots mark both at the chosen number.
    """
    limits = {"xlim": (1, 1.2 * MOST), "ylim": (0.01, 2 * MOST)}
    ax = figure.add_subplot(
        xscale="log", yscale="log", xlabel="data points seen", **limits
    )
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:,.7g}")
    memory = ax.plot(
        [], [], "--", color=COMPONENT, lw=2.5, label="memory: data points held"
    )[0]
    look = {"color": METHODS["online"]["color"], "label": "clock: batch passes done"}
    passes = ax.plot([], [], lw=2.5, **look)[0]
    ax.legend(loc="upper left")
    now = ax.plot([], [], "o", color="black", ms=9, zorder=5)[0]
    return {"curves": {"memory": memory, "passes": passes}, "now": now}


def draw(artists, arrays, values):
    for name, curve in artists["curves"].items():
        curve.set_data(LOOKS, arrays["curves"][name])
    artists["now"].set_data([values["seen"]] * 2, [arrays["memory"], arrays["passes"]])


def status(arrays, values) -> str:
    held = f"the average holds {arrays['memory']:,.0f} of them"
    worth = f"Learning is worth {arrays['passes']:.1f} batch passes."
    return f"After {values['seen']:,.0f} data points {held}. {worth}"
