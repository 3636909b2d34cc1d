"""OldExplorer: how often VB's intervals hold the truth."""

from functools import lru_cache

import numpy as np
from matplotlib.patches import Rectangle
from scipy.stats import norm

from vbkit import plots
from vbkit.chapters.missing_entries.completion import NOISE, RANK, SHARES, make_table
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider
from vbkit.factorization import fit, init_random

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
TABLES, SHOWN = 8, 24


@lru_cache
def predictions():
    """For each of SHARES, of the hidden entries of TABLES tables: posterior mean and standard
    deviation, and the truth (3, n); VB is told rank and hyperparameters."""
    found = []
    for share in SHARES:
        rows = []
        for seed in range(TABLES):
            truth, V, order = make_table(seed)
            holes = np.where(order < share, V, np.nan)
            rng = np.random.default_rng(seed)
            start = init_random(holes, RANK, rng, prior_a=1.0, prior_b=1.0, noise=NOISE)
            vb = fit(holes, start, learn_prior=False, learn_noise=False, max_sweeps=300)
            hidden = np.nonzero(order >= share)
            rows.append([*vb.predict(*hidden, noise=False), truth[hidden]])
        found.append(np.concatenate(rows, axis=1))
    return found


def coverage(share: float) -> np.ndarray:
    """Share of the truths within VB's central intervals of each of LEVELS."""
    mean, sd, truth = predictions()[SHARES.index(share)]
    scores = np.abs(truth - mean) / sd
    return np.array([np.mean(scores < norm.ppf((1 + level) / 2)) for level in LEVELS])


def sample(share: float) -> np.ndarray:
    """Choose SHOWN hidden entries (3, SHOWN), evenly spaced by the rank of |truth - mean| / sd: so
    the share of misses among them is that of all, at every level."""
    mean, sd, truth = found = predictions()[SHARES.index(share)]
    ranks = ((np.arange(SHOWN) + 0.5) / SHOWN * len(mean)).astype(int)
    return found[:, np.argsort(np.abs(truth - mean) / sd)[ranks]]


def error_bars() -> OldExplorer:
    """Choose how much is seen and how wide the intervals claim to be."""
    predictions()
    shares = [(f"{100 * share:.0f} %", share) for share in SHARES]
    levels = [(f"{100 * level:.0f} %", level) for level in LEVELS]
    controls = {
        "share": select_slider("Share of entries seen", shares, 0.8, play=500),
        "level": select_slider("Intervals claim to hold", levels, 0.5, play=500),
    }

    def compute(share, level):
        mean, sd, truth = sample(share)
        half = np.full(SHOWN, norm.ppf((1 + level) / 2))
        rows = np.array([-half, half, (truth - mean) / sd])[:, np.argsort(sd)]
        return {"rows": rows, "held": coverage(share)}

    def draw(artists, arrays, values):
        low, high, truth = arrays["rows"]
        x, at = np.arange(SHOWN), LEVELS.index(values["level"])
        artists["band"].set(y=low[0], height=high[0] - low[0])
        ok = (low < truth) & (truth < high)
        artists["inside"].set_data(x[ok], truth[ok])
        artists["outside"].set_data(x[~ok], truth[~ok])
        artists["held"].set_data(
            100 * np.array(LEVELS[: at + 1]), 100 * arrays["held"][: at + 1]
        )
        artists["now"].set_data([100 * LEVELS[at]], [100 * arrays["held"][at]])

    def status(arrays, values):
        held = 100 * arrays["held"][LEVELS.index(values["level"])]
        claim = f"Intervals that claim {100 * values['level']:.0f} %"
        return f"{claim} hold {held:.0f} % of the hidden entries of {TABLES} tables."

    title = "Can you trust the error bars?"
    return OldExplorer(
        controls, compute, _setup, draw, title=title, status=status, size=(8.4, 3.4)
    )


def _setup(figure):
    """Left: 24 hidden entries: the truth minus VB's prediction, in units of VB's own standard
    deviation, a filled point within VB's interval, which is a grey band, and a cross outside.
    Right: the share of truths inside over the share claimed, up to the level chosen.
    """
    bars, graph = figure.subplots(1, 2, width_ratios=[1.6, 1])
    across = bars.get_yaxis_transform()
    band = bars.add_patch(
        Rectangle((0, 0), 1, 1, transform=across, color="#D9D9D9", lw=0)
    )
    inside = bars.plot([], [], "o", color=plots.COLOURS[0], ms=7, label="truth inside")[
        0
    ]
    outside = bars.plot([], [], "X", color=plots.COLOURS[1], ms=9, label="outside")
    bars.axhline(0, color=plots.GREY, lw=0.8)
    bars.legend(loc="upper left", ncols=2).set_zorder(0)
    bars.set(xlabel="24 of the hidden entries", ylabel="miss, in VB's sd")
    bars.set(xlim=(-1, SHOWN), xticks=[], ylim=(-7, 8.5))
    graph.plot([50, 100], [50, 100], color=plots.GREY, ls=":")
    graph.text(62, 66, "honest", color=plots.GREY, ha="right")
    graph.set(xlabel="claimed (%)", ylabel="held (%)", xlim=(48, 101), ylim=(20, 102))
    held = graph.plot([], [], **plots.line_style(0, True))[0]
    now = graph.plot([], [], "o", ms=12, mfc="none", mec="black", mew=1.8)[0]
    return {
        "band": band,
        "inside": inside,
        "outside": outside[0],
        "held": held,
        "now": now,
    }
