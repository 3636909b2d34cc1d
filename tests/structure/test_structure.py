"""Moves of structure: what they do to the ELBO, against bounds written out term by term from
responsibilities."""

import re
from dataclasses import replace

import attrs
import numpy as np
import oracles
import pytest
from oracles import KINDS, close
from scipy import sparse
from scipy.special import gammaln, softmax, xlogy

from tests.families.test_new_family import MIXTURE as POISSON
from tests.families.test_new_family import counts, log_marginal
from vbkit import observations as engine
from vbkit.families import (
    BetaBernoulli,
    IsotropicGaussian,
    KnownCovariance,
    NormalGamma,
    NormalWishart,
)
from vbkit.labels import Dirichlet
from vbkit.learning import fit_batch, init_from_rows
from vbkit.mixture import EM, Mixture
from vbkit.structure import (
    delete,
    init_by_splits,
    merge,
    responsibility_statistics,
    split,
    split_along_axis,
    split_halves,
)
from vbkit.structure.moves import candidate_splits, first_splits
from vbkit.structure.splits import WIDE, candidate_sides, principal_axis

pytestmark = pytest.mark.filterwarnings("error")
SEEDS = [(kind, seed) for kind in KINDS for seed in range(4)]


class Problem:
    """A random model, data and state; and of three components' responsibilities R, the ELBO of
    their M-step."""

    def __init__(self, kind, seed, N=30, K=3):
        rng = np.random.default_rng(seed)
        self.prior, self.a, self.X, R, self.mixture = oracles.problem(
            rng, kind, D=1 + seed % 3, N=N, K=K
        )
        self.w = None if seed % 2 else rng.uniform(0, 2, N)
        self.S = self.mixture.m_step(self.X, R)
        self.R = self.mixture.responsibilities(self.X, self.S)
        self.stats = responsibility_statistics(
            self.mixture, self.mixture.observe(self.X, self.w), self.S
        )

    def elbo(self, R, components=None):
        """components: with the prior that `scaled` gives to so many."""
        prior, a, w = (
            self.prior,
            self.a,
            np.ones(len(self.X)) if self.w is None else self.w,
        )
        if components:
            prior, a = (
                replace(prior, beta=prior.beta * 3 / components),
                a * 3 / components,
            )
        return oracles.elbo(
            prior, a, self.X, oracles.posterior(prior, a, self.X, R, w), R, w
        )

    def scaled(self, components):
        prior = replace(self.prior, beta=self.prior.beta * 3 / components)
        return Mixture(prior.family(), Dirichlet(self.a * 3 / components))

    def moves(self, prior=None):
        for i, j in ((0, 1), (2, 0), (1, 2)):
            R = np.delete(self.R, max(i, j), axis=1)
            R[:, min(i, j)] = self.R[:, i] + self.R[:, j]
            yield merge(self.stats, i, j, prior), R
        for gone in (1, [0], (2, 1)):
            R = np.delete(self.R, gone, axis=1)
            yield delete(self.stats, gone, prior), R / R.sum(1, keepdims=True)
        for k in range(3):
            r = self.R[:, k] * (1 if self.w is None else self.w)
            deviation = self.X - r @ self.X / r.sum()
            _, _, axes = np.linalg.svd(np.sqrt(r)[:, None] * deviation)
            move, side = split(self.stats, k, prior), deviation @ axes[0] > 0
            if not np.isclose(move.S[k, 0], r @ side):  # a direction has no sign
                side = ~side
            R = np.column_stack([self.R, self.R[:, k] * ~side])
            R[:, k] *= side
            yield move, R


@pytest.mark.parametrize(("kind", "seed"), SEEDS)
def test_census(kind, seed):
    p = Problem(kind, seed)
    w, R, stats = np.ones(30) if p.w is None else p.w, p.R, p.stats
    close(stats.S, p.mixture.m_step(p.X, R, p.w))
    close(stats.elbo, p.elbo(R))
    close(stats.component_elbos.sum() + stats.constant, stats.elbo)
    close(stats.correlation, (R.T * w) @ R / np.sqrt(np.outer(w @ R**2, w @ R**2)))
    for k in range(3):
        for j in range(k):
            close(
                stats.pair_entropy[k, j],
                -w @ xlogy(R[:, k] + R[:, j], R[:, k] + R[:, j]),
            )
    close(stats.pair_entropy, stats.pair_entropy.T)
    assert p.mixture.elbo(p.X, p.S, p.w) < stats.elbo


