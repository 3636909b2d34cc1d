"""Two clusters or three? The free energy of the example of Kaji 2011, section 3.3."""

import numpy as np
from scipy.special import betaln, gammaln, xlogy

from vbkit.theory import bisect

SHARES = np.array([0.4, 0.4, 0.2])  # of the patterns 110, 011, 010


def free_energy_of_ties(a, b, total, given):
    """Return F (nats) of points that maximize the likelihood, up to a term of a and `total`.

    given: the share of the pattern 010 that belongs to the cluster of 110. a, b and given may be
    arrays that broadcast.
    """
    given, b = np.broadcast_arrays(given, b)
    (one, two, rest), none = SHARES * total, 0 * given
    sizes = np.stack([one + given * rest, two + none, (1 - given) * rest])
    ones = np.stack([one + none, two + none, none])
    zeros = np.stack([given * rest, none, (1 - given) * rest])
    means = betaln(b + ones, b + zeros) + 2 * betaln(b, b + sizes) - 3 * betaln(b, b)
    shared = rest * (xlogy(given, given) + xlogy(1 - given, 1 - given))
    return shared - (means + gammaln(a + sizes)).sum(axis=0) + 3 * gammaln(a)


def switch(b, total):
    """Return the a (n,) at which hard assignments to two and three clusters tie, for b (n,)."""

    def two_win(a):
        return free_energy_of_ties(a, b, total, 0.0) > free_energy_of_ties(
            a, b, total, 1.0
        )

    return bisect(two_win, np.full(np.shape(b), 1e-9), np.full(np.shape(b), 50.0), 50)
