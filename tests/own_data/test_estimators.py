"""Estimators give what the functions they wrap give, fit into scikit-learn's machinery, and survive
being written to a file."""

import os
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from oracles import close
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.press.test_processor_features import lesser_processor
from vbkit.factorization import solve_empirical
from vbkit.families import NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_batch, fit_online, sato2000
from vbkit.mixture import Mixture
from vbkit.own_data import (
    VariationalMatrixFactorization,
    VariationalMixture,
    VariationalRegressionMixture,
    load_model,
    save_model,
)
from vbkit.structure import init_by_splits

pytestmark = pytest.mark.filterwarnings("error")
IRIS = load_iris()
X = IRIS.data


def rows(family, N=300):
    rng = np.random.default_rng(1)
    z = rng.integers(2, size=N)
    if family == "bernoulli":
        return (rng.random((N, 6)) < np.where(z, 0.8, 0.2)[:, None]).astype(float)
    if family == "categorical":
        return np.stack(
            [(z + (rng.random(N) < 0.1)) % 3 for _ in range(4)], axis=1
        ).astype(float)
    if family == "poisson":
        return rng.poisson(np.where(z, 9.0, 2.0)[:, None], (N, 3)).astype(float)
    return rng.normal(6.0 * z[:, None], 1.0, (N, 2))


NAMES = (
    "gaussian",
    "diagonal",
    "spherical",
    "known",
    "bernoulli",
    "categorical",
    "poisson",
)


@pytest.mark.parametrize("family", NAMES)
def test_two_groups_are_found_and_told_apart(family):
    data = rows(family)
    model = VariationalMixture(family=family).fit(data)
    assert model.n_components_ == 2 and model.converged_
    close(model.predict_proba(data).sum(axis=1), np.ones(len(data)))
    assert (model.predict(data) == model.fit_predict(data)).all()
    drawn, labels = model.sample(500)
    assert drawn.shape == (500, data.shape[1]) and (np.diff(labels) >= 0).all()
    assert abs(model.score(drawn) - model.score(data)) < 0.3


def test_the_numbers_are_those_of_the_functions():
    chosen = VariationalMixture(3).fit(X).mixture_.family
    model = VariationalMixture(3, family=chosen).fit(X)
    mixture = Mixture(chosen, Dirichlet(1.0))
    fit = fit_batch(mixture, X, init_by_splits(mixture, X, 3), tolerance=1e-3)
    assert np.array_equal(fit.S, model.state_) and fit.elbo == model.lower_bound_
    assert np.array_equal(mixture.log_predictive(X, fit.S), model.score_samples(X))
    more = X[:40] + 0.1
    learned = fit_online(mixture, more, fit.S, accumulation(), monitor=False)
    assert np.array_equal(model.partial_fit(more).state_, learned.S)
    close(model.state_[:, 0].sum(), len(X) + len(more))


def test_one_row_after_another_is_all_at_once():
    schedule = sato2000(500)
    whole, parts = (
        VariationalMixture(3, schedule=schedule).partial_fit(X) for _ in range(2)
    )
    whole.partial_fit(X[:90])
    for x in np.split(X[:90], 9):
        parts.partial_fit(x)
    assert np.array_equal(whole.state_, parts.state_)


def test_rows_that_need_no_check_are_learned_as_others_are():
    plain, checked = (VariationalMixture(3).fit(X) for _ in range(2))
    assert plain._is_plain(X[:50]) and not checked._is_plain(X[:50].tolist())
    plain.partial_fit(X[:50]), checked.partial_fit(X[:50].tolist())
    assert np.array_equal(plain.state_, checked.state_)
    for bad in (X[:, :3], X[:0], X[0], X * np.nan, X.astype(complex)):
        with pytest.raises(ValueError):
            plain.partial_fit(bad)
    assert np.array_equal(plain.state_, checked.state_)


def test_a_prior_of_your_own():
    family = NormalWishart(np.zeros(4), 1.0, 5.0, np.eye(4))
    model = VariationalMixture(2, family=family).fit(X)
    assert model.mixture_.family is family


def test_weights_count_as_rows_do():
    w = np.random.default_rng(2).integers(0, 3, len(X))
    weighted = VariationalMixture(3).fit(X, sample_weight=w)
    repeated = VariationalMixture(3).fit(np.repeat(X, w, axis=0))
    close(weighted.score_samples(X), repeated.score_samples(X), rtol=1e-7)


