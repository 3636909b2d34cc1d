"""Notebook 05: batch and online VB (Sato 2000, section 5); its explorer and its drawings."""

from functools import lru_cache
from itertools import islice

import numpy as np

from vbkit import plots
from vbkit.chapters.models import FAMILIES, sato_mixture
from vbkit.data import sato2000 as data_set
from vbkit.learning import batch_epochs, init_gaussian, online_epochs, sato2000, without_discount
from vbkit.widgets import Explorer, checkbox, dropdown, log_slider, slider

EPOCHS = 40
LIMITS = {"A": (-1040.0, -905.0), "B": (-5720.0, -5440.0)}  # nats shown; the first epochs lie below

# line, marker and colour of each method, lines and markers as the report's captions state them
METHODS = {
    "batch": {"linestyle": "-.", "marker": "x", "color": plots.COLOURS[1]},
    "online": {"linestyle": "-", "marker": "o", "color": plots.COLOURS[0]},
    "online, no discount": {"linestyle": ":", "marker": "^", "color": plots.COLOURS[2]},
}


# ---- the explorer --------------------------------------------------------------------------------


@lru_cache(64)
def learn(data, model, n_components, gamma0, tau0, kappa, discounted):
    """Run batch and online VB on a data set from one start.

    Returns the data "X" (N, 2) and, before the first epoch and after each: the "parameters" of both
    methods, "elbos" (epochs + 1, 2) and the online learning "rates" (epochs + 1,).
    """
    rng = np.random.default_rng(0)
    X, _ = data_set(data, rng)
    mixture = sato_mixture(X, n_components, model, gamma0)
    start = init_gaussian(mixture, X, n_components, rng)
    schedule = sato2000(len(X), tau0=tau0, kappa=kappa) if discounted else without_discount(len(X))
    batch = batch_epochs(mixture, X, start)
    online = online_epochs(mixture, X, start, schedule, rng=rng)
    parameters, elbos, rates = [], [], []
    both = zip(batch, online, strict=True)  # neither ends
    for (S, elbo), (S_online, elbo_online, now) in islice(both, EPOCHS + 1):
        parameters.append((mixture.parameters(S), mixture.parameters(S_online)))
        elbos.append((elbo, elbo_online))
        rates.append(now.learning_rate)
    return {"X": X, "parameters": parameters, "elbos": np.array(elbos), "rates": np.array(rates)}


def explorer() -> Explorer:
    """Step through the epochs of batch and online VB on data A or B."""
    controls = {
        "epoch": slider("Epoch", 0, EPOCHS, 3, play=300),
        "n_components": slider("Components offered", 1, 7, 4),
        "data": dropdown("Data set", ["A", "B"], "B"),
        "model": dropdown("Components' shape", list(FAMILIES), "full covariance"),
        "gamma0": log_slider("Prior strength (pseudo-data)", 0.01, 10, 0.01, 2),
        "tau0": log_slider("Early memory tau0", 10, 1000, 100, 4),
        "kappa": log_slider("Decay of forgetting kappa", 0.001, 0.1, 0.01, 4),
        "discounted": checkbox("Forget early data", True),
    }
    title = "Batch against online VB, epoch by epoch"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(10.5, 4.0))


def compute(epoch, **settings):
    return learn(**settings)


def setup_planes(figure, titles, **ratios):
    """Make two panels of data with components, a panel for the ELBO, and an empty one below it.

    Returns the moving artists so far, and the axes of both small panels. "components" are the
    Components of each panel; "fit" is a function of data X (N, 2) and the limits of the ELBO, which
    fits all panels to them and returns whether anything changed (a function, so that the points
    count as still).
    """
    grid, planes = figure.add_gridspec(2, 3, **ratios), []
    for k, title in enumerate(titles):
        planes.append(figure.add_subplot(grid[:, k], aspect="equal", title=title))
        planes[k].set(xticks=[], yticks=[])
    points = [plots.draw_points(ax, np.zeros((1, 2)), size=2.5)[0] for ax in planes]
    components = [plots.draw_ellipses(ax, np.zeros((1, 2)), np.ones(1)) for ax in planes]
    elbo = figure.add_subplot(grid[0, 2], title="ELBO (nats; its upper end)")

    def fit(X, limits) -> bool:
        reach = 1.05 * np.abs(X).max()
        if np.isclose(planes[0].get_ylim()[1], reach):
            return False
        for ax, line in zip(planes, points, strict=True):
            line.set_data(*X.T)
            ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
        elbo.set_ylim(limits)
        return True

    return {"components": components, "fit": fit}, elbo, figure.add_subplot(grid[1, 2])


def setup(figure):
    """Left and middle: the data with the components of batch VB and of online VB as ellipses of
    two standard deviations after the chosen epoch. Right: the ELBO after each epoch for both,
    and the online learning rate.
    """
    artists, elbo, rate = setup_planes(figure, ("Batch", "Online"), width_ratios=[1, 1, 1.05])
    elbo.set(xlim=(-1, EPOCHS + 1), xticklabels=[])
    rate.set(xlim=elbo.get_xlim(), yscale="log", ylim=(1e-5, 0.2))
    rate.set(xlabel="epoch", title="Online learning rate")
    artists["elbos"] = []
    for name in ("batch", "online"):
        style = METHODS[name] | {"marker": ""}
        artists["elbos"] += elbo.plot([], [], label=name, **style)
    elbo.legend(loc="center right", borderaxespad=0.2)
    artists["rate"] = rate.plot([], [], **style)[0]
    artists["elbos now"] = elbo.plot([], [], "o", color="black", ms=5)[0]
    artists["rate now"] = rate.plot([], [], "o", color="black", ms=5)[0]
    return artists


def draw(artists, arrays, values):
    epoch, elbos, rates = values["epoch"], arrays["elbos"], arrays["rates"]
    for side in range(2):
        weights, gaussians = arrays["parameters"][epoch][side]
        plots.update_ellipses(artists["components"][side], *gaussians, weights)
        artists["elbos"][side].set_data(np.arange(EPOCHS + 1), elbos[:, side])
    artists["rate"].set_data(np.arange(EPOCHS + 1), rates)
    artists["elbos now"].set_data([epoch, epoch], elbos[epoch])
    artists["rate now"].set_data([epoch], [rates[epoch]])
    return artists["fit"](arrays["X"], LIMITS[values["data"]])


def status(arrays, values) -> str:
    epoch = values["epoch"]
    (batch, online), rate = arrays["elbos"][epoch], arrays["rates"][epoch]
    ahead = "online" if online > batch else "batch"
    return (
        f"After epoch {epoch}: batch {batch:.1f}, online {online:.1f} nats; {ahead} leads by "
        f"{abs(online - batch):.1f}. Learning rate {rate:.4f}: a memory of about {1 / rate:.0f} "
        "data."
    )


# ---- drawings of the text ------------------------------------------------------------------------


def draw_methods(ax, n_components, values):
    """Draw each method's median over data sets against the number of components (n,), as in Fig 2.

    values: method -> (data sets, n).
    """
    for name, rows in values.items():
        ax.plot(n_components, np.median(rows, axis=0), ms=6, mew=1.5, label=name, **METHODS[name])
    ax.set_xticks(n_components)


def draw_counts(ax, counts, *, highlight: int):
    """Draw, as bars, how often (n,) each method preferred 1 to n components; shade one number."""
    plots.draw_bars(ax, np.arange(1, len(next(iter(counts.values()))) + 1), counts, width=0.24)
    ax.axvspan(highlight - 0.5, highlight + 0.5, color=plots.GREY, alpha=0.12, lw=0)
