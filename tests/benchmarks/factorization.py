"""Matrix factorization: sweeps against bare products and a loop by hand, the analytic solution
against one SVD.

A sweep over a full matrix of 1,000 by 500 takes half a millisecond in the coordinates of its
singular vectors. Of that, two fifths are steps that are not products: scaling by the singular
values, sums, the noise and the ELBO. So it misses the bar of 1.3 times its products."""

from functools import partial

import numpy as np

from vbkit.data import synthetic_ratings
from vbkit.factorization import (
    Factorization,
    ObservedEntries,
    estimate_noise,
    fit,
    init_random,
    solve_empirical,
    validate,
)
from vbkit.factorization.updates import FullMatrixUpdates, Learn, MissingEntryUpdates

from .measure import Row, agree, least, measure, peak_memory, ratio, settled


def loop_rows(
    entries, given: np.ndarray, given_cov: np.ndarray, prior: np.ndarray, noise: float
):
    """Means (rows, H) and covariances (rows, H, H) of one factor's rows, in plain NumPy, a row at a
    time.

    entries: CSR, a row a row of this factor; given (n, H), given_cov (n, H, H): the other factor.
    """
    mean, cov = (
        np.empty((entries.shape[0], len(prior))),
        np.empty((entries.shape[0], len(prior), len(prior))),
    )
    for row, (first, last) in enumerate(
        zip(entries.indptr, entries.indptr[1:], strict=False)
    ):
        seen, values = entries.indices[first:last], entries.data[first:last]
        x = given[seen]
        cov[row] = np.linalg.inv(
            (x.T @ x + given_cov[seen].sum(axis=0)) / noise + np.diag(1 / prior)
        )
        mean[row] = cov[row] @ (values @ x) / noise
    return mean, cov


def loop_sweep(data: ObservedEntries, f: Factorization) -> Factorization:
    """One sweep with hyperparameters held, from a state with one covariance a row."""
    A, cov_A = loop_rows(data.by_column, f.B, f.cov_B, f.prior_a, f.noise)
    B, cov_B = loop_rows(data.by_row, A, cov_A, f.prior_b, f.noise)
    return f.replace(A=A, B=B, cov_A=cov_A, cov_B=cov_B)


ALL = Learn(prior_a=True, prior_b=True, noise=True)


def low_rank(L: int, M: int):
    """A generator, and a matrix (L, M) of rank 20 with noise."""
    rng = np.random.default_rng(1)
    return rng, rng.standard_normal((L, 20)) @ rng.standard_normal(
        (20, M)
    ) + rng.standard_normal((L, M))


def full_rows() -> list[Row]:
    """A sweep with bound and hyperparameters: against its own products, and against the slides' two
    with V."""
    L, M, H = 1000, 500, 50
    rng, V = low_rank(L, M)
    data, start = validate(V), init_random(V, H, rng)
    engine, sweeps = FullMatrixUpdates(data, start), 10
    A, B = np.empty((M, H)), rng.standard_normal((L, H))
    a, b, K = (
        rng.standard_normal(shape) for shape in ((min(L, M), H), (min(L, M), H), (H, H))
    )
    P = K.T @ K + np.eye(H)

    def ours():
        for _ in range(sweeps):
            engine.sweep(ALL)

    def limit():  # per factor: times its covariance, times itself, and the covariance's inverse
        for _ in range(sweeps):
            (
                np.matmul(b, K, out=a),
                a.T @ a,
                np.linalg.inv(P),
                np.matmul(b, K, out=a),
                a.T @ a,
                np.linalg.inv(P),
            )

    def plain():
        for _ in range(sweeps):
            np.matmul(V.T, B, out=A), A.T @ A, A @ K, V @ A, B.T @ B, B @ K

    t = measure(ours=ours, limit=limit, plain=plain)
    note = f"{np.median(t['ours']) / sweeps * 1e3:.2f} ms a sweep"
    size = f"{L} x {M}, H = {H}"
    return [
        ratio(
            f"full, ours / its products and inverses, {size}",
            t["ours"],
            t["limit"],
            at_most=1.3,
            note=note,
        ),
        ratio(f"full, products with V / ours, {size}", t["plain"], t["ours"]),
    ]


def analytic_rows() -> list[Row]:
    """The analytic solution against the SVD that it needs."""
    L, M = 500, 1000
    _, V = low_rank(L, M)
    t = measure(
        known=partial(solve_empirical, V, 1.0),
        estimated=partial(solve_empirical, V),
        svd=partial(np.linalg.svd, V, full_matrices=False),
        noise=partial(estimate_noise, validate(V)),
    )
    svd, noise = (1e3 * np.median(t[name]) for name in ("svd", "noise"))
    note = f"{svd:.0f} ms the SVD, {noise:.1f} ms the noise"
    return [
        ratio(
            f"analytic, noise known / SVD, {L} x {M}", t["known"], t["svd"], at_most=1.1
        ),
        ratio(
            f"analytic, noise estimated / SVD, {L} x {M}",
            t["estimated"],
            t["svd"],
            at_most=2,
            note=note,
        ),
    ]


def missing_rows(H: int) -> list[Row]:
    """A sweep over a file's worth of ratings against a loop over rows; milliseconds."""
    rng = np.random.default_rng(1)
    data = synthetic_ratings(rng)[0]
    held = {"learn_prior": False, "learn_noise": False}
    start = fit(data, init_random(data, H, rng), max_sweeps=1, **held)
    engine = MissingEntryUpdates(data, start)
    ours, theirs = fit(data, start, max_sweeps=1, **held), loop_sweep(data, start)
    agree(ours.A, theirs.A, atol=1e-9)
    agree(ours.cov_B, theirs.cov_B, atol=1e-9)
    t = measure(loop=lambda: loop_sweep(data, start), ours=lambda: engine.sweep(ALL))
    size = f"{data.size:,} ratings, H = {H}"
    return [
        ratio(
            f"missing, NumPy loop over rows / ours, {size}",
            t["loop"],
            t["ours"],
            at_least=5,
        ),
        least(f"missing, ms a sweep, {size}", t["ours"], 10 if H == 10 else None),
    ]


def memory_row() -> Row:
    """MiB that two sweeps over a million ratings need beyond the ratings, the result included."""
    rng, H = np.random.default_rng(1), 20
    data = synthetic_ratings(rng, 6040, 3706, 1_000_000)[0]
    peak = peak_memory(
        lambda: fit(data, init_random(data, H, rng, offsets=True), max_sweeps=2)
    )
    return Row(
        f"missing, MiB beyond the data, {data.size:,} ratings, H = {H}",
        peak,
        at_most=1024,
    )


def factorization_rows():
    for rows in (
        full_rows,
        analytic_rows,
        partial(missing_rows, 10),
        partial(missing_rows, 20),
    ):
        yield from settled(rows)
    yield memory_row()


SECTIONS = {"factorization": factorization_rows}
