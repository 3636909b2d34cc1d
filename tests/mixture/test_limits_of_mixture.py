"""The last number that a mixture takes is taken; the next one is refused."""

import numpy as np
import pytest

from vbkit.families import BetaBernoulli, IsotropicGaussian
from vbkit.labels import MarkovChain
from vbkit.mixture import Mixture

pytestmark = pytest.mark.filterwarnings("error")
X = np.random.default_rng(0).normal(size=(6, 2))
ROUND = Mixture(IsotropicGaussian([0.0, 0.0], 1.0, 1.0, 1.0))
S = ROUND.m_step(X, np.random.default_rng(1).dirichlet(np.ones(2), 6))
CHAIN = Mixture(BetaBernoulli(1), MarkovChain())
CHAIN_S = CHAIN.m_step(np.ones((3, 1)), np.full((3, 2), 0.5))


def rng():
    return np.random.default_rng(3)


AT = [  # what is checked, the function, a number at the limit, and numbers just beyond it
    ("size", lambda v: ROUND.sample(S, v, rng()), 0, [-1]),
    ("size", lambda v: CHAIN.sample(CHAIN_S, v, rng()), 0, [-1]),
    ("the state", lambda v: ROUND.check_state(np.full((1, 4), v)), 1e250, [1.01e250]),
    ("weights", lambda v: ROUND.observe(X[:2], [v, 0]), 2.0**53, [2.0**53 + 2]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "limit", "beyond"), AT)
def test_the_limit_is_allowed_and_nothing_beyond(name, call, limit, beyond):
    call(limit)
    for value in beyond:
        with pytest.raises(ValueError, match=name):
            call(value)
