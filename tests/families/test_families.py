"""Families: the normaliser, its gradient, its moments, by quadrature and Monte Carlo;
the sources' priors."""

import numpy as np
import pytest
from oracles import KINDS, Full, Isotropic, close, gradient, moments, problem
from scipy import stats
from scipy.integrate import trapezoid
from scipy.special import multigammaln

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
from vbkit.labels import Dirichlet

pytestmark = pytest.mark.filterwarnings("error")
kinds = pytest.mark.parametrize("kind", KINDS)


BUILT_IN = {
    NormalWishart: ([0, 0], 1.0, 3.0, np.eye(2)),
    NormalGamma: ([0, 0], 1.0, 2.0, [1.0, 1.0]),
    IsotropicGaussian: ([0, 0], 1.0, 2.0, 1.0),
    KnownCovariance: ([0, 0], 1.0, np.eye(2)),
    BetaBernoulli: (2,),
    DirichletCategorical: ((3, 3),),
    GammaPoisson: (2, 1.0, 1.0),
    LinearRegression: ([0, 0], [0]),
}


@pytest.mark.parametrize("kind", BUILT_IN)
def test_a_prior_is_the_same_only_as_itself(kind):
    """So it can be the key of a cache, whatever arrays it holds."""
    family, again = kind(*BUILT_IN[kind]), kind(*BUILT_IN[kind])
    assert family in {family: 1} and again not in {family: 1}


def added(family, S):
    """What data with the statistics S (K, P) add to the log normaliser, (K,)."""
    return family.log_normalizer(S) - family.log_normalizer(np.zeros_like(S))


@kinds
@pytest.mark.parametrize("D", [1, 2, 3, 5])
def test_expected_is_the_gradient_and_the_density(kind, D):
    rng = np.random.default_rng(D)
    prior, _, X, R, mixture = problem(rng, kind, D, N=9)
    family, w = prior.family(), rng.uniform(0.1, 2, 9)
    S, T = mixture.m_step(X, R, w), family.statistics(X)
    assert (T[:, 0] == 1).all() and T.T.flags.c_contiguous and family.dimension == D
    close(
        family.expected(S),
        gradient(lambda s: family.log_normalizer(s).sum(), S),
        rtol=1e-7,
        atol=1e-7,
    )
    density = np.stack([prior.update(X, r * w).expected_log_density(X) for r in R.T])
    close(family.expected(S) @ T.T, density)
    close(family.expected(0 * S[:1]) @ T.T, [prior.expected_log_density(X)])
    n, centres, scatters = map(
        np.array, zip(*(moments(X, r * w) for r in R.T), strict=True)
    )
    covariances = scatters / n[:, None, None]
    close(family.state(n, centres, covariances), S)
    if kind is Isotropic:
        covariances = (
            np.trace(covariances, axis1=1, axis2=2)[:, None, None] / D * np.eye(D)
        )
    for got, expected in zip(
        family.parameters(2.0**100 * S), (centres, covariances), strict=True
    ):
        close(got, expected)


@kinds
def test_normalizer_by_quadrature_in_one_dimension(kind):
    """log E_prior prod p(x_n)^w_n on a grid of log precision and standardised mean."""
    rng = np.random.default_rng(3)
    prior, _, X, *_ = problem(rng, kind, 1, N=4)
    w, family = np.array([1, 0.5, 2, 1]), prior.family()
    narrow = prior.update(X, w)
    shape, rate = (
        (prior.nu / 2, prior.B[0, 0] / 2) if kind is Full else (prior.a, prior.b)
    )
    u, z = np.linspace(-16, 6, 801)[:, None], np.linspace(-60, 60, 2001)[None]
    mu = narrow.m[0] + z * np.exp(-u / 2) / np.sqrt(narrow.beta)
    log_f = (
        stats.gamma.logpdf(np.exp(u), shape, scale=1 / rate)
        + u
        - 0.5 * (u + np.log(narrow.beta))
    )
    log_f = log_f + stats.norm.logpdf(
        mu, prior.m[0], np.exp(-u / 2) / np.sqrt(prior.beta)
    )
    for x, power in zip(X[:, 0], w, strict=True):
        log_f = log_f + power * stats.norm.logpdf(x, mu, np.exp(-u / 2))
    integral = trapezoid(trapezoid(np.exp(log_f), z[0], axis=1), u[:, 0])
    close(added(family, w[None] @ family.statistics(X)), np.log(integral), rtol=1e-8)


