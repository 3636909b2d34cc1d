"""Explorers of notebook 03: a stream for twenty, one data point for two, two in one place."""

from functools import lru_cache

import numpy as np
from scipy import stats
from scipy.special import digamma, expit

from vbkit import plots
from vbkit.chapters.models import N_COMPONENTS, make_mixture, states_after
from vbkit.chapters.old_form import OldExplorer
from vbkit.chapters.online_mixture import pictures, streams
from vbkit.chapters.online_mixture.answers import component_step
from vbkit.course import dropdown, log_slider, select_slider, slider
from vbkit.learning import Schedule, accumulation, component_prior_means

SEEN = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700)
SEEN += (1000, 1500, 2000, streams.SIZE)
ORDERS = (
    "random",
    "ascending",
    "cluster by cluster",
    "random, while the clusters wander",
)
MEMORIES = [
    ("everything", 0),
    ("1,000 data", 1000),
    ("300 data", 300),
    ("100 data", 100),
]

# ---- twenty components ---------------------------------------------------------------------------


@lru_cache
def stream(order: str, run: int = streams.TYPICAL[1]):
    """Return a stream's data (3000, 1) in the named order, and its prior means (20, 1)."""
    X, labels, means = streams.draw_stream(streams.SEED, run, 1)
    keys = {"ascending": X[:, 0], "cluster by cluster": labels}.get(
        order, np.arange(len(X))
    )
    return X[keys.argsort(kind="stable")] + shift_after(order, np.arange(len(X)))[
        :, None
    ], means


def shift_after(order: str, n):
    """Return how far the clusters have moved after n data."""
    return (6 * n / streams.SIZE - 3) * (order == ORDERS[-1])


def shared_stream() -> OldExplorer:
    """Watch twenty components share a stream."""
    alpha = log_slider("Dirichlet parameter alpha", 0.01, 10, 1.0, 4)
    for _, value in alpha.options:
        learn(value, "random", 0)
    return watch("Twenty components share a stream", concentration=alpha)


def orders() -> OldExplorer:
    """Watch twenty components share a stream in another order, with and without a memory."""
    order = dropdown("Order of the data", ORDERS, "random")
    memory = dropdown("Memory", MEMORIES, 0)
    return watch("Other orders, and a memory", 200, order=order, memory=memory)


def watch(title, first=20, **controls) -> OldExplorer:
    seen = select_slider("Data seen", [(f"{n:,}", n) for n in SEEN], first, play=250)
    parts = {"seen": seen, **controls}, share, setup_shared, draw_shared
    return OldExplorer(*parts, title=title, status=status_shared, size=(9.0, 3.6))


@lru_cache(64)
def learn(concentration, order, memory):
    """Return the mixture and its states after SEEN data."""
    X, means = stream(order)
    mixture = make_mixture(1, concentration)
    start = component_prior_means(mixture, means)
    return mixture, states_after(mixture, X, start, rule_of(memory), SEEN)


def rule_of(memory):
    return Schedule(0.0, 1 / memory, 0.0) if memory else accumulation()


def share(seen, concentration=1.0, order="random", memory=0):
    mixture, states = learn(concentration, order, memory)
    S = states[SEEN.index(seen)]
    (weights, centres, widths), shift = streams.five(1), shift_after(order, seen)
    kept = stream(order)[0][max(seen - (memory or seen), 0) : seen]
    arrays = pictures.densities(mixture, kept, S)
    arrays["truth"] = pictures.density_of(streams.five(1), shift)
    arrays["counts"] = np.array(states[: SEEN.index(seen) + 1])[..., 0]
    arrays["judged"] = streams.judge(mixture, S, (weights, centres + shift, widths))
    return arrays


