"""Without numba: the NumPy twins of compiled code give the same numbers."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from oracles import close

from vbkit.compiled import COMPILED, plain, softmax_columns
from vbkit.factorization import rows
from vbkit.families import IsotropicGaussian, NormalWishart
from vbkit.learning import stream
from vbkit.mixture import EM, Mixture
from vbkit.phases import solver
from vbkit.press import ROOT

RNG = np.random.default_rng(3)
twins = pytest.mark.skipif(
    not COMPILED, reason="there is no compiled code to compare with"
)


@twins
@pytest.mark.parametrize("weights", [np.empty(0), np.array([1.0, 0, 2, 0, 0.5])])
def test_softmax(weights):
    L = RNG.normal(0, 300, (4, 5))
    L[:, 1] = -np.inf
    ours, theirs = L.copy(), L.copy()
    total = plain.softmax_columns(ours, weights), softmax_columns(theirs, weights)
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
    for update in (rows.update_rows, rows.plain_rows):
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


@pytest.mark.skipif(COMPILED, reason="its density functions are compiled here")
@pytest.mark.parametrize("clones", [1.0, EM])
@pytest.mark.parametrize(
    "family",
    [
        NormalWishart.from_pseudo_data([0.0, 0.0], 1.0, 0.1),
        IsotropicGaussian.from_pseudo_data([0.0, 0.0], 1.0, 0.1),
    ],
    ids=lambda family: type(family).__name__,
)
def test_stream_number_by_number(family, clones):
    mixture = Mixture(family, clones=clones)
    X = RNG.normal(size=(60, 2))
    S = mixture.m_step(X, RNG.dirichlet(np.ones(3), size=60))
    keep, gain = RNG.uniform(0.9, 1, 60), RNG.uniform(0, 1, 60)
    T = family.statistics(X)
    ours, done = stream.plain_stream(mixture, np.asarray(S), T, keep, gain)
    assert done == 60
    close(ours, stream.reference_stream(mixture, S, X, keep, gain), rtol=1e-11)
    gain[20:] = np.nan
    assert stream.plain_stream(mixture, np.asarray(S), T, keep, gain)[1] == 21


@pytest.mark.parametrize("pseudo", [None, [0.5, 0.0, 0.0, 1.0]])
def test_stream_number_by_number_takes_pseudo_data(pseudo):
    family = IsotropicGaussian.from_pseudo_data([0.0, 0.0], 1.0, 0.1)
    mixture = Mixture(family, pseudo_statistics=pseudo)
    X = RNG.normal(size=(20, 2))
    S = mixture.m_step(X, RNG.dirichlet(np.ones(3), size=20))
    keep, gain = RNG.uniform(0.9, 1, 20), RNG.uniform(0, 1, 20)

    class Plain:  # its compiled density takes arrays, not lists
        packed_hyperparameters = family.packed_hyperparameters

        @staticmethod
        def log_density_jit(*lists):
            return family.log_density_jit(*map(np.array, lists))

    fields = mixture.pseudo_statistics, mixture.labels, mixture.clones
    keys = "pseudo_statistics", "labels", "clones"
    model = SimpleNamespace(family=Plain, **dict(zip(keys, fields, strict=True)))
    ours, done = stream.plain_stream(
        model, np.asarray(S), family.statistics(X), keep, gain
    )
    assert done == 20
    close(ours, stream.reference_stream(mixture, S, X, keep, gain), rtol=1e-11)


@pytest.mark.processor
@twins
def test_stream_number_by_number_is_tried_without_numba():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        __file__,
    ]
    environment = os.environ | {"VBKIT_COMPILED": "0", "PYTHONPATH": str(ROOT)}
    command += [
        "-k",
        test_stream_number_by_number.__name__ + " and not tried and not pseudo",
    ]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0 and "4 passed" in done.stdout, done.stdout


def test_scalar_functions():
    for x in (1e-3, 0.7, 3.0, 400.0):
        m, e = plain.split(x)
        close(plain.log_split(m, e), np.log(x))
        close(plain.log(x), np.log(x))
    assert plain.exp(-800.0) == 0 and plain.larger(1.0, 2.0) == 2 == plain.larger(
        2.0, np.nan
    )
    assert plain.digamma(0.0) == -np.inf


@pytest.mark.parametrize("hide", ["VBKIT_COMPILED", "package"])
def test_nothing_imports_numba_where_it_is_absent_or_unwanted(hide):
    code = "import vbkit, vbkit.learning, vbkit.theory, vbkit.factorization, vbkit.structure"
    code += "; from vbkit import chapters; chapters.explorers()"
    code += "; assert not {'numba', 'llvmlite'} & {m for m in sys.modules if sys.modules[m]}"
    absent = (
        "sys.modules.update(numba=None, llvmlite=None)\n" if hide == "package" else ""
    )
    environment = os.environ | ({hide: "0"} if not absent else {})
    environment["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "-c", f"import sys\n{absent}{code}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
