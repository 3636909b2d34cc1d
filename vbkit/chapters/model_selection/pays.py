"""OldExplorer of notebook 06: what one component more improves, and what it costs."""

from functools import lru_cache
from itertools import product

import numpy as np

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.chapters.planes import open_plane, show_model
from vbkit.course import dropdown, slider
from vbkit.course.sato import FAMILIES, sato_mixture
from vbkit.data import sato2000 as data_set
from vbkit.learning import fit_batch, fit_online, init_gaussian, sato2000

LEAST, MOST, STARTS = 0.35, 6, {"A": 10, "B": 3}
GAMMA0 = {"full covariance": 0.01, "isotropic": 1.0}


@lru_cache(4)
def ladder(data, model):
    """The best fit of a few starts with 1 to MOST components, learned online and then in batch:
    points, "parameters", and "fit" and "price" (MOST,) in nats, whose difference is the ELBO.
    """
    rng = np.random.default_rng(["AB".index(data), 1])
    X, _ = data_set(data, np.random.default_rng(5))
    parameters, steps = [], []
    for n_components in range(1, MOST + 1):
        mixture = sato_mixture(X, n_components, model, GAMMA0[model])
        seen, runs = mixture.observe(X), []
        for _ in range(STARTS[data]):
            S = init_gaussian(mixture, X, n_components, rng)
            S = fit_online(
                mixture, seen, S, sato2000(len(X)), epochs=10, rng=rng, monitor=False
            ).S
            runs.append(fit_batch(mixture, seen, S, max_epochs=60, tolerance=0.02))
        best = max(runs, key=lambda run: run.elbo)
        parameters.append(mixture.parameters(best.S))
        steps.append(mixture.e_step(seen, best.S))
    fit = np.array([step.log_likelihood for step in steps])
    price = np.array([step.divergence for step in steps])
    return {"X": X, "parameters": parameters, "fit": fit, "price": price}


def pays_explorer() -> OldExplorer:
    """Add components one by one: does the next one pay for itself?"""
    for data, model in product("AB", FAMILIES):
        ladder(data, model)
    controls = {
        "n_components": slider("Components", 1, MOST, 2),
        "data": dropdown("Data set", ["A", "B"], "A"),
        "model": dropdown("Components' shape", list(FAMILIES), "full covariance"),
    }
    title = "Does the next component pay for itself?"
    return OldExplorer(controls, compute, setup, draw, title=title, status=status)


def compute(n_components, data, model):
    return ladder(data, model)


def setup(figure):
    """Left: the data with the components of the best fit as ellipses of two standard deviations;
    the two narrow true Gaussians of data B are black circles. Right: for each component added so
    far two points on a logarithmic axis, by how many nats it improves the fit (circles) and how
    many it costs (squares). Less than 0.35 nats, or a loss, lies at the lowest mark.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.25])
    right.set(
        yscale="log",
        ylim=(0.3, 1000),
        xlim=(1.5, MOST + 0.5),
        xticks=range(2, MOST + 1),
    )
    right.set_yticks(ticks := [LEAST, 1, 10, 100, 1000], [f"≤ {LEAST}", *ticks[1:]])
    right.set(xlabel="the component that is added", title="Gain and cost (nats)")
    gain = right.plot(
        [], [], "o-", color=plots.COLOURS[0], ms=9, label="improves the fit by"
    )[0]
    cost = right.plot([], [], "s--", color=plots.COLOURS[1], ms=8, label="costs")[0]
    right.legend(loc="upper right", fontsize=11).set_zorder(1)
    return {"plane": open_plane(left), "fit": gain, "price": cost}


def draw(artists, arrays, values):
    shown = values["n_components"]
    show_model(
        artists["plane"], values["data"], arrays["X"], arrays["parameters"][shown - 1]
    )
    for key in ("fit", "price"):
        steps = np.maximum(np.diff(arrays[key][:shown]), LEAST)
        artists[key].set_data(np.arange(2, shown + 1), steps)


def status(arrays, values) -> str:
    K, elbo = values["n_components"], arrays["fit"] - arrays["price"]
    if K == 1:
        return f"One component: ELBO {elbo[0]:.1f} nats. Add a second."
    gain, cost = (arrays[key][K - 1] - arrays[key][K - 2] for key in ("fit", "price"))
    verdict = "It pays." if gain > cost else "It does not pay."
    words = f"Component {K} improves the fit by {gain:.1f} nats and costs {cost:.1f}."
    return f"{words} {verdict} ELBO {elbo[K - 1]:.1f} nats."
