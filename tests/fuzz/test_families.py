import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.good import (
    COMPONENTS,
    GENERATORS,
    POSITIVE,
    family_calls,
    made_families,
)
from tests.fuzz.promise import Call
from tests.fuzz.spoiled import calls
from vbkit import families


@given(calls(family_calls()))
def test_families(call):
    call.keeps_its_promise()


@st.composite
def pseudo_data(draw):
    D = draw(st.integers(1, 3))
    count = draw(POSITIVE)
    gaussian = {"mean": np.zeros(D), "variance": 2.0, "count": count}
    counts = {"mean": draw(GENERATORS).uniform(1, 2, D), "count": count}
    return draw(st.sampled_from([
        Call(families.NormalWishart.from_pseudo_data, gaussian),
        Call(families.IsotropicGaussian.from_pseudo_data, gaussian),
        Call(families.GammaPoisson.from_pseudo_data, counts),
    ]))  # fmt: skip


@given(calls(pseudo_data()))
def test_priors_from_pseudo_data(call):
    call.keeps_its_promise()


@st.composite
def states(draw):
    kinds = families.NormalWishart, families.KnownCovariance, families.NormalGamma
    family = draw(made_families(kinds))
    rng = draw(GENERATORS)
    K = draw(COMPONENTS)
    D = family.dimension
    arguments = {
        "counts": rng.uniform(0, 9, K),
        "centres": rng.normal(size=(K, D)),
        "covariances": np.eye(D),
    }
    return Call(family.state, arguments)


@given(calls(states()))
def test_states_of_gaussian_families(call):
    call.keeps_its_promise()


@given(calls(st.builds(
    Call,
    st.just(families.Dirichlet),
    st.fixed_dictionaries({
        "concentration": st.just(1.5) | GENERATORS.map(lambda rng: rng.uniform(0, 3, 4))
    }),
)))  # fmt: skip
def test_dirichlet(call):
    call.keeps_its_promise()
