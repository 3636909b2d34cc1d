"""Limits: many copies are maximum likelihood; no discount and a growing total is accumulation; one unit is conjugate."""

import numpy as np
import oracles
import pytest
from scipy import stats
from scipy.special import logsumexp, softmax
from sklearn.mixture import GaussianMixture

from vbkit.families import Dirichlet
from vbkit.learning import Schedule, accumulation, fit_batch, fit_online, sato2000, without_discount
from vbkit.mixture import EM, Mixture

pytestmark = pytest.mark.filterwarnings("error")
kinds = pytest.mark.parametrize("kind", oracles.KINDS)


def maximum_likelihood(kind, X, R, w):
    """The M-step of EM: weights, centres, covariances."""
    n, centres, scatters = zip(*(oracles.moments(X, r * w) for r in R.T), strict=True)
    covariances = [C / m for C, m in zip(scatters, n, strict=True)]
    if kind is oracles.Isotropic:
        covariances = [np.trace(C) / X.shape[1] * np.eye(X.shape[1]) for C in covariances]
    return np.array(n) / sum(n), np.array(centres), np.array(covariances)


def log_densities(parameters, X):
    """log pi_k N(x; m_k, C_k), (N, K)."""
    parts = [np.log(p) + stats.multivariate_normal(m, C).logpdf(X) for p, m, C in zip(*parameters, strict=True)]
    return np.reshape(parts, (-1, len(X))).T


def em_problem(rng, kind, D=2, N=60, K=3):
    prior, a, X, R, _ = oracles.problem(rng, kind, D, N, K)
    R = softmax(3 * np.log(R) - ((X[:, None] - X[:K]) ** 2).sum(-1), axis=1) + 0.05
    return X, R / R.sum(1, keepdims=True), Mixture(prior.family(), Dirichlet(0.0), copies=EM)


def describe(mixture, S):
    return S[:, 0] / S[:, 0].sum(), *mixture.component.gaussians(mixture.copies * S)