def test_sparse_rows_are_the_same_rows():
    data = rows("bernoulli")
    model = VariationalMixture(2, family="bernoulli")
    dense = model.fit(data).score_samples(data)
    close(model.fit(sparse.csr_array(data)).score_samples(data), dense, rtol=1e-9)


def test_it_goes_through_scikit_learns_machinery():
    pipeline = make_pipeline(StandardScaler(), VariationalMixture(2))
    # In the order of the rows, each fold would leave out a species.
    shuffled = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(
        pipeline, {"variationalmixture__n_components": [1, 3]}, cv=shuffled
    ).fit(X)
    assert search.best_params_ == {"variationalmixture__n_components": 3}
    scores = joblib.Parallel(2)(
        joblib.delayed(clone(pipeline).fit)(X) for _ in range(2)
    )
    assert scores[0].score(X) == scores[1].score(X) == pipeline.fit(X).score(X)
    assert pickle.loads(pickle.dumps(pipeline)).score(X) == pipeline.score(X)
    assert "VariationalMixture" in pipeline._repr_html_()


def test_data_frames_in_and_out():
    frame = pd.DataFrame(X, columns=IRIS.feature_names)
    model = VariationalMixture(3).set_output(transform="pandas").fit(frame)
    shares = model.transform(frame)
    assert list(shares) == [f"variationalmixture{k}" for k in range(3)]
    assert list(model.feature_names_in_) == IRIS.feature_names
    close(shares.sum(axis=1), np.ones(len(X)))


def test_a_warm_start_goes_on():
    model = VariationalMixture(3, max_iter=5, warm_start=True).fit(X)
    first = model.lower_bound_
    assert model.fit(X).lower_bound_ > first and model.n_iter_ <= 5


def test_going_on_takes_a_new_schedule_and_no_other_prior():
    model = VariationalMixture(3, warm_start=True).fit(X)
    model.set_params(schedule=sato2000(150)).partial_fit(X[:20])
    assert model.schedule_.total == 150
    size = model.schedule_.memory
    assert model.partial_fit(X[:20]).schedule_.memory > size  # it is not begun again
    for name, value in {
        "n_components": 4,
        "prior_count": 2.0,
        "family": "diagonal",
    }.items():
        before = model.get_params()[name]
        model.set_params(**{name: value})
        for learn in (model.fit, model.partial_fit):
            with pytest.raises(
                ValueError, match=f"{name} was {before!r} when learning began"
            ):
                learn(X)
        model.set_params(**{name: before})
    with pytest.raises(ValueError, match="schedule"):
        model.set_params(schedule="abc").partial_fit(X)


def test_masked_rows_in_a_list_are_refused():
    masked = np.ma.masked_greater(X, X.max() - 0.01)
    for rows in (masked, list(masked), [list(row) for row in masked]):
        with pytest.raises(ValueError, match="masked"):
            VariationalMixture(2).fit(rows)


def low_rank(missing=0.0):
    rng = np.random.default_rng(3)
    V = 5 + rng.normal(size=(60, 3)) @ rng.normal(size=(3, 20)) * 2
    V += 0.3 * rng.standard_normal(V.shape)
    truth = V.copy()
    V[rng.random(V.shape) < missing] = np.nan
    return V, truth


def test_the_analytic_factorization():
    V, _ = low_rank()
    model = VariationalMatrixFactorization().fit(V)
    found = solve_empirical(V - V.mean(axis=0), H=20)
    assert model.n_components_ == 3 and np.array_equal(model.components_, found.A.T)
    close(model.transform(V), found.B, rtol=1e-8)
    close(model.predict(V), V.mean(axis=0) + found.mean(), rtol=1e-8)


def test_missing_entries_are_filled_in():
    V, truth = low_rank(0.3)
    model = VariationalMatrixFactorization(6, random_state=1).fit(V)
    gone = np.isnan(V)
    error = np.sqrt(np.mean((model.predict(V) - truth)[gone] ** 2))
    usual = np.sqrt(np.mean((np.nanmean(V, axis=0) - truth)[gone.any(axis=1)] ** 2))
    assert model.converged_ and error < 0.5 < usual
    nothing = model.transform(np.full((1, 20), np.nan))
    assert model.n_components_ == 3
    close(nothing, np.zeros((1, 3)))


