"""Unit 1, eight bolts from two machines: the data, the model, and how it is learned.

Lengths are deviations from the nominal length, in tenths of a millimetre. A machine makes
bolts whose lengths are Gaussian, with an unknown mean and an unknown precision; the weights
of the machines are unknown, too.
"""

from functools import cache
from itertools import product

import numpy as np

from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

LENGTHS = np.array([-2.3, -1.8, -1.6, -1.1, 0.2, 1.4, 1.9, 2.3])
AXIS = "deviation from the nominal length (tenths of a millimetre)"
FIFTH = 4  # the index of the bolt that lies alone
PLACES = np.linspace(-4, 4, 161)  # where densities are drawn

# the prior: a mean worth a tenth of a bolt at 0, a precision about 2, even weights
MACHINE = IsotropicGaussian(mean=0.0, mean_count=0.1, shape=2.0, rate=1.0)
WEIGHTS = Dirichlet(1.0)
MIXTURE = Mixture(MACHINE, WEIGHTS)

# the responsibility of the left machine for each bolt, before the first sweep
GUESS = np.array([0.7, 0.7, 0.7, 0.3, 0.3, 0.3, 0.3, 0.3])

# two bolts for calculations by hand, and the left machine's responsibilities for them
TWO_BOLTS = np.array([-1.0, 2.0])
TWO_GUESS = np.array([0.7, 0.3])

SIDE = np.where(np.arange(8) < 4, 1.0, -1.0)
STARTS = {
    "the clumsy guess": GUESS,
    "another guess": np.array([0.6, 0.3, 0.5, 0.8, 0.4, 0.6, 0.3, 0.5]),
    "even, tilted by 1/1000": 0.5 + 1e-3 * SIDE,
    "exactly even": np.full(8, 0.5),
}


# ---- the exact answer ----------------------------------------------------------------


@cache
def every_labelling(number: int = 8) -> np.ndarray:
    """Return all labellings (2^N, N) of N bolts: groupings and their mirror images."""
    return np.array([*product((0, 1), repeat=number)])


def log_joint(x, labellings) -> np.ndarray:
    """Return log p(x, z) (n,) of bolts x (N,) for labellings z (n, N).

    A labelling says for each bolt whether it comes from machine 0 or 1. Means,
    precisions and weights are integrated out: what a labelling adds is a difference of
    log-normalisers.
    """
    of_machines = np.stack([labellings == 0, labellings == 1], axis=1)
    return MIXTURE.log_normalizer_ratio(statistics(x, of_machines))


# ---- VB ------------------------------------------------------------------------------


def two_columns(left) -> np.ndarray:
    """Return responsibilities (N, 2) from those of the left machine (N,)."""
    return np.column_stack([left, 1 - np.asarray(left)])


def learn_in_sweeps(mixture, x, R, sweeps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return responsibilities and states before the first sweep and after each one.

    x (N,): bolts; R (N, K): the responsibilities at the start. The results are
    (sweeps + 1, N, K) and (sweeps + 1, K, 3); a state is what the M-step makes of the
    responsibilities beside it.
    """
    responsibilities = []
    states = []
    for _ in range(sweeps + 1):
        S = mixture.m_step(x, R)
        responsibilities.append(R)
        states.append(S)
        R = mixture.responsibilities(x, S)
    return np.array(responsibilities), np.array(states)


def average_scores(x, S) -> np.ndarray:
    """Return the average scores (N, K) of bolts x (N,) with machines at the state S (K, 3).

    A score is the logarithm of weight times density, and the average is taken over what
    the machines have learned.
    """
    of_lengths = statistics_of_each(x) @ MACHINE.expected(S).T
    return of_lengths + WEIGHTS.expected(S[:, 0])


def vb(x, left, sweeps: int = 100) -> np.ndarray:
    """Return VB's responsibilities (N, 2) after many sweeps.

    x (N,): bolts; left (N,): the responsibilities of the left machine at the start.
    """
    R, _ = learn_in_sweeps(MIXTURE, x, two_columns(left), sweeps)
    return R[-1]


def statistics_of_each(x) -> np.ndarray:
    """Return the statistics (N, 3) of each of the bolts x (N,)."""
    return MACHINE.statistics(np.asarray(x, float)[:, None])


def statistics(x, shares) -> np.ndarray:
    """Return the statistics (..., 3) of samples, in which bolts count with their shares.

    x (N,): bolts; shares (..., N): how much of each bolt belongs to each sample.
    """
    return np.asarray(shares) @ statistics_of_each(x)


def mean_and_width(S) -> tuple[np.ndarray, np.ndarray]:
    """Return the expected mean (K,) and the width (K,) of machines with states S (K, 3).

    The width is the standard deviation that belongs to the expected precision.
    """
    posterior = MACHINE.posterior(S)
    return posterior.mean[:, 0], np.sqrt(posterior.rate / posterior.shape)
