"""Pictures of notebook 07a. What a figure shows, its alternative text, is the docstring of the
function that draws it."""

import numpy as np

from vbkit import plots
from vbkit.factorization import free_energy_of_column, kappa, shrink_empirical, thresholds

SINGULAR_VALUE = r"singular value $\gamma/\sigma$"
FIRST = plots.COLOURS[0]


def draw_table(ax, table, *, top: float):
    """Draw a table (L, M) in colours from -top to top, grey where it is nan. Returns the image."""
    ax.set(xticks=[], yticks=[], facecolor="#B8B8B8")  # no colour of the scale
    image = ax.imshow(table, cmap="RdBu_r", vmin=-top, vmax=top, aspect="auto")
    image.set_interpolation("nearest")
    return image


def product(B, A, holes) -> plots.Picture:
    """A coloured table of 24 rows and 36 columns, equal to the product of a tall table with three
    columns and a wide table with three rows. At the right the same table with three fifths of
    its entries grey: holes."""
    # B (L, H), A (M, H), holes (L, M)
    tables = {"$B$": B, r"$A^\top$": A.T, r"$BA^\top$": B @ A.T, "given (holes grey)": holes}
    widths = [table.shape[1] for table in tables.values()]  # so that all cells are equal
    fig, axes = plots.figure(7.5, 2.0, ncols=4, width_ratios=widths)
    for ax, (name, table) in zip(axes, tables.items(), strict=True):
        draw_table(ax, table, top=4)
        ax.set_title(name, loc="center")
        ax.set_aspect("equal")
    return plots.show(fig, product.__doc__)


def draw_posterior(ax, x, density, levels):
    """Draw contours of a density (n, n) over a (first axis) and b, both on the grid x (n,)."""
    ax.contourf(x, x, density.T, levels, cmap="Blues")
    ax.contour(x, x, density.T, levels[:-1], colors=FIRST, linewidths=0.6)
    ax.axhline(0, color=plots.GREY, lw=0.6)
    ax.axvline(0, color=plots.GREY, lw=0.6)
    ax.set(aspect="equal", xlim=(-4, 4), ylim=(-4, 4), xlabel="$a$", ylabel="$b$")


def posterior(x, exact, vb):
    """Two contour plots over a and b. The exact posterior has two banana-shaped lobes along the
    hyperbola ab = 3, one for each common sign. The VB posterior is one upright round blob
    within one lobe, darker at its centre; it leaves out the other lobe and the tips of its own.
    Both have contours at the same levels."""
    # x (n,): the grid of a and b; the densities (n, n)
    levels = vb.max() * np.array([0.01, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0])
    fig, axes = plots.figure(7, 3.5, ncols=2)
    panels = {"exact posterior, $V=3$": exact, "a VB posterior (dashed: exact)": vb}
    for ax, letter, (words, density) in zip(axes, "AB", panels.items(), strict=True):
        draw_posterior(ax, x, density, levels)
        plots.panel_title(ax, letter, words)
    axes[1].contour(x, x, exact.T, levels[:1], colors=plots.COLOURS[1], linestyles="--")
    return fig, posterior.__doc__


def switch(values, by_evidence, by_vb, keep: float):
    """Learned prior variance against the observed number. Type-II maximum likelihood is zero up to
    1 and rises continuously; empirical VB is zero up to 2.216, jumps to about 2.5, and rises."""
    # of each number (n,), the learned c_a^2 c_b^2 (n,) by the exact evidence and by VB
    fig, (ax,) = plots.figure(7, 3.5)
    plots.draw_curve(ax, values, by_evidence, "type-II max.\nlikelihood", at=86, offset=(-8, 12))
    plots.draw_curve(ax, values, by_vb, "empirical VB", 1, at=130, offset=(10, -8))
    for place, words in ((1, "1"), (keep, f"{keep:.3f}")):
        ax.axvline(place, color=plots.GREY, lw=1, ls=":")
        ax.text(place + 0.03, 11.3, words, color=plots.GREY)
    ax.set(xlabel=r"one observed number $|V|/\sigma$", ylabel=r"$c_a^2c_b^2/\sigma^2$")
    ax.set_ylim(-0.3, 12)
    return fig, switch.__doc__


def branches(gammas, shape) -> dict[str, np.ndarray]:
    """Return the shrunk singular values (n,) at noise 1.

    They are those of the "live" minimum, the "pass" below it and the "global" minimum; the first
    two are nan where they do not exist.
    """
    live, best = kappa(gammas**2, shape), shrink_empirical(gammas, shape, 1.0)
    return {"live": live / gammas, "pass": np.prod(shape) / live / gammas, "global": best}


def threshold(gammas, shape, starts, runs):
    """A: shrunk against observed singular value of a 20 by 30 matrix. A live branch starts at 9.95
    together with an unstable one; from 11.02 it is the global solution. Iterations from strong
    starts follow it down to 9.95, from weak starts they stay at zero. B: its free energy minus
    that of zero falls through zero at 11.02."""
    # runs: kind of start -> where iterations ended (m,), at the singular values starts (m,)
    fig, (at, value) = plots.figure(8, 3.7, ncols=2)
    found, marks = branches(gammas, shape), thresholds(shape)
    at.plot(gammas, found["live"], color=FIRST, ls="--")
    at.plot(gammas, found["pass"], color=plots.GREY, ls=":")
    plots.label_line(at, gammas, found["pass"], "pass", at=46, offset=(3, 7))
    at.plot(gammas, found["global"], color=FIRST, ls="-", lw=2.6)
    plots.label_line(at, gammas, found["global"], "best", at=-22, offset=(-4, 12))
    for k, (name, ends) in enumerate(runs.items(), 1):
        style = plots.line_style(k, True, ls="none", mfc="none", label=f"{name} start")
        at.plot(starts, ends, **style)
    at.legend(loc="center right", bbox_to_anchor=(1.02, 0.35))
    at.set(xlabel=SINGULAR_VALUE, ylabel=r"shrunk, $\hat\gamma/\sigma$", ylim=(-0.5, 13))
    gain = free_energy_of_column(kappa(gammas**2, shape), shape)
    value.plot(gammas, gain, color=FIRST)
    value.axhline(0, color=plots.GREY, lw=0.8)
    value.set(xlabel=SINGULAR_VALUE, ylabel="F, live minus dead (nats)", xlim=gammas[[0, -1]])
    for name, place in zip(("local", "global"), marks, strict=True):
        at.axvline(place, color=plots.GREY, lw=0.8)
        value.axvline(place, color=plots.GREY, lw=0.8)
        at.annotate(name, (place, 13), xytext=(3, -9), textcoords="offset points")
    plots.panel_title(at, "A", "where a component rests")
    plots.panel_title(value, "B", "is alive better than dead?")
    return fig, threshold.__doc__, found | {"gamma": gammas, "gain": gain} | runs
