"""Without numba: the NumPy twins of compiled code give the same numbers."""

import os
import subprocess
import sys

import numpy as np
import pytest
from oracles import close

from vbkit.compiled import COMPILED, gaps, softmax
from vbkit.phases import solver
from vbkit.press import ROOT

RNG = np.random.default_rng(3)
twins = pytest.mark.skipif(
    not COMPILED, reason="there is no compiled code to compare with"
)


@twins
@pytest.mark.parametrize("weights", [np.empty(0), np.array([1.0, 0, 2, 0, 0.5])])
def test_softmax(weights, monkeypatch):
    L = RNG.normal(0, 300, (4, 5))
    L[:, 1] = -np.inf
    ours, theirs = L.copy(), L.copy()
    total = [softmax.softmax_columns(theirs, weights)]
    monkeypatch.setattr(softmax, "COMPILED", False)
    total.append(softmax.softmax_columns(ours, weights))
    close(ours, theirs, rtol=1e-13)
    close(*total) if len(weights) else np.testing.assert_equal(*total)


@twins
@pytest.mark.parametrize("draw", [False, True])
def test_rows_of_a_factor(draw):
    n, P, count = 6, 3, 20
    others, first = RNG.integers(5, size=count), np.array([0, 3, 3, 9, 12, 15, 20])
    values, means = RNG.normal(size=count), RNG.normal(size=(5, P))
    i, j = np.tril_indices(P)
    seconds = means[:, i] * means[:, j] + (i == j)
    prior, z = (
        np.array([0.0, 2.0, 0.5]),
        RNG.normal(size=(n, P)) if draw else np.empty((n, 0)),
    )
    if draw:
        z[:, 0] = 0
    start, found = RNG.normal(size=(n, P)), []
    for update in (gaps.update_rows, gaps.plain_rows):
        written = start.copy(), np.zeros((n, len(i))), np.zeros((n, len(i)))
        sums = update(first, others, values, seconds, means, prior, 0.3, z, *written)
        found.append([*written, *sums])
    for ours, theirs in zip(*found, strict=True):
        close(ours, theirs, rtol=1e-11, atol=1e-13)


@twins
def test_solver_of_bernoulli_mixtures(monkeypatch):
    M, K = 3, 2
    counts = RNG.integers(0, 30, 2**M).astype(float)
    starts = RNG.uniform(1, 9, (5, K, 1 + 2 * M))
    starts[..., 1 + M :] = starts[..., :1] - starts[..., 1 : 1 + M]
    starts = np.abs(starts)
    given = counts, starts, np.linspace(0.3, 2, 5), 0.7
    compiled = solver.solve(*given, max_iterations=300, tolerance=1e-8)
    monkeypatch.setattr(solver, "COMPILED", False)
    ours = solver.solve(*given, max_iterations=300, tolerance=1e-8)
    close(ours.S, compiled.S, rtol=1e-7, atol=1e-7)
    close(ours.free_energy, compiled.free_energy, rtol=1e-10)
    assert abs(ours.iterations - compiled.iterations).max() <= 1
    assert (ours.converged == compiled.converged).all()


@pytest.mark.parametrize("hide", ["VBKIT_COMPILED", "package"])
def test_nothing_imports_numba_where_it_is_absent_or_unwanted(hide):
    code = "import vbkit, vbkit.learning, vbkit.theory, vbkit.factorization, vbkit.structure"
    code += "; from vbkit.course.catalogue import explorers; explorers()"
    code += "; assert not {'numba', 'llvmlite'} & {m for m in sys.modules if sys.modules[m]}"
    absent = (
        "sys.modules.update(numba=None, llvmlite=None)\n" if hide == "package" else ""
    )
    environment = os.environ | ({hide: "0"} if not absent else {})
    environment["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "-c", f"import sys\n{absent}{code}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
