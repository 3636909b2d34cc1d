"""Explorer of notebook 07: one singular value slides through the thresholds of empirical VB."""

from functools import lru_cache

import numpy as np

from vbkit import factorization as mf
from vbkit import plots
from vbkit.chapters.factorization.pictures import branches
from vbkit.widgets import Explorer, dropdown, log_slider, select_slider, slider

SHAPES = {"1 x 1": (1, 1), "20 x 30": (20, 30), "10 x 300": (10, 300)}
SWEEPS = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233)
LOWEST, HIGHEST = -1.5, float(np.log10(6))  # log10 of c_a c_b shown, relative to (L M)^(-1/4)


@lru_cache
def landscape(shape):
    """Minimise F of one column at noise 1 over all but the shrunk singular value and c_a c_b.

    Returns both grids (90,) and G (90, 90), c_a c_b first. F = G - gamma gamma_hat, which is 0 for
    a dead column.
    """
    shrunk = np.linspace(0, 1.45 * sum(np.sqrt(shape)), 90)
    scales = np.logspace(LOWEST, HIGHEST, 90) / np.prod(shape) ** 0.25
    return shrunk, scales, mf.fixed_landscape(shrunk, scales[:, None], shape)


@lru_cache(256)
def path(shape, gamma: float, strength: float):
    """Return shrunk singular value and c_a c_b (2, n) after each of SWEEPS of empirical VB.

    The noise variance is 1. It starts from unshrunk means and c_a c_b = strength.
    """
    V, found = np.zeros(shape), []
    V[0, 0] = gamma
    state = mf.init_spectral(V, 1, prior_a=strength, prior_b=strength, noise=1.0)
    for sweeps in np.diff(SWEEPS, prepend=0):
        state = mf.fit(V, state, learn_noise=False, max_sweeps=int(sweeps), tolerance=0)
        shrunk = np.linalg.norm(state.A) * np.linalg.norm(state.B)
        found.append((shrunk, np.sqrt(state.prior_a[0] * state.prior_b[0])))
    return np.array(found).T


def explorer() -> Explorer:
    """Slide a singular value through both thresholds of empirical VB."""
    for shape in SHAPES.values():
        landscape(shape)  # kept, so that no position has to wait for it
    ratio = "Singular value over the local threshold"
    controls = {
        "ratio": slider(ratio, 0.8, 1.4, 1.05, 0.01, form="{:.2f}", play=200),
        "shape": dropdown("Matrix", list(SHAPES), "20 x 30"),
        "start": log_slider("Start: c_a c_b, relative", 0.03, 3, 1.0, 4),
        "sweeps": select_slider("Sweeps", SWEEPS, SWEEPS[-1], play=400),
    }
    title = "A component through its threshold"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(11.0, 3.7))


def compute(ratio, shape, start, sweeps):
    shape = SHAPES[shape]
    marks, (shrunk, scales, G) = mf.thresholds(shape), landscape(shape)
    gamma, unit = ratio * marks.local, np.prod(shape) ** -0.25  # of c_a c_b
    gammas, live = marks.local * np.linspace(0.8, 1.4, 121), mf.kappa(gamma**2, shape)
    return {
        "F": G - gamma * shrunk,
        "shrunk": shrunk,
        "scales": scales / unit,
        "path": path(shape, gamma, start * unit) / [[1], [unit]],
        "gamma": gamma,
        "best": float(mf.shrink_empirical(gamma, shape, 1.0)),
        "gain": float(mf.free_energy_of_column(live, shape)),
        "curves": (gammas, branches(gammas, shape)),
        "marks": marks,
    }


