"""Variational matrix factorization (Nakajima's slides, first half): iterative,
analytic, with missing entries."""

from vbkit.factorization.analytic import (
    Thresholds,
    estimate_noise,
    fixed_landscape,
    fixed_threshold,
    free_energy_of_column,
    free_energy_of_noise,
    kappa,
    learned_landscape,
    shrink_empirical,
    shrink_fixed,
    solve_empirical,
    solve_fixed,
    thresholds,
)
from vbkit.factorization.baselines import Draws, fit_map, gibbs
from vbkit.factorization.initialization import init_random, init_spectral
from vbkit.factorization.iteration import fit
from vbkit.factorization.matrices import SVD, ObservedEntries, validate
from vbkit.factorization.model import Factorization, Prediction, elbo
