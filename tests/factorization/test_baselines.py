"""Mode, Gibbs sampler, and what is refused."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import norm

from vbkit.compiled import COMPILED
from vbkit.compiled.gaps import eliminate
from vbkit.data import synthetic_ratings
from vbkit.factorization import (
    Factorization,
    ObservedEntries,
    elbo,
    estimate_noise,
    fit,
    fit_map,
    fixed_landscape,
    fixed_threshold,
    free_energy_of_column,
    free_energy_of_noise,
    gibbs,
    init_random,
    init_spectral,
    kappa,
    learned_landscape,
    shrink_empirical,
    shrink_fixed,
    solve_empirical,
    solve_fixed,
    thresholds,
    validate,
)

NAN = np.nan


def problem(rng, offsets=False, L=7, M=6, H=2):
    V = (
        rng.normal(size=(L, H)) @ rng.normal(size=(H, M))
        + rng.normal(size=(L, M))
        + 3 * offsets
    )
    V[rng.random((L, M)) < 0.3] = NAN
    return V, init_random(V, H, rng, offsets=offsets, noise=0.8)


def log_joint(V, f, A, B):
    seen = ~np.isnan(V)
    total = norm.logpdf(V[seen], (f.centre + B @ A.T)[seen], np.sqrt(f.noise)).sum()
    for X, c in ((A, f.prior_a), (B, f.prior_b)):
        total += norm.logpdf(X[:, c > 0], 0, np.sqrt(c[c > 0])).sum()
    return total


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_elimination_stays_within_its_arrays():
    """As Python, which checks every place that compiled code would write to unseen."""
    A, r = np.random.default_rng(1).normal(size=(6, 4)), np.array([1.0, -2.0, 0.5, 3.0])
    precision = A.T @ A
    K = np.zeros((5, 5))
    K[:4, :4], K[4, :4] = np.tril(precision), r
    log_det = eliminate.py_func(K, np.empty(0), np.empty(5))
    assert np.allclose(np.tril(K[:4, :4]), -np.tril(np.linalg.inv(precision)))
    assert np.allclose(K[4, :4], np.linalg.solve(precision, r))
    assert np.isclose(log_det, -np.linalg.slogdet(precision)[1])


@pytest.mark.parametrize("offsets", [False, True])
def test_mode(offsets):
    """Its trace is log p(V, A, B), never falls, and is flat in every entry that is not known at
    the end."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        V, start = problem(rng, offsets)
        f = fit_map(V, start, max_sweeps=20_000, tolerance=1e-13)
        assert np.diff(f.trace).min() > -1e-9 and not f.cov_A.any()
        assert np.isclose(f.trace[0], log_joint(V, f, start.A, start.B))
        assert np.isclose(f.elbo, log_joint(V, f, f.A, f.B))
        for X, c, other in (
            (f.A, f.prior_a, lambda A, f=f: (A, f.B)),
            (f.B, f.prior_b, lambda B, f=f: (f.A, B)),
        ):
            step = rng.normal(size=X.shape) * (c > 0) * 1e-4
            up, down = (log_joint(V, f, *other(X + s * step)) for s in (1, -1))
            assert abs(up - down) < 1e-6
    W = rng.normal(size=(5, 4))
    full = init_random(W, 2, rng)
    assert np.allclose(
        fit_map(W, full).trace, fit_map(validate(W).entries(), full).trace
    )


def test_gibbs_on_one_entry_by_quadrature():
    rng = np.random.default_rng(2)
    start = Factorization([[0.5]], [[0.5]], [[1.0]], [[1.0]], [1.0], [1.0], 1.0)
    x = np.linspace(-7, 7, 1401)
    p = np.exp(
        norm.logpdf(3, np.outer(x, x), 1) + norm.logpdf(x)[:, None] + norm.logpdf(x)
    )
    d = gibbs([[3.0]], start, 100_000, rng, thin=1)
    for value, draws in (
        (np.outer(x, x), d.A * d.B),
        (np.outer(x, x) ** 2, (d.A * d.B) ** 2),
    ):
        blocks = draws.reshape(100, -1).mean(axis=1)
        exact = (p * value).sum() / p.sum()
        assert abs(blocks.mean() - exact) < 4 * blocks.std() / 10, (
            blocks.mean(),
            exact,
        )


