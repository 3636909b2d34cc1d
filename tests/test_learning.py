"""Learning: batch never falls, the online recursion is its sums, streams resume bit for bit."""

from itertools import pairwise

import numpy as np
import oracles
import pytest
from oracles import KINDS, Full, Isotropic, close, problem
from scipy.special import gammaln, multigammaln
from sklearn.mixture import BayesianGaussianMixture

from vbkit.families import Dirichlet
from vbkit.learning import Schedule, accumulation, fit_batch, fit_online, sato2000, without_discount
from vbkit.learning.initialization import init_from_rows, init_gaussian
from vbkit.mixture import EM, Mixture
from vbkit.structure import split_halves

pytestmark = pytest.mark.filterwarnings("error")
kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.parametrize("tenth", range(10))
def test_batch_never_falls(tenth):
    """1,000 random problems: sizes, families, priors, observation weights, copies."""
    rng = np.random.default_rng(100 + tenth)
    for trial in range(100):
        D, K, N = rng.integers(1, 4), rng.integers(1, 6), rng.integers(1, 25)
        prior, a, X, R, _ = problem(rng, KINDS[trial % 2], D, N, K)
        w = (None, rng.uniform(1e-3, 3, N), 1.0 * rng.integers(0, 3, N) + (np.arange(N) == 0))[
            trial % 3
        ]
        mixture = Mixture(
            prior.family(), Dirichlet(a), clones=rng.choice([1.0, 1.0, 1.0, 6.5, 500.0])
        )
        fit = fit_batch(mixture, X, mixture.m_step(X, R, w), weights=w, max_epochs=12, tolerance=0)
        assert fit.epochs == 12 and np.diff(fit.trace).min() > -1e-9 * max(1, abs(fit.trace).max())


@kinds
@pytest.mark.parametrize("clones", [1.0, 16.0, EM])
def test_batch_never_falls_with_pseudo_statistics(kind, clones):
    """The trace is the penalised bound: it rises, with pseudo-counts of the weights and without."""
    rng = np.random.default_rng(3)
    for trial in range(30):
        prior, a, X, R, plain = problem(rng, kind, 2, 10, 4)
        pseudo_statistics = rng.choice([0.3, 3.0]) * plain.family.statistics(
            prior.m + rng.normal(size=(5, 2))
        ).mean(0)
        pseudo_statistics[:3] *= [trial % 2, 0, 0]
        mixture = Mixture(
            plain.family,
            Dirichlet(0.0 if clones == EM else a),
            clones=clones,
            pseudo_statistics=pseudo_statistics,
        )
        fit = fit_batch(mixture, X, mixture.m_step(X, R), max_epochs=30, tolerance=0)
        assert np.diff(fit.trace).min() > -1e-9 * abs(fit.trace).max()


def test_what_a_fit_reports():
    *_, X, R, mixture = problem(np.random.default_rng(4), Full)
    start, schedule = mixture.m_step(X, R), sato2000(12)
    none, short, fit = (fit_batch(mixture, X, start, max_epochs=n) for n in (0, 3, 5000))
    assert (
        none.epochs == 0
        and not none.converged
        and (none.S == start).all()
        and len(short.trace) == 4
    )
    assert (
        fit.converged
        and fit.n_components == 3
        and fit.elbo == fit.trace[-1]
        and "not" not in repr(fit)
    )
    assert abs(fit.trace[-1] - fit.trace[-2]) < 1e-6 <= abs(fit.trace[-2] - fit.trace[-3])
    close([mixture.elbo(X, start), mixture.elbo(X, fit.S)], fit.trace[[0, -1]], rtol=1e-13)
    assert fit_batch(mixture, X, fit.S).epochs == 1
    watched, silent = (
        fit_online(mixture, X, start, schedule, epochs=2, monitor=m) for m in (True, False)
    )
    assert (silent.S == watched.S).all() and watched.trace[-1] == mixture.elbo(X, watched.S)
    stopped = fit_online(mixture, X, start, schedule, epochs=500, tolerance=0.01)
    assert stopped.converged and 1 < stopped.epochs < 500
    assert watched.epochs == silent.epochs == 2


def test_inputs_are_left_alone():
    """Arguments come back as they were, and a second fit gives the same bits."""
    rng = np.random.default_rng(13)
    *_, X, R, mixture = problem(rng, Full, N=30)
    start, w = mixture.m_step(X, R), rng.uniform(0.5, 1, 30)
    kept, results = (X.copy(), start.copy(), w.copy()), []
    for _ in range(2):
        online = fit_online(
            mixture, mixture.observe(X, w), start, sato2000(30), rng=np.random.default_rng(1)
        )
        results.append((online.S, fit_batch(mixture, X, start, weights=w).S))
    for one, other in zip((*results[0], *kept), (*results[1], X, start, w), strict=True):
        np.testing.assert_array_equal(one, other)


