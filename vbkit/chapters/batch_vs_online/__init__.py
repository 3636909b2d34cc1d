"""Sato 2000, section 5: batch and online VB side by side, and the drawings of its notebook."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.models import FAMILIES, sato_mixture
from vbkit.data import sato2000 as data_set
from vbkit.learning import fit_online, init_gaussian, sato2000, without_discount
from vbkit.widgets.controls import checkbox, dropdown, log_slider, slider
from vbkit.widgets.explorer import Explorer

EPOCHS = 40
TWO = ("batch", "online")
BOUNDS = {"A": (-1040.0, -905.0), "B": (-5720.0, -5440.0)}  # nats shown; the first epochs lie below

# line, marker and colour of each method, lines and markers as the report's captions state them
METHODS = {
    "batch": {"linestyle": "-.", "marker": "x", "color": plots.COLOURS[1]},
    "online": {"linestyle": "-", "marker": "o", "color": plots.COLOURS[0]},
    "online, no discount": {"linestyle": ":", "marker": "^", "color": plots.COLOURS[2]},
}


@lru_cache(64)
def learn(data, model, n_components, gamma0, tau0, kappa, discounted):
    """Batch and online VB on a data set from one start: the data "X" (N, 2) and, after each epoch, for both the
    "gaussians" (centres and covariances) and "weights" (K,), "bounds" (2, epochs + 1) and the online learning "rates"
    (epochs + 1,)."""
    rng = np.random.default_rng(0)
    X, _ = data_set(data, rng)
    mixture = sato_mixture(X, n_components, model, gamma0)
    start = init_gaussian(mixture, X, n_components, rng)
    observed, S, online = mixture.observe(X), start, start
    schedule = sato2000(len(X), tau0=tau0, kappa=kappa) if discounted else without_discount(len(X))
    states, bounds, rates = [], [], []
    for _ in range(EPOCHS + 1):
        sweep = mixture.e_step(observed, S)
        states.append((S, online))
        bounds.append((sweep.elbo, mixture.elbo(observed, online)))
        rates.append(schedule.rate)
        fit = fit_online(mixture, observed, online, schedule, rng=rng, monitor=False)
        S, online, schedule = sweep.S, fit.S, fit.schedule
    gaussians = [[mixture.family.gaussians(s) for s in pair] for pair in states]
    weights = [[mixture.weights.mean(s[:, 0]) for s in pair] for pair in states]
    return {
        "X": X,
        "gaussians": gaussians,
        "weights": weights,
        "bounds": np.array(bounds).T,
        "rates": np.array(rates),
    }


def explorer() -> Explorer:
    """Step through epochs of batch and online VB on data A or B."""
    controls = {
        "epoch": slider("Epoch", 0, EPOCHS, 3, play=300),
        "n_components": slider("Components offered", 1, 7, 4),
        "data": dropdown("Data set", ["A", "B"], "B"),
        "model": dropdown("Components' shape", list(FAMILIES), "full covariance"),
        "gamma0": log_slider("Prior strength (pseudo-data)", 0.01, 10, 0.01, 2),
        "tau0": log_slider("Early memory tau0", 10, 1000, 100, 4),
        "kappa": log_slider("Decay of the discount kappa", 0.001, 0.1, 0.01, 4),
        "discounted": checkbox("Discount", True),
    }
    alt = (
        "Left and middle: the data with the components of batch VB and of online VB as ellipses of two standard deviations "
        "after the chosen epoch. Right: the ELBO after each epoch for both, and the online learning rate."
    )
    title = "Batch against online VB, epoch by epoch"
    return Explorer(
        controls, compute, setup, draw, title=title, alt=alt, status=status, size=(10.5, 4.0)
    )


def compute(epoch, **settings):
    return learn(**settings)


def setup_planes(figure, titles, **ratios):
    """Two panels of data with components and, beside them, a panel for the ELBO over another one.

    Returns the moving artists so far and the axes of both small panels. Of the artists "components" are the Components of each
    panel, and "fit" is a function of data X (N, 2) and the limits of the ELBO's axes, which fits all panels to them
    and returns whether anything changed: a function, so that the points count as still.
    """
    grid = figure.add_gridspec(2, 3, **ratios)
    planes = [
        figure.add_subplot(grid[:, k], aspect="equal", xticks=[], yticks=[], title=t)
        for k, t in enumerate(titles)
    ]
    points = [plots.draw_points(ax, np.zeros((1, 2)), size=2.5)[0] for ax in planes]
    components = [plots.draw_ellipses(ax, np.zeros((1, 2)), np.ones(1)) for ax in planes]
    bound = figure.add_subplot(grid[0, 2], title="Bound (nats; its upper end)")

    def fit(X, limits) -> bool:
        reach = 1.05 * np.abs(X).max()
        if np.isclose(planes[0].get_ylim()[1], reach):
            return False
        for ax, line in zip(planes, points, strict=True):
            line.set_data(*X.T)
            ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
        bound.set_ylim(limits)
        return True

    return {"components": components, "fit": fit}, bound, figure.add_subplot(grid[1, 2])


def setup(figure):
    artists, bound, rate = setup_planes(figure, ("Batch", "Online"), width_ratios=[1, 1, 1.05])
    rate.set(
        xlabel="epoch",
        yscale="log",
        xlim=(-1, EPOCHS + 1),
        ylim=(1e-5, 0.2),
        title="Online learning rate",
    )
    bound.set(xlim=(-1, EPOCHS + 1), xticklabels=[])
    for name, ax in (("bound", bound), ("rate", rate)):
        artists[name] = [
            ax.plot([], [], ls=METHODS[m]["linestyle"], color=METHODS[m]["color"])[0] for m in TWO
        ]
        if name == "bound":
            ax.legend(artists[name], TWO, loc="center right", borderaxespad=0.2)
        artists[name + " now"] = ax.plot([], [], "o", color="black", ms=5)[0]
    return artists


def draw(artists, arrays, values):
    epoch, bounds = values["epoch"], arrays["bounds"]
    for side in range(2):
        plots.update_ellipses(
            artists["components"][side],
            *arrays["gaussians"][epoch][side],
            arrays["weights"][epoch][side],
        )
        artists["bound"][side].set_data(np.arange(EPOCHS + 1), bounds[side])
    artists["rate"][1].set_data(np.arange(EPOCHS + 1), arrays["rates"])
    artists["bound now"].set_data([epoch, epoch], bounds[:, epoch])
    artists["rate now"].set_data([epoch], [arrays["rates"][epoch]])
    return artists["fit"](arrays["X"], BOUNDS[values["data"]])


def status(arrays, values) -> str:
    epoch = values["epoch"]
    batch, online = arrays["bounds"][:, epoch]
    lead = "online leads by" if online > batch else "batch leads by"
    return (
        f"After epoch {epoch}: batch {batch:.1f}, online {online:.1f} nats; {lead} {abs(online - batch):.1f}. "
        f"Learning rate {arrays['rates'][epoch]:.4f}: a memory of about {1 / arrays['rates'][epoch]:.0f} data."
    )


# ---- drawings of the notebook ------------------------------------------------------------------------------------


def draw_methods(ax, n_components, values):
    """Medians over data sets of each method against the number of components (n,), as in the report's Fig 2; values: method
    -> (data sets, n)."""
    for name, rows in values.items():
        ax.plot(n_components, np.median(rows, axis=0), ms=6, mew=1.5, label=name, **METHODS[name])
    ax.set_xticks(n_components)


def draw_counts(ax, counts, *, highlight: int):
    """Bars side by side of how often (n,) each method preferred 1 to n components; one number of components is shaded."""
    plots.draw_bars(ax, np.arange(1, len(next(iter(counts.values()))) + 1), counts, width=0.24)
    ax.axvspan(highlight - 0.5, highlight + 0.5, color=plots.GREY, alpha=0.12, lw=0)
