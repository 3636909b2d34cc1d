"""Hierarchical VB (Sato 2000, appendix D) against numerical integration over the prior's unknown
centre and rate."""

import re

import attrs
import numpy as np
import oracles
import pytest
from oracles import close
from scipy.special import gammaln, logsumexp

from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import accumulation, fit_batch, fit_online, sato2000
from vbkit.learning.hierarchical import (
    Hyperprior,
    fit_hierarchical,
    fit_hierarchical_online,
)
from vbkit.mixture import EM, Mixture

pytestmark = pytest.mark.filterwarnings("error")
BETA, SHAPE = 0.7, 1.4
PRIOR = Hyperprior(0.8, [0.5], 0.6)
UNIT = IsotropicGaussian(
    [0.3], BETA, SHAPE, 2.0
)  # where statistics are measured from, and a rate: neither may matter
MIXTURE = Mixture(UNIT, Dirichlet(0.9))


def problem(seed, N=12, K=2, D=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D)) + 2 * rng.normal(size=(K, D))[np.arange(N) % K]
    component = attrs.evolve(UNIT, mean=np.full(D, 0.3))
    mixture = attrs.evolve(MIXTURE, family=component)
    return (
        X,
        mixture,
        mixture.m_step(X, rng.dirichlet(np.ones(K), N)),
        attrs.evolve(PRIOR, centre=np.full(D, 0.5)),
    )


class Grid:
    """A mesh of centres c and rates s, equally spaced in log s; densities are log weights on it
    that sum to 1."""

    def __init__(self, size=300):
        c, log_s = np.linspace(-60, 60, 6001), np.linspace(-30, 8, size)
        self.c, self.log_s = np.meshgrid(c, log_s, indexing="ij")
        self.s = np.exp(self.log_s)

    def prior(self):
        """(A.21) as it is printed: b0 (a0 . gamma0 alpha0 - Phi), with alpha0 = (beta c, s + beta
        c^2 / 2) / gamma0."""
        b, m, p = PRIOR.strength, PRIOR.centre[0], PRIOR.precision
        return self.density(
            b
            * (
                p * m * BETA * self.c
                - p * (self.s + BETA * self.c**2 / 2)
                + SHAPE * self.log_s
            )
        )

    def density(self, log_density):
        """Of a log density in (c, s), but for a constant: normalised log weights."""
        log_weights = log_density + self.log_s  # ds = s dlog s
        return log_weights - logsumexp(log_weights)

    def posterior(self, n_components):
        """exp of the expectation over the components' parameters of log P(theta | c, s), times the
        prior."""
        terms = sum(
            minus_divergence(component, self.c, self.s) for component in n_components
        )
        return self.density(self.prior() - self.log_s + terms)

    def mean(self, log_weights, *values):
        return [float((np.exp(log_weights) * value).sum()) for value in values]


def minus_divergence(component, c, s):
    """E log prior(mu, rho | c, s) - E log q(mu, rho) on the mesh: the oracle's, and where c and s
    enter."""
    base, rho = (
        component.minus_divergence(
            oracles.Isotropic(np.array([0.0]), BETA, SHAPE, 1.0)
        ),
        component.a / component.b,
    )

    def at(c, s):
        return (
            base
            + SHAPE * np.log(s)
            - (s - 1) * rho
            - BETA / 2 * rho * (c**2 - 2 * c * component.m[0])
        )

    close(
        component.minus_divergence(
            oracles.Isotropic(np.array([0.7]), BETA, SHAPE, 1.9)
        ),
        at(0.7, 1.9),
    )
    return at(c, s)


def oracle_components(mixture, hyper, S):
    """The components' normal-gamma posteriors, from the textbook's update with <alpha_0> as their
    prior."""
    mean = hyper.expected(mixture.family)
    n_components = []
    for n, first, second in S:
        x, xx = (
            first + n * 0.3,
            second + 2 * 0.3 * first + n * 0.09,
        )  # sums of the data themselves
        beta = BETA + n
        m = (BETA * mean.centre[0] + x) / beta
        b = mean.rate + 0.5 * (
            BETA * (mean.centre[0] ** 2 + mean.variance) + xx - beta * m**2
        )
        n_components.append(oracles.Isotropic(np.array([m]), beta, SHAPE + n / 2, b))
    return n_components


GRID = Grid()


