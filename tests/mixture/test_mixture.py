"""The mixture: the ELBO, its gradient, its exact values, predictive densities,
and their rounding."""

import itertools
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import attrs
import numpy as np
import oracles
import pytest
from oracles import KINDS, Full, close, gradient, problem
from scipy import stats
from scipy.integrate import quad
from scipy.special import softmax

import vbkit
from vbkit.families import IsotropicGaussian, KnownCovariance, NormalWishart
from vbkit.labels import Dirichlet, Inference
from vbkit.learning import fit_batch, fit_online, init_from_rows, sato2000
from vbkit.mixture import EM, Mixture
from vbkit.observations import observe_rows
from vbkit.theory import log_evidence

pytestmark = pytest.mark.filterwarnings("error")
kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
@pytest.mark.parametrize("D", [1, 2, 3])
def test_one_component_is_exact(kind, D):
    """K = 1: the ELBO is the log evidence, and the predictive density Student's."""
    rng = np.random.default_rng(D)
    prior, a, X, R, mixture = problem(rng, kind, D, N=15, K=1)
    S, new = mixture.m_step(X, R), 3 * rng.normal(size=(6, D))
    close(
        [mixture.elbo(X, S), log_evidence(mixture, X, 1)],
        oracles.log_marginal(prior, X),
        rtol=1e-12,
    )
    close(
        mixture.log_predictive(new, S), prior.update(X, R[:, 0]).student().logpdf(new)
    )
    assert (mixture.responsibilities(X, S) == 1).all()


@kinds
@pytest.mark.parametrize("K, N", [(1, 6), (2, 6), (3, 4)])
def test_bound_lies_below_the_enumerated_evidence(kind, K, N):
    """At random states and at fixed points; equal at K = 1 and nowhere else."""
    rng = np.random.default_rng(K)
    for trial in range(12):
        prior, a, X, R, mixture = problem(rng, kind, 1 + trial % 3, N, K)
        evidence = oracles.log_evidence(
            lambda rows: oracles.log_marginal(prior, X[list(rows)]),  # noqa: B023 (called at once)
            N,
            a,
            K,
        )
        close(log_evidence(mixture, X, K), evidence)
        start = mixture.m_step(X, R)
        fixed = fit_batch(mixture, X, start, tolerance=1e-10).S
        gaps = [
            evidence - mixture.elbo(X, S)
            for S in (start, 1.7 * start, 0 * start, fixed)
        ]
        assert abs(gaps[-1]) < 1e-9 if K == 1 else min(gaps) > 1e-6
        assert K > 1 or min(gaps[1:3]) > 1e-6


@kinds
def test_bound_term_by_term(kind):
    """Expectations of every log density, at arbitrary responsibilities,
    with observation weights."""
    rng = np.random.default_rng(11)
    for D, K in [(1, 2), (2, 3), (3, 5), (2, 1)]:
        prior, _, X, R, _ = problem(rng, kind, D, 14, K)
        a, w = rng.uniform(0.2, 3, K), rng.uniform(0, 3, 14)
        mixture = Mixture(prior.family(), Dirichlet(a))
        for weights in (np.ones(14), w):
            q, S = (
                oracles.posterior(prior, a, X, R, weights),
                mixture.m_step(X, R, weights),
            )
            best, value = oracles.responsibilities(q, X), mixture.elbo(X, S, weights)
            close(mixture.responsibilities(X, S), best)
            close(
                mixture.e_step(X, S, weights).S,
                mixture.m_step(X, best, weights),
                atol=1e-9,
            )
            close(value, oracles.elbo(prior, a, X, q, best, weights))
            assert K == 1 or value > oracles.elbo(prior, a, X, q, R, weights)
        close(mixture.elbo(X, S), mixture.elbo(X, S, np.ones(14)), rtol=1e-13)


@kinds
def test_gradient_vanishes_at_a_fixed_point(kind):
    """Over the state, and over the logits of q(z) in the ELBO written out; not so at the start."""
    rng = np.random.default_rng(12)
    prior, a, X, R, mixture = problem(rng, kind)
    start = mixture.m_step(X, R)
    fixed = fit_batch(mixture, X, start, tolerance=0, max_epochs=3000).S

    def written_out(logits):
        R = softmax(logits, axis=1)
        return oracles.elbo(prior, a, X, oracles.posterior(prior, a, X, R), R)

    def slopes(S, R):
        of_state = abs(S * gradient(lambda s: mixture.elbo(X, s), S)).max()
        return of_state, abs(gradient(written_out, np.log(R + 1e-12), 1e-5)).max()

    assert (
        max(slopes(fixed, mixture.responsibilities(X, fixed))) < 1e-6
        and min(slopes(start, R)) > 1e-2
    )


