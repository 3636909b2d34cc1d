"""Notebook 03: a mixture learned by accumulation (Ghahramani 2000); explorer and drawings."""

from functools import lru_cache

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from scipy import stats

from vbkit import plots
from vbkit.chapters.models import N_COMPONENTS, draw_means, make_mixture, states_after
from vbkit.data import FIVE_CENTRES, FIVE_WEIGHTS, FIVE_WIDTHS
from vbkit.data import ghahramani2000 as data_set
from vbkit.learning import accumulation, component_prior_means
from vbkit.mixture import Mixture
from vbkit.theory import divergence_on_grid, grid_points, isotropic_log_density
from vbkit.widgets import Explorer, dropdown, log_slider, select_slider

SIZE = 3000
SHARE = 0.01  # of the data that a component must hold to count as used: 30 of 3,000
STAGES = (10, 30, 100, 300, 1000, 3000)
SEEN = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700)
SEEN += (1000, 1500, 2000, SIZE)
ORDERS = ("random", "ascending", "cluster by cluster")
X_AXIS = np.linspace(-13, 13, 261)


def five(dimension: int):
    """Return weights (5,), centres (5, D) and standard deviations (5,) of the assumed clusters."""
    return FIVE_WEIGHTS, FIVE_CENTRES[dimension], FIVE_WIDTHS


def accumulate(mixture: Mixture, X, start, marks) -> list[np.ndarray]:
    """Return the states (K, P) after the first n data, for each n of `marks` (ascending)."""
    return states_after(mixture, X, start, accumulation(), marks)


@lru_cache
def grid(dimension: int):
    """Return points (M, D) and cells (M,) on which densities are compared."""
    if dimension == 1:
        return np.linspace(-15, 15, 301)[:, None], np.full(301, 0.1)
    return grid_points(61, -15, 15)


def divergence(mixture: Mixture, S, truth) -> float:
    """Return the divergence (nats) of the predictive density after S from the true one."""
    points, cell = grid(mixture.family.dimension)
    log_p = isotropic_log_density(points, truth[0], truth[1], truth[2] ** 2)
    return float(divergence_on_grid(log_p, mixture.log_predictive(points, S), cell))


def judge(mixture: Mixture, S, truth) -> dict:
    """Compare a state with the truth.

    used: number of components that hold more than a hundredth of all counts. found: number of true
    centres with such a component within one standard deviation of their cluster. top: share of all
    counts in the five heaviest components. divergence: see above.
    """
    shares = S[:, 0] / max(S[:, 0].sum(), 1e-300)
    used = shares > SHARE
    centres = mixture.family.parameters(S).mean[used]
    near = np.linalg.norm(centres[:, None] - truth[1], axis=2) < truth[2]
    return {
        "used": int(used.sum()),
        "found": int(near.any(axis=0).sum()),
        "top": float(np.sort(shares)[-5:].sum()),
        "divergence": divergence(mixture, S, truth),
    }


# ---- the explorer --------------------------------------------------------------------------------


@lru_cache
def stream(order: str):
    """Return the explorer's data (3000, 1) in the named order, and its prior means (20, 1)."""
    rng = np.random.default_rng(2000)
    X, labels = data_set(SIZE, rng)
    means = draw_means(rng, 1)
    sort_by = {"random": np.arange(SIZE), "ascending": X[:, 0], "cluster by cluster": labels}
    return X[sort_by[order].argsort(kind="stable")], means


def explorer() -> Explorer:
    """Watch twenty components share a stream, under other priors and in another order."""
    controls = {
        "seen": select_slider("Data seen", [(f"{n:,}", n) for n in SEEN], SIZE, play=250),
        "concentration": log_slider("Dirichlet parameter alpha", 0.01, 10, 1.0, 4),
        "width": log_slider("Prior width of a component", 0.1, 10, 1.0, 4),
        "mean_count": log_slider("Data the prior mean is worth", 0.001, 10, 0.1, 2),
        "order": dropdown("Order of the data", ORDERS, "random"),
    }
    title = "Twenty components share a stream"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(10.0, 3.9))


@lru_cache(64)
def learn(concentration, width, mean_count, order):
    """Return the mixture and its states after SEEN data."""
    X, means = stream(order)
    mixture = make_mixture(1, concentration, mean_count, rate=width**2)
    return mixture, accumulate(mixture, X, component_prior_means(mixture, means), SEEN)


def compute(seen, order, **priors):
    mixture, states = learn(order=order, **priors)
    shown = states[: SEEN.index(seen) + 1]
    counts, judged = np.array(shown)[..., 0], judge(mixture, shown[-1], five(1))
    arrays = densities(mixture, stream(order)[0][:seen], shown[-1])
    return arrays | {"counts": counts, "judged": judged}


