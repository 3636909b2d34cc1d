"""Moves of structure: what they do to the bound, against bounds written out term by term from responsibilities."""

import re
from dataclasses import replace

import numpy as np
import oracles
import pytest
from oracles import KINDS, close
from scipy.special import gammaln, softmax, xlogy
from test_new_family import MIXTURE as POISSON
from test_new_family import counts, log_marginal

from vbkit import mixture as engine
from vbkit.families import Dirichlet, NormalWishart
from vbkit.learning import fit_batch, start_at_rows
from vbkit.mixture import EM, Mixture
from vbkit.structure import delete, merge, split, split_along_axis, split_halves, take_census

pytestmark = pytest.mark.filterwarnings("error")
SEEDS = [(kind, seed) for kind in KINDS for seed in range(4)]


class Problem:
    """A random model, data and state; and of three units' responsibilities R, the bound of their M-step."""

    def __init__(self, kind, seed, N=30, K=3):
        rng = np.random.default_rng(seed)
        self.prior, self.a, self.X, R, self.mixture = oracles.problem(rng, kind, D=1 + seed % 3, N=N, K=K)
        self.w = None if seed % 2 else rng.uniform(0, 2, N)
        self.S = self.mixture.collect(self.X, R)
        self.R = self.mixture.responsibilities(self.X, self.S)
        self.census = take_census(self.mixture, self.mixture.observe(self.X, self.w), self.S)

    def bound(self, R, units=None):
        """units: with the prior that `scaled` gives to so many."""
        prior, a, w = self.prior, self.a, np.ones(len(self.X)) if self.w is None else self.w
        if units:
            prior, a = replace(prior, beta=prior.beta * 3 / units), a * 3 / units
        return oracles.elbo(prior, a, self.X, oracles.posterior(prior, a, self.X, R, w), R, w)

    def scaled(self, units):
        prior = replace(self.prior, beta=self.prior.beta * 3 / units)
        return Mixture(prior.family(), Dirichlet(self.a * 3 / units))

    def moves(self, prior=None):
        for i, j in ((0, 1), (2, 0), (1, 2)):
            R = np.delete(self.R, max(i, j), axis=1)
            R[:, min(i, j)] = self.R[:, i] + self.R[:, j]
            yield merge(self.census, i, j, prior), R
        for gone in (1, [0], (2, 1)):
            R = np.delete(self.R, gone, axis=1)
            yield delete(self.census, gone, prior), R / R.sum(1, keepdims=True)
        for k in range(3):
            r = self.R[:, k] * (1 if self.w is None else self.w)
            deviation = self.X - r @ self.X / r.sum()
            _, _, axes = np.linalg.svd(np.sqrt(r)[:, None] * deviation)
            move, side = split(self.census, k, prior), deviation @ axes[0] > 0
            if not np.isclose(move.S[k, 0], r @ side):  # a direction has no sign
                side = ~side
            R = np.column_stack([self.R, self.R[:, k] * ~side])
            R[:, k] *= side
            yield move, R


@pytest.mark.parametrize(("kind", "seed"), SEEDS)
def test_census(kind, seed):
    p = Problem(kind, seed)
    w, R, census = np.ones(30) if p.w is None else p.w, p.R, p.census
    close(census.S, p.mixture.collect(p.X, R, p.w))
    close(census.bound, p.bound(R))
    close(census.unit_bounds.sum() + census.constant, census.bound)
    close(census.correlation, (R.T * w) @ R / np.sqrt(np.outer(w @ R**2, w @ R**2)))
    for k in range(3):
        for j in range(k):
            close(census.pair_entropy[k, j], -w @ xlogy(R[:, k] + R[:, j], R[:, k] + R[:, j]))
    close(census.pair_entropy, census.pair_entropy.T)
    assert p.mixture.elbo(p.X, p.S, p.w) < census.bound


@pytest.mark.parametrize(("kind", "seed"), SEEDS)
def test_gains_are_exact(kind, seed):
    """Whether all numbers of units share a prior, or it is shared out among them."""
    p = Problem(kind, seed)
    for prior, known in ((None, None), (p.mixture, None), (p.scaled, True)):
        for move, R in p.moves(prior):
            K = R.shape[1]
            close(move.S, p.mixture.collect(p.X, R, p.w))
            close(move.gain, p.bound(R, K if known else None) - p.bound(p.R))
            assert len(move.S) == K and (known is None or move.mixture.weights.concentration == p.a * 3 / K)