def setup_shared(figure):
    """Left: a histogram of the data in memory, each component's density as a filled curve whose
    area is the component's weight, the predictive density, and dotted the truth. Right: the counts
    of the twenty components against the data seen, both logarithmic, with a line at one per cent.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1.4, 1])
    artists = pictures.setup_line(left, streams.five(1))
    left.set(xlabel="y", ylabel="density", title="Areas are weights")
    right.set(xscale="log", yscale="log", xlim=(0.9, 3300), ylim=(0.05, 3600))
    right.set(xlabel="data points seen", title="Counts (dotted: 1 %)")
    right.set_xticks(ticks := [1, 10, 100, 1000], [f"{x:,}" for x in ticks])
    colours = [pictures.colour(k) for k in range(N_COMPONENTS)]
    artists["counts"] = [
        right.plot([], [], color=c, ls="-", lw=1.2)[0] for c in colours
    ]
    artists["counts"] += right.plot([], [], color=plots.GREY, ls=":", lw=1.5)
    for artist in (artists["histogram"], *left.lines, *left.collections, *right.lines):
        artist.set_zorder(
            artist.get_zorder() + 4
        )  # above titles and axes, which stay still
    return artists


def draw_shared(artists, arrays, values):
    pictures.draw_line(artists, arrays)
    artists["truth"].set_data(pictures.X_AXIS, arrays["truth"])
    counts = arrays["counts"].T
    rows = np.clip([*counts, streams.SHARE * counts.sum(axis=0)], 0.02, None)
    for line, n in zip(artists["counts"], rows, strict=True):
        line.set_data(SEEN[: len(n)], n)


def status_shared(arrays, values) -> str:
    words = "{used} of 20 components are in use; {found} of 5 true centres are found; "
    words += "the predictive density is {divergence:.3f} nats from the truth."
    return words.format(**arrays["judged"])


# ---- one data point ------------------------------------------------------------------------------

HELD = (0, 1, 2, 3, 5, 10, 20, 50, 100, 300)
TERMS = ("sum", "doubt", "fit", "popularity")


def one_data_point() -> OldExplorer:
    """Weigh a data point between two components, and see how they move."""
    controls = {
        "y": slider("Where the data point falls", -5, 5, 1.0, 0.25),
        "left": select_slider("Data held by the left component", HELD, 10),
        "right": select_slider("Data held by the right component", HELD, 3),
    }
    draws, title = (weigh_both, setup_scales, draw_scales), "Who takes the data point?"
    return OldExplorer(
        controls, *draws, title=title, status=status_scales, size=(9.0, 3.6)
    )


def weigh_both(y, left, right):
    held = np.array([left, right], float)
    alpha, a, b, m, g = (
        1 + held,
        1 + held / 2,
        1 + held / 2,
        np.array([-2.0, 2.0]),
        0.1 + held,
    )
    before, fit = (
        (alpha, a, b, m, g),
        (digamma(a) - np.log(b)) / 2 - a / b * (y - m) ** 2 / 2,
    )
    terms = [float(left - right) for left, right in (digamma(alpha), fit, -0.5 / g)]
    share = float(expit(sum(terms)))
    after = component_step(y, np.array([share, 1 - share]), *before)
    return {
        "terms": terms,
        "share": share,
        "before": curves(*before),
        "after": curves(*after),
    }


def curves(alpha, a, b, m, g):
    """Return the two components' densities (2, 261), with areas as their expected weights."""
    return (
        stats.norm.pdf(pictures.X_AXIS[:, None], m, np.sqrt(b / a))
        * alpha
        / alpha.sum()
    ).T


def setup_scales(figure):
    """Left: two bell curves at -2 and 2, dotted before the data point and solid after it, and a
    black triangle where it falls. Right: a bar for each of three reasons, popularity, fit and
    doubt, and for their sum, to the left where they speak for the left component.
    """
    left, right = figure.subplots(1, 2, width_ratios=[1.4, 1])
    left.set(
        xlim=(-7, 7),
        ylim=(0, 0.5),
        xlabel="y",
        title="Density: dotted before, solid after",
    )
    artists = {"point": left.plot([], [], "v", color="black", ms=9, zorder=3)[0]}
    for name, ls, width in (("before", ":", 1.6), ("after", "-", 2)):
        artists[name] = [
            left.plot([], [], color=c, ls=ls, lw=width)[0] for c in plots.COLOURS[:2]
        ]
    artists["bars"] = list(right.barh(TERMS, np.zeros(4), height=0.6))
    right.axvline(0, color="black", lw=0.8)
    right.set(xlim=(21, -21), xlabel="nats, for the left | right")
    right.set_xticks(ticks := [20, 10, 0, -10, -20], [f"{abs(t)}" for t in ticks])
    return artists


