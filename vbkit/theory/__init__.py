"""What is known without running VB, by formula, sum or quadrature: exact evidences,
free energies of copies, phases, divergences from the truth."""

from vbkit.theory.bernoulli import entropy, free_energy_terms
from vbkit.theory.coexistence import (
    IdealComponent,
    Transition,
    find_transition,
    ideal_bernoulli,
    ideal_full,
    ideal_isotropic,
    ideal_known,
    minima,
    share_landscape,
    state_curve,
)
from vbkit.theory.divergence import (
    divergence_on_grid,
    generalization_error,
    grid_points,
    isotropic_log_density,
    mass_on_grid,
)
from vbkit.theory.enumeration import log_evidence
from vbkit.theory.phase import Phase, coefficient, phase_lines, predict, theorem
from vbkit.theory.redundancy import (
    Occupation,
    occupation,
    occupation_of_identical,
    pair_log_evidence,
    product_posterior,
)
from vbkit.theory.two_copies import (
    bisect,
    change_of_free_energy,
    critical_concentration,
    free_energy_of_copies,
    gain_of_halves,
    prior_constant,
    slope_in_share,
    stationary_concentration,
    switch_concentration,
    switch_concentrations,
)