@pytest.mark.parametrize("kind", KINDS)
def test_every_candidate_is_a_split_and_the_best_come_next(kind):
    p = Problem(kind, 1)  # in two dimensions
    moves = candidate_splits(p.stats, 0)
    sides = [
        *candidate_sides(p.mixture.family, p.X, p.R[:, 0] * (1 if p.w is None else p.w))
    ]
    gains = [move.gain for move in moves]
    assert len(moves) == len(sides) > 2 and gains[1:] == sorted(gains[1:], reverse=True)
    close(gains[0], split(p.stats, 0).gain)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_split_of_each_component_takes_one_e_step_in_all(kind, monkeypatch):
    stats = Problem(kind, 1).stats
    expected = [candidate_splits(stats, k)[0] for k in range(3)]
    expected.sort(key=lambda move: -move.gain)
    passes = []
    e_step_blocks = Mixture.e_step_blocks

    def counted(self, *arguments):
        passes.append(self)
        return e_step_blocks(self, *arguments)

    monkeypatch.setattr(Mixture, "e_step_blocks", counted)
    found = first_splits(stats)
    assert len(passes) == 1
    for move, other in zip(found, expected, strict=True):
        assert move.components == other.components and move.gain == other.gain
        assert (move.S == other.S).all()


@pytest.mark.parametrize(("kind", "seed"), SEEDS)
def test_gains_are_exact(kind, seed):
    """Whether all numbers of components share a prior, or it is shared out among them."""
    p = Problem(kind, seed)
    for prior, known in ((None, None), (p.mixture, None), (p.scaled, True)):
        for move, R in p.moves(prior):
            K = R.shape[1]
            close(move.S, p.mixture.m_step(p.X, R, p.w))
            close(move.gain, p.elbo(R, K if known else None) - p.elbo(p.R))
            assert len(move.S) == K and (
                known is None or move.mixture.labels.concentration == p.a * 3 / K
            )


@pytest.mark.parametrize(("kind", "seed"), SEEDS)
def test_learning_adds_to_the_gain(kind, seed):
    p = Problem(kind, seed)
    along = [(split(p.stats, k, None, split_along_axis), None) for k in range(3)]
    for move, _ in [*p.moves(), *along]:
        after = (
            fit_batch(move.mixture, p.X, move.S, weights=p.w, max_epochs=30).trace
            - p.stats.elbo
        )
        assert after[0] > move.gain - 1e-9 and np.diff(after).min() > -1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_component_bounds_of_clusters_far_apart(kind):
    """Where each data point has its component, a component's bound is its log evidence and its part
    of the Dirichlet's."""
    p = Problem(kind, 1, N=60)
    prior, labels = replace(p.prior, beta=1e-4), np.arange(60) % 4 % 3
    X, mixture = (
        0.1 * p.X + 100 * labels[:, None],
        Mixture(prior.family(), Dirichlet(p.a)),
    )
    stats = responsibility_statistics(mixture, X, mixture.m_step(X, np.eye(3)[labels]))
    close(stats.entropy, 0)
    alpha = p.a + np.bincount(labels)
    weights = gammaln(alpha) - alpha / alpha.sum() * gammaln(alpha.sum())
    close(
        stats.component_elbos,
        [oracles.log_marginal(prior, X[labels == k]) for k in range(3)] + weights,
    )
    close(stats.constant, gammaln(3 * p.a) - 3 * gammaln(p.a))


def test_a_family_without_compiled_code():
    X, w = counts(1, 40), np.arange(40) % 3
    S = init_from_rows(POISSON, X, 3, np.random.default_rng(0))
    stats, R = (
        responsibility_statistics(POISSON, POISSON.observe(X, w), S),
        POISSON.responsibilities(X, S),
    )
    repeated = responsibility_statistics(POISSON, np.repeat(X, w, axis=0), S)
    for name in ("component_elbos", "elbo", "pair_entropy"):
        close(getattr(stats, name), getattr(repeated, name))
    close(stats.component_elbos.sum() + stats.constant, stats.elbo)
    whole = delete(stats, (0, 2))
    close(stats.elbo + whole.gain, log_marginal(np.repeat(X, w, axis=0)))
    pooled = np.column_stack([R[:, 0] + R[:, 1], R[:, 2]])
    gain = merge(stats, 0, 1).gain
    a, b = (bound_of_poisson(X, r, w) for r in (R, pooled))
    close(gain, b - a)
    assert np.isclose(split(stats, 0).S.sum(0), stats.S.sum(0)).all()
    with pytest.raises(ValueError, match="family is Poisson"):
        split(stats, 0, by=split_along_axis)