@pytest.mark.parametrize("offsets", [False, True])
def test_gibbs_draws_from_the_conditionals(offsets):
    """With A all but known, rows of B come from a normal with the mean and covariance of linear
    regression."""
    rng = np.random.default_rng(3)
    V, start = problem(rng, offsets)
    start = start.replace(noise=0.5)
    d = gibbs(V, start, 4000, rng, burn=10)
    free_b, row = start.prior_b > 0, 2
    seen = ~np.isnan(V[row])
    z = []
    for A, B in zip(d.A, d.B, strict=True):
        X, known = A[seen][:, free_b], A[seen][:, ~free_b].sum(axis=1)
        K = X.T @ X / 0.5 + np.diag(1 / start.prior_b[free_b])
        mean = np.linalg.solve(K, X.T @ (V[row, seen] - start.centre - known) / 0.5)
        z.append(np.linalg.cholesky(K).T @ (B[row, free_b] - mean))
    z = np.array(z)
    assert np.abs(z.mean(axis=0)).max() < 4 / np.sqrt(len(z))
    assert np.abs(z.T @ z / len(z) - np.eye(z.shape[1])).max() < 0.1
    if offsets:
        assert np.all(d.A[:, :, ~(start.prior_a > 0)] == 1)


def test_gibbs_thins_and_repeats():
    V, start = problem(np.random.default_rng(4))
    assert gibbs(V, start, 1, np.random.default_rng(5), burn=0).A.shape == (1, 6, 2)
    every, third = (
        gibbs(V, start, n, np.random.default_rng(5), burn=2, thin=t)
        for n, t in ((9, 1), (3, 3))
    )
    assert np.array_equal(every.A[2::3], third.A) and every.B.shape == (9, 7, 2)


def test_split():
    e = synthetic_ratings(np.random.default_rng(8), 20, 30, 200, 1)[0]
    assert e.split(1 / e.size, np.random.default_rng(9))[1].size == 1
    rest, part = e.split(0.25, np.random.default_rng(9))
    assert (rest.size, part.size, rest.shape) == (150, 50, e.shape)
    places = np.concatenate([p.rows * 30 + p.cols for p in (rest, part)])
    assert np.array_equal(np.sort(places), np.sort(e.rows * 30 + e.cols))


# ---- what is refused -----------------------------------------------------------------------------

rng = np.random.default_rng(0)
V, S = rng.normal(size=(4, 3)), init_random(rng.normal(size=(4, 3)), 2, rng)
HOLES = np.where(np.eye(4, 3) > 0, NAN, V)
ONE = {
    "A": [[1.0]],
    "B": [[1.0]],
    "cov_A": [[1.0]],
    "cov_B": [[1.0]],
    "prior_a": [1.0],
    "prior_b": [1.0],
    "noise": 1.0,
}
BAD = []


def bad(name, call, *values):
    BAD.extend(
        pytest.param(name, call, value, id=f"{name}-{len(BAD) + n}")
        for n, value in enumerate(values)
    )


bad(
    "V",
    validate,
    np.full((2, 2), NAN),
    [[1, np.inf]],
    [[NAN, np.inf]],
    [1.0, 2.0],
    "a",
    [[]],
    [["a"]],
    V * 1e150,
    V * 1e-120,
)
bad("V", validate, np.ones((2, 2, 2)), V + 1j)
bad(
    "values",
    validate,
    sp.coo_array((3, 3)),
    sp.coo_array(([NAN], ([0], [0])), shape=(2, 2)),
)
bad("values", lambda v: ObservedEntries([0], [0], v), [], [NAN], ["a"], [[1.0]], [1, 2])
bad(
    "rows",
    lambda v: ObservedEntries(v, [0], [1.0], (2, 2)),
    [2],
    [-1],
    [0.5],
    [[0]],
    ["a"],
    [0, 1],
)
bad("cols", lambda v: ObservedEntries([0], v, [1.0], (2, 2)), [2], [-1], [NAN])
bad("once", lambda v: ObservedEntries([0, 0], [1, v], [1.0, 2.0]), 1)
bad("share", lambda v: validate(HOLES).split(v, rng), 0, 1, NAN, -1, "a")
for field in ("A", "B", "cov_A", "cov_B", "prior_a", "prior_b", "noise"):
    bad(
        field,
        lambda v, f=field: Factorization(**(ONE | {f: v})),
        NAN,
        "a",
        [[[1.0], [2.0]]],
        None,
    )
