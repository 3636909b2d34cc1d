"""The pictures of the evidence on Sato (1999)."""

import numpy as np

from vbkit import plots

STYLES = {
    "batch": {"ls": "--", "color": plots.COLOURS[1]},
    "online": {"ls": "-", "color": plots.COLOURS[0]},
    "gradient": {"ls": "-.", "color": plots.COLOURS[2]},
}


def figure_2(rates: dict) -> plots.Picture:
    """Draw learning rates (n,) by name over the data seen (Sato 1999, Figure 2)."""
    looks = [("--", 1, -1, (6, 0)), ("-.", 2, 30, (6, 8))]
    looks += [("-", 0, -1, (6, dy)) for dy in (-7, 4, 3)]
    n = len(next(iter(rates.values())))
    at = np.unique(np.geomspace(1, n, 200).astype(int))
    fig, (ax,) = plots.figure(7.5, 4)
    for (name, values), (line, k, place, offset) in zip(
        rates.items(), looks, strict=True
    ):
        ax.loglog(at, values[at - 1], ls=line, color=plots.COLOURS[k], lw=1.6)
        plots.label_line(ax, at, values[at - 1], name, at=place, offset=offset)
    for t, phase in ((8, "memory grows"), (450, "window slides"), (3e4, "grows again")):
        ax.text(t, 2e-6, phase, ha="center")
    for t in (100, 2000):  # of the paper's constants
        ax.axvline(t, color=plots.GREY, ls=":", lw=1)
    ax.set(
        xlabel="data seen, $t$",
        ylabel=r"learning rate $\eta(t)$",
        xlim=(1, n),
        ylim=(5e-7, 1),
    )
    alt = """Five learning rates against data seen, both axes logarithmic. Dashed 1/t
    falls along a straight line. Dash-dotted (41) falls slowly at first and stays
    highest for some hundred data. Three solid curves (39) fall to about 0.015 by a
    hundred data, bend to a shoulder that is longer for smaller gamma, then fall in
    parallel. Dotted lines at 100 and 2,000 data part three phases: the window grows,
    slides, grows again."""
    arrays = {"t": at}
    for i, values in enumerate(rates.values()):
        arrays[f"eta_{i}"] = values[at - 1]
    return plots.Picture(fig, alt, arrays)


def draw_curves(ax, curves, name: str, *, top: float, broken=()):
    """Draw learning curves (starts, epochs + 1) up to `top`; a cross where a broken one ends."""
    epochs = np.arange(curves.shape[1])
    ax.plot(epochs, curves.T, ls="-", lw=0.8, alpha=0.75, color=STYLES[name]["color"])
    for row in broken:
        last = np.flatnonzero(np.isfinite(curves[row]))[-1]
        height = min(curves[row, last], 0.97 * top)
        ax.plot(last, height, "x", color=plots.COLOURS[1], ms=7, clip_on=False)
    ax.set(xlim=(0, epochs[-1]), ylim=(min(0.0, np.nanmin(curves)), top))