def test_the_prior_of_the_prior():
    """(A.21), (A.25): its closed form has the moments of the printed density."""
    mean = PRIOR.expected(UNIT)
    numbers = GRID.mean(
        GRID.prior(), GRID.c, GRID.s, GRID.log_s, (GRID.c - mean.centre) ** 2
    )
    close(numbers, [mean.centre[0], mean.rate, mean.log_rate, mean.variance], rtol=1e-6)


@pytest.mark.parametrize(("seed", "K"), [(0, 1), (1, 1), (2, 2), (3, 3)])
def test_the_third_factor(seed, K):
    """At a fixed point the third factor is that of numerical integration, and the printed (A.26) is
    not."""
    X, mixture, S, prior = problem(seed, K=K)
    fit = fit_hierarchical(mixture, X, S, prior, tolerance=1e-13, max_epochs=20000)
    n_components = oracle_components(mixture, fit.hyper, fit.S)
    close(
        fit.mixture.family.posterior(fit.mixture.effective(fit.S))[3],
        [component.b for component in n_components],
    )
    weights, mean = GRID.posterior(n_components), fit.hyper.expected(UNIT)
    numbers = GRID.mean(
        weights, GRID.c, GRID.s, GRID.log_s, (GRID.c - mean.centre) ** 2
    )
    close([mean.centre[0], mean.rate, mean.log_rate, mean.variance], numbers, rtol=1e-5)
    precisions = np.array([u.a / u.b for u in n_components])
    printed = precisions.sum() + prior.precision  # a = <theta> + a_0, its second entry
    assert (
        abs(
            Hyperprior(prior.strength + K, prior.centre, printed).expected(UNIT).rate
            / numbers[1]
            - 1
        )
        > 0.2
    )


def written_out(X, mixture, fit, weights):
    """The ELBO from the textbook's terms, averaged over a third factor given on the mesh."""
    n_components, base = (
        oracle_components(mixture, fit.hyper, fit.S),
        oracles.Isotropic(np.array([0.0]), BETA, SHAPE, 1.0),
    )
    q = mixture.labels.concentration + fit.S[:, 0], n_components
    average = sum(
        GRID.mean(weights, minus_divergence(u, GRID.c, GRID.s))[0]
        - u.minus_divergence(base)
        for u in n_components
    )
    divergence = GRID.mean(weights, weights - GRID.prior())[0]
    return (
        oracles.elbo(base, 0.9, X, q, oracles.responsibilities(q, X))
        + average
        - divergence
    )


