"""OldExplorer: one singular pair of a matrix, with learned and with fixed priors."""

from functools import lru_cache

import numpy as np

from vbkit import factorization as mf
from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import dropdown, slider

SHAPE, STRENGTH = (20, 30), 0.5  # of the table; each factor's fixed prior variance
PRIORS = ("learned", "fixed")
PATHS = ("start from the lowest", "come from zero", "come from alive")


@lru_cache
def _fixed():
    shrunk = np.linspace(0, 17, 171)
    return shrunk, mf.fixed_landscape(shrunk, STRENGTH, SHAPE)


def singular_pair() -> OldExplorer:
    """Turn the singular value of a faint pattern in a noisy table, and follow a ball downhill."""
    controls = {
        "gamma": slider(
            "Singular value / sigma", 5, 12, 11.5, 0.1, form="{:.1f}", play=150
        ),
        "path": dropdown("The ball", PATHS, PATHS[0]),
    }
    words = {"title": "A singular pair of a 20 x 30 table", "status": status}
    return OldExplorer(controls, compute, setup, draw, size=(8.4, 3.2), **words)


def compute(gamma, path):
    return {prior: valley(gamma, prior, path) for prior in PRIORS}


def valley(gamma, prior, path):
    """Return the curve, "shrunk" (n,) and "F" (n,), the place "kept" of the ball, and the number of
    "minima"."""
    if prior == "fixed":
        shrunk, G = _fixed()
        kept = float(mf.shrink_fixed(gamma, SHAPE, STRENGTH, STRENGTH, 1.0))
        return {"shrunk": shrunk, "F": G - gamma * shrunk, "kept": kept, "minima": 1}
    shrunk, F = mf.learned_landscape(
        np.append(0.0, np.logspace(-2, 2.7, 800)), gamma, SHAPE
    )
    alive = float(np.nan_to_num(mf.kappa(gamma**2, SHAPE))) / gamma
    best = float(mf.shrink_empirical(gamma, SHAPE, 1.0))
    kept = (best, 0.0, alive)[PATHS.index(path)]
    return {"shrunk": shrunk, "F": F, "kept": kept, "minima": 1 + (alive > 0)}


def setup(figure):
    """Free energy of a singular pair over the shrunk singular value, minus that of a model without
    it, on an axis that is stretched about 0; a ball lies in the minimum that it has reached. Left:
    with learned priors. Right: with fixed ones, where a pair that is off costs 18.5 nats.
    """
    axes = figure.subplots(1, 2, sharey=True)
    for ax, prior in zip(axes, PRIORS, strict=True):
        ax.axhline(0, color=plots.GREY, lw=0.8)
        ax.set(xlabel=r"shrunk singular value $\hat\gamma/\sigma$", xlim=(-0.3, 11))
        ax.set_title(f"{prior.capitalize()} priors", loc="left")
    axes[0].set_yscale("asinh", linear_width=2)
    axes[0].set(ylim=(-16, 27), ylabel="F minus F without\nthe pair (nats; stretched)")
    axes[0].set_yticks(
        ticks := [-10, -3, 0, 3, 10, 20], [str(t).replace("-", "−") for t in ticks]
    )
    axes[0].minorticks_off()
    axes[0].text(10.9, 25, "no pair is better", ha="right", va="top", color=plots.GREY)
    axes[0].text(-0.1, -15, "the pair is better", color=plots.GREY)
    ball = {"color": plots.COLOURS[1], "ms": 12, "clip_on": False, "zorder": 4}
    curves = [ax.plot([], [], color=plots.COLOURS[0], ls="-")[0] for ax in axes]
    return curves, [ax.plot([], [], "o", **ball)[0] for ax in axes]


def draw(artists, arrays, values):
    for prior, curve, ball in zip(PRIORS, *artists, strict=True):
        found = arrays[prior]
        curve.set_data(found["shrunk"], found["F"])
        ball.set_data(
            [found["kept"]], [np.interp(found["kept"], found["shrunk"], found["F"])]
        )


def status(arrays, values) -> str:
    gamma, words = values["gamma"], []
    for prior in PRIORS:
        kept, minima = (arrays[prior][key] for key in ("kept", "minima"))
        state = f"{100 * kept / gamma:.0f} % kept" if kept else "switched off"
        words.append(
            f"{prior} priors: {state}, {('one minimum', 'two minima')[minima - 1]}"
        )
    return f"Singular value {gamma:g} sigma. " + "; ".join(words).capitalize() + "."