@kinds
def test_vb_step_is_a_natural_gradient_step(kind):
    """(2.34): dF/dS = V (S_new - S), V the Fisher matrix = Hessian of the log normaliser (2.31)."""
    rng = np.random.default_rng(13)
    *_, X, R, mixture = problem(rng, kind, 1, 10, 2)
    S, family = mixture.m_step(X, R), mixture.family

    def normalizer(s):
        return family.log_normalizer(s).sum() + mixture.labels.log_normalizer(s[:, 0])

    V = gradient(lambda s: gradient(normalizer, s, 1e-3), S, 1e-3).reshape(6, 6)
    step, F = (
        (mixture.e_step(X, S).S - S).ravel(),
        gradient(lambda s: mixture.elbo(X, s), S).ravel(),
    )
    assert np.linalg.eigvalsh(V)[0] > 0 and abs(step).max() > 0.1
    close(V @ step, F, rtol=1e-4, atol=1e-5 * abs(F).max())


@kinds
def test_predictive_is_a_mixture_of_student_densities(kind):
    """(2.37), with weights (a + n_k) / sum; it integrates to one, and samples follow it."""
    rng = np.random.default_rng(14)
    for D in (2, 1):
        prior, a, X, R, mixture = problem(rng, kind, D)
        S, q, new = (
            mixture.m_step(X, R),
            oracles.posterior(prior, a, X, R),
            4 * rng.normal(size=(400, D)),
        )
        close(mixture.log_predictive(new, S), oracles.log_predictive(q, new))

    def substituted(u):  # x = sinh u
        return np.exp(mixture.log_predictive([[np.sinh(u)]], S)[0]) * np.cosh(u)

    def cumulative(x):
        n_components = [
            stats.t(u.student().df, u.m[0], np.sqrt(np.squeeze(u.student().shape)))
            for u in q[1]
        ]
        return sum(
            weight * component.cdf(x)
            for weight, component in zip(q[0] / q[0].sum(), n_components, strict=True)
        )

    assert abs(quad(substituted, -30, 30, limit=400)[0] - 1) < 1e-6
    assert stats.kstest(mixture.sample(S, 3000, rng)[:, 0], cumulative).pvalue > 0.01


@kinds
@pytest.mark.parametrize("exponent", [10, 20, 40, 70])
def test_predictive_of_many_copies(kind, exponent):
    """However narrow the posterior, its Student mixture;
    from 2**40 on, the density of the EM limit."""
    prior, a, X, R, _ = problem(np.random.default_rng(15), kind)
    mixture, em = (
        Mixture(prior.family(), Dirichlet(a), clones=2.0**e) for e in (exponent, 100)
    )
    expected = em.log_predictive(X, em.m_step(X, R))
    if exponent < 40:
        expected = oracles.log_predictive(
            oracles.posterior(prior, a, X, R, mixture.clones), X
        )
    close(mixture.log_predictive(X, mixture.m_step(X, R)), expected, rtol=1e-7)


@kinds
def test_weights_copies_and_order(kind):
    """Whole weights are repeated rows; c copies are weights c at state c S, per copy;
    order is nothing."""
    rng = np.random.default_rng(16)
    prior, a, X, R, mixture = problem(rng, kind)
    w, order = rng.integers(0, 4, 12).astype(float), rng.permutation(12)
    S, rows = mixture.m_step(X, R, w), np.repeat(np.arange(12), w.astype(int))
    close(S, mixture.m_step(X[rows], R[rows]))
    close(mixture.elbo(X, S, w), mixture.elbo(X[rows], S), rtol=1e-12)
    one = fit_batch(mixture, X, S, weights=w, max_epochs=40)
    for data, weights in ((X[rows], None), (X[order], w[order])):
        other = fit_batch(mixture, data, S, weights=weights, max_epochs=40)
        close(one.trace, other.trace)
        close(one.S, other.S, rtol=1e-7, atol=1e-9)
    for clones in (4.0, 3.7, 1000.0):
        many = Mixture(prior.family(), Dirichlet(a), clones=clones)
        close(
            many.elbo(X, S, w),
            mixture.elbo(X, clones * S, clones * w) / clones,
            rtol=1e-12,
        )
        close(many.e_step(X, S, w).S, mixture.e_step(X, clones * S, w).S)


