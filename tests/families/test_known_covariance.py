"""The Gaussian with known covariance, by quadrature, by sequential prediction,
as other families' limit."""

import numpy as np
import oracles
import pytest
from oracles import close, gradient
from scipy import stats
from scipy.integrate import trapezoid
from scipy.special import logsumexp, softmax

from vbkit.compiled.online import log_densities
from vbkit.families import IsotropicGaussian, KnownCovariance, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_batch, fit_online, init_gaussian, sato2000
from vbkit.learning.online import reference_stream, run_stream
from vbkit.mixture import EM, Mixture
from vbkit.structure import split_halves
from vbkit.theory import log_evidence

pytestmark = pytest.mark.filterwarnings("error")
dimensions = pytest.mark.parametrize("D", [1, 2, 3])


def problem(seed, D, N=12, K=3):
    """A family with a covariance of its own, its parts, data and responsibilities."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(D, D + 1))
    m, s2, C = rng.normal(size=D), rng.uniform(0.5, 6), A @ A.T + 0.2 * np.eye(D)
    X = (
        m
        + rng.normal(size=(N, D))
        + 2 * rng.normal(size=(3, D))[rng.integers(3, size=N)]
    )
    return KnownCovariance(m, s2, C), (m, s2, C), X, rng.dirichlet(np.ones(K), N)


def component(parts, X, r):
    """Posterior mean and covariance of mu after rows X with weights r: precisions add up."""
    m, s2, C = parts
    precision = np.eye(len(m)) / s2 + r.sum() * np.linalg.inv(C)
    V = np.linalg.inv(precision)
    return V @ (m / s2 + np.linalg.solve(C, r @ X)), V


def log_marginal(parts, X):
    """Log evidence of one component:
    each data point under the Gaussian prediction from those before it."""
    total = 0.0
    for n, x in enumerate(X):
        mean, V = component(parts, X[:n], np.ones(n))
        total += float(stats.multivariate_normal(mean, V + parts[2]).logpdf(x))
    return total


def log_joint(parts, a, X, R, w=1.0):
    """E log pi_k + E log N(x_n; mu_k, C) (N, K) after the M-step of R, and the components."""
    R = R * np.reshape(w, (-1, 1))
    n_components, inverse = (
        [component(parts, X, r) for r in R.T],
        np.linalg.inv(parts[2]),
    )
    parts_of = [
        stats.multivariate_normal(m, parts[2]).logpdf(X) - 0.5 * np.trace(inverse @ V)
        for m, V in n_components
    ]
    return Dirichlet(a).expected(R.sum(0)) + np.reshape(
        parts_of, (len(n_components), -1)
    ).T, n_components


def log_density(family, x, S):
    """E log p(x) of every component (K,), the base measure included."""
    return family.expected(S) @ family.statistics(x[None])[0] + family.log_base(x[None])


@dimensions
def test_posterior_expectation_and_state(D):
    family, parts, X, R = problem(D, D)
    S = R.T @ family.statistics(X)
    close(
        family.expected(S),
        gradient(lambda s: family.log_normalizer(s).sum(), S),
        rtol=1e-7,
        atol=1e-7,
    )
    joint, n_components = log_joint(parts, 0.7, X, R)
    close(
        [log_density(family, x, S) for x in X],
        joint - Dirichlet(0.7).expected(R.sum(0)),
    )
    mean, covariance = family.posterior(S)
    close(mean, [m for m, _ in n_components])
    close(covariance, [V for _, V in n_components])
    centres, covariances = family.parameters(2.0**100 * S)
    close(centres, R.T @ X / R.sum(0)[:, None])
    close(covariances, [parts[2]] * 3)
    close(family.state(R.sum(0), centres, covariances), S)


def test_normalizer_by_quadrature():
    """log of the prior's expectation of prod N(x_n; mu, v)^w_n, on a grid of mu."""
    family, (m, s2, C), X, _ = problem(4, 1, N=5)
    w, mu = np.array([1, 0.5, 2, 1, 0.3]), np.linspace(-40, 40, 40_001)
    likelihood = np.exp(w @ stats.norm.logpdf(X, mu, np.sqrt(C[0, 0])))
    evidence = np.log(trapezoid(stats.norm.pdf(mu, m[0], np.sqrt(s2)) * likelihood, mu))
    S = w @ family.statistics(X)
    close(
        family.log_normalizer(S)
        - family.log_normalizer(0 * S)
        + w @ family.log_base(X),
        evidence,
    )


