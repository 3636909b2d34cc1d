"""Explorer: one singular pair of a matrix, with fixed or with learned priors."""

from functools import lru_cache

import numpy as np

from vbkit import factorization as mf
from vbkit import plots
from vbkit.widgets import Explorer, dropdown, slider

SHAPE, STRENGTH = (20, 30), 0.5  # of the table; each factor's fixed prior variance
PRIORS = ("fixed", "learned")
PATHS = ("start from the lowest", "come from zero", "come from alive")


@lru_cache
def _fixed():
    shrunk = np.linspace(0, 17, 171)
    G = mf.fixed_landscape(shrunk, STRENGTH, SHAPE)
    return shrunk, G - G[0]


def singular_pair() -> Explorer:
    """Turn the singular value of a faint pattern in a noisy table, and follow a ball downhill."""
    controls = {
        "gamma": slider("Singular value / sigma", 5, 12, 11.5, 0.1, form="{:.1f}", play=150),
        "prior": dropdown("Priors of the factors", PRIORS, "learned"),
        "path": dropdown("The ball", PATHS, PATHS[0]),
    }
    words = {"title": "A singular pair of a 20 x 30 table", "status": status}
    return Explorer(controls, compute, setup, draw, size=(7.0, 3.2), **words)


def compute(gamma, prior, path):
    if prior == "fixed":
        shrunk, G = _fixed()
        kept = float(mf.shrink_fixed(gamma, SHAPE, STRENGTH, STRENGTH, 1.0))
        return {"shrunk": shrunk, "F": G - gamma * shrunk, "kept": kept, "minima": 1}
    shrunk, F = mf.learned_landscape(np.append(0.0, np.logspace(-2, 2.7, 800)), gamma, SHAPE)
    alive = float(np.nan_to_num(mf.kappa(gamma**2, SHAPE))) / gamma
    best = float(mf.shrink_empirical(gamma, SHAPE, 1.0))
    kept = (best, 0.0, alive)[PATHS.index(path)]
    return {"shrunk": shrunk, "F": F, "kept": kept, "minima": 1 + (alive > 0)}


def setup(figure):
    """Free energy of a singular pair over the shrunk singular value, minus that of a dead pair, on
    an axis that is stretched about 0; a ball lies in the minimum that it has reached.
    """
    ax = figure.subplots()
    ax.axhline(0, color=plots.GREY, lw=0.8)
    ax.set_yscale("asinh", linear_width=2)
    ax.set(xlabel=r"shrunk singular value $\hat\gamma/\sigma$", xlim=(-0.3, 11), ylim=(-27, 18))
    ax.set_yticks(ticks := [-20, -5, 0, 5, 15], [str(tick).replace("-", "−") for tick in ticks])
    ax.minorticks_off()
    ax.set_ylabel("F minus F of none (nats)")
    curve = ax.plot([], [], color=plots.COLOURS[0], ls="-")[0]
    ball = ax.plot([], [], "o", color=plots.COLOURS[1], ms=12, clip_on=False, zorder=4)[0]
    ax.text(-0.2, 17, "off is better", va="top", color=plots.GREY)
    ax.text(-0.2, -25, "alive is better", color=plots.GREY)
    return curve, ball


def draw(artists, arrays, values):
    curve, ball = artists
    curve.set_data(arrays["shrunk"], arrays["F"])
    height = np.interp(arrays["kept"], arrays["shrunk"], arrays["F"])
    ball.set_data([arrays["kept"]], [height])


def status(arrays, values) -> str:
    kept, gamma = arrays["kept"], values["gamma"]
    state = f"{100 * kept / gamma:.0f} % of it kept" if kept else "switched off"
    F = np.interp(kept, arrays["shrunk"], arrays["F"])
    number = ("one minimum", "two minima")[arrays["minima"] - 1]
    return f"Singular value {gamma:g} sigma, {state}; {number}. F of the ball: {F:.1f} nats."