def densities(mixture: Mixture, X, S) -> dict:
    """Return what `draw_line` shows of data X (N, 1) and a state.

    histogram (52,) in bins of half a unit from -13 to 13; components (K, 261) and predictive
    (261,), the densities on X_AXIS: each component's Gaussian at its expected precision times its
    weight, and that of the next data point.
    """
    weights, (centres, covariances) = mixture.parameters(S)
    components = stats.norm.pdf(X_AXIS, centres, np.sqrt(covariances[:, 0]))
    return {
        "histogram": np.histogram(X, bins=52, range=(-13, 13))[0] / max(0.5 * len(X), 1),
        "components": weights[:, None] * components,
        "predictive": np.exp(mixture.log_predictive(X_AXIS[:, None], S)),
    }


def setup(figure):
    """Left: a histogram of the data seen so far, each component's density as a filled curve
    whose area is the component's weight, and the predictive density. Right: the counts of the
    twenty components against the data seen, both logarithmic, with a line at one per cent of
    the data.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1.5, 1])
    artists = setup_line(left, five(1))
    left.set(xlabel="y", ylabel="density", title="Areas are weights")
    right.set(xscale="log", yscale="log", xlim=(0.9, 1.1 * SIZE), ylim=(0.05, 1.2 * SIZE))
    right.set(xlabel="data seen", title="Counts of the components")
    right.set_xticks(ticks := [1, 10, 100, 1000], [f"{x:,}" for x in ticks])
    right.plot(SEEN[1:], SHARE * np.array(SEEN[1:]), color=plots.GREY, ls=":", lw=1.2)
    right.annotate("1 %", (1500, 11), color=plots.GREY, va="top")
    colours = [colour(k) for k in range(N_COMPONENTS)]
    artists["counts"] = [right.plot([], [], color=c, ls="-", lw=1.2)[0] for c in colours]
    return artists


def draw(artists, arrays, values):
    draw_line(artists, arrays)
    counts = np.clip(arrays["counts"], 0.02, None)
    for line, n in zip(artists["counts"], counts.T, strict=True):
        line.set_data(SEEN[: len(n)], n)


def status(arrays, values) -> str:
    judged = arrays["judged"]
    return (
        f"After {values['seen']:,} data {judged['used']} of {N_COMPONENTS} components hold more "
        f"than 1 % of them (the top five {judged['top']:.0%}); {judged['found']} of 5 true "
        f"centres are found; the predictive density is {judged['divergence']:.3f} nats from the "
        "truth."
    )


# ---- drawings ------------------------------------------------------------------------------------


def colour(k: int) -> str:
    """Return the colour of component k; after the last colour comes the first."""
    return plots.COLOURS[k % len(plots.COLOURS)]


def setup_line(ax, truth):
    """Draw the truth; return the artists of histogram, components and predictive density."""
    weights, centres, widths = truth
    density = weights @ stats.norm.pdf(X_AXIS, centres, widths[:, None])
    ax.set(xlim=(-13, 13), ylim=(0, 0.22))
    ax.plot(X_AXIS, density, color="black", ls=":", lw=1.3)
    bars = ax.stairs(np.zeros(52), np.linspace(-13, 13, 53), fill=True, color="#DDDDDD", zorder=0.5)
    colours = [colour(k) for k in range(N_COMPONENTS)]
    components = PolyCollection([], facecolors=[(*to_rgb(c), 0.3) for c in colours], linewidths=1.2)
    components.set_edgecolor(colours)
    ax.add_collection(components, autolim=False)
    (predictive,) = ax.plot([], [], color="black", ls="-", lw=1.6)
    return {"histogram": bars, "components": components, "predictive": predictive}


def draw_line(artists, arrays):
    """Move the artists of `setup_line` to what `densities` returns."""
    artists["histogram"].set_data(arrays["histogram"])
    floor = np.column_stack([X_AXIS[[-1, 0]], np.zeros(2)])
    curves = [np.column_stack([X_AXIS, y]) for y in arrays["components"]]
    artists["components"].set_verts([np.concatenate([curve, floor]) for curve in curves])
    artists["predictive"].set_data(X_AXIS, arrays["predictive"])


def draw_stage(ax, mixture: Mixture, X, S, truth):
    """Draw data X (N, D) seen so far, the components after them and the truth; D is 1 or 2."""
    if X.shape[1] == 1:
        return draw_line(setup_line(ax, truth), densities(mixture, X, S))
    weights, gaussians = mixture.parameters(S)
    plots.draw_points(ax, X, size=2.5, alpha=0.5)
    plots.draw_ellipses(ax, *gaussians, weights)
    ax.plot(*truth[1].T, "x", color="black", ms=7, mew=1.6, zorder=4)
    ax.set(aspect="equal", xlim=(-13, 13), ylim=(-13, 13))


def draw_ranges(ax, x, values):
    """Draw medians and the middle 80 % over runs against x (n,); values: name -> (runs, n)."""
    for k, (name, rows) in enumerate(values.items()):
        plots.draw_band(ax, x, np.quantile(rows, [0.1, 0.5, 0.9], axis=0), name, k)
    ax.set_xscale("log")
