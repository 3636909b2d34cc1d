"""Data A and B, their mixtures, and the comparison of Figure 2 of Sato (2000)."""

import numpy as np
import pytest

from vbkit.course import sato
from vbkit.data import sato2000 as data_set
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.learning import fit_batch, init_gaussian


def test_a_comparison_takes_the_points_that_it_is_given():
    X = sato.draw(2000)["A"]
    job = {"data": "A", "model": "full covariance", "prior_strength": 0.01, "seed": 3}
    job |= {"starts": 1, "epochs": 2, "n_components": [1]}
    given, own = (sato.compare(job, points=points)["bound"][0] for points in (X, None))
    mixture = sato.sato_mixture(X, 1, "full covariance", 0.01)
    start = init_gaussian(mixture, X, 1, np.random.default_rng([3, 0]))
    expected = fit_batch(mixture, X, start, tolerance=1e-3).elbo
    assert given == pytest.approx(expected, abs=1e-3) and abs(own - given) > 1


def test_a_run_that_never_arrives_counts_as_late():
    assert sato.median_passes(np.array([3.0, np.nan, np.nan])) == np.inf
    assert sato.median_passes(np.array([3.0, 5.0, np.nan])) == 5


def test_first_within_counts_from_the_last_time_below():
    trace = np.array([-9.0, -2.0, -0.5, -3.0, -0.4, 0.0])
    assert sato.first_within(trace, -1) == 4
    assert np.isnan(sato.first_within(trace, 1))
    assert sato.first_within(trace, -10) == 0


def test_cores_are_counted_once():
    centres = np.array([[2.1, 3.5], [2.0, 3.4], [0.0, 0.0], [-2.0, -3.4]])
    assert sato.cores_covered((centres, np.array([1.0, 1.2, 9.0, 30.0]))) == 1
    covariances = np.array([1.0, 1.2, 9.0, 2.0])[:, None, None] * np.eye(2)
    assert sato.cores_covered((centres, covariances)) == 2


def test_the_report_s_prior():
    X, _ = data_set("B", np.random.default_rng(3))
    variance = X.var(axis=0).mean()
    full = sato.sato_mixture(X, 5, "full covariance", 0.01, scale=2.0)
    isotropic = sato.sato_mixture(X, 5, "isotropic", 0.01, scale=2.0)
    assert isinstance(full.family, NormalWishart)
    assert isinstance(isotropic.family, IsotropicGaussian)
    for mixture in (full, isotropic):
        assert mixture.family.mean_count == pytest.approx(0.002)
        assert mixture.labels.concentration == pytest.approx(1.002)
        assert np.allclose(mixture.family.mean, X.mean(axis=0))
    assert np.allclose(full.family.scatter, 0.002 * 2 * variance * np.eye(2))
    assert isotropic.family.rate == pytest.approx(0.002 * 2 * variance)
    with pytest.raises(ValueError, match="model is 'round'"):
        sato.sato_mixture(X, 5, "round", 0.01)