def draw_scales(artists, arrays, values):
    for name in ("before", "after"):
        for line, curve in zip(artists[name], arrays[name], strict=True):
            line.set_data(pictures.X_AXIS, curve)
    artists["point"].set_data([values["y"]], [0.01])
    terms = [sum(arrays["terms"]), *arrays["terms"][::-1]]
    for bar, width in zip(artists["bars"], terms, strict=True):
        bar.set_width(np.clip(width, -20.5, 20.5))
        bar.set_color(plots.COLOURS[0 if width > 0 else 1])


def status_scales(arrays, values) -> str:
    popularity, fit, doubt = arrays["terms"]
    return (
        f"The left component takes {arrays['share']:.1%} of the data point. Its lead in nats: "
        f"popularity {popularity:+.1f}, fit {fit:+.1f}, doubt {doubt:+.1f}."
    )


# ---- two copies ----------------------------------------------------------------------------------

ROUNDS = np.unique(np.geomspace(1, 1001, 80).astype(int)) - 1


def copies() -> OldExplorer:
    """Watch two components in one place share data online, and in batch learning."""
    controls = {
        "rounds": select_slider(
            "Rounds", (0, 2, 5, 10, 20, 40, 60, 100, 300, 1000), 5, play=400
        ),
        "smaller": slider("Data of the smaller component, of 40", 2, 20, 15),
        "concentration": log_slider("Dirichlet parameter alpha", 0.01, 10, 1.0, 6),
    }
    draws, title = (split, setup_copies, draw_copies), "Two components in one place"
    return OldExplorer(
        controls, *draws, title=title, status=status_copies, size=(8.0, 3.4)
    )


def split(rounds, smaller, concentration):
    """The smaller share after ROUNDS of 40 new data, and of 40 data judged anew; c is for d = 2."""
    done, c = ROUNDS[ROUNDS <= rounds], 1.5 - concentration
    batch = np.maximum(20 + (smaller - 20) * (20 / (20 - c)) ** done, 0)
    online = smaller + 40 * done * (smaller - c) / (40 - 2 * c)
    return {"online": online / (40 + 40 * done), "batch": batch / 40, "c": c}


def setup_copies(figure):
    """Two curves of the share of the smaller of two components against the number of rounds,
    logarithmic: one for online learning, one for batch learning.
    """
    ax = figure.subplots()
    ax.set(
        xscale="log",
        xlim=(1, 1001),
        ylim=(0, 0.65),
        ylabel="share of the smaller component",
    )
    ax.set_xlabel(
        "rounds + 1 (online: 40 new data each; batch: the same 40 judged anew)"
    )
    ax.set_xticks(ticks := [1, 10, 100, 1000], [f"{x:,}" for x in ticks])
    names = zip(("online", "batch"), plots.COLOURS, plots.LINES, strict=False)
    lines = {
        name: ax.plot([], [], color=c, ls=ls, label=name)[0] for name, c, ls in names
    }
    ax.legend(loc="upper right", ncols=2)
    return lines


def draw_copies(artists, arrays, values):
    for name, line in artists.items():
        line.set_data(ROUNDS[: len(arrays[name])] + 1, arrays[name])


def status_copies(arrays, values) -> str:
    online, batch, c = arrays["online"][-1], arrays["batch"][-1], arrays["c"]
    words = f"The smaller begins with {values['smaller'] / 40:.0%}; by round {values['rounds']:,}"
    return f"{words} it has {online:.0%} online and {batch:.0%} in batch learning; c = {c:.2f}."
