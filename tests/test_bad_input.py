"""Bad input: a ValueError that names the argument, before any work; and odd input that is allowed."""

import re

import numpy as np
import oracles
import pytest

from vbkit import data
from vbkit.families import Dirichlet, IsotropicGaussian, NormalWishart
from vbkit.learning import Schedule, accumulation, fit_batch, fit_online, sato2000, without_discount
from vbkit.learning.starts import gaussian_start, start_at_rows
from vbkit.mixture import EM, Mixture
from vbkit.structure import split_halves
from vbkit.theory.enumeration import log_evidence

pytestmark = pytest.mark.filterwarnings("error")
rng = np.random.default_rng(0)
I2, NAN, INF = np.eye(2), np.nan, np.inf
X, ONES, R = rng.normal(size=(10, 2)), np.ones(10), np.full((10, 3), 1 / 3)
FAMILY = NormalWishart([0, 0], 0.5, 3.0, I2)
M = Mixture(FAMILY, Dirichlet(0.7))
S = M.collect(X, rng.dirichlet(np.ones(3), 10))
ONCE = accumulation()
BAD = []


def bad(name, call, *values):
    """Each value makes call(value) a ValueError whose text has the word `name`."""
    for value in values:
        BAD.append(pytest.param(name, call, value, id=f"{name}-{len(BAD)}"))


def changed(A, place, value):
    A = np.array(A, dtype=float)
    A[place] = value
    return A


WISHART = {"mean": [0, 0], "mean_count": 1.0, "degrees_of_freedom": 3.0, "scatter": I2}
ISOTROPIC = {"mean": [0, 0], "mean_count": 1.0, "shape": 1.0, "rate": 1.0}
for family, good in ((NormalWishart, WISHART), (IsotropicGaussian, ISOTROPIC)):
    for field in good:

        def build(v, family=family, good=good, field=field):
            return family(**(good | {field: v}))

        if field == "mean":
            bad(field, build, [NAN, 0], [INF, 0], "ab", [], [[0, 0]], None)
        elif field == "scatter":
            bad(field, build, -I2, 0 * I2, [[1, 2], [2, 1]], [[1, 1], [1, 1]], [[1, 0.5], [0.4, 1]], np.eye(3))
            bad(field, build, I2 * NAN, [1, 1], I2 * 1e-201, I2 * 1e201, np.diag([1, INF]), [[1, 0], [0]])
            bad(field, build, 1.0, "x", None)
        else:
            bad(field, build, 0, -1.0, NAN, INF, None, "1", [1.0], np.ones(2))
    bad("count", lambda v, f=family: f.from_pseudo_data([0, 0, 0], 1.0, v), 0, -1, NAN)
    bad("variance", lambda v, f=family: f.from_pseudo_data([0, 0], v, 1.0), 0, -1, NAN)
bad("degrees_of_freedom", lambda v: NormalWishart(**(WISHART | {"degrees_of_freedom": v})), 1.0, 0.999)
bad("rate", lambda v: IsotropicGaussian(**(ISOTROPIC | {"rate": v})), 1e-201, 1e201)
bad("count", lambda v: IsotropicGaussian.from_pseudo_data([0, 0, 0], 1.0, v), 1 / 3)
bad("concentration", Dirichlet, -1, [1, -0.1], NAN, [1, INF], [], [[1.0]], "a", None)
bad("concentration", lambda v: Mixture(FAMILY, Dirichlet(v)), 0.0, [1.0, 0.0])
bad("concentration", lambda v: Mixture(FAMILY, Dirichlet(0.0), copies=v), 2.0**99)
bad("concentration", lambda v: Mixture(FAMILY, Dirichlet(v)).elbo(X, S), [1.0, 1.0])
bad("copies", lambda v: Mixture(FAMILY, copies=v), 0, 0.5, 2 * EM, NAN, -1, "EM", None)
PSEUDO = np.ones(5), [NAN] * 6, "a", np.ones((2, 6))
bad("pseudo", lambda v: Mixture(FAMILY, copies=EM, pseudo=v).elbo(X, S), *PSEUDO)

bad("X", lambda v: M.elbo(v, S), *(changed(X, (slice(2), 1), v) for v in (NAN, INF, [INF, -INF])))
bad("X", lambda v: M.elbo(v, S), X[:, :1], np.ones((10, 3)), X[:0], X[0], X[None], np.empty((3, 0)))
bad("X", lambda v: M.elbo(v, S), 3.0, "text", [["a", "b"]], None, [[1, 2], [3]], X * 1j)
bad("X", lambda v: M.elbo(v, S), X * 1e101, X * 1e-102, np.full((2, 2), 1.7e308))
USES = (lambda v: M.responsibilities(v, S), lambda v: M.log_predictive(v, S), lambda v: M.sweep(v, S),
        lambda v: M.collect(v, R), lambda v: fit_batch(M, v, S), lambda v: fit_online(M, v, S, ONCE),
        lambda v: log_evidence(M, v, 2), lambda v: split_halves(M, v, S, 0),
        lambda v: start_at_rows(M, v, 2, rng), lambda v: gaussian_start(M, v, 2, rng))  # fmt: skip
for use in USES:
    bad("X", use, changed(X, 0, NAN))
WEIGHTS = -ONES, ONES[:9], ONES[:, None], 0 * ONES, changed(ONES, 2, NAN), changed(ONES, 2, INF), 1.0, "a"
bad("weights", lambda v: M.elbo(X, S, v), *WEIGHTS)
bad("weights", lambda v: M.elbo(M.observe(X), S, v), ONES)  # data already observed, without them
bad("R", lambda v: M.collect(X, v), R[:9], R[:, 0], -R, R * NAN, R[:, :0])

