"""Limits: many copies are maximum likelihood; a growing total is accumulation;
one component is conjugate."""

import numpy as np
import oracles
import pytest
from oracles import KINDS, Full, Isotropic, close, problem
from scipy import stats
from scipy.special import logsumexp, softmax
from sklearn.mixture import GaussianMixture

from vbkit.labels import Dirichlet
from vbkit.learning import (
    Schedule,
    accumulation,
    fit_batch,
    fit_online,
    sato2000,
    without_discount,
)
from vbkit.mixture import EM, Mixture

pytestmark = pytest.mark.filterwarnings("error")
kinds = pytest.mark.parametrize("kind", KINDS)


def maximum_likelihood(kind, X, R, w=1.0):
    """The M-step of EM: weights, centres, covariances."""
    n, centres, scatters = map(
        np.array, zip(*(oracles.moments(X, r * w) for r in R.T), strict=True)
    )
    covariances = scatters / n[:, None, None]
    if kind is Isotropic:
        covariances = (
            np.trace(covariances, axis1=1, axis2=2)[:, None, None]
            * np.eye(X.shape[1])
            / X.shape[1]
        )
    return n / n.sum(), centres, covariances


def log_densities(parameters, X):
    """log pi_k N(x; m_k, C_k), (N, K)."""
    parts = [
        np.log(p) + stats.multivariate_normal(m, C).logpdf(X)
        for p, m, C in zip(*parameters, strict=True)
    ]
    return np.reshape(parts, (-1, len(X))).T


def em_problem(seed, kind, D=2, N=60, K=3, **more):
    prior, a, X, R, _ = problem(np.random.default_rng(seed), kind, D, N, K)
    R = softmax(3 * np.log(R) - ((X[:, None] - X[:K]) ** 2).sum(-1), axis=1) + 0.05
    return (
        X,
        R / R.sum(1, keepdims=True),
        Mixture(prior.family(), Dirichlet(0.0), clones=EM, **more),
    )


def describe(mixture, S):
    """Weights, centres, covariances."""
    return S[:, 0] / S[:, 0].sum(), *mixture.family.parameters(mixture.clones * S)


@kinds
@pytest.mark.parametrize("D, K", [(1, 2), (2, 3), (3, 1)])
def test_batch_em(kind, D, K):
    """Step by step an independent EM, with observation weights; the log-likelihood never falls."""
    X, R, mixture = em_problem(D, kind, D, 60, K)
    w, trace = np.random.default_rng(9).uniform(0.2, 2, 60), []
    fit = fit_batch(
        mixture, X, mixture.m_step(X, R, w), weights=w, max_epochs=25, tolerance=0
    )
    for _ in range(26):
        parameters = maximum_likelihood(kind, X, R, w)
        L = log_densities(parameters, X)
        trace.append(w @ logsumexp(L, axis=1))
        R = softmax(L, axis=1)
    close(fit.trace, trace)
    assert np.diff(fit.trace).min() > -1e-11 * abs(fit.trace).max()
    for ours, theirs in zip(describe(mixture, fit.S), parameters, strict=True):
        close(ours, theirs, rtol=1e-7, atol=1e-9)
    close(mixture.log_predictive(X, fit.S), logsumexp(L, axis=1))


@kinds
def test_em_of_scikit_learn(kind):
    X, R, mixture = em_problem(4, kind)
    weights, centres, covariances = maximum_likelihood(kind, X, R)
    one = (slice(None), 0, 0) if kind is Isotropic else slice(None)
    theirs = GaussianMixture(
        3, covariance_type="spherical" if kind is Isotropic else "full", reg_covar=0, tol=1e-14,
        max_iter=5000, weights_init=weights, means_init=centres,
        precisions_init=np.linalg.inv(covariances)[one],
        init_params="random", random_state=0,
    ).fit(X)  # fmt: skip
    fit = fit_batch(mixture, X, mixture.m_step(X, R), max_epochs=5000, tolerance=1e-12)
    pi, m, C = describe(mixture, fit.S)
    for ours, name in ((pi, "weights_"), (m, "means_"), (C[one], "covariances_")):
        close(ours, getattr(theirs, name), rtol=1e-4, atol=1e-6)
    close(fit.elbo / 60, theirs.score(X))


