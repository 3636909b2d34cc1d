"""Two components that follow two machines which move together."""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from vbkit import plots
from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.learning import sato2000
from vbkit.learning.online import run_stream
from vbkit.mixture import Mixture

STREAMS, LENGTH, EVERY = 8, 4000, 80  # streams, their data, and data between two looks
TOTAL = 1000  # data that the posterior stands for
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
        for first, end in pairwise(
            cuts if n == 0 else np.append(0, cuts[cuts >= early])
        ):
            S = run_stream(
                TARGET, S, row[first:end], retention[first:end], gain[first:end]
            )
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


def _tracks(ax):
    """Return data, true centres and learned centres (rear, front), still empty, on these axes."""
    ax.set(xlim=(0, LENGTH), ylim=(-12, 12), xlabel="data points seen", ylabel="$x$")
    learned = plots.COLOURS[0], plots.COLOURS[3]
    ax.text(0.02, 0.92, "dashed: the machines", transform=ax.transAxes)
    for k, name in enumerate(("rear centre", "front centre")):
        place = {"transform": ax.transAxes, "weight": "bold"}
        ax.text(0.46 + 0.26 * k, 0.03, name, color=learned[k], **place)
    lines = [ax.plot([], [], ".", ms=2, color="#C8C8C8")[0]]
    lines += [ax.plot([], [], color="black", ls="--", lw=1.2)[0] for _ in range(2)]
    return lines + [
        ax.plot([], [], color=colour, ls="-", lw=2.4)[0] for colour in learned
    ]


def _move(lines, arrays):
    lines[0].set_data(np.arange(1, LENGTH + 1, 4), arrays["X"][::4])
    for k in range(2):
        lines[1 + k].set_data(arrays["seen"], arrays["truth"][:, k])
        lines[3 + k].set_data(arrays["seen"], arrays["centres"][:, 0, k])


def collapse() -> plots.Picture:
    """Draw how two centres follow two machines that stand close together."""
    arrays = track(100.0, 1.0, 2.5)
    fig, (left, right) = plots.figure(9.2, 3.3, ncols=2, width_ratios=[1.5, 1])
    _move(_tracks(left), arrays)
    left.set(ylim=(-7, 7), title="The front component settles between the machines")
    right.plot(
        arrays["seen"],
        arrays["weights"][:, 0, 1],
        color=plots.COLOURS[3],
        ls="-",
        lw=2.4,
    )
    right.set(xlim=(0, LENGTH), ylim=(0, 1), xlabel="data points seen")
    right.set_title("Its weight grows to nearly 1")
    alt = """Left: numbers from two machines that stand close together and drift
    upwards. One learned centre settles between the two machines, the other stays behind
    both. Right: the weight of the first one rises from a half to nearly one."""
    return plots.Picture(fig, alt)
