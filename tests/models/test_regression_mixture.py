"""The regression mixture predicts what the functions it wraps predict, as scikit-learn wants it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from oracles import close
from sklearn.datasets import load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression as LeastSquares
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from vbkit.families import LinearRegression, NormalWishart, Product
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_batch, fit_online
from vbkit.mixture import Mixture
from vbkit.models import predict_outputs
from vbkit.own_data import VariationalRegressionMixture, load_model, save_model
from vbkit.structure import init_by_splits

pytestmark = pytest.mark.filterwarnings("error")
FAMILIES = ("joint", "experts")


@pytest.mark.long
@parametrize_with_checks(
    [VariationalRegressionMixture(family=name) for name in FAMILIES]
)
def test_every_check_passes(estimator, check):
    check(estimator)


def bent(N=400, seed=1):
    """Two lines that meet, in units that are far from 1; noise of a known size."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, N)
    y = 1000 + 50 * np.abs(x) + rng.standard_normal(N)
    return 1e-3 * x[:, None], y


@pytest.mark.parametrize("family", FAMILIES)
def test_a_bend_is_found(family):
    x, y = bent()
    new, truth = bent(2000, seed=2)
    model = VariationalRegressionMixture(family=family).fit(x, y)
    line = LeastSquares().fit(x, y).score(new, truth)
    assert model.n_components_ >= 2 and model.converged_
    assert model.score(new, truth) > 0.97 > 0.5 > line
    mean, std = model.predict(new, return_std=True)
    assert (
        np.array_equal(mean, model.predict(new))
        and mean.shape == std.shape == truth.shape
    )
    assert (
        np.mean(np.abs(truth - mean) < 2 * std) > 0.9 and std.mean() < truth.std() / 2
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_the_numbers_are_those_of_the_functions(family):
    x, y = bent()
    x = np.column_stack([x, x[:, 0] ** 2])
    y = np.column_stack([y, -2 * y + x[:, 0]])
    chosen = VariationalRegressionMixture(3, family=family).fit(x, y)
    x = (x - chosen.center_[:2]) / chosen.scale_[:2]
    y = (y - chosen.center_[2:]) / chosen.scale_[2:]
    prior = chosen.mixture_.family
    model = VariationalRegressionMixture(3, family=prior).fit(x, y)
    mixture = Mixture(prior, Dirichlet(1.0))
    rows = (np.column_stack([x, y]) - model.center_) / model.scale_
    fit = fit_batch(mixture, rows, init_by_splits(mixture, rows, 3), tolerance=1e-3)
    assert np.array_equal(fit.S, model.state_) and fit.elbo == model.lower_bound_
    found = predict_outputs(mixture, rows[:, :2], fit.S)
    mean, std = model.predict(x, return_std=True)
    assert np.array_equal(mean, model.center_[2:] + model.scale_[2:] * found.mean)
    assert np.array_equal(std, model.scale_[2:] * np.sqrt(found.variance))
    more = fit_online(mixture, rows[:40], fit.S, accumulation(), monitor=False)
    assert np.array_equal(model.partial_fit(x[:40], y[:40]).state_, more.S)


@pytest.mark.parametrize("family", FAMILIES)
def test_units_do_not_matter(family):
    x, y = bent()
    plain = VariationalRegressionMixture(3, family=family).fit(x, y).predict(x)
    other = VariationalRegressionMixture(3, family=family).fit(5 - 64 * x, 3 + 2e5 * y)
    close(other.predict(5 - 64 * x), 3 + 2e5 * plain, rtol=1e-6)


def test_families_of_your_own():
    X, y = load_diabetes(return_X_y=True)
    D = X.shape[1]
    gate = NormalWishart(np.zeros(D), 1.0, D + 1.0, 0.002 * np.eye(D))
    own = [NormalWishart(np.zeros(D + 1), 1.0, D + 2.0, np.eye(D + 1))]
    own += [
        Product(gate, LinearRegression(np.zeros(D), [150.0], precision=1e-6, rate=1e3))
    ]
    for family in own:
        model = VariationalRegressionMixture(1, family=family).fit(X, y)
        assert model.mixture_.family is family and not model.center_.any()
    assert model.score(X, y) > 0.5


def test_weights_count_as_rows_do():
    x, y = bent()
    w = np.random.default_rng(2).integers(0, 3, len(x))
    weighted = VariationalRegressionMixture(3).fit(x, y, sample_weight=w)
    repeated = VariationalRegressionMixture(3).fit(
        np.repeat(x, w, axis=0), np.repeat(y, w)
    )
    close(weighted.predict(x), repeated.predict(x), rtol=1e-7)


def test_a_stream_goes_on_and_so_does_a_warm_start():
    x, y = bent(1000)
    model = VariationalRegressionMixture(family="experts").partial_fit(x[:300], y[:300])
    before = model.score(x, y)
    for part in np.array_split(np.arange(300, 1000), 7):
        model.partial_fit(x[part], y[part])
    assert model.score(x, y) > before - 0.01
    close(model.state_[:, 0].sum(), 1000)
    model = VariationalRegressionMixture(3, max_iter=5, warm_start=True).fit(x, y)
    first = model.lower_bound_
    assert model.fit(x, y).lower_bound_ > first and model.n_iter_ <= 5


def test_scikit_learns_machinery_and_files(tmp_path):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(
        StandardScaler(), VariationalRegressionMixture(family="experts")
    )
    grid = {"variationalregressionmixture__n_components": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.4
    model = VariationalRegressionMixture(2).fit(X, y)
    assert list(model.feature_names_in_) == list(X)
    assert np.array_equal(
        pickle.loads(pickle.dumps(model)).predict(X), model.predict(X)
    )
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    for got, wanted in zip(again.predict(X, True), model.predict(X, True), strict=True):
        assert np.array_equal(got, wanted)
    assert np.array_equal(
        again.partial_fit(X, y).state_, model.partial_fit(X, y).state_
    )
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(X.to_numpy())


x, y = bent(60)
BAD = [
    (dict(n_components=0), "n_components' .*Got 0 instead"),
    (dict(family="gaussian"), "family' .*'joint'.*Got 'gaussian' instead"),
    (
        dict(family=LinearRegression([0.0], [0.0])),
        "family' .*NormalWishart.*Product.*Got LinearRegression",
    ),
    (dict(family="experts", prior_count=0), "prior_count' .*Got 0 instead"),
    (dict(tol=-1), "tol' .*Got -1 instead"),
]


@pytest.mark.parametrize("settings, words", BAD)
def test_bad_settings(settings, words):
    with pytest.raises(ValueError, match=words):
        VariationalRegressionMixture(**settings).fit(x, y)


def test_bad_data():
    with pytest.raises(ValueError, match="the target y is None"):
        VariationalRegressionMixture().fit(x, None)
    with pytest.raises(ValueError, match="NaN"):
        VariationalRegressionMixture().fit(x, np.full(60, np.nan))
    with pytest.raises(NotFittedError):
        VariationalRegressionMixture().predict(x)
    model = VariationalRegressionMixture(1).fit(x, y)
    state = model.state_
    with pytest.raises(
        ValueError, match="the outputs y have 2 columns; they must be numbers"
    ):
        model.partial_fit(x, np.column_stack([y, y]))
    assert model.state_ is state and pd.Series(model.predict(x)).notna().all()
