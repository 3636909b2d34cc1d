"""Batch VB against scikit-learn and against bare matrix products; how the cost of learning
grows.

The limit of an epoch is two matrix products with statistics that lie ready, and an exponential of
every log density. It leaves out what an epoch needs besides: the statistics of each block of rows,
the largest log density of a row and the sum of its exponentials, and once an epoch the posterior
and the ELBO, which take a tenth of a millisecond. So an epoch comes near its limit only where the
products are large, and with few columns and components it misses the bar of 1.5, or of 2.5 for
10,000 rows, by as much as these steps weigh."""

from functools import partial

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_t

from vbkit.families import NormalWishart
from vbkit.labels import Dirichlet
from vbkit.learning import fit_online, sato2000
from vbkit.mixture import Mixture
from vbkit.observations import block_length

from .measure import Row, agree, each, measure, ratio

BATCH = [
    (10_000, 2, 4),
    (100_000, 2, 20),
    (100_000, 4, 8),
    (100_000, 8, 16),
    (100_000, 16, 32),
    (1_000_000, 2, 4),
]
WIDE = [(20_000, 32, 20, 3), (20_000, 64, 10, 2), (50_000, 100, 5, 2)]  # and the bar


def problem(N: int, D: int, K: int):
    """A mixture, its data (N, D), and random responsibilities (N, K)."""
    rng = np.random.default_rng(1)
    X = (
        rng.standard_normal((N, D))
        + 6 * rng.standard_normal((K, D))[rng.integers(K, size=N)]
    )
    scatter = np.atleast_2d(np.cov(X.T))
    mixture = Mixture(
        NormalWishart(X.mean(axis=0), 1.0, D + 1.0, scatter), Dirichlet(1.0)
    )
    return mixture, X, rng.dirichlet(np.ones(K), N)


def of_scikit_learn(mixture: Mixture, X, R, epochs: int):
    """Epochs of scikit-learn's mixture as a function, and its responsibilities (N, K)."""
    from sklearn.mixture import BayesianGaussianMixture

    D, K = X.shape[1], R.shape[1]
    peer = BayesianGaussianMixture(
        n_components=K,
        weight_concentration_prior_type="dirichlet_distribution",
        weight_concentration_prior=1.0,
        mean_precision_prior=1.0,
        degrees_of_freedom_prior=D + 1.0,
        covariance_prior=mixture.family.scatter,
        reg_covar=0.0,
    )
    peer._check_parameters(X, xp=np)
    peer._initialize(X, R)

    def theirs():
        for _ in range(epochs):
            log_norm, log_r = peer._e_step(X)
            peer._m_step(X, log_r)
            peer._compute_lower_bound(log_r, log_norm)

    return theirs, np.exp(peer._e_step(X)[1])


def of_ours(mixture: Mixture, data, start, epochs: int):
    """As many epochs of ours, ELBO included, as a function."""

    def ours():
        S = start
        for _ in range(epochs):
            sweep = mixture.e_step(data, S)
            S, _ = sweep.S, sweep.elbo
        return S

    return ours


def wide_row(N: int, D: int, K: int, faster: float) -> list[Row]:
    """Epochs of batch VB on many columns against scikit-learn."""
    mixture, X, R = problem(N, D, K)
    data = mixture.observe(X)
    start = mixture.m_step(data, R)
    epochs = max(1, round(4e5 / (N * K)))
    theirs, their_R = of_scikit_learn(mixture, X, R, epochs)
    agree(mixture.responsibilities(X, start), their_R, atol=1e-8)
    ours = of_ours(mixture, data, start, epochs)
    t = measure(theirs=theirs, ours=ours)
    name = f"batch, scikit-learn / ours, N = {N:,}, D = {D}, K = {K}"
    note = f"{np.median(t['ours']) / epochs * 1e3:.2f} ms an epoch"
    return [ratio(name, t["theirs"], t["ours"], at_least=faster, note=note)]