@kinds
@pytest.mark.parametrize("start", [init_from_rows, init_gaussian])
def test_starts(kind, start):
    """Distinct rows, drawn in to the mean by `init_from_rows`; equal counts."""
    *_, X, R, mixture = problem(np.random.default_rng(5), kind, 2, 30)
    S = start(mixture, X, 4, np.random.default_rng(6), spread=0.2)
    centres = mixture.family.parameters(2.0**100 * S)[0]
    if start is init_from_rows:
        centres = X.mean(0) + (centres - X.mean(0)) / 0.8
    distance = abs(centres[:, None] - X[None]).sum(-1)
    close(S[:, 0], 30 / 4)
    assert (distance.min(1) < 1e-9).all() and len(set(distance.argmin(1))) == 4
    assert fit_batch(mixture, X, S).converged


@kinds
@pytest.mark.parametrize("D, K", [(1, 2), (2, 3), (3, 9), (4, 17)])
def test_online_is_the_discounted_sums(kind, D, K):
    """(3.6)-(3.16): the state is T times the sum of w_s r_s t(x_s), discounted by the lambdas since (3.23),
    eta one over the sum of discounts; responsibilities by the textbook posterior of data so weighted."""
    rng = np.random.default_rng(6)
    prior, a, X, R, mixture = problem(rng, kind, D, 25, K)
    N, T, effective_sample_size, w = 25, 40.0, 7.0, rng.uniform(0.2, 2, 25)
    lambdas = [1 - 1 / ((tau - 2) * 0.3 + 5) for tau in range(2, N + 2)]
    both, soft = (
        np.concatenate([X + 0.1, X]),
        np.concatenate([R, 0 * R]),
    )  # the start: 25 data in a memory of 7
    start = T * mixture.m_step(X + 0.1, R) / N
    for t in range(N):
        discounts, old = (
            [np.prod(lambdas[s + 1 : t]) for s in range(t)],
            effective_sample_size * np.prod(lambdas[:t]),
        )
        eta = 1 / (sum(discounts) + old)
        power = T * eta * np.concatenate([np.full(N, old / N), discounts * w[:t], np.zeros(N - t)])
        q = oracles.posterior(prior, a, both, soft, power)
        soft[N + t] = oracles.responsibilities(q, X[t : t + 1])[0]
        if t in (1, 7, 24):
            schedule = sato2000(T, tau0=5, kappa=0.3, effective_sample_size=effective_sample_size)
            fit = fit_online(mixture, mixture.observe(X[:t], w[:t]), start, schedule)
            close(fit.S, mixture.m_step(both, soft, power))
            close(fit.schedule.rate, eta, rtol=1e-13)


def test_schedule_closed_forms():
    """(3.6), (3.13), (3.22)-(3.25)."""
    tau0, kappa, n = 20.0, 0.02, 2_000_000
    keep, gain, after = Schedule(
        effective_sample_size=0, forgetting_rate=1 / tau0, decay=kappa, total=3.0
    ).rates(400)
    lambdas, eta = (
        1 - 1 / (np.arange(400) * kappa + tau0),
        [1.0],
    )  # (3.23) for tau = 2, ...; (3.6): eta(1) = 1
    for tau in range(1, 400):
        eta.append(1 / (1 + lambdas[tau] / eta[-1]))
    close(gain / 3, eta)
    direct = [
        1 / sum(np.prod(lambdas[s + 1 : t + 1]) for s in range(t + 1)) for t in range(0, 400, 57)
    ]
    close(gain[::57] / 3, direct)
    close(keep, 1 - gain / 3)
    close(after.forgetting_rate, 1 / (400 * kappa + tau0))
    gain = sato2000(1.0, tau0=tau0, kappa=kappa).rates(n)[1]
    close(gain[0], 1 / (1 + (1 - 1 / tau0) * tau0))
    close(n * gain[-1], 1 + 1 / kappa, rtol=0.03)
    close(without_discount(1.0, effective_sample_size=5).rates(50)[1], 1 / np.arange(6, 56))
    keep, gain, after = Schedule(
        effective_sample_size=0, forgetting_rate=0.25, decay=0, total=None
    ).rates(9)
    assert (
        (keep == 0.75).all()
        and (gain == 1).all()
        and after.forgetting_rate == 0.25
        and sato2000(5.0).rate == 0.01
    )
    keep, gain, after = accumulation().rates(9)
    assert (keep == 1).all() and (gain == 1).all() and accumulation().rates(0)[2] == accumulation()


