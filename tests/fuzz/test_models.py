import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.good import (
    COMPONENTS,
    DIMENSIONS,
    GAUSSIAN,
    GENERATORS,
    made_families,
    problems,
    responsibilities,
    schedules,
)
from tests.fuzz.promise import Call
from tests.fuzz.spoiled import calls
from vbkit import learning
from vbkit.families import LinearRegression, Product
from vbkit.mixture import EM, Mixture
from vbkit.models import FactorAnalysis, HiddenMarkov, Relevance, predict_outputs


@st.composite
def models(draw):
    model, _, S = draw(problems())
    n_statistics = S.shape[1] if isinstance(model, Mixture) else model.n_statistics
    arguments = {
        "family": model.family,
        "clones": model.clones,
        "pseudo_statistics": np.zeros(n_statistics),
    }
    return Call(type(model), arguments)


@given(calls(models()))
def test_models(call):
    call.keeps_its_promise()


@st.composite
def with_data_and_a_state(draw):
    model, X, S = draw(problems())
    name = draw(
        st.sampled_from(["e_step", "elbo", "responsibilities", "log_predictive"])
    )
    arguments = {"X": X, "S": S}
    if (
        isinstance(model, Mixture)
        and name in ("e_step", "elbo")
        and draw(st.booleans())
    ):
        arguments["weights"] = draw(GENERATORS).uniform(0.1, 2, len(X))
    return Call(getattr(model, name), arguments)


@given(calls(with_data_and_a_state()))
def test_what_a_model_says_of_data(call):
    call.keeps_its_promise()


@st.composite
def with_data(draw):
    model, X, _ = draw(problems())
    name = draw(st.sampled_from(["observe", "m_step"]))
    arguments = {"X": X}
    if name == "m_step":
        arguments["R"] = draw(responsibilities(len(X), 3))
    if isinstance(model, Mixture) and draw(st.booleans()):
        arguments["weights"] = draw(GENERATORS).uniform(0.1, 2, len(X))
    return Call(getattr(model, name), arguments)


@given(calls(with_data()))
def test_what_a_model_takes_from_data(call):
    call.keeps_its_promise()


@st.composite
def with_a_state(draw):
    model, _, S = draw(problems())
    names = ["parameters", "divergence", "log_normalizer_ratio"]
    if not isinstance(model.family, LinearRegression):
        names.append("sample")
    name = draw(st.sampled_from(names))
    arguments = {"S": S}
    if name == "sample":
        arguments |= {"size": 5, "rng": np.random.default_rng(1)}
    return Call(getattr(model, name), arguments)


@given(calls(with_a_state()))
def test_what_a_state_says(call):
    call.keeps_its_promise()


@st.composite
def with_responsibilities(draw):
    model, X, _ = draw(problems(models=(Mixture,)))
    arguments = {"X": X, "R": draw(responsibilities(len(X), 2))}
    return Call(model.elbo_of_responsibilities, arguments)


@given(calls(with_responsibilities()))
def test_the_elbo_of_responsibilities(call):
    call.keeps_its_promise()


@st.composite
def chains(draw):
    model, X, S = draw(problems(models=(HiddenMarkov,)))
    lengths = draw(st.sampled_from([2, np.array([1, len(X) - 1])]))
    return draw(st.sampled_from([
        Call(model.path, {"X": X, "S": S}),
        Call(model.log_predictive, {"X": X, "S": S}),
        Call(model.observe, {"X": X, "lengths": lengths}),
    ]))  # fmt: skip


@given(calls(chains()))
def test_paths_and_sequences(call):
    call.keeps_its_promise()


@st.composite
def factor_analyses(draw):
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
    return draw(st.sampled_from([
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
    ]))  # fmt: skip


@given(calls(factor_analyses()))
def test_factor_analysis(call):
    call.keeps_its_promise()


@st.composite
def experts(draw):
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
    return draw(st.sampled_from([
        Call(predict_outputs, {"mixture": model, "x": x, "S": S}),
        Call(Product, {"gate": gate, "expert": expert}),
        Call(model.log_predictive, {"X": X, "S": S}),
        Call(learning.fit_batch, start | {"max_epochs": 5}),
        Call(learning.fit_online, start | {"schedule": schedule, "epochs": 1}),
    ]))  # fmt: skip


@given(calls(experts()))
def test_mixtures_of_experts(call):
    call.keeps_its_promise()
