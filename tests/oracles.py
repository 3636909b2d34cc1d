"""Slow references for the tests: textbook formulas from raw data, with no state vector and no
engine code.

Two priors of one Gaussian component with the same methods. Letters as in textbooks of the Bayesian
mixture of Gaussians: m, beta, nu, and B the inverse of the Wishart's scale; a and b (a rate) of the
gamma density.
"""

from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product

import numpy as np
from scipy import stats
from scipy.special import digamma, gammaln, logsumexp, softmax, xlogy

from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.mixture import Mixture

LOG_2PI = np.log(2 * np.pi)
close = partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-11)


def moments(X, r):
    """Count, weighted mean and scatter about that mean, in two passes."""
    n = r.sum()
    centre = r @ X / n
    return n, centre, ((X - centre).T * r) @ (X - centre)


class Gaussian:
    """What both share. `increase(n, C)` adds n data of scatter C; `precision` is E[Lambda]."""

    def update(self, X, r):
        if not r.any():
            return self
        n, centre, C = moments(X, r)
        beta, d = self.beta + n, centre - self.m
        new = replace(self, m=(self.beta * self.m + n * centre) / beta, beta=beta)
        return replace(
            new, **self.increase(n, C + self.beta * n / beta * np.outer(d, d))
        )

    def expected_log_density(self, X):
        d, D = X - self.m, len(self.m)
        return 0.5 * (
            self.log_det
            - D * LOG_2PI
            - D / self.beta
            - ((d @ self.precision) * d).sum(1)
        )

    def student(self):
        return stats.multivariate_t(self.m, self.shape * (1 + 1 / self.beta), self.df)

    def minus_divergence(self, prior):
        """E log prior(mu, Lambda) - E log q(mu, Lambda), q = self, term by term."""
        D, d = len(self.m), self.m - prior.m
        log_p_mu = (
            D * np.log(prior.beta)
            - D * prior.beta / self.beta
            - prior.beta * d @ self.precision @ d
        )
        return (
            0.5 * (log_p_mu - D * np.log(self.beta) + D)
            + self.log_p_lambda(prior)
            + self.entropy()
        )

    def draw(self, rng, size):
        """Draws of mu (size, D) and Lambda (size, D, D)."""
        Lambda, D = self.draw_lambda(rng, size), len(self.m)
        root = np.linalg.cholesky(np.linalg.inv(self.beta * Lambda))
        return self.m + (root @ rng.standard_normal((size, D, 1)))[:, :, 0], Lambda


@dataclass(frozen=True, eq=False)
class Full(Gaussian):
    """mu | Lambda ~ N(m, (beta Lambda)^-1), Lambda ~ Wishart(nu, B^-1)."""

    m: np.ndarray
    beta: float
    nu: float
    B: np.ndarray

    df = property(lambda q: q.nu + 1 - len(q.m))
    shape = property(lambda q: q.B / q.df)
    precision = property(lambda q: q.nu * np.linalg.inv(q.B))
    wishart = property(lambda q: stats.wishart(q.nu, np.linalg.inv(q.B)))

    @property
    def log_det(self):
        D = len(self.m)
        return (
            digamma((self.nu - np.arange(D)) / 2).sum()
            + D * np.log(2)
            - np.linalg.slogdet(self.B)[1]
        )

    def increase(self, n, C):
        return {"nu": self.nu + n, "B": self.B + C}

    def log_p_lambda(self, prior):
        D = len(self.m)
        log_norm = prior.wishart.logpdf(np.eye(D)) + np.trace(prior.B) / 2
        return log_norm + 0.5 * (
            (prior.nu - D - 1) * self.log_det - np.trace(prior.B @ self.precision)
        )

    def entropy(self):
        return self.wishart.entropy()

    def draw_lambda(self, rng, size):
        return self.wishart.rvs(size, random_state=rng).reshape(size, *self.B.shape)

    def family(self):
        return NormalWishart(self.m, self.beta, self.nu, self.B)


@dataclass(frozen=True, eq=False)
class Isotropic(Gaussian):
    """mu | rho ~ N(m, I / (beta rho)), rho ~ Gamma(a, rate b)."""

    m: np.ndarray
    beta: float
    a: float
    b: float

    df = property(lambda q: 2 * q.a)
    shape = property(lambda q: q.b / q.a * np.eye(len(q.m)))
    precision = property(lambda q: q.a / q.b * np.eye(len(q.m)))
    log_det = property(lambda q: len(q.m) * (digamma(q.a) - np.log(q.b)))

    def increase(self, n, C):
        return {"a": self.a + n * len(self.m) / 2, "b": self.b + np.trace(C) / 2}

    def log_p_lambda(self, prior):
        log_rho = digamma(self.a) - np.log(self.b)
        log_norm = prior.a * np.log(prior.b) - gammaln(prior.a)
        return log_norm + (prior.a - 1) * log_rho - prior.b * self.a / self.b

    def entropy(self):
        return stats.gamma(self.a, scale=1 / self.b).entropy()

    def draw_lambda(self, rng, size):
        return rng.gamma(self.a, 1 / self.b, (size, 1, 1)) * np.eye(len(self.m))

    def family(self):
        return IsotropicGaussian(self.m, self.beta, self.a, self.b)


