"""OldExplorer: a table with holes, completed in four ways."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.missing_entries.pictures import draw_table
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import dropdown, select_slider
from vbkit.factorization import fit, fit_map, init_random, solve_empirical

SHARES = (0.1, 0.2, 0.3, 0.4, 0.6, 0.8)
SHAPE, RANK, NOISE = (
    (24, 36),
    3,
    0.25,
)  # of the table; its true rank; the noise variance
COLUMNS = (1, 2, 3, 4, 6, 8)  # offered
METHODS = ("zeros put in", "MAP", "VB", "empirical VB")
STOP = {"max_sweeps": 100, "tolerance": 3e-3}


def make_table(seed: int, shape=SHAPE):
    """Return a true table of rank 3, the same with noise, and the order in which it is seen."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal((shape[0], RANK)) @ rng.standard_normal(
        (RANK, shape[1])
    )
    return truth, truth + np.sqrt(NOISE) * rng.standard_normal(shape), rng.random(shape)


def complete(holes, columns: int) -> list[np.ndarray]:
    """Complete a table by each of METHODS; MAP and VB are told the true hyperparameters."""
    rng = np.random.default_rng(0)
    start = init_random(holes, columns, rng, prior_a=1.0, prior_b=1.0, noise=NOISE)
    told = fit(holes, start, learn_prior=False, learn_noise=False, **STOP)
    zeros = solve_empirical(np.nan_to_num(holes), H=columns)
    return [
        f.mean()
        for f in (zeros, fit_map(holes, start, **STOP), told, fit(holes, start, **STOP))
    ]


@lru_cache
def completions():
    """Return the completed tables (shares, columns, methods, L, M), their errors on the hidden
    entries (shares, columns, methods), and the error of zero everywhere (shares,)."""
    truth, V, order = make_table(0)
    tables = np.empty((len(SHARES), len(COLUMNS), len(METHODS), *SHAPE))
    errors, zero = np.empty(tables.shape[:3]), np.empty(len(SHARES))
    for i, share in enumerate(SHARES):
        for k, columns in enumerate(COLUMNS):
            tables[i, k] = complete(np.where(order < share, V, np.nan), columns)
        errors[i] = np.sqrt(
            np.mean((tables[i] - truth)[..., order >= share] ** 2, axis=-1)
        )
        zero[i] = np.sqrt(np.mean(truth[order >= share] ** 2))
    return tables, errors, zero


def completion() -> OldExplorer:
    """Choose how much of a table is seen, how many columns are offered, and the method."""
    completions()  # all of them now, so that no position of a slider has to wait
    shares = [(f"{100 * share:.0f} %", share) for share in SHARES]
    controls = {
        "share": select_slider("Share of entries seen", shares, 0.4, play=500),
        "columns": select_slider("Columns offered", COLUMNS, 3, play=500),
        "method": dropdown("Completed by", METHODS, "zeros put in"),
    }

    def compute(share, columns, method):
        (tables, errors, zero), i, k = (
            completions(),
            SHARES.index(share),
            COLUMNS.index(columns),
        )
        table = tables[i, k, METHODS.index(method)]
        return {
            "table": table,
            "errors": errors[i],
            "now": errors[i, k],
            "zero": zero[i],
        }

    def draw(artists, arrays, values):
        artists["image"].set_data(arrays["table"])
        k = (
            COLUMNS.index(values["columns"]) + 1
        )  # the picture says nothing of what is to come
        for line, errors in zip(artists["lines"], arrays["errors"].T, strict=True):
            line.set_data(COLUMNS[:k], errors[:k])
        error = arrays["now"][METHODS.index(values["method"])]
        artists["now"].set_data([values["columns"]], [error])

    def status(arrays, values):
        errors = zip(METHODS, arrays["now"], strict=True)
        found = ", ".join(f"{method} {error:.2f}" for method, error in errors)
        zero = f"Zero everywhere would give {arrays['zero']:.2f}."
        return f"Error on the hidden entries: {found}. {zero}"

    title = "A table with holes, completed"
    return OldExplorer(
        controls, compute, _setup, draw, title=title, status=status, size=(8.4, 3.4)
    )


def _setup(figure):
    """Left: the completed table of 24 people and 36 films in colour. Right: the error on the
    hidden entries over the number of columns offered, up to the chosen one, a line for each method.
    """
    table, graph = figure.subplots(1, 2, width_ratios=[1.25, 1])
    image = draw_table(table, np.zeros(SHAPE), top=4)
    table.set(
        xlabel="films", ylabel="people", title="completed (ratings, from the mean)"
    )
    figure.colorbar(image, ax=table, shrink=0.9)
    graph.set(xlabel="columns offered (3 are needed)", ylabel="error on hidden entries")
    graph.set(xlim=(0.5, 8.5), ylim=(0, 3.6))
    lines = [
        graph.plot([], [], **plots.line_style(k, True, ms=4))[0]
        for k in range(len(METHODS))
    ]
    graph.legend(
        lines, METHODS, loc="upper center", ncols=2, handlelength=2.2, columnspacing=1
    ).set_zorder(0)
    now = graph.plot([], [], "o", ms=12, mfc="none", mec="black", mew=1.8)[0]
    return {"image": image, "lines": lines, "now": now}
