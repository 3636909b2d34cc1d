"""Factor analysis: bounds against exact evidence, limits, what is relevant, bad input."""

import doctest
from itertools import product

import numpy as np
import pytest
from oracles import close
from scipy import stats
from scipy.special import gammaln, logsumexp
from sklearn.decomposition import FactorAnalysis as SklearnFactorAnalysis

from vbkit.factorization.analytic import solve_fixed
from vbkit.families import LinearRegression, NormalGamma
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, fit_chunks, fit_online, init_from_rows, sato2000
from vbkit.mixture import EM, Mixture
from vbkit.models import FactorAnalysis, Relevance, factor_analysis

pytestmark = pytest.mark.filterwarnings("error")


def analysers(D: int, Q: int, *, relevance=None, weights=1.0, clones=1.0, **prior):
    family = LinearRegression(np.zeros(Q), np.zeros(D), **prior)
    return FactorAnalysis(family, relevance, Dirichlet(weights), clones)


def rows(N, D, Q, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(N, Q)) @ rng.normal(size=(Q, D)) + noise * rng.normal(
        size=(N, D)
    )


def halves(model, X):
    """A start whose two components have the first and the last half of the rows."""
    first = np.arange(len(X)) < len(X) / 2
    return model.m_step(X, np.column_stack([first, ~first]))


