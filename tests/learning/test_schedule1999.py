"""Sato 1999: the schedule (32)-(41), and online EM as batch EM, as a differential equation,
as others know it."""

from itertools import pairwise

import numpy as np
import pytest
from oracles import close
from scipy.integrate import solve_ivp
from sklearn.mixture import GaussianMixture

from vbkit import data
from vbkit.families import IsotropicGaussian, NormalWishart, variance_floor
from vbkit.labels import Dirichlet
from vbkit.learning import (
    Schedule,
    fit_batch,
    fit_online,
    init_uniform,
    reciprocal,
    sato1999,
)
from vbkit.mixture import EM, Mixture

pytestmark = pytest.mark.filterwarnings("error")
ISOTROPIC = IsotropicGaussian([0.5, 0.5], 1.0, 1.0, 1.0)
PLAIN = Mixture(ISOTROPIC, Dirichlet(0.0), clones=EM)
SETTINGS = [
    (0.5, 0.01, 0.05),
    (0.5, 0.01, 0.1),
    (0.9, 0.3, 2.0),
    (0.01, 0.2, 0.0),
    (0.5, 0.0, 0.05),
    (1.0, 0.0, 1.0),
]
settings = pytest.mark.parametrize("learning_rate, forgetting_rate, kappa", SETTINGS)


def draw(size, seed=1, layout="factorised"):
    return data.sato1999(size, np.random.default_rng(seed), layout)[0]


# ---- the schedule --------------------------------------------------------------------------------


@settings
def test_rates_follow_from_the_discounts(learning_rate, forgetting_rate, kappa):
    """(22b) with (39), eta(1) = learning_rate; (34) and (35) solved for what they define."""
    t = np.arange(1, 2001)
    eta, _ = sato1999(
        7.0, learning_rate=learning_rate, forgetting_rate=forgetting_rate, kappa=kappa
    ).learning_rates(len(t))
    eps = np.array(
        [
            1 / ((s - 2) * kappa + 1 / forgetting_rate) if forgetting_rate else 0.0
            for s in t[1:]
        ]
    )
    expected = [learning_rate]
    for e in eps:
        expected.append(1 / (1 + (1 - e) / expected[-1]))
    close(eta, expected, rtol=1e-12)
    close(eta[:-1] * (1 / eta[1:] - 1), 1 - eps, rtol=1e-10)  # (34)
    close(np.diff(1 / eta), 1 - eps / eta[:-1], atol=1e-9)  # (35)
    assert (eta <= 1).all() and (
        eta >= 1 / (t + 1 / learning_rate - 1) - 1e-15
    ).all()  # (33), started at t0 = 1/learning_rate


@settings
def test_the_first_step_weighs_start_and_datum(learning_rate, forgetting_rate, kappa):
    """A start is worth 1/learning_rate - 1 data; a memory of none is refused."""
    X, S = draw(50), init_uniform(PLAIN, 3, 50, np.random.default_rng(3))
    schedule = sato1999(
        50, learning_rate=learning_rate, forgetting_rate=forgetting_rate, kappa=kappa
    )
    if learning_rate == 1:
        with pytest.raises(ValueError, match="memory"):
            fit_online(PLAIN, X, S, schedule)
        return
    first, second = (fit_online(PLAIN, X[:n], S, schedule).S for n in (1, 2))
    close(
        first, (1 - learning_rate) * S + learning_rate * 50 * PLAIN.e_step(X[:1], S).S
    )
    eta = 1 / (1 + (1 - forgetting_rate) / learning_rate)
    close(second, (1 - eta) * first + eta * 50 * PLAIN.e_step(X[1:2], first).S)


@pytest.mark.parametrize(
    "learning_rate, kappa",
    [(0.5, 0.1), (1e-4, 0.1), (0.3, 5.0), (0.999, 0.01), (1e-4, 0.0)],
)
def test_reciprocal(learning_rate, kappa):
    """(40) makes (41) exact."""
    eta, after = reciprocal(1.0, learning_rate, kappa).learning_rates(5000)
    close(
        eta, 1 / (np.arange(5000) * kappa / (1 + kappa) + 1 / learning_rate), rtol=1e-13
    )
    assert (
        after.total == 1.0
        and sato1999(
            1.0,
            learning_rate=learning_rate,
            forgetting_rate=0.5 * learning_rate / (1 + kappa),
        ).learning_rates(9)[0][8]
        < eta[8]
    )


def test_limits():
    """(36)-(38): t eta tends to 1 without forgetting, to 1 + 1/kappa with it."""
    t = 1_000_000
    for schedule, limit in (
        (sato1999(1.0), 21.0),
        (sato1999(1.0, kappa=1.0), 2.0),
        (sato1999(1.0, forgetting_rate=0), 1.0),
    ):
        close(t * schedule.learning_rates(t)[0][-1], limit, rtol=3e-3)
    close(
        sato1999(1.0, forgetting_rate=0, learning_rate=0.5).learning_rates(9)[0],
        1 / np.arange(2, 11),
    )
    close(
        sato1999(1.0, forgetting_rate=0, learning_rate=1.0).learning_rates(9)[0],
        1 / np.arange(1, 10),
    )


