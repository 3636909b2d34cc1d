"""Hidden Markov models: sweeps of VB against hmmlearn's, sums over paths against bare ones."""

import numpy as np
from hmmlearn.vhmm import VariationalGaussianHMM

from vbkit.compiled import jit
from vbkit.compiled.chains import path_expectations
from vbkit.families import NormalWishart
from vbkit.labels import MarkovChain
from vbkit.learning import fit_batch
from vbkit.mixture import Mixture

from .measure import Row, agree, each, measure, ratio

SIZES = [(3, 2, 100), (10, 5, 100), (10, 5, 5000)]  # states, columns, rows of a chain
ROWS, SWEEPS = 20_000, 5


def hmmlearn_fit(model, X, lengths, S, sweeps) -> VariationalGaussianHMM:
    """hmmlearn's HMM after some sweeps from the state S (K, width), with the priors of `model`."""
    K, P = len(S), model.n_statistics
    other = VariationalGaussianHMM(
        K, implementation="scaling", init_params="", n_iter=sweeps, tol=-np.inf
    )
    for when, state in (("prior_", np.zeros(S.shape)), ("posterior_", np.asarray(S))):
        q = model.family.posterior(state[:, :P])
        setattr(other, f"startprob_{when}", model.labels.starts.posterior(state[:, P]))
        setattr(
            other,
            f"transmat_{when}",
            model.labels.transitions.posterior(state[:, P + 1 :]),
        )
        setattr(other, f"means_{when}", q.mean)
        setattr(other, f"beta_{when}", q.mean_count)
        setattr(other, f"dof_{when}", q.degrees_of_freedom)
        setattr(other, f"scale_{when}", q.scatter)
    return other.fit(X, lengths)


@jit
def bare_recursion(B, length, starts, A, R, moves):
    """Smoothed probabilities R (N, K) and expected transitions (K, K) as one writes them down, from
    the probabilities B (N, K) of rows."""
    N, K = B.shape
    scale, beta, told = np.empty(N), np.empty(K), np.empty(K)
    for first in range(0, N, length):
        for t in range(first, first + length):
            total = 0.0
            for j in range(K):
                ahead = 0.0
                if t == first:
                    ahead = starts[j]
                else:
                    for i in range(K):
                        ahead += R[t - 1, i] * A[i, j]
                R[t, j] = ahead * B[t, j]
                total += R[t, j]
            scale[t] = total
            for j in range(K):
                R[t, j] /= total
        beta[:] = 1.0
        for t in range(first + length - 2, first - 1, -1):
            for j in range(K):
                told[j] = B[t + 1, j] * beta[j] / scale[t + 1]
            for i in range(K):
                total = 0.0
                for j in range(K):
                    moves[i, j] += R[t, i] * A[i, j] * told[j]
                    total += A[i, j] * told[j]
                beta[i] = total
            for i in range(K):
                R[t, i] *= beta[i]


def rows_of(K: int, D: int, length: int) -> list[Row]:
    """Sweeps over ROWS rows, ELBO included, against hmmlearn; sums over paths against bare ones."""
    rng = np.random.default_rng(1)
    X, model = (
        rng.normal(size=(ROWS, D)),
        Mixture(NormalWishart(np.zeros(D), 1, D + 1.0, np.eye(D)), MarkovChain()),
    )
    lengths = [length] * (ROWS // length)
    data = model.observe(X, lengths=lengths)
    start = model.m_step(data, rng.dirichlet(np.ones(K), ROWS))
    L, A = rng.normal(-3, 2, (ROWS, K)), rng.dirichlet(np.ones(K), K)
    B, a, log_A, ones = np.exp(L), A[0], np.log(A), np.ones(data.units)
    R, moves = np.empty(L.shape), np.zeros(A.shape)

    def ours():
        return fit_batch(model, data, start, max_epochs=SWEEPS, tolerance=0).S

    theirs = hmmlearn_fit(model, X, lengths, start, SWEEPS)
    P = model.n_statistics
    agree(
        theirs.means_posterior_,
        model.family.posterior(ours()[:, :P]).mean,
        rtol=1e-6,
        atol=1e-9,
    )
    bare_recursion(B, length, a, A, R, moves)
    agree(
        path_expectations(L, data.starts, np.log(a), log_A, ones)[1],
        R,
        rtol=1e-8,
        atol=1e-12,
    )
    t = measure(
        theirs=lambda: hmmlearn_fit(model, X, lengths, start, SWEEPS),
        ours=ours,
        paths=lambda: path_expectations(L, data.starts, np.log(a), log_A, ones),
        bare=lambda: bare_recursion(B, length, a, A, R, moves),
    )
    name = f"hidden Markov, {{}}, K = {K}, D = {D}, {length} rows"
    note = f"{np.median(t['ours']) * 1e3 / (SWEEPS + 1):.1f} ms a sweep"
    return [
        ratio(
            name.format("hmmlearn / ours"),
            t["theirs"],
            t["ours"],
            at_least=10,
            note=note,
        ),
        ratio(name.format("paths / bare"), t["paths"], t["bare"], at_most=3),
    ]


SECTIONS = {"markov": each(rows_of, SIZES)}