@kinds
def test_copies_lead_from_vb_to_em(kind):
    """The fixed point's distance from maximum likelihood falls as 1 / c,
    the ELBO's as P / 2 log(c) / c."""
    X, R, em = em_problem(5, kind, 2, 80, 2)
    S, bounds, clones = [], [], 2.0 ** np.arange(0, 41, 4)
    for c in (*clones, EM):
        mixture = Mixture(em.family, Dirichlet(1.0), clones=c)
        fit = fit_batch(mixture, X, em.m_step(X, R), max_epochs=400, tolerance=0)
        S.append(fit.S)
        bounds.append(fit.elbo)
    distance, gap = (
        np.array([abs(s / S[-1] - 1).max() for s in S[:-1]]),
        bounds[-1] - np.array(bounds[:-1]),
    )
    assert distance[0] > 1e-3 and distance[-1] < 1e-9
    close(distance[5:8] / distance[4:7], 1 / 16, rtol=0.2)
    assert (np.diff(gap) < 1e-9).all() and abs(gap[-1]) < 1e-8
    P = 11 if kind is Full else 7  # parameters
    close(np.diff(gap * clones)[3:8] / np.diff(np.log(clones))[3:8], P / 2, rtol=0.01)


@kinds
def test_map_is_em_on_data_and_pseudo_data(kind):
    """Pseudo-statistics are as if data of each component alone were there too:
    a floor to its width."""
    extra = 0.1 * np.random.default_rng(6).normal(size=(4, 2))
    X, R, em = em_problem(6, kind, 2, 30)
    mixture = Mixture(
        em.family,
        em.labels,
        clones=EM,
        pseudo_statistics=em.family.statistics(extra).sum(0),
    )
    S, together = mixture.m_step(X, R), np.concatenate([X, extra, extra, extra])
    for _ in range(10):
        soft = np.concatenate([R, np.kron(np.eye(3), np.ones((4, 1)))])
        L = log_densities(maximum_likelihood(kind, together, soft), X)
        R, S, log_likelihood, *_ = softmax(L, axis=1), *mixture.e_step(X, S)
        close(S, mixture.m_step(X, R), rtol=1e-7, atol=1e-9)
        close(log_likelihood, logsumexp(L, axis=1).sum())
    assert np.isfinite(
        fit_batch(mixture, X[:3], mixture.m_step(X[:3], np.eye(3))).trace
    ).all()
    online = fit_online(mixture, X[:5], S, accumulation()).S
    for x in X[:5, None]:
        S = S + mixture.e_step(x, S).S
    close(online, S)


@kinds
@pytest.mark.parametrize("seed", range(5))
def test_em_refuses_a_collapsed_component(kind, seed):
    """Maximum likelihood is infinite there:
    never a number made of rounding, or of 2**-100 of the prior."""
    *_, mixture = em_problem(seed, kind)
    rng = np.random.default_rng(seed)
    cases = [
        np.repeat(
            rng.normal(size=(1, 2)) * 10.0 ** rng.uniform(-2, 3), 1 + seed, axis=0
        )
    ]
    cases += (
        [np.column_stack([rng.normal(size=40), np.full(40, rng.normal())])]
        if kind is Full
        else []
    )
    for X in cases:
        with pytest.raises(ValueError, match="collapsed"):
            mixture.elbo(X, mixture.m_step(X, np.ones((len(X), 1))))


@kinds
def test_em_with_a_dead_component(kind):
    """A component of count 0 has weight 0, takes nothing, and stays as it is;
    no warning, no NaN."""
    X, R, mixture = em_problem(7, kind)
    R = R * [1, 1, 0] / R[:, :2].sum(1, keepdims=True)
    S, two = mixture.m_step(X, R), mixture.m_step(X, R[:, :2])
    fit, other = (
        fit_batch(mixture, X, start, max_epochs=20, tolerance=0) for start in (S, two)
    )
    close(fit.trace, other.trace, rtol=1e-12)
    assert (fit.S[2] == 0).all() and (
        mixture.responsibilities(X, fit.S)[:, 2] == 0
    ).all()
    fit, other = (
        fit_online(mixture, X, start, sato2000(60, tau0=50)) for start in (S, two)
    )
    close(fit.S[:2], other.S)
    close(mixture.log_predictive(X, S), mixture.log_predictive(X, two))


