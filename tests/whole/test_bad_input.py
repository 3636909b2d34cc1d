"""Bad input: a ValueError that names the argument, before any work;
and odd input that is allowed."""

import re

import numpy as np
import oracles
import pytest

from vbkit import factorization
from vbkit.checks import as_number
from vbkit.data import Truth
from vbkit.families import (
    BetaBernoulli,
    IsotropicGaussian,
    KnownCovariance,
    NormalGamma,
    NormalWishart,
    variance_floor,
)
from vbkit.families.bernoulli import pattern_counts
from vbkit.labels import Dirichlet
from vbkit.learning import (
    Schedule,
    accumulation,
    component_prior_means,
    fit_batch,
    fit_gradient,
    fit_online,
    init_from_rows,
    init_gaussian,
    init_uniform,
    running_elbo,
    sato2000,
    without_discount,
)
from vbkit.learning.hierarchical import Hyperprior, fit_hierarchical_online
from vbkit.mixture import EM, Mixture
from vbkit.phases import diagram, growth, solve, structured_starts
from vbkit.phases.solver import check_counts
from vbkit.structure import (
    Tracker,
    delete,
    init_by_splits,
    merge,
    responsibility_statistics,
    run_search,
    split,
    split_along_axis,
    split_halves,
    start_search,
    track,
)
from vbkit.theory import (
    coexistence,
    divergence,
    entropy,
    free_energy_terms,
    generalization_error,
    log_evidence,
    phase,
    redundancy,
    two_copies,
)

pytestmark = pytest.mark.filterwarnings("error")
rng = np.random.default_rng(0)
I2, NAN, INF = np.eye(2), np.nan, np.inf
X, ONES, R = rng.normal(size=(10, 2)), np.ones(10), np.full((10, 3), 1 / 3)
FAMILY = NormalWishart([0, 0], 0.5, 3.0, I2)
M = Mixture(FAMILY, Dirichlet(0.7))
S = M.m_step(X, rng.dirichlet(np.ones(3), 10))
ONCE = accumulation()
BAD = []


def bad(name, call, *values):
    """Each value makes call(value) a ValueError whose text has the word `name`."""
    for value in values:
        BAD.append(pytest.param(name, call, value, id=f"{name}-{len(BAD)}"))


def changed(A, place, value):
    A = np.array(A, dtype=float)
    A[place] = value
    return A


WISHART = {"mean": [0, 0], "mean_count": 1.0, "degrees_of_freedom": 3.0, "scatter": I2}
ISOTROPIC = {"mean": [0, 0], "mean_count": 1.0, "shape": 1.0, "rate": 1.0}
for family, good in ((NormalWishart, WISHART), (IsotropicGaussian, ISOTROPIC)):
    for field in good:

        def build(v, family=family, good=good, field=field):
            return family(**(good | {field: v}))

        if field == "mean":
            bad(field, build, [NAN, 0], [INF, 0], "ab", [], [[0, 0]], None)
        elif field == "scatter":
            bad(
                field,
                build,
                -I2,
                0 * I2,
                [[1, 2], [2, 1]],
                [[1, 1], [1, 1]],
                [[1, 0.5], [0.4, 1]],
                np.eye(3),
            )
            bad(
                field,
                build,
                I2 * NAN,
                [1, 1],
                I2 * 1e-201,
                I2 * 1e201,
                np.diag([1, INF]),
                [[1, 0], [0]],
            )
            bad(field, build, 1.0, "x", None)
            bad(
                r"scatter\[0, 1\] is 1.0 and scatter\[1, 0\] is 0.9;? it must be",
                build,
                [[2, 1], [0.9, 2]],
            )
        else:
            bad(field, build, 0, -1.0, NAN, INF, None, "1", [1.0], np.ones(2))
    bad("count", lambda v, f=family: f.from_pseudo_data([0, 0, 0], 1.0, v), 0, -1, NAN)
    bad("variance", lambda v, f=family: f.from_pseudo_data([0, 0], v, 1.0), 0, -1, NAN)
