"""Notebook 01: two equal components on ideal data; its data, its explorer and its drawings."""

from functools import lru_cache

import numpy as np
from scipy.stats import norm

from vbkit import plots
from vbkit.families import Dirichlet, KnownCovariance
from vbkit.learning import batch_epochs
from vbkit.mixture import Mixture
from vbkit.theory import critical_concentration
from vbkit.widgets import Explorer, log_slider, select_slider, slider

PRIOR_VARIANCE = 10.0
START, TILT = 0.6, 0.01  # share of the first component, and how far it depends on x
SWEEPS = (0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 450, 600)
GRID = np.linspace(-6, 6, 241)


def petals() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return length and width of the petals of 150 irises (Fisher 1936, from scikit-learn).

    X (150, 2): minus their mean, in units of their standard deviation within a species; species
    (150,); and the correlation matrix (2, 2) within a species.
    """
    from sklearn.datasets import load_iris

    iris = load_iris()
    X, species = iris.data[:, 2:], iris.target
    inside = X - np.stack([X[species == k].mean(axis=0) for k in range(3)])[species]
    width = np.sqrt((inside**2).mean(axis=0))
    return (X - X.mean(axis=0)) / width, species, (inside / width).T @ (inside / width) / len(X)


def ideal_gaussian(dimension: int, total: float, order: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Return data without noise, the nodes of Gauss-Hermite quadrature, and their weights.

    There are order^dimension of them. The moments up to the order 2 order - 1 are those of N(0, I);
    the weights add up to `total` data points.
    """
    nodes, mass = np.polynomial.hermite_e.hermegauss(order)
    X = np.stack(np.meshgrid(*[nodes] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    shares = np.ones(1)
    for _ in range(dimension):
        shares = np.outer(shares, mass / mass.sum()).ravel()
    return X, total * shares


# ---- the explorer --------------------------------------------------------------------------------


def explorer() -> Explorer:
    """Two components that start almost alike, on one clump or two: which survives?"""
    controls = {
        "concentration": slider("Concentration phi", 0.1, 3.0, 0.5, 0.1, form="{:.1f}"),
        "total": log_slider("Data N", 10, 10_000, 100, 3),
        "distance": slider("Distance of two clumps", 0.0, 5.0, 0.0, 0.25),
        "sweep": select_slider("Sweep", SWEEPS, 50, play=500),
    }
    title = "Two components, one job"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(10.5, 3.5))


@lru_cache(64)
def begin(concentration: float, total: float, distance: float):
    """Return the family, the epochs from the start, a list of those so far, and F of one alone."""
    mixture = Mixture(KnownCovariance(0.0, PRIOR_VARIANCE), Dirichlet(concentration))
    X, w = ideal_gaussian(1, total / 2, 16)
    data = mixture.observe(np.concatenate([X - distance / 2, X + distance / 2]), np.tile(w, 2))
    first = START + TILT * np.tanh(data.X)
    start = mixture.m_step(data, np.hstack([first, 1 - first]))
    alone = mixture.m_step(data, np.tile([1.0, 0.0], (len(data.X), 1)))
    epochs = batch_epochs(mixture, data, start)
    return mixture.family, epochs, [], -mixture.elbo(data, alone)


def compute(concentration, total, distance, sweep):
    """Return centres (2,), shares (2, sweep + 1), and F (sweep + 1,) minus that of one alone."""
    family, epochs, history, alone = begin(concentration, total, distance)
    while len(history) <= sweep:  # go on where an earlier position of the slider stopped
        history.append(next(epochs))
    shown = history[: sweep + 1]
    mean, _ = family.posterior(shown[-1][0])
    shares = np.array([S[:, 0] for S, _ in shown]).T / total
    F = np.array([-elbo for _, elbo in shown]) - alone
    return {"centres": mean[:, 0], "shares": shares, "F": F}


def setup(figure):
    """Left: the density of ideal data in grey and over it the densities of two components, the
    area under each being its share of the data. Middle: the shares of both components, sweep by
    sweep. Right: the free energy of the two components minus that of one component with all
    data beside an empty one, on an axis that is linear near zero and logarithmic further out.
    """
    space, share, energy = figure.subplots(1, 3, width_ratios=[1.15, 1, 1])
    space.set(xlim=(-6, 6), ylim=(0, 0.45), yticks=[], xlabel="$x$", title="Data and components")
    for ax in (share, energy):
        ax.set(xlim=(0.8, 700), xscale="log", xlabel="sweep + 1")
    share.set(ylim=(-0.02, 1.02), title="Share: first solid, second dashed")
    energy.set_yscale("symlog", linthresh=1)
    energy.set_yticks(ticks := [-10_000, -100, -1, 0, 1, 100], [f"{tick:,}" for tick in ticks])
    energy.set(ylim=(-3e4, 1e2), title="$F$ - $F$(one alone), nats")
    energy.axhline(0, color=plots.GREY, lw=1, ls=":")
    artists = {"data": space.fill_between(GRID, 0 * GRID, color="#DDDDDD")}
    artists |= {"components": [], "shares": [], "shares now": []}
    for k in range(2):
        artists["components"] += space.plot([], [], **plots.line_style(k))
        artists["shares"] += share.plot([], [], **plots.line_style(k))
        artists["shares now"] += share.plot([], [], plots.MARKERS[k], color=plots.COLOURS[k])
    artists["F"] = energy.plot([], [], color="black")[0]
    artists["F now"] = energy.plot([], [], "o", color="black")[0]
    return artists


def draw(artists, arrays, values):
    clumps = (norm.pdf(GRID, side * values["distance"] / 2) for side in (-1, 1))
    shape = np.column_stack([GRID, sum(clumps) / 2])
    artists["data"].set_verts([np.vstack([shape, [[GRID[-1], 0], [GRID[0], 0]]])])
    times = np.arange(1, values["sweep"] + 2)
    for k, centre in enumerate(arrays["centres"]):
        share = arrays["shares"][k]
        artists["components"][k].set_data(GRID, share[-1] * norm.pdf(GRID, centre))
        artists["shares"][k].set_data(times, share)
        artists["shares now"][k].set_data(times[-1:], share[-1:])
    artists["F"].set_data(times, arrays["F"])
    artists["F now"].set_data(times[-1:], arrays["F"][-1:])


def status(arrays, values) -> str:
    total, apart = values["total"], abs(np.diff(arrays["centres"])[0])
    second = total * arrays["shares"][1, -1]
    side = np.sign(round(values["concentration"] - critical_concentration(1), 9))
    fate = {-1: "the poorer one dies", 0: "shares stay", 1: "shares even out"}[int(side)]
    return (
        f"After sweep {values['sweep']} the second component holds {second:.1f} of {total:g} data, "
        f"the centres are {apart:.2f} apart, F is {arrays['F'][-1]:+.2f} nats from one component "
        f"alone. Exact copies at this phi: {fate}."
    )


# ---- drawings of the text ------------------------------------------------------------------------


def draw_strip(ax, x):
    """Draw petal lengths x (N,), as `petals` gives them, as marks on a line."""
    ax.axhline(0, color="#DDDDDD", lw=1, zorder=1)
    plots.draw_points(ax, np.column_stack([x, 0 * x]), size=9, alpha=0.75, colour=plots.COLOURS[0])
    ax.set(yticks=[], ylim=(-1, 1), xlabel="petal length (standard deviations within a species)")
    ax.spines["left"].set_visible(False)


def draw_choices(ax, choices, numbers):
    """Draw how often each of the numbers (n,) was chosen; choices: three names -> (sets,)."""
    often = {name: np.equal.outer(numbers, c).sum(axis=1) for name, c in choices.items()}
    plots.draw_bars(ax, numbers, often, width=0.25)
    ax.legend(loc="upper left")
