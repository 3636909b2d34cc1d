"""The last number that a data set takes is taken; the next one is refused."""

import numpy as np
import pytest

from vbkit import data
from vbkit.data import Truth

pytestmark = pytest.mark.filterwarnings("error")
X = np.random.default_rng(0).normal(size=(6, 2))
TWO = Truth([0.5, 0.5], [[0.2, 0.5], [0.9, 0.1]])


def rng():
    return np.random.default_rng(3)


AT = [  # what is checked, the function, a number at the limit, and numbers just beyond it
    ("size", lambda v: TWO.sample(v, rng()), 1, [0]),
    ("size", lambda v: data.sato1999(v, rng()), 1, [0]),
    ("dimension", lambda v: data.random_clusters(rng(), v), 1, [0]),
    ("length", lambda v: data.changing_mixture(rng(), v, [[0]], X, 1.0), 1, [0]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "limit", "beyond"), AT)
def test_the_limit_is_allowed_and_nothing_beyond(name, call, limit, beyond):
    call(limit)
    for value in beyond:
        with pytest.raises(ValueError, match=name):
            call(value)
