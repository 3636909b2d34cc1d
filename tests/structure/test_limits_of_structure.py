"""The last number that a search takes is taken; the next one is refused."""

import numpy as np
import pytest

from vbkit.families import IsotropicGaussian
from vbkit.mixture import Mixture
from vbkit.structure import Tracker, init_by_splits

pytestmark = pytest.mark.filterwarnings("error")
X = np.random.default_rng(0).normal(size=(6, 2))
ROUND = Mixture(IsotropicGaussian([0.0, 0.0], 1.0, 1.0, 1.0))
S = ROUND.m_step(X, np.random.default_rng(1).dirichlet(np.ones(2), 6))


def rng():
    return np.random.default_rng(3)


AT = [  # what is checked, the function, a number at the limit, and numbers just beyond it
    ("n_components", lambda v: init_by_splits(ROUND, X, v), 1, [0]),
    ("n_components", lambda v: init_by_splits(ROUND, X, v), 6, [7]),
    ("attempts", lambda v: Tracker(ROUND, S, rng(), attempts=v), 0, [-1]),
    ("memory", lambda v: Tracker(ROUND, S, rng(), v), 1.01, [1.0]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "limit", "beyond"), AT)
def test_the_limit_is_allowed_and_nothing_beyond(name, call, limit, beyond):
    call(limit)
    for value in beyond:
        with pytest.raises(ValueError, match=name):
            call(value)
