import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.good import (
    COMPONENTS,
    DIMENSIONS,
    GAUSSIAN,
    GENERATORS,
    KINDS,
    POSITIVE,
    family_calls,
    made_families,
)
from tests.fuzz.promise import Call
from tests.fuzz.spoiled import calls
from vbkit import families


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_families(kind, data):
    data.draw(calls(family_calls([kind]))).keeps_its_promise()


@st.composite
def pseudo_data(draw, kind):
    D = draw(DIMENSIONS)
    count = draw(POSITIVE)
    if kind is families.GammaPoisson:
        means = draw(GENERATORS).uniform(1, 2, D)
        return Call(kind.from_pseudo_data, {"mean": means, "count": count})
    arguments = {"mean": np.zeros(D), "variance": 2.0, "count": count}
    return Call(kind.from_pseudo_data, arguments)


@pytest.mark.parametrize(
    "kind", [families.NormalWishart, families.IsotropicGaussian, families.GammaPoisson]
)
@given(data=st.data())
def test_priors_from_pseudo_data(kind, data):
    data.draw(calls(pseudo_data(kind))).keeps_its_promise()


@st.composite
def states(draw, kind):
    family = draw(made_families([kind]))
    rng = draw(GENERATORS)
    K = draw(COMPONENTS)
    D = family.dimension
    arguments = {
        "counts": rng.uniform(0, 9, K),
        "centres": rng.normal(size=(K, D)),
        "covariances": np.eye(D),
    }
    return Call(family.state, arguments)


@pytest.mark.parametrize("kind", [*GAUSSIAN, families.KnownCovariance])
@given(data=st.data())
def test_states_of_gaussian_families(kind, data):
    data.draw(calls(states(kind))).keeps_its_promise()
