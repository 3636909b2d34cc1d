"""Who dies: tax and grant of a copy, and how many components live on three clumps."""

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

FAMILY = NormalWishart(
    np.zeros(2), 0.1, 3.0, np.eye(2)
)  # d = 5 parameters per component
EPOCHS = (0, 1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80, 110, 150)
FLOOR = 1e-3  # data: the lower end of the axis of counts
ARM, STEEP = (
    1.0,
    0.09,
)  # of the beam: its half length, and its slope per half data point
WEIGHTS = 1 / (1 + np.exp(-np.linspace(-4.8, 4.8, 121)))


# ---- explorer: tax and grant ---------------------------------------------------------------------


def tax_and_grant() -> OldExplorer:
    """Choose parameters and concentration; the balance tilts, and so does F."""

    def compute(parameters, concentration):
        tax = (parameters + 1) / 2
        F = (tax - concentration) * (
            np.log(WEIGHTS) + np.log(1 - WEIGHTS) + 2 * np.log(2)
        )
        return {"tax": tax, "grant": concentration, "F": F}

    controls = {
        "parameters": slider("Parameters d of a component", 1, 5, 4),
        "concentration": slider("Concentration (the grant)", 0.25, 4.0, 0.5, 0.25),
    }
    words = {"title": "Tax and grant: does the smaller copy live?", "status": tell_tax}
    return OldExplorer(
        controls, compute, set_up_tax, draw_balance, **words, size=(9, 3.5)
    )


def set_up_tax(figure):
    """Left: a balance. Its left pan carries the tax, half a data point for the weight and half
    for each parameter; its right pan carries the grant, the concentration. Right: the change of F
    when the first of two copies holds the proportion w. A sweep goes downhill.
    """
    pans, cost = figure.subplots(1, 2)
    pans.set(xlim=(-1.6, 1.6), ylim=(-1.0, 1.75), title="Balance (data points)")
    pans.axis("off")
    pans.plot([0, 0], [-0.75, 0], color=plots.GREY, ls="-", lw=4)
    cost.set(
        xlim=(0, 1), ylim=(-11, 11), xlabel="proportion w of the first copy (0: dead)"
    )
    cost.set_title("F(w) - F(1/2), in nats: a sweep goes downhill")
    cost.axhline(0, color=plots.GREY, lw=0.8)
    bars = [
        pans.bar([side], [0], 0.5, color=plots.COLOURS[k])
        for k, side in enumerate((-1, 1))
    ]
    return {
        "beam": pans.plot([], [], color=plots.GREY, ls="-", lw=4)[0],
        "bars": [bar[0] for bar in bars],
        "names": [pans.text(0, 0, "", ha="center", va="bottom") for _ in bars],
        "F": cost.plot([], [], color=plots.COLOURS[0], ls="-")[0],
        "end": cost.text(0.02, -9.5, "\N{LEFTWARDS ARROW} the smaller copy dies"),
    }


def draw_balance(artists, arrays, values):
    tilt = np.clip(STEEP * 2 * (arrays["grant"] - arrays["tax"]), -0.5, 0.5)
    artists["beam"].set_data([-ARM, 0, ARM], [tilt, 0, -tilt])
    for k, word in enumerate(("tax", "grant")):
        foot, height = (tilt, -tilt)[k], 0.2 * arrays[word]
        artists["bars"][k].set(y=foot, height=height)
        place = ((-ARM, ARM)[k], foot + height)
        artists["names"][k].set(position=place, text=f"{word} {arrays[word]:g}")
    artists["F"].set_data(WEIGHTS, arrays["F"])
    artists["end"].set_visible(arrays["tax"] > arrays["grant"])


def tell_tax(arrays, values) -> str:
    tax, grant = arrays["tax"], arrays["grant"]
    fates = (
        "the smaller copy dies",
        "balance, the copies stay as they are",
        "both copies live",
    )
    return f"Tax {tax:g}, grant {grant:g}: {fates[1 + int(np.sign(grant - tax))]}."


# ---- explorer: how many components live ----------------------------------------------------------


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
    """Offer components to three clumps of points; choose the concentration and the epoch."""
    X = three_clumps(np.random.default_rng(1))

    @cache
    def begin(n_components, concentration):
        mixture = Mixture(FAMILY, Dirichlet(concentration))
        start = init_gaussian(mixture, X, n_components, np.random.default_rng(0))
        return batch_epochs(mixture, X, start), []

    def compute(epoch, n_components, concentration):
        epochs, history = begin(n_components, concentration)
        while (
            len(history) <= epoch
        ):  # go on where an earlier position of the slider stopped
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
        "epoch": select_slider("Epoch", EPOCHS, 10, play=500),
        "n_components": slider("Components offered", 1, 7, 5),
        "concentration": log_slider("Concentration", 0.01, 100, 1.0, 3),
    }
    words = {"title": "How many components live?", "status": tell_clumps}
    return OldExplorer(
        controls, compute, set_up_clumps, draw_clumps, **words, size=(9, 3.8)
    )


def set_up_clumps(figure):
    """Left: points in three clumps and the components as ellipses of two standard deviations,
    heavier the more data they hold. Right: the data that each component holds, epoch by epoch, on
    a logarithmic axis with a line at one.
    """
    space, count = figure.subplots(1, 2, width_ratios=[1.2, 1])
    space.set(xlim=(-6, 6), ylim=(-4.3, 4.7), aspect="equal", xticks=[], yticks=[])
    space.set_title("Data and components")
    count.set(
        xlim=(-4, EPOCHS[-1] + 4), ylim=(FLOOR, 300), yscale="log", xlabel="epoch"
    )
    count.set_yticks([0.01, 1, 100], ["0.01", "1", "100"])
    count.minorticks_off()
    count.axhline(1, color=plots.GREY, lw=1, ls=":")
    count.set_title("Data that each component holds")
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
    alive, offered = (arrays["counts"][-1] > 1).sum(), values["n_components"]
    living = f"{alive} of {offered} components hold more than one data point"
    return f"{living}; ELBO {arrays['elbo']:.1f} nats."
