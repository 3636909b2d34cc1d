"""OldExplorer of notebook 05a: what counts as having arrived."""

from functools import lru_cache
from itertools import islice

import numpy as np

from vbkit.chapters.old_form import OldExplorer
from vbkit.course import dropdown, sato, select_slider
from vbkit.course.sato import METHODS, first_within

RUNS = sato.JOB["starts"]


@lru_cache(2)
def traces(data):
    """ELBOs of RUNS runs of batch and of online VB, four components: name -> list of (epochs,).
    The runs are those of the chapter's Fig. 2."""
    rng = np.random.default_rng([2000, "AB".index(data)])
    every = sato.traces_of(sato.draw(2000)[data], 4, sato.JOB, rng)
    return {name: [*islice(every, RUNS)] for name in ("batch", "online")}


def finish_line_explorer() -> OldExplorer:
    """Move the finishing line of the race."""
    controls = {
        "tolerance": select_slider(
            "Finishing line (nats below)", (100, 50, 20, 10, 5, 2), 100
        ),
        "data": dropdown("Data set", ["A", "B"], "B"),
    }
    look = {"title": "Who arrives first?", "status": status, "size": (9, 3.8)}
    return OldExplorer(controls, compute, setup, draw, **look)


def compute(tolerance, data):
    """How far (epochs,) each run lies below the median end of batch VB until it comes within the
    tolerance for good; how many runs do, and after how many passes in the median."""
    found = {"short": {}, "arrived": {}, "runs": {}}
    end = np.median([trace[-1] for trace in traces(data)["batch"]])
    for name, rows in traces(data).items():
        passes = np.array([first_within(trace, end - tolerance) for trace in rows])
        found["arrived"][name] = float(sato.median_passes(passes))
        found["runs"][name] = int(np.isfinite(passes).sum())
        last = np.nan_to_num(passes, nan=10_000).astype(
            int
        )  # a run that never arrives, whole
        found["short"][name] = [
            end - t[: n + 1] for n, t in zip(last, rows, strict=True)
        ]
    return found


def setup(figure):
    """How many nats each of ten runs of batch VB and of online VB lies below the median end of
    batch VB, against passes, both axes logarithmic. The dashed line is the tolerance; a curve ends
    where its run has arrived for good. A triangle on the line marks the median of these passes.
    """
    ax = figure.add_subplot(xscale="log", yscale="log", xlim=(0.9, 600), ylim=(1, 3000))
    ax.set(
        xlabel="passes through the data", ylabel="nats below the median end of batch VB"
    )
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:,.0f}")
    artists = {
        "tolerance": ax.axhline(1, color="black", ls="--"),
        "runs": {},
        "marks": {},
    }
    for name in ("batch", "online"):
        style = METHODS[name] | {"marker": "", "lw": 1.2}
        artists["runs"][name] = [ax.plot([], [], **style)[0] for _ in range(RUNS)]
        style = {
            "color": style["color"],
            "label": f"{name} VB arrives (median)",
            "zorder": 4,
        }
        artists["marks"][name] = ax.plot([], [], "^", ms=13, mec="white", **style)[0]
    ax.legend(loc="upper right")
    return artists


def draw(artists, arrays, values):
    artists["tolerance"].set_ydata([values["tolerance"]] * 2)
    for name, lines in artists["runs"].items():
        for line, short in zip(lines, arrays["short"][name], strict=True):
            line.set_data(np.maximum(range(len(short)), 0.9), np.maximum(short, 0.3))
        artists["marks"][name].set_data(
            [max(arrays["arrived"][name], 0.9)], [values["tolerance"]]
        )


def status(arrays, values) -> str:
    runs = arrays["runs"]
    words = [
        f"{k} VB after {n:g} passes ({runs[k]} runs)"
        for k, n in arrays["arrived"].items()
    ]
    within = f"Within {values['tolerance']:g} nats of batch VB's median end"
    return f"{within}: {'; '.join(words)}, in the median of {RUNS}."
