"""Explorer of notebook 07: a table with holes, completed by MAP and VB."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.factorization.pictures import METHODS, draw_table
from vbkit.factorization import fit, fit_map, init_random
from vbkit.widgets import Explorer, select_slider, slider

SHARES = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
SHAPE, RANK, NOISE = (24, 36), 3, 0.25  # of the table; its true rank; the noise variance
MOST = 8  # columns offered at most


def complete(holes, columns):
    """Complete a table by MAP and by VB, both with true hyperparameters, and by empirical VB."""
    rng, stop = np.random.default_rng(0), {"max_sweeps": 150, "tolerance": 1e-3}
    start = init_random(holes, columns, rng, prior_a=1.0, prior_b=1.0, noise=NOISE)
    known = fit(holes, start, learn_prior=False, learn_noise=False, **stop)
    return [f.mean() for f in (fit_map(holes, start, **stop), known, fit(holes, start, **stop))]


@lru_cache
def completions():
    """Make a table of rank 3 and complete it in every way that the explorer shows.

    Returns the truth and the truth with noise (L, M), the order in which entries are seen (L, M),
    and the completed tables for each of SHARES and 1 to MOST columns (shares, columns, 3, L, M).
    """
    rng = np.random.default_rng(0)
    truth = rng.standard_normal((SHAPE[0], RANK)) @ rng.standard_normal((RANK, SHAPE[1]))
    V, order = truth + np.sqrt(NOISE) * rng.standard_normal(SHAPE), rng.random(SHAPE)
    tables = np.empty((len(SHARES), MOST, 3, *SHAPE))
    for i, share in enumerate(SHARES):
        for columns in range(1, MOST + 1):
            tables[i, columns - 1] = complete(np.where(order < share, V, np.nan), columns)
    return truth, V, order, tables


def explorer() -> Explorer:
    """Choose how much of a table is seen and how many columns are offered."""
    completions()  # all of them now, so that no position of a slider has to wait
    shares = [(f"{100 * share:.0f} %", share) for share in SHARES]
    controls = {
        "share": select_slider("Share of entries seen", shares, 0.3, play=400),
        "columns": slider("Columns offered", 1, MOST, 6, play=400),
    }
    title = "A table with holes"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(11.0, 4.6))


def compute(share, columns):
    truth, V, order, tables = completions()
    hidden = [(order >= q, table - truth) for q, table in zip(SHARES, tables, strict=True)]
    errors = np.array([np.sqrt(np.mean(error[..., h] ** 2, axis=-1)) for h, error in hidden])
    at, seen = (SHARES.index(share), columns - 1), np.where(order < share, V, np.nan)
    return {"tables": (seen, *tables[at][[0, 2]]), "errors": errors, "at": at}


def setup(figure):
    """Three tables in colour: what is seen, completed by MAP, completed by empirical VB. Two
    graphs: the error on hidden entries by share seen, and by columns offered, for MAP, VB and
    empirical VB.
    """
    grid, images = figure.add_gridspec(2, 6), []
    for k, title in enumerate(("what is seen", "completed by MAP", "completed by empirical VB")):
        ax = figure.add_subplot(grid[0, 2 * k : 2 * k + 2], title=title)
        images.append(draw_table(ax, np.zeros(SHAPE), top=4))
    by_share, by_columns = figure.add_subplot(grid[1, :3]), figure.add_subplot(grid[1, 3:])
    by_share.set(xlabel="share of entries seen", xlim=(0.05, 0.95), ylim=(0, 2.5))
    by_share.set_ylabel("error on hidden entries")
    by_columns.set(xlabel="columns offered (true rank 3)", xlim=(0.7, MOST + 0.3), ylim=(0, 2.5))
    artists = {"images": images}
    for name, ax in (("share", by_share), ("columns", by_columns)):
        artists[name] = [ax.plot([], [], **plots.line_style(k, True, ms=4))[0] for k in range(3)]
        artists[f"{name} now"] = ax.axvline(0, color=plots.GREY, lw=1)
    by_share.legend(artists["share"], METHODS[:3], loc="upper right")
    return artists


def draw(artists, arrays, values):
    (i, j), errors = arrays["at"], arrays["errors"]
    for image, table in zip(artists["images"], arrays["tables"], strict=True):
        image.set_data(table)
    for k in range(3):
        artists["share"][k].set_data(SHARES, errors[:, j, k])
        artists["columns"][k].set_data(np.arange(1, MOST + 1), errors[i, :, k])
    for name in ("share", "columns"):
        artists[f"{name} now"].set_xdata([values[name]] * 2)


def status(arrays, values) -> str:
    errors = zip(METHODS[:3], arrays["errors"][arrays["at"]], strict=True)
    found = ", ".join(f"{method} {error:.2f}" for method, error in errors)
    seen = f"{100 * values['share']:.0f} % seen, {values['columns']} columns offered"
    return f"{seen}. Error on hidden entries: {found}."
