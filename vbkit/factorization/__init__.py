"""Variational matrix factorization (Nakajima's slides, first half): iterative, analytic, with missing entries."""

from vbkit.factorization.data import Entries, Spectrum, observe
from vbkit.factorization.fit import fit
from vbkit.factorization.model import Factorization, Prediction, elbo, random_start, spectral_start

__all__ = [
    "Entries",
    "Factorization",
    "Prediction",
    "Spectrum",
    "elbo",
    "fit",
    "observe",
    "random_start",
    "spectral_start",
]
