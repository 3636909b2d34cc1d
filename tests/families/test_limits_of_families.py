"""The last number that a family takes is taken; the next one is refused."""

import numpy as np
import pytest
from oracles import close

from vbkit.checks import TINY
from vbkit.compiled.online import log_densities
from vbkit.families import (
    BetaBernoulli,
    DirichletCategorical,
    GammaPoisson,
    IsotropicGaussian,
    KnownCovariance,
    LinearRegression,
    NormalGamma,
    NormalWishart,
)
from vbkit.families.bernoulli import binary_vectors

pytestmark = pytest.mark.filterwarnings("error")
FULL = NormalWishart([0.0, 0.0], 1.0, 3.0, np.eye(2))
COIN = BetaBernoulli(1, 2.0)
LEVELS = DirichletCategorical((2,), 2.0)


AT = [  # what is checked, the function, a number at the limit, and numbers just beyond it
    ("dimension", binary_vectors, 1, [0]),
    ("dimension", binary_vectors, 16, [17]),
    ("dimension", GammaPoisson, 1, [0]),
    ("pseudo_count_of_zeros", lambda v: BetaBernoulli(2, 1.0, v).mode_statistics(1.0), 1, [0.99]),
    ("state", lambda v: GammaPoisson(1, 2.0, 3.0).expected(np.array([[1.0, v]])), -1.99, [-2.0]),
    ("state", lambda v: GammaPoisson(1, 2.0, 3.0).expected(np.array([[v, 1.0]])), -2.99, [-3.0]),
    ("state", lambda v: COIN.expected(np.array([[1.0, v, 1]])), -1.99, [-2.0]),
    ("state", lambda v: COIN.expected(np.array([[1.0, 1, v]])), -1.99, [-2.0]),
    ("state", lambda v: LEVELS.expected(np.array([[1.0, v, 1]])), -1.99, [-2.0]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "limit", "beyond"), AT)
def test_the_limit_is_allowed_and_nothing_beyond(name, call, limit, beyond):
    call(limit)
    for value in beyond:
        with pytest.raises(ValueError, match=name):
            call(value)


def test_the_smallest_prior_is_allowed():
    close(BetaBernoulli(1, 1.01 * TINY).pseudo_count, 1.01 * TINY)


LOST = {  # a family, and statistics after which it has no posterior, each wrong in one entry
    "ones": (BetaBernoulli(2, 0.5, 0.7), [3.0, 1, -0.5, 2, 1]),
    "zeros": (BetaBernoulli(2, 0.5, 0.7), [3.0, 1, 1, -0.7, 1]),
    "ones of a sum": (BetaBernoulli(2, 0.5, 0.7, np.float64), [3.0, -0.5, 1]),
    "common width": (IsotropicGaussian([0.0, 0.0], 1.0, 1.0, 1.0), [3.0, 4, 4, 0]),
    "one width": (NormalGamma([0.0, 0.0], 1.0, 1.0, 1.0), [3.0, 4, 0, 0, 9]),
    "scatter": (FULL, [3.0, 0, 0, 4, 5, 4]),
    "centre": (KnownCovariance([0.0, 0.0], 1.0), [3.0, 0, 1e9]),
    "noise": (LinearRegression([0.0], [0.0]), [3.0, 0, 1, 0, 9, 1]),
}


@pytest.mark.parametrize("name", LOST)
def test_without_a_posterior_there_is_no_compiled_density(name):
    family, s = LOST[name]
    s, t = np.array(s), np.ones(len(s))
    density = log_densities(family, t[None], np.stack([s, 0 * s]))
    assert np.isnan(density[0, 0]) and np.isfinite(density[1, 0])
    with pytest.raises(ValueError):
        family.expected(s[None])


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_numbers_too_large_for_their_squares_are_refused_on_either_side(sign):
    rows = np.array([[1.0, 1.0], [2.0, sign * 3e100]])
    with pytest.raises(ValueError, match="X column 1 reaches 3e.100"):
        FULL.check_data(rows)
    allowed = np.array([[1.0, 1.0], [2.0, sign * 0.9e100]])
    assert FULL.check_data(allowed) is not None
