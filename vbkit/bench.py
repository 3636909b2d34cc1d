"""How fast the engine is, as ratios: against what people use instead, and against what the arithmetic alone costs.

One process and one thread; results are compared with plain NumPy's before anything is timed; every round times peer,
ours and limit in turn, in alternating order; a ratio is that of the 20th percentiles, with the median of the paired
ratios beside it. Ratios travel between machines better than seconds, which are shown for orientation only.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import digamma
from threadpoolctl import threadpool_limits

from vbkit import data as data_sets
from vbkit.families import Dirichlet, IsotropicGaussian, NormalWishart
from vbkit.learning import fit_online, gaussian_start, reciprocal, sato1999, sato2000, uniform_start
from vbkit.learning.gradient import reference_ascent, run_ascent
from vbkit.mixture import EM, Mixture, blocks

ROUNDS, WARM = 11, 1
BATCH = [(10_000, 2, 4), (100_000, 2, 20), (100_000, 4, 8), (100_000, 8, 16), (100_000, 16, 32), (1_000_000, 2, 4)]
ONLINE = [(2, 4, 200), (2, 20, 110)]
ONLINE_EM = [(4, 100), (20, 55)]
ASCENT = [(4, 200), (20, 90)]
FEW, MANY = 50, 5000  # data of a loop by hand, and of ours


@dataclass(frozen=True)
class Row:
    """One line of the table: a measured ratio, the paired median beside it, and its bar (at least or at most)."""

    name: str
    value: float
    paired: float = math.nan
    at_least: float | None = None
    at_most: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        if self.at_least is None and self.at_most is None:
            return None
        return (self.at_least or -math.inf) <= self.value <= (self.at_most or math.inf)

    def __str__(self) -> str:
        bar = f">= {self.at_least:g}" if self.at_least else f"<= {self.at_most:g}" if self.at_most else ""
        mark = {True: "met", False: "MISSED", None: ""}[self.met]
        return f"{self.name:54s} {self.value:9.2f} {self.paired:9.2f}   {bar:8s} {mark:7s} {self.note}"


def measure(**units: Callable[[], object]) -> dict[str, np.ndarray]:
    """Seconds (ROUNDS,) of each unit of work, all of them in every round, the order reversed from round to round."""
    seconds = {name: [] for name in units}
    for turn in range(WARM + ROUNDS):
        for name in list(units)[:: 1 if turn % 2 else -1]:
            start = time.perf_counter()
            units[name]()
            if turn >= WARM:
                seconds[name].append(time.perf_counter() - start)
    return {name: np.array(times) for name, times in seconds.items()}


def ratio(name, above: np.ndarray, below: np.ndarray, **bar) -> Row:
    low_above, low_below = np.percentile(above, 20), np.percentile(below, 20)
    return Row(name, low_above / low_below, float(np.median(above / below)), **bar)


def settled(rows: Callable[[], list[Row]]) -> list[Row]:
    """A measurement, repeated (three times at most) while a ratio and its paired median differ by over 15 %."""
    for _ in range(3):
        measured = rows()
        if all(abs(math.log(row.value / row.paired)) < math.log(1.15) for row in measured):
            break
    return measured


# ---- batch ---------------------------------------------------------------------------------------------------------


def problem(N: int, D: int, K: int):
    """A mixture, its data (N, D), and random responsibilities (N, K)."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, D)) + 6 * rng.standard_normal((K, D))[rng.integers(K, size=N)]
    scatter = np.atleast_2d(np.cov(X.T))
    return (
        Mixture(NormalWishart(X.mean(axis=0), 1.0, D + 1.0, scatter), Dirichlet(1.0)),
        X,
        rng.dirichlet(np.ones(K), N),
    )


