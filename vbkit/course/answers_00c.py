"""Answers to the exercises of lecture 00c, and typical mistakes."""

import numpy as np
from scipy.special import rel_entr

from vbkit.course.bolts import (
    LENGTHS,
    MACHINE,
    STARTS,
    WEIGHTS,
    learn_in_sweeps,
    statistics,
    two_columns,
)
from vbkit.mixture import Mixture
from vbkit.press.exercises import Exercise

BOLTS = Mixture(MACHINE, WEIGHTS)


def elbo(x, R):
    """Return the ELBO (nats) after learning from responsibilities R (N, 2) for bolts x (N,)."""
    return BOLTS.elbo_of_responsibilities(x, R)


# ---- 1. the ELBO of certain labels ---------------------------------------------------


def elbo_of_labelling(x, z):
    """Return the ELBO of a q that is sure of the labelling z (N,) of bolts x (N,)."""
    return elbo(x, np.eye(2)[z])


def without_the_labels(x, z):
    """You left out log p(z), the logarithm of the probability of the labels."""
    S = statistics(x, np.eye(2)[z].T)
    return elbo_of_labelling(x, z) - WEIGHTS.log_normalizer(S[:, 0])


def evenly_divided(x, z):
    """Your responsibilities do not depend on the labels. Bolt n has the responsibility 1 for
    the machine z[n], and 0 for the other one."""
    return elbo(x, np.full((len(x), 2), 0.5))


def not_the_logarithm(x, z):
    """This is p(X, z) itself. The ELBO is its logarithm."""
    return np.exp(elbo_of_labelling(x, z))


def nearly_sure(x, z):
    """Your q is only nearly sure: it has responsibilities of 0.9 and 0.1. Certain labels
    mean 1 and 0."""
    return elbo(x, 0.1 + 0.8 * np.eye(2)[z])


def one_machine(x, z):
    """You gave all bolts to one machine. Bolt n belongs to the machine z[n]."""
    return elbo_of_labelling(x, np.zeros_like(z))


def draw_labelling(rng):
    """Draw some bolts and a labelling in which both machines have made one at least."""
    N = int(rng.integers(3, 9))
    z = rng.permutation(np.arange(N) % 2)
    return rng.normal(0, 2, N).round(1), z


exercise_1 = Exercise(
    elbo_of_labelling,
    draw_labelling,
    (without_the_labels, evenly_divided, not_the_logarithm, nearly_sure, one_machine),
    hint="np.eye(2)[z] has a row for each bolt: a 1 in the column of its machine.",
    meaning="The black box of lecture 00a is open: its log_joint is an ELBO.",
    further="which labellings of the two bolts have the highest ELBO, and by how much?",
)


# ---- 2. where the sweeps end ---------------------------------------------------------


def ends(x, starts, sweeps):
    """Return the ELBO (n,) after the sweeps from each start; starts (n, N)."""
    found = []
    for left in starts:
        R, _ = learn_in_sweeps(BOLTS, x, two_columns(left), sweeps)
        found.append(elbo(x, R[-1]))
    return np.array(found)


def of_the_starts(x, starts, sweeps):
    """These are the ELBOs before the first sweep. Take the last responsibilities, R[-1]."""
    return ends(x, starts, 0)


def one_sweep_early(x, starts, sweeps):
    """You stopped one sweep too early. R has the start as well, in its first place."""
    return ends(x, starts, sweeps - 1)


def the_best_only(x, starts, sweeps):
    """This is the highest of the ELBOs. Return all of them, one for each start."""
    return ends(x, starts, sweeps).max()


def without_entropy(x, starts, sweeps):
    """You left out the entropy of the responsibilities."""
    found = []
    for left in starts:
        _, S = learn_in_sweeps(BOLTS, x, two_columns(left), sweeps)
        found.append(BOLTS.log_normalizer_ratio(S[-1]))
    return np.array(found)


SEVERAL = np.array([*STARTS.values(), np.full(8, 0.9)])


exercise_2 = Exercise(
    ends,
    [(LENGTHS, SEVERAL, sweeps) for sweeps in (1, 3, 5)],
    (of_the_starts, one_sweep_early, the_best_only, without_entropy),
    hint="R, S = bolts.learn_in_sweeps(mixture, x, R, sweeps) keeps all sweeps; the last "
    "responsibilities are R[-1].",
    meaning="Several starts, and the highest ELBO: this is how VB is used in practice.",
    further="in which sweep does the start that is tilted by 1/1000 begin to climb?",
)


# ---- 3. why a divergence is never negative -------------------------------------------


def average_ratio(q, p):
    """Return the average of p / q under q."""
    return p[q > 0].sum()


def all_of_p(q, p):
    """You added up all of p. Where q is zero, the average under q takes no notice."""
    return p.sum()


def average_under_p(q, p):
    """You averaged under p. The average is taken with the probabilities of q."""
    return (p[q > 0] ** 2 / q[q > 0]).sum()


def upside_down(q, p):
    """You averaged q / p. It is the other way round."""
    return (q**2 / p).sum()


def the_divergence(q, p):
    """This is KL(q||p) itself, the average of log(q / p)."""
    return rel_entr(q, p).sum()


def plain_average(q, p):
    """You gave all places with q > 0 the same weight. Weight them with q."""
    return np.mean(p[q > 0] / q[q > 0])


def draw_distributions(rng):
    """Draw q and p over five places; q leaves out one place or two."""
    q = rng.dirichlet(np.ones(5))
    left_out = rng.choice(5, size=int(rng.integers(1, 3)), replace=False)
    q[left_out] = 0
    return q / q.sum(), rng.dirichlet(np.ones(5))


exercise_3 = Exercise(
    average_ratio,
    draw_distributions,
    (all_of_p, average_under_p, upside_down, the_divergence, plain_average),
    hint="Write the average as a sum over the places with q > 0. What becomes of q there?",
    meaning="It is at most 1, so by Jensen's inequality the divergence is at least 0.",
    further="a q that leaves out half of p: how small can its divergence be?",
)
