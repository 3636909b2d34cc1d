"""Three kinds of people or two? The free energy of both readings of the example of Kaji 2011,
section 3.3, and of all that lies between them. For the evidence."""

import numpy as np
from scipy.special import betaln, gammaln, xlogy

from vbkit.theory import bisect

SHARES = np.array([0.4, 0.4, 0.2])  # of the answer sheets 110, 011, 010


def free_energy_of_ties(concentration, pseudo_count, total, given):
    """Return F in nats of points that maximize the likelihood, up to a term of the
    concentration and `total`.

    given: the share of the sheet 010 that belongs to the component of 110. Concentration,
    pseudo-count and given may be arrays that broadcast, and F has their shape.
    """
    given, pseudo_count = np.broadcast_arrays(given, pseudo_count)
    first, second, rest = SHARES * total
    nobody = 0 * given
    sizes = np.stack([first + given * rest, second + nobody, (1 - given) * rest])
    yes = np.stack([first + nobody, second + nobody, nobody])
    no = np.stack([given * rest, nobody, (1 - given) * rest])
    # one question has both answers in the first component; two never vary
    answers = betaln(pseudo_count + yes, pseudo_count + no)
    answers = answers + 2 * betaln(pseudo_count, pseudo_count + sizes)
    answers = answers - 3 * betaln(pseudo_count, pseudo_count)
    labels = rest * (xlogy(given, given) + xlogy(1 - given, 1 - given))
    components = answers + gammaln(concentration + sizes)
    return labels - components.sum(axis=0) + 3 * gammaln(concentration)


def switch(pseudo_count, total):
    """Return the concentration (n,) at which hard assignments to two and to three kinds
    tie, for pseudo-counts (n,)."""

    def two_win(concentration):
        three = free_energy_of_ties(concentration, pseudo_count, total, 0.0)
        two = free_energy_of_ties(concentration, pseudo_count, total, 1.0)
        return three > two

    shape = np.shape(pseudo_count)
    return bisect(two_win, np.full(shape, 1e-9), np.full(shape, 50.0), 50)
