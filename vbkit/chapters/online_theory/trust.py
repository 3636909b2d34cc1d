"""An explorer of the running ELBO beside the exact one, on the stream of three machines."""

from functools import lru_cache

import numpy as np
from scipy import stats
from scipy.special import digamma, softmax, xlogy

from vbkit import plots
from vbkit.chapters.line import CENTRES, SHARES, SIGMA, first_state, line_mixture, machines
from vbkit.widgets import Explorer, select_slider

TOTAL, LENGTH, EVERY = 500, 2400, 20
COMPONENTS, MOST, COUNT = (2, 3, 4), 4, 0.01  # COUNT: pseudo-data of a component
MEMORIES = (25, 50, 100, 200, 400)
MODEL = line_mixture(COUNT)


@lru_cache
def recorded() -> dict:
    """Return (components, memory) -> running and exact ELBO (looks,), all learned at once."""
    stream = machines(LENGTH, np.random.default_rng(2000))
    settings = [(n, memory) for n in COMPONENTS for memory in MEMORIES]
    S = np.zeros((len(settings), MOST, 3))
    for state, (n, _) in zip(S, settings, strict=True):
        state[:n] = first_state(MODEL, stream[:50], n, TOTAL)
    absent = np.array([[-np.inf if k >= n else 0.0 for k in range(MOST)] for n, _ in settings])
    eta = 1 / np.array([memory for _, memory in settings])
    entropy, looks = np.zeros(len(S)), []
    for seen, t in enumerate(MODEL.family.statistics(stream), 1):
        log_r = MODEL.family.expected(S.reshape(-1, 3)) @ t
        log_r = log_r.reshape(S.shape[:2]) + digamma(1 + COUNT + S[:, :, 0])
        r = softmax(log_r + absent, axis=1)
        S = S + eta[:, None, None] * (TOTAL * r[:, :, None] * t - S)
        entropy = entropy + eta * (-xlogy(r, r).sum(axis=1) - entropy)
        if seen % EVERY == 0:
            looks.append((S, entropy))
    return {s: _curves(looks, i, s[0]) for i, s in enumerate(settings)}


def _curves(looks: list, i: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return running and exact ELBO (looks,) of setting i with n components."""
    grid = np.linspace(-8, 8, 81)[:, None]
    density = stats.norm.pdf(grid, CENTRES, SIGMA) @ SHARES
    data = grid, TOTAL * density / density.sum()
    running, exact = [], []
    for S, entropy in looks:
        running.append(TOTAL * entropy[i] + MODEL.log_normalizer_ratio(S[i, :n]))
        exact.append(MODEL.elbo(data[0], S[i, :n], weights=data[1]))
    return np.array(running), np.array(exact)


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
    gaps = np.array([np.subtract(*recorded()[components, m])[len(exact) // 2 :] for m in MEMORIES])
    found = {"running": running, "exact": exact, "mean": gaps.mean(axis=1)}
    return found | {"scatter": gaps.std(axis=1), "here": MEMORIES.index(memory)}


def setup(figure):
    """Left: the running ELBO of a model against the data points seen, and the exact ELBO of the
    same posterior. Right: how far the running ELBO lies above the exact one in the second half of
    the stream, against the memory, with its scatter as bars and a dot at the memory that is set.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1.4, 1])
    left.set(xlim=(0, LENGTH), ylim=(-1400, -1090), xlabel="data points seen")
    left.set_title("ELBO for 500 data points (nats)")
    right.set(xscale="log", xlim=(20, 500), ylim=(-60, 170), xlabel="memory (data points)")
    right.set_title("Running $-$ exact (nats)")
    right.set_xticks(MEMORIES, [str(m) for m in MEMORIES])
    right.minorticks_off()
    right.axhline(0, color=plots.GREY, lw=0.8)
    look = {"color": plots.COLOURS[1], "ls": "-"}
    artists = {"running": left.plot([], [], lw=1.2, label="running", **look)[0]}
    artists["exact"] = left.plot([], [], color=plots.COLOURS[0], ls="-", lw=2.4, label="exact")[0]
    left.legend(loc="lower right").set_zorder(0)  # still: drawn once
    artists["bars"] = [right.plot([], [], lw=3, alpha=0.4, **look)[0] for _ in MEMORIES]
    artists["dot"] = right.plot([], [], "o", color=plots.COLOURS[1], ms=9)[0]
    return artists


def draw(artists, arrays, values):
    seen = EVERY * np.arange(1, len(arrays["exact"]) + 1)
    for name in ("running", "exact"):
        artists[name].set_data(seen, arrays[name])
    bars = zip(artists["bars"], MEMORIES, arrays["mean"], arrays["scatter"], strict=True)
    for bar, memory, mean, scatter in bars:
        bar.set_data([memory, memory], [mean - scatter, mean + scatter])
    artists["dot"].set_data([values["memory"]], [arrays["mean"][arrays["here"]]])


def status(arrays, values) -> str:
    mean, scatter = (arrays[name][arrays["here"]] for name in ("mean", "scatter"))
    return (
        f"In the second half the running ELBO lies {abs(mean):.0f} nats "
        f"{'above' if mean > 0 else 'below'} the exact one, and scatters by {scatter:.0f}."
    )