@dimensions
def test_one_component_is_exact(D):
    """K = 1: the ELBO is the log evidence; the prediction is the next factor;
    far from the origin, too."""
    for shift in (0.0, 1e4):
        family, parts, X, _ = problem(10 + D, D, N=15)
        parts, X = (parts[0] + shift, *parts[1:]), X + shift
        mixture = Mixture(KnownCovariance(*parts), Dirichlet(0.4))
        S = mixture.m_step(X, np.ones((15, 1)))
        close(
            [mixture.elbo(X, S), log_evidence(mixture, X, 1)],
            log_marginal(parts, X),
            rtol=1e-9,
        )
        mean, V = component(parts, X, np.ones(15))
        new = X[:4] + 0.3
        close(
            mixture.log_predictive(new, S),
            stats.multivariate_normal(mean, V + parts[2]).logpdf(new),
        )


@pytest.mark.parametrize("K, N", [(2, 6), (3, 5)])
def test_bound_below_the_evidence_of_every_assignment(K, N):
    for seed in range(6):
        family, parts, X, R = problem(20 + seed, 1 + seed % 2, N, K)
        mixture = Mixture(family, Dirichlet(0.6))
        evidence = oracles.log_evidence(
            lambda rows: log_marginal(parts, X[list(rows)]),  # noqa: B023 (called at once)
            N,
            0.6,
            K,
        )
        close(log_evidence(mixture, X, K), evidence)
        fit = fit_batch(mixture, X, mixture.m_step(X, R), tolerance=1e-10)
        assert evidence - fit.elbo > 1e-6 and np.diff(fit.trace).min() > -1e-10


@dimensions
def test_bound_term_by_term_and_its_gradient(D):
    """Every expectation written out, with observation weights;
    stationary where learning ends, not where it starts."""
    family, parts, X, R = problem(30 + D, D)
    w, mixture = (
        np.random.default_rng(D).uniform(0.2, 2, 12),
        Mixture(family, Dirichlet(0.8)),
    )
    start = mixture.m_step(X, R, w)
    joint, n_components = log_joint(parts, 0.8, X, R, w)
    best, alpha, (m, s2, _) = softmax(joint, axis=1), 0.8 + R.T @ w, parts
    prior, q = stats.dirichlet([0.8] * 3), stats.dirichlet(alpha)
    written = w @ logsumexp(joint, axis=1) + q.entropy()
    written += (
        prior.logpdf([1 / 3] * 3)
        + (0.8 - 1) * (Dirichlet(0.8).expected(R.T @ w) - np.log(1 / 3)).sum()
    )
    for mean, V in n_components:
        second = np.trace(V) + (mean - m) @ (mean - m)
        written += stats.multivariate_normal(mean, V).entropy() - 0.5 * (
            D * np.log(2 * np.pi * s2) + second / s2
        )
    close(mixture.elbo(X, start, w), written)
    close(mixture.responsibilities(X, start), best)
    fixed = fit_batch(mixture, X, start, weights=w, tolerance=0, max_epochs=4000).S

    def slope(S):
        return abs(S * gradient(lambda s: mixture.elbo(X, s, w), S)).max()

    assert slope(fixed) < 1e-6 and slope(start) > 1e-2


