"""Bernoulli mixtures: against textbook formulas written out here, exact evidences,
other forms of the same data."""

import numpy as np
import oracles
import pytest
import scipy.sparse as sp
from oracles import close, gradient
from scipy import stats
from scipy.special import betaln, digamma, gammaln, logsumexp, softmax, xlogy

from vbkit import data
from vbkit.data import Truth
from vbkit.families import BetaBernoulli
from vbkit.families.bernoulli import binary_vectors, pattern_counts
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_batch, fit_online, init_from_rows, sato2000
from vbkit.learning.online import reference_stream, run_stream
from vbkit.mixture import EM, Mixture
from vbkit.theory import entropy, free_energy_terms, generalization_error, log_evidence

pytestmark = pytest.mark.filterwarnings("error")
PRIORS = [
    (1.0, 1.0, 1.0),
    (0.3, 0.4, 1.7),
    (4.0, 0.05, 0.05),
    (1e-4, 1e-4, 1e-4),
    (30.0, 2.0, 0.5),
]


def problem(seed, N=30, M=4, K=3, a=0.7, b=0.4, b2=None, **more):
    rng = np.random.default_rng(seed)
    X, _ = Truth(np.full(K, 1 / K), rng.beta(0.6, 0.6, (K, M))).sample(N, rng)
    return (
        Mixture(BetaBernoulli(M, b, b2, **more), Dirichlet(a)),
        X,
        rng.dirichlet(np.ones(K), N),
    )


# ---- the oracle: every expectation of (5.2) written out, for any q(pi) q(mu) and any R -----------


def m_step(a, b1, b2, X, R, w):
    R = R * w[:, None]
    return a + R.sum(0), b1 + R.T @ X, b2 + R.T @ (1.0 - X)


def bound(a, b1, b2, X, w, q, R):
    alpha, ones, zeros = q
    log_pi = digamma(alpha) - digamma(alpha.sum())
    log_mu, log_nu = (
        digamma(ones) - digamma(ones + zeros),
        digamma(zeros) - digamma(ones + zeros),
    )
    K, a = len(alpha), np.full(len(alpha), a)
    log_x = sum(
        w[n] * R[n, k] * (X[n] @ log_mu[k] + (1 - X[n]) @ log_nu[k])
        for n in range(len(X))
        for k in range(K)
    )
    log_z = (w @ R) @ log_pi
    log_prior_pi = gammaln(a.sum()) - gammaln(a).sum() + (a - 1) @ log_pi
    log_prior_mu = ((b1 - 1) * log_mu + (b2 - 1) * log_nu - betaln(b1, b2)).sum()
    entropy_pi = gammaln(alpha).sum() - gammaln(alpha.sum()) - (alpha - 1) @ log_pi
    entropy_mu = (
        betaln(ones, zeros) - (ones - 1) * log_mu - (zeros - 1) * log_nu
    ).sum()
    return (
        log_x
        + log_z
        + log_prior_pi
        + log_prior_mu
        + entropy_pi
        + entropy_mu
        - w @ xlogy(R, R).sum(1)
    )


def responsibilities(q, X):
    alpha, ones, zeros = q
    log_mu, log_nu = (
        digamma(ones) - digamma(ones + zeros),
        digamma(zeros) - digamma(ones + zeros),
    )
    return softmax(X @ log_mu.T + (1 - X) @ log_nu.T + digamma(alpha), axis=1)


