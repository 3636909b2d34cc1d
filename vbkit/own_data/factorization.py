"""Variational matrix factorization as a scikit-learn estimator."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from vbkit.factorization import (
    Factorization,
    ObservedEntries,
    fit,
    init_random,
    solve_empirical,
    validate,
)
from vbkit.own_data.learner import (
    ITERATION,
    WHOLE,
    generator,
    refuse_masks,
    undone_if_it_fails,
)
from vbkit.own_data.priors import is_constant

MISSING = 10  # factors tried first where entries are missing
ROWS = 1000  # rows whose factors are solved for at a time


@dataclass(eq=False, repr=False)
class VariationalMatrixFactorization(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """X = column means + B A' + noise, with as many factors as the data support.

    Prior variances and the noise are learned (empirical Bayes), so that superfluous factors vanish.
    For a full matrix the solution with the largest ELBO is computed directly (Nakajima's analytic
    solution). NaN marks a missing entry; then the ELBO is raised by iteration from random starts.

    n_components: the largest number of factors. None: as many as the matrix has rows or columns; if
        entries are missing 10, and twice as many again as long as all are alive.
    n_init: how many random starts where entries are missing; the highest ELBO wins.
    max_iter, tol: iteration stops after max_iter sweeps, or when one changes the ELBO by less than
        tol nats per observed entry.
    random_state: a seed or a NumPy RandomState, for the random starts.

    A column that holds one number only tells nothing and is left aside.

    After fitting: `components_` (H, D), the means of A'; `mean_` (D,), `noise_variance_`,
    `n_components_` (H), the number of factors that are alive; `left_aside_`, the indices of
    columns without information; `lower_bound_` (the ELBO in nats),
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
        usual = np.nanmean(X, axis=0)
        varies = ~is_constant(X)
        self.left_aside_ = np.flatnonzero(~varies)
        if not varies.any():
            raise ValueError(
                "X has only constant columns; there is nothing to factorize"
            )
        told = X[:, varies] - usual[varies]
        is_full = bool(seen[:, varies].all())
        if is_full:
            data = validate(told)
            H = min(told.shape) if self.n_components is None else self.n_components
            solution = solve_empirical(data, H=H)
        else:
            solution, offsets = self._fill(told)
            usual[varies] += offsets
        self.mean_ = usual
        self.factorization_ = solution
        self.components_ = np.zeros((solution.A.shape[1], X.shape[1]))
        self.components_[:, varies] = solution.A.T
        self.n_components_ = solution.A.shape[1]
        self._n_features_out = self.n_components_
        self.noise_variance_ = solution.noise
        self.lower_bound_ = solution.elbo
        self.n_iter_ = max(1, solution.sweeps)
        self.converged_ = solution.converged or is_full
        return self

    def _fill(self, X: np.ndarray) -> tuple[Factorization, np.ndarray]:
        """The factors alive of X (N, D) with gaps, and the columns' offsets (D,).

        The columns' means are learned beside the factors, for those of the entries that
        were seen are not the whole columns'. If all factors are alive there may be more,
        so twice as many are tried.
        """
        data = validate(X)
        rng = generator(self.random_state)
        most = min(X.shape)
        H = self.n_components
        if H is None:
            H = min(MISSING, most)
        while True:
            starts = [_with_offsets(data, H, rng) for _ in range(self.n_init)]
            fits = [self._sweep(data, start) for start in starts]
            best = max(fits, key=lambda each: each.elbo)
            alive = np.flatnonzero(_sizes(best) > np.sqrt(best.noise))
            if self.n_components is not None or len(alive) < H or H == most:
                best = self._pruned(data, _only(best, [*alive, H]))
                factors = np.arange(best.A.shape[1] - 1)
                return _only(best, factors), best.A[:, -1]
            H = min(2 * H, most)

    def _sweep(
        self, data: ObservedEntries, start: Factorization, hold: int | None = None
    ) -> Factorization:
        """The fit from a start; hold: as of `fit`."""
        return fit(
            data,
            start,
            hold=hold,
            max_sweeps=self.max_iter,
            tolerance=self.tol * data.size,
        )

    def _pruned(self, data: ObservedEntries, start: Factorization) -> Factorization:
        """The fit without the weakest factor, and the next, as long as that raises the
        ELBO: from small noise, iteration keeps a few that explain no more than noise."""
        best = self._sweep(data, start, hold=0)
        while len(_sizes(best)):
            weakest = int(np.argmin(_sizes(best)))
            others = np.delete(np.arange(best.A.shape[1]), weakest)
            fewer = self._sweep(data, _only(best, others), hold=0)
            if fewer.elbo <= best.elbo:
                break
            best = fewer
        return best

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
        told = np.delete(np.arange(X.shape[1]), self.left_aside_)
        for first in range(0, len(X), ROWS):
            block = slice(first, first + ROWS)
            x = (X[block] - self.mean_)[:, told]
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


def _with_offsets(data: ObservedEntries, H: int, rng) -> Factorization:
    """A random start of H factors and an offset for each column, the last one of A, whose
    prior variance is learned; its counterpart in B is a known 1."""
    start = init_random(data, H, rng)
    L, M = data.shape
    offset = np.mean(data.values**2)
    prior_a = np.append(start.prior_a, 0.1 * offset)
    prior_b = np.append(start.prior_b, 0.0)
    return Factorization(
        np.column_stack([start.A, np.zeros(M)]),
        np.column_stack([start.B, np.ones(L)]),
        np.diag(prior_a),
        np.diag(prior_b),
        prior_a,
        prior_b,
        start.noise,
    )


def _sizes(f: Factorization) -> np.ndarray:
    """The singular value (H,) of each factor of a fit with offsets, without these; one is
    alive if it exceeds the noise of a single entry, as `Factorization.rank` has it."""
    return np.linalg.norm(f.A[:, :-1], axis=0) * np.linalg.norm(f.B[:, :-1], axis=0)


def _only(f: Factorization, columns) -> Factorization:
    """A factorization with some of the columns (H',) only."""
    block = np.ix_(columns, columns)
    return f.replace(
        A=f.A[:, columns],
        B=f.B[:, columns],
        cov_A=f.cov_A[(..., *block)],
        cov_B=f.cov_B[(..., *block)],
        prior_a=f.prior_a[columns],
        prior_b=f.prior_b[columns],
    )