def setup(figure):
    """Left: free energy over the shrunk singular value and the prior scale, blue where it is
    below that of a dead column, red above, with the path of the iteration. Middle: its least over
    the prior scale. Right: shrunk against observed singular value.
    """
    plane, profile, curve = axes = figure.subplots(1, 3)
    blue = plots.COLOURS[0]
    image = plane.imshow(np.zeros((2, 2)), cmap="RdBu_r", origin="lower", aspect="auto")
    plane.set(title="F, live less dead (nats)", xlabel=r"$\hat\gamma/\sigma$")
    plane.set(ylabel=r"$c_ac_b$, relative", yticks=[-1, 0], yticklabels=["0.1", "1"])
    profile.set(title="its least over $c_ac_b$", xlabel=r"$\hat\gamma/\sigma$")
    profile.axhline(0, color=plots.GREY, lw=0.8)
    curve.set(title=r"$\hat\gamma$ over $\gamma$", xlabel=r"$\gamma/\sigma$")
    end = {"marker": "o", "color": plots.COLOURS[1], "ms": 8, "mec": "white", "ls": "none"}
    star = {"marker": "*", "color": "#E6C300", "ms": 14, "mec": "black", "ls": "none"}
    return {
        "axes": axes,
        "image": image,
        "path": plane.plot([], [], ".-", color="black", lw=1, ms=4)[0],
        "profile": profile.plot([], [], color=blue, ls="-")[0],
        "live": curve.plot([], [], color=blue, ls="--", lw=1.5)[0],
        "pass": curve.plot([], [], color=plots.GREY, ls=":", lw=1.5)[0],
        "global": curve.plot([], [], color=blue, ls="-", lw=2.6)[0],
        "marks": [curve.axvline(0, color=plots.GREY, lw=0.8) for _ in range(2)],
        "ends": [ax.plot([], [], **end)[0] for ax in axes],
        "stars": [ax.plot([], [], **star)[0] for ax in (plane, curve)],
    }


def draw(artists, arrays, values):
    shrunk, F, gamma, best = arrays["shrunk"], arrays["F"], arrays["gamma"], arrays["best"]
    profile = F.min(axis=0)
    x, y = arrays["path"][:, : SWEEPS.index(values["sweeps"]) + 1]
    y = np.log10(np.clip(y, 10**LOWEST, None))
    artists["image"].set_data(F)
    artists["path"].set_data(x, y)
    artists["profile"].set_data(shrunk, profile)
    gammas, found = arrays["curves"]
    for name, curve in found.items():
        artists[name].set_data(gammas, curve)
    for line, place in zip(artists["marks"], arrays["marks"], strict=True):
        line.set_xdata([place, place])
    column = F[:, int(np.abs(shrunk - best).argmin())]
    best_scale = np.log10(arrays["scales"][column.argmin()]) if best else LOWEST
    points = ((x[-1], y[-1]), (x[-1], np.interp(x[-1], shrunk, profile)), (gamma, x[-1]))
    points += ((best, best_scale), (gamma, best))
    for mark, point in zip(artists["ends"] + artists["stars"], points, strict=True):
        mark.set_data(*np.reshape(point, (2, 1)))
    return _fit_axes(artists, SHAPES[values["shape"]], shrunk, gammas)


def _fit_axes(artists, shape, shrunk, gammas) -> bool:
    """Fit axes and colours to the matrix; returns whether anything changed."""
    plane, profile, curve = artists["axes"]
    if np.isclose(plane.get_xlim()[1], shrunk[-1]):
        return False
    top = 3 * mf.free_energy_of_column(np.sqrt(np.prod(shape)), shape)  # thrice the first pass
    artists["image"].set(clim=(-top, top), extent=(0, shrunk[-1], LOWEST, HIGHEST))
    plane.set(xlim=shrunk[[0, -1]], ylim=(LOWEST, HIGHEST))
    profile.set(xlim=shrunk[[0, -1]], ylim=(-top, top))
    curve.set(xlim=gammas[[0, -1]], ylim=(-0.03 * shrunk[-1], shrunk[-1]))
    return True


def status(arrays, values) -> str:
    (local, keep), gamma = arrays["marks"], arrays["gamma"]
    end = arrays["path"][0, SWEEPS.index(values["sweeps"])]
    if gamma < local:
        where = "below both thresholds: no live solution"
    elif gamma < keep:
        where = "between the thresholds: a live solution exists, "
        where += f"{arrays['gain']:.2f} nats above the dead one"
    else:
        where = "above both: alive is best"
    state = "alive" if end > 0.01 * local else "dead"
    return (
        f"Singular value {gamma:.2f} sigma, {where} ({local:.2f}, {keep:.2f}). Closed form "
        f"{arrays['best']:.2f}; the iteration after {values['sweeps']} sweeps: {end:.2f}, {state}."
    )
