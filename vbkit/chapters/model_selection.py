"""Sato 2000, sections 4 and 5: choosing the structure while learning, move by move; drawings of notebook 06."""

from functools import lru_cache, partial

import numpy as np

from vbkit import plots
from vbkit.chapters.batch_vs_online import setup_planes
from vbkit.chapters.models import FAMILIES, sato_mixture
from vbkit.data import sato2000 as data_set
from vbkit.learning import init_gaussian
from vbkit.structure import learn_batch, learn_online, start_search, step_search
from vbkit.widgets.controls import dropdown, log_slider, select_slider, slider
from vbkit.widgets.explorer import Explorer

MOVES = 16
GREEDY = np.inf
# learning is cut short, so that a whole search takes no longer than a slider may
LEARNERS = {
    ("A", "batch"): partial(learn_batch, max_epochs=30, tolerance=0.05),
    ("A", "online"): partial(learn_online, max_epochs=12, tolerance=0.05),
    ("B", "batch"): partial(learn_batch, max_epochs=30, tolerance=0.05),
    ("B", "online"): partial(learn_online, max_epochs=6, tolerance=0.05),
}
REACH = {"A": (-1000.0, -895.0), "B": (-5760.0, -5470.0)}  # nats shown

# lines as the captions of the report's Figs 3 and 4 state them
BEST = {"linestyle": "-", "color": plots.COLOURS[0], "label": "best"}
CURRENT = {"linestyle": "-.", "color": plots.COLOURS[1], "label": "current"}
LIKELIHOOD = {"linestyle": ":", "color": plots.COLOURS[2], "label": "log-likelihood of current"}


@lru_cache(8)
def points(data):
    """Data set "A" or "B" (N, 2) of the explorer; chosen, because greedy search from two components is stuck on this A."""
    return data_set(data, np.random.default_rng(6))[0]


@lru_cache(4096)
def after(move, data, model, n_components, gamma0, method, beta):
    """The search after so many attempts, each made from the one before: going back costs nothing, going on one move."""
    if move:
        return step_search(after(move - 1, data, model, n_components, gamma0, method, beta))
    X, rng = points(data), np.random.default_rng(0)
    prior = partial(sato_mixture, X, model=model, gamma0=gamma0)
    start = init_gaussian(prior(n_components), X, n_components, rng)
    return start_search(
        prior, X, start, rng, learn=LEARNERS[data, method], beta=None if beta == GREEDY else beta
    )


def explorer() -> Explorer:
    """Step through the attempts of a search for the number of components."""
    controls = {
        "move": slider("Attempt", 0, MOVES, 3, play=700),
        "data": dropdown("Data set", ["A", "B"], "A"),
        "model": dropdown("Components' shape", list(FAMILIES), "isotropic"),
        "n_components": dropdown("Start with", [("2 components", 2), ("10 components", 10)], 10),
        "method": dropdown("Learning", ["batch", "online"], "batch"),
        "gamma0": log_slider("Prior strength (pseudo-data)", 0.01, 10, 1, 2),
        "beta": select_slider(
            "Accepting worse models: beta", [("greedy", GREEDY), 3.0, 1.0, 0.3, 0.1, 0.03], GREEDY
        ),
    }
    alt = (
        "Left and middle: the data with the components of the current and of the best model as ellipses of two standard "
        "deviations after the chosen attempt. Right: bound and number of components of both against attempts."
    )
    title = "The search for the number of components, attempt by attempt"
    return Explorer(
        controls,
        compute,
        setup,
        draw,
        title=title,
        alt=alt,
        status=status,
        size=(10.5, 4.0),
        cache=1024,
    )


def compute(move, **settings):
    selection = after(move, **settings)
    n_components = [fit.mixture.parameters(fit.S) for fit in (selection.trial, selection.best)]
    return {
        "X": selection.rules.data.X,
        "n_components": n_components,
        "records": selection.records,
        "finished": selection.finished,
    }


