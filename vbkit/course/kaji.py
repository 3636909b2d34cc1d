"""What the evidence of D. Kaji's thesis (2011) measures and draws: what the components of an end
are, and Figures 3.1, 5.2 and 5.3."""

from typing import NamedTuple

import numpy as np
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Rectangle

from vbkit import plots
from vbkit.course.lecture_08a import hatched_cover
from vbkit.course.people import (
    NEVER_VARIES,
    QUESTIONS,
    certain_answers,
    mean_answers,
    states_of,
)
from vbkit.data import KAJI2011_TRUTHS
from vbkit.phases import solve
from vbkit.theory import phase_lines, theorem

# of the two sets of people: how many kinds are mixed, and how many deterministic
KINDS = {"A": (2, 0), "B": (1, 1)}
PINNED = 0.1  # an answer whose rarer value has a smaller share in its component
STATES = ("empty", "small vertex", "deterministic", "partly pinned", "interior")

# ---- what components are -------------------------------------------------------------


def component_states(S, total: float) -> list[str]:
    """Return what each component of a state S (K, 1 + 2 D) of `total` people is, one of
    STATES.

    A component with less than total^(1/4) people counts as empty, and a deterministic one
    with less than total^(3/4) as a small vertex.
    """
    n = S[:, 0]
    pinned = certain_answers(S, PINNED)
    is_deterministic = pinned == S.shape[1] // 2
    cases = [
        n < total**0.25,
        is_deterministic & (n < total**0.75),
        is_deterministic,
        pinned > 0,
    ]
    return np.select(cases, STATES[:4], STATES[4]).tolist()


def draw_growth(ax, totals, curves):
    """Draw F - N S (n,) against N (n,), and lines of the predicted slopes through the last
    points.

    curves: name -> (measured (n,), coefficient, k), where k counts colours.
    """
    log_totals = np.log(totals)
    for name, (measured, slope, k) in curves.items():
        line = measured[-1] + slope * (log_totals - log_totals[-1])
        ax.plot(totals, measured, **plots.line_style(k, True, ls="none"))
        ax.plot(totals, line, **plots.line_style(k, lw=1.2))
        plots.label_line(ax, totals, measured, name, offset=(8, 0))
    ax.set(xscale="log", xlabel="$N$", ylabel=r"$\bar F - N S$ (nats)")
    ax.set_xlim(0.6 * totals[0], 20 * totals[-1])
    ax.set_xticks(totals[::2])


# ---- Figure 3.1: the model -----------------------------------------------------------

GRAPH = """A graph with two plates. An arrow leads from alpha to the weights pi, from pi to
the hidden label z of person n, from beta to the probabilities mu of component k, and from z
and from mu to the answers x of person n. The plate N holds z and x, the plate K holds mu."""


class Node(NamedTuple):
    """A quantity of the model, and where it stands."""

    name: str
    x: float
    y: float
    is_known: bool


ALPHA = Node(r"$\alpha$", 0.0, 1.0, True)
BETA = Node(r"$\beta$", 0.0, 0.0, True)
WEIGHTS = Node(r"$\pi$", 1.2, 1.0, False)
ANSWERS = Node(r"$\mu_k$", 1.2, 0.0, False)
LABEL = Node(r"$z_n$", 2.6, 1.0, False)
SHEET = Node(r"$x_n$", 2.6, 0.0, True)
NODES = [ALPHA, BETA, WEIGHTS, ANSWERS, LABEL, SHEET]
EDGES = [
    (ALPHA, WEIGHTS),
    (BETA, ANSWERS),
    (WEIGHTS, LABEL),
    (LABEL, SHEET),
    (ANSWERS, SHEET),
]


