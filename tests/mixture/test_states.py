"""A fit knows its mixture; pseudo-statistics are part of the prior; ELBOs of
responsibilities."""

import numpy as np
import oracles
import pytest
from oracles import KINDS, close, problem

from vbkit.families import (
    BetaBernoulli,
    IsotropicGaussian,
    KnownCovariance,
    NormalWishart,
)
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_batch, fit_chunks, fit_online
from vbkit.mixture import EM, Mixture

pytestmark = pytest.mark.filterwarnings("error")
kinds = pytest.mark.parametrize("kind", KINDS)


def test_a_fit_of_another_prior_mean_or_family_is_refused():
    """Statistics are measured from the prior mean, so a state means something else there."""
    X = np.random.default_rng(0).normal(3.0, 1.0, (30, 2))
    here = Mixture(NormalWishart(X.mean(axis=0), 1.0, 3.0, np.eye(2)))
    elsewhere = Mixture(NormalWishart(X[:20].mean(axis=0), 1.0, 3.0, np.eye(2)))
    of_another_kind = Mixture(KnownCovariance(X.mean(axis=0), 1.0))
    R = np.random.default_rng(1).dirichlet(np.ones(2), 30)
    fit = fit_batch(here, X, here.m_step(X, R), max_epochs=2)
    further = fit_batch(here, X, fit, max_epochs=3)
    assert np.array_equal(further.S, fit_batch(here, X, fit.S, max_epochs=3).S)
    uses = (
        lambda mixture: fit_batch(mixture, X, fit),
        lambda mixture: fit_online(mixture, X, fit, accumulation()),
        lambda mixture: fit_chunks(mixture, X, fit),
    )
    for use in uses:
        with pytest.raises(ValueError, match="measured from the prior mean"):
            use(elsewhere)
        with pytest.raises(ValueError, match="start is a fit of NormalWishart"):
            use(of_another_kind)


def test_a_fit_answers_for_its_mixture():
    X = np.random.default_rng(0).normal(3.0, 1.0, (30, 2))
    mixture = Mixture(NormalWishart(X.mean(axis=0), 1.0, 3.0, np.eye(2)))
    R = np.random.default_rng(1).dirichlet(np.ones(2), 30)
    fit = fit_batch(mixture, X, mixture.m_step(X, R))
    new = X[:5] + 0.1
    assert np.array_equal(
        fit.responsibilities(new), mixture.responsibilities(new, fit.S)
    )
    assert np.array_equal(fit.log_predictive(new), mixture.log_predictive(new, fit.S))
    assert np.array_equal(fit.parameters().weights, mixture.parameters(fit.S).weights)
    drawn = fit.sample(4, np.random.default_rng(2))
    assert np.array_equal(drawn, mixture.sample(fit.S, 4, np.random.default_rng(2)))


def test_a_state_of_the_wrong_width_is_refused_everywhere():
    mixture = Mixture(IsotropicGaussian([0.0, 0.0], 1.0, 1.0, 1.0))
    X, S = np.eye(2), np.ones((2, 3))
    for use in (
        mixture.check_state,
        mixture.parameters,
        mixture.divergence,
        mixture.log_normalizer_ratio,
    ):
        with pytest.raises(ValueError, match=r"the state has shape \(2, 3\)"):
            use(S)
    for use in (
        mixture.elbo,
        mixture.e_step,
        mixture.responsibilities,
        mixture.log_predictive,
    ):
        with pytest.raises(ValueError, match=r"the state has shape \(2, 3\)"):
            use(X, S)


