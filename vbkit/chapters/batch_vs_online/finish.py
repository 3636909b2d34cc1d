"""Explorer of notebook 05: what counts as having arrived."""

from functools import lru_cache

import numpy as np

from vbkit.chapters.batch_vs_online.methods import METHODS, first_within, learn
from vbkit.chapters.batch_vs_online.race import problem
from vbkit.widgets import Explorer, dropdown, log_slider

RUNS = 8


@lru_cache(2)
def traces(data):
    """ELBOs of RUNS runs of batch and of online VB, four components: name -> list of (epochs,)."""
    found = {"batch": [], "online": []}
    for start in range(1, RUNS + 1):
        X, mixture, S, rng = problem(data, start)
        for method, rows in found.items():
            rows.append(learn(mixture, mixture.observe(X), S, method, rng).trace)
    return found


def finish_line_explorer() -> Explorer:
    """Move the finishing line of the race."""
    for data in "AB":
        traces(data)
    controls = {
        "tolerance": log_slider("Close enough (nats)", 1, 100, 100, 5),
        "data": dropdown("Data set", ["A", "B"], "B"),
    }
    look = {"title": "Who arrives first?", "status": status, "size": (9, 3.8)}
    return Explorer(controls, compute, setup, draw, **look)


def compute(tolerance, data):
    """How far (epochs,) each run lies below its end until it has arrived for good, and the median
    pass from which it stays within the tolerance."""
    found = {"short": {}, "arrived": {}}
    for name, rows in traces(data).items():
        passes = [int(first_within(t, t[-1] - tolerance)) for t in rows]
        found["arrived"][name] = float(np.median(passes))
        found["short"][name] = [t[-1] - t[: n + 1] for n, t in zip(passes, rows, strict=True)]
    return found


def setup(figure):
    """How many nats each of eight runs of batch VB and of online VB lies below its own end, against
    passes, both axes logarithmic. The dashed line is the tolerance; a curve ends where its run has
    arrived for good. A triangle on the line marks the median of these passes.
    """
    ax = figure.add_subplot()
    ax.set(xscale="log", yscale="log", xlim=(0.9, 600), ylim=(0.5, 3000))
    ax.set(xlabel="passes through the data", ylabel="nats below its own end")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:,.0f}")
    line = ax.axhline(1, color="black", lw=1.5, ls="--", label="finishing line")
    artists = {"tolerance": line, "runs": {}, "marks": {}}
    for name in ("batch", "online"):
        style = METHODS[name] | {"marker": "", "lw": 1.2}
        artists["runs"][name] = [ax.plot([], [], **style)[0] for _ in range(RUNS)]
        style = {"color": style["color"], "label": f"{name} VB arrives (median)", "zorder": 4}
        artists["marks"][name] = ax.plot([], [], "^", ms=13, mec="white", **style)[0]
    ax.legend(loc="upper right")
    return artists


def draw(artists, arrays, values):
    artists["tolerance"].set_ydata([values["tolerance"]] * 2)
    for name, lines in artists["runs"].items():
        for line, short in zip(lines, arrays["short"][name], strict=True):
            line.set_data(np.maximum(range(len(short)), 0.9), np.maximum(short, 0.3))
        artists["marks"][name].set_data([max(arrays["arrived"][name], 0.9)], [values["tolerance"]])


def status(arrays, values) -> str:
    words = [f"{name} VB after {n:g} passes" for name, n in arrays["arrived"].items()]
    within = f"Within {values['tolerance']:g} nats of its own end for good"
    return f"{within}: {'; '.join(words)} (median)."
