"""Answers to the exercises of lecture 00c, and typical mistakes.

The docstring of a mistake is what a student who made it is told.
"""

import numpy as np
from scipy.special import entr, logsumexp, rel_entr

from vbkit.course.bolts import (
    LENGTHS,
    MIXTURE,
    STARTS,
    every_labelling,
    learn_in_sweeps,
    two_columns,
)
from vbkit.course.bolts import log_joint as log_joint_of
from vbkit.press.exercises import Exercise

# ---- 1. the two parts ----------------------------------------------------------------


def two_parts(q, log_joint):
    """Return the ELBO of q (n,) and its divergence from the posterior, in nats."""
    bound = q @ log_joint + entr(q).sum()
    return bound, logsumexp(log_joint) - bound


def without_the_entropy(q, log_joint):
    """You left out -log q(z). The ELBO averages log p(X, z) - log q(z)."""
    bound = q @ log_joint
    return bound, logsumexp(log_joint) - bound


def from_the_joint(q, log_joint):
    """Your divergence is that from the joint probability. The posterior is the joint
    probability, divided by the evidence."""
    bound = q @ log_joint + entr(q).sum()
    return bound, -bound


def plain_sum(q, log_joint):
    """You added up log p(X, z). The evidence is the sum of the probabilities themselves, and
    the logarithm is taken afterwards."""
    bound = q @ log_joint + entr(q).sum()
    return bound, log_joint.sum() - bound


def the_other_divergence(q, log_joint):
    """This is KL(p||q), averaged with the posterior. Average with q."""
    bound = q @ log_joint + entr(q).sum()
    posterior = np.exp(log_joint - logsumexp(log_joint))
    return bound, rel_entr(posterior, q).sum()


def exchanged(q, log_joint):
    """You returned the divergence first. Return the ELBO, then the divergence."""
    bound, divergence = two_parts(q, log_joint)
    return divergence, bound


def draw_q(rng):
    """Draw a q over the labellings of three bolts, and their log joint probabilities."""
    x = rng.normal(0, 2, 3).round(1)
    return rng.dirichlet(np.ones(8)), log_joint_of(x, every_labelling(3))


exercise_1 = Exercise(
    two_parts,
    draw_q,
    (without_the_entropy, from_the_joint, plain_sum, the_other_divergence, exchanged),
    hint="bound = q @ (log_joint - np.log(q)); the log evidence is logsumexp(log_joint).",
    meaning="Whatever q is, the two parts add up to the log evidence.",
    further="a q that is zero somewhere. What does scipy.special.entr do there?",
)


# ---- 2. where the sweeps end ---------------------------------------------------------


def ends(x, starts, sweeps):
    """Return the ELBO (n,) after the sweeps from each start; starts (n, N)."""
    found = []
    for left in starts:
        R, _ = learn_in_sweeps(MIXTURE, x, two_columns(left), sweeps)
        found.append(MIXTURE.elbo_of_responsibilities(x, R[-1]))
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
        _, S = learn_in_sweeps(MIXTURE, x, two_columns(left), sweeps)
        found.append(MIXTURE.log_normalizer_ratio(S[-1]))
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
