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
    goals = [("each run's own end", "own"), ("the end of batch VB (median)", "batch")]
    controls = {
        "tolerance": log_slider("Close enough (nats)", 0.1, 100, 100, 5),
        "goal": dropdown("Measured from", goals, "own"),
        "data": dropdown("Data set", ["A", "B"], "B"),
    }
    look = {"title": "Who arrives first?", "status": status, "size": (9, 3.8)}
    return Explorer(controls, compute, setup, draw, **look)


def compute(tolerance, goal, data):
    """How far (epochs,) each run lies below the goal until it has arrived for good, and the median
    pass from which it stays within the tolerance, infinite if most never do."""
    found = traces(data)
    batch = np.median([t[-1] for t in found["batch"]])
    short, arrived = {}, {}
    for name, rows in found.items():
        goals = [batch if goal == "batch" else t[-1] for t in rows]
        passes = [first_within(t, g - tolerance) for g, t in zip(goals, rows, strict=True)]
        arrived[name] = float(np.median(np.nan_to_num(passes, nan=np.inf)))
        ends = [len(t) if np.isnan(p) else int(p) + 1 for p, t in zip(passes, rows, strict=True)]
        short[name] = [g - t[:end] for g, t, end in zip(goals, rows, ends, strict=True)]
    return {"short": short, "arrived": arrived}


def setup(figure):
    """How many nats each of eight runs of batch VB and of online VB lies below the goal, against
    passes, both axes logarithmic. The dashed line is the tolerance; a curve ends where its run has
    arrived for good. A triangle on the line marks the median of these passes.
    """
    ax = figure.add_subplot()
    ax.set(xscale="log", yscale="log", xlim=(0.9, 600), ylim=(0.05, 3000))
    ax.set(xlabel="passes through the data", ylabel="nats below the goal")
    artists = {"tolerance": ax.axhline(1, color="black", lw=1.5, ls="--"), "runs": {}, "marks": {}}
    for name in ("batch", "online"):
        style = METHODS[name] | {"marker": "", "lw": 1.2}
        artists["runs"][name] = [ax.plot([], [], **style)[0] for _ in range(RUNS)]
        artists["runs"][name][0].set_label(f"runs of {name} VB")
        style = {"color": METHODS[name]["color"], "label": f"{name} VB arrives"}
        artists["marks"][name] = ax.plot([], [], "^", ms=13, zorder=4, mec="white", **style)[0]
    artists["words"] = ax.text(550, 1, "finishing line", ha="right", va="bottom")
    ax.legend(loc="upper right", ncols=2)
    return artists


def draw(artists, arrays, values):
    artists["tolerance"].set_ydata([values["tolerance"]] * 2)
    artists["words"].set_y(1.15 * values["tolerance"])
    for name, lines in artists["runs"].items():
        for line, short in zip(lines, arrays["short"][name], strict=True):
            shown = np.unique(np.geomspace(1, len(short), 40).astype(int)) - 1
            line.set_data(np.maximum(shown, 0.9), np.maximum(short[shown], 0.03))
        artists["marks"][name].set_data([max(arrays["arrived"][name], 0.9)], [values["tolerance"]])


def status(arrays, values) -> str:
    words = [
        f"{name} VB {f'after {n:g} passes' if np.isfinite(n) else 'never, in most runs'}"
        for name, n in arrays["arrived"].items()
    ]
    within = f"Within {values['tolerance']:g} nats of the goal for good"
    return f"{within}: {'; '.join(words)} (median)."
