"""Variational matrix factorization (Nakajima's slides, first half): iterative, analytic, with missing entries."""

from vbkit.factorization.analytic import (
    Thresholds,
    estimate_noise,
    free_energy_of_column,
    free_energy_of_noise,
    kappa,
    shrink_empirical,
    shrink_fixed,
    solve_empirical,
    solve_fixed,
    thresholds,
)
from vbkit.factorization.data import Entries, Spectrum, observe
from vbkit.factorization.iteration import fit
from vbkit.factorization.landscape import fixed_landscape, fixed_threshold, learned_landscape
from vbkit.factorization.model import Factorization, Prediction, elbo, random_start, spectral_start
from vbkit.factorization.yardsticks import Draws, fit_map, gibbs
