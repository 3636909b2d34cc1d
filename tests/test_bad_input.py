"""Bad input: a ValueError that names the argument, before any work; and odd input that is allowed."""

import re

import numpy as np
import oracles
import pytest

from vbkit import data
from vbkit.families import Dirichlet, IsotropicGaussian, NormalWishart
from vbkit.learning import (
    Schedule,
    accumulation,
    fit_batch,
    fit_online,
    gaussian_start,
    sato2000,
    start_at_rows,
    without_discount,
)
from vbkit.mixture import EM, Mixture
from vbkit.structure import split_halves
from vbkit.theory.enumeration import log_evidence

pytestmark = pytest.mark.filterwarnings("error")
rng = np.random.default_rng(0)
I2, NAN, INF = np.eye(2), np.nan, np.inf
X = rng.normal(size=(10, 2))
FAMILY = NormalWishart(np.zeros(2), 0.5, 3.0, I2)
M = Mixture(FAMILY, Dirichlet(0.7))
S = M.collect(X, rng.dirichlet(np.ones(3), 10))
R = np.full((10, 3), 1 / 3)


def wishart(mean=(0, 0), mean_count=1.0, degrees_of_freedom=3.0, scatter=I2):
    return NormalWishart(mean, mean_count, degrees_of_freedom, scatter)


def isotropic(mean=(0, 0), mean_count=1.0, shape=1.0, rate=1.0):
    return IsotropicGaussian(mean, mean_count, shape, rate)


def changed(A, place, value):
    A = np.array(A, dtype=float)
    A[place] = value
    return A