KINDS = (Full, Isotropic)


def problem(rng, kind, D=2, N=12, K=3):
    """A random prior, a Dirichlet concentration, data, responsibilities,
    and the engine's mixture."""
    A = rng.normal(size=(D, D + 1))
    if kind is Full:
        rest = D - 1 + rng.uniform(0.3, 3), A @ A.T + 0.1 * np.eye(D)
    else:
        rest = rng.uniform(0.3, 3), rng.uniform(0.2, 3)
    prior, a = (
        kind(rng.normal(size=D), rng.uniform(0.05, 2), *rest),
        rng.uniform(0.2, 2),
    )
    X = rng.normal(size=(N, D)) + 2 * rng.normal(size=(3, D))[rng.integers(3, size=N)]
    return (
        prior,
        a,
        X,
        rng.dirichlet(np.ones(K), N),
        Mixture(prior.family(), Dirichlet(a)),
    )


def posterior(prior, a, X, R, w=1.0):
    """q(theta) after the M-step of R: concentrations (K,) and components."""
    R = R * np.reshape(w, (-1, 1))
    return a + R.sum(0), [prior.update(X, r) for r in R.T]


def log_joint(q, X):
    """E log pi_k + E log p(x_n | theta_k), (N, K)."""
    return (
        digamma(q[0])
        - digamma(q[0].sum())
        + np.stack([u.expected_log_density(X) for u in q[1]], axis=1)
    )


def responsibilities(q, X):
    return softmax(log_joint(q, X), axis=1)


def elbo(prior, a, X, q, R, w=1.0):
    """The ELBO at any q(theta) and any q(z) = R, every expectation written out."""
    (alpha, n_components), a = q, np.broadcast_to(a, len(q[0]))
    data = (np.reshape(w, (-1, 1)) * (R * log_joint(q, X) - xlogy(R, R))).sum()
    weights = (
        gammaln(a.sum())
        - gammaln(a).sum()
        + (a - 1) @ (digamma(alpha) - digamma(alpha.sum()))
    )
    weights += stats.dirichlet(alpha).entropy() if len(alpha) > 1 else 0
    return (
        data
        + weights
        + sum(component.minus_divergence(prior) for component in n_components)
    )


def log_predictive(q, X):
    """Mixture of Student densities with weights alpha / sum alpha."""
    parts = [np.reshape(component.student().logpdf(X), -1) for component in q[1]]
    return logsumexp(parts, axis=0, b=(q[0] / q[0].sum())[:, None])


def log_marginal(prior, X):
    """Log evidence of one component:
    each data point under the Student density of those before it."""
    total = 0.0
    for x in X:
        total += float(np.squeeze(prior.student().logpdf(x)))
        prior = prior.update(x[None], np.ones(1))
    return total


def log_evidence(log_marginal, N, a, K):
    """Sum over all assignments: chain rule for the labels, `log_marginal(rows)` for a component."""
    part, terms = cache(log_marginal), []
    for labels in product(range(K), repeat=N):
        groups = [tuple(n for n in range(N) if labels[n] == k) for k in range(K)]
        n = np.array([len(group) for group in groups])
        labelling = (
            gammaln(K * a) - gammaln(K * a + N) + (gammaln(a + n) - gammaln(a)).sum()
        )
        terms.append(labelling + sum(part(group) for group in groups))
    return logsumexp(terms)


def gradient(f, x, step=1e-4):
    """Fourth-order differences of f (any shape) at x (any shape),
    with steps relative to each coordinate."""

    def along(i):
        h = np.zeros(x.shape)
        h[i] = step * (abs(x[i]) + 0.01)
        return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h[i])

    return np.array([along(i) for i in np.ndindex(x.shape)]).reshape(
        x.shape + np.shape(f(x))
    )


# A component of each kind of `vbkit.theory.Phase` holds N to this power of N data.
EXPONENTS = {"empty": 0.0, "small vertex": 0.5}
EXPONENTS |= dict.fromkeys(("deterministic", "interior", "cut", "vertices"), 1.0)