bad(
    "degrees_of_freedom",
    lambda v: NormalWishart(**(WISHART | {"degrees_of_freedom": v})),
    1.0,
    0.999,
)
bad("rate", lambda v: IsotropicGaussian(**(ISOTROPIC | {"rate": v})), 1e-201, 1e201)
bad("count", lambda v: IsotropicGaussian.from_pseudo_data([0, 0, 0], 1.0, v), 1 / 3)
bad("concentration", Dirichlet, -1, [1, -0.1], NAN, [1, INF], [], [[1.0]], "a", None)
bad("concentration", Dirichlet, True, [True, False], -1.0, 1.1e8, [1.0, 1e12])
bad("concentration", lambda v: Mixture(FAMILY, Dirichlet(v)), 0.0, [1.0, 0.0])
bad("concentration", lambda v: Mixture(FAMILY, Dirichlet(0.0), clones=v), 2.0**99)
bad("concentration", lambda v: Mixture(FAMILY, Dirichlet(v)).elbo(X, S), [1.0, 1.0])
bad("clones", lambda v: Mixture(FAMILY, clones=v), 0, 0.5, 2 * EM, NAN, -1, "EM", None)
PSEUDO = np.ones(5), [NAN] * 6, "a", np.ones((2, 6))
bad(
    "pseudo_statistics",
    lambda v: Mixture(FAMILY, clones=EM, pseudo_statistics=v).elbo(X, S),
    *PSEUDO,
)

bad(
    "X",
    lambda v: M.elbo(v, S),
    *(changed(X, (slice(2), 1), v) for v in (NAN, INF, [INF, -INF])),
)
bad(
    "X",
    lambda v: M.elbo(v, S),
    X[:, :1],
    np.ones((10, 3)),
    X[:0],
    X[0],
    X[None],
    np.empty((3, 0)),
)
bad("X", lambda v: M.elbo(v, S), 3.0, "text", [["a", "b"]], None, [[1, 2], [3]], X * 1j)
bad("X", lambda v: M.elbo(v, S), X * 1e101, X * 1e-102, np.full((2, 2), 1.7e308))
TAKE_ROWS = (
    lambda v: M.responsibilities(v, S),
    lambda v: M.log_predictive(v, S),
    lambda v: M.e_step(v, S),
    lambda v: M.m_step(v, R),
    lambda v: fit_batch(M, v, S),
    lambda v: fit_online(M, v, S, ONCE),
    lambda v: log_evidence(M, v, 2),
    lambda v: split_halves(M, v, S, 0),
    lambda v: init_from_rows(M, v, 2, rng),
    lambda v: init_gaussian(M, v, 2, rng),
)
for call in TAKE_ROWS:
    bad("X", call, changed(X, 0, NAN))
WEIGHTS = (
    -ONES,
    ONES[:9],
    ONES[:, None],
    0 * ONES,
    changed(ONES, 2, NAN),
    changed(ONES, 2, INF),
    1.0,
    "a",
)
bad("weights", lambda v: M.elbo(X, S, v), *WEIGHTS)
bad(
    "weights", lambda v: M.elbo(M.observe(X), S, v), ONES
)  # data already observed, without them
bad("R", lambda v: M.m_step(X, v), R[:9], R[:, 0], -R, R * NAN, R[:, :0])

STATES = (
    S[0],
    S[:, :5],
    S[:0],
    S * NAN,
    changed(S, (0, 0), -1),
    S[None],
    "a",
    None,
    changed(S, (0, 3), -1e3),
)
bad("state|component", lambda v: M.elbo(X, v), *STATES)
TAKE_A_STATE = (
    lambda s: fit_batch(M, X, s),
    lambda s: fit_online(M, X, s, ONCE),
    lambda s: M.responsibilities(X, s),
    lambda s: M.log_predictive(X, s),
    lambda s: split_halves(M, X, s, 0),
    lambda s: M.sample(s, 3, rng),
)
for call in TAKE_A_STATE:
    bad("state", call, S[:, :4])

bad("epochs|max_epochs", lambda v: fit_batch(M, X, S, max_epochs=v), -1, 2.5, None, "3")
bad("epochs", lambda v: fit_online(M, X, S, ONCE, epochs=v), -1, 2.5, None)
bad("tolerance", lambda v: fit_batch(M, X, S, tolerance=v), -1e-9, NAN, INF, None, "a")
bad("tolerance", lambda v: fit_online(M, X, S, ONCE, tolerance=v), -1e-9, NAN, "a")
bad("tolerance", lambda v: fit_online(M, X, S, ONCE, tolerance=v, monitor=False), 0.1)
bad("rng", lambda v: fit_online(M, X, S, ONCE, rng=v), 0, "a")
bad("memory", lambda v: fit_online(M, X, S, sato2000(10.0, memory=v)), 0)
bad("tau0", lambda v: sato2000(10.0, tau0=v), 0, 0.5, -1, NAN, INF, None, "a")
bad("kappa", lambda v: sato2000(10.0, kappa=v), -0.1, NAN, INF, None, "a")
bad("total", sato2000, 0, -5, NAN, INF, "a")
bad("total", without_discount, 0, NAN)
bad("memory", lambda v: Schedule(memory=v), -1, NAN, INF, "a", None)
bad("forgetting_rate", lambda v: Schedule(forgetting_rate=v), -0.1, 1.1, NAN, "a")
bad("decay", lambda v: Schedule(decay=v), -0.1, NAN, INF)

