"""Explorer of notebook 10: a mixture and a factorization, each with one part too many."""

from functools import lru_cache

import numpy as np
from scipy.special import expit

from vbkit import factorization as mf
from vbkit import plots, theory
from vbkit.widgets import Explorer, dropdown, log_slider, slider

SHAPE = (20, 30)  # of the matrix
ODDS = np.linspace(-23, 23, 277)  # log odds of a copy's share; zero is among them
SHARES = expit(ODDS)
HALF = SHARES[: len(SHARES) // 2 + 1]
A_MAX = 8.0
B_LINE = tuple(np.linspace(0.02, 1.2, 30))
CLIP = 97.0  # nats: dots beyond are drawn here

COMPONENTS = {  # name -> component for a given b
    "Gaussian, centre in 1 dimension": lambda b: theory.ideal_known(1),
    "Gaussian, centre in 4 dimensions": lambda b: theory.ideal_known(4),
    "Gaussian, centre and width in 2 dimensions": lambda b: theory.ideal_isotropic(2),
    "Gaussian, centre and covariance in 2 dimensions": lambda b: theory.ideal_full(2),
    "Bernoulli, 4 coordinates inside": lambda b: theory.ideal_bernoulli(4, 0, b),
    "Bernoulli, 2 inside and 2 pinned": lambda b: theory.ideal_bernoulli(2, 2, b),
    "Bernoulli, 4 pinned": lambda b: theory.ideal_bernoulli(0, 4, b),
}


@lru_cache(128)
def transitions(name: str, size: float, b: tuple):
    """Return where (n,) two copies begin to pay, for endless and for `size` data, over b (n,)."""
    made = [COMPONENTS[name](value) for value in b]
    limit = np.array([theory.critical_concentration(one.parameters) for one in made])
    gains = [theory.gain_of_halves(one.family, size * one.average) for one in made]
    return limit, theory.switch_concentrations(gains, size)


@lru_cache(64)
def _fixed(top: float, strength: float):
    """Return shrunk singular values (n,) and F of each at gamma = 0, less F of a dead pair."""
    shrunk = np.linspace(0, top, 121)
    G = mf.fixed_landscape(shrunk, strength, SHAPE)
    return shrunk, G - G[0]


def pair(gamma: float, learned: bool, size: float):
    """Return shares kept (n,), F (n,) of each, the best share, and both thresholds of gamma.

    gamma is a singular value of a matrix that is the average of `size` observations with noise 1.
    Prior variances are learned, or else 1.
    """
    root = size**0.5
    seen = gamma * root
    if learned:
        kappa = np.append(0.0, np.logspace(-2, np.log10(1.3 * seen**2 + 20), 160))
        shrunk, F = mf.learned_landscape(kappa, seen, SHAPE)
        best, marks = mf.shrink_empirical(seen, SHAPE, 1.0), mf.thresholds(SHAPE)
    else:
        shrunk, G = _fixed(1.1 * seen, root)
        F, best = G - seen * shrunk, mf.shrink_fixed(seen, SHAPE, root, root, 1.0)
        marks = (mf.fixed_threshold(size, SHAPE),) * 2
    return shrunk / seen, F, float(best) / seen, tuple(mark / root for mark in marks)


def explorer() -> Explorer:
    """Move a mixture with a component too many and a factorization together."""
    for make in COMPONENTS.values():  # loads compiled code, so that no position has to wait for it
        theory.minima(make(0.1), 1.0, 1e3, HALF)
    phi, b = "Concentration of the weights", "Prior b of a Bernoulli coordinate"
    controls = {
        "component": dropdown("Component", list(COMPONENTS), list(COMPONENTS)[2]),
        "concentration": slider(phi, 0.1, A_MAX, 2.1, 0.1, form="{:.1f}"),
        "b": slider(b, 0.05, 1.2, 0.1, 0.05, form="{:.2f}"),
        "power": slider("Number of data N", 1, 9, 3.0, 0.5, form="10^{:g}"),
        "gamma": log_slider("Singular value / sigma", 0.01, 30, 0.4, 10),
        "prior": dropdown("Factor priors", ["learned", "fixed"], "learned"),
    }
    title = "One part too many"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(11.5, 3.9))


def compute(component, concentration, b, power, gamma, prior):
    size, made = 10.0**power, COMPONENTS[component](b)
    return {
        "size": size,
        "F": theory.share_landscape(made, concentration, size, SHARES),
        "minima": theory.minima(made, concentration, size, HALF),
        "lines": transitions(component, size, B_LINE),
        "at": np.ravel(transitions(component, size, (b,))),
        "pair": pair(gamma, prior == "learned", size),
    }