@dimensions
def test_em_is_soft_assignment_to_centres(D):
    """Many copies: softmax of log weight - half the squared distance;
    its limit of small widths is k-means."""
    family, (_, _, C), X, R = problem(40 + D, D, N=40)
    em = Mixture(family, Dirichlet(0.0), clones=EM)
    fit = fit_batch(em, X, em.m_step(X, R), max_epochs=20, tolerance=0)
    for _ in range(21):
        n, centres = R.sum(0), R.T @ X / R.sum(0)[:, None]
        parts = [
            np.log(p) + stats.multivariate_normal(m, C).logpdf(X)
            for p, m in zip(n / 40, centres, strict=True)
        ]
        L = np.reshape(parts, (3, 40)).T
        R = softmax(L, axis=1)
    close(fit.elbo, logsumexp(L, axis=1).sum())
    assert np.diff(fit.trace).min() > -1e-10
    narrow = Mixture(
        KnownCovariance(np.zeros(D), 1.0, 1e-8 * np.eye(D)), Dirichlet(0.0), clones=EM
    )
    fit = fit_batch(narrow, X, narrow.m_step(X, R))
    centres = narrow.family.parameters(EM * fit.S)[0]
    distance = ((X[:, None] - centres) ** 2).sum(-1) + np.where(
        fit.S[:, 0] > 0, 0, np.inf
    )
    nearest = distance.argmin(1)
    close(narrow.responsibilities(X, fit.S), np.eye(3)[nearest], atol=1e-9)


