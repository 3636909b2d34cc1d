"""Two machines whose lengths drift together, and the two components that follow them.

Lengths are counted in widths: one standard deviation of a machine's bolts is 1. Each machine
makes half of the bolts, and labels are hidden. A component follows late, by its lag, and it
scatters, which is its noise.
"""

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.learning import Schedule, sato2000
from vbkit.learning.online import run_stream
from vbkit.mixture import Mixture

SEED = 2000
STREAMS = 8
LENGTH = 4000  # bolts of a stream
EVERY = 80  # bolts between two looks at the components
LOOKS = LENGTH // EVERY
LATE = 3 * LOOKS // 4  # from this look on, lag and noise are measured
TOTAL = 1000  # bolts that the posterior stands for
MODEL = Mixture(IsotropicGaussian(np.zeros(1), 0.01, 1.0, 0.01), Dirichlet(1.0))


# ---- a stream, and two components that follow it -------------------------------------


@cache
def chance(seed: int = SEED) -> tuple[np.ndarray, np.ndarray]:
    """Return which machine makes each bolt, -1 or 1, and its standard normal scatter.

    Both are (STREAMS, LENGTH), and they are the same for all settings.
    """
    rng = np.random.default_rng(seed)
    side = rng.choice([-1.0, 1.0], size=(STREAMS, LENGTH))
    scatter = rng.standard_normal(side.shape)
    return side, scatter


class Track(NamedTuple):
    """Two components behind two machines, looked at every EVERY bolts.

    Before the look LATE all streams but the first are nan.
    """

    means: np.ndarray  # (LOOKS, STREAMS, 2), of the components: rear, front
    weights: np.ndarray  # (LOOKS, STREAMS, 2)
    truth: np.ndarray  # (LOOKS, 2), means of the machines
    seen: np.ndarray  # (LOOKS,), bolts
    X: np.ndarray  # (LENGTH,), lengths of the first stream


@lru_cache(256)
def track(memory: float, speed: float, distance: float, seed: int = SEED) -> Track:
    """Return how two components follow two machines.

    memory: bolts, at least 1. speed: widths in a thousand bolts, of both machines. distance:
    between the machines, in widths. The components begin at the machines' means.
    """
    side, scatter = chance(seed)
    half = distance / 2
    middle = speed / 1000 * (np.arange(LENGTH) - LENGTH / 2)
    X = middle + half * side + scatter
    schedule = sato2000(TOTAL, tau0=memory, kappa=0.0)
    begin = middle[0] + np.array([-half, half])
    counts = np.full(2, TOTAL / 2)
    variances = np.ones((2, 1, 1))
    start = MODEL.family.state(counts, begin[:, None], variances)
    states = np.full((LOOKS, STREAMS, 2, 3), np.nan)
    states[:, 0] = look_along(X[0], start, schedule, 0)
    for stream in range(1, STREAMS):
        states[LATE:, stream] = look_along(X[stream], start, schedule, LATE)
    last = np.arange(EVERY - 1, LENGTH, EVERY)
    truth = middle[last, None] + np.array([-half, half])
    found = states[..., 0]
    means = states[..., 1] / found
    return Track(means, found / TOTAL, truth, last + 1, X[0])


def look_along(x, S, schedule: Schedule, first: int) -> np.ndarray:
    """Return the states (LOOKS - first, 2, 3) along a stream x (LENGTH,) from S (2, 3).

    first: the number of the look with which the result begins.
    """
    retention, gain, _ = schedule.rates(LENGTH)
    ends = EVERY * np.arange(first + 1, LOOKS + 1)
    begin = 0
    states = []
    for end in ends:
        bolts = slice(begin, end)
        S = run_stream(MODEL, S, x[bolts, None], retention[bolts], gain[bolts])
        states.append(S)
        begin = end
    return np.array(states)


def errors(followed: Track) -> tuple[float, float]:
    """Return lag (the mean deviation) and noise (its standard deviation), in widths.

    Both are taken over streams and components from the look LATE on.
    """
    deviation = followed.truth[LATE:, None] - followed.means[LATE:]
    scatter = deviation - deviation.mean(axis=(1, 2), keepdims=True)
    noise = np.sqrt((scatter**2).mean())
    return float(deviation.mean()), float(noise)


# ---- what theory says ----------------------------------------------------------------


def theory(memory, speed: float):
    """Return lag and noise (widths) of a component whose labels are known.

    It averages its own half of the bolts, and the machines move by `speed` widths in one
    bolt. An average with this memory is memory - 1 bolts old.
    """
    return speed * (memory - 1), np.sqrt(1 / memory)


def best_memory(speed: float) -> float:
    """Return where lag^2 + noise^2 of `theory` is least, for long memories."""
    return (2 * speed**2) ** (-1 / 3)


# ---- a picture -----------------------------------------------------------------------


def draw_machine(axes, seen, mean):
    """Draw the mean (n,) of a machine over the bolts seen (n,), as black dashes."""
    axes.plot(seen, mean, color="black", ls="--", lw=1.2)


def picture_of_takeover() -> plots.Picture:
    """Draw how two components follow two machines that stand close together and move fast."""
    followed = track(100.0, 1.0, 2.5)
    fig, (left, right) = plots.figure(9.2, 3.3, ncols=2, width_ratios=[1.5, 1])
    bolts = np.arange(1, LENGTH + 1)
    left.plot(bolts[::4], followed.X[::4], ".", ms=2, color="#C8C8C8")
    colours = (plots.COLOURS[0], plots.COLOURS[3])
    for k, name in enumerate(("rear component", "front component")):
        draw_machine(left, followed.seen, followed.truth[:, k])
        learned = followed.means[:, 0, k]
        left.plot(followed.seen, learned, color=colours[k], ls="-", lw=2.4)
        left.text(1800 * k + 600, -6.6, name, color=colours[k])
    left.text(100, 6, "dashed: the machines")
    left.set(xlim=(0, LENGTH), xlabel="data points seen")
    left.set(ylim=(-7, 7), ylabel="$x$")
    left.set_title("The front component settles between the machines")
    weights = followed.weights[:, 0, 1]
    right.plot(followed.seen, weights, color=colours[1], ls="-", lw=2.4)
    right.set(xlim=(0, LENGTH), ylim=(0, 1), xlabel="data points seen")
    right.set_title("Its weight grows to nearly 1")
    alt = """Left: numbers from two machines that stand close together and drift
    upwards. One learned mean settles between the two machines, the other stays behind
    both. Right: the weight of the first one rises from a half to nearly one."""
    return plots.Picture(fig, alt)
