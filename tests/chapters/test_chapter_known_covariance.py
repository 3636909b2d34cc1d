"""What the evidence on mixtures with known covariance uses."""

import numpy as np
import pytest

from vbkit.chapters import known_covariance as chapter
from vbkit.chapters.known_covariance import answers
from vbkit.families import KnownCovariance
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture
from vbkit.theory import critical_concentration, log_evidence


@pytest.mark.parametrize("M", [1, 2, 3])
def test_ideal_data_have_the_moments_of_the_normal(M):
    X, w = chapter.copies.ideal_gaussian(M, 50.0, 4)
    assert X.shape == (4**M, M) and w.sum() == pytest.approx(50)
    assert np.allclose(w @ X, 0) and np.allclose((X.T * w) @ X, 50 * np.eye(M))
    assert np.allclose(w @ X**4, 150) and np.allclose(w @ X**6, 750)


def test_groupings_give_the_exact_evidence():
    assert len(chapter.groups.groupings(6)) == 203  # Bell's number
    X = np.random.default_rng(3).normal(0, 3, (6, 1))
    for phi in (0.5, 1.0):
        mixture = Mixture(KnownCovariance(0.0, 10.0), Dirichlet(phi))
        enumerated = [log_evidence(mixture, X, K) for K in (1, 2, 3, 5)]
        assert chapter.groups.log_evidence(mixture, X, (1, 2, 3, 5)) == pytest.approx(
            enumerated
        )


def test_answers():
    assert answers.switch_point(1e3, 1, 2 * np.pi) == pytest.approx(
        critical_concentration(1), abs=2e-4
    )
    for case in ((1e7, 2, 10.0, 0.5), (1e7, 4, 1.0, 3.0)):
        assert answers.cost_by_stirling(*case) == pytest.approx(
            answers.cost_of_copies(*case, 2), abs=1e-3
        )
