"""Pictures of notebook 07c."""

import numpy as np

from vbkit import plots
from vbkit.factorization import kappa, shrink_empirical, thresholds

SINGULAR_VALUE, SHRUNK = (
    r"singular value $\gamma/\sigma$",
    r"reconstructed $\hat\gamma/\sigma$",
)
FIRST, SECOND = plots.COLOURS[:2]


def draw_table(ax, table, *, top: float):
    """Draw a table (L, M) in colours from -top to top, grey where it is nan. Returns the image."""
    ax.set(xticks=[], yticks=[], facecolor="#B8B8B8")  # no colour of the scale
    image = ax.imshow(table, cmap="RdBu_r", vmin=-top, vmax=top, aspect="auto")
    image.set_interpolation("nearest")
    return image


def upright(x, y, shape) -> tuple[np.ndarray, np.ndarray]:
    """Return singular values x and what is kept of them, y (n + 2,), with an upright jump at the
    global threshold, whatever the grid x (n,) is."""
    place = thresholds(shape).keep
    k = np.searchsorted(x, place)
    return np.insert(x, k, [place, place]), np.insert(
        y, k, [0, kappa(place**2, shape) / place]
    )


def switch(values, by_evidence, by_vb, keep: float) -> plots.Picture:
    """Draw the learned c_a^2 c_b^2 (n,) over observed numbers (n,).

    It is learned by the exact evidence and by VB, which keeps a number from `keep` on.
    """
    fig, (ax,) = plots.figure(7, 3.5)
    plots.draw_curve(ax, values, by_evidence, "exact\nevidence", at=86, offset=(-8, 12))
    x, kept = upright(values, by_vb / np.maximum(values, 1e-9), (1, 1))
    plots.draw_curve(ax, x, x * kept, "empirical VB", 1, at=132, offset=(10, -8))
    ax.set_xticks([0, 1, keep, 3, 4], ["0", "1", f"{keep:.3f}", "3", "4"])
    ax.grid(axis="x", ls=":")
    ax.set(xlabel=r"one observed number $|V|/\sigma$", ylim=(-0.3, 12))
    ax.set(
        ylabel=r"learned $c_a^2c_b^2/\sigma^2$",
        title="VB believes late, and then jumps",
    )
    alt = """Learned prior variance against the observed number. Type-II maximum
    likelihood is zero up to 1 and rises continuously; empirical VB is zero up to 2.216,
    jumps to about 2.5, and rises."""
    arrays = {"V": values, "type_II": by_evidence, "vb": by_vb}
    return plots.Picture(fig, alt, arrays)


def fade_or_fall(values, fixed) -> plots.Picture:
    """Draw what VB keeps of observed numbers (n,), at noise 1.

    fixed (n,): VB's product where both prior variances are 1.
    """
    fig, (ax,) = plots.figure(7, 3.2)
    plots.draw_curve(ax, values, fixed, "fixed:\nit fades", at=370, offset=(10, -14))
    live = branches(values, (1, 1))["live"]
    ax.plot(values, live, "--", color=SECOND)
    best = np.where(values > thresholds((1, 1)).keep, live, np.nan)
    plots.draw_curve(
        ax, values, best, "learned:\nit falls", 1, at=-60, offset=(-20, 12), ls="-"
    )
    ax.annotate(
        "", (2, 0), (2, 0.5), arrowprops={"arrowstyle": "-|>", "color": SECOND, "lw": 2}
    )
    ax.text(1.95, 0.6, "dashed: zero would be better", color=SECOND, ha="right")
    ax.set_xticks([1, 1.618, 2, 3], ["1", "1.618", "2", "3"])
    ax.set(
        xlabel=r"one observed number $\gamma/\sigma$", ylim=(-0.1, 2.6), ylabel=SHRUNK
    )
    ax.set_title(
        "VB of one number: with a fixed prior it fades, with a learned one it falls"
    )
    alt = """Reconstructed against observed number. With a fixed prior VB's product
    shrinks gradually to 0 at 1.618. With a learned prior it shrinks to 0.5 at 2, dashed
    from 2.216 down, where zero is better, and there an arrow leads down to 0."""
    return plots.Picture(fig, alt)


def branches(gammas, shape) -> dict[str, np.ndarray]:
    """Return the shrunk singular values (n,) at noise 1.

    They are those of the "live" minimum, the "pass" below it and the "global" minimum; the first
    two are nan where they do not exist.
    """
    live, best = kappa(gammas**2, shape), shrink_empirical(gammas, shape, 1.0)
    return {
        "live": live / gammas,
        "pass": np.prod(shape) / live / gammas,
        "global": best,
    }


def threshold(gammas, shape, starts, runs) -> plots.Picture:
    """Draw what is kept of singular values gammas (n,), and where iterations ended.

    runs: "strong" and "weak" -> what iterations from such starts kept (m,), at the
    singular values starts (m,).
    """
    fig, (ax,) = plots.figure(7, 3.7)
    found = branches(gammas, shape)
    ax.plot(gammas, found["live"], color=FIRST, ls="--")
    grey = {"color": plots.GREY, "ls": ":"}
    plots.draw_curve(ax, gammas, found["pass"], "pass", at=46, offset=(3, 7), **grey)
    x, y = upright(gammas, found["global"], shape)
    plots.draw_curve(
        ax, x, y, "the best, by the closed form", at=-64, offset=(8, -14), lw=2.6
    )
    ends = {"marked": True, "ls": "none", "mfc": "none"}
    plots.draw_curve(
        ax, starts, runs["strong"], "strong start", 1, at=9, offset=(-14, 12), **ends
    )
    plots.draw_curve(
        ax, starts, runs["weak"], "weak start", 2, at=-4, offset=(-4, -12), **ends
    )
    for name, place in zip(("local", "global"), thresholds(shape), strict=True):
        ax.axvline(place, color=plots.GREY, lw=0.8)
        ax.annotate(name, (place, 9.4), xytext=(3, 0), textcoords="offset points")
    ax.set(xlabel=SINGULAR_VALUE, ylabel=SHRUNK, ylim=(-1, 10))
    ax.set_title("Where the iteration ends depends on its start")
    alt = """Reconstructed against observed singular value of a 20 by 30 matrix. A live
    valley starts at 9.95 together with a pass below it. From 11.02 on the valley is the
    best, below it zero. Iterations from strong starts follow the valley down to 9.95,
    from weak starts they stay at zero."""
    return plots.Picture(fig, alt, found | {"gamma": gammas} | runs)