def batch_row(N: int, D: int, K: int) -> list[Row]:
    """Epochs of batch VB, bound included, against scikit-learn and against two bare matrix products and N K exps."""
    from sklearn.mixture import BayesianGaussianMixture

    mixture, X, R = problem(N, D, K)
    data, family = mixture.observe(X), mixture.component
    start = mixture.collect(data, R)
    epochs = max(1, round(4e5 / (N * K)))
    peer = BayesianGaussianMixture(
        n_components=K, weight_concentration_prior_type="dirichlet_distribution", weight_concentration_prior=1.0,
        mean_precision_prior=1.0, degrees_of_freedom_prior=D + 1.0, covariance_prior=family.scatter, reg_covar=0.0,
    )  # fmt: skip
    peer._check_parameters(X, xp=np)
    peer._initialize(X, R)

    def theirs():
        for _ in range(epochs):
            log_norm, log_r = peer._e_step(X)
            peer._m_step(X, log_r)
            peer._compute_lower_bound(log_r, log_norm)

    def ours():
        S = start
        for _ in range(epochs):
            sweep = mixture.sweep(data, S)
            S, _ = sweep.S, sweep.elbo
        return S

    W = family.expected(start) * 1e-6
    T = [np.ascontiguousarray(family.statistics(X[rows]).T) for rows in blocks(N, max(start.shape))]

    def limit():
        for _ in range(epochs):
            S = np.zeros_like(W)
            for t in T:
                L = W @ t
                np.exp(L, out=L)
                S += L @ t.T

    R_sk = np.exp(peer._e_step(X)[1])
    if not np.allclose(R_sk, mixture.responsibilities(X, start), atol=1e-8):
        raise AssertionError("scikit-learn and vbkit disagree about the responsibilities; nothing was timed")
    t = measure(theirs=theirs, ours=ours, limit=limit)
    size = f"N = {N:,}, D = {D}, K = {K}"
    small = N < 100_000
    note = f"{np.median(t['ours']) / epochs * 1e3:.2f} ms an epoch"
    faster = 12 if small else 15 if D <= 4 else 8
    return [
        ratio(f"batch, scikit-learn / ours, {size}", t["theirs"], t["ours"], at_least=faster, note=note),
        ratio(f"batch, ours / limit, {size}", t["ours"], t["limit"], at_most=2.5 if small else 1.5),
    ]


# ---- on-line -------------------------------------------------------------------------------------------------------


def datum_rows(name: str, bars, **units: Callable[[], object]) -> list[Row]:
    """Ours against a loop by hand over FEW data and, where there is one, a limit, for MANY as ours."""
    t = measure(**units)
    loop, ours = t["loop"] / FEW, t["ours"] / MANY
    note = f"{np.median(ours) * 1e9:.0f} ns a datum"
    rows = [ratio(name.format("NumPy loop / ours"), loop, ours, at_least=bars[0], note=note)]
    if "limit" in t:
        rows.append(ratio(name.format("ours / scalar limit"), ours, t["limit"] / MANY, at_most=bars[1]))
    return rows


def numpy_stream(mixture: Mixture, X, S, keep, gain):
    """The loop one writes by hand: one datum at a time, vectorised over the units."""
    family, D = mixture.component, X.shape[1]
    T, rows, orders = family.statistics(X), np.triu_indices(D), np.arange(D)
    square = np.zeros((D, D), dtype=int)
    square[rows] = square.T[rows] = np.arange(1 + D, T.shape[1])
    S = S.copy()
    for t, k, g in zip(T, keep, gain, strict=True):
        n, first = S[:, 0], S[:, 1 : 1 + D]
        beta, nu = family.mean_count + n, family.degrees_of_freedom + n
        m = first / beta[:, None]
        B = family.scatter + S[:, square] - first[:, :, None] * m[:, None, :]
        d = t[1 : 1 + D] - m
        quadratic = np.einsum("ki,kij,kj->k", d, np.linalg.inv(B), d)
        psi = digamma(0.5 * (nu[:, None] - orders)).sum(axis=1)
        log_r = 0.5 * (psi + D * np.log(2) - np.linalg.slogdet(B)[1] - D / beta - nu * quadratic)
        log_r += digamma(mixture.weights.concentration + n)
        r = np.exp(log_r - log_r.max())
        S = k * S + (g / r.sum()) * r[:, None] * t
    return S


def online_limit(N: int, K: int) -> Callable[[], float]:
    """K exps, K quadratic forms in two dimensions and the digammas of N data, in compiled scalar code."""
    from numba import njit

    @njit(error_model="numpy")
    def loop(q, nu, alpha, N):
        total = 0.0
        for n in range(N):
            for k in range(len(q)):
                x, y = q[k, 0] + 1e-9 * n, q[k, 1]
                form = q[k, 2] * x * x + 2.0 * q[k, 3] * x * y + q[k, 4] * y * y
                psi = 0.0
                for z in (nu[k] + 1e-9 * n, alpha[k] + 1e-9 * n):
                    while z < 8.0:
                        psi -= 1.0 / z
                        z += 1.0
                    v = 1.0 / (z * z)
                    series = 1 / 252 - v * (1 / 240 - v * (1 / 132 - v * (691 / 32760 - v / 12)))
                    psi += math.log(z) - 0.5 / z - v * (1 / 12 - v * (1 / 120 - v * series))
                total += math.exp(-0.5 * form + 1e-3 * psi)
        return total

    q, count = np.abs(np.random.default_rng(0).standard_normal((K, 5))), np.full(K, 50.0)
    return lambda: loop(q, count, count, N)


