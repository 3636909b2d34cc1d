"""Pictures of notebook 06."""

import numpy as np

from vbkit import plots

# lines as the captions of the report's Figs 3 and 4 state them
BEST = {"linestyle": "-", "color": plots.COLOURS[0], "label": "best"}
CURRENT = {"linestyle": "-.", "color": plots.COLOURS[1], "label": "current"}
LIKELIHOOD = {"linestyle": ":", "color": plots.COLOURS[2], "label": "log-likelihood of current"}


def course(searches) -> dict[str, np.ndarray]:
    """Unfold a search epoch by epoch, given the search at the start and after each attempt.

    Returns, for each epoch, the ELBO and the number of components of the current and of the best
    model; for each attempt, the last epoch and the log-likelihood of the model that was learned.
    """
    made = [search for search in searches if not search.finished]  # the others made no attempt
    epochs = [len(search.trial.trace) - 1 for search in made]
    records = [search.records[-1] for search in made]
    before = [records[0], *records[:-1]]  # a model counts as the best once it is learned
    return {
        "current": np.concatenate([search.trial.trace[1:] for search in made]),
        "best": np.repeat([record.best_elbo for record in before], epochs),
        "components": np.repeat([record.K for record in records], epochs),
        "best_components": np.repeat([record.best_K for record in before], epochs),
        "log_likelihood": np.array([record.log_likelihood for record in records]),
        "ends": np.cumsum(epochs) - 1,
    }


def draw_course(upper, lower, arrays, *, span: float):
    """Draw a panel of the report's Figs 3 and 4 from the arrays of `course`.

    The upper axes show the ELBO, down to `span` nats below the best, and the log-likelihood; the
    lower axes show the number of components.
    """
    upper.plot(arrays["current"], lw=1.3, **CURRENT)
    upper.plot(arrays["best"], **BEST)
    ends, likelihood = np.append(0, arrays["ends"]), arrays["log_likelihood"]
    upper.plot(ends, np.append(likelihood[0], likelihood), drawstyle="steps-pre", **LIKELIHOOD)
    best = arrays["best"][-1]
    upper.set(ylim=(best - span, max(best, likelihood.max()) + 0.1 * span), xticklabels=[])
    lower.plot(arrays["components"], lw=1.3, **CURRENT)
    lower.plot(arrays["best_components"], **BEST)
    lower.set(ylim=(0, 11.5), yticks=[2, 4, 10])
    for ax in (upper, lower):
        ax.set_xlim(0, len(arrays["best"]) - 1)


def draw_gains(ax, table):
    """Draw gains after learning against gains before; table: (kind, ...) -> (before, after)."""
    for k, kind in enumerate(("split", "merge", "delete")):
        gains = np.array([gain for move, gain in table.items() if move[0] == kind])
        ax.plot(*gains.T, plots.MARKERS[k], color=plots.COLOURS[k], label=kind)
    before, after = np.array(list(table.values())).T
    margin = 0.1 * np.ptp(after)
    ax.axline((0, 0), slope=1, color=plots.GREY, lw=1, ls="-", zorder=0)
    ax.axhline(0, color=plots.GREY, lw=0.8, ls=":", zorder=0)
    ax.set_xlim(1.05 * before.min(), max(0, before.max()) - 0.05 * before.min())
    ax.set_ylim(after.min() - margin, after.max() + margin)


def draw_profiles(ax, profiles, stuck):
    """Draw the ELBO (data sets, n) of 1 to n components, dashed for data sets that are `stuck`."""
    n_components = np.arange(1, profiles.shape[1] + 1)
    for k, name, rows in ((1, "stays at two", stuck), (0, "goes on", ~stuck)):
        style = plots.line_style(k)
        ax.plot(n_components, profiles[rows].T, lw=0.8, alpha=0.35, **style)
        ax.plot([], [], label=f"search {name} ({rows.sum()} data sets)", **style)
    ax.axhline(0, color=plots.GREY, lw=0.8, ls=":")
    ax.legend(loc="upper right")
    ax.set_xlim(0.8, 8.2)


def draw_chance(ax, betas, rates):
    """Draw rates with their 95 % intervals against beta.

    rates: name -> list of `vbkit.ledger.rate`, the last one for the greedy search.
    """
    x = np.arange(len(betas) + 1)
    for k, (name, shares) in enumerate(rates.items()):
        at, (low, high) = x + 0.09 * (k - 1.5), np.array([(s.low, s.high) for s in shares]).T
        ax.vlines(at, low, high, color=plots.COLOURS[k], lw=1)
        values = [s.value for s in shares]
        ax.plot(at, values, label=name, lw=1.2, **plots.line_style(k, True))
    ax.set_xticks(x, [*(f"{b:g}" for b in betas), "greedy"])
    ax.set_ylim(0, 1.05)


def draw_stream(axes, seen, truth, truth_ahead, followed):
    """Draw numbers of components and log predictive densities after `seen` (n,) data points.

    followed: name -> {"components": (n,), "ahead": (n,)}.
    """
    upper, lower = axes
    upper.step(seen, truth, where="post", color="black", ls="-", lw=4, alpha=0.25, label="truth")
    for k, (name, run) in enumerate(followed.items()):
        upper.step(seen, run["components"], where="post", label=name, **plots.line_style(k))
        lower.plot(seen, run["ahead"] - truth_ahead, **plots.line_style(k))
    lower.axhline(0, color="black", lw=4, alpha=0.25)
    upper.set(ylabel="number of components", ylim=(0.5, 6.5))
    upper.legend(loc="upper left", ncols=3)
    lower.set(xlabel="data seen", ylabel="log predictive density\nminus truth's (nats)")
