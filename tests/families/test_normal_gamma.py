"""Normal-gamma with independent dimensions:
against scipy, quadrature, exact enumeration, NumPy and scikit-learn."""

import numpy as np
import oracles
import pytest
from oracles import close, gradient, moments
from scipy import stats
from scipy.integrate import trapezoid
from scipy.special import digamma, logsumexp, softmax
from sklearn.mixture import GaussianMixture

from vbkit.compiled.online import log_densities
from vbkit.families import IsotropicGaussian, NormalGamma, variance_floor
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_batch, fit_online, init_gaussian
from vbkit.learning.online import reference_stream, run_stream
from vbkit.mixture import EM, Mixture

pytestmark = pytest.mark.filterwarnings("error")
G, A = 0.7, 1.3


def problem(D, N=9, K=3, seed=0):
    rng = np.random.default_rng([seed, D])
    family = NormalGamma(rng.normal(size=D), G, A, rng.uniform(0.3, 2, D))
    X = (
        rng.normal(size=(N, D)) * rng.uniform(0.5, 2, D)
        + 2 * rng.normal(size=(3, D))[rng.integers(3, size=N)]
    )
    return (
        family,
        X,
        rng.dirichlet(np.ones(K), N),
        Mixture(family, Dirichlet(rng.uniform(0.2, 2))),
    )


def by_hand(family, X, r):
    """m (D,), g, a, b (D,) after data with weights r, textbook formulas from two-pass moments."""
    n, centre, scatter = moments(X, r)
    g, d = G + n, centre - family.mean
    return (
        (G * family.mean + n * centre) / g,
        g,
        A + n / 2,
        family.rate + (scatter.diagonal() + G * n / g * d**2) / 2,
    )


def student(m, g, a, b):
    return stats.t(2 * a, m, np.sqrt(b / a * (1 + 1 / g)))


def chain(family, X):
    """Log evidence of one component:
    each data point under the Student densities after those before it."""
    first = student(family.mean, G, A, family.rate).logpdf(X[:1]).sum()
    return first + sum(
        student(*by_hand(family, X[:n], np.ones(n))).logpdf(X[n]).sum()
        for n in range(1, len(X))
    )


@pytest.mark.parametrize("D", [1, 2, 3, 6])
def test_expected_is_the_gradient_and_the_density(D):
    family, X, R, mixture = problem(D)
    S, T = mixture.m_step(X, R), family.statistics(X)
    assert T.shape == (9, 1 + 2 * D) and (T[:, 0] == 1).all() and T.T.flags.c_contiguous
    close(
        family.expected(S),
        gradient(lambda s: family.log_normalizer(s).sum(), S),
        rtol=1e-7,
        atol=1e-7,
    )
    for k, r in enumerate(R.T):
        m, g, a, b = by_hand(family, X, r)
        log_density = 0.5 * (
            digamma(a) - np.log(b) - np.log(2 * np.pi) - 1 / g - a / b * (X - m) ** 2
        ).sum(1)
        close(T @ family.expected(S)[k], log_density)
        beta, shape, mean, rate = (part[k] for part in family.posterior(S))
        for ours, exact in ((beta, g), (shape, a), (mean, m), (rate, b)):
            close(ours, exact)
        close(family.parameters(S)[1][k], np.diag(b / a))


@pytest.mark.parametrize("D", [1, 2])
def test_normalizer_by_quadrature(D):
    """log E_prior prod p(x_n)^w_n, dimension by dimension,
    on a mesh of log precision and standardised mean."""
    family, X, R, _ = problem(D, N=4)
    w, u, z = (
        np.array([1, 0.5, 2, 1]),
        np.linspace(-14, 6, 801)[:, None],
        np.linspace(-50, 50, 2001)[None],
    )
    total = 0.0
    for d in range(D):
        mu = by_hand(family, X, w)[0][d] + z * np.exp(-u / 2) / np.sqrt(G + w.sum())
        log_f = (
            stats.gamma.logpdf(np.exp(u), A, scale=1 / family.rate[d])
            + u
            - 0.5 * (u + np.log(G + w.sum()))
        )
        log_f = log_f + stats.norm.logpdf(
            mu, family.mean[d], np.exp(-u / 2) / np.sqrt(G)
        )
        for x, power in zip(X[:, d], w, strict=True):
            log_f = log_f + power * stats.norm.logpdf(x, mu, np.exp(-u / 2))
        total += np.log(trapezoid(trapezoid(np.exp(log_f), z[0], axis=1), u[:, 0]))
    s = w @ family.statistics(X)
    close(family.log_normalizer(s) - family.log_normalizer(0 * s), total, rtol=1e-8)


