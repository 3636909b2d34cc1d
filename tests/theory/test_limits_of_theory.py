"""The last number that the theory takes is taken; the next one is refused."""

import numpy as np
import pytest

from vbkit.data import Truth
from vbkit.families import BetaBernoulli, NormalWishart
from vbkit.mixture import Mixture
from vbkit.theory import (
    coexistence,
    divergence,
    generalization_error,
    phase,
    redundancy,
)
from vbkit.theory.enumeration import states_of_assignments

pytestmark = pytest.mark.filterwarnings("error")
X = np.random.default_rng(0).normal(size=(6, 2))
FULL = NormalWishart([0.0, 0.0], 1.0, 3.0, np.eye(2))
BITS = BetaBernoulli(17)
WIDE = Mixture(BITS), BITS.state([2.0], [[0.5] * 17]), Truth([1.0], [[0.5] * 17])
COPIES = coexistence.ideal_known(1)


def rng():
    return np.random.default_rng(3)


AT = [  # what is checked, the function, a number at the limit, and numbers just beyond it
    ("size", lambda v: generalization_error(*WIDE, size=v, rng=rng()), 2, [1]),
    ("size", lambda v: redundancy.occupation_of_identical(FULL, 1.0, X[0], v), 1, [0]),
    ("size", lambda v: coexistence.state_curve(COPIES, v), 1, [0.99]),
    ("size", lambda v: coexistence.state_curve(COPIES, v), 1e8, [1.01e8]),
    ("points", divergence.grid_points, 2, [1]),
    ("fineness", lambda v: redundancy.pair_log_evidence([2.0], [1.0], 1.0, fineness=v), 1, [0]),
    ("deterministic", lambda v: phase.predict(2, 2, 1, v, 1.0, 1.0), 0, [-1]),
    ("interior", lambda v: phase.predict(2, 2, v, 1, 1.0, 1.0), 0, [-1]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "limit", "beyond"), AT)
def test_the_limit_is_allowed_and_nothing_beyond(name, call, limit, beyond):
    call(limit)
    for value in beyond:
        with pytest.raises(ValueError, match=name):
            call(value)


def test_as_many_assignments_as_are_allowed():
    for K, N in ((2, 20), (4, 10), (1024, 2)):
        assert next(states_of_assignments(np.ones((N, 1)), K)).shape[1:] == (K, 1)
        with pytest.raises(ValueError, match="at most 1048576 assignments"):
            next(states_of_assignments(np.ones((N + 1, 1)), K))
