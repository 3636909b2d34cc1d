"""Answers to the exercises of chapter 00, and typical mistakes."""

import numpy as np
from scipy.special import digamma

from vbkit.chapters.start_here.copies import EPOCHS, FAMILY, three_clumps
from vbkit.families import Dirichlet, IsotropicGaussian
from vbkit.learning import fit_batch, init_gaussian
from vbkit.mixture import Mixture
from vbkit.theory import free_energy_of_copies
from vbkit.workbook.exercises import Exercise


def expected_log_shares(counts, phi):
    """Return E[log pi] (K,) after these counts (K,), with concentration phi."""
    return digamma(phi + counts) - digamma(np.sum(phi + counts))


def log_of_the_mean(counts, phi):
    """This is the logarithm of the mean share. VB asks for the mean of the logarithm."""
    return np.log(phi + counts) - np.log(np.sum(phi + counts))


def one_phi_in_the_sum(counts, phi):
    """The sum of the Dirichlet's parameters contains the concentration once per component."""
    return digamma(phi + counts) - digamma(phi + np.sum(counts))


def without_the_prior(counts, phi):
    """You left out the prior: what is a component's parameter before it has seen any data?"""
    return digamma(counts) - digamma(np.sum(counts))


def count_alive(X, start, concentration):
    """Count the components that hold more than one data point after 150 epochs of batch VB."""
    return alive(X, start, concentration)


def alive(X, start, concentration, tolerance=0.0, least=1.0) -> int:
    """Count the components that hold more than `least` data points in the end."""
    options = {"max_epochs": EPOCHS[-1], "tolerance": tolerance}
    fit = fit_batch(Mixture(FAMILY, Dirichlet(concentration)), X, start, **options)
    return int((fit.S[:, 0] > least).sum())


def stopped_early(X, start, concentration):
    """The fit stopped on a plateau, before its 150 epochs. Which argument forbids that?"""
    return alive(X, start, concentration, tolerance=1e-6)


def more_than_nothing(X, start, concentration):
    """A starved component still holds a tiny fraction of a data point. Do not count it."""
    return alive(X, start, concentration, least=0.0)


def always_one(X, start, concentration):
    """The concentration makes no difference to your fit. Does the mixture know it?"""
    return alive(X, start, 1.0)


def change_of_F(shares, d, phi):
    """Return F of copies in these shares (M,) minus F of copies in equal shares, exactly.

    Ten million data, an isotropic Gaussian with d - 1 means and a width. The formula that the
    exercise asks for is the limit of this.
    """
    gaussian = IsotropicGaussian(np.zeros(d - 1), 1.0, 1.0, 1.0)
    S = 1e7 * np.concatenate([[1], np.zeros(d - 1), [d - 1]])
    equal = np.ones(len(shares)) / len(shares)
    F = [free_energy_of_copies(gaussian, phi, S, w) for w in (shares, equal)]
    return F[0] - F[1]


def two_copies(shares, d, phi):
    """The value at equal shares is still that of two copies. Subtract it for M copies."""
    return ((d + 1) / 2 - phi) * (np.log(shares).sum() + 2 * np.log(2))


def without_the_labels(shares, d, phi):
    """Your tax has d halves. The labels add one more: look at step 2."""
    return (d / 2 - phi) * (np.log(shares) + np.log(len(shares))).sum()


def tax_from_grant(shares, d, phi):
    """The sign is turned round: you computed the ELBO, and F is minus the ELBO."""
    return -((d + 1) / 2 - phi) * (np.log(shares) + np.log(len(shares))).sum()


X = three_clumps(np.random.default_rng(1))
MIXTURE = Mixture(FAMILY, Dirichlet(1.0))
START = init_gaussian(MIXTURE, X, 7, np.random.default_rng(0))
NEARLY_EVEN = 1 + 1e-6 * np.random.default_rng(0).standard_normal((180, 7))
EVEN = MIXTURE.m_step(X, NEARLY_EVEN / NEARLY_EVEN.sum(1, keepdims=True))
exercise_1 = Exercise(
    expected_log_shares,
    lambda rng: (rng.gamma(2.0, size=4).round(2), round(rng.uniform(0.1, 3), 2)),
    (log_of_the_mean, one_phi_in_the_sum, without_the_prior),
    hint="Two digammas: one with an entry for each k, one for all. Which arguments?",
    meaning="These numbers tax small components each time VB assigns data.",
    further="compare exp of your numbers with the mean shares when a count is 0.1.",
)
exercise_2 = Exercise(
    count_alive,
    [*((X, START, phi) for phi in (0.01, 0.3, 2.0, 10.0)), (X, EVEN, 0.01)],
    (stopped_early, more_than_nothing, always_one),
    hint="Which column of a state holds the counts? May the fit stop early?",
    meaning="You have seen the prior alone decide how many components live.",
    further="find the concentration at which a fourth component survives.",
)
exercise_3 = Exercise(
    change_of_F,
    [([0.7, 0.3], 3, 0.5), ([0.2, 0.3, 0.5], 4, 1.0), ([0.1, 0.2, 0.3, 0.4], 2, 6.0)],
    (two_copies, without_the_labels, tax_from_grant),
    hint="Start with two copies: steps 1 to 3. Which terms change when there are M?",
    meaning="Tax and grant do not depend on how many copies there are.",
    further="let one of three shares go to 0, and compare with two copies.",
    rtol=1e-4,
)
