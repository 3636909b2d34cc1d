"""The hidden Markov model as an estimator: the numbers of the functions, scikit-learn's checks, and
what the order of rows means."""

import pickle
import re
import warnings

import numpy as np
import pytest
from oracles import close
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.models.test_hidden_markov_learning import LENGTH, chains
from tests.own_data.test_estimator_checks import outcomes
from vbkit.labels import Dirichlet, MarkovChain
from vbkit.learning import accumulation, fit_batch, fit_online, sato2000
from vbkit.mixture import Mixture
from vbkit.own_data import VariationalHMM, load_model, save_model
from vbkit.structure import init_by_splits, learn_batch, run_search, start_search

pytestmark = pytest.mark.filterwarnings("error")
X, _ = chains(1, 8)
FIRST, LATER = X[: 6 * LENGTH], X[6 * LENGTH :]


def test_the_numbers_are_those_of_the_functions():
    family = VariationalHMM(3).fit(FIRST, lengths=LENGTH).model_.family
    found = VariationalHMM(3, family=family, concentration=0.5, random_state=1).fit(
        FIRST, lengths=LENGTH
    )
    prior = Dirichlet(0.5)
    model = Mixture(found.model_.family, MarkovChain(prior, prior))
    data = model.observe(FIRST, lengths=LENGTH)
    fit = fit_batch(model, data, init_by_splits(model, data, 3), tolerance=1e-3)
    assert np.array_equal(fit.S, found.state_) and fit.elbo == found.lower_bound_
    assert fit.epochs == found.n_iter_ and found.converged_
    later, S = model.observe(LATER, lengths=[50, 30]), fit.S
    assert np.array_equal(
        model.most_probable_labels(later, S), found.predict(LATER, [50, 30])
    )
    assert np.array_equal(
        model.responsibilities(later, S), found.predict_proba(LATER, [50, 30])
    )
    scores = found.score_samples(LATER, [50, 30])
    assert np.array_equal(model.log_predictive(later, S), scores) and scores.shape == (
        2,
    )
    assert found.score(LATER, lengths=[50, 30]) == scores.sum() / 80
    rng = np.random.default_rng(np.random.RandomState(1).randint(2**31))
    for mine, theirs in zip(
        found.sample(20), model.sample_with_labels(S, 20, rng), strict=True
    ):
        assert np.array_equal(mine, theirs)
    parameters = model.parameters(S)
    assert np.array_equal(found.start_probabilities_, parameters.starts)
    assert np.array_equal(found.transition_probabilities_, parameters.transitions)
    assert np.array_equal(found.means_, parameters.components.mean)


def test_the_search_is_that_of_the_functions():
    found = VariationalHMM().fit(FIRST, lengths=LENGTH)
    data, model = found.model_.observe(FIRST, lengths=LENGTH), found.model_
    start, rng = init_by_splits(model, data, 1), np.random.default_rng(0)
    best = run_search(
        start_search(model, data, start, rng, learn=learn_batch), 10_000
    ).best
    assert found.n_components_ == best.n_components == 3
    assert abs(found.lower_bound_ - best.elbo) < 0.1


@pytest.mark.parametrize("schedule", [None, sato2000(20)])
def test_partial_fit_takes_a_step_for_each_sequence(schedule):
    learned = VariationalHMM(3, schedule=schedule).partial_fit(FIRST, lengths=LENGTH)
    close(
        learned.state_,
        VariationalHMM(3).fit(FIRST, lengths=LENGTH).state_,
        rtol=0,
        atol=0,
    )
    model, S = learned.model_, learned.state_
    later = model.observe(LATER, lengths=LENGTH)
    online = fit_online(model, later, S, schedule or accumulation(), monitor=False)
    parts = clone(learned).partial_fit(FIRST, lengths=LENGTH)
    learned.partial_fit(LATER, lengths=LENGTH)
    for sequence in np.split(LATER, 2):
        parts.partial_fit(sequence)
    assert np.array_equal(learned.state_, online.S) and np.array_equal(
        parts.state_, online.S
    )


def test_viterbi_and_smoothing_find_the_states():
    rng = np.random.default_rng(3)
    z = np.repeat(rng.integers(0, 3, 60), 10)
    rows = 5.0 * np.eye(3)[z] + rng.normal(size=(600, 3))
    model = VariationalHMM(3, n_init=3, random_state=0).fit(rows)
    proba, path = model.predict_proba(rows), model.predict(rows)
    close(proba.sum(axis=1), np.ones(600))
    for labels in (path, proba.argmax(axis=1), model.fit_predict(rows)):
        table = np.zeros((3, 3))
        np.add.at(table, (z, labels), 1)
        assert table.max(axis=1).sum() > 590
    drawn, states = model.sample(5000)
    assert abs(model.score(drawn) - model.score(rows)) < 0.2 and set(states) == {
        0,
        1,
        2,
    }
    assert (np.diff(states) != 0).mean() < 0.2


