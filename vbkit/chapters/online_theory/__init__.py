"""Sato 2000, sections 2 and 3: the explorer of a moving target, and the drawings of the notebook."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.families import Dirichlet, IsotropicGaussian
from vbkit.learning import sato2000
from vbkit.learning.stream import run_stream
from vbkit.mixture import Mixture
from vbkit.widgets.controls import log_slider, select_slider
from vbkit.widgets.explorer import Explorer

LENGTH, EVERY, STREAMS = 4000, 80, 16  # data of a stream, data between two looks, streams
TOTAL = 1000  # data that the posterior stands for
MEMORIES = np.geomspace(8, 2500, 120)
TARGET = Mixture(IsotropicGaussian(np.zeros(1), 0.01, 1.0, 0.01), Dirichlet(1.0))


def line_mixture(count: float = 1.0) -> Mixture:
    """Two or more Gaussian components on the line under a weak prior worth `count` data a component."""
    return Mixture(IsotropicGaussian.from_pseudo_data(0.0, 4.0, count), Dirichlet(1 + count))


# ---- a moving target ----------------------------------------------------------------------------------------


@lru_cache
def noise() -> tuple[np.ndarray, np.ndarray]:
    """Side (STREAMS, LENGTH), -1 or 1, and standard normal noise of each data point, the same for all settings."""
    rng = np.random.default_rng(2000)
    side = rng.choice([-1.0, 1.0], size=(STREAMS, LENGTH))
    return side, rng.standard_normal(side.shape)


def theory(effective_sample_size, speed: float):
    """Lag and noise (standard deviations of a component) of a centre that averages its own half of the newest `memory` data,
    were the labels known, while the target moves `speed` standard deviations a data point."""
    effective_sample_size = np.asarray(effective_sample_size, dtype=float)
    return speed * (effective_sample_size - 1), np.sqrt(
        1 / effective_sample_size
    )  # a half of the data: sigma^2 / (2 memory / 2)


def best_memory(speed: float) -> float:
    """Where lag^2 + noise^2 of `theory` is least: (2 speed^2)^(-1/3) to first order in 1 / memory."""
    return (2 * speed**2) ** (-1 / 3)


@lru_cache(256)
def track(tau0, kappa, speed, separation):
    """Centres (looks, STREAMS, 2) learned from streams whose two unit Gaussians, `separation` apart, move together by
    `speed` a thousand data; the true centres (looks, 2), data seen (looks,) and memory (looks,)."""
    side, normal = noise()
    path = speed / 1000 * (np.arange(LENGTH) - LENGTH / 2)
    X = path + separation / 2 * side + normal
    keep, gain, _ = sato2000(TOTAL, tau0=tau0, kappa=kappa).rates(LENGTH)
    ends = np.array([path[0] - separation / 2, path[0] + separation / 2])[:, None]
    start = TARGET.family.state(np.full(2, TOTAL / 2), ends, np.ones((2, 1, 1)))
    centres = np.empty((LENGTH // EVERY, STREAMS, 2))
    for n, row in enumerate(X[:, :, None]):
        S = start
        for look in range(LENGTH // EVERY):
            now = slice(look * EVERY, (look + 1) * EVERY)
            S = run_stream(TARGET, S, row[now], keep[now], gain[now])
            centres[look, n] = S[:, 1] / S[:, 0]
    last = np.arange(EVERY - 1, LENGTH, EVERY)
    truth = path[last, None] + separation / 2 * np.array([-1, 1])
    return {
        "centres": centres,
        "truth": truth,
        "seen": last + 1,
        "memory": TOTAL / gain[last],
        "X": X[0],
    }


def errors(centres, truth) -> tuple[float, float]:
    """Lag (the mean deviation) and noise (its standard deviation) over streams and components in the last quarter."""
    deviation = (truth[:, None] - centres)[-len(truth) // 4 :]
    scatter = deviation - deviation.mean(axis=(1, 2), keepdims=True)
    return float(deviation.mean()), float(np.sqrt((scatter**2).mean()))


def compute(tau0, kappa, speed, separation):
    found = track(tau0, kappa, speed, separation)
    lag, spread = errors(found["centres"], found["truth"])
    return found | {"lag": lag, "noise": spread, "theory": theory(MEMORIES, speed / 1000)}


def explorer() -> Explorer:
    """Choose how fast to forget while two components move; error against lag and noise."""
    controls = {
        "tau0": log_slider("Early memory tau0 (data)", 10, 1000, 100, 6),
        "kappa": select_slider(
            "Decay of the discount kappa", (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3), 0.01
        ),
        "speed": log_slider("Speed (standard deviations a thousand data)", 0.1, 3, 1.0, 4),
        "separation": select_slider(
            "Distance of the components (standard deviations)", (2.5, 3.0, 3.5, 4.0, 5.0, 6.0), 6.0
        ),
    }
    alt = """Left: two true centres that move up steadily with the data seen, and the centres learned online from one
    stream. Right: lag, noise and their total against the memory, as theory for known labels gives them, with the
    measured lag and noise as dots and the best memory as a line."""
    look = {"title": "A target that moves", "alt": alt, "status": status, "size": (10.0, 3.9)}
    return Explorer(controls, compute, setup, draw, **look)


def setup(figure):
    path, curve = figure.subplots(1, 2, width_ratios=[1.25, 1])
    path.set(
        xlim=(0, LENGTH),
        ylim=(-11, 11),
        xlabel="data seen",
        title="Centres: true (dashed), learned (one stream)",
    )
    curve.set(xscale="log", yscale="log", xlim=(MEMORIES[0], MEMORIES[-1]), ylim=(0.01, 20))
    curve.set(xlabel=r"memory $1/\eta$ (data)", title="Error of a centre (standard deviations)")
    artists = {"points": path.plot([], [], ".", ms=2, color="#BBBBBB", zorder=1)[0]}
    artists["truth"] = [path.plot([], [], color="black", ls="--", lw=1.2)[0] for _ in range(2)]
    artists["learned"] = [
        path.plot([], [], color=plots.COLOURS[k], ls="-", lw=1.8)[0] for k in range(2)
    ]
    for name, k, ls in (("lag", 1, "--"), ("noise", 2, ":"), ("total", 6, "-")):
        artists[name] = curve.plot([], [], color=plots.COLOURS[k], ls=ls, label=f"{name}, theory")[
            0
        ]
    artists["best"] = curve.axvline(10, color=plots.GREY, lw=1)
    for name, k, mark in (("lag", 1, "s"), ("noise", 2, "^")):
        style = {"color": plots.COLOURS[k], "ms": 9, "mec": "black", "label": f"{name}, measured"}
        artists[f"{name} dot"] = curve.plot([], [], mark, **style)[0]
    shown = [
        artists[name] for name in ("lag", "lag dot", "noise", "noise dot", "total")
    ]  # a column an error
    below = {"bbox_to_anchor": (0.48, -0.2), "columnspacing": 1.0, "handlelength": 1.6}
    curve.legend(handles=shown, loc="upper center", ncols=3, fontsize=9, **below)
    return artists


def draw(artists, arrays, values):
    seen, truth, centres = arrays["seen"], arrays["truth"], arrays["centres"]
    artists["points"].set_data(np.arange(0, LENGTH, 4), arrays["X"][::4])
    for k in range(2):
        artists["truth"][k].set_data(seen, truth[:, k])
        artists["learned"][k].set_data(seen, centres[:, 0, k])
    lag, spread = arrays["theory"]
    for name, y in (("lag", lag), ("noise", spread), ("total", np.hypot(lag, spread))):
        artists[name].set_data(MEMORIES, y)
    artists["best"].set_xdata([best_memory(values["speed"] / 1000)] * 2)
    for name in ("lag", "noise"):
        artists[f"{name} dot"].set_data(arrays["memory"][-1:], [max(abs(arrays[name]), 0.0105)])


def status(arrays, values) -> str:
    total, best = np.hypot(arrays["lag"], arrays["noise"]), best_memory(values["speed"] / 1000)
    words = f"Memory {arrays['memory'][-1]:.0f} data at the end (best with labels: {best:.0f}). Lag {arrays['lag']:.2f}"
    return f"{words}, noise {arrays['noise']:.2f}, together {total:.2f} standard deviations."


# ---- drawings of the text -----------------------------------------------------------------------------------


def draw_landscape(ax, x, y, height, paths):
    """Contours of height (n, m) over the mesh x, y, close together near the top, and named paths (steps, 2)."""
    top = height.max()
    levels = top - np.array([120, 80, 50, 32, 20, 12, 7, 4, 2, 1, 0.4, 0.1])
    ax.contour(x, y, height, levels, colors="#C4C4C4", linewidths=0.9, linestyles="-")
    for k, (name, path) in enumerate(paths.items()):
        mark = {"marker": plots.MARKERS[k], "ms": 4} if len(path) < 50 else {}
        ax.plot(*path.T, color=plots.COLOURS[k], ls="-", lw=1.6, label=name, zorder=3, **mark)
        ax.plot(*path[-1], plots.MARKERS[k], color=plots.COLOURS[k], ms=9, mec="white", zorder=4)
    ax.legend(loc="upper left")
