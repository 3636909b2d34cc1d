"""Explorer: how often VB's intervals hold the truth."""

from functools import lru_cache

import numpy as np
from scipy.stats import norm

from vbkit import plots
from vbkit.chapters.missing_entries.completion import NOISE, RANK, SHARES, make_table
from vbkit.factorization import fit, init_random
from vbkit.widgets import Explorer, select_slider

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


def error_bars() -> Explorer:
    """Choose how much is seen and how wide the intervals claim to be."""
    predictions()
    shares = [(f"{100 * share:.0f} %", share) for share in SHARES]
    levels = [(f"{100 * level:.0f} %", level) for level in LEVELS]
    controls = {
        "share": select_slider("Share of entries seen", shares, 0.8, play=500),
        "level": select_slider("Intervals claim to hold", levels, 0.5, play=500),
    }

    def compute(share, level):
        found = predictions()[SHARES.index(share)]
        mean, sd, truth = found[:, :: found.shape[1] // SHOWN][:, :SHOWN]
        order = np.argsort(mean)
        half = norm.ppf((1 + level) / 2) * sd
        rows = np.array([mean - half, mean + half, truth])[:, order]
        return {"rows": rows, "held": coverage(share)}

    def draw(artists, arrays, values):
        low, high, truth = arrays["rows"]
        x, at = np.arange(SHOWN), LEVELS.index(values["level"])
        artists["bars"].set_segments(np.stack([np.c_[x, low], np.c_[x, high]], axis=1))
        ok = (low < truth) & (truth < high)
        artists["inside"].set_data(x[ok], truth[ok])
        artists["outside"].set_data(x[~ok], truth[~ok])
        artists["held"].set_data(100 * np.array(LEVELS[: at + 1]), 100 * arrays["held"][: at + 1])
        artists["now"].set_data([100 * LEVELS[at]], [100 * arrays["held"][at]])

    def status(arrays, values):
        held = 100 * arrays["held"][LEVELS.index(values["level"])]
        claim = f"Intervals that claim {100 * values['level']:.0f} %"
        return f"{claim} hold {held:.0f} % of the hidden entries of {TABLES} tables."

    title = "Can you trust the error bars?"
    return Explorer(controls, compute, _setup, draw, title=title, status=status, size=(8.4, 3.4))


def _setup(figure):
    """Left: 24 hidden entries with VB's intervals and the truth, a filled point within its
    interval and a cross outside. Right: the share of truths inside over the share claimed, up to
    the level chosen.
    """
    bars, graph = figure.subplots(1, 2, width_ratios=[1.6, 1])
    lines = bars.vlines(np.arange(SHOWN), 0, 0, color=plots.GREY, lw=3, alpha=0.6)
    inside = bars.plot([], [], "o", color=plots.COLOURS[0], ls="none", label="truth inside")[0]
    outside = bars.plot([], [], "X", color=plots.COLOURS[1], ls="none", ms=8, label="outside")
    bars.legend(loc="upper left", ncols=2).set_zorder(0)
    bars.set(xlabel="hidden entries, ordered", ylabel="rating, from the mean", ylim=(-9, 9.5))
    bars.set(xlim=(-1, SHOWN), xticks=[])
    graph.plot([50, 100], [50, 100], color=plots.GREY, ls=":")
    graph.set(xlabel="claimed (%)", ylabel="held (%)", xlim=(48, 101), ylim=(20, 102))
    held = graph.plot([], [], **plots.line_style(0, True))[0]
    now = graph.plot([], [], "o", ms=12, mfc="none", mec="black", mew=1.8)[0]
    return {"bars": lines, "inside": inside, "outside": outside[0], "held": held, "now": now}