NUMBERS = (0, -1.0, NAN, INF, None, "1", [1.0], np.ones(2))
BAD = [
    *[(name, lambda n=name, v=v: wishart(**{n: v})) for name in ("mean_count", "degrees_of_freedom") for v in NUMBERS],
    *[(name, lambda n=name, v=v: isotropic(**{n: v})) for name in ("mean_count", "shape", "rate") for v in NUMBERS],
    *[("degrees_of_freedom", lambda v=v: wishart(degrees_of_freedom=v)) for v in (1.0, 0.999, -3)],
    *[("mean", lambda f=f, v=v: f(mean=v)) for f in (wishart, isotropic) for v in ([NAN, 0], [INF, 0], "ab", [], [[0, 0]], None)],
    *[("scatter", lambda v=v: wishart(scatter=v)) for v in (
        -I2, 0 * I2, [[1, 2], [2, 1]], [[1, 1], [1, 1]], [[1, 0.5], [0.4, 1]], I2 * NAN, np.eye(3), [1, 1], 1.0, "x", I2 * 1e-201,
        I2 * 1e201, np.diag([1, INF]), [[1, 0], [0]], None)],
    *[("rate", lambda v=v: isotropic(rate=v)) for v in (1e-201, 1e201)],
    *[("concentration", lambda v=v: Dirichlet(v)) for v in (-1, [1, -0.1], NAN, [1, INF], [], [[1.0]], "a", None)],
    *[("count", lambda f=f: f.from_pseudo_data([0, 0, 0], 1.0, -1)) for f in (NormalWishart, IsotropicGaussian)],
    ("count", lambda: IsotropicGaussian.from_pseudo_data([0, 0, 0], 1.0, 1 / 3)),
    ("variance", lambda: NormalWishart.from_pseudo_data([0, 0], 0.0, 1.0)),
    *[("copies", lambda v=v: Mixture(FAMILY, copies=v)) for v in (0, 0.5, 2 * EM, NAN, -1, "EM", None)],
    *[("concentration", lambda v=v: Mixture(FAMILY, Dirichlet(v))) for v in (0.0, [1.0, 0.0])],
    ("concentration", lambda: Mixture(FAMILY, Dirichlet(0.0), copies=2.0**99)),
    ("concentration", lambda: Mixture(FAMILY, Dirichlet([1.0, 1.0])).elbo(X, S)),
    *[("pseudo", lambda v=v: Mixture(FAMILY, copies=EM, pseudo=v).elbo(X, S)) for v in (np.ones(5), [NAN] * 6, "a", np.ones((2, 6)))],
    *[("X", lambda v=v: M.elbo(v, S)) for v in (
        changed(X, (3, 1), NAN), changed(X, (3, 1), INF), changed(X, (slice(2), 1), [INF, -INF]), X[:, :1], np.ones((10, 3)),
        X[:0], X[0], np.ones((2, 2, 2)), 3.0, "text", [["a", "b"]], None, [[1, 2], [3]], X * 1j, X * 1e101, X * 1e-102,
        np.full((2, 2), 1.7e308), np.empty((3, 0)))],
    *[("X", lambda f=f: f(changed(X, 0, NAN))) for f in (
        lambda v: M.responsibilities(v, S), lambda v: M.log_predictive(v, S), lambda v: M.sweep(v, S), lambda v: M.collect(v, R),
        lambda v: fit_batch(M, v, S), lambda v: fit_online(M, v, S, accumulation()), lambda v: log_evidence(M, v, 2),
        lambda v: split_halves(M, v, S, 0), lambda v: start_at_rows(M, v, 2, rng), lambda v: gaussian_start(M, v, 2, rng))],
    *[("weights", lambda v=v: M.elbo(X, S, v)) for v in (
        -np.ones(10), np.ones(9), np.ones((10, 1)), np.zeros(10), changed(np.ones(10), 2, NAN), changed(np.ones(10), 2, INF), 1.0,
        "a")],
    ("weights", lambda: M.elbo(M.observe(X), S, np.ones(10))),  # data already observed without them
    *[("R", lambda v=v: M.collect(X, v)) for v in (R[:9], R[:, 0], -R, R * NAN, R[:, :0])],
    *[("state|unit", lambda v=v: M.elbo(X, v)) for v in (
        S[0], S[:, :5], S[:0], S * NAN, changed(S, (0, 0), -1), S[None], "a", None, changed(S, (0, 3), -1e3))],
    *[("state", lambda f=f: f(S[:, :4])) for f in (
        lambda s: fit_batch(M, X, s), lambda s: fit_online(M, X, s, accumulation()), lambda s: M.responsibilities(X, s),
        lambda s: M.log_predictive(X, s), lambda s: split_halves(M, X, s, 0), lambda s: M.sample(s, 3, rng))],
    *[("epochs", lambda v=v: fit_batch(M, X, S, max_epochs=v)) for v in (-1, 2.5, None, "3")],
    *[("epochs", lambda v=v: fit_online(M, X, S, accumulation(), epochs=v)) for v in (-1, 2.5, None)],
    *[("tolerance", lambda v=v: fit_batch(M, X, S, tolerance=v)) for v in (-1e-9, NAN, INF, None, "a")],
    *[("tolerance", lambda v=v: fit_online(M, X, S, accumulation(), tolerance=v)) for v in (-1e-9, NAN, "a")],
    ("tolerance", lambda: fit_online(M, X, S, accumulation(), tolerance=0.1, monitor=False)),
    *[("rng", lambda v=v: fit_online(M, X, S, accumulation(), rng=v)) for v in (0, "a")],
    ("memory", lambda: fit_online(M, X, S, sato2000(10.0, memory=0))),
    *[("tau0", lambda v=v: sato2000(10.0, tau0=v)) for v in (0, 0.5, -1, NAN, INF, None, "a")],
    *[("kappa", lambda v=v: sato2000(10.0, kappa=v)) for v in (-0.1, NAN, INF, None, "a")],
    *[("total", lambda v=v: sato2000(v)) for v in (0, -5, NAN, INF, "a")],
    *[("memory", lambda v=v: Schedule(memory=v)) for v in (-1, NAN, INF, "a", None)],
    *[("discount", lambda v=v: Schedule(discount=v)) for v in (-0.1, 1.1, NAN, "a")],
    *[("decay", lambda v=v: Schedule(decay=v)) for v in (-0.1, NAN, INF)],
    *[("total", lambda v=v: without_discount(v)) for v in (0, NAN)],
    *[("units", lambda f=f, v=v: f(M, X, v, rng)) for f in (start_at_rows, gaussian_start) for v in (0, -1, 11, 2.0, None)],
    ("units", lambda: start_at_rows(M, np.ones((10, 2)), 2, rng)),
    *[("spread", lambda v=v: start_at_rows(M, X, 2, rng, spread=v)) for v in (0, 1.1, -1, NAN, "a")],
    *[("spread", lambda v=v: gaussian_start(M, X, 2, rng, spread=v)) for v in (0, -1, NAN, INF)],
    *[("units|assignments", lambda v=v: log_evidence(M, X, v)) for v in (0, -1, 5, 1.5)],
    ("copies", lambda: log_evidence(Mixture(FAMILY, copies=2.0), X, 2)),
    *[("unit", lambda v=v: split_halves(M, X, S, v)) for v in (-1, 3, 0.5)],
    *[("name", lambda v=v: data.sato2000(v, rng)) for v in ("C", 1, None)],
]  # fmt: skip