def picture_of_model() -> plots.Picture:
    """Draw the graphical model (Kaji 2011, Figure 3.1)."""
    fig, (ax,) = plots.figure(5, 2.8)
    draw_plate(ax, 2.15, 2.0, "$N$")
    draw_plate(ax, 0.75, 1.0, "$K$")
    for node in NODES:
        ground = "#D5D5D5" if node.is_known else "white"
        place = (node.x, node.y)
        ax.add_patch(Circle(place, 0.3, fc=ground, ec="black", lw=1.3, zorder=3))
        ax.text(node.x, node.y, node.name, ha="center", va="center", zorder=4)
    edges = []
    for parent, child in EDGES:
        draw_arrow(ax, parent, child)
        edges.append([NODES.index(parent), NODES.index(child)])
    ax.set(aspect="equal")
    ax.autoscale_view()
    ax.axis("off")
    return plots.Picture(fig, GRAPH, {"edges": np.array(edges)})


SURFACE_ALPHAS = np.linspace(0.05, 4, 60)
SURFACE_BETAS = np.linspace(0.02, 1.2, 60)


def picture_of_surface() -> plots.Picture:
    """Draw the coefficient of log N as the thesis has it (Kaji 2011, Figure 5.2), by
    contours."""
    surface = np.zeros((len(SURFACE_ALPHAS), len(SURFACE_BETAS)))
    for i, alpha in enumerate(SURFACE_ALPHAS):
        for j, beta in enumerate(SURFACE_BETAS):
            surface[i, j] = theorem(3, 3, 1, 1, alpha, beta).coefficient
    fig, (ax,) = plots.figure(5.2, 3.7)
    lines = ax.contour(
        SURFACE_ALPHAS, SURFACE_BETAS, surface.T, 12, cmap="cividis", linewidths=1.6
    )
    ax.clabel(lines, lines.levels[::2], fontsize=9)
    for ends in phase_lines(3, 1, 1, 4.0, 1.2).values():
        ax.plot(*ends.T, color="black", ls="--", lw=1.2)
    ax.set(xlim=(0, 4), ylim=(0, 1.2), xlabel="$a$", ylabel="$b$")
    ax.set_title(r"The theorem's multiple of $\log N$, $M=3$")
    alt = """Contours of the theorem's multiple of log N over concentration and pseudo-count for
    three questions, with kinks along three dashed lines that meet."""
    arrays = {"a": SURFACE_ALPHAS, "b": SURFACE_BETAS, "surface": surface}
    return plots.Picture(fig, alt, arrays)


def draw_plate(ax, left: float, height: float, label: str):
    """Draw a plate around what is there once for each of N or K, from its left end."""
    bottom = -0.55
    box = FancyBboxPatch((left, bottom), 0.95, height, boxstyle="round,pad=0.02")
    box.set(facecolor="none", edgecolor=plots.GREY)
    ax.add_patch(box)
    ax.text(left + 0.87, bottom + 0.06, label, ha="right", color=plots.GREY)


def draw_arrow(ax, parent: Node, child: Node):
    """Draw an arrow from the edge of one node to the edge of another."""
    start = np.array([parent.x, parent.y])
    end = np.array([child.x, child.y])
    gap = 0.32 * (end - start) / np.hypot(*(end - start))
    arrow = FancyArrowPatch(start + gap, end - gap, color="black", shrinkA=0, shrinkB=0)
    arrow.set_arrowstyle("-|>")
    arrow.set_mutation_scale(14)
    ax.add_patch(arrow)


# ---- Figure 5.3: a real sample -------------------------------------------------------

ENDS = ("empty", "deter-\nministic", "a part", "one of two mixed components")


def random_runs(counts, concentration, pseudo_counts, starts):
    """Return the redundant component of each run from random starts (n, 16, 3), the lowest
    F first: mean probabilities (B, n, 4) and counts (B, n), for each pseudo-count (B,)."""
    states = states_of(starts, counts)
    means = []
    sizes = []
    for beta in pseudo_counts:
        runs = solve(counts, states, concentration, beta, max_iterations=5000)
        smallest = runs.S[:, :, 0].argmin(axis=1)
        S = runs.S[np.arange(len(smallest)), smallest]
        S = S[runs.free_energy.argsort(kind="stable")]
        means.append(mean_answers(S, beta))
        sizes.append(S[:, 0])
    return np.stack(means), np.stack(sizes)