for start in (init_from_rows, init_gaussian):
    bad("n_components", lambda v, f=start: f(M, X, v, rng), 0, -1, 11, 2.0, None)
    bad("spread", lambda v, f=start: f(M, X, 2, rng, spread=v), 0, -1, NAN, INF, "a")
bad("spread", lambda v: init_from_rows(M, X, 2, rng, spread=v), 1.1)
bad("n_components", lambda v: init_from_rows(M, v, 2, rng), np.ones((10, 2)))
bad("n_components|assignments", lambda v: log_evidence(M, X, v), 0, -1, 5, 1.5)
bad("clones", lambda v: log_evidence(Mixture(FAMILY, clones=v), X, 2), 2.0)
bad("component", lambda v: split_halves(M, X, S, v), -1, 3, 0.5)

ROUND, BITS, B = (
    Mixture(IsotropicGaussian(0.0, 1.0, 1.0, 1.0)),
    Mixture(BetaBernoulli(2)),
    X > 0,
)
bad("family", Mixture, None, "a", Dirichlet())
bad("labels", lambda v: Mixture(FAMILY, v), None, 1.0)
bad("X", lambda v: BITS.elbo(v, np.ones((1, 5))), M.observe(X))  # of another family
bad(
    "X",
    lambda v: ROUND.elbo(v, np.ones((2, 3))),
    M.observe(X),
    Mixture(IsotropicGaussian([0, 0], 1, 1, 1)).observe(X),
)
bad("state|component", lambda v: M.e_step(X, v), *STATES)
bad("concentration", lambda v: Mixture(FAMILY, Dirichlet(v)).e_step(X, S), [1.0, 2.0])
bad(
    "concentration",
    lambda v: log_evidence(Mixture(FAMILY, Dirichlet(v)), X[:3], 3),
    [1.0, 2.0],
)
bad("size", lambda v: M.sample(S, v, rng), -1, 2.5, None)
bad("rng", lambda v: M.sample(S, 3, v), None, 0)
WEIGHTED = M.observe(X, ONES)
bad("X", lambda v: log_evidence(M, v, 2), WEIGHTED)
bad("X", lambda v: running_elbo(M, v, S, sato2000(10.0)), WEIGHTED)
NOT_FOR_THIS_FAMILY = (
    lambda v: variance_floor(BITS.family, 1.0, 1.0),
    lambda v: component_prior_means(BITS, B),
    lambda v: component_prior_means(Mixture(KnownCovariance([0, 0], 1.0)), X),
    lambda v: init_gaussian(BITS, B, 2, rng),
    lambda v: init_uniform(BITS, 2, 9.0, rng),
    lambda v: split_along_axis(BITS, B, v, 0),
    lambda v: free_energy_terms(M, X, R),
)
for call in NOT_FOR_THIS_FAMILY:
    bad("family", call, np.ones((1, 5)))
for family in (
    FAMILY,
    KnownCovariance([0, 0], 1.0),
    NormalGamma([0, 0], 1, 1, 1),
    IsotropicGaussian([0, 0], 1, 1, 1),
):
    bad(
        "counts",
        lambda v, f=family: f.state(v, X[:2], [I2]),
        [-1, 1],
        [1, 1, 1],
        NAN,
        [NAN, 1],
        -1.0,
    )
    bad(
        "centres",
        lambda v, f=family: f.state([1.0], v, [I2]),
        [[NAN, 0]],
        [[1.0]],
        X[0],
        [[0, 1e101]],
    )
    bad(
        "covariances",
        lambda v, f=family: f.state([1.0], X[:1], v),
        "a",
        np.eye(3),
        np.ones(2),
        [I2 * NAN],
        [I2 * 1e201],
        [np.eye(3)],
        [I2, I2],
    )

