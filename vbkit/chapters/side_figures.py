"""Drawings of notebook 10: mixtures and a factorization side by side."""

from __future__ import annotations

import numpy as np

from vbkit import plots
from vbkit.chapters.factorization import branches
from vbkit.factorization import thresholds
from vbkit.theory import IdealComponent, critical_concentration, state_curve


def draw_answers(ax, knob, kept, letter: str, title: str, xlabel: str, ylabel: str = ""):
    """What VB keeps of a part too many (n,), over a knob (n,)."""
    ax.plot(knob, kept, "o-", color=plots.COLOURS[0], lw=1, ms=4)
    plots.panel_title(ax, letter, title)
    ax.set(xlabel=xlabel, ylabel=ylabel, ylim=(-0.03, None))


def draw_switches(ax, sizes, places, limits):
    """Concentration at which a copy pays, relative to its limit, less 1, over N (n,) on an axis even in 1 / log N.
    places: name -> (n,); limits: name -> number."""
    ax.axhline(0, color=plots.GREY, lw=0.8)
    for k, (name, found) in enumerate(places.items()):
        look = {
            "color": plots.COLOURS[k % 7],
            "ls": plots.LINES[k % 7],
            "marker": plots.MARKERS[k % 7],
        }
        ax.plot(
            1 / np.log(sizes), found / limits[name] - 1, label=f"{name}: {limits[name]:g}", **look
        )
    ticks = [1e2, 1e3, 1e6, 1e30]
    ax.set_xticks(
        [*(1 / np.log(ticks)), 0], ["$10^2$", "$10^3$", "$10^6$", "$10^{30}$", r"$\infty$"]
    )
    ax.set(
        xlim=(0, 0.225),
        xlabel="data $N$ (axis even in $1/\\log N$)",
        ylabel="switch / limit $-$ 1",
        ylim=(-0.15, 1.75),
    )
    ax.legend(loc="upper left", title="component: limit")


def draw_state(ax, component: IdealComponent, sizes, *, xlim, title: str):
    """The curve of states: data of the smaller copy over the concentration at which F is stationary with them; minima
    solid, passes dotted, a colour and an end at N/2 for each N of sizes (n,)."""
    limit = critical_concentration(component.parameters)
    ax.axvline(limit, color=plots.GREY, lw=0.8)
    for k, size in enumerate(sizes):
        counts, phi = state_curve(component, size)
        rising, colour = np.gradient(phi) > 0, plots.COLOURS[k]
        ax.plot(np.where(rising, phi, np.nan), counts, color=colour, ls="-", lw=2.2)
        ax.plot(np.where(rising, np.nan, phi), counts, color=colour, ls=":", lw=1.8)
        ax.plot([phi[-1], xlim[1]], [size / 2] * 2, color=colour, ls="-", lw=2.2)
        words = f"$N=10^{{{round(np.log10(size))}}}$"
        ax.text(xlim[1], size / 1.7, words, color=colour, ha="right", va="bottom")
    ax.set(
        yscale="log",
        xlim=xlim,
        ylim=(1e-3, 4 * max(sizes)),
        title=title,
        xlabel=r"concentration $\phi$",
    )


def draw_tilt(ax, found, corner):
    """Lines a = (1 + inside + 2 b pinned) / 2 of a copy of a component with 4 coordinates, with places found: (inside,
    pinned) -> (a (n,), b (n,))."""
    b = np.array([0.0, 1.2])
    for k, ((inside, pinned), (a, at)) in enumerate(found.items()):
        colour = plots.COLOURS[k]
        ax.plot((1 + inside + 2 * b * pinned) / 2, b, color=colour, ls=plots.LINES[k])
        ax.plot(a, at, plots.MARKERS[k], color=colour, ls="none")
        words = f"{pinned} pinned" if pinned else "none pinned"
        ax.text(
            (1 + inside + 2.4 * pinned) / 2,
            1.22,
            words,
            color=colour,
            ha="center",
            va="bottom",
            fontsize=9,
        )
    ax.plot(*corner, "o", color="black", ms=11, mfc="none", mew=1.5)
    ax.annotate(
        "$b=1/2$: pinned or not\ncosts the same",
        corner,
        xytext=(14, -26),
        textcoords="offset points",
    )
    ax.set(xlim=(0, 5.7), ylim=(0, 1.2), xlabel="concentration $a$", ylabel="$b$")


