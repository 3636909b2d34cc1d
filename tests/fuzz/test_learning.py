import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.good import (
    COMPONENTS,
    DIMENSIONS,
    GENERATORS,
    INDEPENDENT,
    mixtures,
    problems,
    schedules,
)
from tests.fuzz.promise import Call, named
from tests.fuzz.spoiled import calls
from vbkit import families, learning


@st.composite
def batch(draw):
    model, X, start = draw(problems())
    arguments = {"mixture": model, "X": X, "start": start}
    return Call(learning.fit_batch, arguments | {"max_epochs": 5, "tolerance": 1e-6})


@given(calls(batch()))
def test_fit_batch(call):
    call.keeps_its_promise()


@st.composite
def weighted_batch(draw):
    model, X, start = draw(problems(labels=INDEPENDENT))
    weights = draw(GENERATORS).uniform(0, 2, len(X))
    arguments = {"mixture": model, "X": X, "start": start, "weights": weights}
    return Call(learning.fit_batch, arguments | {"max_epochs": 5})


@given(calls(weighted_batch()))
def test_fit_batch_of_weighted_rows(call):
    call.keeps_its_promise()


@st.composite
def online(draw):
    model, X, start = draw(problems())
    arguments = {
        "mixture": model,
        "X": X,
        "start": start,
        "schedule": draw(schedules(len(X))),
        "epochs": 2,
        "rng": draw(st.sampled_from([None, np.random.default_rng(1)])),
    }
    return Call(learning.fit_online, arguments)


@given(calls(online()))
def test_fit_online(call):
    call.keeps_its_promise()


@st.composite
def chunks(draw):
    model, X, start = draw(problems(labels=INDEPENDENT))
    half = len(X) // 2
    source = X if draw(st.booleans()) else [X[:half], X[half:]]
    arguments = {"mixture": model, "source": source, "start": start}
    settings = {"rows": 7, "max_epochs": 4, "tolerance": 1e-6}
    return Call(learning.fit_chunks, arguments | settings)


@given(calls(chunks()))
def test_fit_chunks(call):
    call.keeps_its_promise()


@st.composite
def starts(draw, name):
    model, X, _ = draw(mixtures([families.NormalWishart, families.NormalGamma]))
    rows = {"mixture": model, "X": X, "n_components": 2}
    randomly = rows | {"rng": np.random.default_rng(1), "spread": 0.5}
    return named(name, [
        Call(learning.init_from_rows, randomly),
        Call(learning.init_gaussian, randomly),
    ])  # fmt: skip


@pytest.mark.parametrize("name", ["init_from_rows", "init_gaussian"])
@given(data=st.data())
def test_starts_from_rows(name, data):
    data.draw(calls(starts(name))).keeps_its_promise()


@st.composite
def starts_without_rows(draw, name):
    model, X, _ = draw(mixtures([families.NormalWishart]))
    rng = np.random.default_rng(2)
    return named(name, [
        Call(learning.init_uniform,
             {"mixture": model, "n_components": 3, "total": 50.0, "rng": rng}),
        Call(learning.component_prior_means, {"mixture": model, "means": X[:3]}),
    ])  # fmt: skip


@pytest.mark.parametrize("name", ["init_uniform", "component_prior_means"])
@given(data=st.data())
def test_starts_without_rows(name, data):
    data.draw(calls(starts_without_rows(name))).keeps_its_promise()


@st.composite
def gradients(draw):
    rng = draw(GENERATORS)
    D = draw(DIMENSIONS)
    K = draw(COMPONENTS)
    arguments = {
        "X": rng.normal(size=(20, D)),
        "weights": rng.dirichlet(np.ones(K)),
        "centres": rng.normal(size=(K, D)),
        "widths": np.ones(K),
        "schedule": learning.sato2000(20.0),
        "parametrisation": draw(st.sampled_from(["sigma", "variance", "log variance"])),
    }
    return Call(gradient_before_it_diverged, arguments)


def gradient_before_it_diverged(**arguments):
    fit = learning.fit_gradient(**arguments)
    return fit if fit.diverged is None else fit.weights[: fit.diverged]


@given(calls(gradients()))
def test_fit_gradient(call):
    call.keeps_its_promise()


@pytest.mark.parametrize(
    "call",
    [
        Call(learning.sato2000, {"total": 10.0, "tau0": 20.0, "kappa": 0.1}),
        Call(
            learning.sato1999,
            {
                "total": 9.0,
                "learning_rate": 0.5,
                "forgetting_rate": 0.01,
                "kappa": 0.05,
            },
        ),
        Call(learning.reciprocal, {"total": 10.0, "learning_rate": 0.5, "kappa": 0.1}),
        Call(learning.without_discount, {"total": 10.0, "memory": 3.0}),
        Call(learning.sato2000(9.0).rates, {"n": 5}),
        Call(learning.Schedule, {"memory": 5.0, "forgetting_rate": 0.1, "decay": 0.0}),
    ],
    ids=lambda call: call.function.__name__,
)
@given(data=st.data())
def test_schedules(call, data):
    data.draw(calls(st.just(call))).keeps_its_promise()


@st.composite
def running_elbos(draw):
    model, X, S = draw(mixtures())
    arguments = {"mixture": model, "X": X[:5], "start": S, "entropy": 0.0}
    schedule = {"schedule": learning.sato2000(9.0)}
    return Call(learning.running_elbo, arguments | schedule)


@given(calls(running_elbos()))
def test_running_elbo(call):
    call.keeps_its_promise()
