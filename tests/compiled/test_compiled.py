"""Compiled code: accuracy of exp, log, digamma and softmax;
the online loop against NumPy's; the cache."""

import math
import os
import platform
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from scipy import special

from vbkit.compiled import COMPILED, FUSED, inline, jit, softmax_columns
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import stream
from vbkit.learning.stream import reference_stream, run_stream
from vbkit.mixture import EM, Mixture

if not COMPILED:
    pytest.skip("nothing is compiled here", allow_module_level=True)

import numba  # noqa: E402
from numba.core.caching import NullCache  # noqa: E402

from vbkit.compiled import with_numba as compiled  # noqa: E402

pytestmark = pytest.mark.filterwarnings("error")
RNG = np.random.default_rng(20)
NOTHING = np.empty(0)


def evaluate(function, x):
    @numba.njit(error_model="numpy")
    def loop(x, out):
        for i in range(numba.uint64(len(x))):
            out[i] = function(x[i])

    out = np.empty_like(x)
    loop(x, out)
    at = RNG.integers(len(x), size=50)  # one by one the same as side by side
    np.testing.assert_array_equal([function(x[i]) for i in at], out[at])
    return out


# ---- exp, log, digamma ---------------------------------------------------------------------------


def test_exp():
    x = np.concatenate(
        [
            RNG.uniform(-707, 709.7, 100_000),
            RNG.standard_normal(99_999),
            [0, -707.69, 709.78],
        ]
    )
    np.testing.assert_allclose(evaluate(compiled.exp, x), np.exp(x), rtol=8e-16)
    edges = np.array(
        [-np.inf, -1e300, -1e4, -746, -745, -707.71, 709.79, 720, 1e300, np.inf, np.nan]
    )
    expected = [0, 0, 0, 0, 0, 0, np.inf, np.inf, np.inf, np.inf, np.nan]
    np.testing.assert_array_equal(evaluate(compiled.exp, edges), expected)


def test_log():
    x = [
        10 ** RNG.uniform(-307, 308, 100_000),
        RNG.uniform(0.5, 2, 100_000),
        1 + RNG.uniform(0, 1e-9, 999),
    ]
    x = np.concatenate(
        [*x, [1, 5e-324, 1e-310, 2.2e-308, 1.7e308, math.sqrt(0.5), math.sqrt(2)]]
    )
    np.testing.assert_allclose(evaluate(compiled.log, x), np.log(x), rtol=5e-16)
    edges = np.array([0, -0.0, np.inf, np.nan, -1, -np.inf])
    expected = [-np.inf, -np.inf, np.inf, np.nan, np.nan, np.nan]
    np.testing.assert_array_equal(evaluate(compiled.log, edges), expected)


def test_log_of_a_long_product_cannot_overflow():
    x = 10 ** RNG.uniform(-300, 300, 40)
    m, e = np.transpose([compiled.split(v) for v in x])
    np.testing.assert_array_equal(np.ldexp(m, e.astype(int)), x)
    assert (m >= math.sqrt(0.5)).all() and (m < math.sqrt(2)).all()
    mantissa, exponent = compiled.split(m.prod())
    np.testing.assert_allclose(
        compiled.log_split(mantissa, exponent + e.sum()), np.log(x).sum(), rtol=1e-14
    )


def test_digamma():
    x = np.concatenate(
        [
            10 ** RNG.uniform(-300, 300, 100_000),
            RNG.uniform(0, 20, 100_000),
            [1e-6, 1e9 * EM],
        ]
    )
    np.testing.assert_allclose(
        evaluate(compiled.digamma, x), special.digamma(x), rtol=2.5e-15, atol=2.5e-15
    )
    gamma = np.euler_gamma
    for at, value in (
        (0.5, -gamma - 2 * math.log(2)),
        (1, -gamma),
        (1.4616321449683623, 0),
        (2, 1 - gamma),
    ):
        assert abs(compiled.digamma(at) - value) < 2e-15
    np.testing.assert_array_equal(
        evaluate(compiled.digamma, np.array([0, np.nan])), [-np.inf, np.nan]
    )


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
            ours = [
                [family.log_density_jit(t, s, family.packed_hyperparameters) for t in T]
                for s in effective
            ]
            np.testing.assert_allclose(ours, slow, rtol=1e-11)


def test_a_family_without_compiled_code_runs_in_numpy():
    class Plain(NormalWishart):
        log_density_jit = None

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


def divisions(assembly, kind):
    return len(re.findall(rf"\tv?div{kind}\t", assembly))


@pytest.mark.processor
@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="reads x86 instructions"
)
@kinds
def test_the_loop_is_vector_code(kind):
    """Components, or columns, are worked on side by side.
    That hangs on little things, such as an index's type."""
    mixture, S, X, keep, gain, _ = problem(kind, 2, 8)
    P = S.shape[1]
    loop = stream._compiled_stream.__wrapped__(mixture.family.log_density_jit, P)
    loop._cache = NullCache()
    blocks, T = (
        np.ones((1, P + 2, 8)),
        np.ascontiguousarray(mixture.family.statistics(X).T),
    )
    loop(T, keep, gain, blocks, np.zeros(P), 1.0, mixture.family.packed_hyperparameters)
    (assembly,) = loop.inspect_asm().values()
    assert divisions(assembly, "pd") >= 8 and divisions(assembly, "sd") <= 2
    softmax = jit(softmax_columns.py_func, **FUSED)
    softmax._cache = NullCache()
    softmax(T, NOTHING)
    assert divisions(*softmax.inspect_asm().values(), "pd") >= 2