@pytest.mark.parametrize(("kind", "seed"), SEEDS)
def test_learning_adds_to_the_gain(kind, seed):
    p = Problem(kind, seed)
    along = [(split(p.census, k, None, split_along_axis), None) for k in range(3)]
    for move, _ in [*p.moves(), *along]:
        after = fit_batch(move.mixture, p.X, move.S, weights=p.w, max_epochs=30).trace - p.census.bound
        assert after[0] > move.gain - 1e-9 and np.diff(after).min() > -1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_unit_bounds_of_clusters_far_apart(kind):
    """Where each datum has its unit, a unit's bound is its log evidence and its part of the Dirichlet's."""
    p = Problem(kind, 1, N=60)
    prior, labels = replace(p.prior, beta=1e-4), np.arange(60) % 4 % 3
    X, mixture = 0.1 * p.X + 100 * labels[:, None], Mixture(prior.family(), Dirichlet(p.a))
    census = take_census(mixture, X, mixture.collect(X, np.eye(3)[labels]))
    close(census.entropy, 0)
    alpha = p.a + np.bincount(labels)
    weights = gammaln(alpha) - alpha / alpha.sum() * gammaln(alpha.sum())
    close(census.unit_bounds, [oracles.log_marginal(prior, X[labels == k]) for k in range(3)] + weights)
    close(census.constant, gammaln(3 * p.a) - 3 * gammaln(p.a))


def test_a_family_without_compiled_code():
    X, w = counts(1, 40), np.arange(40) % 3
    S = start_at_rows(POISSON, X, 3, np.random.default_rng(0))
    census, R = take_census(POISSON, POISSON.observe(X, w), S), POISSON.responsibilities(X, S)
    repeated = take_census(POISSON, np.repeat(X, w, axis=0), S)
    for name in ("unit_bounds", "bound", "pair_entropy"):
        close(getattr(census, name), getattr(repeated, name))
    whole = delete(census, (0, 2))
    close(census.bound + whole.gain, log_marginal(np.repeat(X, w, axis=0)))
    pooled = np.column_stack([R[:, 0] + R[:, 1], R[:, 2]])
    gain = merge(census, 0, 1).gain
    a, b = (bound_of_poisson(X, r, w) for r in (R, pooled))
    close(gain, b - a)
    assert np.isclose(split(census, 0).S.sum(0), census.S.sum(0)).all()
    with pytest.raises(ValueError, match="component is a Poisson"):
        split(census, 0, by=split_along_axis)


def bound_of_poisson(X, R, w):
    """From the definition: entropy, base measure, and each unit's gamma integral."""
    n, s, family = R.T @ w, R.T @ (w * X[:, 0]), POISSON.component
    a, b = family.shape + s, family.inverse_scale + n
    units = gammaln(a) - gammaln(family.shape) + family.shape * np.log(family.inverse_scale) - a * np.log(b)
    c = POISSON.weights.concentration
    weights = gammaln(c + n).sum() - gammaln((c + n).sum()) - len(n) * gammaln(c) + gammaln(len(n) * c)
    return units.sum() + weights - (w @ xlogy(R, R)).sum() - w @ gammaln(X[:, 0] + 1)


def test_copies_and_pseudo_statistics():
    """The bound for c copies of the data with common responsibilities, per copy; pseudo-data are fitted as data are."""
    p = Problem(oracles.Full, 2)
    P = p.S.shape[1]
    pseudo = np.zeros(P)
    pseudo[-1] = 0.3
    for mixture in (replace(p.mixture, copies=8.0), replace(p.mixture, pseudo=pseudo)):
        census = take_census(mixture, p.X, p.S)
        close(census.unit_bounds.sum() + census.constant, census.bound)
        fixed = fit_batch(mixture, p.X, p.S, tolerance=0, max_epochs=3000).S
        close(take_census(mixture, p.X, fixed).bound, mixture.elbo(p.X, fixed))  # at a fixed point the two agree
        move = merge(take_census(mixture, p.X, fixed), 0, 1)
        assert mixture.elbo(p.X, move.S) > mixture.elbo(p.X, fixed) + move.gain - 1e-9


def test_deleting_the_owner_of_a_datum():
    """Data that belong to the deleted unit alone go to the others by their log densities, without 0/0."""
    X = np.concatenate([np.linspace(-1, 1, 9), 300 + np.linspace(-1, 1, 5)])[:, None]
    prior, R = oracles.Isotropic(np.zeros(1), 0.1, 1.0, 0.1), np.zeros((14, 3))
    R[:5, 0], R[5:9, 1], R[9:, 2] = 1, 1, 1
    mixture = Mixture(prior.family(), Dirichlet(1.0))
    census = take_census(mixture, X, mixture.collect(X, R))
    assert mixture.responsibilities(X, census.at)[9:, :2].max() == 0
    rest = oracles.log_joint(oracles.posterior(prior, 1.0, X, R), X)[:, :2]
    move, R2 = delete(census, 2), softmax(rest, axis=1)
    close(move.S, mixture.collect(X, R2))
    bounds = (
        oracles.elbo(prior, 1.0, X, oracles.posterior(prior, 1.0, X, r), r)
        for r in (R2, mixture.responsibilities(X, census.at))
    )
    close(move.gain, np.subtract(*bounds))


