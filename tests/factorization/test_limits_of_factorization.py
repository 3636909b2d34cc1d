"""The last number that a factorization takes is taken; the next one is refused."""

import numpy as np
import pytest

from vbkit import factorization
from vbkit.data import synthetic_ratings
from vbkit.own_data import held_out_report

pytestmark = pytest.mark.filterwarnings("error")
V = np.random.default_rng(2).normal(size=(4, 3))
ENTRIES = factorization.validate(V).entries()  # 12


def rng():
    return np.random.default_rng(3)


def init(V=V, H=1, **settings):
    return factorization.init_random(V, H, rng(), **settings)


AT = [  # what is checked, the function, a number at the limit, and numbers just beyond it
    ("max_sweeps", lambda v: factorization.fit_map(V, init(), max_sweeps=v), 0, [-1]),
    ("users", lambda v: synthetic_ratings(rng(), v, 5, 5), 1, [0]),
    ("items", lambda v: synthetic_ratings(rng(), 5, v, 5), 1, [0]),
    ("ratings", lambda v: synthetic_ratings(rng(), 2, 3, v), 6, [7]),
    ("ratings", lambda v: synthetic_ratings(rng(), 2, 3, v), 1, [0]),
    ("H", lambda v: synthetic_ratings(rng(), 2, 3, 4, v), 0, [-1]),
    ("H", lambda v: held_out_report(ENTRIES, v, rng(), max_sweeps=1), 0, [-1]),
    ("share", lambda v: held_out_report(ENTRIES, 1, rng(), share=v), 0.1, [-0.1, 1.1]),
    ("share", lambda v: ENTRIES.split(v, rng()), 1 / 12, [0.99 / 12]),
    ("share", lambda v: ENTRIES.split(v, rng()), 1 - 1 / 12, [1 - 0.99 / 12]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "limit", "beyond"), AT)
def test_the_limit_is_allowed_and_nothing_beyond(name, call, limit, beyond):
    call(limit)
    for value in beyond:
        with pytest.raises(ValueError, match=name):
            call(value)
