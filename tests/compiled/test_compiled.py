"""Compiled code: exp, log, digamma, softmax; the online loop against NumPy's; other processors."""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from scipy import special

from vbkit.compiled import COMPILED, jit
from vbkit.compiled.online import log_densities
from vbkit.compiled.softmax import softmax_columns
from vbkit.compiled.special import digamma, exp, log
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning.online import reference_stream, run_stream
from vbkit.mixture import EM, Mixture

if not COMPILED:
    pytest.skip("nothing is compiled here", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("error")
RNG = np.random.default_rng(20)
NOTHING = np.empty(0)


# ---- exp, log and digamma ------------------------------------------------------------------------


@jit
def exps(x, out):
    for i in range(len(x)):
        out[i] = exp(x[i])


@jit
def logs(x, out):
    for i in range(len(x)):
        out[i] = log(x[i])


@jit
def digammas(x, out):
    for i in range(len(x)):
        out[i] = digamma(x[i])


def evaluate(function, x):
    out = np.empty_like(x)
    function(x, out)
    return out


def test_exp():
    x = [RNG.uniform(-707, 709, 100_000), RNG.standard_normal(99_999), [0, -707.9]]
    x = np.concatenate(x)
    np.testing.assert_allclose(evaluate(exps, x), np.exp(x), rtol=8e-16)
    below = np.array([-np.inf, -1e300, -1e4, -746, -708.1])
    np.testing.assert_array_equal(evaluate(exps, below), 0)
    above = np.array([709.1, 800, 1e300, np.inf])
    np.testing.assert_allclose(evaluate(exps, above), np.exp(709.0), rtol=8e-16)
    assert np.isnan(exp(np.nan))


def test_log():
    ends = [2.0**-1022, 1, np.nextafter(1, 0), np.nextafter(1, 2), np.finfo(float).max]
    halves = math.sqrt(0.5) * 2.0 ** np.arange(-30, 31)
    x = np.concatenate(
        [
            10 ** RNG.uniform(-307, 308, 100_000),
            RNG.uniform(0.4, 2.5, 100_000),
            1 + RNG.uniform(-1e-8, 1e-8, 10_000),
            np.nextafter(halves, 0),
            halves,
            np.nextafter(halves, np.inf),
            ends,
        ]
    )
    np.testing.assert_allclose(evaluate(logs, x), np.log(x), rtol=5e-16)
    other = np.array([0, -1, np.nextafter(2.0**-1022, 0), np.inf, -np.inf, np.nan])
    assert np.isnan(evaluate(logs, other)).all()


def test_digamma():
    x = np.concatenate(
        [
            10 ** RNG.uniform(-300, 300, 100_000),
            RNG.uniform(0, 20, 100_000),
            [1e-6, 1e9 * EM],
        ]
    )
    close = {"rtol": 2.5e-15, "atol": 2.5e-15}
    np.testing.assert_allclose(evaluate(digammas, x), special.digamma(x), **close)
    gamma = np.euler_gamma
    zero = 1.4616321449683623
    exact = {0.5: -gamma - 2 * math.log(2), 1: -gamma, zero: 0, 2: 1 - gamma}
    for at, value in exact.items():
        assert abs(digamma(at) - value) < 2e-15
    ends = evaluate(digammas, np.array([0, np.nan]))
    np.testing.assert_array_equal(ends, [-np.inf, np.nan])


# ---- softmax -------------------------------------------------------------------------------------


@pytest.mark.parametrize("K", [1, 2, 7, 20, 200])
@pytest.mark.parametrize("n", [1, 9, 256, 1000])
@pytest.mark.parametrize("width", [1, 300])
@pytest.mark.parametrize("weighted", [False, True])
def test_softmax(K, n, width, weighted):
    L = width * RNG.standard_normal((K, n)) + 1e3 * RNG.standard_normal(n)
    w = RNG.uniform(0, 3, n) if weighted else NOTHING
    R = L.copy()
    total = softmax_columns(R, w)
    each = w if weighted else np.ones(n)
    np.testing.assert_allclose(R, special.softmax(L, axis=0), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(
        total, each @ special.logsumexp(L, axis=0), rtol=1e-13, atol=1e-10
    )


@pytest.mark.parametrize("width", [1, 300])
def test_softmax_in_single_precision(width):
    L = width * RNG.standard_normal((20, 999)) + 10 * RNG.standard_normal(999)
    R = L.astype(np.float32)
    exact, total = R.astype(float), softmax_columns(R, NOTHING)
    assert R.dtype == np.float32
    np.testing.assert_allclose(R, special.softmax(exact, axis=0), rtol=4e-6, atol=1e-37)
    np.testing.assert_allclose(
        total, special.logsumexp(exact, axis=0).sum(), rtol=1e-6, atol=1e-3
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_softmax_of_what_is_not_finite(dtype):
    L = np.array([[-np.inf, -np.inf, 0, -np.inf], [-np.inf, 2, np.nan, -np.inf]], dtype)
    some, none = L[:, [1]].copy(), L[:, [0]].copy()
    assert softmax_columns(some, NOTHING) == 2 and some.tolist() == [[0], [1]]
    assert softmax_columns(none, NOTHING) == -np.inf and none.tolist() == [[0], [0]]
    R = L.copy()
    assert math.isnan(softmax_columns(R, np.array([1, 1, 1, 0.0])))
    np.testing.assert_array_equal(R, [[0, 0, np.nan, 0], [0, 1, np.nan, 0]])
    assert softmax_columns(L[:, [1, 3]].copy(), np.array([3.0, 0])) == 6


# ---- the online loop -----------------------------------------------------------------------------


def gaussian(kind, D):
    if kind is IsotropicGaussian:
        return kind(np.full(D, 0.3), 0.7, 1.5, 0.8)
    return kind(np.full(D, 0.3), 0.7, D + 0.5, 0.4 * np.eye(D) + 0.1)


def problem(kind, D, K, clones=1.0, pseudo_statistics=False, N=100):
    """A mixture, a state that random responsibilities give, data, and keep, gain,
    weights of a pass."""
    family = gaussian(kind, D)
    X = (
        RNG.standard_normal((N, D))
        + RNG.uniform(-1, 1, (2, D))[RNG.integers(2, size=N)]
    )
    T = family.statistics(X)
    prior = Dirichlet(0.0 if clones == EM else RNG.uniform(0.1, 2, K))
    mixture = Mixture(
        family, prior, clones, 3 * T.mean(axis=0) if pseudo_statistics else None
    )
    S = RNG.dirichlet(np.full(K, 0.5), N).T @ T + 20 * T.mean(axis=0)
    return (
        mixture,
        S,
        X,
        RNG.uniform(0.97, 1, N),
        RNG.uniform(0, 2, N),
        RNG.uniform(0, 2, N),
    )


kinds = pytest.mark.parametrize("kind", [NormalWishart, IsotropicGaussian])


@kinds
@pytest.mark.parametrize("D", [1, 2, 3, 7])
@pytest.mark.parametrize("K", [1, 7, 8, 9, 20])
def test_stream_is_the_numpy_loop(kind, D, K):
    for clones, pseudo_statistics in (
        (1.0, False),
        (1.0, True),
        (10.0, False),
        (EM, False),
        (EM, True),
    ):
        mixture, S, X, keep, gain, w = problem(kind, D, K, clones, pseudo_statistics)
        before = S.copy()
        for weights in (None, w):
            ours = run_stream(mixture, S, X, keep, gain, weights)
            slow = reference_stream(mixture, S, X, keep, gain, weights)
            np.testing.assert_allclose(
                ours, slow, rtol=0, atol=1e-13 * np.abs(slow).max()
            )
        np.testing.assert_array_equal(S, before)
        assert not np.allclose(
            run_stream(mixture, S, X, keep, gain), ours
        )  # so weights had an effect


@kinds
def test_cutting_a_stream_changes_no_bit(kind):
    mixture, S, X, keep, gain, w = problem(
        kind, 2, 9, clones=10.0, pseudo_statistics=True
    )
    whole = run_stream(mixture, S, X, keep, gain, w)
    for i, j in pairwise([0, 1, 5, 5, 80, 100]):
        S = run_stream(mixture, S, X[i:j], keep[i:j], gain[i:j], w[i:j])
    np.testing.assert_array_equal(S, whole)


def density(family, x, S):
    """E log p(x) (K, N) from the posterior's hyperparameters,
    with the distance from each component's own mean."""
    beta, more, mean, width = family.posterior(S)
    d, D = x - mean[:, None], x.shape[1]
    if isinstance(family, IsotropicGaussian):
        log_det, precision = (
            D * (special.digamma(more) - np.log(width)),
            (more / width)[:, None, None] * np.eye(D),
        )
    else:
        log_det = special.digamma((more[:, None] - np.arange(D)) / 2).sum(
            1
        ) + D * np.log(2)
        log_det, precision = (
            log_det - np.linalg.slogdet(width)[1],
            more[:, None, None] * np.linalg.inv(width),
        )
    constant = log_det - D * np.log(2 * np.pi) - D / beta
    return 0.5 * (constant[:, None] - np.einsum("kni,kij,knj->kn", d, precision, d))


@kinds
@pytest.mark.parametrize("D", [1, 2, 3, 5])
def test_compiled_density_is_the_family_s(kind, D):
    """Also for a data point far from everything,
    where a product of statistics and parameters loses digits."""
    mixture, S, X, *_ = problem(kind, D, 4)
    family = mixture.family
    for scale in (1, 1e6):
        x = scale * X[:5]
        for effective in (S, 10 * S, EM * S):
            slow = density(family, x, effective)
            T = np.ascontiguousarray(family.statistics(x))
            ours = log_densities(family, T, effective)
            np.testing.assert_allclose(ours, slow, rtol=1e-11)


def test_a_family_without_compiled_code_runs_in_numpy():
    class Plain(NormalWishart):
        compiled_density = None

    mixture, S, X, keep, gain, w = problem(NormalWishart, 2, 5)
    family = mixture.family
    plain = Plain(
        family.mean, family.mean_count, family.degrees_of_freedom, family.scatter
    )
    slow = run_stream(Mixture(plain, mixture.labels), S, X, keep, gain, w)
    np.testing.assert_allclose(
        run_stream(mixture, S, X, keep, gain, w), slow, rtol=0, atol=1e-11
    )


@kinds
def test_a_collapse_is_an_error_of_the_family(kind):
    """One component of several has no posterior; no component has any weight."""
    mixture, S, X, keep, gain, _ = problem(kind, 2, 11, clones=EM)
    narrow = S.copy()
    far = mixture.family.statistics(mixture.family.mean + np.ones((1, 2)))[0]
    far[3:] *= 0.5  # second moments below the squared mean's
    narrow[9] = 20 * far
    for run in (run_stream, reference_stream):
        with pytest.raises(ValueError, match="component 9 .* collapsed onto a"):
            run(mixture, narrow, X, keep, gain)
    with pytest.raises(
        ValueError, match="at data point 0 of the stream.* no component has any weight"
    ):
        run_stream(mixture, 0 * S, X, keep, gain)


def test_two_threads_give_the_same_numbers():
    mixture, *arguments = problem(NormalWishart, 2, 20, N=20_000)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: run_stream(mixture, *arguments), range(8)))
    assert all((S == results[0]).all() for S in results)


STREAM = """
import numpy as np
from vbkit.families import NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning.online import run_stream
from vbkit.mixture import Mixture

rng = np.random.default_rng(1)
X = rng.integers(-30, 30, (500, 2)) / 8 + rng.integers(-2, 3, (500, 1))
mixture = Mixture(NormalWishart(np.zeros(2), 0.5, 3.0, np.eye(2)), Dirichlet(0.7))
S = mixture.family.statistics(X[:5]) * 4
S = run_stream(mixture, S, X, np.full(500, 0.99), np.full(500, 1.7))
print(S.tobytes().hex(), S.sum())
"""


@pytest.mark.processor
def test_the_loop_s_numbers_do_not_depend_on_the_processor(tmp_path):
    lesser = {
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    assert python("-c", STREAM) == python("-c", STREAM, **lesser)


# ---- the cache -----------------------------------------------------------------------------------


def python(*arguments, **environment) -> str:
    command = [sys.executable, "-W", "error", *arguments]
    done = subprocess.run(
        command,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.processor
def test_a_second_process_finds_the_package_s_loops(tmp_path):
    count = """
from vbkit.compiled.online import advance, averages
from vbkit.compiled.softmax import _compiled_softmax, softmax_columns

softmax_columns(np.zeros((2, 3)), np.empty(0))
loops = advance, _compiled_softmax
print([(sum(f.stats.cache_hits.values()), sum(f.stats.cache_misses.values())) for f in loops])
"""
    code = ["-c", STREAM + count]
    first, second = (
        python(*code, NUMBA_CACHE_DIR=str(tmp_path)).splitlines() for _ in range(2)
    )
    assert first == [second[0], "[(0, 1), (0, 1)]"] and second[1] == "[(1, 0), (1, 0)]"


def test_without_a_place_for_the_cache(monkeypatch):
    numba = pytest.importorskip("numba")
    locators = "ZipCacheLocator"  # has none for a plain file
    monkeypatch.setattr(numba.config, "CACHE_LOCATOR_CLASSES", locators)

    def double(x):
        return 2 * x

    assert jit(double)(4.0) == 8.0