@kinds
def test_normalizer_and_moments_by_monte_carlo_in_two_dimensions(kind):
    """Within 4.5 standard errors, that of the normaliser itself below a percent."""
    rng, size, m = np.random.default_rng(4), 200_000, np.array([0.3, -0.4])
    prior = (
        Full(m, 0.8, 4.5, np.array([[2, 0.5], [0.5, 1.5]]))
        if kind is Full
        else Isotropic(m, 0.8, 2.5, 1.4)
    )
    X, family = rng.normal(size=(2, 2)), prior.family()
    S = family.statistics(X).sum(0, keepdims=True)

    def theta(mu, L):
        first = np.einsum("nij,nj->ni", L, mu - m)
        log_partition = (
            0.5 * ((mu - m) * first).sum(1)
            - 0.5 * np.linalg.slogdet(L)[1]
            + np.log(2 * np.pi)
        )
        square = [-L[:, 0, 0] / 2, -L[:, 0, 1], -L[:, 1, 1] / 2][
            : 3 if kind is Full else 1
        ]
        return np.column_stack([-log_partition, first, *square])

    density = np.exp(theta(*prior.draw(rng, size)) @ S[0])
    error = density.std() / density.mean() / np.sqrt(size)
    assert (
        error < 0.01 and abs(np.log(density.mean()) - added(family, S)[0]) < 4.5 * error
    )
    draws = theta(*prior.update(X, np.ones(2)).draw(rng, size))
    assert (
        abs(draws.mean(0) - family.expected(S)[0]) < 4.5 * draws.std(0) / np.sqrt(size)
    ).all()


def test_sato_prior_with_lebesgue_measure():
    """(A.16) with exponent gamma / 2 is a Wishart of gamma + D degrees of freedom and scatter
    gamma Delta^-1; its M-step (A.10-A.12) is the engine's, and its normaliser the corrected
    (A.17)."""
    rng, D, K, prior_strength = np.random.default_rng(5), 2, 3, 0.01
    c0, X, R, g0 = (
        rng.normal(size=D),
        rng.normal(size=(8, D)),
        rng.dirichlet(np.ones(K), 8),
        prior_strength / K,
    )
    family = NormalWishart.from_pseudo_data(c0, 1.7, g0)  # Delta_0^-1 = 1.7 I
    S, delta0 = R.T @ family.statistics(X), 1.7 * np.eye(D)

    def phi(
        g, delta
    ):  # (A.17): g + D degrees of freedom, and the first term's sign mended
        wishart = multigammaln((g + D) / 2, D) + (g + D) / 2 * (
            D * np.log(2) - np.linalg.slogdet(g * delta)[1]
        )
        return wishart + D / 2 * np.log(2 * np.pi / g)

    close(Dirichlet(g0 + 1).posterior(S[:, 0]), R.sum(0) + g0 + 1)
    for k, r in enumerate(R.T):
        g = r.sum() + g0
        c = (r @ X + g0 * c0) / g
        delta = ((X.T * r) @ X + g0 * (delta0 + np.outer(c0, c0))) / g - np.outer(c, c)
        beta, nu, mean, scatter = (part[k] for part in family.posterior(S))
        for got, expected in ((beta, g), (nu, g + D), (mean, c), (scatter, g * delta)):
            close(got, expected)
        close(
            added(family, S)[k],
            phi(g, delta) - phi(g0, delta0) - r.sum() * np.log(2 * np.pi),
        )
        for mu, L in zip(*Full(c, g, g + D, g * delta).draw(rng, 3), strict=True):
            exponent = (
                np.linalg.slogdet(L)[1] - (mu - c) @ L @ (mu - c) - np.trace(L @ delta)
            )
            normal = stats.multivariate_normal(c, np.linalg.inv(g * L)).logpdf(mu)
            wishart = stats.wishart(g + D, np.linalg.inv(g * delta)).logpdf(L)
            close(g / 2 * exponent - phi(g, delta), normal + wishart, rtol=1e-8)


