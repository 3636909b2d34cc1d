"""Kaji 2011, chapter 6: the truths, the priors and the stored studies of notebook 09."""

import numpy as np

from vbkit.data import Truth
from vbkit.families import BetaBernoulli
from vbkit.labels import Dirichlet
from vbkit.learning import init_from_rows
from vbkit.mixture import Mixture
from vbkit.phases import solve
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
    "minority": [
        [0.9, 0.8, 0.7, 0.1, 0.2],
        [0.2, 0.1, 0.6, 0.8, 0.9],
        [0.02, 0.98] * 2 + [0.02],
    ],
}
TRUTHS = {name: Truth([0.4, 0.35, 0.25], MEANS[name]) for name in ("clear", "mixed")}
MINORITIES = {  # by the number of coordinates
    5: Truth([0.55, 0.44, 0.01], MEANS["minority"]),
    10: Truth([0.55, 0.44, 0.01], np.tile(MEANS["minority"], 2)),
}
N_COMPONENTS, SIZE = 10, 1000  # K and N of section 6.2
USED = 0.5  # a component with this many data or more counts as used
A = [0.01, 0.03, 0.1, 0.3, 1, 2, 3, 5, 10]  # the priors of Figs 6.1 and 6.2
B = [0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 1, 3, 10]
PAIRS = [
    [a, b] for a in (0.01, 10) for b in (0.01, 0.1, 0.3, 1, 5)
]  # of the search for minorities
TRIALS = 100  # data sets of each study
STUDIES = {  # name -> what tells its jobs apart, the values of that, what all jobs share
    "kaji2011-surfaces": ("truth", tuple(TRUTHS), {"a": A, "b": B}),
    "kaji2011-minority": ("dimension", (5, 10), {"pairs": PAIRS}),
}


def bernoulli_mixture(dimension: int, a: float, b: float, **settings) -> Mixture:
    """Return the thesis's mixture: prior Dirichlet(a) of weights, Beta(b, b) of probabilities."""
    return Mixture(BetaBernoulli(dimension, b, **settings), Dirichlet(a))


def random_starts(X, number: int, rng) -> np.ndarray:
    """Return states (number, K, 1 + 2M) with each component near a random data point.

    It stands 30 % of the way from there to the mean of all data.
    """
    mixture = bernoulli_mixture(X.shape[1], 1.0, 1.0)
    return np.stack(
        [init_from_rows(mixture, X, N_COMPONENTS, rng) for _ in range(number)]
    )


def learn(counts, starts, a, b):
    """Run VB from the starts (R, K, 1 + 2M) to its end, for counts (2^M,) of all patterns."""
    return solve(counts, starts, a, b, max_iterations=3000, tolerance=1e-7)


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
