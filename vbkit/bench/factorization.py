"""Matrix factorization: sweeps against bare products and a loop by hand, the analytic solution against one SVD."""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np

from vbkit.bench.measure import Row, measure, ratio, settled
from vbkit.factorization import Entries, Factorization, estimate_noise, fit, observe, random_start, solve_empirical
from vbkit.factorization.full import FullSweeps
from vbkit.factorization.missing import MissingSweeps
from vbkit.factorization.ratings import stand_in


def loop_rows(entries, given: np.ndarray, given_cov: np.ndarray, prior: np.ndarray, noise: float):
    """Means (rows, H) and covariances (rows, H, H) of one factor's rows, in plain NumPy, a row at a time.

    entries: CSR, a row a row of this factor; given (n, H), given_cov (n, H, H): the other factor.
    """
    mean, cov = np.empty((entries.shape[0], len(prior))), np.empty((entries.shape[0], len(prior), len(prior)))
    for row, (first, last) in enumerate(zip(entries.indptr, entries.indptr[1:], strict=False)):
        seen, values = entries.indices[first:last], entries.data[first:last]
        x = given[seen]
        cov[row] = np.linalg.inv((x.T @ x + given_cov[seen].sum(axis=0)) / noise + np.diag(1 / prior))
        mean[row] = cov[row] @ (values @ x) / noise
    return mean, cov


def loop_sweep(data: Entries, f: Factorization) -> Factorization:
    """One sweep with hyperparameters held, from a state with one covariance a row."""
    A, cov_A = loop_rows(data.by_column, f.B, f.cov_B, f.prior_a, f.noise)
    B, cov_B = loop_rows(data.by_row, A, cov_A, f.prior_b, f.noise)
    return f.replace(A=A, B=B, cov_A=cov_A, cov_B=cov_B)


def full_rows(L: int = 1000, M: int = 500, H: int = 50) -> list[Row]:
    """A sweep with bound and hyperparameters: against its own products, and against the slides' two with V."""
    rng = np.random.default_rng(1)
    V = rng.standard_normal((L, 20)) @ rng.standard_normal((20, M)) + rng.standard_normal((L, M))
    data, start = observe(V), random_start(V, H, rng)
    engine, sweeps = FullSweeps(data, start, 0.0), 10
    A, B = np.empty((M, H)), rng.standard_normal((L, H))
    a, b, K = (rng.standard_normal(shape) for shape in ((min(L, M), H), (min(L, M), H), (H, H)))
    P = K.T @ K + np.eye(H)

    def ours():
        for _ in range(sweeps):
            engine.sweep(True, True, True)

    def limit():  # each factor's product with its covariance and with itself, and the covariance's inverse
        for _ in range(sweeps):
            np.matmul(b, K, out=a), a.T @ a, np.linalg.inv(P), np.matmul(b, K, out=a), a.T @ a, np.linalg.inv(P)

    def plain():
        for _ in range(sweeps):
            np.matmul(V.T, B, out=A), A.T @ A, A @ K, V @ A, B.T @ B, B @ K

    t = measure(ours=ours, limit=limit, plain=plain)
    note = f"{np.median(t['ours']) / sweeps * 1e3:.2f} ms a sweep"
    size = f"{L} x {M}, H = {H}"
    return [
        ratio(f"full, ours / its products and inverses, {size}", t["ours"], t["limit"], at_most=1.3, note=note),
        ratio(f"full, products with V / ours, {size}", t["plain"], t["ours"]),
    ]


def analytic_rows(L: int = 500, M: int = 1000) -> list[Row]:
    rng = np.random.default_rng(1)
    V = rng.standard_normal((L, 20)) @ rng.standard_normal((20, M)) + rng.standard_normal((L, M))
    data = observe(V)
    units = {
        "known": lambda: solve_empirical(V, 1.0),
        "estimated": lambda: solve_empirical(V),
        "svd": lambda: np.linalg.svd(V, full_matrices=False),
        "noise": lambda: estimate_noise(data),
    }
    t = measure(**units)
    note = f"{np.median(t['svd']) * 1e3:.0f} ms the SVD, {np.median(t['noise']) * 1e3:.1f} ms the noise"
    return [
        ratio(f"analytic, noise known / SVD, {L} x {M}", t["known"], t["svd"], at_most=1.1),
        ratio(f"analytic, noise estimated / SVD, {L} x {M}", t["estimated"], t["svd"], at_most=2, note=note),
    ]


def missing_rows(H: int = 10) -> list[Row]:
    """A sweep over a file's worth of ratings against a loop over rows; milliseconds."""
    rng = np.random.default_rng(1)
    data = stand_in(rng)[0].entries
    start = fit(data, random_start(data, H, rng), hold=1, max_sweeps=1)
    engine = MissingSweeps(data, start, 0.0)
    ours, theirs = fit(data, start, hold=1, max_sweeps=1), loop_sweep(data, start)
    if not (np.allclose(ours.A, theirs.A, atol=1e-9) and np.allclose(ours.cov_B, theirs.cov_B, atol=1e-9)):
        raise AssertionError("the loop and vbkit disagree about a sweep; nothing was timed")
    t = measure(loop=lambda: loop_sweep(data, start), ours=lambda: engine.sweep(True, True, True))
    ms = 1e3 * t["ours"]
    size = f"{data.size:,} ratings, H = {H}"
    return [
        ratio(f"missing, NumPy loop over rows / ours, {size}", t["loop"], t["ours"], at_least=5),
        Row(
            f"missing, ms a sweep, {size}",
            float(np.percentile(ms, 20)),
            float(np.median(ms)),
            at_most=10 if H == 10 else None,
        ),
    ]


def memory_row(H: int = 20) -> Row:
    """MiB that two sweeps over a million ratings need beyond the ratings, the result included."""
    rng = np.random.default_rng(1)
    data = stand_in(rng, 6040, 3706, 1_000_000)[0].entries
    tracemalloc.start()
    fit(data, random_start(data, H, rng, offsets=True), max_sweeps=2)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return Row(f"missing, MiB beyond the data, {data.size:,} ratings, H = {H}", peak, at_most=1024)


def factorization_rows():
    for rows in (full_rows, analytic_rows, partial(missing_rows, 10), partial(missing_rows, 20)):
        yield from settled(rows)
    yield memory_row()


SECTIONS = {"factorization": factorization_rows}