def online_row(D: int, K: int, faster: float) -> list[Row]:
    """On-line VB by the datum against the NumPy loop, and against the transcendental functions alone."""
    mixture, X, _ = problem(MANY, D, K)
    data, start = mixture.observe(X), gaussian_start(mixture, X, K, np.random.default_rng(2))
    schedule = sato2000(MANY)
    keep, gain, _ = schedule.rates(FEW)
    by_hand = numpy_stream(mixture, X[:FEW], start, keep, gain)
    ours = fit_online(mixture, X[:FEW], start, schedule, monitor=False).S
    if not np.allclose(by_hand, ours, rtol=1e-9, atol=1e-9):
        raise AssertionError("the NumPy loop and vbkit disagree; nothing was timed")
    return datum_rows(
        f"on-line, {{}}, D = {D}, K = {K}",
        loop=lambda: numpy_stream(mixture, X[:FEW], start, keep, gain),
        ours=lambda: fit_online(mixture, data, start, schedule, monitor=False),
        limit=online_limit(MANY, K),
        bars=(faster, 2.5),
    )


def em_problem(N: int, K: int):
    """Maximum likelihood by isotropic units in the unit square, data (N, 2), and a start."""
    mixture = Mixture(IsotropicGaussian([0.5, 0.5], 1.0, 1.0, 1.0), Dirichlet(0.0), copies=EM)
    X, _ = data_sets.sato1999(N, np.random.default_rng(1))
    return mixture, X, uniform_start(mixture, K, N, np.random.default_rng(2))


def numpy_em(mixture: Mixture, X, S, keep, gain):
    """On-line EM by hand: one datum at a time, vectorised over the units."""
    T, D, S = mixture.component.statistics(X), X.shape[1], S.copy()
    for t, k, g in zip(T, keep, gain, strict=True):
        n = S[:, 0]
        m = S[:, 1:-1] / n[:, None]
        variance = (S[:, -1] / n - (m**2).sum(axis=1)) / D
        log_r = np.log(n) - D / 2 * np.log(variance) - ((t[1:-1] - m) ** 2).sum(axis=1) / (2 * variance)
        r = np.exp(log_r - log_r.max())
        S = k * S + (g / r.sum()) * r[:, None] * t
    return S


def em_row(K: int, faster: float) -> list[Row]:
    """On-line EM by the datum against the NumPy loop."""
    mixture, X, start = em_problem(MANY, K)
    data, schedule = mixture.observe(X), sato1999(MANY)
    keep, gain, _ = schedule.rates(FEW)
    by_hand = numpy_em(mixture, X[:FEW], start, keep, gain)
    if not np.allclose(by_hand, fit_online(mixture, X[:FEW], start, schedule, monitor=False).S, rtol=1e-8, atol=1e-8):
        raise AssertionError("the NumPy loop and vbkit disagree; nothing was timed")
    return datum_rows(
        f"on-line EM, {{}}, D = 2, K = {K}",
        loop=lambda: numpy_em(mixture, X[:FEW], start, keep, gain),
        ours=lambda: fit_online(mixture, data, start, schedule, monitor=False),
        bars=(faster, None),
    )


def ascent_limit(N: int, K: int) -> Callable[[], float]:
    """Two exps, a log, a division and a quadratic form of K units for each of N data, in compiled scalar code."""
    from numba import njit

    @njit(error_model="numpy")
    def loop(q, N):
        total = 0.0
        for n in range(N):
            for k in range(len(q)):
                x, y, width = q[k, 0] + 1e-9 * n, q[k, 1], q[k, 2] + 1e-9 * n
                form = (x * x + y * y) / (width * width)
                total += math.exp(-0.5 * form - 2.0 * math.log(width)) + math.exp(-x)
        return total

    q = 1 + np.abs(np.random.default_rng(0).standard_normal((K, 3)))
    return lambda: loop(q, N)


def ascent_row(K: int, faster: float) -> list[Row]:
    """On-line gradient ascent by the datum against the NumPy loop, and against the transcendental functions alone."""
    mixture, X, start = em_problem(MANY, K)
    _, centres, covariances = mixture.parameters(start)
    theta = np.column_stack([np.zeros(K), centres, covariances[:, 0, 0] ** 0.5])
    rates, _ = reciprocal(1.0, 1e-4, 0.1).learning_rates(MANY)
    by_hand = reference_ascent(X[:FEW], rates[:FEW], theta, "sigma")
    if not np.allclose(by_hand, run_ascent(X[:FEW], rates[:FEW], theta, "sigma")[0], rtol=1e-12, atol=1e-12):
        raise AssertionError("the NumPy loop and vbkit disagree; nothing was timed")
    return datum_rows(
        f"gradient ascent, {{}}, D = 2, K = {K}",
        loop=lambda: reference_ascent(X[:FEW], rates[:FEW], theta, "sigma"),
        ours=lambda: run_ascent(X, rates, theta, "sigma"),
        limit=ascent_limit(MANY, K),
        bars=(faster, 2.0),
    )


