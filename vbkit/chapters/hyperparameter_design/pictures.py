"""Pictures of chapter 09."""

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.chapters.hyperparameter_design.experiments import (
    MINORITIES,
    N_COMPONENTS,
    TRUTHS,
    A,
    B,
)

PUZZLE = """Rows of five squares, one row per component, with its weight. The truth has three, the
last of weight 0.01. Answer P has ten, Q two like the large groups, and R three like the truth."""


def draw_priors(
    ax, values, *, shown=(A, B), form="{:.0f}", size=9, top=None, limit=True
):
    """Draw values (A, B) at the priors `shown` as an even table.

    top: the value of the lightest shade, by default the largest. limit: draw the limit for five
    questions between the cells; on it or to its right a >= min(3, 1/2 + 5 b).
    """
    rows, columns = [A.index(a) for a in shown[0]], [B.index(b) for b in shown[1]]
    part = np.asarray(values)[np.ix_(rows, columns)].T
    ends = {"low": part.min(), "top": top or part.max()}
    plots.draw_table(ax, part, *shown, form=form, size=size, **ends)
    ax.tick_params(labelsize=size)
    if limit:
        left = [sum(a < min(3, 0.5 + 5 * b) for a in shown[0]) for b in shown[1]]
        steps = np.repeat(np.arange(len(left) + 1), 2)[1:-1]
        ax.plot(np.repeat(left, 2), steps, color=plots.COLOURS[1], lw=4)
    ax.set_xlabel("$a$", size=size)
    ax.set_ylabel("$b$", size=size, rotation=0)


def frame_prior(ax, colour, a, b, shown=(A, B)):
    """Frame the cell of a prior in a table of those shown."""
    corner = shown[0].index(a) + 0.12, shown[1].index(b) + 0.12
    ax.add_patch(Rectangle(corner, 0.76, 0.76, fill=False, ec=colour, lw=3.5, zorder=5))


def lowest(values) -> tuple[float, float]:
    """Return the prior (a, b) at which a table (A, B) is lowest."""
    i, j = np.unravel_index(np.argmin(values), np.shape(values))
    return A[i], B[j]


def open_rows(ax, title=""):
    """Make a panel for `fill_rows`; return its moving artists."""
    squares = ax.add_collection(PolyCollection([], edgecolors="black", lw=0.6))
    labels = [ax.text(5.2, 0.43 - row, "", va="center") for row in range(N_COMPONENTS)]
    ax.set(
        xlim=(-0.2, 7.5),
        ylim=(0.8 - N_COMPONENTS, 1.1),
        xticks=[],
        yticks=[],
        title=title,
    )
    ax.spines[:].set_visible(False)
    return squares, labels


def fill_rows(squares, labels, weights, means):
    """Show components (K,) as rows of five squares, white for ones, with the weights beside."""
    square = np.array([(0, 0), (0.94, 0), (0.94, 0.86), (0, 0.86)])
    squares.set_verts([square + (m, -row) for row, m in np.ndindex(means.shape)])
    squares.set_facecolor(np.repeat(means.reshape(-1, 1), 3, axis=1))
    for row, label in enumerate(labels):
        label.set_text(f"{weights[row]:.3f}" if row < len(weights) else "")


def draw_rows(ax, weights, means, *, least=0.0, framed=None, title=""):
    """Draw components as `fill_rows` does, by falling weight, with a frame around one of them.

    Components of a weight below `least` are left out.
    """
    order = [
        k
        for k in np.argsort(-np.asarray(weights), kind="stable")
        if weights[k] >= least
    ]
    fill_rows(
        *open_rows(ax, title), np.asarray(weights)[order], np.asarray(means)[order]
    )
    if framed is not None:
        style = {"fill": False, "ec": plots.COLOURS[1], "lw": 2.5, "zorder": 5}
        ax.add_patch(
            Rectangle((-0.06, -order.index(framed) - 0.05), 5.06, 0.96, **style)
        )


