"""Explorer of notebook 07: one singular value slides through the thresholds of empirical VB."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.factorization import branches
from vbkit.factorization import (
    fit,
    fixed_landscape,
    free_energy_of_column,
    init_spectral,
    kappa,
    shrink_empirical,
    thresholds,
)
from vbkit.widgets.controls import dropdown, log_slider, select_slider, slider
from vbkit.widgets.explorer import Explorer

SHAPES = {"1 x 1": (1, 1), "20 x 30": (20, 30), "10 x 300": (10, 300)}
SWEEPS = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233)
LOWEST, HIGHEST = -1.5, float(np.log10(6))  # log10 of c_a c_b shown, relative to (L M)^(-1/4)


@lru_cache
def landscape(shape):
    """F of one column at noise 1, least over all but the shrunk singular value and c_a c_b.

    Returns both grids (90,) and G (90, 90), c_a c_b first; F = G - gamma gamma_hat, which is 0 for a dead column.
    """
    hats = np.linspace(0, 1.45 * sum(np.sqrt(shape)), 90)
    c = (
        np.logspace(LOWEST, HIGHEST, 90) / np.prod(shape) ** 0.25
    )  # c_a^2 = c_b^2 = c: only their product matters
    return hats, c, fixed_landscape(hats, c[:, None], shape)


@lru_cache(256)
def path(shape, gamma: float, strength: float):
    """Shrunk singular value and c_a c_b (2, n) after each of SWEEPS of empirical VB at noise 1, from unshrunk means and
    c_a c_b = strength."""
    V = np.zeros(shape)
    V[0, 0] = gamma
    state, found = init_spectral(V, 1, prior_a=strength, prior_b=strength, noise=1.0), []
    for before, after in zip((0, *SWEEPS), SWEEPS, strict=False):
        state = fit(V, state, learn_noise=False, max_sweeps=after - before, tolerance=0)
        found.append(
            (
                np.linalg.norm(state.A) * np.linalg.norm(state.B),
                np.sqrt(state.prior_a[0] * state.prior_b[0]),
            )
        )
    return np.array(found).T


def explorer() -> Explorer:
    """Slide a singular value through both thresholds of empirical VB."""
    for shape in SHAPES.values():
        landscape(shape)  # kept, so that no position has to wait for it
    controls = {
        "ratio": slider(
            "Singular value over the local threshold", 0.8, 1.4, 1.05, 0.01, form="{:.2f}", play=200
        ),
        "shape": dropdown("Matrix", list(SHAPES), "20 x 30"),
        "start": log_slider("Start: c_a c_b, relative", 0.03, 3, 1.0, 4),
        "sweeps": select_slider("Sweeps", SWEEPS, SWEEPS[-1], play=400),
    }
    alt = (
        "Left: free energy over the shrunk singular value and the prior scale, blue where it is below that of a dead "
        "column, red above, with the path of the iteration. Middle: its least over the prior scale. Right: shrunk "
        "against observed singular value."
    )
    look = {
        "title": "A component through its threshold",
        "alt": alt,
        "status": status,
        "size": (11.0, 3.7),
    }
    return Explorer(controls, compute, setup, draw, **look)


def compute(ratio, shape, start, sweeps):
    shape = SHAPES[shape]
    local, keep = thresholds(shape)
    gamma, component = ratio * local, 1 / np.prod(shape) ** 0.25
    hats, c, G = landscape(shape)
    gammas = local * np.linspace(0.8, 1.4, 121)
    return {
        "F": G - gamma * hats,
        "hats": hats,
        "scales": c / component,
        "path": path(shape, gamma, start * component) / [[1], [component]],
        "gamma": gamma,
        "best": float(shrink_empirical(gamma, shape, 1.0)),
        "gain": float(free_energy_of_column(kappa(gamma**2, shape), shape))
        if ratio >= 1
        else np.nan,
        "curves": (gammas, branches(gammas, shape)),
        "marks": (local, keep),
    }


def setup(figure):
    plane, profile, curve = figure.subplots(1, 3)
    image = plane.imshow(
        np.zeros((2, 2)),
        cmap="RdBu_r",
        origin="lower",
        aspect="auto",
        extent=(0, 1, LOWEST, HIGHEST),
    )
    plane.set(title="F, live less dead (nats)", xlabel=r"$\hat\gamma/\sigma$")
    plane.set(ylabel=r"$c_ac_b$, relative", yticks=[-1, 0], yticklabels=["0.1", "1"])
    profile.set(title="its least over $c_ac_b$", xlabel=r"$\hat\gamma/\sigma$")
    profile.axhline(0, color=plots.GREY, lw=0.8)
    curve.set(title=r"$\hat\gamma$ over $\gamma$", xlabel=r"$\gamma/\sigma$")
    blue, orange = plots.COLOURS[:2]
    return {
        "axes": (plane, profile, curve),
        "image": image,
        "path": plane.plot([], [], ".-", color="black", lw=1, ms=4)[0],
        "end": plane.plot([], [], "o", color=orange, ms=8, mec="white")[0],
        "best": plane.plot([], [], "*", color="#E6C300", ms=14, mec="black")[0],
        "profile": profile.plot([], [], color=blue)[0],
        "profile end": profile.plot([], [], "o", color=orange, ms=8, mec="white")[0],
        "lines": [
            curve.plot([], [], color=k, ls=s, lw=w)[0]
            for k, s, w in ((blue, "--", 1.5), (plots.GREY, ":", 1.5), (blue, "-", 2.6))
        ],
        "marks": [curve.axvline(0, color=plots.GREY, lw=0.8) for _ in range(2)],
        "curve end": curve.plot([], [], "o", color=orange, ms=8, mec="white")[0],
        "curve best": curve.plot([], [], "*", color="#E6C300", ms=14, mec="black")[0],
    }


def draw(artists, arrays, values):
    hats, F, gamma = arrays["hats"], arrays["F"], arrays["gamma"]
    profile, at = F.min(axis=0), SWEEPS.index(values["sweeps"])
    x, y = arrays["path"][:, : at + 1]
    y = np.log10(np.clip(y, 10**LOWEST, None))
    artists["image"].set_data(F)
    artists["path"].set_data(x, y)
    artists["end"].set_data(x[-1:], y[-1:])
    i = int(np.abs(hats - arrays["best"]).argmin())
    best_scale = np.log10(arrays["scales"][F[:, i].argmin()]) if arrays["best"] else LOWEST
    artists["best"].set_data([arrays["best"]], [best_scale])
    artists["profile"].set_data(hats, profile)
    artists["profile end"].set_data(x[-1:], [np.interp(x[-1], hats, profile)])
    artists["curve end"].set_data([gamma], x[-1:])
    artists["curve best"].set_data([gamma], [arrays["best"]])
    gammas, found = arrays["curves"]
    for line, key in zip(artists["lines"], ("live", "pass", "global"), strict=True):
        line.set_data(gammas, found[key])
    for line, place in zip(artists["marks"], arrays["marks"], strict=True):
        line.set_xdata([place, place])
    return _fit_axes(artists, values["shape"], hats, gammas)


def _fit_axes(artists, name, hats, gammas) -> bool:
    """Fit axes and colours to the matrix; whether anything changed."""
    plane, profile, curve = artists["axes"]
    if np.isclose(plane.get_xlim()[1], hats[-1]):
        return False
    top = 3 * free_energy_of_column(
        np.sqrt(np.prod(SHAPES[name])), SHAPES[name]
    )  # thrice the pass where it appears
    artists["image"].set_clim(-top, top)
    artists["image"].set_extent((0, hats[-1], LOWEST, HIGHEST))
    plane.set(xlim=(0, hats[-1]), ylim=(LOWEST, HIGHEST))
    profile.set(xlim=(0, hats[-1]), ylim=(-top, top))
    curve.set(xlim=(gammas[0], gammas[-1]), ylim=(-0.03 * hats[-1], hats[-1]))
    return True


def status(arrays, values) -> str:
    local, keep = arrays["marks"]
    gamma, end = arrays["gamma"], arrays["path"][0, SWEEPS.index(values["sweeps"])]
    where = (
        "below both thresholds: no live solution" if gamma < local else "above both: alive is best"
    )
    if local <= gamma < keep:
        where = f"between the thresholds: a live solution exists, {arrays['gain']:.2f} nats above the dead one"
    state = "alive" if end > 0.01 * local else "dead"
    return (
        f"Singular value {gamma:.2f} sigma, {where} ({local:.2f}, {keep:.2f}). Closed form {arrays['best']:.2f}; "
        f"the iteration after {values['sweeps']} sweeps: {end:.2f}, {state}."
    )


EXPLORERS = {"07": explorer}
