"""Pictures of notebook 07."""

import numpy as np

from vbkit import plots
from vbkit.factorization import free_energy_of_column, kappa, shrink_empirical, thresholds

METHODS = ("MAP", "VB", "empirical VB", "zeros put in")
SINGULAR_VALUE = r"singular value $\gamma/\sigma$"
FIRST = plots.COLOURS[0]


def draw_table(ax, table, *, top: float):
    """Draw a table (L, M) in colours from -top to top, white where it is nan. Returns the image."""
    ax.set(xticks=[], yticks=[])
    image = ax.imshow(table, cmap="RdBu_r", vmin=-top, vmax=top, aspect="auto")
    image.set_interpolation("nearest")
    return image


def draw_posterior(ax, x, density):
    """Draw contours of a density (n, n) over a (first axis) and b, both on the grid x (n,)."""
    levels = density.max() * np.array([0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 1.0])
    ax.contourf(x, x, density.T, levels, cmap="Blues")
    ax.contour(x, x, density.T, levels[:-1], colors=FIRST, linewidths=0.6)
    ax.axhline(0, color=plots.GREY, lw=0.6)
    ax.axvline(0, color=plots.GREY, lw=0.6)
    ax.set(aspect="equal", xlim=(-4, 4), ylim=(-4, 4), xlabel="$a$", ylabel="$b$")


def branches(gammas, shape) -> dict[str, np.ndarray]:
    """Return the shrunk singular values (n,) at noise 1.

    They are those of the "live" minimum, the "pass" below it and the "global" minimum; the first
    two are nan where they do not exist.
    """
    live, best = kappa(gammas**2, shape), shrink_empirical(gammas, shape, 1.0)
    return {"live": live / gammas, "pass": np.prod(shape) / live / gammas, "global": best}


def draw_branches(ax, gammas, shape):
    """Draw the solutions with learned priors over the singular value. Returns `branches`."""
    found = branches(gammas, shape)
    ax.plot(gammas, found["live"], color=FIRST, ls="--")
    ax.plot(gammas, found["pass"], color=plots.GREY, ls=":")
    ax.plot(gammas, found["global"], color=FIRST, ls="-", lw=2.6)
    for name, place in zip(("local", "global"), thresholds(shape), strict=True):
        ax.axvline(place, color=plots.GREY, lw=0.8)
        ax.annotate(name, (place, gammas[-1]), xytext=(3, -9), textcoords="offset points")
    ax.set(xlabel=SINGULAR_VALUE, ylabel=r"$\hat\gamma/\sigma$")
    ax.set_ylim(-0.04 * gammas[-1], gammas[-1])
    return found


def draw_runs(ax, gammas, runs):
    """Draw the ends of iterations (n,) over the singular value, a marker for each kind of start."""
    for k, (name, ends) in enumerate(runs.items(), 1):
        style = plots.line_style(k, True, ls="none", mfc="none", label=f"{name} start")
        ax.plot(gammas, ends, **style)
    ax.legend(loc="center left")


def draw_gain(ax, gammas, shape):
    """Draw and return F of the live solution, less that of zero (nats), over the singular value."""
    gain = free_energy_of_column(kappa(gammas**2, shape), shape)
    ax.axhline(0, color=plots.GREY, lw=0.8)
    ax.plot(gammas, gain, color=FIRST)
    for place in thresholds(shape):
        ax.axvline(place, color=plots.GREY, lw=0.8)
    ax.set(xlabel=SINGULAR_VALUE, ylabel="F, live less dead (nats)", xlim=gammas[[0, -1]])
    return gain


def draw_switch(ax, values, by_evidence, by_vb, keep: float):
    """Draw the learned c_a^2 c_b^2 (n,) of a 1 x 1 matrix over the number observed (n,)."""
    plots.draw_curve(ax, values, by_evidence, "type-II maximum likelihood", at=92, offset=(-8, 8))
    plots.draw_curve(ax, values, by_vb, "empirical VB", 1, at=130, offset=(10, -8))
    for place, words in ((1, "1"), (keep, f"{keep:.3f}")):
        ax.axvline(place, color=plots.GREY, lw=1, ls=":")
        ax.text(place + 0.03, 11.3, words, color=plots.GREY)
    ax.set(xlabel=r"one observed number $|V|/\sigma$", ylabel=r"$c_a^2c_b^2/\sigma^2$")
    ax.set_ylim(-0.3, 12)


def draw_noise(ax, noises, free, marks):
    """Draw F less its least (nats) over the assumed noise (n,); marks: words -> (noise, F)."""
    lowest = min(free.min(), *(f for _, f in marks.values()))
    ax.semilogx(noises, free - lowest, color=FIRST)
    for k, (words, (noise, f)) in enumerate(marks.items(), 1):
        ax.plot(noise, f - lowest, plots.MARKERS[k], color=plots.COLOURS[k])
        offset = (12, 8) if f > lowest else (-30, -18)
        label = plots.label_line(ax, noise, f - lowest, words, offset=offset)
        label.set(color=plots.COLOURS[k], va="baseline", ha="left")
    ax.set(xlabel="assumed noise variance (true: 1)", ylabel="F less its least (nats)")
    ax.set_ylim(-400, 2500)