def ends_of(means, sizes) -> np.ndarray:
    """Return what components with means (B, 4) and counts (B,) are, as places in ENDS."""
    certain = (np.minimum(means, 1 - means) < NEVER_VARIES).sum(axis=1)
    cases = [sizes < 1, certain == QUESTIONS, certain > 0]
    return np.select(cases, [0, 1, 2], 3)


def draw_columns(ax, means, names, empty=None):
    """Draw components (B, 4) side by side, each as a column of squares, white for a certain
    yes, with a name (B,) below it. An empty one is hatched."""
    edges = 0.8 * np.arange(QUESTIONS + 1)
    for k, column in enumerate(means):
        for question, value in enumerate(column):
            place = (k - 0.4, edges[question])
            square = Rectangle(place, 0.8, 0.8, fc=plots.grey(value), ec=plots.GREY)
            ax.add_patch(square)
        if empty is not None and empty[k]:
            ax.add_patch(hatched_cover((k - 0.4, 0), 0.8, edges[-1]))
    ax.set_xticks(range(len(means)), names)
    ax.set_yticks(edges[:-1] + 0.4, range(1, QUESTIONS + 1))
    ax.set(xlim=(-0.5, len(means) - 0.5), ylim=(edges[-1] + 0.05, -1.0))
    ax.set(aspect="equal", anchor="S")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def picture_of_sample(sample, strips, betas) -> plots.Picture:
    """Draw the people, and the redundant component of the best run (Kaji 2011, Figure 5.3).

    sample: counts (16,) of the sheets that were drawn; strips: concentration -> (means
    (B, n, 4), counts (B, n)) of the redundant components for each of betas (B,).
    """
    fig, axes = plots.figure(8.6, 5.4, nrows=2, ncols=2, width_ratios=[2.4, 10])
    arrays = {"counts": sample.astype(float), "b": betas}
    for row, alpha in enumerate(strips):
        means, sizes = strips[alpha]
        draw_kinds(axes[2 * row])
        best = means[:, 0]
        draw_strip(axes[2 * row + 1], alpha, betas, best, sizes[:, 0])
        arrays[f"means_{alpha:g}"] = best
    alt = """Left: the two kinds of people as columns of four squares. Right, for the
    concentration 3 above and 1.5 below, the redundant component of the best of a hundred
    runs as a column of four squares for each pseudo-count. At 3 it is deterministic up to
    0.2, a part of the mixed kind up to 0.5, and one of two mixed components above that. At
    1.5 it is deterministic at 0.1, a part at 0.2, and empty from 0.3 on."""
    return plots.Picture(fig, alt, arrays)


def draw_kinds(ax):
    """Draw the two kinds of people."""
    draw_columns(ax, KAJI2011_TRUTHS["B"].means, ["mixed", "determ."])
    ax.set(title="the people", ylabel="question")
    ax.tick_params(axis="x", labelsize=8.5)


def draw_strip(ax, alpha: float, betas, means, sizes):
    """Draw the redundant components (B, 4) with their counts (B,), for each of betas (B,),
    and say what they are."""
    names = [f"{beta:g}" for beta in betas]
    draw_columns(ax, means, names, empty=sizes < 1)
    name_ends(ax, ends_of(means, sizes))
    ax.set_xlabel(r"$b$ (our $\beta$)")
    ax.set_title(rf"$\alpha={alpha:g}$: the third component of the best run")


def name_ends(ax, ends):
    """Draw a line above each stretch of columns that ended alike, and say how."""
    first = np.flatnonzero(np.diff(ends, prepend=-1))
    last = [*first[1:], len(ends)]
    for start, end in zip(first, last, strict=True):
        ax.plot([start - 0.4, end - 0.6], [-0.2, -0.2], "-k", lw=1.5)
        ax.text(start - 0.4, -0.3, ENDS[ends[start]], va="bottom", size=8)
