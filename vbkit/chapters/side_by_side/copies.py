"""Explorer: a second copy of a component that explains all data alone."""

import numpy as np
from scipy.special import expit

from vbkit import plots, theory
from vbkit.widgets import Explorer, dropdown, slider

ODDS = np.linspace(-23, 23, 277)  # log odds of a copy's share; zero is among them
SHARES = expit(ODDS)
HALF = SHARES[: len(SHARES) // 2 + 1]
CLIP = 97.0  # nats: dots beyond are drawn here

COMPONENTS = {
    "centre, 1 dimension": theory.ideal_known(1),
    "centre, 1 dimension, narrow prior": theory.ideal_known(1, 0.5),
    "four answers": theory.ideal_bernoulli(0, 4, 0.3),
    "centre and width, 2 dimensions": theory.ideal_isotropic(2),
    "centre and covariance, 4 dimensions": theory.ideal_full(4),
}


def landscape(made, concentration: float, size: float) -> dict:
    """Return "F" (n,) of two copies over SHARES minus that of one, and where its "minima" are."""
    return {
        "F": theory.share_landscape(made, concentration, size, SHARES),
        "minima": theory.minima(made, concentration, size, HALF),
        "size": size,
    }


def second_component() -> Explorer:
    """Turn the concentration of a mixture of two components that has one too many."""
    controls = {
        "component": dropdown("Component", list(COMPONENTS), "four answers"),
        "concentration": slider("Concentration", 0.1, 24.0, 2.3, 0.1, form="{:.1f}", play=150),
        "power": slider("Number of data N", 1, 9, 2.0, 0.5, form="10^{:g}"),
    }
    words = {"title": "A second copy of a component", "status": status}
    for made in COMPONENTS.values():  # loads compiled code
        landscape(made, 1.0, 100.0)
    return Explorer(controls, compute, setup, draw, size=(7.0, 3.2), **words)


def compute(component, concentration, power):
    return landscape(COMPONENTS[component], concentration, 10.0**power)


def setup(figure):
    """Free energy of two copies of one component over the share of the first, minus that of one
    beside an empty one, on an axis that is stretched about 0: a filled dot at the least value,
    hollow dots at other minima. Dotted lines mark the share of one data point.
    """
    ax = figure.subplots()
    blue, orange = plots.COLOURS[:2]
    ax.axhline(0, color=plots.GREY, lw=0.8)
    ax.set_yscale("asinh", linear_width=1)
    ax.set(ylim=(-100, 100), xlim=(-23, 23), xlabel="share of the first copy")
    ax.set_yticks(ticks := [-50, -10, -2, 0, 2, 10, 50], [str(tick) for tick in ticks])
    ax.minorticks_off()
    ax.set_ylabel("F minus F of one (nats)")
    for x, state in ((-15, "first one empty"), (0, "equal shares"), (15, "second one empty")):
        ax.text(x, 70, state, ha="center", va="top", color=plots.GREY)
    small = [f"10^{{-{power}}}" for power in (9, 6, 3)]
    names = [*(f"${x}$" for x in small), "½", *(f"$1-{x}$" for x in small[::-1])]
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


def status(arrays, values) -> str:
    low, F = arrays["minima"], arrays["F"]
    best, halves = SHARES[low[F[low].argmin()]], F[len(ODDS) // 2]
    few = f"{arrays['size'] * best:.2g} data in the smaller component"
    part = "equal shares" if best > 0.499 else few if best > SHARES[0] else "an empty component"
    other = f"{len(low) - 1} other minimum" if len(low) > 1 else "the only minimum"
    more = "more" if halves > 0 else "less"
    return (
        f"Least F with {part}, {other}. "
        f"Two equal copies cost {abs(halves):.3g} nats {more} than one."
    )
