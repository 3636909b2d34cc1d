"""An explorer of a moving target: what it costs to remember, and to forget."""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from vbkit import plots
from vbkit.families import Dirichlet, IsotropicGaussian
from vbkit.learning import sato2000
from vbkit.learning.stream import run_stream
from vbkit.mixture import Mixture
from vbkit.widgets import Explorer, log_slider, select_slider

STREAMS, LENGTH, EVERY = 8, 4000, 80  # streams, their data, and data between two looks
TOTAL = 1000  # data that the posterior stands for
MEMORIES = np.geomspace(8, 2500, 120)
TARGET = Mixture(IsotropicGaussian(np.zeros(1), 0.01, 1.0, 0.01), Dirichlet(1.0))


@lru_cache
def noise() -> tuple[np.ndarray, np.ndarray]:
    """Draw the side (STREAMS, LENGTH), -1 or 1, and the standard normal noise of each data point.

    They are the same for all settings.
    """
    rng = np.random.default_rng(2000)
    side = rng.choice([-1.0, 1.0], size=(STREAMS, LENGTH))
    return side, rng.standard_normal(side.shape)


def theory(memory, speed: float):
    """Return lag and noise (standard deviations of a component) of a centre whose labels are known.

    The centre averages its own half of the newest `memory` data, while the target
    moves by `speed` standard deviations per data point.
    """
    return speed * (memory - 1), np.sqrt(1 / memory)  # a half: sigma^2 / (2 memory / 2)


def best_memory(speed: float) -> float:
    """Return where lag^2 + noise^2 of `theory` is least, to first order in its inverse."""
    return (2 * speed**2) ** (-1 / 3)