@pytest.mark.parametrize("a, b1, b2", PRIORS)
def test_bound_and_five_terms(a, b1, b2):
    """The engine's bound is the expectation of (5.2) at the best R;
    the sum of (5.3) is minus it at any R."""
    mixture, X, soft = problem(1, a=a, b=b1, b2=b2)
    w = np.random.default_rng(2).uniform(0, 3, len(X))
    for R in (np.eye(3)[np.arange(30) % 3], np.eye(3)[np.zeros(30, int)], soft):
        q, S = m_step(a, b1, b2, X, R, w), mixture.m_step(X, R, w)
        close(
            mixture.elbo(X, S, w),
            bound(a, b1, b2, X, w, q, responsibilities(q, X)),
            rtol=1e-10,
        )
        close(mixture.responsibilities(X, S), responsibilities(q, X), rtol=1e-8)
        close(
            -free_energy_terms(mixture, X, R, w).sum(),
            bound(a, b1, b2, X, w, q, R),
            rtol=1e-10,
        )
    terms = free_energy_terms(mixture, X, R)
    close(terms[0], 3 * gammaln(a) - gammaln(3 * a))
    close(terms[1], 12 * betaln(b1, b2))


@pytest.mark.parametrize("a, b1, b2", PRIORS)
def test_family(a, b1, b2):
    mixture, X, R = problem(3, b=b1, b2=b2)
    family, S = mixture.family, mixture.m_step(X, R)
    close(
        family.expected(S),
        gradient(lambda s: family.log_normalizer(s).sum(), S),
        rtol=1e-6,
        atol=1e-6,
    )
    T = family.statistics(X)
    assert (T[:, 0] == 1).all() and (T[:, 1:5] == X).all() and (T[:, 5:] == 1 - X).all()
    close(family.state(S[:, 0], S[:, 1:5] / S[:, :1]), S)
    table = BetaBernoulli(4, b1, b2, np.float64)
    close(table.expected(S[:, :5]) @ table.statistics(X).T, family.expected(S) @ T.T)
    close(table.log_normalizer(S[:, :5]), family.log_normalizer(S))
    close(
        family.parameters(S).probability, (b1 + R.T @ X) / (b1 + b2 + R.sum(0)[:, None])
    )
    one, n = S[:1], np.ones((30, 1))
    sequence = [
        family.log_predictive(T[:m].sum(0)[None], X[m : m + 1])[0, 0] for m in range(30)
    ]
    close(
        mixture.elbo(X, mixture.m_step(X, n)), sum(sequence)
    )  # one component is exact
    close(
        family.log_predictive(S, X), super(BetaBernoulli, family).log_predictive(S, X)
    )
    draws = family.sample(one[0], 20000, np.random.default_rng(0))
    assert (
        stats.norm.sf(
            abs(draws.mean(0) - family.parameters(one[0]).probability).max()
            / 0.5
            * 20000**0.5
        )
        > 1e-5
    )