@pytest.mark.parametrize(("seed", "K"), [(0, 1), (4, 2), (5, 3)])
def test_the_bound(seed, K):
    X, mixture, S, prior = problem(seed, K=K)
    fit = fit_hierarchical(mixture, X, S, prior, max_epochs=0)
    assert fit.epochs == 0
    close(fit.elbo, written_out(X, mixture, fit, GRID.prior()), rtol=1e-6)
    fit = fit_hierarchical(mixture, X, S, prior, tolerance=1e-13, max_epochs=20000)
    weights = GRID.posterior(oracle_components(mixture, fit.hyper, fit.S))
    close(fit.elbo, written_out(X, mixture, fit, weights), rtol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_lies_below_the_evidence(seed):
    """One component: the evidence is an integral over (c, s) of a closed form."""
    X, mixture, S, prior = problem(seed, N=8, K=1)
    fit = fit_hierarchical(mixture, X, S, prior)
    x, n, beta = X[:, 0], 8, BETA + 8
    rate = GRID.s + 0.5 * (
        (x**2).sum() + BETA * GRID.c**2 - (BETA * GRID.c + x.sum()) ** 2 / beta
    )
    shape = SHAPE + n / 2
    log_p = (
        SHAPE * GRID.log_s
        - shape * np.log(rate)
        + gammaln(shape)
        - gammaln(SHAPE)
        + 0.5 * np.log(BETA / beta)
    )
    log_evidence = logsumexp(GRID.prior() + log_p) - n / 2 * oracles.LOG_2PI
    one = oracles.Isotropic(np.array([GRID.c[3010, 0]]), BETA, SHAPE, GRID.s[0, 200])
    close(log_p[3010, 200] - n / 2 * oracles.LOG_2PI, oracles.log_marginal(one, X))
    assert 1e-3 < log_evidence - fit.elbo < 1


@pytest.mark.parametrize("seed", range(8))
def test_the_bound_never_falls(seed):
    X, mixture, S, prior = problem(seed, N=40, K=2 + seed % 3, D=1 + seed % 3)
    weights = np.random.default_rng(seed).integers(3, size=40) if seed % 2 else None
    fit = fit_hierarchical(
        mixture, mixture.observe(X, weights), S, prior, tolerance=0, max_epochs=200
    )
    assert np.diff(fit.trace).min() > -1e-9
    assert fit.trace[-1] > fit.trace[0] + 1
    if seed % 2:
        repeated = fit_hierarchical(
            mixture,
            np.repeat(X, weights, axis=0),
            S,
            prior,
            tolerance=0,
            max_epochs=200,
        )
        close(repeated.trace, fit.trace)


def test_a_strong_prior_is_no_hierarchy():
    """strength -> infinity: ordinary VB with the prior's centre and the rate shape / precision."""
    X, mixture, S, _ = problem(3, N=40, D=2)
    plain = attrs.evolve(
        mixture, family=IsotropicGaussian([1.0, -1.0], BETA, SHAPE, SHAPE / 0.4)
    )
    moved = np.column_stack(
        [S[:, 0], S[:, 1:3] + S[:, :1] * ([0.3 - 1, 0.3 + 1]), np.zeros(2)]
    )
    moved[:, 3] = (
        S[:, 3] + 2 * S[:, 1:3] @ [0.3 - 1, 0.3 + 1] + S[:, 0] * (0.7**2 + 1.3**2)
    )
    fit = fit_hierarchical(
        mixture, X, S, Hyperprior(1e9, [1.0, -1.0], 0.4), tolerance=0, max_epochs=30
    )
    close(
        fit.trace,
        fit_batch(plain, X, moved, tolerance=0, max_epochs=30).trace,
        rtol=1e-7,
    )


def test_the_reference_does_not_matter():
    X, mixture, S, prior = problem(4, N=40, D=1)
    other = attrs.evolve(mixture, family=IsotropicGaussian([-2.0], BETA, SHAPE, 0.1))
    moved = np.column_stack(
        [S[:, 0], S[:, 1] + 2.3 * S[:, 0], S[:, 2] + 4.6 * S[:, 1] + 2.3**2 * S[:, 0]]
    )
    a, b = (
        fit_hierarchical(m, X, s, prior, tolerance=0, max_epochs=50)
        for m, s in ((mixture, S), (other, moved))
    )
    close(a.trace, b.trace)
    close([a.hyper.precision, *a.hyper.centre], [b.hyper.precision, *b.hyper.centre])


# ---- online --------------------------------------------------------------------------------------


@pytest.mark.parametrize("every", [1, 7])
def test_online_by_hand(every):
    """E-step, M-step and third factor for one data point after another."""
    X, mixture, S, prior = problem(6, N=20, D=2)
    fit = fit_hierarchical_online(mixture, X, S, prior, sato2000(20), every=every)
    schedule, hyper = sato2000(20), prior
    for n, x in enumerate(X):
        keep, gain, schedule = schedule.rates(1)
        model = attrs.evolve(
            mixture, pseudo_statistics=hyper.pseudo_statistics(mixture.family)
        )
        S = keep * S + gain * model.responsibilities(
            x[None], S
        ).T @ mixture.family.statistics(x[None])
        if n % every == every - 1 or n == 19:
            theta = model.family.expected(S + model.pseudo_statistics)
            rho, b = -2 * theta[:, -1], prior.strength + 2
            precision = (prior.strength * prior.precision + rho.sum()) / b
            centre = prior.strength * prior.precision * prior.centre + (
                theta[:, 1:3] + 0.3 * rho[:, None]
            ).sum(axis=0)
            hyper = Hyperprior(b, centre / b / precision, precision)
    close(fit.S, S)
    close([fit.hyper.precision, *fit.hyper.centre], [hyper.precision, *hyper.centre])
    assert fit.schedule == schedule and len(fit.trace) == 2


def test_online_approaches_batch():
    """The longer the stream, the closer its posterior of c and s is to that of batch learning: as
    N^-1/2."""
    gaps, mixture, prior = (
        [],
        attrs.evolve(MIXTURE, family=attrs.evolve(UNIT, mean=np.zeros(2))),
        Hyperprior(0.8, [0, 0], 0.6),
    )
    for N in (100, 1600, 25600):
        errors = []
        for rng in map(np.random.default_rng, range(4)):
            X = rng.normal(size=(N, 2)) + 8 * np.eye(3, 2)[rng.integers(3, size=N)]
            start = mixture.family.state(
                [N / 3] * 3, [[7, 1], [1, 7], [1, 1]], np.tile(np.eye(2), (3, 1, 1))
            )
            schedule = sato2000(N, tau0=20, kappa=1)
            online = fit_hierarchical_online(
                mixture, X, start, prior, schedule, every=20
            ).hyper
            batch = fit_hierarchical(mixture, X, start, prior, tolerance=1e-9).hyper
            errors += [
                *(online.centre - batch.centre),
                np.log(online.precision / batch.precision),
            ]
        gaps.append(np.std(errors))
    assert gaps[2] < gaps[0] / 4 and gaps[2] < 0.03  # 1/16 but for noise


def test_online_with_a_strong_prior():
    X, mixture, S, _ = problem(8, N=30, D=1)
    strong = Hyperprior(1e9, [0.3], SHAPE / 2.0)  # the mixture's own centre and rate
    rng = [np.random.default_rng(0) for _ in range(2)]
    fit = fit_hierarchical_online(
        mixture, X, S, strong, sato2000(30), epochs=3, rng=rng[0]
    )
    close(
        fit.S,
        fit_online(mixture, X, S, sato2000(30), epochs=3, rng=rng[1]).S,
        rtol=1e-6,
    )


X, _, S, _ = problem(0)
BAD = {
    "strength is 0": lambda: Hyperprior(0, [0.0], 1.0),
    "precision is -1": lambda: Hyperprior(1.0, [0.0], -1),
    "centre[0] is nan": lambda: Hyperprior(1.0, [np.nan], 1),
    "centre has 2 entries": lambda: fit_hierarchical(
        MIXTURE, X, S, Hyperprior(1.0, [0.0, 1.0], 1.0)
    ),
    "family is NormalWishart": lambda: fit_hierarchical(
        Mixture(NormalWishart([0.0], 1.0, 1.0, np.eye(1))), X, S, PRIOR
    ),
    "clones and pseudo_statistics": lambda: fit_hierarchical(
        attrs.evolve(MIXTURE, clones=EM), X, S, PRIOR
    ),
    "clones and pseudo_statistics must": lambda: fit_hierarchical(
        attrs.evolve(MIXTURE, pseudo_statistics=np.zeros(3)), X, S, PRIOR
    ),
    "prior is None": lambda: fit_hierarchical(MIXTURE, X, S, None),
    "max_epochs is -1": lambda: fit_hierarchical(MIXTURE, X, S, PRIOR, max_epochs=-1),
    "tolerance is -1": lambda: fit_hierarchical(MIXTURE, X, S, PRIOR, tolerance=-1),
    "X has 2 columns": lambda: fit_hierarchical(MIXTURE, np.ones((3, 2)), S, PRIOR),
    "every is 0": lambda: fit_hierarchical_online(
        MIXTURE, X, S, PRIOR, accumulation(), every=0
    ),
    "epochs is -1": lambda: fit_hierarchical_online(
        MIXTURE, X, S, PRIOR, accumulation(), epochs=-1
    ),
    "rng is 3": lambda: fit_hierarchical_online(
        MIXTURE, X, S, PRIOR, accumulation(), rng=3
    ),
    "memory is 0": lambda: fit_hierarchical_online(
        MIXTURE, X, S, PRIOR, sato2000(12, memory=0)
    ),
    "the state has shape": lambda: fit_hierarchical_online(
        MIXTURE, X, S[0], PRIOR, accumulation()
    ),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        BAD[message]()


@pytest.mark.parametrize("seed", range(3))
def test_the_online_elbo_counts_the_cost_of_the_hyperparameters(seed):
    """Where online learning forgets nothing old and repeats the data,
    its bound is that of batch VB."""
    X, mixture, start, prior = problem(seed, N=40)
    batch = fit_hierarchical(mixture, X, start, prior, tolerance=1e-10, max_epochs=3000)
    schedule = sato2000(40.0, tau0=1e5, kappa=0.01)
    online = fit_hierarchical_online(mixture, X, batch.S, prior, schedule, epochs=40)
    close(online.elbo, batch.elbo, atol=0.01)
    assert online.mixture.elbo(X, online.S) - online.elbo > 0.1


def test_observation_weights_multiply_the_gains():
    w = np.random.default_rng(0).uniform(0.5, 2, len(X))
    fit = fit_hierarchical_online(MIXTURE, X, S[:1], PRIOR, accumulation(), weights=w)
    close(fit.S[0], S[0] + w @ MIXTURE.family.statistics(X))
