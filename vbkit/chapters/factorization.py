"""Drawings of notebook 07, matrix factorization."""

import numpy as np

from vbkit import plots
from vbkit.factorization import free_energy_of_column, kappa, shrink_empirical, thresholds

METHODS = ("MAP", "VB", "empirical VB", "zeros put in")


def draw_table(ax, table, *, top: float):
    """A table (L, M) in colours from -top to top, what is nan left white. Returns the image."""
    ax.set(xticks=[], yticks=[])
    return ax.imshow(
        table, cmap="RdBu_r", vmin=-top, vmax=top, aspect="auto", interpolation="nearest"
    )


def draw_posterior(ax, x, density):
    """Filled contours of a density (n, n) over a (first axis) and b, of the grid x (n,)."""
    levels = density.max() * np.array([0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 1.0])
    ax.contourf(x, x, density.T, levels, cmap="Blues")
    ax.contour(x, x, density.T, levels[:-1], colors=plots.COLOURS[0], linewidths=0.6)
    ax.axhline(0, color=plots.GREY, lw=0.6)
    ax.axvline(0, color=plots.GREY, lw=0.6)
    ax.set(aspect="equal", xlim=(-4, 4), ylim=(-4, 4), xlabel="$a$", ylabel="$b$")


def branches(gammas, shape):
    """Shrunk singular values (n,) at noise 1: of the live minimum and the pass below it (nan where there is none), and
    of the global minimum."""
    live, best = kappa(gammas**2, shape), shrink_empirical(gammas, shape, 1.0)
    return {"live": live / gammas, "pass": np.prod(shape) / live / gammas, "global": best}


def draw_branches(ax, gammas, shape):
    """The solutions of learned priors over the singular value, in units of sigma. Returns their arrays."""
    found, (local, keep) = branches(gammas, shape), thresholds(shape)
    ax.plot(gammas, found["live"], color=plots.COLOURS[0], ls="--")
    ax.plot(gammas, found["pass"], color=plots.GREY, ls=":")
    ax.plot(gammas, found["global"], color=plots.COLOURS[0], lw=2.6)
    for place, words in ((local, "local"), (keep, "global")):
        ax.axvline(place, color=plots.GREY, lw=0.8)
        ax.annotate(
            words,
            (place, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, -9),
            textcoords="offset points",
        )
    ax.set(xlabel=r"singular value $\gamma/\sigma$", ylabel=r"$\hat\gamma/\sigma$")
    ax.set_ylim(-0.04 * gammas[-1], gammas[-1])
    return found


def draw_runs(ax, gammas, runs):
    """Ends of iterations (n,) over the singular value, a marker a kind of start."""
    for k, (name, ends) in enumerate(runs.items(), 1):
        ax.plot(
            gammas, ends, mfc="none", label=f"{name} start", **plots.line_style(k, True, ls="none")
        )
    ax.legend(loc="center left")


def draw_gain(ax, gammas, shape):
    """Free energy of the live solution, less that of zero (nats), over the singular value. Returns it."""
    gain = free_energy_of_column(kappa(gammas**2, shape), shape)
    ax.axhline(0, color=plots.GREY, lw=0.8)
    ax.plot(gammas, gain, color=plots.COLOURS[0])
    for place in thresholds(shape):
        ax.axvline(place, color=plots.GREY, lw=0.8)
    ax.set(
        xlabel=r"singular value $\gamma/\sigma$",
        ylabel="F, live less dead (nats)",
        xlim=(gammas[0], gammas[-1]),
    )
    return gain


def draw_switch(ax, values, by_evidence, by_vb, keep: float):
    """c_a^2 c_b^2 (n,) of a 1 x 1 matrix by type-II maximum likelihood and by VB, over the number observed (n,)."""
    plots.draw_curve(ax, values, by_evidence, "type-II maximum likelihood", at=92, offset=(-8, 8))
    plots.draw_curve(ax, values, by_vb, "empirical VB", 1, at=130, offset=(10, -8))
    for place, words in ((1, "1"), (keep, f"{keep:.3f}")):
        ax.axvline(place, color=plots.GREY, lw=1, ls=":")
        ax.text(place + 0.03, 11.3, words, color=plots.GREY)
    ax.set(
        xlabel=r"one observed number $|V|/\sigma$", ylabel=r"$c_a^2c_b^2/\sigma^2$", ylim=(-0.3, 12)
    )


def draw_noise(ax, noises, free, marks):
    """F less its least (nats) over the assumed noise variance (n,); marks: words -> (noise, F)."""
    lowest = min(free.min(), *(f for _, f in marks.values()))
    ax.semilogx(noises, free - lowest, color=plots.COLOURS[0])
    for k, (words, (noise, f)) in enumerate(marks.items(), 1):
        ax.plot(noise, f - lowest, plots.MARKERS[k], color=plots.COLOURS[k])
        place = {"xytext": (12, 8) if f > lowest else (-30, -18), "textcoords": "offset points"}
        ax.annotate(words, (noise, f - lowest), color=plots.COLOURS[k], **place)
    ax.set(
        xlabel="assumed noise variance (true: 1)",
        ylabel="F less its least (nats)",
        ylim=(-400, 2500),
    )


def draw_decay(ax, sweeps, products, law):
    """c_a^2 c_b^2 of each column (n, H) over the sweeps, and the law of dying (n,)."""
    alive = products[-1] > 3 * law[-1]
    for h, column in enumerate(products.T):
        ax.loglog(
            sweeps,
            column,
            color=plots.COLOURS[0 if alive[h] else 1],
            ls="-" if alive[h] else "--",
            lw=1.4,
        )
    ax.loglog(sweeps, law, color="black", ls=":", lw=2.2)
    ax.text(
        sweeps[-1],
        products[-1][alive].min() / 1.4,
        "alive",
        color=plots.COLOURS[0],
        ha="right",
        va="top",
    )
    ax.text(sweeps[2], law[4] / 3, r"$\sigma^2/((L+M)\,k)$", ha="left", va="top")
    ax.set(xlabel="sweeps $k$", ylabel="$c_a^2c_b^2$ (entries of $V$, squared)")