def figure_6_3(found: dict, arrays: dict) -> plots.Picture:
    """Draw what VB finds under five priors, beside the truth, for five questions.

    found: (a, b) -> weights (K,), means (K, 5), and which component is the small group's,
    or None; arrays: what the figure is published with.
    """
    fig, axes = plots.figure(9, 2.9, ncols=6)
    draw_rows(axes[0], *MINORITIES[5], framed=2, title="truth (ours)\n5 questions")
    for ax, ((a, b), (weights, means, own)) in zip(
        axes[1:], found.items(), strict=True
    ):
        draw_rows(
            ax,
            weights,
            means,
            least=5e-4,
            framed=own,
            title=f"$a$ = {a:g}\n$b$ = {b:g}",
        )
    alt = """Components as rows of squares with weights, for five questions: the truth
    with three components, and what VB finds under five priors. With a = 10 all ten
    components are in use, with a = 0.01 six, three and two, for rising b. An orange
    frame marks the small group's component, in the truth and at (0.01, 0.3) only."""
    return plots.Picture(fig, alt, arrays)


def chosen(numbers) -> plots.Picture:
    """Draw how many data sets (9,) choose each b by their own lowest free energy."""
    fig, (left, ax) = plots.figure(8, 2.9, ncols=2, width_ratios=[1, 2.6])
    draw_rows(left, *TRUTHS["mixed"], title="the mixed truth")
    ax.bar_label(
        ax.bar([f"{b:g}" for b in B], numbers, color=["0.7"] * 8 + [plots.COLOURS[1]])
    )
    ax.set(xlabel="$b$ with the lowest $\\bar F$", ylabel="data sets", ylim=(0, 75))
    ax.set_title(f"{numbers[-1]} of 100 data sets choose a $b$ that merges two groups")
    alt = """Left, the three groups of the mixed truth as rows of five grey squares.
    Right, bars over the nine b: how many of 100 data sets choose each by their own
    lowest free energy. Most choose 3, but nearly a third choose 10, in orange."""
    return plots.Picture(fig, alt)


def rates(shares: dict, stops: dict) -> plots.Picture:
    """Draw how often VB is right over b, and where the rule stops.

    shares: M -> a pair of {b: Rate}; stops: M -> {b: data sets}.
    """
    fig, axes = plots.figure(8, 3.6, ncols=2, sharey=True)
    names = "started at\nthe truth", "best of ten\nrandom starts"
    for ax, (M, kinds) in zip(axes, shares.items(), strict=True):
        ax.bar(
            [*stops[M]], [*stops[M].values()], 0.17 * np.array([*stops[M]]), color="0.8"
        )
        for k, found in enumerate(kinds):
            rows = [
                [100 * getattr(r, e) for r in found.values()]
                for e in ("low", "value", "high")
            ]
            plots.draw_band(ax, [*found], rows, names[k], k)
        ax.set(xscale="log", ylim=(0, 106), title=f"{M} questions", xlabel="$b$")
        ax.set_xticks([0.01, 0.1, 0.3, 1, 2, 5], ["0.01", "0.1", "0.3", "1", "2", "5"])
        ax.minorticks_off()
    axes[0].set_ylabel("right (% of data sets)")
    for k, y in enumerate((76, 24)):
        plots.label_line(
            axes[k], [0.011], [y], names[k], colour=plots.COLOURS[k], offset=(0, 0)
        )
    axes[0].text(0.62, 73, "the rule\nstops here", color="0.35", size=10)
    alt = """Percentage of 100 data sets in which VB ends with exactly three components,
    one of them the small group, against b on a logarithmic axis, with 95 % bands, for
    five and for ten questions at a = 0.01. Started at the truth, this share falls as b
    rises. From the best of ten random starts it almost vanishes at b = 0.01 and rises.
    It peaks at b = 0.3 for five questions and at b = 2 for ten. Grey bars show where
    the rule stops: with five questions mostly at b = 0.5, with ten anywhere from 0.2 to
    2."""
    return plots.Picture(fig, alt)
