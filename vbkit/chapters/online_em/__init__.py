"""Sato 1999: online EM against batch EM on four Gaussians, two explorers and the drawings of the notebook."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.models import em_mixture
from vbkit.data import SATO1999_LAYOUTS, SATO1999_WEIGHTS
from vbkit.data import sato1999 as data_set
from vbkit.learning import fit_online, init_uniform, reciprocal, sato1999
from vbkit.mixture import Mixture
from vbkit.theory import divergence_on_grid, grid_points, isotropic_log_density
from vbkit.widgets.controls import select_slider, slider
from vbkit.widgets.explorer import Explorer

SIZE, EPOCHS, STARTS = 1000, 20, 20  # of the explorers
AT = np.unique(np.geomspace(1, SIZE * EPOCHS, 300).astype(int))  # data at which the rate is drawn
SEEN = (0, 1, 2, 5, 10, 20, 50, 100, 200, 350, 500, 700, *range(1000, 20_001, 1000))
STEPS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
STYLES = {
    "batch": {"ls": "--", "color": plots.COLOURS[1]},
    "online": {"ls": "-", "color": plots.COLOURS[0]},
    "gradient": {"ls": "-.", "color": plots.COLOURS[2]},
}


@lru_cache
def truth_on_mesh(layout: str = "factorised"):
    """Points (2601, 2), cells (2601,) and the true log density (2601,) of the 51 x 51 mesh."""
    points, cell = grid_points()
    centres, widths = SATO1999_LAYOUTS[layout]
    return points, cell, isotropic_log_density(points, SATO1999_WEIGHTS, centres, widths**2)


def divergence(history, layout: str = "factorised") -> np.ndarray:
    """Kullback-Leibler divergence (n,) from the truth on the mesh (43), of weights (n, K), centres (n, K, 2) and
    variances (n, K)."""
    points, cell, log_p = truth_on_mesh(layout)
    return divergence_on_grid(log_p, isotropic_log_density(points, *history), cell)


def parameters(mixture: Mixture, states):
    """Weights (n, K), centres (n, K, 2) and variances (n, K) of n states."""
    weights, centres, covariances = zip(*map(mixture.parameters, states), strict=True)
    return np.array(weights), np.array(centres), np.array(covariances)[..., 0, 0]


def learn(mixture: Mixture, X, start, schedule, epochs: int, rng=None) -> list[np.ndarray]:
    """States (K, P) before the first epoch and after each: batch EM if `schedule` is None, else online EM, the data in
    a new order each epoch if `rng` is given."""
    data, states = mixture.observe(X), [start]
    for _ in range(epochs):
        if schedule is None:
            fit = mixture.e_step(data, states[-1])
        else:
            fit = fit_online(mixture, data, states[-1], schedule, rng=rng, monitor=False)
            schedule = fit.schedule
        states.append(fit.S)
    return states


def block_epoch(mixture: Mixture, X, S, schedule, length: int):
    """One epoch of online EM in which `length` data at a time share the responsibilities of the state before them.
    Returns the state and the schedule after it."""
    if length == 1:
        fit = fit_online(mixture, X, S, schedule, monitor=False)
        return fit.S, fit.schedule
    for first in range(0, len(X), length):
        rows = X[first : first + length]
        keep, gain, schedule = schedule.rates(len(rows))
        left = np.append(
            np.cumprod(keep[:0:-1])[::-1], 1.0
        )  # what later data leave of each data point
        S = keep.prod() * S + mixture.e_step(rows, S, weights=gain * left).S
    return S, schedule


@lru_cache(STARTS)
def problem(start: int):
    """Data, mixture, a start and batch EM's states from it, the same data for every start."""
    X, _ = data_set(SIZE, np.random.default_rng(1999))
    S = init_uniform(mixture := em_mixture(SIZE), 4, SIZE, np.random.default_rng([1999, start]))
    states = learn(mixture, X, S, None, EPOCHS)
    return X, mixture, S, states, divergence(parameters(mixture, states))


