"""Pictures of chapter 09. Those to be published come as (figure, alternative text)."""

import numpy as np
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.chapters.hyperparameter_design.experiments import MINORITIES, N_COMPONENTS, TRUTHS, A, B

PUZZLE = """Rows of five squares, one row per component, with the weights beside them. The truth has
three components, the last one of weight 0.01. Answer P has ten components, all in use. Answer Q has
two, like the large groups of the truth. Answer R has three, like the truth."""
THRESHOLD = """Two tables over a and b on logarithmic axes, for five and for ten questions: the
least number of identical people among a thousand who are worth a component of their own. It falls
with rising a and rises with b, most of all above b = 1; it is smaller for ten questions."""
WRITTEN = (0.01, 0.03, 0.1, 0.3, 1, 3, 10), (0.01, 0.03, 0.1, 0.5, 1, 3, 10)  # in Figs 6.1, 6.2


def cell_edges(centres):
    """Return the ends (n + 1,) of cells about positive centres (n,): midpoints on a log axis."""
    logs = np.log(centres)
    middle = (logs[1:] + logs[:-1]) / 2
    return np.exp([2 * logs[0] - middle[0], *middle, 2 * logs[-1] - middle[-1]])


def draw_surface(ax, values, *, form="{:.0f}", limit_of=None, top=None, title="", written=(A, B)):
    """Draw values (A, B) over the priors of Figs 6.1 and 6.2 as a shaded table, on log axes.

    limit_of: M, to draw the limit a = min((M + 1)/2, 1/2 + M b) below which redundant components
    vanish; top: the value of the lightest shade, by default the largest; written: the a and the b
    whose numbers are written out.
    """
    low, top = np.min(values), np.max(values) if top is None else top
    cells = cell_edges(A), cell_edges(B), np.transpose(values)
    mesh = ax.pcolormesh(*cells, cmap="cividis", vmin=low, vmax=top, edgecolors="white", lw=0.5)
    for (i, j), value in np.ndenumerate(values):
        if A[i] not in written[0] or B[j] not in written[1]:
            continue
        colour = "white" if value < (low + top) / 2 else "black"
        text = ax.text(A[i], B[j], form.format(value), color=colour, ha="center")
        text.set(size=8, va="center", bbox={"fc": mesh.to_rgba(value), "ec": "none", "pad": 0.3})
    ax.set(xscale="log", yscale="log", xlabel="$a$", ylabel="$b$", title=title)
    if limit_of is not None:
        line_b = np.geomspace(*ax.get_ylim(), 400)
        line_a = np.minimum((limit_of + 1) / 2, 0.5 + limit_of * line_b)
        ax.plot(line_a, line_b, color=plots.COLOURS[1], lw=2.5, ls="--", alpha=0.8)
    ax.set_xticks(written[0], [f"{x:g}" for x in written[0]])
    ax.set_yticks(written[1], [f"{x:g}" for x in written[1]])
    ax.minorticks_off()
    ax.tick_params(length=0)


def draw_rows(ax, weights, means, *, least=0.0, title=""):
    """Draw components by falling weight (K,) as rows of squares, white for ones.

    Components of a weight below `least` are left out.
    """
    order = [k for k in np.argsort(-np.asarray(weights), kind="stable") if weights[k] >= least]
    for row, k in enumerate(order):
        for m, value in enumerate(means[k]):
            ax.add_patch(Rectangle((m, -row), 0.94, 0.86, fc=str(float(value)), ec="black", lw=0.6))
        ax.text(1.04 * len(means[k]), 0.43 - row, f"{weights[k]:.3f}", va="center", fontsize=9)
    ax.set(xlim=(-0.2, 1.45 * len(means[0])), ylim=(-N_COMPONENTS + 0.8, 1.1), title=title)
    ax.axis("off")


def figure_6_1(mean: dict):
    """Two truths of three components, and for each a table of the mean free energy over a and b on
    logarithmic axes. Both are low at small a and moderate b. The clear truth is highest at large a
    and large b, the mixed one at large a and small b. The dashed phase line bends at (3, 0.5)."""
    fig, axes = plots.figure(8.5, 5, ncols=2, nrows=2, height_ratios=[0.28, 1])
    for above, ax, (name, truth) in zip(axes[:2], axes[2:], TRUTHS.items(), strict=True):
        draw_rows(above, *truth, title=f'truth "{name}" (ours)')
        above.set(ylim=(-2.2, 1.0), xlim=(-0.2, 14))
        draw_surface(ax, mean[name], limit_of=5, written=WRITTEN)
    axes[2].set_title(r"Mean of $\bar F-NS$ (nats): low at small $a$, moderate $b$")
    axes[3].set(ylabel="")
    return fig, figure_6_1.__doc__


def figure_6_2(mean: dict):
    """Two tables of the mean generalization error over a and b on logarithmic axes, for the
    same two truths, with the dashed phase line."""
    fig, axes = plots.figure(8.5, 3.9, ncols=2)
    for ax, name in zip(axes, TRUTHS, strict=True):
        title = f'1,000 $G$ (nats), truth "{name}" (ours)'
        scaled = 1e3 * mean[name]
        draw_surface(ax, scaled, form="{:.0f}", limit_of=5, title=title, written=WRITTEN)
    axes[1].set(ylabel="")
    return fig, figure_6_2.__doc__


def figure_6_3(found: dict):
    """Components as rows of squares with weights. Upper row five questions, lower row ten: the
    truth with three components, and what VB finds under five priors. With a = 10 all ten components
    are in use, with a = 0.01 two to eight, depending on b."""
    fig, axes = plots.figure(9, 5.2, ncols=6, nrows=2)
    for row, (M, mine) in zip((axes[:6], axes[6:]), found.items(), strict=True):
        draw_rows(row[0], *MINORITIES[M], title=f"truth (ours)\n{M} questions")
        for ax, ((a, b), pair) in zip(row[1:], mine.items(), strict=True):
            draw_rows(ax, *pair, least=0.5e-3, title=f"$a$ = {a:g}\n$b$ = {b:g}")
    return fig, figure_6_3.__doc__


def rates(tried, shares: dict):
    """Percentage of 100 data sets in which the small group is isolated, against b on a logarithmic
    axis, with 95 % bands, for five and for ten questions at a = 0.01. The upper curve counts all
    fits that isolate it, the lower one those with exactly three components. The lower curve peaks
    at b = 0.3 for five questions and at b = 1 for ten, and almost vanishes at b = 0.01.
    """
    fig, axes = plots.figure(7, 3.4, ncols=2, sharey=True)
    for ax, (M, kinds) in zip(axes, shares.items(), strict=True):
        for k, (name, found) in enumerate(zip(("isolated", "exactly 3"), kinds, strict=True)):
            rows = [[100 * getattr(r, end) for r in found] for end in ("low", "value", "high")]
            plots.draw_band(ax, tried, rows, name, k)
        ax.set(xscale="log", xlabel="$b$", ylim=(-3, 106), title=f"{M} questions")
        ax.set_xticks(tried, [f"{b:g}" for b in tried])
        ax.minorticks_off()
    axes[0].set_ylabel("% of data sets")
    for k, (text, y) in enumerate(
        (("isolated", 62), ("isolated, with\nexactly three\nin use", 32))
    ):
        style = {"colour": plots.COLOURS[k], "weight": "bold", "offset": (0, 0)}
        plots.label_line(axes[k], [0.011], [y], text, **style)
    return plots.show(fig, rates.__doc__)