NEVER = Mixture(FAMILY, Dirichlet(0.0), clones=EM)
bad(
    "ELBO",
    np.errstate(invalid="ignore")(lambda v: fit_batch(NEVER, X, v)),
    np.zeros((1, 6)),
)
for schedule in (None, 0.1):
    bad("schedule", lambda v: fit_online(M, X, S, v), schedule)
    bad("schedule", lambda v: fit_gradient(X, [1.0], X[:1], [1.0], v), schedule)
    bad(
        "schedule",
        lambda v: fit_hierarchical_online(
            ROUND, X[:, :1], S[:, :3], Hyperprior(1, 0.0, 1), v
        ),
        schedule,
    )
for call in (
    NEVER.responsibilities,
    NEVER.log_predictive,
    lambda _, S: NEVER.parameters(S),
    lambda _, S: NEVER.sample(S, 3, rng),
):
    bad(
        "nan",
        np.errstate(invalid="ignore")(lambda v, f=call: f(X, v)),
        np.zeros((2, 6)),
    )
bad("n", lambda v: ONCE.rates(v), 2.5, -1, None, 10**30)
bad("max_iterations", lambda v: solve(np.ones(4), np.ones((1, 2, 5)), 1.0, 1.0, max_iterations=v),
    0, 10**30)  # fmt: skip
START = init_from_rows(M, X, 2, rng)
bad("prior", lambda v: start_search(v, X, START, rng), 3, None)
bad("prior", lambda v: track(Tracker(v, START, rng), X), None)
bad("learn", lambda v: start_search(M, X, START, rng, learn=v), lambda *_: None,
    lambda m, x, s, _: fit_online(m, x, s, ONCE, monitor=False))  # fmt: skip

ONE, HALF = np.array([10.0, 1, 2]), [0.5, 0.5]
KNOWN = KnownCovariance([0.0, 0], 1.0)
TAKE_STATISTICS = (
    lambda v: two_copies.free_energy_of_copies(KNOWN, 1.0, v, HALF),
    lambda v: two_copies.gain_of_halves(KNOWN, v),
    lambda v: two_copies.switch_concentration(KNOWN, v),
    lambda v: two_copies.slope_in_share(KNOWN, 1.0, v, 0.3),
    lambda v: two_copies.prior_constant(KNOWN, v, 2),
    lambda v: two_copies.stationary_concentration(KNOWN, v, 0.3),
)
for call in TAKE_STATISTICS:
    bad(
        "S", call, ONE[:2], changed(ONE, 1, NAN), changed(ONE, 0, 0), [], ONE[None], "a"
    )
bad(
    "concentration",
    lambda v: two_copies.slope_in_share(KNOWN, v, ONE, 0.3),
    -1.0,
    0,
    NAN,
)
bad(
    "concentration",
    lambda v: two_copies.change_of_free_energy(HALF, 2, v),
    -3.0,
    0,
    NAN,
)
bad("gains", lambda v: two_copies.switch_concentrations(v, 30.0), [NAN], "a")
bad("size", lambda v: two_copies.switch_concentrations([1.0], v), 0, -1, NAN)
TWO = coexistence.ideal_isotropic(2)
bad("size", lambda v: coexistence.find_transition(TWO, v), 0.5, 1e-3, 2, 1e12, NAN)
bad(
    "size",
    lambda v: coexistence.find_transition(coexistence.ideal_bernoulli(4, 0, 0.1), v),
    3,
    10.0,
)
bad("starts", lambda v: solve(np.ones(4), v, 1.0, 1.0), np.ones((1, 1, 2, 5)), np.ones(5),
    np.ones((1, 0, 5)), np.ones((1, 2, 4)), -np.ones((1, 2, 5)), [[[1, -1, 1, 1, 1]]])  # fmt: skip
