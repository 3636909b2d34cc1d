"""What copies of a component cost: exercises that lecture 10 takes over."""

import numpy as np
from scipy.special import gammaln

from vbkit.families import KnownCovariance
from vbkit.press.exercises import Exercise
from vbkit.theory import free_energy_of_copies, switch_concentration


def switch_point(N, M, prior_variance):
    """Return the concentration at which two equal copies have the F of one beside an empty one.

    The copies share N ideal data in M dimensions.
    """
    return switch_concentration(
        KnownCovariance(np.zeros(M), prior_variance), N * np.eye(M + 1)[0]
    )


def where_the_slope_vanishes(N, M, prior_variance):
    """That is where copies stop drifting apart. The two values of F are equal elsewhere."""
    return (M + 1) / 2


def one_centre_only(N, M, prior_variance):
    """Each of M coordinates of the centre is taxed. You counted one."""
    return switch_point(N, 1, prior_variance)


def prior_of_one(N, M, prior_variance):
    """Your answer does not depend on the prior variance. It should."""
    return switch_point(N, M, 1.0)


def cost_by_stirling(N, M, prior_variance, phi, copies=2):
    """Return F of equal copies minus F of one beside empty ones, for many data."""
    further = ((M + 1) / 2 - phi) * np.log(N) + M / 2 * np.log(prior_variance)
    further += gammaln(phi) - np.log(2 * np.pi) / 2
    return (copies - 1) * further - copies * ((M + 1) / 2 - phi) * np.log(copies)


def cost_of_copies(N, M, prior_variance, phi, copies):
    """Return F of equal copies minus F of one beside empty ones, exactly."""
    family, S = KnownCovariance(np.zeros(M), prior_variance), N * np.eye(M + 1)[0]
    many = free_energy_of_copies(family, phi, S, np.full(copies, 1 / copies))
    return many - free_energy_of_copies(family, phi, S, np.eye(copies)[0])


def forgot_the_gamma_function(N, M, prior_variance, phi, copies):
    """An empty component still has its factor Gamma(phi). You lost it."""
    return cost_by_stirling(N, M, prior_variance, phi, copies) - (copies - 1) * gammaln(
        phi
    )


def no_constant_in_stirling(N, M, prior_variance, phi, copies):
    """Stirling's formula has a constant, half of log 2 pi, for every large Gamma function."""
    constant = (copies - 1) * np.log(2 * np.pi) / 2
    return cost_by_stirling(N, M, prior_variance, phi, copies) + constant


def the_other_way_round(N, M, prior_variance, phi, copies):
    """The sign is turned round: subtract the F of the empty components."""
    return -cost_by_stirling(N, M, prior_variance, phi, copies)


exercise_2 = Exercise(
    switch_point,
    [(1e3, 1, 10.0), (1e5, 2, 10.0), (1e3, 4, 1.0), (1e3, 1, 3.0)],
    (where_the_slope_vanishes, one_centre_only, prior_of_one),
    hint="Both have the same S, N data with sum 0. Only the shares differ. brentq needs a bracket.",
    meaning="At finite N a threshold depends on the question and on the prior.",
    further="plot the switch against 1 / log N.",
    rtol=1e-4,
)
exercise_3 = Exercise(
    cost_of_copies,
    [(1e7, 1, 10.0, 1.0, 2), (1e7, 2, 10.0, 0.5, 3), (1e7, 4, 1.0, 3.0, 5)],
    (forgot_the_gamma_function, no_constant_in_stirling, the_other_way_round),
    hint="Which Gamma functions are large, which are not? What does each centre cost?",
    meaning="You can now say what k copies cost, with every constant.",
    further="find the number of copies with the lowest F at phi = 3, M = 4.",
    rtol=1e-4,
)