@lru_cache(256)
def track(memory, speed, separation):
    """Learn the centres of two unit Gaussians that move together by `speed` per thousand data.

    The average reaches back over `memory` data. Returns the learned centres and weights
    (looks, STREAMS, 2), nan in the first three quarters of all streams but the first, the true
    centres (looks, 2), the data seen (looks,) and the data X (LENGTH,) of one stream. The
    Gaussians are `separation` apart.
    """
    side, normal = noise()
    path = speed / 1000 * (np.arange(LENGTH) - LENGTH / 2)
    X = path + separation / 2 * side + normal
    retention, gain, _ = sato2000(TOTAL, tau0=memory, kappa=0.0).rates(LENGTH)
    ends = path[0] + separation / 2 * np.array([[-1.0], [1.0]])
    start = TARGET.family.state(np.full(2, TOTAL / 2), ends, np.ones((2, 1, 1)))
    states = np.full((LENGTH // EVERY, STREAMS, 2, 3), np.nan)
    early = 3 * len(states) // 4 * EVERY
    for n, row in enumerate(X[:, :, None]):
        S, cuts = start, np.arange(0, LENGTH + 1, EVERY)
        for first, end in pairwise(cuts if n == 0 else np.append(0, cuts[cuts >= early])):
            S = run_stream(TARGET, S, row[first:end], retention[first:end], gain[first:end])
            states[end // EVERY - 1, n] = S
    last = np.arange(EVERY - 1, LENGTH, EVERY)
    truth = path[last, None] + separation / 2 * np.array([-1, 1])
    counts, centres = states[..., 0], states[..., 1] / states[..., 0]
    found = {"centres": centres, "weights": counts / TOTAL, "truth": truth}
    return found | {"seen": last + 1, "X": X[0]}


def errors(centres, truth) -> tuple[float, float]:
    """Return lag (the mean deviation) and noise (its standard deviation).

    Both are taken over streams and components in the last quarter.
    """
    deviation = (truth[:, None] - centres)[-len(truth) // 4 :]
    scatter = deviation - deviation.mean(axis=(1, 2), keepdims=True)
    return float(deviation.mean()), float(np.sqrt((scatter**2).mean()))


def moving_target() -> Explorer:
    """Choose how long to remember while two machines move; see the error as lag and noise."""
    apart = "Distance of the machines (standard deviations)"
    controls = {
        "memory": log_slider("Memory (data points)", 10, 1000, 400, 5),
        "speed": log_slider("Speed (standard deviations per thousand data)", 0.1, 3, 1.0, 4),
        "separation": select_slider(apart, (2.5, 3.0, 3.5, 4.0, 5.0, 6.0), 6.0),
    }
    title = "A target that moves"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(10.0, 3.5))


def compute(memory, speed, separation):
    arrays = track(memory, speed, separation)
    lag, spread = errors(arrays["centres"], arrays["truth"])
    found = {"lag": lag, "noise": spread, "theory": theory(MEMORIES, speed / 1000)}
    return arrays | found | {"front": np.nanmean(arrays["weights"][-12:, :, 1])}


def setup(figure):
    """Left: the error of the two centres that are learned online from one stream, learned minus
    true, against the data points seen; a dashed line at minus the measured lag. Right: lag, noise
    and their total against the memory, as theory for known labels gives them, with the measured
    lag and noise as hollow marks and the best memory as a line.
    """
    path, curve = figure.subplots(1, 2, width_ratios=[1.25, 1])
    path.set(xlim=(0, LENGTH), yscale="symlog", ylim=(-15, 1.2), xlabel="data points seen")
    path.set_yticks(ticks := [-10, -3, -1, -0.5, 0, 0.5, 1], [f"{t:g}" for t in ticks])
    path.set_title("Learned minus true centre (rear grey, front black)")
    path.axhline(0, color="black", lw=1)
    curve.set(xscale="log", yscale="log", xlim=MEMORIES[[0, -1]], ylim=(0.01, 20))
    curve.set(xlabel=r"memory $1/\eta$ (data points)", ylabel="standard deviations")
    curve.set_title("Error: theory, and measured (hollow)")
    colours = plots.COLOURS
    artists = {"learned": [path.plot([], [], color=c, ls="-")[0] for c in (plots.GREY, "black")]}
    artists["behind"] = path.axhline(0, color=colours[1], ls="--")
    path.text(0.03, 0.05, "dashed: minus the lag", color=colours[1], transform=path.transAxes)
    artists["best"] = curve.axvline(10, ymax=0.85, color=plots.GREY, lw=1)
    words = {"transform": curve.transAxes, "weight": "bold"}
    curve.text(0.6, 0.93, "| best memory", color=plots.GREY, **words)
    for name, k, ls, x in (("lag", 1, "--", 0.05), ("noise", 2, ":", 0.2), ("both", 6, "-", 0.42)):
        artists[name] = curve.plot([], [], color=colours[k], ls=ls)[0]
        curve.text(x, 0.93, name, color=colours[k], **words)
    for name, k, mark in (("lag", 1, "s"), ("noise", 2, "^")):
        hollow = {"color": colours[k], "mfc": "none", "mew": 2, "ms": 11}
        artists[f"{name} dot"] = curve.plot([], [], mark, **hollow)[0]
    return artists


def draw(artists, arrays, values):
    deviation = arrays["centres"][:, 0] - arrays["truth"]
    for k in range(2):
        artists["learned"][k].set_data(arrays["seen"], deviation[:, k])
    artists["behind"].set_ydata([-arrays["lag"]] * 2)
    lag, spread = arrays["theory"]
    for name, y in (("lag", lag), ("noise", spread), ("both", np.hypot(lag, spread))):
        artists[name].set_data(MEMORIES, y)
    artists["best"].set_xdata([best_memory(values["speed"] / 1000)] * 2)
    for name in ("lag", "noise"):
        artists[f"{name} dot"].set_data([values["memory"]], [max(abs(arrays[name]), 0.0105)])


def status(arrays, values) -> str:
    lag, spread, best = arrays["lag"], arrays["noise"], best_memory(values["speed"] / 1000)
    return (
        f"Memory {values['memory']:.0f} data (best with known labels: {best:.0f}). Lag {lag:.2f}, "
        f"noise {spread:.2f}, together {np.hypot(lag, spread):.2f} standard deviations. "
        f"The front component holds {100 * arrays['front']:.0f} % of the weight."
    )
