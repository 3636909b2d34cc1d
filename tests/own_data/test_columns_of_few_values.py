"""A column of few values among numbers does not make the groups by itself."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from vbkit.own_data import VariationalHMM, VariationalMixture

CENTRES = np.array([[0.0, 0.0], [7.0, 0.0], [0.0, 7.0]])


def groups(each=100):
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), each)
    return rng, CENTRES[truth] + rng.normal(size=(3 * each, 2)), truth


@pytest.mark.parametrize("family", ["gaussian", "diagonal"])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.5])
def test_a_flag_makes_no_groups(family, share):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        numbers = rng.normal(size=(500, 2))
        flag = (rng.random((500, 1)) < share) * 1.0
        X = np.hstack([numbers, flag])
        assert VariationalMixture(family=family).fit(X).n_components_ == 1


@pytest.mark.parametrize("family", ["gaussian", "diagonal"])
def test_stars_and_counts_make_no_groups(family):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        numbers = rng.normal(size=(500, 2))
        stars = rng.choice([3.0, 4.0, 5.0, 2.0, 1.0], 500, p=[0.3, 0.3, 0.2, 0.1, 0.1])
        counts = rng.poisson(4.0, 500)
        X = np.column_stack([numbers, stars, counts])
        assert VariationalMixture(family=family).fit(X).n_components_ == 1


# Full covariances of twelve columns ask for more rows, whatever the ten others hold.
@pytest.mark.parametrize("family, each", [("gaussian", 300), ("diagonal", 100)])
def test_rare_flags_hide_no_groups(family, each):
    rng, X, truth = groups(each)
    flags = (rng.random((len(X), 10)) < 0.02) * 1.0
    found = VariationalMixture(family=family).fit_predict(np.hstack([X, flags]))
    assert adjusted_rand_score(truth, found) > 0.95


def test_flags_make_no_states():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=400), rng.random(400) < 0.3])
    assert VariationalHMM().fit(X).n_components_ == 1


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_cells_go_along_with_the_unit(unit):
    rng, X, _ = groups()
    X = np.round(X)
    plain = VariationalMixture().fit(X)
    scaled = VariationalMixture().fit(unit * X)
    assert scaled.n_components_ == plain.n_components_
    assert np.allclose(scaled.mixture_.family.cell, unit)