@pytest.mark.parametrize("D", [1, 3])
def test_evidence_and_student_predictive(D):
    family, X, R, mixture = problem(D)
    S = family.statistics(X).sum(0)
    close(family.log_normalizer(S) - family.log_normalizer(0 * S), chain(family, X))
    n_components = mixture.m_step(X, R)
    parts = np.array([student(*by_hand(family, X, r)).logpdf(X).sum(1) for r in R.T])
    weights = mixture.labels.concentration + R.sum(0)
    close(
        mixture.log_predictive(X, n_components),
        logsumexp(parts, axis=0, b=(weights / weights.sum())[:, None]),
    )
    draws = family.sample(n_components[0], 4000, np.random.default_rng(1))
    for d in range(D):
        m, g, a, b = by_hand(family, X, R[:, 0])
        assert stats.kstest(draws[:, d], student(m[d], g, a, b[d]).cdf).pvalue > 0.01


def test_bound_is_below_the_enumerated_evidence_and_tight_for_one_component():
    family, X, R, mixture = problem(2, N=6, K=2, seed=4)
    a = mixture.labels.concentration
    exact = oracles.log_evidence(
        lambda rows: chain(family, X[list(rows)]) if rows else 0.0, 6, a, 2
    )
    fit = fit_batch(mixture, X, mixture.m_step(X, R), max_epochs=200, tolerance=0)
    assert np.diff(fit.trace).min() > -1e-10 and exact - 3 < fit.elbo < exact
    one = mixture.m_step(X, np.ones((6, 1)))
    close(mixture.elbo(X, one), chain(family, X))


def test_one_dimension_is_the_isotropic_family_and_more_are_one_at_a_time():
    family, X, R, mixture = problem(1)
    same = Mixture(
        IsotropicGaussian(family.mean, G, A, float(family.rate[0])), mixture.labels
    )
    S = mixture.m_step(X, R)
    assert (S == same.m_step(X, R)).all()
    assert (family.packed_hyperparameters == same.family.packed_hyperparameters).all()
    close(family.expected(S), same.family.expected(S), rtol=1e-15)
    close(mixture.elbo(X, S), same.elbo(X, S), rtol=1e-14)
    family, X, R, _ = problem(3)
    S, alone = R.T @ family.statistics(X), 0.0
    for d in range(3):
        one = NormalGamma(family.mean[d], G, A, family.rate[d])
        alone += one.log_normalizer(R.T @ one.statistics(X[:, d : d + 1]))
    close(family.log_normalizer(S), alone)


@pytest.mark.parametrize("D", [1, 2, 3, 7])
@pytest.mark.parametrize(
    "clones, pseudo_statistics", [(1.0, False), (10.0, True), (EM, False)]
)
def test_compiled_stream_is_the_numpy_loop(D, clones, pseudo_statistics):
    rng, (family, X, R, _) = np.random.default_rng(D), problem(D, N=60, K=9)
    T = family.statistics(X)
    prior = Dirichlet(0.0 if clones == EM else rng.uniform(0.1, 2, 9))
    mixture = Mixture(
        family, prior, clones, 3 * T.mean(0) if pseudo_statistics else None
    )
    S, keep, gain = (
        R.T @ T + 20 * T.mean(0),
        rng.uniform(0.97, 1, 60),
        rng.uniform(0, 2, 60),
    )
    slow = reference_stream(mixture, S, X, keep, gain)
    np.testing.assert_allclose(
        run_stream(mixture, S, X, keep, gain),
        slow,
        rtol=0,
        atol=1e-12 * abs(slow).max(),
    )
    far = family.statistics(1e6 * X[:1])
    for s in mixture.effective(
        S
    ):  # where the product of statistics and parameters loses digits
        g, a, mean, b = (part[0] for part in family.relative_posterior(s[None]))
        square = (a / b * (far[0, 1 : 1 + D] - mean) ** 2).sum()
        exact = 0.5 * (
            D * (digamma(a) - np.log(2 * np.pi) - 1 / g) - np.log(b).sum() - square
        )
        close(log_densities(family, far, s[None])[0, 0], exact, rtol=1e-11)


