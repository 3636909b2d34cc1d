"""Explorers of chapter 08b on prices: one term of Stirling's formula, and the price list."""

import numpy as np
from matplotlib.patches import FancyArrow
from matplotlib.patheffects import withStroke
from scipy.special import gammaln, xlogy

from vbkit import plots
from vbkit.chapters.bernoulli.structures import extra_costs, limit_price
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import slider

POWERS = np.linspace(0, 9, 91)
ROWS = {
    "empty": "leave it empty",
    "deterministic": "a second\nblack-and-white",
    "interior": "a second mixed",
}
WEIGHT, ANSWERS, EXACT = plots.COLOURS[2], plots.COLOURS[4], plots.COLOURS[0]


def leftover(b, n):
    """What -log Gamma(b + n) leaves besides n - n log n."""
    return xlogy(n, n) - n - gammaln(b + n)


def one_term() -> OldExplorer:
    """Follow one log-gamma: besides what is of order n it leaves a straight line in log n."""
    controls = {
        "b": slider("Prior count b", 0.05, 1.5, 1.0, 0.05, form="{:.2f}"),
        "power": slider("Count n", 0, 9, 3.0, 0.5, form="10^{:g}"),
    }
    title = "What one log-gamma leaves behind"
    parts = _compute_term, _setup_term, _draw_term
    return OldExplorer(controls, *parts, title=title, status=_say_term, size=(8, 3.2))


def _compute_term(b, power):
    return {"exact": leftover(b, 10.0**POWERS), "at": float(leftover(b, 10.0**power))}


def _setup_term(figure):
    """What minus the log-gamma of b + n leaves, over n on a logarithmic scale: a curve that soon
    runs beside a dashed straight line.
    """
    ax = figure.subplots()
    (exact,) = ax.plot([], [], color=plots.COLOURS[0], lw=2.4, ls="-")
    (line,) = ax.plot([], [], color=plots.COLOURS[1], ls="--")
    (dot,) = ax.plot([], [], "o", color=plots.COLOURS[0], ms=9)
    ax.axhline(0, color=plots.GREY, lw=1)
    ax.set(xlim=(0, 9), ylim=(-23, 11), ylabel="nats left over", xlabel="count $n$")
    ax.set_xticks(range(0, 10, 3), ["1", "$10^3$", "$10^6$", "$10^9$"])
    ax.text(0.15, -20, "solid: exact", color=plots.COLOURS[0])
    ax.text(1.9, -20, r"dashed: a straight line in $\log n$", color=plots.COLOURS[1])
    return {"exact": exact, "line": line, "dot": dot}


def _draw_term(artists, arrays, values):
    artists["exact"].set_data(POWERS, arrays["exact"])
    artists["line"].set_data(POWERS, (0.5 - values["b"]) * POWERS * np.log(10))
    artists["dot"].set_data([values["power"]], [arrays["at"]])


def _say_term(arrays, values) -> str:
    line = (0.5 - values["b"]) * values["power"] * np.log(10)
    return (
        f"The exact leftover is {arrays['at']:.2f} nats, the dashed line is at {line:.2f}. "
        "Their distance settles at 0.92, half the logarithm of 2 pi."
    )


def price_list() -> OldExplorer:
    """The three fates of a redundant component: what each costs by its weight and its answers."""
    controls = {
        "a": slider("Prior a of the weights", 0.1, 4.0, 2.0, 0.1, form="{:.1f}"),
        "b": slider("Prior b of the answers", 0.02, 1.2, 0.1, 0.02, form="{:.2f}"),
        "power": slider("Number of data N", 2, 9, 3.0, 0.5, form="10^{:g}"),
    }
    title = "The price list"
    parts = _compute_list, _setup_list, _draw_list
    return OldExplorer(controls, *parts, title=title, status=_say_list, size=(8.6, 3.3))


def _compute_list(a, b, power):
    costs = extra_costs("B", 10.0**power, a, b) | {"empty": np.zeros(1)}
    exact = {kind: costs[kind].item() for kind in ROWS}
    return {"exact": exact, "price": {kind: limit_price(kind, a, b) for kind in ROWS}}


def _setup_list(figure):
    """Three rows, one for each fate. In each a green arrow from zero for the weight, an orange
    arrow from its tip for the four answers, a diamond where that ends, and an upright stroke at
    the exact price at the chosen N; all in units of log N.
    """
    ax = figure.subplots()
    rows = np.arange(len(ROWS))
    weight = [_arrow(ax, row - 0.17, WEIGHT) for row in rows]
    answers = [_arrow(ax, row + 0.17, ANSWERS) for row in rows]
    (net,) = ax.plot(np.zeros(3), rows, "D", color="black", ms=8, zorder=2.8)
    (exact,) = ax.plot(np.zeros(3), rows, "|", color=EXACT, ms=30, mew=4, zorder=3)
    exact.set_path_effects([withStroke(linewidth=7, foreground="white")])
    ax.axvline(0, color="black", lw=2, zorder=2.5)
    ax.set(xlim=(-4, 5), ylim=(2.6, -0.9), xlabel=r"price in units of $\log N$")
    ax.set_yticks(rows, list(ROWS.values()))
    ax.tick_params(axis="y", labelsize=11)
    ax.text(-3.9, -0.55, "weight", color=WEIGHT, va="center", weight="bold")
    ax.text(-2.5, -0.55, "answers", color=ANSWERS, va="center", weight="bold")
    ax.text(0.15, -0.55, "◆ sum, many data", va="center")
    ax.text(2.7, -0.55, "| exact, at your $N$", va="center", color=EXACT, weight="bold")
    return {"weight": weight, "answers": answers, "net": net, "exact": exact}


def _arrow(ax, y, colour):
    """A thick level arrow at the height y, of no length yet."""
    size = {"width": 0.22, "head_width": 0.34, "length_includes_head": True}
    return ax.add_patch(FancyArrow(0, y, 0, 0, fc=colour, lw=0, **size))


def _point(arrow, start, end):
    """Let a level arrow lead from start to end."""
    arrow.set_data(x=start, dx=end - start, head_length=min(0.25, abs(end - start)))


def _draw_list(artists, arrays, values):
    log_n = values["power"] * np.log(10)
    prices = np.array([arrays["price"][kind] for kind in ROWS])
    for k, kind in enumerate(ROWS):
        weight = 0.0 if kind == "empty" else 0.5 - values["a"]
        _point(artists["weight"][k], 0.0, weight)
        _point(artists["answers"][k], weight, prices[k])
    artists["net"].set_xdata(prices)
    artists["exact"].set_xdata([arrays["exact"][kind] / log_n for kind in ROWS])


def _say_list(arrays, values) -> str:
    prices, exact = arrays["price"], arrays["exact"]
    cheapest = ROWS[min(exact, key=exact.get)].replace("\n", " ")
    copies = ", ".join(
        f"{ROWS[k]} {exact[k]:+.1f}".replace("\n", " ") for k in ROWS if k != "empty"
    )
    limit = ROWS[min(prices, key=prices.get)].replace("\n", " ")
    return f"Exact, in nats: {copies}. Cheapest now: {cheapest}. With ever more data: {limit}."