@pytest.mark.parametrize("name, call", [pytest.param(n, c, id=f"{n}-{i}") for i, (n, c) in enumerate(BAD)])
def test_bad_input_is_named(name, call):
    with pytest.raises(ValueError) as error:
        call()
    assert re.search(rf"\b({name})\b", str(error.value)), str(error.value)


@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_a_unit_of_one_place_has_no_halves(n):
    for point in rng.normal(size=(5, 1, 2)):
        crowd = np.repeat(point, n, axis=0)
        with pytest.raises(ValueError, match="unit"):
            split_halves(M, crowd, M.collect(crowd, np.ones((n, 1))), 0)
    far = FAMILY.state([5.0, 5.0], [[0.0, 0.0], [1e3, 0.0]], [I2, I2])  # the second unit's responsibilities are exactly 0
    with pytest.raises(ValueError, match="unit"):
        split_halves(Mixture(FAMILY, copies=EM), X, far, 1)


@pytest.mark.parametrize("kind", oracles.KINDS)
def test_odd_input_is_allowed(kind):
    """One row, equal rows, a constant column, more units than rows, lists, other dtypes and memory orders, a vector."""
    prior = oracles.random_prior(np.random.default_rng(1), kind, 2)
    mixture = Mixture(prior.family(), Dirichlet(0.7))
    for Y in (X[:1], np.repeat(X[:1], 6, axis=0), np.column_stack([X[:, 0], np.full(10, 4.0)]), X[:3], np.zeros((4, 2))):
        soft = np.random.default_rng(2).dirichlet(np.ones(5), len(Y))
        fit = fit_batch(mixture, Y, mixture.collect(Y, soft))
        assert fit.converged and np.diff(fit.trace).min() > -1e-9 and np.isfinite(mixture.log_predictive(X, fit.S)).all()
        assert len(Y) > 4 or fit.elbo <= oracles.log_evidence(prior, 0.7, Y, 5) + 1e-9
        fit = fit_online(mixture, Y, mixture.collect(Y, soft), sato2000(len(Y)), epochs=3)
        assert np.isfinite(fit.trace).all()
    soft, whole = np.full((10, 1), 1.0), np.rint(3 * X)
    value = mixture.elbo(whole, mixture.collect(whole, soft))
    for same in (whole.tolist(), whole.astype(int), whole.astype(np.float32), np.asfortranarray(whole), whole[::-1][::-1]):
        assert mixture.elbo(same, mixture.collect(same, soft)) == pytest.approx(value, rel=1e-13)
    line = Mixture(oracles.random_prior(np.random.default_rng(3), kind, 1).family())
    start = line.collect(X[:, 0], soft)
    assert fit_batch(line, X[:, 0], start).elbo == fit_batch(line, X[:, :1], start.tolist()).elbo


def test_nearly_symmetric_scatter_is_allowed():
    """A covariance that rounding left unsymmetric in its last digits, off-diagonal entries near zero included."""
    for angle in np.linspace(0, np.pi / 2, 7):
        Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        NormalWishart([0, 0], 1.0, 3.0, Q @ np.diag([3.0, 0.2]) @ Q.T)
        NormalWishart([0, 0], 1.0, 3.0, np.linalg.inv(Q @ np.diag([3e-3, 20]) @ Q.T))