bad("prior_a", lambda v: Factorization(**(ONE | {"prior_a": v})), [-1.0], [1.0, 1.0])
bad("noise", lambda v: Factorization(**(ONE | {"noise": v})), 0, -1, np.inf)
bad("columns", lambda v: Factorization(**(ONE | {"B": v})), [[1.0, 2.0]])
for call in (
    lambda v: fit(v, S),
    lambda v: elbo(v, S),
    lambda v: fit_map(v, S),
    lambda v: gibbs(v, S, 1, rng),
):
    bad("V", call, V.T, V[:2], np.full((4, 3), np.inf), None)
bad("V", lambda v: fit(v, S), np.zeros((4, 3)))
bad("V", estimate_noise, np.zeros((4, 3)), HOLES)
bad("V", solve_empirical, HOLES, np.zeros((2, 2)))
bad("V", lambda v: solve_fixed(v, 1.0, 1.0, 1.0), HOLES)
bad("V", lambda v: init_spectral(v, 2), HOLES)
bad("learn_prior", lambda v: fit(V, S, learn_prior=v), "c", None, 2)
bad("learn_noise", lambda v: fit(V, S, learn_noise=v), "yes", None)
bad("hold", lambda v: fit(V, S, hold=v), -1, 0.5, "a")
bad("max_sweeps", lambda v: fit(V, S, max_sweeps=v), -1, 2.5, None)
bad("max_sweeps", lambda v: fit_map(V, S, max_sweeps=v), -1, None)
bad("tolerance", lambda v: fit(V, S, tolerance=v), -1, NAN, None)
bad("tolerance", lambda v: fit_map(V, S, tolerance=v), -1, NAN)
bad("draws", lambda v: gibbs(V, S, v, rng), 0, 1.5)
bad("burn", lambda v: gibbs(V, S, 1, rng, burn=v), -1, None)
bad("thin", lambda v: gibbs(V, S, 1, rng, thin=v), 0)
bad("rng", lambda v: gibbs(V, S, 1, v), 0, None)
bad("rng", lambda v: init_random(V, 1, v), 0, None)
bad("H", lambda v: init_random(V, v, rng), -1, 1.5, None)
bad("H", lambda v: solve_empirical(V, H=v), -1, 1.5)
bad("H", lambda v: solve_fixed(V, 1.0, 1.0, 1.0, H=v), -1, 1.5)
for name in ("prior_a", "prior_b"):
    bad(
        name,
        lambda v, n=name: init_random(V, 2, rng, **{n: v}),
        0,
        -1,
        NAN,
        [1.0],
        [1.0, -1.0],
        "a",
    )
    bad(
        name,
        lambda v, n=name: solve_fixed(
            V, **({"prior_a": 1.0, "prior_b": 1.0, "noise": 1.0} | {n: v})
        ),
        0,
        [1, NAN],
    )
