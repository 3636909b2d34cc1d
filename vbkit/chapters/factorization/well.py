"""A component as a ball in a double well: the free energy over the shrunk singular value."""

from functools import lru_cache

import numpy as np

from vbkit import factorization as mf
from vbkit import plots
from vbkit.chapters.factorization.column import Column, free_energy, sweep
from vbkit.chapters.factorization.pictures import SHRUNK, SINGULAR_VALUE
from vbkit.chapters.old_form import OldExplorer
from vbkit.course import select_slider

SHAPE = (20, 30)
JOURNEY = np.round(
    np.concatenate([np.arange(12.5, 9, -0.1), np.arange(9, 12.51, 0.1)]), 1
)
TURN = len(JOURNEY) // 2
KAPPA = 160 * np.linspace(0, 1, 400) ** 2
PUSHES = [("none", 0.0), ("0.5 sigma", 0.5), ("1 sigma", 1.0), ("2.5 sigma", 2.5)]


def profile(gamma: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the shrunk singular value and F (nats, less that of no column), least over variances
    and prior variances."""
    return mf.learned_landscape(KAPPA, gamma, SHAPE)


def ball_at(shrunk: float) -> Column:
    """The best column with this shrunk singular value > 0: a ball on the curve of `profile`."""
    L, M = SHAPE
    k = np.interp(shrunk, profile(0.0)[0], KAPPA)
    s, norm = (
        shrunk / k,
        np.sqrt(shrunk),
    )  # of both factors: their balance costs nothing
    return Column(norm, norm, s, s, (k + M) * s / M, (k + L) * s / L)


@lru_cache
def journey(push: float) -> np.ndarray:
    """Return shrunk singular value and F (2, n) where the ball rests along JOURNEY.

    It begins alive. At each stop it is pushed out to `push` if it lies below, and then rolls.
    """
    shrunk, found = 10.0, []
    for gamma in JOURNEY:
        f = ball_at(max(shrunk, push, 1e-3))
        for _ in range(400):  # until it rests
            f = sweep(f, gamma, SHAPE)
        shrunk = f.a * f.b if f.a * f.b > 0.01 else 0.0
        found.append((shrunk, free_energy(f, gamma, SHAPE)))
    return np.array(found).T


def double_well() -> OldExplorer:
    """Lower a singular value step by step and raise it again; the ball remembers where it was."""
    stops = [
        (f"{g:.1f}, {'down' if k < TURN else 'up'}", k) for k, g in enumerate(JOURNEY)
    ]
    controls = {
        "stop": select_slider(
            "Singular value, on the way down and up again", stops, 10, play=200
        ),
        "push": select_slider("Push at each stop", PUSHES, 0.0),
    }
    for _, push in PUSHES:
        journey(push)  # kept, so that no position has to wait

    def compute(stop, push):
        return {"curve": profile(JOURNEY[stop]), "path": journey(push)}

    def draw(artists, arrays, values):
        stop, rests = values["stop"], arrays["path"][0]
        artists["curve"].set_data(arrays["curve"])
        artists["balls"][0].set_data(*arrays["path"][:, stop : stop + 1])
        artists["balls"][1].set_data(JOURNEY[stop : stop + 1], rests[stop : stop + 1])
        parts = slice(0, min(stop + 1, TURN)), slice(TURN, max(stop + 1, TURN))
        for line, part in zip(artists["trails"], parts, strict=True):
            line.set_data(JOURNEY[part], rests[part])

    title = "A ball on the free energy (20 x 30, noise 1)"
    return OldExplorer(controls, compute, _setup, draw, title=title, status=_status)


def _setup(figure):
    """Left: the free energy of one component over its shrunk singular value, with a ball at rest.
    Right: the resting places so far over the singular value, circles on the way down and squares
    on the way up.
    """
    well, trail = figure.subplots(1, 2)
    well.axhline(0, color=plots.GREY, lw=0.8)
    well.set(
        title="the landscape now", xlabel=SHRUNK, ylabel="F (nats; no component: 0)"
    )
    well.set(xlim=(-0.3, 10), ylim=(-11, 8))
    trail.set(title="where the ball came to rest", xlabel=SINGULAR_VALUE, ylabel=SHRUNK)
    trail.set(xlim=(8.9, 12.6), ylim=(-0.5, 10.5))
    trail.text(9.0, 9.7, "circles: on the way down", color=plots.COLOURS[1])
    trail.text(9.0, 9.0, "squares: on the way up", color=plots.COLOURS[2])
    ball = {
        "marker": "o",
        "color": plots.COLOURS[1],
        "ms": 11,
        "mec": "black",
        "ls": "none",
    }
    marks = [
        {"marker": "o", "color": plots.COLOURS[1]},
        {"marker": "s", "color": plots.COLOURS[2]},
    ]
    return {
        "curve": well.plot([], [], color=plots.COLOURS[0], ls="-", lw=2)[0],
        "trails": [
            trail.plot([], [], ls="none", mfc="none", ms=6, **m)[0] for m in marks
        ],
        "balls": [ax.plot([], [], **ball)[0] for ax in (well, trail)],
    }


def _status(arrays, values) -> str:
    gamma, rest = JOURNEY[values["stop"]], arrays["path"][0, values["stop"]]
    if gamma < mf.thresholds(SHAPE).local:
        words = "one valley, at zero"
    else:
        alive = mf.free_energy_of_column(mf.kappa(gamma**2, SHAPE), SHAPE)
        side = "above" if alive > 0 else "below"
        words = f"two valleys, the live one {abs(alive):.2f} nats {side} zero"
    return f"Singular value {gamma:.1f} sigma: {words}. The ball rests at {rest:.2f}."
