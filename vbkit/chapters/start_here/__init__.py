"""Notebook 00: its data, its drawings and its explorer, "How many components live?"."""

from functools import lru_cache

import numpy as np
from matplotlib.patches import FancyBboxPatch

from vbkit import plots
from vbkit.data import gaussian_mixture
from vbkit.families import Dirichlet, NormalWishart
from vbkit.learning import batch_epochs, init_gaussian
from vbkit.mixture import Mixture
from vbkit.widgets import Explorer, log_slider, select_slider, slider

FAMILY = NormalWishart(np.zeros(2), 0.1, 3.0, np.eye(2))  # d = 5 parameters per component
EPOCHS = (0, 1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80, 110, 150)
MOST = 7  # components offered at most: a colour each
FLOOR = 1e-3  # data: the lower end of the axis of counts

COURSE = {  # notebook: (title, source, place, notebooks that it needs, notebooks that help)
    "00": ("Start here", "all five", (0, 1.5), (), ()),
    "01": ("Derive VB once", "Nakajima", (1, 0.55), ("00",), ()),
    "02": ("Online EM", "Sato 1999", (1, 3.0), ("00",), ()),
    "03": ("One data point at a time", "Ghahramani", (2, 1.85), ("00",), ("01", "02")),
    "04": ("Theory of online VB", "Sato 2000", (2, 3.85), ("02",), ()),
    "05": ("Batch against online", "Sato 2000", (3, 2.9), ("00",), ("02", "04")),
    "06": ("Number of components", "Sato 2000", (4, 3.35), ("05",), ("04",)),
    "07": ("Matrix factorization", "Nakajima", (2, 0.85), ("01",), ()),
    "08": ("The phase diagram", "Kaji 2011", (2, -0.15), ("01",), ()),
    "09": ("Design the prior", "Kaji 2011", (3, -0.45), ("08",), ()),
    "10": ("Side by side", "Sato, Nakajima, Kaji", (4, 0.85), ("07", "08"), ()),
}


def three_clumps(rng) -> np.ndarray:
    """Draw points (180, 2) in three clumps, two of them slanted."""
    widths = np.array([1.0, 0.9, 0.8])
    X, labels = gaussian_mixture(rng, 180, np.full(3, 1 / 3), np.zeros((3, 2)), widths)
    slant = np.array([[1.0, 0.7], [0.0, 0.6]])
    X[labels == 0] = X[labels == 0] @ slant
    X[labels == 1] = X[labels == 1] @ slant * [1, -1]
    return X + np.array([[-2.8, -1.2], [0.2, 2.4], [2.8, -1.0]])[labels]


# ---- the explorer --------------------------------------------------------------------------------


def explorer(X: np.ndarray | None = None) -> Explorer:
    """Offer components to points X (N, 2), by default three clumps; choose the epoch."""
    X = three_clumps(np.random.default_rng(1)) if X is None else X

    @lru_cache(64)
    def begin(n_components, concentration):
        mixture = Mixture(FAMILY, Dirichlet(concentration))
        start = init_gaussian(mixture, X, n_components, np.random.default_rng(0))
        return batch_epochs(mixture, X, start), []

    def compute(n_components, concentration, epoch):
        epochs, history = begin(n_components, concentration)
        while len(history) <= epoch:  # go on where an earlier position of the slider stopped
            history.append(next(epochs))
        S, _ = history[epoch]
        trace = np.array([elbo for _, elbo in history[: epoch + 1]])
        return {"X": X, "gaussians": FAMILY.parameters(S), "counts": S[:, 0], "elbos": trace}

    controls = {
        "n_components": slider("Components offered", 1, MOST, MOST),
        "concentration": log_slider("Dirichlet concentration", 0.01, 100, 1.0, 3),
        "epoch": select_slider("Epoch", EPOCHS, 10, play=500),
    }
    title = "How many components live?"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(10.5, 3.6))


def setup(figure):
    """Left: points in three clumps and the components as ellipses of two standard deviations,
    heavier the more data they hold. Middle: each component's expected count, logarithmic, with
    a line at one. Right: the ELBO.
    """
    space, count, elbo = figure.subplots(1, 3, width_ratios=[1.25, 0.8, 1])
    space.set(xlim=(-6, 6), ylim=(-4.3, 4.7), aspect="equal", xticks=[], yticks=[])
    space.set_title("Data and components")
    count.set(xlim=(FLOOR, 300), xscale="log", ylim=(MOST + 0.6, 0.4), yticks=range(1, MOST + 1))
    count.set_xticks([0.01, 1, 100], ["0.01", "1", "100"])
    count.set(ylabel="component", title="Expected count (data)")
    count.minorticks_off()
    count.axvline(1, color=plots.GREY, lw=1, ls=":")
    elbo.set(xlim=(-4, EPOCHS[-1] + 4), ylim=(-830, -600), title="ELBO (nats)", xlabel="epoch")
    return {
        "points": plots.draw_points(space, np.zeros((1, 2)), size=3),
        "components": plots.draw_ellipses(space, np.zeros((1, 2)), np.ones(1)),
        "stems": count.hlines([0], FLOOR, [FLOOR], lw=2),
        "dots": count.scatter([0], [FLOOR], s=28, zorder=3, clip_on=False),
        "trace": elbo.plot([], [], color=plots.COLOURS[0])[0],
        "now": elbo.plot([], [], "o", color="black")[0],
    }


