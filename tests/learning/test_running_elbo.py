"""The running ELBO is the discounted free energy (3.5), and the ELBO where the two must agree."""

import numpy as np
import pytest
from scipy.special import xlogy

from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import (
    accumulation,
    fit_batch,
    fit_online,
    init_gaussian,
    running_elbo,
    sato2000,
    without_discount,
)
from vbkit.mixture import EM, Mixture
from vbkit.theory import log_evidence

FAMILIES = {"isotropic": IsotropicGaussian, "full": NormalWishart}


@pytest.fixture(params=FAMILIES)
def problem(request):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2)) + rng.choice([-2.0, 2.0], size=(80, 1))
    mixture = Mixture(
        FAMILIES[request.param].from_pseudo_data(np.zeros(2), 3.0, 0.5), Dirichlet(1.3)
    )
    return mixture, X, init_gaussian(mixture, X, 3, rng)


@pytest.mark.parametrize("tau0, kappa, entropy", [(20.0, 0.1, 0.0), (5.0, 0.0, 0.7)])
def test_it_is_the_discounted_free_energy_of_all_that_was_seen(
    problem, tau0, kappa, entropy
):
    """(3.5) term by term: discounted sums at the end,
    each data point with the labels of its time."""
    mixture, X, start = problem
    T, S, R, weights = 120.0, start, [], np.array([tau0])
    for n in range(len(X)):
        R.append(mixture.responsibilities(X[n : n + 1], S)[0])
        weights = np.append(weights * (1 - 1 / (n * kappa + tau0)), 1.0)
        share = T / weights.sum()
        S = share * (
            weights[0] * start / T
            + np.array(R).T
            @ (weights[1:, None] * mixture.family.statistics(X[: n + 1]))
        )
    W = mixture.family.expected(S)
    W[:, 0] += mixture.labels.expected(S[:, 0])
    R = np.array(R)
    terms = (R * (mixture.family.statistics(X) @ W.T)).sum(1) - xlogy(R, R).sum(1)
    of_start = weights[0] * ((start * W).sum() / T + entropy)
    wanted = share * (of_start + weights[1:] @ terms) - mixture.divergence(S)
    bounds, end, _, after = running_elbo(
        mixture, X, start, sato2000(T, tau0=tau0, kappa=kappa), entropy=entropy
    )
    assert np.allclose(end, S, rtol=1e-10) and bounds[-1] == pytest.approx(
        wanted, rel=1e-10
    )
    plain = fit_online(
        mixture, X, start, sato2000(T, tau0=tau0, kappa=kappa), monitor=False
    )
    assert np.allclose(end, plain.S, rtol=1e-9) and after == plain.schedule


def test_cutting_the_stream_changes_nothing(problem):
    mixture, X, start = problem
    whole = running_elbo(mixture, X, start, sato2000(80, tau0=20.0))
    first = running_elbo(mixture, X[:30], start, sato2000(80, tau0=20.0))
    second = running_elbo(mixture, X[30:], *first[1:2], first[3], entropy=first[2])
    assert np.array_equal(whole[0], np.append(first[0], second[0])) and np.array_equal(
        whole[1], second[1]
    )


def test_frozen_at_a_fixed_point_it_tends_to_the_bound(problem):
    """With a long memory the posterior stays, and the entropy becomes its mean over the data."""
    mixture, X, start = problem
    fit = fit_batch(mixture, X, start, max_epochs=20_000, tolerance=1e-13)
    schedule = without_discount(len(X), memory=1e12)
    R = mixture.responsibilities(X, fit.S)
    bounds, S, *_ = running_elbo(
        mixture, X, fit.S, schedule, entropy=-xlogy(R, R).sum() / len(X)
    )
    assert np.allclose(S, fit.S) and np.allclose(bounds, fit.elbo, atol=1e-5)


def test_one_component_has_no_entropy_and_the_ratio_is_the_evidence(problem):
    mixture, X, _ = problem
    few = X[:6]
    S = mixture.m_step(few, np.ones((6, 1)))
    exact = log_evidence(mixture, few, 1)
    assert mixture.log_normalizer_ratio(S) == pytest.approx(exact, rel=1e-12)
    bounds, *_ = running_elbo(mixture, few, S, sato2000(6, tau0=6.0, kappa=0.0))
    assert np.isfinite(bounds).all()


def test_the_bound_from_labels_is_the_bound_term_by_term(problem):
    mixture, X, start = problem
    R = mixture.responsibilities(X, start)
    S = mixture.m_step(X, R)
    W = mixture.family.expected(S)
    W[:, 0] += mixture.labels.expected(S[:, 0])
    data = (R * (mixture.family.statistics(X) @ W.T)).sum()
    short = mixture.log_normalizer_ratio(S) - xlogy(R, R).sum()
    assert short == pytest.approx(
        data - xlogy(R, R).sum() - mixture.divergence(S), rel=1e-12
    )


def test_the_base_measure_counts():
    class WithBase(IsotropicGaussian):
        def log_base(self, X):
            return np.full(len(X), 0.25)

    X = np.random.default_rng(0).normal(size=(30, 1))
    mixtures = [
        Mixture(f(np.zeros(1), 1.0, 1.0, 1.0)) for f in (IsotropicGaussian, WithBase)
    ]
    start = init_gaussian(mixtures[0], X, 2, np.random.default_rng(1))
    plain, based = (
        running_elbo(m, X, start, sato2000(40), entropy=e)[0]
        for m, e in zip(mixtures, (0, 0.25), strict=True)
    )
    assert np.allclose(based - plain, 40 * 0.25)


def test_bad_input(problem):
    mixture, X, start = problem
    for schedule in (accumulation(), sato2000(80, memory=0.0)):
        with pytest.raises(ValueError, match="a total and a memory above 0"):
            running_elbo(mixture, X, start, schedule)
    with pytest.raises(ValueError, match="clones must be 1"):
        running_elbo(
            Mixture(mixture.family, Dirichlet(0.0), clones=EM), X, start, sato2000(80)
        )