bad(
    "shares",
    lambda v: two_copies.free_energy_of_copies(KNOWN, 1.0, ONE, v),
    1.0,
    [0.5, 0.6],
    [2.0, -1.0],
)
bad(
    "pseudo_statistics",
    lambda v: log_evidence(Mixture(FAMILY, pseudo_statistics=v), X, 2),
    np.zeros(6),
)
bad(
    "X",
    lambda v: BetaBernoulli(2).check_data(v),
    np.ones((2, 2, 2), np.uint8),
    np.ones(2, bool),
    np.ones((0, 2), bool),
)
bad(
    "precision",
    lambda v: BetaBernoulli(2, 1.0, precision=v).mode_statistics(1.0),
    np.float32,
)
bad(
    "minorities",
    lambda v: phase.coefficient([0.5, 1.0], v, 1.0, 1.0),
    [[0.5]],
    [[0.5], [-0.1]],
    [[0.6], [0.5]],
)
bad(
    "sizes", lambda v: phase.coefficient(v, [[0.0], [0.0]], 1.0, 1.0), [0.5], [0.5, 1.1]
)
bad("counts", lambda v: check_counts(v, 2), [1, -1, 2, 0], [0, 0, 0, 0], [1, 2])
bad("X", pattern_counts, [[0, 2], [1, 1]], [[0.5, 0.7], [1, 1]], [0, 1], [])
bad("X", Truth([1.0], [[0.2, 0.5]]).joint, [[5, 0.3]], [[0, 1, 1]])
bad("weights", lambda v: Truth(v, I2), [0.5, 0.6], [1.0], [-1.0, 2.0])
HALF_WRONG = np.full((len(B), 2), 0.5) + np.eye(len(B), 2)
bad("R", lambda v: free_energy_terms(Mixture(BetaBernoulli(2)), B, v), HALF_WRONG)
bad(
    "clones",
    lambda v: free_energy_terms(Mixture(BetaBernoulli(2), clones=v), B, R),
    2.0,
    EM,
)
COINS = Truth([1.0], [[0.2, 0.5]])
bad("total", lambda v: structured_starts(COINS, 3, v), -5.0, 0, NAN)
bad("counts", lambda v: structured_starts(COINS, 3, 9.0, v), np.ones(3), -np.ones(4))
bad("totals", lambda v: growth(COINS, 2, v, 1.0, 1.0), [], "a")
for name, a, b in (
    ("concentration", [], [1.0]),
    ("pseudo_count", [1.0], []),
    ("concentration", [-1.0], [1.0]),
):
    bad(name, lambda v, a=a, b=b: diagram(np.ones(4), np.ones((1, 2, 5)), a, b), None)
bad(
    "concentration",
    lambda v: solve(np.ones(4), np.ones((3, 2, 5)), v, 1.0),
    [1.0, 2.0],
    -1,
    NAN,
)
bad("sizes", lambda v: redundancy.pair_log_evidence(v, [1.0], 1.0), [-5.0], [], NAN)
bad(
    "concentrations",
    lambda v: redundancy.pair_log_evidence([5.0], v, 1.0),
    [-1.0],
    [],
    [0.0099],
)
bad("prior_variance", lambda v: redundancy.pair_log_evidence([5.0], [1.0], v), -1.0)
bad("v", lambda v: redundancy.product_posterior(v, 1.0, 1.0), 1e7, NAN)
bad("prior", lambda v: redundancy.product_posterior(1.0, v, 1.0), 1e101, 1e-101, NAN)
bad("noise", lambda v: redundancy.product_posterior(1.0, 1.0, v), 1e101, 1e-101, 0)
bad(
    "shape",
    factorization.thresholds,
    (10**9, 10**12),
    (2**31 + 1, 1),
    (0, 1),
    (2.0, 3),
    5,
    None,
)
bad(
    "gamma",
    lambda v: factorization.shrink_empirical(v, (3, 4), 1e-4),
    1.1e98,
    [-1.0],
    NAN,
)
bad("prior_a", lambda v: factorization.solve_fixed(X, v, v, 1.0), 1e51, 1e-51, 0)
bad(
    "weights",
    lambda v: divergence.isotropic_log_density(X, v, X[:2], ONES[:2]),
    [0.0, 0.0],
)
bad(
    "points",
    lambda v: divergence.isotropic_log_density(v, [1.0], X[:1], [1.0]),
    1e200 * X,
)
OTHERS = 1, None, FAMILY
TAKE_A_MIXTURE = (
    lambda v: fit_batch(v, X, S),
    lambda v: fit_online(v, X, S, ONCE),
    lambda v: init_from_rows(v, X, 2, rng),
    lambda v: init_gaussian(v, X, 2, rng),
    lambda v: init_uniform(v, 2, 9.0, rng),
    lambda v: component_prior_means(v, X),
    lambda v: responsibility_statistics(v, X, S),
    lambda v: init_by_splits(v, X, 2),
    lambda v: split_halves(v, X, S, 0),
    lambda v: split_along_axis(v, X, S, 0),
    lambda v: log_evidence(v, X, 2),
    lambda v: running_elbo(v, X, S, sato2000(9.0)),
    lambda v: free_energy_terms(v, X, R),
    lambda v: generalization_error(v, S, COINS),
    lambda v: fit_hierarchical_online(v, X, S, Hyperprior(1, 0.0, 1), ONCE),
)
for call in TAKE_A_MIXTURE:
    bad("mixture", call, *OTHERS)