def bound_of_poisson(X, R, w):
    """From the definition: entropy, base measure, and each component's gamma integral."""
    n, s, family = R.T @ w, R.T @ (w * X[:, 0]), POISSON.family
    a, b = family.shape + s, family.inverse_scale + n
    components = (
        gammaln(a)
        - gammaln(family.shape)
        + family.shape * np.log(family.inverse_scale)
        - a * np.log(b)
    )
    c = POISSON.labels.concentration
    weights = (
        gammaln(c + n).sum()
        - gammaln((c + n).sum())
        - len(n) * gammaln(c)
        + gammaln(len(n) * c)
    )
    return (
        components.sum() + weights - (w @ xlogy(R, R)).sum() - w @ gammaln(X[:, 0] + 1)
    )


def test_copies_and_pseudo_statistics():
    """The bound for c copies of the data with common responsibilities, per copy; pseudo-data are
    fitted as data are."""
    p = Problem(oracles.Full, 2)
    P = p.S.shape[1]
    pseudo_statistics = np.zeros(P)
    pseudo_statistics[-1] = 0.3
    for mixture in (
        attrs.evolve(p.mixture, clones=8.0),
        attrs.evolve(p.mixture, pseudo_statistics=pseudo_statistics),
    ):
        stats = responsibility_statistics(mixture, p.X, p.S)
        close(stats.component_elbos.sum() + stats.constant, stats.elbo)
        fixed = fit_batch(mixture, p.X, p.S, tolerance=0, max_epochs=3000).S
        close(
            responsibility_statistics(mixture, p.X, fixed).elbo,
            mixture.elbo(p.X, fixed),
        )  # at a fixed point the two agree
        move = merge(responsibility_statistics(mixture, p.X, fixed), 0, 1)
        assert mixture.elbo(p.X, move.S) > mixture.elbo(p.X, fixed) + move.gain - 1e-9


def test_deleting_the_owner_of_a_datum():
    """Data that belong to the deleted component alone go to the others by their log densities,
    without 0/0."""
    X = np.concatenate([np.linspace(-1, 1, 9), 300 + np.linspace(-1, 1, 5)])[:, None]
    prior, R = oracles.Isotropic(np.zeros(1), 0.1, 1.0, 0.1), np.zeros((14, 3))
    R[:5, 0], R[5:9, 1], R[9:, 2] = 1, 1, 1
    mixture = Mixture(prior.family(), Dirichlet(1.0))
    stats = responsibility_statistics(mixture, X, mixture.m_step(X, R))
    assert mixture.responsibilities(X, stats.at)[9:, :2].max() == 0
    rest = oracles.log_joint(oracles.posterior(prior, 1.0, X, R), X)[:, :2]
    move, R2 = delete(stats, 2), softmax(rest, axis=1)
    close(move.S, mixture.m_step(X, R2))
    bounds = (
        oracles.elbo(prior, 1.0, X, oracles.posterior(prior, 1.0, X, r), r)
        for r in (R2, mixture.responsibilities(X, stats.at))
    )
    close(move.gain, np.subtract(*bounds))


@pytest.mark.parametrize("kind", KINDS)
def test_split_along_the_axis(kind):
    p = Problem(kind, 2, N=200)  # three dimensions
    stats, r = responsibility_statistics(p.mixture, p.X, p.S), p.R[:, 1]
    first, second = split_along_axis(p.mixture, p.X, p.S, 1)
    close(first + second, stats.S[1])
    centre = r @ p.X / r.sum()
    C = ((p.X - centre).T * r) @ (p.X - centre) / r.sum()
    variances, axes = np.linalg.eigh(C)
    exact = Mixture(
        p.mixture.family, Dirichlet(0.0), clones=EM
    )  # its parameters are those of the statistics
    weights, (centres, covariances) = exact.parameters(np.stack([first, second]))
    close(weights, 0.5)
    close(centres.mean(0), centre)
    close(
        abs(centres - centre),
        np.tile(abs(axes[:, -1]) * np.sqrt(variances[-1] / 2), (2, 1)),
    )
    expected = C - variances[-1] / 2 * np.outer(axes[:, -1], axes[:, -1])
    close(
        covariances[0],
        expected if kind is oracles.Full else np.trace(expected) / 3 * np.eye(3),
    )
    move = split(stats, 1, None, split_along_axis)
    close(move.gain, p.mixture.elbo(p.X, move.S) - stats.elbo)