def setup(figure):
    ratios = {"width_ratios": [1, 1, 1.1], "height_ratios": [1.6, 1]}
    artists, bound, number = setup_planes(figure, ("Current model", "Best model"), **ratios)
    ticks = range(0, MOVES + 1, 4)
    bound.set(xlim=(-0.5, MOVES + 0.5), xticks=ticks, xticklabels=[])
    number.set(
        xlabel="attempt",
        ylabel="n_components",
        xlim=(-0.5, MOVES + 0.5),
        xticks=ticks,
        ylim=(0, 11.5),
    )
    for name, ax in (("bound", bound), ("number", number)):
        artists[name] = [
            ax.plot([], [], drawstyle="steps-post", **style)[0] for style in (BEST, CURRENT)
        ]
        artists[name + " now"] = ax.plot([], [], "o", color="black", ms=5)[0]
    number.legend(handles=artists["number"], loc="upper right", ncols=2, borderaxespad=0.0)
    return artists


def draw(artists, arrays, values):
    for n_components, (weights, centres, covariances) in zip(
        artists["components"], arrays["n_components"], strict=True
    ):
        plots.update_ellipses(n_components, centres, covariances, weights)
    records = arrays["records"]
    at = [record.attempt for record in records]
    for name, best, current in (("bound", "best_elbo", "elbo"), ("number", "best_K", "K")):
        for line, key in zip(artists[name], (best, current), strict=True):
            line.set_data(at, [getattr(record, key) for record in records])
        artists[name + " now"].set_data([at[-1]], [getattr(records[-1], current)])
    return artists["fit"](arrays["X"], REACH[values["data"]])


def status(arrays, values) -> str:
    last = arrays["records"][-1]
    best = f"Best so far: {last.best_K} components, bound {last.best_elbo:.1f} nats."
    if last.kind == "start":
        return f"Start: {last.K} components, bound {last.elbo:.1f} nats. {best}"
    what = f"{last.kind} component{'s' if len(last.components) > 1 else ''} {' and '.join(str(k + 1) for k in last.components)}"
    verdict = "accepted" if last.accepted else "rejected"
    over = " Nothing is left to try." if arrays["finished"] else ""
    change = last.elbo - last.base_elbo
    return f"Attempt {last.attempt}: {what}; {change:+.1f} nats after learning, {verdict}. {best}{over}"


# ---- drawings of the notebook ------------------------------------------------------------------------------------


def course(selections) -> dict:
    """A search epoch by epoch, from its selections (the first and those after each attempt).

    Bound of the current and of the best model, numbers of components of both, all (epochs,); the log-likelihood of the
    current model where its learning ended, (attempts,), and those epochs, `ends`.
    """
    runs, best, best_K = [], -np.inf, 0
    columns = {key: [] for key in ("current", "best", "n_components", "best_components")}
    for selection in selections:
        if selection.finished:  # this one made no attempt
            break
        trace, last = selection.trial.trace[1:], selection.records[-1]
        runs.append(len(trace))
        columns["current"] += list(trace)
        columns["n_components"] += [last.K] * len(trace)
        if last.kind == "start":
            best, best_K = last.elbo, last.K
        columns["best"] += [best] * len(
            trace
        )  # a model counts as the best from the end of its learning on
        columns["best_components"] += [best_K] * len(trace)
        best, best_K = last.best_elbo, last.best_K
    likelihood = [record.log_likelihood for record in selections[-1].records]
    ends = np.cumsum(runs) - 1
    return {key: np.array(v) for key, v in columns.items()} | {
        "log_likelihood": np.array(likelihood),
        "ends": ends,
    }


