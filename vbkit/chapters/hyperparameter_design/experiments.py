"""Kaji 2011, chapter 6: the truths, the priors and the stored studies of evidence 09."""

import numpy as np

from vbkit.course.minority import PAIRS, TRIALS
from vbkit.data import Truth
from vbkit.press.publish import stored

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


def study(name: str, compute=None, **how) -> dict:
    """Return the arrays of a stored study, (100, ...) by name, for each value of its key.

    compute, how: for `stored`, to make it or to make some of it again.
    """
    key, values, shared = STUDIES[name]
    jobs = [
        {key: value, "trial": i} | shared for i in range(TRIALS) for value in values
    ]
    results = stored(name, compute, jobs, **({"profile": "paper", "recheck": 0} | how))
    found = {}
    for job, result in zip(jobs, results, strict=False):
        for item, value in result.items():
            found.setdefault(job[key], {}).setdefault(item, []).append(value)
    return {k: {item: np.stack(rows) for item, rows in found[k].items()} for k in found}