def explorer() -> Explorer:
    """Choose the three constants of the schedule; watch the rate and what one start learns."""
    controls = {
        "eta0": select_slider("First rate eta0", (0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 0.95), 0.5),
        "eps0": select_slider("Early forgetting eps0", STEPS[:-2], 0.01),
        "gamma": select_slider("Decay gamma", STEPS, 0.05),
        "start": slider("Start", 1, STARTS, 1),
    }
    alt = """Left: learning rate against data seen, both logarithmic, for the schedules (39), (41) and 1/t, with lines
    where the second and the third phase begin. Right: divergence from the truth against epochs for online EM and for
    batch EM from the same start."""
    look = {
        "title": "A schedule and what it learns",
        "alt": alt,
        "status": read_schedule,
        "size": (9.5, 3.7),
    }
    return Explorer(controls, compute_schedule, setup_schedule, draw_schedule, **look)


def compute_schedule(eta0, eps0, gamma, start):
    X, mixture, S, _, batch = problem(start)
    schedule = sato1999(SIZE, eta0=eta0, eps0=eps0, gamma=gamma)
    states = learn(mixture, X, S, schedule, EPOCHS, np.random.default_rng(start))
    online, rates = (
        divergence(parameters(mixture, states)),
        schedule.learning_rates(SIZE * EPOCHS)[0],
    )
    return {"rates": rates, "(41)": reciprocal(SIZE, eta0, gamma).learning_rates(SIZE * EPOCHS)[0],
            "online": online, "batch": batch}  # fmt: skip


def setup_schedule(figure):
    rate, curve = figure.subplots(1, 2)
    rate.set(
        xscale="log", yscale="log", xlim=(1, SIZE * EPOCHS), ylim=(2e-5, 1), xlabel="data seen $t$"
    )
    curve.set(yscale="log", xlim=(0, EPOCHS), ylim=(2e-3, 4), xlabel=f"epochs of {SIZE:,} data")
    rate.set(title=r"Learning rate $\eta(t)$")
    curve.set(title="Divergence from the truth (nats)", xticks=range(0, EPOCHS + 1, 5))
    artists = {
        name: curve.plot([], [], label=name, **STYLES[name])[0] for name in ("batch", "online")
    }
    curve.legend(loc="upper right")
    artists["phases"] = [rate.axvline(1, color=plots.GREY, lw=1, ls=":") for _ in range(2)]
    rate.plot(AT, 1 / AT, color=plots.GREY, ls="--", lw=1.2, label="1/t")
    artists["(41)"] = rate.plot([], [], color=plots.COLOURS[2], ls="-.", label="(41)")[0]
    artists["rate"] = rate.plot([], [], **STYLES["online"] | {"label": "(39), learned with"})[0]
    rate.legend(loc="lower left")
    return artists


def draw_schedule(artists, arrays, values):
    artists["rate"].set_data(AT, arrays["rates"][AT - 1])
    artists["(41)"].set_data(AT, arrays["(41)"][AT - 1])
    for line, x in zip(artists["phases"], (1, 1 / values["gamma"]), strict=True):
        line.set_xdata([x / values["eps0"]] * 2)
    for name in ("batch", "online"):
        artists[name].set_data(np.arange(EPOCHS + 1), np.clip(arrays[name], 2.2e-3, None))


def read_schedule(arrays, values) -> str:
    batch, online, rate = (arrays[name][-1] for name in ("batch", "online", "rates"))
    words = f"Start {values['start']}: after {EPOCHS} epochs online EM is {online:.4f} nats from the truth"
    return f"{words}, batch EM {batch:.4f}; the rate has fallen to {rate:.2g}."


def start_explorer() -> Explorer:
    """Follow one start data point by data point: batch EM waits for the end of an epoch, online EM does not."""
    seen = select_slider("Data seen", [(f"{n:,}", n) for n in SEEN], 50, play=400)
    alt = """Left and middle: the data and the components of batch EM and of online EM as circles of two standard deviations
    after the chosen number of data. Right: divergence from the truth against data seen for both."""
    look = {"title": "One start, two ways", "alt": alt, "status": read_start, "size": (10.5, 3.6)}
    return Explorer(
        {"seen": seen, "start": slider("Start", 1, STARTS, 1)},
        compute_start,
        setup_start,
        draw_start,
        **look,
    )


