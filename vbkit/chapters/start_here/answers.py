"""Answers to the exercises of notebook 00."""

import numpy as np

from vbkit.chapters.start_here import EPOCHS, FAMILY
from vbkit.families import Dirichlet, IsotropicGaussian
from vbkit.learning import fit_batch
from vbkit.mixture import Mixture
from vbkit.theory import free_energy_of_copies


def expected_log_shares(counts, phi: float) -> np.ndarray:
    """Return E[log pi] (K,) after these counts (K,), with concentration phi."""
    return Dirichlet(phi).expected(counts)


def count_alive(X, start, concentration: float) -> int:
    """Count the components that hold more than one data point after 150 epochs from `start`."""
    mixture = Mixture(FAMILY, Dirichlet(concentration))
    fit = fit_batch(mixture, X, start, max_epochs=EPOCHS[-1], tolerance=0)
    return int((fit.S[:, 0] > 1).sum())


def change_of_F(shares, d: int, phi: float) -> float:
    """Return F of copies in these shares (M,) minus F of copies in equal shares, exactly.

    The copies share ten million data and are isotropic Gaussians with d parameters, d - 1 means and
    a width. The formula that the exercise asks for is the limit of this.
    """
    gaussian = IsotropicGaussian(np.zeros(d - 1), 1.0, 1.0, 1.0)
    S = 1e7 * np.concatenate([[1], np.zeros(d - 1), [d - 1]])
    equal = np.full(len(shares), 1 / len(shares))
    unequal = free_energy_of_copies(gaussian, phi, S, shares)
    return unequal - free_energy_of_copies(gaussian, phi, S, equal)