def single(model, X, weights=None):
    return model.m_step(X, np.ones((len(X), 1)), weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("D, Q", [(4, 0), (4, 2), (3, 5)])
def test_a_sweep_from_the_moments_of_many_rows_is_that_of_rows_a_few_at_a_time(
    D, Q, weighted
):
    rng = np.random.default_rng(3)
    X = rows(60, D, max(Q, 1)) + rng.normal(0, 5, D)
    weights = rng.integers(0, 4, len(X)).astype(float) if weighted else None
    family = LinearRegression(np.zeros(Q), rng.normal(size=D), precision=0.5)
    model = FactorAnalysis(family, Relevance(0.3, 0.7))
    S = single(model, X, weights)
    few = [slice(i, i + D) for i in range(0, len(X), D)]  # no more rows than columns
    if weighted:
        parts = [model.e_step(X[part], S, weights[part]) for part in few]
    else:
        parts = [model.e_step(X[part], S) for part in few]
    whole = model.e_step(X, S, weights)
    close(whole.S, sum(part.S for part in parts), rtol=1e-11, atol=1e-11)
    close(whole.log_likelihood, sum(part.log_likelihood for part in parts), rtol=1e-11)


@pytest.mark.parametrize("scale", [1e-20, 1e20])
def test_a_start_does_not_depend_on_the_scale_of_the_rows(scale):
    X, model = rows(30, 4, 2), analysers(4, 2, common_noise=True, rate=1e-40)
    whole, scaled = (
        model.parameters(single(model, x)).loadings for x in (X, scale * X)
    )
    close(scaled / scale, whole, rtol=1e-9)


def problem(seed: int):
    """A random model, its observed rows, and a start of random responsibilities."""
    rng = np.random.default_rng(seed)
    N, D, Q, K = (
        int(rng.integers(*limits)) for limits in ((2, 40), (1, 6), (0, 5), (1, 4))
    )
    X = rng.normal(0, 2, (N, D)) + rng.normal(size=(N, 1)) * rng.normal(0, 3, D)
    model = analysers(
        D, Q,
        relevance=None if seed % 3 == 0 else Relevance(*rng.uniform(1e-3, 2, 2)),
        clones=3.0 if seed % 7 == 0 else 1.0,
        common_noise=bool(seed % 2),
        precision=rng.uniform(0.1, 3, Q + 1),
        shape=rng.uniform(0.3, 3),
        rate=rng.uniform(0.1, 3),
    )  # fmt: skip
    data = model.observe(X, rng.uniform(0.5, 2, N) if seed % 5 == 0 else None)
    return model, data, model.m_step(data, rng.dirichlet(np.ones(K), N))


def test_expected_weights_are_those_of_the_counts():
    model, X = analysers(3, 1, weights=0.5), rows(20, 3, 1)
    S = model.m_step(X, np.repeat([[0.75, 0.25]], 20, axis=0))
    close(model.parameters(S).weights, [15.5 / 21, 5.5 / 21])


@pytest.mark.parametrize("seed", range(300))
def test_batch_never_falls(seed):
    model, data, start = problem(seed)
    fit = fit_batch(model, data, start, max_epochs=15, tolerance=0)
    assert np.diff(fit.trace).min() >= -1e-9 * abs(fit.elbo)


@pytest.mark.parametrize("seed", range(1, 15))
def test_the_elbo_is_flat_at_fixed_points(seed):
    """Its slope along any direction of the state, squared loadings included, vanishes with what the
    last epochs still gained."""
    model, data, start = problem(seed)
    S = fit_batch(model, data, start, max_epochs=5000, tolerance=1e-12).S
    rng = np.random.default_rng(seed)

    def slope(S, direction, h=1e-4):
        return (
            model.elbo(data, S + h * direction) - model.elbo(data, S - h * direction)
        ) / (2 * h)

    directions = rng.uniform(-1, 1, (5, *S.shape))
    at_start = max(abs(slope(start, start * d)) for d in directions)
    at_end = max(abs(slope(S, S * d)) for d in directions)
    assert at_end < 1e-3 and at_end < 1e-2 * max(at_start, 0.1)


# ---- the exact evidence: mean and noise have closed integrals given loadings in units of the noise


def log_given_loadings(X, U, family):
    """log p(X | u) (G,) of rows X (n, D) for loadings u (G, D) sqrt(noise) on one factor, with one
    noise for all columns."""
    n, D = X.shape
    outer = np.eye(D) + U[:, :, None] * U[:, None, :]
    rows = np.einsum("ij,gab->giajb", np.eye(n), outer).reshape(len(U), n * D, n * D)
    common = np.kron(np.ones((n, n)), np.eye(D)) / family.precision[-1]
    return log_student(X.ravel(), rows + common, family.shape, family.rate)


def log_student(x, scale, shape, rate):
    """log density (G,) of x (m,) ~ N(0, scale / rho), rho ~ Gamma(shape, rate)."""
    m = len(x)
    distance = np.linalg.inv(scale) @ x @ x
    value = gammaln(shape + m / 2) - gammaln(shape) - m / 2 * np.log(2 * np.pi)
    value += shape * np.log(rate) - (shape + m / 2) * np.log(rate + distance / 2)
    return value - 0.5 * np.linalg.slogdet(scale)[1]


def grid(D):
    """Points u (G, D) and log weights (G,) of the integral over u, D = 1 or 2: a midpoint rule in
    the angle whose tangent is the length."""
    r = (np.arange(600) + 0.5) / 600 * np.pi / 2
    length, log_w = np.tan(r), np.log(np.pi / 2 / 600) - 2 * np.log(np.cos(r))
    if D == 1:
        return length[:, None], log_w + np.log(2)  # u and -u are alike
    angle = (np.arange(48) + 0.5) / 48 * np.pi
    u = np.stack(
        [np.outer(length, np.cos(angle)), np.outer(length, np.sin(angle))], axis=-1
    )
    return u.reshape(-1, 2), np.repeat(
        log_w + np.log(length) + np.log(2 * np.pi / 48), 48
    )


def log_prior(U, model):
    """log p(u) (G,), the relevance integrated out."""
    D, r = U.shape[1], model.relevance
    if r is None:
        return stats.norm.logpdf(U, scale=model.family.precision[0] ** -0.5).sum(axis=1)
    return stats.multivariate_t(
        np.zeros(D), r.rate / r.shape * np.eye(D), 2 * r.shape
    ).logpdf(U)


def log_evidence(X, model):
    """log p(X) of one component."""
    if not len(X):
        return 0.0
    U, log_w = grid(X.shape[1])
    return logsumexp(
        log_given_loadings(X, U, model.family) + log_prior(U, model) + log_w
    )


def tiny(D, relevance, **prior):
    prior = {"precision": [0.7, 0.4], "shape": 1.5, "rate": 0.8} | prior
    return analysers(D, 1, relevance=relevance, common_noise=True, **prior)


def test_the_quadrature_finds_a_known_integral():
    for D, relevance in product((1, 2), (None, Relevance(0.8, 1.2))):
        U, log_w = grid(D)
        close(logsumexp(log_prior(U, tiny(D, relevance)) + log_w), 0, atol=2e-3)


@pytest.mark.parametrize("relevance", [None, Relevance(0.8, 1.2)])
@pytest.mark.parametrize(("N", "D"), [(2, 1), (4, 1), (2, 2), (3, 2), (4, 2)])
def test_the_elbo_is_at_most_the_exact_evidence(N, D, relevance):
    X = rows(N, D, 1, 0.5, seed=N)
    model = tiny(D, relevance)
    bound = fit_batch(model, X, single(model, X)).elbo
    exact = log_evidence(X, model)
    assert exact - 2 * D < bound < exact


def test_the_elbo_of_a_mixture_is_at_most_the_exact_evidence():
    X, rng = np.array([[-4.0], [-3.5], [4.0], [3.2]]), np.random.default_rng(0)
    model = tiny(1, Relevance(0.8, 1.2))
    sides = [*product((0, 1), repeat=4)]
    logs = [sum(log_evidence(X[np.equal(z, k)], model) for k in (0, 1)) for z in sides]
    ones = np.sum(sides, axis=1)
    logs += gammaln(1 + ones) + gammaln(5 - ones) - gammaln(6)
    starts = [model.m_step(X, rng.dirichlet(np.ones(2), 4)) for _ in range(10)]
    bounds = [fit_batch(model, X, start).elbo for start in starts]
    gap = 2 * 2 + np.log(2)  # two nats a component, as above, and their order
    assert logsumexp(logs) - gap < max(bounds) < logsumexp(logs)


def test_with_a_noise_for_each_column_the_elbo_is_at_most_the_evidence():
    """By simple Monte Carlo from the prior, with its standard error."""
    X, rng, G = rows(2, 2, 1, 0.5, seed=3), np.random.default_rng(0), 200_000
    prior = {"precision": [0.7, 0.4], "shape": 1.5, "rate": 0.8}
    model = analysers(2, 1, relevance=Relevance(2.0, 1.0), **prior)
    sd = rng.gamma(1.5, 1 / 0.8, (G, 2)) ** -0.5
    alpha = rng.gamma(2.0, 1.0, (G, 1))
    w, m = (
        rng.normal(size=(2, G, 2))
        * sd
        * np.stack([alpha**-0.5, np.full((G, 1), 0.4**-0.5)])
    )
    C = w[:, :, None] * w[:, None, :] + sd[:, :, None] ** 2 * np.eye(2)
    L = -np.log(2 * np.pi) * 2 - np.linalg.slogdet(C)[1]
    for x in X:
        L -= 0.5 * np.einsum("ga,gab,gb->g", x - m, np.linalg.inv(C), x - m)
    p = np.exp(L)
    bound = np.exp(fit_batch(model, X, single(model, X)).elbo)
    assert 0.05 * p.mean() < bound < p.mean() + 3 * p.std() / G**0.5


# ---- limits


def test_without_factors_the_bound_is_the_exact_evidence():
    X = rows(20, 3, 1) + 1
    model = analysers(3, 0, relevance=Relevance(), precision=0.5, shape=2.0, rate=1.5)
    gaussian = NormalGamma(np.zeros(3), 0.5, 2.0, np.full(3, 1.5))
    S = gaussian.statistics(X).sum(axis=0)
    exact = gaussian.log_normalizer(S) - gaussian.log_normalizer(0 * S)
    close(fit_batch(model, X, single(model, X)).elbo, exact)


def test_without_factors_it_is_a_mixture_of_gaussians():
    X, R = rows(40, 3, 1) + 1, np.random.default_rng(0).dirichlet(np.ones(3), 40)
    weights = np.random.default_rng(1).uniform(0.5, 2, 40)
    model = analysers(3, 0, weights=0.5, precision=0.5, shape=2.0, rate=1.5)
    mixture = Mixture(
        NormalGamma(np.zeros(3), 0.5, 2.0, np.full(3, 1.5)), Dirichlet(0.5)
    )
    for w in (None, weights):
        ours, theirs = (
            fit_batch(m, X, m.m_step(X, R, w), weights=w, max_epochs=30)
            for m in (model, mixture)
        )
        close(ours.trace, theirs.trace)
        close(
            model.responsibilities(X, ours.S),
            mixture.responsibilities(X, theirs.S),
            atol=1e-8,
        )


def test_em_finds_probabilistic_principal_components():
    """Tipping and Bishop's maximum of the likelihood, from eigenvalues."""
    X, N, D, Q = rows(60, 6, 3, seed=2) + 5, 60, 6, 2
    model = analysers(D, Q, clones=EM, common_noise=True)
    fit = fit_batch(model, X, single(model, X), max_epochs=20_000, tolerance=1e-12)
    values, axes = np.linalg.eigh(np.cov(X.T, bias=True))
    noise, top, axes = values[: D - Q].mean(), values[D - Q :], axes[:, D - Q :]
    best = (D - Q) * np.log(noise) + np.log(top).sum() + D * np.log(2 * np.pi) + D
    found = model.parameters(fit.S)
    close(fit.elbo, -N / 2 * best, rtol=1e-8)
    close(found.noise[0], noise, rtol=1e-4)
    spread = axes * (top - noise) @ axes.T
    close(found.loadings[0] @ found.loadings[0].T, spread, rtol=0, atol=1e-3 * top[0])
    close(found.means[0], X.mean(axis=0))
    normal = stats.multivariate_normal(found.means[0], found.covariances[0])
    close(model.log_predictive(X, fit.S).sum(), fit.elbo, rtol=1e-8)
    close(model.log_predictive(X, fit.S), normal.logpdf(X), rtol=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_em_reaches_the_likelihood_of_scikit_learn(seed):
    X = rows(200, 7, 2, 0.7, seed)
    model = analysers(7, 2, clones=EM)
    ours = fit_batch(model, X, single(model, X), max_epochs=20_000, tolerance=1e-9).elbo
    peer = SklearnFactorAnalysis(2, tol=1e-9, max_iter=20_000, svd_method="lapack").fit(
        X
    )
    assert abs(ours - peer.score(X) * len(X)) < 1e-3  # nats


@pytest.mark.long
def test_with_many_rows_vb_comes_to_em():
    X = rows(20_000, 5, 2, 0.7)
    parameters = []
    for clones in (1.0, EM):
        model = analysers(5, 2, relevance=Relevance(), clones=clones)
        S = fit_batch(model, X, single(model, X), tolerance=1e-4, max_epochs=3000).S
        parameters.append(model.parameters(S).covariances[0])
    close(*parameters, rtol=0, atol=5e-3 * np.trace(parameters[1]) / 5)


def test_with_known_noise_it_is_a_factorization():
    """Factors are the one matrix, loadings the other; mean and noise are held by their priors."""
    V, noise, precision = rows(50, 8, 3, 0.9, seed=4).T, 1.0, 0.3
    exact = solve_fixed(V, 1.0, noise / precision, noise, H=5)
    sure = 1e8  # rows that the known noise is worth
    prior = {"precision": [precision] * 5 + [1e12], "shape": sure, "rate": sure * noise}
    model = analysers(8, 5, common_noise=True, **prior)
    fit = fit_batch(model, V.T, single(model, V.T), tolerance=1e-10, max_epochs=20_000)
    mean = model.parameters(fit.S).loadings[0] @ model.factors(V.T, fit.S).mean[:, 0].T
    assert 0 < exact.rank < 5
    close(mean, exact.mean(), rtol=0, atol=1e-3)
    close(fit.elbo, exact.elbo, rtol=1e-5)


def test_distant_groups_are_single_models():
    """Each component has the posterior of its own rows; the labels add their own evidence."""
    near, far = rows(30, 4, 1, seed=5), rows(20, 4, 2, seed=6) + 500
    X, R = np.vstack([near, far]), np.repeat(np.eye(2), [30, 20], axis=0)
    model = analysers(4, 2, relevance=Relevance(), rate=0.1)
    fit = fit_batch(model, X, model.m_step(X, R), max_epochs=50, tolerance=0)
    starts = [(x, single(model, x)) for x in (near, far)]
    singles = [
        fit_batch(model, x, start, max_epochs=50, tolerance=0) for x, start in starts
    ]
    close(fit.S, np.vstack([f.S for f in singles]), rtol=1e-6)
    labels = gammaln(31) + gammaln(21) - gammaln(52)
    close(fit.elbo, labels + sum(f.elbo for f in singles))


# ---- what is relevant


@pytest.mark.long
@pytest.mark.parametrize("common", [False, True])
def test_factors_that_nothing_calls_for_die(common):
    """The right number in at least 18 of 20 sets of rows with 0 to 4 factors."""
    found = []
    for seed in range(20):
        X = rows(300, 10, seed % 5, 0.5, seed)
        model = analysers(10, 7, relevance=Relevance(), common_noise=common, rate=0.1)
        S = fit_batch(model, X, single(model, X), tolerance=1e-3).S
        found.append(model.n_relevant(S)[0] == seed % 5)
    assert sum(found) >= 18


@pytest.mark.parametrize("columns", [1, 4, 9])
def test_a_factor_counts_from_where_its_loadings_exceed_their_doubt(columns):
    """One column has a loading z y / A on the one factor, and the noise precision 1; the variance
    of each column's loading is 1 / A, with A = precision + z^2."""
    model = analysers(columns, 1, precision=[2.0, 1.0], shape=3.0, rate=1.0)
    zz, n, S = 8.0, 10.0, []
    for share in (0.9, 1.1):  # of the sum of variances, the squared loading
        zy = np.sqrt(share * columns * (zz + 2.0))
        products, squares = (
            np.zeros((1, columns, 2)),
            np.full((1, columns), 2 * (3 + n / 2 - 1)),
        )
        products[0, 0, 0] = zy
        squares[0, 0] += zy**2 / (zz + 2.0)
        S.append(model.family.pack(np.diag([zz, n])[None], products, squares)[0])
    assert model.n_relevant(S).tolist() == [0, 1]


def test_without_relevance_no_precision_is_learned():
    X = rows(100, 4, 1)
    model = analysers(4, 2, precision=[0.5, 0.6, 1.0])
    S = fit_batch(model, X, single(model, X), max_epochs=5, tolerance=0).S
    close(model.parameters(S).relevance, [[0.5, 0.6]])


# ---- data, rows, streams


def test_weights_count_as_repeated_rows():
    X, w = rows(20, 4, 1), np.random.default_rng(0).integers(1, 4, 20)
    model = analysers(4, 2, relevance=Relevance())
    start = single(model, X, w.astype(float))
    ours = fit_batch(
        model, X, start, weights=w.astype(float), max_epochs=20, tolerance=0
    )
    theirs = fit_batch(
        model, np.repeat(X, w, axis=0), start, max_epochs=20, tolerance=0
    )
    close(ours.S, theirs.S)
    close(ours.trace, theirs.trace)


def test_chunks_and_blocks_change_nothing():
    X = rows(9000, 4, 1)
    model = analysers(4, 2, relevance=Relevance())
    start = halves(model, X)
    ours = fit_batch(model, X, start, max_epochs=4, tolerance=0)
    theirs = fit_chunks(model, X, start, rows=1234, max_epochs=4, tolerance=0)
    close(ours.S, theirs.S, rtol=1e-8)


@pytest.mark.long
def test_online_comes_near_batch():
    """Within 0.01 nats a row after 5 passes."""
    X = rows(2000, 5, 2, 0.5, seed=7)
    model = analysers(5, 3, relevance=Relevance(), common_noise=True)
    start = single(model, X[:50]) * (2000 / 50)
    rng = np.random.default_rng(0)
    online = fit_online(model, X, start, sato2000(2000, kappa=0.1), epochs=5, rng=rng)
    batch = fit_batch(model, X, start)
    assert abs(online.elbo - batch.elbo) < 0.01 * 2000
    assert (model.n_relevant(online.S) == [2]).all()


def test_factors_are_given_by_rows():
    """In the EM limit the posterior of the factors is that of the estimates."""
    X = rows(50, 5, 2)
    model = analysers(5, 2, clones=EM)
    S = fit_batch(model, X, single(model, X), max_epochs=20).S
    _, m, W, noise, _ = (a[0] for a in model.parameters(S))
    precision = np.eye(2) + W.T / noise @ W
    mean, covariance = model.factors(X, S)
    close(covariance[0], np.linalg.inv(precision), rtol=1e-7)
    close(mean[:, 0], np.linalg.solve(precision, W.T / noise @ (X - m).T).T, rtol=1e-6)


@pytest.mark.parametrize("clones", [1.0, EM])
def test_where_the_data_lie_does_not_matter(clones):
    X, far = rows(80, 4, 2), np.array([3.0, -20, 7, 100])
    relevance = Relevance() if clones == 1.0 else None
    near = FactorAnalysis(
        LinearRegression(np.zeros(2), np.zeros(4)), relevance, clones=clones
    )
    away = FactorAnalysis(LinearRegression(np.zeros(2), far), relevance, clones=clones)
    R = np.random.default_rng(1).dirichlet(np.ones(2), 80)
    ours, theirs = (
        fit_batch(model, x, model.m_step(x, R), max_epochs=20, tolerance=0)
        for model, x in ((near, X), (away, X + far))
    )
    close(ours.trace, theirs.trace, rtol=1e-7)
    close(
        near.parameters(ours.S).means + far, away.parameters(theirs.S).means, rtol=1e-6
    )
    close(
        near.log_predictive(X, ours.S),
        away.log_predictive(X + far, theirs.S),
        rtol=1e-6,
    )
    close(near.factors(X, ours.S).mean, away.factors(X + far, theirs.S).mean, atol=1e-6)
    drawn = (
        m.sample(f.S, 50, np.random.default_rng(2))
        for m, f in ((near, ours), (away, theirs))
    )
    close(next(drawn) + far, next(drawn), atol=1e-6)


def test_samples_have_the_moments_of_the_predictive_density():
    X = np.vstack([rows(60, 3, 1), rows(30, 3, 2) + 6])
    model = analysers(3, 2, relevance=Relevance())
    S = fit_batch(model, X, halves(model, X)).S
    drawn = model.sample(S, 200_000, np.random.default_rng(0))
    pi, means, *_ = parameters = model.parameters(S)
    mean = pi @ means
    second = np.einsum("k,kab->ab", pi, parameters.covariances)
    second += np.einsum("k,ka,kb->ab", pi, means - mean, means - mean)
    error = np.sqrt(second.diagonal() / len(drawn))
    assert (abs(drawn.mean(axis=0) - mean) < 5 * error).all()
    close(np.cov(drawn.T), second, rtol=0, atol=0.02 * second.max())
    volume = 30.0**3  # the density adds up to 1
    points = np.random.default_rng(3).uniform(-12, 18, (200_000, 3))
    p = np.exp(model.log_predictive(points, S)) * volume
    assert abs(p.mean() - 1) < 5 * p.std() / len(p) ** 0.5


def test_the_example_holds():
    assert doctest.testmod(factor_analysis).attempted
    assert not doctest.testmod(factor_analysis).failed


# ---- bad input

GOOD = analysers(3, 2, relevance=Relevance())


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("family", lambda: FactorAnalysis(NormalGamma(np.zeros(2), 1.0, 1.0, 1.0))),
        ("mean_x", lambda: FactorAnalysis(LinearRegression([1.0], [0.0]))),
        ("relevance", lambda: analysers(3, 2, relevance=0.1)),
        ("shape", lambda: Relevance(0.0)),
        ("rate", lambda: Relevance(1.0, -1.0)),
        ("concentration", lambda: analysers(3, 2, weights=0.0)),
        ("clones", lambda: analysers(3, 2, clones=0.5)),
        ("common_noise", lambda: analysers(3, 2, common_noise=1)),
        ("precision", lambda: analysers(3, 2, precision=[1.0, 2.0])),
        ("precision", lambda: analysers(3, 2, precision=[1.0, 0.0, 2.0])),
        ("X", lambda: GOOD.observe(np.ones((4, 5)))),
        ("X", lambda: GOOD.e_step(np.full((4, 3), np.nan), np.ones((1, GOOD.width(1))))),
        ("weights", lambda: GOOD.observe(np.ones((4, 3)), [1.0, 2.0])),
        ("R", lambda: GOOD.m_step(np.ones((4, 3)), np.ones((3, 1)))),
        ("state", lambda: GOOD.elbo(np.ones((4, 3)), np.ones((1, 4)))),
        ("state", lambda: GOOD.parameters(-np.ones((1, GOOD.width(1))))),
        ("squared loadings", lambda: GOOD.n_relevant([[1.0] * GOOD.n_statistics + [-1, 0]])),
        ("size", lambda: GOOD.sample(np.ones((1, GOOD.width(1))), -1, np.random.default_rng(0))),
        ("rng", lambda: GOOD.sample(single(GOOD, np.eye(3)), 1, 7)),
        ("m_step", lambda: init_from_rows(GOOD, np.eye(3), 1, np.random.default_rng(0))),
    ],
)  # fmt: skip
def test_bad_input_is_named(name, call):
    with pytest.raises(ValueError, match=name):
        call()


