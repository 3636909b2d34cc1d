"""Tables over priors for evidence 09."""

import numpy as np
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.chapters.hyperparameter_design.experiments import A, B


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
