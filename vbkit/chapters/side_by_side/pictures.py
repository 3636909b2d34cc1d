"""Pictures of chapter 10: mixtures and a factorization side by side."""

import numpy as np

from vbkit import plots

PUZZLE = """Share of the smaller of two components over the sweeps of VB, from 40 per cent, for four
models of a hundred data that need one component. It dies within twenty sweeps for a centre with a
covariance, later for a centre with a width, last for four answers; for a mere centre it grows to
one half."""
INTERCEPT = """Free energy of two copies over the smaller share, minus that of one. From zero it
rises to 1.2 at three data of a hundred, and falls to 0.9 at equal shares. The straight line that it
nears there is prolonged to the left, and reaches 1.9 at one data point."""
EXACT = """Ten thousand equal rows. The exact expected share of the smaller component is almost zero
up to a concentration of 1.2, and rises smoothly to 0.39 at 8. VB's is zero up to 1.94, right of its
tax of 1.7, and jumps upright to one half."""


def puzzle(fates):
    """Draw the share (sweeps + 1,) of the smaller component of each model, name -> shares.

    A name is written beside its fall, and at the end if it never falls.
    """
    fig, (ax,) = plots.figure(7, 3.4)
    last = max(fates, key=lambda name: int(np.argmax(fates[name] < 0.25)))
    for k, (name, shares) in enumerate(fates.items()):
        sweeps, words = np.arange(len(shares)), name.replace("and ", "and\n")
        ax.plot(sweeps, shares, **plots.line_style(k, lw=2.2))
        at = int(np.argmax(shares < 0.25)) or -1
        offset = (-4, -14) if at < 0 else (6, 0) if name == last else (-6, -16)
        plots.label_line(ax, sweeps, shares, words, at=at, offset=offset)
    ax.set(xscale="symlog", xlim=(0, 1000), ylim=(-0.01, 0.52), xlabel="sweeps of VB")
    ax.set_xticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1,000"])
    ax.set_ylabel("share of the second component")
    ax.set_title("Four second components that start alike", loc="left")
    return plots.show(fig, PUZZLE)


def real_rows(ideal, real):
    """Share of the second component over the sweeps of VB, for a centre and covariance in four
    dimensions. On ideal data it falls to zero within twenty sweeps. On four samples of real rows it
    follows for a few sweeps, and stays above zero."""
    # ideal (sweeps + 1,): shares; real: a list of such
    fig, (ax,) = plots.figure(7, 2.8)
    for shares in real:
        ax.plot(shares, color=plots.COLOURS[0], ls="-", lw=1.4)
    ax.plot(ideal, color=plots.COLOURS[1], ls="--", lw=2.2)
    top = max(shares[-1] for shares in real)
    ax.text(950, top + 0.02, "real rows", color=plots.COLOURS[0], ha="right")
    ax.text(12, 0.02, "every row an average ", color=plots.COLOURS[1], ha="right")
    ax.set(xscale="symlog", xlim=(0, 1000), ylim=(-0.01, 0.45), xlabel="sweeps of VB")
    ax.set_xticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1,000"])
    ax.set_ylabel("share of the second")
    ax.set_title("D = 4: on real rows the second component lives", loc="left")
    return plots.show(fig, real_rows.__doc__)


def intercept(shares, F, line, N, h):
    """Draw F (n,) over the smaller of the shares (n,), and the `line` (n,) that it nears, which has
    the height h at one of N data."""
    fig, (ax,) = plots.figure(7, 3.2)
    plots.draw_curve(ax, shares, F, "F", at=len(shares) // 4, offset=(-4, 10), lw=2.4)
    ax.plot(shares, np.where(shares < 1 / N, np.nan, line), color=plots.COLOURS[1], ls="--")
    ax.annotate("", (1 / N, 0), (1 / N, h), arrowprops={"arrowstyle": "<->"})
    ax.text(1.1 / N, 0.4, f"$h$ ≈ {h:.1f} nats")
    ax.text(1.2 / N, h, "the formula", va="bottom", color=plots.COLOURS[1])
    plots.label_line(ax, shares, F, f"{F[-1]:.1f} nats", colour="black")
    ax.axhline(0, color=plots.GREY, lw=0.8)
    ax.set(xscale="log", xlim=(shares[0], 0.5), ylim=(-0.1, 2.3), ylabel="F minus F of one (nats)")
    ax.set_xticks([1e-4, 1e-3, 1 / N, 0.1, 0.5], ["$10^{-4}$", "$10^{-3}$", "$1/N$", "0.1", "½"])
    ax.set_xlabel("share of the smaller copy")
    ax.set_title("A second copy pays a fee of h, and growing pays part of it back")
    ax.minorticks_off()
    return plots.show(fig, INTERCEPT)


def exact_against_vb(concentrations, exact, jump):
    """Draw the exact share of the smaller component (n,) over the concentrations (n,), and VB's,
    which jumps from 0 to one half at the concentration `jump`."""
    fig, (ax,) = plots.figure(7, 3.2)
    plots.draw_curve(ax, concentrations, exact, "exact Bayes", 1, offset=(-4, -26), lw=2.4)
    ax.plot([0.5, jump, jump, 8], [0, 0, 0.5, 0.5], color=plots.COLOURS[0], ls="-", lw=2.4)
    ax.text(8, 0.485, "VB's lowest F", color=plots.COLOURS[0], ha="right", va="top")
    for place, words in ((1.2, "$4b$ "), (1.7, "VB's tax ")):
        ax.axvline(place, color=plots.GREY, lw=1, ls=":")
        ax.text(place, 0.27, words, ha="right", color=plots.GREY)
    ax.set(xscale="log", xlim=(0.5, 8), ylim=(-0.01, 0.53), xlabel="concentration $\\phi$")
    ax.set_xticks([0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
    ax.minorticks_off()
    ax.set_ylabel("expected share of the smaller one")
    ax.set_title("Exact Bayes rises smoothly, VB's lowest F jumps later", loc="left")
    return plots.show(fig, EXACT)
