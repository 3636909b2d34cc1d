"""A hidden Markov model learns: fixed points, EM, online beside batch, samples, hmmlearn."""

import os
import subprocess
import sys

import numpy as np
import pytest
from oracles import close
from scipy.stats import multivariate_normal

from tests.benchmarks.markov import hmmlearn_fit
from vbkit import Dirichlet, NormalWishart, fit_batch, fit_online
from vbkit.compiled import COMPILED
from vbkit.labels import MarkovChain
from vbkit.learning import sato2000
from vbkit.mixture import EM, Mixture
from vbkit.press import ROOT

LENGTH = 40


CHAIN = MarkovChain()


def gaussian(labels=CHAIN, clones=1.0):
    emission = NormalWishart(np.zeros(2), 0.1, 3.0, np.eye(2))
    return Mixture(emission, labels, clones)


def chains(seed, n=100):
    """Rows of n chains of three states four standard deviations apart, and the generator."""
    rng, means = np.random.default_rng(seed), 4 * np.array([[0, 0], [1, 0], [0, 1]])
    z = rng.integers(0, 3, (n, LENGTH))
    for t in range(1, LENGTH):
        z[:, t] = np.where(rng.random(n) < 0.85, z[:, t - 1], z[:, t])
    return means[z.ravel()] + rng.normal(size=(n * LENGTH, 2)), rng


def test_the_gradient_vanishes_where_learning_ends():
    X, rng = chains(1, 3)
    model = gaussian(MarkovChain(Dirichlet(0.7), Dirichlet(0.4)))
    data = model.observe(X, lengths=LENGTH)

    def somewhere():
        return model.m_step(data, rng.dirichlet(np.ones(3), len(X)))

    def slope(S):
        """Along a direction of chance: of the family's statistics, and of the labels, which must
        stay above 0, each in proportion to itself."""
        step = 1e-6 * np.asarray(somewhere() - S)
        P = model.n_statistics
        step[:, P:] = 1e-6 * S[:, P:] * rng.normal(size=(3, 4))
        return abs(model.elbo(data, S + step) - model.elbo(data, S - step)) / 2e-6

    end = fit_batch(model, data, somewhere(), max_epochs=20_000, tolerance=1e-12).S
    away = 0.8 * end + 0.2 * somewhere()
    assert max(slope(end) for _ in range(20)) < 1e-3 * np.median(
        [slope(away) for _ in range(20)]
    )