@lru_cache(STARTS)
def path(start: int):
    """Parameters of batch EM and of online EM after SEEN data."""
    X, mixture, S, batch, _ = problem(start)
    schedule, rng, online = sato1999(SIZE), np.random.default_rng(start), [S]
    for first, last in zip(SEEN, SEEN[1:], strict=False):
        if first % SIZE == 0:
            stream = X[rng.permutation(SIZE)]
        fit = fit_online(mixture, stream[: last - first], online[-1], schedule, monitor=False)
        stream = stream[last - first :]
        schedule = fit.schedule
        online.append(fit.S)
    states = {"batch": [batch[n // SIZE] for n in SEEN], "online": online}
    return {name: parameters(mixture, s) for name, s in states.items()}


def compute_start(seen, start):
    histories = path(start)
    return {"histories": histories, "divergences": {n: divergence(h) for n, h in histories.items()}}


def setup_start(figure):
    axes, artists = figure.subplots(1, 3, width_ratios=[1, 1, 1.1]), {}
    for ax, name in zip(axes, ("batch", "online"), strict=False):
        ax.set(
            aspect="equal",
            xlim=(0, 1),
            ylim=(0, 1),
            xticks=[],
            yticks=[],
            title=name.capitalize() + " EM",
        )
        plots.draw_points(ax, problem(1)[0], size=2)
        artists[name + " components"] = plots.draw_ellipses(ax, np.full((1, 2), 0.5), np.ones(1))
    axes[2].set(
        xscale="symlog", yscale="log", xlim=(0, SEEN[-1]), ylim=(2e-3, 4), title="Divergence (nats)"
    )
    axes[2].set_xticks(ticks := [0, 10, 100, 1000, 10_000], [f"{x:,}" for x in ticks])
    axes[2].set_xlabel("data seen")
    for name, steps in (("batch", "steps-post"), ("online", "default")):
        artists[name] = axes[2].plot([], [], label=name, drawstyle=steps, **STYLES[name])[0]
    axes[2].legend(loc="lower left")
    return artists | {"now": axes[2].plot([], [], "o", color="black", ms=5)[0]}


def draw_start(artists, arrays, values):
    i = SEEN.index(values["seen"])
    for name in ("batch", "online"):
        weights, centres, variances = (a[i] for a in arrays["histories"][name])
        plots.update_ellipses(artists[name + " components"], centres, variances, weights)
        artists[name].set_data(SEEN, arrays["divergences"][name])
    artists["now"].set_data(
        [SEEN[i]] * 2, [arrays["divergences"][name][i] for name in ("batch", "online")]
    )


def read_start(arrays, values) -> str:
    batch, online = (d[SEEN.index(values["seen"])] for d in arrays["divergences"].values())
    return f"After {values['seen']:,} data: batch EM {batch:.3f}, online EM {online:.3f} nats from the truth."


def draw_curves(ax, curves, name: str, *, top: float, broken=()):
    """Learning curves (starts, epochs + 1), one thin line a start, cut off at `top`; a cross where one breaks off."""
    epochs = np.arange(curves.shape[1])
    style = STYLES[name] | {"ls": "-", "lw": 0.8, "alpha": 0.75}
    ax.plot(epochs, curves.T, **style)
    for row in broken:
        last = np.flatnonzero(np.isfinite(curves[row]))[-1]
        ax.plot(
            last,
            min(curves[row, last], 0.97 * top),
            "x",
            color=plots.COLOURS[1],
            ms=7,
            clip_on=False,
        )
    ax.set(xlim=(0, epochs[-1]), ylim=(min(0.0, np.nanmin(curves)), top))


def draw_intervals(ax, names, rates, k: int, *, shift: float = 0.0, label: str = ""):
    """Rates with their intervals in percent, one row a name, in the k-th colour and marker."""
    rows = np.arange(len(names)) + shift
    low, middle, high = 100 * np.array([(r.low, r.value, r.high) for r in rates]).T
    style = {
        "color": plots.COLOURS[k],
        "fmt": plots.MARKERS[k],
        "capsize": 3,
        "lw": 1.4,
        "ls": "none",
    }
    ax.errorbar(
        middle, rows, xerr=np.maximum([middle - low, high - middle], 0), label=label, **style
    )
    ax.set(yticks=np.arange(len(names)), yticklabels=names, ylim=(len(names) - 0.5, -0.5))
