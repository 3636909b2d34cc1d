"""Online EM in blocks, and the pictures of its rates and of learning curves (Sato 1999)."""

from typing import NamedTuple

import numpy as np

from vbkit import plots
from vbkit.learning import fit_online
from vbkit.mixture import Mixture

BLUE, ORANGE, GREEN = plots.COLOURS[:3]
STYLES = {
    "batch": {"ls": "--", "color": ORANGE},
    "online": {"ls": "-", "color": BLUE},
    "gradient": {"ls": "-.", "color": GREEN},
}

# ---- what is run beside batch EM and online EM ---------------------------------------


def block_epoch(mixture: Mixture, X, S, schedule, length: int):
    """Run a pass of online EM in which blocks of `length` data use the state before the block.

    X (N, D), S (K, P). Returns the state and the schedule after the pass.
    """
    if length == 1:
        fit = fit_online(mixture, X, S, schedule, monitor=False)
        return fit.S, fit.schedule
    for first in range(0, len(X), length):
        rows = X[first : first + length]
        retention, gain, schedule = schedule.rates(len(rows))
        # each data point fades with all that come after it
        later = np.append(retention[1:], 1.0)
        left = np.cumprod(later[::-1])[::-1]
        added = mixture.e_step(rows, S, weights=gain * left).S
        S = retention.prod() * S + added
    return S, schedule


def share_seen(theta):
    """Return how much of the complete data's information on theta (n,) the data give (n,).

    For two machines of width 1 at -theta and theta; the expectation is by quadrature.
    """
    nodes, mass = np.polynomial.hermite_e.hermegauss(80)
    theta = np.asarray(theta)[..., None]
    x = theta + nodes
    squares = (x * np.tanh(x * theta)) ** 2
    return squares @ mass / mass.sum() - theta[..., 0] ** 2


# ---- pictures ------------------------------------------------------------------------


class Look(NamedTuple):
    """How a rate is drawn, and where its name stands."""

    dashes: str
    colour: str
    place: int  # beside which of the points that are drawn
    offset: tuple[int, int]  # how far from there


LOOKS = (
    Look("--", ORANGE, -1, (6, 0)),
    Look("-.", GREEN, 30, (6, 8)),
    Look("-", BLUE, -1, (6, -7)),
    Look("-", BLUE, -1, (6, 4)),
    Look("-", BLUE, -1, (6, 3)),
)
PHASES = ((8, "memory grows"), (450, "window slides"), (3e4, "grows again"))
BORDERS = (100, 2000)  # data, between the phases, for the paper's constants


def picture_of_rates(rates: dict) -> plots.Picture:
    """Draw five learning rates (n,) by name over the data seen (Sato 1999, Figure 2)."""
    n = len(next(iter(rates.values())))
    at = np.unique(np.geomspace(1, n, 200).astype(int))
    fig, (ax,) = plots.figure(7.5, 4)
    arrays = {"t": at}
    for i, (name, values) in enumerate(rates.items()):
        look = LOOKS[i]
        shown = values[at - 1]
        ax.loglog(at, shown, ls=look.dashes, color=look.colour, lw=1.6)
        plots.label_line(ax, at, shown, name, at=look.place, offset=look.offset)
        arrays[f"eta_{i}"] = shown
    for t, phase in PHASES:
        ax.text(t, 2e-6, phase, ha="center")
    for t in BORDERS:
        ax.axvline(t, color=plots.GREY, ls=":", lw=1)
    ax.set(xlabel="data seen, $t$", ylabel=r"learning rate $\eta(t)$")
    ax.set(xlim=(1, n), ylim=(5e-7, 1))
    alt = """Five learning rates against data seen, both axes logarithmic. Dashed 1/t
    falls along a straight line. Dash-dotted (41) falls slowly at first and stays
    highest for some hundred data. Three solid curves (39) fall to about 0.015 by a
    hundred data, bend to a shoulder that is longer for smaller gamma, then fall in
    parallel. Dotted lines at 100 and 2,000 data part three phases: the window grows,
    slides, grows again."""
    return plots.Picture(fig, alt, arrays)


def draw_curves(ax, curves, name: str, *, top: float, broken=()):
    """Draw learning curves (starts, epochs + 1) up to `top`; a cross where a broken one ends.

    name: of a method among STYLES. broken: rows of curves.
    """
    epochs = np.arange(curves.shape[1])
    colour = STYLES[name]["color"]
    ax.plot(epochs, curves.T, ls="-", lw=0.8, alpha=0.75, color=colour)
    for row in broken:
        last = np.flatnonzero(np.isfinite(curves[row]))[-1]
        height = min(curves[row, last], 0.97 * top)
        ax.plot(last, height, "x", color=ORANGE, ms=7, clip_on=False)
    bottom = min(0.0, np.nanmin(curves))
    ax.set(xlim=(0, epochs[-1]), ylim=(bottom, top))