def batch_row(N: int, D: int, K: int) -> list[Row]:
    """Epochs of batch VB, ELBO included, against scikit-learn and against two bare matrix products
    and N K exps."""
    mixture, X, R = problem(N, D, K)
    data, family = mixture.observe(X), mixture.family
    start = mixture.m_step(data, R)
    epochs = max(1, round(4e5 / (N * K)))
    theirs, their_R = of_scikit_learn(mixture, X, R, epochs)
    ours = of_ours(mixture, data, start, epochs)

    W = family.expected(start) * 1e-6
    length = block_length(max(start.shape))
    T = [
        np.ascontiguousarray(family.statistics(X[first : first + length]).T)
        for first in range(0, N, length)
    ]

    def limit():
        for _ in range(epochs):
            S = np.zeros_like(W)
            for t in T:
                L = W @ t
                np.exp(L, out=L)
                S += L @ t.T

    agree(mixture.responsibilities(X, start), their_R, atol=1e-8)
    t = measure(theirs=theirs, ours=ours, limit=limit)
    size, small = f"N = {N:,}, D = {D}, K = {K}", N < 100_000
    note = f"{np.median(t['ours']) / epochs * 1e3:.2f} ms an epoch"
    faster = 12 if small else 15 if D <= 4 else 8
    return [
        ratio(
            f"batch, scikit-learn / ours, {size}",
            t["theirs"],
            t["ours"],
            at_least=faster,
            note=note,
        ),
        ratio(
            f"batch, ours / limit, {size}",
            t["ours"],
            t["limit"],
            at_most=2.5 if small else 1.5,
        ),
    ]


def scaling_rows() -> list[Row]:
    """How the cost of an epoch grows when N, K or D doubles, batch and online."""
    rows, base = [], {"N": 50_000, "D": 4, "K": 8}
    for name, number in base.items():
        epochs = {}
        for times, size in (("", base), (", twice", base | {name: 2 * number})):
            mixture, X, R = problem(**size)
            S, few = mixture.m_step(X, R), mixture.observe(X[: size["N"] // 10])
            epochs["batch" + times] = partial(mixture.e_step, mixture.observe(X), S)
            epochs["online" + times] = partial(
                fit_online, mixture, few, S, sato2000(len(X)), monitor=False
            )
        t = measure(**epochs)
        for how in ("batch", "online"):
            rows.append(
                ratio(
                    f"{how}, cost when {name} doubles from {number:,}",
                    t[how + ", twice"],
                    t[how],
                )
            )
    return rows


def predictive_row(N: int, D: int, K: int) -> list[Row]:
    """Log predictive densities of new rows against scipy's multivariate Student densities, one
    component at a time."""
    mixture, X, R = problem(N, D, K)
    S = mixture.m_step(X, R)
    family, n, first = mixture.family, S[:, 0], S[:, 1 : 1 + D]
    beta, freedom = family.mean_count + n, family.degrees_of_freedom + n - D + 1
    upper, square = np.triu_indices(D), np.zeros((K, D, D))
    square[:, upper[0], upper[1]] = square[:, upper[1], upper[0]] = S[:, 1 + D :]
    mean = first / beta[:, None]
    scatter = family.scatter + square - mean[:, :, None] * first[:, None, :]
    shape = scatter * ((beta + 1) / (beta * freedom))[:, None, None]
    log_weights = np.log(mixture.labels.mean(n))

    def theirs():
        parts = [
            multivariate_t.logpdf(X, family.mean + mean[k], shape[k], freedom[k])
            for k in range(K)
        ]
        return logsumexp(np.stack(parts) + log_weights[:, None], axis=0)

    ours = partial(mixture.log_predictive, X, S)
    agree(ours(), theirs(), rtol=1e-9)
    t = measure(theirs=theirs, ours=ours)
    note = f"{np.median(t['ours']) / N * 1e9:.0f} ns a row"
    name = f"predictive density, scipy / ours, N = {N:,}, D = {D}, K = {K}"
    return [ratio(name, t["theirs"], t["ours"], at_least=1, note=note)]


PREDICTIVE = [(10_000, 2, 4), (10_000, 16, 8)]
SECTIONS = {
    "batch": each(batch_row, BATCH),
    "wide": each(wide_row, WIDE),
    "predictive": each(predictive_row, PREDICTIVE),
    "scaling": scaling_rows,
}