def plain_em(X, starts, A, means, covariances):
    """The log-likelihood of rows X of chains of LENGTH, and the next estimates."""
    K = len(A)
    B = np.array(
        [multivariate_normal.pdf(X, *of) for of in zip(means, covariances, strict=True)]
    ).T
    total, R, moves = 0.0, [], np.zeros((K, K))
    for b in np.split(B, len(X) // LENGTH):
        a, beta, scale = np.empty(b.shape), np.ones(b.shape), np.empty(LENGTH)
        for t in range(LENGTH):
            a[t] = b[t] * (a[t - 1] @ A if t else starts)
            scale[t] = a[t].sum()
            a[t] /= scale[t]
        for t in range(LENGTH - 2, -1, -1):
            beta[t] = A @ (b[t + 1] * beta[t + 1]) / scale[t + 1]
            moves += a[t][:, None] * A * b[t + 1] * beta[t + 1] / scale[t + 1]
        total += np.log(scale).sum()
        R.append(a * beta)
    heads, R = np.mean([r[0] for r in R], axis=0), np.concatenate(R)
    means = R.T @ X / R.sum(axis=0)[:, None]
    around = [
        (R[:, k] * (X - m).T) @ (X - m) / R[:, k].sum() for k, m in enumerate(means)
    ]
    return (
        total,
        heads,
        moves / moves.sum(axis=1, keepdims=True),
        means,
        np.array(around),
    )


def test_the_em_limit_is_baum_and_welch():
    X, rng = chains(2, 5)
    model = gaussian(MarkovChain(Dirichlet(0.0), Dirichlet(0.0)), clones=EM)
    data = model.observe(X, lengths=LENGTH)
    S = model.m_step(data, rng.dirichlet(np.ones(3), len(X)))
    fit = fit_batch(model, data, S, max_epochs=15, tolerance=0)
    estimates = (*model.parameters(S)[:2], *model.parameters(S).components[:2])
    for expected in fit.trace[:-1]:
        found, *estimates = plain_em(X, *estimates)
        close(found, expected, rtol=1e-9)
    ours = (*model.parameters(fit.S)[:2], *model.parameters(fit.S).components[:2])
    for mine, theirs in zip(ours, estimates, strict=True):
        close(mine, theirs, rtol=1e-6, atol=1e-9)


@pytest.mark.long
def test_online_learning_ends_near_batch():
    """From the same start, three centres at chosen rows, for 20 chains: the median distance is at
    most 5 nats, and 16 of 20 at least end within 10."""
    gaps = []
    for seed in range(100, 120):
        X, rng = chains(seed)
        model = gaussian()
        data = model.observe(X, lengths=LENGTH)
        centres = X[rng.choice(len(X), 3, replace=False)]
        nearest = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        S = model.m_step(data, np.eye(3)[nearest])
        online = fit_online(model, data, S, sato2000(data.units), epochs=20, rng=rng)
        gaps.append(abs(online.elbo - fit_batch(model, data, S).elbo))
    assert np.median(gaps) <= 5 and np.sum(np.array(gaps) < 10) >= 16


def test_a_sample_has_the_moments_of_the_stationary_chain():
    model, A = gaussian(), np.array([[0.8, 0.2, 0.0], [0.1, 0.6, 0.3], [0.3, 0.0, 0.7]])
    stationary = np.linalg.matrix_power(A, 200)[0]
    means, rng = np.array([[0.0, 0], [3, 1], [-2, 2]]), np.random.default_rng(3)
    known = model.family.state(1e9 * stationary, means, np.tile(np.eye(2), (3, 1, 1)))
    S = np.hstack([known, 1e9 * stationary[:, None], 1e9 * stationary[:, None] * A])
    first, pair, square, went = [], [], [], np.zeros((3, 3))
    for _ in range(300):
        X, z = model.sample_with_labels(S, 100, rng)
        first.append(X.mean(axis=0))
        square.append((X**2).mean(axis=0))
        pair.append((X[1:] * X[:-1]).mean(axis=0))
        np.add.at(went, (z[:-1], z[1:]), 1)
    joint = stationary[:, None] * A
    exact = [
        stationary @ means,
        stationary @ (means**2 + 1),
        ((joint.T @ means) * means).sum(0),
    ]
    for found, wanted in zip((first, square, pair), exact, strict=True):
        error = np.std(found, axis=0) / np.sqrt(len(found))
        assert (np.abs(np.mean(found, axis=0) - wanted) < 4 * error).all()
    n = went.sum(axis=1, keepdims=True)
    assert (np.abs(went / n - A) <= 4 * np.sqrt(A * (1 - A) / n) + 1e-12).all()


def test_hmmlearn_reaches_the_same_posterior():
    X, rng = chains(4, 10)
    model = gaussian(MarkovChain(Dirichlet(0.6), Dirichlet(0.3)))
    data, lengths = model.observe(X, lengths=LENGTH), [LENGTH] * 10
    S = model.m_step(data, rng.dirichlet(np.ones(3), len(X)))
    theirs = hmmlearn_fit(model, X, lengths, S, 12)
    ours = np.asarray(fit_batch(model, data, S, max_epochs=12, tolerance=0).S)
    P = model.n_statistics
    q = model.family.posterior(ours[:, :P])
    close(theirs.means_posterior_, q.mean, rtol=1e-7, atol=1e-9)
    close(theirs.beta_posterior_, q.mean_count, rtol=1e-7)
    close(theirs.dof_posterior_, q.degrees_of_freedom, rtol=1e-7)
    close(theirs.scale_posterior_, q.scatter, rtol=1e-6, atol=1e-7)
    close(theirs.startprob_posterior_, 0.6 + ours[:, P], rtol=1e-7)
    close(theirs.transmat_posterior_, 0.3 + ours[:, P + 1 :], rtol=1e-6)


@pytest.mark.long
@pytest.mark.skipif(not COMPILED, reason="this is already the run without numba")
def test_all_holds_without_compiled_code():
    tests = [
        "tests/models/test_hidden_markov.py",
        "-k",
        "enumeration or mixture or evidence or e_step",
    ]
    off = {**os.environ, "VBKIT_COMPILED": "0"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        *tests,
    ]
    run = subprocess.run(command, cwd=ROOT, env=off, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
