"""An explorer of the running ELBO beside the exact one, on the stream of three machines."""

from functools import lru_cache

import numpy as np
from scipy.special import logsumexp, softmax, xlogy

from vbkit import plots
from vbkit.chapters import line
from vbkit.widgets import Explorer, select_slider

LENGTH, EVERY = 2400, 20  # of the stream; data between two looks
COMPONENTS, MEMORIES = (2, 3, 4), (25, 50, 100, 250, 400)


@lru_cache
def recorded() -> dict:
    """Return (components, memory) -> running and exact ELBO (looks,)."""
    return line.monitored([(n, memory) for n in COMPONENTS for memory in MEMORIES], LENGTH, EVERY)


@lru_cache
def parts(memory: int, components: int, seed: int = 2000) -> np.ndarray:
    """Split running minus exact ELBO into three parts (3,), in nats: flattery, labels, start.

    Their sum is the whole gap. Each is a mean over the second half of the stream. Flattery: how
    much better the remembered data fit than fresh ones. Labels: minus the loss by responsibilities
    that were never renewed. Start: how much better the invented start fits than fresh data.
    """
    stream = line.machines(LENGTH, np.random.default_rng(seed))
    begin = S = np.array(line.first_state(line.MODEL, stream[:50], components, line.TOTAL))
    statistics, (grid, weights) = line.MODEL.family.statistics(stream), line.source()
    fresh = line.MODEL.family.statistics(grid)
    eta, given, found = 1 / memory, np.empty((LENGTH, components)), []
    for seen, t in enumerate(statistics, 1):
        r = given[seen - 1] = softmax(_log_joint(t, S))
        S = (1 - eta) * S + eta * line.TOTAL * np.outer(r, t)
        if seen % EVERY or 2 * seen <= LENGTH:
            continue
        share = line.TOTAL * eta * (1 - eta) ** np.arange(seen)[::-1]
        left, mean = (1 - eta) ** seen, weights @ logsumexp(_log_joint(fresh, S), axis=1)
        log_joint, r = _log_joint(statistics[:seen], S), given[:seen]
        fit = logsumexp(log_joint, axis=1)
        stale = share @ ((r * log_joint - xlogy(r, r)).sum(axis=1) - fit)
        found.append((share @ fit - (1 - left) * mean, stale, left * (_fit_of(begin, S) - mean)))
    return np.mean(found, axis=0)


def _log_joint(t, S):
    """Expected log density and log weight of each component, at statistics t (..., P)."""
    return t @ line.MODEL.family.expected(S).T + line.MODEL.weights.expected(S[:, 0])


def _fit_of(counted, S) -> float:
    """Return the fit of counts (K, P) with certain labels under the posterior S (K, P)."""
    family, weights = line.MODEL.family, line.MODEL.weights
    return (counted * family.expected(S)).sum() + counted[:, 0] @ weights.expected(S[:, 0])


def monitor() -> Explorer:
    """Choose the memory and the model; see the running ELBO beside the exact one."""
    controls = {
        "memory": select_slider("Memory (data points)", MEMORIES, 100),
        "components": select_slider("Components of the model", COMPONENTS, 2),
    }
    title = "Can you trust the running ELBO?"
    return Explorer(controls, compute, setup, draw, title=title, status=status, size=(9.0, 3.6))


def compute(memory, components):
    running, exact = recorded()[components, memory]
    upto, half = [m for m in MEMORIES if m <= memory], len(exact) // 2
    gaps = [np.subtract(*recorded()[components, m])[half:] for m in upto]
    found = {"running": running, "exact": exact, "trail": (upto, [gap.mean() for gap in gaps])}
    return found | {"mean": gaps[-1].mean(), "scatter": gaps[-1].std()}


def setup(figure):
    """Left: the running ELBO of a model against the data points seen, and the exact ELBO of the
    same posterior. Right: how far the running ELBO lies above the exact one in the second half of
    the stream: a dot at the memory that is set, with a bar for the scatter, and pale dots at the
    shorter ones.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1.4, 1])
    left.set(xlim=(0, LENGTH), ylim=(-1400, -1090), xlabel="data points seen")
    left.set_title("ELBO for 500 data points (nats)")
    left.text(1750, -1355, "running", color=plots.COLOURS[1])
    left.text(1750, -1382, "exact", color=plots.COLOURS[0], weight="bold")
    right.set(xscale="log", xlim=(20, 500), ylim=(-40, 150), xlabel="memory (data points)")
    right.set_title("How far running lies above exact (nats)")
    right.set_xticks(MEMORIES, [str(m) for m in MEMORIES])
    right.minorticks_off()
    right.axhline(0, color=plots.GREY, lw=0.8)
    look = {"color": plots.COLOURS[1], "ls": "-"}
    artists = {"running": left.plot([], [], lw=1.2, **look)[0]}
    artists["exact"] = left.plot([], [], color=plots.COLOURS[0], ls="-", lw=2.4)[0]
    artists["bar"] = right.plot([], [], lw=4, alpha=0.4, **look)[0]
    artists["trail"] = right.plot([], [], "o", color=plots.COLOURS[1], ms=9, alpha=0.4, mew=0)[0]
    artists["dot"] = right.plot([], [], "o", color=plots.COLOURS[1], ms=9)[0]
    return artists


def draw(artists, arrays, values):
    seen = EVERY * np.arange(1, len(arrays["exact"]) + 1)
    for name in ("running", "exact"):
        artists[name].set_data(seen, arrays[name])
    at, mean, scatter = values["memory"], arrays["mean"], arrays["scatter"]
    artists["bar"].set_data([at, at], [mean - scatter, mean + scatter])
    artists["trail"].set_data(*arrays["trail"])
    artists["dot"].set_data([at], [mean])


def status(arrays, values) -> str:
    mean, scatter = arrays["mean"], arrays["scatter"]
    return (
        f"In the second half the running ELBO lies {abs(mean):.0f} nats "
        f"{'above' if mean > 0 else 'below'} the exact one, and scatters by {scatter:.0f}."
    )
