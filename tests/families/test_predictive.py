"""Predictive densities against mpmath, at counts, scales, dimensions and distances where the
difference of two log-normalisers in floating point has no digits left."""

import mpmath as mp
import numpy as np
import pytest
from oracles import close
from scipy.special import gammaln

from tests.families.test_check_family import Counts
from vbkit.families import (
    BetaBernoulli,
    GammaPoisson,
    IsotropicGaussian,
    KnownCovariance,
    NormalGamma,
    NormalWishart,
)
from vbkit.families.base import Family
from vbkit.families.special import log1p_square, log_gamma_ratio
from vbkit.labels import Dirichlet
from vbkit.mixture import EM, Mixture

pytestmark = pytest.mark.filterwarnings("error")
mp.mp.dps = 230  # mp.cholesky refuses pivots below 10**-dps; scales are squared


def student(x, mean, scatter, df):
    """Log density of a multivariate Student with `df` degrees of freedom at the scale matrix
    `scatter` / df."""
    D = len(x)
    d = mp.matrix([a - b for a, b in zip(x, mean, strict=True)])
    factor, log_det = mp.cholesky(scatter), 0
    z = mp.lu_solve(factor, d) if D < 40 else forward(factor, d)
    for i in range(D):
        log_det += 2 * mp.log(factor[i, i])
    kernel = mp.log1p(mp.fsum(a * a for a in z))
    gammas = mp.loggamma(mp.mpf(df + D) / 2) - mp.loggamma(mp.mpf(df) / 2)
    return gammas - (D * mp.log(mp.pi) + log_det + (df + D) * kernel) / 2


def forward(L, d):
    z = []
    for i in range(len(d)):
        z.append((d[i] - mp.fsum(L[i, j] * z[j] for j in range(i))) / L[i, i])
    return z


def exact(x):
    return [mp.mpf(float(v)) for v in x]


def normal_wishart(family, s, x):
    D, s = family.dimension, exact(s)
    n, first, beta = s[0], s[1 : 1 + D], family.mean_count + s[0]
    scatter, at = mp.matrix(D, D), 1 + D
    for i in range(D):
        for j in range(i, D):
            scatter[i, j] = (
                mp.mpf(float(family.scatter[i, j])) + s[at] - first[i] * first[j] / beta
            )
            scatter[j, i], at = scatter[i, j], at + 1
    mean = [m + f / beta for m, f in zip(exact(family.mean), first, strict=True)]
    df = family.degrees_of_freedom + n + 1 - D
    return student(exact(x), mean, scatter * (1 + 1 / beta), df)


def isotropic(family, s, x):
    D, s = family.dimension, exact(s)
    beta = family.mean_count + s[0]
    mean = [m + f / beta for m, f in zip(exact(family.mean), s[1:-1], strict=True)]
    rate = family.rate + (s[-1] - mp.fsum(f * f for f in s[1:-1]) / beta) / 2
    scale = 2 * rate * (1 + 1 / beta)
    kernel = mp.log1p(
        mp.fsum((a - b) ** 2 for a, b in zip(exact(x), mean, strict=True)) / scale
    )
    shape, half = family.shape + s[0] * D / 2, mp.mpf(D) / 2
    gammas = mp.loggamma(shape + half) - mp.loggamma(shape)
    return gammas - half * mp.log(mp.pi * scale) - (shape + half) * kernel


def normal_gamma(family, s, x):
    D, total = family.dimension, mp.mpf(0)
    for d in range(D):
        one = IsotropicGaussian(
            family.mean[d], family.mean_count, family.shape, family.rate[d]
        )
        total += isotropic(one, s[[0, 1 + d, 1 + D + d]], x[d : d + 1])
    return total


