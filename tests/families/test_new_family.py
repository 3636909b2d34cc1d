"""A family the package does not know, as a user would write it:
all follows from three functions."""

from dataclasses import dataclass

import numpy as np
import oracles
import pytest
from oracles import close, gradient
from scipy import stats
from scipy.special import digamma, gammaln, logsumexp, softmax

from vbkit.families import Family
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_batch, fit_online, init_from_rows, sato2000
from vbkit.mixture import EM, Mixture
from vbkit.structure import split_halves
from vbkit.theory import log_evidence

pytestmark = pytest.mark.filterwarnings("error")


@dataclass(frozen=True, eq=False)
class Poisson(Family):
    """x ~ Poisson(rate), rate ~ Gamma(shape, inverse scale)."""

    shape: float
    inverse_scale: float
    dimension = 1

    def statistics(self, X):
        return np.stack([np.ones(len(X)), X[:, 0]]).T

    def log_normalizer(self, S):
        a, b = self.shape + S[..., 1], self.inverse_scale + S[..., 0]
        return gammaln(a) - a * np.log(b)

    def expected(self, S):
        a, b = self.shape + S[:, 1], self.inverse_scale + S[:, 0]
        return np.stack([-a / b, digamma(a) - np.log(b)], axis=1)

    def log_base(self, X):
        return -gammaln(X[:, 0] + 1)


A, B, C = 0.8, 0.3, 0.6
FAMILY = Poisson(A, B)
MIXTURE = Mixture(FAMILY, Dirichlet(C))


def counts(seed, N):
    rng = np.random.default_rng(seed)
    return rng.poisson(np.array([2.0, 15.0])[rng.integers(2, size=N)])[:, None].astype(
        float
    )


def log_marginal(X):
    """Log evidence of one component: negative-binomial predictions in sequence."""
    total, a, b = 0.0, A, B
    for x in X:
        total, a, b = total + stats.nbinom.logpmf(x[0], a, b / (b + 1)), a + x[0], b + 1
    return total


def test_one_component_is_exact():
    """K = 1; the base measure, too, counts with the observation's weight."""
    X, w = counts(0, 30), np.arange(30) % 3
    S = MIXTURE.m_step(X, np.ones((30, 1)), w)
    close(
        FAMILY.expected(S),
        gradient(lambda s: FAMILY.log_normalizer(s).sum(), S),
        rtol=1e-8,
    )
    close(MIXTURE.elbo(X, S, w), log_marginal(np.repeat(X, w, axis=0)))
    close(fit_online(MIXTURE, MIXTURE.observe(X, w), 0 * S, accumulation()).S, S)


@pytest.mark.parametrize("seed", range(6))
def test_bound_below_enumeration(seed):
    X = counts(seed, 7)
    evidence = oracles.log_evidence(lambda rows: log_marginal(X[list(rows)]), 7, C, 2)
    close(log_evidence(MIXTURE, X, 2), evidence)
    fit = fit_batch(
        MIXTURE, X, init_from_rows(MIXTURE, X, 2, np.random.default_rng(seed))
    )
    assert 1e-6 < evidence - fit.elbo < 2 and np.diff(fit.trace).min() > -1e-10


def test_em_batch_and_online():
    X, exact, trace = counts(3, 80), Mixture(FAMILY, Dirichlet(0.0), clones=EM), []
    R = softmax(np.hstack([-X, X]) / 4, axis=1)
    fit = fit_batch(exact, X, exact.m_step(X, R), max_epochs=20, tolerance=0)
    for _ in range(21):
        L = np.log(R.mean(0)) + stats.poisson.logpmf(X, (X * R).sum(0) / R.sum(0))
        trace.append(logsumexp(L, axis=1).sum())
        R = softmax(L, axis=1)
    close(fit.trace, trace)
    close(exact.log_predictive(X, fit.S), logsumexp(L, axis=1))
    mean, eta, forgetting_rate = fit.S / 80, 1 / 40, 1 / 40
    for x in np.concatenate([X, X])[:, 0]:
        r = softmax(
            np.log(mean[:, 0]) + stats.poisson.logpmf(x, mean[:, 1] / mean[:, 0])
        )
        eta, forgetting_rate = (
            1 / (1 + (1 - forgetting_rate) / eta),
            forgetting_rate / (1 + 0.01 * forgetting_rate),
        )
        mean = (1 - eta) * mean + eta * r[:, None] * [1, x]
    close(fit_online(exact, X, fit.S, sato2000(80, tau0=40), epochs=2).S, 80 * mean)


def test_online_vb_predictive_and_halves():
    X = counts(4, 500)
    start = init_from_rows(MIXTURE, X, 2, np.random.default_rng(5))
    fit, S = fit_batch(MIXTURE, X, start), start.copy()
    online = fit_online(MIXTURE, X, start, sato2000(500), epochs=5)
    assert abs(online.elbo - fit.elbo) < 0.01 * abs(fit.elbo)
    for x in X[:40]:  # accumulation by hand
        a, b = A + S[:, 1], B + S[:, 0]
        S += softmax(digamma(C + S[:, 0]) + x * (digamma(a) - np.log(b)) - a / b)[
            :, None
        ] * [1, x[0]]
    close(fit_online(MIXTURE, X[:40], start, accumulation()).S, S)
    new, a, b, n = (
        np.arange(400.0)[:, None],
        A + fit.S[:, 1],
        B + fit.S[:, 0],
        fit.S[:, 0],
    )
    predictive = MIXTURE.log_predictive(new, fit.S)
    exact = logsumexp(
        stats.nbinom.logpmf(new, a, b / (b + 1)), axis=1, b=(C + n) / (2 * C + 500)
    )
    close(predictive, exact, rtol=1e-8)
    close(np.exp(predictive).sum(), 1)
    for k, whole in enumerate(MIXTURE.e_step(X, fit.S).S):
        halves = split_halves(MIXTURE, X, fit.S, k)
        low, high = sorted(half[1] / half[0] for half in halves)
        close(halves.first + halves.second, whole)
        assert low < whole[1] / whole[0] < high
