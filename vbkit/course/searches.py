"""The second experiment of Sato (2000): searches, how they are run and drawn, Figures 3 and 4."""

from copy import deepcopy
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.course.sato import sato_mixture
from vbkit.learning import batch_epochs, init_gaussian, online_epochs, sato2000
from vbkit.structure import (
    iterate_search,
    learn_batch,
    learn_online,
    split_halves,
    start_search,
)
from vbkit.structure.statistics import log_likelihoods

SCHEDULE = (100.0, 0.01)  # the report's tau0 and kappa
SPANS = {"A": 80, "B": 350}  # nats shown below the best
# Panels A to D.
CELLS = [(name, n_components) for name in "AB" for n_components in (2, 10)]


def learner(name, method, tau0=100.0, kappa=0.01):
    """Return how data set `name` is learned after each change of structure."""
    if method == "batch":
        return learn_batch
    return partial(
        learn_online, max_epochs={"A": 60, "B": 20}[name], tau0=tau0, kappa=kappa
    )


def search(
    points,
    name,
    model,
    prior_strength,
    method,
    n_components,
    rng,
    *,
    schedule=SCHEDULE,
    learn=None,
    temperature: float | None = None,
    split_by=split_halves,
):
    """Return the search at the start and after each of at most 40 attempts.

    schedule: tau0 and kappa. learn: how models are learned, by default as `learner` says.
    temperature, split_by: as of `vbkit.structure.start_search`.
    """
    if learn is None:
        tau0, kappa = schedule
        learn = learner(name, method, tau0, kappa)
    prior = partial(sato_mixture, points, model=model, prior_strength=prior_strength)
    start = init_gaussian(prior(n_components), points, n_components, rng)
    first = start_search(
        prior,
        points,
        start,
        rng,
        learn=learn,
        temperature=temperature,
        split_by=split_by,
        candidates=1,
    )
    return [first, *iterate_search(first, attempts=40)]


def with_likelihoods(learn, curves, tau0=100.0, kappa=0.01):
    """Return `learn`, made to append to `curves` the log-likelihood (epochs,) after each epoch.

    It goes through the epochs a second time, with the same random numbers.
    """

    def learn_again(mixture, data, S, rng):
        again = deepcopy(rng)
        fit = learn(mixture, data, S, rng)
        states = batch_epochs(mixture, data, S)
        if fit.schedule is not None:
            schedule = sato2000(len(data.X), tau0=tau0, kappa=kappa)
            states = online_epochs(mixture, data, S, schedule, rng=again, monitor=False)
        later = [S for S, *_ in islice(states, 1, fit.epochs + 1)]
        curves.append(log_likelihoods(mixture, data, later))
        return fit

    return learn_again


def course(searches, curves) -> dict[str, np.ndarray]:
    """Unfold a search epoch by epoch, given the search at the start and after each attempt.

    curves: the log-likelihoods of each attempt (see `with_likelihoods`). Returns, for each epoch,
    the ELBO, the number of components and the log-likelihood of the current model, and the ELBO and
    the number of components of the best one; for each attempt, its last epoch.
    """
    # A search that is finished made no attempt.
    made = [search for search in searches if not search.finished]
    epochs = [len(search.trial.trace) - 1 for search in made]
    records = [search.records[-1] for search in made]
    # A model counts as the best once it is learned.
    before = [records[0], *records[:-1]]
    return {
        "current": np.concatenate([search.trial.trace[1:] for search in made]),
        "best": np.repeat([record.best_elbo for record in before], epochs),
        "components": np.repeat([record.K for record in records], epochs),
        "best_components": np.repeat([record.best_K for record in before], epochs),
        "log_likelihood": np.concatenate(curves),
        "ends": np.cumsum(epochs) - 1,
    }


class FourSearches(NamedTuple):
    """The searches behind a figure, and what it draws of them.

    paths: panel -> the search at the start and after each attempt; courses: panel -> its
    arrays (see `course`).
    """

    paths: dict[str, list]
    courses: dict[str, dict[str, np.ndarray]]


