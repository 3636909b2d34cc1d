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
SHOWN = (0.01, 0.03, 0.3, 1, 3, 10), (0.01, 0.1, 0.5, 1, 3, 10)  # the a and the b of Figs 6.1, 6.2
PINK = "#ff9ecb"


def cell_edges(centres):
    """Return the ends (n + 1,) of cells about positive centres (n,): midpoints on a log axis."""
    logs = np.log(centres)
    middle = (logs[1:] + logs[:-1]) / 2
    return np.exp([2 * logs[0] - middle[0], *middle, 2 * logs[-1] - middle[-1]])


def draw_surface(ax, values, *, form="{:.0f}", limit_of=None, top=None, title=""):
    """Draw values (A, B) over all priors as a shaded table on log axes.

    limit_of: M, to draw the limit a = min((M + 1)/2, 1/2 + M b) below which redundant components
    vanish; top: the value of the lightest shade, by default the largest.
    """
    low, top = np.min(values), np.max(values) if top is None else top
    cells = cell_edges(A), cell_edges(B), np.transpose(values)
    mesh = ax.pcolormesh(*cells, cmap="cividis", vmin=low, vmax=top, edgecolors="white", lw=0.5)
    for (i, j), value in np.ndenumerate(values):
        colour = "white" if value < (low + top) / 2 else "black"
        text = ax.text(A[i], B[j], form.format(value), color=colour, ha="center")
        text.set(size=8, va="center", bbox={"fc": mesh.to_rgba(value), "ec": "none", "pad": 0.3})
    ax.set(xscale="log", yscale="log", xlabel="$a$", ylabel="$b$", title=title)
    if limit_of is not None:
        line_b = np.geomspace(*ax.get_ylim(), 400)
        line_a = np.minimum((limit_of + 1) / 2, 0.5 + limit_of * line_b)
        ax.plot(line_a, line_b, color=plots.COLOURS[1], lw=2.5, ls="--", alpha=0.8)
    ax.set_xticks(A, [f"{x:g}" for x in A])
    ax.set_yticks(B, [f"{x:g}" for x in B])
    ax.minorticks_off()
    ax.tick_params(length=0)


def draw_priors(ax, values, boxes: dict):
    """Draw values (A, B) at the priors SHOWN as an even table, with the limit for five questions.

    The limit runs between the cells; on it or to its right a >= min(3, 1/2 + 5 b). boxes: colour ->
    the prior (a, b) whose cell gets a frame of this colour.
    """
    part = np.asarray(values)[np.ix_(*map(lambda x, y: [x.index(v) for v in y], (A, B), SHOWN))]
    ends = {"low": part.min(), "top": part.max()}
    plots.draw_table(ax, part.T, *SHOWN, form="{:.1f}", size=9, **ends)
    left = [sum(a < min(3, 0.5 + 5 * b) for a in SHOWN[0]) for b in SHOWN[1]]
    steps = np.repeat(np.arange(len(left) + 1), 2)[1:-1]
    ax.plot(np.repeat(left, 2), steps, color=plots.COLOURS[1], lw=3)
    for colour, (a, b) in boxes.items():
        corner = SHOWN[0].index(a) + 0.09, SHOWN[1].index(b) + 0.09
        ax.add_patch(Rectangle(corner, 0.82, 0.82, fill=False, ec=colour, lw=2.5, zorder=5))
    ax.set(xlabel="$a$", ylabel="$b$")


def lowest(values) -> tuple[float, float]:
    """Return the prior (a, b) at which a table (A, B) is lowest."""
    i, j = np.unravel_index(np.argmin(values), np.shape(values))
    return A[i], B[j]


def draw_rows(ax, weights, means, *, least=0.0, framed=None, title=""):
    """Draw components by falling weight (K,) as rows of squares, white for ones.

    Components of a weight below `least` are left out; the component `framed` gets a frame.
    """
    order = [k for k in np.argsort(-np.asarray(weights), kind="stable") if weights[k] >= least]
    width = len(means[0])
    for row, k in enumerate(order):
        for m, value in enumerate(means[k]):
            ax.add_patch(Rectangle((m, -row), 0.94, 0.86, fc=str(float(value)), ec="black", lw=0.6))
        ax.text(1.04 * width, 0.43 - row, f"{weights[k]:.3f}", va="center", fontsize=9)
        if k == framed:
            style = {"fill": False, "ec": plots.COLOURS[1], "lw": 2.5, "zorder": 5}
            ax.add_patch(Rectangle((-0.06, -row - 0.05), width + 0.06, 0.96, **style))
    ax.set(xlim=(-0.2, 1.45 * width), ylim=(-N_COMPONENTS + 0.8, 1.1), title=title)
    ax.axis("off")


