"""Families of counts and of categories: `check_family`, exact evidence, limits, predictions at any
size."""

import mpmath as mp
import numpy as np
import pytest
from oracles import close
from scipy import stats
from scipy.special import gammaln

from vbkit.families import (
    BetaBernoulli,
    DirichletCategorical,
    GammaPoisson,
    check_family,
)
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, fit_online, init_from_rows, sato2000
from vbkit.mixture import EM, Mixture
from vbkit.structure import run_search, start_search
from vbkit.theory import log_evidence

pytestmark = pytest.mark.filterwarnings("error")
mp.mp.dps = 80
COUNTS = GammaPoisson(2, [0.8, 2.0], 0.3)
LEVELS = DirichletCategorical((2, 3, 1), 0.7)


def counts(seed, N):
    rng = np.random.default_rng(seed)
    rates = np.array([[2.0, 1.0], [15.0, 4.0]])
    return rng.poisson(rates[rng.integers(2, size=N)]).astype(float)


def levels(seed, N):
    rng = np.random.default_rng(seed)
    z = rng.integers(2, size=N)
    p = np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])
    second = [rng.choice(3, p=p[k]) for k in z]
    return np.stack(
        [rng.random(N) < 0.2 + 0.6 * z, second, np.zeros(N)], axis=1
    ).astype(float)


CASES = pytest.mark.parametrize("family, make", [(COUNTS, counts), (LEVELS, levels)])


@CASES
def test_the_parts_fit_together(family, make):
    check_family(family, make(1, 60))


@CASES
def test_the_elbo_of_one_component_is_the_evidence(family, make):
    X = make(2, 30)
    fit = fit_batch(Mixture(family), X, family.statistics(X).sum(0)[None])
    total = sum(
        Mixture(family).log_predictive(
            X[n : n + 1], family.statistics(X[:n]).sum(0)[None]
        )[0]
        for n in range(len(X))
    )
    close(fit.elbo, total)


def test_counts_below_0_have_no_posterior():
    family = GammaPoisson(2, 1.0, 1.0)
    for S in ([[5.0, 1, 1], [-3, 1, 1]], [[5.0, -2, 1]]):
        with pytest.raises(ValueError, match="counts below 0"):
            family.log_normalizer(np.array(S))


def test_predictions_of_counts_are_negative_binomial():
    X = counts(3, 40)
    S = COUNTS.statistics(X).sum(0)[None]
    shape, rate = COUNTS.shape + S[0, 1:], COUNTS.rate + S[0, 0]
    expected = stats.nbinom.logpmf(X, shape, rate / (rate + 1)).sum(axis=1)
    close(COUNTS.log_predictive(S, X)[0], expected)


@pytest.mark.parametrize("n", [1e-3, 1.0, 1e6, 1e12, 2.0**100])
@pytest.mark.parametrize("x", [0, 1, 30, 10**6])
def test_predictions_of_counts_at_any_size(n, x):
    family = GammaPoisson(1, 0.5, 2.0)
    a, b = mp.mpf(0.5) + mp.mpf(3 * n), mp.mpf(2) + mp.mpf(n)
    exact = mp.loggamma(a + x) - mp.loggamma(a) - mp.loggamma(x + 1)
    exact += a * mp.log(b / (b + 1)) - x * mp.log(b + 1)
    found = family.log_predictive(np.array([[n, 3 * n]]), np.array([[float(x)]]))[0, 0]
    assert abs(found - float(exact)) <= 1e-9 * max(1.0, abs(float(exact)))


def test_two_levels_are_bernoulli():
    X = (np.random.default_rng(4).random((50, 3)) < 0.4).astype(float)
    binary = Mixture(BetaBernoulli(3, 0.7), Dirichlet(0.6))
    both = Mixture(DirichletCategorical((2, 2, 2), 0.7), Dirichlet(0.6))
    R = np.random.default_rng(5).dirichlet([1, 1], 50)
    fits = [
        fit_batch(model, X, model.m_step(X, R), max_epochs=50)
        for model in (binary, both)
    ]
    close(fits[0].trace, fits[1].trace)
    close(
        fits[0].mixture.log_predictive(X, fits[0].S), both.log_predictive(X, fits[1].S)
    )


@CASES
def test_the_elbo_is_at_most_the_evidence(family, make):
    X, mixture = make(6, 7), Mixture(family, Dirichlet(0.5))
    start = init_from_rows(mixture, X, 2, np.random.default_rng(1))
    assert fit_batch(mixture, X, start).elbo <= log_evidence(mixture, X, 2) + 1e-9


