"""Explorer of notebook 10: a mixture and a factorization, each with one part too many, moved by the same controls."""

from __future__ import annotations

import numpy as np

from vbkit import plots
from vbkit.chapters.side_models import B_LINE, COMPONENTS, SHAPE, SHARES, lines, pair
from vbkit.theory import (
    critical_concentration,
    gain_of_halves,
    minima,
    share_landscape,
    switch_concentrations,
)
from vbkit.widgets.controls import dropdown, log_slider, slider
from vbkit.widgets.explorer import Explorer

A_MAX = 8.0
CLIP = 97.0  # nats, beyond which dots are not drawn
HALF = SHARES[: len(SHARES) // 2 + 1]


def compute(component, concentration, b, power, gamma, prior):
    size, made = 10.0**power, COMPONENTS[component](b)
    F = share_landscape(made, concentration, size, SHARES)
    low = minima(made, concentration, size, HALF)
    at = (
        critical_concentration(made.parameters),
        float(switch_concentrations(gain_of_halves(made.family, size * made.average), size)),
    )
    found = {"size": size, "F": F, "minima": low, "lines": lines(component, size), "at": at}
    return found | {"pair": pair(gamma, prior == "learned", size)}


def explorer() -> Explorer:
    """Move a mixture with a component too many and a factorization together."""
    for make in COMPONENTS.values():
        minima(
            make(0.1), 1.0, 1e3, HALF
        )  # loads compiled code, so that no position has to wait for it
    controls = {
        "component": dropdown(
            "Component", list(COMPONENTS), "Gaussian, centre and width in 2 dimensions"
        ),
        "concentration": slider(
            "Concentration of the weights", 0.1, A_MAX, 2.1, 0.1, form="{:.1f}"
        ),
        "b": slider("Prior b of a Bernoulli coordinate", 0.05, 1.2, 0.1, 0.05, form="{:.2f}"),
        "power": slider("Number of data N", 1, 9, 3.0, 0.5, form="10^{:g}"),
        "gamma": log_slider("Singular value / sigma", 0.01, 30, 0.4, 10),
        "prior": dropdown("Factor priors", ["learned", "fixed"], "learned"),
    }
    alt = (
        "Left: free energy of two copies of one component over the share of the first, a filled dot at its least "
        "value, hollow dots at other minima. Middle: the plane of the concentration and b with the line where the "
        "second copy begins to pay for endless data, and at the chosen number. Right: free energy of a singular pair "
        "over the share of its singular value that is kept."
    )
    look = {"title": "One part too many", "alt": alt, "status": status, "size": (11.5, 3.9)}
    return Explorer(controls, compute, setup, draw, **look)


def _free_energy_axis(ax):
    ax.axhline(0, color=plots.GREY, lw=0.8)
    ax.set_yscale("asinh", linear_width=3)
    ax.set(ylim=(-100, 100))
    ax.set_yticks([-50, -10, 0, 10, 50], ["-50", "-10", "0", "10", "50"])
    ax.minorticks_off()


def setup(figure):
    left, plane, right = figure.subplots(1, 3)
    blue, orange = plots.COLOURS[:2]
    for ax in (left, right):
        _free_energy_axis(ax)
    left.set(title="A second copy of a component", xlabel="its share of the data")
    left.set_ylabel("F less F of one alone (nats)")
    ticks = [1e-9, 1e-6, 1e-3, 0.5, 1 - 1e-3, 1 - 1e-6, 1 - 1e-9]
    left.set_xticks(
        np.log(ticks) - np.log1p(-np.array(ticks)),
        ["$10^{-9}$", "", "$10^{-3}$", "½", "", "", "all"],
    )
    left.set(xlim=(-23, 23))
    plane.set(xlabel="concentration $\\phi$ (or $a$)", ylabel="$b$ of Bernoulli coordinates")
    plane.set(xlim=(0, A_MAX), ylim=(0, 1.22))
    plane.text(0.2, 1.12, "one")
    plane.text(A_MAX - 0.2, 1.12, "two", ha="right")
    limit = plane.plot([], [], color="black", lw=1.5, label=r"$N\to\infty$")[0]
    switch = plane.plot([], [], color=blue, ls="--", label="this $N$")[0]
    plane.legend(
        loc="lower left",
        bbox_to_anchor=(0, 0.99),
        ncols=2,
        borderaxespad=0,
        borderpad=0.2,
        handlelength=1.6,
    )
    right.set(title="A singular pair", xlabel="share of the singular value kept", xlim=(-0.03, 1.1))
    odds = np.log(SHARES) - np.log1p(-SHARES)
    dots = {"mec": orange, "ms": 9, "ls": "none", "zorder": 4, "clip_on": False}
    return {
        "odds": odds,
        "F": left.plot(odds, 0 * odds, color=blue)[0],
        "others": left.plot([], [], "o", mfc="white", mew=1.8, **dots)[0],
        "best": left.plot([], [], "o", color=orange, **dots)[0],
        "one": [left.axvline(x, color=plots.GREY, lw=0.9, ls=":") for x in (0, 1)],
        "limit": limit,
        "switch": switch,
        "dot": plane.plot([], [], "o", color=orange, ms=10, clip_on=False)[0],
        "pair": right.plot([], [], color=blue)[0],
        "kept": right.plot([], [], "o", color=orange, **dots)[0],
    }


def draw(artists, arrays, values):
    odds, low, F = (
        artists["odds"],
        arrays["minima"],
        np.clip(arrays["F"], -CLIP, CLIP),
    )  # dots stay in the picture
    best = low[arrays["F"][low].argmin()]
    artists["F"].set_ydata(arrays["F"])
    both = np.concatenate([low, len(odds) - 1 - low])
    artists["others"].set_data(odds[both], F[both])
    artists["best"].set_data(odds[[best, len(odds) - 1 - best]], F[[best, best]])
    place = np.log(arrays["size"] - 1)
    for line, x in zip(artists["one"], (-place, place), strict=True):
        line.set_xdata([x, x])
    for name, line in zip(("limit", "switch"), arrays["lines"], strict=True):
        artists[name].set_data(line, B_LINE)
    artists["dot"].set_data([values["concentration"]], [values["b"]])
    kept, F, best, _ = arrays["pair"]
    artists["pair"].set_data(kept, F)
    artists["kept"].set_data([best], [np.clip(np.interp(best, kept, F), -CLIP, CLIP)])


def status(arrays, values) -> str:
    low, F = arrays["minima"], arrays["F"]
    best, (limit, switch) = SHARES[low[F[low].argmin()]], arrays["at"]
    few = (
        f"{arrays['size'] * best:.2g} data for the smaller component"
        if best > SHARES[0]
        else "an empty component"
    )
    part = "equal shares" if best > 0.499 else few
    here = f"{switch:.2f}" if switch < 1000 else "1000 or more"
    other = f", {len(low) - 1} other minimum" if len(low) > 1 else ", the only minimum"
    _, _, kept, (local, keep) = arrays["pair"]
    state = f"{100 * kept:.0f} % of it kept" if kept else "switched off"
    marks = (
        f"{keep:.3g}"
        if local == keep
        else f"{local:.3g} (alive is a minimum) and {keep:.3g} (it is the lowest)"
    )
    return (
        f"Mixture: least F with {part}{other}; two equal copies cost less than "
        f"one from a concentration of {here} at this N, {limit:.2f} "
        f"for endless data. Factorization, {SHAPE[0]} x {SHAPE[1]}, average of N matrices: singular value "
        f"{values['gamma']:g} sigma, {state}; threshold {marks}."
    )


EXPLORERS = {"10 side by side": explorer}
