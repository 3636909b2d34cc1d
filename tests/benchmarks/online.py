"""Learning by the data point against loops by hand, and against what the transcendental functions
alone cost.

The bars of online EM and of accumulation were set by an earlier loop, which worked on lanes of
numbers by hand. Today's loop is plain, and the compiler finds the lanes: it stays some 6 % below
them. Beside the limit, four components are too few to fill the lanes."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import digamma

from vbkit import data as data_sets
from vbkit.compiled import ascent
from vbkit.course.four_gaussians import em_mixture
from vbkit.course.stream import draw_means, make_mixture
from vbkit.families import LinearRegression
from vbkit.labels import Dirichlet
from vbkit.learning import (
    accumulation,
    component_prior_means,
    fit_online,
    init_gaussian,
    init_uniform,
    reciprocal,
    sato1999,
    sato2000,
)
from vbkit.learning.gradient import ascend
from vbkit.mixture import Mixture

from .batch import problem
from .measure import FEW, MANY, Row, agree, data_point_rows, each, least, measure, ratio

ONLINE = [(2, 4, 140), (2, 20, 60)]
ONLINE_EM = [(4, 100), (20, 55)]
ASCENT = [(4, 200), (20, 90)]
EXPERTS = [(2, 4, 60), (2, 16, 40)]  # inputs, experts, times the NumPy loop
SIZE = 3000  # data of a pass


def numpy_stream(mixture: Mixture, X, S, retention, gain):
    """The loop one writes by hand: one data point at a time, vectorised over the components."""
    family, D = mixture.family, X.shape[1]
    T, rows, orders = family.statistics(X), np.triu_indices(D), np.arange(D)
    square = np.zeros((D, D), dtype=int)
    square[rows] = square.T[rows] = np.arange(1 + D, T.shape[1])
    S = S.copy()
    for t, k, g in zip(T, retention, gain, strict=True):
        n, first = S[:, 0], S[:, 1 : 1 + D]
        beta, nu = family.mean_count + n, family.degrees_of_freedom + n
        m = first / beta[:, None]
        B = family.scatter + S[:, square] - first[:, :, None] * m[:, None, :]
        d = t[1 : 1 + D] - m
        quadratic = np.einsum("ki,kij,kj->k", d, np.linalg.inv(B), d)
        psi = digamma(0.5 * (nu[:, None] - orders)).sum(axis=1)
        log_r = 0.5 * (
            psi + D * np.log(2) - np.linalg.slogdet(B)[1] - D / beta - nu * quadratic
        )
        log_r += digamma(mixture.labels.concentration + n)
        r = np.exp(log_r - log_r.max())
        S = k * S + (g / r.sum()) * r[:, None] * t
    return S


def online_limit(N: int, K: int) -> Callable[[], float]:
    """K exps, K quadratic forms in two dimensions and the digammas of N data, in compiled scalar
    code."""
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
                    series = 1 / 252 - v * (
                        1 / 240 - v * (1 / 132 - v * (691 / 32760 - v / 12))
                    )
                    psi += (
                        math.log(z)
                        - 0.5 / z
                        - v * (1 / 12 - v * (1 / 120 - v * series))
                    )
                total += math.exp(-0.5 * form + 1e-3 * psi)
        return total

    q, count = (
        np.abs(np.random.default_rng(0).standard_normal((K, 5))),
        np.full(K, 50.0),
    )
    return lambda: loop(q, count, count, N)


def online_row(D: int, K: int, faster: float) -> list[Row]:
    """Online VB by the data point against the NumPy loop, and against the transcendental functions
    alone."""
    mixture, X, _ = problem(MANY, D, K)
    start = init_gaussian(mixture, X, K, np.random.default_rng(2))
    name, limit = f"online, {{}}, D = {D}, K = {K}", online_limit(MANY, K)
    return stream_rows(
        name,
        numpy_stream,
        mixture,
        X,
        start,
        sato2000(MANY),
        bars=(faster, 2.5),
        limit=limit,
    )


def stream_rows(
    name: str, by_hand, mixture: Mixture, X, start, schedule, **bars
) -> list[Row]:
    """An online pass from this start against a loop by hand, which must do the same."""
    few, loop = (
        X[:FEW],
        partial(by_hand, mixture, X[:FEW], start, *schedule.rates(FEW)[:2]),
    )
    agree(
        fit_online(mixture, few, start, schedule, monitor=False).S,
        loop(),
        rtol=1e-9,
        atol=1e-9,
    )
    ours = partial(
        fit_online, mixture, mixture.observe(X), start, schedule, monitor=False
    )
    return data_point_rows(name, loop=loop, ours=ours, **bars)


def numpy_regression(mixture: Mixture, X, S, retention, gain):
    """A mixture of linear experts of one output by hand: one data point at a time, vectorised over
    the components."""
    f, q = mixture.family, mixture.family.dimension
    x, y = np.column_stack([X[:, :-1] - f.mean_x, np.ones(len(X))]), X[:, -1] - f.mean_y
    square = np.zeros((q, q), dtype=int)
    square[np.triu_indices(q)] = square.T[np.triu_indices(q)] = np.r_[
        1 : q * (q + 1) // 2, 0
    ]
    T, S = f.statistics(X), S.copy()
    for t, x_n, y_n, k, g in zip(T, x, y, retention, gain, strict=True):
        n, products = S[:, 0], S[:, -1 - q : -1]
        A = np.linalg.inv(f.precision * np.eye(q) + S[:, square])
        w = np.einsum("kij,kj->ki", A, products)
        shape, rate = (
            f.shape + n / 2,
            f.rate + (S[:, -1] - (w * products).sum(axis=1)) / 2,
        )
        log_r = (
            digamma(shape)
            - np.log(rate)
            - shape / rate * (y_n - w @ x_n) ** 2
            - x_n @ A @ x_n
        )
        log_r = 0.5 * log_r + digamma(mixture.labels.concentration + n)
        r = np.exp(log_r - log_r.max())
        S = k * S + (g / r.sum()) * r[:, None] * t
    return S


def regression_problem(Dx: int, K: int, N: int):
    """Linear experts of one output, rows (x, y) of as many lines, and a start."""
    rng = np.random.default_rng(1)
    x, lines = rng.normal(size=(N, Dx)), rng.normal(0, 3, (K, Dx))
    y = (x * lines[rng.integers(K, size=N)]).sum(axis=1) + 0.3 * rng.normal(size=N)
    mixture = Mixture(LinearRegression(np.zeros(Dx), np.zeros(1)), Dirichlet(1.0))
    X = np.column_stack([x, y])
    return mixture, X, mixture.m_step(X, rng.dirichlet(np.ones(K), N))


def regression_row(Dx: int, K: int, faster: float) -> list[Row]:
    """Online regression by the data point against the NumPy loop."""
    name = f"online regression, {{}}, {Dx} inputs, K = {K}"
    mixture, X, start = regression_problem(Dx, K, MANY)
    return stream_rows(
        name, numpy_regression, mixture, X, start, sato2000(MANY), bars=(faster, None)
    )


def em_problem(N: int, K: int):
    """Maximum likelihood by isotropic components in the unit square, data (N, 2), and a start."""
    mixture = em_mixture(N, floor=None)
    X, _ = data_sets.sato1999(N, np.random.default_rng(1))
    return mixture, X, init_uniform(mixture, K, N, np.random.default_rng(2))


def numpy_em(mixture: Mixture, X, S, retention, gain):
    """Online EM by hand: one data point at a time, vectorised over the components."""
    T, D, S = mixture.family.statistics(X), X.shape[1], S.copy()
    for t, k, g in zip(T, retention, gain, strict=True):
        n = S[:, 0]
        m = S[:, 1:-1] / n[:, None]
        variance = (S[:, -1] / n - (m**2).sum(axis=1)) / D
        log_r = (
            np.log(n)
            - D / 2 * np.log(variance)
            - ((t[1:-1] - m) ** 2).sum(axis=1) / (2 * variance)
        )
        r = np.exp(log_r - log_r.max())
        S = k * S + (g / r.sum()) * r[:, None] * t
    return S


def em_row(K: int, faster: float) -> list[Row]:
    """Online EM by the data point against the NumPy loop."""
    mixture, X, start = em_problem(MANY, K)
    name = f"online EM, {{}}, D = 2, K = {K}"
    return stream_rows(
        name, numpy_em, mixture, X, start, sato1999(MANY), bars=(faster, None)
    )


def ascent_limit(N: int, K: int) -> Callable[[], float]:
    """Two exps, a log, a division and a quadratic form of K components for each of N data, in
    compiled scalar code."""
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
    """Online gradient ascent by the data point against the NumPy loop, and against the
    transcendental functions alone."""
    mixture, X, start = em_problem(MANY, K)
    _, (centres, covariances) = mixture.parameters(start)
    theta = np.column_stack([np.zeros(K), centres, covariances[:, 0, 0] ** 0.5])
    rates, _ = reciprocal(1.0, 1e-4, 0.1).learning_rates(MANY)

    def loop():
        after = theta.copy()
        ascent.plain_ascent(X[:FEW], rates[:FEW], after, ascent.SIGMA)
        return after

    few = ascend(X[:FEW], rates[:FEW], theta, "sigma")
    agree(few[0], loop(), rtol=1e-12, atol=1e-12)
    return data_point_rows(
        f"gradient ascent, {{}}, D = 2, K = {K}",
        loop=loop,
        ours=partial(ascend, X, rates, theta, "sigma"),
        limit=ascent_limit(MANY, K),
        bars=(faster, 2.0),
    )


def numpy_pass(X, means):
    """The slide's VE and VM steps by hand, one data point at a time, vectorised over the
    components."""
    K = len(means)
    alpha, a, b, m, g = (
        np.ones(K),
        np.ones(K),
        np.ones(K),
        means[:, 0].copy(),
        np.full(K, 0.1),
    )
    for y in X[:, 0]:
        log_s = digamma(alpha) + 0.5 * (
            digamma(a) - np.log(b) - a / b * (y - m) ** 2 - 1 / g
        )
        s = np.exp(log_s - log_s.max())
        s /= s.sum()
        b += 0.5 * s * g * (y - m) ** 2 / (g + s)
        m = (g * m + y * s) / (g + s)
        alpha, a, g = alpha + s, a + s / 2, g + s
    return alpha


def pass_rows() -> list[Row]:
    """A pass against the loop by hand, and in milliseconds."""
    rng = np.random.default_rng(1)
    mixture, (X, _) = make_mixture(1, 1.0), data_sets.ghahramani2000(SIZE, rng)
    means = draw_means(rng, 1)
    data, start = mixture.observe(X), component_prior_means(mixture, means)
    ours = partial(fit_online, mixture, data, start, accumulation(), monitor=False)
    agree(1 + ours().S[:, 0], numpy_pass(X, means), rtol=1e-8)
    t = measure(loop=partial(numpy_pass, X[:FEW], means), ours=ours)
    name = f"accumulation, N = {SIZE:,}, K = {len(means)}, D = 1"
    note = f"{np.median(t['ours']) / SIZE * 1e9:.0f} ns per data point"
    return [
        ratio(
            f"{name}, NumPy loop / ours",
            t["loop"] / FEW,
            t["ours"] / SIZE,
            at_least=55,
            note=note,
        ),
        least(f"{name}, ms a pass", t["ours"], 10),
    ]


SECTIONS = {
    "online": each(online_row, ONLINE),
    "regression": each(regression_row, EXPERTS),
    "em": each(em_row, ONLINE_EM),
    "ascent": each(ascent_row, ASCENT),
}


SECTIONS |= {"accumulation": each(pass_rows, [()])}