def test_parametrisations_agree():
    """Ghahramani's normal-gamma(m, g, a, b) is IsotropicGaussian(m, g, a, b) and
    NormalWishart(m, g, 2a, 2b); isotropic pseudo-data are exp(count (alpha . theta - Psi)) with
    respect to d mu d rho."""
    X = np.random.default_rng(6).normal(size=(7, 1))
    one, other = (
        IsotropicGaussian(0.3, 0.7, 1.2, 0.9),
        NormalWishart(0.3, 0.7, 2.4, [[1.8]]),
    )
    S = one.statistics(X)[:1] + one.statistics(X)[2:5]
    close(one.expected(S), other.expected(S))
    close(added(one, S), added(other, S))
    prior, m, constants = (
        IsotropicGaussian.from_pseudo_data([1.0, 2, 3], 0.6, 1.4),
        np.array([1.0, 2, 3]),
        [],
    )
    for mu, rho in ((m, 0.5), (m[::-1], 2.0)):
        written = 1.4 * (1.5 * np.log(rho) - rho / 2 * ((mu - m) @ (mu - m) + 3 * 0.6))
        density = stats.multivariate_normal(m, 1 / (prior.mean_count * rho)).logpdf(mu)
        density += stats.gamma(prior.shape, scale=1 / prior.rate).logpdf(rho)
        constants.append(written - density)
    close(*constants)


def test_dirichlet():
    a, n = np.array([0.4, 1.0, 2.5]), np.array([1.5, 0.0, 3.0])
    dirichlet, exact = Dirichlet(a), stats.dirichlet(a + n)
    close(dirichlet.expected(n), gradient(dirichlet.log_normalizer, n), rtol=1e-8)
    for pi in ([0.2, 0.3, 0.5], [0.6, 0.3, 0.1]):
        close((a + n - 1) @ np.log(pi) - dirichlet.log_normalizer(n), exact.logpdf(pi))
    close(dirichlet.mean(n), exact.mean())
    assert (
        not Dirichlet(0.0).proper
        and not Dirichlet([1.0, 0.0]).proper
        and dirichlet.proper
    )


@kinds
@pytest.mark.parametrize("D", [1, 3])
def test_samples_follow_the_predictive_student(kind, D):
    rng = np.random.default_rng(8)
    prior, _, X, R, mixture = problem(rng, kind, D, 6, 1)
    draws = prior.family().sample(mixture.m_step(X, R)[0], 4000, rng)
    student, direction = prior.update(X, R[:, 0]).student(), rng.normal(size=D)
    scale = np.sqrt(direction @ np.reshape(student.shape, (D, D)) @ direction)
    exact = stats.t(student.df, np.reshape(student.loc, D) @ direction, scale)
    assert (
        draws.shape == (4000, D)
        and stats.kstest(draws @ direction, exact.cdf).pvalue > 0.01
    )


def test_a_scatter_without_a_factor_is_refused_whatever_its_eigenvalues(monkeypatch):
    """Near singularity, rounding may leave all eigenvalues above 0 where the factor fails."""

    def fails(_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(np.linalg, "cholesky", fails)
    with pytest.raises(ValueError, match="component"):
        NormalWishart([0, 0], 1.0, 3.0, np.eye(2)).expected(np.zeros((1, 6)))