@kinds
def test_blocks_cut_nothing(kind):
    """More rows than a block holds: the ELBO and the statistics are those of the parts."""
    rng = np.random.default_rng(17)
    *_, X, R, mixture = problem(rng, kind, 2, 60_001)
    w, S, cuts = (
        rng.uniform(0, 2, 60_001),
        mixture.m_step(X[:50], R[:50]),
        [0, 7000, 7001, 43_210, 60_001],
    )
    whole, parts = (
        mixture.e_step(X, S, w),
        [mixture.e_step(X[i:j], S, w[i:j]) for i, j in pairwise(cuts)],
    )
    close(whole.S, sum(part.S for part in parts))
    close(whole.log_likelihood, sum(part.log_likelihood for part in parts), rtol=1e-12)
    for function in (mixture.responsibilities, mixture.log_predictive):
        close(function(X, S)[cuts[:4]], function(X[cuts[:4]], S), rtol=1e-12)


@kinds
@pytest.mark.parametrize("scale", [1e-99, 1e-30, 1e6, 2.0**200, 1e99])
@pytest.mark.parametrize("D", [1, 3])
def test_change_of_component(kind, scale, D):
    """Data and prior in another component:
    the same responsibilities, and a bound lower by N D log(scale)."""
    prior, a, X, R, _ = problem(np.random.default_rng(18), kind, D)
    prior, X = replace(prior, m=prior.m / 9), X / abs(X).max()
    width = {"B": scale**2 * prior.B} if kind is Full else {"b": scale**2 * prior.b}
    results = []
    for c, p in ((1.0, prior), (scale, replace(prior, m=scale * prior.m, **width))):
        mixture = Mixture(p.family(), Dirichlet(a))
        fit = fit_batch(mixture, c * X, mixture.m_step(c * X, R), max_epochs=15)
        online = fit_online(mixture, c * X, fit.S, sato2000(10, tau0=20), epochs=3)
        traces = np.concatenate([fit.trace, online.trace]) + X.size * np.log(c)
        predictive = mixture.log_predictive(c * X, fit.S) + D * np.log(c)
        results.append((traces, mixture.responsibilities(c * X, online.S), predictive))
    for one, other in zip(*results, strict=True):
        close(one, other, rtol=1e-9, atol=1e-9)


@kinds
@pytest.mark.parametrize("separation", [1e2, 1e3, 1e5, 1e6])
def test_components_far_from_the_prior_mean(kind, separation):
    """Two clusters at +- separation widths, each of two overlapping components: responsibilities as
    in a problem measured from the cluster's own place (the prior has no weight), up to the digits
    of second moments."""
    rng = np.random.default_rng(19)
    prior, _, near, R, _ = problem(rng, kind, 2, 40, 2)
    prior, X = (
        replace(prior, m=np.zeros(2)),
        np.concatenate([near + separation, near - separation]),
    )
    q = oracles.posterior(prior, 0.0, near, R, 2.0**60)
    mixture = Mixture(prior.family(), Dirichlet(0.0), clones=EM)
    got = mixture.responsibilities(X, mixture.m_step(X, np.kron(np.eye(2), R)))
    expected = np.kron(np.eye(2), oracles.responsibilities(q, near))
    close(got, expected, rtol=0, atol=1e-11 + 40 * np.finfo(float).eps * separation**2)


@kinds
def test_far_origin_costs_no_digits(kind):
    """Everything, the prior mean too, moved by 1e8: the same bound."""
    prior, a, X, R, _ = problem(np.random.default_rng(20), kind)
    traces = []
    for shift in (0.0, 1e8):
        mixture = Mixture(
            replace(prior, m=prior.m.round(3) + shift).family(), Dirichlet(a)
        )
        moved = X.round(3) + shift
        traces.append(
            fit_batch(mixture, moved, mixture.m_step(moved, R), max_epochs=20).trace
        )
    close(*traces, rtol=0, atol=1e-5)


