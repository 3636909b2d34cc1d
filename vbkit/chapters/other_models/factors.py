"""Explorer: eight factors are offered to ten gauges, and those that nothing needs die."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.families import LinearRegression
from vbkit.latent import FactorAnalysis
from vbkit.widgets import Explorer, select_slider

GAUGES, OFFERED = 10, 8
DAYS = (20, 50, 100, 400)
THIRDS = (0.0, 0.5, 1.0, 2.0)  # of the third cause; the others have 4 and 3
PALE = "#999999"
SWEEPS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 40, 50, 70, 100)


def gauges(rng: np.random.Generator, days: int, third: float, causes=(4.0, 3.0)) -> np.ndarray:
    """Return rows (days, GAUGES): causes of the given lengths, the `third` last, whose loadings
    are at right angles, and noise of sd 1."""
    lengths = np.array([*causes, third])
    axes = np.linalg.qr(rng.standard_normal((GAUGES, len(lengths))))[0]
    z = rng.standard_normal((days, len(lengths)))
    return z @ (axes * lengths).T + rng.standard_normal((days, GAUGES))


def analysis(columns: int, offered: int = OFFERED) -> FactorAnalysis:
    """Return the model: so many `offered` factors of rows of so many columns around 0."""
    return FactorAnalysis(LinearRegression(np.zeros(offered), np.zeros(columns)))


def sweeps(model: FactorAnalysis, X, marks=SWEEPS) -> list:
    """Return the states after so many batch sweeps, for each of `marks`."""
    S, found = model.m_step(X, np.ones((len(X), 1))), []
    for sweep in range(marks[-1] + 1):
        if sweep in marks:
            found.append(S)
        S = model.e_step(X, S).S
    return found


def in_units_of_noise(model: FactorAnalysis, S) -> np.ndarray:
    """The expected loadings (D, offered) of the only component, each row in its noise's sd."""
    found = model.parameters(S)
    return found.loadings[0] / np.sqrt(found.noise[0])[:, None]


@lru_cache
def lives():
    """Of the explorer: loadings (days, lengths, sweeps, GAUGES, OFFERED) and the numbers (days,
    lengths, sweeps) of factors that count."""
    shape = len(DAYS), len(THIRDS), len(SWEEPS)
    loadings, alive = np.empty((*shape, GAUGES, OFFERED)), np.empty(shape, dtype=int)
    model = analysis(GAUGES)
    for i, days in enumerate(DAYS):
        for j, third in enumerate(THIRDS):
            X = gauges(np.random.default_rng(11), days, third)
            for k, S in enumerate(sweeps(model, X)):
                loadings[i, j, k] = in_units_of_noise(model, S)
                alive[i, j, k] = model.n_relevant(S)[0]
    return loadings, alive


def dying() -> Explorer:
    """Choose the days and the third cause, and sweep."""
    lives()
    controls = {
        "sweep": select_slider("Sweeps", SWEEPS, 2, play=300),
        "days": select_slider("Days measured", DAYS, 400),
        "third": select_slider("Length of the third cause", THIRDS, 2.0),
    }

    def compute(sweep, days, third):
        loadings, alive = lives()
        at, now = (DAYS.index(days), THIRDS.index(third)), SWEEPS.index(sweep)
        lengths = np.sqrt(np.sum(loadings[at][: now + 1] ** 2, axis=1))  # (sweeps, OFFERED)
        return {"table": loadings[at][now], "lengths": lengths, "alive": alive[at][now]}

    def draw(artists, arrays, values):
        artists["image"].set_data(arrays["table"])
        shown = np.array(SWEEPS[: len(arrays["lengths"])]) + 1
        order = np.argsort(-arrays["lengths"][-1], kind="stable")
        for place, k in enumerate(order):
            artists["lines"][k].set_data(shown, arrays["lengths"][:, k])
            colour, width = (plots.COLOURS[0], 2) if place < arrays["alive"] else (PALE, 1)
            artists["lines"][k].set(color=colour, lw=width)
        artists["third"].set_ydata([values["third"]] * 2)

    def status(arrays, values):
        longest = np.sort(arrays["lengths"][-1])[::-1]
        words = ", ".join(f"{length:.2f}" for length in longest[:5])
        return f"{arrays['alive']} of {OFFERED} factors count. The longest columns: {words}."

    title = "Factors that die"
    return Explorer(controls, compute, _setup, draw, title=title, status=status, size=(8.4, 3.8))


def _setup(figure):
    """Left: the table of loadings, ten gauges by eight factors, in colour. Right: the length of
    each factor's column over sweeps on a stretched axis, blue if it counts and else grey, and the
    lengths of the true causes as dotted lines.
    """
    table, graph = figure.subplots(1, 2, width_ratios=[1, 1.6])
    nothing, style = np.zeros((GAUGES, OFFERED)), {"vmin": -2.5, "vmax": 2.5, "aspect": "auto"}
    image = table.imshow(nothing, cmap="RdBu_r", **style)
    table.set(xlabel="factor", ylabel="gauge", title="Loadings (sd of the noise)")
    table.set(xticks=range(OFFERED), xticklabels=range(1, OFFERED + 1))
    table.set(yticks=range(GAUGES), yticklabels=range(1, GAUGES + 1))
    figure.colorbar(image, ax=table)
    thin = {"color": "black", "ls": ":", "lw": 1.2, "zorder": 1}
    for length in (4.0, 3.0):
        graph.axhline(length, **thin)
    third = graph.axhline(0, **thin)
    graph.text(120, 4.05, "dotted: lengths of the true causes", ha="right", va="bottom")
    graph.set(xscale="log", xlim=(0.9, 130), ylim=(-0.1, 5), xlabel="sweeps (axis stretched)")
    graph.set(ylabel="length (sd of the noise)")
    graph.set_title("Length of each column")
    graph.text(1, 4.7, "blue: it counts", color=plots.COLOURS[0])
    graph.text(1, 4.35, "grey: it does not", color=plots.GREY)
    marks = (0, 1, 2, 4, 8, 16, 30, 100)  # at one more than the sweeps, for the start to be seen
    graph.set_xticks([mark + 1 for mark in marks], marks)
    graph.minorticks_off()
    lines = [graph.plot([], [], ls="-")[0] for _ in range(OFFERED)]
    return {"image": image, "lines": lines, "third": third}
