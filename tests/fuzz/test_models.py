import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.good import (
    CHAINS,
    COMPONENTS,
    DIMENSIONS,
    GAUSSIAN,
    GENERATIVE,
    GENERATORS,
    INDEPENDENT,
    made_families,
    problems,
    responsibilities,
    schedules,
)
from tests.fuzz.promise import Call, named
from tests.fuzz.spoiled import calls
from vbkit import learning
from vbkit.families import LinearRegression, Product
from vbkit.labels import Dirichlet
from vbkit.mixture import EM, Mixture
from vbkit.models import FactorAnalysis, Relevance, predict_outputs


@st.composite
def priors_of_labels(draw):
    concentration = draw(
        st.just(1.5) | GENERATORS.map(lambda rng: rng.uniform(0, 3, 4))
    )
    return Call(Dirichlet, {"concentration": concentration})


@given(calls(priors_of_labels()))
def test_dirichlet(call):
    call.keeps_its_promise()


@st.composite
def models(draw):
    model, _, _ = draw(problems())
    arguments = {
        "family": model.family,
        "labels": model.labels,
        "clones": model.clones,
        "pseudo_statistics": np.zeros(model.n_statistics),
    }
    return Call(Mixture, arguments)


@given(calls(models()))
def test_models(call):
    call.keeps_its_promise()


@st.composite
def with_data_and_a_state(draw, name):
    model, X, S = draw(problems())
    return Call(getattr(model, name), {"X": X, "S": S})


@pytest.mark.parametrize(
    "name", ["e_step", "elbo", "responsibilities", "log_predictive"]
)
@given(data=st.data())
def test_what_a_model_says_of_data(name, data):
    data.draw(calls(with_data_and_a_state(name))).keeps_its_promise()


@st.composite
def with_data(draw, name):
    model, X, _ = draw(problems())
    arguments = {"X": X}
    if name == "m_step":
        arguments["R"] = draw(responsibilities(len(X), 3))
    return Call(getattr(model, name), arguments)


@pytest.mark.parametrize("name", ["observe", "m_step"])
@given(data=st.data())
def test_what_a_model_takes_from_data(name, data):
    data.draw(calls(with_data(name))).keeps_its_promise()


@st.composite
def with_weights(draw, name):
    model, X, S = draw(problems(labels=INDEPENDENT))
    arguments = {"X": X, "weights": draw(GENERATORS).uniform(0.1, 2, len(X))}
    if name == "m_step":
        arguments["R"] = draw(responsibilities(len(X), 3))
    elif name != "observe":
        arguments["S"] = S
    return Call(getattr(model, name), arguments)


@pytest.mark.parametrize("name", ["observe", "m_step", "e_step", "elbo"])
@given(data=st.data())
def test_weighted_rows(name, data):
    data.draw(calls(with_weights(name))).keeps_its_promise()


@st.composite
def with_a_state(draw, name):
    model, _, S = draw(problems(kinds=GENERATIVE if name == "sample" else None))
    arguments = {"S": S}
    if name == "sample":
        arguments |= {"size": 5, "rng": np.random.default_rng(1)}
    return Call(getattr(model, name), arguments)


@pytest.mark.parametrize(
    "name", ["parameters", "divergence", "log_normalizer_ratio", "sample"]
)
@given(data=st.data())
def test_what_a_state_says(name, data):
    data.draw(calls(with_a_state(name))).keeps_its_promise()


@st.composite
def with_responsibilities(draw):
    model, X, _ = draw(problems(labels=INDEPENDENT))
    arguments = {"X": X, "R": draw(responsibilities(len(X), 2))}
    return Call(model.elbo_of_responsibilities, arguments)


@given(calls(with_responsibilities()))
def test_the_elbo_of_responsibilities(call):
    call.keeps_its_promise()


@st.composite
def chains(draw, name):
    model, X, S = draw(problems(labels=CHAINS))
    lengths = draw(st.sampled_from([2, np.array([1, len(X) - 1])]))
    return named(name, [
        Call(model.most_probable_labels, {"X": X, "S": S}),
        Call(model.log_predictive, {"X": X, "S": S}),
        Call(model.observe, {"X": X, "lengths": lengths}),
    ])  # fmt: skip


@pytest.mark.parametrize("name", ["most_probable_labels", "log_predictive", "observe"])
@given(data=st.data())
def test_paths_and_sequences(name, data):
    data.draw(calls(chains(name))).keeps_its_promise()


@st.composite
def factor_analyses(draw, name):
    rng = draw(GENERATORS)
    D = draw(DIMENSIONS)
    Q = draw(st.integers(0, 2))
    settings = {
        "family": LinearRegression(np.zeros(Q), np.zeros(D)),
        "relevance": draw(st.sampled_from([None, Relevance(1.0, 0.5)])),
        "clones": draw(st.sampled_from([1.0, EM])),
    }
    model = FactorAnalysis(**settings)
    X = rng.normal(size=(20, D))
    S = np.array(model.m_step(X, draw(responsibilities(20, draw(DIMENSIONS)))))
    data = {"X": X, "S": S}
    generator = np.random.default_rng(1)
    return named(name, [
        Call(FactorAnalysis, settings),
        Call(model.m_step, {"X": X, "R": draw(responsibilities(20, 2))}),
        Call(model.e_step, data),
        Call(model.elbo, data),
        Call(model.log_predictive, data),
        Call(model.factors, data),
        Call(model.parameters, {"S": S}),
        Call(model.n_relevant, {"S": S}),
        Call(model.divergence, {"S": S}),
        Call(model.sample, {"S": S, "size": 5, "rng": generator}),
        Call(learning.fit_batch, {"mixture": model, "X": X, "start": S, "max_epochs": 5}),
    ])  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "FactorAnalysis",
        "m_step",
        "e_step",
        "elbo",
        "log_predictive",
        "factors",
        "parameters",
        "n_relevant",
        "divergence",
        "sample",
        "fit_batch",
    ],
)
@given(data=st.data())
def test_factor_analysis(name, data):
    data.draw(calls(factor_analyses(name))).keeps_its_promise()


@st.composite
def experts(draw, name):
    rng = draw(GENERATORS)
    dimension = st.just(draw(DIMENSIONS))
    gate = draw(made_families(GAUSSIAN, dimension))
    expert = draw(made_families([LinearRegression], dimension))
    model = Mixture(Product(gate, expert))
    X = rng.normal(size=(20, gate.dimension + 1))
    x = rng.normal(size=(5, gate.dimension))
    S = np.array(model.m_step(X, draw(responsibilities(20, draw(COMPONENTS)))))
    start = {"mixture": model, "X": X, "start": S}
    schedule = draw(schedules(20))
    return named(name, [
        Call(predict_outputs, {"mixture": model, "x": x, "S": S}),
        Call(Product, {"gate": gate, "expert": expert}),
        Call(model.log_predictive, {"X": X, "S": S}),
        Call(learning.fit_batch, start | {"max_epochs": 5}),
        Call(learning.fit_online, start | {"schedule": schedule, "epochs": 1}),
    ])  # fmt: skip


@pytest.mark.parametrize(
    "name", ["predict_outputs", "Product", "log_predictive", "fit_batch", "fit_online"]
)
@given(data=st.data())
def test_mixtures_of_experts(name, data):
    data.draw(calls(experts(name))).keeps_its_promise()