def test_blocks_change_nothing(monkeypatch):
    p = Problem(oracles.Full, 3, N=700)
    whole, gone, halves = p.stats, delete(p.stats, 1), split(p.stats, 0)
    monkeypatch.setattr(engine, "ROWS_OF_ONE_NUMBER", 1)  # blocks of 256 rows
    parts = responsibility_statistics(p.mixture, p.mixture.observe(p.X, p.w), p.S)
    for name in (
        "S",
        "entropy",
        "base",
        "overlap",
        "pair_entropy",
        "elbo",
        "component_elbos",
    ):
        close(getattr(parts, name), getattr(whole, name))
    close(delete(parts, 1).S, gone.S)
    close(split(parts, 0).S, halves.S)


def test_far_from_the_origin():
    """What counts is the distance from the prior mean: data at 1e8 of width 1 have halves."""
    rng = np.random.default_rng(0)
    X = 1e8 + rng.normal(size=(50, 2))
    mixture = Mixture(NormalWishart([1e8, 1e8], 1.0, 3.0, np.eye(2)))
    S = mixture.m_step(X, np.ones((50, 1)))
    first, second = split_halves(mixture, X, S, 0)
    close(first + second, S[0])
    assert min(first[0], second[0]) > 10


p = Problem(oracles.Full, 0)
ONE = responsibility_statistics(p.mixture, p.X, p.S.sum(0, keepdims=True))
POINT = responsibility_statistics(
    p.mixture, np.ones((5, 1)), p.mixture.m_step(np.ones((5, 1)), np.ones((5, 1)))
)
EMPTY = responsibility_statistics(p.mixture, p.X, np.array([[30.0, 0, 40], [0, 0, 0]]))
OTHER = Mixture(NormalWishart([1.0], 1.0, 2.0, np.eye(1)))
BAD = {
    "there is nothing to merge": lambda: merge(ONE, 0, 0),
    "first and second are both 1": lambda: merge(p.stats, 1, 1),
    "second is 3; the state has components 0 to 2": lambda: merge(p.stats, 0, 3),
    "first is -1": lambda: merge(p.stats, -1, 0),
    "components is (0, 1, 2) of 3": lambda: delete(p.stats, (0, 1, 2)),
    "components is [] of 3": lambda: delete(p.stats, []),
    "components is 0 of 1; at least one must go and one stay": lambda: delete(ONE, 0),
    "components is 5": lambda: delete(p.stats, 5),
    "component is 3": lambda: split(p.stats, 3),
    "component is 0.5": lambda: split(p.stats, 0.5),
    "component 0 holds no two distinct data points": lambda: split(POINT, 0),
    "component 0 holds no two distinct": lambda: split(POINT, 0, by=split_along_axis),
    "prior gives None for 2 components": lambda: merge(p.stats, 0, 1, lambda K: None),
    "prior must give the same family": lambda: merge(p.stats, 0, 1, OTHER),
    "prior must give the same family and origin": lambda: merge(
        p.stats, 0, 1, Mixture(NormalGamma(p.mixture.family.origin, 1.0, 1.0, 1.0))
    ),
    "concentration has one entry for each": lambda: merge(
        p.stats, 0, 1, attrs.evolve(p.mixture, labels=Dirichlet([1, 2]))
    ),
    "clones is EM": lambda: responsibility_statistics(
        attrs.evolve(p.mixture, clones=EM), p.X, p.S
    ),
    "the state has shape": lambda: responsibility_statistics(p.mixture, p.X, p.S[0]),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        BAD[message]()


@pytest.mark.parametrize("place", [-5.0, 5.0, 1e6])
def test_rows_that_are_one_point_have_no_axis(place):
    same = (
        np.full((9, 2), place) * (1 + np.finfo(float).eps * np.arange(9) % 2)[:, None]
    )
    assert principal_axis(same, np.ones(9), np.zeros(2)) is None
    moved = same + np.eye(9, 2)
    assert (
        abs(principal_axis(moved, np.ones(9), np.zeros(2)).direction @ [1, -1]) > 1.41
    )


@pytest.mark.parametrize("columns", [WIDE - 1, WIDE])
def test_the_axis_of_fewer_rows_than_columns_is_that_of_their_covariance(columns):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(30, columns))
    X[:, 3] *= 9
    weights = rng.uniform(size=30)
    axis = principal_axis(X, weights, np.zeros(columns))
    covariance = np.cov(X, rowvar=False, aweights=weights, ddof=0)
    values, vectors = np.linalg.eigh(covariance)
    close(axis.variance, values[-1])
    close(abs(axis.direction @ vectors[:, -1]), 1.0)


