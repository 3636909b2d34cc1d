"""Explorers of chapter 08c: what a redundant component may take, and what that costs."""

import numpy as np
from matplotlib.patches import FancyArrowPatch

from vbkit import plots
from vbkit.chapters.bernoulli import structures as some
from vbkit.chapters.bernoulli.phases import plane, short
from vbkit.chapters.bernoulli.pictures import setup_tiles
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider, slider
from vbkit.data import KAJI2011_TRUTHS as TRUTHS

PROBABILITIES = TRUTHS["A"].means[0]
TOTAL, GAIN, MISFIT = plots.COLOURS[0], plots.COLOURS[2], plots.COLOURS[1]


def _setup_balance(figure):
    """Three curves in nats over the number of data taken, on a logarithmic scale: what the prior
    charges or pays, the misfit, and their sum, with a dot at its lowest point.
    """
    ax = figure.subplots()
    ax.axhline(0, color=plots.GREY, lw=1)
    ax.set(xlim=(0, 1), ylim=(-30, 15), ylabel="change of $F$ (nats)")
    ax.set_xticks(
        [0, 0.25, 0.5, 0.75, 1], ["1", "$N^{1/4}$", r"$\sqrt{N}$", "$N^{3/4}$", "$N$"]
    )
    ax.set_xlabel("people taken")
    styles = {
        "price": (GAIN, "--", 1.8),
        "misfit": (MISFIT, ":", 2.2),
        "F": (TOTAL, "-", 2.6),
    }
    curves = {}
    for (name, (colour, line, width)), x in zip(
        styles.items(), (0.66, 0.78, 0.9), strict=True
    ):
        (curves[name],) = ax.plot([], [], color=colour, ls=line, lw=width)
        words = {"price": "- - prior", "misfit": "⋯ misfit", "F": "— sum"}[name]
        ax.text(x, 0.92, words, color=colour, va="center", transform=ax.transAxes)
    (dot,) = ax.plot([], [], "o", color=TOTAL, ms=9)
    return curves | {"dot": dot}


def _draw_balance(artists, arrays, values):
    x = np.log10(arrays["sizes"]) / values["power"]
    artists["F"].set_data(x, arrays["F"])
    artists["misfit"].set_data(x, arrays["misfit"])
    artists["price"].set_data(x, arrays["F"] - arrays["misfit"])
    best = arrays["F"].argmin()
    artists["dot"].set_data([x[best]], [arrays["F"][best]])


def _say_balance(arrays, values) -> str:
    best = arrays["F"].argmin()
    size, F = arrays["sizes"][best], arrays["F"][best]
    if F > 0:
        return "Taking nobody is best: F rises at once."
    return f"F is lowest at {short(size)} people ({F:+.1f} nats)."


def _powers(value: float):
    return slider("Number of data N", 3, 9, value, 0.5, form="10^{:g}")


def small_vertex() -> OldExplorer:
    """How many people may a black-and-white component take where there is nobody decided?"""
    controls = {
        "a": slider("Prior a of the weights", 0.5, 2.5, 2.0, 0.1, form="{:.1f}"),
        "b": slider("Prior b of the answers", 0.02, 0.5, 0.1, 0.02, form="{:.2f}"),
        "power": _powers(3.0),
    }

    def compute(a, b, power):
        return some.balance(some.small_vertices, 10.0**power, a, b, 0.03)

    def setup(figure):
        artists = _setup_balance(figure)
        figure.axes[0].set_ylim(-17, 8)
        return artists

    words = {"alt": _setup_balance.__doc__, "status": _say_balance}
    words["title"] = "A small black-and-white component: gain and misfit"
    return OldExplorer(controls, compute, setup, _draw_balance, size=(8, 3.3), **words)


def impurity() -> OldExplorer:
    """How many neighbours may a black-and-white component take in?"""
    controls = {
        "b": slider("Prior b of the answers", 0.1, 1.2, 0.8, 0.1, form="{:.1f}"),
        "power": _powers(5.0),
    }

    def compute(b, power):
        return some.balance(some.impure, 10.0**power, 1.0, b, 0.003)

    parts = compute, _setup_balance, _draw_balance
    title = "An impure component: gain and misfit"
    return OldExplorer(
        controls, *parts, title=title, status=_say_balance, size=(8, 3.3)
    )


