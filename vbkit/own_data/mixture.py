"""A mixture of any family as a scikit-learn estimator."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, DensityMixin, TransformerMixin
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_is_fitted,
    validate_data,
)

from vbkit.checks import as_integer
from vbkit.families import Columns
from vbkit.own_data.frames import as_numbers, categories_of, is_frame
from vbkit.own_data.learner import MixtureLearner, refuse_masks, undone_if_it_fails


@dataclass(eq=False, repr=False)
class VariationalMixture(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, DensityMixin, MixtureLearner
):
    """A mixture of components of any built-in family, learned by variational Bayes.

    n_components: how many, or "auto": as many as raise the ELBO, found by splitting, merging and
        deleting components (`vbkit.structure.run_search`).
    family: "gaussian" (full covariance), "diagonal", "spherical", "known" (a known covariance),
        "bernoulli" (columns of 0 and 1), "categorical" (whole numbers from 0), "poisson" (counts),
        "columns" (every column of a kind of its own, independent within a component: numbers,
        0 and 1, or categories, and any cell may be missing, NaN), or a `vbkit.Family` with the
        prior of your choice, such as `vbkit.Columns`. A missing cell adds nothing, which is
        exact if cells are missing at random (Rubin 1976).
    prior_count: how many data points the prior is worth. Its centre and scale are those of the
        data's columns. How narrow components are beside the whole is not known beforehand, so the
        ELBO chooses among priors under which they have from 1 to 1/1000 of the columns' variance,
        their centres being as wide as the data: near groups are kept where another is far, and
        noise is one group (`vbkit.own_data.priors` has the reasons).
    concentration: of the Dirichlet prior of the weights. Below 1 it favours empty components.
    covariance: the known covariance (D, D) of family "known"; None is the identity.
    categorical_features: of family "columns", indices or names of columns whose numbers are
        categories; columns of words in a pandas frame always are.
    n_init: how many starts. The first one is without chance (`init_by_splits`), the others begin
        with random rows; the highest ELBO wins. "auto" begins with one component and needs none.
    max_iter, tol: learning stops after max_iter passes over the data, or when one changes the ELBO
        by less than tol nats.
    schedule: how `partial_fit` forgets, a `vbkit.learning.Schedule`; None forgets nothing.
    warm_start: whether `fit` begins with the components of the last one.
    random_state: a seed or a NumPy RandomState, for random starts and for `sample`.

    After fitting: `mixture_` and `state_` (the `vbkit.Mixture` and its state), `weights_` (K,), the
    component's parameters under their names (`means_`, `covariances_`; `probabilities_`; `rates_`),
    `n_components_`, `lower_bound_` (the ELBO in nats), `lower_bounds_`, `n_iter_`, `converged_`,
    `n_features_in_`, and `feature_names_in_` for a data frame. `search_finished_`: False where
    the search of "auto" ended at its limit with moves left to try. `left_aside_`: the indices of
    columns that hold one number only; they tell nothing of any group and have no part in learning,
    nor in probabilities and densities. `categories_`, of family "columns": the categories of
    each column in the order of their numbers, None for a column of numbers.

    Numbers stand for cells as wide as the usual step between a column's numbers, so that a column
    of few values, such as a flag or stars, does not make the groups by itself.

    Every method raises ValueError for unfit data and settings.
    """

    covariance: np.ndarray | None = field(default=None, kw_only=True)
    categorical_features: list | None = field(default=None, kw_only=True)

    _parameter_constraints = MixtureLearner._parameter_constraints | {
        "covariance": ["array-like", None],
        "categorical_features": ["array-like", None],
    }

    # ---- learning ----

    def fit(self, X, y=None, sample_weight=None):
        """Learn from all rows of X (N, D), with weights (N,), by batch VB. Returns self."""
        with undone_if_it_fails(self):
            X, weights = self._data(X, sample_weight, reset=True)
            return self._learn(X, weights)

    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from the rows of X (n, D), with weights (n,), one after another. Returns self.

        The first call sets the prior and learns its rows by batch VB; so give it some hundred. A
        call after `fit` goes on from there. `lower_bound_` is then not known.
        """
        with undone_if_it_fails(self):
            first = not hasattr(self, "state_")
            X, weights = self._data(X, sample_weight, reset=first)
            if first:
                return self._learn(X, weights, online=True)
            return self._go_on(X, weights)

    def fit_predict(self, X, y=None, sample_weight=None):
        """`fit`, then `predict` of the same rows."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def _data(self, X, weights, reset: bool):
        """Rows (N, D) and weights (N,) or None, checked."""
        refuse_masks(X=X, sample_weight=weights)
        if self.family == "columns":
            X = self._by_column(X, reset)
        if reset or not self._is_plain(X):
            sparse = "csr" if self.family == "bernoulli" else False
            X = validate_data(
                self,
                X,
                reset=reset,
                accept_sparse=sparse,
                dtype=np.float64,
                ensure_all_finite="allow-nan" if self._takes_gaps else True,
            )
        if weights is not None:
            weights = _check_sample_weight(weights, X, ensure_non_negative=True)
        return X, weights

    @property
    def _takes_gaps(self) -> bool:
        """Whether a cell may be missing."""
        return self.family == "columns" or isinstance(self.family, Columns)

    def _by_column(self, X, reset: bool):
        """Rows X (N, D) with numbers for categories."""
        if not is_frame(X):
            X = check_array(
                X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X"
            )
        if reset:
            self.categories_ = categories_of(X, self.categorical_features)
        return as_numbers(X, self.categories_)

    def _keep(self, fit) -> None:
        super()._keep(fit)
        self._n_features_out = fit.n_components
        self.weights_, components = self.mixture_.parameters(fit.S)
        self._show(components)

    # ---- what was learned ----

    def _rows(self, X):
        """Rows (N, D) that suit what was learned."""
        check_is_fitted(self)
        return self._told(self._data(X, None, reset=False)[0])

    def predict_proba(self, X) -> np.ndarray:
        """Return the responsibilities (N, K) of the components for the rows of X (N, D)."""
        X = self._rows(X)
        return self.mixture_.responsibilities(X, self.state_)

    def transform(self, X) -> np.ndarray:
        """`predict_proba`, as features (N, K) for what comes next in a pipeline."""
        return self.predict_proba(X)

    def predict(self, X) -> np.ndarray:
        """Return the most responsible component (N,) of each row of X (N, D)."""
        return self.predict_proba(X).argmax(axis=1)

    def score_samples(self, X) -> np.ndarray:
        """Return the log predictive density (N,) of the rows of X (N, D), in nats."""
        X = self._rows(X)
        return self.mixture_.log_predictive(X, self.state_)

    def score(self, X, y=None) -> float:
        """Return the mean log predictive density of the rows of X (N, D), in nats per row."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples=1) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows (n_samples, D) from the predictive density, and their components (n_samples,).

        Rows are sorted by component, as those of scikit-learn's mixtures are.
        """
        check_is_fitted(self)
        as_integer("n_samples", n_samples, 1)
        rng = self._generator()
        rows, labels = self.mixture_.sample_with_labels(self.state_, n_samples, rng)
        order = np.argsort(labels, kind="stable")
        return self._with_aside(rows[order]), labels[order]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.family == "bernoulli"
        tags.input_tags.allow_nan = self._takes_gaps
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags
