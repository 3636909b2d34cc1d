import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.good import GENERATORS, matrices
from tests.fuzz.promise import Call
from tests.fuzz.spoiled import calls
from vbkit import factorization


@st.composite
def iterative(draw):
    V = draw(matrices(with_gaps=True))
    H = draw(st.integers(0, 3))
    rng = np.random.default_rng(1)
    f = factorization.init_random(V, H, rng, offsets=draw(st.booleans()))
    start = {"V": V, "start": f}
    length = {"draws": 3, "rng": np.random.default_rng(1), "burn": 2, "thin": 1}
    return draw(st.sampled_from([
        Call(factorization.fit, start | {"max_sweeps": 5, "tolerance": 1e-6}),
        Call(factorization.fit_map, start | {"max_sweeps": 5}),
        Call(factorization.elbo, {"V": V, "f": f}),
        Call(f.predict, {"rows": [0], "cols": [0]}),
        Call(factorization.gibbs, start | length),
    ]))  # fmt: skip


@given(calls(iterative()))
def test_iterative_factorization(call):
    call.keeps_its_promise()


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
def analytic(draw):
    V = draw(matrices())
    prior = {"prior_a": 1.0, "prior_b": 2.0, "noise": 0.5}
    noise = draw(GENERATORS).uniform(0.1, 2, 3)
    return draw(st.sampled_from([
        Call(factorization.solve_fixed, {"V": V} | prior),
        Call(factorization.solve_empirical, {"V": V, "noise": 0.5}),
        Call(factorization.solve_empirical, {"V": V, "H": 2}),
        Call(factorization.estimate_noise, {"V": V}),
        Call(factorization.free_energy_of_noise, {"V": V, "noise": noise}),
    ]))  # fmt: skip


@given(calls(analytic()))
def test_analytic_factorization(call):
    call.keeps_its_promise()


@st.composite
def shrinkage(draw):
    rng = draw(GENERATORS)
    shape = tuple(rng.integers(1, 30, 2).tolist())
    gamma = rng.uniform(0, 20, 4)
    one = {"gamma": gamma, "shape": shape, "noise": 1.0}
    prior = {"prior_a": rng.uniform(0.1, 2, 4), "prior_b": 1.0}
    return draw(st.sampled_from([
        Call(factorization.thresholds, {"shape": shape}),
        Call(factorization.shrink_empirical, one),
        Call(factorization.shrink_fixed, one | prior),
        Call(factorization.fixed_threshold, {"strength": 2.0, "shape": shape}),
        Call(factorization.fixed_landscape,
             {"shrunk": gamma, "strength": 1.0, "shape": shape}),
        Call(factorization.learned_landscape,
             {"kappa": gamma, "gamma": 3.0, "shape": shape}),
    ]))  # fmt: skip


@given(calls(shrinkage()))
def test_shrinkage(call):
    call.keeps_its_promise()


@st.composite
def entries(draw):
    rng = draw(GENERATORS)
    rows, cols = np.divmod(rng.permutation(20)[:8], 5)
    known = {"rows": rows, "cols": cols, "values": rng.normal(size=8), "shape": (4, 5)}
    return draw(st.sampled_from([
        Call(factorization.ObservedEntries, known),
        Call(factorization.validate, {"V": draw(matrices(with_gaps=True))}),
    ]))  # fmt: skip


@given(calls(entries()))
def test_entries(call):
    call.keeps_its_promise()
