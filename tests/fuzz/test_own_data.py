from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.good import GENERATORS
from tests.fuzz.promise import Call
from tests.fuzz.spoiled import calls
from vbkit.own_data import (
    VariationalHMM,
    VariationalMatrixFactorization,
    VariationalMixture,
)

BINARY = "bernoulli", "categorical", "poisson"
FAMILIES = "gaussian", "diagonal", "spherical", "known", *BINARY
SETTINGS = {
    "prior_count": 1.0,
    "concentration": 0.5,
    "n_init": 1,
    "max_iter": 20,
    "tol": 1e-3,
    "random_state": 1,
}


@st.composite
def mixtures(draw):
    family = draw(st.sampled_from(FAMILIES))
    N = draw(st.sampled_from([5, 30]))
    rng = draw(GENERATORS)
    X = rng.normal(size=(N, 2))
    arguments = {
        "X": (X > 0) * 1.0 if family in BINARY else X,
        "sample_weight": rng.uniform(0.1, 2, N),
        "n_components": draw(st.sampled_from([2, "auto"])),
        "family": family,
    }
    return Call(fit_mixture, arguments | SETTINGS)


def fit_mixture(X, sample_weight, **settings):
    estimator = VariationalMixture(**settings)
    estimator.fit(X, sample_weight=sample_weight)
    return (
        estimator.predict_proba(X),
        estimator.score_samples(X),
        estimator.lower_bound_,
    )


@given(calls(mixtures()))
def test_estimator_of_mixtures(call):
    call.keeps_its_promise()


@st.composite
def chains(draw):
    family = draw(st.sampled_from(["gaussian", "diagonal", "bernoulli", "poisson"]))
    X = draw(GENERATORS).normal(size=(24, 2))
    arguments = {
        "X": (X > 0) * 1.0 if family in BINARY else X,
        "lengths": draw(st.sampled_from([None, 8, [4, 20], [24]])),
        "n_components": draw(st.sampled_from([2, "auto"])),
        "family": family,
    }
    return Call(fit_chain, arguments | SETTINGS)


def fit_chain(X, lengths, **settings):
    estimator = VariationalHMM(**settings).fit(X, lengths=lengths)
    return (
        estimator.predict_proba(X, lengths=lengths),
        estimator.predict(X, lengths=lengths),
        estimator.score_samples(X, lengths=lengths),
        estimator.lower_bound_,
    )


@given(calls(chains()))
def test_estimator_of_chains(call):
    call.keeps_its_promise()


@st.composite
def factorizations(draw):
    arguments = {
        "X": draw(GENERATORS).normal(size=(8, 5)),
        "n_components": draw(st.sampled_from([None, 2])),
        "max_iter": 20,
        "tol": 1e-6,
        "random_state": 1,
    }
    return Call(fit_factorization, arguments)


def fit_factorization(X, **settings):
    estimator = VariationalMatrixFactorization(**settings).fit(X)
    return estimator.inverse_transform(estimator.transform(X))


@given(calls(factorizations()))
def test_estimator_of_factorizations(call):
    call.keeps_its_promise()