@kinds
def test_online_em(kind):
    """Sato 1999: weighted means <<1>>, <<x>>, <<xx'>> with rate eta, parameters from them,
    data point by data point."""
    X, R, mixture = em_problem(8, kind, 2, 80, 2)
    fit = fit_online(
        mixture, X, mixture.m_step(X, R), sato2000(80.0, tau0=30, kappa=0.05), epochs=2
    )
    n, first, second = R.mean(0), R.T @ X / 80, np.einsum("nk,ni,nj->kij", R, X, X) / 80
    eta = forgetting_rate = 1 / 30
    for x in np.concatenate([X, X]):
        m = first / n[:, None]
        C = second / n[:, None, None] - m[:, :, None] * m[:, None, :]
        C = (
            C
            if kind is Full
            else np.trace(C, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(2)
        )
        r = softmax(log_densities((n, m, C), x[None])[0])
        eta = 1 / (1 + (1 - forgetting_rate) / eta)
        forgetting_rate = forgetting_rate / (1 + 0.05 * forgetting_rate)
        n, first = (1 - eta) * n + eta * r, (1 - eta) * first + eta * r[:, None] * x
        second = (1 - eta) * second + eta * r[:, None, None] * np.outer(x, x)
    close(fit.S[:, 0], 80 * n, rtol=1e-7)
    close(describe(mixture, fit.S)[1], first / n[:, None], rtol=1e-6, atol=1e-7)


@kinds
def test_accumulation(kind):
    """Ghahramani: each posterior is the next data point's prior. Running means with rate 1 / t
    times a growing total are the same; the convex combination of whole posteriors with rate 1 / t
    is not."""
    prior, a, X, _, mixture = problem(np.random.default_rng(9), kind, 2, 20)
    seeds, (alpha, n_components) = (
        X[:1] + np.arange(3)[:, None],
        oracles.posterior(prior, a, X[:1], np.zeros((1, 3))),
    )
    start = mixture.m_step(seeds, np.eye(3))  # a start that breaks the symmetry
    alpha, n_components = (
        alpha + 1,
        [
            component.update(x[None], np.ones(1))
            for component, x in zip(n_components, seeds, strict=True)
        ],
    )
    means, wrong = 0 * start, start
    for t, x in enumerate(X[:, None], start=1):
        r = oracles.responsibilities((alpha, n_components), x)
        alpha, n_components = (
            alpha + r[0],
            [
                component.update(x, p)
                for component, p in zip(n_components, r.T, strict=True)
            ],
        )
        means = (1 - 1 / t) * means + mixture.e_step(x, start + (t - 1) * means).S / t
        wrong = (1 - 1 / t) * wrong + (start + t * mixture.e_step(x, wrong).S) / t
    S = fit_online(mixture, X, start, accumulation()).S
    close(start + 20 * means, S)
    close(mixture.labels.posterior(S[:, 0]), alpha)
    close(
        mixture.responsibilities(X, S),
        oracles.responsibilities((alpha, n_components), X),
    )
    assert abs(wrong - S).max() > 0.1
    close(
        fit_online(mixture, X, start, accumulation(), epochs=2).S[:, 0].sum(),
        3 + 2 * 20,
    )  # the data counted twice


@kinds
def test_one_component_is_conjugate(kind):
    """K = 1: accumulation in any order is a batch step; no discount is the running mean;
    forgetting a sum."""
    rng = np.random.default_rng(10)
    *_, X, R, mixture = problem(rng, kind, 2, 20, 1)
    T, w = mixture.family.statistics(X), rng.uniform(0, 2, 20)
    zero, batch = 0 * T[:1], mixture.m_step(X, R, w)
    close(fit_batch(mixture, X, zero, weights=w, max_epochs=1).S, batch)
    for order in (None, np.random.default_rng(1)):
        close(
            fit_online(
                mixture, mixture.observe(X, w), zero, accumulation(), rng=order
            ).S,
            batch,
        )
    half = fit_online(mixture, mixture.observe(X[:11], w[:11]), zero, accumulation())
    close(
        fit_online(mixture, mixture.observe(X[11:], w[11:]), half.S, half.schedule).S,
        batch,
    )
    mean = fit_online(
        mixture, X, 20 * T[:1], without_discount(20.0, memory=1)
    ).S  # the start is a look at data point 0
    close(mean[0], 20 * (T[0] + T.sum(0)) / 21)
    forgotten = fit_online(
        mixture, X, zero, Schedule(memory=0, forgetting_rate=0.1, decay=0, total=None)
    ).S
    close(forgotten[0], 0.9 ** np.arange(20)[::-1] @ T)
