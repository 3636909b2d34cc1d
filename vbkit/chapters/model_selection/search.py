"""Explorer of notebook 06: step through a search for the number of components."""

from functools import lru_cache, partial

import numpy as np

from vbkit import plots
from vbkit.chapters.model_selection.pictures import BEST, CURRENT
from vbkit.chapters.models import FAMILIES, sato_mixture
from vbkit.data import sato2000
from vbkit.learning import init_gaussian
from vbkit.plots import update_ellipses
from vbkit.structure import learn_batch, learn_online, start_search, step_search
from vbkit.widgets import Explorer, dropdown, log_slider, select_slider, slider

MOVES = 16
GREEDY = np.inf  # among the values of beta
REACH = {"A": (-1000.0, -895.0), "B": (-5760.0, -5470.0)}  # nats shown


def learner(data, method):
    """Return a learner that is cut short, so that an attempt takes no longer than a slider may."""
    if method == "batch":
        return partial(learn_batch, max_epochs=30, tolerance=0.05)
    return partial(learn_online, max_epochs=12 if data == "A" else 6, tolerance=0.05)


@lru_cache(8)
def points(data):
    """Return data set "A" or "B" (N, 2). On this A greedy search from two components gets stuck."""
    return sato2000(data, np.random.default_rng(6))[0]


@lru_cache(4096)
def search_after(move, data, model, n_components, gamma0, method, beta):
    """Return the search after so many attempts, each made from the one before, which is kept."""
    if move:
        return step_search(search_after(move - 1, data, model, n_components, gamma0, method, beta))
    X, rng = points(data), np.random.default_rng(0)
    prior = partial(sato_mixture, X, model=model, gamma0=gamma0)
    start = init_gaussian(prior(n_components), X, n_components, rng)
    beta = None if beta == GREEDY else beta
    return start_search(prior, X, start, rng, learn=learner(data, method), beta=beta, candidates=1)


def explorer() -> Explorer:
    """Step through the attempts of a search for the number of components."""
    betas = [("greedy", GREEDY), 3.0, 1.0, 0.3, 0.1, 0.03]
    controls = {
        "move": slider("Attempt", 0, MOVES, 3, play=700),
        "data": dropdown("Data set", ["A", "B"], "A"),
        "model": dropdown("Components' shape", list(FAMILIES), "isotropic"),
        "n_components": dropdown("Start with", [("2 components", 2), ("10 components", 10)], 10),
        "method": dropdown("Learning", ["batch", "online"], "batch"),
        "gamma0": log_slider("Prior strength (pseudo-data)", 0.01, 10, 1, 2),
        "beta": select_slider("Accepting worse models: beta", betas, GREEDY),
    }
    title = "The search for the number of components, attempt by attempt"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(10.5, 4.0))


def compute(move, **settings):
    search = search_after(move, **settings)
    shown = [fit.mixture.parameters(fit.S) for fit in (search.trial, search.best)]
    return {"parameters": shown, "records": search.records, "finished": search.finished}


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
    """Left and middle: the data with the components of the current and of the best model as
    ellipses of two standard deviations after the chosen attempt. Right: ELBO and number of
    components of both against attempts.
    """
    artists, elbo, number = setup_planes(
        figure, ("Current model", "Best model"), width_ratios=[1, 1, 1.1], height_ratios=[1.6, 1]
    )
    for name, ax in (("elbo", elbo), ("K", number)):
        ax.set(xlim=(-0.5, MOVES + 0.5), xticks=range(0, MOVES + 1, 4))
        artists[f"best_{name}"] = ax.plot([], [], drawstyle="steps-post", **BEST)[0]
        artists[name] = ax.plot([], [], drawstyle="steps-post", **CURRENT)[0]
        artists[f"{name} now"] = ax.plot([], [], "o", color="black", ms=5)[0]
    elbo.set(xticklabels=[])
    number.set(xlabel="attempt", ylabel="components", ylim=(0, 11.5))
    lines = [artists["best_K"], artists["K"]]
    number.legend(handles=lines, loc="upper right", ncols=2, borderaxespad=0.0)
    return artists


def draw(artists, arrays, values):
    for k, (weights, gaussians) in enumerate(arrays["parameters"]):
        update_ellipses(artists["components"][k], *gaussians, weights)
    records = arrays["records"]
    for name in ("elbo", "best_elbo", "K", "best_K"):
        artists[name].set_data(range(len(records)), [getattr(r, name) for r in records])
    for name in ("elbo", "K"):
        artists[f"{name} now"].set_data([len(records) - 1], [getattr(records[-1], name)])
    return artists["fit"](points(values["data"]), REACH[values["data"]])


def status(arrays, values) -> str:
    last = arrays["records"][-1]
    best = f"Best so far: {last.best_K} components, ELBO {last.best_elbo:.1f} nats."
    if last.kind == "start":
        return f"Start: {last.K} components, ELBO {last.elbo:.1f} nats. {best}"
    move = f"{last.kind} {' and '.join(str(k + 1) for k in last.components)}"
    verdict = "accepted" if last.accepted else "rejected"
    change = last.elbo - last.base_elbo
    over = " Nothing is left to try." if arrays["finished"] else ""
    return f"Attempt {last.attempt}: {move}; {change:+.1f} nats, {verdict}. {best}{over}"
