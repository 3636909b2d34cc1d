import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.good import DIMENSIONS, GENERATORS, mixtures
from tests.fuzz.promise import Call, named
from tests.fuzz.spoiled import calls
from vbkit import phases, theory
from vbkit.data import Truth
from vbkit.families import BetaBernoulli, KnownCovariance
from vbkit.families.bernoulli import binary_vectors, pattern_counts
from vbkit.mixture import Mixture


@st.composite
def evidences(draw):
    model, X, _ = draw(mixtures())
    arguments = {"mixture": model, "X": X[:5], "n_components": 2}
    return Call(theory.log_evidence, arguments)


@given(calls(evidences()))
def test_log_evidence(call):
    call.keeps_its_promise()


@st.composite
def answers(draw, name):
    rng = draw(GENERATORS)
    M = draw(DIMENSIONS)
    K = draw(DIMENSIONS)
    weights = rng.dirichlet(np.ones(K))
    means = rng.random((K, M))
    truth = Truth(weights.copy(), means.copy())
    X, _ = truth.sample(20, rng)
    R = rng.dirichlet(np.ones(2), 20)
    model = Mixture(BetaBernoulli(M))
    error = {"mixture": model, "S": model.m_step(X, R), "truth": truth}
    return named(name, [
        Call(Truth, {"weights": weights, "means": means}),
        Call(pattern_counts, {"X": X}),
        Call(binary_vectors, {"dimension": M}),
        Call(theory.free_energy_terms, {"mixture": model, "X": X, "R": R}),
        Call(theory.generalization_error, error),
        Call(phases.structured_starts,
             {"truth": truth, "n_components": 2, "total": 50.0}),
    ])  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "Truth",
        "pattern_counts",
        "binary_vectors",
        "free_energy_terms",
        "generalization_error",
        "structured_starts",
    ],
)
@given(data=st.data())
def test_patterns_of_answers(name, data):
    data.draw(calls(answers(name))).keeps_its_promise()


@st.composite
def solutions(draw):
    rng = draw(GENERATORS)
    arguments = {
        "counts": rng.uniform(0, 9, 4),
        "starts": rng.uniform(0, 5, (3, 2, 5)),
        "concentration": 0.5,
        "pseudo_count": rng.uniform(0.1, 2, 3),
        "max_iterations": 30,
        "tolerance": 1e-8,
    }
    return Call(phases.solve, arguments)


@given(calls(solutions()))
def test_solve(call):
    call.keeps_its_promise()


PHASE = {
    "dimension": 4,
    "n_components": 3,
    "interior": 1,
    "deterministic": 1,
    "concentration": 0.7,
    "pseudo_count": 0.5,
}


@pytest.mark.parametrize("function", [theory.predict, theory.theorem])
@given(data=st.data())
def test_predicted_phases(function, data):
    data.draw(calls(st.just(Call(function, PHASE)))).keeps_its_promise()


@st.composite
def copies(draw, name):
    rng = draw(GENERATORS)
    D = draw(DIMENSIONS)
    family = KnownCovariance(np.zeros(D), 2.0)
    component = {"family": family, "S": np.append(10.0, rng.normal(size=D))}
    priced = component | {"concentration": 1.0}
    gains = rng.uniform(0, 3, 3)
    return named(name, [
        Call(theory.gain_of_halves, component),
        Call(theory.switch_concentration, component),
        Call(theory.slope_in_share, priced | {"share": 0.3}),
        Call(theory.free_energy_of_copies, priced | {"shares": [0.3, 0.7]}),
        Call(theory.stationary_concentration, component | {"share": np.array([0.1, 0.4])}),
        Call(theory.switch_concentrations, {"gains": gains, "size": 30.0}),
        Call(theory.entropy, {"p": rng.dirichlet(np.ones(4))}),
    ])  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "gain_of_halves",
        "switch_concentration",
        "slope_in_share",
        "free_energy_of_copies",
        "stationary_concentration",
        "switch_concentrations",
        "entropy",
    ],
)
@given(data=st.data())
def test_two_copies(name, data):
    data.draw(calls(copies(name))).keeps_its_promise()


@st.composite
def occupations(draw, name):
    priced = {"family": KnownCovariance(np.zeros(1), 2.0), "concentration": 1.0}
    X = draw(GENERATORS).normal(size=(5, 1))
    return named(name, [
        Call(theory.occupation, priced | {"X": X}),
        Call(theory.occupation_of_identical, priced | {"row": [1.0], "size": 5}),
        Call(theory.product_posterior, {"v": 1.0, "prior": 1.0, "noise": 1.0}),
    ])  # fmt: skip


@pytest.mark.parametrize(
    "name", ["occupation", "occupation_of_identical", "product_posterior"]
)
@given(data=st.data())
def test_occupation(name, data):
    data.draw(calls(occupations(name))).keeps_its_promise()


PAIR = {"sizes": [5.0], "concentrations": [1.0], "prior_variance": 1.0}


@settings(max_examples=5)  # each takes a second
@given(calls(st.just(Call(theory.pair_log_evidence, PAIR))))
def test_pair_log_evidence(call):
    call.keeps_its_promise()