@pytest.mark.parametrize("b, change", [(3.0, -1.0), (0.5, 1.5), (2.0, 0.0)])
@pytest.mark.parametrize("more", [0.0, 0.75])
def test_pseudo_statistics_are_part_of_the_prior(b, change, more):
    """Beta(b) times pseudo-statistics is Beta(b + change), constants included, also where they are
    negative."""
    rng = np.random.default_rng(1)
    X, R = rng.random((20, 3)) < 0.4, rng.dirichlet(np.ones(2), 20)
    pseudo_statistics = np.array([more] + [change] * 6)
    with_them = Mixture(
        BetaBernoulli(3, b), Dirichlet(0.5), pseudo_statistics=pseudo_statistics
    )
    direct = Mixture(BetaBernoulli(3, b + change), Dirichlet(0.5 + more))
    S = direct.m_step(X, R)
    if (
        more == 0
    ):  # a count would enter the Beta's normaliser of no family, only the weights'
        close(with_them.elbo(X, S), direct.elbo(X, S))
        close(with_them.log_normalizer_ratio(S), direct.log_normalizer_ratio(S))
    close(
        with_them.elbo(X, S) + with_them.divergence(S),
        direct.elbo(X, S) + direct.divergence(S),
    )
    close(with_them.divergence(S), direct.divergence(S))


def test_pseudo_statistics_that_leave_no_prior_are_refused():
    family = BetaBernoulli(1, 0.5)
    for pseudo in ([0.0, -1.0, 0.0], [0.0, 0.0, -0.5], [-0.1, 0.0, 0.0]):
        with pytest.raises(ValueError, match="pseudo_statistics"):
            Mixture(family, pseudo_statistics=pseudo)
    gaussian = NormalWishart([0.0], 1.0, 1.0, [[1.0]])
    with pytest.raises(ValueError, match="pseudo_statistics .* not proper"):
        Mixture(gaussian, pseudo_statistics=[0.0, 0.0, -1.1])
    assert Mixture(gaussian, Dirichlet(0.0), EM, [0.0, 0.0, -1.1]).clones == EM


@kinds
@pytest.mark.parametrize("weighted", [False, True])
def test_the_elbo_of_responsibilities_in_hand(kind, weighted):
    """That of the oracle at R and its M-step, below `elbo` at that state, and equal to it at a
    fixed point."""
    rng = np.random.default_rng(2)
    prior, a, X, R, mixture = problem(rng, kind)
    w = rng.uniform(0.2, 2, 12) if weighted else np.ones(12)
    given = w if weighted else None
    exact = oracles.elbo(prior, a, X, oracles.posterior(prior, a, X, R, w), R, w)
    close(mixture.elbo_of_responsibilities(X, R, given), exact)
    S = mixture.m_step(X, R, given)
    assert mixture.elbo(X, S, given) > exact + 1e-3
    fit = fit_batch(mixture, X, S, weights=given, tolerance=0, max_epochs=3000)
    R = mixture.responsibilities(X, fit.S)
    close(mixture.elbo_of_responsibilities(X, R, given), fit.elbo)
    with pytest.raises(ValueError, match="R has a row that does not add up to 1"):
        mixture.elbo_of_responsibilities(X, np.vstack([R[:-1], 1.1 * R[-1:]]))


@kinds
def test_the_elbo_of_responsibilities_in_the_em_limit(kind):
    """The complete-data log-likelihood at its maximum, and the labels' entropy; a dead component
    counts for nothing."""
    rng = np.random.default_rng(3)
    *_, X, R, mixture = problem(rng, kind, 2, 40, 3)
    em = Mixture(mixture.family, Dirichlet(0.0), clones=EM)
    R[:, 2] = 0
    R /= R.sum(axis=1, keepdims=True)
    L = (
        np.log(R[:, :2].mean(axis=0))
        + np.array(
            [
                em.family.log_predictive(em.effective(em.m_step(X, r[:, None])), X)[0]
                for r in R.T[:2]
            ]
        ).T
    )
    expected = (R[:, :2] * (L - np.log(R[:, :2]))).sum()
    close(em.elbo_of_responsibilities(X, R), expected, rtol=1e-10)