def draw_course(bound, number, arrays, *, span: float):
    """A panel of the report's Figs 3 and 4 from `course`: bounds and log-likelihood above, numbers of components below; the
    upper axes show `span` nats below the best ELBO."""
    bound.plot(arrays["current"], **CURRENT | {"lw": 1.3})
    bound.plot(arrays["best"], **BEST)
    ends, likelihood = np.append(0, arrays["ends"]), arrays["log_likelihood"]
    bound.plot(ends, np.append(likelihood[0], likelihood), drawstyle="steps-pre", **LIKELIHOOD)
    top = max(arrays["best"][-1], likelihood.max())
    bound.set(ylim=(arrays["best"][-1] - span, top + 0.1 * span), xticklabels=[])
    number.plot(arrays["n_components"], **CURRENT | {"lw": 1.3})
    number.plot(arrays["best_components"], **BEST)
    number.set(ylim=(0, 11.5), yticks=[2, 4, 10])
    for ax in (bound, number):
        ax.set_xlim(0, len(arrays["best"]) - 1)


def draw_gains(ax, table):
    """Gain after learning against gain before, with the diagonal; table: (kind, ...) -> (before, after)."""
    for k, kind in enumerate(("split", "merge", "delete")):
        points = np.array([gain for move, gain in table.items() if move[0] == kind])
        ax.plot(*points.T, plots.MARKERS[k], color=plots.COLOURS[k], label=kind)
    before, after = np.array(list(table.values())).T
    ax.axline((0, 0), slope=1, color=plots.GREY, lw=1, ls="-", zorder=0)
    margin = 0.1 * np.ptp(after)
    ax.set(xlim=(1.05 * before.min(), max(0, before.max()) - 0.05 * before.min()))
    ax.set(ylim=(after.min() - margin, after.max() + margin))
    ax.axhline(0, color=plots.GREY, lw=0.8, ls=":", zorder=0)


def draw_profiles(ax, profiles, stuck):
    """Bounds (data sets, n) over 1 to n components, a line a data set; dashed where `stuck` (data sets,) is true."""
    n_components = np.arange(1, profiles.shape[1] + 1)
    for mask, style, name in (
        (stuck, "--", "search stays at two"),
        (~stuck, "-", "search goes on"),
    ):
        colour = plots.COLOURS[int(style == "--")]
        ax.plot(n_components, profiles[mask].T, color=colour, ls=style, lw=0.8, alpha=0.35)
        ax.plot([], [], color=colour, ls=style, label=f"{name} ({mask.sum()} data sets)")
    ax.axhline(0, color=plots.GREY, lw=0.8, ls=":")
    ax.legend(loc="upper right")
    ax.set_xlim(0.8, 8.2)


def draw_chance(ax, betas, rates):
    """Rates with their 95 % intervals against beta, the last of each list for the greedy search; rates: name -> list of
    `vbkit.ledger.rate`."""
    at = np.arange(len(betas) + 1)
    for k, (name, shares) in enumerate(rates.items()):
        x = at + 0.09 * (k - 1.5)
        ax.vlines(
            x, [s.low for s in shares], [s.high for s in shares], color=plots.COLOURS[k], lw=1
        )
        ax.plot(x, [s.value for s in shares], label=name, lw=1.2, **plots.line_style(k, True))
    ax.set_xticks(at, [*(f"{b:g}" for b in betas), "greedy"])
    ax.set_ylim(0, 1.05)


def draw_stream(axes, seen, truth, truth_ahead, followed):
    """Numbers of components and log predictive densities after `seen` (n,) data; followed: name -> {"components", "ahead"}."""
    iterate_search = {"drawstyle": "steps-post"}
    axes[0].plot(seen, truth, color="black", lw=4, alpha=0.25, label="truth", **iterate_search)
    for k, (name, run) in enumerate(followed.items()):
        look = plots.line_style(k, label=name)
        axes[0].plot(seen, run["n_components"], **look, **iterate_search)
        axes[1].plot(seen, run["ahead"] - truth_ahead, **look)
    axes[1].axhline(0, color="black", lw=4, alpha=0.25)
    axes[0].set(ylabel="number of components", ylim=(0.5, 6.5))
    axes[0].legend(loc="upper left", ncols=3)
    axes[1].set(xlabel="data seen", ylabel="log predictive density\nminus truth's (nats)")


EXPLORERS = {"06": explorer}