def known_covariance(family, s, x):
    """For a diagonal covariance."""
    total, s = mp.mpf(0), exact(s)
    for d in range(family.dimension):
        v = mp.mpf(float(family.covariance[d, d]))
        worth = v / family.prior_variance + s[0]
        width = v * (1 + 1 / worth)
        distance = (
            mp.mpf(float(x[d])) - mp.mpf(float(family.mean[d])) - s[1 + d] / worth
        )
        total -= (mp.log(2 * mp.pi * width) + distance**2 / width) / 2
    return total


def bernoulli(family, s, x):
    M, s = family.dimension, exact(s)
    ones = [family.pseudo_count + v for v in s[1 : 1 + M]]
    zeros = [family.pseudo_count_of_zeros + v for v in s[1 + M :]]
    parts = [(a if v else b) / (a + b) for a, b, v in zip(ones, zeros, x, strict=True)]
    return mp.fsum(mp.log(p) for p in parts)


def check(family, oracle, S, X):
    got = family.log_predictive(S, X)
    for k, s in enumerate(S):
        for n, x in enumerate(X):
            wanted = oracle(family, s, x)
            assert abs(mp.mpf(float(got[k, n])) - wanted) < 1e-9 * max(
                1, abs(wanted)
            ), (k, n)


def gaussians(D, scale):
    zero, scatter = np.zeros(D), np.eye(D) + 0.2
    yield NormalWishart(zero, 0.5, D + 0.5, scale**2 * scatter), normal_wishart
    yield IsotropicGaussian(zero, 0.5, 1.5, scale**2), isotropic
    yield NormalGamma(zero, 0.5, 1.5, scale**2 * np.linspace(1, 2, D)), normal_gamma
    yield (
        KnownCovariance(zero, scale**2, scale**2 * np.diag(np.linspace(1, 2, D))),
        known_covariance,
    )


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize(
    "D, scale", [(1, 1e-100), (3, 1e-30), (3, 1.0), (3, 1e99), (20, 1.0)]
)
def test_gaussians_at_any_count_scale_and_distance(which, D, scale):
    rng = np.random.default_rng(D)
    family, oracle = list(gaussians(D, scale))[which]
    X = scale * rng.standard_normal((D + 4, D))
    mean = family.statistics(X).mean(axis=0)
    S = np.outer([0.0, 1e-3, 3.0, 1e6, 1e12, EM * 1e3], mean)
    far = [0.1, 1.0, 100.0] if scale == 1e99 else [0.1, 1.0, 100.0, 1e10]
    check(family, oracle, S, X[:1] * np.array(far)[:, None] / 10)


@pytest.mark.parametrize("which", range(4))
def test_few_rows_of_large_deviation_in_many_dimensions(which):
    """The difference of log-normalisers, integrated by eight points, was off by 6 to 9 nats."""
    rng = np.random.default_rng(0)
    family, oracle = list(gaussians(100, 1.0))[which]
    X = 1000 * rng.standard_normal((8, 100))
    check(family, oracle, family.statistics(X[:5]).sum(axis=0)[None], X[5:7])


@pytest.mark.long
def test_two_hundred_dimensions():
    rng = np.random.default_rng(1)
    family = NormalWishart(np.zeros(200), 1.0, 200.5, np.eye(200))
    X = rng.standard_normal((102, 200)) * np.geomspace(0.1, 30, 200)
    with mp.workdps(40):
        check(
            family,
            normal_wishart,
            family.statistics(X[:100]).sum(axis=0)[None],
            X[100:],
        )


@pytest.mark.parametrize("n", [1.0, 1e6, 1e12, EM])
def test_bernoulli(n):
    family = BetaBernoulli(4, 1e-6, 0.3)
    S = n * np.array([[1.0, 1, 0, 0.3, 1e-9, 0, 1, 0.7, 1 - 1e-9]])
    check(family, bernoulli, S, np.array([[1, 1, 0, 1], [0, 0, 1, 0]], dtype=np.uint8))


