"""OldExplorer: eight factors are offered to ten gauges, and those that nothing needs die."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider

GAUGES, OFFERED = 10, 8
DAYS = (20, 50, 100, 400)
STRONG, THIRDS = (
    (4.0, 3.0),
    (0.0, 0.5, 1.0, 2.0),
)  # lengths of two causes, and of the third
SWEEPS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 40, 50, 70, 100)


def gauges(
    rng: np.random.Generator, days: int, third: float, causes=STRONG
) -> np.ndarray:
    """Return rows (days, GAUGES): causes of the given lengths, the `third` last, whose loadings
    are at right angles, and noise of sd 1."""
    lengths = np.array([*causes, third])
    axes = np.linalg.qr(rng.standard_normal((GAUGES, len(lengths))))[0]
    z = rng.standard_normal((days, len(lengths)))
    return z @ (axes * lengths).T + rng.standard_normal((days, GAUGES))


def sweep(x, v, C):
    """The sweep of the chapter: readings x (n, D) with noise of sd 1, means v (D, Q) of the
    loadings, and their covariance C (Q, Q) for each gauge."""
    n, (D, Q) = len(x), v.shape
    alpha = D / ((v**2).sum(axis=0) + D * np.diag(C))
    spread = np.linalg.inv(np.eye(Q) + v.T @ v + D * C)
    m = x @ v @ spread
    C = np.linalg.inv(m.T @ m + n * spread + np.diag(alpha))
    return x.T @ m @ C, C


@lru_cache
def lives(days: int, third: float):
    """Of the explorer, over SWEEPS: the lengths (sweeps, OFFERED) of the columns, and the numbers
    (sweeps,) of factors that count."""
    X, lengths, alive = gauges(np.random.default_rng(11), days, third), [], []
    v, C = (
        np.linalg.svd(X, full_matrices=False)[2][:OFFERED].T,
        np.zeros((OFFERED, OFFERED)),
    )
    for done in range(SWEEPS[-1] + 1):
        if done in SWEEPS:
            lengths.append(np.linalg.norm(v, axis=0))
            alive.append(int(np.sum(lengths[-1] ** 2 > GAUGES * np.diag(C))))
        v, C = sweep(X, v, C)
    return np.array(lengths), alive


def dying() -> OldExplorer:
    """Choose the days and the third cause, and sweep."""
    controls = {
        "sweep": select_slider("Sweeps", SWEEPS, 8, play=300),
        "days": select_slider("Days measured", DAYS, 400),
        "third": select_slider("Length of the third cause", THIRDS, 2.0),
    }

    def compute(sweep, days, third):
        lengths, alive = lives(days, third)
        now = SWEEPS.index(sweep)
        return {"lengths": lengths[: now + 1], "alive": alive[now]}

    def draw(artists, arrays, values):
        lengths = arrays["lengths"]
        shown = np.array(SWEEPS[: len(lengths)]) + 1
        for place, k in enumerate(np.argsort(-lengths[-1], kind="stable")):
            counts = place < arrays["alive"]
            artists["lines"][k].set_data(shown, lengths[:, k])
            artists["lines"][k].set(
                color=plots.COLOURS[0] if counts else plots.GREY, lw=1 + counts
            )
        artists["third"].set_ydata([values["third"]] * 2)

    def status(arrays, values):
        return f"{arrays['alive']} of {OFFERED} factors count."

    title = "Factors that die"
    return OldExplorer(
        controls, compute, _setup, draw, title=title, status=status, size=(7.0, 3.4)
    )


def _setup(figure):
    """The length of each factor's column over sweeps on a stretched axis, blue if it counts and
    else grey, and the lengths of the true causes as dotted lines.
    """
    graph = figure.subplots()
    *_, third = (graph.axhline(y, color="black", ls=":", lw=1.2) for y in (*STRONG, 0))
    graph.text(120, 4.05, "dotted: lengths of the true causes", ha="right", va="bottom")
    graph.set(
        xscale="log", xlim=(0.9, 130), ylim=(-0.1, 5), xlabel="sweeps (axis stretched)"
    )
    graph.set(
        ylabel="length (sd of the noise)",
        title="Length of each column (blue: it counts)",
    )
    marks = (
        0,
        1,
        2,
        4,
        8,
        16,
        30,
        100,
    )  # at one more than the sweeps, for the start to be seen
    graph.set_xticks([mark + 1 for mark in marks], marks)
    graph.minorticks_off()
    lines = [graph.plot([], [], ls="-")[0] for _ in range(OFFERED)]
    return {"lines": lines, "third": third}
