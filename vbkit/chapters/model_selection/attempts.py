"""OldExplorer of notebook 06: step through a search for the number of components."""

from functools import lru_cache, partial
from itertools import product

import numpy as np

from vbkit.chapters.model_selection.searches import BEST, CURRENT
from vbkit.chapters.old_form import OldExplorer
from vbkit.chapters.planes import open_plane, show_model
from vbkit.course import dropdown, select_slider, slider
from vbkit.course.sato import sato_mixture
from vbkit.data import sato2000
from vbkit.learning import init_gaussian
from vbkit.structure import learn_batch, start_search, step_search

MOVES, GREEDY = 16, np.inf  # attempts that can be shown; among the values of beta
BETAS = (GREEDY, 3.0, 1.0, 0.3, 0.1, 0.03)
TICKS = {"A": np.arange(-980, -899, 20), "B": np.arange(-5760, -5479, 70)}  # nats shown


@lru_cache(2)
def points(data):
    """Return data set "A" or "B" (N, 2). On this A greedy search from two components gets stuck."""
    return sato2000(data, np.random.default_rng(6))[0]


@lru_cache(4096)
def search_after(move, data, n_components, beta, seed=0):
    """Return the search after so many attempts, each made from the one before, which is kept.

    Learning is cut short, so that an attempt takes no longer than a slider may. `seed`
    is that of the start and of all chance.
    """
    if move:
        return step_search(search_after(move - 1, data, n_components, beta, seed))
    X, rng = points(data), np.random.default_rng(seed)
    prior = partial(sato_mixture, X, model="isotropic", prior_strength=1.0)
    start = init_gaussian(prior(n_components), X, n_components, rng)
    learn = partial(learn_batch, max_epochs=30, tolerance=0.05)
    temperature = None if beta == GREEDY else 1 / beta
    return start_search(
        prior, X, start, rng, learn=learn, temperature=temperature, candidates=1
    )


def search_explorer() -> OldExplorer:
    """Step through the attempts of a search for the number of components."""
    controls = {
        "move": slider("Attempt", 0, MOVES, 2, play=700),
        "data": dropdown("Data set", ["A", "B"], "A"),
        "n_components": dropdown("Components at the start", [2, 10], 10),
        "beta": select_slider(
            "Accept worse models: beta", [("never", GREEDY), *BETAS[1:]], GREEDY
        ),
    }
    for start in product("AB", (2, 10), BETAS):
        search_after(MOVES if GREEDY in start else 0, *start)
    look = {"title": "A search, attempt by attempt", "status": status}
    return OldExplorer(controls, compute, setup, draw, **look)


def compute(move, **settings):
    search = search_after(move, **settings)
    model = search.trial.mixture.parameters(search.trial.S)
    return {"model": model, "records": search.records, "finished": search.finished}


def setup(figure):
    """Left: the data with the components of the model that was tried last, as ellipses of two
    standard deviations. Right: the ELBO against the number of components. Small squares are the
    models tried so far, a line leads through those that were accepted, and a black dot is the last.
    What lies lower than the axis is drawn at the bottom.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.25])
    right.set(xlim=(0.5, 11.5), xticks=[1, 2, 4, 6, 8, 10], xlabel="components")
    heights, end = np.linspace(0, 1, 5), {"ha": "right", "va": "center"}
    right.set(ylim=(-0.03, 1.05), yticks=heights, yticklabels=[], title="ELBO (nats)")
    scale = [
        right.text(0.2, height, "", **end) for height in heights
    ]  # labels of the ticks
    tried = right.plot([], [], "s", color=CURRENT["color"], ms=6, label="tried")[0]
    path = right.plot([], [], "o-", color=BEST["color"], ms=5, label="accepted")[0]
    now = right.plot([], [], "o", color="black", ms=9, zorder=5, label="last")[0]
    right.legend(loc="lower right", fontsize=11).set_zorder(1)
    plane = open_plane(left)
    for artist in (*left.lines, *left.collections, tried, path, now):
        artist.set_zorder(
            artist.get_zorder() + 4
        )  # above titles and axes, which stay still
    return {"plane": plane, "tried": tried, "path": path, "now": now, "scale": scale}


def draw(artists, arrays, values):
    show_model(
        artists["plane"], values["data"], points(values["data"]), arrays["model"]
    )
    low, *_, high = ticks = TICKS[values["data"]]
    for text, nats in zip(artists["scale"], ticks, strict=True):
        text.set_text(f"{nats}")
    at = [
        (r.K, max((r.elbo - low) / (high - low), 0), r.accepted)
        for r in arrays["records"]
    ]
    K, height, accepted = np.array(at).T
    artists["tried"].set_data(K, height)
    artists["path"].set_data(K[accepted > 0], height[accepted > 0])
    artists["now"].set_data(K[-1:], height[-1:])


def status(arrays, values) -> str:
    last = arrays["records"][-1]
    best = f"Best so far: {last.best_K} components, ELBO {last.best_elbo:.1f} nats."
    if last.kind == "start":
        return f"Start: {last.K} components, ELBO {last.elbo:.1f} nats. {best}"
    move = f"{last.kind} {' and '.join(str(k + 1) for k in last.components)}"
    verdict = f"{last.elbo - last.base_elbo:+.1f} nats, {('rejected', 'accepted')[last.accepted]}"
    over = " Nothing is left to try." if arrays["finished"] else ""
    return f"Attempt {last.attempt}: {move}; {verdict}. {best}{over}"
