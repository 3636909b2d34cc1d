"""OldExplorer: a second copy of a component that explains all data alone."""

import numpy as np
from scipy.special import expit, logit

from vbkit import plots, theory
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import dropdown, slider

ODDS = np.linspace(-23, 23, 277)  # log odds of a copy's share; zero is among them
SHARES = expit(ODDS)
HALF = SHARES[: len(SHARES) // 2 + 1]
HALF_ODDS, LEFT = ODDS[: len(HALF)], -17.5  # dots further left are drawn there

COMPONENTS = {
    "centre, D = 1": theory.ideal_known(1),
    "centre, D = 1, narrow prior": theory.ideal_known(1, 0.5),
    "four answers": theory.ideal_bernoulli(0, 4, 0.3),
    "centre and width, D = 2": theory.ideal_isotropic(2),
}


def second_component() -> OldExplorer:
    """Turn the concentration of a mixture of two components that has one too many."""
    controls = {
        "component": dropdown("Component", list(COMPONENTS), "centre and width, D = 2"),
        "concentration": slider(
            "Concentration", 0.5, 3.0, 1.5, 0.1, form="{:.1f}", play=150
        ),
        "power": slider("Number of data N", 2, 4, 2.0, 0.5, form="10^{:g}"),
    }
    words = {"title": "A second copy of a component", "status": status}
    for made in COMPONENTS.values():  # loads compiled code
        theory.share_landscape(made, 1.0, 100.0, SHARES)
    return OldExplorer(controls, compute, setup, draw, size=(7.0, 3.2), **words)


def compute(component, concentration, power):
    """Return "F" (n,) of two copies over SHARES minus that of one, where its "minima" are, and the
    "size" of the data."""
    made, size = COMPONENTS[component], 10.0**power
    F = theory.share_landscape(made, concentration, size, SHARES)
    return {
        "F": F,
        "minima": theory.minima(made, concentration, size, HALF),
        "size": size,
    }


def setup(figure):
    """Free energy of two copies of one component over the share of the smaller one, minus that of
    one beside an empty one, on an axis that is stretched about 0: a filled dot at the least value,
    a hollow dot at another minimum. A dotted line marks the share of one data point.
    """
    ax = figure.subplots()
    blue, orange = plots.COLOURS[:2]
    ax.axhline(0, color=plots.GREY, lw=0.8)
    ax.set_yscale("asinh", linear_width=1)
    ax.set(ylim=(-18, 18), xlim=(-18, 0.4), xlabel="share of the smaller copy")
    ax.set(ylabel="F minus F of one (nats; stretched)")
    ax.set_yticks([-10, -3, -1, 0, 1, 3, 10], ["−10", "−3", "−1", "0", "1", "3", "10"])
    ax.minorticks_off()
    ax.text(-17.8, 15, "one is better", va="top", color=plots.GREY)
    ax.text(-17.8, -15, "two are better", color=plots.GREY)
    names = ["$10^{-7}$", "$10^{-5}$", "$10^{-3}$", "$10^{-2}$", "½"]
    ax.set_xticks(logit([1e-7, 1e-5, 1e-3, 1e-2, 0.5]), names)
    dots = {
        "marker": "o",
        "mec": orange,
        "ms": 9,
        "ls": "none",
        "zorder": 4,
        "clip_on": False,
    }
    return {
        "F": ax.plot([], [], color=blue, ls="-")[0],
        "others": ax.plot([], [], mfc="white", mew=1.8, **dots)[0],
        "best": ax.plot([], [], color=orange, **dots)[0],
        "one": ax.axvline(0, color=plots.GREY, lw=0.9, ls=":"),
        "word": ax.text(
            0, 15, "one data point ", ha="right", va="top", color=plots.GREY
        ),
    }


def draw(artists, arrays, values):
    low, F = arrays["minima"], arrays["F"]
    artists["F"].set_data(HALF_ODDS, F[: len(HALF)])
    for name, at in (("others", low), ("best", low[[F[low].argmin()]])):
        artists[name].set_data(np.maximum(HALF_ODDS[at], LEFT), F[at])
    alone = -np.log(arrays["size"] - 1)
    artists["one"].set_xdata([alone, alone])
    artists["word"].set_x(alone)


def status(arrays, values) -> str:
    low, F = arrays["minima"], arrays["F"]
    best, halves = SHARES[low[F[low].argmin()]], F[len(ODDS) // 2]
    few = f"{arrays['size'] * best:.2g} data in the smaller component"
    part = (
        "equal shares"
        if best > 0.499
        else few
        if best > SHARES[0]
        else "an empty component"
    )
    more = "more" if halves > 0 else "less"
    cost = f"Two equal copies cost {abs(halves):.3g} nats {more} than one."
    return f"Least F with {part}. {cost}"
