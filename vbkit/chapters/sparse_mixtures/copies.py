"""How many components survive on three clumps of points."""

from functools import cache

import numpy as np

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import log_slider, select_slider, slider
from vbkit.data import gaussian_mixture
from vbkit.families import NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import batch_epochs, init_gaussian
from vbkit.mixture import Mixture

# d = 5 parameters per component
FAMILY = NormalWishart(np.zeros(2), 0.1, 3.0, np.eye(2))
EPOCHS = (0, 1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80, 110, 150)
FLOOR = 1e-3  # data points: the lower end of the axis of counts


# ---- explorer: how many components survive ---------------------------------------------


def three_clumps(rng) -> np.ndarray:
    """Draw points (180, 2) in three clumps, two of them slanted."""
    X, labels = gaussian_mixture(
        rng, 180, np.full(3, 1 / 3), np.zeros((3, 2)), [1.0, 0.9, 0.8]
    )
    slant = np.array([[1.0, 0.7], [0.0, 0.6]])
    X[labels == 0] = X[labels == 0] @ slant
    X[labels == 1] = X[labels == 1] @ slant * [1, -1]
    return X + np.array([[-2.8, -1.2], [0.2, 2.4], [2.8, -1.0]])[labels]


def how_many_live() -> OldExplorer:
    """Offer components to three clumps of points; choose the concentration and the sweep."""
    X = three_clumps(np.random.default_rng(1))

    @cache
    def begin(n_components, concentration):
        mixture = Mixture(FAMILY, Dirichlet(concentration))
        start = init_gaussian(mixture, X, n_components, np.random.default_rng(0))
        return batch_epochs(mixture, X, start), []

    def compute(epoch, n_components, concentration):
        epochs, history = begin(n_components, concentration)
        # Go on where an earlier position of the slider stopped.
        while len(history) <= epoch:
            history.append(next(epochs))
        S, elbo = history[epoch]
        counts = np.array([S[:, 0] for S, _ in history[: epoch + 1]])
        return {
            "X": X,
            "gaussians": FAMILY.parameters(S),
            "counts": counts,
            "elbo": elbo,
        }

    controls = {
        "epoch": select_slider("Sweep", EPOCHS, 10, play=500),
        "n_components": slider("Components offered", 1, 7, 5),
        "concentration": log_slider("Concentration", 0.01, 100, 1.0, 3),
    }
    words = {"title": "How many components survive?", "status": tell_clumps}
    return OldExplorer(
        controls, compute, set_up_clumps, draw_clumps, **words, size=(9, 3.8)
    )


def set_up_clumps(figure):
    """Left: points in three clumps and the components as ellipses of two standard deviations,
    heavier the more data points they hold. Right: the data points that each holds, by sweep, on
    a logarithmic axis with a line at one.
    """
    space, count = figure.subplots(1, 2, width_ratios=[1.2, 1])
    space.set(xlim=(-6, 6), ylim=(-4.3, 4.7), aspect="equal", xticks=[], yticks=[])
    space.set_title("Data and components")
    count.set(
        xlim=(-4, EPOCHS[-1] + 4), ylim=(FLOOR, 300), yscale="log", xlabel="sweep"
    )
    count.set_yticks([0.01, 1, 100], ["0.01", "1", "100"])
    count.minorticks_off()
    count.axhline(1, color=plots.GREY, lw=1, ls=":")
    count.set_title("Data points of each component")
    lines = zip(plots.COLOURS, plots.LINES, strict=True)
    return {
        "points": plots.draw_points(space, np.zeros((1, 2)), size=3),
        "components": plots.draw_ellipses(space, np.zeros((1, 2)), np.ones(1)),
        "counts": [
            count.plot([], [], color=colour, ls=line)[0] for colour, line in lines
        ],
        "now": count.scatter([], [], s=28, zorder=3, clip_on=False),
    }


def draw_clumps(artists, arrays, values):
    counts = np.maximum(arrays["counts"], FLOOR)
    epochs, K = np.arange(len(counts)), counts.shape[1]
    artists["points"][0].set_data(*arrays["X"].T)
    plots.update_ellipses(
        artists["components"], *arrays["gaussians"], arrays["counts"][-1]
    )
    for k, line in enumerate(artists["counts"]):
        line.set_data((epochs, counts[:, k]) if k < K else ([], []))
    ends = np.column_stack([np.full(K, epochs[-1]), counts[-1]])
    artists["now"].set(offsets=ends, color=plots.COLOURS[:K])


def tell_clumps(arrays, values) -> str:
    used, offered = (arrays["counts"][-1] > 1).sum(), values["n_components"]
    holders = f"{used} of {offered} components hold more than one data point"
    return f"{holders}; ELBO {arrays['elbo']:.1f} nats."
