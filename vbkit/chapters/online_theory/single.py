"""An explorer of online learning: the readings of the coin pull at the belief, one by one."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters import coin
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider, slider

LENGTH, TOTAL, START = (
    300,
    40,
    0.9,
)  # readings; tosses stood for; heads at the start (share)
MEMORIES = (2, 5, 10, 25, 50, 100, 250)


@lru_cache
def walk(memory: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of heads in the counts (LENGTH + 1,), and each judgement (LENGTH,)."""
    shares, judged = [START], []
    for x in coin.readings(coin.SEED, LENGTH):
        a, b = 1 + TOTAL * shares[-1], 1 + TOTAL * (1 - shares[-1])
        judged.append(float(coin.judge(a, b, x)))
        shares.append(shares[-1] + (judged[-1] - shares[-1]) / memory)
    return np.array(shares), np.array(judged)


def one_by_one() -> OldExplorer:
    """Let readings arrive one by one; each pulls at the belief, as hard as the memory allows."""
    controls = {
        "memory": select_slider("Memory (readings)", MEMORIES, 10),
        "seen": slider("Readings seen", 0, LENGTH, 30, 5, play=150),
    }
    title = "One reading after another"
    return OldExplorer(
        controls, compute, setup, draw, title=title, status=status, size=(9.0, 3.2)
    )


def compute(memory, seen):
    return walk(memory)


def setup(figure):
    """The share of heads in the counts against the readings seen, from a start far too high; dots
    show how each reading was judged, and a dashed line what batch VB finds in all 300.
    """
    ax = figure.subplots()
    ax.set(
        xlim=(0, LENGTH),
        ylim=(-0.03, 1.03),
        xlabel="readings seen",
        ylabel="heads (share)",
    )
    mean, *_ = coin.top(coin.readings(coin.SEED, LENGTH))
    ax.axhline(mean, color="black", ls="--", lw=1.2)
    place = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
    ax.annotate(f"batch VB,\nfrom all {LENGTH}\nreadings", (LENGTH, mean), **place)
    (dots,) = ax.plot([], [], "o", color=plots.COLOURS[1], ms=4, alpha=0.6, mew=0)
    (line,) = ax.plot([], [], color=plots.COLOURS[0], ls="-", lw=2.2)
    for k, x, words in (
        (1, 0, "dots: each reading, judged"),
        (0, 0.36, "line: the counts"),
    ):
        ax.text(
            x,
            1.03,
            words,
            color=plots.COLOURS[k],
            weight="bold",
            transform=ax.transAxes,
        )
    return {"dots": dots, "line": line}


def draw(artists, arrays, values):
    (shares, judged), seen = arrays, values["seen"]
    artists["dots"].set_data(np.arange(1, seen + 1), judged[:seen])
    artists["line"].set_data(np.arange(seen + 1), shares[: seen + 1])


def status(arrays, values) -> str:
    share = arrays[0][values["seen"]]
    return f"After {values['seen']} readings the counts hold {100 * share:.0f} % heads."
