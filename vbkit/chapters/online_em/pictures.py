"""The pictures of notebook 02."""

import numpy as np

from vbkit import plots
from vbkit.course.four_gaussians import parameters
from vbkit.data import SATO1999_LAYOUTS, SATO1999_WEIGHTS

STYLES = {
    "batch": {"ls": "--", "color": plots.COLOURS[1]},
    "online": {"ls": "-", "color": plots.COLOURS[0]},
    "gradient": {"ls": "-.", "color": plots.COLOURS[2]},
}


def figure_1(mixture, X, ends: dict) -> plots.Picture:
    """Draw the data, the truth, and where EM ends from start 1 (Sato 1999, Figure 1).

    X: N -> points (N, 2); ends: "batch" and "online" -> state (K, P).
    """
    centres, widths = SATO1999_LAYOUTS["factorised"]
    truth = SATO1999_WEIGHTS, centres, widths**2
    pictures = [
        (truth, 100, "truth and 100 data"),
        (truth, 1000, "truth and 1,000 data"),
    ]
    for name, S in ends.items():
        found = [a[0] for a in parameters(mixture, [S])]
        pictures += [(found, 1000, f"{name} EM, from start 1")]
    fig, axes = plots.figure(7, 7.2, ncols=2, nrows=2, sharex=True, sharey=True)
    for ax, letter, ((_, middles, variances), N, words) in zip(
        axes, "ABCD", pictures, strict=True
    ):
        plots.draw_points(ax, X[N], size=2.5)
        plots.draw_ellipses(ax, middles, variances, radius=1.0)
        plots.panel_title(ax, letter, words)
        ax.set(
            aspect="equal",
            xlim=(0, 1),
            ylim=(0, 1),
            xticks=[0, 0.5, 1],
            yticks=[0, 0.5, 1],
        )
    alt = """Four panels in the unit square. A and B: 100 and 1,000 points with four
    circles of one standard deviation at the true centres. C: the solution of batch EM,
    one large circle over both upper clusters and two small ones that share the lower
    right one. D: that of online EM from the same start, a circle on each cluster."""
    arrays = {"data_100": X[100], "data_1000": X[1000]} | ends
    return plots.Picture(fig, alt, arrays)


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


def figure_3(cases, curves) -> plots.Picture:
    """Draw the learning curves of online EM (Sato 1999, Figure 3).

    cases: pairs (K, N); curves: (starts, epochs + 1) for each of them.
    """
    fig, axes = plots.figure(9, 2.9, ncols=4, sharex=True, sharey=True)
    draw_panels(fig, axes, curves, "online")
    for ax, letter, (K, N) in zip(axes, "ABCD", cases, strict=True):
        plots.panel_title(ax, letter, f"{K} comp., {N:,} data").set_fontsize(11)
    alt = """Learning curves of online EM, 20 starts in each of four panels, both axes
    logarithmic. With 1,000 and 10,000 data they fall within a few epochs, except some
    that stay at 0.1 or above. With 100 data they take tens of epochs. With 20
    components they rise again."""
    return plots.Picture(fig, alt, dict(zip("ABCD", curves, strict=True)))


def figure_4(cases, curves) -> plots.Picture:
    """Draw the learning curves (starts, epochs + 1) of batch EM (Sato 1999, Figure 4)."""
    fig, axes = plots.figure(9, 2.9, ncols=4, sharex=True, sharey=True)
    draw_panels(fig, axes, curves, "batch")
    for ax, letter in zip(axes, "ABCD", strict=True):
        plots.panel_title(ax, letter, "")
    fig.supxlabel("epoch", fontsize=11)
    alt = """Learning curves of batch EM from the same starts. In panels A to C they
    spread over tens of epochs, with plateaus; some stay at 0.1 or above for ever, at
    every number of data. With 20 components they rise again."""
    return plots.Picture(fig, alt, dict(zip("ABCD", curves, strict=True)))


def draw_panels(fig, axes, curves, method):
    """Draw the learning curves (starts, epochs + 1) of a method, one panel per case.

    Shaded: more than 0.03 nats above the best end (not in the last panel, of 20 components).
    """
    for ax, values in zip(axes, curves, strict=True):
        draw_curves(ax, values, method, top=2)
        limit = values[:, -1].min() + 0.03
        if ax is not axes[-1]:  # such lines lie on top of each other
            ax.axhspan(limit, 3, color="0.9")
            words = f"{(values[:, -1] > limit).sum()} of {len(values)} trapped"
            ax.text(
                0.97,
                0.95,
                words,
                transform=ax.transAxes,
                ha="right",
                va="top",
                fontsize=11,
            )
    for ax in axes:  # curves first: they set linear limits
        ax.set(xscale="symlog", yscale="log", ylim=(2e-4, 3))
        ax.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    fig.supylabel(f"{method} EM: divergence (nats)", fontsize=11)


def draw_curves(ax, curves, name: str, *, top: float, broken=()):
    """Draw learning curves (starts, epochs + 1) up to `top`; a cross where a broken one ends."""
    epochs = np.arange(curves.shape[1])
    ax.plot(epochs, curves.T, ls="-", lw=0.8, alpha=0.75, color=STYLES[name]["color"])
    for row in broken:
        last = np.flatnonzero(np.isfinite(curves[row]))[-1]
        height = min(curves[row, last], 0.97 * top)
        ax.plot(last, height, "x", color=plots.COLOURS[1], ms=7, clip_on=False)
    ax.set(xlim=(0, epochs[-1]), ylim=(min(0.0, np.nanmin(curves)), top))


def share_seen(centre):
    """Return F / G (n,): how much of the complete data's information on centre (n,) the data give.

    For two bumps of width 1 at -centre and centre; the expectation is by quadrature.
    """
    nodes, mass = np.polynomial.hermite_e.hermegauss(80)
    x = np.asarray(centre)[..., None] + nodes
    seen = (x * np.tanh(x * np.asarray(centre)[..., None])) ** 2
    return seen @ mass / mass.sum() - np.square(centre)


def picture_of_information() -> plots.Picture:
    """Draw the share of information seen over half the distance of two bumps."""
    centre = np.linspace(0, 4, 161)
    fig, (ax,) = plots.figure(6, 2.9)
    ax.plot(centre, share_seen(centre), color=plots.COLOURS[0], ls="-")
    for at in (0.5, 1.0, 2.0):
        ax.plot(at, share := share_seen(at), "o", color=plots.COLOURS[0])
        ax.text(at + 0.1, share - 0.1, f"{share:.2f}")
    ax.set(xlim=(0, 4), ylim=(0, 1.03), ylabel="share of information seen")
    ax.set_xlabel(r"$\theta$, half the distance of the bumps (in widths)")
    alt = """The share of information seen, against half the distance of two bumps: near
    0 while they coincide, one half at 0.7 widths, and close to 1 from 2 widths on."""
    return plots.Picture(fig, alt)