def draw_decay(ax, sweeps, products, law):
    """Draw c_a^2 c_b^2 of each column (n, H) over the sweeps, and the law of dying (n,)."""
    alive = products[-1] > 3 * law[-1]
    for column, lives in zip(products.T, alive, strict=True):
        ax.loglog(sweeps, column, lw=1.4, **plots.line_style(0 if lives else 1))
    ax.loglog(sweeps, law, color="black", ls=":", lw=2.2)
    lowest = products[-1][alive].min()
    ax.text(sweeps[-1], lowest / 1.4, "alive", color=FIRST, ha="right", va="top")
    ax.text(sweeps[2], law[4] / 3, r"$\sigma^2/((L+M)\,k)$", ha="left", va="top")
    ax.set(xlabel="sweeps $k$", ylabel="$c_a^2c_b^2$ (entries of $V$, squared)")


def draw_detection(ax, nus, detected, marks):
    """Draw the share of matrices whose component is found (n, 2), noise known and estimated.

    nus (n,): its strength; marks: words -> place of a vertical line.
    """
    for k, name in enumerate(("noise known", "noise estimated")):
        ax.plot(nus, 100 * detected[:, k], label=name, **plots.line_style(k, True))
    for words, place in marks.items():
        ax.plot([place, place], [-4, 102], color=plots.GREY, lw=1, ls=":")
        ax.text(place, 103, words, ha="center", va="bottom", color=plots.GREY)
    ax.legend(loc="center left")
    ax.set(xlabel=r"strength $\nu=\gamma^{*2}/(M\sigma^2)$", ylabel="found (% of matrices)")
    ax.set_ylim(-4, 112)


def draw_ranks(ax, ranks, estimated):
    """Draw means and ranges of estimated ranks (n, repeats, 2), noise known and estimated."""
    ax.plot(ranks, ranks, color=plots.GREY, lw=0.8)
    for k, name in enumerate(("noise known", "noise estimated")):
        rows = estimated[:, :, k].T
        plots.draw_band(ax, ranks, (rows.min(axis=0), rows.mean(axis=0), rows.max(axis=0)), name, k)
    ax.legend(loc="upper left")
    ax.set(xlabel="true rank", ylabel="estimated rank")


def draw_completion(ax, shares, errors, name: str):
    """Draw median and range of the errors on hidden entries, (data sets,) for each share.

    name: one of METHODS. Returns the medians.
    """
    rows = np.array([[f(e) for e in errors] for f in (np.min, np.median, np.max)])
    plots.draw_band(ax, shares, rows, name, METHODS.index(name), alpha=0.12)
    ax.set(xlabel="share of entries seen", xlim=(0, None), ylim=(0, 3))
    return rows[1]


def digits_figure(rows, truncated, rank: int, error: float):
    """Show rows of images (64, n) by name, and the errors of PCA (65,) beside the error of VB."""
    fig, (pictures, ax) = plots.figure(9.5, 3.6, ncols=2, width_ratios=[1.7, 1])
    tiles = [np.hstack([np.pad(i.reshape(8, 8), 1) for i in table.T]) for table in rows.values()]
    pictures.imshow(np.vstack(tiles), cmap="gray_r", vmin=0, vmax=16)
    pictures.set(xticks=[], yticks=10 * np.arange(len(rows)) + 4.5, yticklabels=list(rows))
    pictures.spines[:].set_visible(False)
    pictures.tick_params(length=0)
    plots.draw_curve(ax, np.arange(65), truncated, "PCA", 1, at=40, offset=(8, -14))
    ax.plot(rank, error, "o", color=FIRST)
    plots.label_line(ax, rank, error, f"VB, {rank} components", offset=(2, -15), va="baseline")
    ax.set(xlabel="components kept", ylabel="error (grey values)", ylim=(1.8, 5.2), xlim=(0, 65))
    return fig


def draw_priors(axes, c2, free, error):
    """Draw F less its least and the squared error (n,) over the priors c_a^2 c_b^2 (n,)."""
    for k, (name, values) in enumerate({"F (nats)": free - free.min(), "error": error}.items()):
        axes[k].semilogx(c2, values, **plots.line_style(k))
        lowest = values.argmin()
        axes[k].plot(c2[lowest], values[lowest], plots.MARKERS[k], color=plots.COLOURS[k], ms=7)
        axes[k].set_ylabel(name, color=plots.COLOURS[k])


def _draw_sample(ax, x, values, k, label=None):
    """Draw values (n,) as small dots, and their mean as a marker."""
    ax.plot(np.full(len(values), x), values, ".", color=plots.COLOURS[k], alpha=0.4, ms=4)
    ax.plot(x, values.mean(), label=label, **plots.line_style(k, True, ls="none"))


def draw_coverage(ax, cells):
    """Draw coverages (data sets,) of VB's and Gibbs' 95 % intervals, by share of entries seen."""
    ax.axhline(95, color=plots.GREY, lw=0.8)
    for k, name in enumerate(("VB", "Gibbs")):
        for x, cell in enumerate(cells.values()):
            _draw_sample(ax, x + 0.22 * k - 0.11, 100 * cell[name], k, None if x else name)
    ax.legend(loc="lower right")
    ax.set(xticks=range(len(cells)), xticklabels=cells, xlabel="entries seen")
    ax.set(ylabel="coverage (%)", ylim=(None, 100))


def draw_ratio(ax, ratios):
    """Draw VB's standard deviations over Gibbs' (data sets,), by share of entries seen."""
    ax.axhline(1, color=plots.GREY, lw=0.8)
    for x, values in enumerate(ratios.values()):
        _draw_sample(ax, x, values, 0)
    ax.set(xticks=range(len(ratios)), xticklabels=ratios, xlabel="entries seen")
    ax.set(ylabel="sd of VB / sd of Gibbs", xlim=(-0.5, len(ratios) - 0.5))