def draw_kept(ax, gammas, fixed, shape):
    """Share of a singular value (n,) that is kept: with fixed priors (n,), and with learned ones by branches."""
    found, (local, keep) = branches(gammas, shape), thresholds(shape)
    blue, orange = plots.COLOURS[:2]
    ax.plot(gammas, fixed / gammas, color=orange, ls="--", lw=2.2)
    ax.plot(gammas, found["live"] / gammas, color=blue, ls="-", lw=1)
    ax.plot(gammas, found["pass"] / gammas, color=blue, ls=":", lw=1.8)
    ax.plot(gammas, found["global"] / gammas, color=blue, lw=2.6)
    for place, words, top in ((local, "local", 0.02), (keep, "global", 0.09)):
        ax.axvline(place, color=plots.GREY, lw=0.8)
        ax.text(place, 1 - top, f"{words} {place:.2f}", color=plots.GREY, va="top", ha="left")
    plots.label_line(
        ax,
        gammas,
        fixed / gammas,
        "fixed priors",
        colour=orange,
        offset=(8, -18),
        at=5 * len(gammas) // 8,
    )
    plots.label_line(
        ax,
        gammas,
        found["live"] / gammas,
        "learned",
        colour=blue,
        offset=(-4, 10),
        at=-1,
        ha="right",
    )
    ax.set(
        xlabel=r"singular value $\gamma/\sigma$",
        ylabel=r"kept, $\hat\gamma/\gamma$",
        ylim=(-0.03, 1),
    )
    ax.set(xlim=(gammas[0], gammas[-1]))


def draw_loop(ax, knob, sweeps, switch: float):
    """Order parameter on a sweep up and on one down (n,) over the knob (n,), and where the global minimum changes."""
    up, down = sweeps
    ax.fill_between(knob, up, down, color=plots.COLOURS[0], alpha=0.1, lw=0)
    ax.plot(knob, up, color=plots.COLOURS[1], lw=2.2)
    ax.plot(knob, down, color=plots.COLOURS[0], ls="--", lw=2.2)
    ax.axvline(switch, color=plots.GREY, lw=1, ls=":")
    ax.set(xlim=(knob[0], knob[-1]), ylim=(-0.03, 1.12 * down.max()))


def draw_landscapes(ax, curves, *, xlabel: str):
    """F (n,) over a share (n,), a line each: name -> (shares, F, index of the label)."""
    ax.axhline(0, color=plots.GREY, lw=0.8)
    for k, (name, (shares, F, at)) in enumerate(curves.items()):
        plots.draw_curve(ax, shares, F, name, k, at=at, offset=(4, 7))
    ax.set(xlabel=xlabel, ylabel="F less that of none (nats)")


def draw_overlay(ax, knob, exact, vb, *, xlabel: str, words: dict):
    """Exact posterior expectations, name -> (n,), and VB's answer (n,), over the knob (n,). words: name -> (index,
    offset) of its label, VB's last."""
    *_, (name, (at, offset)) = words.items()
    ax.plot(knob, vb, color=plots.COLOURS[0], lw=2.4)
    plots.label_line(ax, knob, vb, name, at=at, offset=offset, weight="bold")
    for k, (name, values) in enumerate(exact.items(), 1):
        at, offset = words[name]
        plots.draw_curve(
            ax, knob, values, name, k, at=at, offset=offset, ls="-" if k == 1 else plots.LINES[k]
        )
    ax.set(xlabel=xlabel, ylim=(-0.03, None))


def draw_coefficients(ax, knob, lines, marks, *, regular: float, xlabel: str):
    """Coefficients of log N over the concentration. lines: name -> ((n,), label index, offset), VB first and then
    exact; marks: the same names -> (places, measured)."""
    for k, (name, (values, at, offset)) in enumerate(lines.items()):
        plots.draw_curve(ax, knob, values, name, k, at=at, offset=offset)
        ax.plot(*marks[name], plots.MARKERS[k], color=plots.COLOURS[k], ls="none", ms=7)
    ax.axhline(regular, color=plots.GREY, lw=1, ls=":")
    words = {"xytext": (0, 6), "textcoords": "offset points", "color": plots.GREY, "ha": "right"}
    ax.annotate("half the parameters", (knob[-1], regular), **words)
    ax.set(xlabel=xlabel, ylabel=r"coefficient of $\log N$", xlim=(0, knob[-1]))