def test_three_phases():
    """The rate at 100, 500 and 2,100 data, where the paper has it near forgetting_rate = .01:
    a factor of two is between."""
    eta = sato1999(1.0).learning_rates(2100)[0]
    close(eta[[99, 499, 2099]], [0.01547, 0.00848, 0.00512], atol=5e-6)


def test_a_schedule_resumes_bit_for_bit():
    whole, end = sato1999(3.0).learning_rates(1000)
    schedule, parts = sato1999(3.0), []
    for i, j in pairwise([0, 1, 2, 77, 77, 500, 1000]):
        part, schedule = schedule.learning_rates(j - i)
        parts.append(part)
    assert (np.concatenate(parts) == whole).all() and schedule == end
    assert (end.rates(5)[1] == 3.0 / (1 / end.learning_rates(5)[0])).all()


@pytest.mark.parametrize(
    "name, value",
    [
        (name, v)
        for name in ("learning_rate", "forgetting_rate", "kappa", "total")
        for v in (-0.1, np.nan, np.inf, "1")
    ]
    + [
        ("learning_rate", 0),
        ("learning_rate", 1.1),
        ("forgetting_rate", 1.0),
        ("forgetting_rate", 0.96),
        ("total", 0),
    ],
)
def test_unfit_constants(name, value):
    with pytest.raises(ValueError, match=name):
        sato1999(**({"total": 1.0} | {name: value}))
    if name in ("learning_rate", "kappa", "total"):
        with pytest.raises(ValueError, match=name):
            reciprocal(
                **({"total": 1.0, "learning_rate": 0.5, "kappa": 0.1} | {name: value})
            )


def test_a_reciprocal_rate_starts_below_1():
    for kappa in (0.0, 0.1, 0.3):
        with pytest.raises(ValueError, match="learning_rate"):
            reciprocal(1.0, 1.0, kappa)


# ---- starts and floors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "family", [ISOTROPIC, NormalWishart([0.5, 0.5], 1.0, 3.0, np.eye(2))]
)
def test_uniform_start(family):
    mixture = Mixture(family, Dirichlet(0.0), clones=EM)
    S = init_uniform(mixture, 50, 300, np.random.default_rng(2))
    weights, (centres, covariances) = mixture.parameters(S)
    close(weights, 1 / 50)
    close(S[:, 0].sum(), 300)
    close(centres, np.random.default_rng(2).uniform(size=(50, 2)))
    close(
        covariances,
        np.broadcast_to(
            np.eye(2) * ((centres - centres.mean(0)) ** 2).sum() / 100, (50, 2, 2)
        ),
    )
    for name, bad in (
        ("n_components", (mixture, 1, 300)),
        ("n_components", (mixture, 2.5, 300)),
        ("total", (mixture, 4, 0)),
    ):
        with pytest.raises(ValueError, match=name):
            init_uniform(*bad, np.random.default_rng(1))
    with pytest.raises(ValueError, match="rng"):
        init_uniform(mixture, 4, 300, 1)