@kinds
def test_log_normalizer_ratio_of_many_states(kind):
    """Leading axes; per clone, its limit is the largest <S, theta>."""
    *_, X, R, mixture = problem(np.random.default_rng(4), kind)
    S = np.stack([mixture.m_step(X, R), mixture.m_step(X, R[:, ::-1]) * 0.5])
    each = [mixture.log_normalizer_ratio(s) for s in S]
    close(mixture.log_normalizer_ratio(S), each)
    close(mixture.log_normalizer_ratio(0 * S), 0)
    near, limit = (
        Mixture(
            mixture.family, Dirichlet(1.0 if c < EM else 0.0), clones=c
        ).log_normalizer_ratio(S)
        for c in (2.0**40, EM)
    )
    close(near, limit, rtol=1e-7)


def test_parameters_of_bernoulli_components_in_vb_and_em():
    X = np.array([[1, 0], [1, 1], [0, 1], [1, 0]])
    R = np.array([[1, 0], [1, 0], [0, 1], [0, 1.0]])
    family = BetaBernoulli(2, 0.5)
    weights, (probability,) = Mixture(family).parameters(Mixture(family).m_step(X, R))
    close(weights, [0.5, 0.5])
    close(probability, [[2.5 / 3, 1.5 / 3], [1.5 / 3, 1.5 / 3]])
    em = Mixture(family, Dirichlet(0.0), clones=EM)
    close(em.parameters(em.m_step(X, R)).components.probability, [[1, 0.5], [0.5, 0.5]])


@kinds
def test_posterior_is_absolute_and_named(kind):
    prior, _, X, R, mixture = problem(np.random.default_rng(5), kind)
    S = mixture.m_step(X, R)
    posterior = mixture.family.posterior(S)
    for k, r in enumerate(R.T):
        exact = prior.update(X, r)
        close(posterior.mean_count[k], exact.beta)
        close(posterior.mean[k], exact.m)
    relative = mixture.family.relative_posterior(S)
    close(relative.mean + prior.m, posterior.mean)


@pytest.mark.parametrize("column, size", [(0, 1e251), (1, 1e251), (1, -1e251)])
def test_a_state_too_large_for_many_clones_is_refused(column, size):
    mixture = Mixture(KnownCovariance(np.zeros(2), 1.0), clones=EM)
    S = mixture.m_step(np.eye(2), np.ones((2, 1)))
    S[0, column] = size
    with pytest.raises(ValueError, match="the state reaches 1e"):
        mixture.parameters(S)


def test_nan_is_said_not_returned():
    class Undefined(KnownCovariance):
        def log_normalizer(self, S):
            return np.full(S.shape[:-1], np.nan)

    mixture, X = Mixture(Undefined(np.zeros(2), 1.0)), np.ones((5, 2))
    with pytest.raises(ValueError, match="the ELBO is nan"):
        mixture.elbo(X, np.array([[5.0, 1.0, 2.0]]))


def test_a_masked_array_is_refused():
    mixture = Mixture(KnownCovariance([0.0], 1.0))
    with pytest.raises(ValueError, match="X is a masked array"):
        mixture.observe(np.ma.masked_array([[1.0], [2.0]], [[False], [True]]))


def test_data_too_far_from_the_prior_mean_are_refused_even_if_both_are_within_bounds():
    family = IsotropicGaussian([0.9e100], 1.0, 1.0, 1.0)
    assert len(family.check_data([[0.5e100]]))
    with pytest.raises(ValueError, match="1.8e.100 from the prior mean"):
        family.check_data([[-0.9e100]])


def test_a_state_must_have_two_axes():
    mixture = Mixture(IsotropicGaussian([0.0, 0.0], 1.0, 1.0, 1.0))
    for S in (np.ones(4), np.ones((0, 4))):
        with pytest.raises(ValueError, match=r"it must be \(..., K >= 1, width\)"):
            mixture.log_normalizer_ratio(S)
    with pytest.raises(ValueError, match=r"it must be \(..., 2, 4\)"):
        mixture.log_normalizer_ratio(np.ones((2, 5)))
    for S in (3.0, np.ones(4), np.ones((0, 4))):
        with pytest.raises(ValueError, match=r"it must be \(K >= 1, width\)"):
            mixture.check_state(S)
    with pytest.raises(ValueError, match=r"it must be \(2, 4\)"):
        mixture.check_state(np.ones((2, 5)))