def test_many_copies_are_scikit_learn_s_em():
    _, X, _, mixture = problem(2, N=200, seed=7)
    em = Mixture(mixture.family, Dirichlet(0.0), clones=EM)
    start = init_gaussian(em, X, 3, np.random.default_rng(1))
    weights, (centres, covariances) = em.parameters(start)
    begin = {
        "weights_init": weights,
        "means_init": centres,
        "precisions_init": 1 / covariances.diagonal(0, 1, 2),
    }
    theirs = GaussianMixture(
        3, covariance_type="diag", reg_covar=0, tol=0, max_iter=15, **begin
    )
    with pytest.warns(UserWarning, match="converge"):
        theirs.fit(X)
    fit = fit_batch(em, X, start, max_epochs=15, tolerance=0)
    weights, (centres, covariances) = em.parameters(fit.S)
    close(weights, theirs.weights_, rtol=1e-8)
    close(centres, theirs.means_, rtol=1e-8)
    close(covariances.diagonal(axis1=1, axis2=2), theirs.covariances_, rtol=1e-8)


def test_a_collapse_is_an_error_and_a_floor_prevents_it():
    _, X, R, mixture = problem(2, N=30)
    em, R = (
        Mixture(mixture.family, Dirichlet(0.0), clones=EM),
        softmax(20 * np.eye(3)[np.arange(30) % 3], axis=1),
    )
    flat = X.copy()
    flat[:, 1] = flat[0, 1]  # no width in one dimension only
    S = em.m_step(flat, R)
    with pytest.raises(ValueError, match="component 0 .*collapsed"):
        fit_batch(em, flat, S)
    with pytest.raises(ValueError, match="collapsed"):
        fit_online(em, flat, S, accumulation(), monitor=False)
    guarded = Mixture(
        em.family, Dirichlet(0.0), EM, variance_floor(em.family, 0.01, 30)
    )
    assert guarded.parameters(S).components.covariance[:, 1, 1].min() >= 0.01
    assert np.isfinite(fit_batch(guarded, flat, S).elbo)


GOOD = {"mean": [0.0, 1.0], "mean_count": 0.5, "shape": 1.0, "rate": [1.0, 2.0]}
BAD = [("mean", v) for v in ([np.nan, 0], "ab", [], [[0, 0]], None)]
BAD += [
    (name, v)
    for name in ("mean_count", "shape", "rate")
    for v in (0, -1.0, np.nan, np.inf, None, "1")
]
BAD += [("mean_count", [1.0, 1.0]), ("shape", [1.0, 1.0])]
BAD += [
    ("rate", [1.0, 0.0]),
    ("rate", [1.0, 1.0, 1.0]),
    ("rate", 1e-201),
    ("rate", [1.0, 1e201]),
]


@pytest.mark.parametrize("name, value", BAD)
def test_bad_hyperparameters(name, value):
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        NormalGamma(**(GOOD | {name: value}))


def test_one_rate_stands_for_all_dimensions():
    family = NormalGamma(**(GOOD | {"rate": 2.0}))
    assert (
        family.rate.tolist() == [2.0, 2.0]
        and family.dimension == 2
        and family.packed_hyperparameters.tolist() == [0.5, 1, 2, 2]
    )
    with pytest.raises(ValueError, match="X has 3 columns"):
        family.check_data(np.zeros((2, 3)))