@kinds
@pytest.mark.parametrize(
    "schedule", [sato2000(300, tau0=11, kappa=0.03), accumulation(), Schedule(3, 0.1, 0)]
)
def test_a_stream_resumes_bit_for_bit(kind, schedule):
    """Cut anywhere, over several epochs, in the order given or a random one."""
    rng = np.random.default_rng(7)
    *_, X, R, mixture = problem(rng, kind, 3, 300, 4)
    w, start = rng.uniform(0, 2, 300), mixture.m_step(X, R)
    data = mixture.observe(X, w)
    whole = fit_online(mixture, data, start, schedule, epochs=3)
    S, state = start, schedule
    for _ in range(3):
        for i, j in pairwise([0, *np.sort(rng.choice(np.arange(1, 300), 6, replace=False)), 300]):
            part = fit_online(mixture, mixture.observe(X[i:j], w[i:j]), S, state, monitor=False)
            S, state = part.S, part.schedule
    assert (S == whole.S).all() and state == whole.schedule
    one, two = np.random.default_rng(8), np.random.default_rng(8)
    shuffled = fit_online(mixture, data, start, schedule, epochs=3, rng=one)
    first = fit_online(mixture, data, start, schedule, epochs=2, rng=two)
    second = fit_online(mixture, data, first.S, first.schedule, rng=two)
    assert (second.S == shuffled.S).all() and not (shuffled.S == whole.S).all()
    assert [*first.trace, *second.trace[1:]] == shuffled.trace.tolist()


def test_long_streams_are_cut_into_blocks():
    *_, X, R, mixture = problem(np.random.default_rng(9), Isotropic, 1, 200_000, 2)
    start, schedule = 1000 * mixture.m_step(X[:20], R[:20]), sato2000(200_000)
    whole = fit_online(mixture, X, start, schedule, monitor=False)
    first = fit_online(mixture, X[:77_777], start, schedule, monitor=False)
    assert (
        fit_online(mixture, X[77_777:], first.S, first.schedule, monitor=False).S == whole.S
    ).all()
    close(whole.S[:, 0].sum(), 200_000)


@pytest.mark.parametrize("K, D", [(1, 2), (3, 2), (4, 3)])
def test_scikit_learn_has_the_same_posterior(K, D):
    """Same prior, same start, same posterior. Its lower bound lacks terms of K, N and the prior only."""
    prior, a, X, _, mixture = problem(np.random.default_rng(11), Full, D, 60, K)
    theirs = BayesianGaussianMixture(
        n_components=K, weight_concentration_prior_type="dirichlet_distribution", max_iter=20_000, tol=1e-13,
        weight_concentration_prior=a, mean_prior=prior.m, mean_precision_prior=prior.beta, reg_covar=0,
        degrees_of_freedom_prior=prior.nu, covariance_prior=prior.B, init_params="random", random_state=5,
    ).fit(X)  # fmt: skip
    R = np.random.RandomState(5).uniform(size=(60, K))  # its random start
    start = mixture.m_step(X, R / R.sum(1, keepdims=True))
    fit = fit_batch(mixture, X, start, max_epochs=20_000, tolerance=1e-13)
    beta, nu, mean, scatter = mixture.family.posterior(fit.S)
    ours = (
        mixture.weights.posterior(fit.S[:, 0]),
        beta,
        nu,
        mean,
        scatter / nu[:, None, None],
    )
    names = (
        "weight_concentration_",
        "mean_precision_",
        "degrees_of_freedom_",
        "means_",
        "covariances_",
    )
    for value, name in zip(ours, names, strict=True):
        close(value, getattr(theirs, name), rtol=1e-5, atol=1e-6)
    multigamma = (
        D * (D - 1) / 4 * np.log(np.pi)
    )  # of each posterior component's multivariate gamma function
    component = multigammaln(prior.nu / 2, D) - D / 2 * np.log(
        prior.beta
    )  # log normalisers of the prior
    component += prior.nu / 2 * (D * np.log(2) - np.linalg.slogdet(prior.B)[1])
    dropped = (
        K * (multigamma - component)
        + gammaln(K * a)
        - K * gammaln(a)
        - X.size / 2 * np.log(2 * np.pi)
    )
    close(fit.elbo - theirs.lower_bound_, dropped, atol=1e-6)


@kinds
def test_halves_add_up_to_the_component(kind):
    rng = np.random.default_rng(12)
    *_, X, R, mixture = problem(rng, kind, 2, 40)
    S = mixture.m_step(X, R)
    for w in (np.ones(40), rng.uniform(0.1, 2, 40)):
        for k, whole in enumerate(mixture.e_step(X, S, w).S):
            halves = split_halves(mixture, mixture.observe(X, w), S, k)
            r = mixture.responsibilities(X, S)[:, k] * w
            _, centre, C = oracles.moments(X, r)
            side = (X - centre) @ np.linalg.eigh(C)[1][:, -1] > 0
            close(halves.first + halves.second, whole)
            close(sorted(half[0] for half in halves), sorted([r[side].sum(), r[~side].sum()]))