STATES = S[0], S[:, :5], S[:0], S * NAN, changed(S, (0, 0), -1), S[None], "a", None, changed(S, (0, 3), -1e3)
bad("state|unit", lambda v: M.elbo(X, v), *STATES)
USES = (lambda s: fit_batch(M, X, s), lambda s: fit_online(M, X, s, ONCE), lambda s: M.responsibilities(X, s),
        lambda s: M.log_predictive(X, s), lambda s: split_halves(M, X, s, 0),
        lambda s: M.sample(s, 3, rng))  # fmt: skip
for use in USES:
    bad("state", use, S[:, :4])

bad("epochs|max_epochs", lambda v: fit_batch(M, X, S, max_epochs=v), -1, 2.5, None, "3")
bad("epochs", lambda v: fit_online(M, X, S, ONCE, epochs=v), -1, 2.5, None)
bad("tolerance", lambda v: fit_batch(M, X, S, tolerance=v), -1e-9, NAN, INF, None, "a")
bad("tolerance", lambda v: fit_online(M, X, S, ONCE, tolerance=v), -1e-9, NAN, "a")
bad("tolerance", lambda v: fit_online(M, X, S, ONCE, tolerance=v, monitor=False), 0.1)
bad("rng", lambda v: fit_online(M, X, S, ONCE, rng=v), 0, "a")
bad("memory", lambda v: fit_online(M, X, S, sato2000(10.0, memory=v)), 0)
bad("tau0", lambda v: sato2000(10.0, tau0=v), 0, 0.5, -1, NAN, INF, None, "a")
bad("kappa", lambda v: sato2000(10.0, kappa=v), -0.1, NAN, INF, None, "a")
bad("total", sato2000, 0, -5, NAN, INF, "a")
bad("total", without_discount, 0, NAN)
bad("memory", lambda v: Schedule(memory=v), -1, NAN, INF, "a", None)
bad("discount", lambda v: Schedule(discount=v), -0.1, 1.1, NAN, "a")
bad("decay", lambda v: Schedule(decay=v), -0.1, NAN, INF)

for start in (start_at_rows, gaussian_start):
    bad("units", lambda v, f=start: f(M, X, v, rng), 0, -1, 11, 2.0, None)
    bad("spread", lambda v, f=start: f(M, X, 2, rng, spread=v), 0, -1, NAN, INF, "a")
bad("spread", lambda v: start_at_rows(M, X, 2, rng, spread=v), 1.1)
bad("units", lambda v: start_at_rows(M, v, 2, rng), np.ones((10, 2)))
bad("units|assignments", lambda v: log_evidence(M, X, v), 0, -1, 5, 1.5)
bad("copies", lambda v: log_evidence(Mixture(FAMILY, copies=v), X, 2), 2.0)
bad("unit", lambda v: split_halves(M, X, S, v), -1, 3, 0.5)
bad("name", lambda v: data.sato2000(v, rng), "C", 1, None)


@pytest.mark.parametrize("name, call, value", BAD)
def test_bad_input_is_named(name, call, value):
    with pytest.raises(ValueError) as error:
        call(value)
    assert re.search(rf"\b({name})\b", str(error.value)), str(error.value)


@pytest.mark.parametrize("n", [2, 3, 5, 7])
def test_a_unit_of_one_place_has_no_halves(n):
    for point in rng.normal(size=(5, 1, 2)):
        crowd = np.repeat(point, n, axis=0)
        with pytest.raises(ValueError, match="unit"):
            split_halves(M, crowd, M.collect(crowd, np.ones((n, 1))), 0)


def test_a_unit_of_no_data_has_no_halves():
    far = FAMILY.state([5, 5], [[0, 0], [1e3, 0]], [I2, I2])  # the second unit's responsibilities are exactly 0
    with pytest.raises(ValueError, match="unit"):
        split_halves(Mixture(FAMILY, copies=EM), X, far, 1)


@pytest.mark.parametrize("kind", oracles.KINDS)
def test_odd_input_is_allowed(kind):
    """One row, equal rows, a constant column, more units than rows; lists, dtypes, orders, a vector."""
    *_, mixture = oracles.problem(np.random.default_rng(1), kind)
    for Y in (X[:1], X[:3], np.repeat(X[:1], 6, axis=0), np.zeros((4, 2)), X * [1, 0] + [0, 4]):
        start = mixture.collect(Y, np.random.default_rng(2).dirichlet(np.ones(5), len(Y)))
        fit, online = fit_batch(mixture, Y, start), fit_online(mixture, Y, start, sato2000(len(Y)), epochs=3)
        assert fit.converged and np.diff(fit.trace).min() > -1e-9 and np.isfinite(online.trace).all()
        assert np.isfinite(mixture.log_predictive(X, fit.S)).all()
    Y, one = np.rint(3 * X), np.ones((10, 1))
    for same in (Y.tolist(), Y.astype(int), Y.astype(np.float32), np.asfortranarray(Y), Y[::-1][::-1]):
        assert mixture.elbo(same, mixture.collect(same, one)) == mixture.elbo(Y, mixture.collect(Y, one))
    *_, line = oracles.problem(np.random.default_rng(3), kind, 1)
    start = line.collect(X[:, 0], one)
    assert fit_batch(line, X[:, 0], start).elbo == fit_batch(line, X[:, :1], start.tolist()).elbo


def test_nearly_symmetric_scatter_is_allowed():
    """A covariance that rounding left unsymmetric in its last digits, entries near zero included."""
    for angle in np.linspace(0, np.pi / 2, 7):
        Q = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for scatter in (Q @ np.diag([3.0, 0.2]) @ Q.T, np.linalg.inv(Q @ np.diag([3e-3, 20]) @ Q.T)):
            assert NormalWishart([0, 0], 1.0, 3.0, scatter).dimension == 2