@pytest.mark.parametrize("seed", range(40))
def test_bound_lies_below_the_enumerated_evidence(seed):
    rng = np.random.default_rng(seed)
    K, M = 2 + seed % 2, 1 + seed % 4
    a, b, b2 = 10 ** rng.uniform(-1.5, 1, 3)
    mixture, X, R = problem(seed, 7 - K // 3, M, K, a, b, b2)

    def log_marginal(rows):
        ones, zeros = X[list(rows)].sum(0), (1.0 - X[list(rows)]).sum(0)
        return (betaln(b + ones, b2 + zeros) - betaln(b, b2)).sum()

    evidence = oracles.log_evidence(log_marginal, len(X), a, K)
    close(log_evidence(mixture, X, K), evidence)
    start = mixture.m_step(X, R)
    fit = fit_batch(mixture, X, start, tolerance=1e-10)
    assert fit.elbo < evidence and mixture.elbo(X, start) < evidence


@pytest.mark.parametrize("a, b1, b2", PRIORS)
@pytest.mark.parametrize("scale", [1.0, 1e9])
def test_never_falls_and_ends_where_the_gradient_vanishes(a, b1, b2, scale):
    """By rounding only, also at 1e10 observations;
    the gradient in the logs of all posterior parameters."""
    mixture, X, R = problem(4, a=a, b=b1, b2=b2)
    w = scale * np.random.default_rng(5).uniform(0.5, 2, len(X))
    fit = fit_batch(
        mixture, X, mixture.m_step(X, R, w), weights=w, tolerance=0, max_epochs=3000
    )
    assert np.diff(fit.trace).min() > -1e-13 * abs(fit.trace).max()
    if scale == 1:
        fit = fit_batch(mixture, X, fit.S, tolerance=0, max_epochs=3000)
        R = mixture.responsibilities(X, fit.S)
        q = np.concatenate(
            [a + fit.S[:, 0], (b1 + fit.S[:, 1:5]).ravel(), (b2 + fit.S[:, 5:]).ravel()]
        )

        def at(logs):
            alpha, ones, zeros = np.split(np.exp(logs), [3, 15])
            return bound(
                a,
                b1,
                b2,
                X,
                np.ones(30),
                (alpha, ones.reshape(3, 4), zeros.reshape(3, 4)),
                R,
            )

        assert abs(gradient(at, np.log(q))).max() < 1e-5


def test_distinct_rows_with_weights_are_the_data():
    mixture, X, R = problem(6, 200, 3)
    rows, counts = np.unique(X, axis=0, return_counts=True)
    assert len(rows) < 9
    start = mixture.m_step(X, np.eye(3)[X[:, 0] + X[:, 1]])
    one, other = (
        fit_batch(mixture, X, start),
        fit_batch(mixture, rows, start, weights=counts),
    )
    close(one.trace, other.trace, rtol=1e-11)
    close(one.S, other.S, rtol=1e-7, atol=1e-7)
    tenth = mixture.elbo(rows, start, counts / 10)  # counts need not be whole
    close(
        10 * (tenth + mixture.divergence(start)),
        mixture.elbo(X, start) + mixture.divergence(start),
    )
    close(pattern_counts(X)[rows @ [1, 2, 4]], counts)


@pytest.mark.parametrize("seed", range(3))
def test_every_form_of_the_data_gives_the_same(seed):
    """Types; sparse and dense;
    zeros counted or taken as the rest, in double and in single precision."""
    mixture, X, R = problem(seed, 5000, 12, 4)
    X = X * (np.random.default_rng(seed).random(X.shape) < 0.1)
    start = mixture.m_step(X, R)
    exact = mixture.e_step(X, start)
    for form in (
        X.astype(bool),
        X.astype(float),
        X.astype(np.int64),
        X.tolist(),
        sp.csc_array(X),
        sp.coo_matrix(X),
    ):
        assert mixture.e_step(form, start).elbo == exact.elbo
    for precision, rtol in ((np.float64, 1e-12), (np.float32, 1e-5)):
        quick = Mixture(BetaBernoulli(12, 0.4, precision=precision), mixture.labels)
        assert sp.issparse(quick.observe(sp.csr_array(X)).X) and not sp.issparse(
            quick.observe(X).X
        )
        short, w = start[:, :13], np.full(5000, 2.0)  # zeros are rows minus ones
        for form in (X, sp.csr_array(X)):
            step = quick.e_step(form, short)
            close(step.elbo, exact.elbo, rtol=rtol / 10)
            close(step.S, exact.S[:, :13], rtol=rtol, atol=rtol * 100)
            close(quick.elbo(form, short, w), mixture.elbo(X, start, w), rtol=rtol)
            close(
                quick.responsibilities(form, short),
                mixture.responsibilities(X, start),
                atol=rtol,
            )
            close(
                quick.log_predictive(form, short),
                mixture.log_predictive(X, start),
                rtol=1e-12,
            )
        close(quick.m_step(X, R), short)
        close(quick.parameters(short).components, mixture.parameters(start).components)
        keep, gain, _ = sato2000(100).rates(100)
        fast = run_stream(quick, short, X[:100], keep, gain)
        close(fast, run_stream(mixture, start, X[:100], keep, gain)[:, :13])
    begin = init_from_rows(quick, sp.csr_array(X), 3, np.random.default_rng(1))
    assert fit_batch(quick, sp.csr_array(X), begin, max_epochs=5).trace.shape == (6,)


def test_nothing_is_lost_at_the_extremes():
    """a = b = 1e-6 and 1e12 observations:
    zeros beside 1e12 ones are counted, and predicted, exactly."""
    mixture = Mixture(BetaBernoulli(2, 1e-6), Dirichlet(1e-6))
    X, w = np.array([[1, 1], [1, 0], [0, 0]]), np.array([1e12, 3e-4, 1e12])
    S = mixture.m_step(X, np.array([[1.0, 0], [1, 0], [0, 1]]), w)
    close(S[0, 3:], [0, 3e-4])
    fit = fit_batch(mixture, X, S, weights=w, tolerance=0, max_epochs=50)
    assert (
        np.isfinite(fit.trace).all() and fit.S[0, 3] == 0 and 1e-4 < fit.S[0, 4] < 1e-3
    )
    family, half = BetaBernoulli(2, 1e-6), np.array([[1e12, 1e12, 5e11, 0, 5e11]])
    predicted = Mixture(family, Dirichlet(1.0)).log_predictive([[0, 1], [1, 0]], half)
    close(predicted, [np.log(1e-6 / 1e12) + np.log(0.5), np.log(0.5)], rtol=1e-12)
    assert np.isfinite(mixture.elbo(X[:1], 0 * S))


# ---- EM, MAP, online -----------------------------------------------------------------------------


def log_joint(pi, mu, X):
    with np.errstate(divide="ignore"):
        return np.log(pi) + np.where(X[:, None] == 1, np.log(mu), np.log(1 - mu)).sum(2)


@pytest.mark.parametrize("a, b", [(1.0, 1.0), (2.5, 1.4)])
def test_em_and_map(a, b):
    """Step by step, maximum likelihood (a = b = 1) and MAP with the prior's exponents,
    which never fall."""
    family = BetaBernoulli(4, b)
    mixture = Mixture(
        family, Dirichlet(0.0), clones=EM, pseudo_statistics=family.mode_statistics(a)
    )
    _, X, R = problem(7, 60)
    S, trace = mixture.m_step(X, R), []
    fit = fit_batch(mixture, X, S, max_epochs=30, tolerance=0)
    for _ in range(31):
        n, ones = R.sum(0), R.T @ X
        pi, mu = (
            (n + a - 1) / (60 + 3 * (a - 1)),
            (ones + b - 1) / (n[:, None] + 2 * (b - 1)),
        )
        L = log_joint(pi, mu, X)
        trace.append(
            logsumexp(L, axis=1).sum()
            + (a - 1) * np.log(pi).sum()
            + (b - 1) * np.log(mu * (1 - mu)).sum()
        )
        R = softmax(L, axis=1)
    close(fit.trace, trace)
    assert np.diff(fit.trace).min() > -1e-11 * abs(fit.trace).max()
    close(
        family.parameters(mixture.effective(fit.S)).probability,
        mu,
        rtol=1e-7,
        atol=1e-9,
    )


@pytest.mark.long
def test_em_is_the_limit_of_many_data():
    """The fixed point nears maximum likelihood as 1 / N;
    EM at probabilities of 0 and 1 stays finite."""
    mixture, X, R = problem(8, 300, 3, 2, a=1.0, b=0.8)
    X[:8] = binary_vectors(3)
    rows, counts = np.unique(X, axis=0, return_counts=True)
    exact = Mixture(mixture.family, Dirichlet(0.0), clones=EM)
    R, shares = np.column_stack([0.2 + 0.6 * rows[:, 0], 0.8 - 0.6 * rows[:, 0]]), []
    limit = fit_batch(
        exact,
        rows,
        exact.m_step(rows, R, counts),
        weights=counts,
        tolerance=0,
        max_epochs=4000,
    ).S
    for scale in (1e3, 1e4, 1e5):
        S = fit_batch(
            mixture,
            rows,
            scale * limit,
            weights=scale * counts,
            tolerance=0,
            max_epochs=4000,
        ).S
        shares.append(abs(S / scale - limit).max())
    close(np.diff(np.log10(shares)), [-1, -1], rtol=0.05)
    pure = fit_batch(
        exact, [[0, 0, 1], [1, 1, 0]], exact.m_step([[0, 0, 1], [1, 1, 0]], np.eye(2))
    )
    close(pure.elbo, -2 * np.log(2))


@pytest.mark.parametrize("M, K", [(1, 2), (5, 3), (30, 10)])
def test_online(M, K):
    """The compiled loop is the plain one; one pass of accumulation with one component is batch."""
    mixture, X, R = problem(9, 40, M, K, b=0.2, b2=0.7)
    keep, gain, _ = sato2000(40).rates(40)
    start, w = mixture.m_step(X, R), np.linspace(0, 2, 40)
    close(
        run_stream(mixture, start, X, keep, gain, w),
        reference_stream(mixture, start, X, keep, gain, w),
    )
    one = mixture.m_step(X, np.ones((40, 1)))
    close(fit_online(mixture, X, 0 * one, accumulation()).S, one)
    assert fit_online(mixture, X, start, sato2000(40), epochs=3).elbo > mixture.elbo(
        X, start
    )
    with pytest.raises(ValueError, match="Beta posterior|the state"):
        run_stream(mixture, start - 100.0, X, keep, gain)


# ---- prediction ----------------------------------------------------------------------------------


def test_predictive_density_and_generalization_error():
    mixture, X, R = problem(10, 200)
    S = mixture.m_step(X, R)
    truth = Truth([0.3, 0.7], [[0.1, 0.9, 0.5, 1.0], [0.6, 0.2, 0.3, 0.0]])
    p, q = truth.probabilities(), np.exp(mixture.log_predictive(binary_vectors(4), S))
    mean = (0.4 + S[:, 1:5]) / (0.8 + S[:, :1])
    weights = (0.7 + S[:, 0]) / (2.1 + 200)
    close(
        q,
        [
            (weights * np.where(x, mean, 1 - mean).prod(1)).sum()
            for x in binary_vectors(4)
        ],
    )
    close([p.sum(), q.sum()], 1)
    close(entropy(p), stats.entropy(p))
    value, error = generalization_error(mixture, S, truth)
    close(value, stats.entropy(p, q))
    assert error == 0
    draws, labels = truth.sample(40000, np.random.default_rng(1))
    assert stats.chisquare(pattern_counts(draws)[p > 0], 40000 * p[p > 0]).pvalue > 1e-4
    assert abs((labels == 0).mean() - 0.3) < 0.01


def test_generalization_error_of_wide_data_by_sampling():
    """Two equal components are one: the exact value is a sum over coordinates."""
    rng = np.random.default_rng(11)
    truth = Truth([0.3, 0.7], np.tile(rng.uniform(0.1, 0.9, 30), (2, 1)))
    mixture = Mixture(BetaBernoulli(30), Dirichlet(1.0))
    S = mixture.m_step(truth.sample(50, rng)[0], np.ones((50, 1)))
    mu, mean = truth.means[0], mixture.family.parameters(S).probability[0]
    exact = (mu * np.log(mu / mean) + (1 - mu) * np.log((1 - mu) / (1 - mean))).sum()
    value, error = generalization_error(mixture, S, truth, rng=rng)
    assert 0 < error < 0.02 * exact and abs(value - exact) < 4 * error


# ---- files and bad input -------------------------------------------------------------------------


GOOD, X2, EYE = Mixture(BetaBernoulli(2)), np.array([[0, 1], [1, 1]]), np.eye(2)
MANY_BITS, ONE_OF_MANY = Mixture(BetaBernoulli(20)), Truth([1.0], np.eye(1, 20))
BAD = [
    ("dimension", lambda: BetaBernoulli(0)),
    ("dimension", lambda: BetaBernoulli(2.5)),
    ("pseudo_count is 0", lambda: BetaBernoulli(2, 0)),
    ("pseudo_count is -1", lambda: BetaBernoulli(2, -1.0)),
    ("pseudo_count_of_zeros", lambda: BetaBernoulli(2, 1.0, float("nan"))),
    ("precision", lambda: BetaBernoulli(2, precision=np.int8)),
    (r"X\[1, 0\] is 2", lambda: GOOD.observe([[0, 1], [2, 1]])),
    (
        r"X\[1, 1\] is 7",
        lambda: GOOD.observe(np.array([[0, 1], [1, 7]], dtype=np.uint8)),
    ),
    (r"X\[0, 1\] is 0.5", lambda: GOOD.observe([[0, 0.5]])),
    (r"X\[1, 1\] is 3", lambda: GOOD.observe(sp.csr_array([[0, 1], [0, 3]]))),
    (
        r"X\[0, 0\] is 2",
        lambda: GOOD.observe(sp.csr_array(([1, 1], [0, 0], [0, 2]), shape=(1, 2))),
    ),
    (r"X\[0, 1\] is nan", lambda: GOOD.observe([[0, np.nan]])),
    ("X has", lambda: GOOD.observe(np.zeros((3, 3), dtype=np.uint8))),
    ("X has", lambda: GOOD.observe(np.zeros((0, 2), dtype=bool))),
    ("X has", lambda: GOOD.observe(sp.csr_array((3, 1)))),
    ("X must", lambda: GOOD.observe("ab")),
    (
        "distinct rows",
        lambda: init_from_rows(GOOD, [[1, 0]] * 9, 2, np.random.default_rng(0)),
    ),
    ("distinct rows", lambda: init_from_rows(GOOD, X2, 3, np.random.default_rng(0))),
    ("counts of ones or zeros", lambda: GOOD.elbo(X2, [[1.0, -2, 1, 1, 1]])),
    ("the state", lambda: GOOD.elbo(X2, EYE)),
    ("means reach", lambda: GOOD.family.state([1.0], [[0.5, 1.1]])),
    ("concentration", lambda: GOOD.family.mode_statistics(0.5)),
    ("pseudo_count is 0.5", lambda: GOOD.family.mode_statistics(1.0)),
    ("at most 16", lambda: binary_vectors(17)),
    (
        "distinct rows with weights",
        lambda: pattern_counts(np.zeros((2, 20), dtype=int)),
    ),
    ("weights", lambda: Truth([0.5, 0.6], EYE).probabilities()),
    ("means", lambda: Truth([0.5, 0.5], 2 * EYE).sample(3, np.random.default_rng(0))),
    ("rng", lambda: generalization_error(MANY_BITS, np.ones((1, 41)), ONE_OF_MANY)),
    ("rng", lambda: data.item_by_user(3)),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_input(case):
    message, call = BAD[case]
    with pytest.raises(ValueError, match=message):
        call()


def test_equal_rows_and_more_components_than_rows_are_learnt():
    """Nothing in learning itself needs distinct rows:
    the bound rises and stays below the evidence."""
    X = np.ones((6, 2), dtype=int)
    start = GOOD.m_step(X, np.random.default_rng(0).dirichlet(np.ones(3), 6))
    fit = fit_batch(GOOD, X, start)
    assert fit.converged and fit.elbo < log_evidence(GOOD, X, 3)


def test_a_sparse_table_stays_as_it_was():
    table = sp.csr_array(
        (np.ones(3), [2, 0, 1], [0, 2, 3]), shape=(2, 3)
    )  # unsorted indices
    BetaBernoulli(3, precision=np.float64).check_data(table)
    assert table.indices.tolist() == [2, 0, 1]


def test_patterns_that_the_truth_never_shows_do_not_count():
    mixture, truth = (
        Mixture(BetaBernoulli(2, 0.7)),
        Truth([0.5, 0.5], [[1.0, 0.5], [1.0, 0.2]]),
    )
    S = mixture.m_step(np.array([[1, 0], [1, 1], [0, 1]]), np.full((3, 2), 0.5))
    value, error = generalization_error(mixture, S, truth)
    log_q = mixture.log_predictive(np.array([[1, 0], [1, 1]]), S)
    p = np.array([0.65, 0.35])
    close(value, p @ (np.log(p) - log_q))
    assert error == 0
