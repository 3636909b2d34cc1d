"""Pictures of notebook 09."""

import numpy as np
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.chapters.hyperparameter_design.digits import SIDE
from vbkit.chapters.hyperparameter_design.experiments import N_COMPONENTS, USED
from vbkit.chapters.phase_diagram.pictures import in_a_row


def draw_surface(ax, a, b, values, *, form="{:.0f}", limit_of=None, top=None):
    """Draw values (A, B) over a (A,) and b (B,), upwards, as a shaded table of numbers.

    limit_of: M, to draw the limit a = min((M + 1)/2, 1/2 + M b) below which redundant components
    vanish; top: the value of the lightest shade, by default the largest.
    """
    values = np.transpose(values)
    low, top = values.min(), values.max() if top is None else top
    plots.draw_table(ax, values, a, b, form=form, low=low, top=top, middle=0.5, lw=1, size=8)
    if limit_of is not None:
        line_b = np.geomspace(b[0], b[-1], 200)
        line_a = np.minimum((limit_of + 1) / 2, 0.5 + limit_of * line_b)
        x = np.interp(np.log(line_a), np.log(a), np.arange(len(a)) + 0.5)
        y = np.interp(np.log(line_b), np.log(b), np.arange(len(b)) + 0.5)
        ax.plot(x, y, color=plots.COLOURS[1], lw=2.5, ls="--", alpha=0.8)
    ax.set(xlabel="$a$", ylabel="$b$")


def draw_rows(ax, weights, means, *, least=0.0):
    """Draw components by falling weight (K,) as rows of squares, white for ones.

    Components of a weight below `least` are left out.
    """
    order = [k for k in np.argsort(-np.asarray(weights), kind="stable") if weights[k] >= least]
    for row, k in enumerate(order):
        for m, value in enumerate(means[k]):
            ax.add_patch(Rectangle((m, -row), 0.94, 0.86, fc=str(float(value)), ec="black", lw=0.6))
        ax.text(len(means[k]) + 0.2, 0.43 - row, f"{weights[k]:.3f}", va="center", fontsize=8)
    ax.set(xlim=(-0.2, len(means[0]) + 2.6), ylim=(-N_COMPONENTS + 0.8, 1.1))
    ax.axis("off")


def draw_images(ax, means, counts):
    """Draw the used clusters' mean images (K, 64) in a row, white for ink, their counts above."""
    used = means[counts >= USED]
    ax.imshow(in_a_row(used.reshape(-1, SIDE, SIDE)), cmap="gray", vmin=0, vmax=1)
    for k, n in enumerate(counts[counts >= USED]):
        ax.text(9 * k + 3.5, -1.1, f"{n:.0f}", ha="center", fontsize=8)
    ax.set(xlim=(-0.5, 9 * len(counts) - 0.5))
    ax.axis("off")
