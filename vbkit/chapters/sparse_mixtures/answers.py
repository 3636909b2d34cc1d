"""Answers to the exercises of chapter 01b, and typical mistakes."""

import numpy as np

from vbkit.chapters.sparse_mixtures.copies import FAMILY
from vbkit.families import IsotropicGaussian
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.press.exercises import Exercise
from vbkit.theory import free_energy_of_copies


def gain_in_a_sweep(X, w, family, concentration):
    """Return how many data points the first of two copies gains in a sweep.

    The copies hold the proportions w and 1 - w of every point of X (N, D).
    """
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


def change_of_F(w, d, concentration):
    """Return F of copies in the proportions w (M,) minus F of equal copies, exactly.

    Ten million data points, an isotropic Gaussian with d - 1 means and a width. The formula
    that the exercise asks for is the limit of this.
    """
    gaussian = IsotropicGaussian(np.zeros(d - 1), 1.0, 1.0, 1.0)
    S = 1e7 * np.concatenate([[1], np.zeros(d - 1), [d - 1]])
    equal = np.ones(len(w)) / len(w)
    F = [
        free_energy_of_copies(gaussian, concentration, S, proportions)
        for proportions in (w, equal)
    ]
    return F[0] - F[1]


def loss_times(w, d, concentration, at_equal, labels=1):
    """Return the penalty less the concentration, times the sum of log w less at_equal.

    at_equal: what is taken for the sum at equal copies; labels: what the weights add to d.
    """
    return ((d + labels) / 2 - concentration) * (np.log(w).sum() - at_equal)


def value_at_w_only(w, d, concentration):
    """Your formula holds up to a constant. Subtract its value at equal proportions."""
    return loss_times(w, d, concentration, 0.0)


def one_logarithm(w, d, concentration):
    """At equal proportions the sum has M terms. You subtracted only one of them."""
    return loss_times(w, d, concentration, -np.log(len(w)))


def without_the_weights(w, d, concentration):
    """Your penalty has d halves. The mixing weights add one more."""
    return loss_times(w, d, concentration, -len(w) * np.log(len(w)), labels=0)


def sign_of_the_elbo(w, d, concentration):
    """The sign is turned round: you computed the ELBO, and F is minus the ELBO."""
    return -loss_times(w, d, concentration, -len(w) * np.log(len(w)))


ONE_CLUMP = np.random.default_rng(0).standard_normal((2000, 2)) @ [
    [1.0, 0.5],
    [0.0, 0.7],
]
ROUND = IsotropicGaussian(np.zeros(2), 0.1, 2.0, 1.0)
exercise_1 = Exercise(
    gain_in_a_sweep,
    [(ONE_CLUMP, 0.3, FAMILY, concentration) for concentration in (0.5, 2.0, 4.0)]
    + [(ONE_CLUMP, 0.6, ROUND, 3.0)],
    (no_gain, the_other_copy, always_one),
    hint="First a state from constant responsibilities, then the responsibilities of that state.",
    meaning="You have measured in which direction two exact copies drift.",
    further="compare the change of sign with (d + 1)/2, here and for 100 points only.",
)
exercise_2 = Exercise(
    change_of_F,
    [([0.7, 0.3], 3, 0.5), ([0.2, 0.3, 0.5], 4, 1.0), ([0.1, 0.2, 0.3, 0.4], 2, 6.0)],
    (value_at_w_only, one_logarithm, without_the_weights, sign_of_the_elbo),
    hint="Write F for two copies first, right after an M-step. Which terms change for M?",
    meaning="The critical concentration does not depend on how many copies there are.",
    further="let one of three proportions go to 0, and compare with two copies.",
    rtol=1e-4,
)
