"""A column that holds one number only changes nothing: neither groups nor their number."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import adjusted_rand_score

from tests.own_data.test_estimators import NAMES, rows
from vbkit.own_data import (
    VariationalHMM,
    VariationalMatrixFactorization,
    VariationalMixture,
    VariationalRegressionMixture,
    load_model,
    save_model,
)

CONSTANTS = {"bernoulli": (0.0, 1.0, 0.0), "poisson": (0.0, 3.0, 0.0)}
CONSTANTS["categorical"] = (2.0, 0.0, 1.0)
NUMBERS = (0.0, -7.3, 1.7e9)


def with_constants(X, family="gaussian"):
    """X with three constant columns: the first, one in the middle and the last."""
    first, middle, last = CONSTANTS.get(family, NUMBERS)
    N, D = X.shape
    one = np.ones((N, 1))
    half = D // 2
    return np.hstack([first * one, X[:, :half], middle * one, X[:, half:], last * one])


def places(D):
    """Where the columns of X are in `with_constants`."""
    half = D // 2
    return np.array([*range(1, half + 1), *range(half + 2, D + 2)])


@pytest.mark.parametrize("n_components", ["auto", 3])
@pytest.mark.parametrize("family", NAMES)
def test_nothing_changes_in_a_mixture(family, n_components, tmp_path):
    X = rows(family)
    more = with_constants(X, family)
    plain = VariationalMixture(n_components, family=family, random_state=0).fit(X)
    model = VariationalMixture(n_components, family=family, random_state=0).fit(more)
    assert model.lower_bound_ == plain.lower_bound_
    assert np.array_equal(model.predict_proba(more), plain.predict_proba(X))
    assert np.array_equal(model.score_samples(more), plain.score_samples(X))
    D = X.shape[1]
    assert model.left_aside_.tolist() == [0, D // 2 + 1, D + 2 - 0]
    drawn, labels = model.sample(40)
    assert np.array_equal(drawn[:, places(D)], plain.sample(40)[0])
    assert np.array_equal(drawn[:, 0], np.full(40, more[0, 0]))
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert np.array_equal(again.predict_proba(more), model.predict_proba(more))
    assert np.array_equal(
        model.partial_fit(more[:50]).state_, plain.partial_fit(X[:50]).state_
    )


def test_parameters_keep_their_shapes():
    X = rows("gaussian")
    model = VariationalMixture(2).fit(with_constants(X))
    plain = VariationalMixture(2).fit(X)
    assert model.means_.shape == (2, 5) and model.covariances_.shape == (2, 5, 5)
    assert (model.means_[:, [0, 2, 4]] == NUMBERS).all()
    inner = model.covariances_[:, [[1], [3]], [1, 3]]
    assert np.array_equal(inner, plain.covariances_)
    assert not model.covariances_[:, 0].any()
    for family, name in (("bernoulli", "probabilities_"), ("poisson", "rates_")):
        X = rows(family)
        model = VariationalMixture(2, family=family).fit(with_constants(X, family))
        values = getattr(model, name)
        assert values.shape == (2, X.shape[1] + 3)
        assert (values[:, 0] == CONSTANTS[family][0]).all()
    X = rows("categorical")
    model = VariationalMixture(2, family="categorical").fit(
        with_constants(X, "categorical")
    )
    levels = 3 + int(X.max(axis=0).sum()) + 4 + 1 + 2
    assert model.probabilities_.shape == (2, levels)
    assert model.probabilities_[0, :3].tolist() == [0, 0, 1]


def test_items_that_nobody_has_change_nothing():
    X = rows("bernoulli")
    more = np.hstack([X, np.zeros((len(X), 50))])
    plain = VariationalMixture(family="bernoulli").fit(X)
    for given in (more, sparse.csr_matrix(more)):
        model = VariationalMixture(family="bernoulli").fit(given)
        assert model.n_components_ == plain.n_components_
        assert np.isclose(model.lower_bound_, plain.lower_bound_)


@pytest.mark.parametrize("data", [load_iris().data, load_wine().data])
def test_well_known_tables(data):
    plain = VariationalMixture().fit(data)
    model = VariationalMixture().fit(with_constants(data))
    assert model.n_components_ == plain.n_components_ > 1


def test_nothing_changes_in_a_hidden_markov_model():
    rng = np.random.default_rng(0)
    X = np.repeat([0.0, 6.0, 12.0, 0.0, 6.0, 12.0], 40)[:, None]
    X = np.hstack([X, -X]) + rng.normal(size=(240, 2))
    plain = VariationalHMM().fit(X, lengths=60)
    model = VariationalHMM().fit(with_constants(X), lengths=60)
    assert model.n_components_ == plain.n_components_ == 3
    more = with_constants(X)
    assert np.array_equal(model.predict(more, 60), plain.predict(X, 60))
    assert np.array_equal(model.score_samples(more, 60), plain.score_samples(X, 60))
    assert model.sample(9)[0].shape == (9, 5) and model.means_.shape == (3, 5)


@pytest.mark.parametrize("family", ["joint", "experts"])
def test_nothing_changes_in_a_regression(family):
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, (300, 2))
    y = np.abs(x[:, 0]) + 0.1 * rng.normal(size=300)
    plain = VariationalRegressionMixture(family=family).fit(x, y)
    model = VariationalRegressionMixture(family=family).fit(with_constants(x), y)
    assert plain.score(x, y) > 0.95
    assert np.array_equal(model.predict(with_constants(x)), plain.predict(x))
    both = np.column_stack([np.full(300, 5.0), y])
    model = VariationalRegressionMixture(family=family).fit(with_constants(x), both)
    mean, sd = model.predict(with_constants(x), return_std=True)
    assert np.array_equal(mean[:, 1], plain.predict(x))
    assert (mean[:, 0] == 5).all() and not sd[:, 0].any()
    model.partial_fit(with_constants(x), both)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_nothing_changes_in_a_factorization(missing):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 8)) + 0.1 * rng.normal(
        size=(60, 8)
    )
    X[rng.random(X.shape) < missing] = np.nan
    more = with_constants(X)
    if missing:
        more[3, 0] = np.nan
    plain = VariationalMatrixFactorization(random_state=0).fit(X)
    model = VariationalMatrixFactorization(random_state=0).fit(more)
    assert model.n_components_ == plain.n_components_ == 2
    assert model.noise_variance_ == plain.noise_variance_
    assert np.array_equal(model.transform(more), plain.transform(X))
    assert model.components_.shape == (2, 11)
    assert np.allclose(model.predict(more)[:, 0], 0.0)


@pytest.mark.parametrize("family", ["gaussian", "diagonal"])
@pytest.mark.parametrize("odd", [1e-3, 1.0, 1e4])
def test_an_odd_row_in_a_constant_column_merges_no_groups(family, odd):
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 60)
    X = np.array([[0.0, 0.0], [7.0, 0.0], [0.0, 7.0]])[truth]
    X = X + rng.normal(size=X.shape)
    column = np.full((180, 1), 2.0)
    column[17] += odd
    found = VariationalMixture(family=family).fit_predict(np.hstack([X, column]))
    others = np.arange(180) != 17
    assert adjusted_rand_score(truth[others], found[others]) > 0.98


def test_what_varies_later_is_said():
    X = with_constants(rows("gaussian"))
    model = VariationalMixture(2).partial_fit(X)
    X[5, 2] += 1
    with pytest.warns(UserWarning, match="column 2 was constant when learning began"):
        model.partial_fit(X)


def test_items_may_turn_up_later_in_a_stream():
    X = rows("bernoulli")
    late = np.hstack([X, np.ones((len(X), 1))])
    early = late.copy()
    early[:, -1] = 0
    model = VariationalMixture(2, family="bernoulli").partial_fit(early)
    before = model.probabilities_[:, -1].max()
    assert model.partial_fit(late).probabilities_[:, -1].min() > before


def test_constants_alone_are_one_group():
    model = VariationalMixture().fit(np.ones((20, 3)))
    assert model.n_components_ == 1