@pytest.mark.parametrize(
    "family", ["diagonal", "spherical", "known", "bernoulli", "poisson"]
)
def test_other_families(family, tmp_path):
    rng = np.random.default_rng(4)
    z = np.repeat(rng.integers(0, 2, 40), 10)
    rows = {
        "bernoulli": lambda: (rng.random((400, 6)) < 0.1 + 0.8 * z[:, None]).astype(
            float
        ),
        "poisson": lambda: rng.poisson(2.0 + 8 * z[:, None], (400, 2)).astype(float),
    }.get(family, lambda: rng.normal(6.0 * z[:, None], 1.0, (400, 2)))()
    model = VariationalHMM(family=family).fit(rows, lengths=100)
    assert model.n_components_ == 2 and model.converged_
    save_model(model, tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert again.get_params() == model.get_params()
    assert np.array_equal(
        again.predict_proba(rows, 100), model.predict_proba(rows, 100)
    )
    assert np.array_equal(
        again.partial_fit(rows).state_, model.partial_fit(rows).state_
    )
    assert pickle.loads(pickle.dumps(model)).score(rows) == model.score(rows)


def test_a_warm_start_goes_on():
    model = VariationalHMM(3, max_iter=5, warm_start=True).fit(X, lengths=LENGTH)
    first = model.lower_bound_
    assert model.fit(X, lengths=LENGTH).lower_bound_ > first and model.n_iter_ <= 5


BAD = [
    (lambda: VariationalHMM(0).fit(X), "n_components' .*Got 0 instead"),
    (lambda: VariationalHMM("many").fit(X), "n_components' .*Got 'many' instead"),
    (
        lambda: VariationalHMM(2).fit(X, lengths=[10, 20]),
        "lengths is .*add up to the 320 rows",
    ),
    (lambda: VariationalHMM(2).fit(X, lengths=0), "lengths is 0"),
    (
        lambda: VariationalHMM(2).fit(X).predict(X, [319]),
        "lengths is .*add up to the 320 rows",
    ),
    (lambda: VariationalHMM(2).fit(X).predict(X[:, :1]), "X has 1 features"),
    (
        lambda: VariationalHMM(family="normal").fit(X),
        "family' .*an instance of .*Family.*Got 'normal' instead",
    ),
    (
        lambda: VariationalHMM(concentration=-1).fit(X),
        "concentration' .*Got -1 instead",
    ),
    (lambda: VariationalHMM(2).fit(X).sample(0), "n_samples is 0"),
]


@pytest.mark.parametrize("call, words", BAD)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_what_is_not_fitted_says_so():
    for call in (VariationalHMM().predict, VariationalHMM().score_samples):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        VariationalHMM().sample()


# ---- scikit-learn's checks ----


class EachRowASequence(VariationalHMM):
    """Rows that do not depend on each other, as scikit-learn's checks suppose."""

    def fit(self, X, y=None, lengths=1):
        return super().fit(X, y, lengths)

    def partial_fit(self, X, y=None, lengths=1):
        return super().partial_fit(X, y, lengths)

    def predict(self, X, lengths=1):
        return super().predict(X, lengths)

    def predict_proba(self, X, lengths=1):
        return super().predict_proba(X, lengths)

    def score_samples(self, X, lengths=1):
        return super().score_samples(X, lengths)

    def score(self, X, y=None, lengths=1):
        return super().score(X, y, lengths)


@pytest.mark.long
@parametrize_with_checks([EachRowASequence(3)])
def test_every_check_passes_where_rows_are_sequences(estimator, check):
    with warnings.catch_warnings():
        # it is meant here
        warnings.filterwarnings("ignore", ".* sequences have one row")
        check(estimator)


ORDER = dict.fromkeys(
    ("check_methods_sample_order_invariance", "check_methods_subset_invariance"),
    "a row's state depends on the rows before and after it",
)


@pytest.mark.long
@pytest.mark.parametrize("n_components", ["auto", 3])
def test_only_the_checks_of_order_fail(n_components):
    ended = outcomes(VariationalHMM(n_components), ORDER)
    assert {name for name, status in ended.items() if status == "xfail"} == {*ORDER}


def test_sequences_may_come_in_any_order_and_in_parts():
    """What those two checks ask of rows holds for sequences."""
    model, lengths = (
        VariationalHMM(3).fit(FIRST, lengths=LENGTH),
        np.array([100, 7, 133]),
    )
    sequences = np.split(FIRST, np.cumsum(lengths)[:-1])
    turned = np.concatenate(sequences[::-1])
    for method in (model.predict, model.predict_proba, model.score_samples):
        whole, apart = (
            method(FIRST, lengths),
            [method(sequence) for sequence in sequences],
        )
        close(whole, np.concatenate(apart), rtol=1e-9, atol=1e-12)
        close(
            method(turned, lengths[::-1]),
            np.concatenate(apart[::-1]),
            rtol=1e-9,
            atol=1e-12,
        )
    assert (model.predict_proba(FIRST)[::-1] != model.predict_proba(FIRST[::-1])).any()


def test_a_list_of_sequences_is_refused_in_a_sentence():
    rows = np.random.default_rng(0).normal(size=(7, 2))
    lists = {
        "[3, 4]": [rows[:3], rows[3:]],
        "[3, 3]": [rows[:3], rows[3:6]],
        "[2, 1]": [[[1, 2], [3, 4]], [[1, 2]]],
        "[3, 2]": [[1, 2, 3], [1, 2]],
        "[1, 2]": ([[1, 2]], [[1, 2], [3]]),
    }
    for lengths, X in lists.items():
        with pytest.raises(
            ValueError, match=f"a list of 2 sequences.*{re.escape(lengths)}"
        ):
            VariationalHMM(2).fit(X)
    VariationalHMM(1).fit(rows.tolist())
    VariationalHMM(1).fit(list(rows))


@pytest.mark.parametrize("method", ["fit", "partial_fit", "fit_predict"])
def test_empty_cells_are_refused_with_a_way_out_that_there_is(method):
    X = np.random.default_rng(0).normal(size=(20, 2))
    X[[7, 9], 1] = np.nan
    sentence = (
        "X has NaN in 2 of 20 rows, the first of them row 7; VariationalHMM takes no "
        "empty cells: leave out these rows, and count the lengths without them, or fill "
        "these cells with the value before"
    )
    with pytest.raises(ValueError, match=sentence):
        getattr(VariationalHMM(2), method)(X)
    known = VariationalHMM(2, random_state=0).fit(np.nan_to_num(X))
    with pytest.raises(ValueError, match=sentence):
        known.predict_proba(X)