def setup(figure):
    """Left: free energy of two copies of one component over the share of the first, a filled dot
    at its least value, hollow dots at other minima. Middle: the plane of concentration and b with
    the line where the second copy begins to pay for endless data, and at the chosen number.
    Right: free energy of a singular pair over the share of its singular value that is kept.
    """
    left, plane, right = figure.subplots(1, 3)
    blue, orange = plots.COLOURS[:2]
    for ax in (left, right):
        ax.axhline(0, color=plots.GREY, lw=0.8)
        ax.set_yscale("asinh", linear_width=3)
        ax.set(ylim=(-100, 100))
        ax.set_yticks(ticks := [-50, -10, 0, 10, 50], [str(tick) for tick in ticks])
        ax.minorticks_off()
    left.set(title="A second copy of a component", xlabel="its share of the data", xlim=(-23, 23))
    left.set_ylabel("F less F of one alone (nats)")
    names = ["$10^{-9}$", "", "$10^{-3}$", "½", "", "", "all"]
    left.set_xticks(np.log(10) * np.array([-9, -6, -3, 0, 3, 6, 9]), names)
    plane.set(xlabel="concentration $\\phi$ (or $a$)", ylabel="$b$ of Bernoulli coordinates")
    plane.set(xlim=(0, A_MAX), ylim=(0, 1.22))
    plane.text(0.2, 1.12, "one")
    plane.text(A_MAX - 0.2, 1.12, "two", ha="right")
    limit = plane.plot([], [], color="black", ls="-", lw=1.5, label=r"$N\to\infty$")[0]
    switch = plane.plot([], [], color=blue, ls="--", label="this $N$")[0]
    top = plane.legend(loc="lower left", ncols=2, handlelength=1.6, borderaxespad=0, borderpad=0.2)
    top.set_bbox_to_anchor((0, 0.99))
    right.set(title="A singular pair", xlabel="share of the singular value kept", xlim=(-0.03, 1.1))
    dots = {"marker": "o", "mec": orange, "ms": 9, "ls": "none", "zorder": 4, "clip_on": False}
    return {
        "F": left.plot([], [], color=blue, ls="-")[0],
        "others": left.plot([], [], mfc="white", mew=1.8, **dots)[0],
        "best": left.plot([], [], color=orange, **dots)[0],
        "one": [left.axvline(x, color=plots.GREY, lw=0.9, ls=":") for x in (0, 1)],
        "lines": (limit, switch),
        "place": plane.plot([], [], "o", color=orange, ms=10, clip_on=False)[0],
        "pair": right.plot([], [], color=blue, ls="-")[0],
        "kept": right.plot([], [], color=orange, **dots)[0],
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
    for line, concentrations in zip(artists["lines"], arrays["lines"], strict=True):
        line.set_data(concentrations, B_LINE)
    artists["place"].set_data([values["concentration"]], [values["b"]])
    kept, F, best, _ = arrays["pair"]
    artists["pair"].set_data(kept, F)
    artists["kept"].set_data([best], [np.clip(np.interp(best, kept, F), -CLIP, CLIP)])


def status(arrays, values) -> str:
    low, F, (limit, switch) = arrays["minima"], arrays["F"], arrays["at"]
    best = SHARES[low[F[low].argmin()]]
    few = f"{arrays['size'] * best:.2g} data for the smaller component"
    part = "equal shares" if best > 0.499 else few if best > SHARES[0] else "an empty component"
    other = f"{len(low) - 1} other minimum" if len(low) > 1 else "the only minimum"
    here = f"{switch:.2f}" if switch < 1000 else "1000 or more"
    _, _, kept, (local, keep) = arrays["pair"]
    state = f"{100 * kept:.0f} % of it kept" if kept else "switched off"
    both = f"{local:.3g} (alive is a minimum) and {keep:.3g} (it is the lowest)"
    marks = f"{keep:.3g}" if local == keep else both
    return (
        f"Mixture: least F with {part}, {other}; two equal copies cost less than one from a "
        f"concentration of {here} at this N, {limit:.2f} for endless data. "
        f"Factorization, {SHAPE[0]} x {SHAPE[1]}, average of N matrices: singular value "
        f"{values['gamma']:g} sigma, {state}; threshold {marks}."
    )