TAKE_A_FAMILY = (
    lambda v: two_copies.gain_of_halves(v, ONE),
    lambda v: redundancy.occupation(v, 1.0, X),
    lambda v: redundancy.occupation_of_identical(v, 1.0, X[0], 3),
    lambda v: variance_floor(v, 1.0, 1.0),
)
for call in TAKE_A_FAMILY:
    bad("family", call, 1, None, M)
TAKE_A_TRUTH = (
    lambda v: generalization_error(M, S, v),
    lambda v: structured_starts(v, 2, 9.0),
    lambda v: growth(v, 2, [9.0], 1.0, 1.0),
)
for call in TAKE_A_TRUTH:
    bad("truth", call, 1, None, (0.5, 0.5))
bad("component", lambda v: coexistence.find_transition(v, 30.0), 1, KNOWN)
bad("stats", lambda v: merge(v, 0, 1), 1, M)
bad("stats", lambda v: delete(v, 0), 1, M)
bad("stats", lambda v: split(v, 0), 1, M)
bad("search", run_search, 1, M)
bad("tracker", lambda v: track(v, X), 1, M)
bad("schedule", lambda v: running_elbo(M, X, S, v), 1, None)
bad(
    "entropy",
    lambda v: running_elbo(M, X, S, sato2000(9.0), entropy=v),
    NAN,
    INF,
    "a",
    None,
)
bad("p", entropy, [-1, 2], [NAN], "a")
bad("X column 1", lambda v: M.observe(v), X * [1, 1e-200], X * [1, 1e-200] + [1, 0])
bad("X column 0", lambda v: M.observe(v), X * [1e-200, 1])
bad("weights", lambda v: M.observe(X, v), np.where(ONES > 0, 1e300, 0))
bad("state", M.log_normalizer_ratio, S[:0], S * NAN, None)
LIMIT = np.errstate(all="ignore")(Mixture(FAMILY, clones=EM).log_normalizer_ratio)
bad("log-normaliser", LIMIT, S * 1e300)
bad("pseudo_count", lambda v: BetaBernoulli(2, v), 5e-324, 1e-310)
bad(
    "pseudo_count",
    lambda v: solve([1.0, 2, 3, 4], np.ones((2, 2, 5)), 1.0, v),
    5e-324,
    [1.0, 5e-324],
)
FACTORS = factorization.init_random([[1.0], [-3.0], [-0.3], [2.0]], 2, rng)
bad(
    "V",
    lambda v: factorization.gibbs(v, FACTORS, 3, rng),
    [[1.0], [1e16], [-0.3], [2.0]],
)
bad("a finite number", lambda v: as_number("x", v), NAN, True, "a")
bad("a finite number > 0", lambda v: KnownCovariance([0.0], v), NAN, True, 0)
WIDE = np.diag(
    [1.0, 10]
)  # the prior may be worth 1e-100 to 1e100 data points along every axis
bad("prior_variance is 5e-100", lambda v: KnownCovariance([0, 0], v, WIDE), 5e-100)
bad("prior_variance is 5e.100", lambda v: KnownCovariance([0, 0], v, WIDE), 5e100)


@pytest.mark.parametrize("name, call, value", BAD)
def test_bad_input_is_named(name, call, value):
    with pytest.raises(ValueError) as error:
        call(value)
    assert re.search(rf"\b({name})\b", str(error.value)), str(error.value)


@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_a_component_of_one_place_has_no_halves(n):
    for point in rng.normal(size=(5, 1, 2)):
        crowd = np.repeat(point, n, axis=0)
        with pytest.raises(ValueError, match="component"):
            split_halves(M, crowd, M.m_step(crowd, np.ones((n, 1))), 0)


def test_a_component_of_no_data_has_no_halves():
    far = FAMILY.state(
        [5, 5], [[0, 0], [1e3, 0]], [I2, I2]
    )  # the second component's responsibilities are exactly 0
    with pytest.raises(ValueError, match="component"):
        split_halves(Mixture(FAMILY, clones=EM), X, far, 1)