def test_data_are_counted_once_unless_clones_say_otherwise():
    X, family = (
        np.random.default_rng(0).normal(size=(9, 4)),
        LinearRegression(np.zeros(2), [0.0] * 4),
    )
    S = FactorAnalysis(family).m_step(X, np.ones((9, 1)))
    close(
        FactorAnalysis(family).elbo(X, S), FactorAnalysis(family, clones=1.0).elbo(X, S)
    )


def test_without_data_the_relevance_is_that_of_the_prior():
    sums, counts = np.array([[3.0, 0.5], [0.0, 0.0]]), np.array([[2.0], [0.0]])
    found = Relevance(0.2, 0.7).mean(sums, counts, 4)
    close(found, [[2.2 / (0.7 + 1.5), 2.2 / (0.7 + 0.25)], [0.2 / 0.7] * 2])


@pytest.mark.parametrize("common", [False, True])
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_start_has_factors_of_unit_mean_square_in_any_unit(common, unit):
    X = unit * rows(50, 4, 1)
    family = LinearRegression(np.zeros(2), X.mean(axis=0), common_noise=common)
    model = FactorAnalysis(family)
    A, products, _ = family.unpack(
        model.m_step(X, np.ones((50, 1)))[:, : model.n_statistics]
    )
    close(
        np.diagonal(A, axis1=-2, axis2=-1) / 50, np.ones((1, 3))
    )  # the last is constant
    assert (np.abs(products[0, :, :2]).max(axis=0) > 1e-2 * unit).all()


def test_a_start_without_rows_is_empty():
    model = analysers(3, 2, relevance=Relevance())
    assert not model.m_step(rows(20, 3, 1), np.repeat([[1.0, 0.0]], 20, axis=0))[
        1
    ].any()


def test_a_constant_column_is_no_hindrance_to_a_start():
    X = np.column_stack([rows(30, 3, 1), np.full(30, 5.0)])
    start = halves(analysers(4, 1), X)
    close(start[:, 0].sum(), 30)
    assert np.isfinite(start).all()


def test_a_sample_of_no_rows_is_allowed_and_none_of_fewer():
    analysis = FactorAnalysis(LinearRegression([0.0], [0.0, 0.0]))
    X = np.random.default_rng(0).normal(size=(6, 2))
    S = analysis.m_step(X, np.ones((6, 1)))
    rng = np.random.default_rng(3)
    analysis.sample(S, 0, rng)
    with pytest.raises(ValueError, match="size"):
        analysis.sample(S, -1, rng)
