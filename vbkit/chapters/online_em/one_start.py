"""Notebook 02's second explorer: one start, learned by batch EM and by online EM."""

from functools import lru_cache

import numpy as np

from vbkit import plots
from vbkit.chapters.models import states_after
from vbkit.chapters.online_em import STYLES, divergence, parameters
from vbkit.chapters.online_em.choose_schedule import EPOCHS, NAMES, SIZE, STARTS, problem
from vbkit.learning import sato1999
from vbkit.widgets import Explorer, select_slider, slider

SEEN = (0, 1, 2, 5, 10, 20, 50, 100, 200, 350, 500, 700, *range(1000, 20_001, 1000))


def explorer() -> Explorer:
    """Follow one start: batch EM waits for the end of an epoch, online EM does not."""
    controls = {
        "seen": select_slider("Data seen", [(f"{n:,}", n) for n in SEEN], 50, play=400),
        "start": slider("Start", 1, STARTS, 1),
    }
    title = "One start, two ways"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(10.5, 3.6))


@lru_cache(STARTS)
def histories(start: int) -> dict:
    """Return the parameters of batch EM and of online EM after SEEN data."""
    X, mixture, S, batch, _ = problem(start)
    rng, batch = np.random.default_rng(start), [batch[n // SIZE] for n in SEEN]
    stream = np.concatenate([X[rng.permutation(SIZE)] for _ in range(EPOCHS)])
    online = states_after(mixture, stream, S, sato1999(SIZE), SEEN)
    return {"batch": parameters(mixture, batch), "online": parameters(mixture, online)}


def compute(seen, start):
    found = histories(start)
    return {"histories": found, "divergences": {name: divergence(found[name]) for name in NAMES}}


def setup(figure):
    """Left and middle: the data and the components of batch EM and of online EM as circles of
    two standard deviations after the chosen number of data. Right: divergence from the truth
    against data seen for both.
    """
    *planes, curve = figure.subplots(1, 3, width_ratios=[1, 1, 1.1])
    artists = {}
    for ax, name in zip(planes, NAMES, strict=True):
        ax.set(aspect="equal", xlim=(0, 1), ylim=(0, 1), title=f"{name.capitalize()} EM")
        ax.set(xticks=[], yticks=[])
        plots.draw_points(ax, problem(1)[0], size=2)
        artists[f"{name} components"] = plots.draw_ellipses(ax, np.full((1, 2), 0.5), np.ones(1))
    curve.set(xscale="symlog", yscale="log", xlim=(0, SEEN[-1]), ylim=(2e-3, 4))
    curve.set_xticks(ticks := [0, 10, 100, 1000, 10_000], [f"{x:,}" for x in ticks])
    curve.set(title="Divergence (nats)", xlabel="data seen")
    for name, steps in zip(NAMES, ("steps-post", "default"), strict=True):
        artists[name] = curve.plot([], [], label=name, drawstyle=steps, **STYLES[name])[0]
    curve.legend(loc="lower left")
    artists["now"] = curve.plot([], [], "o", color="black", ms=5)[0]
    return artists


def draw(artists, arrays, values):
    i, divergences = SEEN.index(values["seen"]), arrays["divergences"]
    for name in NAMES:
        weights, centres, variances = (a[i] for a in arrays["histories"][name])
        plots.update_ellipses(artists[f"{name} components"], centres, variances, weights)
        artists[name].set_data(SEEN, divergences[name])
    artists["now"].set_data([SEEN[i]] * 2, [divergences[name][i] for name in NAMES])


def status(arrays, values) -> str:
    seen = values["seen"]
    batch, online = (arrays["divergences"][name][SEEN.index(seen)] for name in NAMES)
    return f"After {seen:,} data: batch EM {batch:.3f}, online EM {online:.3f} nats from the truth."