def test_the_largest_concentration_leaves_six_decimals_of_the_elbo():
    """Weights that cannot move: the ELBO is that of equal known weights."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    X += 4 * np.arange(60)[:, None] % 8
    family, R = KnownCovariance([0, 0], 1.0), np.full((60, 2), 0.5)
    mixture = Mixture(family, Dirichlet(1e8))
    state = mixture.m_step(X, R)
    W = family.expected(state)
    divergence = float(
        (state * W).sum()
        - (family.log_normalizer(state) - family.log_normalizer(0 * state)).sum()
    )
    logs = family.statistics(X) @ W.T + family.log_base(X)[:, None] - np.log(2)
    close(
        mixture.elbo(X, state),
        np.logaddexp(*logs.T).sum() - divergence,
        rtol=0,
        atol=2e-5,
    )


class _Tied:
    """Labels of which all rows of a known block have the same one."""

    independent = False
    unconstrained = False
    proper = True
    common_prior = True

    def __init__(self, block):
        self.block = np.asarray(block)
        self.weights = Dirichlet(1.0)

    def observe(self, family, X, weights, lengths):
        return attrs.evolve(observe_rows(family, X, weights), known=self.block)

    def width(self, K):
        return 1

    def check_state(self, S, P):
        pass

    def statistics(self, S, P):
        return S[..., P]

    def columns_of(self, R, data):
        sums = [R[data.known == b].mean(axis=0) for b in np.unique(data.known)]
        return np.sum(sums, axis=0)[:, None]

    def log_normalizer(self, N):
        return self.weights.log_normalizer(N)

    def expected(self, N):
        return self.weights.expected(N)

    def inner(self, N, logs):
        return self.weights.inner(N, logs)

    def join(self, W, logs):
        return W

    def infer(self, L, logs, data):
        R = np.empty(L.shape)
        columns = np.zeros((len(L), 1))
        log_likelihood = 0.0
        for b in np.unique(data.known):
            rows = data.known == b
            joint = L[:, rows].sum(axis=1) + logs
            total = np.logaddexp.reduce(joint)
            r = np.exp(joint - total)
            R[:, rows] = r[:, None]
            columns[:, 0] += r
            log_likelihood += total
        return Inference(R, columns, log_likelihood)

    restrict = merged = divided = elbo_shares = parameters = log_predictive = None
    most_probable = sample = None


def test_labels_of_a_kind_of_ones_own():
    """All rows of a block have one label: against a sum over the labels of all blocks."""
    rng = np.random.default_rng(0)
    block = np.array([0, 1, 0, 2, 1, 1, 2])
    X = rng.normal(size=(7, 2)) + 2.0 * (block[:, None] == 1)
    family = IsotropicGaussian([0.0, 0.0], 1.0, 2.0, 1.0)
    mixture = Mixture(family, _Tied(block))
    S = mixture.m_step(X, rng.dirichlet(np.ones(2), 7))
    fit = fit_batch(mixture, X, S)
    assert np.diff(fit.trace).min() > -1e-9
    W = family.expected(fit.S[:, :-1])
    logs = Dirichlet(1.0).expected(fit.S[:, -1])
    densities = family.statistics(X) @ W.T
    terms = []
    for z in itertools.product(range(2), repeat=3):
        of_rows = np.array(z)[block]
        terms.append(logs[list(z)].sum() + densities[np.arange(7), of_rows].sum())
    step = mixture.e_step(X, fit.S)
    close(step.log_likelihood, np.logaddexp.reduce(terms))
    assert fit.elbo < np.logaddexp.reduce(terms)
    with pytest.raises(ValueError, match="labels are _Tied, which rule out"):
        mixture.elbo_of_responsibilities(X, np.full((7, 2), 0.5))


def test_what_labels_lack_is_named():
    family = IsotropicGaussian([0.0, 0.0], 1.0, 2.0, 1.0)
    with pytest.raises(ValueError, match="labels is the class Dirichlet"):
        Mixture(family, Dirichlet)

    class Half:
        independent = True

    with pytest.raises(ValueError, match="labels is a Half without observe, width"):
        Mixture(family, Half())
    labels = _Tied([0, 0, 1])
    labels.width = lambda K: 2
    mixture = Mixture(family, labels)
    with pytest.raises(ValueError, match="infer 1 columns of their own; .* says 2"):
        mixture.e_step(np.ones((3, 2)), np.ones((2, mixture.width(2))))


def test_the_five_lines_of_the_readme():
    readme = Path(vbkit.__file__).with_name("README.md").read_text(encoding="utf8")
    code = re.search("## Five lines\n\n```python\n(.*?)```", readme, re.DOTALL)[1]
    X = np.random.default_rng(0).normal(size=(60, 2))
    names = {
        "np": np,
        "Mixture": Mixture,
        "NormalWishart": NormalWishart,
        "init_from_rows": init_from_rows,
        "fit_batch": fit_batch,
        "X": X,
        "X_new": X[:5] + 0.1,
    }
    exec(code, names)
    close(names["log_density"], names["fit"].log_predictive(names["X_new"]))
    assert names["fit"].parameters().weights.shape == (3,)
