"""Ideal data for two copies, what the second costs, and the evidence by groupings."""

import numpy as np
import pytest

from vbkit.course import groupings
from vbkit.course.ideal_copies import cost_by_stirling, ideal_gaussian
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import free_energy_of_copies, log_evidence


@pytest.mark.parametrize("M", [1, 2, 3])
def test_ideal_data_have_the_moments_of_the_normal(M):
    X, w = ideal_gaussian(M, 50.0, 4)
    assert X.shape == (4**M, M) and w.sum() == pytest.approx(50)
    assert np.allclose(w @ X, 0) and np.allclose((X.T * w) @ X, 50 * np.eye(M))
    assert np.allclose(w @ X**4, 150) and np.allclose(w @ X**6, 750)


def test_groupings_give_the_exact_evidence():
    assert len(groupings.groupings(6)) == 203  # Bell's number
    X = np.random.default_rng(3).normal(0, 3, (6, 1))
    for concentration in (0.5, 1.0):
        mixture = Mixture(KnownCovariance(0.0, 10.0), Dirichlet(concentration))
        enumerated = [log_evidence(mixture, X, K) for K in (1, 2, 3, 5)]
        found = groupings.log_evidence(mixture, X, (1, 2, 3, 5))
        assert found == pytest.approx(enumerated)


@pytest.mark.parametrize(
    "dimension, prior_variance, concentration",
    [(1, 10.0, 1.0), (2, 10.0, 0.5), (4, 1.0, 3.0)],
)
def test_the_cost_of_a_second_copy_by_stirling_is_the_exact_one(
    dimension, prior_variance, concentration
):
    family = KnownCovariance(np.zeros(dimension), prior_variance)
    S = 1e7 * np.eye(dimension + 1)[0]
    costs = []
    for shares in ([0.5, 0.5], [1.0, 0.0]):
        costs.append(free_energy_of_copies(family, concentration, S, np.array(shares)))
    exact = costs[0] - costs[1]
    found = cost_by_stirling(1e7, dimension, prior_variance, concentration)
    assert found == pytest.approx(exact, abs=1e-3)