def figure_6_1(mean: dict):
    """Two truths of three components, and for each a table of the mean free energy over a and b.
    Both are low at small a and moderate b: white frames mark the lowest values, at (0.03, 1) and
    (0.03, 3). A black frame marks the corner (3, 0.5). The clear truth is highest at large a and
    large b, the mixed one at large a and small b. An orange line between the cells leaves a = 3
    and more on its right, for small b also a = 1."""
    fig, axes = plots.figure(8.5, 5.2, ncols=2, nrows=2, height_ratios=[0.28, 1])
    for above, ax, (name, truth) in zip(axes[:2], axes[2:], TRUTHS.items(), strict=True):
        draw_rows(above, *truth, title=f'truth "{name}" (ours)')
        above.set(ylim=(-2.2, 1.0), xlim=(-0.2, 14))
        draw_priors(ax, mean[name], {"white": lowest(mean[name]), "black": (3, 0.5)})
    axes[2].set_title(r"$\bar F-NS$ (nats) is low at small $a$, moderate $b$")
    label = r"orange line: $a=\min(3,\ \frac{1}{2}+5b)$"
    axes[3].set_title(label, color=plots.COLOURS[1])
    axes[3].set(ylabel="")
    return fig, figure_6_1.__doc__


def figure_6_2(mean: dict, free_energy: dict):
    """Two tables of the mean generalization error, times 1,000, over a and b, for the same two
    truths. White frames mark the lowest errors, at (0.01, 3) and (1, 3). Pink frames mark where
    the mean free energy is lowest; the errors there are hardly larger."""
    fig, axes = plots.figure(8.5, 4.1, ncols=2)
    for ax, name in zip(axes, TRUTHS, strict=True):
        boxes = {PINK: lowest(free_energy[name]), "white": lowest(mean[name])}
        draw_priors(ax, 1e3 * mean[name], boxes)
        ax.set_title(f'1,000 $G$ (nats), truth "{name}" (ours)')
    axes[1].set(ylabel="")
    return fig, figure_6_2.__doc__


def figure_6_3(found: dict):
    """Components as rows of squares with weights, for five questions: the truth with three
    components, and what VB finds under five priors. With a = 10 all ten components are in use, with
    a = 0.01 six, three and two, for rising b. An orange frame marks the small group's component, in
    the truth and at (0.01, 0.3) only."""
    fig, axes = plots.figure(9, 2.9, ncols=6)
    draw_rows(axes[0], *MINORITIES[5], framed=2, title="truth (ours)\n5 questions")
    for ax, ((a, b), (weights, means, own)) in zip(axes[1:], found.items(), strict=True):
        title = f"$a$ = {a:g}\n$b$ = {b:g}"
        draw_rows(ax, weights, means, least=0.5e-3, framed=own, title=title)
    return fig, figure_6_3.__doc__


def rates(tried, shares: dict, least: dict):
    """Percentage of 100 data sets in which VB ends with exactly three components, one of them the
    small group, against b on a logarithmic axis, with 95 % bands, for five and for ten questions
    at a = 0.01. Started at the truth, this share falls as b rises. From the best of ten random
    starts it almost vanishes at b = 0.01, rises, and peaks at b = 0.3 for five questions and at
    b = 1 for ten. Below each b stands the smallest group that the price list pays for.
    """
    fig, axes = plots.figure(8, 3.6, ncols=2, sharey=True)
    names = "started at\nthe truth", "best of ten\nrandom starts"
    for ax, (M, kinds) in zip(axes, shares.items(), strict=True):
        for k, (name, found) in enumerate(zip(names, kinds, strict=True)):
            rows = [[100 * getattr(r, end) for r in found] for end in ("low", "value", "high")]
            plots.draw_band(ax, tried, rows, name, k)
        ax.set(xscale="log", ylim=(-3, 106), title=f"{M} questions")
        ax.set_xticks(tried, [f"{b:g}\n{n}" for b, n in zip(tried, least[M], strict=True)])
        ax.set_xlabel("above: $b$; below: smallest group that pays")
        ax.minorticks_off()
    axes[0].set_ylabel("right (% of data sets)")
    for k, y in enumerate((76, 24)):
        style = {"colour": plots.COLOURS[k], "weight": "bold", "offset": (0, 0)}
        plots.label_line(axes[k], [0.011], [y], names[k], **style)
    return plots.show(fig, rates.__doc__)