@pytest.mark.parametrize("kind", KINDS)
def test_split_along_the_axis(kind):
    p = Problem(kind, 2, N=200)  # three dimensions
    census, r = take_census(p.mixture, p.X, p.S), p.R[:, 1]
    first, second = split_along_axis(p.mixture, p.X, p.S, 1)
    close(first + second, census.S[1])
    centre = r @ p.X / r.sum()
    C = ((p.X - centre).T * r) @ (p.X - centre) / r.sum()
    variances, axes = np.linalg.eigh(C)
    exact = Mixture(p.mixture.component, Dirichlet(0.0), copies=EM)  # its parameters are those of the statistics
    weights, centres, covariances = exact.parameters(np.stack([first, second]))
    close(weights, 0.5)
    close(centres.mean(0), centre)
    close(abs(centres - centre), np.tile(abs(axes[:, -1]) * np.sqrt(variances[-1] / 2), (2, 1)))
    expected = C - variances[-1] / 2 * np.outer(axes[:, -1], axes[:, -1])
    close(covariances[0], expected if kind is oracles.Full else np.trace(expected) / 3 * np.eye(3))
    move = split(census, 1, None, split_along_axis)
    close(move.gain, p.mixture.elbo(p.X, move.S) - census.bound)


def test_blocks_change_nothing(monkeypatch):
    p = Problem(oracles.Full, 3, N=700)
    whole, gone = p.census, delete(p.census, 1)
    monkeypatch.setattr(engine, "BLOCK", 1)  # blocks of 256 rows
    parts = take_census(p.mixture, p.mixture.observe(p.X, p.w), p.S)
    for name in ("S", "entropy", "base", "overlap", "pair_entropy", "bound", "unit_bounds"):
        close(getattr(parts, name), getattr(whole, name))
    close(delete(parts, 1).S, gone.S)
    close(split(parts, 0).S, split(whole, 0).S)


def test_far_from_the_origin():
    """What counts is the distance from the prior mean: data at 1e8 with a width of 1 have halves."""
    rng = np.random.default_rng(0)
    X = 1e8 + rng.normal(size=(50, 2))
    mixture = Mixture(NormalWishart([1e8, 1e8], 1.0, 3.0, np.eye(2)))
    S = mixture.collect(X, np.ones((50, 1)))
    first, second = split_halves(mixture, X, S, 0)
    close(first + second, S[0])
    assert min(first[0], second[0]) > 10


p = Problem(oracles.Full, 0)
ONE = take_census(p.mixture, p.X, p.S.sum(0, keepdims=True))
POINT = take_census(p.mixture, np.ones((5, 1)), p.mixture.collect(np.ones((5, 1)), np.ones((5, 1))))
EMPTY = take_census(p.mixture, p.X, np.array([[30.0, 0, 40], [0, 0, 0]]))
OTHER = Mixture(NormalWishart([1.0], 1.0, 2.0, np.eye(1)))
BAD = {
    "there is nothing to merge": lambda: merge(ONE, 0, 0),
    "first and second are both 1": lambda: merge(p.census, 1, 1),
    "second is 3; the state has units 0 to 2": lambda: merge(p.census, 0, 3),
    "first is -1": lambda: merge(p.census, -1, 0),
    "units is (0, 1, 2) of 3": lambda: delete(p.census, (0, 1, 2)),
    "units is [] of 3": lambda: delete(p.census, []),
    "units is 0 of 1; at least one unit must go and one must stay": lambda: delete(ONE, 0),
    "units is 5": lambda: delete(p.census, 5),
    "unit is 3": lambda: split(p.census, 3),
    "unit is 0.5": lambda: split(p.census, 0.5),
    "unit 0 holds no two distinct data": lambda: split(POINT, 0),
    "unit 0 holds no two distinct": lambda: split(POINT, 0, by=split_along_axis),
    "prior gives None for 2 units": lambda: merge(p.census, 0, 1, lambda K: None),
    "prior must give the same family": lambda: merge(p.census, 0, 1, OTHER),
    "concentration has one entry a unit": lambda: merge(p.census, 0, 1, replace(p.mixture, weights=Dirichlet([1, 2]))),
    "copies is EM": lambda: take_census(replace(p.mixture, copies=EM), p.X, p.S),
    "the state has shape": lambda: take_census(p.mixture, p.X, p.S[0]),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        BAD[message]()
