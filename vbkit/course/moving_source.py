"""Two machines whose lengths drift together, and the two components that follow them.

Lengths are counted in widths: one standard deviation of a machine's bolts is 1. Each machine
makes half of the bolts, and labels are hidden. A component follows late, by its lag, and it
scatters, which is its noise.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.learning import sato2000
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


@lru_cache
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
    middle = speed / 1000 * (np.arange(LENGTH) - LENGTH / 2)
    X = middle + distance / 2 * side + scatter
    retention, gain, _ = sato2000(TOTAL, tau0=memory, kappa=0.0).rates(LENGTH)
    ends = middle[0] + distance / 2 * np.array([[-1.0], [1.0]])
    start = MODEL.family.state(np.full(2, TOTAL / 2), ends, np.ones((2, 1, 1)))
    states = np.full((LOOKS, STREAMS, 2, 3), np.nan)
    for stream in range(STREAMS):
        S = start
        looks = range(LOOKS)
        if stream > 0:
            S = learn(S, X[stream], 0, LATE * EVERY, retention, gain)
            looks = range(LATE, LOOKS)
        for look in looks:
            begin = look * EVERY
            S = learn(S, X[stream], begin, begin + EVERY, retention, gain)
            states[look, stream] = S
    last = np.arange(EVERY - 1, LENGTH, EVERY)
    truth = middle[last, None] + distance / 2 * np.array([-1, 1])
    counts = states[..., 0]
    return Track(states[..., 1] / counts, counts / TOTAL, truth, last + 1, X[0])


def learn(S, x, begin: int, end: int, retention, gain) -> np.ndarray:
    """Return the state S (2, 3) after the bolts begin to end of a stream x (LENGTH,).

    retention, gain (LENGTH,): what a bolt leaves of S, and how often it counts itself.
    """
    now = slice(begin, end)
    return run_stream(MODEL, S, x[now, None], retention[now], gain[now])


def errors(followed: Track) -> tuple[float, float]:
    """Return lag (the mean deviation) and noise (its standard deviation), in widths.

    Both are taken over streams and components from the look LATE on.
    """
    deviation = followed.truth[LATE:, None] - followed.means[LATE:]
    scatter = deviation - deviation.mean(axis=(1, 2), keepdims=True)
    return float(deviation.mean()), float(np.sqrt((scatter**2).mean()))


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


def picture_of_takeover() -> plots.Picture:
    """Draw how two components follow two machines that stand close together and move fast."""
    followed = track(100.0, 1.0, 2.5)
    fig, (left, right) = plots.figure(9.2, 3.3, ncols=2, width_ratios=[1.5, 1])
    bolts = np.arange(1, LENGTH + 1)
    left.plot(bolts[::4], followed.X[::4], ".", ms=2, color="#C8C8C8")
    colours = (plots.COLOURS[0], plots.COLOURS[3])
    for k, name in enumerate(("rear component", "front component")):
        left.plot(followed.seen, followed.truth[:, k], color="black", ls="--", lw=1.2)
        left.plot(followed.seen, followed.means[:, 0, k], color=colours[k], lw=2.4)
        left.text(1800 * k + 600, -6.6, name, color=colours[k])
    left.text(100, 6, "dashed: the machines")
    left.set(xlim=(0, LENGTH), ylim=(-7, 7), xlabel="data points seen", ylabel="$x$")
    left.set_title("The front component settles between the machines")
    right.plot(followed.seen, followed.weights[:, 0, 1], color=colours[1], lw=2.4)
    right.set(xlim=(0, LENGTH), ylim=(0, 1), xlabel="data points seen")
    right.set_title("Its weight grows to nearly 1")
    alt = """Left: numbers from two machines that stand close together and drift
    upwards. One learned mean settles between the two machines, the other stays behind
    both. Right: the weight of the first one rises from a half to nearly one."""
    return plots.Picture(fig, alt)