def four_searches(X, model, prior_strength, method, seed, tau0, kappa) -> FourSearches:
    """Run the four searches of Fig. 3 ("online") or Fig. 4 ("batch").

    X: "A" and "B" -> points.
    """
    searches = FourSearches({}, {})
    for panel, (name, n_components) in zip("ABCD", CELLS, strict=True):
        order = np.random.default_rng([seed, n_components])
        curves = []
        learn = with_likelihoods(
            learner(name, method, tau0, kappa), curves, tau0, kappa
        )
        path = search(
            X[name],
            name,
            model,
            prior_strength,
            method,
            n_components,
            order,
            learn=learn,
        )
        searches.paths[panel] = path
        searches.courses[panel] = course(path, curves)
    return searches


def figure_of_searches(searches, alt, panels="ABCD") -> plots.Picture:
    """Draw two or all panels of four searches; the arrays are those of all panels."""
    fig, axes = plots.figure(
        9,
        1.9 * len(panels),
        ncols=2,
        nrows=len(panels),
        height_ratios=[2, 1] * (len(panels) // 2),
    )
    arrays = {}
    for panel, (name, n_components) in zip("ABCD", CELLS, strict=True):
        drawn = searches.courses[panel]
        arrays |= {f"{panel}_{key}": values for key, values in drawn.items()}
        if panel in panels:
            row, column = divmod(panels.index(panel), 2)
            upper = axes[4 * row + column]
            lower = axes[4 * row + column + 2]
            draw_course(upper, lower, drawn, span=SPANS[name])
            title = f"Data {name}, from {n_components}: ELBO (nats)"
            upper.set_title(title, loc="left")
    fig.legend(
        *axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=6
    )
    return plots.Picture(fig, alt, arrays)


# Lines look as the captions of the report's Figs 3 and 4 state them.


def draw_current(ax, epochs, values):
    """Draw what belongs to the current model over the epochs (n,)."""
    ax.plot(epochs, values, color=plots.COLOURS[1], ls="-.", lw=1.3, label="current")


def draw_best(ax, epochs, values):
    """Draw what belongs to the best model over the epochs (n,)."""
    ax.plot(epochs, values, color=plots.COLOURS[0], ls="-", label="best")


def draw_course(upper, lower, arrays, *, span: float):
    """Draw a search of the report's Figs 3 and 4 from the arrays of `course`.

    The upper axes show the ELBO, down to `span` nats below the best, and the log-likelihood; the
    lower axes show the number of components. Triangles mark moves; those in vain are shaded.
    """
    ends = arrays["ends"]
    current = arrays["current"]
    best = arrays["best"]
    at = np.arange(len(best))
    starts = np.append(0, ends[:-1] + 1)
    up = arrays["components"][starts] > arrays["best_components"][starts]
    kept = np.append(best[starts[1:]], max(best[-1], current[-1])) > best[starts] + 0.05
    vain = np.repeat(~kept, np.diff(ends, prepend=-1)) & (at > ends[0])
    upper.plot(
        at,
        arrays["log_likelihood"],
        color=plots.COLOURS[2],
        ls=":",
        lw=1.3,
        label="log-likelihood of current",
    )
    draw_current(upper, at, current)
    learned = ends[0] + 1  # none is the best before one has been learned
    draw_best(upper, at[learned:], best[learned:])
    for marker, name, where in (("^", "split", up), ("v", "merge or delete", ~up)):
        moves = np.where(where, best[-1] - 0.95 * span, np.nan)[1:]
        upper.plot(starts[1:], moves, marker, color="black", ms=6, label=name)
    draw_current(lower, at, arrays["components"])
    draw_best(lower, at, arrays["best_components"])
    for ax in (upper, lower):
        ax.fill_between(
            at,
            0,
            1,
            vain,
            transform=ax.get_xaxis_transform(),
            color="0.88",
            label="rejected",
        )
        ax.set_xlim(0, at[-1])
    upper.set(
        ylim=(best[-1] - span, arrays["log_likelihood"].max() + 0.1 * span),
        xticklabels=[],
    )
    lower.set(ylim=(0, 11.5), yticks=[2, 4, 10], xlabel="epochs", ylabel="components")