def draw_detection(ax, nus, detected, marks):
    """Share of matrices with a component found (n, 2), noise known and estimated, over its strength."""
    for k, name in enumerate(("noise known", "noise estimated")):
        ax.plot(nus, 100 * detected[:, k], label=name, **plots.line_style(k, True))
    for words, place in marks.items():
        ax.plot([place, place], [-4, 102], color=plots.GREY, lw=1, ls=":")
        ax.text(place, 103, words, ha="center", va="bottom", color=plots.GREY)
    ax.legend(loc="center left")
    ax.set(
        xlabel=r"strength $\nu=\gamma^{*2}/(M\sigma^2)$",
        ylabel="found (% of matrices)",
        ylim=(-4, 112),
    )


def draw_ranks(ax, ranks, estimated):
    """Estimated ranks (n, repeats, 2), noise known and estimated, over the true one: means and ranges."""
    ax.plot(ranks, ranks, color=plots.GREY, lw=0.8)
    for k, name in enumerate(("noise known", "noise estimated")):
        rows = estimated[:, :, k]
        plots.draw_band(ax, ranks, (rows.min(axis=1), rows.mean(axis=1), rows.max(axis=1)), name, k)
    ax.legend(loc="upper left")
    ax.set(xlabel="true rank", ylabel="estimated rank")


def draw_completion(ax, shares, errors, name: str):
    """Errors on hidden entries of one of METHODS, (data sets,) a share: median and range. Returns medians."""
    rows = np.array([[f(e) for e in errors] for f in (np.min, np.median, np.max)])
    plots.draw_band(ax, shares, rows, name, METHODS.index(name), alpha=0.12)
    ax.set(xlabel="share of entries seen", xlim=(0, None), ylim=(0, 3))
    return rows[1]


def digits_figure(rows, truncated, rank: int, error: float):
    """Rows of images (64, n) by name, and the error of PCA over the components kept (65,) beside that of VB."""
    fig, (pictures, ax) = plots.figure(9.5, 3.6, ncols=2, width_ratios=[1.7, 1])
    tiles = [np.hstack([np.pad(i.reshape(8, 8), 1) for i in table.T]) for table in rows.values()]
    pictures.imshow(np.vstack(tiles), cmap="gray_r", vmin=0, vmax=16)
    pictures.set(xticks=[], yticks=10 * np.arange(len(rows)) + 4.5, yticklabels=list(rows))
    pictures.spines[:].set_visible(False)
    pictures.tick_params(length=0)
    plots.draw_curve(ax, np.arange(65), truncated, "PCA", 1, at=40, offset=(8, -14))
    ax.plot(rank, error, "o", color=plots.COLOURS[0])
    words = {"xytext": (2, -15), "textcoords": "offset points", "color": plots.COLOURS[0]}
    ax.annotate(f"VB, {rank} components", (rank, error), **words)
    ax.set(xlabel="components kept", ylabel="error (grey values)", ylim=(1.8, 5.2), xlim=(0, 65))
    return fig


def draw_priors(axes, c2, free, error):
    """F less its least and the squared error (n,), over the priors c_a^2 c_b^2 (n,); marks show where each is least."""
    for k, (ax, values, words) in enumerate(
        zip(axes, (free - free.min(), error), ("F (nats)", "error"), strict=True)
    ):
        ax.semilogx(c2, values, color=plots.COLOURS[k], ls=plots.LINES[k])
        ax.plot(c2[values.argmin()], values.min(), plots.MARKERS[k], color=plots.COLOURS[k], ms=7)
        ax.set_ylabel(words, color=plots.COLOURS[k])


def draw_coverage(ax, cells):
    """Coverage (data sets,) of 95 % intervals by VB and Gibbs, by share of entries seen, and its mean."""
    ax.axhline(95, color=plots.GREY, lw=0.8)
    for k, name in enumerate(("VB", "Gibbs")):
        for x, cell in enumerate(cells.values()):
            place = x + 0.22 * k - 0.11
            ax.plot(
                np.full(len(cell[name]), place),
                100 * cell[name],
                ".",
                color=plots.COLOURS[k],
                alpha=0.4,
                ms=4,
            )
            mark = plots.line_style(k, True, ls="none", label=name if x == 0 else None)
            ax.plot(place, 100 * cell[name].mean(), **mark)
    ax.legend(loc="lower right")
    ax.set(
        xticks=range(len(cells)),
        xticklabels=cells,
        xlabel="entries seen",
        ylabel="coverage (%)",
        ylim=(None, 100),
    )


def draw_ratio(ax, ratios):
    """Standard deviations of VB over those of Gibbs (data sets,), by share of entries seen."""
    ax.axhline(1, color=plots.GREY, lw=0.8)
    for x, values in enumerate(ratios.values()):
        ax.plot(np.full(len(values), x), values, ".", color=plots.COLOURS[0], alpha=0.4, ms=4)
        ax.plot(x, values.mean(), "o", color=plots.COLOURS[0])
    ax.set(
        xticks=range(len(ratios)),
        xticklabels=ratios,
        xlabel="entries seen",
        ylabel="sd of VB / sd of Gibbs",
    )
    ax.set(xlim=(-0.5, len(ratios) - 0.5))