def draw(artists, arrays, values):
    counts, elbos = arrays["counts"], arrays["elbos"]
    artists["points"][0].set_data(*arrays["X"].T)
    plots.update_ellipses(artists["components"], *arrays["gaussians"], counts)
    ends = [(max(n, FLOOR), k) for k, n in enumerate(counts, 1)]
    colours = plots.COLOURS[: len(counts)]
    artists["stems"].set(segments=[[(FLOOR, k), (n, k)] for n, k in ends], color=colours)
    artists["dots"].set(offsets=ends, color=colours)
    artists["trace"].set_data(np.arange(len(elbos)), elbos)
    artists["now"].set_data([values["epoch"]], elbos[-1:])


def status(arrays, values) -> str:
    alive, offered = (arrays["counts"] > 1).sum(), values["n_components"]
    elbo = arrays["elbos"][-1]
    return f"{alive} of {offered} components hold more than one data point; ELBO {elbo:.1f} nats."


# ---- drawings of the text ------------------------------------------------------------------------


def draw_groupings(ax, bars, x, groupings, probabilities):
    """Draw data x (N,) coloured by groupings (rows, N) of 0 and 1; probabilities as bars."""
    rows = np.arange(len(groupings))
    ax.hlines(rows, x.min() - 0.3, x.max() + 0.3, color="#DDDDDD", lw=1, zorder=1)
    places = np.column_stack([np.tile(x, len(rows)), np.repeat(rows, len(x))])
    plots.draw_points(ax, places, np.ravel(groupings), size=10, alpha=1)
    drawn = bars.barh(rows, 100 * probabilities, 0.5, color=plots.GREY)
    bars.bar_label(drawn, fmt="%.0f %%", padding=4)
    for panel, bare in ((ax, "left"), (bars, "bottom")):
        panel.set(yticks=[], ylim=(len(rows) - 0.5, -0.5))
        panel.spines[bare].set_visible(False)
    bars.set(xticks=[], xlim=(0, 118 * probabilities.max()))


def draw_simplex(ax, weights):
    """Draw weights (N, 3) that sum to 1 as points in a triangle whose corners are "all on one"."""
    corners = np.array([[0, 0], [1, 0], [0.5, np.sqrt(0.75)]])
    ax.fill(*corners.T, facecolor="none", edgecolor=plots.GREY, lw=1)
    plots.draw_points(ax, weights @ corners, size=3.5, colour=plots.COLOURS[0])
    for (x, y), name, side in zip(corners, "123", ("left", "right", "center"), strict=True):
        ax.text(x, y + (0.05 if y else -0.11), f"all on {name}", ha=side, color=plots.GREY, size=9)
    ax.set(aspect="equal", frame_on=False, xlim=(-0.05, 1.05), ylim=(-0.14, 0.97))
    ax.set(xticks=[], yticks=[])


def draw_course(ax):
    """Draw the notebooks as boxes; solid arrows: read first; dotted: helpful."""
    sources = list(dict.fromkeys(source for _, source, *_ in COURSE.values()))
    for number, (title, source, (x, y), needs, helps) in COURSE.items():
        for other in needs + helps:
            line = "-" if other in needs else ":"
            arrow = {"arrowstyle": "-|>", "ls": line, "color": plots.GREY, "lw": 1.6}
            arrow |= {"shrinkA": 0, "shrinkB": 0}
            tail_x, tail_y = COURSE[other][2]
            ax.annotate("", (x - 0.46, y), (tail_x + 0.46, tail_y), arrowprops=arrow)
        colour = ("black", *plots.COLOURS)[sources.index(source)]
        box = FancyBboxPatch((x - 0.44, y - 0.3), 0.88, 0.6, "round,pad=0.02", fc="white")
        ax.add_patch(box).set(edgecolor=colour, linewidth=2)
        ax.text(x, y + 0.1, rf"$\bf{{{number}}}$ {title}", ha="center", va="center", size=9)
        ax.text(x, y - 0.16, source, ha="center", va="center", size=8.5, color=plots.GREY)
    ax.set(xlim=(-0.48, 4.48), ylim=(-0.85, 4.25), frame_on=False, xticks=[], yticks=[])