def scaling_rows() -> list[Row]:
    """How the cost of an epoch grows when N, K or D doubles, batch and on-line."""
    rows = []
    base = {"N": 50_000, "D": 4, "K": 8}
    for name in base:
        larger = base | {name: 2 * base[name]}
        epochs = []
        for size in (base, larger):
            mixture, X, R = problem(**size)
            data, S = mixture.observe(X), mixture.collect(X, R)
            few = mixture.observe(X[: size["N"] // 10])
            schedule = sato2000(len(X))
            epochs.append(
                (
                    lambda mixture=mixture, data=data, S=S: mixture.sweep(data, S),
                    lambda mixture=mixture, few=few, S=S, s=schedule: fit_online(mixture, few, S, s, monitor=False),
                )
            )
        t = measure(batch1=epochs[0][0], batch2=epochs[1][0], online1=epochs[0][1], online2=epochs[1][1])
        rows.append(ratio(f"batch, cost when {name} doubles from {base[name]:,}", t["batch2"], t["batch1"]))
        rows.append(ratio(f"on-line, cost when {name} doubles from {base[name]:,}", t["online2"], t["online1"]))
    return rows


# ---- start-up, memory, sliders -------------------------------------------------------------------------------------


def import_row() -> Row:
    """Seconds that `import vbkit` and the engine add to a bare interpreter: the least of five."""

    def seconds(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    bare = min(seconds("pass") for _ in range(5))
    loaded = min(seconds("import vbkit, vbkit.mixture, vbkit.families") for _ in range(5))
    return Row("import of the engine, seconds", loaded - bare, at_most=0.6)


def memory_row(rows: int = 1_000_000) -> Row:
    """MiB that two epochs of batch VB need beyond the data in eight dimensions, 16 units."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, 8))
    mixture = Mixture(NormalWishart(np.zeros(8), 1.0, 9.0, np.eye(8)), Dirichlet(1.0))
    start = gaussian_start(mixture, X[:1000], 16, rng)
    tracemalloc.start()
    data = mixture.observe(X)
    mixture.sweep(data, mixture.sweep(data, start).S)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return Row(f"memory beyond the data, MiB, N = {rows:,}, D = 8, K = 16", peak, at_most=1024)


def slider_rows() -> list[Row]:
    """Milliseconds from a slider's value to the picture's bytes, in the kernel, at the 95th percentile of all
    positions."""
    from vbkit.explore import explorers

    rows = []
    for name, make in explorers().items():
        latency = make().latency()
        total = 1e3 * (latency.compute + latency.draw)
        rows.append(Row(f"slider, ms, {name}", float(np.percentile(total, 95)), float(np.median(total)), at_most=50))
    return rows


SECTIONS = {
    "batch": lambda: (row for size in BATCH for row in settled(partial(batch_row, *size))),
    "online": lambda: (row for size in ONLINE for row in settled(partial(online_row, *size))),
    "em": lambda: (row for size in ONLINE_EM for row in settled(partial(em_row, *size))),
    "ascent": lambda: (row for size in ASCENT for row in settled(partial(ascent_row, *size))),
    "scaling": scaling_rows,
    "start": lambda: [import_row()],
    "memory": lambda: [memory_row()],
    "sliders": slider_rows,
}


def main(arguments: list[str]) -> int:
    """Measure the named sections (all by default), print a table; 0 if every bar is met."""
    parser = argparse.ArgumentParser(prog="python -m vbkit bench", description=__doc__.split("\n\n")[0])
    parser.add_argument("section", nargs="*", choices=[[], *SECTIONS], help="what to measure; all of it by default")
    chosen = parser.parse_args(arguments).section or list(SECTIONS)
    features = [name for name, on in np._core._multiarray_umath.__cpu_features__.items() if on]
    print("processor features:", " ".join(features))
    print(f"{'':54s} {'ratio':>9s} {'paired':>9s}   bar")
    met = True
    with threadpool_limits(1):
        for section in chosen:
            for row in SECTIONS[section]():
                print(row, flush=True)
                met &= row.met is not False
    return 0 if met else 1
