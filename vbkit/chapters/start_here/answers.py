"""Answers to the exercises of chapter 00, and typical mistakes."""

import numpy as np
from scipy.special import digamma, softmax

from vbkit.chapters.start_here.copies import FAMILY
from vbkit.families import Dirichlet, IsotropicGaussian
from vbkit.mixture import Mixture
from vbkit.theory import free_energy_of_copies
from vbkit.workbook.exercises import Exercise


def responsibilities_of_copies(counts, phi):
    """Return the responsibilities (K,) of known copies with these counts, for any data point."""
    return softmax(digamma(phi + counts))


def mean_weights(counts, phi):
    """These are the mean weights. The E-step averages the logarithm of a weight."""
    return (phi + counts) / np.sum(phi + counts)


def not_normalised(counts, phi):
    """Your numbers do not add up to 1. A data point is assigned completely."""
    return np.exp(digamma(phi + counts) - digamma(np.sum(phi + counts)))


def still_scores(counts, phi):
    """These are scores. How does the E-step turn scores into responsibilities?"""
    return digamma(phi + counts) - digamma(np.sum(phi + counts))


def without_the_prior(counts, phi):
    """You left out the prior: what does a component have before it has seen any data?"""
    return softmax(digamma(counts))


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
    F = [free_energy_of_copies(gaussian, phi, S, proportions) for proportions in (w, equal)]
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
    """Your tax has d halves. The mixing weights add one more: look at step 2."""
    return tax_times(w, d, phi, -len(w) * np.log(len(w)), labels=0)


def tax_from_grant(w, d, phi):
    """The sign is turned round: you computed the ELBO, and F is minus the ELBO."""
    return -tax_times(w, d, phi, -len(w) * np.log(len(w)))


ONE_CLUMP = np.random.default_rng(0).standard_normal((2000, 2)) @ [[1.0, 0.5], [0.0, 0.7]]
ROUND = IsotropicGaussian(np.zeros(2), 0.1, 2.0, 1.0)
exercise_1 = Exercise(
    responsibilities_of_copies,
    lambda rng: (rng.gamma(2.0, size=4).round(2), round(rng.uniform(0.1, 3), 2)),
    (mean_weights, not_normalised, still_scores, without_the_prior),
    hint="Score each copy by its average of log pi. Then normalise, as the E-step does.",
    meaning="This is the tax on small components, as a data point meets it.",
    further="with counts 600 and 400, repeat counts = 1000 * your result. Who dies at phi = 0.4?",
)
exercise_2 = Exercise(
    gain_in_a_sweep,
    [(ONE_CLUMP, 0.3, FAMILY, phi) for phi in (0.5, 2.0, 4.0)] + [(ONE_CLUMP, 0.6, ROUND, 3.0)],
    (no_gain, the_other_copy, always_one),
    hint="First a state from constant responsibilities, then the responsibilities of that state.",
    meaning="You have measured in which direction two exact copies drift.",
    further="compare the change of sign with (d + 1)/2, here and for 100 points only.",
)
exercise_3 = Exercise(
    change_of_F,
    [([0.7, 0.3], 3, 0.5), ([0.2, 0.3, 0.5], 4, 1.0), ([0.1, 0.2, 0.3, 0.4], 2, 6.0)],
    (value_at_w_only, one_logarithm, without_the_weights, tax_from_grant),
    hint="Start with two copies: steps 1 to 3. Which terms change when there are M?",
    meaning="Tax and grant do not depend on how many copies there are.",
    further="let one of three proportions go to 0, and compare with two copies.",
    rtol=1e-4,
)