@CASES
def test_search_finds_two_components_and_online_comes_near(family, make):
    X, rng = make(7, 800), np.random.default_rng(2)
    mixture = Mixture(family, Dirichlet(1.0))
    search = run_search(
        start_search(mixture, X, family.statistics(X).sum(0)[None], rng)
    )
    assert search.best.n_components == 2
    online = fit_online(mixture, X, search.best.S, sato2000(len(X)), epochs=3, rng=rng)
    assert abs(online.elbo - search.best.elbo) < 0.005 * abs(search.best.elbo)


def test_em_is_maximum_likelihood():
    X = counts(8, 300)
    mixture = Mixture(GammaPoisson(2), Dirichlet(0.0), clones=EM)
    start = init_from_rows(mixture, X, 2, np.random.default_rng(1))
    found = fit_batch(mixture, X, start, tolerance=1e-10, max_epochs=5000)
    weights, components = mixture.parameters(found.S)
    log_p = stats.poisson.logpmf(X[:, None], components.rate).sum(axis=2)
    R = np.exp(log_p) * weights
    R /= R.sum(axis=1, keepdims=True)
    close(components.rate, R.T @ X / R.sum(axis=0)[:, None], rtol=1e-4)


@CASES
def test_draws_have_the_predictive_distribution(family, make):
    S, rng = family.statistics(make(9, 40)).sum(0)[None], np.random.default_rng(3)
    X = Mixture(family).sample(S, 20_000, rng)
    rows, seen = np.unique(X, axis=0, return_counts=True)
    p = np.exp(family.log_predictive(S, rows)[0])
    often = 20_000 * p > 5
    expected = np.append(20_000 * p[often], 20_000 * (1 - p[often].sum()))
    observed = np.append(seen[often], 20_000 - seen[often].sum())
    keep = expected > 1e-6
    statistic = ((observed - expected)[keep] ** 2 / expected[keep]).sum()
    assert stats.chi2.sf(statistic, keep.sum() - 1) > 1e-6


def test_one_rate_for_all_columns_is_that_for_each():
    X = counts(1, 5)
    S = GammaPoisson(2).statistics(X).sum(0)
    close(
        GammaPoisson(2, 0.7).log_normalizer(S),
        GammaPoisson(2, [0.7, 0.7]).log_normalizer(S),
    )
    prior = GammaPoisson.from_pseudo_data([2.0, 3.0], 4.0)
    close(prior.shape / prior.rate, [2.0, 3.0])
    close(prior.log_base(X), -gammaln(X + 1).sum(axis=1))


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda: COUNTS.check_data([[1, 0.5]]),
            r"X\[0, 1\] is 0.5; every entry must be a whole",
        ),
        (lambda: COUNTS.check_data([[1, 2], [-1, 0]]), r"X\[1, 0\] is -1"),
        (lambda: COUNTS.check_data([[1, 2, 3]]), "X has 3 columns; it must have 2"),
        (
            lambda: GammaPoisson(2, [1, 2, 3]),
            r"shape has shape \(3,\); it must be one number or",
        ),
        (
            lambda: GammaPoisson(2, 1.0, 0.0),
            "rate is 0.0; it must be a finite number > 0",
        ),
        (lambda: GammaPoisson.from_pseudo_data([1.0, 0.0], 1.0), "mean is"),
        (
            lambda: LEVELS.check_data([[1, 3, 0]]),
            r"X\[0, 1\] is 3; it must be a whole number from",
        ),
        (lambda: LEVELS.check_data([[0.5, 0, 0]]), r"X\[0, 0\] is 0.5"),
        (
            lambda: DirichletCategorical((2, 0)),
            r"levels\[1\] is 0; it must be a whole number >= 1",
        ),
        (lambda: DirichletCategorical(()), "levels is"),
        (lambda: DirichletCategorical(3), "levels is 3"),
        (lambda: DirichletCategorical([[2, 2]]), "a whole number >= 1 for each column"),
        (lambda: DirichletCategorical({2: 3}), "levels is"),
        (lambda: DirichletCategorical((2,), 0.0), "pseudo_count is 0.0"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_largest_count_is_allowed_and_no_larger():
    family = GammaPoisson(1, 1.0, 1.0)
    assert family.check_data([[2.0**53]])[0, 0] == 2.0**53
    with pytest.raises(
        ValueError, match=r"X\[0, 0\] is 9.0072e.15; every entry must be"
    ):
        family.check_data([[2.0**53 + 2]])
