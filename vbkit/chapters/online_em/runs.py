"""What the evidence on Sato (1999) runs beside batch EM and online EM."""

import numpy as np

from vbkit.learning import fit_online
from vbkit.mixture import Mixture


def block_epoch(mixture: Mixture, X, S, schedule, length: int):
    """Run an epoch of online EM in which blocks of `length` data use the state before the block.

    Returns the state and the schedule after the epoch.
    """
    if length == 1:
        fit = fit_online(mixture, X, S, schedule, monitor=False)
        return fit.S, fit.schedule
    for first in range(0, len(X), length):
        rows = X[first : first + length]
        retention, gain, schedule = schedule.rates(len(rows))
        after = np.append(
            np.cumprod(retention[:0:-1])[::-1], 1.0
        )  # kept of each by those after it
        S = retention.prod() * S + mixture.e_step(rows, S, weights=gain * after).S
    return S, schedule


def share_seen(theta):
    """Return how much of the complete data's information on theta (n,) the data give (n,).

    For two machines of width 1 at -theta and theta; the expectation is by quadrature.
    """
    nodes, mass = np.polynomial.hermite_e.hermegauss(80)
    x = np.asarray(theta)[..., None] + nodes
    seen = (x * np.tanh(x * np.asarray(theta)[..., None])) ** 2
    return seen @ mass / mass.sum() - np.square(theta)
