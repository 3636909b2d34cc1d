"""Explorer of notebook 07: a table with holes, completed by MAP and VB."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.factorization import METHODS, draw_table
from vbkit.factorization import fit, fit_map, init_random
from vbkit.widgets.controls import select_slider, slider
from vbkit.widgets.explorer import Explorer

SHARES = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)
TABLE, RANK, NOISE, MOST = (
    (24, 36),
    3,
    0.25,
    8,
)  # shape, true rank, noise variance, columns offered at most


@lru_cache
def completions():
    """A table of rank 3: truth, truth with noise, the order in which entries are seen; and for each of SHARES and 1 to
    MOST columns the tables by MAP and VB (true hyperparameters) and empirical VB (shares, columns, 3, L, M)."""
    rng = np.random.default_rng(0)
    truth = rng.standard_normal((TABLE[0], RANK)) @ rng.standard_normal((RANK, TABLE[1]))
    V, order = truth + np.sqrt(NOISE) * rng.standard_normal(TABLE), rng.random(TABLE)
    tables = np.empty((len(SHARES), MOST, 3, *TABLE))
    for i, share in enumerate(SHARES):
        holes = np.where(order < share, V, np.nan)
        for H in range(1, MOST + 1):
            start = init_random(
                holes, H, np.random.default_rng(0), prior_a=1.0, prior_b=1.0, noise=NOISE
            )
            often = {"max_sweeps": 150, "tolerance": 1e-3}
            ends = (
                fit_map(holes, start, **often),
                fit(holes, start, learn_prior=False, learn_noise=False, **often),
            )
            tables[i, H - 1] = [f.mean() for f in (*ends, fit(holes, start, **often))]
    return truth, V, order, tables


def explorer() -> Explorer:
    """Choose how much of a table is seen and how many columns are offered."""
    completions()  # all of them, now: no position of a slider has to wait
    controls = {
        "share": select_slider(
            "Share of entries seen", [(f"{100 * q:.0f} %", q) for q in SHARES], 0.3, play=400
        ),
        "columns": slider("Columns offered", 1, MOST, 6, play=400),
    }
    alt = (
        "Three tables in colour: what is seen, completed by MAP, completed by empirical VB. Two graphs: the error on "
        "hidden entries by share seen, and by columns offered, for MAP, VB and empirical VB."
    )
    look = {"title": "A table with holes", "alt": alt, "status": status, "size": (11.0, 4.6)}
    return Explorer(controls, compute, setup, draw, **look)


def compute(share, columns):
    truth, V, order, tables = completions()
    hidden = [(order >= q, table - truth) for q, table in zip(SHARES, tables, strict=True)]
    errors = np.array([np.sqrt(np.mean(error[..., h] ** 2, axis=-1)) for h, error in hidden])
    i = SHARES.index(share)
    shown = np.where(order < share, V, np.nan), tables[i, columns - 1, 0], tables[i, columns - 1, 2]
    return {"tables": shown, "errors": errors, "at": (i, columns - 1), "truth": truth}


def setup(figure):
    grid = figure.add_gridspec(2, 6)
    images = [
        draw_table(figure.add_subplot(grid[0, 2 * k : 2 * k + 2]), np.zeros(TABLE), top=4)
        for k in range(3)
    ]
    for image, words in zip(
        images, ("what is seen", "completed by MAP", "completed by empirical VB"), strict=True
    ):
        image.axes.set_title(words)
    by_share, by_columns = figure.add_subplot(grid[1, :3]), figure.add_subplot(grid[1, 3:])
    by_share.set(
        xlabel="share of entries seen",
        ylabel="error on hidden entries",
        xlim=(0.05, 0.95),
        ylim=(0, 2.5),
    )
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
    artists["share now"].set_xdata([values["share"]] * 2)
    artists["columns now"].set_xdata([values["columns"]] * 2)


def status(arrays, values) -> str:
    found = ", ".join(
        f"{m} {e:.2f}" for m, e in zip(METHODS, arrays["errors"][arrays["at"]], strict=False)
    )
    return f"{100 * values['share']:.0f} % seen, {values['columns']} columns offered. Error on hidden entries: {found}."


EXPLORERS = {"07 completion": explorer}
