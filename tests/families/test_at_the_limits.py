"""A number at the end of its allowed range is taken; the next one is refused."""

import numpy as np
import pytest
from oracles import close

from vbkit import data, factorization
from vbkit.checks import TINY
from vbkit.compiled.online import log_densities
from vbkit.data import Truth, synthetic_ratings
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
from vbkit.labels import MarkovChain
from vbkit.learning import (
    Schedule,
    accumulation,
    fit_gradient,
    fit_online,
    run_many,
    sato1999,
    sato2000,
)
from vbkit.learning.hierarchical import (
    Hyperprior,
    fit_hierarchical,
    fit_hierarchical_online,
)
from vbkit.mixture import Mixture
from vbkit.models import FactorAnalysis
from vbkit.own_data import held_out_report
from vbkit.phases.scan import structured_starts
from vbkit.structure import Tracker, init_by_splits, start_search
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
ROUND = Mixture(IsotropicGaussian([0.0, 0.0], 1.0, 1.0, 1.0))
S = ROUND.m_step(X, np.random.default_rng(1).dirichlet(np.ones(2), 6))
CHAIN = Mixture(BetaBernoulli(1), MarkovChain())
CHAIN_S = CHAIN.m_step(np.ones((3, 1)), np.full((3, 2), 0.5))
FACTORS = FactorAnalysis(LinearRegression([0.0], [0.0, 0.0]))
FACTORS_S = FACTORS.m_step(X, np.ones((6, 1)))
FULL, HYPER = (
    NormalWishart([0.0, 0.0], 1.0, 3.0, np.eye(2)),
    Hyperprior(1.0, [0.0, 0.0], 1.0),
)
TWO, BITS = Truth([0.5, 0.5], [[0.2, 0.5], [0.9, 0.1]]), BetaBernoulli(17)
WIDE = Mixture(BITS), BITS.state([2.0], [[0.5] * 17]), Truth([1.0], [[0.5] * 17])
ADD, COPIES = accumulation(), coexistence.ideal_known(1)
COIN, LEVELS = BetaBernoulli(1, 2.0), DirichletCategorical((2,), 2.0)
V = np.random.default_rng(2).normal(size=(4, 3))
ENTRIES = factorization.validate(V).entries()  # 12


def rng():
    return np.random.default_rng(3)


def init(V=V, H=1, **settings):
    return factorization.init_random(V, H, rng(), **settings)


AT = [  # what is checked, the function, a number at the limit, and numbers just beyond it
    ("size", lambda v: generalization_error(*WIDE, size=v, rng=rng()), 2, [1]),
    ("size", lambda v: TWO.sample(v, rng()), 1, [0]),
    ("size", lambda v: data.sato1999(v, rng()), 1, [0]),
    ("size", lambda v: FACTORS.sample(FACTORS_S, v, rng()), 0, [-1]),
    ("size", lambda v: ROUND.sample(S, v, rng()), 0, [-1]),
    ("size", lambda v: CHAIN.sample(CHAIN_S, v, rng()), 0, [-1]),
    ("size", lambda v: redundancy.occupation_of_identical(FULL, 1.0, X[0], v), 1, [0]),
    ("size", lambda v: coexistence.state_curve(COPIES, v), 1, [0.99]),
    ("size", lambda v: coexistence.state_curve(COPIES, v), 1e8, [1.01e8]),
    ("dimension", binary_vectors, 1, [0]),
    ("dimension", binary_vectors, 16, [17]),
    ("dimension", GammaPoisson, 1, [0]),
    ("dimension", lambda v: data.random_clusters(rng(), v), 1, [0]),
    ("length", lambda v: data.changing_mixture(rng(), v, [[0]], X, 1.0), 1, [0]),
    ("points", divergence.grid_points, 2, [1]),
    ("epochs", lambda v: fit_online(ROUND, X, S, ADD, epochs=v), 0, [-1]),
    ("epochs", lambda v: fit_hierarchical_online(ROUND, X, S, HYPER, ADD, epochs=v), 0, [-1]),
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
    ("fineness", lambda v: redundancy.pair_log_evidence([2.0], [1.0], 1.0, fineness=v), 1, [0]),
    ("n_components", lambda v: init_by_splits(ROUND, X, v), 1, [0]),
    ("n_components", lambda v: init_by_splits(ROUND, X, v), 6, [7]),
    ("n_components", lambda v: structured_starts(TWO, v, 9.0), 2, [1]),
    ("attempts", lambda v: Tracker(ROUND, S, rng(), attempts=v), 0, [-1]),
    ("memory", lambda v: Tracker(ROUND, S, rng(), v), 1.01, [1.0]),
    ("min_improvement", lambda v: start_search(ROUND, X, S, rng(), min_improvement=v), 0, [-0.01]),
    ("forgetting_rate", lambda v: Schedule(1.0, v), 1, [1.01]),
    ("tau0", lambda v: sato2000(9.0, tau0=v), 1, [0.99]),
    ("eps0", lambda v: sato1999(9.0, eps0=v, gamma=0.25), 0.79, [0.8]),
    ("deterministic", lambda v: phase.predict(2, 2, 1, v, 1.0, 1.0), 0, [-1]),
    ("interior", lambda v: phase.predict(2, 2, v, 1, 1.0, 1.0), 0, [-1]),
    ("b2", lambda v: BetaBernoulli(2, 1.0, v).mode_statistics(1.0), 1, [0.99]),
    ("n_jobs", lambda v: run_many(abs, [1, 2], n_jobs=v), 1, [0, True, 1.0]),
    ("widths", lambda v: fit_gradient(X, [1.0], X[:1], [v], ADD, epochs=0), 0.99e100, [1e100]),
    ("the state", lambda v: ROUND.check_state(np.full((1, 4), v)), 1e250, [1.01e250]),
    ("weights", lambda v: ROUND.observe(X[:2], [v, 0]), 2.0**53, [2.0**53 + 2]),
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


def test_as_many_assignments_as_are_allowed():
    for K, N in ((2, 20), (4, 10), (1024, 2)):
        assert next(states_of_assignments(np.ones((N, 1)), K)).shape[1:] == (K, 1)
        with pytest.raises(ValueError, match="at most 1048576 assignments"):
            next(states_of_assignments(np.ones((N + 1, 1)), K))


def test_the_smallest_prior_is_allowed():
    close(BetaBernoulli(1, 1.01 * TINY).b, 1.01 * TINY)


def test_no_epoch_is_no_learning():
    fit = fit_hierarchical(ROUND, X, S, HYPER, max_epochs=0)
    close(fit.S, S)
    assert (fit.epochs, fit.converged, len(fit.trace)) == (0, False, 1)


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