@kinds
@pytest.mark.parametrize("D, K", [(1, 2), (2, 3), (3, 1)])
def test_batch_em(kind, D, K):
    """Step by step an independent EM, with observation weights; the trace is the log-likelihood and never falls."""
    rng = np.random.default_rng(D)
    X, R, mixture = em_problem(rng, kind, D, 60, K)
    w = rng.uniform(0.2, 2, 60)
    fit = fit_batch(mixture, X, mixture.collect(X, R, w), weights=w, max_epochs=25, tolerance=0)
    trace = []
    for _ in range(26):
        parameters = maximum_likelihood(kind, X, R, w)
        L = log_densities(parameters, X)
        trace.append(w @ logsumexp(L, axis=1))
        R = softmax(L, axis=1)
    np.testing.assert_allclose(fit.trace, trace, rtol=1e-9)
    assert np.diff(fit.trace).min() > -1e-11 * abs(fit.trace).max()
    for ours, theirs in zip(describe(mixture, fit.S), parameters, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(mixture.log_predictive(X, fit.S), logsumexp(L, axis=1), rtol=1e-9)


@kinds
def test_em_of_scikit_learn(kind):
    rng = np.random.default_rng(4)
    X, R, mixture = em_problem(rng, kind)
    weights, centres, covariances = maximum_likelihood(kind, X, R, np.ones(60))
    spherical = kind is oracles.Isotropic
    precisions = 1 / covariances[:, 0, 0] if spherical else np.linalg.inv(covariances)
    theirs = GaussianMixture(
        3, covariance_type="spherical" if spherical else "full", reg_covar=0, tol=1e-14, max_iter=5000, weights_init=weights,
        means_init=centres, precisions_init=precisions, init_params="random", random_state=0,
    ).fit(X)  # fmt: skip
    fit = fit_batch(mixture, X, mixture.collect(X, R), max_epochs=5000, tolerance=1e-12)
    pi, m, C = describe(mixture, fit.S)
    np.testing.assert_allclose(pi, theirs.weights_, rtol=1e-5)
    np.testing.assert_allclose(m, theirs.means_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(C[:, 0, 0] if spherical else C, theirs.covariances_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(fit.elbo / 60, theirs.score(X), rtol=1e-9)


@kinds
def test_copies_lead_from_vb_to_em(kind):
    """The distance of the fixed point from the maximum-likelihood one falls as 1 / copies, the bound's as log(c) / c."""
    rng = np.random.default_rng(5)
    X, R, em = em_problem(rng, kind, 2, 80, 2)
    start = em.collect(X, R)
    limit = fit_batch(em, X, start, max_epochs=400, tolerance=0)
    copies = 2.0 ** np.arange(0, 41, 4)
    S, bounds = [], []
    for c in copies:
        fit = fit_batch(Mixture(em.component, Dirichlet(1.0), copies=c), X, start, max_epochs=400, tolerance=0)
        S.append(fit.S)
        bounds.append(fit.elbo)
    distance = np.array([abs(s / limit.S - 1).max() for s in S])
    assert distance[0] > 1e-3 and (distance[5:8] / distance[4:7] < 1 / 12).all()
    assert (distance[5:8] / distance[4:7] > 1 / 20).all() and distance[-1] < 1e-9
    gap = limit.elbo - np.array(bounds)
    assert (np.diff(gap) < 1e-9).all() and (gap > -1e-8).all() and gap[-1] < 1e-8
    slope = np.diff(gap * copies)[2:7] / np.diff(np.log(copies))[2:7]  # half the number of parameters
    np.testing.assert_allclose(slope, 5.5 if kind is oracles.Full else 3.5, rtol=0.01)


@kinds
def test_map_is_em_on_data_and_pseudo_data(kind):
    """The floor: pseudo-statistics of every unit are as if data of that unit alone were there too."""
    rng = np.random.default_rng(6)
    X, R, em = em_problem(rng, kind, 2, 30, 3)
    extra = rng.normal(size=(4, 2)) * 0.1
    pseudo = em.component.statistics(extra).sum(0)
    mixture = Mixture(em.component, Dirichlet(0.0), copies=EM, pseudo=pseudo)
    S = mixture.collect(X, R)
    for _ in range(10):
        together = np.concatenate([X, extra, extra, extra])
        soft = np.concatenate([R, *(np.tile(np.eye(3)[k], (4, 1)) for k in range(3))])
        L = log_densities(maximum_likelihood(kind, together, soft, np.ones(len(soft))), X)
        np.testing.assert_allclose(mixture.responsibilities(X, S), softmax(L, axis=1), rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(mixture.sweep(X, S).log_likelihood, logsumexp(L, axis=1).sum(), rtol=1e-10)
        R, S = softmax(L, axis=1), mixture.sweep(X, S).S
    collapsed = Mixture(em.component, Dirichlet(0.0), copies=EM, pseudo=pseudo)
    fit = fit_batch(collapsed, X[:3], collapsed.collect(X[:3], np.eye(3)), max_epochs=50)  # a unit for each datum
    assert np.isfinite(fit.trace).all()


@kinds
@pytest.mark.parametrize("seed", range(5))
def test_em_refuses_a_unit_on_a_point(kind, seed):
    """Maximum likelihood is infinite there: never a number made of rounding or of 2**-100 of the prior."""
    rng = np.random.default_rng(seed)
    *_, mixture = em_problem(rng, kind)
    X = np.repeat(rng.normal(size=(1, 2)) * 10.0 ** rng.uniform(-2, 3), 1 + seed, axis=0)
    with pytest.raises(ValueError, match="collapsed"):
        mixture.elbo(X, mixture.collect(X, np.ones((len(X), 1))))
    if kind is oracles.Full:
        X = np.column_stack([rng.normal(size=40), np.full(40, rng.normal())])
        with pytest.raises(ValueError, match="collapsed"):
            mixture.elbo(X, mixture.collect(X, np.ones((40, 1))))


@kinds
def test_em_with_a_dead_unit(kind):
    """A unit of count 0 has weight 0, takes nothing, and stays as it is; no warning, no NaN."""
    rng = np.random.default_rng(7)
    X, R, mixture = em_problem(rng, kind)
    R[:, 2] = 0
    R /= R.sum(1, keepdims=True)
    S, two = mixture.collect(X, R), mixture.collect(X, R[:, :2])
    fit, other = fit_batch(mixture, X, S, max_epochs=20, tolerance=0), fit_batch(mixture, X, two, max_epochs=20, tolerance=0)
    np.testing.assert_allclose(fit.trace, other.trace, rtol=1e-12)
    assert (fit.S[2] == 0).all() and (mixture.responsibilities(X, fit.S)[:, 2] == 0).all()
    np.testing.assert_allclose(mixture.log_predictive(X, S), mixture.log_predictive(X, two), rtol=1e-12)
    online = fit_online(mixture, X, S, sato2000(60, tau0=50)).S
    np.testing.assert_allclose(online[:2], fit_online(mixture, X, two, sato2000(60, tau0=50)).S, rtol=1e-10)


@kinds
def test_online_em(kind):
    """Sato 1999: weighted means <<1>>, <<x>>, <<xx'>> with rate eta, parameters from them, one datum at a time."""
    rng = np.random.default_rng(8)
    X, R, mixture = em_problem(rng, kind, 2, 80, 2)
    schedule = sato2000(80.0, tau0=30, kappa=0.05)
    fit = fit_online(mixture, X, mixture.collect(X, R), schedule, epochs=2)
    n, first = R.mean(0), R.T @ X / 80
    second = np.einsum("nk,ni,nj->kij", R, X, X) / 80
    discount, eta = 1 / 30, 1 / 30
    for x in np.concatenate([X, X]):
        m = first / n[:, None]
        C = second / n[:, None, None] - m[:, :, None] * m[:, None, :]
        if kind is oracles.Isotropic:
            C = np.trace(C, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(2)
        r = softmax(log_densities((n, m, C), x[None])[0])
        eta = 1 / (1 + (1 - discount) / eta)
        discount = discount / (1 + 0.05 * discount)
        n, first = (1 - eta) * n + eta * r, (1 - eta) * first + eta * r[:, None] * x
        second = (1 - eta) * second + eta * r[:, None, None] * np.outer(x, x)
    pi, centres, _ = describe(mixture, fit.S)
    np.testing.assert_allclose(pi, n / n.sum(), rtol=1e-7)
    np.testing.assert_allclose(centres, first / n[:, None], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(fit.S[:, 0], 80 * n, rtol=1e-7)


@kinds
def test_accumulation(kind):
    """Ghahramani: prior and earlier data are the prior of the next datum. Running means with rate 1 / t, times a total that
    grows, are the same; the convex combination of whole posteriors with rate 1 / t is not."""
    rng = np.random.default_rng(9)
    prior, a, X, R, mixture = oracles.problem(rng, kind, 2, 20, 3)
    units = [prior.update(X[:1] + k, np.ones(1)) for k in range(3)]  # a start that breaks the symmetry
    start = mixture.collect(np.concatenate([X[:1] + k for k in range(3)]), np.eye(3))
    alpha, means, wrong = np.full(3, a) + 1, np.zeros_like(start), start.copy()
    for t, x in enumerate(X, start=1):
        q = (alpha, units)
        r = oracles.responsibilities(q, x[None])[0]
        running = mixture.sweep(x[None], start + (t - 1) * means).S
        means = (1 - 1 / t) * means + running / t
        wrong = (1 - 1 / t) * wrong + (start + t * mixture.sweep(x[None], wrong).S) / t
        alpha, units = alpha + r, [unit.update(x[None], np.array([p])) for unit, p in zip(units, r, strict=True)]
    S = fit_online(mixture, X, start, accumulation()).S
    np.testing.assert_allclose(start + 20 * means, S, rtol=1e-10, atol=1e-12)
    assert abs(wrong - S).max() > 0.1
    beta, _, mean, _ = mixture.component.posterior(S)
    np.testing.assert_allclose(mixture.weights.posterior(S[:, 0]), alpha)
    np.testing.assert_allclose(prior.m + mean, [unit.m for unit in units])
    np.testing.assert_allclose(oracles.responsibilities((alpha, units), X), mixture.responsibilities(X, S), rtol=1e-8, atol=1e-13)
    twice = fit_online(mixture, X, start, accumulation(), epochs=2).S
    np.testing.assert_allclose(twice[:, 0].sum(), 3 + 2 * 20)


@kinds
def test_one_unit_is_conjugate(kind):
    """K = 1: accumulation in any order is one batch step; without discount it is the running mean; forgetting is its sum."""
    rng = np.random.default_rng(10)
    *_, X, R, mixture = oracles.problem(rng, kind, 2, 20, 1)
    T, w = mixture.component.statistics(X), rng.uniform(0, 2, 20)
    zero = np.zeros((1, T.shape[1]))
    batch = fit_batch(mixture, X, zero, weights=w, max_epochs=1, tolerance=0).S
    np.testing.assert_allclose(batch, mixture.collect(X, R, w), rtol=1e-12)
    for order in (None, np.random.default_rng(1)):
        np.testing.assert_allclose(fit_online(mixture, X, zero, accumulation(), rng=order, weights=w).S, batch, rtol=1e-12)
    half = fit_online(mixture, X[:11], zero, accumulation())
    both = fit_online(mixture, X[11:], half.S, half.schedule)
    np.testing.assert_allclose(both.S, mixture.collect(X, R), rtol=1e-12)
    mean = fit_online(mixture, X, 20 * T[:1], without_discount(20.0, memory=1))  # the start is a first look at datum 1
    np.testing.assert_allclose(mean.S[0], 20 * (T[0] + T.sum(0)) / 21, rtol=1e-12, atol=1e-13)
    forgotten = fit_online(mixture, X, zero, Schedule(memory=0, discount=0.1, decay=0, total=None))
    np.testing.assert_allclose(forgotten.S[0], 0.9 ** np.arange(20)[::-1] @ T, rtol=1e-11, atol=1e-13)