@pytest.mark.parametrize("weight", [1e-3, 1e3])
def test_the_cuts_do_not_depend_on_the_size_of_the_weights(weight):
    X = np.random.default_rng(5).normal(size=(40, 3))
    family = IsotropicGaussian(np.zeros(3), 1.0, 1.0, 1.0)
    ours, ones = ([*candidate_sides(family, X, w * np.ones(40))] for w in (weight, 1.0))
    assert len(ours) == len(ones) > 1
    for side, want in zip(ours, ones, strict=True):
        assert np.array_equal(side, want)


@pytest.mark.parametrize("scale", [2.0**-300, 2.0**320])
def test_the_cuts_do_not_depend_on_the_scale_of_the_rows(scale):
    X = np.random.default_rng(5).normal(size=(40, 3))
    ours, ones = (
        [
            *candidate_sides(
                IsotropicGaussian(np.zeros(3), 1.0, 1.0, s**2), s * X, np.ones(40)
            )
        ]
        for s in (scale, 1.0)
    )
    assert len(ours) > 5 and np.array_equal(ours, ones)


def test_two_rings_are_cut_by_their_radius():
    angle = np.repeat(np.arange(20) * np.pi / 10, 2)
    radius = np.tile([1.0, 3.0], 20)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    family = IsotropicGaussian(np.zeros(2), 1.0, 1.0, 1.0)
    sides = [*candidate_sides(family, X, np.ones(40))]
    assert any(np.array_equal(side, radius > 2) for side in sides)


def test_points_whose_products_are_all_negative_are_cut_by_their_product():
    """Four arms along x1 = -x2, at a distance of 1 and of 3: only x1 x2 tells the distances
    apart."""
    x = np.repeat([-3.0, -1.0, 1.0, 3.0], 10)
    X = np.column_stack([x, -x]) + 1e-3 * np.random.default_rng(0).normal(size=(40, 2))
    family = NormalWishart(np.zeros(2), 1.0, 4.0, np.eye(2))
    sides = [*candidate_sides(family, X, np.ones(40))]
    assert any(
        np.array_equal(side, abs(x) < 2) or np.array_equal(side, abs(x) > 2)
        for side in sides
    )


def test_a_sparse_table_is_cut_as_a_dense_one():
    rng = np.random.default_rng(3)
    X, r = (
        (rng.random((60, 20)) < 0.05 + 0.1 * rng.random((60, 1))),
        rng.uniform(0, 1, 60),
    )
    family = BetaBernoulli(20, precision=np.float64)
    table = family.check_data(sparse.csr_array(X & (np.arange(20) < 9)))
    dense = family.check_data(table.toarray())
    assert sparse.issparse(table) and not sparse.issparse(dense)
    ours, theirs = (list(candidate_sides(family, x, r)) for x in (table, dense))
    assert len(ours) > 5 and np.array_equal(ours, theirs)


def test_rows_that_are_one_point_cannot_be_cut():
    mixture = Mixture(IsotropicGaussian([0.0], 1.0, 1.0, 1.0))
    with pytest.raises(ValueError, match="n_components is 2; X can be cut into 1 only"):
        init_by_splits(mixture, np.ones((4, 1)), 2)


def test_a_component_that_takes_nothing_correlates_with_none():
    family = KnownCovariance([0.0], 1.0)
    state = family.state(9.0, [[0.0], [1e3]])
    stats = responsibility_statistics(Mixture(family), [[0.0], [1.0]], state)
    close(stats.correlation, [[1, 0], [0, 0]])