@pytest.mark.parametrize("kind", [IsotropicGaussian, NormalWishart])
def test_limit_of_families_with_a_sharp_prior_of_the_precision(kind):
    """Their prior of the mean scales with the precision;
    with the precision known it is N(0, 1 / mean_count)."""
    sharp = 1e7
    if kind is IsotropicGaussian:
        other, C = kind(np.ones(2), 0.25, sharp, 2 * sharp), 2 * np.eye(2)
    else:
        C = np.array([[2.0, 0.0], [0.0, 2.0]])
        other = kind(np.ones(2), 0.25, sharp, sharp * C)
    _, _, X, R = problem(50, 2)
    ours, theirs = (
        Mixture(f, Dirichlet(0.9)) for f in (KnownCovariance(np.ones(2), 8.0, C), other)
    )
    close(
        ours.responsibilities(X, ours.m_step(X, R)),
        theirs.responsibilities(X, theirs.m_step(X, R)),
        rtol=1e-4,
    )
    fits = [
        fit_batch(m, X, m.m_step(X, R), max_epochs=30, tolerance=0)
        for m in (ours, theirs)
    ]
    close(fits[0].trace, fits[1].trace, rtol=1e-5)
    close(fits[0].S, fits[1].S[:, :3], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("D", [1, 2, 3, 7])
@pytest.mark.parametrize("clones", [1.0, 10.0, EM])
def test_compiled_density_and_stream(D, clones):
    family, _, X, R = problem(60 + D, D, N=60, K=9)
    mixture, rng = (
        Mixture(family, Dirichlet(0.0 if clones == EM else 0.7), clones),
        np.random.default_rng(D),
    )
    S, T = mixture.m_step(X, R + 0.05), np.ascontiguousarray(family.statistics(X))
    close(log_densities(family, T, clones * S), family.expected(clones * S) @ T.T)
    keep, gain, w = (
        rng.uniform(0.97, 1, 60),
        rng.uniform(0, 2, 60),
        rng.uniform(0, 2, 60),
    )
    for weights in (None, w):
        close(
            run_stream(mixture, S, X, keep, gain, weights),
            reference_stream(mixture, S, X, keep, gain, weights),
        )


def test_learning_starts_splits_and_samples():
    family, parts, X, _ = problem(70, 2, N=300)
    mixture, rng = Mixture(family, Dirichlet(1.0)), np.random.default_rng(0)
    start = init_gaussian(mixture, X, 3, rng)
    fit = fit_batch(mixture, X, start)
    online = fit_online(mixture, X, start, sato2000(300), epochs=20)
    assert abs(online.elbo - fit.elbo) < 0.01 * abs(fit.elbo)
    S = fit_online(mixture, X[:3], 0 * start[:1], accumulation()).S
    close(S, mixture.m_step(X[:3], np.ones((3, 1))))
    halves = split_halves(mixture, X, fit.S, 0)
    close(halves.first + halves.second, mixture.e_step(X, fit.S).S[0])
    mean, V = component(
        parts, X[:1], np.full(1, 0.3)
    )  # hardly a data point, so that the centre is uncertain
    draws, direction = (
        family.sample(0.3 * family.statistics(X[:1])[0], 4000, rng),
        np.array([0.6, -0.8]),
    )
    exact = stats.norm(
        direction @ mean, np.sqrt(direction @ (V + parts[2]) @ direction)
    )
    assert (
        draws.shape == (4000, 2)
        and stats.kstest(draws @ direction, exact.cdf).pvalue > 0.01
    )
    assert mixture.sample(fit.S, 5, rng).shape == (5, 2)


def test_empty_components_go_on_as_the_prior():
    family, (_, _, C), X, R = problem(80, 2, N=20, K=2)
    S = np.vstack([family.statistics(X).sum(0), np.zeros(3)])
    centres, covariances = family.parameters(S)
    close(centres[1], family.mean)
    close(family.posterior(S)[1][1], family.prior_variance * np.eye(2))
    em = Mixture(family, Dirichlet(0.0), clones=EM)
    assert (em.e_step(X, S).S[1] == 0).all() and np.isfinite(em.elbo(X, S))


I2 = np.eye(2)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("mean", ([np.nan, 0], 1.0)),
        ("mean", ([[0, 0]], 1.0)),
        ("prior_variance", ([0, 0], 0)),
        ("prior_variance", ([0, 0], -1.0)),
        ("prior_variance", ([0, 0], np.inf)),
        ("prior_variance", ([0, 0], "1")),
        ("prior_variance", ([0, 0], 1e-150)),
        ("covariance", ([0, 0], 1.0, -I2)),
        ("covariance", ([0, 0], 1.0, 0 * I2)),
        ("covariance", ([0, 0], 1.0, [[1, 2], [2, 1]])),
        ("covariance", ([0, 0], 1.0, [[1, 1], [1, 1]])),
        ("covariance", ([0, 0], 1.0, [[1, 1], [1, 1 + 4e-15]])),
        ("covariance", ([0, 0], 1.0, [[1, 0.5], [0.4, 1]])),
        ("covariance", ([0, 0], 1.0, np.eye(3))),
        ("covariance", ([0, 0], 1.0, I2 * np.nan)),
        ("covariance", ([0, 0], 1.0, [1, 1])),
        ("covariance", ([0, 0], 1.0, 2.0)),
        ("covariance", ([0, 0], 1.0, I2 * 1e-201)),
    ],
)
def test_bad_input_is_named(name, arguments):
    with pytest.raises(ValueError, match=rf"^{name}"):
        KnownCovariance(*arguments)
    with pytest.raises(ValueError, match="X has 3 columns"):
        Mixture(KnownCovariance([0, 0], 1.0)).observe(np.ones((4, 3)))


@pytest.mark.parametrize("far", [1e6, 1e8, 1e10])
def test_a_known_covariance_says_where_its_digits_end(far):
    """The exact log evidence is that of the same data measured from a prior mean beside them."""
    wide, rows, R = (
        Mixture(KnownCovariance([0.0], 1e30)),
        np.arange(4.0)[:, None],
        np.ones((4, 1)),
    )
    state, near = wide.m_step(far + rows, R), wide.m_step(rows, R)
    exact = wide.log_predictive(rows, near)
    close(wide.log_predictive(far + rows, state), exact, atol=1e-6)
    if far == 1e6:
        close(wide.elbo(far + rows, state), wide.elbo(rows, near), atol=0.02)
        return
    for use in (
        wide.elbo,
        wide.responsibilities,
        lambda X, S: fit_online(wide, X, S, accumulation(), monitor=False),
    ):
        with pytest.raises(
            ValueError, match="component 0 .*too far from the prior mean"
        ):
            use(far + rows, state)
