"""Answers to the exercises of chapter 00, and typical mistakes."""

import numpy as np
from scipy.special import logsumexp, softmax

from vbkit.chapters.start_here.copies import FAMILY
from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.press.exercises import Exercise
from vbkit.theory import free_energy_of_copies


def highest_elbo(log_joint, allowed):
    """Return the highest ELBO of a q that has its mass on the allowed groupings only."""
    return logsumexp(log_joint[allowed])


def one_grouping(log_joint, allowed):
    """You put all mass on the best grouping. To share it out gains entropy."""
    return log_joint[allowed].max()


def equal_mass(log_joint, allowed):
    """You gave every allowed grouping the same mass. The more probable ones deserve more."""
    return log_joint[allowed].mean() + np.log(allowed.sum())


def without_entropy(log_joint, allowed):
    """Your q is the best one, but you left out its entropy, the average of -log q."""
    return softmax(log_joint[allowed]) @ log_joint[allowed]


def all_groupings(log_joint, allowed):
    """This is the log evidence. You summed over forbidden groupings as well."""
    return logsumexp(log_joint)


def log_of_the_mass(log_joint, allowed):
    """This is the log probability of the allowed groupings: the ELBO less the log evidence."""
    return logsumexp(log_joint[allowed]) - logsumexp(log_joint)


def gain_in_a_sweep(X, w, family, concentration):
    """Return how many data points the first of two copies, with proportions w and 1 - w, gains."""
    mixture = Mixture(family, Dirichlet(concentration))
    S = mixture.m_step(X, np.tile([w, 1 - w], (len(X), 1)))
    return mixture.responsibilities(X, S)[:, 0].sum() - S[0, 0]


def no_gain(X, w, family, concentration):
    """This is what the first copy holds after the sweep. Subtract what it held before."""
    return gain_in_a_sweep(X, w, family, concentration) + w * len(X)


def the_other_copy(X, w, family, concentration):
    """The sign is turned round: what the first copy gains, the other one loses."""
    return -gain_in_a_sweep(X, w, family, concentration)


def always_one(X, w, family, concentration):
    """The concentration makes no difference. Does the mixture know it?"""
    return gain_in_a_sweep(X, w, family, 1.0)


def change_of_F(w, d, phi):
    """Return F of copies in the proportions w (M,) minus F of equal copies, exactly.

    Ten million data, an isotropic Gaussian with d - 1 means and a width. The formula that the
    exercise asks for is the limit of this.
    """
    gaussian = IsotropicGaussian(np.zeros(d - 1), 1.0, 1.0, 1.0)
    S = 1e7 * np.concatenate([[1], np.zeros(d - 1), [d - 1]])
    equal = np.ones(len(w)) / len(w)
    F = [
        free_energy_of_copies(gaussian, phi, S, proportions)
        for proportions in (w, equal)
    ]
    return F[0] - F[1]


def tax_times(w, d, phi, at_equal, labels=1):
    """Return the tax less the grant, times the sum of log w less its value at equal copies."""
    return ((d + labels) / 2 - phi) * (np.log(w).sum() - at_equal)


def value_at_w_only(w, d, phi):
    """Your formula holds up to a constant. Subtract its value at equal proportions."""
    return tax_times(w, d, phi, 0.0)


def one_logarithm(w, d, phi):
    """At equal proportions the sum has M terms. You subtracted only one of them."""
    return tax_times(w, d, phi, -np.log(len(w)))


def without_the_weights(w, d, phi):
    """Your tax has d halves. The mixing weights add one more: look at B."""
    return tax_times(w, d, phi, -len(w) * np.log(len(w)), labels=0)


def tax_from_grant(w, d, phi):
    """The sign is turned round: you computed the ELBO, and F is minus the ELBO."""
    return -tax_times(w, d, phi, -len(w) * np.log(len(w)))


ONE_CLUMP = np.random.default_rng(0).standard_normal((2000, 2)) @ [
    [1.0, 0.5],
    [0.0, 0.7],
]
ROUND = IsotropicGaussian(np.zeros(2), 0.1, 2.0, 1.0)
exercise_1 = Exercise(
    highest_elbo,
    lambda rng: (rng.normal(-20, 1, size=6).round(2), rng.permutation(6) < 4),
    (one_grouping, equal_mass, without_entropy, all_groupings, log_of_the_mass),
    hint="The best q is p(X, z) over its sum, among the allowed. What is then log p(X, z) - log q?",
    meaning="To leave out a place costs minus the logarithm of the mass that is left.",
    further="which half of the groupings costs log 2? What does the best tenth cost?",
)
exercise_2 = Exercise(
    gain_in_a_sweep,
    [(ONE_CLUMP, 0.3, FAMILY, phi) for phi in (0.5, 2.0, 4.0)]
    + [(ONE_CLUMP, 0.6, ROUND, 3.0)],
    (no_gain, the_other_copy, always_one),
    hint="First a state from constant responsibilities, then the responsibilities of that state.",
    meaning="You have measured in which direction two exact copies drift.",
    further="compare the change of sign with (d + 1)/2, here and for 100 points only.",
)
exercise_3 = Exercise(
    change_of_F,
    [([0.7, 0.3], 3, 0.5), ([0.2, 0.3, 0.5], 4, 1.0), ([0.1, 0.2, 0.3, 0.4], 2, 6.0)],
    (value_at_w_only, one_logarithm, without_the_weights, tax_from_grant),
    hint="Write F for two copies first, with the sum of section 5. Which terms change for M?",
    meaning="Tax and grant do not depend on how many copies there are.",
    further="let one of three proportions go to 0, and compare with two copies.",
    rtol=1e-4,
)
