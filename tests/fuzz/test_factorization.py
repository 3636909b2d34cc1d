import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.good import GENERATORS, POSITIVE, matrices
from tests.fuzz.promise import Call, named
from tests.fuzz.spoiled import calls
from vbkit import factorization


@st.composite
def iterative(draw, name):
    V = draw(matrices(with_gaps=True))
    H = draw(st.integers(0, 3))
    rng = np.random.default_rng(1)
    f = factorization.init_random(V, H, rng, offsets=draw(st.booleans()))
    start = {"V": V, "start": f}
    length = {"draws": 3, "rng": np.random.default_rng(1), "burn": 2, "thin": 1}
    return named(name, [
        Call(factorization.fit, start | {"max_sweeps": 5, "tolerance": 1e-6}),
        Call(factorization.fit_map, start | {"max_sweeps": 5}),
        Call(factorization.elbo, {"V": V, "f": f}),
        Call(f.predict, {"rows": [0], "cols": [0]}),
        Call(factorization.gibbs, start | length),
    ])  # fmt: skip


@pytest.mark.parametrize("name", ["fit", "fit_map", "elbo", "predict", "gibbs"])
@given(data=st.data())
def test_iterative_factorization(name, data):
    data.draw(calls(iterative(name))).keeps_its_promise()


@st.composite
def starts(draw):
    prior = {
        "prior_a": 1.0,
        "prior_b": draw(GENERATORS).uniform(0.1, 2, 2),
        "noise": 0.5,
    }
    if draw(st.booleans()):
        arguments = {"V": draw(matrices()), "H": 2}
        return Call(factorization.init_spectral, arguments | prior)
    arguments = {
        "V": draw(matrices(with_gaps=True)),
        "H": 2,
        "rng": np.random.default_rng(1),
        "offsets": draw(st.booleans()),
    }
    return Call(factorization.init_random, arguments | prior)


@given(calls(starts()))
def test_starts(call):
    call.keeps_its_promise()


@st.composite
def analytic(draw, name):
    V = draw(matrices())
    prior = {"prior_a": 1.0, "prior_b": 2.0, "noise": 0.5}
    settings = {"H": draw(st.integers(1, 3)), "noise": draw(st.none() | POSITIVE)}
    noise = draw(GENERATORS).uniform(0.1, 2, 3)
    return named(name, [
        Call(factorization.solve_fixed, {"V": V} | prior),
        Call(factorization.solve_empirical, {"V": V} | settings),
        Call(factorization.estimate_noise, {"V": V}),
        Call(factorization.free_energy_of_noise, {"V": V, "noise": noise}),
    ])  # fmt: skip


@pytest.mark.parametrize(
    "name", ["solve_fixed", "solve_empirical", "estimate_noise", "free_energy_of_noise"]
)
@given(data=st.data())
def test_analytic_factorization(name, data):
    data.draw(calls(analytic(name))).keeps_its_promise()


@st.composite
def shrinkage(draw, name):
    rng = draw(GENERATORS)
    shape = tuple(rng.integers(1, 30, 2).tolist())
    gamma = rng.uniform(0, 20, 4)
    one = {"gamma": gamma, "shape": shape, "noise": 1.0}
    prior = {"prior_a": rng.uniform(0.1, 2, 4), "prior_b": 1.0}
    return named(name, [
        Call(factorization.thresholds, {"shape": shape}),
        Call(factorization.shrink_empirical, one),
        Call(factorization.shrink_fixed, one | prior),
        Call(factorization.fixed_threshold, {"prior_product": 2.0, "shape": shape}),
        Call(factorization.fixed_landscape,
             {"shrunk": gamma, "prior_variance": 1.0, "shape": shape}),
        Call(factorization.learned_landscape,
             {"kappa": gamma, "gamma": 3.0, "shape": shape}),
    ])  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "thresholds",
        "shrink_empirical",
        "shrink_fixed",
        "fixed_threshold",
        "fixed_landscape",
        "learned_landscape",
    ],
)
@given(data=st.data())
def test_shrinkage(name, data):
    data.draw(calls(shrinkage(name))).keeps_its_promise()


@st.composite
def entries(draw, name):
    rng = draw(GENERATORS)
    rows, cols = np.divmod(rng.permutation(20)[:8], 5)
    known = {"rows": rows, "cols": cols, "values": rng.normal(size=8), "shape": (4, 5)}
    return named(name, [
        Call(factorization.ObservedEntries, known),
        Call(factorization.validate, {"V": draw(matrices(with_gaps=True))}),
    ])  # fmt: skip


@pytest.mark.parametrize("name", ["ObservedEntries", "validate"])
@given(data=st.data())
def test_entries(name, data):
    data.draw(calls(entries(name))).keeps_its_promise()
