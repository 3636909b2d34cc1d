"""Variational matrix factorization as a scikit-learn estimator."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from vbkit.factorization import solve_empirical, validate
from vbkit.own_data.completion import best_fit
from vbkit.own_data.learner import (
    ITERATION,
    WHOLE,
    generator,
    refuse_masks,
    undone_if_it_fails,
)

MISSING = 10  # factors tried where entries are missing and their number is not given
ROWS = 1000  # rows whose factors are solved for at a time


@dataclass(eq=False, repr=False)
class VariationalMatrixFactorization(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """X = column means + B A' + noise, with as many factors as the data support.

    Prior variances and the noise are learned (empirical Bayes), so that superfluous factors vanish.
    For a full matrix the solution with the largest ELBO is computed directly (Nakajima's analytic
    solution). NaN marks a missing entry; then the ELBO is raised by iteration from random starts.

    n_components: the largest number of factors. None: as many as the matrix has rows or columns, or
        10 if entries are missing.
    n_init: how many random starts where entries are missing; the highest ELBO wins.
    max_iter, tol: iteration stops after max_iter sweeps, or when one changes the ELBO by less than
        tol nats per observed entry.
    random_state: a seed or a NumPy RandomState, for the random starts.

    After fitting: `components_` (H, D), the means of A'; `mean_` (D,), `noise_variance_`,
    `n_components_` (H), `lower_bound_` (the ELBO in nats),
    `n_iter_`, `converged_`, and `factorization_`, the `vbkit.factorization.Factorization`.

    Every method raises ValueError for unfit data and settings.
    """

    n_components: int | None = None
    _: KW_ONLY
    n_init: int = 1
    max_iter: int = 1000
    tol: float = 1e-6
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints = ITERATION | {"n_components": [*WHOLE, None]}

    def fit(self, X, y=None):
        """Learn the factors of X (N, D), in which NaN marks what is missing. Returns self."""
        with undone_if_it_fails(self):
            return self._learn(self._rows(X, reset=True))

    def _learn(self, X: np.ndarray):
        seen = ~np.isnan(X)
        if not seen.any(axis=0).all():
            column = int(np.argmin(seen.any(axis=0)))
            raise ValueError(
                f"X column {column} holds no number; each needs at least one"
            )
        self.mean_ = np.nanmean(X, axis=0)
        data = validate(X - self.mean_)
        is_full = bool(seen.all())
        H = self.n_components
        if H is None:
            H = min(X.shape) if is_full else min(MISSING, *X.shape)
        if not data.square:
            raise ValueError(
                "X has only constant columns; there is nothing to factorize"
            )
        if is_full:
            solution = solve_empirical(data, H=H)
        else:
            solution = best_fit(
                data,
                H,
                generator(self.random_state),
                starts=self.n_init,
                sweeps=self.max_iter,
                tolerance=self.tol,
                offsets=False,
            )
        self.factorization_ = solution
        self.components_ = solution.A.T
        self.n_components_ = solution.A.shape[1]
        self._n_features_out = self.n_components_
        self.noise_variance_ = solution.noise
        self.lower_bound_ = solution.elbo
        self.n_iter_ = max(1, solution.sweeps)
        self.converged_ = solution.converged or is_full
        return self

    def _rows(self, X, reset: bool = False) -> np.ndarray:
        """Rows (N, D), checked, in which NaN marks what is missing."""
        refuse_masks(X=X)
        if not reset:
            check_is_fitted(self)
        return validate_data(
            self,
            X,
            reset=reset,
            dtype=np.float64,
            ensure_all_finite="allow-nan",
            ensure_min_samples=2 if reset else 1,
        )

    def transform(self, X) -> np.ndarray:
        """Return the posterior means (N, H) of the factors B of the rows of X (N, D), given A.

        A missing entry (NaN) has no part in it; a row of which nothing is known is 0.
        """
        X = self._rows(X)
        f = self.factorization_
        cov = np.broadcast_to(f.cov_A, (len(f.A), *f.cov_A.shape[-2:]))
        squares = f.A[:, :, None] * f.A[:, None] + cov  # E[a a'], (D, H, H)
        prior_precision = np.diag(1 / f.prior_b)
        B = np.empty((len(X), f.A.shape[1]))
        for first in range(0, len(X), ROWS):
            block = slice(first, first + ROWS)
            x = X[block] - self.mean_
            seen = ~np.isnan(x)
            data_precision = np.tensordot(seen / f.noise, squares, axes=1)
            pull = np.where(seen, x, 0.0) @ f.A / f.noise
            precision = data_precision + prior_precision
            B[block] = np.linalg.solve(precision, pull[..., None])[..., 0]
        return B

    def inverse_transform(self, X) -> np.ndarray:
        """Return the entries (N, D) that factors X (N, H) stand for."""
        check_is_fitted(self)
        B = np.asarray(X, dtype=np.float64)
        if B.ndim != 2 or B.shape[1] != self.n_components_:
            raise ValueError(
                f"X has shape {B.shape}; it must be (N, {self.n_components_})"
            )
        return self.mean_ + B @ self.components_

    def predict(self, X) -> np.ndarray:
        """Return the mean (N, D) of every entry of the rows of X (N, D), the missing ones too."""
        return self.inverse_transform(self.transform(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