MODELS = [VariationalMixture(2, family=name, random_state=1) for name in NAMES]


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_a_file_without_pickle(model, tmp_path):
    data = rows(model.family)
    model = clone(model).fit(data)
    save_model(model, tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert again.get_params() == model.get_params()
    assert np.array_equal(again.score_samples(data), model.score_samples(data))
    assert np.array_equal(
        again.partial_fit(data).state_, model.partial_fit(data).state_
    )


LESSER = pytest.param(lesser_processor(), id="lesser", marks=pytest.mark.processor)


@pytest.mark.parametrize("variables", [pytest.param({}, id="same"), LESSER])
def test_a_fresh_process_predicts_the_same(variables, tmp_path):
    """On this processor, and on one without its vector instructions."""
    frame = pd.DataFrame(X, columns=IRIS.feature_names)
    model = VariationalMixture(3, schedule=sato2000(150)).fit(frame)
    factors = VariationalMatrixFactorization().fit(X)
    pieces = VariationalRegressionMixture(2).fit(X[:, :3], X[:, 3])
    for name, fitted in {
        "mixture": model,
        "factors": factors,
        "pieces": pieces,
    }.items():
        save_model(fitted, tmp_path / name)
    frame.to_csv(tmp_path / "iris.csv", index=False)
    code = """
import numpy as np, pandas as pd
from vbkit.own_data import load_model
X = pd.read_csv("iris.csv")
a, b = load_model("mixture"), load_model("factors")
c = load_model("pieces").predict(X.to_numpy()[:, :3], return_std=True)
np.savez("out.npz", a=a.score_samples(X), p=a.predict_proba(X), b=b.transform(X.to_numpy()), c=c)
"""
    settings = os.environ | variables
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=settings)
    out = np.load(tmp_path / "out.npz")
    assert np.abs(out["a"] - model.score_samples(frame)).max() < 1e-12
    assert np.abs(out["p"] - model.predict_proba(frame)).max() < 1e-12
    assert np.abs(out["b"] - factors.transform(X)).max() < 1e-12
    assert np.abs(out["c"] - pieces.predict(X[:, :3], return_std=True)).max() < 1e-12


BAD = [
    (lambda: VariationalMixture(0).fit(X), "n_components' .*Got 0 instead"),
    (lambda: VariationalMixture("many").fit(X), "n_components' .*Got 'many' instead"),
    (
        lambda: VariationalMixture(200).fit(X),
        "n_components is 200; it must not exceed the 150",
    ),
    (
        lambda: VariationalMixture(family="normal").fit(X),
        "family' .*an instance of .*Family.*Got 'normal' instead",
    ),
    (lambda: VariationalMixture(prior_count=0).fit(X), "prior_count' .*Got 0 instead"),
    (lambda: VariationalMixture(tol=-1).fit(X), "tol' .*Got -1 instead"),
    (lambda: VariationalMixture(max_iter=0).fit(X), "max_iter' .*Got 0 instead"),
    (lambda: VariationalMixture(2, n_init=0).fit(X), "n_init' .*Got 0 instead"),
    (
        lambda: VariationalMixture(concentration=-1).fit(X),
        "concentration' .*Got -1 instead",
    ),
    (
        lambda: VariationalMixture(family="bernoulli").fit(X),
        r"X\[0, 0\] is 5.1; every entry must",
    ),
    (
        lambda: VariationalMixture(family="categorical").fit(1e6 * X),
        "X column 0 reaches 7.9e",
    ),
    (lambda: VariationalMixture(2).fit(X).sample(0), "n_samples is 0"),
    (lambda: VariationalMatrixFactorization(0).fit(X), "n_components' .*Got 0 instead"),
    (
        lambda: VariationalMatrixFactorization().fit(np.ones((5, 3))),
        "only constant columns",
    ),
    (
        lambda: VariationalMatrixFactorization().fit(X).inverse_transform(X[:, :1]),
        "X has shape",
    ),
]


@pytest.mark.parametrize("call, words", BAD)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()


