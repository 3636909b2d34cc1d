"""Pictures of chapter 10: mixtures and a factorization side by side."""

import numpy as np

from vbkit import plots

PUZZLE = """Share of the second of two components over the sweeps of VB, from 40 per cent, for four
models of a hundred data that need one component. Curve A dies within twenty sweeps, B after more
than a hundred, C after more than three hundred; D grows to one half."""
INTERCEPT = """Free energy of two copies over the smaller share, minus that of one. From zero it
rises to 1.2 at three data of a hundred, and falls to 0.9 at equal shares. The straight line that it
nears there is prolonged to the left, and reaches 1.9 at one data point."""


def puzzle(fates) -> plots.Picture:
    """Draw the share (sweeps + 1,) of the second component of each of `fates`, name -> shares.

    A name is written beside its fall, and at the end if it never falls.
    """
    fig, (ax,) = plots.figure(7, 3.2)
    for k, (name, shares) in enumerate(fates.items()):
        sweeps, at = np.arange(len(shares)), int(np.argmax(shares < 0.25)) or -1
        ax.plot(sweeps, shares, **plots.line_style(k, lw=2.2))
        offset = (-10, -16) if at < 0 else (7, 0)
        plots.label_line(ax, sweeps, shares, name, at=at, offset=offset, weight="bold")
    ax.set(xscale="symlog", xlim=(0, 1000), ylim=(-0.01, 0.52), xlabel="sweeps of VB")
    ax.set_xticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1,000"])
    ax.set_ylabel("share of the second component")
    ax.set_title("Four second components that start alike", loc="left")
    return plots.Picture(fig, PUZZLE)


def intercept(shares, F, line, N, h) -> plots.Picture:
    """Draw F (n,) over the smaller of the shares (n,), and the `line` (n,) that it nears, which has
    the height h at one of N data."""
    fig, (ax,) = plots.figure(7, 3.2)
    plots.draw_curve(ax, shares, F, "F", at=len(shares) // 4, offset=(-4, 10), lw=2.4)
    ax.plot(
        shares, np.where(shares < 1 / N, np.nan, line), color=plots.COLOURS[1], ls="--"
    )
    ax.annotate("", (1 / N, 0), (1 / N, h), arrowprops={"arrowstyle": "<->"})
    ax.text(1.1 / N, 0.4, f"$h$ ≈ {h:.1f} nats")
    ax.text(1.2 / N, h, "the formula", va="bottom", color=plots.COLOURS[1])
    plots.label_line(ax, shares, F, f"{F[-1]:.1f} nats", colour="black")
    ax.axhline(0, color=plots.GREY, lw=0.8)
    ax.set(
        xscale="log",
        xlim=(shares[0], 0.5),
        ylim=(-0.1, 2.3),
        ylabel="F minus F of one (nats)",
    )
    ax.set_xticks(
        [1e-4, 1e-3, 1 / N, 0.1, 0.5], ["$10^{-4}$", "$10^{-3}$", "$1/N$", "0.1", "½"]
    )
    ax.set_xlabel("share of the smaller copy")
    ax.set_title("A second copy pays a fee of h, and growing pays part of it back")
    ax.minorticks_off()
    return plots.Picture(fig, INTERCEPT)