@pytest.mark.parametrize("kind", oracles.KINDS)
def test_odd_input_is_allowed(kind):
    """One row, equal rows, a constant column, more components than rows;
    lists, dtypes, orders, a vector."""
    *_, mixture = oracles.problem(np.random.default_rng(1), kind)
    for Y in (
        X[:1],
        X[:3],
        np.repeat(X[:1], 6, axis=0),
        np.zeros((4, 2)),
        X * [1, 0] + [0, 4],
    ):
        start = mixture.m_step(
            Y, np.random.default_rng(2).dirichlet(np.ones(5), len(Y))
        )
        fit, online = (
            fit_batch(mixture, Y, start),
            fit_online(mixture, Y, start, sato2000(len(Y)), epochs=3),
        )
        assert (
            fit.converged
            and np.diff(fit.trace).min() > -1e-9
            and np.isfinite(online.trace).all()
        )
        assert np.isfinite(mixture.log_predictive(X, fit.S)).all()
    Y, one = np.rint(3 * X), np.ones((10, 1))
    for same in (
        Y.tolist(),
        Y.astype(int),
        Y.astype(np.float32),
        np.asfortranarray(Y),
        Y[::-1][::-1],
    ):
        assert mixture.elbo(same, mixture.m_step(same, one)) == mixture.elbo(
            Y, mixture.m_step(Y, one)
        )
    *_, line = oracles.problem(np.random.default_rng(3), kind, 1)
    start = line.m_step(X[:, 0], one)
    assert (
        fit_batch(line, X[:, 0], start).elbo
        == fit_batch(line, X[:, :1], start.tolist()).elbo
    )


def test_what_a_prior_holds_is_its_own():
    """Numbers that a caller changes later are not the prior's,
    and nobody can change the prior's own."""
    a, C, m = np.array([1.0, 2]), np.eye(2), np.zeros(2)
    priors = {
        "concentration": Dirichlet(a),
        "mean": KnownCovariance(m, 1.0, C),
        "covariance": KnownCovariance(m, 1.0, C),
        "scatter": NormalWishart(m, 1.0, 3.0, C),
        "rate": NormalGamma(m, 1.0, 1.0, a),
        "centre": Hyperprior(1.0, m, 1.0),
    }
    before = {name: getattr(prior, name).copy() for name, prior in priors.items()}
    pseudo_statistics = np.zeros(6)
    mixture = Mixture(FAMILY, pseudo_statistics=pseudo_statistics)
    a[:], C[:], m[:], pseudo_statistics[:] = -1, 7, 9, 1
    assert not mixture.pseudo_statistics.any()
    for name, prior in priors.items():
        assert (getattr(prior, name) == before[name]).all()
        with pytest.raises(ValueError, match="read-only"):
            getattr(prior, name)[0] = 5.0


def test_one_count_and_one_covariance_serve_all_components():
    every = FAMILY.state(np.full(3, 4.0), X[:3], np.tile(I2, (3, 1, 1)))
    for count, covariance in (([4.0], [I2]), (4.0, I2), (np.full(3, 4), I2)):
        assert (FAMILY.state(count, X[:3], covariance) == every).all()
    known = KnownCovariance([0, 0], 1.0)
    assert (known.state(4.0, X[:3]) == known.state(4.0, X[:3], 7 * I2)).all()
    bits = BetaBernoulli(2)
    assert (
        bits.state(4.0, [[0, 1], [1, 1]]) == bits.state([4, 4], [[0, 1], [1, 1]])
    ).all()


def test_nearly_symmetric_scatter_is_allowed():
    """A covariance that rounding left unsymmetric in its last digits,
    entries near zero included."""
    for angle in np.linspace(0, np.pi / 2, 7):
        Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for scatter in (
            Q @ np.diag([3.0, 0.2]) @ Q.T,
            np.linalg.inv(Q @ np.diag([3e-3, 20]) @ Q.T),
        ):
            made = NormalWishart([0, 0], 1.0, 3.0, scatter).scatter
            assert (made == made.T).all() and np.allclose(
                made, scatter, rtol=1e-12, atol=0
            )
    assert NormalWishart([0, 0], 1.0, 3.0, [[1, 1e-17], [0, 1]]).scatter[1, 0] == 5e-18
