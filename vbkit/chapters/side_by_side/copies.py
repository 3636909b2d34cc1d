"""Explorers: a second copy of a component, for Gaussians and for Bernoulli components."""

from functools import lru_cache

import numpy as np
from scipy.special import expit

from vbkit import plots, theory
from vbkit.widgets import Explorer, dropdown, slider

ODDS = np.linspace(-23, 23, 277)  # log odds of a copy's share; zero is among them
SHARES = expit(ODDS)
HALF = SHARES[: len(SHARES) // 2 + 1]
A_MAX = 8.0
B_LINE = tuple(np.linspace(0.02, 1.2, 30))
CLIP = 97.0  # nats: dots beyond are drawn here

GAUSSIANS = {
    "centre, 1 dimension": lambda b: theory.ideal_known(1),
    "centre, 1 dimension, narrow prior": lambda b: theory.ideal_known(1, 0.5),
    "centre, 4 dimensions": lambda b: theory.ideal_known(4),
    "centre and width, 2 dimensions": lambda b: theory.ideal_isotropic(2),
    "centre and covariance, 4 dimensions": lambda b: theory.ideal_full(4),
}
BERNOULLI = {
    "4 inside": lambda b: theory.ideal_bernoulli(4, 0, b),
    "2 inside, 2 pinned": lambda b: theory.ideal_bernoulli(2, 2, b),
    "4 pinned": lambda b: theory.ideal_bernoulli(0, 4, b),
}


def landscape(made, concentration: float, size: float) -> dict:
    """Return "F" (n,) of two copies over SHARES less that of one, and where its "minima" are."""
    return {
        "F": theory.share_landscape(made, concentration, size, SHARES),
        "minima": theory.minima(made, concentration, size, HALF),
        "size": size,
    }


@lru_cache(128)
def lines(component: str, size: float) -> tuple:
    """Return where (n,) two copies begin to pay over B_LINE: for endless and for `size` data."""
    made = [BERNOULLI[component](b) for b in B_LINE]
    limit = np.array([theory.critical_concentration(one.parameters) for one in made])
    gains = [theory.gain_of_halves(one.family, size * one.average) for one in made]
    return limit, theory.switch_concentrations(gains, size)


def two_gaussians() -> Explorer:
    """Turn the concentration of a mixture of two Gaussians that has one too many."""
    names = list(GAUSSIANS)
    controls = {
        "component": dropdown("Component", names, names[3]),
        "concentration": slider("Concentration", 0.1, 24.0, 0.5, 0.1, form="{:.1f}", play=150),
        "power": slider("Number of data N", 1, 9, 2.0, 0.5, form="10^{:g}"),
    }
    words = {"title": "A second copy of a Gaussian", "status": status}
    for make in (*GAUSSIANS.values(), *BERNOULLI.values()):  # loads compiled code
        landscape(make(0.1), 1.0, 100.0)
    return Explorer(controls, of_gaussians, setup_one, draw, size=(7.0, 3.2), **words)


def two_bernoulli() -> Explorer:
    """Turn both numbers of the prior of a mixture of two Bernoulli components."""
    controls = {
        "component": dropdown("Coordinates", list(BERNOULLI), "2 inside, 2 pinned"),
        "concentration": slider("Weights' prior a", 0.1, A_MAX, 1.0, 0.1, form="{:.1f}"),
        "b": slider("Answers' prior b", 0.05, 1.2, 0.8, 0.05, form="{:.2f}"),
        "power": slider("Number of data N", 1, 9, 3.0, 0.5, form="10^{:g}"),
    }
    words = {"title": "A second copy of a Bernoulli component", "status": status}
    return Explorer(controls, of_bernoulli, setup_two, draw, size=(8.0, 3.4), **words)


def of_gaussians(component, concentration, power):
    return landscape(GAUSSIANS[component](0.1), concentration, 10.0**power)


def of_bernoulli(component, concentration, b, power):
    found = landscape(BERNOULLI[component](b), concentration, 10.0**power)
    return found | {"lines": lines(component, 10.0**power)}


def setup_one(figure):
    """Free energy of two copies of one component over the share of the first, less that of one
    copy alone: a filled dot at the least value, hollow dots at other minima. Dotted lines mark the
    share of one data point.
    """
    return _landscape(figure.subplots())


def setup_two(figure):
    """Left: free energy of two copies over the share of the first, less that of one copy alone,
    with a filled dot at the least value and hollow dots at other minima. Right: the plane of a and
    b, the lines where the second copy begins to pay, and a dot for the chosen prior.
    """
    left, plane = figure.subplots(1, 2, width_ratios=[1.25, 1])
    plane.set(xlabel="$a$", ylabel="$b$", xlim=(0, A_MAX), ylim=(0, 1.22))
    plane.text(0.2, 1.12, "one")
    plane.text(A_MAX - 0.2, 1.12, "two", ha="right")
    limit = plane.plot([], [], color="black", ls="-", lw=1.5, label="endless data")[0]
    switch = plane.plot([], [], color=plots.COLOURS[0], ls="--", label="this $N$")[0]
    plane.legend(loc="lower right")
    place = plane.plot([], [], "o", color=plots.COLOURS[1], ms=10, clip_on=False)[0]
    return _landscape(left) | {"lines": (limit, switch), "place": place}


def _landscape(ax):
    blue, orange = plots.COLOURS[:2]
    ax.axhline(0, color=plots.GREY, lw=0.8)
    ax.set_yscale("asinh", linear_width=3)
    ax.set(ylim=(-100, 100), xlim=(-23, 23), xlabel="share of the first copy")
    ax.set_yticks(ticks := [-50, -10, 0, 10, 50], [str(tick) for tick in ticks])
    ax.minorticks_off()
    ax.set_ylabel("F less F of one alone (nats)")
    names = ["$10^{-9}$", "", "$10^{-3}$", "½", "", "", "all"]
    ax.set_xticks(np.log(10) * np.array([-9, -6, -3, 0, 3, 6, 9]), names)
    dots = {"marker": "o", "mec": orange, "ms": 9, "ls": "none", "zorder": 4, "clip_on": False}
    return {
        "F": ax.plot([], [], color=blue, ls="-")[0],
        "others": ax.plot([], [], mfc="white", mew=1.8, **dots)[0],
        "best": ax.plot([], [], color=orange, **dots)[0],
        "one": [ax.axvline(x, color=plots.GREY, lw=0.9, ls=":") for x in (0, 1)],
    }


def draw(artists, arrays, values):
    low, F, shown = arrays["minima"], arrays["F"], np.clip(arrays["F"], -CLIP, CLIP)
    artists["F"].set_data(ODDS, F)
    for name, at in (("others", low), ("best", low[[F[low].argmin()]])):
        both = np.append(at, len(ODDS) - 1 - at)
        artists[name].set_data(ODDS[both], shown[both])
    alone = np.log(arrays["size"] - 1)
    for line, x in zip(artists["one"], (-alone, alone), strict=True):
        line.set_xdata([x, x])
    for line, found in zip(artists.get("lines", ()), arrays.get("lines", ()), strict=True):
        line.set_data(found, B_LINE)
    if "place" in artists:
        artists["place"].set_data([values["concentration"]], [values["b"]])


def status(arrays, values) -> str:
    low, F = arrays["minima"], arrays["F"]
    best, halves = SHARES[low[F[low].argmin()]], F[len(ODDS) // 2]
    few = f"{arrays['size'] * best:.2g} data in the smaller component"
    part = "equal shares" if best > 0.499 else few if best > SHARES[0] else "an empty component"
    other = f"{len(low) - 1} other minimum" if len(low) > 1 else "the only minimum"
    more = "more" if halves > 0 else "less"
    return (
        f"Least F with {part}, {other}. "
        f"Two equal copies cost {abs(halves):.3g} nats {more} than one alone."
    )
