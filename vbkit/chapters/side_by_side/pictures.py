"""Pictures of notebook 10: mixtures and a factorization side by side."""

import numpy as np

from vbkit import plots
from vbkit.chapters.factorization.pictures import branches
from vbkit.factorization import thresholds
from vbkit.theory import IdealComponent, critical_concentration, state_curve


def draw_answers(ax, knob, kept, letter: str, title: str, xlabel: str, ylabel: str = ""):
    """Draw what VB keeps of a part too many (n,), over a knob (n,)."""
    ax.plot(knob, kept, "o-", color=plots.COLOURS[0], lw=1, ms=4)
    plots.panel_title(ax, letter, title)
    ax.set(xlabel=xlabel, ylabel=ylabel, ylim=(-0.03, None))


def draw_switches(ax, sizes, places, limits):
    """Draw where a copy pays, relative to its limit, less 1, over N (n,), evenly in 1 / log N.

    places: name -> concentrations (n,); limits: name -> number.
    """
    ax.axhline(0, color=plots.GREY, lw=0.8)
    for k, (name, found) in enumerate(places.items()):
        style = plots.line_style(k, True, label=f"{name}: {limits[name]:g}")
        ax.plot(1 / np.log(sizes), found / limits[name] - 1, **style)
    names = ["$10^2$", "$10^3$", "$10^6$", "$10^{30}$", r"$\infty$"]
    ax.set_xticks([*1 / np.log([1e2, 1e3, 1e6, 1e30]), 0], names)
    ax.set(xlabel="data $N$ (axis even in $1/\\log N$)", ylabel="switch / limit $-$ 1")
    ax.set(xlim=(0, 0.225), ylim=(-0.15, 1.75))
    ax.legend(loc="upper left", title="component: limit")


def draw_state(ax, component: IdealComponent, sizes, *, xlim):
    """Draw the data of the smaller copy over the concentration at which F is stationary with them.

    Minima are solid, passes dotted; each N of sizes (n,) has a colour, and an end at N/2.
    """
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
    ax.set(yscale="log", xlim=xlim, ylim=(1e-3, 4 * max(sizes)), xlabel=r"concentration $\phi$")


def draw_tilt(ax, found, corner):
    """Draw the lines a = (1 + I + 2 b P) / 2 from which a copy pays, and measured places.

    I coordinates are inside and P pinned; found: (I, P) -> (a (n,), b (n,)).
    """
    ends = np.array([0.0, 1.2])
    for k, ((inside, pinned), (a, b)) in enumerate(found.items()):
        line = (1 + inside + 2 * ends * pinned) / 2
        ax.plot(line, ends, color=plots.COLOURS[k], ls=plots.LINES[k])
        ax.plot(a, b, plots.MARKERS[k], color=plots.COLOURS[k], ls="none")
        label = ax.text(line[1], 1.22, f"{pinned or 'none'} pinned", color=plots.COLOURS[k])
        label.set(ha="center", va="bottom", fontsize=9)
    ax.plot(*corner, "o", color="black", ms=11, mfc="none", mew=1.5)
    words = "$b=1/2$: pinned or not\ncosts the same"
    ax.annotate(words, corner, xytext=(14, -26), textcoords="offset points")
    ax.set(xlim=(0, 5.7), ylim=(0, 1.2), xlabel="concentration $a$", ylabel="$b$")


def draw_kept(ax, gammas, fixed, shape):
    """Draw the share of a singular value (n,) that is kept with fixed (n,) and learned priors."""
    found, (local, keep) = branches(gammas, shape), thresholds(shape)
    blue, orange = plots.COLOURS[:2]
    live = found["live"] / gammas
    ax.plot(gammas, fixed / gammas, color=orange, ls="--", lw=2.2)
    ax.plot(gammas, live, color=blue, ls="-", lw=1)
    ax.plot(gammas, found["pass"] / gammas, color=blue, ls=":", lw=1.8)
    ax.plot(gammas, found["global"] / gammas, color=blue, ls="-", lw=2.6)
    for place, words, top in ((local, "local", 0.98), (keep, "global", 0.91)):
        ax.axvline(place, color=plots.GREY, lw=0.8)
        ax.text(place, top, f"{words} {place:.2f}", color=plots.GREY, va="top", ha="left")
    at, label = 5 * len(gammas) // 8, plots.label_line
    label(ax, gammas, fixed / gammas, "fixed priors", colour=orange, offset=(8, -18), at=at)
    label(ax, gammas, live, "learned", colour=blue, offset=(-4, 10))
    ax.set(xlabel=r"singular value $\gamma/\sigma$", ylabel=r"kept, $\hat\gamma/\gamma$")
    ax.set(xlim=gammas[[0, -1]], ylim=(-0.03, 1))


def draw_loop(ax, knob, sweeps, switch: float):
    """Draw the order parameter on a sweep up and on one down (n,) over the knob (n,).

    switch: where the global minimum changes.
    """
    up, down = sweeps
    ax.fill_between(knob, up, down, color=plots.COLOURS[0], alpha=0.1, lw=0)
    ax.plot(knob, up, color=plots.COLOURS[1], ls="-", lw=2.2)
    ax.plot(knob, down, color=plots.COLOURS[0], ls="--", lw=2.2)
    ax.axvline(switch, color=plots.GREY, lw=1, ls=":")
    ax.set(xlim=(knob[0], knob[-1]), ylim=(-0.03, 1.12 * down.max()))


def draw_landscapes(ax, curves, *, xlabel: str):
    """Draw F (n,) over a share (n,), a line each: name -> (shares, F, index of the label)."""
    ax.axhline(0, color=plots.GREY, lw=0.8)
    for k, (name, (shares, F, at)) in enumerate(curves.items()):
        plots.draw_curve(ax, shares, F, name, k, at=at, offset=(4, 7))
    ax.set(xlabel=xlabel, ylabel="F less that of none (nats)")


def draw_overlay(ax, knob, exact, vb, *, xlabel: str, labels: dict):
    """Draw exact posterior expectations, name -> (n,), and VB's answer (n,), over the knob (n,).

    labels: name -> (index, offset) of its label, VB's last.
    """
    *_, (name, (at, offset)) = labels.items()
    ax.plot(knob, vb, color=plots.COLOURS[0], ls="-", lw=2.4)
    plots.label_line(ax, knob, vb, name, at=at, offset=offset, weight="bold")
    for k, (name, values) in enumerate(exact.items(), 1):
        at, offset = labels[name]
        ls = "-" if k == 1 else plots.LINES[k]
        plots.draw_curve(ax, knob, values, name, k, at=at, offset=offset, ls=ls)
    ax.set(xlabel=xlabel, ylim=(-0.03, None))


def draw_coefficients(ax, knob, lines, marks, *, regular: float, xlabel: str):
    """Draw coefficients of log N over the concentration, VB first and then exact Bayes.

    lines: name -> ((n,), label index, offset); marks: the same names -> (places, measured).
    """
    for k, (name, (values, at, offset)) in enumerate(lines.items()):
        plots.draw_curve(ax, knob, values, name, k, at=at, offset=offset)
        ax.plot(*marks[name], plots.MARKERS[k], color=plots.COLOURS[k], ls="none", ms=7)
    ax.axhline(regular, color=plots.GREY, lw=1, ls=":")
    label = plots.label_line(ax, knob[-1], regular, "half the parameters", offset=(0, 6))
    label.set(color=plots.GREY, ha="right", va="baseline")
    ax.set(xlabel=xlabel, ylabel=r"coefficient of $\log N$", xlim=(0, knob[-1]))
