"""Edges of the theory that the larger tests leave free:
weights, limits, defaults, both branches."""

import numpy as np
import pytest
from oracles import close
from scipy.sparse import csr_array

from vbkit import data, phases, theory
from vbkit.data import Truth
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors, pattern_counts
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

pytestmark = pytest.mark.filterwarnings("error")
MIXTURE, RNG = Mixture(BetaBernoulli(3, 0.4), Dirichlet(0.7)), np.random.default_rng(0)
X, W = RNG.integers(0, 2, (20, 3)), RNG.integers(0, 4, 20).astype(float)
R = RNG.dirichlet(np.ones(2), 20)


def test_all_five_terms_count_a_row_as_often_as_its_weight_says():
    repeated = np.repeat(np.arange(20), W.astype(int))
    expected = theory.free_energy_terms(MIXTURE, X[repeated], R[repeated])
    close(theory.free_energy_terms(MIXTURE, X, R, W), expected)
    close(theory.free_energy_terms(MIXTURE, MIXTURE.observe(X, W), R), expected)
    close(-expected.sum(), MIXTURE.elbo_of_responsibilities(X, R, W))


@pytest.mark.parametrize("wrong", [0.5 * R, R + 1e-6, np.zeros_like(R)])
def test_terms_want_rows_that_sum_to_one(wrong):
    with pytest.raises(ValueError, match="R has rows that sum to"):
        theory.free_energy_terms(MIXTURE, X, wrong)


def test_patterns_of_a_sparse_table():
    counts = pattern_counts(X)
    assert counts.sum() == 20 and counts[5] == (X == [1, 0, 1]).all(axis=1).sum()
    assert (pattern_counts(csr_array(X)) == counts).all()
    with pytest.raises(ValueError, match="must be 0 or 1"):
        pattern_counts(csr_array(2 * X))


def test_sixteen_coordinates_are_still_enumerated():
    assert binary_vectors(16).shape == (2**16, 16)
    with pytest.raises(ValueError, match="dimension is 17"):
        binary_vectors(17)
    truth, wide = (
        Truth([1.0], np.full((1, 16), 0.5)),
        Mixture(BetaBernoulli(16), Dirichlet(1.0)),
    )
    error, spread = theory.generalization_error(wide, np.zeros((1, 33)), truth)
    assert spread == 0 and abs(error) < 1e-9


def test_a_continuous_transition_has_no_jump_and_no_barrier():
    found = theory.find_transition(theory.ideal_known(1, 0.5), 1e4)
    assert found.jump == found.barrier == 0
    assert found.empty_spinodal == found.transition == found.copies_spinodal


def test_small_fractional_counts_are_data_too():
    """Where products underflow: the logs must take over for a count of .001 as well."""
    counts = np.full(16, 1e-3)
    starts = np.stack(
        [np.r_[40, 40 * x, 40 * (1 - x)] for x in binary_vectors(4)[[3, 12]]]
    )
    found = phases.solve(counts, starts, 1e-4, 1e-4, max_iterations=1, tolerance=0)
    mixture = Mixture(BetaBernoulli(4, 1e-4), Dirichlet(1e-4))
    close(found.S[0], mixture.e_step(binary_vectors(4), starts, counts).S)


def test_each_of_a_diagram_s_pairs_is_solved_whatever_their_number():
    truth = data.KAJI2011_TRUTHS["A"]
    counts, (_, starts) = (
        100 * truth.probabilities(),
        phases.structured_starts(truth, 3, 100),
    )
    for A, B in ((1, 1), (3, 7)):
        a, b = np.linspace(0.5, 3, A), np.linspace(0.1, 1, B)
        found = phases.diagram(counts, starts, a, b, max_iterations=5)
        for i, j in np.ndindex(A, B):
            ends = phases.solve(counts, starts, a[i], b[j], max_iterations=5)
            best = phases.first_of_the_lowest(ends.free_energy)
            assert found.start[i, j] == best
            assert found.free_energy[i, j] == ends.free_energy[best]
            # Mirror images differ by rounding, and the first stands for them.
            lowest = ends.free_energy.min()
            assert found.free_energy[i, j] == pytest.approx(lowest, abs=2e-9)


def test_data_sets_are_those_of_the_documents():
    assert data.SATO2000_SIZES == {"A": 200, "B": 1000} and sum(data.CLUSTERS) == 1750
    assert data.SATO2000_WIDTHS["B"].tolist() == [1, 5, 1, 5]
    close(data.SATO2000_CENTRES["A"][:3], [[0, 0], [2, 12**0.5], [4, 0]])
    close(np.concatenate([data.FIVE_WEIGHTS, data.FIVE_WIDTHS]),
          [0.15, 0.2, 0.3, 0.2, 0.15, 0.8, 0.6, 1.0, 0.7, 1.2])  # fmt: skip
    for layout, sides in (("factorised", [0.4, 0.4]), ("irregular", [0.42, 0.48])):
        centres, widths = data.SATO1999_LAYOUTS[layout]
        close(np.abs(centres[[1, 2]] - centres[0]).max(axis=1), sides)
        assert ((centres - 3 * widths[:, None] > -0.1) & (centres < 0.9)).all()
