"""Kaji 2011, chapter 6: truths and stored studies over many priors, and their tables."""

import numpy as np
from matplotlib.patches import Rectangle

from vbkit import plots
from vbkit.course.minority import PAIRS, TRIALS
from vbkit.data import Truth
from vbkit.press.publish import RTOL, stored

MEANS = {  # ours, three components each: the thesis shows its own as pictures
    "clear": [
        [0.9, 0.8, 0.1, 0.2, 0.1],
        [0.1, 0.2, 0.9, 0.8, 0.2],
        [0.2, 0.9, 0.8, 0.1, 0.9],
    ],
    "mixed": [
        [0.7, 0.6, 0.2, 0.3, 0.4],
        [0.3, 0.4, 0.8, 0.7, 0.2],
        [0.4, 0.8, 0.6, 0.3, 0.8],
    ],
}
TRUTHS = {name: Truth([0.4, 0.35, 0.25], means) for name, means in MEANS.items()}
A = [0.01, 0.03, 0.1, 0.3, 1, 2, 3, 5, 10]  # the priors of Figs 6.1 and 6.2
B = [0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 1, 3, 10]
STUDIES = {  # name -> what tells its jobs apart, the values of that, what all jobs share
    "kaji2011-surfaces": ("truth", tuple(TRUTHS), {"a": A, "b": B}),
    "kaji2011-minority": ("dimension", (5, 10), {"pairs": PAIRS}),
}


# ---- stored studies ------------------------------------------------------------------


def study(
    name: str,
    compute=None,
    *,
    profile: str = "paper",
    recheck: int = 0,
    rtol: float = RTOL,
    map=map,
) -> dict:
    """Return the arrays of a stored study, (100, ...) by name, for each value of its key.

    compute, profile, recheck, rtol, map: for `stored`, to make it or to make some of it
    again.
    """
    key, values, shared = STUDIES[name]
    jobs = []
    for trial in range(TRIALS):
        for value in values:
            jobs.append({key: value, "trial": trial} | shared)
    results = stored(
        name, compute, jobs, profile=profile, recheck=recheck, rtol=rtol, map=map
    )
    rows = {}
    for job, result in zip(jobs, results, strict=False):  # a quick run has a few only
        of_value = rows.setdefault(job[key], {})
        for item, array in result.items():
            of_value.setdefault(item, []).append(array)
    found = {}
    for value, of_value in rows.items():
        found[value] = {item: np.stack(arrays) for item, arrays in of_value.items()}
    return found


# ---- tables --------------------------------------------------------------------------


def draw_priors(
    ax, values, *, shown=(A, B), form="{:.0f}", size=9, top=None, limit=True
):
    """Draw values (A, B) at the priors `shown` as an even table.

    top: the value of the lightest shade, by default the largest. limit: draw the limit for five
    questions between the cells; on it or to its right a >= min(3, 1/2 + 5 b).
    """
    a_shown, b_shown = shown
    rows = [A.index(a) for a in a_shown]
    columns = [B.index(b) for b in b_shown]
    part = np.asarray(values)[np.ix_(rows, columns)].T
    plots.draw_table(
        ax,
        part,
        a_shown,
        b_shown,
        form=form,
        size=size,
        low=part.min(),
        top=top or part.max(),
    )
    ax.tick_params(labelsize=size)
    if limit:
        draw_limit(ax, a_shown, b_shown)
    ax.set_xlabel("$a$", size=size)
    ax.set_ylabel("$b$", size=size, rotation=0)


def draw_limit(ax, a_shown, b_shown):
    """Draw the limit for five questions as steps between the cells of a table."""
    left = []
    for b in b_shown:
        border = min(3, 0.5 + 5 * b)
        left.append(sum(a < border for a in a_shown))
    steps = np.repeat(np.arange(len(left) + 1), 2)[1:-1]
    ax.plot(np.repeat(left, 2), steps, color=plots.COLOURS[1], lw=4)


def frame_prior(ax, colour, a, b, shown=(A, B)):
    """Frame the cell of a prior in a table of those shown."""
    a_shown, b_shown = shown
    corner = (a_shown.index(a) + 0.12, b_shown.index(b) + 0.12)
    frame = Rectangle(corner, 0.76, 0.76, fill=False, ec=colour, lw=3.5, zorder=5)
    ax.add_patch(frame)


def lowest_prior(values) -> tuple[float, float]:
    """Return the prior (a, b) at which a table (A, B) is lowest."""
    i, j = np.unravel_index(np.argmin(values), np.shape(values))
    return A[i], B[j]
