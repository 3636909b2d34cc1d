"""A family the package does not know, written as a user would: everything follows from its three functions."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma, gammaln, logsumexp, softmax

from vbkit.families import Dirichlet, Family
from vbkit.learning import accumulation, fit_batch, fit_online, sato2000, start_at_rows
from vbkit.mixture import EM, Mixture
from vbkit.structure import split_halves
from vbkit.theory.enumeration import log_evidence

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
EXACT = Mixture(FAMILY, Dirichlet(0.0), copies=EM)


def counts(rng, N):
    return rng.poisson(np.array([2.0, 15.0])[rng.integers(2, size=N)])[:, None].astype(float)


def chain(X):
    """Log evidence of one unit: negative-binomial predictions in sequence."""
    total, a, b = 0.0, A, B
    for x in X:
        total, a, b = total + stats.nbinom.logpmf(x, a, b / (b + 1)), a + x, b + 1
    return total


def test_gradient_and_one_unit():
    rng = np.random.default_rng(0)
    X = counts(rng, 30)
    S = MIXTURE.collect(X, np.ones((30, 1)))
    step = 1e-4 * np.eye(2)
    slope = [(FAMILY.log_normalizer(S + h) - FAMILY.log_normalizer(S - h)) / 2e-4 for h in step]
    np.testing.assert_allclose(FAMILY.expected(S)[0], np.ravel(slope), rtol=1e-8)
    np.testing.assert_allclose(MIXTURE.elbo(X, S), chain(X[:, 0]), rtol=1e-12)
    np.testing.assert_allclose(fit_online(MIXTURE, X, 0 * S, accumulation()).S, S)


def test_bound_below_enumeration():
    rng = np.random.default_rng(1)
    for _ in range(10):
        X = counts(rng, 7)
        terms = []
        for z in product(range(2), repeat=7):
            n = np.bincount(z, minlength=2)
            labels = gammaln(2 * C) - gammaln(2 * C + 7) + (gammaln(C + n) - gammaln(C)).sum()
            terms.append(labels + sum(chain(X[np.array(z) == k, 0]) for k in range(2)))
        np.testing.assert_allclose(log_evidence(MIXTURE, X, 2), logsumexp(terms), rtol=1e-11)
        fit = fit_batch(MIXTURE, X, start_at_rows(MIXTURE, X, 2, rng))
        assert fit.elbo < logsumexp(terms) and np.diff(fit.trace).min() > -1e-10


def test_bound_term_by_term_with_weights():
    """E log p - E log q written out; the base measure counts with the observation's weight."""
    rng = np.random.default_rng(2)
    X, R, w = counts(rng, 12), rng.dirichlet(np.ones(3), 12), rng.uniform(0, 2, 12)
    S = MIXTURE.collect(X, R, w)
    alpha, a, b = C + (w @ R), A + (w * X[:, 0]) @ R, B + w @ R
    log_pi, log_rate, rate = digamma(alpha) - digamma(alpha.sum()), digamma(a) - np.log(b), a / b
    L = log_pi + X * log_rate - rate - gammaln(X + 1)
    r = softmax(L, axis=1)
    bound = (w[:, None] * r * (L - np.log(r))).sum() + stats.dirichlet(alpha).entropy()
    bound += gammaln(3 * C) - 3 * gammaln(C) + (C - 1) * log_pi.sum()
    bound += (A * np.log(B) - gammaln(A) + (A - 1) * log_rate - B * rate + stats.gamma(a, scale=1 / b).entropy()).sum()
    np.testing.assert_allclose(MIXTURE.elbo(X, S, w), bound, rtol=1e-12)
    np.testing.assert_allclose(MIXTURE.responsibilities(X, S), r, rtol=1e-10)


def test_em_batch_and_online():
    rng = np.random.default_rng(3)
    X = counts(rng, 80)
    R = softmax(np.hstack([-X, X]) / 4, axis=1)
    fit = fit_batch(EXACT, X, EXACT.collect(X, R), max_epochs=20, tolerance=0)
    trace = []
    for _ in range(21):
        weights, rates = R.mean(0), (X * R).sum(0) / R.sum(0)
        L = np.log(weights) + stats.poisson.logpmf(X, rates)
        trace.append(logsumexp(L, axis=1).sum())
        R = softmax(L, axis=1)
    np.testing.assert_allclose(fit.trace, trace, rtol=1e-11)
    np.testing.assert_allclose(EXACT.log_predictive(X, fit.S), logsumexp(L, axis=1), rtol=1e-9)
    online = fit_online(EXACT, X, fit.S, sato2000(80, tau0=40), epochs=2).S
    mean, eta, discount = fit.S / 80, 1 / 40, 1 / 40
    for x in np.concatenate([X, X])[:, 0]:
        r = softmax(np.log(mean[:, 0]) + stats.poisson.logpmf(x, mean[:, 1] / mean[:, 0]))
        eta = 1 / (1 + (1 - discount) / eta)
        discount /= 1 + 0.01 * discount
        mean = (1 - eta) * mean + eta * r[:, None] * [1, x]
    np.testing.assert_allclose(online, 80 * mean, rtol=1e-9)


def test_online_vb_predictive_and_halves():
    rng = np.random.default_rng(4)
    X = counts(rng, 500)
    start = start_at_rows(MIXTURE, X, 2, np.random.default_rng(5))
    fit = fit_batch(MIXTURE, X, start)
    online = fit_online(MIXTURE, X, start, sato2000(500), epochs=5, rng=rng)
    assert abs(online.elbo - fit.elbo) < 0.01 * abs(fit.elbo)
    S, q = start.copy(), []
    for x in X[:40]:  # accumulation, by hand
        a, b = A + S[:, 1], B + S[:, 0]
        r = softmax(digamma(C + S[:, 0]) + x * (digamma(a) - np.log(b)) - a / b)
        S += r[:, None] * [1, x[0]]
    np.testing.assert_allclose(fit_online(MIXTURE, X[:40], start, accumulation()).S, S, rtol=1e-10)
    new = np.arange(400.0)[:, None]
    a, b, pi = A + fit.S[:, 1], B + fit.S[:, 0], (C + fit.S[:, 0]) / (2 * C + 500)
    q = MIXTURE.log_predictive(new, fit.S)
    np.testing.assert_allclose(q, logsumexp(stats.nbinom.logpmf(new, a, b / (b + 1)), axis=1, b=pi), rtol=1e-8)
    np.testing.assert_allclose(np.exp(q).sum(), 1, rtol=1e-10)
    swept = MIXTURE.sweep(X, fit.S).S
    for k in range(2):
        halves = split_halves(MIXTURE, X, fit.S, k)
        np.testing.assert_allclose(halves.first + halves.second, swept[k], rtol=1e-10)
        low, high = sorted(h[1] / h[0] for h in halves)
        assert low < swept[k, 1] / swept[k, 0] < high


def test_bad_input_of_a_new_family():
    with pytest.raises(ValueError, match="X has 2 columns"):
        MIXTURE.elbo(np.ones((3, 2)), np.ones((2, 2)))
    with pytest.raises(ValueError, match="state"):
        MIXTURE.elbo(np.ones((3, 1)), np.ones((2, 3)))
