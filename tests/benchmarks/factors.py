"""Factor analysis: sweeps of VB against those of scikit-learn's EM."""

import warnings

import numpy as np
from sklearn.decomposition import FactorAnalysis as SklearnFactorAnalysis
from sklearn.exceptions import ConvergenceWarning

from vbkit.families import LinearRegression
from vbkit.learning import fit_batch
from vbkit.models import FactorAnalysis

from .measure import Row, agree, each, measure, ratio

SIZES = [(5000, 10, 3), (20_000, 50, 8)]  # rows, columns, factors
SWEEPS = 20


def rows_of(N: int, D: int, Q: int) -> list[Row]:
    """A sweep, ELBO included, against one of EM, data observed anew in each run."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, Q)) @ rng.normal(size=(Q, D)) + rng.normal(size=(N, D))
    model = FactorAnalysis(LinearRegression(np.zeros(Q), X.mean(axis=0)))
    start = model.m_step(X, np.ones((N, 1)))

    def ours(sweeps=SWEEPS):
        return fit_batch(model, X, start, max_epochs=sweeps, tolerance=0)

    def theirs(sweeps=SWEEPS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            other = SklearnFactorAnalysis(
                Q, tol=0, max_iter=sweeps, svd_method="lapack"
            )
            return other.fit(X)

    agree(
        model.parameters(ours(200).S).covariances[0],
        theirs(200).get_covariance(),
        atol=0.05,
    )
    t = measure(theirs=theirs, ours=ours)
    name = f"factor analysis, sklearn / ours, N = {N:,}, D = {D}, Q = {Q}"
    note = f"{np.median(t['ours']) * 1e3 / (SWEEPS + 1):.1f} ms a sweep"
    return [ratio(name, t["theirs"], t["ours"], at_least=1, note=note)]


SECTIONS = {"factors": each(rows_of, SIZES)}