MASKED = np.ma.array(X, mask=X > 7)
FAILING = [
    lambda model: model.set_params(tol=-1, prior_count=9.0).fit(X),
    lambda model: model.set_params(n_components=999, prior_count=9.0).fit(X + 5),
    lambda model: model.fit(MASKED),
    lambda model: model.fit(
        X, sample_weight=np.ma.array(np.ones(150), mask=np.arange(150) < 9)
    ),
    lambda model: model.fit(X[:, :2], sample_weight=-np.ones(150)),
    lambda model: model.set_params(schedule="abc").fit(X),
]


@pytest.mark.parametrize("fail", FAILING)
def test_a_model_that_cannot_learn_stays_as_it_was(fail):
    model = VariationalMixture(2).fit(X)
    before = model.score_samples(X)
    with pytest.raises(ValueError):
        fail(model)
    assert (model.score_samples(X) == before).all()
    with pytest.raises(ValueError, match="X is a masked array"):
        model.predict(MASKED)


def test_factors_that_cannot_be_learned_stay_as_they_were():
    model = VariationalMatrixFactorization(2).fit(X)
    before = model.predict(X)
    for settings, rows in (
        ({"n_init": 0}, X + 1),
        ({"n_init": 1}, MASKED),
        ({}, np.ones((5, 3))),
    ):
        with pytest.raises(ValueError):
            model.set_params(**settings).fit(rows)
        assert (model.predict(X) == before).all()


def test_bad_files(tmp_path):
    model = VariationalMixture(2).fit(X)
    save_model(model, tmp_path / "model")
    before = (tmp_path / "model").read_bytes()
    with pytest.raises(ValueError, match="which exists"):
        save_model(model, tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == before
    (tmp_path / "text").write_text("nothing")
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    for name in ("text", "other.npz"):
        with pytest.raises(ValueError, match="is damaged, or is not a model"):
            load_model(tmp_path / name)
    for end in range(0, len(before), 199):
        (tmp_path / "cut").write_bytes(before[:end])
        with pytest.raises(ValueError, match="is damaged, or is not a model"):
            load_model(tmp_path / "cut")
    with pytest.raises(ValueError, match="no such file"):
        load_model(tmp_path / "none")
    with pytest.raises(ValueError, match="cannot be written: No such file"):
        save_model(model, tmp_path / "nowhere" / "model")
    with pytest.raises(ValueError, match="estimator is 3"):
        save_model(3, tmp_path / "three")
    seeded = VariationalMixture(2, random_state=np.random.RandomState(1)).fit(X)
    with pytest.raises(ValueError, match="RandomState.* cannot be written"):
        save_model(seeded, tmp_path / "seeded")
    assert not (tmp_path / "seeded").exists() and not (tmp_path / "three").exists()


def test_what_is_not_fitted_says_so():
    for call in (
        VariationalMixture().predict,
        VariationalMatrixFactorization().transform,
    ):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        VariationalMixture().sample()


def test_a_row_of_weight_0_is_none():
    data = rows("categorical")
    more = np.vstack([data, np.full((5, data.shape[1]), 9.0)])
    weights = np.repeat([1.0, 0.0], [len(data), 5])
    plain = VariationalMixture(family="categorical").fit(data)
    weighted = VariationalMixture(family="categorical").fit(more, sample_weight=weights)
    assert weighted.lower_bound_ == pytest.approx(plain.lower_bound_)
    few = np.vstack([np.repeat(X[:3], 20, axis=0), X[50:60]])
    weights = np.repeat([1.0, 0.0], [60, 10])
    model = VariationalMixture().partial_fit(few, sample_weight=weights)
    assert model.n_components_ == 3


@pytest.mark.parametrize("family", ["diagonal", "poisson"])
def test_a_later_row_of_weight_0_is_none(family):
    rng = np.random.default_rng(5)
    X = rng.poisson(5, (60, 2)).astype(float)
    model = VariationalMixture(2, family=family, random_state=0).fit(X[:40])
    again = clone(model).fit(X[:40])
    more = np.vstack([X[40:], [[-7.0, 0.5]]])  # no counts
    weights = np.append(np.ones(20), 0.0)
    model.partial_fit(more, sample_weight=weights)
    again.partial_fit(X[40:])
    assert np.array_equal(model.state_, again.state_)
