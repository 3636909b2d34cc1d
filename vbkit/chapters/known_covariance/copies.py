"""Two components for one job, on data without noise."""

from functools import lru_cache

import numpy as np
from scipy.stats import norm

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import log_slider, select_slider, slider
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.learning import batch_epochs
from vbkit.mixture import Mixture

PRIOR_VARIANCE = 10.0
START, TILT = 0.6, 0.01  # share of the first component, and how far it depends on x
SWEEPS = (0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 450, 600)
GRID = np.linspace(-6, 6, 241)


def ideal_gaussian(
    dimension: int, total: float, order: int = 7
) -> tuple[np.ndarray, np.ndarray]:
    """Return data without noise, the nodes of Gauss-Hermite quadrature, and their weights.

    There are order^dimension of them. The moments up to the order 2 order - 1 are those of N(0, I);
    the weights add up to `total` data points.
    """
    nodes, mass = np.polynomial.hermite_e.hermegauss(order)
    X = np.stack(np.meshgrid(*[nodes] * dimension, indexing="ij"), axis=-1).reshape(
        -1, dimension
    )
    shares = np.prod(np.meshgrid(*[mass / mass.sum()] * dimension), axis=0)
    return X, total * shares.ravel()


def two_components() -> OldExplorer:
    """Two components that start almost alike, on one clump or two: which survives?"""
    controls = {
        "sweep": select_slider("Sweep", SWEEPS, 12, play=500),
        "concentration": slider("Concentration phi", 0.1, 3.0, 1.0, 0.1, form="{:.1f}"),
        "total": log_slider("Data N", 10, 10_000, 100, 3),
        "distance": slider("Distance of two clumps", 0.0, 5.0, 0.0, 0.25),
    }
    words = {"title": "Two components, one job", "status": status}
    return OldExplorer(controls, compute, setup, draw, **words, size=(9, 3.6))


@lru_cache(64)
def begin(concentration: float, total: float, distance: float):
    """Return the family, the epochs from the start, a list of those so far, and F of one alone."""
    mixture = Mixture(KnownCovariance(0.0, PRIOR_VARIANCE), Dirichlet(concentration))
    X, w = ideal_gaussian(1, total / 2, 16)
    data = mixture.observe(
        np.concatenate([X - distance / 2, X + distance / 2]), np.tile(w, 2)
    )
    first = START + TILT * np.tanh(data.X)
    start = mixture.m_step(data, np.hstack([first, 1 - first]))
    alone = mixture.m_step(data, np.tile([1.0, 0.0], (len(data.X), 1)))
    epochs = batch_epochs(mixture, data, start)
    return mixture.family, epochs, [], -mixture.elbo(data, alone)


def compute(sweep, concentration, total, distance):
    """Return centres (2,), shares (2, sweep + 1), and F (sweep + 1,) minus that of one alone."""
    family, epochs, history, alone = begin(concentration, total, distance)
    while (
        len(history) <= sweep
    ):  # go on where an earlier position of the slider stopped
        history.append(next(epochs))
    shown = history[: sweep + 1]
    mean, _ = family.posterior(shown[-1][0])
    shares = np.array([S[:, 0] for S, _ in shown]).T / total
    F = np.array([-elbo for _, elbo in shown]) - alone
    return {"centres": mean[:, 0], "shares": shares, "F": F}


def setup(figure):
    """Left: the density of ideal data in grey and over it the densities of two components, the area
    under each being its share of the data. Right: the shares of both components, sweep by sweep.
    """
    space, share = figure.subplots(1, 2, width_ratios=[1.15, 1])
    space.set(
        xlim=(-6, 6),
        ylim=(0, 0.45),
        yticks=[],
        xlabel="$x$",
        title="Data and components",
    )
    share.set(xlim=(0.8, 700), xscale="log", xlabel="sweep + 1")
    share.set(ylim=(-0.02, 1.02), title="Share: first solid, second dashed")
    grey = space.fill_between(GRID, 0 * GRID, color="#DDDDDD")
    artists = {"data": grey, "components": [], "shares": []}
    for k in range(2):
        style = plots.line_style(k)
        artists["components"] += space.plot([], [], **style)
        artists["shares"] += share.plot(
            [], [], **style, marker=plots.MARKERS[k], markevery=[-1]
        )
    return artists


def draw(artists, arrays, values):
    clumps = (norm.pdf(GRID, side * values["distance"] / 2) for side in (-1, 1))
    shape = np.column_stack([GRID, sum(clumps) / 2])
    artists["data"].set_verts([np.vstack([shape, [[GRID[-1], 0], [GRID[0], 0]]])])
    times = np.arange(1, values["sweep"] + 2)
    for k, (centre, share) in enumerate(
        zip(arrays["centres"], arrays["shares"], strict=True)
    ):
        artists["components"][k].set_data(GRID, share[-1] * norm.pdf(GRID, centre))
        artists["shares"][k].set_data(times, share)


def status(arrays, values) -> str:
    total, apart = values["total"], np.ptp(arrays["centres"])
    second = total * arrays["shares"][1, -1]
    return (
        f"The second component holds {second:.1f} of {total:g} data, the centres are {apart:.2f} "
        f"apart, and F is {arrays['F'][-1]:+.2f} nats from one component alone."
    )