# ---- cuts ----------------------------------------------------------------------------------------

OFFERS = ("interior", "cut")


def cut() -> OldExplorer:
    """A component is the sum of its two halves: cut it along a question."""
    controls = {
        "question": select_slider(
            "Cut along question", [(str(m + 1), m) for m in range(4)], 0
        ),
        "a": slider("Prior a of the weights", 1.5, 5.0, 3.0, 0.1, form="{:.1f}"),
        "b": slider("Prior b of the answers", 0.02, 1.0, 0.8, 0.02, form="{:.2f}"),
        "power": slider("Number of data N", 2, 9, 4.0, 0.5, form="10^{:g}"),
    }
    parts = _compute_cut, _setup_cut, _draw_cut
    title = "A duplicate, or a cut?"
    return OldExplorer(controls, *parts, title=title, status=_say_cut, size=(8.6, 3.2))


def _compute_cut(question, a, b, power):
    total = 10.0**power
    counts, R = total * TRUTHS["A"].probabilities(), some.of_truth("A")
    every = np.stack([R, some.duplicate(R, 0), some.cut(R, 0, question)])
    F = some.free_energy(every, counts, np.array([a]), np.array([b]))[:, 0, 0]
    return dict(zip(OFFERS, F[1:] - F[0], strict=True))


def _setup_cut(figure):
    """Left: a component as a row of four squares, and beneath it the two halves into which it is
    cut, each with one square black or white, and their shares. Right: bars for the exact price of a
    duplicate and of this cut, with diamonds at the prices for ever more data.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.1])
    image = setup_tiles(
        left, 4, 4, "One component and its halves", gap=6, aspect="auto"
    )
    left.set_facecolor("white")
    for x in (0.5, 2.5):
        arrow = FancyArrowPatch(
            (1.5, 0.55), (x, 1.42), arrowstyle="-|>", mutation_scale=16
        )
        left.add_patch(arrow).set(color=plots.GREY, zorder=5)
    shares = [left.text(-0.6, row, "", ha="right", va="center") for row in (0, 2, 3)]
    right.axvline(0, color="black", lw=1)
    bars = right.barh([0, 1], [0, 0], 0.5, color=[plots.COLOURS[0], plots.COLOURS[2]])
    (limit,) = right.plot([0, 0], [0, 1], "D", color="black", ms=8)
    right.set(xlim=(-4, 3), ylim=(1.6, -0.9), xlabel=r"price in units of $\log N$")
    right.set_yticks([0, 1], ["duplicate", "cut"])
    right.text(-3.9, -0.6, "bar: exact   ◆ many data", va="center")
    return {"image": image, "shares": shares, "bars": list(bars), "limit": limit}


def _draw_cut(artists, prices, values):
    tiles = np.full((4, 4), np.nan)
    tiles[[0, 2, 3]] = PROBABILITIES
    tiles[2, values["question"]], tiles[3, values["question"]] = 1, 0
    artists["image"].set_data(np.ma.masked_invalid(tiles))
    yes, log_n = PROBABILITIES[values["question"]], values["power"] * np.log(10)
    for label, share in zip(artists["shares"], (1, yes, 1 - yes), strict=True):
        label.set_text(f"{100 * share:.0f} %")
    for bar, kind in zip(artists["bars"], OFFERS, strict=True):
        bar.set_width(prices[kind] / log_n)
    limits = [some.limit_price(kind, values["a"], values["b"]) for kind in OFFERS]
    artists["limit"].set_xdata(limits)


def _say_cut(prices, values) -> str:
    cheaper = min(prices, key=prices.get)
    words = {"interior": "the duplicate", "cut": "the cut"}[cheaper]
    verdict = (
        f"Cheaper is {words}"
        if prices[cheaper] < 0
        else f"An empty component beats {words}"
    )
    exact = f"duplicate {prices['interior']:+.1f}, cut {prices['cut']:+.1f}"
    return f"Exact prices in nats: {exact}. {verdict}."


def plane_without() -> OldExplorer:
    """The phase diagram of a truth without black-and-white components."""
    return plane("A", "The phase diagram when nobody is decided")
