import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.good import mixtures
from tests.fuzz.promise import Call, named
from tests.fuzz.spoiled import calls
from vbkit import structure


@st.composite
def searches(draw):
    model, X, start = draw(mixtures())
    arguments = {
        "prior": model,
        "X": X,
        "start": start,
        "rng": np.random.default_rng(1),
        "temperature": draw(st.sampled_from([None, 0.5])),
        "attempts": 3,
    }
    return Call(search, arguments)


def search(attempts, **settings):
    found = structure.run_search(structure.start_search(**settings), attempts)
    return found.best, found.base.S


@given(calls(searches()))
def test_search(call):
    call.keeps_its_promise()


@st.composite
def moves(draw, name):
    model, X, S = draw(mixtures())
    statistics = structure.responsibility_statistics(model, X, S)
    return named(name, [
        Call(structure.merge, {"stats": statistics, "first": 0, "second": 1}),
        Call(structure.delete, {"stats": statistics, "components": [0]}),
        Call(structure.split, {"stats": statistics, "component": 0}),
        Call(structure.responsibility_statistics, {"mixture": model, "X": X, "S": S}),
        Call(structure.init_by_splits, {"mixture": model, "X": X, "n_components": 2}),
    ])  # fmt: skip


@pytest.mark.parametrize(
    "name", ["merge", "delete", "split", "responsibility_statistics", "init_by_splits"]
)
@given(data=st.data())
def test_moves(name, data):
    data.draw(calls(moves(name))).keeps_its_promise()


@st.composite
def trackers(draw):
    model, X, S = draw(mixtures())
    arguments = {
        "prior": model,
        "S": S,
        "rng": np.random.default_rng(1),
        "X": X,
        "memory": 30.0,
        "attempts": 1,
    }
    return Call(track, arguments)


def track(X, **settings):
    after = structure.track(structure.Tracker(**settings), X)
    return after.S, after.elbo


@given(calls(trackers()))
def test_track(call):
    call.keeps_its_promise()