@pytest.mark.parametrize(
    "family", [ISOTROPIC, NormalWishart([0.3, -2], 1.0, 3.0, np.eye(2))]
)
def test_parameters_and_floor(family):
    """Maximum-likelihood estimates of labelled data;
    the floor adds `variance` times count / n to every variance."""
    X, labels = data.sato1999(400, np.random.default_rng(5))
    R, count = np.eye(4)[labels], 30.0
    mixture = Mixture(family, Dirichlet(0.0), clones=EM)
    floored = Mixture(
        family,
        Dirichlet(0.0),
        clones=EM,
        pseudo_statistics=variance_floor(family, 0.02, count),
    )
    weights, (centres, covariances) = mixture.parameters(mixture.m_step(X, R))
    groups = [X[labels == k] for k in range(4)]
    close(weights, [len(g) / 400 for g in groups])
    close(centres, [g.mean(0) for g in groups])
    scatter = np.array([np.cov(g.T, bias=True) for g in groups])
    if family is ISOTROPIC:
        scatter = np.trace(scatter, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(2)
    close(covariances, scatter)
    more = 0.02 * count / R.sum(0)
    ours = floored.parameters(floored.m_step(X, R))
    close(ours.weights, weights)
    close(ours.components.mean, centres)
    close(ours.components.covariance, scatter + more[:, None, None] * np.eye(2))
    for name, bad in (
        ("variance", (0.0, 1.0)),
        ("count", (1.0, 0.0)),
        ("count", (1.0, np.nan)),
    ):
        with pytest.raises(ValueError, match=name):
            variance_floor(family, *bad)


@pytest.mark.parametrize("count", [1.0, 30.0])
def test_a_floor_lets_em_collapse_and_go_on(count):
    """30 data, 20 components: without a floor some component ends on a point;
    with count = T every variance keeps to it."""
    X, floor = draw(30), 1e-6
    start = init_uniform(PLAIN, 20, 30, np.random.default_rng(1))
    with pytest.raises(ValueError, match="collapsed"):
        fit_batch(PLAIN, X, start, max_epochs=3000, tolerance=0)
    mixture = Mixture(
        ISOTROPIC,
        Dirichlet(0.0),
        clones=EM,
        pseudo_statistics=variance_floor(ISOTROPIC, floor, count),
    )
    fit = fit_batch(mixture, X, start, max_epochs=300, tolerance=0)
    some = fit.S[:, 0] > 0  # others hold nothing any more
    variances = mixture.parameters(fit.S).components.covariance[some, 0, 0]
    bound = floor * count / fit.S[some, 0]
    assert (variances >= bound * (1 - 1e-6)).all() and (variances < 1.01 * bound).any()
    assert np.diff(fit.trace).min() > -1e-9 * abs(fit.trace).max()
    online = fit_online(
        mixture,
        X,
        start,
        sato1999(30),
        epochs=100,
        rng=np.random.default_rng(2),
        monitor=False,
    )
    if count >= 30:
        covariances = mixture.parameters(online.S).components.covariance
        assert covariances.max(axis=(1, 2)).min() >= floor


# ---- batch EM and online EM ----------------------------------------------------------------------


@pytest.mark.parametrize("layout", data.SATO1999_LAYOUTS)
def test_batch_em_is_on_line_em_with_frozen_parameters(layout):
    """Section 7.1: lambda = 0 at the first data point of an epoch and 1 after it
    (eta = 1, 1/2, 1/3, ...), the posterior probabilities those of the last epoch's parameters.
    The likelihood never falls."""
    X = draw(100, 2, layout)
    S, trace = init_uniform(PLAIN, 4, 100, np.random.default_rng(4)), []
    keep, gain, _ = Schedule(
        memory=0.0, forgetting_rate=0.0, decay=0.0, total=100.0
    ).rates(100)
    for _ in range(5):
        sweep, running = PLAIN.e_step(X, S), S
        for x, k, g in zip(X[:, None], keep, gain, strict=True):
            running = k * running + g * PLAIN.e_step(x, S).S
        close(running, sweep.S, rtol=1e-13)
        trace.append(sweep.log_likelihood)
        S = running
    close(fit_batch(PLAIN, X, S, max_epochs=0).elbo, PLAIN.e_step(X, S).log_likelihood)
    assert np.diff(trace).min() > 0


def test_the_likelihood_never_falls():
    for seed in range(20):
        X = draw(200, seed)
        fit = fit_batch(
            PLAIN,
            X,
            init_uniform(PLAIN, 4, 200, np.random.default_rng(seed)),
            max_epochs=60,
            tolerance=0,
        )
        assert np.diff(fit.trace).min() > -1e-9 * abs(fit.trace).max()


@pytest.mark.parametrize("seed", range(3))
def test_scikit_learn_reaches_the_same_likelihood(seed):
    X = draw(300, seed)
    start = init_uniform(PLAIN, 4, 300, np.random.default_rng(seed))
    fit = fit_batch(PLAIN, X, start, max_epochs=3000, tolerance=1e-10)
    weights, (centres, covariances) = PLAIN.parameters(start)
    theirs = GaussianMixture(
        4,
        covariance_type="spherical",
        reg_covar=0,
        tol=1e-13,
        max_iter=3000,
        weights_init=weights,
        means_init=centres,
        precisions_init=1 / covariances[:, 0, 0],
        init_params="random",
        random_state=0,
    ).fit(X)
    close(fit.elbo / 300, theirs.score(X), rtol=1e-9)
    ours = PLAIN.parameters(fit.S)
    close(ours.weights, theirs.weights_, rtol=1e-4, atol=1e-6)
    close(ours.components.mean, theirs.means_, rtol=1e-4, atol=1e-6)
    assert fit.converged and fit.elbo > fit.trace[0] + 10


def test_the_differential_equation_climbs():
    """(31): dphi/dt = E[r t(x)] - phi. The likelihood rises along it, it ends where EM stands
    still, and it is what online EM with a small rate follows."""
    X, N = draw(60, 3), 60
    start = init_uniform(PLAIN, 2, N, np.random.default_rng(1)) / N

    def velocity(_, phi):
        return PLAIN.e_step(X, N * phi.reshape(start.shape)).S.ravel() / N - phi

    times = np.linspace(0, 400, 200)
    path = solve_ivp(
        velocity, (0, 400), start.ravel(), t_eval=times, rtol=1e-9, atol=1e-11
    )
    states = N * path.y.T.reshape(-1, *start.shape)
    trace = np.array([PLAIN.elbo(X, S) for S in states])
    assert path.success and np.diff(trace).min() > -1e-6 and trace[-1] > trace[0] + 5
    close(PLAIN.e_step(X, states[-1]).S, states[-1], rtol=1e-5)
    eta, epochs = 1e-4, 300
    slow = fit_online(
        PLAIN, X, N * start, reciprocal(N, eta, 0.0), epochs=epochs, monitor=False
    )
    short = solve_ivp(
        velocity, (0, eta * epochs * N), start.ravel(), rtol=1e-9, atol=1e-11
    )
    after = N * short.y[:, -1].reshape(start.shape)
    moved = abs(after - N * start).max()
    assert moved > 1 and abs(slow.S - after).max() < 0.01 * moved