bad("noise", lambda v: init_random(V, 2, rng, noise=v), 0, -1, NAN)
bad("noise", lambda v: solve_empirical(V, v), 0, -1, NAN)
bad("noise", lambda v: solve_fixed(V, 1.0, 1.0, v), 0, NAN)
bad("gamma", lambda v: shrink_fixed(v, (2, 2), 1.0, 1.0, 1.0), NAN, "a")
bad("prior_b", lambda v: shrink_fixed([1.0], (2, 2), 1.0, v, 1.0), 0, -1, NAN, "a")
bad("prior_b", lambda v: shrink_fixed([1.0, 2.0], (2, 2), 1.0, v, 1.0), [1.0, 2.0, 3.0])
bad("prior_variance", lambda v: fixed_landscape([1.0, 2.0], v, (2, 2)), [1.0, 2.0, 3.0])
bad("prior_[ab]", lambda v: solve_fixed(V, v, [1.0, 2.0], 1.0), [1.0, 2.0, 3.0], [1.0])
bad(
    "hold",
    lambda v: fit(HOLES, init_random(HOLES, 1, rng), max_sweeps=9, hold=v),
    9,
    10,
)
bad("noise", lambda v: free_energy_of_noise(V, v), 0, [1.0, -1.0], NAN)
SHAPES = (0, 1), (1, 2.5), (2.5, -1), 3, (1, 2, 3), None
bad("shape", thresholds, *SHAPES)
bad("shape", lambda v: kappa(30.0, v), *SHAPES)
bad("x", lambda v: kappa(v, (2, 2)), "a", None, NAN)
bad("shape", lambda v: shrink_fixed(5.0, v, 1.0, 1.0, 1.0), *SHAPES)
bad("shape", lambda v: shrink_empirical(5.0, v, 1.0), *SHAPES)
bad("shape", lambda v: free_energy_of_column(5.0, v), *SHAPES)
bad("shape", lambda v: fixed_threshold(1.0, v), *SHAPES)
bad("shape", lambda v: fixed_landscape(1.0, 1.0, v), *SHAPES)
bad("shape", lambda v: learned_landscape(1.0, 1.0, v), *SHAPES)
bad("shape", lambda v: ObservedEntries([0], [0], [1.0], v), *SHAPES[:-1])
bad(
    "rows",
    lambda v: ObservedEntries(v, [0], [1.0]),
    np.array([2**63 + 5], np.uint64),
    [2**40],
)
bad("gamma", lambda v: shrink_empirical(v, (2, 2), 1.0), -30.0)
bad("gamma", lambda v: shrink_fixed(v, (2, 2), 1.0, 1.0, 1.0), -30.0)
bad("gamma", lambda v: learned_landscape(1.0, v, (2, 2)), -1.0, NAN)
bad("kappa", lambda v: free_energy_of_column(v, (2, 2)), -5, [1.0, -1.0])
bad("kappa", lambda v: learned_landscape(v, 1.0, (2, 2)), -5, NAN)
bad("shrunk", lambda v: fixed_landscape(v, 1.0, (2, 2)), -5, NAN)
bad("prior_variance", lambda v: fixed_landscape(1.0, v, (2, 2)), 0, -1)
bad("prior_product", lambda v: fixed_threshold(v, (2, 2)), 0, -1.0, NAN)
for call in (
    lambda v: fit(V, v),
    lambda v: elbo(V, v),
    lambda v: fit_map(V, v),
    lambda v: gibbs(V, v, 1, rng),
):
    bad("Factorization", call, None, V)
bad("learn_prior", lambda v: fit(V, S, learn_prior=v), np.array([True, False]), 1)
bad("centre", lambda v: Factorization(**(ONE | {"centre": v})), NAN, "a", None)
bad("cov_A", lambda v: Factorization(**(ONE | {"cov_A": v})), [[-1.0]])
bad("rows", lambda v: S.predict(v, 0), 4, -1, 0.5, [0, 9])
bad("cols", lambda v: S.predict(0, v), 3, -1, "a")
bad("cols", lambda v: S.predict([0, 1], v), [0, 1, 2], [])
bad("V", validate, [[1, 2], [3]])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name, call, value", BAD)
def test_bad_input_is_named(name, call, value):
    with pytest.raises(ValueError) as error:
        call(value)
    assert re.search(rf"\b({name})\b", str(error.value)), str(error.value)


@pytest.mark.filterwarnings("error")
def test_odd_input_is_allowed():
    """More columns than rows, no columns, one entry, a constant matrix, integers, rows and columns
    without an entry."""
    for W in (
        V[:1],
        V[:, :1],
        np.ones((3, 4)),
        [[2]],
        HOLES,
        [[NAN, 1.0], [NAN, NAN]],
        np.full((3, 2), 3),
    ):
        for H in (0, 1, 7):
            for offsets in (False, True):
                f = fit(W, init_random(W, H, rng, offsets=offsets), max_sweeps=30)
                assert (
                    np.isfinite(f.trace).all()
                    and np.diff(f.trace).min() > -1e-6 * np.abs(f.trace).max()
                )
                assert np.isfinite(f.predict(0, 0).sd).all()
    assert (
        fit(
            np.zeros((3, 4)), init_random(np.zeros((3, 4)), 2, rng), learn_noise=False
        ).rank
        == 0
    )
    assert ObservedEntries([0, 1], [0, 5], [1, 2]).shape == (
        2,
        6,
    ) and "2 of 2 x 6" in repr(ObservedEntries([0, 1], [0, 5], [1, 2]))


def test_the_entry_that_is_given_twice_is_named():
    with pytest.raises(ValueError, match="row 1, column 2 more than once"):
        ObservedEntries([0, 1, 3, 1], [0, 2, 1, 2], [1.0, 2.0, 3.0, 4.0], (4, 5))