STREAM = """
import numpy as np
from vbkit.families import NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning.stream import run_stream
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


MODULES = {
    "component": "SLOPE = 2.0",
    "helper": "from vbkit.compiled import inline\n\n@inline\ndef helper(x):\n    return x + 100.0",
    "density": """
from functools import cache
from helper import helper
from component import SLOPE
from vbkit.compiled import inline

@cache
def density(D):
    @inline
    def f(x):
        return SLOPE * helper(x) + D
    return f
""",
    "loop": """
import sys
from density import density
from vbkit.compiled import jit

def make(f):
    @jit
    def loop(x):
        return f(x)
    return loop

for D in map(int, sys.argv[1:]):
    loop = make(density(D))
    print(loop(1.0), sum(loop._cache_hits.values()), sum(loop._cache_misses.values()))
""",
}


@pytest.mark.processor
def test_cache_on_disk(tmp_path):
    """Other processes find it, one entry a specialisation, until any file concerned changes."""
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    cache = tmp_path / "cache"

    def run(*sizes):
        return python(
            tmp_path / "loop.py", *sizes, NUMBA_CACHE_DIR=str(cache)
        ).splitlines()

    def change(name, old, new):
        path = tmp_path / f"{name}.py"
        text = path.read_text().replace(old, new)
        assert text != path.read_text()
        path.write_text(text)

    assert run("1") == ["203.0 0 1"]
    assert run("1", "2") == ["203.0 1 0", "204.0 0 1"]
    files = sorted(cache.rglob("*.nb*"))
    assert len(files) == 4
    change("helper", "100.0", "200.0")
    assert run("2", "2") == ["404.0 0 1", "404.0 1 0"]
    change("component", "2.0", "3.0")
    assert run("2") == ["605.0 0 1"]
    change("density", "* helper", "/ helper")
    assert float(run("2")[0].split()[0]) == 3.0 / 201.0 + 2
    change("loop", "return f(x)", "return -f(x)")
    assert run("2")[0].endswith(" 0 1")
    assert sorted(cache.rglob("*.nb*")) == files  # replaced


@pytest.mark.processor
def test_a_second_process_finds_the_package_s_loops(tmp_path):
    count = """
from vbkit.compiled import softmax_columns
from vbkit.learning.stream import _compiled_stream

softmax_columns(np.zeros((2, 3)), np.empty(0))
loop = _compiled_stream(mixture.family.log_density_jit, S.shape[1])
counters = [(f._cache_hits, f._cache_misses) for f in (loop, softmax_columns)]
print([(sum(hits.values()), sum(misses.values())) for hits, misses in counters])
"""
    code = ["-c", STREAM + count]
    first, second = (
        python(*code, NUMBA_CACHE_DIR=str(tmp_path)).splitlines() for _ in range(2)
    )
    assert first == [second[0], "[(0, 1), (0, 1)]"] and second[1] == "[(1, 0), (1, 0)]"


def double(x):
    return 2 * x


def test_without_a_place_for_the_cache(monkeypatch):
    monkeypatch.setattr(
        numba.config, "CACHE_LOCATOR_CLASSES", "ZipCacheLocator"
    )  # has none for a plain file
    function = jit(double)
    assert isinstance(function._cache, NullCache) and function(4.0) == 8.0


def test_with_a_cache_that_cannot_be_used(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    function = jit(double)
    (place,) = tmp_path.iterdir()
    place.rmdir()
    place.write_text("not a folder")
    assert function(4.0) == 8.0 and place.read_text() == "not a folder"


@pytest.mark.processor
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize("left", [0, 20, None])
def test_a_damaged_cache_is_made_anew(tmp_path, kind, left):
    """As a power cut leaves it: emptied, cut off, or full of zeros."""
    function = (
        "from vbkit.compiled import jit\n\n\n@jit\ndef double(x):\n    return 2 * x\n"
    )
    (tmp_path / "module.py").write_text(function)
    count = "sum(double._cache_hits.values())"
    code = f"import sys; sys.path[0] = '{tmp_path}'; from module import double; "
    code += f"print(double(4.0), {count})"
    cache = tmp_path / "cache"
    assert python("-c", code, NUMBA_CACHE_DIR=str(cache)) == "8.0 0"
    (file,) = cache.rglob(f"*.{kind}")
    text = file.read_bytes()
    file.write_bytes(text[:left] if left is not None else bytes(len(text)))
    runs = [python("-c", code, NUMBA_CACHE_DIR=str(cache)) for _ in range(2)]
    assert runs == ["8.0 0", "8.0 1"]


def test_a_function_of_unknown_source_is_not_cached():
    space = {"jit": jit}
    exec(compile("def triple(x):\n    return 3 * x", "<nowhere>", "exec"), space)
    with pytest.raises(OSError):
        list(compiled.ingredients(space["triple"], set()))
    assert jit(space["triple"])(2.0) == 6.0


def test_how_a_callee_rounds_does_not_depend_on_who_called_it_first():
    """Else numbers would depend on what the cache on disk held already."""

    @inline
    def residue(x, z):
        return x * x - z

    @partial(jit, **FUSED)
    def fused(x, z):
        return residue(x, z)

    @jit
    def plain(x, z):
        return residue(x, z)

    x, z = 1 + 2.0**-30, 1 + 2.0**-29  # x * x is z + 2^-60 before it is rounded
    for function in (fused, plain):
        function._cache = NullCache()
        assert function(x, z) == 0.0