@pytest.mark.parametrize("b", [0.5, 1.0, 7.5, 100.0])
def test_ratio_of_gamma_functions(b):
    for a in np.geomspace(1e-8, 1e35, 200):
        wanted = mp.loggamma(mp.mpf(a) + b) - mp.loggamma(mp.mpf(a))
        assert abs(mp.mpf(float(log_gamma_ratio(a, b))) - wanted) < 1e-13 * max(
            1, b, abs(wanted)
        )


@pytest.mark.parametrize("a", [64.001, 70.0, 100.0])
def test_ratio_of_gamma_functions_where_the_series_begins(a):
    wanted = mp.loggamma(mp.mpf(a) + 30) - mp.loggamma(mp.mpf(a))
    assert abs(mp.mpf(float(log_gamma_ratio(a, 30.0))) - wanted) < 4e-15 * wanted


def test_kernel_of_student():
    for z in [0.0, 1e-150, 1e-9, 0.3, 1.0, 7e8, 1e9, 3e10, 1e200]:
        wanted = mp.log1p(mp.mpf(z) ** 2)
        assert abs(mp.mpf(float(log1p_square(z))) - wanted) <= 1e-15 * wanted


@pytest.mark.parametrize("which", range(4))
def test_the_em_limit_is_the_plug_in_density(which):
    rng = np.random.default_rng(2)
    family, _ = list(gaussians(2, 1.0))[which]
    X = rng.standard_normal((30, 2))
    em = Mixture(family, Dirichlet(0.0), clones=EM)
    S = em.m_step(X, rng.dirichlet(np.ones(2), 30))
    weights, (means, covariances) = em.parameters(S)
    density = 0
    for w, m, C in zip(weights, means, covariances, strict=True):
        d = X - m
        square = np.einsum("ni,ij,nj->n", d, np.linalg.inv(C), d)
        density += w * np.exp(-square / 2) / (2 * np.pi * np.sqrt(np.linalg.det(C)))
    np.testing.assert_allclose(em.log_predictive(X, S), np.log(density), rtol=1e-11)


def test_the_default_keeps_its_digits_where_the_log_normaliser_is_large():
    """The integral over a fourth root of u against a closed form."""
    family = GammaPoisson(2, 0.5, 0.5)
    S = np.array([[3e8, 9e9, 2.0], [2.0, 3.0, 0.0]])
    X = np.array([[3.0, 0.0], [0.0, 2.0], [9.0, 1.0]])
    ours, theirs = Family.log_predictive(family, S, X), family.log_predictive(S, X)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5)  # what the rule leaves


@pytest.mark.parametrize("place", [-3e100, 3e100])
@pytest.mark.parametrize("width", [1, 20])
def test_columns_too_far_from_the_prior_mean_are_refused_on_both_sides(place, width):
    X = np.zeros((3, width))
    X[1, 0] = place
    with pytest.raises(ValueError, match="column 0 reaches 3e.100 from the prior mean"):
        IsotropicGaussian(np.zeros(width), 1.0, 1.0, 1.0).check_data(X)


@pytest.mark.parametrize("count", [1e6, 1e10, 1e12, 1e14, 1e17])
@pytest.mark.parametrize("rate", [0.0, 3.0])
def test_the_default_predictive_density_keeps_its_digits(count, rate):
    def A(count, total):
        a = mp.mpf(0.5) + total
        return mp.loggamma(a) - a * mp.log(mp.mpf(0.3) + count)

    x = np.array([[0.0], [1.0], [4.0], [60.0]])
    found = Counts().log_predictive(np.array([[count, rate * count]]), x)[0]
    with mp.workdps(60):
        value = A(mp.mpf(count), mp.mpf(rate * count))
        exact = [
            float(A(mp.mpf(count) + 1, rate * mp.mpf(count) + t) - value)
            for t in x[:, 0]
        ]
    close(found, exact - gammaln(x[:, 0] + 1), rtol=1e-9, atol=1e-7)
